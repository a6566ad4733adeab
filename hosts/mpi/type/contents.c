/* How a datatype was made: envelopes and contents. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/type/type.h"

void mpi_contents_put(struct mpi_contents *contents)
{
    if (--contents->holders > 0)
        return;
    for (int i = 0; i < contents->ntypes; i++)
        mpi_type_put(contents->types[i]);
    free(contents->ints);
    free(contents->addresses);
    free(contents->types);
    free(contents);
}

static void *copy_of(const void *from, int n, size_t size)
{
    void *to = mpi_need(mpi_self(), malloc((size_t)n * size + 1));

    return n > 0 ? memcpy(to, from, (size_t)n * size) : to;
}

struct mpi_type *mpi_contents_set(struct mpi_type *type, int combiner, int nints, const int *ints,
                                  int naddresses, const MPI_Aint *addresses, int ntypes,
                                  struct mpi_type *const *types)
{
    type->contents = mpi_need(mpi_self(), malloc(sizeof(*type->contents)));
    *type->contents =
        (struct mpi_contents){ .holders = 1,
                               .combiner = combiner,
                               .nints = nints,
                               .naddresses = naddresses,
                               .ntypes = ntypes,
                               .ints = copy_of(ints, nints, sizeof(*ints)),
                               .addresses = copy_of(addresses, naddresses, sizeof(*addresses)),
                               .types = copy_of(types, ntypes, sizeof(struct mpi_type *)) };
    for (int i = 0; i < ntypes; i++)
        types[i]->holders++;
    return type;
}

/* The type in an F90 type is ours: its maker has not passed it. */
static int shown_types(const struct mpi_contents *c)
{
    return c->combiner == MPI_COMBINER_F90_INTEGER || c->combiner == MPI_COMBINER_F90_REAL ||
                   c->combiner == MPI_COMBINER_F90_COMPLEX
               ? 0
               : c->ntypes;
}

int MPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *datatypes,
                          int *combiner)
{
    static const struct mpi_contents named = { .combiner = MPI_COMBINER_NAMED };
    struct mpi_type *t;
    int code = mpi_type_get(type, &t);

    if (code == MPI_SUCCESS) {
        const struct mpi_contents *c = t->contents != NULL ? t->contents : &named;

        *integers = c->nints;
        *addresses = c->naddresses;
        *datatypes = shown_types(c);
        *combiner = c->combiner;
    }
    return code;
}

/* A new handle for a type that is part of another: equal to it, and the program's to free. */
static int handle_of(struct mpi_type *old, MPI_Datatype *handle_p)
{
    struct mpi_type *t;

    if (old->contents == NULL) {
        *handle_p = old->handle;
        return MPI_SUCCESS;
    }
    t = mpi_type_equal(old);
    t->marked_low = old->marked_low;
    t->marked_high = old->marked_high;
    t->contents = old->contents;
    t->contents->holders++;
    return mpi_type_add(t, handle_p);
}

int MPI_Type_get_contents(MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes,
                          int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[])
{
    struct mpi_type *t;
    const struct mpi_contents *c;
    int code = mpi_type_get(type, &t);

    if (code != MPI_SUCCESS)
        return code;
    if (t->contents == NULL)
        return mpi_error(MPI_ERR_TYPE, "datatype = %#x: a predefined one", (unsigned)type);
    c = t->contents;
    if (max_integers < c->nints || max_addresses < c->naddresses || max_datatypes < shown_types(c))
        return mpi_error(MPI_ERR_ARG, "room for %d, %d and %d: expected %d, %d and %d",
                         max_integers, max_addresses, max_datatypes, c->nints, c->naddresses,
                         shown_types(c));
    if (c->nints > 0)
        memcpy(integers, c->ints, (size_t)c->nints * sizeof(*integers));
    if (c->naddresses > 0)
        memcpy(addresses, c->addresses, (size_t)c->naddresses * sizeof(*addresses));
    for (int i = 0; code == MPI_SUCCESS && i < shown_types(c); i++)
        code = handle_of(c->types[i], &datatypes[i]);
    return code;
}
