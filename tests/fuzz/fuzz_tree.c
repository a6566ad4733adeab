/* Any bytes as a YAML file: a tree whose places make sense, or one message. */
#include "fuzz.h"
#include "tools/load/tree.h"

#include <stdlib.h>

static void walk(const struct load_tree *node)
{
    if (node->line == 0 || node->column == 0 || (node->type == LOAD_SCALAR) != (node->text != NULL))
        abort();
    for (unsigned i = 0; i < node->n; i++)
        walk(&node->items[i]);
}

struct input {
    const uint8_t *bytes;
    size_t n;
};

static void read_tree(void *arg)
{
    const struct input *input = arg;
    struct load_arena arena = { 0 };

    walk(load_tree_parse("input.yaml", (const char *)input->bytes, input->n, &arena));
    load_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct sim_error err = { 0 };

    if (load_attempt(read_tree, &(struct input){ bytes, n }, &err) != SIM_OK && err.text[0] == '\0')
        abort();
    return 0;
}
