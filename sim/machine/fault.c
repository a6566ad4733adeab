/* Gives the faults of a description to the components that they are of. */
#include "machine/internal.h"

#include <stdlib.h>
#include <string.h>

static bool offers_fault(const struct machine_kind *kind, const struct machine_fault_kind *fault)
{
    for (const struct machine_fault_kind *k = kind->faults; k != NULL && k->name != NULL; k++)
        if (k == fault)
            return true;
    return false;
}

static int give_fault(const struct machine *m, const struct machine_fault_desc *f,
                      struct sim_error *why)
{
    const struct component *c = machine_find(m, f->node, f->component);
    const struct machine_param *params = f->kind->params;
    void *end = c != NULL && f->port != NULL ? machine_port_of(c, f->port).end : NULL;
    char *config;
    int code;

    if (c == NULL || !offers_fault(c->desc->kind, f->kind) ||
        (f->kind->place == MACHINE_OF_COMPONENT) != (end == NULL) ||
        (end == NULL) != (f->port == NULL))
        return sim_error_set(why, SIM_ERR_CONFIG, "node%u.%s: expected what can have the fault %s",
                             f->node, f->component, f->kind->name);
    config = calloc(1, f->kind->config_bytes);
    if (config == NULL)
        return sim_error_set(why, SIM_ERR_NOMEM, "%s: out of memory", c->path);
    for (unsigned i = 0; params[i].key != NULL; i++) {
        SIM_ASSERT(f->values[i] >= params[i].min && f->values[i] <= params[i].max); /* the loader */
        memcpy(config + params[i].offset, &f->values[i], sizeof(f->values[i]));
    }
    code = c->desc->kind->fault(c->it, end, f->kind, config, why);
    free(config);
    return code;
}

int machine_break(const struct machine *m, struct sim_error *err)
{
    for (unsigned i = 0; i < m->desc->nfaults; i++) {
        const struct machine_fault_desc *f = &m->desc->faults[i];
        struct sim_error why = { 0 };
        int code = give_fault(m, f, &why);

        if (code != SIM_OK)
            return sim_error_set_at(err, code, f->file, f->line, "%s", why.text);
    }
    return SIM_OK;
}
