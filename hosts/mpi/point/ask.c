/*
 * Requests (SR): a receive that finds nothing gives the sender the address of its buffer, and a
 * later send writes right into it.
 *
 * That must not change which receive gets which message. So a receive gives its address only when
 * every older one that could take a message of this source has given its own. Those from any source
 * never do, and the younger ones wait for them. Then of the receives that match a message those
 * that have asked are the oldest. The sender, which gets the asks in order, knows which of them the
 * receiver will find for a message that had left before the ask came: the first that matches. Both
 * have met then, and the ask is stale. A number in the ask says how many messages the receiver had
 * taken by then, and found to be for none.
 */
#include <stdlib.h>

#include "hosts/mpi/point/protocol.h"

/* ---- at the receiver ------------------------------------------------------------------ */

static void hold_ask(struct mpi_rank *mr, struct mpi_request *rq)
{
    rq->held = true;
    TAILQ_INSERT_TAIL(&mr->protocol->held, rq, in_held);
}

static void unhold_ask(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->held)
        TAILQ_REMOVE(&mr->protocol->held, rq, in_held);
    rq->held = false;
}

/* @return false: its buffer is none that others can write to. */
static bool give_address(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_peer *peer = rq->far;
    struct mpi_entry e = { .kind = MPI_ASK, .id = rq->context, .tag = rq->tag };
    uint8_t *at;

    if (!mpi_is_flat(rq, &at) || rq->room < mr->transport->caps.write_bytes ||
        !mpi_expose(mr, peer, rq, at, rq->room))
        return false;
    e.own_id = mpi_id_new(mr, rq);
    if (e.own_id == 0) {
        mpi_hide(mr, rq);
        return false;
    }
    if (rq->tag == MPI_ANY_TAG)
        e.flags = MPI_FLAG_ANY_TAG;
    e.bytes = rq->room;
    e.key = rq->key;
    e.number = peer->taken;
    rq->asked = true;
    peer->unasked--;
    mr->counts.asks++;
    mpi_put_always(mr, peer, TRANSPORT_REQUEST, &e);
    return true;
}

void mpi_ask(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (!mr->transport->caps.sends_requests || rq->far == NULL || rq->far->self)
        return;
    if (!TAILQ_EMPTY(&mr->protocol->any) || rq->far->unasked > 1)
        hold_ask(mr, rq);
    else
        (void)give_address(mr, rq);
}

void mpi_ask_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    unhold_ask(mr, rq);
    if (rq->far != NULL && !rq->asked)
        rq->far->unasked--;
    if (!TAILQ_EMPTY(&mr->protocol->held))
        mr->protocol->release = true;
}

static bool oldest_unasked(const struct mpi_request *rq)
{
    const struct mpi_request *first = TAILQ_FIRST(&rq->far->posted);

    while (first != rq && first->asked)
        first = TAILQ_NEXT(first, in_list);
    return first == rq;
}

void mpi_ask_release(struct mpi_rank *mr)
{
    struct mpi_protocol *p = mr->protocol;

    p->release = false;
    for (struct mpi_request *rq = TAILQ_FIRST(&p->held), *next; rq != NULL; rq = next) {
        next = TAILQ_NEXT(rq, in_held);
        if (!TAILQ_EMPTY(&p->any) && TAILQ_FIRST(&p->any)->number < rq->number)
            return;
        if (!oldest_unasked(rq))
            continue;
        unhold_ask(mr, rq);
        (void)give_address(mr, rq);
    }
}

/* ---- at the sender ----------------------------------------------------------------------- */

static bool run_meets(struct mpi_run *run, const struct mpi_entry *ask)
{
    if (run->next <= ask->number) /* the receiver had taken them, and this one was not there */
        run->next = ask->number + 1;
    if (run->next > run->last || run->context != ask->id ||
        !((ask->flags & MPI_FLAG_ANY_TAG) != 0 || run->tag == ask->tag))
        return false;
    run->next++;
    return true;
}

/* @return whether it has crossed a message that the receiver will find for it. */
static bool is_stale(struct mpi_peer *peer, const struct mpi_entry *ask)
{
    unsigned left = 0;
    bool met = false;

    for (unsigned i = 0; i < peer->nruns; i++) {
        struct mpi_run run = peer->runs[i];

        if (met && run.next <= ask->number)
            run.next = ask->number + 1;
        else if (!met)
            met = run_meets(&run, ask);
        if (run.next <= run.last)
            peer->runs[left++] = run;
    }
    peer->nruns = left;
    return met;
}

void mpi_ask_came(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e)
{
    struct mpi_asks *spare = &mr->protocol->spare_asks;
    struct mpi_ask *ask = STAILQ_FIRST(spare);

    if (is_stale(peer, e)) {
        mr->counts.stale_asks++;
        return;
    }
    if (ask != NULL)
        STAILQ_REMOVE_HEAD(spare, in_list);
    else
        ask = mpi_need(mr, malloc(sizeof(*ask)));
    ask->e = *e;
    STAILQ_INSERT_TAIL(&peer->asks, ask, in_list);
}

const struct mpi_ask *mpi_ask_find(const struct mpi_peer *peer, uint32_t context, int tag)
{
    const struct mpi_ask *ask;

    STAILQ_FOREACH(ask, &peer->asks, in_list)
    {
        if (ask->e.id == context && ((ask->e.flags & MPI_FLAG_ANY_TAG) != 0 || ask->e.tag == tag))
            return ask;
    }
    return NULL;
}

bool mpi_ask_drop(struct mpi_rank *mr, struct mpi_peer *peer, uint32_t id)
{
    struct mpi_ask *ask;

    STAILQ_FOREACH(ask, &peer->asks, in_list)
    {
        if (ask->e.own_id == id)
            break;
    }
    if (ask == NULL)
        return false;
    STAILQ_REMOVE(&peer->asks, ask, mpi_ask, in_list);
    STAILQ_INSERT_HEAD(&mr->protocol->spare_asks, ask, in_list);
    return true;
}

void mpi_ask_missed(struct mpi_rank *mr, struct mpi_peer *peer, uint64_t number, uint32_t context,
                    int tag)
{
    struct mpi_run *last = peer->nruns > 0 ? &peer->runs[peer->nruns - 1] : NULL;

    if (!mr->transport->caps.sends_requests || peer->self)
        return;
    if (last != NULL && last->last + 1 == number && last->context == context && last->tag == tag) {
        last->last = number;
        return;
    }
    if (peer->runs == NULL || peer->nruns == peer->runs_room) {
        unsigned room = peer->runs_room != 0 ? 2 * peer->runs_room : 8;

        peer->runs = mpi_need(mr, realloc(peer->runs, room * sizeof(*peer->runs)));
        peer->runs_room = room;
    }
    peer->runs[peer->nruns++] = (struct mpi_run){ number, number, context, tag };
}
