#include "tools/cmd/session.h"
#include "tools/lab/distance.h"
#include "tools/lab/out.h"

#include <stdio.h>

struct options {
    struct cmd_common common;
    const char *file, *out;
    bool whole_protocol;
};

enum { OPT_OUT = 256, OPT_PROTOCOL };

static const struct argp_option options[] = {
    { "out", OPT_OUT, "DIR", 0, "Folder of result folders (default out)", 0 },
    { "whole-protocol", OPT_PROTOCOL, NULL, 0, "As many rounds and repeats as the file says", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &opt->common;
        return 0;
    case OPT_OUT:
        opt->out = arg;
        return 0;
    case OPT_PROTOCOL:
        opt->whole_protocol = true;
        return 0;
    case ARGP_KEY_ARG:
        if (opt->file != NULL)
            argp_error(state, "%s: expected one FILE", arg);
        opt->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected an experiment or a machine");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run_machine(const struct options *opt, struct cmd_session *session,
                       struct sim_error *err)
{
    struct lab_table table;
    int rc =
        lab_distance(&session->ev, &session->site, opt->file, opt->common.platform, &table, err);

    if (rc == SIM_OK) {
        lab_table_write(&table, opt->common.format, stdout);
        lab_table_fini(&table);
    }
    return rc;
}

static int run_experiment(const struct options *opt, const char *path, struct cmd_session *session,
                          struct sim_error *err)
{
    struct lab_experiment exp;
    struct lab_samples samples;
    struct lab_table table;
    int rc = lab_experiment_read(path, &session->arena, &exp, err);

    for (unsigned i = 0; rc == SIM_OK && opt->common.platform != NULL && i < exp.n; i++)
        exp.series[i].platform = opt->common.platform;
    if (rc == SIM_OK)
        rc = lab_experiment_run(&exp, &session->ev, &session->site, &samples, err);
    if (rc == SIM_OK)
        rc = lab_out_write(load_text(&session->arena, "%s/%s", opt->out, exp.name), &exp, &samples,
                           &session->ev, &session->site, err);
    if (rc != SIM_OK)
        return rc;
    lab_samples_table(&samples, &table);
    lab_table_write(&table, opt->common.format, stdout);
    lab_table_fini(&table);
    return cmd_check_samples(&samples, err);
}

/** An experiment by name or path; anything else is a machine. */
static int run_file(const struct options *opt, struct cmd_session *session, struct sim_error *err)
{
    struct load_arena arena = { 0 };
    struct load_tree *tree;
    char path[2048];
    bool experiment;

    if (load_find(&session->site.roots, "experiments", opt->file, path, sizeof(path), NULL) !=
        SIM_OK)
        return run_machine(opt, session, err);
    experiment =
        load_tree_read(path, &arena, &tree, NULL) != SIM_OK || load_tree_get(tree, "nodes") == NULL;
    load_arena_fini(&arena);
    return experiment ? run_experiment(opt, path, session, err) : run_machine(opt, session, err);
}

int cmd_run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &cmd_format_argp, 0, NULL, 0 },
                                                  { &cmd_work_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = {
        options,
        parse,
        "FILE",
        "Runs an experiment: its table with closed-form bounds on stdout, the same with a manifest "
        "in out/NAME/. A machine alone gives ping-pong by distance.",
        children,
        NULL,
        NULL,
    };
    struct options opt = { .out = "out" };
    struct cmd_session session;
    struct sim_error err = { 0 };
    int rc;

    cmd_common_init(&opt.common);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &opt);
    cmd_session_init(&session, &opt.common);
    session.site.fingerprint = true;
    if (opt.whole_protocol)
        session.ev.protocol = (struct lab_protocol){ 0 };
    rc = run_file(&opt, &session, &err);
    cmd_session_fini(&session);
    return rc == SIM_OK ? CMD_OK : cmd_fail(&err);
}
