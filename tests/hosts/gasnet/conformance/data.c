/* "Active Messages", their data: sizes up to the limits, alignment, whose the source is and when,
 * and that a Long's data are there before its handler. */
#include "check.h"

enum { ON_MEDIUM = 128, ON_ECHO, ON_LONG, ON_WRITTEN, ON_BACK, ON_SHORT };

#define GUARD 16
#define HALF  (CHECK_SEGMENT / 2)

static volatile int came, answered;
static size_t most_medium;
static size_t expected_bytes;
static unsigned expected_seed;
static uint8_t *out; /* the source of this rank's messages */

static void on_medium(gasnet_token_t token, void *at, size_t bytes, arg seed)
{
    gasnet_node_t from = 0;

    gasnet_AMGetMsgSource(token, &from);
    CHECK((uintptr_t)at % 8 == 0, "Medium: the buffer of a request begins at a multiple of 8");
    CHECK(differ(at, bytes, (unsigned)seed) == 0, "Medium: the data of a request");
    memset(at, 0x77, bytes); /* the buffer is the handler's */
    CHECK(bytes == 0 || ((uint8_t *)at)[bytes - 1] == 0x77, "Medium: a handler may write to it");
    fill(at, bytes, (unsigned)seed + 1);
    gasnet_AMReplyMedium1(token, ON_ECHO, at, bytes, seed + 1);
    memset(at, 0x66, bytes); /* the source of a reply is free when the call returns */
    came++;
}

static void on_echo(gasnet_token_t token, void *at, size_t bytes, arg seed)
{
    (void)token;
    CHECK((uintptr_t)at % 8 == 0, "Medium: the buffer of a reply begins at a multiple of 8");
    CHECK(bytes == expected_bytes && differ(at, bytes, (unsigned)seed) == 0,
          "Medium: the data of a reply, whose source was changed after the call");
    answered++;
}

static void on_long(gasnet_token_t token, void *at, size_t bytes, arg seed, arg offset, arg back)
{
    gasnet_node_t from = 0;
    uint8_t *own = malloc(bytes + 1);

    gasnet_AMGetMsgSource(token, &from);
    CHECK(bytes == 0 || at == segment_of(me) + offset, "Long: where its data are");
    CHECK(segment_differs((size_t)offset, bytes, (unsigned)seed) == 0,
          "Long: the data of a request are there before its handler");
    fill(own, bytes, (unsigned)seed + 1);
    gasnet_AMReplyLong2(token, ON_WRITTEN, own, bytes, segment_of(from) + back, seed + 1, back);
    memset(own, 0x66, bytes);
    free(own);
    came++;
}

static void on_written(gasnet_token_t token, void *at, size_t bytes, arg seed, arg offset)
{
    (void)token;
    CHECK(bytes == 0 || at == segment_of(me) + offset, "Long: where data of a reply are");
    CHECK(bytes == expected_bytes && segment_differs((size_t)offset, bytes, (unsigned)seed) == 0,
          "Long: the data of a reply are there before its handler");
    answered++;
}

static void on_back(gasnet_token_t token)
{
    (void)token;
    answered++;
}

/* The same request, replied to shortly: of LongAsync. */
static void on_short(gasnet_token_t token, void *at, size_t bytes, arg seed, arg offset)
{
    (void)at;
    CHECK(segment_differs((size_t)offset, bytes, (unsigned)seed) == 0,
          "LongAsync: the data are there before the handler");
    came++;
    gasnet_AMReplyShort0(token, ON_BACK);
}

static const size_t SIZES[] = { 0,    1,     2,     3,     4,     5,      7,       8,    9,    15,
                                16,   17,    31,    63,    64,    65,     127,     128,  129,  255,
                                256,  257,   511,   512,   1000,  1024,   2048,    4032, 4096, 4097,
                                8192, 12288, 16384, 20000, 65536, 100003, HALF / 2 };
#define NSIZES (sizeof(SIZES) / sizeof(SIZES[0]))

/* All ranks to their right neighbours, and to themselves. */
static void medium_of(size_t bytes, int number, unsigned to)
{
    came = answered = 0;
    expected_bytes = bytes;
    expected_seed = (unsigned)number;
    check_barrier();
    fill(out + 1, bytes, me * 100 + (unsigned)number);
    gasnet_AMRequestMedium1(to, ON_MEDIUM, out + 1, bytes, (arg)(me * 100) + number);
    memset(out + 1, 0x55, bytes);
    GASNET_BLOCKUNTIL(came == 1 && answered == 1);
}

static void mediums(void)
{
    for (unsigned i = 0; i < NSIZES && SIZES[i] < most_medium; i++) {
        medium_of(SIZES[i], (int)i, next);
        CHECK_OF(i, came == 1 && answered == 1, "Medium: %zu bytes there and back", SIZES[i]);
        medium_of(SIZES[i], (int)i, me);
        CHECK_OF(i, came == 1 && answered == 1, "Medium: %zu bytes to oneself", SIZES[i]);
    }
    for (int less = 2; less >= 0; less--) {
        medium_of(most_medium - (size_t)less, 90 + less, next);
        CHECK_OF(less, came == 1, "Medium: gasnet_AMMaxMedium() - %d bytes", less);
    }
    medium_of(most_medium, 80, me);
    CHECK(came == 1, "Medium: gasnet_AMMaxMedium() bytes to oneself");
}

