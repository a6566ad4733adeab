/* The calls of a program that wait for operations, or look whether they are over. */
#include "hosts/gasnet/extended/internal.h"

static bool is_over(struct gasnet_rank *gr, gasnet_handle_t handle)
{
    return handle == GASNET_INVALID_HANDLE || gasnet_op_is_done(gr, gasnet_op_of(gr, handle));
}

/* Those that are over become GASNET_INVALID_HANDLE. @return how many are not; *any_p: one has */
static size_t sweep(struct gasnet_rank *gr, gasnet_handle_t *handles, size_t n, bool *any_p)
{
    size_t left = 0, valid = 0, ended = 0;

    for (size_t i = 0; i < n; i++) {
        if (handles[i] == GASNET_INVALID_HANDLE)
            continue;
        valid++;
        if (!is_over(gr, handles[i])) {
            left++;
            continue;
        }
        gasnet_op_free(gr, gasnet_op_of(gr, handles[i]));
        handles[i] = GASNET_INVALID_HANDLE;
        ended++;
    }
    *any_p = valid == 0 || ended > 0;
    return left;
}

static void wait_for(struct gasnet_rank *gr, gasnet_handle_t *handles, size_t n, bool all)
{
    bool any;
    size_t left = sweep(gr, handles, n, &any);

    gasnet_waits_begin(gr, n == 1 ? "an operation with" : "operations with", -1);
    while (all ? left > 0 : !any) {
        gasnet_progress(gr);
        left = sweep(gr, handles, n, &any);
    }
    gasnet_waits_end(gr);
}

static int try_for(struct gasnet_rank *gr, gasnet_handle_t *handles, size_t n, bool all)
{
    bool any, good;
    size_t left;

    gr->host->looks.inside = true;
    left = sweep(gr, handles, n, &any);
    if (all ? left > 0 : !any) {
        gasnet_poll(gr);
        left = sweep(gr, handles, n, &any);
    }
    good = all ? left == 0 : any;
    gasnet_looked(gr, good, "operations with");
    return good ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_wait_syncnb(gasnet_handle_t handle)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    wait_for(v.gr, &handle, 1, true);
    gasnet_leave(&v);
}

int gasnet_try_syncnb(gasnet_handle_t handle)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int code = try_for(v.gr, &handle, 1, true);

    gasnet_leave(&v);
    return code;
}

void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    wait_for(v.gr, handles, n, true);
    gasnet_leave(&v);
}

int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int code = try_for(v.gr, handles, n, true);

    gasnet_leave(&v);
    return code;
}

void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    wait_for(v.gr, handles, n, false);
    gasnet_leave(&v);
}

int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int code = try_for(v.gr, handles, n, false);

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

static void check_no_region(struct gasnet_rank *gr)
{
    if (gr->extended->region != 0)
        gasnet_fail(gr, "in an access region: expected gasnet_end_nbi_accessregion() before");
}

static void wait_implicit(const char *call, const void *from, int which)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);

    check_no_region(v.gr);
    gasnet_waits_begin(v.gr, "operations with", -1);
    while (!implicit_are_over(v.gr, which))
        gasnet_progress(v.gr);
    gasnet_waits_end(v.gr);
    gasnet_leave(&v);
}

static int try_implicit(const char *call, const void *from, int which)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);
    bool over;

    check_no_region(v.gr);
    v.gr->host->looks.inside = true;
    over = implicit_are_over(v.gr, which);
    if (!over) {
        gasnet_poll(v.gr);
        over = implicit_are_over(v.gr, which);
    }
    gasnet_looked(v.gr, over, "operations with");
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
