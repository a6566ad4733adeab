/*
 * Kind "software": what the operating system and the libraries of a platform cost.
 * It has no ports and does nothing itself; the tables of the libraries
 * (launch_param()) become parameters like those of the hardware.
 */
#ifndef LAB_SOFTWARE_H
#define LAB_SOFTWARE_H

#include "hosts/launch/launch.h"
#include "machine/kind.h"
#include "tools/load/find.h"

SIM_BEGIN_DECLS

#define LAB_SOFTWARE_ROWS_MAX 255u /* parameters of all libraries */

/** All kinds that machine files may name: those of sim/, those of the program (machine_more_kinds)
 * and this one, NULL at the end. */
const struct machine_kind *const *lab_kinds(void);

/** The costs of a node's component of this kind; the launcher's own where it has none. */
struct launch_software lab_software(struct machine *machine, unsigned node);

/** A row of launch_param() as one of a machine's parameters, at the place of row `i`. */
struct machine_param lab_software_row(const struct host_param *p, unsigned i);

/** Settings of MPI above those of the platform: "ib", "mbcf,requests=off", "eager_bytes=4KiB". A
 * word alone is the transport; library=NAME stands for all settings of a file of configs/mpi, found
 * in `roots` (NULL: beside the program), and its algorithms, a text in `arena`. What stands beside
 * it counts first, and so do settings of the first node by `--set`, but a transport that it is not
 * for is refused.
 * @param machine NULL: none is there yet */
void lab_software_mpi(struct launch_software *software, const struct machine *machine,
                      const char *text, const struct load_roots *roots, struct load_arena *arena);
/** The same for GASNet: "tca,segment=gpu"; a word alone may be a file of configs/gasnet, too. */
void lab_software_gasnet(struct launch_software *software, const struct machine *machine,
                         const char *text, const struct load_roots *roots,
                         struct load_arena *arena);
/** GASNet's setting segment=gpu becomes the number of the GPU beside the adapter that it uses.
 * Raises where a node of a rank has no such GPU. @param nodes of ranks; NULL: one after the other
 */
void lab_software_segment(struct launch_software *software, const struct machine *machine,
                          const unsigned *nodes, unsigned nranks);
/** What its ranks run beside (launch_config.beside): the adapter that MPI uses, or NULL. */
const char *lab_software_beside(const struct launch_software *software,
                                const struct machine *machine);
/** Algorithms of MPI's collectives, "allgather=ring,bcast=chain"; `text` must stay. What is wrong
 * with it MPI_Init() says. */
void lab_software_algorithms(struct launch_software *software, const char *text);

SIM_END_DECLS
#endif /* LAB_SOFTWARE_H */
