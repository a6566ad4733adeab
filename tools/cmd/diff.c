/* hubsim diff: what has changed between two results, and by how much. */
#include "tools/cmd/session.h"
#include "tools/lab/result/changes.h"

#include <stdio.h>

struct options {
    struct cmd_common common;
    const char *dirs[2];
    const char *point;     /* a pattern, or NULL: all */
    unsigned ndirs, limit; /* CMD_NO_LIMIT: not said */
};

enum { TEXT_LIMIT = 20, DIFFERENT = 1 /* exit status */ };

static const struct cmd_option options[] = {
    { "limit", 0, "N",
      "At most so many lines of each kind (default 20, and all with --csv or --json; 0: all)", 0,
      cmd_take_unsigned, CMD_AT(limit) },
    { "point", 0, "PATTERN",
      "Values, fingerprints and statistics of these points only, e.g. 'PIO*, bytes = 8'", 0,
      cmd_take_text, CMD_AT(point) },
    { 0 },
};

static void check_words(struct argp_state *state, void *arg)
{
    const struct options *opt = arg;

    if (opt->ndirs != 2)
        argp_error(state, "expected two results");
}

static void print_rest(const struct lab_changes *changes, unsigned limit)
{
    for (unsigned kind = 0; kind < LAB_CHANGE_KINDS && limit > 0; kind++)
        if (changes->counts[kind] > limit)
            printf("and %u more of %s (--limit 0 shows all)\n", changes->counts[kind] - limit,
                   lab_change_word((enum lab_change_kind)kind));
}

static void print_text(const struct lab_changes *changes, unsigned limit)
{
    struct lab_table table;

    for (unsigned i = 0; i < changes->counts[LAB_CHANGE_MADE]; i++)
        printf("%s: %s -> %s\n", changes->list[i].name, changes->list[i].a, changes->list[i].b);
    if (!lab_changes_any(changes)) {
        puts("no difference in parameters, faults, points, values, fingerprints, statistics");
        return;
    }
    lab_changes_text(changes, limit, &table);
    cmd_print_table(&table, LAB_TEXT);
    print_rest(changes, limit);
}

static void print_changes(const struct options *opt, const struct lab_changes *changes)
{
    struct lab_table table;

    if (opt->common.format == LAB_TEXT) {
        print_text(changes, opt->limit != CMD_NO_LIMIT ? opt->limit : TEXT_LIMIT);
        return;
    }
    lab_changes_table(changes, opt->limit != CMD_NO_LIMIT ? opt->limit : 0, &table);
    cmd_print_table(&table, opt->common.format);
}

static void diff(struct cmd_session *session)
{
    const struct options *opt = session->options;
    const struct lab_bands exact = { 0 };
    struct lab_kept a = lab_kept_read(opt->dirs[0], &session->arena);
    struct lab_kept b = lab_kept_read(opt->dirs[1], &session->arena);
    struct lab_comparison comparison;
    struct lab_changes changes = { 0 };

    lab_compare(&a, &b, &exact, &session->arena, &comparison);
    if (opt->point != NULL && lab_compare_only(&comparison, opt->point) == 0)
        load_raise(SIM_ERR_CONFIG, "--point %s: matches no point, such as %s", opt->point,
                   a.manifest.npoints > 0 ? a.manifest.points[0].name : "there are none");
    lab_changes_find(&a, &b, &comparison, &session->arena, &changes);
    print_changes(opt, &changes);
    if (lab_changes_any(&changes))
        session->status = DIFFERENT;
}

const struct cmd_command cmd_diff = {
    .usage = {
            .words = "A B",
            .about =
                "Shows what has changed from result A to result B: how they were made, parameters, "
                "faults, points, values, fingerprints, statistics, in order of importance. A and B "
                "are folders that `hubsim run` or `hubrun --out` has written. What is alike stands "
                "in one line, with the range of its changes. Exit status: 0 no difference, 1 some, 2 a result cannot be read.",
            .options = { { options, 0 }, { cmd_format_options, 0 } },
            .words_at = offsetof(struct options, dirs),
            .nwords_at = offsetof(struct options, ndirs),
            .max = 2,
            .too_many = "%s: expected two results",
            .check = check_words,
    },
    .defaults = &(const struct options){ .limit = CMD_NO_LIMIT },
    .size = sizeof(struct options),
    .run = diff,
};
