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
static void choose_places(struct reader *r, const struct load_tree *at)
{
    bool of_port = strcmp(at->key, "link") == 0 || strcmp(at->key, "port") == 0;
    bool both = strcmp(at->key, "link") == 0, node = strcmp(at->key, "node") == 0;
    unsigned first = of_port ? 0 : r->nports, last = of_port ? r->nports : r->nplaces, n = 0;
    const char *pattern = node ? load_text(&r->m->arena, "node%s.*", at->text) : at->text;
    const char *ports = load_text(&r->m->arena, "%s.*", pattern);
    struct load_nearest near;
    char port[256] = "";

    load_nearest_init(&near, pattern, true);
    load_nearest_node(&near, r->m->desc.nnodes);
    memset(r->chosen, 0, r->nplaces * sizeof(*r->chosen));
    for (unsigned i = first; i < last; i++) {
        load_nearest_offer(&near, r->places[i].path);
        if (of_port && port[0] == '\0' && fnmatch(ports, r->places[i].path, 0) == 0)
            load_nearest_spell(pattern, r->places[i].path, port, sizeof(port));
        if (fnmatch(pattern, r->places[i].path, 0) != 0)
            continue;
        r->chosen[i] = true;
        if (both)
            r->chosen[r->places[i].partner] = true;
        n++;
    }
    if (n > 0)
        return;
    if (node)
        load_fail(at, NULL, "expected nodes, 0 .. %u", r->m->desc.nnodes - 1);
    if (port[0] != '\0')
        load_fail(at, NULL, "a component: expected a port of it with a link, such as %s", port);
    load_fail(at, NULL, "matches no %s%s", of_port ? "port with a link" : "component", near.hint);
}

/* ---- values ------------------------------------------------------------------------ */

static const struct machine_param *find_row(const struct machine_fault_kind *kind,
                                            const struct load_tree *item)
{
    const struct machine_param *row = kind->params;
    struct load_nearest near;

    load_nearest_init(&near, item->key, true);
    for (; row->key != NULL && strcmp(row->key, item->key) != 0; row++)
        load_nearest_offer(&near, row->key);
    if (row->key == NULL)
        load_fail(item, NULL, "unknown key of %s%s", kind->name, near.hint);
    return row;
}

static uint64_t read_row(const struct load_tree *item, const struct machine_param *row)
{
    char text[256];
    uint64_t value;

    if (item->type != LOAD_SCALAR || !load_quantity_parse(row, item->text, &value))
        load_fail(item, NULL, "%s", load_quantity_expected(row, text, sizeof(text)));
    return value;
}

/** Rows without a value that stands for none. */
static void check_given(const struct load_tree *item, const struct machine_fault_kind *kind,
                        const uint64_t *values)
{
    for (unsigned i = 0; kind->params[i].key != NULL; i++) {
        const struct machine_param *row = &kind->params[i];

        if (values[i] < row->min || values[i] > row->max)
            load_fail(item, kind->name, "expected the key %s too: %s", row->key, row->meaning);
    }
}

