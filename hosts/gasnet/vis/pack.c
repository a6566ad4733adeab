/* Operations of many pieces: packets out and in. */
#include "hosts/gasnet/vis/pack.h"

#include <stdlib.h>
#include <string.h>

#include "hosts/gasnet/extended/transfer.h"
#include "hosts/gasnet/vis/lay.h"
#include "hosts/gasnet/vis/packet.h"
#include "hosts/gasnet/vis/vis.h"

#define ALONE_BYTES 2048u /* a piece that is copied twice takes as long as a message of its own */

enum vis_message {
    PUT = GASNET_SYS_VIS, /* runs and data: to be answered */
    GET,                  /* runs: to be answered by their data */
    DATA
};

/** A get's target, as long as answers may come. */
struct vis_target {
    LIST_ENTRY(vis_target) in_list;
    struct vis_list list;
    uint32_t uses;
};

/** What the answer of a packet is for. */
struct vis_part {
    struct vis_target *target;
    struct vis_cursor to;
    uint32_t op;
    uint32_t next; /* free ones */
};

struct gasnet_vis {
    struct vis_part *parts; /* the first one is none */
    uint32_t nparts, free_part;
    LIST_HEAD(, vis_target) targets;
};

static uint32_t least(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* ---- packets ---- */

/* Its buffers are its own: what takes messages while it is sent may call functions of the program.
 */
static struct vis_packet packet_begin(struct gasnet_rank *gr, bool with_data)
{
    uint32_t room = gr->medium_max;

    return (struct vis_packet){
        .room = room,
        .run = gasnet_need(gr, malloc(room + sizeof(struct vis_run))),
        .data = with_data ? gasnet_need(gr, malloc(room)) : NULL,
    };
}

static void packet_end(struct vis_packet *p)
{
    free(p->run);
    free(p->data);
}

static void send_packet(struct gasnet_rank *gr, struct vis_packet *p, gasnet_node_t node,
                        enum vis_message what, uint32_t number)
{
    int32_t args[2];
    struct gasnet_am am = { .category = GASNET_MEDIUM,
                            .dest = node,
                            .handler = (gasnet_handler_t)what,
                            .from = p->run,
                            .nargs = 2,
                            .args = args };

    vis_packet_close(p);
    am.bytes = p->runs * sizeof(*p->run);
    if (p->data != NULL) {
        memcpy(p->run + p->runs, p->data, p->bytes);
        am.bytes += p->bytes;
    }
    args[0] = (int32_t)number;
    args[1] = (int32_t)p->runs;
    gasnet_send(gr, &am);
    p->runs = p->bytes = 0;
}

/* Between the pieces of the runs and data that lie side by side. */
static void copy_runs(struct gasnet_rank *gr, const void *runs, uint32_t n, uint8_t *data, bool in)
{
    for (uint32_t r = 0; r < n; r++) {
        struct vis_run run;

        memcpy(&run, (const uint8_t *)runs + r * sizeof(run), sizeof(run));
        for (uint32_t i = 0; i < run.pieces; i++, data += run.bytes) {
            uint8_t *at = gr->segment + run.at + i * (uint64_t)run.step;

            gasnet_copy(gr, in ? at : data, in ? data : at, run.bytes);
        }
    }
}

static uint32_t bytes_of_runs(const void *runs, uint32_t n)
{
    uint32_t bytes = 0;

    for (uint32_t r = 0; r < n; r++) {
        struct vis_run run;

        memcpy(&run, (const uint8_t *)runs + r * sizeof(run), sizeof(run));
        bytes += run.bytes * run.pieces;
    }
    return bytes;
}

/* ---- both sides here ---- */

static void copy_here(struct gasnet_rank *gr, const struct vis_transfer *t)
{
    struct vis_cursor to = vis_begin(&t->to), from = vis_begin(&t->from);

    while (vis_more(&to) && vis_more(&from)) {
        uint64_t n = to.left < from.left ? to.left : from.left;

        gasnet_copy(gr, to.at, from.at, n);
        vis_skip(&to, n);
        vis_skip(&from, n);
    }
}

static uint64_t offset_in(const struct gasnet_rank *gr, gasnet_node_t node, const uint8_t *at)
{
    return (uint64_t)(uintptr_t)at - gr->peers[node].segment;
}

/* ---- put ---- */

static void put_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                     uint32_t bytes, const int32_t *args, unsigned nargs)
{
    uint32_t runs = (uint32_t)args[1];
    const struct gasnet_am am = { .category = GASNET_SHORT,
                                  .is_reply = true,
                                  .dest = token->source,
                                  .handler = GASNET_SYS_ENDED,
                                  .nargs = 1,
                                  .args = args };

    (void)bytes;
    (void)nargs;
    copy_runs(gr, data, runs, (uint8_t *)data + runs * sizeof(struct vis_run), true);
    gasnet_send(gr, &am);
}

static void put_packet(struct gasnet_rank *gr, uint32_t op, gasnet_node_t node,
                       struct vis_packet *p)
{
    if (p->runs == 0)
        return;
    gasnet_op_begin(gr, op);
    send_packet(gr, p, node, PUT, op);
}

