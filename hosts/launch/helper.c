#include "hosts/launch/helper.h"

#include <stdlib.h>

/* All software of the ring's time has run by then. */
#define NEXT_INSTANT_PS 1u

static void rung_event(struct sim_event *ev)
{
    struct launch_helper *hp = SIM_CONTAINER_OF(ev, struct launch_helper, rung);

    if (hp->rank->ended || !hp->what.wanted(hp->what.arg))
        return;
    hp->again = true;
    if (hp->runs)
        return;
    hp->runs = true;
    node_core_hold(hp->rank->core);
    launch_wake(&hp->thread);
}

static void helper_run(struct launch_thread *t)
{
    struct launch_helper *hp = SIM_CONTAINER_OF(t, struct launch_helper, thread);

    t->asleep = false;
    for (;;) {
        if (!hp->runs) {
            launch_sleep(t, SIM_TIME_NEVER, "waiting to be rung");
            continue;
        }
        hp->rank->running = t;
        host_spend_cost(&hp->rank->host, HOST_COST_HELPER);
        while (hp->again) {
            hp->again = false;
            hp->what.run(hp->what.arg);
        }
        hp->rank->running = NULL;
        hp->runs = false;
        node_core_release(hp->rank->core);
        launch_let_go(hp->rank);
    }
}

bool launch_set_helper(struct host *h, const struct host_helper *what)
{
    struct launch_thread *rank = launch_thread_of(h);
    struct node_core *core = node_core_above(rank->core);
    struct launch_helper *hp = NULL;

    if (core != NULL && rank->helper == NULL)
        hp = calloc(1, sizeof(*hp));
    if (hp == NULL)
        return false;
    if (launch_thread_init(&hp->thread, rank->node, core, helper_run, NULL) != SIM_OK) {
        launch_thread_fini(&hp->thread);
        free(hp);
        return false;
    }
    hp->thread.above = rank;
    hp->rank = rank;
    hp->what = *what;
    sim_event_init(&hp->rung, rung_event);
    rank->helper = hp;
    hp->thread.asleep = true; /* its first sleep needs no stack yet */
    return true;
}

void launch_ring(struct launch_thread *rank)
{
    struct sim_domain *dom = rank->dom;

    if (rank->helper != NULL)
        sim_schedule_by(dom, &rank->helper->rung, sim_now(dom) + NEXT_INSTANT_PS, SIM_CLOCK);
}

void launch_helper_cancel(struct launch_thread *rank)
{
    if (rank->helper == NULL)
        return;
    sim_cancel(rank->dom, &rank->helper->rung);
    sim_cancel(rank->dom, &rank->helper->thread.wakeup);
}

void launch_helper_fini(struct launch_thread *rank)
{
    if (rank->helper == NULL)
        return;
    launch_helper_cancel(rank);
    launch_thread_fini(&rank->helper->thread);
    free(rank->helper);
    rank->helper = NULL;
}
