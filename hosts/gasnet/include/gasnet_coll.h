/*
 * Collectives of GASNet 1: those of docs/collective_notes.txt of its releases, with teams. A rank
 * has one thread, which takes part for all images of its node.
 *
 * Sums over images (reduce, scan) are taken element by element: dst[k] is the sum of all src[k], in
 * the order of images. A function that the program has registered adds two elements a call, so
 * result_count and left_count are 1.
 */
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include <gasnet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- flags ---- */

#define GASNET_COLL_IN_NOSYNC   (1 << 0)
#define GASNET_COLL_IN_MYSYNC   (1 << 1)
#define GASNET_COLL_IN_ALLSYNC  (1 << 2)
#define GASNET_COLL_OUT_NOSYNC  (1 << 3)
#define GASNET_COLL_OUT_MYSYNC  (1 << 4)
#define GASNET_COLL_OUT_ALLSYNC (1 << 5)
#define GASNET_COLL_SINGLE      (1 << 6)
#define GASNET_COLL_LOCAL       (1 << 7)
/* Has no handle: the next call without it stands for this one, too. */
#define GASNET_COLL_AGGREGATE      (1 << 8)
#define GASNET_COLL_DST_IN_SEGMENT (1 << 9)
#define GASNET_COLL_SRC_IN_SEGMENT (1 << 10)
#define GASNET_COLL_INCLUSIVE_SCAN (1 << 11)
#define GASNET_COLL_EXCLUSIVE_SCAN (1 << 12)
/* What costs nothing here. */
#define GASNET_COLL_DISABLE_AUTOTUNE       (1 << 13)
#define GASNET_COLL_NO_IMAGES              (1 << 14)
#define GASNET_COLL_FIXED_THREADS_PER_NODE (1 << 15)
/* Flags of a function. */
#define GASNET_COLL_AMSAFE  (1 << 0)
#define GASNET_COLL_NONCOMM (1 << 1)

/* ---- types ---- */

typedef uint32_t gasnet_image_t;
typedef gasnet_handlerarg_t gasnet_coll_fn_handle_t; /* an index of the table of functions */
typedef struct gasneti_coll *gasnet_coll_handle_t;
typedef struct gasneti_team *gasnet_team_handle_t;
#define GASNET_COLL_INVALID_HANDLE ((gasnet_coll_handle_t)0)
#define GASNET_TEAM_ALL            ((gasnet_team_handle_t)1)

typedef void (*gasnet_coll_reduce_fn_t)(void *results, size_t result_count,
                                        const void *left_operands, size_t left_count,
                                        const void *right_operands, size_t elem_size, int flags,
                                        int arg);
typedef gasnet_coll_reduce_fn_t gasnet_coll_fn_t;
typedef struct {
    gasnet_coll_reduce_fn_t fnptr;
    unsigned int flags;
} gasnet_coll_fn_entry_t;

/* ---- beginning, teams ---- */

void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count, int init_flags);

/* Those of one colour make a team, in the order of their ranks. */
gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t team, gasnet_node_t color,
                                            gasnet_node_t rank, void *clientdata);
gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team);
gasnet_node_t gasnet_coll_team_rank(gasnet_team_handle_t team); /* the own one */
gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank);
gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team, gasnet_node_t node);

/* As gasnet_barrier_notify() and its kin, of the team's members. */
void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int *id);

/* ---- completion ---- */

void gasnet_coll_wait_sync(gasnet_coll_handle_t handle);
int gasnet_coll_try_sync(gasnet_coll_handle_t handle);
void gasnet_coll_wait_sync_all(gasnet_coll_handle_t *handles, size_t n);
int gasnet_coll_try_sync_all(gasnet_coll_handle_t *handles, size_t n);
void gasnet_coll_wait_sync_some(gasnet_coll_handle_t *handles, size_t n);
int gasnet_coll_try_sync_some(gasnet_coll_handle_t *handles, size_t n);

/* ---- collectives: blocking, _nb, and M of both with lists of addresses ---- */

