/* Which message is for which receive: first posted, first served, and first come. */
#include "hosts/mpi/point/protocol.h"

static struct mpi_request *first_for(const struct mpi_list *list, const struct mpi_entry *e)
{
    struct mpi_request *rq = TAILQ_FIRST(list);

    while (rq != NULL && !(rq->context == e->id && mpi_tags_match(rq->tag, e->tag)))
        rq = TAILQ_NEXT(rq, in_list);
    return rq;
}

struct mpi_request *mpi_match_posted(struct mpi_rank *mr, struct mpi_peer *peer,
                                     const struct mpi_entry *e)
{
    struct mpi_request *one = first_for(&peer->posted, e);
    struct mpi_request *any = first_for(&mr->protocol->any, e);

    if (one == NULL || any == NULL)
        return one != NULL ? one : any;
    return one->number < any->number ? one : any;
}

struct mpi_arrived *mpi_match_arrived(struct mpi_rank *mr, const struct mpi_request *rq)
{
    struct mpi_arrived *a =
        TAILQ_FIRST(rq->far != NULL ? &rq->far->arrived : &mr->protocol->arrived);

    while (a != NULL && !(a->e.id == rq->context && mpi_tags_match(rq->tag, a->e.tag)))
        a = rq->far != NULL ? TAILQ_NEXT(a, in_peer) : TAILQ_NEXT(a, in_all);
    return a;
}

void mpi_match_post(struct mpi_rank *mr, struct mpi_request *rq)
{
    rq->number = ++mr->protocol->posts;
    rq->posted = true;
    mr->protocol->nposted++;
    mpi_list_add(rq->far != NULL ? &rq->far->posted : &mr->protocol->any, rq);
    if (rq->far != NULL)
        rq->far->unasked++;
}

void mpi_match_unpost(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (!rq->posted)
        return;
    mpi_list_remove(rq);
    rq->posted = false;
    mr->protocol->nposted--;
    mpi_ask_ended(mr, rq);
}
