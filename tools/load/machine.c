#include "tools/load/parts.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* The machine's own values, in the order of `enum own`. */
enum own {
    OWN_WINDOW_BYTES,
    OWN_WINDOW_PARTS,
    OWN_EDGES_MM,
    OWN_PS_PER_M,
    OWN_NET_LATENCY,
    OWN_NET_RATE
};

/* For the largest grid whose sides `slots` rounds up to powers of two: each less than doubles. */
#define WINDOW_PARTS_MAX (4 * LOAD_NODES_MAX)

static const struct machine_param own_params[] = {
    { "window.size_bytes", "bytes", 1u << 20, UINT64_C(1) << 48, UINT64_C(512) << 30, 0,
      "address space that the hubs share out among the nodes; a power of two", NULL },
    { "window.parts", "1", 1, WINDOW_PARTS_MAX, 16, 0,
      "equal parts of the window, one for each node; a power of two", NULL },
    { "edges.length_mm", "mm", 0, 1000000, 2000, 0,
      "length of a cable of an edge list that gives none", NULL },
    { "wire.ps_per_m", "ps/m", 1000, 100000, 5000, 0, "propagation along cables and traces", NULL },
    { "net.latency_ps", "ps", 1000, UINT64_C(1000000000), 1500000, 0,
      "one way through the control network that carries MPI", NULL },
    { "net.bytes_per_us", "bytes/us", 1, 1000000, 3000, 0,
      "bandwidth of a node's connection to the control network", NULL },
    MACHINE_PARAM_END
};

static const char *const own_keys[] = { "description", "platform", "nodes",     "cables", "edges",
                                        "ring",        "chain",    "dual-ring", "torus",  "mesh",
                                        "star",        "tree",     "routes",    "slots",  "set",
                                        "faults",      NULL };

/* ---- nodes ------------------------------------------------------------------ */

struct node_plan {
    const struct load_tree *at; /* where the platform is named */
    const char *platform;
    uint64_t count;
    bool network; /* no host, but a part of the network: another platform does not replace it */
};

void load_refuse_nodes(const struct load_tree *at, uint64_t nodes)
{
    load_fail(at, NULL,
              "%" PRIu64 " nodes: expected %u at most, as a simulation has address space for the "
              "memory of that many",
              nodes, LOAD_NODES_MAX);
}

static uint64_t read_count(const struct load_tree *item)
{
    uint64_t count;

    if (item->type != LOAD_SCALAR || !load_number(item->text, false, &count) || count < 1)
        load_fail(item, NULL, "expected a whole number, 1 .. %u", LOAD_NODES_MAX);
    if (count > LOAD_NODES_MAX)
        load_refuse_nodes(item, count);
    return count;
}

static void plan_entry(const struct load_tree *map, const char *count_key, struct node_plan *plan)
{
    plan->network = load_tree_get(map, "network") != NULL;
    plan->at = load_tree_need(map, plan->network ? "network" : "platform", LOAD_SCALAR);
    plan->count = read_count(load_tree_need(map, count_key, LOAD_SCALAR));
    plan->platform = plan->at->text;
}

/** `nodes: 2` beside `platform:`, or a list of {platform:, count:} and, for what stands in the
 * network by itself, {network:, count:}. */
static struct node_plan *plan_nodes(struct load_machine *m, const struct load_tree *root,
                                    unsigned *n_p)
{
    static const char *const keys[] = { "platform", "network", "count", NULL };
    const struct load_tree *nodes = load_tree_get(root, "nodes");
    unsigned n = nodes != NULL && nodes->type == LOAD_LIST ? nodes->n : 0;
    struct node_plan *plans = load_alloc(&m->arena, (n + 1) * sizeof(*plans));

    if (nodes == NULL && load_tree_get(root, "platform") != NULL)
        load_shape_fail(root);
    if (nodes != NULL && nodes->type == LOAD_LIST && n == 0)
        load_fail(nodes, NULL, "expected a number, or a list of {platform: ..., count: ...}");
    if (nodes == NULL || nodes->type != LOAD_LIST)
        plan_entry(root, "nodes", plans);
    for (unsigned i = 0; i < n; i++) {
        if (nodes->items[i].type != LOAD_MAP)
            load_fail(&nodes->items[i], NULL, "expected {platform: ..., count: ...}");
        load_tree_only(&nodes->items[i], keys);
        plan_entry(&nodes->items[i], "count", &plans[i]);
    }
    *n_p = n == 0 ? 1 : n;
    return plans;
}

