#include "tools/cmd/session.h"
#include "tools/lab/result/distance.h"
#include "tools/lab/result/write.h"
#include "tools/lab/rows/repairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct options {
    struct cmd_common common;
    const char *file, *out; /* `out` NULL: not said */
    bool whole_protocol;
    uint64_t which; /* simulation to be observed; 0: not said */
};

static const struct cmd_option options[] = {
    { "out", 0, "DIR",
      "Folder of result folders (default out; a machine alone leaves none without this)", 0,
      cmd_take_text, CMD_AT(out) },
    { "whole-protocol", 0, NULL, "As many rounds and repeats as the file says", 0, cmd_take_flag,
      CMD_AT(whole_protocol) },
    { "observe", 0, "N",
      "Of several simulations, observe the N-th with --timeline and the like (default: the first "
      "that fails, or else the first)",
      0, cmd_take_number, CMD_AT(which) },
    { 0 },
};

/** The command without what changes no result; `file` is how check will name it. */
static void command_words(const struct options *opt, const char *file, struct load_arena *arena,
                          struct lab_out *out)
{
    const char **words = load_alloc(arena, (CMD_WORDS_MAX + 8) * sizeof(*words));

    out->command = "hubsim";
    out->words = words;
    words[out->nwords++] = "run";
    words[out->nwords++] = file;
    out->nwords = cmd_words(&opt->common, arena, words, out->nwords);
    if (opt->whole_protocol)
        words[out->nwords++] = "--whole-protocol";
}

/** To OUT/NAME/. */
static int keep_result(const struct options *opt, struct cmd_session *session, struct lab_out *out,
                       struct sim_error *err)
{
    int rc = lab_out_gather(&session->ev, &session->site, out, err);

    if (rc != SIM_OK)
        return rc;
    rc = lab_out_write(
        load_text(&session->arena, "%s/%s", opt->out != NULL ? opt->out : "out", out->name), out,
        err);
    lab_out_drop(out);
    return rc;
}

static int run_machine(const struct options *opt, struct cmd_session *session,
                       struct sim_error *err)
{
    struct lab_out out = { .kind = "machine", .description = "Ping-pong by distance", .nkeys = 1 };
    struct lab_table table;
    const char *parts = NULL;
    int rc = lab_distance(&session->ev, &session->site, opt->file, opt->common.platform, &table,
                          &out.points, &parts, err);

    if (rc != SIM_OK)
        return rc;
    lab_table_write(&table, opt->common.format, stdout);
    if (parts != NULL && opt->common.format == LAB_TEXT)
        puts(parts);
    out.name = load_find_stem(opt->file, &session->arena);
    out.table = &table;
    out.npoints = table.nrows;
    command_words(opt, opt->file, &session->arena, &out);
    if (opt->out != NULL || opt->common.watch.usage)
        rc = keep_result(opt, session, &out, err);
    lab_table_fini(&table);
    return rc;
}

static int run_experiment(const struct options *opt, const char *path, struct cmd_session *session,
                          struct sim_error *err)
{
    struct lab_out out = { .kind = "experiment", .nkeys = 3 };
    struct lab_experiment exp;
    struct lab_samples samples;
    struct lab_table table;
    int rc = lab_experiment_read(path, &session->arena, &exp, err);

    for (unsigned i = 0; rc == SIM_OK && opt->common.platform != NULL && i < exp.n; i++)
        exp.series[i].platform = opt->common.platform;
    if (rc == SIM_OK)
        rc = lab_experiment_run(&exp, &session->ev, &session->site, &samples, err);
    if (rc != SIM_OK)
        return rc;
    lab_samples_table(&samples, &table);
    out.name = exp.name;
    out.description = exp.description;
    out.file = path;
    out.table = &table;
    out.npoints = samples.n;
    out.points = lab_out_points(&samples, &session->arena);
    command_words(opt, load_text(&session->arena, "%s.yaml", exp.name), &session->arena, &out);
    rc = keep_result(opt, session, &out, err);
    if (rc == SIM_OK)
        cmd_print_table(&table, opt->common.format);
    return rc == SIM_OK ? cmd_check_samples(&samples, err) : rc;
}

/** A machine has none of these; it may lack what it needs, too. */
static bool is_experiment(const struct load_tree *tree)
{
    static const char *const keys[] = { "series", "workload", "setup" };
    bool found = false;

    for (size_t i = 0; i < LOAD_COUNT(keys); i++)
        found |= load_tree_get(tree, keys[i]) != NULL;
    return found && load_tree_get(tree, "nodes") == NULL;
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
    experiment = load_tree_read(path, &arena, &tree, NULL) != SIM_OK || is_experiment(tree);
    load_arena_fini(&arena);
    return experiment ? run_experiment(opt, path, session, err) : run_machine(opt, session, err);
}

static int run_command(void *arg, struct cmd_session *session, struct sim_error *err)
{
    const struct options *opt = arg;
    struct lab_claims claims = { 0 };
    int observed, rc = lab_watch_claim(&opt->common.watch, &claims, err);

    if (rc == SIM_OK)
        rc = cmd_spare_inputs(&opt->common, "FILE", opt->file, &claims, err);
    if (rc != SIM_OK)
        return rc;
    session->site.fingerprint = session->site.statistics = true;
    session->site.watch.usage = opt->common.watch.usage;
    session->site.watch.usage_window_ps = opt->common.watch.usage_window_ps;
    if (opt->whole_protocol)
        session->ev.protocol = (struct lab_protocol){ 0 };
    rc = run_file(opt, session, err);
    if (rc == SIM_OK && opt->common.format == LAB_TEXT)
        lab_repairs_write_all(session->ev.pool, stdout);
    observed = cmd_observe(session, &opt->common.watch, opt->file, opt->which, err);
    return rc == SIM_OK ? observed : rc;
}

const struct cmd_command cmd_run = {
    .usage = {
            .words = "FILE",
            .about = "Runs an experiment: its table with closed-form bounds on stdout, and a result "
                     "that can be kept, checked and compared in out/NAME/. A machine alone gives "
                     "ping-pong by distance.",
            .options = { { options, 0 },
                         { cmd_format_options, 0 },
                         { cmd_jobs_options, 0 },
                         { cmd_machine_options, 0 },
                         { cmd_watch_options, 0 } },
            CMD_ONE_WORD("FILE", file),
            .none = "expected an experiment or a machine",
    },
    .size = sizeof(struct options),
    .run = run_command,
};
