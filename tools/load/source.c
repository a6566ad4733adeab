/* The files that a machine was made of. */
#include "tools/load/parts.h"

#include <string.h>

void load_source_add(struct load_machine *m, const char *path)
{
    struct load_source *source;

    for (source = m->sources; source != NULL; source = source->next)
        if (strcmp(source->path, path) == 0)
            return;
    source = load_alloc(&m->arena, sizeof(*source));
    *source = (struct load_source){ m->sources, load_text(&m->arena, "%s", path) };
    m->sources = source;
}

struct load_tree *load_source_read(struct load_machine *m, const char *path)
{
    load_source_add(m, path);
    return load_tree_read(path, &m->arena);
}
