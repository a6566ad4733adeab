/*
 * Puts and gets of many pieces: vectors (pieces of any length), indexed ones (of equal length) and
 * strided ones. The pieces of both sides, one behind the other, are the same bytes; those of the
 * target do not overlap.
 *
 * Strided: count[0] bytes lie side by side, count[i] of level i - 1 lie strides[i - 1] bytes apart.
 * Source, target and lists stay as they are until the operation is synchronised.
 */
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include <gasnet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, parameters) */
#define GASNETI_VIS(X)                                                                             \
    X(putv, (gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const dstlist[],              \
             size_t srccount, gasnet_memvec_t const srclist[]))                                    \
    X(getv, (size_t dstcount, gasnet_memvec_t const dstlist[], gasnet_node_t srcnode,              \
             size_t srccount, gasnet_memvec_t const srclist[]))                                    \
    X(puti, (gasnet_node_t dstnode, size_t dstcount, void *const dstlist[], size_t dstlen,         \
             size_t srccount, void *const srclist[], size_t srclen))                               \
    X(geti, (size_t dstcount, void *const dstlist[], size_t dstlen, gasnet_node_t srcnode,         \
             size_t srccount, void *const srclist[], size_t srclen))                               \
    X(puts, (gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[], void *srcaddr,       \
             const size_t srcstrides[], const size_t count[], size_t stridelevels))                \
    X(gets, (void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode, void *srcaddr,       \
             const size_t srcstrides[], const size_t count[], size_t stridelevels))

#define GASNETI_DECLARE(name, parameters)                                                          \
    void gasnet_##name##_bulk parameters;                                                          \
    gasnet_handle_t gasnet_##name##_nb_bulk parameters;                                            \
    void gasnet_##name##_nbi_bulk parameters;
GASNETI_VIS(GASNETI_DECLARE)
#undef GASNETI_DECLARE

#ifdef __cplusplus
}
#endif
#endif /* GASNET_VIS_H */
