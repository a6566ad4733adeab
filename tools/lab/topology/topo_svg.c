/* The picture of a topology. */
#include "tools/lab/topology/topo_layout.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define RADIUS 15.0 /* of a hub */
#define APART  3.2  /* of each direction of a cable from its middle */
#define TOP    62.0 /* of the picture: title */
#define BOTTOM 54.0 /* and scale */
#define STUB   34.0 /* length of a cable that goes round a grid, at each of its ends */
#define MIN_PX 560.0

struct colour {
    double r, g, b;
};

/** From pale to dark, as maps do it. */
static struct colour ramp(double share)
{
    static const struct colour stops[] = {
        { 254, 217, 118 }, { 253, 141, 60 }, { 227, 26, 28 }, { 128, 0, 38 }
    };
    double at = share * 3;
    unsigned i = at >= 3 ? 2 : (unsigned)at;
    double part = at - i;
    struct colour a = stops[i], b = stops[i + 1];

    return (struct colour){ a.r + part * (b.r - a.r), a.g + part * (b.g - a.g),
                            a.b + part * (b.b - a.b) };
}

static void print_colour(FILE *out, const char *attribute, double share, bool loaded)
{
    struct colour c = loaded ? ramp(share) : (struct colour){ 184, 184, 184 };

    (void)fprintf(out, " %s=\"#%02x%02x%02x\"", attribute, (unsigned)c.r, (unsigned)c.g,
                  (unsigned)c.b);
}

/* ---- links --------------------------------------------------------------------------- */

/** What is drawn of one direction, to the right of its cable's middle. */
struct stroke {
    struct lab_place a, b;
};

/** From `hub`, away from the other end: where a stub ends. */
static struct lab_place stub_end(struct lab_place hub, struct lab_place other)
{
    double length = fmax(hypot(hub.x - other.x, hub.y - other.y), 1);

    return (struct lab_place){ hub.x + (hub.x - other.x) / length * (RADIUS + STUB),
                               hub.y + (hub.y - other.y) / length * (RADIUS + STUB) };
}

/** One stroke, or the two stubs of a cable that goes round. @return how many */
static unsigned strokes_of(const struct lab_topology *topo, const struct lab_layout *layout,
                           unsigned link, struct stroke strokes[2])
{
    struct lab_place a = layout->hubs[topo->links[link].from];
    struct lab_place b = layout->hubs[topo->links[link].to];
    unsigned n = layout->wraps[link / 2] ? 2 : 1;

    strokes[0] = (struct stroke){ a, n == 2 ? stub_end(a, b) : b };
    strokes[1] = (struct stroke){ stub_end(b, a), b };
    for (unsigned i = 0; i < n; i++) {
        struct stroke *s = &strokes[i];
        double length = fmax(hypot(s->b.x - s->a.x, s->b.y - s->a.y), 1);
        double dx = -(s->b.y - s->a.y) / length * APART, dy = (s->b.x - s->a.x) / length * APART;

        s->a = (struct lab_place){ s->a.x + dx, s->a.y + dy };
        s->b = (struct lab_place){ s->b.x + dx, s->b.y + dy };
    }
    return n;
}

static void print_arrow(FILE *out, const struct stroke *s, double at, double share, bool loaded)
{
    double length = fmax(hypot(s->b.x - s->a.x, s->b.y - s->a.y), 1);
    double dx = (s->b.x - s->a.x) / length, dy = (s->b.y - s->a.y) / length;
    double x = s->a.x + at * (s->b.x - s->a.x), y = s->a.y + at * (s->b.y - s->a.y);

    (void)fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\"", x + 5 * dx, y + 5 * dy,
                  x - 4 * dx - 4 * dy, y - 4 * dy + 4 * dx, x - 4 * dx + 4 * dy,
                  y - 4 * dy - 4 * dx);
    print_colour(out, "fill", share, loaded);
    (void)fprintf(out, "/>\n");
}

static void print_stroke(const struct stroke *s, double share, bool loaded, FILE *out)
{
    (void)fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\"", s->a.x, s->a.y, s->b.x, s->b.y);
    print_colour(out, "stroke", share, loaded);
    if (!loaded)
        (void)fprintf(out, " stroke-width=\"1.2\" stroke-dasharray=\"4 3\"/>\n");
    else
        (void)fprintf(out, " stroke-width=\"%.1f\"/>\n", 1.6 + 2.0 * share);
}

