/* Where all inboxes are, and messages to ranks that no cable leads to. */
#ifndef TRANSPORT_PEACH2_FAR_H
#define TRANSPORT_PEACH2_FAR_H

#include "hosts/transport/peach2/internal.h"

/** Agrees with all ranks on where their inboxes are. */
bool p2_exchange(struct p2 *p2);
void p2_far_fini(struct p2 *p2);
bool p2_far_append(struct p2 *p2, unsigned dest, const struct transport_entry *e);
bool p2_far_write(struct p2 *p2, unsigned dest, uint32_t area, uint64_t offset,
                  const struct transport_write *w);
/** Takes the next message out of the network when none is held. @return whether one is. */
bool p2_far_pull(struct p2 *p2);

#endif /* TRANSPORT_PEACH2_FAR_H */
