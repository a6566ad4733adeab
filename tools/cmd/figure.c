#include "tools/lab/figure/figure.h"
#include "tools/cmd/session.h"
#include "tools/lab/format/out.h"

#include <stdio.h>
#include <string.h>

#define FIGURES_MAX 64u

struct options {
    struct cmd_common common;
    const char *names[FIGURES_MAX], *points, *out;
    unsigned n;
    bool all;
};

struct figure {
    struct lab_figure spec;
    struct lab_rows rows;
    const char *stem; /* of its files */
};

static const struct cmd_option options[] = {
    { "out", 0, "DIR", "Folder of the figures (default out/figures)", 0, cmd_take_text,
      CMD_AT(out) },
    { "all", 0, NULL, "Every figure that `hubsim list` names", 0, cmd_take_flag, CMD_AT(all) },
    { "points", 0, "FILE", "CSV with columns series, x, y: points of one's own", 0, cmd_take_text,
      CMD_AT(points) },
    { 0 },
};

static void check_names(struct argp_state *state, void *arg)
{
    const struct options *opt = arg;

    if (opt->n == 0 && !opt->all)
        argp_error(state, "expected a figure");
}

/* ---- the numbers --------------------------------------------------------------------- */

static int read_experiment(struct cmd_session *session, const char *name,
                           struct lab_experiment *exp, struct sim_error *err)
{
    char path[2048];
    int rc = load_find(&session->site.roots, "experiments", name, path, sizeof(path), err);

    return rc == SIM_OK ? lab_experiment_read(path, &session->arena, exp, err) : rc;
}

/** What it cannot show is found before anything runs. */
static int check_figure(struct cmd_session *session, const struct lab_figure *spec,
                        struct sim_error *err)
{
    struct lab_experiment *exps = load_alloc(&session->arena, spec->nexperiments * sizeof(*exps));
    int rc = SIM_OK;

    for (unsigned i = 0; i < spec->nexperiments && rc == SIM_OK; i++) {
        rc = read_experiment(session, spec->experiments[i], &exps[i], err);
        if (rc == SIM_OK)
            rc = lab_figure_check(spec, &exps[i], err);
    }
    return rc == SIM_OK ? lab_figure_check_series(spec, exps, spec->nexperiments, err) : rc;
}

static int add_experiment(struct cmd_session *session, const struct figure *figure,
                          const char *name, struct lab_table *table, struct sim_error *err)
{
    struct lab_experiment exp;
    struct lab_samples samples;
    int rc = read_experiment(session, name, &exp, err);

    if (rc == SIM_OK)
        rc = lab_experiment_want(&exp, &session->ev, &session->site, &samples, err);
    if (rc != SIM_OK || table == NULL)
        return rc;
    rc = cmd_check_samples(&samples, err);
    if (rc != SIM_OK)
        return rc;
    lab_figure_add_samples(&figure->spec, &samples, table);
    lab_figure_add_rows(&figure->spec, &exp, &figure->rows, table);
    return SIM_OK;
}

/** `table` NULL: only announces to the pool what is wanted. */
static int add_all(struct cmd_session *session, const struct figure *figure,
                   struct lab_table *table, struct sim_error *err)
{
    int rc = SIM_OK;

    for (unsigned i = 0; i < figure->spec.nexperiments && rc == SIM_OK; i++)
        rc = add_experiment(session, figure, figure->spec.experiments[i], table, err);
    return rc;
}

static int read_figure(const struct options *opt, struct cmd_session *session, const char *name,
                       struct figure *figure, struct sim_error *err)
{
    char path[2048];
    int rc = load_find(&session->site.roots, "figures", name, path, sizeof(path), err);

