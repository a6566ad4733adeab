/* What the programs beside this file share: begin and end, checks, random numbers. */
#ifndef COMMON_H
#define COMMON_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <gasnet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SEGMENT     (1u << 20)
#define ANONYMOUS   GASNET_BARRIERFLAG_ANONYMOUS
#define FIRST_COUNT 240 /* handlers of this header */

static unsigned me, nodes, checks, bad;
static gasnet_seginfo_t *segments;

static inline bool check_at(bool good, const char *text, const char *file, int line)
{
    checks++;
    if (!good && bad++ < 10)
        printf("%s:%d: node %u of %u: FAILED %s\n", file, line, me, nodes, text);
    return good;
}
#define CHECK(condition) check_at((condition), #condition, __FILE__, __LINE__)

static inline uint32_t below(uint32_t n)
{
    static uint32_t state[2]; /* two steps, so that nodes do not draw alike */

    if (state[0] == 0)
        state[0] = 2654435761u * (me + 1) | 1;
    state[0] ^= state[0] << 13;
    state[0] ^= state[0] >> 17;
    state[0] ^= state[0] << 5;
    state[1] = state[1] * 1664525u + state[0];
    return n > 0 ? (state[1] >> 5) % n : 0;
}

static inline uint8_t *segment_of(unsigned node)
{
    return segments[node].addr;
}

static inline void all_here(void)
{
    gasnet_barrier_notify(0, ANONYMOUS);
    CHECK(gasnet_barrier_wait(0, ANONYMOUS) == GASNET_OK);
}

static volatile unsigned told;

static inline void on_counts(gasnet_token_t token, gasnet_handlerarg_t done,
                             gasnet_handlerarg_t failed)
{
    (void)token;
    checks += (unsigned)done;
    bad += (unsigned)failed;
    told++;
}

static inline void begin(int *argc, char ***argv, const gasnet_handlerentry_t *table, int n)
{
    gasnet_handlerentry_t all[16] = { { FIRST_COUNT, (void (*)())on_counts } };

    if (gasnet_init(argc, argv) != GASNET_OK)
        exit(3);
    for (int i = 0; i < n; i++)
        all[1 + i] = table[i];
    gasnet_attach(all, 1 + n, SEGMENT, 0);
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    segments = calloc(nodes, sizeof(*segments));
    gasnet_getSegmentInfo(segments, (int)nodes);
}

/* Programs that have found a mistake end with 1. */
static inline int end(const char *name)
{
    gasnet_barrier(0, ANONYMOUS);
    if (me != 0)
        gasnet_AMRequestShort2(0, FIRST_COUNT, (int)checks, (int)bad);
    else
        GASNET_BLOCKUNTIL(told == nodes - 1);
    if (me == 0 && bad == 0)
        printf("%s on %u nodes: %u checks passed\n", name, nodes, checks);
    gasnet_barrier(0, ANONYMOUS);
    gasnet_exit(bad > 0);
    return 1;
}

#endif /* COMMON_H */
