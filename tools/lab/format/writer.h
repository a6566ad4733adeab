/*
 * A file that another thread writes: half of what a large file costs is the kernel's work, which
 * the simulation need not wait for. The thread takes no signals.
 */
#ifndef LAB_WRITER_H
#define LAB_WRITER_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct lab_writer;

/** Makes the file, or makes it empty. Raises SIM_ERR_IO or SIM_ERR_NOMEM. */
struct lab_writer *lab_writer_open(const char *path);
/** For observe_sink: `writer` is a struct lab_writer. False: writing has failed before. */
bool lab_writer_write(void *writer, const void *bytes, size_t n);
/** Waits until all is written, and frees the writer. @return 0, or the error number of what was not
 * written */
int lab_writer_close(struct lab_writer *writer);

SIM_END_DECLS
#endif /* LAB_WRITER_H */