static void make_nodes(struct load_machine *m, const struct load_tree *root)
{
    unsigned nplans, node = 0;
    struct node_plan *plans = plan_nodes(m, root, &nplans);
    uint64_t total = 0;

    for (unsigned i = 0; i < nplans; i++)
        total += plans[i].count;
    if (total > LOAD_NODES_MAX)
        load_refuse_nodes(load_tree_get(root, "nodes"), total); /* a list, or a number in range */
    m->desc.nnodes = (unsigned)total;
    m->desc.nodes = load_alloc(&m->arena, total * sizeof(*m->desc.nodes));
    for (unsigned i = 0; i < nplans; i++) {
        bool other = m->opt->platform != NULL && !plans[i].network;
        const struct load_platform *platform = load_platform_find(
            m, other ? NULL : plans[i].at, other ? m->opt->platform : plans[i].platform);

        for (uint64_t k = 0; k < plans[i].count; k++)
            load_platform_node(m, platform, node++);
    }
}

/* ---- cables ------------------------------------------------------------------ */

static void make_cables(struct load_machine *m, const struct load_tree *root)
{
    const struct load_tree *cables = load_tree_get(root, "cables");
    unsigned n = cables != NULL ? cables->n : 0;
    struct load_lines lines;

    if (cables != NULL && cables->type != LOAD_LIST)
        load_fail(cables, NULL, "expected a list");
    lines = load_edges_open(m, load_tree_get(root, "edges"));
    m->desc.cables = load_alloc(&m->arena, (n + lines.n) * sizeof(*m->desc.cables));
    m->desc.ncables = n;
    for (unsigned i = 0; i < n; i++)
        load_link_read(m, &cables->items[i], -1, load_text(&m->arena, "cable%u", i),
                       &m->desc.cables[i]);
    load_edges_read(m, &lines);
}

/* ---- the finished description --------------------------------------------- */

static void refuse_own(const struct machine_value *value, const char *expected)
{
    bool plain = strcmp(value->param->unit, "1") == 0;

    load_check(sim_error_set_at(load_error(), SIM_ERR_CONFIG, value->file, value->line,
                                "%s = %" PRIu64 "%s%s: %s", value->param->key, value->value,
                                plain ? "" : " ", plain ? "" : value->param->unit, expected));
}

