/* How an MPI library of its time chose between its protocols: settings in a file of configs/mpi. */
#ifndef LAB_MPI_LIBRARY_H
#define LAB_MPI_LIBRARY_H

#include "tools/load/find.h"

SIM_BEGIN_DECLS

/** "gdr_limit" and what it is set to. @return SIM_OK, or what is wrong with it. */
typedef int (*lab_mpi_setting_fn)(void *arg, const char *key, const char *value,
                                  struct sim_error *err);
/** @param name in mpi/, or a path */
int lab_mpi_library(const struct load_roots *roots, const char *name, lab_mpi_setting_fn fn,
                    void *arg, struct sim_error *err);
/** Is a setting of the library fitted to the row of this id? */
bool lab_mpi_library_fitted(const struct load_roots *roots, const char *name, const char *row);
/** The file for what a row calls the library, `api`; NULL: none is known. */
const char *lab_mpi_library_of(const char *api);

SIM_END_DECLS
#endif /* LAB_MPI_LIBRARY_H */
