#include "tools/lab/topology/topo_layout.h"

#include <math.h>
#include <string.h>

#define STEP     92.0 /* pixels between neighbours */
#define MARGIN   42.0 /* around a sub-cluster, */
#define STUBS    30.0 /* and more where stubs stick out */
#define ROUNDS   300u /* of spreading, */
#define STRIDES  24u  /* from so many orders of the hubs, */
#define MANY     64u  /* unless there are more than these */
#define CLEAR    24.0 /* pixels from a hub to a cable that is not its own */
#define NO_LINE  UINT32_MAX
#define GRID_MIN 3u /* lines */
#define PI       3.14159265358979323846

/** Hubs one after the other along ports of one name. */
struct line {
    unsigned first, n; /* in `order` */
    bool closed;
};

struct plan {
    struct lab_topology *topo;
    struct lab_layout *layout;
    unsigned *group;         /* by hub: its sub-cluster */
    unsigned *order;         /* hubs, line after line */
    unsigned *line_of, *pos; /* by hub: its line, and its place there */
    struct line *lines;
    unsigned nlines, placed; /* placed: hubs in `order` */
};

/* ---- lines --------------------------------------------------------------------------- */

static const struct lab_topo_link *link_at(const struct lab_topology *topo, unsigned hub,
                                           const char *port)
{
    for (unsigned i = 0; i < topo->nlinks; i++)
        if (topo->links[i].from == hub && strcmp(topo->links[i].port_from, port) == 0)
            return &topo->links[i];
    return NULL;
}

/** The port of the hub's first cable in the machine file that leaves from it. */
static const char *first_port(const struct lab_topology *topo, unsigned hub)
{
    const char *entered = NULL;

    for (unsigned i = 0; i < topo->nlinks; i++) {
        if (topo->links[i].from != hub)
            continue;
        if (i % 2 == 0)
            return topo->links[i].port_from;
        if (entered == NULL)
            entered = topo->links[i].port_from;
    }
    return entered;
}

static void follow_line(struct plan *p, unsigned start)
{
    const char *port = first_port(p->topo, start);
    struct line *line = &p->lines[p->nlines];
    unsigned at = start;

    *line = (struct line){ p->placed, 0, false };
    for (;;) {
        const struct lab_topo_link *next = port != NULL ? link_at(p->topo, at, port) : NULL;

        p->order[p->placed++] = at;
        p->line_of[at] = p->nlines;
        p->pos[at] = line->n++;
        line->closed = next != NULL && next->to == start && line->n > 2;
        if (next == NULL || p->line_of[next->to] != NO_LINE)
            break;
        at = next->to;
    }
    p->nlines++;
}

/** Numbers the sub-clusters. @return how many there are */
static unsigned find_groups(struct plan *p)
{
    unsigned n = 0;
    bool moved = true;

    for (unsigned i = 0; i < p->topo->nhubs; i++)
        p->group[i] = i;
    while (moved) {
        moved = false;
        for (unsigned i = 0; i < p->topo->nlinks; i++) {
            unsigned *from = &p->group[p->topo->links[i].from];

            if (p->group[p->topo->links[i].to] < *from) {
                *from = p->group[p->topo->links[i].to];
                moved = true;
            }
        }
    }
    for (unsigned i = 0; i < p->topo->nhubs; i++) /* a group has the number of its first hub */
        p->group[i] = p->group[i] == i ? n++ : p->group[p->group[i]];
    return n;
}

/* ---- shapes -------------------------------------------------------------------------- */

static double radius(unsigned n)
{
    return n > 1 ? STEP / (2 * sin(PI / n)) : 0;
}

/** @param stride from one hub of the line to the next, in places on the circle */
static void place_circle(struct plan *p, const struct line *line, double r, unsigned stride)
{
    for (unsigned i = 0; i < line->n; i++) {
        double a = 2 * PI * (double)((size_t)i * stride % line->n) / line->n - PI / 2;

        p->layout->hubs[p->order[line->first + i]] = (struct lab_place){ r * cos(a), r * sin(a) };
    }
}

/** Do all cables lead along lines, or between equal places of two lines? */
static bool columns_match(const struct plan *p, unsigned group)
{
    for (unsigned i = 0; i < p->topo->nlinks; i += 2) {
        unsigned a = p->topo->links[i].from, b = p->topo->links[i].to;

        if (p->group[a] == group && p->line_of[a] != p->line_of[b] && p->pos[a] != p->pos[b])
            return false;
    }
    return true;
}

/** Cables that lead back to the start of a row or column, over the heads of those between. */
static void mark_wraps(struct plan *p, unsigned group)
{
    for (unsigned i = 0; i < p->topo->nlinks; i += 2) {
        struct lab_place a = p->layout->hubs[p->topo->links[i].from];
        struct lab_place b = p->layout->hubs[p->topo->links[i].to];

        if (p->group[p->topo->links[i].from] == group)
            p->layout->wraps[i / 2] = hypot(b.x - a.x, b.y - a.y) > 1.5 * STEP;
    }
}

