/* Handles of collectives, and waiting for them. */
#include "hosts/gasnet/coll/finish.h"

#include <stdio.h>

/* The operation's number: a handle that is used again is found out. */
gasnet_coll_handle_t coll_handle(const struct coll_op *op)
{
    return (gasnet_coll_handle_t)(uintptr_t)op->number; /* NOLINT: no address */
}

static struct coll_op *op_of(struct gasnet_rank *gr, gasnet_coll_handle_t handle)
{
    uint64_t number = (uint64_t)(uintptr_t)handle;
    struct coll_op *op = coll_op_find(gr, number);

    if (op == NULL)
        gasnet_fail(gr, "handle 0x%llx: expected one that is not yet complete",
                    (unsigned long long)number);
    return op;
}

/* Collectives of a team are numbered in the order of their calls, barriers among them; that of all
 * has had number 0, in gasnet_coll_init(). */
static bool describe_op(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct coll_op *op = arg;

    while (op != NULL && op->done)
        op = op->before;
    if (i > 0 || op == NULL)
        return false;
    *wait_p = (struct host_wait){ .what = "a message from", .peer = coll_op_peer(op), .tag = -1 };
    (void)snprintf(wait_p->group, sizeof(wait_p->group), "collective %u of %s",
                   op->box->sequence + (op->team->number != 0),
                   op->team->number == 0 ? "GASNET_TEAM_ALL" : "its team");
    return true;
}

void coll_progress(struct gasnet_rank *gr, const struct coll_op *op)
{
    if (op != NULL)
        gasnet_waits_begin_by(gr, describe_op, op);
    else
        gasnet_waits_begin(gr, "one of some collectives with", -2);
    gasnet_progress(gr);
    gasnet_waits_end(gr);
}

void coll_complete(struct gasnet_rank *gr, struct coll_op *op)
{
    while (!coll_op_done(op))
        coll_progress(gr, op);
    coll_op_destroy(op);
}

/* Forgets those that are done. @return how many of them there were, and others, with the first. */
static size_t forget_done(struct gasnet_rank *gr, gasnet_coll_handle_t *handles, size_t n,
                          size_t *others_p, const struct coll_op **first_p)
{
    size_t done = 0, others = 0;

    for (size_t i = 0; i < n; i++) {
        struct coll_op *op;

        if (handles[i] == GASNET_COLL_INVALID_HANDLE)
            continue;
        op = op_of(gr, handles[i]);
        if (!coll_op_done(op)) {
            if (others++ == 0)
                *first_p = op;
            continue;
        }
        coll_op_destroy(op);
        handles[i] = GASNET_COLL_INVALID_HANDLE;
        done++;
    }
    *others_p = others;
    return done;
}

static bool any_given(const gasnet_coll_handle_t *handles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (handles[i] != GASNET_COLL_INVALID_HANDLE)
            return true;
    return false;
}

/* Until all, or one, are done; not waiting, or with none: looks once, as a loop of such calls may
 * wait for what handlers do. */
static int sync_list(const char *call, const void *from, gasnet_coll_handle_t *handles, size_t n,
                     bool all, bool waits)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);
    struct gasnet_rank *gr = v.gr;
    const struct coll_op *first = NULL;
    const bool open = any_given(handles, n), looks = !waits || !open;
    size_t others, done;
    bool complete, found = false;

    if (looks) {
        gr->host->looks.inside = true;
        found = gasnet_poll(gr);
    }
    for (;;) {
        done = forget_done(gr, handles, n, &others, &first);
        complete = others == 0 || (!all && done > 0);
        if (complete || !waits)
            break;
        coll_progress(gr, all || others == 1 ? first : NULL);
    }
    if (looks)
        gasnet_looked(gr, found || (open && complete), "a message from",
                      others > 0 ? coll_op_peer(first) : -1);
    gasnet_leave(&v);
    return complete ? GASNET_OK : GASNET_ERR_NOT_READY;
}

#define HERE __func__, __builtin_return_address(0)

void gasnet_coll_wait_sync(gasnet_coll_handle_t handle)
{
    (void)sync_list(HERE, &handle, 1, true, true);
}

int gasnet_coll_try_sync(gasnet_coll_handle_t handle)
{
    return sync_list(HERE, &handle, 1, true, false);
}

void gasnet_coll_wait_sync_all(gasnet_coll_handle_t *handles, size_t n)
{
    (void)sync_list(HERE, handles, n, true, true);
}

int gasnet_coll_try_sync_all(gasnet_coll_handle_t *handles, size_t n)
{
    return sync_list(HERE, handles, n, true, false);
}

void gasnet_coll_wait_sync_some(gasnet_coll_handle_t *handles, size_t n)
{
    (void)sync_list(HERE, handles, n, false, true);
}

int gasnet_coll_try_sync_some(gasnet_coll_handle_t *handles, size_t n)
{
    return sync_list(HERE, handles, n, false, false);
}
