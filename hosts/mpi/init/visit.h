/* Calls of the program: from where it enters the library until it leaves; see c_bindings.py. */
#ifndef MPI_VISIT_H
#define MPI_VISIT_H

#include "hosts/mpi/base/rank.h"
#include "hosts/mpi/init/profile.h"

struct mpi_visit {
    struct mpi_rank *mr; /* NULL: before MPI_Init() */
    bool interrupts;     /* mpi_rank's, of the call that this one is in, as is `outer` */
    unsigned blames;     /* mpi_blame_begin()'s */
    struct mpi_call outer;
    struct host_entry entry; /* likewise */
    bool counts;             /* for the run's profile: the time since then */
    uint64_t start_ps;
};

/** `from`: where the program goes on after the call, `name`. */
struct mpi_visit mpi_visit_begin(const char *name, const void *from);
/** `call` numbers the function; `bytes`: that its arguments name. An error, which has been noted,
 * goes to the handler of the object that is blamed, unless the call has ended by another one.
 * @return `code` */
int mpi_visit_end(const struct mpi_visit *v, unsigned call, const char *name, uint64_t bytes,
                  int code);

#endif /* MPI_VISIT_H */
