#include "tools/cmd/session.h"
#include "tools/lab/result/distance.h"
#include "tools/lab/result/write.h"
#include "tools/lab/rows/repairs.h"
#include "tools/lab/sweep/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct options {
    struct cmd_common common;
    const char *file, *out; /* `out` NULL: not said */
    bool whole_protocol, prints;
    uint64_t which; /* simulation to be observed; 0: not said */
};

static const struct cmd_option options[] = {
    { "out", 0, "DIR",
      "Folder of result folders (default out; a machine alone leaves none without this)", 0,
      cmd_take_text, CMD_AT(out) },
    { "whole-protocol", 0, NULL, "As many rounds and repeats as the file says", 0, cmd_take_flag,
      CMD_AT(whole_protocol) },
    { "fingerprints", 0, NULL, "Print those of each simulation behind the table", 0, cmd_take_flag,
      CMD_AT(prints) },
    { "observe", 0, "N",
      "Of several simulations, observe the N-th with --timeline and the like (default: the first "
      "that fails, or else the first)",
      0, cmd_take_number, CMD_AT(which) },
    { 0 },
};

static void check_options(struct argp_state *state, void *arg)
{
    const struct options *opt = arg;

    cmd_check_watch(state, &opt->common);
    if (opt->which != 0 && !lab_watch_wanted(&opt->common.watch))
        argp_error(state, "--observe %" PRIu64 ": expected --timeline, --waves or --pcap, too",
                   opt->which);
}

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

/** OUT/NAME/, once `out` has its name and command: simulations may take long, and what would end
 * them in vain ends them before. */
static const char *begin_result(const struct options *opt, struct cmd_session *session,
                                const struct lab_out *out)
{
    const char *dir =
        load_text(&session->arena, "%s/%s", opt->out != NULL ? opt->out : "out", out->name);

    cmd_begin_result(dir, out);
    return dir;
}

static void keep_result(const char *dir, struct cmd_session *session, struct lab_out *out)
{
    lab_out_gather(&session->ev, &session->site, out);
    lab_out_write(dir, out);
    lab_out_drop(out);
}

static void run_machine(const struct options *opt, struct cmd_session *session)
{
    struct lab_out out = { .kind = "machine", .description = "Ping-pong by distance", .nkeys = 1 };
    struct lab_table table;
    const char *parts = NULL, *dir = NULL;

    out.name = load_find_stem(opt->file, &session->arena);
    command_words(opt, opt->file, &session->arena, &out);
    if (opt->out != NULL || opt->common.watch.usage)
        dir = begin_result(opt, session, &out);
    lab_distance(&session->ev, &session->site, opt->file, opt->common.platform, &table, &out.points,
                 &parts);
    lab_table_write(&table, opt->common.format, stdout);
    if (parts != NULL && opt->common.format == LAB_TEXT)
        puts(parts);
    out.table = &table;
    out.npoints = table.nrows;
    if (dir != NULL)
        keep_result(dir, session, &out);
    lab_table_fini(&table);
}

static void run_experiment(const struct options *opt, const char *path, struct cmd_session *session)
{
    struct lab_out out = { .kind = "experiment", .nkeys = 3 };
    struct lab_experiment exp;
    struct lab_samples samples;
    struct lab_table table;
    const char *dir;

    lab_experiment_read(path, &session->arena, &exp);
    lab_experiment_replace_platform(&exp, opt->common.platform);
    out.name = exp.name;
    command_words(opt, load_text(&session->arena, "%s.yaml", exp.name), &session->arena, &out);
    dir = begin_result(opt, session, &out);
    samples = lab_experiment_run(&exp, &session->ev, &session->site);
    lab_samples_table(&samples, &table);
    out.description = exp.description;
    out.file = path;
    out.table = &table;
    out.npoints = samples.n;
    out.points = lab_out_points(&samples, &session->arena);
    keep_result(dir, session, &out);
    cmd_print_table(&table, opt->common.format);
    cmd_check_samples(&samples);
}

/** What is not for an experiment may be right for a sweep, which has most of its keys. */
static void refuse_sweep(const struct load_tree *tree)
{
    for (unsigned i = 0; i < tree->n; i++) {
        const struct load_tree *item = &tree->items[i];

        if (!load_tree_is_one(item->key, lab_experiment_keys) &&
            load_tree_is_one(item->key, lab_sweep_keys))
            load_fail(item, NULL, "a key of sweeps, which `hubsim sweep` runs");
    }
    if (load_tree_get(tree, "series") == NULL)
        load_fail(tree, NULL,
                  "expected the key series; a sweep may lack it: `hubsim sweep` runs one");
}

static void check_found(const struct cmd_session *session, const char *name)
{
    static const char *const folders[] = { "experiments", "machines", NULL };
    struct load_arena scratch = { 0 };

    if (load_find_first(&session->site.roots, "machines", name, &scratch) == NULL)
        load_find_fail(&session->site.roots, "", folders, name);
    load_arena_fini(&scratch);
}

/** An experiment by name or path; anything else is a machine. */
static void run_file(void *arg)
{
    struct cmd_session *session = arg;
    const struct options *opt = session->options;
    const char *path =
        load_find_first(&session->site.roots, "experiments", opt->file, &session->arena);
    const struct load_tree *tree;

    if (path == NULL)
        check_found(session, opt->file);
    tree = path != NULL ? load_tree_read(path, &session->arena) : NULL;
    if (tree != NULL && cmd_is_experiment(tree)) {
        refuse_sweep(tree);
        run_experiment(opt, path, session);
    } else {
        run_machine(opt, session);
    }
    if (opt->common.format == LAB_TEXT)
        lab_repairs_write_all(session->ev.pool, stdout);
    if (opt->prints)
        cmd_print_prints(session);
}

static void run_command(struct cmd_session *session)
{
    const struct options *opt = session->options;
    struct lab_claims claims = { 0 };
    int code;

    lab_watch_claim(&opt->common.watch, &claims);
    cmd_spare_inputs(&opt->common, "FILE", opt->file, &claims);
    session->site.fingerprint = session->site.statistics = true;
    session->site.watch.usage = opt->common.watch.usage;
    session->site.watch.usage_window_ps = opt->common.watch.usage_window_ps;
    if (opt->which == 0)
        session->site.later = &opt->common.watch; /* any of them may be the one */
    if (opt->whole_protocol)
        session->ev.protocol = (struct lab_protocol){ 0 };
    code = load_attempt(run_file, session, load_error()); /* what failed can be observed, too */
    cmd_observe(session, &opt->common.watch, opt->file, opt->which);
    load_check(code);
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
                         { cmd_watch_options, 0 },
                         { cmd_usage_options, 0 } },
            CMD_ONE_WORD("FILE", file),
            .none = "expected an experiment or a machine",
            .check = check_options,
    },
    .size = sizeof(struct options),
    .run = run_command,
};
