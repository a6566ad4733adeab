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
    const char *const *spare; /* the component's kind has these; NULL: none */
    uint64_t *length_mm_p;    /* a link's: where its one value goes when all overrides are known */
};

/** A cable of an edge list. */
struct load_edge {
    const struct load_tree *at; /* its line */
    unsigned link, group;       /* in desc.cables and in groups */
};

/** An end of a link: ends 2k and 2k + 1 belong to one link. */
struct load_plug {
    unsigned node;
    const struct machine_component_desc *component;
    const char *port;
    const struct machine_link_desc *link;
};

/** A fault as it was written. */
struct load_fault_line {
    struct load_fault_line *next;
    struct load_fault fault;
};

/** A file that was read. */
struct load_source {
    struct load_source *next;
    const char *path;
};

/** The rows of a kind, for all its components. */
struct load_table {
    struct load_table *next;
    const struct machine_kind *kind;
    struct machine_param *rows;
};

struct load_machine {
    struct load_arena arena;
    const struct load_options *opt; /* while loading only, as */
    struct machine_desc desc;
    unsigned ngroups, room;
    struct load_group *groups;        /* groups[0] is the machine itself */
    const struct load_tree *shape_at; /* where its shape is named; NULL: it has none */
    unsigned shape_ports;             /* that each of its hubs needs */
    unsigned nedges;
    struct load_edge *edges;
    unsigned nplugs;
    struct load_plug *plugs; /* by load_check_ports() */
    struct load_fault_line *fault_lines, **fault_lines_end;
    unsigned nmakes, makes_room;
    const struct machine_component_desc **makes; /* whose kind is by --set */
    struct load_source *sources;
    struct load_table *tables;
    unsigned nplatforms;
    struct load_platform {
        const char *name, *path;
        const struct load_tree *tree;
    } platforms[LOAD_PLATFORMS_MAX];
};

/** Appends a group; its values are the table's defaults. Invalidates pointers to groups. */
struct load_group *load_group_add(struct load_machine *m, const char *path,
                                  const struct machine_param *params);
/** Remembers for load_machine_each_file() that `path` is read. */
void load_source_add(struct load_machine *m, const char *path);
/** Raises that `at` asks for more than LOAD_NODES_MAX nodes, for `nodes` in all. */
_Noreturn void load_refuse_nodes(const struct load_tree *at, uint64_t nodes);
/** Reads a file of YAML that the machine is made of. */
struct load_tree *load_source_read(struct load_machine *m, const char *path);
/** A path beside the file that names it, unless it is absolute. */
const char *load_beside(struct load_machine *m, const char *file, const char *path);

/** Reads a platform file once; `at` is where it is named (NULL: by the user). */
const struct load_platform *load_platform_find(struct load_machine *m, const struct load_tree *at,
                                               const char *name);
/** Makes node `node` of it. */
void load_platform_node(struct load_machine *m, const struct load_platform *platform,
                        unsigned node);

/** One end of a link, "hub.n" within `node` or "node0.hub.n" (node = -1). */
struct load_end {
    unsigned node;
    const struct machine_component_desc *component;
    const char *port; /* the description's own; of what has a key `ports`: not checked */
};
/** The component of this name, or NULL. */
const struct machine_component_desc *load_component(const struct load_machine *m, unsigned node,
                                                    const char *name);
struct machine_link_desc load_link_between(const struct load_end *a, const struct load_end *b,
                                           const struct load_tree *at);
/** Reads one {from:, to:, length_mm:}; the length becomes a group called `path`. */
void load_link_read(struct load_machine *m, const struct load_tree *item, int node,
                    const char *path, struct machine_link_desc *link);

/** An end from "node0.hub.e" in `text`; messages name `at`. */
struct load_end load_end_text(struct load_machine *m, const struct load_tree *at, const char *text,
                              int node);
/** A hub of a node, in the order of its file, without a port; `component` NULL: it has fewer. */
struct load_end load_router_end(const struct load_machine *m, unsigned node, unsigned number);
unsigned load_count_routers(const struct load_machine *m, unsigned node);
/** The ports of its kind, or as many of these as its key `ports` says so far. */
unsigned load_count_ports(const struct machine_component_desc *component);
bool load_has_port(const struct machine_component_desc *component, const char *name);
/** "n, e, w or s of hub" */
const char *load_list_ports(struct load_machine *m, const struct machine_component_desc *component);
/** A length as a group called `path`, written at `at` (NULL: nowhere). */
void load_length_add(struct load_machine *m, const char *path, const struct load_tree *at,
                     uint64_t length_mm, uint64_t *length_mm_p);
bool load_length_parse(const char *text, uint64_t *length_mm_p);
/** What load_length_parse() expected where it returned false. */
const char *load_length_expected(char *text, size_t size);

/** @return the file with `nodes`, `edges` and `routes` instead of a shape; `root` if it has none */
const struct load_tree *load_shape_expand(struct load_machine *m, const struct load_tree *root);
/** For a machine file with neither `nodes` nor a shape: raises SIM_ERR_CONFIG. */
_Noreturn void load_shape_fail(const struct load_tree *root);
/** Gives the hubs of a shape as many ports as it needs, and its window as many parts, unless the
 * file says how many. */
void load_shape_values(struct load_machine *m, struct machine_value *window_parts);

/** The lines of an edge list; `edges` NULL: none. */
struct load_lines {
    struct load_tree at; /* the first one's place */
    const char *text;
    unsigned n; /* cables at most, also where each line is one for each hub of a node */
};
struct load_lines load_edges_open(struct load_machine *m, const struct load_tree *edges);
/** Appends a cable for each line; desc.cables has room. */
void load_edges_read(struct load_machine *m, const struct load_lines *lines);
/** When all overrides are known: chooses ports, and gives cables without a length this one. */
void load_edges_plug(struct load_machine *m, uint64_t length_mm);

/** Lists all ends of links. Each is a port that is there, and none takes two cables. */
void load_check_ports(struct load_machine *m);
/** Raises where all that load_override() has set, called so, are values of ports without a link.
 * All cables are known. */
void load_check_override(struct load_machine *m, const char *pattern, const char *text,
                         const char *where, const struct load_tree *at);
/** Each router has the host that sets it up and owns its part of the window. */
void load_check_hosts(const struct load_machine *m);

/** `routes:` and `slots:` of the machine; all cables are known. */
void load_routes_read(struct load_machine *m, const struct load_tree *root);
void load_slots_read(struct load_machine *m, const struct load_tree *root);

/** `faults:` of the machine (`root` NULL: none) and of the options; all cables are known. */
void load_faults_read(struct load_machine *m, const struct load_tree *root);

/** Sets what "node*.hub.e.link.lanes" matches; messages begin with `where`. */
void load_override(struct load_machine *m, const char *pattern, const char *text, const char *where,
                   const struct load_tree *at);

SIM_END_DECLS
#endif /* LOAD_PARTS_H */
