#include "tools/cmd/cmd.h"

#include "tools/lab/run/params.h"
#include "tools/lab/run/software.h"

#include <stdio.h>

struct options {
    struct cmd_common common;
    const char *file;
    bool faults;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &opt->common;
        return 0;
    case 'm':
        opt->common.format = LAB_MARKDOWN;
        return 0;
    case 'f':
        opt->faults = true;
        return 0;
    case ARGP_KEY_ARG:
        if (opt->file != NULL)
            argp_error(state, "%s: expected one FILE", arg);
        opt->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (opt->file == NULL && !opt->faults)
            argp_error(state, "expected a machine or platform");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print_faults(const struct options *opt)
{
    struct lab_table table;

    lab_fault_table(lab_kinds(), &table);
    lab_table_write(&table, opt->common.format, stdout);
    lab_table_fini(&table);
    return CMD_OK;
}

int cmd_params(int argc, char **argv)
{
    static const struct argp_child children[] = { { &cmd_format_argp, 0, NULL, 0 },
                                                  { &cmd_machine_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp_option options[] = {
        { "markdown", 'm', NULL, 0, "Write the tables of docs/model.md", 1 },
        { "fault-kinds", 'f', NULL, 0, "What can go wrong, for --faults, and the keys that say how",
          0 },
        { 0 }
    };
    static const struct argp argp = {
        options,
        parse,
        "FILE\n--fault-kinds",
        "Every key of a machine or platform in force: value, unit, range, source, the rows it was "
        "calibrated to, and meaning.",
        children,
        NULL,
        NULL,
    };
    struct options opt = { .file = NULL };
    struct load_machine *machine;
    struct sim_error err = { 0 };
    struct lab_table table;

    cmd_common_init(&opt.common);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &opt);
    if (opt.faults)
        return print_faults(&opt);
    if (cmd_load(&opt.common, opt.file, &machine, &err) != SIM_OK)
        return cmd_fail(&err);
    if (opt.common.format == LAB_MARKDOWN) {
        lab_params_markdown(machine, stdout);
    } else {
        lab_params(machine, &table);
        lab_table_write(&table, opt.common.format, stdout);
        lab_table_fini(&table);
    }
    load_machine_destroy(machine);
    return CMD_OK;
}
