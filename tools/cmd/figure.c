#define _POSIX_C_SOURCE 200809L
#include "tools/lab/figure.h"
#include "tools/cmd/session.h"
#include "tools/lab/out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct options {
    struct cmd_common common;
    const char *name, *points, *out;
};

enum { OPT_OUT = 256, OPT_POINTS };

static const struct argp_option options[] = {
    { "out", OPT_OUT, "DIR", 0, "Folder of the figures (default out/figures)", 0 },
    { "points", OPT_POINTS, "FILE", 0, "CSV with columns series, x, y: points of one's own", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &opt->common;
        return 0;
    case OPT_OUT:
        opt->out = arg;
        return 0;
    case OPT_POINTS:
        opt->points = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (opt->name != NULL)
            argp_error(state, "%s: expected one NAME", arg);
        opt->name = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a figure");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int add_experiment(struct cmd_session *session, const struct lab_figure *figure,
                          const char *name, const struct lab_rows *rows, struct lab_table *table,
                          struct sim_error *err)
{
    struct lab_experiment exp;
    struct lab_samples samples;
    char path[2048];
    int rc = load_find(&session->site.roots, "experiments", name, path, sizeof(path), err);

    if (rc == SIM_OK)
        rc = lab_experiment_read(path, &session->arena, &exp, err);
    if (rc == SIM_OK)
        rc = lab_experiment_run(&exp, &session->ev, &session->site, &samples, err);
    if (rc != SIM_OK)
        return rc;
    for (unsigned i = 0; i < samples.n; i++)
        if (samples.samples[i].failure != NULL)
            return sim_error_set(err, SIM_ERR_IO, "%s, %s = %s: %s",
                                 samples.samples[i].series->name, samples.samples[i].series->key,
                                 samples.samples[i].x, samples.samples[i].failure);
    lab_figure_add_samples(figure, &samples, table);
    lab_figure_add_rows(figure, &exp, rows, table);
    return SIM_OK;
}

static int make_table(const struct options *opt, struct cmd_session *session,
                      const struct lab_figure *figure, struct lab_table *table,
                      struct sim_error *err)
{
    struct lab_rows rows = { 0 };
    struct lab_csv points;
    char path[1024];
    int rc = SIM_OK;

    if (figure->published != NULL) {
        rc = cmd_find_published(&session->site.roots, figure->published, path, sizeof(path), err);
        if (rc == SIM_OK)
            rc = lab_rows_read(path, &session->arena, &rows, err);
    }
    for (unsigned i = 0; i < figure->nexperiments && rc == SIM_OK; i++)
        rc = add_experiment(session, figure, figure->experiments[i], &rows, table, err);
    if (rc == SIM_OK && opt->points != NULL) {
        rc = lab_csv_read(opt->points, &session->arena, &points, err);
        if (rc == SIM_OK)
            rc = lab_figure_add_points(&points, table, err);
    }
    return rc;
}

/** DIR/NAME.csv and .json, from which the script draws. */
static int write_files(const char *stem, const struct lab_figure *figure,
                       const struct lab_table *table, struct load_arena *arena,
                       struct sim_error *err)
{
    FILE *csv, *axes;
    int rc = lab_out_open(load_text(arena, "%s.csv", stem), &csv, err);

    if (rc != SIM_OK)
        return rc;
    lab_table_write(table, LAB_CSV, csv);
    (void)fclose(csv);
    rc = lab_out_open(load_text(arena, "%s.json", stem), &axes, err);
    if (rc != SIM_OK)
        return rc;
    lab_figure_write_axes(figure, axes);
    (void)fclose(axes);
    return SIM_OK;
}

/** scripts/ stands beside configs/, in the source as after installation. */
static int draw(const struct load_roots *roots, const char *stem, struct sim_error *err)
{
    char python[1024], script[1024];
    int status = 0;
    pid_t pid;

    (void)snprintf(python, sizeof(python), "%s/../scripts/python", roots->paths[0]);
    (void)snprintf(script, sizeof(script), "%s/../scripts/plot.py", roots->paths[0]);
    (void)fflush(NULL);
    pid = fork();
    if (pid == 0) {
        (void)execl(python, python, script, stem, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return sim_error_set(err, SIM_ERR_IO, "%s: could not be drawn; %s.csv has the numbers",
                             stem, stem);
    return SIM_OK;
}

static int make_figure(const struct options *opt, struct cmd_session *session,
                       struct sim_error *err)
{
    struct lab_figure figure;
    struct lab_table table;
    const char *stem;
    char path[2048];
    int rc = load_find(&session->site.roots, "figures", opt->name, path, sizeof(path), err);

    if (rc == SIM_OK)
        rc = lab_figure_read(path, &session->arena, &figure, err);
    if (rc != SIM_OK)
        return rc;
    stem = load_text(&session->arena, "%s/%s", opt->out, figure.name);
    lab_figure_begin(&table);
    rc = make_table(opt, session, &figure, &table, err);
    if (rc == SIM_OK)
        rc = lab_out_folder(opt->out, err);
    if (rc == SIM_OK)
        rc = write_files(stem, &figure, &table, &session->arena, err);
    lab_table_fini(&table);
    if (rc == SIM_OK)
        rc = draw(&session->site.roots, stem, err);
    if (rc == SIM_OK)
        (void)printf("%s.png\n%s.svg\n%s.csv\n", stem, stem, stem);
    return rc;
}

int cmd_figure(int argc, char **argv)
{
    static const struct argp_child children[] = { { &cmd_machine_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = {
        options,
        parse,
        "NAME",
        "Runs the experiments of a figure and draws it with the published points: PNG, SVG and the "
        "CSV of all that is drawn.",
        children,
        NULL,
        NULL,
    };
    struct options opt = { .out = "out/figures" };
    struct cmd_session session;
    struct sim_error err = { 0 };
    int rc;

    cmd_common_init(&opt.common);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &opt);
    cmd_session_init(&session, &opt.common);
    rc = make_figure(&opt, &session, &err);
    cmd_session_fini(&session);
    return rc == SIM_OK ? CMD_OK : cmd_fail(&err);
}
