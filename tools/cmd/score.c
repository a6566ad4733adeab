#include "tools/lab/rows/score.h"
#include "tools/cmd/session.h"
#include "tools/lab/result/write.h"
#include "tools/load/find.h"

#include <inttypes.h>
#include <stdio.h>

struct options {
    struct cmd_common common;
    const char *system, *rows, *pattern, *out;
    bool sensitivity, whole_protocol, prints;
};

static void take_sensitivity(struct argp_state *state, const struct cmd_option *o, void *to,
                             char *text)
{
    struct options *opt = to;

    (void)state;
    (void)o;
    opt->sensitivity = true;
    opt->pattern = text;
}

static const struct cmd_option options[] = {
    { "rows", 0, "FILE", "Score these rows instead; versus= may name rows of SYSTEM", 0,
      cmd_take_text, CMD_AT(rows) },
    { "out", 0, "DIR",
      "Keep each row's value in DIR/SYSTEM, for `hubsim check` and `hubsim diff`: to the digit", 0,
      cmd_take_text, CMD_AT(out) },
    { "sensitivity", 0, "KEYS",
      "Move each parameter (KEYS: a pattern, node0.hub.*) by 10 % and print what follows", 0,
      .take = take_sensitivity, .flags = OPTION_ARG_OPTIONAL },
    { "whole-protocol", 0, NULL, "As many rounds and repeats as on the hardware", 0, cmd_take_flag,
      CMD_AT(whole_protocol) },
    { "fingerprints", 0, NULL, "Print those of each simulation behind the table; takes longer", 0,
      cmd_take_flag, CMD_AT(prints) },
    { 0 },
};

static void print_summary(const struct lab_scores *scores)
{
    unsigned fitted = 0;

    for (unsigned i = 0; i < scores->n; i++)
        fitted += scores->rows[i].calibrated;
    printf("\n%u primary row%s, %u fail", scores->passed,
           scores->passed == 1 ? " passes" : "s pass", scores->failed);
    if (scores->not_run > 0)
        printf(", %u could not be run", scores->not_run);
    printf("; %u row%s calibrated to\n", fitted, fitted == 1 ? " was" : "s were");
}

/** On stderr too, where it is seen when the table goes to a file. */
static void report_failures(const struct lab_scores *scores)
{
    for (unsigned i = 0; i < scores->n; i++)
        if (scores->rows[i].score.reason != NULL)
            fprintf(stderr, "hubsim: %s: %s\n", scores->rows[i].row->id,
                    scores->rows[i].score.reason);
}

/* ---- a result -------------------------------------------------------------------- */

/** What it is and how it was made; without runs, as what counts of them is in the table. */
static struct lab_out describe_result(const struct cmd_session *session, const struct options *opt,
                                      struct load_arena *arena)
{
    const char **words = load_alloc(arena, (CMD_WORDS_MAX + 8) * sizeof(*words));
    struct lab_out out = { .kind = "score",
                           .name =
                               opt->rows != NULL ? load_find_stem(opt->rows, arena) : opt->system,
                           .description = "Published measurements and their simulation",
                           .command = "hubsim",
                           .words = words,
                           .seed = session->ev.seed,
                           .nsets = session->ev.nsets,
                           .sets = session->ev.sets,
                           .nkeys = LAB_SCORE_KEYS };

    words[out.nwords++] = "score";
    words[out.nwords++] = opt->system;
    out.nwords = cmd_add_option(words, out.nwords, "--rows", opt->rows);
    out.nwords = cmd_words(&opt->common, arena, words, out.nwords);
    if (opt->whole_protocol)
        words[out.nwords++] = "--whole-protocol";
    return out;
}

static void write_result(const char *dir, const struct lab_scores *scores, struct lab_out out,
                         struct load_arena *arena)
{
    struct lab_out_point *points = load_alloc(arena, (scores->n + 1) * sizeof(*points));
    struct lab_table table;

    lab_score_kept(scores, &table);
    for (unsigned i = 0; i < table.nrows; i++)
        points[i].name = load_text(arena, "%s, published = %s", lab_table_get(&table, i, 0),
                                   lab_table_get(&table, i, 1));
    out.table = &table;
    out.npoints = table.nrows;
    out.points = points;
    lab_out_write(dir, &out);
    lab_table_fini(&table);
}

static struct lab_scores make_scores(struct cmd_session *session, const struct options *opt)
{
    struct load_arena *arena = &session->arena;
    struct lab_scores scores;
    struct lab_out out;
    const char *dir;

    if (opt->out == NULL)
        return lab_score_all(&session->ev, &session->site);
    out = describe_result(session, opt, arena);
    dir = load_text(arena, "%s/%s", opt->out, out.name);
    cmd_begin_result(dir, &out);
    scores = lab_score_all(&session->ev, &session->site);
    write_result(dir, &scores, out, arena);
    return scores;
}

static void print_scores(struct cmd_session *session, const struct options *opt)
{
    struct lab_scores scores = make_scores(session, opt);
    enum lab_format format = opt->common.format;
    struct lab_table table;

    if (format == LAB_TEXT)
        lab_score_report(&scores, &table);
    else
        lab_score_table(&scores, &table);
    cmd_print_table(&table, format);
    if (format == LAB_TEXT)
        print_summary(&scores);
    report_failures(&scores);
    if (scores.failed + scores.not_run > 0)
        session->status = CMD_FAILED;
}

static void print_sensitivity(struct cmd_session *session, const struct options *opt)
{
    struct lab_table table;

    lab_sensitivity(&session->ev, &session->site, opt->pattern, &table);
    cmd_print_table(&table, opt->common.format);
}

static struct lab_rows read_rows(const char *path, const char *platform, struct load_arena *arena)
{
    struct lab_rows rows = lab_rows_read(path, arena);

    lab_rows_replace_platform(&rows, platform);
    return rows;
}

static void score(struct cmd_session *session)
{
    const struct options *opt = session->options;
    const char *platform = opt->common.platform;
    struct load_arena *arena = &session->arena;
    const struct lab_rows library =
        read_rows(cmd_find_published(&session->site.roots, opt->system, arena), platform, arena);
    const struct lab_rows rows =
        opt->rows != NULL ? read_rows(opt->rows, platform, arena) : library;

    if (platform != NULL) /* else each row would say that it is not there */
        (void)load_find(&session->site.roots, "platforms", platform, arena);
    if (opt->sensitivity && opt->out != NULL)
        load_raise(SIM_ERR_CONFIG, "--sensitivity: expected no --out: it keeps no result");
    if (opt->whole_protocol)
        session->ev.protocol = (struct lab_protocol){ 0 };
    session->site.fingerprint = opt->prints;
    session->ev.rows = &rows;
    session->ev.library = &library;
    if (opt->sensitivity)
        print_sensitivity(session, opt);
    else
        print_scores(session, opt);
    if (opt->prints)
        cmd_print_prints(session);
}

const struct cmd_command cmd_score = {
    .usage = {
            .words = "SYSTEM",
            .about = "Compares each published measurement of SYSTEM with its simulation, which is built "
                     "from the setup of the row alone. A row that cannot be built, or whose words are wrong, is not-run, "
                     "with the reason. Exit status 1 when a primary row fails or could not be run.",
            .options = { { options, 0 },
                         { cmd_format_options, 0 },
                         { cmd_jobs_options, 0 },
                         { cmd_machine_options, 0 } },
            CMD_ONE_WORD("SYSTEM", system),
            .none = "expected a system, e.g. peach2",
    },
    .size = sizeof(struct options),
    .run = score,
};