static void place_grid(struct plan *p, unsigned group, unsigned first, unsigned nlines)
{
    for (unsigned l = 0; l < nlines; l++)
        for (unsigned i = 0; i < p->lines[first + l].n; i++)
            p->layout->hubs[p->order[p->lines[first + l].first + i]] =
                (struct lab_place){ i * STEP, l * STEP };
    mark_wraps(p, group);
}

static bool alike(const struct plan *p, unsigned first, unsigned nlines)
{
    for (unsigned l = 1; l < nlines; l++)
        if (p->lines[first + l].n != p->lines[first].n ||
            p->lines[first + l].closed != p->lines[first].closed)
            return false;
    return true;
}

/* ---- any graph ------------------------------------------------------------------------- */

/** Cables between the hubs order[first ..], by the shortest way. */
static double *measure(struct plan *p, unsigned first, unsigned n)
{
    double *d = load_alloc(&p->topo->arena, (size_t)n * n * sizeof(*d));
    unsigned *at = load_alloc(&p->topo->arena, p->topo->nhubs * sizeof(*at));
    bool moved = true;

    for (unsigned i = 0; i < n; i++)
        at[p->order[first + i]] = i;
    for (size_t i = 0; i < (size_t)n * n; i++)
        d[i] = i / n == i % n ? 0 : n;
    while (moved) {
        moved = false;
        for (unsigned l = 0; l < p->topo->nlinks; l++) {
            unsigned a = at[p->topo->links[l].from], b = at[p->topo->links[l].to];

            if (p->group[p->topo->links[l].from] != p->group[p->order[first]])
                continue;
            for (unsigned to = 0; to < n; to++)
                if (d[(size_t)b * n + to] + 1 < d[(size_t)a * n + to]) {
                    d[(size_t)a * n + to] = d[(size_t)b * n + to] + 1;
                    moved = true;
                }
        }
    }
    return d;
}

/** One hub goes where the others, each at its distance, want it: a step of SMACOF. */
static struct lab_place pull(const struct plan *p, const double *d, unsigned first, unsigned n,
                             unsigned i)
{
    const struct lab_place *at = p->layout->hubs;
    struct lab_place me = at[p->order[first + i]], sum = { 0, 0 };
    double weights = 0;

    for (unsigned k = 0; k < n; k++) {
        struct lab_place other = at[p->order[first + k]];
        double want = d[(size_t)i * n + k] * STEP, is = hypot(me.x - other.x, me.y - other.y);
        double w = k == i ? 0 : 1 / (want * want);

        if (k == i)
            continue;
        if (is < 1)
            is = 1;
        sum.x += w * (other.x + want * (me.x - other.x) / is);
        sum.y += w * (other.y + want * (me.y - other.y) / is);
        weights += w;
    }
    return (struct lab_place){ sum.x / weights, sum.y / weights };
}

