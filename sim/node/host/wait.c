/* Cores that wait for memory to change. */
#include "node/host/internal.h"

sim_time_t node_host_poll_detect_ps(const struct node_host *host)
{
    return host->cfg.cpu.poll_detect_ps;
}

void node_core_poll_end(struct node_core *core)
{
    for (unsigned i = 0; i < core->nwords; i++)
        mem_ram_unwatch(&core->host->ram, &core->words[i].watch);
}

/* Watches of the other words are taken off later, since the memory walks its list now. */
static void poll_hit(struct mem_watch *w)
{
    struct node_core *core = SIM_CONTAINER_OF(w, struct node_poll_word, watch)->core;

    if (core->value == 0 && (core->due || sim_event_scheduled(&core->end)))
        return; /* the loop has met an earlier one */
    sim_cancel(core->host->dom, &core->end);
    core->cause = core->host->cause;
    node_core_end(core, host_cpu_of(core)->poll_detect_ps, 0);
}

void node_core_poll_any(struct node_core *core, struct node_poll_word *words, unsigned n,
                        sim_time_t deadline, node_done_fn done, void *arg)
{
    node_core_begin(core, CORE_POLL, done, arg);
    core->words = words;
    core->nwords = n;
    core->value = 1;
    for (unsigned i = 0; i < n; i++) {
        words[i].core = core;
        words[i].watch.fn = poll_hit;
        mem_ram_watch(&core->host->ram, &words[i].watch);
    }
    if (deadline != SIM_TIME_NEVER)
        sim_schedule_at(core->host->dom, &core->end, deadline, SIM_TASK);
}

void node_core_poll(struct node_core *core, uint64_t addr, uint32_t size, node_done_fn done,
                    void *arg)
{
    core->word = (struct node_poll_word){ .watch = { .addr = addr, .size = size } };
    node_core_poll_any(core, &core->word, 1, SIM_TIME_NEVER, done, arg);
}

void node_core_interrupt(struct node_core *core)
{
    if (core->op != CORE_POLL || core->value == 0)
        return;
    sim_cancel(core->host->dom, &core->end);
    core->cause = 0;
    node_core_end(core, 0, 0);
}