/** One fault: a scalar or a map. */
static void read_fault(const struct load_tree *item, const char *key,
                       const struct machine_fault_kind *kind, uint64_t *values)
{
    for (unsigned i = 0; kind->params[i].key != NULL; i++)
        values[i] = kind->params[i].def;
    if (item->type == LOAD_LIST)
        load_fail(item, key, "expected a value or a mapping");
    if (item->type == LOAD_SCALAR && kind->params[0].key != NULL)
        values[0] = read_row(item, &kind->params[0]);
    for (unsigned i = 0; i < item->n; i++) {
        const struct machine_param *row = find_row(kind, &item->items[i]);

        values[row - kind->params] = read_row(&item->items[i], row);
    }
    check_given(item, kind, values);
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

static void append_fault(struct reader *r, const struct place *place, const struct load_tree *item,
                         const struct machine_fault_kind *kind, const uint64_t *values)
{
    struct machine_desc *desc = &r->m->desc;

    if (desc->nfaults == FAULTS_MAX)
        load_fail(item, kind->name, "expected at most %u faults in all", FAULTS_MAX);
    desc->faults = r->faults =
        load_grow(&r->m->arena, desc->faults, desc->nfaults, &r->room, sizeof(*desc->faults));
    r->faults[desc->nfaults++] = (struct machine_fault_desc){ .node = place->node,
                                                              .component = place->component,
                                                              .port = place->port,
                                                              .kind = kind,
                                                              .values = values,
                                                              .file = item->file,
                                                              .line = item->line };
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
static void add_fault(struct reader *r, const struct load_tree *target,
                      const struct load_tree *item, const char *key)
{
    struct load_fault fault = { .target = target->key, .pattern = target->text, .kind = key };
    struct load_nearest near;

    load_nearest_init(&near, key, true);
    for (unsigned i = 0; i < r->nplaces; i++) {
        const struct machine_fault_kind *kind;
        uint64_t *values;
        unsigned rows = 0;

        kind = r->chosen[i] ? find_kind(&r->places[i], key, &near) : NULL;
        if (kind == NULL || is_second_end(r, i, kind))
            continue;
        while (kind->params[rows].key != NULL)
            rows++;
        values = load_alloc(&r->m->arena, (rows + 1) * sizeof(*values));
        read_fault(item, key, kind, values);
        append_fault(r, &r->places[i], item, kind, values);
        if (fault.places++ == 0)
            fault.pairs = describe_fault(r, kind, values);
    }
    if (fault.places == 0)
        load_fail(item, key, "unknown fault of a %s%s", target->key, near.hint);
    remember_line(r, &fault);
}

static bool is_target(const char *key)
{
    for (unsigned i = 0; targets[i] != NULL; i++)
        if (strcmp(targets[i], key) == 0)
            return true;
    return false;
}

static const struct load_tree *find_target(const struct load_tree *entry)
{
    const struct load_tree *target = NULL;

    if (entry->type != LOAD_MAP)
        load_fail(entry, NULL,
                  "expected a mapping such as {link: node0.hub.e, bit_error_rate: 1e-9}");
    for (unsigned i = 0; i < entry->n; i++) {
        const struct load_tree *item = &entry->items[i];

        if (!is_target(item->key))
            continue;
        if (item->type != LOAD_SCALAR || strpbrk(item->text, " \t\n") != NULL)
            load_fail(item, NULL, "expected one pattern without spaces");
        if (target != NULL)
            load_fail(item, NULL, "expected one of link, port, component and node");
        target = item;
    }
    if (target == NULL)
        load_fail(entry, NULL, "expected the key link, port, component or node");
    if (entry->n == 1)
        load_fail(target, NULL, "expected a fault beside it");
    return target;
}

static void read_entry(struct reader *r, const struct load_tree *entry)
{
    const struct load_tree *target = find_target(entry);

    choose_places(r, target);
    for (unsigned i = 0; i < entry->n; i++) {
        const struct load_tree *item = &entry->items[i];
        bool list = item->type == LOAD_LIST;

        if (item == target)
            continue;
        if (!list)
            add_fault(r, target, item, item->key);
        for (unsigned k = 0; list && k < item->n; k++)
            add_fault(r, target, &item->items[k], item->key);
    }
}

/* ---- files --------------------------------------------------------------------------- */

static void read_list(struct reader *r, const struct load_tree *list)
{
    if (list->type != LOAD_LIST)
        load_fail(list, NULL, "expected a list of faults");
    for (unsigned i = 0; i < list->n; i++)
        read_entry(r, &list->items[i]);
}

static void read_file(struct reader *r, const char *name)
{
    static const char *const keys[] = { "description", "faults", NULL };
    const struct load_tree *root =
        load_source_read(r->m, load_find(r->m->opt->roots, "faults", name, &r->m->arena));

    load_tree_only(root, keys);
    read_list(r, load_tree_need(root, "faults", LOAD_LIST));
}

/** A file, or one fault as it would stand in a list: "{link: node0.hub.e, ...}". */
static void read_option(struct reader *r, const char *text)
{
    if (text[strspn(text, " ")] != '{')
        read_file(r, text);
    else
        read_entry(r, load_tree_parse("--faults", text, strlen(text), &r->m->arena));
}

void load_faults_read(struct load_machine *m, const struct load_tree *root)
{
    const struct load_tree *list = root != NULL ? load_tree_get(root, "faults") : NULL;
    struct reader r = { .m = m };

    if (list == NULL && m->opt->nfaults == 0)
        return;
    list_places(&r);
    if (list != NULL)
        read_list(&r, list);
    for (unsigned i = 0; i < m->opt->nfaults; i++)
        read_option(&r, m->opt->faults[i]);
}

void load_machine_each_fault(const struct load_machine *machine, load_fault_fn fn, void *arg)
{
    for (const struct load_fault_line *l = machine->fault_lines; l != NULL; l = l->next)
        fn(arg, &l->fault);
}
