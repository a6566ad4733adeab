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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct load_arena arena = { 0 };
    struct load_tree *root;
    struct sim_error err = { 0 };

    if (load_tree_parse("input.yaml", (const char *)bytes, n, &arena, &root, &err) == SIM_OK)
        walk(root);
    else if (err.code == SIM_OK || err.text[0] == '\0')
        abort();
    load_arena_fini(&arena);
    return 0;
}
