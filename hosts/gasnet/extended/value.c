/* Puts and gets of a value, which is in a register of the program. */
#include "hosts/gasnet/extended/direct.h"
#include "hosts/gasnet/extended/internal.h"
#include "hosts/gasnet/extended/transfer.h"

static void check_bytes(struct gasnet_rank *gr, size_t bytes)
{
    if (bytes < 1 || bytes > sizeof(gasnet_register_value_t))
        gasnet_fail(gr, "%zu bytes: expected 1 .. %zu, those of a value", bytes,
                    sizeof(gasnet_register_value_t));
}

/* ---- puts ---- */

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
    gasnet_op_wait(v.gr, op, "an answer from", (int)node);
    gasnet_leave(&v);
}

gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *to, gasnet_register_value_t value,
                                  size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    uint32_t op = gasnet_op_new(v.gr);
    gasnet_handle_t handle;

    put_value(v.gr, op, node, to, value, bytes);
    gasnet_op_set_peer(v.gr, op, (int)node);
    handle = gasnet_op_give(v.gr, op);
    gasnet_leave(&v);
    return handle;
}

void gasnet_put_nbi_val(gasnet_node_t node, void *to, gasnet_register_value_t value, size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    put_value(v.gr, gasnet_op_implicit(v.gr, false, node), node, to, value, bytes);
    gasnet_leave(&v);
}

/* ---- gets ---- */

/* A value travels in the arguments of the answer. */
static void get_value_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                           uint32_t bytes, const int32_t *args, unsigned nargs)
{
    int32_t answer[3] = { args[0] };
    const struct gasnet_am am = { .category = GASNET_SHORT,
                                  .is_reply = true,
                                  .dest = token->source,
                                  .handler = GASNET_SYS_VALUE,
                                  .nargs = 3,
                                  .args = answer };
    uint64_t value = 0;

    (void)data;
    (void)bytes;
    (void)nargs;
    gasnet_copy(gr, &value, gr->segment + gasnet_unpack(&args[1]), (uint64_t)args[3]);
    gasnet_pack(&answer[1], value);
    gasnet_send(gr, &am);
}

static void value_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                       uint32_t bytes, const int32_t *args, unsigned nargs)
{
    uint32_t op = (uint32_t)args[0];

    (void)token;
    (void)data;
    (void)bytes;
    (void)nargs;
    gr->extended->ops[op].value = gasnet_unpack(&args[1]);
    gasnet_op_end(gr, op);
}

static uint32_t get_value(struct gasnet_rank *gr, gasnet_node_t node, const void *from,
                          size_t bytes)
{
    uint32_t op = gasnet_op_new(gr);
    int32_t args[4] = { (int32_t)op };
    const struct gasnet_am am = { .category = GASNET_SHORT,
                                  .dest = node,
                                  .handler = GASNET_SYS_GET_VALUE,
                                  .nargs = 4,
                                  .args = args };
    uint64_t own = 0, at;

    check_bytes(gr, bytes);
    at = gasnet_check_segment(gr, node, from, bytes);
    gasnet_op_set_peer(gr, op, (int)node);
    gr->extended->ops[op].is_value = true;
    if (node == gr->host->rank) {
        gasnet_copy(gr, &own, from, bytes);
        gr->extended->ops[op].value = own;
        return op;
    }
    if (gasnet_read_start(gr, op,
                          &(struct gasnet_get){ .node = node, .from = from, .bytes = bytes }, at))
        return op;
    gasnet_pack(&args[1], at);
    args[3] = (int32_t)bytes;
    gasnet_op_begin(gr, op);
    gasnet_send(gr, &am);
    return op;
}

static gasnet_register_value_t wait_value(struct gasnet_rank *gr, uint32_t op)
{
    gasnet_waits_begin(gr, "a value from", gasnet_op_peer(gr, op));
    while (!gasnet_op_is_done(gr, op))
        gasnet_progress(gr);
    gasnet_waits_end(gr);
    gasnet_op_free(gr, op);
    return gr->extended->ops[op].value;
}

gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void *from, size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    gasnet_register_value_t value = wait_value(v.gr, get_value(v.gr, node, from, bytes));

    gasnet_leave(&v);
    return value;
}

gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void *from, size_t bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    gasnet_handle_t handle = gasnet_op_handle(v.gr, get_value(v.gr, node, from, bytes));

    gasnet_leave(&v);
    return (gasnet_valget_handle_t)handle;
}

gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    uint32_t op = gasnet_op_of(v.gr, (gasnet_handle_t)handle);
    gasnet_register_value_t value;

    if (!v.gr->extended->ops[op].is_value)
        gasnet_fail(v.gr, "expected a handle of gasnet_get_nb_val()");
    value = wait_value(v.gr, op);
    gasnet_leave(&v);
    return value;
}

void gasnet_values_init(struct gasnet_rank *gr)
{
    gasnet_system_set(gr, GASNET_SYS_GET_VALUE, get_value_came);
    gasnet_system_set(gr, GASNET_SYS_VALUE, value_came);
}
