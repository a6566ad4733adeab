#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/lab/run/params.h"

#include "tools/load/value.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

enum { RANGE = LAB_PARAMS_VALUE + 2, SOURCE, CALIBRATED, MEANING };

#define COLUMNS "key, value#, unit, range, source, calibrated, meaning"

struct item {
    const char *path; /* "node0.hub" */
    const struct machine_value *value;
    bool shown;
};

struct list {
    struct load_arena arena;
    const char *pattern; /* NULL: all */
    unsigned n, room;
    struct item *items;
};

static const char *key_of(struct load_arena *arena, const char *path, const char *key)
{
    return load_text(arena, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
}

static void add_item(void *arg, const char *path, const struct machine_value *value)
{
    struct list *list = arg;

    if (list->pattern != NULL &&
        fnmatch(list->pattern, key_of(&list->arena, path, value->param->key), 0) != 0)
        return;
    list->items = load_grow(&list->arena, list->items, list->n, &list->room, sizeof(*list->items));
    list->items[list->n++] = (struct item){ path, value, false };
}

/** ".hub" of "node12.hub"; NULL for what belongs to no node. */
static const char *below_node(const char *path)
{
    if (strncmp(path, "node", 4) != 0)
        return NULL;
    return strchr(path, '.');
}

static bool same_everywhere(const struct item *a, const struct item *b)
{
    const char *x = below_node(a->path), *y = below_node(b->path);

    return x != NULL && y != NULL && strcmp(x, y) == 0 && a->value->param == b->value->param;
}

/** "node*" when all nodes agree, and then marks the others as shown. */
static const char *shared_path(struct list *list, unsigned i, unsigned nnodes)
{
    struct item *item = &list->items[i];
    unsigned others = 0;
    bool agree = true;

    for (unsigned k = 0; k < list->n; k++) {
        if (k == i || !same_everywhere(item, &list->items[k]))
            continue;
        others++;
        agree &= list->items[k].value->value == item->value->value;
    }
    if (!agree || others == 0 || others + 1 != nnodes)
        return item->path;
    for (unsigned k = 0; k < list->n; k++)
        if (same_everywhere(item, &list->items[k]))
            list->items[k].shown = true;
    return load_text(&list->arena, "node*%s", below_node(item->path));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/** `brief`: a value without a source names its file only, so that pages live longer. */
static void fill_row(struct lab_table *t, const char *key, const struct machine_value *v,
                     bool brief)
{
    const struct machine_param *p = v->param;
    unsigned row = lab_table_add(t);
    char text[128];

    lab_table_set(t, row, LAB_PARAMS_KEY, "%s\t%s\t%s", key,
                  load_value_print(p, v->value, text, sizeof(text)), p->unit);
    if (p->choices != NULL)
        lab_table_set(t, row, RANGE, "%s", p->choices);
    else
        lab_table_set(t, row, RANGE, "%" PRIu64 " .. %" PRIu64, p->min, p->max);
    if (v->source != NULL)
        lab_table_set(t, row, SOURCE, "%s", v->source);
    else if (v->file == NULL)
        lab_table_set(t, row, SOURCE, "default");
    else if (v->line == 0 || brief)
        lab_table_set(t, row, SOURCE, "%s", brief ? base_name(v->file) : v->file);
    else
        lab_table_set(t, row, SOURCE, "%s:%u", v->file, v->line);
    if (v->ncalibrated > 0) {
        const char *rows = v->calibrated[0];

        for (unsigned i = 1; i < v->ncalibrated; i++)
            rows = load_text(&t->arena, "%s %s", rows, v->calibrated[i]);
        lab_table_set(t, row, CALIBRATED, "%s", rows);
    }
    lab_table_set(t, row, MEANING, "%s", p->meaning);
}

void lab_params(const struct load_machine *machine, const char *pattern, struct lab_table *table)
{
    struct list list = { .pattern = pattern };

    load_machine_each(machine, add_item, &list);
    lab_table_begin(table, COLUMNS);
    for (unsigned i = 0; i < list.n; i++) {
        const struct item *item = &list.items[i];
        const char *path;

        if (item->shown)
            continue;
        path = shared_path(&list, i, load_machine_desc(machine)->nnodes);
        fill_row(table, key_of(&table->arena, path, item->value->param->key), item->value, false);
    }
    load_arena_fini(&list.arena);
}

/* ---- Markdown ------------------------------------------------------------------- */

/** ".gen" of "n.link.gen" and of "e.link.gen" when everything but the first part agrees. */
static bool same_but_port(const struct machine_value *a, const struct machine_value *b)
{
    const char *x = strchr(a->param->key, '.'), *y = strchr(b->param->key, '.');

    return x != NULL && y != NULL && strcmp(x, y) == 0 && a->value == b->value &&
           strcmp(a->param->meaning, b->param->meaning) == 0 && a->param->min == b->param->min &&
           a->param->max == b->param->max;
}

static const char *joined_key(struct list *list, unsigned first)
{
    const char *key = list->items[first].value->param->key;
    const char *joined = load_text(&list->arena, "%.*s", (int)strcspn(key, "."), key);
    unsigned n = 1;

    for (unsigned i = first + 1; i < list->n; i++) {
        struct item *other = &list->items[i];
        const char *name = other->value->param->key;

        if (strcmp(other->path, list->items[first].path) != 0 || other->shown ||
            !same_but_port(list->items[first].value, other->value))
            continue;
        other->shown = true;
        joined = load_text(&list->arena, "%s, %.*s", joined, (int)strcspn(name, "."), name);
        n++;
    }
    return n == 1 ? key : load_text(&list->arena, "{%s}%s", joined, strchr(key, '.'));
}

void lab_params_markdown(const struct load_machine *machine, FILE *out)
{
    struct list list = { 0 };

    load_machine_each(machine, add_item, &list);
    for (unsigned i = 0; i < list.n;) {
        const char *path = list.items[i].path, *below = below_node(path);
        struct lab_table table;

        lab_table_begin(&table, COLUMNS);
        for (; i < list.n && strcmp(list.items[i].path, path) == 0; i++)
            if (!list.items[i].shown)
                fill_row(&table, joined_key(&list, i), list.items[i].value, true);
        if (strncmp(path, "node", 4) != 0 || strncmp(path, "node0.", 6) == 0) {
            (void)fprintf(out, "### %s\n\n",
                          path[0] == '\0' ? "machine"
                          : below != NULL ? below + 1
                                          : path);
            lab_table_write(&table, LAB_MARKDOWN, out);
            (void)fputc('\n', out);
        }
        lab_table_fini(&table);
    }
    load_arena_fini(&list.arena);
}
