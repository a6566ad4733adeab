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

static struct lab_experiment read_experiment(struct cmd_session *session, const char *name)
{
    const struct options *opt = session->options;
    struct lab_experiment exp;

    lab_experiment_read(load_find(&session->site.roots, "experiments", name, &session->arena),
                        &session->arena, &exp);
    lab_experiment_replace_platform(&exp, opt->common.platform);
    return exp;
}

/** What it cannot show is found before anything runs. */
static void check_figure(struct cmd_session *session, const struct lab_figure *spec)
{
    struct lab_experiment *exps = load_alloc(&session->arena, spec->nexperiments * sizeof(*exps));

    for (unsigned i = 0; i < spec->nexperiments; i++) {
        exps[i] = read_experiment(session, spec->experiments[i]);
        lab_figure_check(spec, &exps[i]);
    }
    lab_figure_check_series(spec, exps, spec->nexperiments);
}

static void add_experiment(struct cmd_session *session, const struct figure *figure,
                           const char *name, struct lab_table *table)
{
    struct lab_experiment exp = read_experiment(session, name);
    struct lab_samples samples = lab_experiment_want(&exp, &session->ev, &session->site);

    if (table == NULL)
        return;
    cmd_check_samples(&samples);
    lab_figure_add_samples(&figure->spec, &samples, table);
    lab_figure_add_rows(&figure->spec, &exp, &figure->rows, table);
}

/** `table` NULL: only announces to the pool what is wanted. */
static void add_all(struct cmd_session *session, const struct figure *figure,
                    struct lab_table *table)
{
    for (unsigned i = 0; i < figure->spec.nexperiments; i++)
        add_experiment(session, figure, figure->spec.experiments[i], table);
}

static void read_figure(const struct options *opt, struct cmd_session *session, const char *name,
                        struct figure *figure)
{
    struct load_arena *arena = &session->arena;

    lab_figure_read(load_find(&session->site.roots, "figures", name, arena), arena, &figure->spec);
    figure->stem = load_text(arena, "%s/%s", opt->out, figure->spec.name);
    if (figure->spec.published != NULL)
        figure->rows = lab_rows_read(
            cmd_find_published(&session->site.roots, figure->spec.published, arena), arena);
}

/* ---- the files ------------------------------------------------------------------------ */

/** `points` of one's own, or NULL. */
static void make_one(const struct lab_csv *points, struct cmd_session *session,
                     const struct figure *figure)
{
    struct lab_figure spec = figure->spec;
    struct lab_table table;

    lab_figure_begin(&table);
    add_all(session, figure, &table);
    if (points != NULL)
        lab_figure_add_points(points, &table);
    spec.styles = lab_figure_styles(&spec, &table, &session->arena);
    cmd_write_figure(&spec, &table, figure->stem, &session->arena);
    lab_table_fini(&table);
}

static void make_figures(const struct options *opt, struct cmd_session *session)
{
    struct figure *figures = load_alloc(&session->arena, opt->n * sizeof(*figures));
    const char **stems = load_alloc(&session->arena, opt->n * sizeof(*stems));
    struct lab_csv points;

    if (opt->points != NULL)
        points = lab_csv_read(opt->points, LOAD_FILE_BY_HAND, &session->arena);
    for (unsigned i = 0; i < opt->n; i++) {
        read_figure(opt, session, opt->names[i], &figures[i]);
        stems[i] = figures[i].stem;
        if (opt->points != NULL)
            lab_figure_check_points(&figures[i].spec, &points);
        check_figure(session, &figures[i].spec);
        add_all(session, &figures[i], NULL);
    }
    lab_out_folder(opt->out);
    for (unsigned i = 0; i < opt->n; i++)
        cmd_try_figure(stems[i], &session->arena);
    lab_pool_work(session->ev.pool);
    for (unsigned i = 0; i < opt->n; i++)
        make_one(opt->points != NULL ? &points : NULL, session, &figures[i]);
    cmd_draw(&session->site.roots, stems, opt->n);
    for (unsigned i = 0; i < opt->n; i++)
        printf("%s.png\n%s.svg\n%s.csv\n", figures[i].stem, figures[i].stem, figures[i].stem);
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

/** A figure that is named twice is made once. */
static void drop_repeated(struct options *opt)
{
    unsigned kept = 0, k;

    for (unsigned i = 0; i < opt->n; i++) {
        for (k = 0; k < kept && strcmp(opt->names[k], opt->names[i]) != 0;)
            k++;
        if (k == kept)
            opt->names[kept++] = opt->names[i];
    }
    opt->n = kept;
}

static void figure(struct cmd_session *session)
{
    struct options *opt = session->options;

    if (opt->all) {
        opt->n = 0;
        load_find_each(&session->site.roots, "figures", add_name,
                       &(struct naming){ opt, &session->arena });
    }
    drop_repeated(opt);
    make_figures(opt, session);
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