/** Of the most loaded link; 0: nothing passes. */
static double share_of(const struct lab_topology *topo, const struct lab_topo_link *l,
                       uint64_t max_load)
{
    if (topo->traffic != NULL)
        return l->used.tlps != 0 ? l->used.busy / topo->traffic->max_busy : 0;
    return max_load != 0 ? (double)l->load / (double)max_load : 0;
}

static void print_link_title(const struct lab_topology *topo, const struct lab_topo_link *l,
                             FILE *out)
{
    (void)fprintf(out, "<g><title>%s.%s to %s.%s: ", topo->hubs[l->from], l->port_from,
                  topo->hubs[l->to], l->port_to);
    if (topo->traffic != NULL)
        (void)fprintf(out, "%.1f %% busy, %.1f %% stalled, %" PRIu64 " bytes in %" PRIu64 " TLPs",
                      100 * l->used.busy, 100 * l->used.stalled, l->used.payload_bytes,
                      l->used.tlps);
    else
        (void)fprintf(out, "%" PRIu64 " messages, %.1f ns", l->load, (double)l->latency_ps * 1e-3);
    (void)fprintf(out, ", %.2f GB/s</title>\n", l->bytes_per_s * 1e-9);
}

static void print_link(const struct lab_topology *topo, const struct lab_layout *layout,
                       unsigned link, uint64_t max, FILE *out)
{
    const struct lab_topo_link *l = &topo->links[link];
    double share = share_of(topo, l, max);
    struct stroke strokes[2];
    unsigned n = strokes_of(topo, layout, link, strokes);

    print_link_title(topo, l, out);
    for (unsigned i = 0; i < n; i++) {
        print_stroke(&strokes[i], share, share > 0, out);
        /* Off the middle, so that the arrows of both directions do not touch. */
        print_arrow(out, &strokes[i], n == 1 ? 0.60 : i == 0 ? 0.72 : 0.28, share, share > 0);
    }
    (void)fprintf(out, "</g>\n");
}

/** Where a stub leads. */
static void print_far_name(const struct lab_topology *topo, const struct lab_layout *layout,
                           unsigned link, FILE *out)
{
    struct lab_place a = layout->hubs[topo->links[link].from];
    struct lab_place end = stub_end(a, layout->hubs[topo->links[link].to]);
    double length = RADIUS + STUB;

    (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"far\">%u</text>\n",
                  end.x + (end.x - a.x) / length * 9, end.y + (end.y - a.y) / length * 9 + 3.5,
                  topo->node_of[topo->links[link].to]);
}

/** The letters of a port, beside the outgoing direction. */
static void print_port(const struct lab_topology *topo, const struct lab_layout *layout,
                       unsigned link, FILE *out)
{
    struct stroke s[2];
    double length, dx, dy;

    (void)strokes_of(topo, layout, link, s);
    length = fmax(hypot(s[0].b.x - s[0].a.x, s[0].b.y - s[0].a.y), 1);
    dx = (s[0].b.x - s[0].a.x) / length;
    dy = (s[0].b.y - s[0].a.y) / length;
    (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"port\">%s</text>\n",
                  s[0].a.x + dx * (RADIUS + 7) - dy * 7, s[0].a.y + dy * (RADIUS + 7) + dx * 7 + 3,
                  topo->links[link].port_from);
}

/* ---- all of it ------------------------------------------------------------------------- */

static void print_hub(const struct lab_topology *topo, const struct lab_layout *layout,
                      unsigned hub, FILE *out)
{
    struct lab_place at = layout->hubs[hub];

    (void)fprintf(out,
                  "<g><title>%s</title><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"hub\"/>"
                  "<text x=\"%.1f\" y=\"%.1f\" class=\"name\">%u</text></g>\n",
                  topo->hubs[hub], at.x, at.y, RADIUS, at.x, at.y + 4.5, topo->node_of[hub]);
}

