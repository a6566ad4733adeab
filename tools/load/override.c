#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/load/nearest.h"
#include "tools/load/parts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/** One override as it was written; `where` has its text, which messages need not repeat. */
struct override {
    const char *pattern, *text, *where;
    const struct load_tree *at; /* NULL: --set */
};

/** @param path of what does not take the text; it is named unless it is the pattern itself */
static _Noreturn void refuse(const struct override *o, const char *path, const char *expected)
{
    bool same = strcmp(o->pattern, path) == 0;

    load_error()->located = o->at != NULL;
    load_raise_behind(SIM_ERR_CONFIG, o->where, "%s%s%s", same ? "" : path, same ? "" : ": ",
                      expected);
}

static void set_value(const struct override *o, struct machine_value *value, const char *path)
{
    struct machine_value next = { .param = value->param };
    char expected[256];

    if (!load_value_parse(value->param, o->text, &next.value))
        refuse(o, path, load_value_expected(value->param, expected, sizeof(expected)));
    next.file = o->at != NULL ? o->at->file : "--set";
    next.line = o->at != NULL ? o->at->line : 0;
    *value = next;
}

/** Another make of the same device. */
static const struct machine_kind *other_make(struct load_machine *m, const struct override *o,
                                             const struct machine_kind *kind, const char *path)
{
    struct load_nearest near;

    load_nearest_init(&near, o->text, true);
    for (const struct machine_kind *const *k = m->opt->kinds; *k != NULL; k++) {
        if (*k != kind && (kind->params == NULL || (*k)->params != kind->params))
            continue;
        if (strcmp((*k)->name, o->text) == 0)
            return *k;
        load_nearest_offer(&near, (*k)->name);
    }
    refuse(o, path,
           load_text(&m->arena, "expected %s or another make of it%s", kind->name, near.hint));
}

/** Makes of the components that match. @return how many do */
static unsigned override_kinds(struct load_machine *m, const struct override *o,
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
            if (fnmatch(o->pattern, path, 0) != 0)
                continue;
            matches++;
            c->kind = other_make(m, o, c->kind, path);
            if (o->at == NULL) {
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
    const struct override o = { pattern, text, where, at };
    const char *members = load_text(&m->arena, "%s.*", pattern);
    struct load_nearest near;
    char member[256] = "";
    unsigned matches = 0;

    load_nearest_init(&near, pattern, true);
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
                if (matches == 0 && member[0] == '\0' && fnmatch(members, path, 0) == 0)
                    load_nearest_spell(pattern, path, member, sizeof(member));
                continue;
            }
            matches++;
            set_value(&o, value, path);
        }
    }
    matches += override_kinds(m, &o, &near);
    if (matches > 0)
        return;
    load_error()->located = at != NULL;
    if (member[0] != '\0')
        load_raise_behind(SIM_ERR_CONFIG, where, "a group of keys: expected one of %s, such as %s",
                          members, member);
    load_raise_behind(SIM_ERR_CONFIG, where, "matches no key%s", near.hint);
}
