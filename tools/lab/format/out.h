/* Files and folders to write to, and standard output. */
#ifndef LAB_OUT_H
#define LAB_OUT_H

#include <stdio.h>

#include "core/sim.h"

SIM_BEGIN_DECLS

/* What these functions raise is SIM_ERR_IO. */

/** Makes `path` and the folders above it, where they are not there, and sees that it takes files.
 */
void lab_out_folder(const char *path);
/** Whether lab_out_folder() and files in it will do, before the work is done: raises when not.
 * Nothing is left of that, and nothing removed that another process may have made. */
void lab_out_try_folder(const char *path);
/** Whether lab_out_create() will do, before the work is done: raises when not. A file stays as it
 * is, and none is left that was not there. @return a descriptor to be closed behind that: until
 * then a pipe keeps its reader */
int lab_out_try(const char *path);
/** Makes or empties a file, or opens a device or pipe: one without a reader is refused at once.
 * @return a descriptor to be closed */
int lab_out_create(const char *path);
/** No arena has the file: nothing that may raise until lab_out_close(). */
FILE *lab_out_open(const char *path);
/** Raises when not all of it could be written. */
void lab_out_close(FILE *file, const char *path);

/**
 * At the start of a program. A standard stream that its caller has closed would be the number of
 * the next file opened, and what is printed would land in that file: such a stream is opened so
 * that writing to it fails. And so does writing beyond the limit of a file's size (ulimit -f),
 * instead of ending the process. What is printed into a pipe without a reader ends it (SIGPIPE),
 * though its caller may ignore that.
 */
void lab_out_prepare(void);
/** At the end of a program, when nothing is printed any more: raises when not all of standard
 * output could be written. */
void lab_out_close_standard(void);

SIM_END_DECLS
#endif /* LAB_OUT_H */