static bool power_of_two(uint64_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

static void finish_own(struct load_machine *m)
{
    const struct machine_value *own = m->groups[0].v.values;

    for (unsigned i = OWN_WINDOW_BYTES; i <= OWN_WINDOW_PARTS; i++)
        if (!power_of_two(own[i].value))
            refuse_own(&own[i], "expected a power of two");
    m->desc.window_bytes = own[OWN_WINDOW_BYTES].value;
    m->desc.part_bytes = m->desc.window_bytes / own[OWN_WINDOW_PARTS].value;
    m->desc.ps_per_m = own[OWN_PS_PER_M].value;
    m->desc.net_latency_ps = own[OWN_NET_LATENCY].value;
    m->desc.net_bytes_per_us = own[OWN_NET_RATE].value;
}

/** Lengths are values too, so that they can be overridden. */
static void finish_lengths(struct load_machine *m)
{
    for (unsigned g = 0; g < m->ngroups; g++)
        if (m->groups[g].length_mm_p != NULL)
            *m->groups[g].length_mm_p = m->groups[g].v.values[0].value;
}

typedef void (*set_fn)(struct load_machine *m, const char *pattern, const char *text,
                       const char *where, const struct load_tree *at);

static void each_set(struct load_machine *m, const struct load_tree *root, set_fn fn)
{
    const struct load_tree *set = root != NULL ? load_tree_get(root, "set") : NULL;

    if (set != NULL && set->type != LOAD_MAP)
        load_fail(set, NULL, "expected a mapping of patterns to values");
    for (unsigned i = 0; set != NULL && i < set->n; i++) {
        const struct load_tree *item = &set->items[i];

        if (item->type != LOAD_SCALAR)
            load_fail(item, NULL, "expected a single value");
        fn(m, item->key, item->text,
           load_text(&m->arena, "%s:%u:%u: %s = %s", item->file, item->line, item->column,
                     item->key, item->text),
           item);
    }
    for (unsigned i = 0; i < m->opt->nsets; i++) {
        const char *text = m->opt->sets[i], *eq = strchr(text, '=');
        const char *where = load_text(&m->arena, "--set %s", text);

        if (eq == NULL || eq == text)
            load_raise(SIM_ERR_CONFIG, "%s: expected KEY=VALUE", where);
        fn(m, load_text(&m->arena, "%.*s", (int)(eq - text), text), eq + 1, where, NULL);
    }
}

static void check_components(const struct load_machine *m)
{
    for (unsigned node = 0; node < m->desc.nnodes; node++)
        for (unsigned i = 0; i < m->desc.nodes[node].ncomponents; i++) {
            const struct machine_component_desc *c = &m->desc.nodes[node].components[i];

            if (c->kind->check != NULL)
                load_check(c->kind->check(&m->desc, node, c, load_error()));
        }
}

/** @param root NULL: a platform, whose ports other files may join */
static void finish_machine(struct load_machine *m, const struct load_tree *root)
{
    load_shape_values(m, &m->groups[0].v.values[OWN_WINDOW_PARTS]);
    each_set(m, root, load_override);
    load_edges_plug(m, m->groups[0].v.values[OWN_EDGES_MM].value);
    load_check_ports(m);
    if (root != NULL)
        each_set(m, root, load_check_override);
    load_check_hosts(m);
    check_components(m);
    finish_own(m);
    finish_lengths(m);
    if (root != NULL) {
        load_routes_read(m, root);
        load_slots_read(m, root);
    }
    load_faults_read(m, root);
    m->opt = NULL;
}

static const char *base_name(struct load_machine *m, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    size_t n = strlen(base);

    bool yaml = n > 5 && strcmp(base + n - 5, ".yaml") == 0;

    return load_text(&m->arena, "%.*s", (int)(yaml ? n - 5 : n), base);
}

static struct load_machine *begin_machine(const char *path, const struct load_options *opt)
{
    struct load_arena arena = { 0 };
    struct load_machine *m = load_alloc(&arena, sizeof(*m));

    m->arena = arena;
    m->opt = opt;
    m->fault_lines_end = &m->fault_lines;
    m->desc.name = base_name(m, path);
    (void)load_group_add(m, "", own_params);
    return m;
}

static struct load_machine *build_machine(struct load_machine *m, const struct load_tree *file)
{
    struct load_layer layer = { .skip = own_keys, .arena = &m->arena };
    const struct load_tree *root = load_shape_expand(m, file);
    const char *description; /* for people who read the file */

    load_tree_text(root, "description", &description);
    load_values_assign(&m->groups[0].v, &layer, root);
    make_nodes(m, root);
    make_cables(m, root);
    finish_machine(m, root);
    return m;
}

struct load_machine *load_machine_create(const char *path, const struct load_options *opt)
{
    struct load_machine *m = begin_machine(path, opt);

    return build_machine(m, load_source_read(m, path));
}

struct load_machine *load_machine_parse(const char *name, const char *bytes, size_t n,
                                        const struct load_options *opt)
{
    struct load_machine *m = begin_machine(name, opt);

    return build_machine(m, load_tree_parse(name, bytes, n, &m->arena));
}

struct load_machine *load_platform_create(const char *path, const struct load_options *opt)
{
    struct load_machine *m = begin_machine(path, opt);
    const struct load_platform *platform = load_platform_find(m, NULL, path);
    const char *description;

    m->desc.nnodes = 1;
    m->desc.nodes = load_alloc(&m->arena, sizeof(*m->desc.nodes));
    load_tree_text(platform->tree, "description", &description);
    load_platform_node(m, platform, 0);
    finish_machine(m, NULL);
    return m;
}

void load_machine_destroy(struct load_machine *machine)
{
    if (machine != NULL)
        load_arena_fini(&machine->arena);
}

const struct machine_desc *load_machine_desc(const struct load_machine *machine)
{
    return &machine->desc;
}

/** A value that need not be said and is not, or one of a part that the component may have and no
 * file says anything of. */
static bool left_out(const struct load_group *group, const struct machine_value *value)
{
    const char *key = value->param->key;
    size_t n = strcspn(key, ".");
    const char *const *part = group->spare;

    if (value->value == MACHINE_UNSAID)
        return true;
    while (part != NULL && *part != NULL && (strlen(*part) != n || strncmp(*part, key, n) != 0))
        part++;
    if (part == NULL || *part == NULL)
        return false;
    for (unsigned i = 0; i < group->v.n; i++)
        if (group->v.values[i].file != NULL &&
            strncmp(group->v.values[i].param->key, key, n + 1) == 0)
            return false;
    return true;
}

void load_machine_each(const struct load_machine *machine, load_value_fn fn, void *arg)
{
    for (unsigned g = 0; g < machine->ngroups; g++) {
        const struct load_group *group = &machine->groups[g];

        for (unsigned i = 0; i < group->v.n; i++)
            if (!left_out(group, &group->v.values[i]))
                fn(arg, group->path, &group->v.values[i]);
    }
}

void load_machine_each_file(const struct load_machine *machine, load_file_fn fn, void *arg)
{
    for (const struct load_source *s = machine->sources; s != NULL; s = s->next)
        fn(arg, s->path);
}
