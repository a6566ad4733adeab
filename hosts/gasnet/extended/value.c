/* Puts and gets of a value, which is in a register of the program. */
#include "hosts/gasnet/extended/internal.h"
#include "hosts/gasnet/extended/transfer.h"

#include <stdlib.h>

/** A get under way. */
struct gasneti_value {
    gasnet_register_value_t value;
    uint32_t op;
};

static void check_bytes(struct gasnet_rank *gr, size_t bytes)
{
    if (bytes < 1 || bytes > sizeof(gasnet_register_value_t))
        gasnet_fail(gr, "%zu bytes: expected 1 .. %zu, those of a value", bytes,
                    sizeof(gasnet_register_value_t));
}

/* The low bytes of a value come first: all simulated nodes are little-endian. */
static void put_value(struct gasnet_rank *gr, uint32_t op, gasnet_node_t node, void *to,
                      gasnet_register_value_t value, size_t bytes)
{
    check_bytes(gr, bytes);
    gasnet_put_start(
        gr, op, &(struct gasnet_put){ .node = node, .to = to, .from = &value, .bytes = bytes });
}

void gasnet_put_val(gasnet_node_t node, void *to, gasnet_register_value_t value, size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    uint32_t op = gasnet_op_new(v.gr);

    put_value(v.gr, op, node, to, value, bytes);
    gasnet_op_wait(v.gr, op, "the answer of", (int)node);
    gasnet_leave(&v);
}

gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *to, gasnet_register_value_t value,
                                  size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    uint32_t op = gasnet_op_new(v.gr);
    gasnet_handle_t handle;

    put_value(v.gr, op, node, to, value, bytes);
    handle = gasnet_op_give(v.gr, op);
    gasnet_leave(&v);
    return handle;
}

void gasnet_put_nbi_val(gasnet_node_t node, void *to, gasnet_register_value_t value, size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    put_value(v.gr, gasnet_op_implicit(v.gr, false), node, to, value, bytes);
    gasnet_leave(&v);
}

static void start_value(struct gasnet_rank *gr, struct gasneti_value *value, gasnet_node_t node,
                        void *from, size_t bytes)
{
    check_bytes(gr, bytes);
    value->value = 0;
    value->op = gasnet_op_new(gr);
    gasnet_get_start(
        gr, value->op,
        &(struct gasnet_get){ .to = &value->value, .node = node, .from = from, .bytes = bytes });
}

gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void *from, size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    struct gasneti_value value;

    start_value(v.gr, &value, node, from, bytes);
    gasnet_op_wait(v.gr, value.op, "the answer of", (int)node);
    gasnet_leave(&v);
    return value.value;
}

gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void *from, size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    struct gasneti_value *value = gasnet_need(v.gr, calloc(1, sizeof(*value)));

    start_value(v.gr, value, node, from, bytes);
    gasnet_leave(&v);
    return value;
}

gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    gasnet_register_value_t value;

    if (handle == NULL)
        gasnet_fail(v.gr, "handle NULL: expected that of gasnet_get_nb_val()");
    gasnet_op_wait(v.gr, handle->op, "an operation with", -1);
    value = handle->value;
    free(handle);
    gasnet_leave(&v);
    return value;
}
