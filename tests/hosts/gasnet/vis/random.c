/*
 * Puts and gets of many pieces drawn at random, several under way at once, against copies byte by
 * byte. Each node writes to parts of all segments that are its own, and knows what is there.
 *
 *   random [cases=N] [first=N] [seed=N] [gpu=1]
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <gasnet.h>
#include <gasnet_vis.h>
#include <stdbool.h>
#include <string.h>

#define AT_ONCE   4
#define PART      65536u /* bytes of one operation, on each side */
#define BYTES_MAX 20000u
#define LEVELS    5
#define NODES     16
#define CHECK(ok) check((ok), #ok, __LINE__)

static unsigned me, nodes, fails, checks, current;
static gasnet_seginfo_t segments[NODES];
static uint64_t state;

static void check(bool ok, const char *what, int line)
{
    checks++;
    if (!ok && fails++ < 5)
        printf("random.c:%d: node %u of %u: case %u: FAILED %s\n", line, me, nodes, current, what);
}

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % below);
}

/* ---- one side ---- */

enum kind { VECTOR, INDEXED, STRIDED };

/** Pieces within PART bytes, and where each byte of them is. */
struct side {
    uint8_t *base;
    unsigned pieces;
    size_t length; /* each piece has so many bytes */
    gasnet_memvec_t *vector;
    void **list;
    size_t strides[LEVELS];
    uint32_t at[BYTES_MAX]; /* offset of the k-th byte */
};

static void shuffle(gasnet_memvec_t *v, unsigned n)
{
    for (unsigned i = n; i > 1; i--) {
        unsigned k = draw(i);
        gasnet_memvec_t t = v[i - 1];

        v[i - 1] = v[k];
        v[k] = t;
    }
}

/* Pieces of these lengths with gaps between them; addresses are offsets until they are set. */
static void spread(struct side *s, size_t total, bool shuffled)
{
    size_t gap = (PART - total) / (s->pieces + 1), at = 0;

    for (unsigned i = 0; i < s->pieces; i++) {
        at += draw(3) == 0 ? 0 : draw((unsigned)gap + 1);
        s->vector[i].addr = s->base + at;
        at += s->vector[i].len;
    }
    if (shuffled)
        shuffle(s->vector, s->pieces);
}

static void know_pieces(struct side *s)
{
    size_t k = 0;

    for (unsigned i = 0; i < s->pieces; i++)
        for (size_t b = 0; b < s->vector[i].len; b++)
            s->at[k++] = (uint32_t)((uint8_t *)s->vector[i].addr - s->base + b);
}

static void draw_vector(struct side *s, size_t total)
{
    static const unsigned longest[] = { 3, 40, 700, 6000 };
    unsigned most = longest[draw(4)];

    s->pieces = 0;
    s->vector = calloc(total + 8, sizeof(*s->vector));
    for (size_t left = total, n; left > 0 || draw(4) == 0; left -= n) {
        n = draw(8) == 0 || left == 0 ? 0 : 1 + draw(most);
        n = n < left ? n : left;
        s->vector[s->pieces++].len = n;
        if (s->pieces == total + 8) { /* no room: the rest in one */
            s->vector[s->pieces - 1].len += left - n;
            break;
        }
    }
    spread(s, total, draw(2) != 0);
    know_pieces(s);
}

static void draw_indexed(struct side *s, size_t total, size_t length)
{
    s->length = length;
    s->pieces = length > 0 ? (unsigned)(total / length) : draw(4);
    s->vector = calloc(s->pieces + 1, sizeof(*s->vector));
    s->list = calloc(s->pieces + 1, sizeof(*s->list));
    for (unsigned i = 0; i < s->pieces; i++)
        s->vector[i].len = length;
    spread(s, total, draw(2) != 0);
    for (unsigned i = 0; i < s->pieces; i++)
        s->list[i] = s->vector[i].addr;
    know_pieces(s);
}

