/* Puts, gets and memsets on their way, and what the far side does for them. */
#include "hosts/gasnet/extended/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "hosts/gasnet/core/count.h"
#include "hosts/gasnet/extended/direct.h"
#include "hosts/gasnet/extended/internal.h"

#define FILL_BYTES 4096u /* with a value at once */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Without bytes an address is none. */
static uint64_t segment_at(struct gasnet_rank *gr, gasnet_node_t node, const void *p,
                           uint64_t bytes)
{
    if (bytes > 0)
        return gasnet_check_segment(gr, node, p, bytes);
    gasnet_check_node(gr, node);
    return 0;
}

static void answer(struct gasnet_rank *gr, struct gasneti_token *token, struct gasnet_am am)
{
    am.is_reply = true;
    am.dest = token->source;
    gasnet_send(gr, &am);
}

static void answer_ended(struct gasnet_rank *gr, struct gasneti_token *token, int32_t op)
{
    answer(gr, token,
           (struct gasnet_am){
               .category = GASNET_SHORT, .handler = GASNET_SYS_ENDED, .nargs = 1, .args = &op });
}

/* ---- puts ---- */

static void put_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                     uint32_t bytes, const int32_t *args, unsigned nargs)
{
    (void)data;
    (void)bytes;
    (void)nargs;
    answer_ended(gr, token, args[0]);
}

void gasnet_put_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_put *put)
{
    const int32_t number = (int32_t)op;
    uint64_t at = segment_at(gr, put->node, put->to, put->bytes);
    struct gasnet_am am = { .category = GASNET_LONG,
                            .is_async = put->bulk,
                            .dest = put->node,
                            .handler = GASNET_SYS_PUT,
                            .nargs = 1,
                            .args = &number };

    gasnet_count_put(gr, put->bytes);
    if (put->node == gr->host->rank) {
        gasnet_copy(gr, put->to, put->from, put->bytes);
        return;
    }
    if (put->bytes == 0 || gasnet_write_start(gr, op, put, at))
        return;
    for (uint64_t done = 0; done < put->bytes; done += am.bytes) {
        am.from = (const uint8_t *)put->from + done;
        am.to = at + done;
        am.bytes = least(put->bytes - done, TRANSPORT_BYTES_MAX);
        gasnet_op_begin(gr, op);
        gasnet_send(gr, &am);
    }
}

/* ---- gets ---- */

static uint32_t transfer_new(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get)
{
    struct gasnet_extended *ex = gr->extended;
    uint32_t n = ex->ntransfers != 0 ? 2 * ex->ntransfers : 16, t;

    if (ex->free_transfer == 0) {
        ex->transfers = gasnet_need(gr, realloc(ex->transfers, n * sizeof(*ex->transfers)));
        for (uint32_t i = n; i-- > ex->ntransfers && i > 0;) {
            ex->transfers[i].next = ex->free_transfer;
            ex->free_transfer = i;
        }
        ex->ntransfers = n;
    }
    t = ex->free_transfer;
    ex->free_transfer = ex->transfers[t].next;
    ex->transfers[t] = (struct gasnet_transfer){ .to = get->to, .left = get->bytes, .op = op };
    gasnet_op_begin(gr, op);
    return t;
}

static void transfer_came(struct gasnet_rank *gr, uint32_t number, uint64_t bytes)
{
    struct gasnet_extended *ex = gr->extended;
    struct gasnet_transfer *t = &ex->transfers[number];
    struct transport *net = gr->transport;

    t->left -= bytes;
    if (t->left > 0)
        return;
    if (t->exposed && net->ops->hide != NULL)
        net->ops->hide(net, &t->key);
    gasnet_op_end(gr, t->op);
    t->next = ex->free_transfer;
    ex->free_transfer = number;
}

/* Into the requester's segment: args are the operation, where from and where to; or with a key as
 * data, into the memory that it names. */
static void get_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                     uint32_t bytes, const int32_t *args, unsigned nargs)
{
    const struct gasnet_am am = { .category = GASNET_LONG,
                                  .is_async = true, /* the data have come when the get is over */
                                  .handler = bytes > 0 ? GASNET_SYS_PIECE : GASNET_SYS_ENDED,
                                  .from = gr->segment + gasnet_unpack(&args[1]),
                                  .bytes = (uint32_t)args[3],
                                  .to = gasnet_unpack(&args[4]),
                                  .key = bytes > 0 ? data : NULL,
                                  .nargs = 1,
                                  .args = args };

    (void)nargs;
    answer(gr, token, am);
}

/* args: the transfer, where from, bytes, and where in its memory. */
static void get_piece_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                           uint32_t bytes, const int32_t *args, unsigned nargs)
{
    const int32_t more[3] = { args[0], args[4], args[5] };

    (void)data;
    (void)bytes;
    (void)nargs;
    answer(gr, token,
           (struct gasnet_am){ .category = GASNET_MEDIUM,
                               .handler = GASNET_SYS_PIECE,
                               .from = gr->segment + gasnet_unpack(&args[1]),
                               .bytes = (uint32_t)args[3],
                               .nargs = 3,
                               .args = more });
}

/* Data of a transfer, or a note that they have been written. */
static void piece_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                       uint32_t bytes, const int32_t *args, unsigned nargs)
{
    uint32_t number = (uint32_t)args[0];

    (void)token;
    if (nargs == 3)
        gasnet_copy(gr, gr->extended->transfers[number].to + gasnet_unpack(&args[1]), data, bytes);
    transfer_came(gr, number, bytes);
}

