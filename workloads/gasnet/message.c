/*
 * One message of GASNet from rank 0 to rank 1, for `hubsim explain`: when it began, and when the
 * receiver had it.
 *
 *   op=long   rank 0 sends an AM Long from memory `src` into the segment of rank 1
 *   op=get    rank 1 gets from the segment of rank 0 into memory `dst`
 *
 * Messages before it warm up what a first one finds cold: descriptors, and where they are kept.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <time.h>

#include <peach2.h>

#include "../gasnet-common.h"

enum { HANDLER_LONG = 200, HANDLER_START, HANDLERS = 2 };
enum { SETTLE_NS = 20000 }; /* until nothing of a barrier is under way */

static struct test {
    uint64_t bytes, warmup;
    const char *op;
    int src, dst;
    uint8_t *local, *segment;
} t;
static volatile uint64_t arrived, started_ps;

static void long_came(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token;
    (void)data;
    (void)bytes;
    arrived++;
}

static void start_came(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token;
    (void)bytes;
    started_ps = *(const uint64_t *)data;
}

static int gets(void)
{
    return t.op[0] == 'g';
}

/** The rank that calls. */
static unsigned caller(void)
{
    return gets() ? 1 : 0;
}

static void settle(void)
{
    gasnet_all();
    if (gasnet_mynode() == caller())
        nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
}

static void call(void)
{
    if (gets())
        gasnet_get_bulk(t.local, 0, gasnet_segment_of(0), t.bytes);
    else
        CHECK(gasnet_AMRequestLong0(1, HANDLER_LONG, t.local, t.bytes, gasnet_segment_of(1)),
              GASNET_OK);
}

/** Both times by clocks that agree; node 0 has only the start of its own Long. */
static void one(uint64_t *start_p, uint64_t *end_p)
{
    uint64_t first = arrived;

    settle();
    if (gasnet_mynode() == caller()) {
        *start_p = peach2_time_ps();
        call();
    }
    GASNET_BLOCKUNTIL(gets() || gasnet_mynode() == 0 || arrived == first + 1);
    *end_p = peach2_time_ps();
}

/** By rank 1, where the message ends. */
static void report(uint64_t start, uint64_t end)
{
    if (!gets() && gasnet_mynode() == 0)
        CHECK(gasnet_AMRequestMedium0(1, HANDLER_START, &start, sizeof(start)), GASNET_OK);
    gasnet_all();
    if (gasnet_mynode() == 0)
        return;
    printf("result start_ps=%llu end_ps=%llu verified=%d\n",
           (unsigned long long)(gets() ? start : started_ps), (unsigned long long)end,
           mpi_holds(gets() ? t.local : t.segment, t.bytes, 0));
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[HANDLERS] = {
        { HANDLER_LONG, (gasneti_handler_fn)long_came },
        { HANDLER_START, (gasneti_handler_fn)start_came },
    };
    uint64_t start = 0, end = 0;
    const struct option options[] = { { .key = "op", .text = &t.op, .choices = "long|get" },
                                      { .key = "bytes", .number = &t.bytes },
                                      { .key = "warmup", .number = &t.warmup },
                                      { .key = "src", .memory = &t.src },
                                      { .key = "dst", .memory = &t.dst },
                                      OPTIONS_END };

    t = (struct test){ .op = "long", .bytes = 8, .warmup = 4, .src = IN_HOST, .dst = IN_HOST };
    options_read(argc, argv, options);
    if (t.bytes == 0)
        fail("bytes=0: expected at least 1");
    t.segment = gasnet_start(&argc, &argv, handlers, HANDLERS, t.bytes);
    gasnet_pair();
    t.local = mpi_memory(gets() ? t.dst : t.src, t.bytes);
    mpi_clear(t.local, t.bytes);
    mpi_clear(t.segment, t.bytes);
    if (gasnet_mynode() == 0)
        mpi_fill(gets() ? t.segment : t.local, t.bytes, 0);
    for (uint64_t i = 0; i <= t.warmup; i++)
        one(&start, &end);
    report(start, end);
    gasnet_exit(0);
}
