/* How an MPI library of its time chose between its protocols and algorithms: a file of configs/mpi.
 */
#ifndef LAB_MPI_LIBRARY_H
#define LAB_MPI_LIBRARY_H

#include "tools/load/find.h"
#include "tools/load/tree.h"

SIM_BEGIN_DECLS

#define LAB_MPI_FOLDER    "mpi"
#define LAB_GASNET_FOLDER "gasnet" /* settings of GASNet's libraries look alike */

/** The settings of a library, a map. @param name in `folder`, or a path; *algorithms_p: its
 * choices, as lab_software_algorithms() takes them, in `arena`, or NULL */
const struct load_tree *lab_mpi_library(const struct load_roots *roots, const char *folder,
                                        const char *name, const char **algorithms_p,
                                        struct load_arena *arena);
/** What a setting is set to: a plain value, or {value, source, calibrated}. */
const char *lab_mpi_value(const struct load_tree *setting);
/** Is a setting of the library fitted to the row of this id? One that cannot be read has none. */
bool lab_mpi_library_fitted(const struct load_roots *roots, const char *folder, const char *name,
                            const char *row);
/** The file for what a row calls the library, `api`; NULL: none is known. */
const char *lab_mpi_library_of(const char *api);

/** The library of what rows call a system, "gasnet-tca". NULL: none is known. */
struct lab_system {
    const char *name, *folder, *library;
};
const struct lab_system *lab_mpi_system_of(const char *name);

SIM_END_DECLS
#endif /* LAB_MPI_LIBRARY_H */
