/* The words of a setup: which keys a workload knows, and what they may say. */
#include "tools/lab/run/software.h"
#include "tools/lab/workload/plan_parts.h"
#include "tools/lab/workload/values.h"
#include "tools/load/nearest.h"

#include <stdio.h>
#include <string.h>

#define NAMES_SIZE 1024u

#define VERSUS "versus_" /* before a key: that of the other side */

#define MEMORIES "cpu|cpu-store|gpu|gpu-other-same-node|gpu-across-qpi"

const struct lab_word lab_words_transfer[] = {
    { "bytes", HUBSIM_NUMBER, HUBSIM_BYTES, "",
      "of a message; DMA moves multiples of 4, stores of 8" },
    { "mode", "pio|dma|dma-register|dma-chain-host|dma-chain-internal", "", "dma-chain-internal",
      "stores, or where the descriptors of DMA lie; dma: the fastest DMA" },
    { "warmup", HUBSIM_NUMBER, "1", "1", "rounds before those that count" },
    { "rounds", "1..", "1", "",
      "timed together; else 100, of streams by MPI 1; commands may take fewer" },
    { "repeats", "1..", "1", "10", "times that this is measured; commands may take fewer" },
    { 0 },
};

const struct lab_word lab_words_pair[] = {
    { "src", MEMORIES, "", "cpu", "where the bytes are; cpu-store: stores of the CPU" },
    { "dst", MEMORIES, "", "cpu", "where they go" },
    { "gpu", "peach2-side|ib-side|across-qpi", "", "",
      "the socket of the GPUs; else that of the network in use" },
    { "hops", HUBSIM_NUMBER, "1", "1", "cables between the two nodes" },
    { "link", "direct", "", "", "without effect: one cable joins the nodes" },
    { "api", NULL, "", "", "the library: tca, or one of configs/mpi" },
    { 0 },
};

const struct lab_word lab_words_ib[] = {
    { "net", NULL, "", "ib", "signalling of InfiniBand, ib-sdr to ib-edr; -dual: two ports" },
    { "gdr", "on|off", "", "", "whether adapters use memory of GPUs; else as the library has it" },
    { "gdr_limit", NULL, HUBSIM_BYTES, "default",
      "largest message from a GPU without copies; default-N: the library says N" },
    { "gdr_receive_limit", NULL, HUBSIM_BYTES, "default",
      "largest message to a GPU without copies" },
    { "gdrcopy", "on|off", "", "",
      "whether cores load and store memory of GPUs; else as the library has it" },
    { "rails", HUBSIM_NUMBER, "1", "", "ports of the adapters in use, 1 or 2" },
    { "ports", HUBSIM_NUMBER, "1", "", "rails by another name" },
    { 0 },
};

static const struct lab_word words_of_all[] = {
    { .key = "faults" },
    { .key = "bit_error_rate" },
    { .key = "fault_links" },
    { .key = "nodes", .values = HUBSIM_NUMBER },
    { .key = "reduce", .values = "min|median|mean" },
    /* the grammar of the rows themselves */
    { .key = "grid", .values = "powers of two" },
    { .key = "spread_pct" },
    { .key = "note" },
    { .key = "measure" },
    { .key = "take", .values = "max|min" },
    { .key = "over" },
    { .key = "versus" },
    { 0 },
};

static const struct lab_workload *const families[] = { lab_workloads_tca, lab_workloads_mpi,
                                                       lab_workloads_group, lab_workloads_gasnet,
                                                       lab_workloads_link };

