/* What programs call: puts and gets of vectors, indexed and strided pieces, in three forms. */
#include "hosts/gasnet/vis/pack.h"

#include "hosts/gasnet/include/gasnet_vis.h"

/** What a call says; lists are made once the library is entered. */
struct form {
    bool is_get;
    enum { IS_VECTOR, IS_INDEXED, IS_STRIDED } kind;
    gasnet_node_t node;
    size_t to_count, from_count;
    const gasnet_memvec_t *to_vector, *from_vector;
    void *const *to_list, *const *from_list;
    size_t to_length, from_length;
    void *to, *from;
    const size_t *to_strides, *from_strides, *counts;
    size_t levels;
};

static struct vis_transfer transfer_of(struct gasnet_rank *gr, const struct form *f)
{
    struct vis_transfer t = { .node = f->node };

    switch (f->kind) {
    case IS_VECTOR:
        t.to = vis_vector(f->to_vector, f->to_count);
        t.from = vis_vector(f->from_vector, f->from_count);
        break;
    case IS_INDEXED:
        t.to = vis_indexed(f->to_list, f->to_count, f->to_length);
        t.from = vis_indexed(f->from_list, f->from_count, f->from_length);
        break;
    case IS_STRIDED:
        t.to = vis_strided(gr, f->to, f->to_strides, f->counts, f->levels);
        t.from = vis_strided(gr, f->from, f->from_strides, f->counts, f->levels);
        break;
    }
    return t;
}

static void start(struct gasnet_rank *gr, uint32_t op, const struct form *f)
{
    struct vis_transfer t = transfer_of(gr, f);

    gasnet_check_node(gr, t.node);
    if (t.to.bytes != t.from.bytes)
        gasnet_fail(gr, "%llu bytes of the target, %llu of the source: expected as many",
                    (unsigned long long)t.to.bytes, (unsigned long long)t.from.bytes);
    if (t.to.bytes == 0)
        return;
    vis_check_segment(gr, f->is_get ? &t.from : &t.to, t.node);
    vis_check_apart(gr, &t.to);
    if (f->is_get)
        vis_get_start(gr, op, &t);
    else
        vis_put_start(gr, op, &t);
}

static void block(const char *call, const void *from, const struct form *f)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);
    uint32_t op = gasnet_op_new(v.gr);

    start(v.gr, op, f);
    gasnet_op_wait(v.gr, op, "an answer from", (int)f->node);
    gasnet_leave(&v);
}

static gasnet_handle_t explicit(const char *call, const void *from, const struct form *f)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);
    uint32_t op = gasnet_op_new(v.gr);
    gasnet_handle_t handle;

    gasnet_op_set_peer(v.gr, op, (int)f->node);
    start(v.gr, op, f);
    handle = gasnet_op_give(v.gr, op);
    gasnet_leave(&v);
    return handle;
}

static void implicit(const char *call, const void *from, const struct form *f)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);

    start(v.gr, gasnet_op_implicit(v.gr, f->is_get, f->node), f);
    gasnet_leave(&v);
}

#define VECTORS                                                                                    \
    .kind = IS_VECTOR, .to_count = dstcount, .to_vector = dstlist, .from_count = srccount,         \
    .from_vector = srclist
#define INDEXED                                                                                    \
    .kind = IS_INDEXED, .to_count = dstcount, .to_list = dstlist, .to_length = dstlen,             \
    .from_count = srccount, .from_list = srclist, .from_length = srclen
#define STRIDED                                                                                    \
    .kind = IS_STRIDED, .to = dstaddr, .to_strides = dststrides, .from = srcaddr,                  \
    .from_strides = srcstrides, .counts = count, .levels = stridelevels
#define IS_PUT    .is_get = false, .node = dstnode
#define IS_GET    .is_get = true, .node = srcnode
#define FORM_putv IS_PUT, VECTORS
#define FORM_getv IS_GET, VECTORS
#define FORM_puti IS_PUT, INDEXED
#define FORM_geti IS_GET, INDEXED
#define FORM_puts IS_PUT, STRIDED
#define FORM_gets IS_GET, STRIDED

#define HERE __func__, __builtin_return_address(0)
#define DEFINE(name, parameters)                                                                   \
    void gasnet_##name##_bulk parameters                                                           \
    {                                                                                              \
        block(HERE, &(const struct form){ FORM_##name });                                          \
    }                                                                                              \
    gasnet_handle_t gasnet_##name##_nb_bulk parameters                                             \
    {                                                                                              \
        return explicit(HERE, &(const struct form){ FORM_##name });                                \
    }                                                                                              \
    void gasnet_##name##_nbi_bulk parameters                                                       \
    {                                                                                              \
        implicit(HERE, &(const struct form){ FORM_##name });                                       \
    }
GASNETI_VIS(DEFINE)
