/* The end of a job: what the other rooms know of it. */
#ifndef GASNET_EXIT_H
#define GASNET_EXIT_H

#include "hosts/gasnet/core/rank.h"

/** At gasnet_init(): another rank may end from then on. */
void gasnet_exit_init(struct gasnet_rank *gr);
/** While this rank exits, a handler waits for others. Ends all ranks when the time for that is
 * over; else lets some pass, if there was nothing to do. */
void gasnet_exit_pause(struct gasnet_rank *gr, bool idle);

#endif /* GASNET_EXIT_H */
