/* Random programs: what they are, and how they are drawn. */
#ifndef DRAWN_H
#define DRAWN_H

#include "conformance/check.h"
#include "conformance/counts.h"

#define OPS_MAX    12
#define SOURCE     (96u << 10) /* bytes of each rank that stay as they are; they begin its segment */
#define AREA       (160u << 10) /* where a program's operations write; two, used in turn */
#define SLACK      1024         /* behind an area: gaps before pieces without bytes */
#define BACKGROUND 0xee
#define LEVELS_MAX 3

enum kind { SHORT, MEDIUM, LONG, ASYNC, PUT, GET, STRIDED, KINDS };
enum form { BLOCKING, BULK, NB, NB_BULK, NBI, NBI_BULK, FORMS };

/** Bytes of one rank's source, and where they go in the area of another one. */
struct piece {
    uint32_t from, at, bytes;
};

struct op {
    enum kind kind;
    unsigned actor, target; /* a get reads the source of `target` */
    struct piece data;
    enum form form;
    bool in_segment, polls; /* the local side is in the own segment; a poll follows */
    int nargs;
    int replies; /* -1: not at all; else SHORT, MEDIUM or LONG */
    struct piece back;
    size_t levels, count[LEVELS_MAX + 1], to_strides[LEVELS_MAX], from_strides[LEVELS_MAX];
};

struct program {
    unsigned number, nops;
    struct op ops[OPS_MAX];
    uint32_t used[64];          /* bytes of each rank's area */
    unsigned requests, replies; /* that come to this rank */
};

static unsigned seed = 1;

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state * 2685821657736338717u >> 33) % below);
}

static size_t most_medium;

/* Around limits of networks, mostly short, seldom in many pieces. */
static uint32_t draw_bytes(void)
{
    static const uint32_t limits[] = { 8, 64, 128, 256, 512, 1024, 1408, 4000, 4096, 8192, 16384 };

    switch (draw(16)) {
    case 0:
        return limits[draw(11)] + draw(9) - 4;
    case 1:
        return draw(6000);
    case 2:
        return draw(8) == 0 ? draw(30000) : draw(200);
    case 3:
        return 0;
    default:
        return 1 + draw(100);
    }
}

static struct piece draw_piece(struct program *p, unsigned to, uint32_t bytes)
{
    struct piece piece = { .from = draw(SOURCE - bytes), .bytes = bytes };

    if (draw(3) == 0)
        piece.from -= piece.from % 16;
    if (p->used[to] + bytes + 32 > AREA)
        piece.bytes = bytes = 0;
    piece.at = p->used[to] + draw(17);
    if (draw(3) == 0)
        piece.at = (p->used[to] + 15) / 16 * 16;
    p->used[to] = piece.at + bytes;
    return piece;
}

static void draw_message(struct program *p, struct op *op)
{
    uint32_t bytes = op->kind == SHORT ? 0 : draw_bytes();

    if (op->kind == MEDIUM && bytes > most_medium)
        bytes = draw(8) == 0 ? (uint32_t)most_medium : bytes % (uint32_t)most_medium;
    if (op->kind == LONG || op->kind == ASYNC)
        op->data = draw_piece(p, op->target, bytes);
    else
        op->data = (struct piece){ .from = draw(SOURCE - bytes), .bytes = bytes };
    op->nargs = 1 + (int)draw(draw(3) == 0 ? ARGS_MAX : 4);
    op->replies = op->kind == ASYNC ? (int)draw(3) : (int)draw(4) - 1;
    if (op->replies == MEDIUM)
        op->back.bytes = draw_bytes() % (uint32_t)(most_medium + 1);
    if (op->replies == MEDIUM)
        op->back.from = draw(SOURCE - op->back.bytes);
    if (op->replies == LONG)
        op->back = draw_piece(p, op->actor, draw_bytes());
}

/* @return bytes from the first one to the last one */
static uint32_t draw_strides(const struct op *op, size_t *strides)
{
    size_t span = op->count[0], least = op->count[0];

    for (size_t i = 0; i < op->levels; i++) {
        strides[i] = least + (draw(2) ? draw(20) : (16 - least % 16) % 16);
        span += (op->count[i + 1] - 1) * strides[i];
        least = op->count[i + 1] * strides[i];
    }
    return (uint32_t)span;
}

static void draw_strided(struct program *p, struct op *op)
{
    uint32_t from, to;

    op->levels = draw(LEVELS_MAX + 1);
    op->count[0] = draw(4) == 0 ? 8 : 1 + draw(draw(4) == 0 ? 300 : 24);
    for (size_t i = 1; i <= op->levels; i++)
        op->count[i] = 1 + draw(5);
    from = draw_strides(op, op->from_strides);
    to = draw_strides(op, op->to_strides);
    op->data = draw_piece(p, op->target, to);
    if (op->data.bytes == 0)
        op->count[0] = 0;
    op->data.from = draw(SOURCE - from);
}

static void make(struct program *p, unsigned number)
{
    memset(p, 0, sizeof(*p));
    p->number = number;
    state = ((uint64_t)seed << 32 | number) * 0x9e3779b97f4a7c15u + 0x1234567;
    for (int i = 0; i < 4; i++)
        draw(2);
    p->nops = 1 + draw(OPS_MAX);
    for (unsigned i = 0; i < p->nops; i++) {
        struct op *op = &p->ops[i];

        op->kind = draw(KINDS);
        op->actor = draw(nodes);
        op->target = draw(nodes);
        op->form = draw(FORMS);
        op->in_segment = draw(4) == 0;
        op->polls = draw(4) == 0;
        op->replies = -1;
        if (op->kind < PUT)
            draw_message(p, op);
        else if (op->kind == STRIDED)
            draw_strided(p, op);
        else
            op->data = draw_piece(p, op->kind == PUT ? op->target : op->actor, draw_bytes());
        p->requests += op->kind < PUT && op->target == me;
        p->replies += op->replies >= 0 && op->actor == me;
    }
}

#endif /* DRAWN_H */
