#define _POSIX_C_SOURCE 200809L
#include "tools/cmd/cmd.h"

#include "tools/lab/result/kept.h"
#include "tools/lab/rows/published.h"
#include "tools/lab/run/software.h"
#include "tools/lab/run/transports.h"
#include "tools/load/find.h"
#include "tools/load/nearest.h"
#include "tools/load/value.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) .at = offsetof(struct cmd_common, member)

const struct cmd_option cmd_format_options[] = {
    { "json", 'j', NULL, "Write JSON", 1, cmd_take_value, AT(format), .value = LAB_JSON },
    { "csv", 'c', NULL, "Write comma-separated values", 1, cmd_take_value, AT(format),
      .value = LAB_CSV },
    { 0 },
};

static void take_set(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    struct cmd_common *common = to;

    if (common->nsets == CMD_SETS_MAX)
        argp_error(state, "--%s: expected at most %u", o->name, CMD_SETS_MAX);
    common->sets[common->nsets++] = text;
}

static void take_fault(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    struct cmd_common *common = to;

    if (common->nfaults == LAB_FAULTS_MAX)
        argp_error(state, "--%s: expected at most %u", o->name, LAB_FAULTS_MAX);
    common->faults[common->nfaults++] = text;
}

const struct cmd_option cmd_machine_options[] = {
    { "set", 's', "KEY=VALUE", "Override what matches, e.g. node*.hub.e.link.lanes=4", 2,
      .take = take_set },
    { "faults", 0, "FILE",
      "What goes wrong: a file, or one fault such as '{link: node0.hub.e, bit_error_rate: 1e-9}'",
      2, .take = take_fault },
    { "platform", 'p', "NAME", "Build all nodes of this platform", 2, cmd_take_text, AT(platform) },
    { "seed", 'S', "N", "Seed of every random stream (default 1)", 2, cmd_take_number, AT(seed) },
    { 0 },
};

const struct cmd_option cmd_jobs_options[] = {
    { "jobs", 'J', "N", "Worker processes (default: one for each processor)", 2, cmd_take_unsigned,
      AT(jobs), .flags = CMD_OPTION_EMPTY },
    { 0 },
};

static void take_usage(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    struct lab_watch_options *watch = to;

    watch->usage = true;
    if (text != NULL)
        cmd_take_time(state, o, &watch->usage_window_ps, text);
}

const struct cmd_option cmd_watch_options[] = {
    { "timeline", 0, "FILE",
      "Write what happened when, as trace-event JSON, gzip: chrome://tracing and Perfetto show it, "
      "scripts/timeline draws it",
      3, cmd_take_text, AT(watch.timeline) },
    { "waves", 0, "FILE",
      "Write queues, credits, grants and DMA states of all ports as FST, for gtkwave", 3,
      cmd_take_text, AT(watch.waves) },
    { "pcap", 0, "FILE",
      "Write each packet on the links as pcapng: Wireshark and tshark read it with -X "
      "lua_script:scripts/hubsim.lua",
      3, cmd_take_text, AT(watch.pcap) },
    { "pcap-links", 0, "PATTERN", "Capture only links with a port that matches, e.g. 'node*.hub.e'",
      3, cmd_take_text, AT(watch.pcap_links) },
    { 0 },
};

void cmd_check_watch(struct argp_state *state, const struct cmd_common *common)
{
    if (common->watch.pcap_links != NULL && common->watch.pcap == NULL)
        argp_error(state, "--pcap-links %s: expected --pcap FILE, too", common->watch.pcap_links);
}

const struct cmd_option cmd_usage_options[] = {
    { "utilisation", 0, "TIME",
      "Keep with the result what each link carries and waits for over time, usage.csv, which "
      "scripts/utilisation draws; TIME: length of a window, such as 10us (default: 200 to 400 "
      "windows)",
      3, take_usage, AT(watch), .flags = OPTION_ARG_OPTIONAL },
    { 0 },
};

static void common_init(struct cmd_common *common)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    common->seed = 1;
    common->jobs = processors > 0 ? (unsigned)processors : 1;
    load_roots_init(&common->roots);
}

void cmd_parse(const struct cmd_usage *usage, int argc, char **argv, void *options)
{
    struct cmd_common *common = options;

    common_init(common);
    lab_transports_load(&common->roots);
    cmd_parse_options(usage, argc, argv, options);
}

unsigned cmd_add_option(const char **words, unsigned n, const char *option, const char *value)
{
    if (value == NULL)
        return n;
    words[n] = option;
    words[n + 1] = value;
    return n + 2;
}

unsigned cmd_words(const struct cmd_common *common, struct load_arena *arena, const char **words,
                   unsigned n)
{
    n = cmd_add_option(words, n, "--platform", common->platform);
    for (unsigned i = 0; i < common->nsets; i++)
        n = cmd_add_option(words, n, "--set", common->sets[i]);
    for (unsigned i = 0; i < common->nfaults; i++)
        n = cmd_add_option(words, n, "--faults", common->faults[i]);
    if (common->seed != 1)
        n = cmd_add_option(words, n, "--seed", load_text(arena, "%" PRIu64, common->seed));
    return n;
}

