/*
 * `faults:` what goes wrong, where and when.
 *
 *   faults:
 *     - link: node*.hub.e            # a pattern over ports: both directions of each link there
 *       bit_error_rate: 1e-9
 *     - port: node0.hub.e            # what this port sends
 *       burst: {at: 10us, for: 1us, bit_error_rate: 1e-4}
 *     - node: 3                      # or component: node3.host
 *       dead: {at: 1ms}
 *
 * What can go wrong, and what is to be said of it, are tables of the kinds (machine/kind.h). A
 * value alone is the first row's; a list is as many faults. The same list stands under `faults:` in
 * a file of its own.
 */
#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/load/nearest.h"
#include "tools/load/parts.h"
#include "tools/load/quantity.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define FAULTS_MAX 65536u

static const char *const targets[] = { "link", "port", "component", "node", NULL };

/** Where a fault may be: a port with something plugged in, or a component (port NULL). */
struct place {
    unsigned node, partner; /* partner: index of the port at the other end */
    const char *component, *port, *path;
    const struct machine_kind *kind;
};

struct reader {
    struct load_machine *m;
    struct sim_error *err;
    unsigned nports, nplaces; /* ports first */
    struct place *places;
    bool *chosen;
    unsigned room;
    struct machine_fault_desc *faults;
};

/* ---- places ------------------------------------------------------------------------ */

static void add_place(struct reader *r, unsigned node,
                      const struct machine_component_desc *component, const char *port)
{
    struct load_arena *arena = &r->m->arena;

    r->places[r->nplaces] = (struct place){
        .node = node,
        .partner = r->nplaces ^ 1u, /* ends of links come in pairs */
        .component = component->name,
        .port = port,
        .path = port != NULL ? load_text(arena, "node%u.%s.%s", node, component->name, port)
                             : load_text(arena, "node%u.%s", node, component->name),
        .kind = component->kind,
    };
    r->nplaces++;
}

static void list_places(struct reader *r)
{
    const struct load_machine *m = r->m;
    size_t n = m->nplugs;

    for (unsigned i = 0; i < m->desc.nnodes; i++)
        n += m->desc.nodes[i].ncomponents;
    r->places = load_alloc(&r->m->arena, (n + 1) * sizeof(*r->places));
    r->chosen = load_alloc(&r->m->arena, (n + 1) * sizeof(*r->chosen));
    for (unsigned i = 0; i < m->nplugs; i++)
        add_place(r, m->plugs[i].node, m->plugs[i].component, m->plugs[i].port);
    r->nports = r->nplaces;
    for (unsigned i = 0; i < m->desc.nnodes; i++)
        for (unsigned k = 0; k < m->desc.nodes[i].ncomponents; k++)
            add_place(r, i, &m->desc.nodes[i].components[k], NULL);
}

/** Marks what `at`, a target and its pattern, names. */
static int choose_places(struct reader *r, const struct load_tree *at)
{
    bool of_port = strcmp(at->key, "link") == 0 || strcmp(at->key, "port") == 0;
    bool both = strcmp(at->key, "link") == 0, node = strcmp(at->key, "node") == 0;
    unsigned first = of_port ? 0 : r->nports, last = of_port ? r->nports : r->nplaces, n = 0;
    const char *pattern = node ? load_text(&r->m->arena, "node%s.*", at->text) : at->text;
    struct load_nearest near;

    load_nearest_init(&near, pattern);
    memset(r->chosen, 0, r->nplaces * sizeof(*r->chosen));
    for (unsigned i = first; i < last; i++) {
        load_nearest_offer(&near, r->places[i].path);
        if (fnmatch(pattern, r->places[i].path, 0) != 0)
            continue;
        r->chosen[i] = true;
        if (both)
            r->chosen[r->places[i].partner] = true;
        n++;
    }
    if (n > 0)
        return SIM_OK;
    if (node)
        return load_fail(r->err, at, NULL, "expected nodes, 0 .. %u", r->m->desc.nnodes - 1);
    return load_fail(r->err, at, NULL, "matches no %s%s",
                     of_port ? "port with a link" : "component", near.hint);
}

/* ---- values ------------------------------------------------------------------------ */

static const struct machine_param *find_row(const struct machine_fault_kind *kind,
                                            const struct load_tree *item, struct sim_error *err)
{
    const struct machine_param *row = kind->params;
    struct load_nearest near;

    load_nearest_init(&near, item->key);
    for (; row->key != NULL && strcmp(row->key, item->key) != 0; row++)
        load_nearest_offer(&near, row->key);
    if (row->key != NULL)
        return row;
    (void)load_fail(err, item, NULL, "unknown key of %s%s", kind->name, near.hint);
    return NULL;
}

static int read_row(const struct load_tree *item, const struct machine_param *row,
                    uint64_t *value_p, struct sim_error *err)
{
    char text[256];

    if (item->type == LOAD_SCALAR && load_quantity_parse(row, item->text, value_p))
        return SIM_OK;
    return load_fail(err, item, NULL, "%s", load_quantity_expected(row, text, sizeof(text)));
}

