/* What the protocols keep of a rank: the peers, what came early, and names of requests. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/point/protocol.h"

#define SPARE_BYTES 256u /* messages that came early and are no longer keep their memory */
#define ID_BITS     16u  /* of a slot; above them a count, so that an old name finds nothing */

struct mpi_peer *mpi_peer_of(struct mpi_rank *mr, unsigned rank)
{
    struct mpi_peer *peer = mr->protocol->peers[rank];

    if (peer != NULL)
        return peer;
    peer = mpi_need(mr, calloc(1, sizeof(*peer)));
    peer->rank = rank;
    peer->self = rank == mr->host->rank && !mr->transport->caps.itself;
    peer->end = &peer->first;
    peer->kept_end = &peer->kept;
    peer->deferred_end = &peer->deferred;
    peer->asks_end = &peer->asks;
    mpi_list_init(&peer->posted);
    mpi_list_init(&peer->sends);
    mr->protocol->peers[rank] = peer;
    return peer;
}

struct mpi_peer *mpi_source_of(struct mpi_rank *mr, const struct mpi_request *rq)
{
    return rq->peer != MPI_ANY_SOURCE ? mpi_peer_of(mr, (unsigned)rq->comm->world[rq->peer]) : NULL;
}

int mpi_protocol_init(struct mpi_rank *mr, mpi_came_fn came)
{
    struct mpi_protocol *p = mr->protocol = calloc(1, sizeof(*p));

    if (p == NULL)
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    p->came = came;
    p->end = &p->first;
    p->held_end = &p->held;
    mpi_list_init(&p->any);
    mpi_list_init(&p->tickets);
    p->peers = calloc(mr->host->size, sizeof(struct mpi_peer *));
    return p->peers != NULL ? MPI_SUCCESS : mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
}

static void kept_free(struct mpi_kept *k)
{
    while (k != NULL) {
        struct mpi_kept *next = k->next;

        free(k);
        k = next;
    }
}

static void asks_free(struct mpi_ask *ask)
{
    while (ask != NULL) {
        struct mpi_ask *next = ask->next;

        free(ask);
        ask = next;
    }
}

static void peer_free(struct mpi_peer *peer)
{
    kept_free(peer->kept);
    kept_free(peer->deferred);
    asks_free(peer->asks);
    free(peer->runs);
    if (peer->arriving != NULL && !peer->arriving->listed)
        free(peer->arriving);
    free(peer);
}

void mpi_protocol_release(struct mpi_rank *mr)
{
    struct mpi_protocol *p = mr->protocol;

    if (p == NULL)
        return;
    while (p->first != NULL) {
        struct mpi_arrived *a = p->first;

        p->first = a->next_all;
        free(a);
    }
    while (p->spare != NULL) {
        struct mpi_arrived *a = p->spare;

        p->spare = a->next;
        free(a);
    }
    for (unsigned i = 0; p->peers != NULL && i < mr->host->size; i++)
        if (p->peers[i] != NULL)
            peer_free(p->peers[i]);
    asks_free(p->spare_asks);
    free(p->peers);
    free(p->ids);
    free(p->free_ids);
    free(p);
    mr->protocol = NULL;
}

/* ---- messages that came early ---- */

struct mpi_arrived *mpi_arrived_new(struct mpi_rank *mr, struct mpi_peer *peer,
                                    const struct mpi_entry *e, uint32_t room)
{
    struct mpi_protocol *p = mr->protocol;
    struct mpi_arrived *a = p->spare;

    if (room <= SPARE_BYTES && a != NULL)
        p->spare = a->next;
    else
        a = mpi_need(mr, malloc(sizeof(*a) + (room < SPARE_BYTES ? SPARE_BYTES : room)));
    memset(a, 0, sizeof(*a));
    a->from = peer;
    a->e = *e;
    a->number = peer->taken;
    a->room = room;
    return a;
}

void mpi_arrived_free(struct mpi_rank *mr, struct mpi_arrived *a)
{
    if (a->room > SPARE_BYTES) {
        free(a);
        return;
    }
    a->next = mr->protocol->spare;
    mr->protocol->spare = a;
}

void mpi_arrived_list(struct mpi_rank *mr, struct mpi_arrived *a)
{
    struct mpi_protocol *p = mr->protocol;

    a->listed = true;
    a->next = NULL;
    a->at = a->from->end;
    *a->at = a;
    a->from->end = &a->next;
    a->next_all = NULL;
    a->at_all = p->end;
    *a->at_all = a;
    p->end = &a->next_all;
}

void mpi_arrived_unlist(struct mpi_rank *mr, struct mpi_arrived *a)
{
    if (!a->listed)
        return;
    a->listed = false;
    *a->at = a->next;
    if (a->next != NULL)
        a->next->at = a->at;
    else
        a->from->end = a->at;
    *a->at_all = a->next_all;
    if (a->next_all != NULL)
        a->next_all->at_all = a->at_all;
    else
        mr->protocol->end = a->at_all;
}

/* ---- names of requests in entries --------------------------------------------------- */

static bool ids_grow(struct mpi_protocol *p)
{
    uint32_t n = p->nids != 0 ? 2 * p->nids : 64;
    struct mpi_request **ids;
    uint32_t *spare;

    if (n > 1u << ID_BITS)
        return false;
    ids = realloc(p->ids, n * sizeof(*ids));
    if (ids != NULL)
        p->ids = ids;
    spare = realloc(p->free_ids, n * sizeof(*spare));
    if (spare != NULL)
        p->free_ids = spare;
    if (ids == NULL || spare == NULL)
        return false;
    for (uint32_t i = n; i-- > p->nids;) {
        ids[i] = NULL;
        if (i != 0) /* 0 means none */
            spare[p->nfree++] = i;
    }
    p->nids = n;
    return true;
}

uint32_t mpi_id_new(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_protocol *p = mr->protocol;

    if (p->nfree == 0 && !ids_grow(p))
        return 0;
    rq->id = p->free_ids[--p->nfree];
    p->ids[rq->id & ((1u << ID_BITS) - 1)] = rq;
    return rq->id;
}

struct mpi_request *mpi_id_find(const struct mpi_rank *mr, uint32_t id)
{
    uint32_t slot = id & ((1u << ID_BITS) - 1);
    struct mpi_request *rq = slot < mr->protocol->nids ? mr->protocol->ids[slot] : NULL;

    return rq != NULL && rq->id == id ? rq : NULL;
}

void mpi_id_free(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_protocol *p = mr->protocol;

    if (rq->id == 0)
        return;
    p->ids[rq->id & ((1u << ID_BITS) - 1)] = NULL;
    p->free_ids[p->nfree++] = rq->id + (1u << ID_BITS);
    rq->id = 0;
}
