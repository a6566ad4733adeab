/* Faces and the residual over MPI, which takes pointers to memory of GPUs. */
#include "himeno.h"

#include <cuda_runtime.h>
#include <mpi.h>

static struct grid far[AXES * 2];
static MPI_Datatype types[AXES * 2]; /* a face to a neighbour; that from there is alike */

static float *start(int *argc, char ***argv, int gpu, const char *size, const char *split,
                    struct grid *g)
{
    int rank = 0, ranks = 0;

    CHECK(MPI_Init(argc, argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_SUCCESS);
    grid_make(g, size, split, (unsigned)rank, (unsigned)ranks);
    for (unsigned axis = 0; axis < AXES; axis++)
        for (unsigned side = 0; side < 2; side++) {
            unsigned a = axis * 2 + side;
            struct face face;

            if (g->peer[axis][side] < 0)
                continue;
            grid_make(&far[a], size, split, (unsigned)g->peer[axis][side], (unsigned)ranks);
            face = grid_face(g, &far[a], axis, side);
            CHECK(MPI_Type_vector((int)face.count, (int)face.floats, (int)face.pitch, MPI_FLOAT,
                                  &types[a]),
                  MPI_SUCCESS);
            CHECK(MPI_Type_commit(&types[a]), MPI_SUCCESS);
        }
    return mpi_memory(gpu, 2 * grid_floats(g) * sizeof(float));
}

/* What comes from a side lies where the neighbour's own face says. */
static void faces(const struct grid *g, const struct fields *f, int which)
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        MPI_Request requests[4];
        int n = 0;

        for (unsigned side = 0; side < 2; side++) {
            unsigned a = axis * 2 + side;
            int peer = g->peer[axis][side];

            if (peer < 0)
                continue;
            CHECK(MPI_Irecv(f->p[which] + grid_face(&far[a], g, axis, !side).to, 1, types[a], peer,
                            !(int)side, MPI_COMM_WORLD, &requests[n++]),
                  MPI_SUCCESS);
            CHECK(MPI_Isend(f->p[which] + grid_face(g, &far[a], axis, side).from, 1, types[a], peer,
                            (int)side, MPI_COMM_WORLD, &requests[n++]),
                  MPI_SUCCESS);
        }
        CHECK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    }
}

static double sum(const struct grid *g, double residual)
{
    (void)g;
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
          MPI_SUCCESS);
    return residual;
}

static void barrier(void)
{
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static void end(void)
{
    CHECK(MPI_Finalize(), MPI_SUCCESS);
}

const struct exchange exchange_mpi = { start, faces, sum, barrier, MPI_Wtime, end };