/* Strides are as long as what is below, or longer where there is room. */
static void draw_strided(struct side *s, size_t total, const size_t *counts, unsigned levels)
{
    size_t extent = counts[0], k = 0, spare = total > 0 ? PART / (total + 1) : 1;

    for (unsigned i = 0; i < levels; i++) {
        size_t longer = spare > 1 ? draw((unsigned)(spare < 4 ? spare : 4)) : 0;

        s->strides[i] = extent + longer * (extent < 64 ? 1 : extent / 8);
        extent = s->strides[i] * counts[i + 1];
        spare = extent > 0 ? PART / (extent + 1) / 4 : 1;
    }
    if (extent > PART) { /* tightly */
        extent = counts[0];
        for (unsigned i = 0; i < levels; i++) {
            s->strides[i] = extent;
            extent *= counts[i + 1];
        }
    }
    for (size_t n = 0; n < (counts[0] > 0 ? total / counts[0] : 0); n++) {
        size_t at = 0, rest = n;

        for (unsigned i = 0; i < levels; i++) {
            at += rest % counts[i + 1] * s->strides[i];
            rest /= counts[i + 1];
        }
        for (size_t b = 0; b < counts[0]; b++)
            s->at[k++] = (uint32_t)(at + b);
    }
}

/* ---- one operation ---- */

enum form { BLOCKING, EXPLICIT, IMPLICIT, REGION };

static struct op {
    enum kind kind;
    enum form form;
    bool put, on_gpu;
    unsigned node;
    size_t bytes, counts[LEVELS + 1];
    unsigned levels;
    struct side far, here;
    uint8_t *known;  /* what the far part holds */
    uint8_t *before; /* what is here, and shall be behind a get */
    gasnet_handle_t handle;
} ops[AT_ONCE];

static uint8_t *known[NODES][AT_ONCE]; /* the parts of this node in each segment */
static uint8_t *memory[3][AT_ONCE];    /* here: heap, segment, GPU */
static bool has_gpu, segment_on_gpu;

static void store(const struct op *op, const uint8_t *from)
{
    if (op->on_gpu)
        cudaMemcpy(op->here.base, from, PART, cudaMemcpyHostToDevice);
    else
        memcpy(op->here.base, from, PART);
}

static void load(const struct op *op, uint8_t *to)
{
    if (op->on_gpu)
        cudaMemcpy(to, op->here.base, PART, cudaMemcpyDeviceToHost);
    else
        memcpy(to, op->here.base, PART);
}

static void draw_shapes(struct op *op)
{
    size_t a, b;

    switch (op->kind) {
    case VECTOR:
        op->bytes = draw(10) == 0 ? 0 : draw(BYTES_MAX);
        draw_vector(&op->far, op->bytes);
        draw_vector(&op->here, op->bytes);
        break;
    case INDEXED: /* a b c bytes: pieces of a here, of a b there, or the other way round */
        a = draw(10) == 0 ? 0 : 1 + draw(draw(2) ? 12 : 300);
        b = 1 + draw(8);
        op->bytes = a * b * (1 + draw(8));
        draw_indexed(&op->far, op->bytes, draw(2) ? a : a * b);
        draw_indexed(&op->here, op->bytes, draw(2) ? a : a * b);
        break;
    default:
        op->levels = draw(LEVELS + 1);
        op->bytes = op->counts[0] = 1 + draw(draw(2) ? 16 : 3000);
        for (unsigned i = 1; i <= op->levels; i++) {
            op->counts[i] = draw(40) == 0 ? 0 : 1 + draw(9);
            if (op->bytes * op->counts[i] > BYTES_MAX)
                op->counts[i] = 1;
            op->bytes *= op->counts[i];
        }
        draw_strided(&op->far, op->bytes, op->counts, op->levels);
        draw_strided(&op->here, op->bytes, op->counts, op->levels);
        break;
    }
}

static void draw_op(unsigned i)
{
    struct op *op = &ops[i];
    unsigned place = draw(has_gpu ? 3 : 2);

    memset(op, 0, sizeof(*op));
    op->kind = (enum kind)draw(3);
    op->form = (enum form)draw(4);
    op->put = draw(2) != 0;
    op->node = draw(nodes);
    op->on_gpu = place == 2 || (place == 1 && segment_on_gpu);
    op->here.base = memory[place][i];
    op->far.base = (uint8_t *)segments[op->node].addr + (me * AT_ONCE + i) * (size_t)PART;
    op->known = known[op->node][i];
    op->before = malloc(PART);
    for (unsigned k = 0; k < PART; k++)
        op->before[k] = (uint8_t)(state >> 40) + (uint8_t)(k * 2654435761u >> 13);
    store(op, op->before);
    draw_shapes(op);
}

#define CALL(name, ...)                                                                            \
    do {                                                                                           \
        if (op->form == BLOCKING)                                                                  \
            gasnet_##name##_bulk(__VA_ARGS__);                                                     \
        else if (op->form == EXPLICIT)                                                             \
            op->handle = gasnet_##name##_nb_bulk(__VA_ARGS__);                                     \
        else                                                                                       \
            gasnet_##name##_nbi_bulk(__VA_ARGS__);                                                 \
    } while (0)

