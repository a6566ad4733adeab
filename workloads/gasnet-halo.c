/*
 * Ping-pong of a face of a cube of n x n x n elements between ranks 0 and 1, from segment to
 * segment: a put and, when it has completed, an AM Short; half of a round trip.
 *
 *   layout=block         n*n elements in one piece, by gasnet_put_nb_bulk()
 *   layout=block-stride  n rows of n elements, one from each plane, by gasnet_puts_nb_bulk()
 *   layout=stride        n*n single elements, one from each row, likewise
 */
#include <stdlib.h>

#include "gasnet-common.h"
#include <gasnet_vis.h>

enum { HANDLER_CAME = 200 };

static struct test {
    unsigned me;
    uint64_t n, elem_bytes, rounds, warmup, repeats;
    const char *layout, *elem;
    uint64_t rows, row_bytes, pitch_bytes;
    uint8_t *own, *far;
} t;
static volatile uint64_t arrived;

static void came(gasnet_token_t token)
{
    (void)token;
    arrived++;
}

static void set_shape(void)
{
    t.elem_bytes = t.elem[0] == 'd' ? sizeof(double) : sizeof(float);
    t.rows = t.layout[0] == 's' ? t.n * t.n : t.n;
    t.row_bytes = t.layout[0] == 's' ? t.elem_bytes : t.n * t.elem_bytes;
    t.pitch_bytes = t.layout[0] == 's' ? t.n * t.elem_bytes : t.n * t.n * t.elem_bytes;
    if (t.layout[5] == '\0' && t.layout[0] == 'b') {
        t.row_bytes = t.pitch_bytes = t.n * t.n * t.elem_bytes;
        t.rows = 1;
    }
}

static void put(void)
{
    size_t count[2] = { t.row_bytes, t.rows }, pitch = t.pitch_bytes;
    gasnet_handle_t handle =
        t.rows == 1 ? gasnet_put_nb_bulk(!t.me, t.far, t.own, t.row_bytes)
                    : gasnet_puts_nb_bulk(!t.me, t.far, &pitch, t.own, &pitch, count, 1);

    gasnet_wait_syncnb(handle);
    CHECK(gasnet_AMRequestShort0(!t.me, HANDLER_CAME), GASNET_OK);
}

static double play(void)
{
    uint64_t first = arrived;
    double start;

    gasnet_all();
    start = gasnet_seconds();
    for (uint64_t i = 1; i <= t.rounds; i++) {
        if (t.me == 0)
            put();
        GASNET_BLOCKUNTIL(arrived == first + i);
        if (t.me == 1)
            put();
    }
    return gasnet_seconds() - start;
}

static void measure(void)
{
    struct times times;
    int good = 1;

    times_init(&times, t.repeats);
    for (uint64_t i = 0; i < t.warmup + t.repeats; i++) {
        uint64_t ps;

        for (uint64_t row = 0; row < t.rows; row++)
            bytes_fill(t.own + row * t.pitch_bytes, t.row_bytes,
                       2 * (unsigned)i + (t.me == 0 ? (unsigned)row : 7));
        ps = (uint64_t)(play() * 1e12 + 0.5);
        gasnet_all();
        for (uint64_t row = 0; row < t.rows; row++) /* both have what rank 0 has sent */
            good &=
                bytes_ok(t.own + row * t.pitch_bytes, t.row_bytes, 2 * (unsigned)i + (unsigned)row);
        if (i >= t.warmup)
            times_add(&times, half_round_ps(ps, t.rounds));
    }
    if (!good)
        fail("the received bytes are not those that were sent");
    gasnet_all();
    if (t.me == 0)
        times_print(&times, t.rows * t.row_bytes, good, NULL);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = { { HANDLER_CAME, (gasneti_handler_fn)came } };
    const struct option options[] = {
        { .key = "n", .number = &t.n },
        { .key = "elem", .text = &t.elem, .choices = "double|float" },
        { .key = "layout", .text = &t.layout, .choices = "block|block-stride|stride" },
        { .key = "rounds", .number = &t.rounds },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        OPTIONS_END
    };

    t = (struct test){ .n = 64,
                       .rounds = 100,
                       .warmup = 1,
                       .repeats = 10,
                       .layout = "block-stride",
                       .elem = "double" };
    options_read(argc, argv, options);
    if (t.rounds == 0 || t.n == 0 || t.n > 1024)
        fail("n=%llu, rounds=%llu: expected n of 1 .. 1024 and rounds of 1 or more",
             (unsigned long long)t.n, (unsigned long long)t.rounds);
    set_shape();
    t.own = gasnet_start(&argc, &argv, handlers, 1, t.rows * t.pitch_bytes);
    gasnet_pair();
    t.me = gasnet_mynode();
    t.far = gasnet_segment_of(!t.me);
    measure();
    gasnet_exit(0);
}
