/* Operations and their numbers. */
#include "hosts/gasnet/extended/internal.h"

#include <stdlib.h>
#include <string.h>

#define OPS_FIRST 64u

static void ops_grow(struct gasnet_rank *gr)
{
    struct gasnet_extended *ex = gr->extended;
    uint32_t n = ex->nops != 0 ? 2 * ex->nops : OPS_FIRST;

    ex->ops = gasnet_need(gr, realloc(ex->ops, n * sizeof(*ex->ops)));
    memset(ex->ops + ex->nops, 0, (n - ex->nops) * sizeof(*ex->ops));
    for (uint32_t i = n; i-- > ex->nops;) {
        if (i < GASNET_OP_FIRST)
            continue;
        ex->ops[i].next = ex->free_op;
        ex->free_op = i;
    }
    ex->nops = n;
}

uint32_t gasnet_op_new(struct gasnet_rank *gr)
{
    struct gasnet_extended *ex = gr->extended;
    uint32_t op;

    if (ex->free_op == 0)
        ops_grow(gr);
    op = ex->free_op;
    ex->free_op = ex->ops[op].next;
    ex->ops[op] = (struct gasnet_op){ .uses = ex->ops[op].uses + 1, .peer = -1, .used = true };
    return op;
}

void gasnet_op_free(struct gasnet_rank *gr, uint32_t op)
{
    struct gasnet_extended *ex = gr->extended;

    ex->ops[op].used = false;
    ex->ops[op].next = ex->free_op;
    ex->free_op = op;
}

void gasnet_op_set_peer(struct gasnet_rank *gr, uint32_t op, int peer)
{
    gr->extended->ops[op].peer = peer;
}

int gasnet_op_peer(const struct gasnet_rank *gr, uint32_t op)
{
    return gr->extended->ops[op].peer;
}

void gasnet_op_begin(struct gasnet_rank *gr, uint32_t op)
{
    gr->extended->ops[op].pending++;
    gr->unlooked = 0; /* the network has been asked for something */
}

void gasnet_op_end(struct gasnet_rank *gr, uint32_t op)
{
    if (--gr->extended->ops[op].pending == 0)
        gr->extended->ended++;
}

bool gasnet_op_is_done(const struct gasnet_rank *gr, uint32_t op)
{
    return gr->extended->ops[op].pending == 0;
}

void gasnet_op_wait(struct gasnet_rank *gr, uint32_t op, const char *what, int peer)
{
    gasnet_waits_begin(gr, what, peer);
    while (!gasnet_op_is_done(gr, op))
        gasnet_progress(gr);
    gasnet_waits_end(gr);
    if (op >= GASNET_OP_FIRST)
        gasnet_op_free(gr, op);
}

gasnet_handle_t gasnet_op_handle(const struct gasnet_rank *gr, uint32_t op)
{
    uint64_t handle = (uint64_t)gr->extended->ops[op].uses << 32 | op;

    return (gasnet_handle_t)(uintptr_t)handle; /* NOLINT(performance-no-int-to-ptr): not followed */
}

uint32_t gasnet_op_of(struct gasnet_rank *gr, gasnet_handle_t handle)
{
    const struct gasnet_extended *ex = gr->extended;
    uint64_t bits = (uintptr_t)handle;
    uint32_t op = (uint32_t)bits;

    if (op < GASNET_OP_FIRST || op >= ex->nops || !ex->ops[op].used ||
        ex->ops[op].uses != bits >> 32)
        gasnet_fail(gr,
                    "handle 0x%llx: expected that of an operation which was not synchronised yet",
                    (unsigned long long)bits);
    return op;
}

gasnet_handle_t gasnet_op_give(struct gasnet_rank *gr, uint32_t op)
{
    if (!gasnet_op_is_done(gr, op))
        return gasnet_op_handle(gr, op);
    gasnet_op_free(gr, op);
    return GASNET_INVALID_HANDLE;
}

uint32_t gasnet_op_implicit(struct gasnet_rank *gr, bool gets, unsigned peer)
{
    uint32_t op = gr->extended->region;
    struct gasnet_op *o;

    if (op == 0)
        op = gets ? GASNET_OP_GETS : GASNET_OP_PUTS;
    o = &gr->extended->ops[op];
    if (o->pending == 0 || o->peer == (int32_t)peer)
        o->peer = (int32_t)peer;
    else
        o->peer = -2;
    return op;
}

void gasnet_op_ended(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                     uint32_t bytes, const int32_t *args, unsigned nargs)
{
    (void)token;
    (void)data;
    (void)bytes;
    (void)nargs;
    gasnet_op_end(gr, (uint32_t)args[0]);
}

void gasnet_extended_init(struct gasnet_rank *gr)
{
    gr->extended = gasnet_need(gr, calloc(1, sizeof(*gr->extended)));
    ops_grow(gr);
    gr->extended->ops[GASNET_OP_PUTS].used = gr->extended->ops[GASNET_OP_GETS].used = true;
    gasnet_system_set(gr, GASNET_SYS_ENDED, gasnet_op_ended);
    gasnet_transfers_init(gr);
    gasnet_values_init(gr);
    gasnet_barrier_init(gr);
}

void gasnet_extended_release(struct gasnet_rank *gr)
{
    if (gr->extended == NULL)
        return;
    free(gr->extended->ops);
    free(gr->extended->transfers);
    free(gr->extended);
}
