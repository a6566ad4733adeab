/*
 * Puts, gets and memsets of all forms, of any size and alignment, beside a reference: each node has
 * a strip of each segment to itself and knows what is in it. Gets go to memory of all kinds, with
 * guards around. At the end the owners compare what they see themselves.
 */
#include "common.h"

#define ON_STRIP 230 /* handlers */
#define BATCH    24  /* operations at once */
#define LOCAL    (96u * 1024)
#define GUARD    16u
#define GUARDED  0xa5

static uint32_t strip_bytes;
static uint8_t **reference; /* what is in the own strip of each segment */

/* ---- what the owners see ---- */

static uint32_t *sums;
static volatile unsigned sums_here;

static uint32_t sum_of(const uint8_t *p, size_t n)
{
    uint32_t sum = 1;

    for (size_t i = 0; i < n; i++)
        sum = sum * 16777619u + p[i];
    return sum;
}

static void on_strip(gasnet_token_t token, gasnet_handlerarg_t sum)
{
    gasnet_node_t source;

    gasnet_AMGetMsgSource(token, &source);
    sums[source] = (uint32_t)sum;
    sums_here++;
}

static bool on_gpu(const void *p)
{
    CUmemorytype type = CU_MEMORYTYPE_HOST;

    return cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p) ==
               CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE;
}

static void compare_strips(void)
{
    static uint8_t copy[SEGMENT];

    all_here();
    if (on_gpu(segment_of(me)))
        cudaMemcpy(copy, segment_of(me), SEGMENT, cudaMemcpyDeviceToHost);
    else
        memcpy(copy, segment_of(me), SEGMENT);
    for (unsigned i = 0; i < nodes; i++)
        gasnet_AMRequestShort1(i, ON_STRIP, (int)sum_of(copy + i * strip_bytes, strip_bytes));
    GASNET_BLOCKUNTIL(sums_here == nodes);
    for (unsigned i = 0; i < nodes; i++)
        CHECK(sums[i] == sum_of(reference[i], strip_bytes));
    all_here(); /* none goes on writing before all have looked */
    sums_here = 0;
}

/* ---- memory of this node ---- */

static uint8_t in_data[LOCAL + 2 * GUARD];
static uint8_t *on_heap, *in_pinned, *in_gpu;

/* The last strip belongs to this node alone: local ends in its segment. */
static uint8_t *local_memory(unsigned *shift)
{
    *shift = below(GUARD);
    switch (below(5)) {
    case 0:
        return in_data;
    case 1:
        return on_heap;
    case 2:
        return segment_of(me) + nodes * strip_bytes;
    case 3:
        return in_pinned != NULL ? in_pinned : in_data;
    default:
        return in_gpu != NULL ? in_gpu : on_heap;
    }
}

static void store(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n > 0 && on_gpu(to))
        cudaMemcpy(to, from, n, cudaMemcpyHostToDevice);
    else
        memcpy(to, from, n);
}

static void load(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n > 0 && on_gpu(from))
        cudaMemcpy(to, from, n, cudaMemcpyDeviceToHost);
    else
        memcpy(to, from, n);
}

/* ---- a batch ---- */

struct op {
    unsigned node;
    uint32_t at, bytes;
};

static uint32_t draw_bytes(uint32_t most)
{
    uint32_t n = below(8);

    n = n == 0 ? 0 : n < 4 ? below(9) : n < 6 ? below(300) : n < 7 ? below(5000) : below(most);
    return n < most ? n : most;
}

static gasnet_handle_t start_put(const struct op *o, uint8_t *from, unsigned form)
{
    uint8_t *to = segment_of(o->node) + me * strip_bytes + o->at;

    switch (form) {
    case 0:
        gasnet_put(o->node, to, from, o->bytes);
        break;
    case 1:
        gasnet_put_bulk(o->node, to, from, o->bytes);
        break;
    case 2:
        return gasnet_put_nb(o->node, to, from, o->bytes);
    case 3:
        return gasnet_put_nb_bulk(o->node, to, from, o->bytes);
    case 4:
        gasnet_put_nbi(o->node, to, from, o->bytes);
        break;
    default:
        gasnet_put_nbi_bulk(o->node, to, from, o->bytes);
        break;
    }
    return GASNET_INVALID_HANDLE;
}

