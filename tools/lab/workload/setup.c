#include "tools/lab/workload/setup.h"

#include "tools/load/value.h"

#include <inttypes.h>
#include <string.h>

#define LIST_MAX 100000u

/** @return the length of what separates values here; 0: nothing does */
static size_t separator_at(const char *text)
{
    static const char *const separators[] = { "|", "..", " by " };

    for (size_t i = 0; i < SIM_COUNT(separators); i++)
        if (strncmp(text, separators[i], strlen(separators[i])) == 0)
            return strlen(separators[i]);
    return 0;
}

const char *lab_setup_sizes(const char *text, struct load_arena *arena)
{
    const char *value = "";
    uint64_t number;

    for (size_t n; *text != '\0'; text += n) {
        const char *part;

        n = separator_at(text);
        if (n == 0)
            while (text[n] != '\0' && separator_at(text + n) == 0)
                n++;
        part = load_text(arena, "%.*s", (int)n, text);
        value = load_number(part, true, &number) ? load_text(arena, "%s%" PRIu64, value, number)
                                                 : load_text(arena, "%s%s", value, part);
    }
    return value;
}

struct lab_setup lab_setup_parse(const char *text, const char *where, struct load_arena *arena)
{
    struct lab_setup setup = { 0 };

    while (*text != '\0') {
        int n = (int)strcspn(text, ";");
        const char *entry = load_text(arena, "%.*s", n, text), *eq = strchr(entry, '=');
        const char *key;

        if (eq == NULL || eq == entry || eq[1] == '\0')
            load_raise(SIM_ERR_CONFIG, "%s: setup %s: expected key=value", where, entry);
        key = load_text(arena, "%.*s", (int)(eq - entry), entry);
        if (lab_setup_get(&setup, key) != NULL)
            load_raise(SIM_ERR_CONFIG, "%s: setup %s: expected each key once", where, entry);
        lab_setup_put(&setup, key, eq + 1, where);
        text += n + (text[n] == ';');
    }
    return setup;
}

static const struct lab_key *find_key(const struct lab_setup *setup, const char *key)
{
    for (unsigned i = 0; i < setup->n; i++)
        if (strcmp(setup->keys[i].key, key) == 0)
            return &setup->keys[i];
    return NULL;
}

const char *lab_setup_get(const struct lab_setup *setup, const char *key)
{
    const struct lab_key *found = find_key(setup, key);

    return found != NULL ? found->value : NULL;
}

const char *lab_setup_where(const struct lab_setup *setup, const char *key, const char *absent)
{
    const struct lab_key *found = find_key(setup, key);

    return found != NULL && found->where != NULL ? found->where : absent;
}

void lab_setup_put(struct lab_setup *setup, const char *key, const char *value, const char *where)
{
    unsigned i;

    for (i = 0; i < setup->n && strcmp(setup->keys[i].key, key) != 0;)
        i++;
    if (i == LAB_SETUP_MAX)
        load_raise(SIM_ERR_CONFIG, "%s: setup %s: expected at most %u keys", where, key,
                   LAB_SETUP_MAX);
    setup->keys[i] = (struct lab_key){ key, value, where };
    setup->n += i == setup->n;
}

void lab_setup_drop(struct lab_setup *setup, const char *key)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < setup->n; i++)
        if (strcmp(setup->keys[i].key, key) != 0)
            setup->keys[kept++] = setup->keys[i];
    setup->n = kept;
}

void lab_list_add(struct lab_list *list, const char *item, const char *where,
                  struct load_arena *arena)
{
    if (list->n == LIST_MAX)
        load_raise(SIM_ERR_CONFIG, "%s: setup: expected at most %u values in a list", where,
                   LIST_MAX);
    list->items = load_grow(arena, list->items, list->n, &list->room, sizeof(*list->items));
    list->items[list->n++] = item;
}

/** a, 2a, 4a ... up to b, or "by s": a, a+s, a+2s. */
static void add_range(struct lab_list *list, const char *key, const char *text, const char *dots,
                      const char *where, struct load_arena *arena)
{
    const char *by = strstr(dots, " by ");
    const char *end = load_text(arena, "%.*s", by != NULL ? (int)(by - dots - 2) : 99, dots + 2);
    uint64_t first, last, step = 0;

    if (!load_number(load_text(arena, "%.*s", (int)(dots - text), text), false, &first) ||
        !load_number(end, false, &last) || first > last || (by == NULL && first == 0) ||
        (by != NULL && (!load_number(by + 4, false, &step) || step == 0)))
        load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: expected a range such as 8..1024 or 1..7 by 2",
                   where, key, text);
    for (uint64_t x = first;; x += by != NULL ? step : x) {
        lab_list_add(list, load_text(arena, "%" PRIu64, x), where, arena);
        if (by != NULL ? last - x < step : x > last / 2)
            break;
    }
}

struct lab_list lab_list_parse(const char *key, const char *text, const char *where,
                               struct load_arena *arena)
{
    struct lab_list list = { 0 };

    while (*text != '\0') {
        int n = (int)strcspn(text, "|");
        const char *item = load_text(arena, "%.*s", n, text), *dots = strstr(item, "..");

        if (dots != NULL)
            add_range(&list, key, item, dots, where, arena);
        else
            lab_list_add(&list, item, where, arena);
        text += n + (text[n] == '|');
    }
    return list;
}
