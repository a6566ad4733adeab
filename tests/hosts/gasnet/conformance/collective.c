/* Collectives in all nine modes of synchronisation, teams and their barriers. */
#include "check.h"

#include <gasnet_coll.h>

#define OUT   0            /* offsets in segments: of sources */
#define IN    (512u << 10) /* of results */
#define MODES 9

enum op { BROADCAST, SCATTER, GATHER, GATHER_ALL, EXCHANGE, REDUCE, SCAN, OPS };
static const char *const NAMES[OPS] = { "broadcast", "scatter", "gather", "gather_all",
                                        "exchange",  "reduce",  "scan" };
static const char *const MODE_NAMES[MODES] = {
    "IN_NOSYNC, OUT_NOSYNC",  "IN_NOSYNC, OUT_MYSYNC",  "IN_NOSYNC, OUT_ALLSYNC",
    "IN_MYSYNC, OUT_NOSYNC",  "IN_MYSYNC, OUT_MYSYNC",  "IN_MYSYNC, OUT_ALLSYNC",
    "IN_ALLSYNC, OUT_NOSYNC", "IN_ALLSYNC, OUT_MYSYNC", "IN_ALLSYNC, OUT_ALLSYNC",
};

/* An element of sums: x -> a * x + b. One after the other they make another one, whose order
 * counts. */
struct affine {
    uint32_t a, b;
};

/* How a call names its memory. */
enum way { LOCAL_ANY, LOCAL_SEGMENT, LIST_OF_ONE, LIST_OF_ALL, WAYS };
static const char *const WAY_NAMES[WAYS] = { "addresses of one node", "in segments",
                                             "a list of one address", "lists of all addresses" };

static struct {
    enum op op;
    enum way way;
    bool nb;
    int mode;
    gasnet_team_handle_t team;
    unsigned rank, size, root; /* in the team */
    size_t bytes;              /* of one piece */
    const unsigned *members;   /* its nodes */
} c;

static uint8_t *out, *in, *scratch;
static unsigned everybody[70];

static struct affine then(struct affine f, struct affine g)
{
    return (struct affine){ f.a * g.a, f.b * g.a + g.b };
}

static void compose(void *results, size_t nresults, const void *left, size_t nleft,
                    const void *right, size_t elem_size, int flags, int x)
{
    const struct affine *f = left, *g = right;
    struct affine *r = results;

    (void)flags;
    CHECK(nresults == nleft && elem_size == sizeof(*r) && x == 17,
          "gasnet_coll_reduce: what a function is given");
    for (size_t i = 0; i < nresults; i++)
        r[i] = then(f[i], g[i]);
}

static struct affine element(unsigned rank, size_t i)
{
    return (struct affine){ 2 * rank + 2 * (uint32_t)i + 3, rank * 7 + (uint32_t)i };
}

static int flags_of(int mode)
{
    static const int in_flags[] = { GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC,
                                    GASNET_COLL_IN_ALLSYNC };
    static const int out_flags[] = { GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC,
                                     GASNET_COLL_OUT_ALLSYNC };

    return in_flags[mode / 3] | out_flags[mode % 3];
}

/* ---- what each rank gives, and what it gets ---- */

static size_t pieces_out(void)
{
    return c.op == EXCHANGE || c.op == SCATTER ? c.size : 1;
}

static size_t pieces_in(void)
{
    return c.op == GATHER || c.op == GATHER_ALL || c.op == EXCHANGE ? c.size : 1;
}

static bool gets_result(unsigned rank)
{
    return (c.op != GATHER && c.op != REDUCE) || rank == c.root;
}

static void make_source(void)
{
    if (c.op < REDUCE)
        fill(scratch, c.bytes * pieces_out(), c.rank);
    else
        for (size_t i = 0; i < c.bytes / sizeof(struct affine); i++)
            ((struct affine *)scratch)[i] = element(c.rank, i);
}

static void append(uint8_t **at, unsigned rank, size_t piece)
{
    for (size_t i = 0; i < c.bytes; i++)
        *(*at)++ = check_byte(rank, piece * c.bytes + i);
}

static void sum_of(uint8_t *to, unsigned ranks)
{
    struct affine *sum = (struct affine *)to;

    for (size_t i = 0; i < c.bytes / sizeof(*sum); i++) {
        sum[i] = element(0, i);
        for (unsigned r = 1; r < ranks; r++)
            sum[i] = then(sum[i], element(r, i));
    }
}

