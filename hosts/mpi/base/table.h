/* Objects by number, of which handles are made. A number whose object has gone is given again. */
#ifndef MPI_TABLE_H
#define MPI_TABLE_H

#include <stddef.h>

struct mpi_rank;

/** All zero: empty. */
struct mpi_table {
    void **at; /* NULL: free */
    unsigned n, room;
    unsigned free; /* none below is free */
};

/** @return the object, NULL: none has this number, which may be of any handle. */
static inline void *mpi_table_get(const struct mpi_table *t, unsigned number)
{
    return number < t->n ? t->at[number] : NULL;
}

/** @return the number that the object has got, the least that was free. */
int mpi_table_add(struct mpi_rank *mr, struct mpi_table *t, void *object);

/** Takes an object out, which the caller frees. */
static inline void mpi_table_remove(struct mpi_table *t, unsigned number)
{
    t->at[number] = NULL;
    t->free = number < t->free ? number : t->free;
}

/** Frees the table, not what is in it. */
void mpi_table_release(struct mpi_table *t);

#endif /* MPI_TABLE_H */
