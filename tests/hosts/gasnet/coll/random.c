/*
 * Collectives drawn at random, several under way at once, against what they shall do: each kind,
 * each sync mode, teams, images, lists, sizes and places.
 *
 *   random [cases=N] [first=N] [seed=N] [images=1] [gpu=1]
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <gasnet.h>
#include <gasnet_coll.h>
#include <stdbool.h>
#include <string.h>

#define SEGMENT   (4u << 20)
#define AT_ONCE   5
#define IMAGES    3 /* a node has at most so many */
#define NODES     64
#define GUARD     32
#define CHECK(ok) check((ok), #ok, __LINE__)

static unsigned me, nodes, fails, checks, current;
static gasnet_seginfo_t segments[NODES];
static uint8_t *segment;
static uint64_t state;

static void check(bool ok, const char *what, int line)
{
    checks++;
    if (!ok && fails++ < 5)
        printf("random.c:%d: node %u of %u: case %u: FAILED %s\n", line, me, nodes, current, what);
}

/* The same numbers on all nodes. */
static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % below);
}

static uint8_t byte_of(unsigned op, unsigned image, size_t i)
{
    return (uint8_t)((i * 2654435761u + op * 40503u + image * 7919u + current * 31u) >> 9);
}

static uint32_t word_of(unsigned op, unsigned image, size_t i)
{
    return (uint32_t)(i * 2654435761u + op * 40503u + image * 7919u + current) | 1u;
}

/* ---- functions ---- */

#define FUNCTION_ARG 77

static void add(void *results, size_t n, const void *left, size_t nleft, const void *right,
                size_t size, int flags, int arg)
{
    uint32_t *to = results;
    const uint32_t *a = left, *b = right;

    CHECK(n == nleft && size == sizeof(*to) && arg == FUNCTION_ARG);
    CHECK((flags & GASNET_COLL_NONCOMM) == 0);
    for (size_t i = 0; i < n; i++)
        to[i] = a[i] + b[i];
}

/* x -> a x + b, one after the other: the order counts. */
struct affine {
    uint32_t a, b;
};

static struct affine then(struct affine x, struct affine y)
{
    return (struct affine){ x.a * y.a, y.a * x.b + y.b };
}

static void compose(void *results, size_t n, const void *left, size_t nleft, const void *right,
                    size_t size, int flags, int arg)
{
    struct affine *to = results;
    const struct affine *a = left, *b = right;

    CHECK(n == nleft && size == sizeof(*to) && arg == FUNCTION_ARG);
    CHECK((flags & GASNET_COLL_NONCOMM) != 0);
    for (size_t i = 0; i < n; i++)
        to[i] = then(a[i], b[i]);
}

static gasnet_coll_fn_entry_t functions[] = { { add, 0 }, { compose, GASNET_COLL_NONCOMM } };

/* ---- teams ---- */

struct team {
    gasnet_team_handle_t handle;
    unsigned size, rank;
    unsigned nodes[NODES];
    unsigned first[NODES + 1]; /* images */
};
static struct team teams[4];
static unsigned team_count;
static gasnet_image_t images[NODES];

static void know_images(struct team *t)
{
    for (unsigned r = 0; r < t->size; r++)
        t->first[r + 1] = t->first[r] + images[t->nodes[r]];
    CHECK(gasnet_coll_team_size(t->handle) == t->size);
    CHECK(gasnet_coll_team_rank(t->handle) == t->rank);
    for (unsigned r = 0; r < t->size; r++) {
        CHECK(gasnet_coll_team_rank2node(t->handle, (int)r) == t->nodes[r]);
        CHECK(gasnet_coll_team_node2rank(t->handle, t->nodes[r]) == r);
    }
}

/* Ranks of `parent` by r % parts, in their order or turned round. */
static void split(const struct team *parent, unsigned parts, bool turned)
{
    struct team *t = &teams[team_count++];
    unsigned colour = parent->rank % parts;

    for (unsigned i = 0; i < parent->size; i++) {
        unsigned r = turned ? parent->size - 1 - i : i;

        if (r % parts != colour)
            continue;
        if (r == parent->rank)
            t->rank = t->size;
        t->nodes[t->size++] = parent->nodes[r];
    }
    t->handle = gasnet_coll_team_split(parent->handle, colour,
                                       turned ? parent->size - parent->rank : parent->rank, NULL);
    know_images(t);
}

