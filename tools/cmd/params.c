#include "tools/cmd/session.h"

#include "tools/lab/run/params.h"
#include "tools/lab/run/software.h"
#include "tools/lab/workload/plan.h"

#include <stdio.h>

struct options {
    struct cmd_common common;
    const char *file;
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

    if (opt->file == NULL && !opt->faults)
        argp_error(state, "expected a machine, platform or workload");
}

static void print_machine(const struct options *opt)
{
    struct load_machine *machine = cmd_load(&opt->common, opt->file);
    struct lab_table table;

    if (opt->common.format == LAB_MARKDOWN) {
        lab_params_markdown(machine, stdout);
    } else {
        lab_params(machine, &table);
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
    } else if (!lab_workload_keys(opt->file, &table)) {
        lab_table_fini(&table);
        print_machine(opt);
        return;
    }
    cmd_print_table(&table, opt->common.format);
}

const struct cmd_command cmd_params = {
    .usage = {
            .words = "FILE\n--fault-kinds",
            .about = "Every key of a machine or platform in force: value, unit, range, source, the "
                     "rows it was calibrated to, and meaning. Of a workload: the keys of its setups.",
            .options = { { options, 0 }, { cmd_format_options, 0 }, { cmd_machine_options, 0 } },
            CMD_ONE_WORD("FILE", file),
            .check = check_file,
    },
    .size = sizeof(struct options),
    .run = print_params,
};
