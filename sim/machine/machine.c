/* Builds a machine from its description, and takes it down in reverse. */
#include "machine/internal.h"

#include <stdio.h>
#include <string.h>

/* ---- components ------------------------------------------------------------------ */

struct mapped {
    struct sim_link link;
    alignas(16) char bytes[];
};

static void *default_map(void *arg, unsigned node, const char *path, uint64_t bytes)
{
    struct machine *m = arg;
    struct mapped *entry =
        bytes < SIZE_MAX - sizeof(*entry) ? calloc(1, sizeof(*entry) + bytes) : NULL;

    (void)node;
    (void)path;
    if (entry == NULL)
        return NULL;
    sim_list_push(&m->maps, &entry->link);
    return entry->bytes;
}

void machine_component_config(const struct machine_component_desc *desc, void *config)
{
    for (const struct machine_value *v = desc->values; v->param != NULL; v++) {
        SIM_ASSERT((v->value >= v->param->min && v->value <= v->param->max) ||
                   v->value == v->param->def); /* who made it checks */
        memcpy((char *)config + v->param->offset, &v->value, sizeof(v->value));
    }
}

static int create_component(struct machine *m, struct component *c, struct sim_error *err)
{
    const struct machine_kind *kind = c->desc->kind;
    const struct machine_place place = { .dom = m->domains[c->node],
                                         .path = c->path,
                                         .node = c->node,
                                         .map = m->map,
                                         .map_arg = m->map_arg,
                                         .net_bytes_per_us = m->desc->net_bytes_per_us };
    struct sim_error why = { 0 };
    void *config = calloc(1, kind->config_bytes + 1u);
    int code = SIM_ERR_NOMEM;

    if (config != NULL) {
        machine_component_config(c->desc, config);
        code = kind->create(&place, config, &c->it, &why);
    }
    free(config);
    return machine_located(c, code, &why, NULL, 0, err);
}

static int create_components(struct machine *m, struct sim_error *err)
{
    for (; m->created < m->ncomponents; m->created++) {
        int code = create_component(m, &m->components[m->created], err);

        if (code != SIM_OK)
            return code;
    }
    return SIM_OK;
}

/** Lists all components with their paths; names are unique within a node. */
static int list_components(struct machine *m, struct sim_error *err)
{
    unsigned n = 0;

    for (unsigned node = 0; node < m->desc->nnodes; node++) {
        const struct machine_node_desc *nd = &m->desc->nodes[node];

        m->first[node] = n;
        for (unsigned i = 0; i < nd->ncomponents; i++) {
            struct component *c = &m->components[n++];

            c->desc = &nd->components[i];
            c->node = node;
            if (snprintf(c->path, PATH_BYTES, "node%u.%s", node, c->desc->name) >= PATH_BYTES)
                return sim_error_set(err, SIM_ERR_CONFIG, "node%u: component name is too long: %s",
                                     node, c->desc->name);
            for (unsigned k = 0; k < i; k++) {
                if (strcmp(nd->components[k].name, c->desc->name) == 0)
                    return sim_error_set(err, SIM_ERR_CONFIG, "%s: two components of this name",
                                         c->path);
            }
        }
    }
    m->first[m->desc->nnodes] = n;
    return SIM_OK;
}

/* ---- the machine -------------------------------------------------------------------- */

static int start_everything(const struct machine *m, struct sim_error *err)
{
    int code = SIM_OK;

    for (unsigned i = 0; code == SIM_OK && i < m->ncomponents; i++) {
        const struct component *c = &m->components[i];
        struct sim_error why = { 0 };

        if (c->desc->kind->start == NULL)
            continue;
        code = c->desc->kind->start(c->it, &why);
        code = machine_located(c, code, &why, NULL, 0, err);
    }
    return code;
}

static int build_machine(struct machine *m, const struct sim_config *cfg, struct sim_error *err)
{
    int code;

    for (unsigned i = 0; i < m->desc->nnodes; i++)
        m->ncomponents += m->desc->nodes[i].ncomponents;
    m->sim = sim_create(cfg);
    m->domains = calloc(m->desc->nnodes, sizeof(struct sim_domain *));
    m->components = calloc(m->ncomponents + 1u, sizeof(*m->components));
    m->first = calloc(m->desc->nnodes + 1u, sizeof(*m->first));
    if (m->sim == NULL || m->domains == NULL || m->components == NULL || m->first == NULL)
        return SIM_ERR_NOMEM;
    for (unsigned i = 0; i < m->desc->nnodes; i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "node%u", i);
        m->domains[i] = sim_domain_create(m->sim, name);
        if (m->domains[i] == NULL)
            return SIM_ERR_NOMEM;
    }
    code = list_components(m, err);
    if (code == SIM_OK)
        code = create_components(m, err);
    if (code == SIM_OK)
        code = machine_join(m, err);
    if (code == SIM_OK)
        code = machine_route(m, err);
    if (code == SIM_OK)
        code = machine_check_payloads(m, err);
    if (code == SIM_OK)
        code = machine_break(m, err);
    return code != SIM_OK ? code : start_everything(m, err);
}

int machine_create(const struct machine_desc *desc, const struct sim_config *cfg,
                   void *(*map)(void *, unsigned, const char *, uint64_t), void *map_arg,
                   struct machine **machine_p, struct sim_error *err)
{
    struct machine *m;
    int code;

    if (desc->nnodes == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: a machine needs a node", desc->name);
    m = calloc(1, sizeof(*m));
    if (m == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", desc->name);
    m->desc = desc;
    m->map = map != NULL ? map : default_map;
    m->map_arg = map != NULL ? map_arg : m;
    code = build_machine(m, cfg, err);
    if (code == SIM_ERR_NOMEM) /* where the message is still missing */
        (void)sim_error_set(err, code, "%s: out of memory", desc->name);
    if (code != SIM_OK) {
        machine_destroy(m);
        return code;
    }
    *machine_p = m;
    return SIM_OK;
}

void machine_destroy(struct machine *m)
{
    if (m == NULL)
        return;
    while (m->created > 0) {
        struct component *c = &m->components[--m->created];

        c->desc->kind->destroy(c->it);
    }
    sim_destroy(m->sim);
    sim_list_free(&m->maps);
    free(m->routes);
    free(m->first);
    free(m->components);
    free(m->domains);
    free(m);
}
