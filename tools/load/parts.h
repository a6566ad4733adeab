/* Inside of tools/load: a description while it is being put together. */
#ifndef LOAD_PARTS_H
#define LOAD_PARTS_H

#include "tools/load/machine.h"
#include "tools/load/value.h"

SIM_BEGIN_DECLS

#define LOAD_PLATFORMS_MAX 16u

/** Everything that has values: the machine itself (path ""), components, links, cables. */
struct load_group {
    const char *path;
    struct load_values v;
    uint64_t *length_mm_p; /* of a link: where its one value goes when all overrides are known */
};

struct load_machine {
    struct load_arena arena;
    const struct load_options *opt; /* while loading only */
    const char *description;
    struct machine_desc desc;
    unsigned ngroups, room;
    struct load_group *groups; /* groups[0] is the machine itself */
    unsigned nplatforms;
    struct load_platform {
        const char *name, *path;
        const struct load_tree *tree;
    } platforms[LOAD_PLATFORMS_MAX];
};

/** Appends a group; its values are the table's defaults. Invalidates pointers to groups. */
struct load_group *load_group_add(struct load_machine *m, const char *path,
                                  const struct machine_param *params);
/** A path beside the file that names it, unless it is absolute. */
const char *load_beside(struct load_machine *m, const char *file, const char *path);

/** Reads a platform file once; `at` is where it is named (NULL: by the user). */
int load_platform_find(struct load_machine *m, const struct load_tree *at, const char *name,
                       const struct load_platform **platform_p, struct sim_error *err);
/** Makes node `node` of it. */
int load_platform_node(struct load_machine *m, const struct load_platform *platform, unsigned node,
                       struct sim_error *err);

/** One end of a link, "hub.n" within `node` or "node0.hub.n" (node = -1): checked. */
struct load_end {
    unsigned node;
    const char *component, *port;
};
int load_end_parse(struct load_machine *m, const struct load_tree *link, const char *key, int node,
                   struct load_end *end_p, struct sim_error *err);
/** Reads one {from:, to:, length_mm:}; the length becomes a group called `path`. */
int load_link_read(struct load_machine *m, const struct load_tree *item, int node, const char *path,
                   struct machine_link_desc *link, struct sim_error *err);

/** Sets what "node*.hub.e.link.lanes" matches; messages begin with `where`. */
int load_override(struct load_machine *m, const char *pattern, const char *text, const char *where,
                  const struct load_tree *at, struct sim_error *err);

SIM_END_DECLS
#endif /* LOAD_PARTS_H */
