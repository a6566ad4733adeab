/* Whole reads and writes, of pipes too. */
#ifndef LAB_WHOLE_H
#define LAB_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/** @return false: an error. */
bool lab_write_whole(int fd, const void *bytes, size_t n);
/** @return false: an error, or the end came before. */
bool lab_read_whole(int fd, void *bytes, size_t n);

#endif /* LAB_WHOLE_H */
