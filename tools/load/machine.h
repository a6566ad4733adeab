/*
 * Machine files: platforms, a topology and overrides become a machine_desc.
 *
 *   platform: hapacs-tca        # configs/platforms/, or a path relative to this file
 *   nodes: 2                    # or a list of {platform:, count:}
 *   cables:
 *     - {from: node0.hub.e, to: node1.hub.w, length_mm: 1000}
 *   edges: |                    # see edges.c
 *     0.s 1.s 500
 *   routes: shortest            # see routes.c
 *   slots: ring
 *   window: {size_bytes: 512GiB, parts: 16}
 *   set: {"node0.hub.e.link.lanes": 4}
 *   faults: [...]               # see faults.c
 *
 * A platform file names the components of a node and the links between them; a component may
 * include a file that it shares with other platforms and that says what may differ.
 */
#ifndef LOAD_MACHINE_H
#define LOAD_MACHINE_H

#include "machine/machine.h"
#include "tools/load/find.h"
#include "tools/load/tree.h"

SIM_BEGIN_DECLS

/** A simulation has address space for the memory of that many (hosts/launch/memory.h). */
#define LOAD_NODES_MAX 256u

struct load_options {
    const struct load_roots *roots;
    const struct machine_kind *const *kinds; /* NULL at the end: those that files may name */
    const char *platform;                    /* of all nodes; NULL: as the machine file says */
    const char *const *sets;                 /* "node*.hub.e.link.lanes=4" */
    unsigned nsets;
    const char *const *faults; /* files, or single faults "{link: ..., ...}" */
    unsigned nfaults;
};

struct load_machine; /* a description with everything it points to */

/* These three raise SIM_ERR_IO or SIM_ERR_CONFIG: a file cannot be read, or what is said there or
 * in `opt` is wrong, which the message names with its place. An error that leaves the attempt that
 * they were called in destroys the machine. */

/** @param path of a machine file. Free with load_machine_destroy(). */
struct load_machine *load_machine_create(const char *path, const struct load_options *opt);
/** The same from memory; `name` stands for the path. */
struct load_machine *load_machine_parse(const char *name, const char *bytes, size_t n,
                                        const struct load_options *opt);
/** One node without cables from a platform file. */
struct load_machine *load_platform_create(const char *path, const struct load_options *opt);
void load_machine_destroy(struct load_machine *machine);

const struct machine_desc *load_machine_desc(const struct load_machine *machine);
/** Is it of another make than its file says, by --set? */
bool load_machine_make_is_set(const struct load_machine *machine,
                              const struct machine_component_desc *component);

/** Every value in force, in a fixed order; `path` is "node0.hub" or "" for the machine's own. */
typedef void (*load_value_fn)(void *arg, const char *path, const struct machine_value *value);
void load_machine_each(const struct load_machine *machine, load_value_fn fn, void *arg);

/** Each file that it was read from, once: its own, platforms, what they include, faults, edges. */
typedef void (*load_file_fn)(void *arg, const char *path);
void load_machine_each_file(const struct load_machine *machine, load_file_fn fn, void *arg);

/** A fault as it was written. Texts have no spaces but those between pairs. */
struct load_fault {
    const char *target, *pattern; /* "link", "node*.hub.e" */
    const char *kind, *pairs;     /* "burst", "at=10us for=1us bit_error_rate=1e-4" */
    unsigned places;              /* ports or components that have it */
};
typedef void (*load_fault_fn)(void *arg, const struct load_fault *fault);
void load_machine_each_fault(const struct load_machine *machine, load_fault_fn fn, void *arg);

SIM_END_DECLS
#endif /* LOAD_MACHINE_H */
