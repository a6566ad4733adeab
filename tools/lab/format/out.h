/* Files and folders to write to, and standard output. */
#ifndef LAB_OUT_H
#define LAB_OUT_H

#include <stdio.h>

#include "core/sim.h"

SIM_BEGIN_DECLS

/** Makes `path` and the folders above it. */
int lab_out_folder(const char *path, struct sim_error *err);
/** Makes or empties a file, or opens a device or pipe: one without a reader is refused at once.
 * @return SIM_OK and a descriptor to be closed, or SIM_ERR_IO */
int lab_out_create(const char *path, int *fd_p, struct sim_error *err);
int lab_out_open(const char *path, FILE **file_p, struct sim_error *err);
/** An error when not all of it could be written. */
int lab_out_close(FILE *file, const char *path, struct sim_error *err);

/**
 * At the start of a program. A standard stream that its caller has closed would be the number of
 * the next file opened, and what is printed would land in that file: such a stream is opened so
 * that writing to it fails. And so does writing beyond the limit of a file's size (ulimit -f),
 * instead of ending the process.
 */
void lab_out_prepare(void);
/** At the end of a program, when nothing is printed any more: an error when not all of standard
 * output could be written. */
int lab_out_close_standard(struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_OUT_H */
