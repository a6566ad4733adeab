#include "tools/cmd/cmd.h"
#include "tools/lab/format/out.h"
#include "tools/lab/result/topo_traffic.h"
#include "tools/lab/topology/topo_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RUN_LAST UINT64_MAX

struct options {
    struct cmd_common common;
    const char *file, *svg, *traffic;
    uint64_t run;
    bool links;
};

enum { OPT_SVG = 256, OPT_TRAFFIC, OPT_RUN };

static const struct argp_option options[] = {
    { "links", 'l', NULL, 0, "The load of each link instead", 1 },
    { "svg", OPT_SVG, "OUT", 0, "Draw it into this file, too", 1 },
    { "traffic", OPT_TRAFFIC, "RESULT", 0,
      "Show what a kept run has sent over the links: a folder that hubsim run or hubrun --out "
      "wrote",
      1 },
    { "run", OPT_RUN, "N", 0, "Of the result's runs the one with this number (default: the last)",
      1 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    cmd_expect_text(state, options, key, arg);
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &opt->common;
        return 0;
    case 'l':
        opt->links = true;
        return 0;
    case OPT_SVG:
        opt->svg = arg;
        return 0;
    case OPT_TRAFFIC:
        opt->traffic = arg;
        return 0;
    case OPT_RUN:
        opt->run = cmd_number(state, "run", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (opt->file != NULL)
            argp_error(state, "%s: expected one FILE", arg);
        opt->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a machine");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print(const struct options *opt, struct lab_topology *topo)
{
    struct lab_table table;

    if (topo->traffic != NULL)
        lab_topology_busiest(topo, opt->links || opt->common.format != LAB_TEXT, &table);
    else if (opt->links)
        lab_topology_links(topo, &table);
    else if (opt->common.format == LAB_TEXT)
        lab_topology_table(topo, &table);
    else
        lab_topology_pairs(topo, &table);
    lab_table_write(&table, opt->common.format, stdout);
    lab_table_fini(&table);
}

static int draw(const struct options *opt, struct lab_topology *topo, struct sim_error *err)
{
    FILE *out;
    int rc = lab_out_open(opt->svg, &out, err);

    if (rc != SIM_OK)
        return rc;
    lab_topology_svg(topo, out);
    return lab_out_close(out, opt->svg, err);
}

static int read_traffic(const struct options *opt, struct lab_topology *topo, struct sim_error *err)
{
    struct lab_kept kept;
    uint64_t run = opt->run;
    int rc = lab_kept_read(opt->traffic, &topo->arena, &kept, err);

    if (rc != SIM_OK)
        return rc;
    if (run == RUN_LAST)
        run = kept.manifest.nruns > 0 ? kept.manifest.nruns - 1 : 0;
    rc = lab_topology_traffic(topo, &kept, run, err);
    if (rc == SIM_OK && opt->common.format == LAB_TEXT)
        (void)printf("run %" PRIu64 " of %s: %s\n%.3f us\n\n", run, opt->traffic,
                     kept.manifest.runs[run].text, (double)topo->traffic->time_ps * 1e-6);
    return rc;
}

int cmd_topology(int argc, char **argv)
{
    static const struct argp_child children[] = { { &cmd_format_argp, 0, NULL, 0 },
                                                  { &cmd_machine_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = {
        options,
        parse,
        "FILE",
        "The graph of a machine, from its file and the routes that its hubs are programmed with: "
        "hops, bisection, latency without load, link loads when all nodes write to all, cycles of "
        "dependencies. With --csv or --json, all pairs.",
        children,
        NULL,
        NULL,
    };
    struct options opt = { .run = RUN_LAST };
    struct load_machine *machine;
    struct lab_topology topo;
    struct sim_error err = { 0 };
    int rc;

    cmd_common_init(&opt.common);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &opt);
    if (cmd_load(&opt.common, opt.file, &machine, &err) != SIM_OK)
        return cmd_fail(&err);
    rc = lab_topology_create(load_machine_desc(machine), &topo, &err);
    if (rc == SIM_OK) {
        if (opt.traffic != NULL)
            rc = read_traffic(&opt, &topo, &err);
        if (rc == SIM_OK && opt.svg != NULL)
            rc = draw(&opt, &topo, &err);
        if (rc == SIM_OK)
            print(&opt, &topo);
        lab_topology_fini(&topo);
    }
    load_machine_destroy(machine);
    return rc == SIM_OK ? CMD_OK : cmd_fail(&err);
}