static void make_teams(void)
{
    teams[0] = (struct team){ .handle = GASNET_TEAM_ALL, .size = nodes, .rank = me };
    for (unsigned i = 0; i < nodes; i++)
        teams[0].nodes[i] = i;
    know_images(&teams[0]);
    team_count = 1;
    split(&teams[0], 1, true);
    split(&teams[0], 2, false);
    split(&teams[1], 3, true);
}

/* ---- one operation ---- */

enum kind { BROADCAST, SCATTER, GATHER, GATHER_ALL, EXCHANGE, REDUCE, SCAN, KINDS };

struct op {
    enum kind kind;
    const struct team *team;
    unsigned number, flags, root, elem_size, elem_count, function, own;
    bool lists, waits, exclusive;
    size_t bytes;                /* one block */
    size_t dst_bytes, src_bytes; /* of an image here; 0: it has none */
    uint8_t *area, *shadow;      /* which is filled and looked at where the area is in a GPU */
    size_t area_bytes;
    bool on_gpu;
    void *dst[IMAGES * NODES], *src[IMAGES * NODES];
    gasnet_coll_handle_t handle;
};
static struct op ops[AT_ONCE];
static uint8_t *segment_next;
static bool has_gpu, segment_on_gpu;

/* What this rank stores to and loads from where a collective has its memory. */
static uint8_t *seen(const struct op *op, const void *p)
{
    return op->shadow + ((const uint8_t *)p - op->area);
}

static size_t draw_bytes(void)
{
    static const size_t sizes[] = { 1, 3, 8, 64, 513, 4096, 9001, 16384, 40000 };

    return sizes[draw(sizeof(sizes) / sizeof(sizes[0]))];
}

static unsigned draw_flags(void)
{
    unsigned flags = GASNET_COLL_IN_NOSYNC << draw(3) | GASNET_COLL_OUT_NOSYNC << draw(3);

    return flags | (draw(2) ? GASNET_COLL_LOCAL : GASNET_COLL_SINGLE);
}

static void draw_op(struct op *op, unsigned number, unsigned team)
{
    unsigned all;

    *op = (struct op){ .kind = (enum kind)draw(KINDS), .team = &teams[team], .number = number };
    all = op->team->first[op->team->size];
    op->own = images[me];
    op->flags = draw_flags();
    op->root = draw(1024) % all;
    op->lists = draw(2) != 0 || all != op->team->size;
    op->waits = draw(4) == 0;
    op->bytes = draw_bytes();
    op->function = draw(2);
    op->elem_size = op->function == 0 ? 4 : 8;
    op->elem_count = draw(3) == 0 ? 3000 : 1 + draw(20);
    op->exclusive = draw(2) != 0;
    if (op->kind >= REDUCE)
        op->bytes = (size_t)op->elem_size * op->elem_count;
    if (op->kind == SCAN)
        op->flags |= op->exclusive ? GASNET_COLL_EXCLUSIVE_SCAN : GASNET_COLL_INCLUSIVE_SCAN;
}

static bool is_root(const struct op *op)
{
    const struct team *t = op->team;

    return op->root >= t->first[t->rank] && op->root < t->first[t->rank + 1];
}

/* Places of the images here; in lists of all images they are at the node's part. */
static void set_places(struct op *op, unsigned place)
{
    size_t all = op->team->first[op->team->size] * op->bytes, one, at = 0, total;
    unsigned first = op->flags & GASNET_COLL_SINGLE ? op->team->first[op->team->rank] : 0;

    op->dst_bytes =
        op->kind == GATHER || op->kind == GATHER_ALL || op->kind == EXCHANGE ? all : op->bytes;
    op->src_bytes = op->kind == SCATTER || op->kind == EXCHANGE ? all : op->bytes;
    one = op->dst_bytes + op->src_bytes + 3 * GUARD + 16;
    total = op->own * one;
    if (place == 1 && segment_next + total < segment + SEGMENT) {
        op->area = segment_next;
        segment_next += total;
        op->flags |= draw(2) ? GASNET_COLL_DST_IN_SEGMENT | GASNET_COLL_SRC_IN_SEGMENT : 0;
        op->on_gpu = segment_on_gpu;
    } else if (place == 2) {
        cudaMalloc((void **)&op->area, total);
        op->on_gpu = true;
    } else {
        op->area = malloc(total);
    }
    op->area_bytes = total;
    op->shadow = op->on_gpu ? malloc(total) : op->area;
    memset(op->shadow, 0xa5, total);
    for (unsigned i = 0; i < op->own; i++, at += one) {
        unsigned k = op->kind == GATHER || op->kind == REDUCE ? 0 : first + i;

        op->dst[k] = op->area + at + GUARD;
        k = op->kind == BROADCAST || op->kind == SCATTER ? 0 : first + i;
        op->src[k] = op->area + at + GUARD + (op->dst_bytes + GUARD + 7) / 8 * 8;
    }
}