/** Rows without a value that stands for none. */
static int check_given(const struct load_tree *item, const struct machine_fault_kind *kind,
                       const uint64_t *values, struct sim_error *err)
{
    for (unsigned i = 0; kind->params[i].key != NULL; i++) {
        const struct machine_param *row = &kind->params[i];

        if (values[i] < row->min || values[i] > row->max)
            return load_fail(err, item, kind->name, "expected the key %s too: %s", row->key,
                             row->meaning);
    }
    return SIM_OK;
}

/** One fault: a scalar or a map. */
static int read_fault(struct reader *r, const struct load_tree *item, const char *key,
                      const struct machine_fault_kind *kind, uint64_t *values)
{
    int rc = SIM_OK;

    for (unsigned i = 0; kind->params[i].key != NULL; i++)
        values[i] = kind->params[i].def;
    if (item->type == LOAD_LIST)
        return load_fail(r->err, item, key, "expected a value or a mapping");
    if (item->type == LOAD_SCALAR)
        rc = kind->params[0].key != NULL ? read_row(item, &kind->params[0], &values[0], r->err)
                                         : SIM_OK;
    for (unsigned i = 0; i < item->n && rc == SIM_OK; i++) {
        const struct machine_param *row = find_row(kind, &item->items[i], r->err);

        rc = row == NULL ? SIM_ERR_CONFIG
                         : read_row(&item->items[i], row, &values[row - kind->params], r->err);
    }
    return rc == SIM_OK ? check_given(item, kind, values, r->err) : rc;
}

/** "at=10us for=1us": what differs from the table. */
static const char *describe_fault(struct reader *r, const struct machine_fault_kind *kind,
                                  const uint64_t *values)
{
    struct load_arena *arena = &r->m->arena;
    const char *text = "";
    char value[64];

    for (unsigned i = 0; kind->params[i].key != NULL; i++) {
        const struct machine_param *row = &kind->params[i];

        if (values[i] == row->def)
            continue;
        (void)load_quantity_print(row, values[i], value, sizeof(value));
        text = load_text(arena, "%s%s%s=%s", text, text[0] != '\0' ? " " : "", row->key, value);
    }
    return text;
}

/* ---- one entry ------------------------------------------------------------------------ */

static const struct machine_fault_kind *find_kind(const struct place *place, const char *name,
                                                  struct load_nearest *near)
{
    const struct machine_fault_kind *kind = place->kind->faults;

    for (; kind != NULL && kind->name != NULL; kind++) {
        if ((kind->place == MACHINE_OF_COMPONENT) != (place->port == NULL))
            continue;
        if (strcmp(kind->name, name) == 0)
            return kind;
        load_nearest_offer(near, kind->name);
    }
    return NULL;
}

static int append_fault(struct reader *r, const struct place *place, const struct load_tree *item,
                        const struct machine_fault_kind *kind, const uint64_t *values)
{
    struct machine_desc *desc = &r->m->desc;

    if (desc->nfaults == FAULTS_MAX)
        return load_fail(r->err, item, kind->name, "expected at most %u faults in all", FAULTS_MAX);
    desc->faults = r->faults =
        load_grow(&r->m->arena, desc->faults, desc->nfaults, &r->room, sizeof(*desc->faults));
    r->faults[desc->nfaults++] = (struct machine_fault_desc){ .node = place->node,
                                                              .component = place->component,
                                                              .port = place->port,
                                                              .kind = kind,
                                                              .values = values,
                                                              .file = item->file,
                                                              .line = item->line };
    return SIM_OK;
}

static void remember_line(struct reader *r, const struct load_fault *fault)
{
    struct load_fault_line *line = load_alloc(&r->m->arena, sizeof(*line));

    line->fault = *fault;
    *r->m->fault_lines_end = line;
    r->m->fault_lines_end = &line->next;
}

/** What concerns both directions of a link is given to one end. */
static bool is_second_end(const struct reader *r, unsigned i, const struct machine_fault_kind *kind)
{
    unsigned partner = r->places[i].partner;

    return kind->place == MACHINE_OF_LINK && partner < i && r->chosen[partner];
}

