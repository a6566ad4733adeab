/* "Extended API": puts, gets, fills and values in all their forms; sizes, alignment, and when the
 * source is free. */
#include "check.h"

#define GUARD 16
#define HALF  (CHECK_SEGMENT / 2)

enum form { BLOCKING, BULK, NB, NB_BULK, NBI, NBI_BULK, FORMS };
static const char *const NAMES[FORMS] = { "", "_bulk", "_nb", "_nb_bulk", "_nbi", "_nbi_bulk" };

static const size_t SIZES[] = { 0,    1,    2,    3,    4,     7,     8,      9,
                                15,   16,   17,   31,   63,    64,    65,     127,
                                128,  129,  255,  256,  257,   511,   512,    513,
                                1000, 4032, 4096, 4097, 16384, 65536, 100003, HALF - 100 };
#define NSIZES (int)(sizeof(SIZES) / sizeof(SIZES[0]))

static uint8_t *own; /* memory outside of segments */
static const size_t OWN = HALF + 4096;

/* Puts, and returns when the far memory has it. The source of a form that is not bulk is free at
 * return of the call, of a bulk one after its sync. */
static void put(enum form form, unsigned node, void *to, uint8_t *from, size_t n)
{
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;

    switch (form) {
    case BLOCKING:
        gasnet_put(node, to, from, n);
        break;
    case BULK:
        gasnet_put_bulk(node, to, from, n);
        break;
    case NB:
        handle = gasnet_put_nb(node, to, from, n);
        memset(from, 0x99, n);
        break;
    case NB_BULK:
        handle = gasnet_put_nb_bulk(node, to, from, n);
        break;
    case NBI:
        gasnet_put_nbi(node, to, from, n);
        memset(from, 0x99, n);
        break;
    default:
        gasnet_put_nbi_bulk(node, to, from, n);
    }
    gasnet_wait_syncnb(handle);
    gasnet_wait_syncnbi_puts();
    memset(from, 0x77, n);
}

static void get(enum form form, void *to, unsigned node, void *from, size_t n)
{
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;

    switch (form) {
    case BLOCKING:
        gasnet_get(to, node, from, n);
        break;
    case BULK:
        gasnet_get_bulk(to, node, from, n);
        break;
    case NB:
        handle = gasnet_get_nb(to, node, from, n);
        break;
    case NB_BULK:
        handle = gasnet_get_nb_bulk(to, node, from, n);
        break;
    case NBI:
        gasnet_get_nbi(to, node, from, n);
        break;
    default:
        gasnet_get_nbi_bulk(to, node, from, n);
    }
    gasnet_wait_syncnb(handle);
    gasnet_wait_syncnbi_gets();
}

static bool all_are(const uint8_t *at, size_t n, int value)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] != value)
            return false;
    return true;
}

/* Bytes around `n` ones at `at` are untouched, and those are as filled. */
static bool landed(size_t at, size_t n, unsigned seed)
{
    uint8_t *copy = calloc(1, n + 2 * GUARD);
    bool good;

    segment_load(copy, at - GUARD, n + 2 * GUARD);
    good = all_are(copy, GUARD, 0xee) && differ(copy + GUARD, n, seed) == 0 &&
           all_are(copy + GUARD + n, GUARD, 0xee);
    free(copy);
    return good;
}

static bool put_lands(enum form form, unsigned distance, size_t n, size_t shift, size_t at)
{
    unsigned to = (me + distance) % nodes, from = (me + nodes - distance) % nodes;

    segment_clear(at - GUARD, n + 2 * GUARD, 0xee);
    check_barrier();
    fill(own + shift, n, me + (unsigned)n);
    put(form, to, segment_of(to) + at, own + shift, n);
    check_barrier();
    return landed(at, n, from + (unsigned)n);
}

static bool get_brings(enum form form, unsigned distance, size_t n, size_t shift, size_t at)
{
    unsigned from = (me + distance) % nodes;

    fill(own + GUARD, n, me + (unsigned)n);
    segment_store(at, own + GUARD, n);
    check_barrier();
    memset(own + shift, 0xee, n + 2 * GUARD);
    get(form, own + shift + GUARD, from, segment_of(from) + at, n);
    check_barrier();
    return all_are(own + shift, GUARD, 0xee) &&
           differ(own + shift + GUARD, n, from + (unsigned)n) == 0 &&
           all_are(own + shift + GUARD + n, GUARD, 0xee);
}

