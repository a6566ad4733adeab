#include "tools/lab/rows/score.h"

#include "tools/lab/format/index.h"
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/run/software.h"

#include <stdlib.h>
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

/** A setting of the library that a row names may be fitted to it. */
static bool library_fitted(const struct lab_site *site, const struct lab_row *row)
{
    const char *api = lab_setup_get(&row->setup, "api"),
               *system = lab_setup_get(&row->setup, "system");
    const char *library = api != NULL ? lab_mpi_library_of(api) : NULL;
    const struct lab_system *known = system != NULL ? lab_mpi_system_of(system) : NULL;

    return (library != NULL &&
            lab_mpi_library_fitted(&site->roots, LAB_MPI_FOLDER, library, row->id)) ||
           (known != NULL &&
            lab_mpi_library_fitted(&site->roots, known->folder, known->library, row->id));
}

/** Rows of one platform stand together, so the last one loaded is kept. */
static void mark_calibrated(const struct lab_site *site, struct lab_scores *scores)
{
    struct load_options opt = { .roots = &site->roots, .kinds = lab_kinds() };
    struct load_machine *platform = NULL;
    const char *name = "";

    for (unsigned i = 0; i < scores->n; i++) {
        const struct lab_row *row = scores->rows[i].row;
        struct fitted fitted = { row->id, false };

        if (strcmp(name, lab_plan_platform(row->platform, &row->setup)) != 0) {
            load_machine_destroy(platform);
            name = lab_plan_platform(row->platform, &row->setup);
            platform = load_platform_create(name, &opt);
        }
        load_machine_each(platform, look_for, &fitted);
        scores->rows[i].calibrated = fitted.found || library_fitted(site, row);
    }
    load_machine_destroy(platform);
}

/* ---- scoring -------------------------------------------------------------------------- */

struct evaluation {
    const struct lab_evaluator *ev;
    struct lab_scored *scored;
};

static void evaluate_scored(void *arg)
{
    struct evaluation *each = arg;

    each->scored->score = lab_evaluate(each->ev, each->scored->row);
}

/** A row that is wrong, or asks for what there is not, has a reason for a value: the others go on.
 */
static void evaluate_all(const struct lab_evaluator *ev, struct lab_scores *scores)
{
    for (unsigned i = 0; i < scores->n; i++) {
        struct sim_error why = { 0 };
        struct evaluation each = { ev, &scores->rows[i] };
        int rc = load_attempt(evaluate_scored, &each, &why);

        if (rc == SIM_ERR_CONFIG)
            each.scored->score =
                (struct lab_score){ .verdict = LAB_NOT_RUN,
                                    .reason = load_text(ev->arena, "%s", why.text) };
        else if (rc != SIM_OK)
            load_raise(rc, "%s", why.text);
    }
}

/* ---- overrides that no run can have ------------------------------------------------- */

struct trial {
    const struct lab_site *site;
    struct lab_run run; /* of which only the machine counts */
    struct load_arena arena;
    struct lab_index machines; /* that were tried */
    bool fits;
    struct sim_error why; /* the first refusal */
};

static void try_machine(void *arg)
{
    const struct trial *trial = arg;

    load_machine_destroy(lab_load_run(trial->site, &trial->run));
}

static void try_set(void *arg, const struct lab_run *run, const struct lab_result *result)
{
    struct trial *trial = arg;
    const char *machine =
        load_text(&trial->arena, "%s %s", run->machine, run->platform != NULL ? run->platform : "");
    unsigned known = trial->machines.n;

    (void)result;
    if (trial->fits || lab_index_put(&trial->machines, machine, &trial->arena) != known)
        return;
    trial->run.machine = run->machine;
    trial->run.platform = run->platform;
    trial->fits = load_attempt(try_machine, trial, &trial->why) == SIM_OK;
}

/** One that some machine has is a matter of the rows of the others; one that none has is a mistake
 * of the command. */
static void check_sets(const struct lab_evaluator *ev, const struct lab_site *site)
{
    for (unsigned i = 0; i < ev->nsets; i++) {
        struct trial trial = { .site = site, .run = { .sets = &ev->sets[i], .nsets = 1 } };

        lab_pool_each_wanted(ev->pool, try_set, &trial);
        if (!trial.fits && trial.machines.n > 0)
            load_raise(SIM_ERR_CONFIG, "%s", trial.why.text);
        load_arena_fini(&trial.arena);
    }
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

struct lab_scores lab_score_all(const struct lab_evaluator *ev, const struct lab_site *site)
{
    struct lab_scores scores = make_scores(ev);

    evaluate_all(ev, &scores);
    if (site != NULL) {
        mark_calibrated(site, &scores);
        check_sets(ev, site);
    }
    lab_pool_work(ev->pool);
    evaluate_all(ev, &scores);
    count_verdicts(&scores);
    return scores;
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

/** As few digits as give back the number: a result that is kept changes with the last one. */
static const char *exact(double value, struct load_arena *arena)
{
    const char *text;
    int digits = 6;

    do
        text = load_text(arena, "%.*g", digits, value);
    while (strtod(text, NULL) != value && digits++ < 17);
    return text;
}

/** With its unit; an order with the row that it compares with. */
static const char *claim_text(const struct lab_row *row, struct load_arena *arena)
{
    const char *text = published_text(row, arena), *versus = lab_setup_get(&row->setup, "versus");
    bool order = row->relation == LAB_LESS_THAN || row->relation == LAB_GREATER_THAN;

    return load_text(arena, "%s %s", text, order && versus != NULL ? versus : row->unit);
}

void lab_score_kept(const struct lab_scores *scores, struct lab_table *table)
{
    enum { ID, SIMULATED = LAB_SCORE_KEYS, ERROR, VERDICT };

    lab_table_begin(table, "id, published, simulated#, error_pct#, verdict, role, calibrated");
    for (unsigned i = 0; i < scores->n; i++) {
        const struct lab_scored *s = &scores->rows[i];
        unsigned row = lab_table_add(table);

        lab_table_set(table, row, ID, "%s\t%s", s->row->id, claim_text(s->row, &table->arena));
        if (s->score.has_value) {
            lab_table_set(table, row, SIMULATED, "%s", exact(s->score.simulated, &table->arena));
            lab_table_set(table, row, ERROR, "%.2f", s->score.error_pct);
        }
        lab_table_set(table, row, VERDICT, "%s\t%s\t%s", verdicts[s->score.verdict], s->row->role,
                      s->calibrated ? "yes" : "no");
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