static size_t make_result(uint8_t *to)
{
    uint8_t *at = to;

    switch (c.op) {
    case BROADCAST:
        append(&at, c.root, 0);
        break;
    case SCATTER:
        append(&at, c.root, c.rank);
        break;
    case GATHER:
    case GATHER_ALL:
        for (unsigned r = 0; r < c.size; r++)
            append(&at, r, 0);
        break;
    case EXCHANGE:
        for (unsigned r = 0; r < c.size; r++)
            append(&at, r, c.rank);
        break;
    default:
        sum_of(to, c.op == SCAN ? c.rank + 1 : c.size);
    }
    return c.bytes * pieces_in();
}

/* ---- calls ---- */

static gasnet_coll_handle_t call(void *dst, void *src, int flags)
{
    const size_t size = sizeof(struct affine), n = c.bytes / size;

#define CALL(name, ...)                                                                            \
    if (c.nb)                                                                                      \
        return gasnet_coll_##name##_nb(__VA_ARGS__);                                               \
    gasnet_coll_##name(__VA_ARGS__);                                                               \
    break
    switch (c.op) {
    case BROADCAST:
        CALL(broadcast, c.team, dst, c.root, src, c.bytes, flags);
    case SCATTER:
        CALL(scatter, c.team, dst, c.root, src, c.bytes, flags);
    case GATHER:
        CALL(gather, c.team, c.root, dst, src, c.bytes, flags);
    case GATHER_ALL:
        CALL(gather_all, c.team, dst, src, c.bytes, flags);
    case EXCHANGE:
        CALL(exchange, c.team, dst, src, c.bytes, flags);
    case REDUCE:
        CALL(reduce, c.team, c.root, dst, src, 0, 0, size, n, 0, 17, flags);
    default:
        CALL(scan, c.team, dst, 0, 0, src, 0, 0, size, n, 0, 17,
             flags | GASNET_COLL_INCLUSIVE_SCAN);
    }
#undef CALL
    return GASNET_COLL_INVALID_HANDLE;
}

static gasnet_coll_handle_t call_lists(void *const *dsts, void *const *srcs, unsigned root,
                                       int flags)
{
    const size_t size = sizeof(struct affine), n = c.bytes / size;

#define CALL(name, ...)                                                                            \
    if (c.nb)                                                                                      \
        return gasnet_coll_##name##M_nb(__VA_ARGS__);                                              \
    gasnet_coll_##name##M(__VA_ARGS__);                                                            \
    break
    switch (c.op) {
    case BROADCAST:
        CALL(broadcast, c.team, dsts, c.root, srcs[root], c.bytes, flags);
    case SCATTER:
        CALL(scatter, c.team, dsts, c.root, srcs[root], c.bytes, flags);
    case GATHER:
        CALL(gather, c.team, c.root, dsts[root], srcs, c.bytes, flags);
    case GATHER_ALL:
        CALL(gather_all, c.team, dsts, srcs, c.bytes, flags);
    case EXCHANGE:
        CALL(exchange, c.team, dsts, srcs, c.bytes, flags);
    case REDUCE:
        CALL(reduce, c.team, c.root, dsts[root], srcs, 0, 0, size, n, 0, 17, flags);
    default:
        CALL(scan, c.team, dsts, 0, 0, srcs, 0, 0, size, n, 0, 17,
             flags | GASNET_COLL_INCLUSIVE_SCAN);
    }
#undef CALL
    return GASNET_COLL_INVALID_HANDLE;
}

static gasnet_coll_handle_t start(void)
{
    const int in_segments = GASNET_COLL_DST_IN_SEGMENT | GASNET_COLL_SRC_IN_SEGMENT;
    int flags = flags_of(c.mode);
    void *dsts[70], *srcs[70];

    switch (c.way) {
    case LOCAL_ANY:
        return call(in, out, flags | GASNET_COLL_LOCAL);
    case LOCAL_SEGMENT:
        return call(segment_of(me) + IN, segment_of(me) + OUT,
                    flags | GASNET_COLL_LOCAL | in_segments);
    case LIST_OF_ONE:
        dsts[0] = in;
        srcs[0] = out;
        return call_lists(dsts, srcs, 0, flags | GASNET_COLL_LOCAL);
    default:
        for (unsigned r = 0; r < c.size; r++) {
            dsts[r] = segment_of(c.members[r]) + IN;
            srcs[r] = segment_of(c.members[r]) + OUT;
        }
        return call_lists(dsts, srcs, c.root, flags | GASNET_COLL_SINGLE | in_segments);
    }
}