/** On which side of the line through a and b. */
static double side(struct lab_place a, struct lab_place b, struct lab_place c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/** Does c lie between a and b, nearly on their line? */
static bool hides(struct lab_place a, struct lab_place b, struct lab_place c)
{
    double length = hypot(b.x - a.x, b.y - a.y);
    double along = ((c.x - a.x) * (b.x - a.x) + (c.y - a.y) * (b.y - a.y)) / fmax(length, 1);

    return along > 0 && along < length && fabs(side(a, b, c)) < CLEAR * length;
}

/** Crossings of cables, and hubs that lie on a cable of others, which are worse. */
static unsigned count_flaws(const struct plan *p, unsigned first, unsigned n)
{
    const struct lab_topo_link *links = p->topo->links;
    const struct lab_place *at = p->layout->hubs;
    unsigned flaws = 0, group = p->group[p->order[first]];

    for (unsigned i = 0; i < p->topo->nlinks; i += 2) {
        struct lab_place a = at[links[i].from], b = at[links[i].to];

        if (p->group[links[i].from] != group)
            continue;
        for (unsigned k = 0; k < i; k += 2) {
            struct lab_place c = at[links[k].from], d = at[links[k].to];

            flaws += p->group[links[k].from] == group && side(a, b, c) * side(a, b, d) < 0 &&
                     side(c, d, a) * side(c, d, b) < 0;
        }
        for (unsigned k = first; k < first + n; k++)
            flaws += 3 * (p->order[k] != links[i].from && p->order[k] != links[i].to &&
                          hides(a, b, at[p->order[k]]));
    }
    return flaws;
}

static unsigned common_divisor(unsigned a, unsigned b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/** From circles in several orders; the picture with the fewest flaws stays. */
static void spread(struct plan *p, unsigned first, unsigned n)
{
    const struct line all = { first, n, true };
    const double *d = measure(p, first, n);
    size_t bytes = p->topo->nhubs * sizeof(*p->layout->hubs);
    struct lab_place *best = load_alloc(&p->topo->arena, bytes);
    unsigned fewest = UINT32_MAX;

    for (unsigned stride = 1; stride <= STRIDES && (stride == 1 || stride < n); stride++) {
        unsigned flaws;

        if (common_divisor(stride, n) != 1 || (stride > 1 && n > MANY))
            continue;
        place_circle(p, &all, radius(n), stride);
        for (unsigned round = 0; n > 1 && round < ROUNDS; round++)
            for (unsigned i = 0; i < n; i++)
                p->layout->hubs[p->order[first + i]] = pull(p, d, first, n, i);
        flaws = count_flaws(p, first, n);
        if (flaws < fewest) {
            fewest = flaws;
            memcpy(best, p->layout->hubs, bytes);
        }
    }
    memcpy(p->layout->hubs, best, bytes);
}

/* ---- all of it ------------------------------------------------------------------------- */

static void place_group(struct plan *p, unsigned group)
{
    unsigned first_line = p->nlines, first = p->placed, n;
    const struct line *line = &p->lines[first_line];

    for (unsigned i = 0; i < p->topo->nhubs; i++)
        if (p->group[i] == group && p->line_of[i] == NO_LINE)
            follow_line(p, i);
    n = p->nlines - first_line;
    if (n == 1 && line->closed) {
        place_circle(p, line, radius(line->n), 1);
    } else if (n == 2 && line->closed && alike(p, first_line, n) && columns_match(p, group)) {
        double r = fmax(radius(line->n), STEP);

        place_circle(p, line, r + STEP, 1);
        place_circle(p, line + 1, r, 1);
    } else if ((n == 1 || n >= GRID_MIN) && alike(p, first_line, n) && columns_match(p, group)) {
        place_grid(p, group, first_line, n);
    } else {
        spread(p, first, p->placed - first);
    }
}

/** Moves the group so that its frame begins at (x, y). @return the frame's far corner */
static struct lab_place shift(struct plan *p, unsigned group, double x, double y)
{
    struct lab_place low = { HUGE_VAL, HUGE_VAL }, high = { -HUGE_VAL, -HUGE_VAL };
    double margin = MARGIN;

    for (unsigned i = 0; i < p->topo->nlinks; i += 2)
        if (p->layout->wraps[i / 2] && p->group[p->topo->links[i].from] == group)
            margin = MARGIN + STUBS;
    for (unsigned i = 0; i < p->topo->nhubs; i++)
        if (p->group[i] == group) {
            low.x = fmin(low.x, p->layout->hubs[i].x);
            low.y = fmin(low.y, p->layout->hubs[i].y);
            high.x = fmax(high.x, p->layout->hubs[i].x);
            high.y = fmax(high.y, p->layout->hubs[i].y);
        }
    for (unsigned i = 0; i < p->topo->nhubs; i++)
        if (p->group[i] == group) {
            p->layout->hubs[i].x += x + margin - low.x;
            p->layout->hubs[i].y += y + margin - low.y;
        }
    return (struct lab_place){ x + high.x - low.x + 2 * margin, y + high.y - low.y + 2 * margin };
}

void lab_layout_make(struct lab_topology *topo, struct lab_layout *layout)
{
    struct plan p = { .topo = topo, .layout = layout };
    size_t n = topo->nhubs;
    unsigned groups, columns;
    double x = 0, y = 0, below = 0;

    *layout = (struct lab_layout){ 0 };
    layout->hubs = load_alloc(&topo->arena, n * sizeof(*layout->hubs));
    layout->wraps = load_alloc(&topo->arena, (topo->nlinks / 2 + 1) * sizeof(*layout->wraps));
    p.group = load_alloc(&topo->arena, n * sizeof(*p.group));
    p.order = load_alloc(&topo->arena, n * sizeof(*p.order));
    p.line_of = load_alloc(&topo->arena, n * sizeof(*p.line_of));
    p.pos = load_alloc(&topo->arena, n * sizeof(*p.pos));
    p.lines = load_alloc(&topo->arena, n * sizeof(*p.lines));
    for (unsigned i = 0; i < n; i++)
        p.line_of[i] = NO_LINE;
    groups = find_groups(&p);
    columns = (unsigned)ceil(sqrt(groups));
    for (unsigned g = 0; g < groups; g++) {
        struct lab_place corner;

        place_group(&p, g);
        corner = shift(&p, g, x, y);
        layout->width = fmax(layout->width, corner.x);
        below = fmax(below, corner.y);
        x = (g + 1) % columns == 0 ? 0 : corner.x;
        y = (g + 1) % columns == 0 ? below : y;
    }
    layout->height = below;
}