void cmd_print_table(struct lab_table *table, enum lab_format format)
{
    lab_table_write(table, format, stdout);
    lab_table_fini(table);
}

void cmd_fail(const struct sim_error *err)
{
    fprintf(stderr, "hubsim: %s\n", err->text);
}

/* A second run of a name may not be meant to be the only one that stays. */
void cmd_remark_replaced(const char *program, const char *dir, const struct lab_out *out,
                         const char *option)
{
    struct load_arena arena = { 0 };
    const char *command;

    load_arena_begin(&arena);
    command = lab_kept_other(dir, out, &arena);
    if (command != NULL)
        fprintf(stderr, "%s: %s: replaces the result of `%s`: %s keeps both\n", program, dir,
                command, option);
    load_arena_fini(&arena);
}

struct load_machine *cmd_load(const struct cmd_common *common, const char *name)
{
    struct load_options opt = { .roots = &common->roots,
                                .kinds = lab_kinds(),
                                .platform = common->platform,
                                .sets = common->sets,
                                .nsets = common->nsets,
                                .faults = common->faults,
                                .nfaults = common->nfaults };
    struct load_arena arena = { 0 };
    const char *path = load_find_first(&common->roots, "machines", name, &arena), *platform = NULL;
    struct load_machine *machine;

    if (path == NULL)
        platform = load_find_first(&common->roots, "platforms", name, &arena);
    if (platform == NULL) {
        path = load_find(&common->roots, "machines", name, &arena);
        if (load_tree_get(load_tree_read(path, &arena), "components") != NULL)
            platform = path;
    }
    machine =
        platform != NULL ? load_platform_create(platform, &opt) : load_machine_create(path, &opt);
    load_arena_fini(&arena);
    return machine;
}

/** A file by name or path, in the first of `folders` that has it; what is none is no input. */
static void spare_file(const struct cmd_common *common, const char *option, const char *name,
                       const char *const *folders, const struct lab_claims *claims)
{
    struct load_arena arena = { 0 };
    const char *path = NULL;

    for (; *folders != NULL && path == NULL; folders++)
        path = load_find_first(&common->roots, *folders, name, &arena);
    if (path != NULL)
        lab_claims_spare(claims, option, path);
    load_arena_fini(&arena);
}

void cmd_spare_inputs(const struct cmd_common *common, const char *option, const char *file,
                      const struct lab_claims *claims)
{
    static const char *const files[] = { "experiments", "machines", "platforms", NULL };
    static const char *const platforms[] = { "platforms", NULL };
    static const char *const faults[] = { "faults", NULL };

    spare_file(common, option, file, files, claims);
    if (common->platform != NULL)
        spare_file(common, "--platform", common->platform, platforms, claims);
    for (unsigned i = 0; i < common->nfaults; i++)
        spare_file(common, "--faults", common->faults[i], faults, claims);
}

static void read_rows(void *path)
{
    struct load_arena arena = { 0 };

    (void)lab_rows_read(path, &arena);
    load_arena_fini(&arena);
}

/** Appends the systems of one root, and offers them. */
static void add_systems(const char *root, char *text, size_t size, struct load_nearest *near)
{
    struct load_arena arena = { 0 };
    const char *pattern = load_text(&arena, "%s/published/*.csv", root);
    glob_t found = { 0 };

    (void)glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *base = strrchr(found.gl_pathv[i], '/') + 1;
        const char *name = load_text(&arena, "%.*s", (int)strcspn(base, "."), base);
        size_t n = strlen(text);

        if (load_attempt(read_rows, found.gl_pathv[i], NULL) != SIM_OK)
            continue; /* a table of something else */
        load_nearest_offer(near, name);
        snprintf(text + n, size - n, "%s%s", n > 0 ? ", " : "", name);
    }
    globfree(&found);
    load_arena_fini(&arena);
}

static _Noreturn void fail_published(const struct load_roots *roots, const char *system)
{
    char systems[512] = "";
    struct load_nearest near;

    load_nearest_init(&near, system, false);
    for (unsigned i = 0; i < roots->n; i++)
        add_systems(roots->paths[i], systems, sizeof(systems), &near);
    load_raise(SIM_ERR_IO, "%s: no published measurements of this name: expected %s%s", system,
               systems, near.hint);
}

const char *cmd_find_program(const char *name, struct load_arena *arena)
{
    char folder[1024];

    if (!load_find_self(folder, sizeof(folder)))
        load_raise(SIM_ERR_IO, "/proc/self/exe: %s", strerror(errno));
    return load_text(arena, "%s/%s", folder, name);
}

const char *cmd_find_published(const struct load_roots *roots, const char *system,
                               struct load_arena *arena)
{
    for (unsigned i = 0; i < roots->n; i++) {
        const char *path = load_text(arena, "%s/published/%s.csv", roots->paths[i], system);

        if (access(path, R_OK) == 0)
            return path;
    }
    fail_published(roots, system);
}
