#include "tools/cmd/session.h"
#include "tools/lab/result/topo_traffic.h"

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

static const struct cmd_option options[] = {
    { "links", 'l', NULL, "The load of each link instead", 1, cmd_take_flag, CMD_AT(links) },
    { "svg", 0, "OUT", "Draw it into this file, too", 1, cmd_take_svg, CMD_AT(svg) },
    { "traffic", 0, "RESULT",
      "Show what a kept run has sent over the links: a folder that hubsim run or hubrun --out "
      "wrote",
      1, cmd_take_text, CMD_AT(traffic) },
    { "run", 0, "N", "Of the result's runs the one with this number (default: the last)", 1,
      cmd_take_number, CMD_AT(run) },
    { 0 },
};

static void check_options(struct argp_state *state, void *arg)
{
    const struct options *opt = arg;

    if (opt->run != RUN_LAST && opt->traffic == NULL)
        argp_error(state, "--run %" PRIu64 ": expected --traffic RESULT, too", opt->run);
}

static void print_topology(const struct options *opt, struct lab_topology *topo)
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
    cmd_print_table(&table, opt->common.format);
}

static void write_numbers(FILE *out, const char *key, const unsigned *numbers, unsigned n)
{
    fprintf(out, ",\n\"%s\": [", key);
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "%s%u", i > 0 ? ", " : "", numbers[i]);
    fputs("]", out);
}

static void write_picture(void *arg, FILE *out)
{
    struct lab_topology *topo = arg;
    struct lab_topo_cut cut = lab_topology_bisect(topo);
    unsigned *cycle = load_alloc(&topo->arena, 2 * (size_t)topo->nlinks * sizeof(*cycle));
    struct lab_table table;

    fprintf(out,
            "{\"machine\": %s, \"nodes\": %u, \"diameter\": %u, \"bisection\": %u, \"exact\": %s,\n"
            "\"hubs\": [",
            lab_json_quote(topo->name, &topo->arena), topo->nnodes,
            lab_topology_summarise(topo).diameter, cut.cables, cut.exact ? "true" : "false");
    for (unsigned i = 0; i < topo->nhubs; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", lab_json_quote(topo->hubs[i], &topo->arena));
    fputs("]", out);
    write_numbers(out, "node_of", topo->node_of, topo->nhubs);
    write_numbers(out, "deadlock", cycle, lab_topology_deadlock(topo, cycle));
    lab_topology_links(topo, &table);
    fputs(",\n\"links\": ", out);
    lab_table_write(&table, LAB_JSON, out);
    lab_table_fini(&table);
    if (topo->traffic != NULL)
        fprintf(out, ", \"us\": %.3f, \"used\": [", (double)topo->traffic->time_ps * 1e-6);
    for (unsigned i = 0; topo->traffic != NULL && i < topo->nlinks; i++)
        fprintf(out, "%s[%.9g, %.9g, %" PRIu64 ", %" PRIu64 "]", i > 0 ? ", " : "",
                topo->links[i].used.busy, topo->links[i].used.stalled,
                topo->links[i].used.payload_bytes, topo->links[i].used.tlps);
    fputs(topo->traffic != NULL ? "]}\n" : "}\n", out);
}

static void read_traffic(const struct options *opt, struct lab_topology *topo)
{
    struct lab_kept kept = lab_kept_read(opt->traffic, &topo->arena);
    uint64_t run = opt->run;

    if (run == RUN_LAST)
        run = kept.manifest.nruns > 0 ? kept.manifest.nruns - 1 : 0;
    lab_topology_traffic(topo, &kept, run);
    if (opt->common.format == LAB_TEXT)
        printf("run %" PRIu64 " of %s: %s\n%.3f us\n\n", run, opt->traffic,
               kept.manifest.runs[run].text, (double)topo->traffic->time_ps * 1e-6);
}

static void topology(struct cmd_session *session)
{
    const struct options *opt = session->options;
    struct load_machine *machine = cmd_load(&opt->common, opt->file);
    struct lab_topology topo;

    lab_topology_create(load_machine_desc(machine), &topo);
    if (opt->traffic != NULL)
        read_traffic(opt, &topo);
    print_topology(opt, &topo);
    if (opt->svg != NULL)
        cmd_picture(&opt->common.roots, "topology.py", opt->svg, write_picture, &topo);
    lab_topology_fini(&topo);
    load_machine_destroy(machine);
}

const struct cmd_command cmd_topology = {
    .usage = {
            .words = "FILE",
            .about = "Shows the graph of a machine, from its file and the routes that its hubs are "
                     "programmed with: hops, bisection, latency without load, link loads when all "
                     "nodes write to all, cycles of dependencies. With --csv or --json, all pairs.",
            .options = { { options, 0 }, { cmd_format_options, 0 }, { cmd_machine_options, 0 } },
            CMD_ONE_WORD("FILE", file),
            .none = "expected a machine",
            .check = check_options,
    },
    .defaults = &(const struct options){ .run = RUN_LAST },
    .size = sizeof(struct options),
    .run = topology,
};
