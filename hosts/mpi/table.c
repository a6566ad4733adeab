#include "hosts/mpi/table.h"

#include <stdlib.h>

#include "hosts/mpi/internal.h"

int mpi_table_add(struct mpi_rank *mr, struct mpi_table *t, void *object)
{
    unsigned i = 0;

    while (i < t->n && t->at[i] != NULL)
        i++;
    if (i == t->n) {
        void **more = realloc(t->at, (i + 1) * sizeof(*more));

        if (more == NULL) {
            mpi_note(mr, "out of memory");
            return -1;
        }
        t->at = more;
        t->n++;
    }
    t->at[i] = object;
    return (int)i;
}

void mpi_table_release(struct mpi_table *t)
{
    free(t->at);
    *t = (struct mpi_table){ 0 };
}
