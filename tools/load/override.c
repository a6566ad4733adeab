#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/load/nearest.h"
#include "tools/load/parts.h"

#include <fnmatch.h>
#include <stdio.h>

static void set_value(struct machine_value *value, const char *path, const char *text,
                      const char *where, const struct load_tree *at)
{
    struct machine_value next = { .param = value->param };
    char expected[256];

    if (!load_value_parse(value->param, text, &next.value))
        load_raise(SIM_ERR_CONFIG, "%s: %s = %.80s: %s", where, path, text,
                   load_value_expected(value->param, expected, sizeof(expected)));
    next.file = at != NULL ? at->file : "--set";
    next.line = at != NULL ? at->line : 0;
    *value = next;
}

void load_override(struct load_machine *m, const char *pattern, const char *text, const char *where,
                   const struct load_tree *at)
{
    struct load_nearest near;
    unsigned matches = 0;

    load_nearest_init(&near, pattern);
    for (unsigned g = 0; g < m->ngroups; g++) {
        struct load_group *group = &m->groups[g];

        for (unsigned i = 0; i < group->v.n; i++) {
            struct machine_value *value = &group->v.values[i];
            char path[256];

            snprintf(path, sizeof(path), "%s%s%s", group->path, group->path[0] != '\0' ? "." : "",
                     value->param->key);
            load_nearest_offer(&near, path);
            if (fnmatch(pattern, path, 0) != 0)
                continue;
            matches++;
            set_value(value, path, text, where, at);
        }
    }
    if (matches > 0)
        return;
    load_raise(SIM_ERR_CONFIG, "%s: matches no key%s", where, near.hint);
}