static void print_scale(const struct lab_topology *topo, const struct lab_topo_summary *s, double y,
                        FILE *out)
{
    const double width = 160, x = 24;

    for (unsigned i = 0; i < 40; i++) {
        (void)fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"8\"",
                      x + i * width / 40, y, width / 40 + 0.5);
        print_colour(out, "fill", (i + 0.5) / 40, true);
        (void)fprintf(out, "/>\n");
    }
    (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"note\">0</text>\n", x, y + 21);
    (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"note\" text-anchor=\"end\">", x + width,
                  y + 21);
    if (topo->traffic != NULL)
        (void)fprintf(out, "%.1f %%</text>\n", 100 * topo->traffic->max_busy);
    else
        (void)fprintf(out, "%" PRIu64 "</text>\n", s->max_load);
    (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"note\">", x + width + 14, y + 8);
    if (topo->traffic != NULL)
        (void)fprintf(out, "of %.3f us in which packets were on a link</text>\n",
                      (double)topo->traffic->time_ps * 1e-6);
    else
        (void)fprintf(out, "messages on a link when each node sends one to each other</text>\n");
}

static void print_title(struct lab_topology *topo, const struct lab_topo_summary *s, bool deadlock,
                        FILE *out)
{
    struct lab_topo_cut cut = lab_topology_bisect(topo);

    (void)fprintf(out, "<text x=\"24\" y=\"30\" class=\"title\">%s</text>\n", topo->name);
    (void)fprintf(out,
                  "<text x=\"24\" y=\"48\" class=\"note\">%u nodes, %u cables, diameter %u, "
                  "bisection %u cables, ",
                  topo->nnodes, topo->nlinks / 2, s->diameter, cut.cables);
    if (deadlock)
        (void)fprintf(out, "deadlock possible, as along the blue links</text>\n");
    else
        (void)fprintf(out, "no deadlock</text>\n");
}

/** The links of a possible deadlock, below what is drawn of all links. */
static void print_circle(const struct lab_topology *topo, const struct lab_layout *layout,
                         const unsigned *cycle, unsigned length, FILE *out)
{
    for (unsigned i = 0; i < length; i++) {
        struct stroke s[2];
        unsigned n = strokes_of(topo, layout, cycle[i], s);

        for (unsigned k = 0; k < n; k++)
            (void)fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"circle\"/>\n", s[k].a.x,
                          s[k].a.y, s[k].b.x, s[k].b.y);
    }
}

void lab_topology_svg(struct lab_topology *topo, FILE *out)
{
    struct lab_topo_summary s = lab_topology_summarise(topo);
    unsigned *cycle = load_alloc(&topo->arena, 2 * (size_t)topo->nlinks * sizeof(*cycle));
    unsigned length = lab_topology_deadlock(topo, cycle);
    struct lab_layout layout;
    double width, height, dx;

    lab_layout_make(topo, &layout);
    width = fmax(layout.width, MIN_PX);
    height = layout.height + TOP + BOTTOM;
    dx = (width - layout.width) / 2;
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                  "width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\">\n"
                  "<style>.hub{fill:#fff;stroke:#333;stroke-width:1.6}"
                  ".name{font-size:13px;text-anchor:middle;fill:#111}"
                  ".port{font-size:9px;text-anchor:middle;fill:#666}"
                  ".far{font-size:10px;text-anchor:middle;fill:#444}"
                  ".circle{stroke:#4a90d9;stroke-opacity:.4;stroke-width:10;"
                  "stroke-linecap:round;fill:none}"
                  ".title{font-size:17px;font-weight:bold;fill:#111}"
                  ".note{font-size:11px;fill:#444}</style>\n"
                  "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n",
                  width, height, width, height, width, height);
    print_title(topo, &s, length != 0, out);
    (void)fprintf(out, "<g transform=\"translate(%.1f %.1f)\">\n", dx, TOP);
    print_circle(topo, &layout, cycle, length, out);
    for (unsigned i = 0; i < topo->nlinks; i++)
        print_link(topo, &layout, i, s.max_load, out);
    for (unsigned i = 0; i < topo->nlinks; i++) {
        print_port(topo, &layout, i, out);
        if (layout.wraps[i / 2])
            print_far_name(topo, &layout, i, out);
    }
    for (unsigned i = 0; i < topo->nhubs; i++)
        print_hub(topo, &layout, i, out);
    (void)fprintf(out, "</g>\n");
    print_scale(topo, &s, height - 38, out);
    (void)fprintf(out, "</svg>\n");
}
