#include "himeno.h"

#include <string.h>

static const struct {
    const char *name;
    uint64_t i, j, k;
} sizes[] = {
    { "small", 64, 64, 128 },
    { "middle", 128, 128, 256 },
    { "large", 256, 256, 512 },
};

/** Ranks along i of a split along both: as near to a square as can be. */
static unsigned square_part(unsigned ranks)
{
    unsigned part = 1;

    for (unsigned n = 1; n * n <= ranks; n++)
        if (ranks % n == 0)
            part = n;
    return ranks / part;
}

static void share(struct grid *g, unsigned axis)
{
    uint64_t n = g->all[axis], parts = g->parts[axis], at = g->place[axis];

    if (n < parts)
        fail("%u ranks along an axis of %llu points: expected fewer", g->parts[axis],
             (unsigned long long)n);
    g->first[axis] = n * at / parts;
    g->n[axis] = n * (at + 1) / parts - g->first[axis];
}

void grid_make(struct grid *g, const char *size, const char *split, unsigned rank, unsigned ranks)
{
    unsigned s = 0, step[AXES];

    if (ranks == 0)
        fail("no ranks: expected 1 or more");
    while (strcmp(sizes[s].name, size) != 0)
        s++;
    *g = (struct grid){ .rank = rank, .ranks = ranks, .k = sizes[s].k, .whole_i = sizes[s].i };
    g->parts[ALONG_I] = split[0] == 'i' ? ranks : split[0] == 'j' ? 1 : square_part(ranks);
    g->parts[ALONG_J] = ranks / g->parts[ALONG_I];
    g->place[ALONG_I] = rank / g->parts[ALONG_J];
    g->place[ALONG_J] = rank % g->parts[ALONG_J];
    g->all[ALONG_I] = sizes[s].i - 2;
    g->all[ALONG_J] = sizes[s].j - 2;
    step[ALONG_I] = g->parts[ALONG_J];
    step[ALONG_J] = 1;
    for (unsigned axis = 0; axis < AXES; axis++) {
        share(g, axis);
        g->peer[axis][0] = g->place[axis] > 0 ? (int)(rank - step[axis]) : -1;
        g->peer[axis][1] = g->place[axis] + 1 < g->parts[axis] ? (int)(rank + step[axis]) : -1;
    }
}

uint64_t grid_floats(const struct grid *g)
{
    return grid_at(g, g->n[ALONG_I] + 2, 0);
}

struct face grid_face(const struct grid *g, const struct grid *far, unsigned axis, unsigned side)
{
    uint64_t last = g->n[axis], beyond = far->n[axis] + 1;
    struct face f;

    if (axis == ALONG_I) { /* a plane; what is beyond its ends along j goes as well */
        f = (struct face){ .count = 1, .floats = grid_at(g, 1, 0) };
        f.from = grid_at(g, side == 0 ? 1 : last, 0);
        f.to = grid_at(far, side == 0 ? beyond : 0, 0);
        f.pitch = f.far_pitch = f.floats;
        return f;
    }
    f = (struct face){ .count = g->n[ALONG_I] + 2, .floats = g->k };
    f.from = grid_at(g, 0, side == 0 ? 1 : last);
    f.to = grid_at(far, 0, side == 0 ? beyond : 0);
    f.pitch = grid_at(g, 1, 0);
    f.far_pitch = grid_at(far, 1, 0);
    return f;
}
