/* The FST writer's way to its files: it is compiled to call these (CMakeLists.txt). */
#ifndef LAB_FST_DISK_H
#define LAB_FST_DISK_H

#include <stdio.h>
#include <sys/types.h>

/** Of this thread: the number of the first error since the last call, or 0. */
int fst_disk_error(void);

int fst_disk_fclose(FILE *f);
int fst_disk_fflush(FILE *f);
int fst_disk_fputc(int c, FILE *f);
int fst_disk_fseeko(FILE *f, off_t offset, int whence);
size_t fst_disk_fwrite(const void *bytes, size_t size, size_t n, FILE *f);
/**
 * A mapped page of a file for which the disk has no room ends the process at its first use, so room
 * is taken before. Without it the map is memory with what the file has: the writer goes on, in
 * vain.
 */
void *fst_disk_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset);

#endif /* LAB_FST_DISK_H */
