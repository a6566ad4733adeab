#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "gasnet-common.h"

#include <stdlib.h>
#include <time.h>

static gasnet_seginfo_t *segments;
static int started;

void gasnet_open(int *argc, char ***argv)
{
    CHECK(gasnet_init(argc, argv), GASNET_OK);
    started = 1;
}

uint8_t *gasnet_start(int *argc, char ***argv, gasnet_handlerentry_t *handlers, int n,
                      uint64_t bytes)
{
    uint64_t page = GASNET_PAGESIZE;

    if (!started)
        gasnet_open(argc, argv);
    bytes = (bytes + page - 1) / page * page;
    if (bytes > gasnet_getMaxLocalSegmentSize())
        fail("a segment of %llu bytes: expected at most %llu, as this node has",
             (unsigned long long)bytes, (unsigned long long)gasnet_getMaxLocalSegmentSize());
    CHECK(gasnet_attach(handlers, n, bytes, 0), GASNET_OK);
    segments = calloc(gasnet_nodes(), sizeof(*segments));
    if (segments == NULL)
        fail("out of memory");
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()), GASNET_OK);
    return gasnet_segment_of(gasnet_mynode());
}

uint8_t *gasnet_segment_of(unsigned node)
{
    return segments[node].addr;
}

void gasnet_pair(void)
{
    if (gasnet_nodes() != 2)
        fail("%u ranks: expected 2", gasnet_nodes());
}

void gasnet_all(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS), GASNET_OK);
}

double gasnet_seconds(void)
{
    struct timespec ts;

    CHECK(clock_gettime(CLOCK_MONOTONIC, &ts), 0);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}
