#include "core/param.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 64

static size_t count_rows(const struct machine_param *rows)
{
    size_t n = 0;

    while (rows != NULL && rows[n].key != NULL)
        n++;
    return n;
}

/** Never empty: a group without names has one that is "". */
static const char *const *names_of(const struct machine_group *g)
{
    static const char *const nameless[] = { "", NULL };

    return g->names != NULL ? g->names : nameless;
}

static size_t count_group(const struct machine_group *g)
{
    size_t names = 0;

    while (names_of(g)[names] != NULL)
        names++;
    return names * count_rows(g->rows);
}

/** The row of the group's `index`-th name; its key is written to `key`. */
static struct machine_param group_row(const struct machine_group *g,
                                      const struct machine_param *row, unsigned index,
                                      char key[KEY_BYTES])
{
    struct machine_param full = *row;
    const char *behind = strchr(g->key, '*');
    uint64_t def = 0;
    int n = snprintf(key, KEY_BYTES, "%.*s%s%s%s", (int)strcspn(g->key, "*"), g->key,
                     names_of(g)[index], behind != NULL ? behind + 1 : "", row->key);

    SIM_ASSERT(n < KEY_BYTES);
    if (g->defaults != NULL)
        memcpy(&def, (const char *)g->defaults + row->offset, sizeof(def));
    full.key = key;
    full.def = g->unsaid ? MACHINE_UNSAID : def != 0 ? def : row->def;
    full.offset += g->offset + index * g->stride;
    return full;
}

struct machine_param *machine_table_create(const struct machine_param *params,
                                           const struct machine_group *groups)
{
    static const struct machine_group none = { .key = NULL };
    size_t n = count_rows(params), rows = n;
    struct machine_param *table;
    char(*key)[KEY_BYTES];

    if (groups == NULL)
        groups = &none;
    for (const struct machine_group *g = groups; g->key != NULL; g++)
        rows += count_group(g);
    table = calloc(rows + 1, sizeof(*table) + KEY_BYTES);
    if (table == NULL)
        return NULL;
    if (n > 0)
        memcpy(table, params, n * sizeof(*table));
    key = (char(*)[KEY_BYTES])(table + rows + 1);
    for (const struct machine_group *g = groups; g->key != NULL; g++)
        for (unsigned i = 0; names_of(g)[i] != NULL; i++)
            for (const struct machine_param *row = g->rows; row->key != NULL; row++)
                table[n++] = group_row(g, row, i, *key++);
    return table;
}