static void sizes(void)
{
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < NSIZES; i++) {
            CHECK_OF(form * NSIZES + i, put_lands(form, 1 % nodes, SIZES[i], 0, GUARD),
                     "gasnet_put%s: %zu bytes", NAMES[form], SIZES[i]);
            CHECK_OF(form * NSIZES + i, get_brings(form, 1 % nodes, SIZES[i], 0, GUARD),
                     "gasnet_get%s: %zu bytes", NAMES[form], SIZES[i]);
            if (i % 3 == 0 || SIZES[i] < 9) {
                CHECK_OF(form * NSIZES + i, put_lands(form, 0, SIZES[i], 3, GUARD + 5),
                         "gasnet_put%s: %zu bytes to oneself", NAMES[form], SIZES[i]);
                CHECK_OF(form * NSIZES + i, get_brings(form, 0, SIZES[i], 3, GUARD + 5),
                         "gasnet_get%s: %zu bytes from oneself", NAMES[form], SIZES[i]);
            }
        }
}

static void alignments(void)
{
    static const size_t some[] = { 1, 8, 37, 300, 5001 };

    for (unsigned shift = 0; shift < 16; shift++)
        for (unsigned at = 0; at < 16; at++) {
            size_t n = some[(shift + at) % 5];

            CHECK_OF(shift * 16 + at, put_lands(NB_BULK, 1 % nodes, n, shift, GUARD + at),
                     "gasnet_put_nb_bulk: from address %u to %u of 16", shift, at);
            CHECK_OF(shift * 16 + at, get_brings(NB_BULK, 1 % nodes, n, shift, GUARD + at),
                     "gasnet_get_nb_bulk: from address %u to %u of 16", at, shift);
        }
}

/* The local side may be the own segment. */
static void between_segments(void)
{
    for (unsigned i = 0; i < 5; i++) {
        size_t n = SIZES[NSIZES - 1 - (int)i * 6], at = HALF + i;

        fill(own, n, me);
        segment_store(at, own, n);
        segment_clear(GUARD - GUARD, n + 2 * GUARD, 0xee);
        check_barrier();
        gasnet_put_bulk(next, segment_of(next) + GUARD, segment_of(me) + at, n);
        check_barrier();
        CHECK_OF(i, landed(GUARD, n, prev), "gasnet_put_bulk: %zu bytes out of a segment", n);
        check_barrier();
        segment_clear(0, n + 2 * GUARD, 0xee);
        check_barrier();
        gasnet_get_bulk(segment_of(me) + GUARD, next, segment_of(next) + at, n);
        CHECK_OF(i, landed(GUARD, n, next), "gasnet_get_bulk: %zu bytes into a segment", n);
        check_barrier();
    }
}

static void last_bytes(void)
{
    uint8_t in[8] = { 0 }, out[8];

    fill(out, 8, me);
    gasnet_put(next, segment_of(next) + CHECK_SEGMENT - 8, out, 8);
    check_barrier();
    gasnet_get(in, next, segment_of(next) + CHECK_SEGMENT - 8, 8);
    CHECK(differ(in, 8, me) == 0, "gasnet_put: up to the last byte of a segment");
    check_barrier();
}

/* ---- memset ---- */

static bool memset_lands(int form, unsigned distance, size_t n, int value)
{
    unsigned to = (me + distance) % nodes;
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    uint8_t *copy = calloc(1, n + 2 * GUARD);
    bool good;

    segment_clear(3, n + 2 * GUARD, 0xee);
    check_barrier();
    if (form == 0)
        gasnet_memset(to, segment_of(to) + 3 + GUARD, value, n);
    else if (form == 1)
        handle = gasnet_memset_nb(to, segment_of(to) + 3 + GUARD, value, n);
    else
        gasnet_memset_nbi(to, segment_of(to) + 3 + GUARD, value, n);
    gasnet_wait_syncnb(handle);
    gasnet_wait_syncnbi_puts();
    check_barrier();
    segment_load(copy, 3, n + 2 * GUARD);
    good = all_are(copy, GUARD, 0xee) && all_are(copy + GUARD, n, value & 0xff) &&
           all_are(copy + GUARD + n, GUARD, 0xee);
    free(copy);
    check_barrier();
    return good;
}

