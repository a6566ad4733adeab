#include "tools/hubrun/profile.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lab/format/out.h"
#include "tools/lab/format/table.h"

/** One function over all ranks. */
struct sum {
    const char *name;
    uint64_t count, bytes, ps, min_ps, max_ps;
};

static sim_time_t rank_ps(const struct launch_result *result, unsigned rank)
{
    const struct launch_rank_result *r = &result->ranks[rank];
    sim_time_t end = r->ended ? r->end_ps : result->end_ps;

    return end > result->start_ps ? end - result->start_ps : 0;
}

/** A run that was refused may have made some of its ranks only. */
static bool has_profiles(const struct launch_result *result)
{
    for (unsigned r = 0; r < result->nranks; r++)
        if (result->ranks == NULL || result->ranks[r].profile == NULL)
            return false;
    return result->nranks != 0;
}

/* Ranks may have called functions in another order. */
static const struct host_profile_call *call_of(const struct launch_result *result, unsigned rank,
                                               const char *name)
{
    const struct host_profile_call *calls = result->ranks[rank].profile->calls;

    for (unsigned c = 0; c < HOST_PROFILE_CALLS; c++)
        if (calls[c].name != NULL && strcmp(calls[c].name, name) == 0)
            return &calls[c];
    return NULL;
}

static void sum_call(const struct launch_result *result, const char *name, struct sum *sum)
{
    *sum = (struct sum){ .name = name, .min_ps = UINT64_MAX };
    for (unsigned r = 0; r < result->nranks; r++) {
        const struct host_profile_call *c = call_of(result, r, name);

        if (c != NULL) {
            sum->count += c->count;
            sum->bytes += c->bytes;
            sum->ps += c->ps;
            sum->max_ps = c->ps > sum->max_ps ? c->ps : sum->max_ps;
        }
        sum->min_ps = c == NULL ? 0 : c->ps < sum->min_ps ? c->ps : sum->min_ps;
    }
}

/** Sums what a rank has called and no rank before it. @return how many there are now */
static unsigned add_calls(const struct launch_result *result, unsigned rank, struct sum *sums,
                          unsigned n)
{
    const struct host_profile_call *calls = result->ranks[rank].profile->calls;

    for (unsigned c = 0; c < HOST_PROFILE_CALLS; c++) {
        unsigned before = 0;

        if (calls[c].name == NULL)
            continue;
        while (before < rank && call_of(result, before, calls[c].name) == NULL)
            before++;
        if (before == rank && n < HOST_PROFILE_CALLS)
            sum_call(result, calls[c].name, &sums[n++]);
    }
    return n;
}

