/* Active messages in: what send.c needs of take.c. */
#ifndef GASNET_DELIVER_H
#define GASNET_DELIVER_H

#include "hosts/gasnet/core/message.h"

/** Runs the handler of a message; `data`: of a Medium, aligned to 8 bytes, and the handler's own.
 */
void gasnet_deliver(struct gasnet_rank *gr, gasnet_node_t source, bool is_request,
                    const struct gasnet_head *head, void *data);
/** There is no room for `am`: handles what comes, of which a request must not wait for a reply. */
void gasnet_wait_for_room(struct gasnet_rank *gr, const struct gasnet_am *am);

/** Calls a handler of the program. */
void gasnet_call_handler(struct gasnet_rank *gr, struct gasneti_token *token,
                         const struct gasnet_head *head, void *data);

#endif /* GASNET_DELIVER_H */
