/* Two domains exchange records over channels: a ping-pong, 100 ns a way, 2 ns a hit. */
#include "core/sim.h"
#include <stdio.h>

struct player {
    struct sim_domain *dom;
    struct sim_channel *out;
    struct sim_event hit;
    uint32_t left; /* hits of the rally, sent as the record */
};
static void on_hit(struct sim_event *ev)
{
    struct player *p = SIM_CONTAINER_OF(ev, struct player, hit);

    *(uint32_t *)sim_channel_reserve(p->out, sizeof(p->left)) = p->left;
    sim_channel_send(p->out, sim_now(p->dom));
}
static void on_ball(void *arg, const void *record, uint32_t bytes)
{
    struct player *p = arg;

    printf("%s gets %u bytes at %6.0f ns\n", sim_domain_name(p->dom), bytes, sim_now(p->dom) / 1e3);
    p->left = *(const uint32_t *)record - 1;
    if (p->left > 0)
        sim_schedule_in(p->dom, &p->hit, 2 * SIM_NS, SIM_CLOCK);
}
int main(void)
{
    struct sim *sim = sim_create(&(struct sim_config){ .seed = 1 });
    struct player a = { .dom = sim_domain_create(sim, "a"), .left = 3 };
    struct player b = { .dom = sim_domain_create(sim, "b") };
    struct sim_channel_config ab = { a.dom, b.dom, 100 * SIM_NS, .deliver = on_ball, .arg = &b };
    struct sim_channel_config ba = { b.dom, a.dom, 100 * SIM_NS, .deliver = on_ball, .arg = &a };

    a.out = sim_channel_create(&ab, NULL), b.out = sim_channel_create(&ba, NULL);
    sim_event_init(&a.hit, on_hit), sim_event_init(&b.hit, on_hit);
    sim_schedule_at(a.dom, &a.hit, 0, SIM_CLOCK);
    sim_run(sim, SIM_TIME_NEVER);
    sim_destroy(sim);
}