/** `item` is one fault, called `key`, for each chosen place that knows it. */
static int add_fault(struct reader *r, const struct load_tree *target, const struct load_tree *item,
                     const char *key)
{
    struct load_fault fault = { .target = target->key, .pattern = target->text, .kind = key };
    struct load_nearest near;
    int rc = SIM_OK;

    load_nearest_init(&near, key);
    for (unsigned i = 0; i < r->nplaces && rc == SIM_OK; i++) {
        const struct machine_fault_kind *kind;
        uint64_t *values;
        unsigned rows = 0;

        kind = r->chosen[i] ? find_kind(&r->places[i], key, &near) : NULL;
        if (kind == NULL || is_second_end(r, i, kind))
            continue;
        while (kind->params[rows].key != NULL)
            rows++;
        values = load_alloc(&r->m->arena, (rows + 1) * sizeof(*values));
        rc = read_fault(r, item, key, kind, values);
        if (rc == SIM_OK)
            rc = append_fault(r, &r->places[i], item, kind, values);
        if (fault.places++ == 0)
            fault.pairs = describe_fault(r, kind, values);
    }
    if (rc == SIM_OK && fault.places == 0)
        return load_fail(r->err, item, key, "unknown fault of a %s%s", target->key, near.hint);
    if (rc == SIM_OK)
        remember_line(r, &fault);
    return rc;
}

static bool is_target(const char *key)
{
    for (unsigned i = 0; targets[i] != NULL; i++)
        if (strcmp(targets[i], key) == 0)
            return true;
    return false;
}

static int find_target(struct reader *r, const struct load_tree *entry,
                       const struct load_tree **target_p)
{
    *target_p = NULL;
    if (entry->type != LOAD_MAP)
        return load_fail(r->err, entry, NULL,
                         "expected a mapping such as {link: node0.hub.e, bit_error_rate: 1e-9}");
    for (unsigned i = 0; i < entry->n; i++) {
        const struct load_tree *item = &entry->items[i];

        if (!is_target(item->key))
            continue;
        if (item->type != LOAD_SCALAR || strpbrk(item->text, " \t\n") != NULL)
            return load_fail(r->err, item, NULL, "expected one pattern without spaces");
        if (*target_p != NULL)
            return load_fail(r->err, item, NULL, "expected one of link, port, component and node");
        *target_p = item;
    }
    if (*target_p == NULL)
        return load_fail(r->err, entry, NULL, "expected the key link, port, component or node");
    if (entry->n == 1)
        return load_fail(r->err, *target_p, NULL, "expected a fault beside it");
    return choose_places(r, *target_p);
}

static int read_entry(struct reader *r, const struct load_tree *entry)
{
    const struct load_tree *target = NULL;
    int rc = find_target(r, entry, &target);

    for (unsigned i = 0; rc == SIM_OK && target != NULL && i < entry->n; i++) {
        const struct load_tree *item = &entry->items[i];
        bool list = item->type == LOAD_LIST;

        if (item == target)
            continue;
        if (!list)
            rc = add_fault(r, target, item, item->key);
        for (unsigned k = 0; list && k < item->n && rc == SIM_OK; k++)
            rc = add_fault(r, target, &item->items[k], item->key);
    }
    return rc;
}

/* ---- files --------------------------------------------------------------------------- */

static int read_list(struct reader *r, const struct load_tree *list)
{
    int rc = SIM_OK;

    if (list->type != LOAD_LIST)
        return load_fail(r->err, list, NULL, "expected a list of faults");
    for (unsigned i = 0; i < list->n && rc == SIM_OK; i++)
        rc = read_entry(r, &list->items[i]);
    return rc;
}

static int read_file(struct reader *r, const char *name)
{
    static const char *const keys[] = { "description", "faults", NULL };
    const struct load_tree *list;
    struct load_tree *root;
    char path[2048];
    int rc = load_find(r->m->opt->roots, "faults", name, path, sizeof(path), r->err);

    if (rc == SIM_OK)
        rc = load_source_read(r->m, path, &root);
    if (rc == SIM_OK)
        rc = load_tree_only(root, keys, r->err);
    if (rc == SIM_OK)
        rc = load_tree_need(root, "faults", LOAD_LIST, &list, r->err);
    return rc == SIM_OK ? read_list(r, list) : rc;
}

/** A file, or one fault as it would stand in a list: "{link: node0.hub.e, ...}". */
static int read_option(struct reader *r, const char *text)
{
    struct load_tree *entry;
    int rc;

    if (text[strspn(text, " ")] != '{')
        return read_file(r, text);
    rc = load_tree_parse("--faults", text, strlen(text), &r->m->arena, &entry, r->err);
    return rc == SIM_OK ? read_entry(r, entry) : rc;
}

int load_faults_read(struct load_machine *m, const struct load_tree *root)
{
    const struct load_tree *list = root != NULL ? load_tree_get(root, "faults") : NULL;
    struct reader r = { .m = m, .err = m->err };
    int rc = SIM_OK;

    if (list == NULL && m->opt->nfaults == 0)
        return SIM_OK;
    list_places(&r);
    if (list != NULL)
        rc = read_list(&r, list);
    for (unsigned i = 0; i < m->opt->nfaults && rc == SIM_OK; i++)
        rc = read_option(&r, m->opt->faults[i]);
    return rc;
}

void load_machine_each_fault(const struct load_machine *machine, load_fault_fn fn, void *arg)
{
    for (const struct load_fault_line *l = machine->fault_lines; l != NULL; l = l->next)
        fn(arg, &l->fault);
}
