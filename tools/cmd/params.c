#include "tools/cmd/session.h"

#include "tools/lab/run/params.h"
#include "tools/lab/run/software.h"
#include "tools/lab/workload/plan.h"

#include <stdio.h>

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

/** Keys that have PATTERN in them; `*` in it stands for anything. */
static void choose_keys(const struct options *opt, struct lab_table *table)
{
    if (opt->words[1] == NULL)
        return;
    lab_table_choose(table, LAB_PARAMS_KEY, load_text(&table->arena, "*%s*", opt->words[1]));
    if (table->nrows == 0)
        load_raise(SIM_ERR_CONFIG,
                   "%s: no key of %s has this in it: expected a part of one, such as clock",
                   opt->words[1], opt->words[0]);
}

static void print_machine(const struct options *opt)
{
    struct load_machine *machine = cmd_load(&opt->common, opt->words[0]);
    struct lab_table table;

    if (opt->common.format == LAB_MARKDOWN) {
        lab_params_markdown(machine, stdout);
    } else {
        lab_params(machine, &table);
        choose_keys(opt, &table);
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
        choose_keys(opt, &table);
    }
    cmd_print_table(&table, opt->common.format);
}

const struct cmd_command cmd_params = {
    .usage = {
            .words = "FILE [PATTERN]\n--fault-kinds",
            .about = "Shows each key of a machine or platform: its value in force, unit, range, source, "
                     "meaning, and the rows that it was calibrated to. For a workload it shows the "
                     "keys of its setups. With PATTERN, only keys that have this in them.",
            .options = { { options, 0 }, { cmd_format_options, 0 }, { cmd_machine_options, 0 } },
            .words_at = offsetof(struct options, words),
            .max = 2,
            .too_many = "%s: expected FILE and PATTERN",
            .check = check_file,
    },
    .size = sizeof(struct options),
    .run = print_params,
};
