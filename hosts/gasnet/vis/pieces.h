/* The pieces of one side, and walking them. */
#ifndef GASNET_PIECES_H
#define GASNET_PIECES_H

#include "hosts/gasnet/core/message.h"

#define VIS_LEVELS_MAX 32u

/** Refers to the program's lists, but has its own copy of strides. */
struct vis_list {
    enum { VIS_VECTOR, VIS_INDEXED, VIS_STRIDED } kind;
    uint64_t pieces;
    uint64_t bytes; /* of all */
    const gasnet_memvec_t *vector;
    void *const *addresses;
    uint64_t length; /* bytes of a piece, but not of a vector's */
    uint8_t *base;
    unsigned levels;
    uint64_t counts[VIS_LEVELS_MAX], strides[VIS_LEVELS_MAX]; /* of levels with two and more */
};

struct vis_list vis_vector(const gasnet_memvec_t *vector, size_t count);
struct vis_list vis_indexed(void *const *addresses, size_t count, size_t length);
/** Ends all ranks with a line if there are too many levels. */
struct vis_list vis_strided(struct gasnet_rank *gr, void *base, const size_t *strides,
                            const size_t *counts, size_t levels);
/** Each byte must be there once: else it ends all ranks with a line. */
void vis_check_apart(struct gasnet_rank *gr, const struct vis_list *list);
/** Each must be in the segment of `node`. */
void vis_check_segment(struct gasnet_rank *gr, const struct vis_list *list, gasnet_node_t node);

/** A place in it: bytes side by side, in one piece or more. */
struct vis_cursor {
    const struct vis_list *list;
    uint64_t next; /* piece */
    uint8_t *at;
    uint64_t left;
};
static inline struct vis_cursor vis_begin(const struct vis_list *list)
{
    return (struct vis_cursor){ .list = list };
}
/** @return false: there are no more bytes. Else there are `left` of them at `at`. */
bool vis_more(struct vis_cursor *c);
static inline void vis_skip(struct vis_cursor *c, uint64_t bytes)
{
    c->at += bytes;
    c->left -= bytes;
}

#endif /* GASNET_PIECES_H */
