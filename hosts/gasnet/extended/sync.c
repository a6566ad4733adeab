/* The calls of a program that wait for operations, or look whether they are over. */
#include <stdio.h>

#include "hosts/gasnet/extended/internal.h"

/* Is it over? Then it becomes GASNET_INVALID_HANDLE. */
static bool take_over(struct gasnet_rank *gr, gasnet_handle_t *handle)
{
    uint32_t op = gasnet_op_of(gr, *handle);

    if (!gasnet_op_is_done(gr, op))
        return false;
    gasnet_op_free(gr, op);
    *handle = GASNET_INVALID_HANDLE;
    return true;
}

/* Are all of them over? */
static bool sweep_all(struct gasnet_rank *gr, gasnet_handle_t *handles, size_t n)
{
    bool all = true;

    for (size_t i = 0; i < n; i++)
        if (handles[i] != GASNET_INVALID_HANDLE && !take_over(gr, &handles[i]))
            all = false;
    return all;
}

/* Is at least one over, or is there none? With those that are over beside each other: a list of
 * thousands, which end in order, is not gone through for each of them. */
static bool sweep_some(struct gasnet_rank *gr, gasnet_handle_t *handles, size_t n)
{
    bool none = true, any = false;

    for (size_t i = 0; i < n; i++) {
        if (handles[i] == GASNET_INVALID_HANDLE)
            continue;
        none = false;
        if (take_over(gr, &handles[i]))
            any = true;
        else if (any)
            return true;
    }
    return any || none;
}

/* ---- reports ---- */

struct waiting {
    const struct gasnet_rank *gr;
    const gasnet_handle_t *handles;
    size_t n;
    bool some;
};

static bool is_left(const struct gasnet_rank *gr, gasnet_handle_t handle)
{
    uint32_t op = (uint32_t)(uintptr_t)handle;

    return handle != GASNET_INVALID_HANDLE && op < gr->extended->nops && !gasnet_op_is_done(gr, op);
}

/* All in one, for lists are long. Where one of them is enough, that of no rank is needed. */
static bool describe_left(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct waiting *w = arg;
    struct host_wait said = { .what = "an operation with", .peer = -1, .tag = -1 };
    size_t left = 0;

    for (size_t k = 0; i == 0 && k < w->n; k++)
        if (is_left(w->gr, w->handles[k]) && left++ == 0)
            said.peer = gasnet_op_peer(w->gr, (uint32_t)(uintptr_t)w->handles[k]);
    if (left == 0)
        return false;
    if (left > 1 && w->some)
        said = (struct host_wait){ .what = "one of some operations with", .peer = -2, .tag = -1 };
    else if (left > 1)
        (void)snprintf(said.group, sizeof(said.group), "and %zu more", left - 1);
    *wait_p = said;
    return true;
}

/* The first one's that is left. */
static int peer_of(const struct gasnet_rank *gr, const gasnet_handle_t *handles, size_t n,
                   size_t *left_p)
{
    int peer = -1;

    *left_p = 0;
    for (size_t k = 0; k < n; k++)
        if (is_left(gr, handles[k]) && (*left_p)++ == 0)
            peer = gasnet_op_peer(gr, (uint32_t)(uintptr_t)handles[k]);
    return peer;
}

/* ---- handles ---- */

static bool any_given(const gasnet_handle_t *handles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (handles[i] != GASNET_INVALID_HANDLE)
            return true;
    return false;
}

/* A wait with nothing open is over at once; a loop of such waits for what handlers do. */
static void look_once(struct gasnet_rank *gr)
{
    gr->host->looks.inside = true;
    gasnet_looked(gr, gasnet_poll(gr), "a message from", -1);
}

/* One after the other: each is looked at once more for each time that something comes. */
static void wait_all(struct gasnet_rank *gr, gasnet_handle_t *handles, size_t n)
{
    const struct waiting w = { gr, handles, n, false };

    if (!any_given(handles, n)) {
        look_once(gr);
        return;
    }
    gasnet_waits_begin_by(gr, describe_left, &w);
    for (size_t i = 0; i < n; i++) {
        uint32_t op;

        if (handles[i] == GASNET_INVALID_HANDLE)
            continue;
        op = gasnet_op_of(gr, handles[i]);
        while (!gasnet_op_is_done(gr, op))
            gasnet_progress(gr);
        gasnet_op_free(gr, op);
        handles[i] = GASNET_INVALID_HANDLE;
    }
    gasnet_waits_end(gr);
}

static void wait_some(struct gasnet_rank *gr, gasnet_handle_t *handles, size_t n)
{
    const struct waiting w = { gr, handles, n, true };

    if (!any_given(handles, n)) {
        look_once(gr);
        return;
    }
    gasnet_waits_begin_by(gr, describe_left, &w);
    while (!sweep_some(gr, handles, n))
        for (uint64_t ended = gr->extended->ended; gr->extended->ended == ended;)
            gasnet_progress(gr);
    gasnet_waits_end(gr);
}

