/* Which message is for which receive: first posted, first served, and first come. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/base/rank.h"

#define SPARE_BYTES 256u /* messages that came early and are no longer keep their memory */

void mpi_list_add(struct mpi_list *list, struct mpi_request *rq)
{
    rq->next = NULL;
    rq->at = list->end;
    rq->list = list;
    *list->end = rq;
    list->end = &rq->next;
}

void mpi_list_add_first(struct mpi_list *list, struct mpi_request *rq)
{
    rq->next = list->first;
    rq->at = &list->first;
    rq->list = list;
    if (rq->next != NULL)
        rq->next->at = &rq->next;
    else
        list->end = &rq->next;
    list->first = rq;
}

void mpi_list_remove(struct mpi_request *rq)
{
    if (rq->list == NULL)
        return;
    *rq->at = rq->next;
    if (rq->next != NULL)
        rq->next->at = rq->at;
    else
        rq->list->end = rq->at;
    rq->list = NULL;
}

static struct mpi_request *first_for(const struct mpi_list *list, const struct mpi_entry *e)
{
    struct mpi_request *rq = list->first;

    while (rq != NULL && !(rq->context == e->id && mpi_tags_match(rq->tag, e->tag)))
        rq = rq->next;
    return rq;
}

struct mpi_request *mpi_match_posted(struct mpi_rank *mr, struct mpi_peer *peer,
                                     const struct mpi_entry *e)
{
    struct mpi_request *one = first_for(&peer->posted, e);
    struct mpi_request *any = first_for(&mr->protocol.any, e);

    if (one == NULL || any == NULL)
        return one != NULL ? one : any;
    return one->number < any->number ? one : any;
}

struct mpi_arrived *mpi_match_arrived(struct mpi_rank *mr, const struct mpi_request *rq)
{
    struct mpi_arrived *a = rq->far != NULL ? rq->far->first : mr->protocol.first;

    while (a != NULL && !(a->e.id == rq->context && mpi_tags_match(rq->tag, a->e.tag)))
        a = rq->far != NULL ? a->next : a->next_all;
    return a;
}

void mpi_match_post(struct mpi_rank *mr, struct mpi_request *rq)
{
    rq->number = ++mr->protocol.posts;
    rq->posted = true;
    mr->protocol.nposted++;
    mpi_list_add(rq->far != NULL ? &rq->far->posted : &mr->protocol.any, rq);
    if (rq->far != NULL)
        rq->far->unasked++;
}

void mpi_match_unpost(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (!rq->posted)
        return;
    mpi_list_remove(rq);
    rq->posted = false;
    mr->protocol.nposted--;
    mpi_ask_ended(mr, rq);
}

struct mpi_arrived *mpi_arrived_new(struct mpi_rank *mr, struct mpi_peer *peer,
                                    const struct mpi_entry *e, uint32_t room)
{
    struct mpi_protocol *p = &mr->protocol;
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
    a->next = mr->protocol.spare;
    mr->protocol.spare = a;
}

void mpi_arrived_list(struct mpi_rank *mr, struct mpi_arrived *a)
{
    struct mpi_protocol *p = &mr->protocol;

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
        mr->protocol.end = a->at_all;
}
