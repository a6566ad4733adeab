#include "tools/lab/rows/score.h"

#include "tools/lab/format/index.h"
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/run/software.h"

#include <string.h>

/* ---- which rows a platform was fitted to ------------------------------------------- */

struct fitted {
    const char *id;
    bool found;
};

static void look_for(void *arg, const char *path, const struct machine_value *value)
{
    struct fitted *fitted = arg;

    (void)path;
    for (unsigned i = 0; i < value->ncalibrated; i++)
        fitted->found |= strcmp(value->calibrated[i], fitted->id) == 0;
}

static int load_platform(const struct lab_site *site, const char *name,
                         struct load_machine **platform_p, struct sim_error *err)
{
    struct load_options opt = { .roots = &site->roots, .kinds = lab_kinds() };

    return load_platform_create(name, &opt, platform_p, err);
}

/** A setting of the MPI library that a row names may be fitted to it. */
static bool library_fitted(const struct lab_site *site, const struct lab_row *row)
{
    const char *api = lab_setup_get(&row->setup, "api");
    const char *library = api != NULL ? lab_mpi_library_of(api) : NULL;

    return library != NULL && lab_mpi_library_fitted(&site->roots, library, row->id);
}

/** Rows of one platform stand together, so the last one loaded is kept. */
static int mark_calibrated(const struct lab_site *site, struct lab_scores *scores,
                           struct sim_error *err)
{
    struct load_machine *platform = NULL;
    const char *name = "";
    int rc = SIM_OK;

    for (unsigned i = 0; i < scores->n && rc == SIM_OK; i++) {
        const struct lab_row *row = scores->rows[i].row;
        struct fitted fitted = { row->id, false };

        if (strcmp(name, lab_plan_platform(row->platform, &row->setup)) != 0) {
            load_machine_destroy(platform);
            platform = NULL;
            name = lab_plan_platform(row->platform, &row->setup);
            rc = load_platform(site, name, &platform, err);
        }
        if (rc != SIM_OK)
            break;
        load_machine_each(platform, look_for, &fitted);
        scores->rows[i].calibrated = fitted.found || library_fitted(site, row);
    }
    load_machine_destroy(platform);
    return rc;
}

/* ---- scoring -------------------------------------------------------------------------- */

/** A row that is wrong, or asks for what there is not, has a reason for a value: the others go on.
 */
static int evaluate_all(const struct lab_evaluator *ev, struct lab_scores *scores,
                        struct sim_error *err)
{
    for (unsigned i = 0; i < scores->n; i++) {
        struct sim_error why = { 0 };
        struct lab_score *score = &scores->rows[i].score;
        int rc = lab_evaluate(ev, scores->rows[i].row, score, &why);

        if (rc == SIM_ERR_CONFIG)
            *score = (struct lab_score){ .verdict = LAB_NOT_RUN,
                                         .reason = load_text(ev->arena, "%s", why.text) };
        else if (rc != SIM_OK)
            return sim_error_set(err, rc, "%s", why.text);
    }
    return SIM_OK;
}

/* ---- overrides that no run can have ------------------------------------------------- */

struct trial {
    const struct lab_site *site;
    const char *const *set;
    struct load_arena arena;
    struct lab_index machines; /* that were tried */
    bool fits;
    struct sim_error why; /* the first refusal */
};

static void try_set(void *arg, const struct lab_run *run, const struct lab_result *result)
{
    struct trial *trial = arg;
    const char *machine =
        load_text(&trial->arena, "%s %s", run->machine, run->platform != NULL ? run->platform : "");
    struct lab_run alone = {
        .machine = run->machine, .platform = run->platform, .sets = trial->set, .nsets = 1
    };
    unsigned known = trial->machines.n;
    struct load_machine *loaded;

    (void)result;
    if (trial->fits || lab_index_put(&trial->machines, machine, &trial->arena) != known)
        return;
    trial->fits = lab_load_run(trial->site, &alone, &loaded, &trial->why) == SIM_OK;
    if (trial->fits)
        load_machine_destroy(loaded);
}

/** One that some machine has is a matter of the rows of the others; one that none has is a mistake
 * of the command. */
static int check_sets(const struct lab_evaluator *ev, const struct lab_site *site,
                      struct sim_error *err)
{
    int rc = SIM_OK;

    for (unsigned i = 0; i < ev->nsets && rc == SIM_OK; i++) {
        struct trial trial = { .site = site, .set = &ev->sets[i] };

        lab_pool_each_wanted(ev->pool, try_set, &trial);
        if (!trial.fits && trial.machines.n > 0)
            rc = sim_error_set(err, SIM_ERR_CONFIG, "%s", trial.why.text);
        load_arena_fini(&trial.arena);
    }
    return rc;
}

