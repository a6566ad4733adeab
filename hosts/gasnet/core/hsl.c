/* Handler-safe locks and no-interrupt sections. A rank has one thread and handlers do not interrupt
 * it, so nothing is ever waited for; what is checked is that calls fit together. */
#include <string.h>

#include "hosts/gasnet/core/rank.h"

#define HSL_LOCKED    0x10c4edu
#define HSL_DESTROYED 0xde57edu

void gasnet_hsl_init(gasnet_hsl_t *hsl)
{
    memset(hsl, 0, sizeof(*hsl));
}

static void check_whole(struct gasnet_rank *gr, const gasnet_hsl_t *hsl)
{
    if (hsl->state == HSL_DESTROYED)
        gasnet_fail(gr, "this HSL was destroyed: expected gasnet_hsl_init() before");
}

void gasnet_hsl_destroy(gasnet_hsl_t *hsl)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    if (hsl->state == HSL_LOCKED)
        gasnet_fail(v.gr, "HSL %u is locked: expected gasnet_hsl_unlock() before", hsl->number);
    check_whole(v.gr, hsl);
    hsl->state = HSL_DESTROYED;
    gasnet_leave(&v);
}

static void lock(struct gasnet_rank *gr, gasnet_hsl_t *hsl)
{
    if (hsl->number == 0)
        hsl->number = ++gr->hsl_count;
    hsl->state = HSL_LOCKED;
    hsl->below = gr->hsls;
    gr->hsls = hsl;
}

void gasnet_hsl_lock(gasnet_hsl_t *hsl)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    if (hsl->state == HSL_LOCKED)
        gasnet_fail(v.gr, "HSL %u is locked already: expected no recursion", hsl->number);
    check_whole(v.gr, hsl);
    lock(v.gr, hsl);
    gasnet_leave(&v);
}

int gasnet_hsl_trylock(gasnet_hsl_t *hsl)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);
    bool is_free = hsl->state != HSL_LOCKED;

    check_whole(v.gr, hsl);
    if (is_free)
        lock(v.gr, hsl);
    gasnet_leave(&v);
    return is_free ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_hsl_unlock(gasnet_hsl_t *hsl)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    if (hsl->state != HSL_LOCKED)
        gasnet_fail(v.gr, "this HSL is not locked");
    if (v.gr->hsls != hsl)
        gasnet_fail(v.gr, "HSL %u: expected HSL %u, the last one that was locked, to be first",
                    hsl->number, v.gr->hsls->number);
    v.gr->hsls = hsl->below;
    hsl->state = 0;
    gasnet_leave(&v);
}

/** In a handler, and while an HSL is locked, no-interrupt sections have no effect. */
static bool is_interruptible(const struct gasnet_rank *gr)
{
    return gr->level == GASNET_IN_PROGRAM && gr->hsls == NULL;
}

void gasnet_hold_interrupts(void)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    if (is_interruptible(v.gr)) {
        if (v.gr->held)
            gasnet_fail(v.gr, "twice: expected gasnet_resume_interrupts() between");
        v.gr->held = true;
    }
    gasnet_leave(&v);
}

void gasnet_resume_interrupts(void)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    if (is_interruptible(v.gr)) {
        if (!v.gr->held)
            gasnet_fail(v.gr, "expected gasnet_hold_interrupts() before");
        v.gr->held = false;
    }
    gasnet_leave(&v);
}
