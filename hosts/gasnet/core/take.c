/* Active messages in. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/driver/driver.h"
#include "hosts/gasnet/coll/coll.h"
#include "hosts/gasnet/core/count.h"
#include "hosts/gasnet/core/deliver.h"
#include "hosts/gasnet/core/exit.h"
#include "hosts/gasnet/core/ticket.h"
#include "hosts/gasnet/extended/extended.h"

/* Entries of one source at once while this rank exits: as many buffers as the InfiniBand conduit
 * has for a peer (GASNET_AMRDMA_DEPTH). One that has sent more than that is still sending. */
#define TAKEN_AT_EXIT 16u

/* ---- one message ---- */

static gasnet_system_fn *system_of(const struct gasnet_rank *gr, unsigned number)
{
    return (gasnet_system_fn *)gr->handlers[number];
}

void gasnet_system_set(struct gasnet_rank *gr, unsigned number, gasnet_system_fn *fn)
{
    gr->handlers[number] = (gasneti_handler_fn)fn;
}

/* The program's handler, or one of the library. */
static void run_handler(struct gasnet_rank *gr, struct gasneti_token *token,
                        const struct gasnet_head *head, void *data)
{
    enum gasnet_level before = gr->level;
    const struct gasneti_token *token_before = gr->token;

    if (head->handler < GASNET_FIRST_CLIENT) {
        system_of(gr, head->handler)(gr, token, data, head->bytes, head->args, head->nargs);
        return;
    }
    if (gr->handlers[head->handler] == NULL)
        gasnet_fail(gr, "a message from node %u for handler %u, which node %u has not registered",
                    token->source, head->handler, gr->host->rank);
    gr->counts.handlers++;
    gr->level = token->is_request ? GASNET_IN_REQUEST : GASNET_IN_REPLY;
    gr->token = token;
    gasnet_call_handler(gr, token, head, data);
    gr->token = token_before;
    gr->level = before;
}

void gasnet_deliver(struct gasnet_rank *gr, gasnet_node_t source, bool is_request,
                    const struct gasnet_head *head, void *data)
{
    struct gasneti_token token = { .source = source, .is_request = is_request };

    run_handler(gr, &token, head, head->category == GASNET_LONG ? gr->segment + head->to : data);
}

/** @param bytes of the entry, its own copy; data of a Medium in it are aligned */
static void deliver_entry(struct gasnet_rank *gr, gasnet_node_t source, bool is_request,
                          uint8_t *bytes, uint32_t size)
{
    struct gasnet_head head = { 0 };
    uint32_t fixed = offsetof(struct gasnet_head, args), args;

    host_phase(gr->host, HOST_PHASE_HANDLER);
    transport_spend(gr->transport, gr->transport->caps.entry_ps);
    memcpy(&head, bytes, fixed);
    args = head.nargs * (uint32_t)sizeof(head.args[0]);
    memcpy(head.args, bytes + fixed, args);
    bytes += fixed + args;
    size -= fixed + args;
    if (size > 0 && head.category != GASNET_MEDIUM) /* a piece, or a packed Long */
        gasnet_copy(gr, gr->segment + head.to, bytes, head.bytes);
    if (head.category != GASNET_PIECE)
        gasnet_deliver(gr, source, is_request, &head, bytes);
}

/* ---- all that has come ---- */

/* Data of a Medium are aligned to 8 bytes (specification 1.8, "Active Message Interface"): where a
 * copy of an entry has to begin, behind an aligned address. */
static uint32_t shift_of(const struct transport_taken *taken)
{
    struct gasnet_head head;

    memcpy(&head, taken->bytes, offsetof(struct gasnet_head, args));
    return head.nargs % 2 != 0 ? sizeof(head.args[0]) : 0;
}

static void defer(struct gasnet_rank *gr, unsigned source, const struct transport_taken *taken)
{
    struct gasnet_deferred *d = gasnet_need(gr, malloc(sizeof(*d) + 8 + taken->size));

    d->source = source;
    d->size = taken->size;
    memcpy(d->bytes + shift_of(taken), taken->bytes, taken->size);
    d->at = shift_of(taken);
    STAILQ_INSERT_TAIL(&gr->deferred, d, in_list);
}

