/* Teams: which of them there are, and what is asked of them. */
#include "hosts/gasnet/coll/teams.h"

#include <stdlib.h>

/* A handle is the number + 1, the same on all members. */
gasnet_team_handle_t coll_team_handle(const struct coll_team *team)
{
    return (gasnet_team_handle_t)(uintptr_t)(team->number + 1); /* NOLINT: no address */
}

struct coll_team *coll_team_of(struct gasnet_rank *gr, gasnet_team_handle_t handle)
{
    uint64_t number = (uint64_t)(uintptr_t)handle;
    struct coll_team *team;

    if (!gr->coll->ready)
        gasnet_fail(gr, "before gasnet_coll_init()");
    LIST_FOREACH(team, &gr->coll->teams, in_list)
    if (team->number + UINT64_C(1) == number)
        return team;
    gasnet_fail(gr, "team 0x%llx: expected GASNET_TEAM_ALL, or one of gasnet_coll_team_split()",
                (unsigned long long)number);
}

struct coll_team *coll_team_create(struct gasnet_rank *gr, uint32_t number, unsigned size,
                                   unsigned *nodes, const gasnet_image_t *images)
{
    struct coll_team *team = gasnet_need(gr, calloc(1, sizeof(*team)));

    team->number = number;
    team->size = size;
    team->nodes = nodes;
    team->first = gasnet_need(gr, calloc(size + 1, sizeof(*team->first)));
    for (unsigned r = 0; r < size; r++) {
        team->first[r + 1] = team->first[r] + (images != NULL ? images[r] : 1);
        if (nodes[r] == gr->host->rank)
            team->me = r;
    }
    LIST_INSERT_HEAD(&gr->coll->teams, team, in_list);
    return team;
}

void coll_teams_release(struct gasnet_coll *c)
{
    struct coll_team *team;

    while ((team = LIST_FIRST(&c->teams)) != NULL) {
        LIST_REMOVE(team, in_list);
        free(team->nodes);
        free(team->first);
        free(team);
    }
}

gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_ATTACH);
    unsigned size = coll_team_of(v.gr, team)->size;

    gasnet_leave(&v);
    return size;
}

gasnet_node_t gasnet_coll_team_rank(gasnet_team_handle_t team)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_ATTACH);
    unsigned me = coll_team_of(v.gr, team)->me;

    gasnet_leave(&v);
    return me;
}

gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_ATTACH);
    const struct coll_team *t = coll_team_of(v.gr, team);
    unsigned node;

    if (rank < 0 || (unsigned)rank >= t->size)
        gasnet_fail(v.gr, "rank %d: expected 0 .. %u", rank, t->size - 1);
    node = t->nodes[rank];
    gasnet_leave(&v);
    return node;
}

gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team, gasnet_node_t node)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_ATTACH);
    const struct coll_team *t = coll_team_of(v.gr, team);
    unsigned rank = 0;

    while (rank < t->size && t->nodes[rank] != node)
        rank++;
    if (rank == t->size)
        gasnet_fail(v.gr, "node %u: expected a member of the team", node);
    gasnet_leave(&v);
    return rank;
}
