/* What the protocols keep of a rank: the peers, what came early, and names of requests. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/point/protocol.h"

#define SPARE_BYTES 256u       /* messages that came early and are no longer keep their memory */
#define ID_SLOTS    (1u << 16) /* above them a count, so that an old name finds nothing */

struct mpi_peer *mpi_peer_of(struct mpi_rank *mr, unsigned rank)
{
    struct mpi_peer *peer = mr->protocol->peers[rank];

    if (peer != NULL)
        return peer;
    peer = mpi_need(mr, calloc(1, sizeof(*peer)));
    peer->rank = rank;
    peer->self = rank == mr->host->rank && !mr->transport->caps.itself;
    TAILQ_INIT(&peer->arrived);
    STAILQ_INIT(&peer->kept);
    STAILQ_INIT(&peer->deferred);
    STAILQ_INIT(&peer->asks);
    TAILQ_INIT(&peer->posted);
    TAILQ_INIT(&peer->sends);
    mr->protocol->peers[rank] = peer;
    return peer;
}

struct mpi_peer *mpi_source_of(struct mpi_rank *mr, const struct mpi_request *rq)
{
    return rq->peer != MPI_ANY_SOURCE ? mpi_peer_of(mr, (unsigned)rq->comm->world[rq->peer]) : NULL;
}

void mpi_protocol_init(struct mpi_rank *mr, mpi_came_fn came)
{
    struct mpi_protocol *p = mr->protocol = mpi_need(mr, calloc(1, sizeof(*p)));

    p->came = came;
    TAILQ_INIT(&p->arrived);
    TAILQ_INIT(&p->held);
    TAILQ_INIT(&p->any);
    TAILQ_INIT(&p->tickets);
    STAILQ_INIT(&p->spare_asks);
    p->peers = mpi_need(mr, calloc(mr->host->size, sizeof(struct mpi_peer *)));
}

static void kept_free(struct mpi_kept_entries *entries)
{
    struct mpi_kept *k;

    while ((k = STAILQ_FIRST(entries)) != NULL) {
        STAILQ_REMOVE_HEAD(entries, in_list);
        free(k);
    }
}

static void asks_free(struct mpi_asks *asks)
{
    struct mpi_ask *ask;

    while ((ask = STAILQ_FIRST(asks)) != NULL) {
        STAILQ_REMOVE_HEAD(asks, in_list);
        free(ask);
    }
}

static void peer_free(struct mpi_peer *peer)
{
    kept_free(&peer->kept);
    kept_free(&peer->deferred);
    asks_free(&peer->asks);
    free(peer->runs);
    if (peer->arriving != NULL && !peer->arriving->listed)
        free(peer->arriving);
    free(peer);
}

void mpi_protocol_release(struct mpi_rank *mr)
{
    struct mpi_protocol *p = mr->protocol;
    struct mpi_arrived *a;

    if (p == NULL)
        return;
    while ((a = TAILQ_FIRST(&p->arrived)) != NULL) {
        TAILQ_REMOVE(&p->arrived, a, in_all);
        free(a);
    }
    while ((a = p->spare) != NULL) {
        p->spare = a->next_spare;
        free(a);
    }
    for (unsigned i = 0; p->peers != NULL && i < mr->host->size; i++)
        if (p->peers[i] != NULL)
            peer_free(p->peers[i]);
    asks_free(&p->spare_asks);
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
        p->spare = a->next_spare;
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
    a->next_spare = mr->protocol->spare;
    mr->protocol->spare = a;
}

void mpi_arrived_list(struct mpi_rank *mr, struct mpi_arrived *a)
{
    a->listed = true;
    TAILQ_INSERT_TAIL(&a->from->arrived, a, in_peer);
    TAILQ_INSERT_TAIL(&mr->protocol->arrived, a, in_all);
}

void mpi_arrived_unlist(struct mpi_rank *mr, struct mpi_arrived *a)
{
    if (!a->listed)
        return;
    a->listed = false;
    TAILQ_REMOVE(&a->from->arrived, a, in_peer);
    TAILQ_REMOVE(&mr->protocol->arrived, a, in_all);
}

/* ---- names of requests in entries --------------------------------------------------- */

static bool ids_grow(struct mpi_rank *mr)
{
    struct mpi_protocol *p = mr->protocol;
    uint32_t n = p->nids != 0 ? 2 * p->nids : 64;

    if (n > ID_SLOTS)
        return false;
    p->ids = mpi_need(mr, realloc(p->ids, n * sizeof(*p->ids)));
    p->free_ids = mpi_need(mr, realloc(p->free_ids, n * sizeof(*p->free_ids)));
    for (uint32_t i = n; i-- > p->nids;) {
        p->ids[i] = NULL;
        if (i != 0) /* 0 means none */
            p->free_ids[p->nfree++] = i;
    }
    p->nids = n;
    return true;
}

uint32_t mpi_id_new(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_protocol *p = mr->protocol;

    if (rq->id != 0)
        return rq->id;
    if (p->nfree == 0 && !ids_grow(mr))
        return 0;
    rq->id = p->free_ids[--p->nfree];
    p->ids[rq->id & (ID_SLOTS - 1)] = rq;
    return rq->id;
}

struct mpi_request *mpi_id_find(const struct mpi_rank *mr, uint32_t id)
{
    uint32_t slot = id & (ID_SLOTS - 1);
    struct mpi_request *rq = slot < mr->protocol->nids ? mr->protocol->ids[slot] : NULL;

    return rq != NULL && rq->id == id ? rq : NULL;
}

void mpi_id_free(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_protocol *p = mr->protocol;

    if (rq->id == 0)
        return;
    p->ids[rq->id & (ID_SLOTS - 1)] = NULL;
    p->free_ids[p->nfree++] = rq->id + ID_SLOTS;
    rq->id = 0;
}
