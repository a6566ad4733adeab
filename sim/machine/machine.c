/* Builds a machine from its description, and takes it down in reverse. */
#include "machine/machine.h"
#include "machine/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 96

struct component {
    char path[PATH_BYTES];
    const struct machine_component_desc *desc;
    void *it; /* NULL until created */
    unsigned node;
};

struct machine {
    const struct machine_desc *desc;
    struct sim *sim;
    struct sim_domain **domains; /* by node */
    struct component *components;
    unsigned ncomponents, created;
    unsigned *first; /* component of a node; [nnodes] is their number */
    struct mapped {
        struct mapped *next;
        void *bytes;
    } * maps;
    void *(*map)(void *, unsigned, const char *, uint64_t);
    void *map_arg;
};

/* ---- messages ------------------------------------------------------------------ */

/** Passes on `why`, headed by the place it came from when that is known. */
static int located(struct sim_error *err, const char *file, unsigned line,
                   const struct sim_error *why)
{
    if (file == NULL)
        return sim_error_set(err, why->code, "%s", why->text);
    return sim_error_set(err, why->code, "%s:%u: %s", file, line, why->text);
}

/** Is `word` the key, or its last part, as a port says "lanes" of the key "port.lanes"? */
static bool key_ends_in(const char *key, const char *word, size_t n)
{
    size_t length = strlen(key);

    return length >= n && strncmp(key + length - n, word, n) == 0 &&
           (length == n || key[length - n - 1] == '.');
}

/** The value that a kind's message is about: "[path: ]key = number: ...". NULL: none was given. */
static const struct machine_value *value_named(const struct machine_component_desc *c,
                                               const char *text)
{
    const char *equals = strstr(text, " = "), *word = equals;
    unsigned long number;

    if (equals == NULL)
        return NULL;
    while (word > text && word[-1] != ' ')
        word--;
    number = strtoul(equals + 3, NULL, 10);
    for (unsigned i = 0; c->kind->params[i].key != NULL; i++) {
        const struct machine_value *v = &c->values[i];

        if (v->file != NULL && v->value == number &&
            key_ends_in(c->kind->params[i].key, word, (size_t)(equals - word)))
            return v;
    }
    return NULL;
}

/** A kind refused: its message with the place of the value that it names. */
static int kind_failed(const struct component *c, int code, struct sim_error *why,
                       struct sim_error *err)
{
    const struct machine_value *v = value_named(c->desc, why->text);

    why->code = code;
    if (v != NULL)
        return located(err, v->file, v->line, why);
    return located(err, NULL, 0, why);
}

/* ---- components ------------------------------------------------------------------ */

static void *default_map(void *arg, unsigned node, const char *path, uint64_t bytes)
{
    struct machine *m = arg;
    struct mapped *entry = malloc(sizeof(*entry));

    (void)node;
    (void)path;
    if (entry == NULL)
        return NULL;
    entry->bytes = bytes <= SIZE_MAX ? calloc(1, (size_t)bytes) : NULL;
    if (entry->bytes == NULL) {
        free(entry);
        return NULL;
    }
    entry->next = m->maps;
    m->maps = entry;
    return entry->bytes;
}

static int check_value(const struct component *c, const struct machine_value *v,
                       struct sim_error *err)
{
    const struct machine_param *p = v->param;
    struct sim_error why = { SIM_OK, "" };

    if (v->value >= p->min && v->value <= p->max)
        return SIM_OK;
    (void)sim_error_set(&why, SIM_ERR_CONFIG, "%s: %s = %llu: expected %llu to %llu", c->path,
                        p->key, (unsigned long long)v->value, (unsigned long long)p->min,
                        (unsigned long long)p->max);
    return located(err, v->file, v->line, &why);
}

