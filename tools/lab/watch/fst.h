/* Waves into an FST file, by the writer that comes with Verilator, where that was found. */
#ifndef LAB_FST_H
#define LAB_FST_H

#include "observe/waves.h"

SIM_BEGIN_DECLS

struct lab_fst;

/** `path` must outlive the file. @return SIM_OK and *fst_p; SIM_ERR_IO: it cannot be written, or
 * there is no writer */
int lab_fst_open(const char *path, struct lab_fst **fst_p, struct sim_error *err);
/** Valid until it is closed. */
struct observe_wave_writer lab_fst_writer(struct lab_fst *fst);
int lab_fst_close(struct lab_fst *fst, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_FST_H */