static void handle(struct gasnet_rank *gr, struct gasnet_handled *in, unsigned source, bool request,
                   uint32_t at, uint32_t size)
{
    uint8_t *bytes = in->deferred != NULL ? in->deferred->bytes : in->copy.bytes;

    in->outer = gr->handled;
    gr->handled = in;
    deliver_entry(gr, source, request, bytes + at, size);
    gr->handled = in->outer;
}

/* An entry is taken out before its handler runs, which may look at the same FIFO when it replies.
 */
static void take_one(struct gasnet_rank *gr, enum transport_fifo fifo, unsigned source,
                     const struct transport_taken *taken)
{
    struct transport *t = gr->transport;
    struct gasnet_handled in = { .copy = gr->scratch };
    uint32_t size = taken->size, shift = shift_of(taken);

    gr->scratch = (struct transport_buffer){ NULL, 0 }; /* a handler may need one of its own */
    gasnet_need(gr, transport_room(&in.copy, size + shift));
    memcpy(in.copy.bytes + shift, taken->bytes, size);
    t->ops->release(t, fifo, source);
    handle(gr, &in, source, fifo == TRANSPORT_MESSAGE, shift, size);
    free(gr->scratch.bytes);
    gr->scratch = in.copy;
}

/* Those that were kept for later come before whatever is in the FIFO. */
static bool take_deferred(struct gasnet_rank *gr)
{
    struct gasnet_deferred *d;
    bool any = false;

    while ((d = STAILQ_FIRST(&gr->deferred)) != NULL) {
        STAILQ_REMOVE_HEAD(&gr->deferred, in_list);
        handle(gr, &(struct gasnet_handled){ .deferred = d }, d->source, true, d->at, d->size);
        free(d);
        any = true;
    }
    return any;
}

static bool take_source(struct gasnet_rank *gr, enum transport_fifo fifo, unsigned source,
                        bool defers)
{
    struct transport *t = gr->transport;
    struct transport_taken taken;
    bool any = false;
    /* One that floods must not keep this rank from its end. */
    unsigned left = gr->phase == GASNET_IS_EXITING ? TAKEN_AT_EXIT : UINT_MAX;

    gr->turn[fifo] = source;
    for (; left > 0 && t->ops->take(t, fifo, source, &taken); left--) {
        any = true;
        if (defers) {
            defer(gr, source, &taken);
            t->ops->release(t, fifo, source);
            continue;
        }
        take_one(gr, fifo, source, &taken);
        if (fifo == TRANSPORT_MESSAGE) /* its handler may have kept some: the next ones */
            (void)take_deferred(gr);
    }
    return any;
}

/* From the source after the last one on, so that none has to wait for ever. Mostly there is none at
 * all, which one look finds out. */
static bool take_fifo(struct gasnet_rank *gr, enum transport_fifo fifo, bool defers)
{
    struct transport *t = gr->transport;
    unsigned n = gr->host->size, first = gr->turn[fifo] + 1, s = t->ops->next(t, fifo, 0);
    bool any = false;

    if (s == n)
        return false;
    if (s < first)
        s = t->ops->next(t, fifo, first);
    for (; s < n; s = t->ops->next(t, fifo, s + 1))
        any |= take_source(gr, fifo, s, defers);
    for (s = 0; s < first && (s = t->ops->next(t, fifo, s)) < first; s++)
        any |= take_source(gr, fifo, s, defers);
    return any;
}

bool gasnet_take(struct gasnet_rank *gr)
{
    bool any = take_fifo(gr, TRANSPORT_REQUEST, false);

    any |= gasnet_tickets_look(gr);
    any |= take_deferred(gr);
    any |= take_fifo(gr, TRANSPORT_MESSAGE, false);
    if (gr->level == GASNET_IN_PROGRAM) {
        gasnet_extended_advance(gr);
        gasnet_coll_advance(gr);
    }
    return any;
}

