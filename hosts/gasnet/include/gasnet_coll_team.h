/* Teams of collectives by the names that programs for releases of GASNet 1 use. */
#ifndef GASNET_COLL_TEAM_H
#define GASNET_COLL_TEAM_H

#include <gasnet_coll.h>

#define gasnete_coll_team_t         gasnet_team_handle_t
#define gasnete_coll_team_size      gasnet_coll_team_size
#define gasnete_coll_team_rank2node gasnet_coll_team_rank2node
#define gasnete_coll_team_node2rank gasnet_coll_team_node2rank

#define gasnete_coll_teambarrier_notify(team)                                                      \
    gasnet_coll_barrier_notify(team, 0, GASNET_BARRIERFLAG_ANONYMOUS)
#define gasnete_coll_teambarrier_wait(team)                                                        \
    ((void)gasnet_coll_barrier_wait(team, 0, GASNET_BARRIERFLAG_ANONYMOUS))
#define gasnete_coll_teambarrier(team)                                                             \
    ((void)gasnet_coll_barrier(team, 0, GASNET_BARRIERFLAG_ANONYMOUS))

#endif /* GASNET_COLL_TEAM_H */
