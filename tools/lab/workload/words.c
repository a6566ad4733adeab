/* The words of a setup: which keys a workload knows, and what they may say. */
#include "tools/lab/workload/plan_parts.h"
#include "tools/load/nearest.h"
#include "tools/load/value.h"

#include <stdio.h>
#include <string.h>

const char LAB_NUMBER[] = "a whole number";
static const char MEMORIES[] = "cpu|cpu-store|gpu|gpu-other-same-node|gpu-across-qpi";

const struct lab_word lab_words_pair[] = {
    { "src", MEMORIES },
    { "dst", MEMORIES },
    { "gpu", "peach2-side|ib-side" },
    { "hops", LAB_NUMBER },
    { "link", "direct" },
    { "api", NULL },
    { 0 },
};

const struct lab_word lab_words_ib[] = {
    { "net", NULL },
    { "gdr", "on|off" },
    { "gdr_limit", LAB_NUMBER },
    { "rails", LAB_NUMBER },
    { "ports", LAB_NUMBER }, /* of the adapter: rails by another name */
    { 0 },
};

static const struct lab_word words_of_all[] = {
    { "bytes", LAB_NUMBER },
    { "mode", "pio|dma|dma-register|dma-chain-host|dma-chain-internal|link-only" },
    { "faults", NULL },
    { "bit_error_rate", NULL },
    { "fault_links", NULL },
    { "nodes", LAB_NUMBER },
    { "warmup", LAB_NUMBER },
    { "rounds", LAB_NUMBER },
    { "repeats", LAB_NUMBER },
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

static const struct lab_workload *workload_at(unsigned i)
{
    static const struct lab_workload *const families[] = { lab_workloads_tca, lab_workloads_mpi };

    for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
        for (const struct lab_workload *w = families[f]; w->name != NULL; w++)
            if (i-- == 0)
                return w;
    return NULL;
}

const char *lab_workload_name(unsigned i)
{
    return workload_at(i) != NULL ? workload_at(i)->name : NULL;
}

const struct lab_workload *lab_workload_find(const char *name)
{
    const struct lab_workload *w;

    for (unsigned i = 0; (w = workload_at(i)) != NULL; i++)
        if (strcmp(w->name, name) == 0)
            return w;
    return NULL;
}

const char *lab_workload_prints(const char *name)
{
    const struct lab_workload *w = lab_workload_find(name);

    return w != NULL ? w->prints : LAB_PRINTS;
}

bool lab_workload_has(const char *name, const char *key)
{
    size_t n = strlen(key);

    for (const char *at = lab_workload_prints(name); *at != '\0'; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ",");

        if (length == n && strncmp(at, key, n) == 0)
            return true;
        at += length;
    }
    return false;
}

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

/** @param workload NULL: any */
static const struct lab_word *find_word(const char *key, const struct lab_workload *workload,
                                        struct load_nearest *near)
{
    const struct lab_word *found = find_in(words_of_all, key, near);
    const struct lab_workload *w = workload;

    for (unsigned i = 0; found == NULL; i++) {
        if (workload == NULL && (w = workload_at(i)) == NULL)
            break;
        for (unsigned l = 0; l < LAB_WORD_LISTS && w->words[l] != NULL && found == NULL; l++)
            found = find_in(w->words[l], key, near);
        if (workload != NULL)
            break;
    }
    return found;
}

static bool one_of(const char *values, const char *text)
{
    size_t n = strlen(text);

    for (;;) {
        size_t len = strcspn(values, "|");

        if (len == n && strncmp(values, text, n) == 0)
            return true;
        if (values[len] == '\0')
            return false;
        values += len + 1;
    }
}

static int fail_workload(const char *where, const char *name, struct sim_error *err)
{
    char names[512] = "";

    for (unsigned i = 0; lab_workload_name(i) != NULL; i++) {
        size_t n = strlen(names);

        (void)snprintf(names + n, sizeof(names) - n, "%s%s",
                       i == 0 ? "" : (lab_workload_name(i + 1) != NULL ? ", " : " or "),
                       lab_workload_name(i));
    }
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: workload = %s: expected %s", where, name, names);
}

int lab_plan_check_keys(const char *where, const char *workload, const struct lab_setup *setup,
                        struct sim_error *err)
{
    const struct lab_workload *w = lab_workload_find(workload);
    int rc = w != NULL ? SIM_OK : fail_workload(where, workload, err);

    for (unsigned i = 0; i < setup->n && rc == SIM_OK; i++) {
        const char *key = setup->keys[i].key;
        struct load_nearest near;

        if (strncmp(key, "versus_", 7) == 0) { /* the other side's key, of the other workload */
            key += 7;
            w = NULL;
        }
        load_nearest_init(&near, key);
        if (find_word(key, w, &near) == NULL)
            rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s=%s: unknown key%s", where,
                               setup->keys[i].key, setup->keys[i].value, near.hint);
    }
    return rc;
}

int lab_words_check(const struct lab_point *pt, struct sim_error *err)
{
    int rc = lab_plan_check_keys(pt->where, pt->workload, pt->setup, err);

    for (unsigned i = 0; i < pt->setup->n && rc == SIM_OK; i++) {
        const char *key = pt->setup->keys[i].key, *value = pt->setup->keys[i].value;
        const struct lab_word *word;
        uint64_t number;
        bool good;

        word = find_word(strncmp(key, "versus_", 7) == 0 ? key + 7 : key, NULL, NULL);
        SIM_ASSERT(word != NULL);
        good =
            word->values == NULL || (word->values == LAB_NUMBER ? load_number(value, false, &number)
                                                                : one_of(word->values, value));
        if (!good)
            rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s", pt->where, key,
                               value, word->values);
    }
    return rc;
}
