/*
 * The picture of a message: a row for each stage at each place in the order in
 * which they come first, time to the right, a bar for each interval; above them
 * the phases, below the sums by kind of stage.
 */
#include "tools/lab/explain/explain.h"

#include <inttypes.h>
#include <string.h>

enum {
    WIDTH = 1060,
    LEFT = 330,  /* of the bars */
    RIGHT = 940, /* their end; times stand behind */
    PHASES = 40, /* y of the band of phases */
    TOP = 84,    /* y of the first row */
    ROW = 15,
    KINDS = 8, /* shown by name below, at most */
    FOOT = 76
};

static const struct {
    const char *kind, *color;
} colors[] = {
    { "software", "#8c8c8c" },      { "CPU", "#4e79a7" },          { "root complex", "#76b7b2" },
    { "serialisation", "#f28e2b" }, { "hard IP", "#9c755f" },      { "cable", "#bab0ac" },
    { "hub core", "#59a14f" },      { "DMA engine", "#8cd17d" },   { "notification", "#b6992d" },
    { "memory", "#a0cbe8" },        { "GPU", "#86bcb6" },          { "poll", "#d4a6c8" },
    { "credit wait", "#e15759" },   { "arbiter wait", "#b07aa1" }, { "internal bus", "#d37295" },
    { "link busy", "#ff9da7" },     { "read limit", "#f1ce63" },   { "replay", "#7b3fa0" },
};

/** Phases alternate on long ways: each has its own shade. */
static const struct {
    const char *phase, *color;
} shades[] = { { "send", "#d9e4ee" },         { "descriptor", "#e8e0cf" },
               { "data read", "#d6ead2" },    { "data write", "#f6dcc4" },
               { "notification", "#ece4b8" }, { "poll", "#e9d5e3" } };

static const char *shade_of(const char *phase)
{
    for (size_t i = 0; i < sizeof(shades) / sizeof(shades[0]); i++)
        if (strcmp(shades[i].phase, phase) == 0)
            return shades[i].color;
    return "#dddddd";
}

static const char *color_of(const char *kind)
{
    for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++)
        if (strcmp(colors[i].kind, kind) == 0)
            return colors[i].color;
    return "#333333";
}

/** Hundredths of a pixel, so that no rounding of the machine shows. */
static uint64_t x_of(const struct lab_explanation *e, uint64_t ps)
{
    return LEFT * 100u + (RIGHT - LEFT) * 100u * ps / e->ps;
}

static void put_x(FILE *out, const char *name, uint64_t x)
{
    (void)fprintf(out, " %s=\"%" PRIu64 ".%02u\"", name, x / 100, (unsigned)(x % 100));
}

static void text(FILE *out, uint64_t x, unsigned y, const char *attributes, const char *words)
{
    (void)fputs("<text", out);
    put_x(out, "x", x);
    (void)fprintf(out, " y=\"%u\"%s>%s</text>\n", y, attributes, words);
}

/** [from, to) of the message; wide enough to be seen. */
static void bar(FILE *out, const struct lab_explanation *e, uint64_t from, uint64_t to, unsigned y,
                unsigned height, const char *color)
{
    uint64_t x = x_of(e, from), wide = x_of(e, to) - x;

    (void)fputs("<rect", out);
    put_x(out, "x", x);
    put_x(out, "width", wide < 75 ? 75 : wide);
    (void)fprintf(out, " y=\"%u\" height=\"%u\" fill=\"%s\"/>\n", y, height, color);
}

/* ---- parts of the picture ---------------------------------------------------------- */

/** 1, 2 or 5 times a power of ten: six to fifteen steps. */
static uint64_t step_of(uint64_t ps)
{
    uint64_t step = 1;

    for (unsigned i = 0; ps / step > 12; i++)
        step = step / (i % 3 == 1 ? 2 : 1) * (i % 3 == 1 ? 5 : 2);
    return step;
}

static void draw_axis(FILE *out, const struct lab_explanation *e, unsigned bottom)
{
    uint64_t step = step_of(e->ps);
    char words[48];

    for (uint64_t at = 0; at <= e->ps; at += step) {
        uint64_t x = x_of(e, at);

        (void)fputs("<line", out);
        put_x(out, "x1", x);
        put_x(out, "x2", x);
        (void)fprintf(out, " y1=\"%d\" y2=\"%u\" stroke=\"#dddddd\"/>\n", TOP - 4, bottom);
        (void)snprintf(words, sizeof(words), step < 1000 ? "%" PRIu64 ".%03" PRIu64 : "%" PRIu64,
                       at / 1000, at % 1000);
        text(out, x, TOP - 8, " text-anchor=\"middle\" fill=\"#666666\"", words);
    }
    text(out, LEFT * 100 - 1600, TOP - 8, " text-anchor=\"end\" fill=\"#666666\"", "ns");
}

