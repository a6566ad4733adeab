/* The end of a job: what the other rooms know of it. */
#ifndef GASNET_EXIT_H
#define GASNET_EXIT_H

#include "hosts/gasnet/core/rank.h"

/** At gasnet_init(): another rank may end from then on. */
void gasnet_exit_init(struct gasnet_rank *gr);

#endif /* GASNET_EXIT_H */
