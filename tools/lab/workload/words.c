/* The words of a setup: which keys a workload knows, and what they may say. */
#include "tools/lab/workload/plan_parts.h"
#include "tools/load/nearest.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAMES_SIZE 1024u

#define MEMORIES "cpu|cpu-store|gpu|gpu-other-same-node|gpu-across-qpi"

const struct lab_word lab_words_transfer[] = {
    { "bytes", HUBSIM_NUMBER },
    { "mode", "pio|dma|dma-register|dma-chain-host|dma-chain-internal|link-only" },
    { "warmup", HUBSIM_NUMBER },
    { "rounds", HUBSIM_NUMBER },
    { "repeats", HUBSIM_NUMBER },
    { 0 },
};

const struct lab_word lab_words_pair[] = {
    { "src", MEMORIES },
    { "dst", MEMORIES },
    { "gpu", "peach2-side|ib-side|across-qpi" },
    { "hops", HUBSIM_NUMBER },
    { "link", "direct" },
    { "api", NULL },
    { 0 },
};

const struct lab_word lab_words_ib[] = {
    { "net", NULL },
    { "gdr", "on|off" },
    { "gdr_limit", NULL }, /* a number, default, or default-N: the library's, which is N */
    { "gdr_receive_limit", NULL },
    { "rails", HUBSIM_NUMBER },
    { "ports", HUBSIM_NUMBER }, /* an adapter's: rails by another name */
    { 0 },
};

static const struct lab_word words_of_all[] = {
    { "faults", NULL },
    { "bit_error_rate", NULL },
    { "fault_links", NULL },
    { "nodes", HUBSIM_NUMBER },
    { "reduce", "min|median|mean" },
    /* the grammar of the rows themselves */
    { "grid", "powers of two" },
    { "spread_pct", NULL },
    { "note", NULL },
    { "measure", NULL },
    { "take", "max|min" },
    { "over", NULL },
    { "versus", NULL },
    { 0 },
};

static const struct lab_workload *const families[] = { lab_workloads_tca, lab_workloads_mpi,
                                                       lab_workloads_group, lab_workloads_link };

const struct lab_workload *lab_workload_find(const char *name, const struct lab_setup *setup,
                                             struct load_arena *arena)
{
    bool row = setup != NULL && lab_setup_get(setup, "api") != NULL;

    for (size_t f = 0; f < SIM_COUNT(families); f++)
        for (const struct lab_workload *w = families[f]; w->name != NULL; w++)
            if (strcmp(w->name, name) == 0 && (row || !w->of_rows))
                return w;
    return lab_plan_described(name, arena);
}

void lab_workload_each(lab_workload_fn fn, void *arg)
{
    for (size_t f = 0; f < SIM_COUNT(families); f++)
        for (const struct lab_workload *w = families[f]; w->name != NULL; w++)
            if (!w->of_rows)
                fn(arg, w->name, "");
    lab_plan_each_described(fn, arg);
}

/** Is `text` one of those that `list` has, with a separator between them? */
static bool is_in(const char *list, const char *separator, const char *text)
{
    size_t n = strlen(text), length;

    for (const char *at = list; *at != '\0'; at += strspn(at, separator)) {
        length = strcspn(at, separator);
        if (length == n && strncmp(at, text, n) == 0)
            return true;
        at += length;
    }
    return false;
}

bool lab_workload_has(const char *name, const char *key, char prints[LAB_PRINTS_MAX])
{
    struct load_arena arena = { 0 };
    const struct lab_workload *w = lab_workload_find(name, NULL, &arena);

    (void)snprintf(prints, LAB_PRINTS_MAX, "%s", w != NULL ? w->prints : LAB_PRINTS);
    load_arena_fini(&arena);
    return is_in(prints, ", ", key);
}

void lab_workload_point(const char *name, struct load_arena *arena, const char **key_p,
                        const char **value_p)
{
    const struct lab_workload *w = lab_workload_find(name, NULL, arena);

    *key_p = w != NULL && w->own != NULL ? w->own->keys[0].key : "bytes";
    *value_p = w != NULL && w->own != NULL ? w->own->keys[0].value : "0";
}

static void add_key(struct lab_table *table, const struct lab_word *word,
                    const struct lab_workload *w)
{
    unsigned row = lab_table_add(table);
    const struct hubsim_key *own = w->own != NULL ? &w->own->keys[word - w->words[0]] : NULL;

    lab_table_set(table, row, 0, "%s\t%s", word->key, word->values != NULL ? word->values : "");
    if (own != NULL)
        lab_table_set(table, row, 2, "%s\t%s\t%s", own->unit, own->value, own->meaning);
}