/** A phase lasts until another begins; one that has room is named. */
static void draw_phases(FILE *out, const struct lab_explanation *e)
{
    for (unsigned i = 0, end; i < e->n; i = end) {
        const char *phase = e->parts[i].phase;
        uint64_t from, to;

        for (end = i + 1; end < e->n && strcmp(e->parts[end].phase, phase) == 0;)
            end++;
        from = x_of(e, e->parts[i].from_ps);
        to = x_of(e, e->parts[end - 1].to_ps);
        bar(out, e, e->parts[i].from_ps, e->parts[end - 1].to_ps, PHASES, 20, shade_of(phase));
        if (to - from > strlen(phase) * 620)
            text(out, (from + to) / 2, PHASES + 14, " text-anchor=\"middle\"", phase);
    }
}

static void draw_row(FILE *out, const struct lab_explanation *e, const struct lab_fold *fold,
                     unsigned y)
{
    const struct lab_part *first = fold->first;
    char words[160];

    text(out, 800, y + 11, "", first->stage);
    text(out, LEFT * 100 - 1600, y + 11, " text-anchor=\"end\" fill=\"#777777\"", first->where);
    for (unsigned i = 0; i < e->n; i++) {
        const struct lab_part *p = &e->parts[i];

        if (strcmp(p->stage, first->stage) == 0 && strcmp(p->where, first->where) == 0 &&
            strcmp(p->phase, first->phase) == 0)
            bar(out, e, p->from_ps, p->to_ps, y + 2, ROW - 4, color_of(p->kind));
    }
    (void)snprintf(words, sizeof(words), "%" PRIu64 ".%03u", fold->ps / 1000,
                   (unsigned)(fold->ps % 1000));
    text(out, (WIDTH - 8) * 100, y + 11, " text-anchor=\"end\"", words);
}

/** The whole time in one bar, sorted by kind, the largest ones named. */
static void draw_sums(FILE *out, const struct lab_explanation *e, unsigned y)
{
    struct lab_table sums;
    uint64_t at = 0;

    lab_explain_sums(e, LAB_SUM_KIND, &sums);
    text(out, 800, y + 15, "", "all, by kind of stage");
    for (unsigned i = 0; i < sums.nrows; i++) {
        const char *kind = lab_table_get(&sums, i, 0);
        char words[128];
        uint64_t ps = 0;

        for (unsigned k = 0; k < e->n; k++)
            if (strcmp(e->parts[k].kind, kind) == 0)
                ps += e->parts[k].to_ps - e->parts[k].from_ps;
        bar(out, e, at, at + ps, y, 22, color_of(kind));
        at += ps;
        if (i >= KINDS)
            continue;
        (void)fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"%s\"/>\n",
                      LEFT + i % 4 * 172, y + 30 + i / 4 * 17, color_of(kind));
        (void)snprintf(words, sizeof(words), "%s %s %%", kind, lab_table_get(&sums, i, 2));
        text(out, (LEFT + i % 4 * 172 + 15) * 100u, y + 39 + i / 4 * 17, "", words);
    }
    lab_table_fini(&sums);
}

void lab_explain_svg(const struct lab_explanation *e, FILE *out)
{
    struct load_arena arena = { 0 };
    struct lab_fold *folds;
    unsigned n = lab_explain_fold(e, &arena, &folds);
    unsigned bottom = TOP + n * ROW;
    char title[512];

    lab_explain_title(e, title, sizeof(title));
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
                  "font-family=\"sans-serif\" font-size=\"11\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                  WIDTH, bottom + FOOT + 8);
    text(out, 800, 22, " font-size=\"14\"", title);
    for (unsigned i = 0; i < n; i += 2)
        (void)fprintf(out, "<rect x=\"0\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"#f7f7f7\"/>\n",
                      TOP + i * ROW, WIDTH, ROW);
    draw_axis(out, e, bottom);
    draw_phases(out, e);
    for (unsigned i = 0; i < n; i++)
        draw_row(out, e, &folds[i], TOP + i * ROW);
    draw_sums(out, e, bottom + 10);
    (void)fputs("</svg>\n", out);
    load_arena_fini(&arena);
}