static gasnet_handle_t start_memset(const struct op *o, int value, unsigned form)
{
    uint8_t *to = segment_of(o->node) + me * strip_bytes + o->at;

    switch (form) {
    case 0:
        gasnet_memset(o->node, to, value, o->bytes);
        break;
    case 1:
        return gasnet_memset_nb(o->node, to, value, o->bytes);
    default:
        gasnet_memset_nbi(o->node, to, value, o->bytes);
        break;
    }
    return GASNET_INVALID_HANDLE;
}

static gasnet_handle_t start_value(const struct op *o, uint64_t value, unsigned form)
{
    uint8_t *to = segment_of(o->node) + me * strip_bytes + o->at;

    switch (form) {
    case 0:
        gasnet_put_val(o->node, to, value, o->bytes);
        break;
    case 1:
        return gasnet_put_nb_val(o->node, to, value, o->bytes);
    default:
        gasnet_put_nbi_val(o->node, to, value, o->bytes);
        break;
    }
    return GASNET_INVALID_HANDLE;
}

static void sync_all(gasnet_handle_t *handles, unsigned n)
{
    unsigned how = below(6);

    if (how == 0) {
        gasnet_wait_syncnb_all(handles, n);
    } else if (how == 1) {
        while (gasnet_try_syncnb_all(handles, n) != GASNET_OK)
            ;
    } else if (how < 4) {
        for (unsigned left = n; left > 0;) {
            if (how == 2)
                gasnet_wait_syncnb_some(handles, n);
            else if (gasnet_try_syncnb_some(handles, n) != GASNET_OK)
                continue;
            left = 0;
            for (unsigned i = 0; i < n; i++)
                left += handles[i] != GASNET_INVALID_HANDLE;
        }
    } else {
        for (unsigned i = n; i-- > 0; handles[i] = GASNET_INVALID_HANDLE)
            if (how == 4)
                gasnet_wait_syncnb(handles[i]);
            else
                while (gasnet_try_syncnb(handles[i]) != GASNET_OK)
                    ;
    }
    for (unsigned i = 0; i < n; i++)
        CHECK(handles[i] == GASNET_INVALID_HANDLE);
    if (below(2) == 0)
        gasnet_wait_syncnbi_all();
    else
        while (gasnet_try_syncnbi_all() != GASNET_OK)
            ;
}

/* Rising and disjoint pieces of strips, which are put together. */
static void batch_of_puts(void)
{
    static uint8_t sources[BATCH][LOCAL + GUARD], kept[LOCAL];
    gasnet_handle_t handles[BATCH + 1] = { GASNET_INVALID_HANDLE };
    uint32_t *end_of = calloc(nodes, sizeof(*end_of));
    unsigned n = 1 + below(BATCH), nhandles = 0;
    bool region = below(3) == 0;

    if (region)
        gasnet_begin_nbi_accessregion();
    for (unsigned i = 0; i < n; i++) {
        struct op o = { .node = below(nodes) };
        uint8_t *known = reference[o.node];
        unsigned kind = below(6), form;

        o.at = end_of[o.node] + below(200);
        if (o.at + GUARD >= strip_bytes)
            continue;
        o.bytes = draw_bytes(strip_bytes - o.at < LOCAL ? strip_bytes - o.at : LOCAL);
        end_of[o.node] = o.at + o.bytes;
        if (kind == 0) {
            int value = (int)below(512);

            memset(known + o.at, value, o.bytes);
            handles[nhandles++] = start_memset(&o, value, below(3));
        } else if (kind == 1 && o.bytes > 0) {
            uint64_t value = (uint64_t)below(1u << 30) << 34 ^ below(1u << 30);

            o.bytes = 1 + below(8);
            if (o.at + o.bytes > strip_bytes)
                continue;
            end_of[o.node] = o.at + o.bytes;
            memcpy(known + o.at, &value, o.bytes);
            handles[nhandles++] = start_value(&o, value, below(3));
        } else {
            unsigned shift = below(GUARD);
            uint8_t *from = sources[i] + shift;

            for (uint32_t k = 0; k < o.bytes; k++)
                known[o.at + k] = (uint8_t)below(256);
            memcpy(from, known + o.at, o.bytes);
            form = below(6);
            if (in_gpu != NULL && form % 2 == 0 && below(3) == 0) { /* its source is used again */
                from = in_gpu + shift;
                store(from, known + o.at, o.bytes);
            }
            handles[nhandles++] = start_put(&o, from, form);
            if (form % 2 == 0 || form == 1) { /* the source is free */
                memset(kept, 0xee, o.bytes);
                store(from, kept, o.bytes);
            }
        }
    }
    if (region)
        handles[nhandles++] = gasnet_end_nbi_accessregion();
    sync_all(handles, nhandles);
    free(end_of);
}

