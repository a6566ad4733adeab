#include "tools/lab/workload/setup.h"

#include "tools/load/value.h"

#include <inttypes.h>
#include <string.h>

#define LIST_MAX 100000u

int lab_setup_parse(const char *text, const char *where, struct load_arena *arena,
                    struct lab_setup *setup_p, struct sim_error *err)
{
    struct lab_setup setup = { 0 };

    while (*text != '\0') {
        int n = (int)strcspn(text, ";");
        const char *entry = load_text(arena, "%.*s", n, text), *eq = strchr(entry, '=');
        const char *key;
        int rc;

        if (eq == NULL || eq == entry || eq[1] == '\0')
            return sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s: expected key=value", where,
                                 entry);
        key = load_text(arena, "%.*s", (int)(eq - entry), entry);
        if (lab_setup_get(&setup, key) != NULL)
            return sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s: expected each key once", where,
                                 entry);
        rc = lab_setup_put(&setup, key, eq + 1, where, err);
        if (rc != SIM_OK)
            return rc;
        text += n + (text[n] == ';');
    }
    *setup_p = setup;
    return SIM_OK;
}

const char *lab_setup_get(const struct lab_setup *setup, const char *key)
{
    for (unsigned i = 0; i < setup->n; i++)
        if (strcmp(setup->keys[i].key, key) == 0)
            return setup->keys[i].value;
    return NULL;
}

int lab_setup_put(struct lab_setup *setup, const char *key, const char *value, const char *where,
                  struct sim_error *err)
{
    unsigned i;

    for (i = 0; i < setup->n && strcmp(setup->keys[i].key, key) != 0;)
        i++;
    if (i == LAB_SETUP_MAX)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s: expected at most %u keys", where,
                             key, LAB_SETUP_MAX);
    setup->keys[i] = (struct lab_key){ key, value };
    setup->n += i == setup->n;
    return SIM_OK;
}

void lab_setup_drop(struct lab_setup *setup, const char *key)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < setup->n; i++)
        if (strcmp(setup->keys[i].key, key) != 0)
            setup->keys[kept++] = setup->keys[i];
    setup->n = kept;
}

int lab_list_add(struct lab_list *list, const char *item, const char *where,
                 struct load_arena *arena, struct sim_error *err)
{
    if (list->n == LIST_MAX)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: setup: expected at most %u values in a list",
                             where, LIST_MAX);
    list->items = load_grow(arena, list->items, list->n, &list->room, sizeof(*list->items));
    list->items[list->n++] = item;
    return SIM_OK;
}

/** a, 2a, 4a ... up to b, or "by s": a, a+s, a+2s. */
static int add_range(struct lab_list *list, const char *text, const char *dots, const char *where,
                     struct load_arena *arena, struct sim_error *err)
{
    const char *by = strstr(dots, " by ");
    const char *end = load_text(arena, "%.*s", by != NULL ? (int)(by - dots - 2) : 99, dots + 2);
    uint64_t first, last, step = 0;
    int rc = SIM_OK;

    if (!load_number(load_text(arena, "%.*s", (int)(dots - text), text), false, &first) ||
        !load_number(end, false, &last) || first > last || (by == NULL && first == 0) ||
        (by != NULL && (!load_number(by + 4, false, &step) || step == 0)))
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: setup %s: expected a range such as 8..1024 or 1..7 by 2", where,
                             text);
    for (uint64_t x = first; rc == SIM_OK; x += by != NULL ? step : x) {
        rc = lab_list_add(list, load_text(arena, "%" PRIu64, x), where, arena, err);
        if (by != NULL ? last - x < step : x > last / 2)
            break;
    }
    return rc;
}

int lab_list_parse(const char *text, const char *where, struct load_arena *arena,
                   struct lab_list *list_p, struct sim_error *err)
{
    struct lab_list list = { 0 };
    int rc = SIM_OK;

    while (*text != '\0' && rc == SIM_OK) {
        int n = (int)strcspn(text, "|");
        const char *item = load_text(arena, "%.*s", n, text), *dots = strstr(item, "..");

        rc = dots != NULL ? add_range(&list, item, dots, where, arena, err)
                          : lab_list_add(&list, item, where, arena, err);
        text += n + (text[n] == '|');
    }
    if (rc == SIM_OK)
        *list_p = list;
    return rc;
}