static void *const *here(const struct op *op, void *const *list, bool root_only)
{
    if (root_only || !(op->flags & GASNET_COLL_SINGLE))
        return list;
    return list + op->team->first[op->team->rank];
}

static void fill(const struct op *op)
{
    const struct team *t = op->team;
    bool at_root = op->kind == BROADCAST || op->kind == SCATTER;
    void *const *src = here(op, op->src, at_root);

    for (unsigned i = 0; i < (at_root ? 1u : op->own); i++) {
        unsigned image = at_root ? op->root : t->first[t->rank] + i;

        for (size_t k = 0; op->kind < REDUCE && k < op->src_bytes; k++)
            seen(op, src[i])[k] = byte_of(op->number, image, k);
        for (size_t k = 0; op->kind >= REDUCE && k < op->src_bytes / 4; k++)
            ((uint32_t *)(void *)seen(op, src[i]))[k] = word_of(op->number, image, k);
    }
    if (op->on_gpu)
        cudaMemcpy(op->area, op->shadow, op->area_bytes, cudaMemcpyHostToDevice);
}

#define SUM 0, 0, o->elem_size, o->elem_count, (gasnet_coll_fn_handle_t)o->function, FUNCTION_ARG, f

/* Each function, by whether it waits and whether it has lists. */
#define CALL(name, single, listed)                                                                 \
    if (o->waits && !o->lists)                                                                     \
        gasnet_coll_##name single;                                                                 \
    else if (o->waits)                                                                             \
        gasnet_coll_##name##M listed;                                                              \
    else                                                                                           \
        o->handle = o->lists ? gasnet_coll_##name##M_nb listed : gasnet_coll_##name##_nb single

static void begin(struct op *o)
{
    gasnet_team_handle_t t = o->team->handle;
    void *const *dsts = o->dst, *const *srcs = o->src;
    void *dst = here(o, o->dst, o->kind == GATHER || o->kind == REDUCE)[0];
    void *src = here(o, o->src, o->kind == BROADCAST || o->kind == SCATTER)[0];
    int f = (int)o->flags;

    switch (o->kind) {
    case BROADCAST:
        CALL(broadcast, (t, dst, o->root, src, o->bytes, f), (t, dsts, o->root, src, o->bytes, f));
        break;
    case SCATTER:
        CALL(scatter, (t, dst, o->root, src, o->bytes, f), (t, dsts, o->root, src, o->bytes, f));
        break;
    case GATHER:
        CALL(gather, (t, o->root, dst, src, o->bytes, f), (t, o->root, dst, srcs, o->bytes, f));
        break;
    case GATHER_ALL:
        CALL(gather_all, (t, dst, src, o->bytes, f), (t, dsts, srcs, o->bytes, f));
        break;
    case EXCHANGE:
        CALL(exchange, (t, dst, src, o->bytes, f), (t, dsts, srcs, o->bytes, f));
        break;
    case REDUCE:
        CALL(reduce, (t, o->root, dst, src, SUM), (t, o->root, dst, srcs, SUM));
        break;
    default:
        CALL(scan, (t, dst, 0, 0, src, SUM), (t, dsts, 0, 0, srcs, SUM));
        break;
    }
}

/* ---- what it shall do ---- */

static bool block_is(const uint8_t *to, const struct op *op, unsigned image, size_t from)
{
    for (size_t i = 0; i < op->bytes; i++)
        if (to[i] != byte_of(op->number, image, from + i))
            return false;
    return true;
}

/* The sum over the images [0, n). The first function adds words, the other one pairs. */
static bool sum_is(const uint32_t *to, const struct op *op, unsigned n)
{
    for (size_t i = 0; i < op->elem_count; i++) {
        struct affine sum = { 1, 0 };
        uint32_t words = 0;

        for (unsigned k = 0; k < n; k++) {
            words += word_of(op->number, k, i);
            sum = then(sum, (struct affine){ word_of(op->number, k, 2 * i),
                                             word_of(op->number, k, 2 * i + 1) });
        }
        if (op->function == 0 ? to[i] != words : to[2 * i] != sum.a || to[2 * i + 1] != sum.b)
            return false;
    }
    return true;
}

