#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "tools/lab/explain/explain.h"
#include "tools/cmd/cmd.h"
#include "tools/lab/format/out.h"
#include "tools/lab/result/distance.h"
#include "tools/load/value.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_FROM = 256, OPT_TO, OPT_BYTES, OPT_SRC, OPT_DST, OPT_PUTS, OPT_BLOCKS, OPT_PITCH };
enum { OPT_DESCRIPTORS = 300, OPT_CONTEND, OPT_PATH, OPT_SVG };

struct options {
    struct cmd_common common;
    struct lab_message message;
    const char *file, *svg;
    bool path, to_given;
};

static const struct argp_option options[] = {
    { "from", OPT_FROM, "NODE", 0, "Sender (default 0)", 0 },
    { "to", OPT_TO, "NODE", 0, "Receiver (default 1)", 0 },
    { "kind", 'k', "KIND", 0, "pio, register, dma (default), chain or 2d", 0 },
    { "bytes", OPT_BYTES, "N", 0, "Of the message, or of each put or block (default 8)", 0 },
    { "src", OPT_SRC, "MEMORY", 0, "cpu (default), gpu0, gpu1 ...", 0 },
    { "dst", OPT_DST, "MEMORY", 0, "The same at the receiver", 0 },
    { "puts", OPT_PUTS, "N", 0, "Puts of a chain (default 4)", 0 },
    { "blocks", OPT_BLOCKS, "N", 0, "Blocks of a 2d message (default 4)", 0 },
    { "pitch", OPT_PITCH, "N", 0, "Bytes from block to block (default 4096)", 0 },
    { "descriptors", OPT_DESCRIPTORS, "WHERE", 0,
      "internal (default) or host: which memory holds the descriptors", 0 },
    { "contend", OPT_CONTEND, "NODE,...", 0,
      "These nodes write to the receiver by DMA all the time; a node may be named again", 0 },
    { "path", OPT_PATH, NULL, 0, "Each interval by itself, even where they repeat", 1 },
    { "svg", OPT_SVG, "FILE", 0, "Write a picture", 1 },
    { 0 },
};

static uint64_t number(struct argp_state *state, const char *option, const char *text)
{
    uint64_t value = 0;

    if (!load_number(text, false, &value) || value > UINT32_MAX)
        argp_error(state, "--%s %s: expected a whole number", option, text);
    return value;
}

/** A word of a list "a|b|c". */
static const char *one_of(struct argp_state *state, const char *option, const char *text,
                          const char *list)
{
    size_t n = strlen(text);

    for (const char *at = list; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, text, n) == 0 && (at[n] == '|' || at[n] == '\0'))
            return text;
    }
    argp_error(state, "--%s %s: expected %s", option, text, list);
    return text;
}

static void parse_contend(struct argp_state *state, struct lab_message *m, const char *text)
{
    char *copy = strdup(text), *rest = NULL;

    for (char *at = copy != NULL ? strtok_r(copy, ",", &rest) : NULL; at != NULL;
         at = strtok_r(NULL, ",", &rest)) {
        if (m->ncontend == LAB_CONTEND_MAX)
            argp_error(state, "--contend: expected at most %u nodes", LAB_CONTEND_MAX);
        m->contend[m->ncontend++] = (unsigned)number(state, "contend", at);
    }
    free(copy);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;
    struct lab_message *m = &opt->message;

    cmd_expect_text(state, options, key, arg);
    switch (key) {
    case ARGP_KEY_INIT:
        for (unsigned i = 0; i < 3; i++)
            state->child_inputs[i] = &opt->common;
        return 0;
    case OPT_FROM:
        m->from = (unsigned)number(state, "from", arg);
        return 0;
    case OPT_TO:
        m->to = (unsigned)number(state, "to", arg);
        return 0;
    case 'k':
        m->kind = one_of(state, "kind", arg, "pio|register|dma|chain|2d");
        return 0;
    case OPT_BYTES:
        m->bytes = number(state, "bytes", arg);
        return 0;
    case OPT_SRC:
        m->src = strcmp(arg, "gpu") == 0 ? "gpu0" : arg;
        return 0;
    case OPT_DST:
        m->dst = strcmp(arg, "gpu") == 0 ? "gpu0" : arg;
        return 0;
    case OPT_PUTS:
        m->puts = number(state, "puts", arg);
        return 0;
    case OPT_BLOCKS:
        m->blocks = number(state, "blocks", arg);
        return 0;
    case OPT_PITCH:
        m->pitch = number(state, "pitch", arg);
        return 0;
    case OPT_DESCRIPTORS:
        m->descriptors = one_of(state, "descriptors", arg, "internal|host");
        return 0;
    case OPT_CONTEND:
        parse_contend(state, m, arg);
        return 0;
    case OPT_PATH:
        opt->path = true;
        return 0;
    case OPT_SVG:
        opt->svg = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (opt->file != NULL)
            argp_error(state, "%s: expected one MACHINE", arg);
        opt->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a machine");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void write_table(struct lab_table *table, enum lab_format format)
{
    lab_table_write(table, format, stdout);
    lab_table_fini(table);
}

static void print(const struct options *opt, const struct lab_explanation *e)
{
    struct lab_table table;
    char title[512];

    if (opt->common.format != LAB_TEXT) {
        lab_explain_path(e, &table);
        write_table(&table, opt->common.format);
        return;
    }
    lab_explain_title(e, title, sizeof(title));
    (void)printf("%s\n\n", title);
    if (opt->path)
        lab_explain_path(e, &table);
    else
        lab_explain_table(e, &table);
    write_table(&table, LAB_TEXT);
    (void)putchar('\n');
    lab_explain_sums(e, LAB_SUM_PHASE, &table);
    write_table(&table, LAB_TEXT);
    (void)putchar('\n');
    lab_explain_sums(e, LAB_SUM_KIND, &table);
    write_table(&table, LAB_TEXT);
}

static int draw(const char *path, const struct lab_explanation *e, struct sim_error *err)
{
    FILE *out;
    int rc = lab_out_open(path, &out, err);

    if (rc != SIM_OK)
        return rc;
    lab_explain_svg(e, out);
    return lab_out_close(out, path, err);
}

/* ---- what the message needs of its machine ------------------------------------------ */

static int check_node(const struct options *opt, const struct machine_desc *desc,
                      const char *option, unsigned node, struct sim_error *err)
{
    if (node < desc->nnodes)
        return SIM_OK;
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: --%s %u: expected 0 .. %u", opt->file, option,
                         node, desc->nnodes - 1);
}

static int check_memory(const struct options *opt, const struct machine_desc *desc,
                        const char *option, unsigned node, const char *memory,
                        struct sim_error *err)
{
    const struct machine_node_desc *n = &desc->nodes[node];

    if (strcmp(memory, "cpu") == 0)
        return SIM_OK;
    for (unsigned i = 0; strncmp(memory, "gpu", 3) == 0 && i < n->ncomponents; i++)
        if (strcmp(n->components[i].name, memory) == 0)
            return SIM_OK;
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: --%s %s: expected cpu or a GPU of node%u",
                         opt->file, option, memory, node);
}

