#include "tools/lab/run/software.h"
#include "rtl-model/cosim/cosim.h"
#include "tools/load/value.h"

#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 32u

struct config {
    uint64_t values[LAB_SOFTWARE_ROWS_MAX]; /* by row of the parameters of all libraries */
};

static struct machine_param params[LAB_SOFTWARE_ROWS_MAX + 1];

static int create(const struct machine_place *place, const void *config, void **component_p,
                  struct sim_error *err)
{
    struct config *copy = malloc(sizeof(*copy));

    if (copy == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    memcpy(copy, config, sizeof(*copy));
    *component_p = copy;
    return SIM_OK;
}

/* ---- which hub ranks use -------------------------------------------------------------- */

/** What the first node's software says. The other nodes must say no other. */
static uint64_t first_rank_hub(const struct machine_desc *desc)
{
    const struct machine_node_desc *nd = &desc->nodes[0];

    for (unsigned i = 0; i < nd->ncomponents; i++) {
        const struct machine_value *v = machine_value_find(&nd->components[i], "rank_hub");

        if (v != NULL)
            return v->value;
    }
    return 0;
}

/** Has some node, perhaps another one, the hub of this number? Without a hub, 0 says nothing. */
static bool is_rank_hub(const struct machine_desc *desc, uint64_t rank_hub)
{
    bool found = rank_hub == LAUNCH_HUB_TURN || rank_hub == 0;

    for (unsigned node = 0; node < desc->nnodes && !found; node++)
        found = rank_hub < launch_hubs(desc, node);
    return found;
}

static int check_rank_hub(const struct machine_desc *desc, unsigned node,
                          const struct machine_component_desc *component, struct sim_error *err)
{
    const struct machine_value *v = machine_value_find(component, "rank_hub");
    uint64_t first = first_rank_hub(desc);
    char is[16], expected[16];

    load_value_print(v->param, v->value, is, sizeof(is));
    if (!is_rank_hub(desc, v->value))
        return sim_error_set_at(err, SIM_ERR_CONFIG, v->file, v->line,
                                "node%u.%s.rank_hub = %s: expected turn, or the number of a hub "
                                "from 0 on: no node has that many",
                                node, component->name, is);
    /* On a node with one hub it has no meaning. */
    if (v->value != first && launch_hubs(desc, node) > 1)
        return sim_error_set_at(
            err, SIM_ERR_CONFIG, v->file, v->line,
            "node%u.%s.rank_hub = %s: expected %s as on node 0: all ranks choose their hub alike",
            node, component->name, is,
            load_value_print(v->param, first, expected, sizeof(expected)));
    return SIM_OK;
}

/* ---- the kind --------------------------------------------------------------------------- */

static const char *const no_ports[] = { NULL };

static const struct machine_kind software_kind = {
    .name = "software",
    .summary = "costs of the operating system and libraries",
    .params = params,
    .config_bytes = sizeof(struct config),
    .ports = no_ports,
    .check = check_rank_hub,
    .create = create,
    .destroy = free,
};

struct machine_param lab_software_row(const struct host_param *p, unsigned i)
{
    SIM_ASSERT(i < LAB_SOFTWARE_ROWS_MAX);
    return (struct machine_param){ .key = p->key,
                                   .unit = p->unit,
                                   .min = p->least,
                                   .max = p->most,
                                   .def = p->def,
                                   .offset = offsetof(struct config, values[i]),
                                   .meaning = p->meaning,
                                   .choices = p->choices };
}

static unsigned add_kinds(const struct machine_kind **all, unsigned n,
                          const struct machine_kind *const *kinds)
{
    for (; *kinds != NULL; kinds++) {
        SIM_ASSERT(n + 2 < KINDS_MAX);
        all[n++] = *kinds;
    }
    return n;
}

const struct machine_kind *const *lab_kinds(void)
{
    static const struct machine_kind *all[KINDS_MAX]; /* the same at every call */
    unsigned n = add_kinds(all, 0, machine_kinds());

    all[n++] = cosim_hub_rtl();
    all[n++] = cosim_hub_sc();
    if (machine_more_kinds != NULL)
        n = add_kinds(all, n, machine_more_kinds);
    for (unsigned i = 0; launch_param(i, NULL) != NULL; i++)
        params[i] = lab_software_row(launch_param(i, NULL), i);
    all[n++] = &software_kind;
    all[n] = NULL;
    return all;
}

struct launch_software lab_software(struct machine *machine, unsigned node)
{
    struct launch_software software = launch_software_default();
    const struct machine_kind *kind = NULL;
    const struct config *cfg = machine_component(machine, node, "software", &kind);

    if (cfg == NULL || kind != &software_kind)
        return software;
    for (unsigned i = 0; params[i].key != NULL; i++)
        launch_software_set(&software, launch_param(i, NULL), cfg->values[i]);
    return software;
}