/* X(name, parameters of the form with one address, those of the form with lists) */
#define GASNETI_COLLECTIVES(X)                                                                     \
    X(broadcast,                                                                                   \
      (gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src, size_t nbytes,    \
       int flags),                                                                                 \
      (gasnet_team_handle_t team, void *const dstlist[], gasnet_image_t srcimage, void *src,       \
       size_t nbytes, int flags))                                                                  \
    X(scatter,                                                                                     \
      (gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src, size_t nbytes,    \
       int flags),                                                                                 \
      (gasnet_team_handle_t team, void *const dstlist[], gasnet_image_t srcimage, void *src,       \
       size_t nbytes, int flags))                                                                  \
    X(gather,                                                                                      \
      (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src, size_t nbytes,    \
       int flags),                                                                                 \
      (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *const srclist[],       \
       size_t nbytes, int flags))                                                                  \
    X(gather_all, (gasnet_team_handle_t team, void *dst, void *src, size_t nbytes, int flags),     \
      (gasnet_team_handle_t team, void *const dstlist[], void *const srclist[], size_t nbytes,     \
       int flags))                                                                                 \
    X(exchange, (gasnet_team_handle_t team, void *dst, void *src, size_t nbytes, int flags),       \
      (gasnet_team_handle_t team, void *const dstlist[], void *const srclist[], size_t nbytes,     \
       int flags))                                                                                 \
    X(reduce,                                                                                      \
      (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src, size_t src_blksz, \
       size_t src_offset, size_t elem_size, size_t elem_count, gasnet_coll_fn_handle_t func,       \
       int func_arg, int flags),                                                                   \
      (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *const srclist[],       \
       size_t src_blksz, size_t src_offset, size_t elem_size, size_t elem_count,                   \
       gasnet_coll_fn_handle_t func, int func_arg, int flags))                                     \
    X(scan,                                                                                        \
      (gasnet_team_handle_t team, void *dst, size_t dst_blksz, size_t dst_offset, void *src,       \
       size_t src_blksz, size_t src_offset, size_t elem_size, size_t elem_count,                   \
       gasnet_coll_fn_handle_t func, int func_arg, int flags),                                     \
      (gasnet_team_handle_t team, void *const dstlist[], size_t dst_blksz, size_t dst_offset,      \
       void *const srclist[], size_t src_blksz, size_t src_offset, size_t elem_size,               \
       size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg, int flags))

#define GASNETI_DECLARE(name, one, lists)                                                          \
    void gasnet_coll_##name one;                                                                   \
    gasnet_coll_handle_t gasnet_coll_##name##_nb one;                                              \
    void gasnet_coll_##name##M lists;                                                              \
    gasnet_coll_handle_t gasnet_coll_##name##M_nb lists;
GASNETI_COLLECTIVES(GASNETI_DECLARE)
#undef GASNETI_DECLARE
#define gasnet_coll_broadcast_nbM  gasnet_coll_broadcastM_nb
#define gasnet_coll_scatter_nbM    gasnet_coll_scatterM_nb
#define gasnet_coll_gather_nbM     gasnet_coll_gatherM_nb
#define gasnet_coll_gather_all_nbM gasnet_coll_gather_allM_nb
#define gasnet_coll_exchange_nbM   gasnet_coll_exchangeM_nb
#define gasnet_coll_reduce_nbM     gasnet_coll_reduceM_nb
#define gasnet_coll_scan_nbM       gasnet_coll_scanM_nb

/* Algorithms follow from sizes alone: there is nothing to tune. */
static inline void gasnet_coll_loadTuningState(char *file, gasnet_team_handle_t team)
{
    (void)file;
    (void)team;
}
static inline void gasnet_coll_dumpTuningState(char *file, gasnet_team_handle_t team)
{
    (void)file;
    (void)team;
}

#ifdef __cplusplus
}
#endif

#include <gasnet_coll_team.h>

#endif /* GASNET_COLL_H */