static bool result_is_right(const struct op *op, const uint8_t *to, unsigned image)
{
    unsigned all = op->team->first[op->team->size];

    switch (op->kind) {
    case BROADCAST:
        return block_is(to, op, op->root, 0);
    case SCATTER:
        return block_is(to, op, op->root, image * op->bytes);
    case GATHER:
    case GATHER_ALL:
    case EXCHANGE:
        for (unsigned k = 0; k < all; k++)
            if (!block_is(to + k * op->bytes, op, k, op->kind == EXCHANGE ? image * op->bytes : 0))
                return false;
        return true;
    case REDUCE:
        return sum_is((const uint32_t *)(const void *)to, op, all);
    default:
        return (op->exclusive && image == 0) ||
               sum_is((const uint32_t *)(const void *)to, op, image + !op->exclusive);
    }
}

static bool is_guarded(const uint8_t *p)
{
    for (unsigned i = 0; i < GUARD; i++)
        if (p[i] != 0xa5)
            return false;
    return true;
}

static void look(const struct op *op)
{
    bool at_root = op->kind == GATHER || op->kind == REDUCE;
    void *const *dst = here(op, op->dst, at_root);

    if (op->on_gpu)
        cudaMemcpy(op->shadow, op->area, op->area_bytes, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < (at_root ? 1u : op->own); i++) {
        const uint8_t *to = seen(op, dst[i]);

        if (!at_root || is_root(op)) {
            bool right = result_is_right(op, to, op->team->first[op->team->rank] + i);

            CHECK(right);
            if (!right && fails < 5)
                printf("kind %d, team of %u, root %u, %zu bytes, flags 0x%x, lists %d\n", op->kind,
                       op->team->size, op->root, op->bytes, op->flags, op->lists);
        }
        CHECK(is_guarded(to - GUARD) && is_guarded(to + op->dst_bytes));
    }
}

static void finish_all(unsigned n)
{
    gasnet_coll_handle_t handles[AT_ONCE];

    for (unsigned i = 0; i < n; i++)
        handles[i] = ops[i].handle;
    switch (draw(5)) {
    case 0:
        for (unsigned i = n; i-- > 0;)
            gasnet_coll_wait_sync(handles[i]);
        break;
    case 1:
        for (unsigned i = 0; i < n; i++)
            while (gasnet_coll_try_sync(handles[i]) != GASNET_OK)
                ;
        break;
    case 2:
        gasnet_coll_wait_sync_all(handles, n);
        break;
    case 3:
        while (gasnet_coll_try_sync_all(handles, n) != GASNET_OK)
            ;
        break;
    default:
        for (unsigned open = n; open > 0;) {
            gasnet_coll_wait_sync_some(handles, n);
            open = 0;
            for (unsigned i = 0; i < n; i++)
                open += handles[i] != GASNET_COLL_INVALID_HANDLE;
        }
        CHECK(gasnet_coll_try_sync_some(handles, n) == GASNET_OK);
        break;
    }
}

static void barrier(const struct team *t)
{
    CHECK(gasnet_coll_barrier(t->handle, 0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
}

static void batch(void)
{
    unsigned n = 1 + draw(AT_ONCE), team = draw(team_count);
    unsigned place[AT_ONCE]; /* heap, segment, GPU */

    segment_next = segment;
    for (unsigned i = 0; i < n; i++) {
        draw_op(&ops[i], i, team);
        place[i] = draw(has_gpu ? 3 : 2);
    }
    for (unsigned i = 0; i < n; i++) {
        uint64_t kept = state;

        set_places(&ops[i], place[i]); /* nodes differ in what fits */
        state = kept;
        fill(&ops[i]);
    }
    barrier(&teams[team]);
    for (unsigned i = 0; i < n; i++)
        begin(&ops[i]);
    finish_all(n);
    barrier(&teams[team]);
    for (unsigned i = 0; i < n; i++) {
        look(&ops[i]);
        if (ops[i].on_gpu)
            free(ops[i].shadow);
        if (place[i] == 2)
            cudaFree(ops[i].area);
        else if (ops[i].area < segment || ops[i].area >= segment + SEGMENT)
            free(ops[i].area);
    }
}

/* ---- what modes promise ---- */

/* With IN_ALLSYNC nothing moves before all have come: the last one changes the source. With
 * OUT_ALLSYNC a rank that is done may read what others have got. */
static void all_sync(void)
{
    unsigned last = nodes - 1, other = (me + 1) % nodes;
    int flags = GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC | GASNET_COLL_LOCAL;
    uint32_t value = 4711, *source = (uint32_t *)(void *)segment, *to = source + 1, got;

    *source = 1;
    *to = 0;
    barrier(&teams[0]);
    if (me == last)
        gasnet_put(0, segments[0].addr, &value, sizeof(value));
    gasnet_coll_broadcast(GASNET_TEAM_ALL, to, 0, source, sizeof(*to), flags);
    gasnet_get(&got, other, (uint8_t *)segments[other].addr + sizeof(*to), sizeof(got));
    CHECK(*to == 4711 && got == 4711);
}

/* One handle stands for those before it. */
static void aggregate(void)
{
    int flags = GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL;
    unsigned from[3] = { me, 2 * me, 3 * me }, to[3][NODES];
    gasnet_coll_handle_t handle;

    for (unsigned i = 0; i < 2; i++)
        gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, to[i], &from[i], sizeof(from[i]),
                                  flags | GASNET_COLL_AGGREGATE);
    handle = gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, to[2], &from[2], sizeof(from[2]), flags);
    gasnet_coll_wait_sync(handle);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < nodes; k++)
            CHECK(to[i][k] == (i + 1) * k);
}

