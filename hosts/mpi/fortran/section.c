/*
 * Buffers of the module mpi_f08, which may be sections of arrays with gaps: x(1:10:2). MPI sees
 * them as if they had none. A call that is over when it returns gets a copy; what stays in use, the
 * array itself with a datatype that has the gaps.
 */
#include "hosts/mpi/fortran/fortran.h"

#include <stdio.h>

static int has_gaps(const struct array *a)
{
    ptrdiff_t dense = (ptrdiff_t)a->element;
    int gaps = 0;

    for (int i = 0; i < a->rank; i++) {
        if (a->dim[i].extent == 0)
            return 0;
        if (a->dim[i].extent != 1 && a->dim[i].distance != dense)
            gaps = 1;
        dense *= a->dim[i].extent;
    }
    return gaps;
}

static size_t bytes_of(const struct array *a)
{
    size_t bytes = a->element;

    for (int i = 0; i < a->rank; i++)
        bytes *= (size_t)a->dim[i].extent;
    return bytes;
}

/* Of dimension `dim` and those below it, which change faster. Returns the end of the copy. */
static char *copy(const struct array *a, int dim, char *at, char *to, int back)
{
    if (dim < 0) {
        memcpy(back ? at : to, back ? to : at, a->element);
        return to + a->element;
    }
    for (ptrdiff_t i = 0; i < a->dim[dim].extent; i++)
        to = copy(a, dim - 1, at + i * a->dim[dim].distance, to, back);
    return to;
}

void *section_copy(const struct array *a)
{
    char *to;

    if (!has_gaps(a))
        return a->base;
    to = malloc(bytes_of(a));
    if (to == NULL)
        abort();
    (void)copy(a, a->rank - 1, a->base, to, 0);
    return to;
}

void section_end(const struct array *a, void *c, int written)
{
    if (c == a->base)
        return;
    if (written)
        (void)copy(a, a->rank - 1, a->base, c, 1);
    free(c);
}

static int refuse(const char *call)
{
    static int code; /* the rank's, which has its own copy of this */
    char text[MPI_MAX_ERROR_STRING];

    if (code == MPI_SUCCESS)
        PMPI_Add_error_code(MPI_ERR_BUFFER, &code);
    (void)snprintf(text, sizeof(text),
                   "%s leaves its buffer in use, a section of an array: expected one without gaps, "
                   "or a single block of a predefined type",
                   call);
    PMPI_Add_error_string(code, text);
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
    return code;
}

int section_whole(const struct array *a, const char *call)
{
    return has_gaps(a) ? refuse(call) : MPI_SUCCESS;
}

/* A type without gaps of its own whose data are in the order of memory. */
static int is_plain(MPI_Datatype type, int *size)
{
    int integers, addresses, types, combiner = -1;
    MPI_Aint lb = 0, extent = 0;

    if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
        PMPI_Type_size(type, size) != MPI_SUCCESS ||
        PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS)
        return 0;
    return (combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
            combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER) &&
           *size > 0 && lb == 0 && extent == *size;
}

enum { DIMENSIONS = 1 + 15 }; /* Fortran has 15; the first one here is an element itself */

struct grid {
    int n;
    ptrdiff_t extent[DIMENSIONS], distance[DIMENSIONS];
};

static struct grid grid_of(const struct array *a, int size)
{
    struct grid g = { .n = a->rank + 1,
                      .extent = { (ptrdiff_t)a->element / size },
                      .distance = { size } };

    for (int i = 1; i < g.n; i++) {
        g.extent[i] = a->dim[i - 1].extent;
        g.distance[i] = a->dim[i - 1].distance;
    }
    return g;
}

/* The first `count` units: so many whole parts of the highest dimension, then of the one below ...
 */
static MPI_Datatype make(const struct grid *g, ptrdiff_t count, MPI_Datatype unit)
{
    MPI_Datatype whole[DIMENSIONS + 1] = { unit }, parts[DIMENSIONS], made;
    ptrdiff_t units[DIMENSIONS] = { 1 };
    MPI_Aint at[DIMENSIONS], here = 0;
    int times[DIMENSIONS];

    for (int i = 0; i < g->n; i++) {
        PMPI_Type_create_hvector((int)g->extent[i], 1, g->distance[i], whole[i], &whole[i + 1]);
        if (i > 0)
            units[i] = units[i - 1] * g->extent[i - 1];
    }
    for (int i = 0; i < g->n; i++) {
        int dim = g->n - 1 - i;
        int n = (int)(count / units[dim]);

        PMPI_Type_create_hvector(n, 1, g->distance[dim], whole[dim], &parts[i]);
        PMPI_Type_free(&whole[dim + 1]);
        times[i] = 1;
        at[i] = here;
        here += n * g->distance[dim];
        count %= units[dim];
    }
    PMPI_Type_create_struct(g->n, times, at, parts, &made);
    PMPI_Type_commit(&made);
    for (int i = 0; i < g->n; i++)
        PMPI_Type_free(&parts[i]);
    return made;
}

int section_of(struct section *s, const struct array *a, int count, MPI_Datatype type,
               const char *call)
{
    int size = 0;
    ptrdiff_t units = count;
    struct grid g;

    *s = (struct section){ .buffer = a->base, .count = count, .type = type };
    if (!has_gaps(a) || count <= 0)
        return MPI_SUCCESS;
    if (!is_plain(type, &size))
        return refuse(call);
    if (a->element % (size_t)size != 0) {
        units *= size;
        type = MPI_BYTE;
        size = 1;
    }
    g = grid_of(a, size);
    *s = (struct section){ a->base, 1, make(&g, units, type), 1 };
    return MPI_SUCCESS;
}

void section_free(struct section *s)
{
    if (s->made)
        PMPI_Type_free(&s->type);
}

/* Types of both are numbered alike, but for derived ones and texts, which change places. */
const struct own_array *own_array(struct own_array *own, const struct array *a)
{
    int kind = a->type & 0xff;

    *own = (struct own_array){ .base = a->base, .span = 1 };
    own->type.element = a->element;
    own->type.rank = a->rank;
    own->type.type = (signed char)(kind >= 1 && kind <= 4 ? kind : kind == 5 ? 6 : 5);
    for (int i = 0; i < a->rank; i++) {
        own->dim[i].distance = a->dim[i].distance;
        own->dim[i].lower = 1;
        own->dim[i].upper = a->dim[i].extent; /* -1, too */
        own->offset -= (size_t)a->dim[i].distance;
    }
    return own;
}
