/*
 * The kind "hub.sc": the hub of kind hub.c, but its core runs in a process of SystemC, at the edges
 * of its clock at which it has something to do. All else, and each value, is as there.
 */
#include "rtl-model/cosim/cosim.h"

#include "hub/internal.h"
#include "rtl-model/cosim/library.h"
#include "rtl-model/cosim/process.h"

#include <stdlib.h>

struct core {
    const struct process_ops *ops;
    struct process *process;
    struct sim_event *tick;
    sim_event_fn step; /* what it did before */
};

static void step(void *arg)
{
    const struct core *core = arg;

    core->step(core->tick);
}

/* The process runs now, in this domain. */
static void on_edge(struct sim_event *ev)
{
    const struct hub *hub = SIM_CONTAINER_OF(ev, struct hub, tick);
    const struct core *core = hub->core;

    SIM_ASSERT(core->ops->run(core->process, sim_now(hub->dom))); /* one machine at a time */
}

static int create(const struct machine_place *place, const void *config, void **component_p,
                  struct sim_error *err)
{
    struct core *core = sim_calloc(sizeof(*core));
    struct hub *hub;
    void *component;
    int rc = SIM_ERR_NOMEM;

    if (core != NULL)
        rc = library_processes(place->path, &core->ops, err);
    if (rc == SIM_OK)
        rc = hub_kind.create(place, config, &component, err);
    if (rc != SIM_OK)
        goto err_free;
    hub = component;
    core->tick = &hub->tick;
    core->step = hub->tick.fn;
    core->process = core->ops->create(place->path, step, core);
    if (core->process == NULL) {
        rc =
            sim_error_set(err, SIM_ERR_CONFIG,
                          "%s: SystemC has modules: expected none beside kind hub.sc", place->path);
        goto err_destroy;
    }
    hub->core = core;
    hub->tick.fn = on_edge;
    sim_keep_step(place->dom);
    *component_p = component;
    return SIM_OK;

err_destroy:
    hub_kind.destroy(component);
err_free:
    free(core);
    return rc;
}

static void destroy(void *component)
{
    struct core *core = ((struct hub *)component)->core;

    hub_kind.destroy(component);
    core->ops->destroy(core->process);
    free(core);
}

const struct machine_kind *cosim_hub_sc(void)
{
    static struct machine_kind kind;

    kind = hub_kind;
    kind.name = "hub.sc";
    kind.summary = "The hub of kind hub.c, with its core in a process of SystemC.";
    kind.create = create;
    kind.destroy = destroy;
    return &kind;
}
