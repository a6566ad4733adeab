/* What can go wrong, from the tables of the kinds. */
#include "tools/lab/run/params.h"
#include "tools/load/quantity.h"

#include <string.h>

enum { FAULT, OF, KEY, DEFAULT, RANGE, MEANING };

/** "0ps .. 1ms" */
static void set_range(struct lab_table *t, unsigned row, const struct machine_param *p)
{
    char min[64], max[64];

    if (p->choices != NULL)
        lab_table_set(t, row, RANGE, "%s", p->choices);
    else
        lab_table_set(t, row, RANGE, "%s .. %s", load_quantity_print(p, p->min, min, sizeof(min)),
                      load_quantity_print(p, p->max, max, sizeof(max)));
}

static void add_row(struct lab_table *t, const struct machine_param *p)
{
    unsigned row = lab_table_add(t);
    char text[64];

    lab_table_set(t, row, KEY, "%s", p->key);
    if (p->def < p->min || p->def > p->max)
        lab_table_set(t, row, DEFAULT, "must be given");
    else
        lab_table_set(t, row, DEFAULT, "%s", load_quantity_print(p, p->def, text, sizeof(text)));
    set_range(t, row, p);
    lab_table_set(t, row, MEANING, "%s", p->meaning);
}

static const char *const of[] = { [MACHINE_OF_COMPONENT] = "component",
                                  [MACHINE_OF_PORT] = "port, link",
                                  [MACHINE_OF_LINK] = "link" };

/** Kinds share faults: each is shown once. */
static bool is_shown(const struct lab_table *t, const struct machine_fault_kind *fault)
{
    for (unsigned i = 0; i < t->nrows; i++)
        if (strcmp(lab_table_get(t, i, FAULT), fault->name) == 0 &&
            strcmp(lab_table_get(t, i, OF), of[fault->place]) == 0)
            return true;
    return false;
}

void lab_fault_table(const struct machine_kind *const *kinds, struct lab_table *table)
{
    lab_table_begin(table, "fault, of, key, default, range, meaning");
    for (; *kinds != NULL; kinds++) {
        const struct machine_fault_kind *fault = (*kinds)->faults;

        for (; fault != NULL && fault->name != NULL; fault++) {
            unsigned row;

            if (is_shown(table, fault))
                continue;
            row = lab_table_add(table);
            lab_table_set(table, row, FAULT, "%s\t%s", fault->name, of[fault->place]);
            lab_table_set(table, row, MEANING, "%s", fault->meaning);
            for (const struct machine_param *p = fault->params; p->key != NULL; p++)
                add_row(table, p);
        }
    }
}

const struct machine_param *lab_fault_param(const struct machine_kind *const *kinds,
                                            const char *name)
{
    for (; *kinds != NULL; kinds++) {
        const struct machine_fault_kind *fault = (*kinds)->faults;

        for (; fault != NULL && fault->name != NULL; fault++)
            if (strcmp(fault->name, name) == 0)
                return fault->params;
    }
    return NULL;
}
