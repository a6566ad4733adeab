#define _POSIX_C_SOURCE 200809L
#include "tools/cmd/cmd.h"

#include "tools/lab/software.h"
#include "tools/load/value.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static error_t parse_format(int key, char *arg, struct argp_state *state)
{
    struct cmd_common *common = state->input;

    (void)arg;
    switch (key) {
    case 'j':
        common->format = LAB_JSON;
        return 0;
    case 'c':
        common->format = LAB_CSV;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option format_options[] = {
    { "json", 'j', NULL, 0, "Write JSON", 1 },
    { "csv", 'c', NULL, 0, "Write comma-separated values", 1 },
    { 0 },
};
const struct argp cmd_format_argp = { format_options, parse_format, NULL, NULL, NULL, NULL, NULL };

static uint64_t parse_number(struct argp_state *state, const char *option, const char *text)
{
    uint64_t value = 0;

    if (!load_number(text, false, &value))
        argp_error(state, "--%s %s: expected a whole number", option, text);
    return value;
}

static error_t parse_machine(int key, char *arg, struct argp_state *state)
{
    struct cmd_common *common = state->input;

    switch (key) {
    case 's':
        if (common->nsets == CMD_SETS_MAX)
            argp_error(state, "--set: expected at most %u", CMD_SETS_MAX);
        common->sets[common->nsets++] = arg;
        return 0;
    case 'p':
        common->platform = arg;
        return 0;
    case 'S':
        common->seed = parse_number(state, "seed", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option machine_options[] = {
    { "set", 's', "KEY=VALUE", 0, "Override what matches, e.g. node*.hub.e.link.lanes=4", 2 },
    { "platform", 'p', "NAME", 0, "Build all nodes of this platform", 2 },
    { "seed", 'S', "N", 0, "Seed of every random stream (default 1)", 2 },
    { 0 },
};
const struct argp cmd_machine_argp = {
    machine_options, parse_machine, NULL, NULL, NULL, NULL, NULL
};

static error_t parse_work(int key, char *arg, struct argp_state *state)
{
    struct cmd_common *common = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = common;
        return 0;
    case 'J':
        common->jobs = (unsigned)parse_number(state, "jobs", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option work_options[] = {
    { "jobs", 'J', "N", 0, "Worker processes (default: one for each processor)", 2 },
    { 0 },
};
static const struct argp_child work_children[] = { { &cmd_machine_argp, 0, NULL, 0 }, { 0 } };
const struct argp cmd_work_argp = {
    work_options, parse_work, NULL, NULL, work_children, NULL, NULL
};

void cmd_common_init(struct cmd_common *common)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    *common = (struct cmd_common){ .seed = 1, .jobs = processors > 0 ? (unsigned)processors : 1 };
    load_roots_init(&common->roots);
}

int cmd_fail(const struct sim_error *err)
{
    (void)fprintf(stderr, "hubsim: %s\n", err->text);
    return CMD_FAILED;
}

int cmd_load(const struct cmd_common *common, const char *name, struct load_machine **machine_p,
             struct sim_error *err)
{
    struct load_options opt = { .roots = &common->roots,
                                .kinds = lab_kinds(),
                                .platform = common->platform,
                                .sets = common->sets,
                                .nsets = common->nsets };
    char path[2048];
    struct load_arena arena = { 0 };
    struct load_tree *tree;
    int rc = load_find(&common->roots, "machines", name, path, sizeof(path), NULL);

    if (rc != SIM_OK &&
        load_find(&common->roots, "platforms", name, path, sizeof(path), NULL) == SIM_OK)
        return load_platform_create(path, &opt, machine_p, err);
    rc = load_find(&common->roots, "machines", name, path, sizeof(path), err);
    if (rc == SIM_OK)
        rc = load_tree_read(path, &arena, &tree, err);
    if (rc == SIM_OK)
        rc = load_tree_get(tree, "components") != NULL
                 ? load_platform_create(path, &opt, machine_p, err)
                 : load_machine_create(path, &opt, machine_p, err);
    load_arena_fini(&arena);
    return rc;
}

int cmd_find_published(const struct load_roots *roots, const char *system, char *path, size_t size,
                       struct sim_error *err)
{
    FILE *f;

    for (unsigned i = 0; i < roots->n; i++) {
        (void)snprintf(path, size, "%s/published/%s.csv", roots->paths[i], system);
        f = fopen(path, "r");
        if (f != NULL) {
            (void)fclose(f);
            return SIM_OK;
        }
    }
    return sim_error_set(err, SIM_ERR_IO, "%s: no published measurements of this name", system);
}
