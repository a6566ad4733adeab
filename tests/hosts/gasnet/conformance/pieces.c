/* Vector, indexed and strided puts and gets, in all their forms. */
#include "check.h"

#include <gasnet_vis.h>

#define ROOM     (64u << 10) /* bytes on each side */
#define MOST     64          /* pieces */
#define LEVELS   4
#define FAR_SIDE 0            /* offsets in segments: where puts go */
#define SOURCE   (128u << 10) /* and where gets read */

enum form { BULK, NB, NBI, FORMS };
static const char *const NAMES[FORMS] = { "bulk", "nb_bulk", "nbi_bulk" };

/* One side: its pieces in order, as offsets. */
struct side {
    size_t n, at[2048], bytes[2048];
};

static struct side to, from;
static uint8_t *expected, *seen, *data, *stream;

static void add(struct side *s, size_t at, size_t bytes)
{
    s->at[s->n] = at;
    s->bytes[s->n++] = bytes;
}

/* What the target is to hold: the pieces of the source, one behind the other, cut into its own. */
static void make_expected(const uint8_t *source)
{
    size_t n = 0, used = 0;

    for (size_t i = 0; i < from.n; i++) {
        memcpy(stream + n, source + from.at[i], from.bytes[i]);
        n += from.bytes[i];
    }
    memset(expected, 0xee, ROOM);
    for (size_t i = 0; i < to.n; i++) {
        memcpy(expected + to.at[i], stream + used, to.bytes[i]);
        used += to.bytes[i];
    }
}

static void source_of(unsigned node, uint8_t *bytes)
{
    fill(bytes, ROOM, node + 50);
}

/* ---- before and after ---- */

static void before(bool is_put)
{
    source_of(me, data);
    segment_store(SOURCE, data, ROOM);
    segment_clear(FAR_SIDE, ROOM, 0xee);
    memset(seen, 0xee, ROOM);
    (void)is_put;
    check_barrier();
}

/* A put by the rank `distance` before has come to this rank's segment; a get has ended in memory.
 */
static bool after(bool is_put, unsigned distance)
{
    unsigned other = (is_put ? me + nodes - distance : me + distance) % nodes;
    uint8_t *theirs = malloc(ROOM);
    bool good;

    check_barrier();
    source_of(other, theirs);
    make_expected(theirs);
    if (is_put)
        segment_load(seen, FAR_SIDE, ROOM);
    good = memcmp(seen, expected, ROOM) == 0;
    free(theirs);
    check_barrier();
    return good;
}

static void sync(gasnet_handle_t handle)
{
    gasnet_wait_syncnb(handle);
    gasnet_wait_syncnbi_all();
}

/* ---- vectors ---- */

static void to_list(const struct side *s, uint8_t *base, gasnet_memvec_t *list)
{
    for (size_t i = 0; i < s->n; i++)
        list[i] = (gasnet_memvec_t){ base + s->at[i], s->bytes[i] };
}

static void put_vector(enum form form, unsigned node)
{
    static gasnet_memvec_t there[MOST], here[MOST];
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;

    to_list(&to, segment_of(node) + FAR_SIDE, there);
    to_list(&from, data, here);
    if (form == BULK)
        gasnet_putv_bulk(node, to.n, there, from.n, here);
    else if (form == NB)
        handle = gasnet_putv_nb_bulk(node, to.n, there, from.n, here);
    else
        gasnet_putv_nbi_bulk(node, to.n, there, from.n, here);
    sync(handle);
}

static void get_vector(enum form form, unsigned node)
{
    static gasnet_memvec_t there[MOST], here[MOST];
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;

    to_list(&to, seen, here);
    to_list(&from, segment_of(node) + SOURCE, there);
    if (form == BULK)
        gasnet_getv_bulk(to.n, here, node, from.n, there);
    else if (form == NB)
        handle = gasnet_getv_nb_bulk(to.n, here, node, from.n, there);
    else
        gasnet_getv_nbi_bulk(to.n, here, node, from.n, there);
    sync(handle);
}

/* Lists of unlike pieces and equal sums. */
static void vector_of(int which)
{
    size_t at = 3, left = 0;

    to.n = from.n = 0;
    if (which == 1) /* one piece each */
        add(&to, 5, 1000), add(&from, 9, 1000);
    if (which == 2) /* many to one */
        for (size_t i = 0; i < 20; at += 40, left += ++i)
            add(&from, at, i + 1);
    if (which == 2)
        add(&to, 77, left);
    if (which == 3) /* one to many, some of them empty */
        add(&from, 33, 210);
    for (size_t i = 0; which == 3 && i < 21; i++, at += 50)
        add(&to, at, i);
    for (size_t i = 0; which >= 4 && i < 40; i++, at += 700) /* cut elsewhere on both sides */
        add(&to, at, which == 4 ? 30 : 600);
    for (size_t i = 0; which >= 4 && i < 30; i++)
        add(&from, 1 + i * 1000, which == 4 ? 40 : 800);
}
#define VECTORS 6

