#include "hosts/mpi/base/table.h"

#include <stdlib.h>

#include "hosts/mpi/base/rank.h"

int mpi_table_add(struct mpi_rank *mr, struct mpi_table *t, void *object)
{
    while (t->free < t->n && t->at[t->free] != NULL)
        t->free++;
    if (t->free == t->room) {
        t->room = 2 * t->room + 4;
        t->at = mpi_need(mr, realloc(t->at, t->room * sizeof(*t->at)));
    }
    t->n += t->free == t->n;
    t->at[t->free] = object;
    return (int)t->free++;
}

void mpi_table_release(struct mpi_table *t)
{
    free(t->at);
    *t = (struct mpi_table){ 0 };
}
