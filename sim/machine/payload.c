/*
 * Packets pass routers unchanged, so every link between routers must take the largest packet that
 * some host of their sub-cluster may send.
 */
#include "machine/internal.h"

#include <stdio.h>
#include <string.h>

static bool passes_on(const struct component *c)
{
    return c->routes != NULL && c->desc->kind->payload != NULL;
}

static uint64_t at_host(const struct component *c)
{
    return c->desc->kind->payload(c->it, c->desc->kind->host_port);
}

/** The router of the sub-cluster whose host sends the largest packets. */
static const struct component *largest_source(const struct machine *m, const struct component *of)
{
    const struct component *largest = of;

    for (unsigned i = 0; i < m->ncomponents; i++) {
        const struct component *c = &m->components[i];

        if (passes_on(c) && c->routes->subcluster == of->routes->subcluster &&
            at_host(c) > at_host(largest))
            largest = c;
    }
    return largest;
}

/** What the port itself takes; the far end of its link may take less. NULL: no such parameter. */
static const struct machine_value *own_payload(const struct component *c, const char *port)
{
    char key[64];

    (void)snprintf(key, sizeof(key), "%s.%s", port, c->desc->kind->payload_key);
    return machine_value_find(c->desc, key);
}

static int refuse_payload(const struct component *c, const struct machine_value *own,
                          const struct component *source, struct sim_error *err)
{
    return sim_error_set_at(err, SIM_ERR_CONFIG, own->file, own->line,
                            "%s: %s = %llu: expected at least %llu, the payload of packets that "
                            "may come from %s.%s",
                            c->path, own->param->key, (unsigned long long)own->value,
                            (unsigned long long)at_host(source), source->path,
                            source->desc->kind->host_port);
}

/** The link inside the node that is joined to this port, or NULL. */
static const struct machine_link_desc *link_at(const struct machine *m, const struct component *c,
                                               const char *port)
{
    const struct machine_node_desc *node = &m->desc->nodes[c->node];

    for (unsigned i = 0; i < node->nlinks; i++)
        if (machine_link_end(&node->links[i], c->node, c->desc->name, port) != 0)
            return &node->links[i];
    return NULL;
}

/** The host is the end that takes less: no router's value is wrong. */
static int refuse_host(const struct machine *m, const struct component *c, uint64_t bytes,
                       const struct component *source, struct sim_error *err)
{
    const char *port = c->desc->kind->host_port;
    const struct machine_link_desc *link = link_at(m, c, port);

    return sim_error_set_at(err, SIM_ERR_CONFIG, link != NULL ? link->file : NULL,
                            link != NULL ? link->line : 0,
                            "%s.%s: the host takes payloads of %llu bytes: expected at least %llu, "
                            "that of packets that may come from %s.%s",
                            c->path, port, (unsigned long long)bytes,
                            (unsigned long long)at_host(source), source->path, port);
}

static int check_router(const struct machine *m, const struct component *c,
                        const struct component *source, struct sim_error *err)
{
    const struct machine_kind *kind = c->desc->kind;
    uint64_t needed = at_host(source), bytes;

    for (const char *const *port = kind->ports; *port != NULL; port++) {
        const struct machine_value *own = own_payload(c, *port);

        bytes = kind->payload(c->it, *port);
        if (bytes == 0 || bytes >= needed)
            continue;
        if (own != NULL && own->value == bytes)
            return refuse_payload(c, own, source, err);
        if (strcmp(*port, kind->host_port) == 0)
            return refuse_host(m, c, bytes, source, err);
        /* the router at the far end of the cable has the value that is too small */
    }
    return SIM_OK;
}

int machine_check_payloads(const struct machine *m, struct sim_error *err)
{
    const struct component *source = NULL;
    int rc = SIM_OK;

    for (unsigned i = 0; i < m->ncomponents && rc == SIM_OK; i++) {
        const struct component *c = &m->components[i];

        if (!passes_on(c))
            continue;
        if (source == NULL || source->routes->subcluster != c->routes->subcluster)
            source = largest_source(m, c); /* those of a sub-cluster mostly stand together */
        rc = check_router(m, c, source, err);
    }
    return rc;
}