static void ask(struct gasnet_rank *gr, gasnet_node_t node, enum gasnet_category category,
                unsigned handler, const struct transport_key *key, const int32_t args[6])
{
    const struct gasnet_am am = { .category = category,
                                  .dest = node,
                                  .handler = (gasnet_handler_t)handler,
                                  .from = key,
                                  .bytes = key != NULL ? sizeof(*key) : 0,
                                  .nargs = 6,
                                  .args = args };

    gasnet_send(gr, &am);
}

static void set_args(int32_t args[6], uint32_t number, uint64_t from, uint64_t bytes, uint64_t to)
{
    args[0] = (int32_t)number;
    gasnet_pack(&args[1], from);
    args[3] = (int32_t)bytes;
    gasnet_pack(&args[4], to);
}

/* @return where it is in the own segment, which others can write to; or UINT64_MAX */
static uint64_t own_segment_at(const struct gasnet_rank *gr, const void *p, uint64_t bytes)
{
    uint64_t at = (uint64_t)(uintptr_t)p, base = (uint64_t)(uintptr_t)gr->segment;

    if (!gr->peers[gr->host->rank].exposed || at < base || bytes > gr->segment_bytes ||
        at - base > gr->segment_bytes - bytes)
        return UINT64_MAX;
    return at - base;
}

static void get_pieces(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get,
                       uint64_t at)
{
    uint32_t number = transfer_new(gr, op, get);
    int32_t args[6];
    uint64_t n;

    for (uint64_t done = 0; done < get->bytes; done += n) {
        n = least(get->bytes - done, gr->medium_max);
        set_args(args, number, at + done, n, done);
        ask(gr, get->node, GASNET_SHORT, GASNET_SYS_GET_PIECE, NULL, args);
    }
}

/* @return false: the memory cannot be written to by others */
static bool get_by_key(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get,
                       uint64_t at)
{
    struct transport *t = gr->transport;
    struct transport_key key = { { 0 } };
    struct gasnet_transfer *transfer;
    uint32_t number;
    int32_t args[6];
    uint64_t n;

    if (get->bytes <= gr->medium_max || t->ops->expose == NULL ||
        !t->ops->expose(t, get->to, get->bytes, &key))
        return false;
    number = transfer_new(gr, op, get);
    transfer = &gr->extended->transfers[number];
    transfer->exposed = true;
    transfer->key = key;
    for (uint64_t done = 0; done < get->bytes; done += n) {
        n = least(get->bytes - done, TRANSPORT_BYTES_MAX);
        set_args(args, number, at + done, n, done);
        ask(gr, get->node, GASNET_MEDIUM, GASNET_SYS_GET_KEY, &key, args);
    }
    return true;
}

void gasnet_get_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get)
{
    uint64_t at = segment_at(gr, get->node, get->from, get->bytes);
    uint64_t to = own_segment_at(gr, get->to, get->bytes);
    int32_t args[6];
    uint64_t n;

    gasnet_count_get(gr, get->bytes);
    if (get->node == gr->host->rank) {
        gasnet_copy(gr, get->to, get->from, get->bytes);
        return;
    }
    if (get->bytes == 0 || gasnet_read_start(gr, op, get, at))
        return;
    if (to == UINT64_MAX) {
        if (!get_by_key(gr, op, get, at))
            get_pieces(gr, op, get, at);
        return;
    }
    for (uint64_t done = 0; done < get->bytes; done += n) {
        n = least(get->bytes - done, TRANSPORT_BYTES_MAX);
        set_args(args, op, at + done, n, to + done);
        gasnet_op_begin(gr, op);
        ask(gr, get->node, GASNET_SHORT, GASNET_SYS_GET, NULL, args);
    }
}

/* ---- memset ---- */

static void fill(struct gasnet_rank *gr, uint8_t *to, int value, uint64_t bytes)
{
    uint8_t values[FILL_BYTES];

    memset(values, value, sizeof(values));
    for (uint64_t n; bytes > 0; to += n, bytes -= n) {
        n = least(bytes, sizeof(values));
        gasnet_copy(gr, to, values, n);
    }
}

static void memset_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                        uint32_t bytes, const int32_t *args, unsigned nargs)
{
    (void)data;
    (void)bytes;
    (void)nargs;
    fill(gr, gr->segment + gasnet_unpack(&args[1]), args[3], gasnet_unpack(&args[4]));
    answer_ended(gr, token, args[0]);
}

void gasnet_memset_start(struct gasnet_rank *gr, uint32_t op, gasnet_node_t node, void *to,
                         int value, uint64_t bytes)
{
    uint64_t at = segment_at(gr, node, to, bytes);
    int32_t args[6];

    if (node == gr->host->rank) {
        fill(gr, to, value, bytes);
        return;
    }
    if (bytes == 0)
        return;
    args[0] = (int32_t)op;
    gasnet_pack(&args[1], at);
    args[3] = value;
    gasnet_pack(&args[4], bytes);
    gasnet_op_begin(gr, op);
    ask(gr, node, GASNET_SHORT, GASNET_SYS_MEMSET, NULL, args);
}

void gasnet_transfers_init(struct gasnet_rank *gr)
{
    gasnet_system_set(gr, GASNET_SYS_PUT, put_came);
    gasnet_system_set(gr, GASNET_SYS_GET, get_came);
    gasnet_system_set(gr, GASNET_SYS_GET_KEY, get_came);
    gasnet_system_set(gr, GASNET_SYS_GET_PIECE, get_piece_came);
    gasnet_system_set(gr, GASNET_SYS_PIECE, piece_came);
    gasnet_system_set(gr, GASNET_SYS_MEMSET, memset_came);
}