bool lab_workload_keys(const char *name, struct lab_table *table)
{
    struct load_arena arena = { 0 };
    const struct lab_workload *w = lab_workload_find(name, NULL, &arena);

    lab_table_begin(table, "key, values, unit, default, meaning");
    for (unsigned l = 0; w != NULL && l < (w->own != NULL ? 1 : LAB_WORD_LISTS); l++)
        for (const struct lab_word *k = w->words[l]; k != NULL && k->key != NULL; k++)
            add_key(table, k, w);
    load_arena_fini(&arena);
    return w != NULL;
}

/* ---- checks ------------------------------------------------------------------------- */

/** @param near collects what might be meant; NULL: nothing to collect. */
static const struct lab_word *find_in(const struct lab_word *words, const char *key,
                                      struct load_nearest *near)
{
    for (; words->key != NULL; words++) {
        if (strcmp(words->key, key) == 0)
            return words;
        if (near != NULL)
            load_nearest_offer(near, words->key);
    }
    return NULL;
}

const struct lab_word *lab_workload_word(const struct lab_workload *w, const char *key,
                                         struct load_nearest *near)
{
    const struct lab_word *found = NULL;

    for (unsigned l = 0; l < LAB_WORD_LISTS && w->words[l] != NULL && found == NULL; l++)
        found = find_in(w->words[l], key, near);
    return found != NULL ? found : find_in(words_of_all, key, near);
}

/** A key of any row of the tables. */
static const struct lab_word *find_anywhere(const char *key, struct load_nearest *near)
{
    const struct lab_word *found = NULL;

    for (size_t f = 0; f < SIM_COUNT(families); f++)
        for (const struct lab_workload *w = families[f]; w->name != NULL && found == NULL; w++)
            found = lab_workload_word(w, key, near);
    return found;
}

static void append_name(void *arg, const char *name, const char *summary)
{
    char *names = arg;
    size_t n = strlen(names);

    (void)summary;
    (void)snprintf(names + n, NAMES_SIZE - n, "%s, ", name);
}

static _Noreturn void fail_workload(const char *where, const char *name)
{
    char names[NAMES_SIZE] = "";

    lab_workload_each(append_name, names);
    load_raise(SIM_ERR_CONFIG,
               "%s: workload = %s: expected %sor the path of a program that describes "
               "itself",
               where, name, names);
}

static bool is_good(const char *values, const char *text)
{
    uint64_t first, last, number;
    int end = 0;

    if (values == NULL)
        return true;
    if (strcmp(values, HUBSIM_NUMBER) == 0)
        return load_number(text, false, &number);
    if (sscanf(values, "%" SCNu64 "..%" SCNu64 "%n", &first, &last, &end) == 2 &&
        values[end] == '\0')
        return load_number(text, false, &number) && number >= first && number <= last;
    return is_in(values, "|", text);
}

/** @param values whether to look at them; a list may still stand for one. */
static void check_key(const char *where, const struct lab_workload *w, const struct lab_key *key,
                      bool values)
{
    bool other = strncmp(key->key, "versus_", 7) == 0; /* a key for the other side */
    const char *name = other ? key->key + 7 : key->key;
    const struct lab_word *word;
    struct load_nearest near;
    bool size;

    if (key->where != NULL)
        where = key->where;
    load_nearest_init(&near, name);
    word = other ? find_anywhere(name, &near) : lab_workload_word(w, name, &near);
    if (word == NULL)
        load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: unknown key%s", where, key->key, key->value,
                   near.hint);
    if (!values || is_good(word->values, key->value))
        return;
    size = strcmp(word->values, HUBSIM_NUMBER) == 0 && lab_setup_is_size(name);
    load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s%s", where, key->key, key->value,
               word->values, size ? ", such as 4096 or 4KiB" : "");
}

void lab_words_check_arg(const char *where, const char *program, const char *key, const char *value)
{
    struct load_arena arena = { 0 };
    const struct lab_workload *w = lab_plan_described(program, &arena);
    const struct lab_word *word = w != NULL ? find_in(w->words[0], key, NULL) : NULL;

    if (word != NULL && strcmp(w->own->keys[word - w->words[0]].unit, HUBSIM_MEMORY) != 0 &&
        !is_good(word->values, value))
        load_raise(SIM_ERR_CONFIG, "%s: args %s=%s: expected %s", where, key, value, word->values);
    load_arena_fini(&arena);
}

static void check_setup(const char *where, const char *workload, const struct lab_setup *setup,
                        bool values)
{
    struct load_arena arena = { 0 };
    const struct lab_workload *w = lab_workload_find(workload, setup, &arena);

    if (w == NULL)
        fail_workload(where, workload);
    for (unsigned i = 0; i < setup->n; i++)
        check_key(where, w, &setup->keys[i], values);
    load_arena_fini(&arena);
}

void lab_plan_check_keys(const char *where, const char *workload, const struct lab_setup *setup)
{
    check_setup(where, workload, setup, false);
}

void lab_words_check(const struct lab_point *pt)
{
    check_setup(pt->where, pt->workload, pt->setup, true);
}