static void vectors(void)
{
    for (int which = 0; which < VECTORS; which++)
        for (int form = 0; form < FORMS; form++)
            for (unsigned distance = 0; distance < 2 && distance < nodes; distance++) {
                int of = (which * FORMS + form) * 2 + (int)distance;

                vector_of(which);
                before(true);
                put_vector(form, (me + distance) % nodes);
                CHECK_OF(of, after(true, distance), "gasnet_putv_%s: lists %d, %s", NAMES[form],
                         which, distance ? "to the neighbour" : "to oneself");
                before(false);
                get_vector(form, (me + distance) % nodes);
                CHECK_OF(of, after(false, distance), "gasnet_getv_%s: lists %d, %s", NAMES[form],
                         which, distance ? "from the neighbour" : "from oneself");
            }
}

/* ---- indexed ---- */

static void to_addresses(const struct side *s, uint8_t *base, void **list)
{
    for (size_t i = 0; i < s->n; i++)
        list[i] = base + s->at[i];
}

static void put_indexed(enum form form, unsigned node, size_t tolen, size_t fromlen)
{
    static void *there[MOST], *here[MOST];
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;

    to_addresses(&to, segment_of(node) + FAR_SIDE, there);
    to_addresses(&from, data, here);
    if (form == BULK)
        gasnet_puti_bulk(node, to.n, there, tolen, from.n, here, fromlen);
    else if (form == NB)
        handle = gasnet_puti_nb_bulk(node, to.n, there, tolen, from.n, here, fromlen);
    else
        gasnet_puti_nbi_bulk(node, to.n, there, tolen, from.n, here, fromlen);
    sync(handle);
}

static void get_indexed(enum form form, unsigned node, size_t tolen, size_t fromlen)
{
    static void *there[MOST], *here[MOST];
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;

    to_addresses(&to, seen, here);
    to_addresses(&from, segment_of(node) + SOURCE, there);
    if (form == BULK)
        gasnet_geti_bulk(to.n, here, tolen, node, from.n, there, fromlen);
    else if (form == NB)
        handle = gasnet_geti_nb_bulk(to.n, here, tolen, node, from.n, there, fromlen);
    else
        gasnet_geti_nbi_bulk(to.n, here, tolen, node, from.n, there, fromlen);
    sync(handle);
}

static void indexed(void)
{
    static const size_t some[][4] = { /* pieces and bytes of each, target and source */
                                      { 0, 0, 0, 0 },    { 1, 8, 1, 8 },    { 10, 8, 10, 8 },
                                      { 6, 20, 10, 12 }, { 1, 400, 50, 8 }, { 40, 500, 20, 1000 }
    };

    for (int which = 0; which < 6; which++)
        for (int form = 0; form < FORMS; form++)
            for (unsigned distance = 0; distance < 2 && distance < nodes; distance++) {
                const size_t *s = some[which];
                int of = (which * FORMS + form) * 2 + (int)distance;

                to.n = from.n = 0;
                for (size_t i = 0; i < s[0]; i++)
                    add(&to, i * (s[1] + 7) + 5, s[1]);
                for (size_t i = 0; i < s[2]; i++)
                    add(&from, (s[2] - i) * (s[3] + 3), s[3]);
                before(true);
                put_indexed(form, (me + distance) % nodes, s[1], s[3]);
                CHECK_OF(of, after(true, distance), "gasnet_puti_%s: lists %d, %s", NAMES[form],
                         which, distance ? "to the neighbour" : "to oneself");
                before(false);
                get_indexed(form, (me + distance) % nodes, s[1], s[3]);
                CHECK_OF(of, after(false, distance), "gasnet_geti_%s: lists %d, %s", NAMES[form],
                         which, distance ? "from the neighbour" : "from oneself");
            }
}

/* ---- strided ---- */

