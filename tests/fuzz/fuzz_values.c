/* Any bytes as the keys of a component: values within their ranges, or one message of one line. */
#include "fuzz.h"
#include "tools/load/value.h"

#include <stdlib.h>
#include <string.h>

static const struct machine_param params[] = {
    { "link.lanes", "1", 1, 16, 8, 0, "lanes", NULL },
    { "latency_ps", "ps", 0, 1000, 5, 8, "one way", NULL },
    { "mode", "choice", 0, 1, 0, 16, "mapping", "uc|wc" },
    { "ram_bytes", "bytes", 1, 1u << 30, 4096, 24, "memory", NULL },
    MACHINE_PARAM_END
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char *const none[] = { NULL };
    struct load_arena arena = { 0 };
    struct load_layer layer = { .skip = none, .arena = &arena };
    struct sim_error err = { 0 };
    struct load_values values;
    struct load_tree *tree;
    int rc = load_tree_parse("input", (const char *)bytes, n, &arena, &tree, &err);

    load_values_init(&values, params, &arena);
    if (rc == SIM_OK)
        rc = load_values_assign(&values, &layer, tree, &err);
    if ((rc == SIM_OK) != (err.text[0] == '\0') || strchr(err.text, '\n') != NULL)
        abort();
    for (unsigned i = 0; i < values.n; i++)
        if (values.values[i].value < params[i].min || values.values[i].value > params[i].max)
            abort();
    load_arena_fini(&arena);
    return 0;
}