static void memsets(void)
{
    static const char *const names[] = { "", "_nb", "_nbi" };

    for (int form = 0; form < 3; form++)
        for (int i = 0; i < NSIZES; i++) {
            CHECK_OF(form * NSIZES + i, memset_lands(form, 1 % nodes, SIZES[i], 0x5a + i * 7),
                     "gasnet_memset%s: %zu bytes", names[form], SIZES[i]);
            if (i % 4 == 0)
                CHECK_OF(form * NSIZES + i, memset_lands(form, 0, SIZES[i], -1 - i),
                         "gasnet_memset%s: %zu bytes of oneself", names[form], SIZES[i]);
        }
}

/* ---- values ---- */

static const gasnet_register_value_t VALUE = 0xf1e2d3c4b5a69788u;

static gasnet_register_value_t cut(size_t n)
{
    return n == 8 ? VALUE : VALUE & (((gasnet_register_value_t)1 << 8 * n) - 1);
}

static void put_values(unsigned to, size_t n, int form)
{
    static const char *const names[] = { "put_val", "put_nb_val", "put_nbi_val" };
    uint8_t around[8 + 2 * GUARD];
    uint64_t got = 0;

    segment_clear(0, sizeof(around), 0xee);
    check_barrier();
    if (form == 0)
        gasnet_put_val(to, segment_of(to) + GUARD, VALUE, n);
    else if (form == 1)
        gasnet_wait_syncnb(gasnet_put_nb_val(to, segment_of(to) + GUARD, VALUE, n));
    else
        gasnet_put_nbi_val(to, segment_of(to) + GUARD, VALUE, n);
    gasnet_wait_syncnbi_puts();
    check_barrier();
    segment_load(around, 0, sizeof(around));
    memcpy(&got, around + GUARD, n);
    CHECK_OF(form * 8 + (int)n, got == cut(n), "gasnet_%s: the %zu low bytes", names[form], n);
    CHECK_OF(form * 8 + (int)n,
             all_are(around, GUARD, 0xee) && all_are(around + GUARD + n, GUARD, 0xee),
             "gasnet_%s: no byte more than %zu", names[form], n);
    check_barrier();
}

static void values(void)
{
    for (size_t n = 1; n <= sizeof(gasnet_register_value_t); n++)
        for (int self = 0; self < 2; self++) {
            unsigned to = self ? me : next;
            gasnet_valget_handle_t handle;

            for (int form = 0; form < 3; form++)
                put_values(to, n, form);
            segment_store(GUARD, &VALUE, sizeof(VALUE));
            check_barrier();
            CHECK_OF(n, gasnet_get_val(to, segment_of(to) + GUARD, n) == cut(n),
                     "gasnet_get_val: %zu bytes, zeros before them", n);
            handle = gasnet_get_nb_val(to, segment_of(to) + GUARD, n);
            CHECK_OF(n, gasnet_wait_syncnb_valget(handle) == cut(n),
                     "gasnet_get_nb_val: %zu bytes, zeros before them", n);
            check_barrier();
        }
}

/* Many at once, whose syncs come in another order. */
static void many_values(void)
{
    gasnet_valget_handle_t handles[100];

    for (unsigned i = 0; i < 100; i++) {
        uint32_t x = me * 1000 + i;

        segment_store(i * 4, &x, 4);
    }
    check_barrier();
    for (unsigned i = 0; i < 100; i++)
        handles[i] = gasnet_get_nb_val(next, segment_of(next) + i * 4, 4);
    for (unsigned i = 100; i-- > 0;)
        CHECK(gasnet_wait_syncnb_valget(handles[i]) == next * 1000 + i,
              "gasnet_wait_syncnb_valget: the last one first");
    check_barrier();
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "7 transfers", NULL, 0);
    own = malloc(OWN);
    sizes();
    alignments();
    between_segments();
    last_bytes();
    memsets();
    values();
    many_values();
    return check_end();
}
