/*
 * The heap of one rank: malloc() of its program. It lies at an address computed
 * from the rank, so that no pointer depends on the loader or on a sanitizer, and
 * it goes with the rank, as the memory of a process does, whatever the program
 * forgot to free.
 */
#ifndef LAUNCH_HEAP_H
#define LAUNCH_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heap;

#define HEAP_BYTES ((size_t)5 << 30) /* of address space; committed when touched */

/** Memory at this address, 0: at any. NULL: it is taken, or there is too little. */
void *heap_map(uint64_t at, size_t bytes, int protection);
/** NULL: out of memory. */
struct heap *heap_create(unsigned rank);
void heap_destroy(struct heap *heap);
bool heap_holds(const struct heap *heap, const void *p);
/** `align` a power of two. NULL: the heap is full. *zeroed_p (or NULL): fresh, all zero. */
void *heap_alloc(struct heap *heap, size_t bytes, size_t align, bool *zeroed_p);
/** Does a block begin at `p`, which lies in the heap, and was it not freed? So far as what stands
 * before it can show. */
bool heap_has(const struct heap *heap, const void *p);
/** `p` from heap_alloc(). */
void heap_free(struct heap *heap, void *p);
size_t heap_size(const void *p);

#define HEAP_LARGE   20u /* log2 of the size from which on classes are finer */
#define HEAP_CLASSES (4 * HEAP_LARGE + 16 * (64 - HEAP_LARGE))
/** The class of what takes so many bytes. *block_p: what all of the class take. */
uint32_t heap_class(size_t bytes, size_t *block_p);

#ifdef __cplusplus
}
#endif
#endif /* LAUNCH_HEAP_H */
