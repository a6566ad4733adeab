#include "tools/cmd/cmd.h"

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

static int print_faults(const struct options *opt)
{
    struct lab_table table;

    lab_fault_table(lab_kinds(), &table);
    cmd_print_table(&table, opt->common.format);
    return CMD_OK;
}

int cmd_params(int argc, char **argv)
{
    static const struct cmd_usage usage = {
        .words = "FILE\n--fault-kinds",
        .about = "Every key of a machine or platform in force: value, unit, range, source, the "
                 "rows it was calibrated to, and meaning. Of a workload: the keys of its setups.",
        .options = { { options, 0 }, { cmd_format_options, 0 }, { cmd_machine_options, 0 } },
        CMD_ONE_WORD("FILE", file),
        .check = check_file,
    };
    struct options opt = { .file = NULL };
    struct load_machine *machine;
    struct sim_error err = { 0 };
    struct lab_table table;

    cmd_parse(&usage, argc, argv, &opt);
    if (opt.faults)
        return print_faults(&opt);
    if (lab_workload_keys(opt.file, &table)) {
        cmd_print_table(&table, opt.common.format);
        return CMD_OK;
    }
    lab_table_fini(&table);
    if (cmd_load(&opt.common, opt.file, &machine, &err) != SIM_OK)
        return cmd_fail(&err);
    if (opt.common.format == LAB_MARKDOWN) {
        lab_params_markdown(machine, stdout);
    } else {
        lab_params(machine, &table);
        cmd_print_table(&table, opt.common.format);
    }
    load_machine_destroy(machine);
    return CMD_OK;
}
