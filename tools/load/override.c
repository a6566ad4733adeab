#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/load/nearest.h"
#include "tools/load/parts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

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

/** Another make of the same device. */
static const struct machine_kind *other_make(const struct load_machine *m,
                                             const struct machine_kind *kind, const char *path,
                                             const char *text, const char *where)
{
    struct load_nearest near;

    load_nearest_init(&near, text);
    for (const struct machine_kind *const *k = m->opt->kinds; *k != NULL; k++) {
        if (*k != kind && (kind->params == NULL || (*k)->params != kind->params))
            continue;
        if (strcmp((*k)->name, text) == 0)
            return *k;
        load_nearest_offer(&near, (*k)->name);
    }
    load_raise(SIM_ERR_CONFIG, "%s: %s = %.80s: expected %s or another make of it%s", where, path,
               text, kind->name, near.hint);
}

/** Makes of the components that match. @return how many do */
static unsigned override_kinds(struct load_machine *m, const char *pattern, const char *text,
                               const char *where, const struct load_tree *at,
                               struct load_nearest *near)
{
    unsigned matches = 0;

    for (unsigned n = 0; n < m->desc.nnodes; n++) {
        const struct machine_node_desc *node = &m->desc.nodes[n];

        for (unsigned i = 0; i < node->ncomponents; i++) {
            struct machine_component_desc *c = &node->components[i];
            char path[256];

            snprintf(path, sizeof(path), "node%u.%s.kind", n, c->name);
            load_nearest_offer(near, path);
            if (fnmatch(pattern, path, 0) != 0)
                continue;
            matches++;
            c->kind = other_make(m, c->kind, path, text, where);
            if (at == NULL) {
                m->makes =
                    load_grow(&m->arena, m->makes, m->nmakes, &m->makes_room, sizeof(*m->makes));
                m->makes[m->nmakes++] = c;
            }
        }
    }
    return matches;
}

bool load_machine_make_is_set(const struct load_machine *machine,
                              const struct machine_component_desc *component)
{
    for (unsigned i = 0; i < machine->nmakes; i++)
        if (machine->makes[i] == component)
            return true;
    return false;
}

void load_override(struct load_machine *m, const char *pattern, const char *text, const char *where,
                   const struct load_tree *at)
{
    struct load_nearest near;
    unsigned matches = 0;

    load_nearest_init(&near, pattern);
    load_nearest_node(&near, m->desc.nnodes);
    for (unsigned g = 0; g < m->ngroups; g++) {
        struct load_group *group = &m->groups[g];

        for (unsigned i = 0; i < group->v.n; i++) {
            struct machine_value *value = &group->v.values[i];
            char path[256];

            snprintf(path, sizeof(path), "%s%s%s", group->path, group->path[0] != '\0' ? "." : "",
                     value->param->key);
            if (fnmatch(pattern, path, 0) != 0) {
                if (matches == 0)
                    load_nearest_offer(&near, path);
                continue;
            }
            matches++;
            set_value(value, path, text, where, at);
        }
    }
    matches += override_kinds(m, pattern, text, where, at, &near);
    if (matches > 0)
        return;
    load_raise(SIM_ERR_CONFIG, "%s: matches no key%s", where, near.hint);
}
