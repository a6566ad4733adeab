/* Waves into an FST file, by the writer that comes with Verilator, where that was found. */
#ifndef LAB_FST_H
#define LAB_FST_H

#include "observe/waves.h"

SIM_BEGIN_DECLS

struct lab_fst;

/** `path` must outlive the file. Raises SIM_ERR_IO: it cannot be written, or there is no writer. */
struct lab_fst *lab_fst_open(const char *path);
/** Valid until it is closed. */
struct observe_wave_writer lab_fst_writer(struct lab_fst *fst);
/** Completes the file; *err (which may be NULL) has what was not written. */
void lab_fst_close(struct lab_fst *fst, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_FST_H */
