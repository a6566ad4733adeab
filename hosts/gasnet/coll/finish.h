/* Handles of collectives, and waiting for them. */
#ifndef GASNET_FINISH_H
#define GASNET_FINISH_H

#include "hosts/gasnet/coll/plan.h"

/** Waits for what comes, since `op` is not done; NULL: one of several. May return early. */
void coll_progress(struct gasnet_rank *gr, const struct coll_op *op);
/** Goes on with everything until it is done, and forgets it. */
void coll_complete(struct gasnet_rank *gr, struct coll_op *op);
gasnet_coll_handle_t coll_handle(const struct coll_op *op);

#endif /* GASNET_FINISH_H */