static bool in_segment(void)
{
    return c.way == LOCAL_SEGMENT || c.way == LIST_OF_ALL;
}

static void team_barrier(void)
{
    gasnet_coll_barrier_notify(c.team, 0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_coll_barrier_wait(c.team, 0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/* NOSYNC leaves it to the program that data are ready and have arrived; MYSYNC promises the own
 * ones, ALLSYNC those of all. */
static bool one(void)
{
    size_t n;
    bool good = true;

    make_source();
    if (in_segment()) {
        segment_store(OUT, scratch, c.bytes * pieces_out());
        segment_clear(IN, c.bytes * pieces_in() + 8, 0xee);
    } else {
        memcpy(out, scratch, c.bytes * pieces_out());
        memset(in, 0xee, c.bytes * pieces_in() + 8);
    }
    if (c.mode / 3 == 0)
        team_barrier();
    gasnet_coll_wait_sync(start());
    if (c.mode % 3 == 0)
        team_barrier();
    n = make_result(scratch);
    if (in_segment())
        segment_load(in, IN, n + 8);
    if (gets_result(c.rank))
        good = memcmp(in, scratch, n) == 0;
    for (int i = 0; i < 8; i++)
        good = good && in[n + i] == 0xee;
    if (c.mode % 3 != 2) /* others may still read this rank's, which the next one overwrites */
        team_barrier();
    return good;
}

static const size_t SIZES[] = { 8, 104, 4000, 20000 };

static void every_mode(void)
{
    int turn = 0;

    c.team = GASNET_TEAM_ALL;
    c.rank = me;
    c.size = nodes;
    c.members = everybody;
    for (c.way = 0; c.way < WAYS; c.way++)
        for (int nb = 0; nb < 2; nb++)
            for (c.op = 0; c.op < OPS; c.op++)
                for (c.mode = 0; c.mode < MODES; c.mode++, turn++) {
                    int of = ((int)c.way % 2 * 2 + nb) * 63 + (int)c.op * 9 + c.mode;

                    c.nb = nb;
                    c.bytes = SIZES[turn % (nodes > 8 ? 3 : 4)];
                    c.root = (unsigned)turn / 4 % nodes;
                    if (c.way < 2)
                        CHECK_OF(of, one(), "gasnet_coll_%s%s: %s, %s", NAMES[c.op],
                                 nb ? "_nb" : "", MODE_NAMES[c.mode], WAY_NAMES[c.way]);
                    else
                        CHECK_OF(of, one(), "gasnet_coll_%sM%s: %s, %s", NAMES[c.op],
                                 nb ? "_nb" : "", MODE_NAMES[c.mode], WAY_NAMES[c.way]);
                }
}

/* ---- handles ---- */

#define OPEN 10

static void handles(void)
{
    gasnet_coll_handle_t all[OPEN];
    const int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    int bad = 0;

    for (int round = 0; round < 4; round++) {
        bad = 0;
        for (int i = 0; i < OPEN; i++) {
            fill(out + i * 100, 100, me * 100 + (unsigned)i);
            all[i] = gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, in + (size_t)i * 100 * nodes,
                                               out + i * 100, 100, flags);
        }
        if (round == 0)
            gasnet_coll_wait_sync_all(all, OPEN);
        else if (round == 1)
            while (gasnet_coll_try_sync_all(all, OPEN) == GASNET_ERR_NOT_READY)
                ;
        else if (round == 2)
            for (int i = OPEN; i-- > 0;)
                while (gasnet_coll_try_sync(all[i]) == GASNET_ERR_NOT_READY)
                    ;
        else
            for (int i = 0; i < OPEN; i++)
                gasnet_coll_wait_sync(all[i]);
        for (int i = 0; i < OPEN; i++)
            for (unsigned r = 0; r < nodes; r++)
                bad += differ(in + ((size_t)i * nodes + r) * 100, 100, r * 100 + (unsigned)i) != 0;
        CHECK_OF(round, bad == 0, "Collectives: %d at once, synchronised in way %d", OPEN, round);
    }
    gasnet_coll_wait_sync(GASNET_COLL_INVALID_HANDLE);
    CHECK(gasnet_coll_try_sync(GASNET_COLL_INVALID_HANDLE) == GASNET_OK,
          "gasnet_coll_try_sync: GASNET_COLL_INVALID_HANDLE is over");
    gasnet_coll_barrier(GASNET_TEAM_ALL, 0, 0);
}

/* ---- teams ---- */

/* Every `colors`-th node, in reverse order. */
static void split(unsigned colors)
{
    static unsigned members[70];
    unsigned n = 0, own = 0;
    gasnet_team_handle_t team = gasnet_coll_team_split(GASNET_TEAM_ALL, me % colors, nodes - me, 0);

    for (unsigned i = nodes; i-- > 0;)
        if (i % colors == me % colors) {
            own = i == me ? n : own;
            members[n++] = i;
        }
    CHECK_OF(colors, gasnet_coll_team_size(team) == n, "gasnet_coll_team_split: %u colours, size",
             colors);
    CHECK_OF(colors, gasnet_coll_team_rank(team) == own,
             "gasnet_coll_team_split: %u colours, reverse order", colors);
    for (unsigned r = 0; r < n; r++) {
        CHECK(gasnet_coll_team_rank2node(team, (int)r) == members[r],
              "gasnet_coll_team_rank2node: of each");
        CHECK(gasnet_coll_team_node2rank(team, members[r]) == r,
              "gasnet_coll_team_node2rank: of each");
    }
    c.team = team;
    c.rank = own;
    c.size = n;
    c.members = members;
    c.nb = true;
    for (c.way = 0; c.way < WAYS; c.way++)
        for (c.op = 0; c.op < OPS; c.op++) {
            c.bytes = 104;
            c.mode = ((int)c.op + (int)colors) % MODES;
            c.root = n - 1;
            CHECK_OF((int)c.way * OPS + (int)c.op, one(), "gasnet_coll_%s: in a team, %s",
                     NAMES[c.op], WAY_NAMES[c.way]);
        }
}

static void barriers(void)
{
    const int anonymous = GASNET_BARRIERFLAG_ANONYMOUS;
    unsigned colors = nodes > 1 ? 2 : 1;
    gasnet_team_handle_t team = gasnet_coll_team_split(GASNET_TEAM_ALL, me % colors, me, NULL);
    int id = (int)(me % colors) + 40, got = -1, code;

    CHECK(gasnet_coll_barrier(team, id, 0) == GASNET_OK,
          "gasnet_coll_barrier: each team has a name of its own");
    gasnet_coll_barrier_notify(team, id, 0);
    gasnet_barrier_notify(77, 0);
    CHECK(gasnet_barrier_wait(77, 0) == GASNET_OK, "Barriers: of all, within one of a team");
    CHECK(gasnet_coll_barrier_wait(team, id, 0) == GASNET_OK,
          "gasnet_coll_barrier_wait: around one of all");
    gasnet_coll_barrier_notify(team, 0, anonymous);
    while ((code = gasnet_coll_barrier_try(team, 0, anonymous)) == GASNET_ERR_NOT_READY)
        ;
    CHECK(code == GASNET_OK, "gasnet_coll_barrier_try: without a name");
    if (gasnet_coll_team_size(team) > 1)
        CHECK(gasnet_coll_barrier(team, (int)gasnet_coll_team_rank(team), 0) ==
                  GASNET_ERR_BARRIER_MISMATCH,
              "gasnet_coll_barrier: names that differ in a team");
    CHECK(gasnet_coll_barrier(team, id, 0) == GASNET_OK, "gasnet_coll_barrier: after a mismatch");
    CHECK(gasnet_coll_barrier_result(team, &got) == 0 && got == id,
          "gasnet_coll_barrier_result: of a team");
    CHECK(gasnet_coll_barrier(GASNET_TEAM_ALL, 5, 0) == GASNET_OK,
          "gasnet_coll_barrier: GASNET_TEAM_ALL");
}

int main(int argc, char **argv)
{
    static gasnet_coll_fn_entry_t functions[] = { { compose, GASNET_COLL_NONCOMM } };

    check_begin(&argc, &argv, "11 collective", NULL, 0);
    out = malloc(CHECK_SEGMENT);
    in = malloc(CHECK_SEGMENT);
    scratch = malloc(CHECK_SEGMENT);
    for (unsigned i = 0; i < nodes; i++)
        everybody[i] = i;
    gasnet_coll_init(NULL, 0, functions, 1, 0);
    every_mode();
    handles();
    for (unsigned colors = 1; colors <= 3 && colors <= nodes; colors++)
        split(colors);
    barriers();
    return check_end();
}
