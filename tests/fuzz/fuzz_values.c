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

struct input {
    const uint8_t *bytes;
    size_t n;
    struct load_arena arena;
    struct load_values values;
};

static void read_values(void *arg)
{
    static const char *const none[] = { NULL };
    struct input *input = arg;
    const struct load_layer layer = { .skip = none, .arena = &input->arena };

    load_values_assign(
        &input->values, &layer,
        load_tree_parse("input", (const char *)input->bytes, input->n, &input->arena));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct input input = { .bytes = bytes, .n = n };
    struct sim_error err = { 0 };
    int rc;

    load_values_init(&input.values, params, &input.arena);
    rc = load_attempt(read_values, &input, &err);
    if ((rc == SIM_OK) != (err.text[0] == '\0') || strchr(err.text, '\n') != NULL)
        abort();
    for (unsigned i = 0; i < input.values.n; i++) {
        uint64_t value = input.values.values[i].value;

        if (value < params[i].min || value > params[i].max)
            abort();
    }
    load_arena_fini(&input.arena);
    return 0;
}
