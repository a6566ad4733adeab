/* Error handlers. */
#include <stdlib.h>

#include "hosts/mpi/base/rank.h"

#define FIRST 3 /* the handles below are predefined */

void mpi_errhandler_put(struct mpi_errhandler *handler)
{
    if (handler != NULL && --handler->holders == 0)
        free(handler);
}

/* Gives `handler` a handle. */
static int add_handler(struct mpi_rank *mr, struct mpi_errhandler *handler,
                       MPI_Errhandler *handle_p)
{
    handler->handles = 1;
    *handle_p = FIRST + mpi_table_add(mr, &mr->env.errhandlers, handler);
    return MPI_SUCCESS;
}

static struct mpi_errhandler *create_handler(struct mpi_rank *mr, MPI_Comm_errhandler_function *fn,
                                             bool returns)
{
    struct mpi_errhandler *h = mpi_need(mr, malloc(sizeof(*h)));

    *h = (struct mpi_errhandler){ 1, 0, fn, returns };
    return h;
}

int mpi_errhandler_create(MPI_Comm_errhandler_function *fn, MPI_Errhandler *handle_p)
{
    struct mpi_rank *mr = mpi_self();

    if (fn == NULL)
        return mpi_error(MPI_ERR_ARG, "no function");
    return add_handler(mr, create_handler(mr, fn, false), handle_p);
}

/* NULL: no handler of the program's own. */
static struct mpi_errhandler *handler_of(struct mpi_rank *mr, MPI_Errhandler handler)
{
    return mpi_table_get(&mr->env.errhandlers, (unsigned)handler - FIRST);
}

int mpi_errhandler_set(struct mpi_rank *mr, struct mpi_errhandler **slot, MPI_Errhandler handler)
{
    struct mpi_errhandler *h = NULL;

    if (handler == MPI_ERRORS_RETURN) {
        h = create_handler(mr, NULL, true);
    } else if (handler != MPI_ERRORS_ARE_FATAL) {
        h = handler_of(mr, handler);
        if (h == NULL)
            return mpi_error(MPI_ERR_ARG, "errhandler = %d: no such handler", handler);
        h->holders++;
    }
    mpi_errhandler_put(*slot);
    *slot = h;
    return MPI_SUCCESS;
}

/* The standard has a new handler made (8.3), equal to that which was set; one that has lost its
 * handle gets a new one. */
int mpi_errhandler_get(struct mpi_rank *mr, struct mpi_errhandler *held, MPI_Errhandler *handle_p)
{
    const struct mpi_table *all = &mr->env.errhandlers;

    *handle_p = held == NULL ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN;
    if (held == NULL || held->returns)
        return MPI_SUCCESS;
    for (unsigned i = 0; i < all->n; i++) {
        if (all->at[i] == held) {
            held->handles++;
            *handle_p = FIRST + (MPI_Errhandler)i;
            return MPI_SUCCESS;
        }
    }
    held->holders++;
    return add_handler(mr, held, handle_p);
}

int MPI_Errhandler_free(MPI_Errhandler *handler)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_errhandler *own = handler_of(mr, *handler);

    if (own != NULL) {
        if (--own->handles == 0) {
            mpi_errhandler_put(own);
            mpi_table_remove(&mr->env.errhandlers, (unsigned)(*handler - FIRST));
        }
    } else if (*handler != MPI_ERRORS_ARE_FATAL && *handler != MPI_ERRORS_RETURN) {
        return mpi_error(MPI_ERR_ARG, "errhandler = %d: no such handler", *handler);
    }
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