static void get_one(const struct op *o, uint8_t *to)
{
    uint8_t *from = segment_of(o->node) + me * strip_bytes + o->at;

    switch (below(7)) {
    case 0:
        gasnet_get(to, o->node, from, o->bytes);
        break;
    case 1:
        gasnet_get_bulk(to, o->node, from, o->bytes);
        break;
    case 2:
        gasnet_wait_syncnb(gasnet_get_nb(to, o->node, from, o->bytes));
        break;
    case 3:
        gasnet_wait_syncnb(gasnet_get_nb_bulk(to, o->node, from, o->bytes));
        break;
    case 4:
        gasnet_get_nbi(to, o->node, from, o->bytes);
        gasnet_wait_syncnbi_gets();
        break;
    case 5:
        gasnet_get_nbi_bulk(to, o->node, from, o->bytes);
        while (gasnet_try_syncnbi_gets() != GASNET_OK)
            ;
        break;
    default:
        gasnet_begin_nbi_accessregion();
        gasnet_get_nbi_bulk(to, o->node, from, o->bytes);
        gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
        break;
    }
}

static void check_get(void)
{
    static uint8_t guarded[LOCAL + 2 * GUARD], got[LOCAL + 2 * GUARD];
    struct op o = { .node = below(nodes), .at = below(strip_bytes) };
    unsigned shift;
    uint8_t *memory = local_memory(&shift);
    bool clean = true;

    o.bytes = draw_bytes(strip_bytes - o.at < LOCAL - GUARD ? strip_bytes - o.at : LOCAL - GUARD);
    memset(guarded, GUARDED, o.bytes + 2 * GUARD);
    store(memory, guarded, o.bytes + 2 * GUARD);
    get_one(&o, memory + shift);
    load(got, memory, o.bytes + 2 * GUARD);
    for (uint32_t i = 0; i < o.bytes + 2 * GUARD; i++)
        if (i < shift || i >= shift + o.bytes)
            clean &= got[i] == GUARDED;
    CHECK(clean);
    CHECK(memcmp(got + shift, reference[o.node] + o.at, o.bytes) == 0);
}

static void check_values(void)
{
    gasnet_valget_handle_t handles[4];
    uint64_t expected[4] = { 0 };

    for (unsigned i = 0; i < 4; i++) {
        unsigned node = below(nodes), bytes = 1 + below(8), at = below(strip_bytes - 8);

        memcpy(&expected[i], reference[node] + at, bytes);
        handles[i] = gasnet_get_nb_val(node, segment_of(node) + me * strip_bytes + at, bytes);
        CHECK(gasnet_get_val(node, segment_of(node) + me * strip_bytes + at, bytes) == expected[i]);
    }
    for (unsigned i = 4; i-- > 0;)
        CHECK(gasnet_wait_syncnb_valget(handles[i]) == expected[i]);
}

int main(int argc, char **argv)
{
    const gasnet_handlerentry_t handlers[] = { { ON_STRIP, (void (*)())on_strip } };
    int rounds, gpus = 0;

    begin(&argc, &argv, handlers, 1);
    rounds = argc > 1 ? atoi(argv[1]) : 12;
    strip_bytes = (SEGMENT - LOCAL - 2 * GUARD) / nodes;
    reference = calloc(nodes, sizeof(*reference));
    sums = calloc(nodes, sizeof(*sums));
    on_heap = malloc(LOCAL + 2 * GUARD);
    if (cuInit(0) == CUDA_SUCCESS && cudaGetDeviceCount(&gpus) == cudaSuccess && gpus > 0) {
        cudaMalloc((void **)&in_gpu, LOCAL + 2 * GUARD);
        cudaMallocHost((void **)&in_pinned, LOCAL + 2 * GUARD);
    }
    for (unsigned i = 0; i < nodes; i++) {
        reference[i] = calloc(1, strip_bytes);
        gasnet_memset_nbi(i, segment_of(i) + me * strip_bytes, 0, strip_bytes);
    }
    gasnet_wait_syncnbi_puts();
    for (int i = 0; i < rounds; i++) {
        batch_of_puts();
        for (unsigned k = 0; k < 8; k++)
            check_get();
        check_values();
        if (i % 4 == 3)
            compare_strips();
    }
    compare_strips();
    return end("random");
}