static int by_time(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;

    if (x->ps != y->ps)
        return x->ps < y->ps ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void report_calls(const struct launch_result *result, FILE *out)
{
    struct sum sums[HOST_PROFILE_CALLS];
    struct lab_table table;
    uint64_t all = 0;
    unsigned n = 0;

    for (unsigned r = 0; r < result->nranks; r++) {
        n = add_calls(result, r, sums, n);
        all += rank_ps(result, r);
    }
    qsort(sums, n, sizeof(sums[0]), by_time);
    lab_table_begin(&table, "call, count#, bytes#, mean us#, min us#, max us#, share %#");
    for (unsigned i = 0; i < n; i++) {
        unsigned row = lab_table_add(&table);

        lab_table_set(&table, row, 0, "%s\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%.3f\t%.3f\t%.2f",
                      sums[i].name, sums[i].count, sums[i].bytes,
                      (double)sums[i].ps / result->nranks / 1e6, (double)sums[i].min_ps / 1e6,
                      (double)sums[i].max_ps / 1e6,
                      all != 0 ? 100.0 * (double)sums[i].ps / (double)all : 0);
    }
    fprintf(out, "calls of %u rank%s, time in them by rank, and their share of the run\n",
            result->nranks, load_plural(result->nranks));
    lab_table_write(&table, LAB_TEXT, out);
    lab_table_fini(&table);
}

static const struct host_counts *counts_of(const struct launch_result *result, unsigned rank,
                                           unsigned library)
{
    return &result->ranks[rank].profile->counts[library];
}

/** How many libraries of the run have counted. */
static unsigned counting(const struct launch_result *result)
{
    unsigned n = 0;

    for (unsigned l = 0; l < HOST_PROFILE_LIBRARIES; l++) {
        unsigned r = 0;

        while (r < result->nranks && counts_of(result, r, l)->n == 0)
            r++;
        n += r < result->nranks;
    }
    return n;
}

/** Stands before a name: of several libraries some have the same. */
static const char *library_text(const struct launch_result *result, unsigned library)
{
    static const char *const texts[HOST_PROFILE_LIBRARIES] = {
        [HOST_PROFILE_MPI] = "MPI: ", [HOST_PROFILE_GASNET] = "GASNet: "
    };

    return counting(result) > 1 ? texts[library] : "";
}

/** A row for what this rank counts and none before it, over all of them. */
static void add_counts(const struct launch_result *result, unsigned rank, unsigned library,
                       struct lab_table *table)
{
    const struct host_counts *own = counts_of(result, rank, library);

    for (unsigned i = 0; i < own->n; i++) {
        const char *name = own->of[i].name;
        uint64_t messages = 0, bytes = 0;
        unsigned row, before = 0;

        while (before < rank && host_counts_find(counts_of(result, before, library), name) == NULL)
            before++;
        for (unsigned r = rank; r < result->nranks; r++) {
            const struct host_profile_count *c =
                host_counts_find(counts_of(result, r, library), name);

            messages += c != NULL ? c->messages : 0;
            bytes += c != NULL ? c->bytes : 0;
        }
        if (before < rank || (messages == 0 && bytes == 0))
            continue;
        row = lab_table_add(table);
        lab_table_set(table, row, 0, "%s%s", library_text(result, library), name);
        if (messages != 0)
            lab_table_set(table, row, 1, "%" PRIu64, messages);
        if (bytes != 0)
            lab_table_set(table, row, 2, "%" PRIu64, bytes);
    }
}

static void report_counts(const struct launch_result *result, FILE *out)
{
    struct lab_table table;

    if (counting(result) == 0)
        return;
    lab_table_begin(&table, "all ranks, messages#, bytes#");
    for (unsigned l = 0; l < HOST_PROFILE_LIBRARIES; l++)
        for (unsigned r = 0; r < result->nranks; r++)
            add_counts(result, r, l, &table);
    fputc('\n', out);
    lab_table_write(&table, LAB_TEXT, out);
    lab_table_fini(&table);
}

void profile_report(const struct launch_result *result, FILE *out)
{
    if (!has_profiles(result))
        return;
    report_calls(result, out);
    report_counts(result, out);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void write_counts(const struct launch_result *result, unsigned rank, unsigned library,
                         struct lab_table *table)
{
    const struct host_counts *own = counts_of(result, rank, library);

    for (unsigned i = 0; i < own->n; i++) {
        unsigned row = lab_table_add(table);

        lab_table_set(table, row, 0, "%u\t%s%s\t%" PRIu64 "\t%" PRIu64, rank,
                      library_text(result, library), own->of[i].name, own->of[i].messages,
                      own->of[i].bytes);
    }
}

static void write_rows(const struct launch_result *result, struct lab_table *table)
{
    for (unsigned r = 0; r < result->nranks; r++) {
        const struct host_profile *p = result->ranks[r].profile;

        for (unsigned c = 0; c < HOST_PROFILE_CALLS; c++) {
            unsigned row;

            if (p->calls[c].name == NULL)
                continue;
            row = lab_table_add(table);
            lab_table_set(table, row, 0, "%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%.6f\t%.4f", r,
                          p->calls[c].name, p->calls[c].count, p->calls[c].bytes,
                          (double)p->calls[c].ps / 1e6,
                          rank_ps(result, r) != 0
                              ? 100.0 * (double)p->calls[c].ps / (double)rank_ps(result, r)
                              : 0);
        }
        for (unsigned l = 0; l < HOST_PROFILE_LIBRARIES; l++)
            write_counts(result, r, l, table);
    }
}

static void write_matrix(const struct launch_result *result, struct lab_table *table)
{
    for (unsigned r = 0; r < result->nranks; r++) {
        const struct host_profile *p = result->ranks[r].profile;

        for (unsigned to = 0; to < p->npeers; to++) {
            unsigned row;

            if (p->peers[to].messages == 0)
                continue;
            row = lab_table_add(table);
            lab_table_set(table, row, 0, "%u\t%u\t%" PRIu64 "\t%" PRIu64, r, to,
                          p->peers[to].messages, p->peers[to].bytes);
        }
    }
}

static void write_table(struct lab_table *table, enum lab_format format, const char *path)
{
    FILE *out = lab_out_open(path);

    lab_table_write(table, format, out);
    lab_out_close(out, path);
    lab_table_fini(table);
}

/** The length of a path less its ending. */
static int stem_of(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

    return (int)(dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - path)
                                                               : strlen(path));
}

const char *profile_matrix_path(const char *path, struct load_arena *arena)
{
    return load_text(arena, "%.*s.matrix.csv", stem_of(path), path);
}

void profile_write(const struct launch_result *result, const char *path)
{
    bool json = strcmp(path + stem_of(path), ".json") == 0;
    struct load_arena arena = { 0 };
    struct lab_table table;

    if (!has_profiles(result))
        return;
    lab_table_begin(&table, "rank#, what, count#, bytes#, time_us#, share_pct#");
    write_rows(result, &table);
    write_table(&table, json ? LAB_JSON : LAB_CSV, path);
    lab_table_begin(&table, "from#, to#, messages#, bytes#");
    write_matrix(result, &table);
    write_table(&table, LAB_CSV, profile_matrix_path(path, &arena));
    load_arena_fini(&arena);
}
