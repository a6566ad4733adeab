/* Teams, and what a rank keeps of collectives. */
#ifndef GASNET_TEAMS_H
#define GASNET_TEAMS_H

#include "hosts/gasnet/core/message.h"
#include "hosts/gasnet/include/gasnet_coll.h"

#define COLL_BUCKETS 64u

struct coll_op;
struct coll_box;

struct coll_team {
    LIST_ENTRY(coll_team) in_list;
    uint32_t number; /* the same on all members, and no other team of any member has it */
    unsigned size, me;
    unsigned *nodes; /* of its ranks */
    unsigned *first; /* first[r]: images of the ranks before r; first[size]: all */
    uint32_t sequence;
    struct coll_op *aggregate; /* calls that the next one stands for, the last one first */
    struct coll_op *barrier;   /* between notify and wait */
    int result_id;             /* what the last barrier agreed on */
    bool result_named;
};

struct gasnet_coll {
    bool ready; /* gasnet_coll_init() was called */
    LIST_HEAD(, coll_team) teams;
    struct coll_team *all;
    uint32_t teams_made;
    gasnet_coll_fn_entry_t *functions;
    size_t function_count;
    LIST_HEAD(, coll_box) boxes[COLL_BUCKETS]; /* by team and sequence */
    LIST_HEAD(, coll_op) ops[COLL_BUCKETS];    /* by number */
    uint64_t op_number;
    STAILQ_HEAD(, coll_box) news; /* whose operations may go on */
    bool advancing;
};

/** @return the team; it ends all ranks with a line if this rank has none of that name. */
struct coll_team *coll_team_of(struct gasnet_rank *gr, gasnet_team_handle_t handle);
/** Takes `nodes`, which are in the order of its ranks. */
struct coll_team *coll_team_create(struct gasnet_rank *gr, uint32_t number, unsigned size,
                                   unsigned *nodes, const gasnet_image_t *images);
gasnet_team_handle_t coll_team_handle(const struct coll_team *team);
static inline unsigned coll_images_of(const struct coll_team *team, unsigned rank)
{
    return team->first[rank + 1] - team->first[rank];
}
static inline unsigned coll_images(const struct coll_team *team)
{
    return team->first[team->size];
}
void coll_teams_release(struct gasnet_coll *c);

#endif /* GASNET_TEAMS_H */
