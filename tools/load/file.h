/* Files that users name: read in full, up to a limit, and only what is a file. */
#ifndef LOAD_FILE_H
#define LOAD_FILE_H

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

#define LOAD_FILE_BY_HAND   ((size_t)4 << 20)   /* most bytes of what people write, */
#define LOAD_FILE_BY_HUBSIM ((size_t)256 << 20) /* and of what hubsim has written */
#define LOAD_FILE_ANY       (SIZE_MAX / 2)      /* and of what others have, a program */

/** Why `path` is no file that can be read: "no such file", "a folder", "Permission denied", ... */
const char *load_file_why(const char *path);
/** Opens a regular file. Another one, a fifo without a writer for example, is refused at once.
 * @return a descriptor to be closed. Raises SIM_ERR_IO. */
int load_file_open(const char *path);
/** Reads at most `max` bytes of one. @return *n_p bytes in `arena`. Raises SIM_ERR_IO, or
 * SIM_ERR_CONFIG when it is larger. */
char *load_file_read(const char *path, size_t max, struct load_arena *arena, size_t *n_p);

SIM_END_DECLS
#endif /* LOAD_FILE_H */
