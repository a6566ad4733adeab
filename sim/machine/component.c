/* What is in a machine, found by names. */
#include "machine/internal.h"

#include <string.h>

/* ---- values ------------------------------------------------------------------------ */

/** Is `word` the key, or its last part, as a port says "lanes" of the key "port.lanes"? */
static bool key_ends_in(const char *key, const char *word)
{
    size_t length = strlen(key), n = strlen(word);

    return length >= n && strcmp(key + length - n, word) == 0 &&
           (length == n || key[length - n - 1] == '.');
}

/** The value that a kind's error is about; NULL: about none, or none that was given. */
static const struct machine_value *value_of_error(const struct component *component,
                                                  const struct sim_error *why)
{
    const struct machine_value *v = component->desc->values;

    if (why->cause != SIM_CAUSE_VALUE)
        return NULL;
    while (v->param != NULL &&
           (v->file == NULL || v->value != why->value || !key_ends_in(v->param->key, why->key)))
        v++;
    return v->param != NULL ? v : NULL;
}

int machine_located(const struct component *c, int code, struct sim_error *why, const char *file,
                    unsigned line, struct sim_error *err)
{
    const struct machine_value *v = value_of_error(c, why);
    bool unnamed = why->cause == SIM_CAUSE_VALUE && !why->headed;

    if (code == SIM_ERR_NOMEM) /* where the kind has not said of what */
        (void)sim_error_set(why, code, "%s: out of memory", c->path);
    return code == SIM_OK
               ? SIM_OK
               : sim_error_set_at(err, code, v != NULL ? v->file : file, v != NULL ? v->line : line,
                                  "%s%s%s", unnamed ? c->path : "", unnamed ? "." : "", why->text);
}

bool machine_is_kind(const struct machine_component_desc *desc, const struct machine_kind *kind)
{
    return desc->kind == kind || (kind->params != NULL && desc->kind->params == kind->params);
}

bool machine_is_router(const struct machine_component_desc *desc)
{
    return desc->kind->set_routes != NULL;
}

struct machine_value *machine_value_find(const struct machine_component_desc *desc, const char *key)
{
    struct machine_value *v = desc->values;

    while (v->param != NULL && strcmp(v->param->key, key) != 0)
        v++;
    return v->param != NULL ? v : NULL;
}

/* ---- links ---- */

static bool is_end(unsigned node_a, const char *component_a, const char *port_a, unsigned node,
                   const char *component, const char *port)
{
    return node_a == node && strcmp(component_a, component) == 0 && strcmp(port_a, port) == 0;
}

char machine_link_end(const struct machine_link_desc *link, unsigned node, const char *component,
                      const char *port)
{
    if (is_end(link->node_a, link->component_a, link->port_a, node, component, port))
        return 'a';
    return is_end(link->node_b, link->component_b, link->port_b, node, component, port) ? 'b' : 0;
}

/* ---- components ---------------------------------------------------------------------- */

struct component *machine_find(const struct machine *m, unsigned node, const char *name)
{
    if (node >= m->desc->nnodes)
        return NULL;
    for (unsigned i = m->first[node]; i < m->first[node + 1]; i++) {
        if (strcmp(m->components[i].desc->name, name) == 0)
            return &m->components[i];
    }
    return NULL;
}

const struct machine_routes *machine_routes_of(const struct machine *m, unsigned node,
                                               const char *name)
{
    const struct component *c = machine_find(m, node, name);

    return c != NULL ? c->routes : NULL;
}

const struct machine_desc *machine_description(const struct machine *m)
{
    return m->desc;
}

struct sim *machine_sim(struct machine *m)
{
    return m->sim;
}

struct sim_domain *machine_domain(struct machine *m, unsigned node)
{
    SIM_ASSERT(node < m->desc->nnodes);
    return m->domains[node];
}

void *machine_component(struct machine *m, unsigned node, const char *name,
                        const struct machine_kind **kind_p)
{
    const struct component *c = machine_find(m, node, name);

    if (c == NULL)
        return NULL;
    if (kind_p != NULL)
        *kind_p = c->desc->kind;
    return c->it;
}