static void barriers(void)
{
    const int anonymous = GASNET_BARRIERFLAG_ANONYMOUS, mismatch = GASNET_BARRIERFLAG_MISMATCH;

    for (unsigned i = 0; i < team_count; i++) {
        gasnet_team_handle_t t = teams[i].handle;
        int id = -1, code;

        CHECK(gasnet_coll_barrier(t, 5, 0) == GASNET_OK);
        CHECK(gasnet_coll_barrier_result(t, &id) == 0 && id == 5);
        CHECK(gasnet_coll_barrier(t, 5, teams[i].rank == 0 ? 0 : anonymous) == GASNET_OK);
        CHECK(gasnet_coll_barrier_result(t, &id) == 0 && id == 5);
        CHECK(gasnet_coll_barrier(t, 5, anonymous) == GASNET_OK);
        CHECK(gasnet_coll_barrier_result(t, &id) == 1);
        code = gasnet_coll_barrier(t, (int)teams[i].rank, 0);
        CHECK(code == (teams[i].size > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
        code = gasnet_coll_barrier(t, 0, teams[i].rank == teams[i].size - 1 ? mismatch : 0);
        CHECK(code == GASNET_ERR_BARRIER_MISMATCH);
        gasnet_coll_barrier_notify(t, 9, 0);
        while ((code = gasnet_coll_barrier_try(t, 9, 0)) == GASNET_ERR_NOT_READY)
            ;
        CHECK(code == GASNET_OK);
        gasnet_coll_barrier_notify(t, 9, 0);
        CHECK(gasnet_coll_barrier_wait(t, 8, 0) == GASNET_ERR_BARRIER_MISMATCH);
    }
}

/* ---- */

static unsigned word(int argc, char **argv, const char *name, unsigned own)
{
    size_t n = strlen(name);

    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=')
            own = (unsigned)atoi(argv[i] + n + 1);
    return own;
}

static bool is_on_gpu(void *p)
{
    CUmemorytype type = CU_MEMORYTYPE_HOST;

    return cuInit(0) == CUDA_SUCCESS &&
           cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p) ==
               CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE;
}

int main(int argc, char **argv)
{
    unsigned cases, first, seed, bad = 0, all[NODES], image = 0;
    bool many;

    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, SEGMENT, 0);
    cases = word(argc, argv, "cases", 40);
    first = word(argc, argv, "first", 0);
    seed = word(argc, argv, "seed", 1);
    has_gpu = word(argc, argv, "gpu", 0) != 0;
    many = word(argc, argv, "images", 0) != 0;
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    gasnet_getSegmentInfo(segments, (int)nodes);
    segment = segments[me].addr;
    segment_on_gpu = has_gpu && is_on_gpu(segment);
    for (unsigned i = 0; i < nodes; i++) {
        images[i] = many ? 1 + i % IMAGES : 1;
        image += i < me ? images[i] : 0;
    }
    gasnet_coll_init(many ? images : NULL, image, functions, 2, 0);
    make_teams();
    barriers();
    if (!many && !segment_on_gpu) {
        all_sync();
        aggregate();
    }
    for (current = first; current < first + cases; current++) {
        state = seed * 1000003u + current;
        batch();
    }
    for (unsigned i = 0; !many && i < nodes; i++)
        gasnet_coll_broadcast(GASNET_TEAM_ALL, &all[i], i, &fails, sizeof(fails),
                              GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL);
    for (unsigned i = 0; !many && i < nodes; i++)
        bad += all[i];
    if (me == 0 && bad + fails == 0)
        printf("random: %u checks passed\n", checks);
    barrier(&teams[0]);
    gasnet_exit(bad + fails != 0);
}