/* Bytes around the target stay as they are. */
static bool guards(size_t at, size_t bytes)
{
    uint8_t before[GUARD], behind[GUARD];
    bool good = true;

    segment_load(before, at - GUARD, GUARD);
    segment_load(behind, at + bytes, GUARD);
    for (int i = 0; i < GUARD; i++)
        good = good && before[i] == 0xee && behind[i] == 0xee;
    return good;
}

static void long_of(size_t bytes, unsigned seed, unsigned to, size_t shift, size_t at)
{
    size_t target = GUARD + at, back = HALF + GUARD + at;

    came = answered = 0;
    expected_bytes = bytes;
    segment_clear(target - GUARD, bytes + 2 * GUARD, 0xee);
    segment_clear(back - GUARD, bytes + 2 * GUARD, 0xee);
    check_barrier();
    fill(out + shift, bytes, seed);
    gasnet_AMRequestLong3(to, ON_LONG, out + shift, bytes, segment_of(to) + target, (arg)seed,
                          (arg)target, (arg)back);
    memset(out + shift, 0x55, bytes);
    GASNET_BLOCKUNTIL(came == 1 && answered == 1);
    CHECK(guards(target, bytes), "Long: a request writes no byte more");
    CHECK(guards(back, bytes), "Long: a reply writes no byte more");
}

static void longs(void)
{
    for (unsigned i = 0; i < NSIZES; i++) {
        long_of(SIZES[i], 100 + i, next, 0, 0);
        CHECK_OF(i, came == 1, "Long: %zu bytes there and back", SIZES[i]);
        long_of(SIZES[i], 200 + i, me, i % 8, i * 3 % 16);
        CHECK_OF(i, came == 1, "Long: %zu bytes to oneself", SIZES[i]);
    }
}

/* No alignment is asked for, at either side. */
static void alignments(void)
{
    static const size_t some[] = { 1, 7, 33, 300, 5000 };

    for (unsigned shift = 0; shift < 16; shift++)
        for (unsigned at = 0; at < 16; at++)
            if (shift == 0 || at == 0 || shift == at || (shift * 5 + at) % 7 == 0)
                for (unsigned k = 0; k < 5; k++) {
                    long_of(some[k], shift * 16 + at, next, shift, at);
                    CHECK_OF(shift * 16 + at, came == 1, "Long: from address %u to %u of 16", shift,
                             at);
                }
}

/* The end of a segment is in it. */
static void last_bytes(void)
{
    came = answered = 0;
    expected_bytes = 100;
    check_barrier();
    fill(out, 100, me);
    gasnet_AMRequestLong3(next, ON_LONG, out, 100, segment_of(next) + CHECK_SEGMENT - 100, (arg)me,
                          CHECK_SEGMENT - 100, 0);
    GASNET_BLOCKUNTIL(came == 1 && answered == 1);
    CHECK(came == 1, "Long: up to the last byte of a segment");
}

/* A source may lie in the sender's own segment. */
static void from_segment(void)
{
    came = answered = 0;
    expected_bytes = 3000;
    fill(out, 3000, me);
    segment_store(HALF, out, 3000);
    segment_clear(100, 3000, 0);
    check_barrier();
    gasnet_AMRequestLong3(next, ON_LONG, segment_of(me) + HALF, 3000, segment_of(next) + 100,
                          (arg)me, 100, 5000);
    GASNET_BLOCKUNTIL(came == 1 && answered == 1);
    CHECK(came == 1, "Long: the source is in the sender's segment");
    came = answered = 0;
    expected_bytes = 400;
    check_barrier();
    gasnet_AMRequestMedium1(next, ON_MEDIUM, segment_of(me) + HALF, 400, (arg)me);
    GASNET_BLOCKUNTIL(came == 1 && answered == 1);
    CHECK(came == 1, "Medium: the source is in the sender's segment");
}

#define OPEN 20

/* The sources stay as they are until the replies have come. */
static void async(void)
{
    const size_t each = 9001;

    for (int to_self = 0; to_self < 2; to_self++) {
        unsigned to = to_self ? me : next;

        came = answered = 0;
        segment_clear(0, OPEN * each, 0);
        check_barrier();
        for (unsigned i = 0; i < OPEN; i++) {
            fill(out + i * each, each, i + me);
            gasnet_AMRequestLongAsync2(to, ON_SHORT, out + i * each, each,
                                       segment_of(to) + i * each, (arg)(i + me), (arg)(i * each));
        }
        GASNET_BLOCKUNTIL(came == OPEN && answered == OPEN);
        CHECK_OF(to_self, came == OPEN, "LongAsync: %d at once, %s", OPEN,
                 to_self ? "to oneself" : "to the neighbour");
    }
}

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = {
        { ON_MEDIUM, (void (*)())on_medium }, { ON_ECHO, (void (*)())on_echo },
        { ON_LONG, (void (*)())on_long },     { ON_WRITTEN, (void (*)())on_written },
        { ON_BACK, (void (*)())on_back },     { ON_SHORT, (void (*)())on_short },
    };

    check_begin(&argc, &argv, "4 data", table, 6);
    most_medium = gasnet_AMMaxMedium();
    out = malloc(CHECK_SEGMENT + most_medium);
    mediums();
    longs();
    alignments();
    last_bytes();
    from_segment();
    async();
    return check_end();
}