void vis_put_start(struct gasnet_rank *gr, uint32_t op, const struct vis_transfer *t)
{
    struct vis_cursor to = vis_begin(&t->to), from = vis_begin(&t->from);
    struct vis_packet p;

    if (t->node == gr->host->rank) {
        copy_here(gr, t);
        return;
    }
    p = packet_begin(gr, true);
    while (vis_more(&to) && vis_more(&from)) {
        uint64_t n = to.left < from.left ? to.left : from.left,
                 laid = vis_lay(gr, op, t, &to, &from);

        if (laid > 0)
            continue;
        if (n >= ALONE_BYTES) {
            const struct gasnet_put put = { t->node, to.at, from.at, n, true };

            gasnet_put_start(gr, op, &put);
        } else {
            if (vis_packet_room(&p) == 0)
                put_packet(gr, op, t->node, &p);
            n = least(n, vis_packet_room(&p));
            gasnet_copy(gr, p.data + p.bytes, from.at, n);
            vis_packet_add(&p, offset_in(gr, t->node, to.at), (uint32_t)n);
        }
        vis_skip(&to, n);
        vis_skip(&from, n);
    }
    put_packet(gr, op, t->node, &p);
    packet_end(&p);
}

/* ---- get ---- */

static uint32_t part_new(struct gasnet_rank *gr)
{
    struct gasnet_vis *vis = gr->vis;
    uint32_t n = vis->nparts != 0 ? 2 * vis->nparts : 16, part;

    if (vis->free_part == 0) {
        vis->parts = gasnet_need(gr, realloc(vis->parts, n * sizeof(*vis->parts)));
        for (uint32_t i = n; i-- > vis->nparts && i > 0;) {
            vis->parts[i].next = vis->free_part;
            vis->free_part = i;
        }
        vis->nparts = n;
    }
    part = vis->free_part;
    vis->free_part = vis->parts[part].next;
    return part;
}

static void target_put(struct vis_target *target)
{
    if (--target->uses > 0)
        return;
    LIST_REMOVE(target, in_list);
    free(target);
}

static void get_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                     uint32_t bytes, const int32_t *args, unsigned nargs)
{
    uint32_t runs = (uint32_t)args[1];
    struct gasnet_am am = { .category = GASNET_MEDIUM,
                            .is_reply = true,
                            .dest = token->source,
                            .handler = DATA,
                            .bytes = bytes_of_runs(data, runs),
                            .nargs = 1,
                            .args = args };
    uint8_t *packed = gasnet_need(gr, malloc(am.bytes + 1));

    (void)bytes;
    (void)nargs;
    copy_runs(gr, data, runs, packed, false);
    am.from = packed;
    gasnet_send(gr, &am);
    free(packed);
}

static void data_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                      uint32_t bytes, const int32_t *args, unsigned nargs)
{
    struct gasnet_vis *vis = gr->vis;
    struct vis_part *part = &vis->parts[args[0]];
    const uint8_t *from = data;

    (void)token;
    (void)nargs;
    while (bytes > 0 && vis_more(&part->to)) {
        uint32_t n = least(bytes, part->to.left);

        gasnet_copy(gr, part->to.at, from, n);
        vis_skip(&part->to, n);
        from += n;
        bytes -= n;
    }
    gasnet_op_end(gr, part->op);
    target_put(part->target);
    part->next = vis->free_part;
    vis->free_part = (uint32_t)args[0];
}

/* `to`: where the data of its first piece go. */
static void get_packet(struct gasnet_rank *gr, uint32_t op, gasnet_node_t node,
                       struct vis_packet *p, struct vis_target *target, struct vis_cursor to)
{
    uint32_t part;

    if (p->runs == 0)
        return;
    part = part_new(gr);
    gr->vis->parts[part] = (struct vis_part){ .target = target, .to = to, .op = op };
    target->uses++;
    gasnet_op_begin(gr, op);
    send_packet(gr, p, node, GET, part);
}

/* A packet's answer fills the target from one place on, so what goes alone ends a packet. */
void vis_get_start(struct gasnet_rank *gr, uint32_t op, const struct vis_transfer *t)
{
    struct vis_target *target;
    struct vis_cursor to, from = vis_begin(&t->from), begin;
    struct vis_packet p;

    if (t->node == gr->host->rank) {
        copy_here(gr, t);
        return;
    }
    target = gasnet_need(gr, malloc(sizeof(*target)));
    *target = (struct vis_target){ .list = t->to, .uses = 1 };
    LIST_INSERT_HEAD(&gr->vis->targets, target, in_list);
    p = packet_begin(gr, false);
    begin = to = vis_begin(&target->list);
    while (vis_more(&to) && vis_more(&from)) {
        uint64_t n = to.left < from.left ? to.left : from.left;
        bool alone = n >= ALONE_BYTES;

        if (alone || vis_packet_room(&p) == 0)
            get_packet(gr, op, t->node, &p, target, begin);
        if (alone) {
            const struct gasnet_get get = { to.at, t->node, from.at, n };

            gasnet_get_start(gr, op, &get);
        } else {
            if (p.runs == 0)
                begin = to;
            n = least(n, vis_packet_room(&p));
            vis_packet_add(&p, offset_in(gr, t->node, from.at), (uint32_t)n);
        }
        vis_skip(&to, n);
        vis_skip(&from, n);
    }
    get_packet(gr, op, t->node, &p, target, begin);
    target_put(target);
    packet_end(&p);
}

/* ---- */

void gasnet_vis_start(struct gasnet_rank *gr)
{
    gr->vis = gasnet_need(gr, calloc(1, sizeof(*gr->vis)));
    gasnet_system_set(gr, PUT, put_came);
    gasnet_system_set(gr, GET, get_came);
    gasnet_system_set(gr, DATA, data_came);
}

void gasnet_vis_release(struct gasnet_rank *gr)
{
    struct gasnet_vis *vis = gr->vis;
    struct vis_target *target;

    if (vis == NULL)
        return;
    while ((target = LIST_FIRST(&vis->targets)) != NULL) { /* of gets whose answers did not come */
        LIST_REMOVE(target, in_list);
        free(target);
    }
    free(vis->parts);
    free(vis);
}
