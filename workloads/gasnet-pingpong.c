/*
 * Ping-pong of active messages between ranks 0 and 1: half of a round trip of `rounds` messages
 * each way. Data go from memory `src` of one rank into the segment of the other one, which lies
 * where hubrun --gasnet NAME,segment= says, and the handler tells the program that they are there.
 *
 *   op=am-long    AM Long       op=am-medium  AM Medium, whose data the handler copies
 *   op=am-short   no data       op=get        rank 0 gets them from the segment of rank 1 into its
 *                                             memory `dst`: the time of one get
 */
#include <stdlib.h>
#include <string.h>

#include "gasnet-common.h"

enum { HANDLER_LONG = 200, HANDLER_MEDIUM, HANDLER_SHORT };

static struct test {
    unsigned me;
    uint64_t bytes, rounds, warmup, repeats;
    const char *op;
    int src, dst;
    uint8_t *out, *in, *segment, *far;
} t;
static volatile uint64_t arrived;

static void long_came(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token;
    (void)data;
    (void)bytes;
    arrived++;
}

static void medium_came(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token;
    memcpy(t.segment, data, bytes);
    arrived++;
}

static void short_came(gasnet_token_t token)
{
    (void)token;
    arrived++;
}

static void message(void)
{
    switch (t.op[3]) {
    case 'l':
        CHECK(gasnet_AMRequestLong0(!t.me, HANDLER_LONG, t.out, t.bytes, t.far), GASNET_OK);
        break;
    case 'm':
        CHECK(gasnet_AMRequestMedium0(!t.me, HANDLER_MEDIUM, t.out, t.bytes), GASNET_OK);
        break;
    default:
        CHECK(gasnet_AMRequestShort0(!t.me, HANDLER_SHORT), GASNET_OK);
        break;
    }
}

/** @return the time of all rounds, on rank 0 */
static double play(void)
{
    uint64_t first = arrived;
    double start;

    gasnet_all();
    start = gasnet_seconds();
    for (uint64_t i = 1; i <= t.rounds; i++) {
        if (t.op[0] == 'g') {
            if (t.me == 0)
                gasnet_get_bulk(t.in, 1, t.far, t.bytes);
            continue;
        }
        if (t.me == 0)
            message();
        GASNET_BLOCKUNTIL(arrived == first + i);
        if (t.me == 1)
            message();
    }
    return gasnet_seconds() - start;
}

/** Where the data of the other rank arrive here, if any do. */
static uint8_t *place(void)
{
    if (t.op[0] == 'g')
        return t.me == 0 ? t.in : NULL;
    return t.op[3] == 's' ? NULL : t.segment;
}

static int check(unsigned seed)
{
    return place() == NULL || mpi_holds(place(), t.bytes, seed);
}

/** The bytes that travel: those of a get lie in the segment. */
static void fill(unsigned seed)
{
    if (place() != NULL)
        mpi_clear(place(), t.bytes);
    mpi_fill(t.op[0] == 'g' ? t.segment : t.out, t.bytes, seed + t.me);
}

static void measure(void)
{
    struct times times;
    int good = 1;

    times_init(&times, t.repeats);
    for (uint64_t i = 0; i < t.warmup + t.repeats; i++) {
        uint64_t ps;

        if (t.op[0] != 'g' || t.me != 0)
            fill(2 * (unsigned)i);
        else
            mpi_clear(t.in, t.bytes);
        ps = (uint64_t)(play() * 1e12 + 0.5);
        gasnet_all();
        good &= check(2 * (unsigned)i + !t.me);
        if (i >= t.warmup)
            times_add(&times, t.op[0] == 'g' ? ps / t.rounds : half_round_ps(ps, t.rounds));
    }
    if (!good)
        fail("the received bytes are not those that were sent");
    gasnet_all();
    if (t.me == 0)
        times_print(&times, t.bytes, good, NULL);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {
        { HANDLER_LONG, (gasneti_handler_fn)long_came },
        { HANDLER_MEDIUM, (gasneti_handler_fn)medium_came },
        { HANDLER_SHORT, (gasneti_handler_fn)short_came },
    };
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "rounds", .number = &t.rounds },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        { .key = "op", .text = &t.op, .choices = "am-long|am-medium|am-short|get" },
        OPTIONS_END
    };

    t = (struct test){ .bytes = 8,
                       .rounds = 100,
                       .warmup = 1,
                       .repeats = 10,
                       .op = "am-long",
                       .src = IN_HOST,
                       .dst = IN_HOST };
    options_read(argc, argv, options);
    if (t.rounds == 0)
        fail("rounds=0: expected at least 1");
    t.segment = gasnet_start(&argc, &argv, handlers, 3, t.bytes + 1);
    gasnet_pair();
    if (t.op[3] == 'm' && t.bytes > gasnet_AMMaxMedium())
        fail("bytes=%llu: expected at most %zu with op=am-medium", (unsigned long long)t.bytes,
             gasnet_AMMaxMedium());
    t.me = gasnet_mynode();
    t.far = gasnet_segment_of(!t.me);
    t.out = mpi_memory(t.src, t.bytes);
    t.in = mpi_memory(t.dst, t.bytes);
    measure();
    gasnet_exit(0);
}
