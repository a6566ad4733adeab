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
        load_raise(SIM_ERR_CONFIG, "%s: expected at most %u values", where, LIST_MAX);
    list->items = load_grow(arena, list->items, list->n, &list->room, sizeof(*list->items));
    list->items[list->n++] = item;
}

struct list_range {
    const char *where, *key, *text;
    struct load_arena *arena;
    uint64_t first, last, step; /* step 0: doublings */
};

static _Noreturn void fail_list_range(const struct list_range *r, const char *why)
{
    const char *head = load_text(r->arena, "%s: setup %s=%.40s", r->where, r->key, r->text);

    load_raise_behind(SIM_ERR_CONFIG, head, "%s", why);
}

static uint64_t read_number(const struct list_range *r, const char *text)
{
    uint64_t number;

    if (!load_number(text, false, &number))
        fail_list_range(r, load_text(r->arena,
                                     "%.40s: expected a whole number, as in 8..1024 or 1..7 by 2; "
                                     "keys that count bytes take 4KiB..64KiB, too",
                                     text));
    return number;
}

static void read_list_range(struct list_range *r, const char *dots)
{
    const char *by = strstr(dots, " by ");
    int n = by != NULL ? (int)(by - dots - 2) : (int)strlen(dots + 2);

    r->first = read_number(r, load_text(r->arena, "%.*s", (int)(dots - r->text), r->text));
    r->last = read_number(r, load_text(r->arena, "%.*s", n, dots + 2));
    if (by != NULL)
        r->step = read_number(r, by + 4);
    if (by != NULL && r->step == 0)
        fail_list_range(r, "expected steps of at least 1");
    if (r->first > r->last)
        fail_list_range(r, "expected the less first, as in 8..1024");
    if (by == NULL && r->first == 0)
        fail_list_range(r, "doublings of 0: expected at least 1, or steps as in 0..7 by 1");
    if (by != NULL && (r->last - r->first) / r->step >= LIST_MAX)
        fail_list_range(
            r, load_text(r->arena, "more than %u values: expected longer steps", LIST_MAX));
}

/** `x` is the last value before the end that is written: not to be left out without a word. */
static _Noreturn void refuse_end(const struct list_range *r, uint64_t x)
{
    if (r->step != 0)
        fail_list_range(r, load_text(r->arena,
                                     "steps of %" PRIu64 " end at %" PRIu64 ": expected that end",
                                     r->step, x));
    fail_list_range(r,
                    load_text(r->arena,
                              "doublings of %" PRIu64 " end at %" PRIu64
                              ": expected that end, or steps as in %" PRIu64 "..%" PRIu64 " by 1",
                              r->first, x, r->first, r->last));
}

/** a, 2a, 4a ... b, or "by s": a, a+s, a+2s ... b. */
static void add_list_range(struct lab_list *list, const char *key, const char *text,
                           const char *dots, const char *where, struct load_arena *arena)
{
    struct list_range r = { .where = where, .key = key, .text = text, .arena = arena };

    read_list_range(&r, dots);
    for (uint64_t x = r.first;; x += r.step != 0 ? r.step : x) {
        lab_list_add(list, load_text(arena, "%" PRIu64, x), where, arena);
        if (x == r.last)
            break;
        if (r.step != 0 ? r.last - x < r.step : x > r.last / 2)
            refuse_end(&r, x);
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
            add_list_range(&list, key, item, dots, where, arena);
        else
            lab_list_add(&list, item, where, arena);
        text += n + (text[n] == '|');
    }
    return list;
}
