#define _DEFAULT_SOURCE /* strsep */
#include "tools/lab/explain/explain.h"
#include "regs/hub_regs.h"
#include "tools/cmd/session.h"
#include "tools/lab/bounds/rank_hub.h"
#include "tools/lab/run/bare_link.h"
#include "tools/lab/workload/values.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Defaults, as the help shows them. */
#define PUTS        4
#define BLOCKS      4
#define PITCH       4096
#define DESCRIPTORS "internal"
#define GASNET      "tca"
#define SHOW(x)     SHOWN(x)
#define SHOWN(x)    #x

struct options {
    struct cmd_common common;
    struct lab_message message;
    const char *file, *svg;
    bool path;
};

static void take_count(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    unsigned value = 0;

    cmd_take_unsigned(state, o, &value, text);
    if (value == 0)
        argp_error(state, "--%s %s: expected at least 1", o->name, text);
    *(uint64_t *)to = value;
}

/** So many as the message's length may be. */
static void take_bytes(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    cmd_take_bytes(state, o, to, text);
    if (*(uint64_t *)to == 0 || *(uint64_t *)to > UINT32_MAX)
        argp_error(state, "--%s %s: expected at least 1 and less than 4GiB", o->name, text);
}

static void take_memory(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    static char gpu[] = "gpu0";

    cmd_take_text(state, o, to, strcmp(text, "gpu") == 0 ? gpu : text);
}

/** One of the nodes of a list; the rank at a node has its one channel of the hub. */
static void add_contend(struct argp_state *state, const struct cmd_option *o, struct lab_message *m,
                        char *text)
{
    if (m->ncontend == LAB_CONTEND_MAX)
        argp_error(state, "--%s: expected at most %u nodes", o->name, LAB_CONTEND_MAX);
    cmd_take_unsigned(state, o, &m->contend[m->ncontend], text);
    for (unsigned i = 0; i < m->ncontend; i++)
        if (m->contend[i] == m->contend[m->ncontend])
            argp_error(state, "--%s: %s twice: expected each node once", o->name, text);
    m->ncontend++;
}

static void take_contend(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    char *copy = strdup(text), *rest = copy;

    for (char *at = strsep(&rest, ","); at != NULL; at = strsep(&rest, ",")) {
        if (*at == '\0')
            argp_error(state, "--%s %s: expected nodes, such as 1,2", o->name, text);
        add_contend(state, o, to, at);
    }
    free(copy);
}

static const struct cmd_option options[] = {
    { "from", 0, "NODE", "Sender (default 0)", 0, cmd_take_unsigned, CMD_AT(message.from) },
    { "to", 0, "NODE", "Receiver (default 1)", 0, cmd_take_unsigned, CMD_AT(message.to) },
    { "kind", 'k', "KIND",
      "pio, register, dma (default), chain or 2d; long or get: an AM Long or a get of GASNet", 0,
      cmd_take_choice, CMD_AT(message.kind), .choices = "pio|register|dma|chain|2d|long|get" },
    { "gasnet", 0, "NAME[,KEY=VALUE...]",
      "Conduit of a long or a get (default " GASNET "), as of hubrun --gasnet", 0, cmd_take_text,
      CMD_AT(message.gasnet) },
    { "bytes", 0, "N", "Of the message, or of each put or block (default 8)", 0, take_bytes,
      CMD_AT(message.bytes) },
    { "src", 0, "MEMORY", "cpu (default), gpu0, gpu1 ...", 0, take_memory, CMD_AT(message.src) },
    { "dst", 0, "MEMORY", "The same at the receiver", 0, take_memory, CMD_AT(message.dst) },
    { "puts", 0, "N", "Puts of a chain (default " SHOW(PUTS) ")", 0, take_count,
      CMD_AT(message.puts) },
    { "blocks", 0, "N", "Blocks of a 2d message (default " SHOW(BLOCKS) ")", 0, take_count,
      CMD_AT(message.blocks) },
    { "pitch", 0, "N", "Bytes from block to block (default " SHOW(PITCH) ")", 0, take_bytes,
      CMD_AT(message.pitch) },
    { "descriptors", 0, "WHERE",
      DESCRIPTORS " (default) or host: which memory holds the descriptors", 0, cmd_take_choice,
      CMD_AT(message.descriptors), .choices = "internal|host" },
    { "contend", 0, "NODE,...",
      "These nodes write to the receiver by DMA all the time; it and the sender may be among them",
      0, take_contend, CMD_AT(message) },
    { "path", 0, NULL, "Each interval by itself, even where they repeat", 1, cmd_take_flag,
      CMD_AT(path) },
    { "svg", 0, "FILE", "Write a picture", 1, cmd_take_svg, CMD_AT(svg) },
    { 0 },
};

