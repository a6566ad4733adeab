/*
 * Buffers of the module mpi_f08, which may be sections of arrays with gaps: x(1:10:2). MPI sees
 * them as if they had none. A call that is over when it returns gets a copy; what stays in use, the
 * array itself with a datatype that has the gaps.
 */
#include "hosts/mpi/bindings/fortran/fortran.h"

#include <stdio.h>

enum { DIMENSIONS = 1 + 15 }; /* Fortran has 15; the first one here is an element itself */

/* An array of either descriptor. Distances are in bytes. */
struct grid {
    char *base;
    int n;
    ptrdiff_t extent[DIMENSIONS], distance[DIMENSIONS];
};

static struct grid grid_of_own(const struct own_array *a)
{
    struct grid g = { a->base, a->type.rank + 1, { (ptrdiff_t)a->type.element }, { 1 } };

    for (int i = 1; i < g.n; i++) {
        g.extent[i] = a->dim[i - 1].upper - a->dim[i - 1].lower + 1;
        g.distance[i] = a->dim[i - 1].distance * a->span;
    }
    return g;
}

/* Both descriptors number types alike, but for derived ones and texts, which change places. */
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

static struct grid grid_of(const struct array *a)
{
    struct own_array own;

    return grid_of_own(own_array(&own, a));
}

static bool has_gaps(const struct grid *g)
{
    ptrdiff_t dense = g->extent[0] * g->distance[0];
    bool gaps = false;

    for (int i = 1; i < g->n; i++) {
        if (g->extent[i] <= 0) /* nothing, or -1: an array of unknown size, which has none */
            return false;
        if (g->extent[i] != 1 && g->distance[i] != dense)
            gaps = true;
        dense *= g->extent[i];
    }
    return gaps;
}

static size_t bytes_of(const struct grid *g)
{
    ptrdiff_t bytes = 1;

    for (int i = 0; i < g->n; i++)
        bytes *= g->extent[i];
    return (size_t)bytes;
}

/* Copies dimension `dim` and those below it, which change faster. Returns the end of the copy. */
static char *copy_dimension(const struct grid *g, int dim, char *at, char *to, bool back)
{
    if (dim == 0) {
        memcpy(back ? at : to, back ? to : at, (size_t)g->extent[0]);
        return to + g->extent[0];
    }
    for (ptrdiff_t i = 0; i < g->extent[dim]; i++)
        to = copy_dimension(g, dim - 1, at + i * g->distance[dim], to, back);
    return to;
}

void *section_copy(const struct own_array *a)
{
    struct grid g = grid_of_own(a);
    char *to;

    if (!has_gaps(&g))
        return a->base;
    to = fortran_alloc(bytes_of(&g));
    (void)copy_dimension(&g, g.n - 1, g.base, to, false);
    return to;
}

void section_end(const struct own_array *a, void *c, bool written)
{
    struct grid g = grid_of_own(a);

    if (c == a->base)
        return;
    if (written)
        (void)copy_dimension(&g, g.n - 1, g.base, c, true);
    free(c);
}

static int refuse_gaps(const char *call)
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
    struct grid g = grid_of(a);

    return has_gaps(&g) ? refuse_gaps(call) : MPI_SUCCESS;
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

/* The first `count` units: so many whole parts of the highest dimension, then of the one below ...
 */
static MPI_Datatype make_type(const struct grid *g, ptrdiff_t count, MPI_Datatype unit)
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
    struct grid g = grid_of(a);
    ptrdiff_t units = count;
    int size = 0;

    *s = (struct section){ .buffer = a->base, .count = count, .type = type };
    if (!has_gaps(&g) || count <= 0)
        return MPI_SUCCESS;
    if (!is_plain(type, &size))
        return refuse_gaps(call);
    if (g.extent[0] % size != 0) {
        units *= size;
        type = MPI_BYTE;
        size = 1;
    }
    g.extent[0] /= size;
    g.distance[0] = size;
    *s = (struct section){ a->base, 1, make_type(&g, units, type), true };
    return MPI_SUCCESS;
}

void section_free(struct section *s)
{
    if (s->made)
        PMPI_Type_free(&s->type);
}
