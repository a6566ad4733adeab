/* The calls of a program: puts, gets and memsets in all their forms. */
#include "hosts/gasnet/extended/internal.h"
#include "hosts/gasnet/extended/transfer.h"

/** What a call does, into an operation of its own or an implicit one. */
struct doing {
    enum { DOES_PUT, DOES_GET, DOES_MEMSET } what;
    struct gasnet_put put;
    struct gasnet_get get;
    int value;
};

static void start(struct gasnet_rank *gr, uint32_t op, const struct doing *d)
{
    if (d->what == DOES_PUT)
        gasnet_put_start(gr, op, &d->put);
    else if (d->what == DOES_GET)
        gasnet_get_start(gr, op, &d->get);
    else
        gasnet_memset_start(gr, op, d->put.node, d->put.to, d->value, d->put.bytes);
}

static gasnet_node_t node_of(const struct doing *d)
{
    return d->what == DOES_GET ? d->get.node : d->put.node;
}

static void do_blocking(const char *call, const void *from, const struct doing *d)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);
    uint32_t op = gasnet_op_new(v.gr);

    start(v.gr, op, d);
    gasnet_op_wait(v.gr, op, "an answer from", (int)node_of(d));
    gasnet_leave(&v);
}

static gasnet_handle_t do_explicit(const char *call, const void *from, const struct doing *d)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);
    uint32_t op = gasnet_op_new(v.gr);
    gasnet_handle_t handle;

    gasnet_op_set_peer(v.gr, op, (int)node_of(d));
    start(v.gr, op, d);
    handle = gasnet_op_give(v.gr, op);
    gasnet_leave(&v);
    return handle;
}

static void do_implicit(const char *call, const void *from, const struct doing *d)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);

    start(v.gr, gasnet_op_implicit(v.gr, d->what == DOES_GET, node_of(d)), d);
    gasnet_leave(&v);
}

#define HERE __func__, __builtin_return_address(0)
#define PUT(is_bulk)                                                                               \
    &(const struct doing)                                                                          \
    {                                                                                              \
        .what = DOES_PUT, .put = { node, to, from, bytes, is_bulk }                                \
    }
#define GET                                                                                        \
    &(const struct doing)                                                                          \
    {                                                                                              \
        .what = DOES_GET, .get = { to, node, from, bytes }                                         \
    }
#define MEMSET                                                                                     \
    &(const struct doing)                                                                          \
    {                                                                                              \
        .what = DOES_MEMSET, .put = { node, to, NULL, bytes, false }, .value = value               \
    }

void gasnet_put(gasnet_node_t node, void *to, void *from, size_t bytes)
{
    do_blocking(HERE, PUT(true)); /* it returns when all is over */
}

void gasnet_put_bulk(gasnet_node_t node, void *to, void *from, size_t bytes)
{
    do_blocking(HERE, PUT(true));
}

gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *to, void *from, size_t bytes)
{
    return do_explicit(HERE, PUT(false));
}

gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *to, void *from, size_t bytes)
{
    return do_explicit(HERE, PUT(true));
}

void gasnet_put_nbi(gasnet_node_t node, void *to, void *from, size_t bytes)
{
    do_implicit(HERE, PUT(false));
}

void gasnet_put_nbi_bulk(gasnet_node_t node, void *to, void *from, size_t bytes)
{
    do_implicit(HERE, PUT(true));
}

void gasnet_get(void *to, gasnet_node_t node, void *from, size_t bytes)
{
    do_blocking(HERE, GET);
}

void gasnet_get_bulk(void *to, gasnet_node_t node, void *from, size_t bytes)
{
    do_blocking(HERE, GET);
}

gasnet_handle_t gasnet_get_nb(void *to, gasnet_node_t node, void *from, size_t bytes)
{
    return do_explicit(HERE, GET);
}

gasnet_handle_t gasnet_get_nb_bulk(void *to, gasnet_node_t node, void *from, size_t bytes)
{
    return do_explicit(HERE, GET);
}

void gasnet_get_nbi(void *to, gasnet_node_t node, void *from, size_t bytes)
{
    do_implicit(HERE, GET);
}

void gasnet_get_nbi_bulk(void *to, gasnet_node_t node, void *from, size_t bytes)
{
    do_implicit(HERE, GET);
}

void gasnet_memset(gasnet_node_t node, void *to, int value, size_t bytes)
{
    do_blocking(HERE, MEMSET);
}

gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *to, int value, size_t bytes)
{
    return do_explicit(HERE, MEMSET);
}

void gasnet_memset_nbi(gasnet_node_t node, void *to, int value, size_t bytes)
{
    do_implicit(HERE, MEMSET);
}
