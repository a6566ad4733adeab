/*
 * Any bytes as a machine file, a platform file, a setup, a list and a CSV: an error
 * is one line, and nothing else goes wrong. Seeds: configs/machines, configs/platforms.
 */
#include "tools/lab/published.h"
#include "tools/load/machine.h"
#include "tools/load/value.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const ports[] = { "a", "b", NULL };
static const struct machine_param params[] = {
    { "link.lanes", "1", 1, 16, 8, 0, "lanes", NULL },
    { "latency_ps", "ps", 0, 1000, 5, 8, "one way", NULL },
    { "mode", "choice", 0, 1, 0, 16, "mapping", "uc|wc" },
    { "ram_bytes", "bytes", 1, 1u << 30, 4096, 24, "memory", NULL },
    MACHINE_PARAM_END
};
static const struct machine_kind kind = {
    .name = "box", .params = params, .config_bytes = 32, .ports = ports
};
static const struct machine_kind *const kinds[] = { &kind, NULL };

static void check(int rc, const struct sim_error *err)
{
    SIM_ASSERT((rc == SIM_OK) == (err->text[0] == '\0'));
    SIM_ASSERT(strchr(err->text, '\n') == NULL);
}

static void try_component(const char *bytes, size_t n)
{
    struct load_arena arena = { 0 };
    struct load_layer layer = { .arena = &arena };
    static const char *const none[] = { NULL };
    struct sim_error err = { 0 };
    struct load_values values;
    struct load_tree *tree;
    int rc = load_tree_parse("input", bytes, n, &arena, &tree, &err);

    layer.skip = none;
    load_values_init(&values, kind.params, &arena);
    if (rc == SIM_OK)
        rc = load_values_assign(&values, &layer, tree, &err);
    check(rc, &err);
    for (unsigned i = 0; i < values.n; i++)
        SIM_ASSERT(values.values[i].value <= params[i].max);
    load_arena_fini(&arena);
}

static void try_machine(const char *bytes, size_t n)
{
    struct load_roots roots = { 0 };
    struct load_options opt = { .roots = &roots, .kinds = kinds };
    struct sim_error err = { 0 };
    struct load_machine *machine;
    int rc = load_machine_parse("input", bytes, n, &opt, &machine, &err);

    check(rc, &err);
    if (rc == SIM_OK)
        load_machine_destroy(machine);
}

static void try_rows(const char *bytes, size_t n)
{
    struct load_arena arena = { 0 };
    struct sim_error err = { 0 };
    struct lab_csv csv;
    struct lab_rows rows;
    struct lab_list list;
    int rc = lab_csv_parse("input", bytes, n, &arena, &csv, &err);

    if (rc == SIM_OK)
        rc = lab_rows_from(&csv, &arena, &rows, &err);
    check(rc, &err);
    (void)lab_list_parse(load_text(&arena, "%.*s", (int)(n < 200 ? n : 200), bytes), "input",
                         &arena, &list, NULL);
    load_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;

    if (size > 65536)
        return 0;
    try_component(bytes, size);
    try_machine(bytes, size);
    try_rows(bytes, size);
    return 0;
}