/* Counts of each level, and strides of both sides. */
static const struct strided {
    size_t levels, count[LEVELS + 1], to[LEVELS], from[LEVELS];
    const char *text;
} STRIDED[] = {
    { 0, { 100 }, { 0 }, { 0 }, "no level" },
    { 0, { 0 }, { 0 }, { 0 }, "no bytes" },
    { 1, { 8, 0 }, { 8 }, { 8 }, "a count of zero" },
    { 1, { 8, 30 }, { 8 }, { 8 }, "without gaps" },
    { 1, { 8, 30 }, { 64 }, { 24 }, "single doubles" },
    { 1, { 3, 17 }, { 5 }, { 7 }, "bytes of odd strides" },
    { 1, { 1000, 20 }, { 2000 }, { 1000 }, "long rows, packed here" },
    { 1, { 1000, 20 }, { 1000 }, { 1600 }, "long rows, packed there" },
    { 2, { 4, 5, 6 }, { 16, 100 }, { 4, 20 }, "two levels" },
    { 2, { 8, 16, 16 }, { 8, 512 }, { 8, 1024 }, "rows of planes" },
    { 3, { 2, 3, 4, 5 }, { 4, 13, 60 }, { 3, 9, 40 }, "three levels" },
    { 4, { 5, 2, 3, 2, 3 }, { 7, 20, 61, 130 }, { 5, 10, 30, 60 }, "four levels" },
    { 2, { 8, 1, 9 }, { 8, 40 }, { 8, 24 }, "a level of one" },
};
#define NSTRIDED (int)(sizeof(STRIDED) / sizeof(STRIDED[0]))

static void walk(struct side *s, const struct strided *t, const size_t *strides, size_t level,
                 size_t at)
{
    if (level == 0) {
        add(s, at, t->count[0]);
        return;
    }
    for (size_t i = 0; i < t->count[level]; i++)
        walk(s, t, strides, level - 1, at + i * strides[level - 1]);
}

static void put_strided(enum form form, unsigned node, const struct strided *t)
{
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    uint8_t *there = segment_of(node) + FAR_SIDE + 11;

    if (form == BULK)
        gasnet_puts_bulk(node, there, t->to, data + 2, t->from, t->count, t->levels);
    else if (form == NB)
        handle = gasnet_puts_nb_bulk(node, there, t->to, data + 2, t->from, t->count, t->levels);
    else
        gasnet_puts_nbi_bulk(node, there, t->to, data + 2, t->from, t->count, t->levels);
    sync(handle);
}

static void get_strided(enum form form, unsigned node, const struct strided *t)
{
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    uint8_t *there = segment_of(node) + SOURCE + 2;

    if (form == BULK)
        gasnet_gets_bulk(seen + 11, t->to, node, there, t->from, t->count, t->levels);
    else if (form == NB)
        handle = gasnet_gets_nb_bulk(seen + 11, t->to, node, there, t->from, t->count, t->levels);
    else
        gasnet_gets_nbi_bulk(seen + 11, t->to, node, there, t->from, t->count, t->levels);
    sync(handle);
}

static void strided(void)
{
    for (int which = 0; which < NSTRIDED; which++)
        for (int form = 0; form < FORMS; form++)
            for (unsigned distance = 0; distance < 2 && distance < nodes; distance++) {
                const struct strided *t = &STRIDED[which];
                int of = (which * FORMS + form) * 2 + (int)distance;

                to.n = from.n = 0;
                walk(&to, t, t->to, t->levels, 11);
                walk(&from, t, t->from, t->levels, 2);
                before(true);
                put_strided(form, (me + distance) % nodes, t);
                CHECK_OF(of, after(true, distance), "gasnet_puts_%s: %s, %s", NAMES[form], t->text,
                         distance ? "to the neighbour" : "to oneself");
                before(false);
                get_strided(form, (me + distance) % nodes, t);
                CHECK_OF(of, after(false, distance), "gasnet_gets_%s: %s, %s", NAMES[form], t->text,
                         distance ? "from the neighbour" : "from oneself");
            }
}

/* Many at once, and in an access region. */
static void at_once(void)
{
    const struct strided *t = &STRIDED[4];
    gasnet_handle_t handle;

    to.n = from.n = 0;
    walk(&to, t, t->to, t->levels, 11);
    walk(&from, t, t->from, t->levels, 2);
    add(&to, 40000, 500);
    add(&from, 30000, 500);
    before(true);
    gasnet_begin_nbi_accessregion();
    gasnet_puts_nbi_bulk(next, segment_of(next) + FAR_SIDE + 11, t->to, data + 2, t->from, t->count,
                         t->levels);
    gasnet_put_nbi_bulk(next, segment_of(next) + FAR_SIDE + 40000, data + 30000, 500);
    handle = gasnet_end_nbi_accessregion();
    gasnet_wait_syncnb(handle);
    CHECK(after(true, 1 % nodes), "Access regions: a strided put in one");
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "10 pieces", NULL, 0);
    expected = malloc(ROOM);
    seen = malloc(ROOM);
    data = malloc(ROOM);
    stream = malloc(ROOM);
    vectors();
    indexed();
    strided();
    at_once();
    return check_end();
}