static int try_for(struct gasnet_rank *gr, gasnet_handle_t *handles, size_t n, bool some)
{
    bool (*sweep)(struct gasnet_rank * gr, gasnet_handle_t * handles, size_t n) =
        some ? sweep_some : sweep_all;
    bool open = any_given(handles, n), news, good;
    size_t left;
    int peer;

    gr->host->looks.inside = true;
    news = gasnet_poll(gr); /* also if nothing is open: a loop may wait for what handlers do */
    good = sweep(gr, handles, n);
    if (good) {
        gasnet_looked(gr, news || open, "a message from", -1);
        return GASNET_OK;
    }
    peer = peer_of(gr, handles, n, &left);
    if (some && left > 1)
        gasnet_looked(gr, false, "one of some operations with", -2);
    else
        gasnet_looked(gr, false, "an operation with", peer);
    return GASNET_ERR_NOT_READY;
}

void gasnet_wait_syncnb(gasnet_handle_t handle)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    wait_all(v.gr, &handle, 1);
    gasnet_leave(&v);
}

int gasnet_try_syncnb(gasnet_handle_t handle)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int code = try_for(v.gr, &handle, 1, false);

    gasnet_leave(&v);
    return code;
}

void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    wait_all(v.gr, handles, n);
    gasnet_leave(&v);
}

int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int code = try_for(v.gr, handles, n, false);

    gasnet_leave(&v);
    return code;
}

void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    wait_some(v.gr, handles, n);
    gasnet_leave(&v);
}

int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int code = try_for(v.gr, handles, n, true);

    gasnet_leave(&v);
    return code;
}

/* ---- implicit operations ---- */

enum { PUTS = 1, GETS = 2 };

static bool implicit_are_over(const struct gasnet_rank *gr, int which)
{
    return ((which & PUTS) == 0 || gasnet_op_is_done(gr, GASNET_OP_PUTS)) &&
           ((which & GETS) == 0 || gasnet_op_is_done(gr, GASNET_OP_GETS));
}

/* With whom those are that are not over. */
static int implicit_peer(const struct gasnet_rank *gr, int which)
{
    bool puts = !implicit_are_over(gr, which & PUTS), gets = !implicit_are_over(gr, which & GETS);
    int with = gasnet_op_peer(gr, puts ? GASNET_OP_PUTS : GASNET_OP_GETS);

    return puts && gets && with != gasnet_op_peer(gr, GASNET_OP_GETS) ? -2 : with;
}

static void check_no_region(struct gasnet_rank *gr)
{
    if (gr->extended->region != 0)
        gasnet_fail(gr, "in an access region: expected gasnet_end_nbi_accessregion() before");
}

static void wait_implicit(const char *call, const void *from, int which)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);

    check_no_region(v.gr);
    if (implicit_are_over(v.gr, which)) {
        look_once(v.gr);
    } else {
        gasnet_waits_begin(v.gr, "implicit operations with", implicit_peer(v.gr, which));
        while (!implicit_are_over(v.gr, which))
            gasnet_progress(v.gr);
        gasnet_waits_end(v.gr);
    }
    gasnet_leave(&v);
}

static int try_implicit(const char *call, const void *from, int which)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);
    bool open = !implicit_are_over(v.gr, which), news, over;

    check_no_region(v.gr);
    v.gr->host->looks.inside = true;
    news = gasnet_poll(v.gr);
    over = implicit_are_over(v.gr, which);
    if (over)
        gasnet_looked(v.gr, news || open, "a message from", -1);
    else
        gasnet_looked(v.gr, false, "implicit operations with", implicit_peer(v.gr, which));
    gasnet_leave(&v);
    return over ? GASNET_OK : GASNET_ERR_NOT_READY;
}

#define HERE __func__, __builtin_return_address(0)

void gasnet_wait_syncnbi_gets(void)
{
    wait_implicit(HERE, GETS);
}

void gasnet_wait_syncnbi_puts(void)
{
    wait_implicit(HERE, PUTS);
}

void gasnet_wait_syncnbi_all(void)
{
    wait_implicit(HERE, PUTS | GETS);
}

int gasnet_try_syncnbi_gets(void)
{
    return try_implicit(HERE, GETS);
}

int gasnet_try_syncnbi_puts(void)
{
    return try_implicit(HERE, PUTS);
}

int gasnet_try_syncnbi_all(void)
{
    return try_implicit(HERE, PUTS | GETS);
}

void gasnet_begin_nbi_accessregion(void)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    if (v.gr->extended->region != 0)
        gasnet_fail(v.gr, "in an access region: expected no region in another one");
    v.gr->extended->region = gasnet_op_new(v.gr);
    gasnet_leave(&v);
}

gasnet_handle_t gasnet_end_nbi_accessregion(void)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    gasnet_handle_t handle;

    if (v.gr->extended->region == 0)
        gasnet_fail(v.gr, "expected gasnet_begin_nbi_accessregion() before");
    handle = gasnet_op_give(v.gr, v.gr->extended->region);
    v.gr->extended->region = 0;
    gasnet_leave(&v);
    return handle;
}