    if (rc == SIM_OK)
        rc = lab_figure_read(path, &session->arena, &figure->spec, err);
    if (rc != SIM_OK)
        return rc;
    figure->stem = load_text(&session->arena, "%s/%s", opt->out, figure->spec.name);
    if (figure->spec.published == NULL)
        return SIM_OK;
    rc = cmd_find_published(&session->site.roots, figure->spec.published, path, sizeof(path), err);
    return rc == SIM_OK ? lab_rows_read(path, &session->arena, &figure->rows, err) : rc;
}

/* ---- the files ------------------------------------------------------------------------ */

/** `points` of one's own, or NULL. */
static int make_one(const struct lab_csv *points, struct cmd_session *session,
                    const struct figure *figure, struct sim_error *err)
{
    struct lab_figure spec = figure->spec;
    struct lab_table table;
    int rc;

    lab_figure_begin(&table);
    rc = add_all(session, figure, &table, err);
    if (rc == SIM_OK && points != NULL)
        rc = lab_figure_add_points(points, &table, err);
    spec.styles = lab_figure_styles(&spec, &table, &session->arena);
    if (rc == SIM_OK)
        rc = cmd_write_figure(&spec, &table, figure->stem, &session->arena, err);
    lab_table_fini(&table);
    return rc;
}

static int make_figures(const struct options *opt, struct cmd_session *session,
                        struct sim_error *err)
{
    struct figure *figures = load_alloc(&session->arena, opt->n * sizeof(*figures));
    const char **stems = load_alloc(&session->arena, opt->n * sizeof(*stems));
    struct lab_csv points;
    int rc = SIM_OK;

    if (opt->points != NULL)
        rc = lab_csv_read(opt->points, LOAD_FILE_BY_HAND, &session->arena, &points, err);
    for (unsigned i = 0; i < opt->n && rc == SIM_OK; i++) {
        rc = read_figure(opt, session, opt->names[i], &figures[i], err);
        stems[i] = figures[i].stem;
        if (rc == SIM_OK)
            rc = check_figure(session, &figures[i].spec, err);
        if (rc == SIM_OK)
            rc = add_all(session, &figures[i], NULL, err);
    }
    if (rc == SIM_OK)
        rc = lab_pool_work(session->ev.pool, err);
    if (rc == SIM_OK)
        rc = lab_out_folder(opt->out, err);
    for (unsigned i = 0; i < opt->n && rc == SIM_OK; i++)
        rc = make_one(opt->points != NULL ? &points : NULL, session, &figures[i], err);
    if (rc == SIM_OK)
        rc = cmd_draw(&session->site.roots, stems, opt->n, err);
    for (unsigned i = 0; i < opt->n && rc == SIM_OK; i++)
        printf("%s.png\n%s.svg\n%s.csv\n", figures[i].stem, figures[i].stem, figures[i].stem);
    return rc;
}

struct naming {
    struct options *opt;
    struct load_arena *arena;
};

static void add_name(void *arg, const char *name, const char *path)
{
    struct naming *naming = arg;

    (void)path;
    if (naming->opt->n < FIGURES_MAX)
        naming->opt->names[naming->opt->n++] = load_text(naming->arena, "%s", name);
}

static int figure(void *arg, struct cmd_session *session, struct sim_error *err)
{
    struct options *opt = arg;

    if (opt->all) {
        opt->n = 0;
        load_find_each(&session->site.roots, "figures", add_name,
                       &(struct naming){ opt, &session->arena });
    }
    return make_figures(opt, session, err);
}

const struct cmd_command cmd_figure = {
    .usage = {
            .words = "NAME...",
            .about = "Runs the experiments of figures and draws them with the published points: PNG, "
                     "SVG and the CSV of all that is drawn.",
            .options = { { options, 0 }, { cmd_jobs_options, 0 }, { cmd_machine_options, 0 } },
            .words_at = offsetof(struct options, names),
            .nwords_at = offsetof(struct options, n),
            .max = FIGURES_MAX,
            .too_many = "expected at most 64 figures",
            .check = check_names,
    },
    .defaults = &(const struct options){ .out = "out/figures" },
    .size = sizeof(struct options),
    .run = figure,
};