/* A handler that replies may not run another request's: those are kept for later. Networks with
 * one ring for both FIFOs show a reply only when what is before it was taken. */
static bool take_replies(struct gasnet_rank *gr)
{
    bool any = take_fifo(gr, TRANSPORT_REQUEST, false);

    any |= gasnet_tickets_look(gr);
    return take_fifo(gr, TRANSPORT_MESSAGE, true) || any;
}

bool gasnet_poll(struct gasnet_rank *gr)
{
    struct transport *t = gr->transport;

    gr->counts.polls++;
    gr->unlooked = 0;
    return t->ops->poll(t) && gasnet_take(gr);
}

void gasnet_progress(struct gasnet_rank *gr)
{
    struct transport *t = gr->transport;

    gr->unlooked = 0;
    if (gasnet_take(gr))
        return;
    t->ops->wait(t);
    gasnet_take(gr);
}

void gasnet_wait_for_room(struct gasnet_rank *gr, const struct gasnet_am *am)
{
    struct transport *t = gr->transport;
    const struct gasnet_waits outer = gr->waits; /* the call around a handler that replies */
    const struct host_call call = gr->host->call;
    bool any;

    gr->counts.stalls++;
    gasnet_waits_begin(gr, "room for a message to", (int)am->dest);
    any = am->is_reply ? take_replies(gr) : gasnet_take(gr);
    if (gr->phase == GASNET_IS_EXITING)
        gasnet_exit_pause(gr, !any);
    else if (!any)
        t->ops->wait(t);
    gr->waits = outer;
    gr->host->call = call;
}

/* ---- reports ---- */

static bool describe(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct gasnet_waits *w = arg;

    if (i > 0)
        return false;
    *wait_p = (struct host_wait){ .what = w->what, .peer = w->peer, .tag = -1 };
    return true;
}

/* The call of the program that lasts. */
static struct host_call call_of(const struct gasnet_rank *gr, gasnet_waits_fn *fn, const void *arg)
{
    return (struct host_call){ .name = gr->call, .from = gr->from, .waits = fn, .waits_arg = arg };
}

void gasnet_waits_begin_by(struct gasnet_rank *gr, gasnet_waits_fn *fn, const void *arg)
{
    gr->host->call = call_of(gr, fn, arg);
}

void gasnet_waits_begin(struct gasnet_rank *gr, const char *what, int peer)
{
    gr->waits = (struct gasnet_waits){ what, peer };
    gasnet_waits_begin_by(gr, describe, &gr->waits);
}

void gasnet_waits_end(struct gasnet_rank *gr)
{
    gr->host->call = (struct host_call){ .name = NULL };
}

void gasnet_looked_by(struct gasnet_rank *gr, bool found, gasnet_waits_fn *fn, const void *arg)
{
    struct host_looks *looks = &gr->host->looks;

    looks->inside = false;
    if (found) {
        looks->found++;
        looks->call.name = NULL;
        return;
    }
    looks->vain++;
    looks->call = call_of(gr, fn, arg);
}

void gasnet_looked(struct gasnet_rank *gr, bool found, const char *what, int peer)
{
    gr->waits = (struct gasnet_waits){ what, peer };
    gasnet_looked_by(gr, found, describe, &gr->waits);
}

static bool describe_any(const void *arg, unsigned i, struct host_wait *wait_p)
{
    (void)arg;
    *wait_p = (struct host_wait){ .what = "a message from", .peer = -1, .tag = -1 };
    return i == 0;
}

void gasnet_look(struct gasnet_rank *gr)
{
    bool found;

    gr->host->looks.inside = true;
    found = gasnet_poll(gr);
    gasnet_looked_by(gr, found, describe_any, NULL); /* gr->waits is the call's own */
}

/* ---- memory ---- */

void gasnet_copy(struct gasnet_rank *gr, void *to, const void *from, uint64_t bytes)
{
    struct transport *t = gr->transport;

    if (bytes == 0)
        return;
    if (t->ops->copy != NULL)
        t->ops->copy(t, to, from, bytes);
    else
        transport_copy(t, to, from, bytes);
}