static bool is_primary(const struct lab_row *row)
{
    return strcmp(row->role, "history") != 0;
}

static void count_verdicts(struct lab_scores *scores)
{
    for (unsigned i = 0; i < scores->n; i++) {
        enum lab_verdict verdict = scores->rows[i].score.verdict;

        if (!is_primary(scores->rows[i].row))
            continue;
        scores->passed += verdict == LAB_PASS;
        scores->failed += verdict == LAB_FAIL;
        scores->not_run += verdict == LAB_NOT_RUN;
    }
}

static struct lab_scores make_scores(const struct lab_evaluator *ev)
{
    struct lab_scores scores = { .n = ev->rows->n };

    scores.rows = load_alloc(ev->arena, (scores.n + 1) * sizeof(*scores.rows));
    for (unsigned i = 0; i < scores.n; i++)
        scores.rows[i].row = &ev->rows->rows[i];
    return scores;
}

int lab_score_all(const struct lab_evaluator *ev, const struct lab_site *site,
                  struct lab_scores *scores_p, struct sim_error *err)
{
    struct lab_scores scores = make_scores(ev);
    int rc = evaluate_all(ev, &scores, err);

    if (rc == SIM_OK && site != NULL)
        rc = mark_calibrated(site, &scores, err);
    if (rc == SIM_OK && site != NULL)
        rc = check_sets(ev, site, err);
    if (rc == SIM_OK)
        rc = lab_pool_work(ev->pool, err);
    if (rc == SIM_OK)
        rc = evaluate_all(ev, &scores, err);
    if (rc != SIM_OK)
        return rc;
    count_verdicts(&scores);
    *scores_p = scores;
    return SIM_OK;
}

/* ---- tables ----------------------------------------------------------------------------- */

static const char *const verdicts[] = { "pass", "fail", "pending", "not-run" };

static const char *published_text(const struct lab_row *row, struct load_arena *arena)
{
    switch (row->relation) {
    case LAB_BETWEEN:
    case LAB_RATIO_BETWEEN:
    case LAB_CROSSOVER:
        return load_text(arena, "%g..%g", row->value, row->value2);
    case LAB_LESS_THAN:
        return "<";
    case LAB_GREATER_THAN:
        return ">";
    case LAB_LE:
    case LAB_RATIO_LE:
        return load_text(arena, "<=%g", row->value);
    case LAB_GE:
    case LAB_RATIO_GE:
        return load_text(arena, ">=%g", row->value);
    default:
        return load_text(arena, "%.10g", row->value);
    }
}

static void set_score(struct lab_table *t, unsigned row, unsigned column,
                      const struct lab_score *score)
{
    if (!score->has_value)
        return;
    lab_table_set(t, row, column, "%.6g", score->simulated);
    lab_table_set(t, row, column + 1, "%.2f", score->error_pct);
}

void lab_score_table(const struct lab_scores *scores, struct lab_table *table)
{
    enum { ID, SIMULATED = 2, VERDICT = 4 };

    lab_table_begin(table,
                    "id, published, simulated#, error_pct#, verdict, role, calibrated, reason");
    for (unsigned i = 0; i < scores->n; i++) {
        const struct lab_scored *s = &scores->rows[i];
        unsigned row = lab_table_add(table);

        lab_table_set(table, row, ID, "%s\t%s", s->row->id, published_text(s->row, &table->arena));
        set_score(table, row, SIMULATED, &s->score);
        lab_table_set(table, row, VERDICT, "%s\t%s\t%s\t%s", verdicts[s->score.verdict],
                      s->row->role, s->calibrated ? "yes" : "no",
                      s->score.reason != NULL ? s->score.reason : "");
    }
}

void lab_score_report(const struct lab_scores *scores, struct lab_table *table)
{
    enum { VERDICT, SIMULATED = 4, UNIT = 6 };

    lab_table_begin(table,
                    "verdict, id, quantity, published#, simulated#, error_pct#, unit, remark");
    for (unsigned i = 0; i < scores->n; i++) {
        const struct lab_scored *s = &scores->rows[i];
        unsigned row = lab_table_add(table);

        lab_table_set(table, row, VERDICT, "%s\t%s\t%s\t%s", verdicts[s->score.verdict], s->row->id,
                      s->row->quantity, published_text(s->row, &table->arena));
        set_score(table, row, SIMULATED, &s->score);
        lab_table_set(table, row, UNIT, "%s\t%s%s%s", s->row->unit,
                      is_primary(s->row) ? "" : "history ", s->calibrated ? "calibrated " : "",
                      s->score.reason != NULL ? s->score.reason : "");
    }
}
