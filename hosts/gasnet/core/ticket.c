/* Operations of the transport that go on behind the call that has begun them. */
#include <stdlib.h>

#include "hosts/gasnet/core/ticket.h"

void gasnet_ticket_add(struct gasnet_rank *gr, const struct gasnet_ticket *ticket)
{
    struct gasnet_tickets *all = &gr->tickets;

    if (all->n == all->room) {
        all->room = 2 * all->room + 16;
        all->list = gasnet_need(gr, realloc(all->list, all->room * sizeof(*all->list)));
    }
    all->list[all->n++] = *ticket;
}

bool gasnet_tickets_look(struct gasnet_rank *gr)
{
    struct gasnet_tickets *all = &gr->tickets;
    struct transport *t = gr->transport;
    unsigned kept = 0, n = all->n;

    for (unsigned i = 0; i < n; i++) {
        struct gasnet_ticket one = all->list[i];

        if (!(one.places ? t->ops->placed : t->ops->done)(t, one.ticket))
            all->list[kept++] = one;
        else if (one.ended != NULL)
            one.ended(gr, one.arg);
    }
    all->n = kept;
    return kept < n;
}