const struct lab_workload *lab_workload_find(const char *name, const struct lab_setup *setup,
                                             struct load_arena *arena)
{
    bool row = setup != NULL &&
               (lab_setup_get(setup, "api") != NULL || lab_setup_get(setup, "system") != NULL);

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

bool lab_workload_has(const char *name, const char *key, char prints[LAB_PRINTS_MAX])
{
    struct load_arena arena = { 0 };
    const struct lab_workload *w = lab_workload_find(name, NULL, &arena);

    (void)snprintf(prints, LAB_PRINTS_MAX, "%s", w != NULL ? w->prints : LAB_PRINTS);
    load_arena_fini(&arena);
    return lab_values_list(prints, ", ", key);
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
    unsigned row;

    if (lab_workload_word(w, word->key, NULL) != word)
        return; /* an earlier list has its own of the key */
    row = lab_table_add(table);
    lab_table_set(table, row, 0, "%s\t%s\t%s\t%s\t%s", word->key,
                  word->values != NULL ? word->values : "", word->unit, word->absent,
                  word->meaning);
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

void lab_words_fail_unnamed(const struct load_tree *series)
{
    for (unsigned i = 0; i < series->n; i++) {
        struct load_nearest near;

        load_nearest_init(&near, series->items[i].key, true);
        load_nearest_offer(&near, "name");
        if (near.hint[0] != '\0' && find_anywhere(series->items[i].key, NULL) == NULL)
            load_fail(&series->items[i], NULL, "unknown key%s", near.hint);
    }
    load_fail(series, NULL, "expected the key name");
}

static void append_name(void *arg, const char *name, const char *summary)
{
    char *names = arg;
    size_t n = strlen(names);

    (void)summary;
    (void)snprintf(names + n, NAMES_SIZE - n, "%s, ", name);
}

static void offer_name(void *near, const char *name, const char *summary)
{
    (void)summary;
    load_nearest_offer(near, name);
}

static _Noreturn void fail_workload(const char *where, const char *name)
{
    char names[NAMES_SIZE] = "";
    struct load_nearest near;

    load_nearest_init(&near, name, false);
    lab_workload_each(offer_name, &near);
    if (near.hint[0] != '\0')
        load_raise(SIM_ERR_CONFIG, "%s: workload = %s: unknown%s", where, name, near.hint);
    lab_workload_each(append_name, names);
    load_raise(SIM_ERR_CONFIG,
               "%s: workload = %s: expected %sor the path of a program that describes "
               "itself",
               where, name, names);
}

bool lab_words_is_single(const char *mode)
{
    return strcmp(mode, "dma") != 0 && strcmp(mode, "link-only") != 0;
}

const char *lab_words_single_modes(const char *workload, struct load_arena *arena)
{
    const struct lab_workload *w = lab_workload_find(workload, NULL, arena);
    const struct lab_word *word = w != NULL ? lab_workload_word(w, "mode", NULL) : NULL;
    const char *at = word != NULL && word->values != NULL ? word->values : "", *modes = "";

    for (int n; *at != '\0'; at += n + (at[n] == '|')) {
        const char *mode;

        n = (int)strcspn(at, "|");
        mode = load_text(arena, "%.*s", n, at);
        if (lab_words_is_single(mode))
            modes = load_text(arena, "%s%s%s", modes, modes[0] != '\0' ? "|" : "", mode);
    }
    return modes;
}

static bool has_unit(const struct lab_word *word, const char *unit)
{
    return word->unit != NULL && strcmp(word->unit, unit) == 0;
}

/** The word of a key, which may be one for the other side. @param near NULL, or gets a hint */
static const struct lab_word *find_word(const struct lab_workload *w, const char *key,
                                        struct load_nearest *near)
{
    bool other = strncmp(key, VERSUS, strlen(VERSUS)) == 0;
    const char *name = other ? key + strlen(VERSUS) : key;

    if (near != NULL)
        load_nearest_init(near, name, true);
    return other ? find_anywhere(name, near) : lab_workload_word(w, name, near);
}

static const char *value_of(const char *name, const struct lab_setup *setup, const char *key,
                            const char *text, struct load_arena *arena)
{
    const struct lab_workload *w;
    const struct lab_word *word;

    if (strstr(text, "iB") == NULL) /* most have no unit: nothing to look up */
        return text;
    w = lab_workload_find(name, setup, arena);
    word = w != NULL ? find_word(w, key, NULL) : NULL;
    return (word != NULL ? has_unit(word, HUBSIM_BYTES) : strstr(key, "bytes") != NULL)
               ? lab_setup_sizes(text, arena)
               : text;
}

const char *lab_words_value(const char *name, const char *key, const char *text,
                            struct load_arena *arena)
{
    return value_of(name, NULL, key, text, arena);
}

void lab_words_values(const char *workload, struct lab_setup *setup, struct load_arena *arena)
{
    for (unsigned i = 0; i < setup->n; i++)
        setup->keys[i].value =
            value_of(workload, setup, setup->keys[i].key, setup->keys[i].value, arena);
}

static _Noreturn void fail_value(const char *where, const char *kind, const struct lab_key *key,
                                 const struct lab_word *word)
{
    struct load_arena arena = { 0 };

    load_raise(SIM_ERR_CONFIG, "%s: %s %s=%s: expected %s", where, kind, key->key, key->value,
               lab_values_words(word->values, has_unit(word, HUBSIM_BYTES), &arena));
}

static void try_mpi(void *text)
{
    struct launch_software software = launch_software_default();
    struct load_arena arena = { 0 };

    lab_software_mpi(&software, NULL, text, NULL, &arena);
    load_arena_fini(&arena);
}

/** What `hubrun --mpi` would say of it. Whether a machine has the network, its run finds. */
static void check_mpi(const char *where, const struct lab_key *key)
{
    struct sim_error why = { 0 };

    if (load_attempt(try_mpi, (void *)(uintptr_t)key->value, &why) != SIM_OK)
        load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: %s", where, key->key, key->value, why.text);
}

/** @param values whether to look at them; a list may still stand for one. */
static void check_key(const char *where, const struct lab_workload *w, const struct lab_key *key,
                      bool values)
{
    const struct lab_word *word;
    struct load_nearest near;

    if (key->where != NULL)
        where = key->where;
    word = find_word(w, key->key, &near);
    if (word == NULL)
        load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: unknown key%s", where, key->key, key->value,
                   near.hint);
    if (values && !lab_values_allow(word->values, key->value))
        fail_value(where, "setup", key, word);
    if (values && word->values != NULL && strcmp(word->values, LAB_VALUES_MPI) == 0)
        check_mpi(where, key);
}

/** @param w the program as it describes itself, or NULL */
static bool is_memory(const struct lab_workload *w, const char *program, const char *key)
{
    const struct lab_word *word = w != NULL ? find_in(w->words[0], key, NULL) : NULL;

    if (w != NULL)
        return word != NULL && has_unit(word, HUBSIM_MEMORY);
    return strchr(program, '/') == NULL &&
           (strcmp(key, "src") == 0 || strcmp(key, "dst") == 0 || strcmp(key, "memory") == 0);
}

bool lab_words_is_memory(const char *program, const char *key)
{
    struct load_arena arena = { 0 };
    bool memory = is_memory(lab_plan_described(program, &arena), program, key);

    load_arena_fini(&arena);
    return memory;
}

void lab_words_check_arg(const char *where, const char *program, const char *key, const char *value)
{
    struct load_arena arena = { 0 };
    const struct lab_workload *w = lab_plan_described(program, &arena);
    const struct lab_word *word = w != NULL ? find_in(w->words[0], key, NULL) : NULL;

    if (is_memory(w, program, key) && !lab_run_gpu_reads(value))
        load_raise(SIM_ERR_CONFIG,
                   "%s: args %s=%s: expected gpu@COMPONENT, gpu@COMPONENT+N or gpu@!COMPONENT",
                   where, key, value);
    if (word != NULL && !has_unit(word, HUBSIM_MEMORY) && !lab_values_allow(word->values, value))
        fail_value(where, "args", &(struct lab_key){ key, value, where }, word);
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