static void print_explanation(const struct options *opt, const struct lab_explanation *e)
{
    struct lab_table table;
    char title[512];

    if (opt->common.format != LAB_TEXT) {
        lab_explain_path(e, &table);
        cmd_print_table(&table, opt->common.format);
        return;
    }
    lab_explain_title(e, title, sizeof(title));
    printf("%s\n\n", title);
    if (opt->path)
        lab_explain_path(e, &table);
    else
        lab_explain_table(e, &table);
    cmd_print_table(&table, LAB_TEXT);
    putchar('\n');
    lab_explain_sums(e, LAB_SUM_PHASE, &table);
    cmd_print_table(&table, LAB_TEXT);
    putchar('\n');
    lab_explain_sums(e, LAB_SUM_KIND, &table);
    cmd_print_table(&table, LAB_TEXT);
}

static void write_picture(void *arg, FILE *out)
{
    const struct lab_explanation *e = arg;
    struct lab_table path;
    char title[512];

    lab_explain_title(e, title, sizeof(title));
    lab_explain_path(e, &path);
    fprintf(out, "{\"title\": %s, \"parts\": ", lab_json_quote(title, &path.arena));
    lab_table_write(&path, LAB_JSON, out);
    lab_table_fini(&path);
    fputs("}\n", out);
}

/** An option that says nothing of a message of another kind. */
static void check_kind(struct argp_state *state, const struct lab_message *m, const char *option,
                       bool given, const char *kinds)
{
    if (given && !lab_values_list(kinds, "|", m->kind))
        argp_error(state, "--%s: expected --kind %s beside it, not %s", option, kinds, m->kind);
}

/** Behind check_kind(), for which 0 and NULL mean that an option was not given. */
static void add_defaults(struct lab_message *m)
{
    m->puts = m->puts != 0 ? m->puts : PUTS;
    m->blocks = m->blocks != 0 ? m->blocks : BLOCKS;
    m->pitch = m->pitch != 0 ? m->pitch : PITCH;
    m->descriptors = m->descriptors != NULL ? m->descriptors : DESCRIPTORS;
    m->gasnet = m->gasnet != NULL ? m->gasnet : GASNET;
}

static void check_options(struct argp_state *state, void *arg)
{
    struct options *opt = arg;
    struct lab_message *m = &opt->message;

    cmd_check_watch(state, &opt->common);
    check_kind(state, m, "puts", m->puts != 0, "chain");
    check_kind(state, m, "blocks", m->blocks != 0, "2d");
    check_kind(state, m, "pitch", m->pitch != 0, "2d");
    check_kind(state, m, "gasnet", m->gasnet != NULL, "long|get");
    if (m->gasnet != NULL && strstr(m->gasnet, "segment=") != NULL)
        argp_error(state, "--gasnet %s: expected no segment: --src and --dst say where it lies",
                   m->gasnet);
    if (m->ncontend > 0)
        check_kind(state, m, "contend", true, "pio|register|dma|chain|2d");
    check_kind(state, m, "descriptors", m->descriptors != NULL, "dma|chain|2d");
    add_defaults(m);
}

/* ---- what the message needs of its machine ------------------------------------------ */

static void check_node(const struct options *opt, const struct machine_desc *desc,
                       const char *option, unsigned node)
{
    if (node >= desc->nnodes)
        load_raise(SIM_ERR_CONFIG, "%s: --%s %u: expected 0 .. %u", opt->file, option, node,
                   desc->nnodes - 1);
}

static void check_memory(const struct options *opt, const struct machine_desc *desc,
                         const char *option, unsigned node, const char *memory)
{
    const struct machine_node_desc *n = &desc->nodes[node];

    if (strcmp(memory, "cpu") == 0)
        return;
    for (unsigned i = 0; strncmp(memory, "gpu", 3) == 0 && i < n->ncomponents; i++)
        if (strcmp(n->components[i].name, memory) == 0)
            return;
    load_raise(SIM_ERR_CONFIG, "%s: --%s %s: expected cpu or a GPU of node%u", opt->file, option,
               memory, node);
}

/** The hub that the rank at a node uses. */
static unsigned find_hub(const struct options *opt, const struct machine_desc *desc,
                         const struct lab_topology *topo, unsigned node)
{
    if (lab_rank_hub_name(desc, node, 0) == NULL)
        load_raise(SIM_ERR_CONFIG, "%s: node%u has no hub: expected a node with one", opt->file,
                   node);
    return lab_rank_hub(desc, topo, node, 0);
}

