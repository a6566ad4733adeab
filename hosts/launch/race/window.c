#include "hosts/launch/race/window.h"
#include "hosts/launch/race/clock.h"
#include "hosts/launch/race/need.h"

#include <stdlib.h>

struct race_window *race_window_of(const struct race_rank *r, uint32_t number)
{
    for (unsigned i = 0; i < r->nwindows; i++)
        if (r->windows[i].number == number)
            return &r->windows[i];
    return NULL;
}

void race_op_window(struct host *h, uint32_t number, const void *base)
{
    struct race_rank *r = race_rank_of(race_of(h), launch_thread_of(h));
    struct race_window *w = race_window_of(r, number);

    if (w == NULL) {
        r->windows = race_need(realloc(r->windows, (r->nwindows + 1) * sizeof(*w)));
        w = &r->windows[r->nwindows++];
    } else if (w->unlocked != NULL) { /* of one before, which was freed */
        race_clock_put(w->unlocked);
    }
    *w = (struct race_window){ number, (uintptr_t)base, HOST_UNLOCKED, NULL };
}

void race_windows_free(struct race_rank *r)
{
    for (unsigned i = 0; i < r->nwindows; i++)
        if (r->windows[i].unlocked != NULL)
            race_clock_put(r->windows[i].unlocked);
    free(r->windows);
}
