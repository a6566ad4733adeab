/* Barriers of teams. */
#include "hosts/gasnet/coll/finish.h"

#define IS_MISMATCH(flags) (((flags)&GASNET_BARRIERFLAG_MISMATCH) != 0)
#define IS_NAMED(flags)                                                                            \
    (((flags) & (GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_UNNAMED)) == 0)

static void notify(struct gasnet_rank *gr, struct coll_team *team, int id, int flags)
{
    struct coll_op *op;

    if (team->barrier != NULL)
        gasnet_fail(gr, "a second notify: expected gasnet_coll_barrier_wait() before");
    op = coll_op_create(gr, team);
    op->phase = (struct coll_phase){ .named = IS_NAMED(flags), .mismatch = IS_MISMATCH(flags) };
    op->phase.id = op->phase.named ? id : 0;
    op->notified_id = id;
    op->notified_flags = flags;
    team->barrier = op;
    coll_add_phase(gr, op);
    coll_op_begin(gr, op);
}

static struct coll_op *barrier_of(struct gasnet_rank *gr, const struct coll_team *team)
{
    if (team->barrier == NULL)
        gasnet_fail(gr, "expected gasnet_coll_barrier_notify() before");
    return team->barrier;
}

/* It is done. */
static int conclude(struct coll_team *team, int id, int flags)
{
    struct coll_op *op = team->barrier;
    bool differs = flags != op->notified_flags || (IS_NAMED(flags) && id != op->notified_id);
    int result = differs || op->phase.mismatch ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;

    team->result_named = op->phase.named;
    team->result_id = op->phase.id;
    team->barrier = NULL;
    coll_op_destroy(op);
    return result;
}

static int wait(struct gasnet_rank *gr, struct coll_team *team, int id, int flags)
{
    struct coll_op *op = barrier_of(gr, team);

    while (!op->done)
        coll_progress(gr, op);
    return conclude(team, id, flags);
}

void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    notify(v.gr, coll_team_of(v.gr, team), id, flags);
    gasnet_take(v.gr);
    gasnet_leave(&v);
}

int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int result = wait(v.gr, coll_team_of(v.gr, team), id, flags);

    gasnet_leave(&v);
    return result;
}

int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    struct coll_team *t = coll_team_of(v.gr, team);
    int result = GASNET_ERR_NOT_READY;
    bool found;

    (void)barrier_of(v.gr, t);
    v.gr->host->looks.inside = true;
    found = gasnet_poll(v.gr);
    gasnet_looked(v.gr, found || t->barrier->done, "a message from", coll_op_peer(t->barrier));
    if (t->barrier->done)
        result = conclude(t, id, flags);
    gasnet_leave(&v);
    return result;
}

int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    struct coll_team *t = coll_team_of(v.gr, team);
    int result;

    notify(v.gr, t, id, flags);
    result = wait(v.gr, t, id, flags);
    gasnet_leave(&v);
    return result;
}

/* 1 and no id: all were anonymous. */
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int *id)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    const struct coll_team *t = coll_team_of(v.gr, team);

    *id = t->result_id;
    gasnet_leave(&v);
    return !t->result_named;
}
