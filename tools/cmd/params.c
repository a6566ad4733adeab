#include "tools/cmd/session.h"

#include "tools/lab/run/params.h"
#include "tools/lab/run/software.h"
#include "tools/lab/workload/plan.h"
#include "tools/load/nearest.h"

#include <stdio.h>
#include <string.h>

struct options {
    struct cmd_common common;
    const char *words[2]; /* FILE and PATTERN */
    bool faults;
};

static const struct cmd_option options[] = {
    { "markdown", 'm', NULL, "Write the tables of docs/model.md", 1, cmd_take_value,
      CMD_AT(common.format), .value = LAB_MARKDOWN },
    { "fault-kinds", 'f', NULL, "What can go wrong, for --faults, and the keys that say how", 0,
      cmd_take_flag, CMD_AT(faults) },
    { 0 },
};

static void check_file(struct argp_state *state, void *arg)
{
    const struct options *opt = arg;

    if (opt->words[0] == NULL && !opt->faults)
        argp_error(state, "expected a machine, platform or workload");
}

/* ---- keys that have PATTERN in them; it is one of the shell --------------------------------- */

static const char *wide_pattern(const struct options *opt, struct load_arena *arena)
{
    return opt->words[1] != NULL ? load_text(arena, "*%s*", opt->words[1]) : NULL;
}

/** The key from each of its parts on, and each word in it. */
static void offer_key(struct load_nearest *near, const char *key)
{
    for (const char *at = key; *at != '\0';) {
        size_t n = strcspn(at, "._");
        char word[64];

        load_nearest_offer(near, at);
        (void)snprintf(word, sizeof(word), "%.*s", (int)n, at);
        load_nearest_offer(near, word);
        at += n + (at[n] != '\0');
    }
}

static void offer_value(void *near, const char *path, const struct machine_value *value)
{
    char key[256];

    (void)snprintf(key, sizeof(key), "%s%s%s", path, path[0] != '\0' ? "." : "", value->param->key);
    offer_key(near, key);
}

static _Noreturn void refuse_pattern(const struct options *opt, const struct load_nearest *near)
{
    load_raise(SIM_ERR_CONFIG, "%s: no key of %s has this in it%s", opt->words[1], opt->words[0],
               near->hint[0] != '\0' ? near->hint : ": expected a part of one, such as clock");
}

static void choose_words(const struct options *opt, struct lab_table *table)
{
    const char *pattern = wide_pattern(opt, &table->arena);
    struct load_nearest near;

    if (pattern == NULL)
        return;
    load_nearest_init(&near, opt->words[1], true);
    for (unsigned i = 0; i < table->nrows; i++)
        load_nearest_offer(&near, lab_table_get(table, i, LAB_PARAMS_KEY));
    lab_table_choose(table, LAB_PARAMS_KEY, pattern);
    if (table->nrows == 0)
        refuse_pattern(opt, &near);
}

static void choose_values(const struct options *opt, const struct load_machine *machine,
                          struct lab_table *table)
{
    struct load_arena scratch = { 0 };
    struct load_nearest near;

    lab_params(machine, wide_pattern(opt, &scratch), table);
    load_arena_fini(&scratch);
    if (table->nrows > 0)
        return;
    load_nearest_init(&near, opt->words[1], true);
    load_nearest_node(&near, load_machine_desc(machine)->nnodes);
    load_machine_each(machine, offer_value, &near);
    refuse_pattern(opt, &near);
}

static void print_machine(const struct options *opt)
{
    struct load_machine *machine = cmd_load(&opt->common, opt->words[0]);
    struct lab_table table;

    if (opt->common.format == LAB_MARKDOWN) {
        lab_params_markdown(machine, stdout);
    } else {
        choose_values(opt, machine, &table);
        cmd_print_table(&table, opt->common.format);
    }
    load_machine_destroy(machine);
}

static void print_params(struct cmd_session *session)
{
    const struct options *opt = session->options;
    struct lab_table table;

    if (opt->faults) {
        lab_fault_table(lab_kinds(), &table);
    } else if (!lab_workload_keys(opt->words[0], &table)) {
        lab_table_fini(&table);
        print_machine(opt);
        return;
    } else {
        choose_words(opt, &table);
    }
    cmd_print_table(&table, opt->common.format);
}

const struct cmd_command cmd_params = {
    .usage = {
            .words = "FILE [PATTERN]\n--fault-kinds",
            .about = "Shows each key of a machine or platform: its value in force, unit, range, source, "
                     "meaning, and the rows that it was calibrated to. For a workload it shows the "
                     "keys of its setups. With PATTERN, only keys that have this in them: clock, "
                     "node0.hub, or as in a shell 'node[01].hub.*lanes'. In a pipe or a file, lines are "
                     "not folded: COLUMNS=100 before the command folds them to that width.",
            .options = { { options, 0 }, { cmd_format_options, 0 }, { cmd_machine_options, 0 } },
            .words_at = offsetof(struct options, words),
            .max = 2,
            .too_many = "%s: expected FILE and PATTERN",
            .check = check_file,
    },
    .size = sizeof(struct options),
    .run = print_params,
};
