#include "ranks.h"

#include "calls.h"
#include "hosts/host/host.h"
#include "shadow.h"

#define TURN_PS   (200 * 1000u)        /* a rank looks so often whether it is its turn, at first */
#define QUIET_PS  (100 * 1000 * 1000u) /* what is on its way when channels are idle has come */
#define PAUSE_PS  (20 * 1000 * 1000u)
#define FIRST_TRY 3u /* of as many steps before tcaInit() one is not tcaInit() */

static struct dice dice_of(const struct world *w, uint64_t use)
{
    struct dice d = { w->seed * UINT64_C(0x9e3779b97f4a7c15) };

    d.state = dice_next(&d) ^ w->number * UINT64_C(0xd1342543de82ef95);
    d.state = dice_next(&d) ^ use * UINT64_C(0xaf251af3b0f025b5);
    (void)dice_next(&d);
    return d;
}

static void add_turn(struct world *w, unsigned rank, unsigned step, int what)
{
    w->turns[w->nturns++] = (struct turn){ rank, step, what };
}

static void add_check(struct world *w, unsigned step)
{
    for (unsigned r = 0; r < w->ranks; r++)
        add_turn(w, r, step, TURN_SETTLE);
    for (unsigned r = 0; r < w->ranks; r++)
        add_turn(w, r, step, TURN_COMPARE);
}

void ranks_plan(struct world *w, unsigned steps, const bool *left_out)
{
    struct dice all = dice_of(w, STEPS_MAX + 1);

    w->wild = dice_one_in(&all, 6);
    for (unsigned i = 0; i < steps; i++) {
        struct dice d = dice_of(w, i);
        unsigned rank = (unsigned)dice_below(&d, w->ranks);

        if (left_out[i])
            continue;
        if (dice_one_in(&d, 24))
            add_check(w, i);
        else
            add_turn(w, rank, i, TURN_CALL);
    }
    add_check(w, steps);
}

/* ---- one call ------------------------------------------------------------------ */

static void pause_rank(struct world *w, unsigned rank)
{
    struct host *h = host_self();
    uint64_t ps = dice_below(&w->dice, PAUSE_PS);

    world_log(w, "%3u  rank %u: computes for %.3f us\n", w->step, rank, (double)ps * 1e-6);
    h->cpu->spend(h, ps);
}

struct choice {
    call_fn fn;
    unsigned weight;
};

static const struct choice choices[] = {
    { call_init, 1 },
    { call_malloc, 4 },
    { call_free, 2 },
    { call_create_handle, 5 },
    { call_destroy_handle, 2 },
    { call_fill, 3 },
    { call_desc_new, 2 },
    { call_desc_free, 2 },
    { call_put, 16 },
    { call_many_puts, 1 },
    { call_set, 8 },
    { call_start, 18 },
    { call_wait_channel, 4 },
    { call_take, 14 },
    { call_reset, 1 },
    { call_region, 3 },
    { call_send, 6 },
    { call_commit, 2 },
    { call_empty_board, 1 },
    { call_create_table, 2 },
    { call_destroy_table, 1 },
    { call_position, 7 },
    { call_chain, 5 },
    { pause_rank, 2 },
};
enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

static call_fn draw_call(struct world *w)
{
    size_t all = 0, at;

    for (unsigned i = 0; i < CHOICES; i++)
        all += choices[i].weight;
    at = dice_below(&w->dice, all);
    for (unsigned i = 0;; i++) {
        if (at < choices[i].weight)
            return choices[i].fn;
        at -= choices[i].weight;
    }
}

static bool has_channel(const struct world *w, unsigned rank)
{
    for (unsigned c = 0; c < CHANNELS; c++)
        if (w->channels[rank][c].set)
            return true;
    return false;
}

/** What a program would do next that has not got far; NULL: nothing in particular. */
static call_fn need(struct world *w, unsigned rank)
{
    const struct handle_wish own = { rank, HANDLE_GOOD, true, 4 };
    const struct list *l = pick_list(w, rank, true);

    if (!w->begun[rank])
        return dice_one_in(&w->dice, FIRST_TRY) ? NULL : call_init;
    if (dice_one_in(&w->dice, 3))
        return NULL;
    if (pick_mem(w, rank, true) == NULL)
        return call_malloc;
    if (pick_handle(w, &own) == NULL)
        return call_create_handle;
    if (l == NULL)
        return call_desc_new;
    if (l->puts.n == 0)
        return call_put;
    return has_channel(w, rank) ? NULL : call_set;
}

static void flip_byte(struct world *w, unsigned rank)
{
    struct mem *m = pick_mem(w, rank, true);

    if (w->lie == LIE_BYTE && !w->lied && m != NULL && m->n > 0 && !m->vague[0] && !m->unchecked) {
        m->p[0] ^= 1;
        w->lied = true;
    }
}

static void take_turn(struct world *w, unsigned rank, const struct turn *turn, bool first)
{
    struct host *h = host_self();
    call_fn fn;

    w->step = turn->step;
    w->dice = dice_of(w, w->step);
    if (turn->what == TURN_SETTLE) {
        call_settle(w, rank);
        return;
    }
    if (turn->what == TURN_COMPARE) {
        if (first) {
            h->cpu->spend(h, QUIET_PS);
            shadow_quiet(w);
        }
        flip_byte(w, rank);
        for (unsigned i = 0; i < w->nmems; i++)
            if (w->mems[i].rank == rank && w->mems[i].live)
                shadow_compare(w, i);
        return;
    }
    (void)dice_next(&w->dice); /* which rank, and whether it is a check: ranks_plan() */
    (void)dice_next(&w->dice);
    if (w->lie == LIE_DIFFERS && w->again)
        h->cpu->spend(h, 1000);
    fn = need(w, rank);
    if (fn == NULL)
        fn = draw_call(w);
    fn(w, rank);
}

int ranks_main(struct world *w)
{
    struct host *h = host_self();
    unsigned rank = h->rank;
    uint64_t waited = 0;

    while (!world_over(w)) {
        const struct turn *turn = &w->turns[w->turn];

        if (turn->rank != rank) {
            h->cpu->spend(h, TURN_PS + waited / 8);
            waited += TURN_PS + waited / 8;
            continue;
        }
        waited = 0;
        take_turn(w, rank, turn, w->turn == 0 || turn[-1].what == TURN_SETTLE);
        w->turn++;
    }
    return 0;
}
