#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tools/lab/run/pool.h"

#include "tools/lab/run/worker.h"

#include <string.h>

struct entry {
    struct lab_run run;
    const char *text;
    uint64_t hash;
    bool done;
    struct lab_result result;
};

struct lab_pool {
    struct lab_pool_config cfg;
    struct load_arena arena; /* in which it lives */
    unsigned n, room, done;  /* entries [0, done) have results */
    struct entry **entries;
};

struct lab_pool *lab_pool_create(const struct lab_pool_config *cfg)
{
    struct load_arena arena = { 0 };
    struct lab_pool *pool = load_alloc(&arena, sizeof(*pool));

    *pool = (struct lab_pool){ .cfg = *cfg, .arena = arena };
    return pool;
}

void lab_pool_destroy(struct lab_pool *pool)
{
    if (pool != NULL)
        load_arena_fini(&pool->arena);
}

static const char *copy_text(struct load_arena *arena, const char *text)
{
    return text != NULL ? load_text(arena, "%s", text) : NULL;
}

static void copy_texts(struct load_arena *arena, const char *const *texts, unsigned n,
                       const char **copies)
{
    for (unsigned i = 0; i < n; i++)
        copies[i] = copy_text(arena, texts[i]);
}

/** The caller's texts may end before the pool does. */
static struct lab_run copy_run(struct load_arena *arena, const struct lab_run *run)
{
    struct lab_run copy = *run;
    const char **sets = load_alloc(arena, (run->nsets + 1) * sizeof(*sets));

    copy.machine = copy_text(arena, run->machine);
    copy.platform = copy_text(arena, run->platform);
    copy.mpi = copy_text(arena, run->mpi);
    copy.gasnet = copy_text(arena, run->gasnet);
    copy.algorithms = copy_text(arena, run->algorithms);
    copy.program = copy_text(arena, run->program);
    copy_texts(arena, run->args, run->nargs, copy.args);
    copy_texts(arena, run->fixed, run->nfixed, copy.fixed);
    copy_texts(arena, run->sets, run->nsets, sets);
    copy_texts(arena, run->faults, run->nfaults, copy.faults);
    copy.sets = sets;
    return copy;
}

static struct entry *add_entry(struct lab_pool *pool)
{
    pool->entries =
        load_grow(&pool->arena, pool->entries, pool->n, &pool->room, sizeof(*pool->entries));
    pool->entries[pool->n] = load_alloc(&pool->arena, sizeof(struct entry));
    return pool->entries[pool->n++];
}

const struct lab_result *lab_pool_get(struct lab_pool *pool, const struct lab_run *run)
{
    struct load_arena scratch = { 0 };
    const char *text = lab_run_text(run, &scratch);
    uint64_t hash = sim_hash_bytes(0, text, strlen(text));
    struct entry *found = NULL;

    for (unsigned i = 0; i < pool->n && found == NULL; i++)
        if (pool->entries[i]->hash == hash && strcmp(pool->entries[i]->text, text) == 0)
            found = pool->entries[i];
    if (found == NULL) {
        found = add_entry(pool);
        found->run = copy_run(&pool->arena, run);
        found->text = load_text(&pool->arena, "%s", text);
        found->hash = hash;
    }
    load_arena_fini(&scratch);
    return found->done ? &found->result : NULL;
}

static void keep_result(struct lab_pool *pool, struct entry *entry, int rc, const char *text)
{
    struct sim_error err = { 0 };

    if (rc == SIM_OK)
        rc = lab_result_try(text, &pool->arena, &entry->result, &err);
    else
        (void)sim_error_set(&err, rc, "%.900s", text);
    entry->result.rc = rc;
    if (rc != SIM_OK)
        entry->result.error = load_text(&pool->arena, "%s", err.text);
    entry->done = true;
}

struct execution {
    const struct lab_pool_config *cfg;
    const struct lab_run *run;
    FILE *out;
};

static void execute(void *arg)
{
    const struct execution *e = arg;

    e->cfg->execute(e->cfg->execute_arg, e->run, e->out);
}

int lab_execute(const struct lab_pool_config *cfg, const struct lab_run *run, char **text_p,
                size_t *n_p)
{
    struct sim_error err = { 0 };
    FILE *out = open_memstream(text_p, n_p);
    int rc;

    SIM_ASSERT(out != NULL);
    rc = load_attempt(execute, &(struct execution){ cfg, run, out }, &err);
    if (rc != SIM_OK) {
        rewind(out);
        (void)fprintf(out, "%s", err.text);
        (void)fputc('\0', out);
    }
    SIM_ASSERT(fclose(out) == 0);
    return rc;
}

static bool finished(void *arg, const struct lab_finished *end)
{
    struct lab_pool *pool = arg;
    unsigned total = pool->n - pool->done, n = 0;

    keep_result(pool, pool->entries[pool->done + end->index], end->rc, end->text);
    for (unsigned i = pool->done; i < pool->n; i++)
        n += pool->entries[i]->done;
    if (pool->cfg.progress != NULL)
        pool->cfg.progress(pool->cfg.progress_arg, n, total);
    return true;
}

void lab_pool_work(struct lab_pool *pool)
{
    unsigned n = pool->n - pool->done;
    const struct lab_run **runs = load_alloc(&pool->arena, (n + 1) * sizeof(*runs));

    for (unsigned i = 0; i < n; i++)
        runs[i] = &pool->entries[pool->done + i]->run;
    lab_workers_run(&pool->cfg, runs, n, finished, pool);
    pool->done = pool->n;
}

void lab_pool_each(const struct lab_pool *pool, lab_pool_fn fn, void *arg)
{
    for (unsigned i = 0; i < pool->done; i++)
        fn(arg, &pool->entries[i]->run, &pool->entries[i]->result);
}

void lab_pool_each_wanted(const struct lab_pool *pool, lab_pool_fn fn, void *arg)
{
    for (unsigned i = pool->done; i < pool->n; i++)
        fn(arg, &pool->entries[i]->run, NULL);
}
