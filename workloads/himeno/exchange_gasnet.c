/*
 * Faces over GASNet: a strided put to each neighbour, and when it has completed an AM Short that
 * says so. The residual goes round by dissemination of AM Mediums: in each of log2(ranks) rounds a
 * rank sends all residuals that it has, and every rank adds all of them in the same order.
 */
#include "himeno.h"

#include <stdlib.h>
#include <string.h>

#include "../gasnet-common.h"
#include <gasnet_vis.h>

#define ROUNDS_MAX 16u

enum { HANDLER_FACE = 200, HANDLER_SUM };

static struct grid *far;                      /* those of neighbours: [axis * 2 + side] */
static volatile uint64_t faces_came[AXES][2]; /* by the side that they are on here */
static uint64_t faces_wanted[AXES][2];
static float *fields_of[AXES * 2];
static double *known; /* residual of each rank, from this one on */
static volatile uint64_t sums_came[ROUNDS_MAX];
static double *sum_data[ROUNDS_MAX];
static uint64_t sums;

static void face_came(gasnet_token_t token, gasnet_handlerarg_t axis, gasnet_handlerarg_t side)
{
    (void)token;
    faces_came[axis][side]++;
}

static void sum_came(gasnet_token_t token, void *data, size_t bytes, gasnet_handlerarg_t round,
                     gasnet_handlerarg_t parity)
{
    (void)token;
    memcpy(sum_data[round] + (size_t)parity * gasnet_nodes(), data, bytes);
    sums_came[round]++;
}

/** Floats of a field of the rank that has most. */
static uint64_t most_floats(const char *size, const char *split)
{
    uint64_t most = 0;

    for (unsigned rank = 0; rank < gasnet_nodes(); rank++) {
        struct grid g;

        grid_make(&g, size, split, rank, gasnet_nodes());
        if (grid_floats(&g) > most)
            most = grid_floats(&g);
    }
    return most;
}

static float *start(int *argc, char ***argv, int gpu, const char *size, const char *split,
                    struct grid *g)
{
    gasnet_handlerentry_t handlers[] = { { HANDLER_FACE, (gasneti_handler_fn)face_came },
                                         { HANDLER_SUM, (gasneti_handler_fn)sum_came } };
    uint8_t *own;

    (void)gpu; /* the segment is there */
    gasnet_open(argc, argv);
    grid_make(g, size, split, gasnet_mynode(), gasnet_nodes());
    own = gasnet_start(argc, argv, handlers, 2, 2 * most_floats(size, split) * sizeof(float));
    far = calloc(AXES * 2, sizeof(*far));
    known = calloc(gasnet_nodes(), sizeof(*known));
    if (far == NULL || known == NULL)
        fail("out of memory");
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        sum_data[round] = calloc(2 * (size_t)gasnet_nodes(), sizeof(double));
        if (sum_data[round] == NULL)
            fail("out of memory");
    }
    for (unsigned axis = 0; axis < AXES; axis++)
        for (unsigned side = 0; side < 2; side++) {
            unsigned a = axis * 2 + side;

            if (g->peer[axis][side] < 0)
                continue;
            grid_make(&far[a], size, split, (unsigned)g->peer[axis][side], gasnet_nodes());
            fields_of[a] = (float *)(void *)gasnet_segment_of((unsigned)g->peer[axis][side]);
        }
    return (float *)(void *)own;
}

/* The strides of a face, in bytes: one piece, or rows. */
static gasnet_handle_t put_face(const struct grid *g, const struct fields *f, int which,
                                unsigned axis, unsigned side)
{
    const struct grid *there = &far[axis * 2 + side];
    struct face face = grid_face(g, there, axis, side);
    float *to = fields_of[axis * 2 + side] + (which ? grid_floats(there) : 0) + face.to;
    size_t count[2] = { face.floats * sizeof(float), face.count };
    size_t here_pitch = face.pitch * sizeof(float), there_pitch = face.far_pitch * sizeof(float);
    gasnet_node_t node = (gasnet_node_t)g->peer[axis][side];

    if (face.count == 1)
        return gasnet_put_nb_bulk(node, to, f->p[which] + face.from, count[0]);
    return gasnet_puts_nb_bulk(node, to, &there_pitch, f->p[which] + face.from, &here_pitch, count,
                               1);
}

static void faces(const struct grid *g, const struct fields *f, int which)
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        gasnet_handle_t handles[2] = { GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE };

        for (unsigned side = 0; side < 2; side++)
            if (g->peer[axis][side] >= 0)
                handles[side] = put_face(g, f, which, axis, side);
        for (unsigned side = 0; side < 2; side++) {
            if (g->peer[axis][side] < 0)
                continue;
            gasnet_wait_syncnb(handles[side]);
            CHECK(gasnet_AMRequestShort2((gasnet_node_t)g->peer[axis][side], HANDLER_FACE,
                                         (gasnet_handlerarg_t)axis, !side),
                  GASNET_OK);
        }
        for (unsigned side = 0; side < 2; side++)
            if (g->peer[axis][side] >= 0) {
                uint64_t wanted = ++faces_wanted[axis][side];

                GASNET_BLOCKUNTIL(faces_came[axis][side] >= wanted);
            }
    }
}

static double sum(const struct grid *g, double residual)
{
    unsigned n = g->ranks, parity = sums++ & 1;
    double all = 0;

    known[0] = residual;
    for (unsigned round = 0, have = 1; have < n; round++, have *= 2) {
        unsigned more = have < n - have ? have : n - have;

        /* ranks from this one on, to the one that lies `have` below */
        CHECK(gasnet_AMRequestMedium2((g->rank + n - have) % n, HANDLER_SUM, known,
                                      more * sizeof(double), (gasnet_handlerarg_t)round,
                                      (gasnet_handlerarg_t)parity),
              GASNET_OK);
        GASNET_BLOCKUNTIL(sums_came[round] >= sums);
        memcpy(known + have, sum_data[round] + (size_t)parity * n, more * sizeof(double));
    }
    for (unsigned rank = 0; rank < n; rank++)
        all += known[(rank + n - g->rank) % n];
    return all;
}

static void end(void)
{
    gasnet_exit(0);
}

const struct exchange exchange_gasnet = { start, faces, sum, gasnet_all, gasnet_seconds, end };
