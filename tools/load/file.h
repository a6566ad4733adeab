/* Files that users name: read in full, up to a limit, and only what is a file. */
#ifndef LOAD_FILE_H
#define LOAD_FILE_H

#include "core/sim.h"

SIM_BEGIN_DECLS

#define LOAD_FILE_BY_HAND   ((size_t)4 << 20)   /* most bytes of what people write, */
#define LOAD_FILE_BY_HUBSIM ((size_t)256 << 20) /* and of what hubsim has written */

/** Opens a regular file. Another one, a fifo without a writer for example, is refused at once.
 * @return SIM_OK and a descriptor to be closed, or SIM_ERR_IO */
int load_file_open(const char *path, int *fd_p, struct sim_error *err);
/** Reads at most `max` bytes of one. @return SIM_OK and *bytes_p, to be freed; SIM_ERR_IO;
 * SIM_ERR_CONFIG: it is larger */
int load_file_read(const char *path, size_t max, char **bytes_p, size_t *n_p,
                   struct sim_error *err);

SIM_END_DECLS
#endif /* LOAD_FILE_H */