static void check_route(const struct options *opt, const struct machine_desc *desc)
{
    struct lab_topology topo;
    unsigned from, to;

    lab_topology_create(desc, &topo);
    from = find_hub(opt, desc, &topo, opt->message.from);
    to = find_hub(opt, desc, &topo, opt->message.to);
    if (topo.hops[(size_t)from * topo.nhubs + to] == LAB_TOPO_NONE)
        load_raise(SIM_ERR_CONFIG, "%s: --to %u: no route leads from %s to %s", opt->file,
                   opt->message.to, topo.hubs[from], topo.hubs[to]);
    lab_topology_fini(&topo);
}

static void check_ends(const struct options *opt, const struct machine_desc *desc)
{
    const struct lab_message *m = &opt->message;

    check_node(opt, desc, "from", m->from);
    check_node(opt, desc, "to", m->to);
    for (unsigned i = 0; i < m->ncontend; i++)
        check_node(opt, desc, "contend", m->contend[i]);
    check_memory(opt, desc, "src", m->from, m->src);
    check_memory(opt, desc, "dst", m->to, m->dst);
}

/** As driver_address() has it: by the number of the GPU, wherever the hub is. */
static void check_reach(const struct options *opt)
{
    const unsigned gpus = HUB_AREA_SELF - HUB_AREA_GPU0;

    if (strncmp(opt->message.dst, "gpu", 3) == 0 && strtoul(opt->message.dst + 3, NULL, 10) >= gpus)
        load_raise(SIM_ERR_CONFIG,
                   "%s: --dst %s: memory that no window reaches: expected that of the host or of "
                   "GPU 0 .. %u",
                   opt->file, opt->message.dst, gpus - 1);
}

static void check_message(const struct options *opt, const struct machine_desc *desc)
{
    const struct lab_message *m = &opt->message;

    if (lab_is_bare(desc))
        load_raise(SIM_ERR_CONFIG,
                   "%s: links alone: expected an experiment with workload: bare-link", opt->file);
    check_ends(opt, desc);
    if (m->from != m->to)
        check_route(opt, desc);
    else if (lab_message_is_gasnet(m))
        load_raise(SIM_ERR_CONFIG,
                   "%s: --kind %s from node %u to itself: expected another node, GASNet copies "
                   "there",
                   opt->file, m->kind, m->to);
    else if (strcmp(m->kind, "pio") == 0)
        load_raise(SIM_ERR_CONFIG,
                   "%s: --kind pio from node %u to itself: expected another node, a hub "
                   "sends nothing back where it came from",
                   opt->file, m->to);
    if (!lab_message_is_gasnet(m)) /* which copies where no window reaches */
        check_reach(opt);
    if (strcmp(m->kind, "2d") == 0 && m->pitch < m->bytes)
        load_raise(SIM_ERR_CONFIG,
                   "%s: --pitch %" PRIu64 ": expected at least the bytes of a block, %" PRIu64,
                   opt->file, m->pitch, m->bytes);
}

static void check_machine(const struct options *opt)
{
    struct load_machine *machine = cmd_load(&opt->common, opt->file);

    check_message(opt, load_machine_desc(machine));
    load_machine_destroy(machine);
}

static void explain(struct cmd_session *session)
{
    const struct options *opt = session->options;
    const struct lab_run run = lab_run_with(
        &session->ev, &(struct lab_run){ .machine = opt->file, .platform = opt->common.platform });
    struct lab_explanation e;

    check_machine(opt);
    session->site.watch = opt->common.watch;
    e = lab_explain(&session->site, &run, &opt->message);
    print_explanation(opt, &e);
    if (opt->svg != NULL)
        cmd_picture(&opt->common.roots, "explain.py", opt->svg, write_picture, &e);
    lab_explanation_fini(&e);
}

const struct cmd_command cmd_explain = {
    .usage = {
            .words = "MACHINE",
            .about = "Sends one message and prints where each nanosecond went, from the first "
                     "instruction of the sender until the receiver has seen it. The parts add up "
                     "exactly. With --csv or --json each interval by itself, in picoseconds.",
            .options = { { options, 0 },
                         { cmd_format_options, 0 },
                         { cmd_watch_options, 0 },
                         { cmd_machine_options, 0 } },
            CMD_ONE_WORD("MACHINE", file),
            .none = "expected a machine",
            .check = check_options,
    },
    .defaults = &(const struct options){ .message = { .kind = "dma",
                                                      .src = "cpu",
                                                      .dst = "cpu",
                                                      .bytes = 8,
                                                      .to = 1 } },
    .size = sizeof(struct options),
    .run = explain,
};