/** The kind's configuration from the values, each within its range. */
static int configure(const struct component *c, void *config, struct sim_error *err)
{
    const struct machine_param *params = c->desc->kind->params;

    for (unsigned i = 0; params[i].key != NULL; i++) {
        const struct machine_value *v = &c->desc->values[i];
        int code;

        SIM_ASSERT(v->param == &params[i]);
        code = check_value(c, v, err);
        if (code != SIM_OK)
            return code;
        memcpy((char *)config + params[i].offset, &v->value, sizeof(v->value));
    }
    return SIM_OK;
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
    struct sim_error why = { SIM_OK, "" };
    void *config = calloc(1, kind->config_bytes != 0 ? kind->config_bytes : 1);
    int code;

    if (config == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", c->path);
    code = configure(c, config, err);
    if (code == SIM_OK) {
        code = kind->create(&place, config, &c->it, &why);
        if (code != SIM_OK)
            code = kind_failed(c, code, &why, err);
    }
    free(config);
    return code;
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

static struct component *find(const struct machine *m, unsigned node, const char *name)
{
    if (node >= m->desc->nnodes)
        return NULL;
    for (unsigned i = m->first[node]; i < m->first[node + 1]; i++) {
        if (strcmp(m->components[i].desc->name, name) == 0)
            return &m->components[i];
    }
    return NULL;
}

/* ---- links ----------------------------------------------------------------------- */

static int find_port(const struct machine *m, unsigned node, const char *component,
                     const char *name, struct machine_port *port_p, struct sim_error *err)
{
    const struct component *c = find(m, node, component);

    if (c == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "node%u.%s.%s: there is no such component", node,
                             component, name);
    *port_p = c->desc->kind->port(c->it, name);
    if (port_p->protocol == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s.%s: a %s has no such port", c->path, name,
                             c->desc->kind->name);
    return SIM_OK;
}

/** Does an earlier link of `before` use the end (node, component, port)? */
static bool end_used(const struct machine_link_desc *links, unsigned before, unsigned node,
                     const char *component, const char *port)
{
    for (unsigned i = 0; i < before; i++) {
        const struct machine_link_desc *l = &links[i];

        if ((l->node_a == node && strcmp(l->component_a, component) == 0 &&
             strcmp(l->port_a, port) == 0) ||
            (l->node_b == node && strcmp(l->component_b, component) == 0 &&
             strcmp(l->port_b, port) == 0))
            return true;
    }
    return false;
}

static int join(const struct machine *m, const struct machine_link_desc *links, unsigned i,
                struct sim_error *why)
{
    const struct machine_link_desc *l = &links[i];
    struct machine_port a, b;
    int code = find_port(m, l->node_a, l->component_a, l->port_a, &a, why);

    if (code == SIM_OK)
        code = find_port(m, l->node_b, l->component_b, l->port_b, &b, why);
    if (code != SIM_OK)
        return code;
    if (end_used(links, i, l->node_a, l->component_a, l->port_a))
        return sim_error_set(why, SIM_ERR_CONFIG, "node%u.%s.%s is joined twice", l->node_a,
                             l->component_a, l->port_a);
    if (end_used(links, i, l->node_b, l->component_b, l->port_b) || a.end == b.end)
        return sim_error_set(why, SIM_ERR_CONFIG, "node%u.%s.%s is joined twice", l->node_b,
                             l->component_b, l->port_b);
    if (strcmp(a.protocol, b.protocol) != 0)
        return sim_error_set(why, SIM_ERR_CONFIG,
                             "node%u.%s.%s speaks %s, but node%u.%s.%s speaks %s", l->node_a,
                             l->component_a, l->port_a, a.protocol, l->node_b, l->component_b,
                             l->port_b, b.protocol);
    return a.join(a.end, b.end, l->length_mm * m->desc->ps_per_m / 1000, why);
}

static int join_all(const struct machine *m, const struct machine_link_desc *links, unsigned n,
                    struct sim_error *err)
{
    for (unsigned i = 0; i < n; i++) {
        struct sim_error why = { SIM_OK, "" };
        int code = join(m, links, i, &why);

        if (code != SIM_OK) {
            why.code = code;
            return located(err, links[i].file, links[i].line, &why);
        }
    }
    return SIM_OK;
}

/** The component's port of the control network, or one without protocol. */
static struct machine_port net_port(const struct component *c)
{
    const char *const *names = c->desc->kind->ports;

    for (unsigned i = 0; names[i] != NULL; i++) {
        struct machine_port port = c->desc->kind->port(c->it, names[i]);

        if (port.protocol != NULL && strcmp(port.protocol, "net") == 0)
            return port;
    }
    return (struct machine_port){ NULL, NULL, NULL };
}

/** The control network joins each with each. */
static int join_net(const struct machine *m, struct sim_error *err)
{
    for (unsigned i = 0; i < m->ncomponents; i++) {
        struct machine_port a = net_port(&m->components[i]);

        for (unsigned k = i + 1; a.protocol != NULL && k < m->ncomponents; k++) {
            struct machine_port b = net_port(&m->components[k]);
            int code = SIM_OK;

            if (b.protocol != NULL && m->components[i].node != m->components[k].node)
                code = a.join(a.end, b.end, m->desc->net_latency_ps, err);
            if (code != SIM_OK)
                return code;
        }
    }
    return SIM_OK;
}

static int join_everything(const struct machine *m, struct sim_error *err)
{
    int code;

    for (unsigned node = 0; node < m->desc->nnodes; node++) {
        code = join_all(m, m->desc->nodes[node].links, m->desc->nodes[node].nlinks, err);
        if (code != SIM_OK)
            return code;
    }
    code = join_all(m, m->desc->cables, m->desc->ncables, err);
    return code != SIM_OK ? code : join_net(m, err);
}

/* ---- routes ------------------------------------------------------------------------ */

struct routing {
    unsigned nrouters, nedges;
    struct machine_router *routers;
    struct component **components;
    struct machine_edge *edges;
    struct machine_routes *routes;
};

static unsigned router_of(const struct routing *r, const struct component *c)
{
    unsigned i = 0;

    while (i < r->nrouters && r->components[i] != c)
        i++;
    return i;
}

static void add_edges(const struct machine *m, struct routing *r)
{
    for (unsigned i = 0; i < m->desc->ncables; i++) {
        const struct machine_link_desc *l = &m->desc->cables[i];
        unsigned a = router_of(r, find(m, l->node_a, l->component_a));
        unsigned b = router_of(r, find(m, l->node_b, l->component_b));

        if (a < r->nrouters && b < r->nrouters)
            r->edges[r->nedges++] = (struct machine_edge){ a, b, l->port_a, l->port_b };
    }
}

static bool power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static int check_window(const struct machine_desc *desc, struct sim_error *err)
{
    if (power_of_two(desc->window_bytes) && power_of_two(desc->part_bytes) &&
        desc->part_bytes <= desc->window_bytes)
        return SIM_OK;
    return sim_error_set(err, SIM_ERR_CONFIG,
                         "%s: window_bytes = %llu, part_bytes = %llu: expected powers of two, "
                         "the part within the window",
                         desc->name, (unsigned long long)desc->window_bytes,
                         (unsigned long long)desc->part_bytes);
}

static int set_routes(const struct machine *m, struct routing *r, struct sim_error *err)
{
    int code;

    for (unsigned i = 0; i < m->ncomponents; i++) {
        struct component *c = &m->components[i];

        if (c->desc->kind->set_routes == NULL)
            continue;
        r->components[r->nrouters] = c;
        r->routers[r->nrouters++] = (struct machine_router){ c->desc->kind->ports, c->path };
    }
    if (r->nrouters == 0)
        return SIM_OK;
    code = check_window(m->desc, err);
    if (code != SIM_OK)
        return code;
    add_edges(m, r);
    code = machine_routes_compute(r->nrouters, r->routers, r->nedges, r->edges,
                                  m->desc->window_bytes, m->desc->part_bytes, r->routes, err);
    for (unsigned i = 0; code == SIM_OK && i < r->nrouters; i++) {
        const struct component *c = r->components[i];
        struct sim_error why = { SIM_OK, "" };

        code = c->desc->kind->set_routes(c->it, &r->routes[i], &why);
        if (code != SIM_OK)
            code = kind_failed(c, code, &why, err);
    }
    return code;
}

static int route_everything(const struct machine *m, struct sim_error *err)
{
    struct routing r = { 0 };
    int code;

    r.routers = calloc(m->ncomponents + 1u, sizeof(*r.routers));
    r.components = calloc(m->ncomponents + 1u, sizeof(struct component *));
    r.routes = calloc(m->ncomponents + 1u, sizeof(*r.routes));
    r.edges = calloc(m->desc->ncables + 1u, sizeof(*r.edges));
    if (r.routers != NULL && r.components != NULL && r.routes != NULL && r.edges != NULL)
        code = set_routes(m, &r, err);
    else
        code = sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", m->desc->name);
    free(r.edges);
    free(r.routes);
    free(r.components);
    free(r.routers);
    return code;
}

/* ---- the machine -------------------------------------------------------------------- */

static int start_everything(const struct machine *m, struct sim_error *err)
{
    int code = SIM_OK;

    for (unsigned i = 0; code == SIM_OK && i < m->ncomponents; i++) {
        const struct component *c = &m->components[i];
        struct sim_error why = { SIM_OK, "" };

        if (c->desc->kind->start == NULL)
            continue;
        code = c->desc->kind->start(c->it, &why);
        if (code != SIM_OK)
            code = kind_failed(c, code, &why, err);
    }
    return code;
}

static int build(struct machine *m, const struct sim_config *cfg, struct sim_error *err)
{
    int code;

    for (unsigned i = 0; i < m->desc->nnodes; i++)
        m->ncomponents += m->desc->nodes[i].ncomponents;
    m->sim = sim_create(cfg);
    m->domains = calloc(m->desc->nnodes, sizeof(struct sim_domain *));
    m->components = calloc(m->ncomponents + 1u, sizeof(*m->components));
    m->first = calloc(m->desc->nnodes + 1u, sizeof(*m->first));
    if (m->sim == NULL || m->domains == NULL || m->components == NULL || m->first == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", m->desc->name);
    for (unsigned i = 0; i < m->desc->nnodes; i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "node%u", i);
        m->domains[i] = sim_domain_create(m->sim, name);
        if (m->domains[i] == NULL)
            return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", m->desc->name);
    }
    code = list_components(m, err);
    if (code == SIM_OK)
        code = create_components(m, err);
    if (code == SIM_OK)
        code = join_everything(m, err);
    if (code == SIM_OK)
        code = route_everything(m, err);
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
    code = build(m, cfg, err);
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
    while (m->maps != NULL) {
        struct mapped *entry = m->maps;

        m->maps = entry->next;
        free(entry->bytes);
        free(entry);
    }
    free(m->first);
    free(m->components);
    free(m->domains);
    free(m);
}

const struct machine_desc *machine_description(const struct machine *m)
{
    return m->desc;
}

struct sim *machine_sim(struct machine *m)
{
    return m->sim;
}

unsigned machine_nodes(const struct machine *m)
{
    return m->desc->nnodes;
}

struct sim_domain *machine_domain(struct machine *m, unsigned node)
{
    SIM_ASSERT(node < m->desc->nnodes);
    return m->domains[node];
}

void *machine_component(struct machine *m, unsigned node, const char *name,
                        const struct machine_kind **kind_p)
{
    const struct component *c = find(m, node, name);

    if (c == NULL)
        return NULL;
    if (kind_p != NULL)
        *kind_p = c->desc->kind;
    return c->it;
}