static void begin(struct op *op)
{
    struct side *f = &op->far, *h = &op->here;
    unsigned n = op->node;

    if (op->form == REGION)
        gasnet_begin_nbi_accessregion();
    if (op->kind == VECTOR && op->put)
        CALL(putv, n, f->pieces, f->vector, h->pieces, h->vector);
    else if (op->kind == VECTOR)
        CALL(getv, h->pieces, h->vector, n, f->pieces, f->vector);
    else if (op->kind == INDEXED && op->put)
        CALL(puti, n, f->pieces, f->list, f->length, h->pieces, h->list, h->length);
    else if (op->kind == INDEXED)
        CALL(geti, h->pieces, h->list, h->length, n, f->pieces, f->list, f->length);
    else if (op->put)
        CALL(puts, n, f->base, f->strides, h->base, h->strides, op->counts, op->levels);
    else
        CALL(gets, h->base, h->strides, n, f->base, f->strides, op->counts, op->levels);
    if (op->form == REGION)
        op->handle = gasnet_end_nbi_accessregion();
}

static void look(struct op *op)
{
    uint8_t *now = malloc(PART);

    for (size_t k = 0; k < op->bytes; k++)
        if (op->put)
            op->known[op->far.at[k]] = op->before[op->here.at[k]];
        else
            op->before[op->here.at[k]] = op->known[op->far.at[k]];
    load(op, now);
    CHECK(memcmp(now, op->before, PART) == 0); /* the source of a put is as it was */
    gasnet_get(now, op->node, op->far.base, PART);
    CHECK(memcmp(now, op->known, PART) == 0);
    if (fails > 0 && fails < 4)
        printf("kind %d, form %d, put %d, %zu bytes, %u levels, %u and %u pieces\n", op->kind,
               op->form, op->put, op->bytes, op->levels, op->far.pieces, op->here.pieces);
    free(now);
    free(op->before);
    free(op->far.vector);
    free(op->far.list);
    free(op->here.vector);
    free(op->here.list);
}

static void batch(void)
{
    unsigned n = 1 + draw(AT_ONCE);

    for (unsigned i = 0; i < n; i++)
        draw_op(i);
    for (unsigned i = 0; i < n; i++)
        begin(&ops[i]);
    for (unsigned i = n; i-- > 0;)
        gasnet_wait_syncnb(ops[i].handle);
    gasnet_wait_syncnbi_all();
    for (unsigned i = 0; i < n; i++)
        look(&ops[i]);
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

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static bool is_on_gpu(void *p)
{
    CUmemorytype type = CU_MEMORYTYPE_HOST;

    return cuInit(0) == CUDA_SUCCESS &&
           cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p) ==
               CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE;
}

static void make_memory(void)
{
    uint8_t *own = (uint8_t *)segments[me].addr + nodes * AT_ONCE * (size_t)PART;

    for (unsigned i = 0; i < AT_ONCE; i++) {
        memory[0][i] = malloc(PART);
        memory[1][i] = own + i * (size_t)PART;
        if (has_gpu)
            cudaMalloc((void **)&memory[2][i], PART);
        for (unsigned k = 0; k < nodes; k++) {
            known[k][i] = calloc(1, PART);
            gasnet_memset(k, (uint8_t *)segments[k].addr + (me * AT_ONCE + i) * (size_t)PART, 0,
                          PART);
        }
    }
}

int main(int argc, char **argv)
{
    unsigned cases, first, seed;

    gasnet_init(&argc, &argv);
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    gasnet_attach(NULL, 0, (nodes + 1) * AT_ONCE * (size_t)PART, 0);
    gasnet_getSegmentInfo(segments, (int)nodes);
    cases = word(argc, argv, "cases", 40);
    first = word(argc, argv, "first", 0);
    seed = word(argc, argv, "seed", 1);
    has_gpu = word(argc, argv, "gpu", 0) != 0;
    segment_on_gpu = has_gpu && is_on_gpu(segments[me].addr);
    make_memory();
    barrier();
    for (current = first; current < first + cases; current++) {
        state = (seed * 1000003u + current) * UINT64_C(64) + me;
        batch();
    }
    for (unsigned i = 0; i < nodes; i++) { /* its failures end the run as failed */
        barrier();
        if (i == me && fails > 0)
            gasnet_exit(1);
    }
    barrier();
    if (me == 0)
        printf("random: %u checks passed\n", checks);
    gasnet_exit(0);
}