static int check_message(const struct options *opt, const struct machine_desc *desc,
                         struct sim_error *err)
{
    const struct lab_message *m = &opt->message;
    int rc = check_node(opt, desc, "from", m->from, err);

    if (rc == SIM_OK)
        rc = check_node(opt, desc, "to", m->to, err);
    for (unsigned i = 0; rc == SIM_OK && i < m->ncontend; i++)
        rc = check_node(opt, desc, "contend", m->contend[i], err);
    if (rc == SIM_OK)
        rc = check_memory(opt, desc, "src", m->from, m->src, err);
    if (rc == SIM_OK)
        rc = check_memory(opt, desc, "dst", m->to, m->dst, err);
    if (rc == SIM_OK && lab_hops(desc, m->from, m->to) == UINT_MAX)
        rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: --to %u: no cables lead there from node %u",
                           opt->file, m->to, m->from);
    if (rc == SIM_OK && m->from == m->to && strcmp(m->kind, "pio") == 0)
        rc = sim_error_set(err, SIM_ERR_CONFIG,
                           "%s: --kind pio from node %u to itself: expected another node, a hub "
                           "sends nothing back where it came from",
                           opt->file, m->to);
    return rc;
}

static int check(const struct options *opt, struct sim_error *err)
{
    struct load_machine *machine;
    int rc = cmd_load(&opt->common, opt->file, &machine, err);

    if (rc != SIM_OK)
        return rc;
    rc = check_message(opt, load_machine_desc(machine), err);
    load_machine_destroy(machine);
    return rc;
}

int cmd_explain(int argc, char **argv)
{
    static const struct argp_child children[] = { { &cmd_format_argp, 0, NULL, 0 },
                                                  { &cmd_watch_argp, 0, NULL, 0 },
                                                  { &cmd_machine_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = {
        options,
        parse,
        "MACHINE",
        "Sends one message and tells where each nanosecond went, from the first instruction of the "
        "sender until the receiver has seen it. The parts add up exactly. With --csv or --json "
        "each "
        "interval by itself, in picoseconds.",
        children,
        NULL,
        NULL,
    };
    struct options opt = { .message = { .kind = "dma",
                                        .src = "cpu",
                                        .dst = "cpu",
                                        .descriptors = "internal",
                                        .bytes = 8,
                                        .puts = 4,
                                        .blocks = 4,
                                        .pitch = 4096,
                                        .to = 1 } };
    struct lab_explanation e;
    struct lab_site site;
    struct lab_run run;
    struct sim_error err = { 0 };
    int rc;

    cmd_common_init(&opt.common);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &opt);
    if (check(&opt, &err) != SIM_OK)
        return cmd_fail(&err);
    lab_site_init(&site);
    site.roots = opt.common.roots;
    site.watch = opt.common.watch;
    run = (struct lab_run){ .machine = opt.file,
                            .platform = opt.common.platform,
                            .sets = opt.common.sets,
                            .nsets = opt.common.nsets,
                            .nfaults = opt.common.nfaults,
                            .seed = opt.common.seed };
    for (unsigned i = 0; i < opt.common.nfaults; i++)
        run.faults[i] = opt.common.faults[i];
    rc = lab_explain(&site, &run, &opt.message, &e, &err);
    if (rc != SIM_OK)
        return cmd_fail(&err);
    print(&opt, &e);
    if (opt.svg != NULL)
        rc = draw(opt.svg, &e, &err);
    lab_explanation_fini(&e);
    return rc == SIM_OK ? CMD_OK : cmd_fail(&err);
}
