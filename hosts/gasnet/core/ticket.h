/* Operations of the transport that go on behind the call that has begun them: some networks go on
 * with one only when they are asked whether it is over. */
#ifndef GASNET_TICKET_H
#define GASNET_TICKET_H

#include "hosts/gasnet/core/rank.h"

/** May not send, nor add tickets. */
typedef void gasnet_ended_fn(struct gasnet_rank *gr, uint64_t arg);

struct gasnet_ticket {
    transport_ticket ticket; /* not 0 */
    bool places;             /* a write that was watched: over when its data are in place */
    gasnet_ended_fn *ended;  /* or NULL */
    uint64_t arg;
};
void gasnet_ticket_add(struct gasnet_rank *gr, const struct gasnet_ticket *ticket);

/** Asks for all of them. @return whether one is over */
bool gasnet_tickets_look(struct gasnet_rank *gr);

#endif /* GASNET_TICKET_H */
