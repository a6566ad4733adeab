#include "call.h"

#include "hosts/host/host.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 20u /* lines on refusals that each rank leaves; docs/tca.md */

/* ---- judging ------------------------------------------------------------------ */

struct call call_begin(struct world *w, unsigned rank, const char *name, struct verdict v,
                       const char *format, ...)
{
    char args[300];
    struct host *h = host_self();
    va_list list;

    va_start(list, format);
    (void)vsnprintf(args, sizeof(args), format, list);
    va_end(list);
    world_log(w, "%3u  rank %u: %s(%s)", w->step, rank, name, args);
    w->out->calls++;
    w->lines_now = 0;
    if (w->lie == LIE_CRASH && w->out->calls == 20)
        abort();
    return (struct call){ w, rank, name, v, h->cpu->time_ps(h) };
}

static tcaresult lie_about(struct world *w, tcaresult got)
{
    if (w->lied)
        return got;
    w->lied = true;
    if (w->lie == LIE_ACCEPTS && got != TCA_SUCCESS)
        return TCA_SUCCESS;
    if (w->lie == LIE_REFUSES && got == TCA_SUCCESS && w->out->calls >= 20)
        return TCA_ERROR_INVALID_VALUE;
    if (w->lie == LIE_LINE && w->lines_now == 1) {
        w->lines_now = 0;
        return got;
    }
    w->lied = false;
    return got;
}

/** Rank, node, time and call stand in front of the reason. */
static bool line_is_good(const struct call *c)
{
    const char *line = c->w->line;
    struct host *h = host_self();
    unsigned rank = RANKS_MAX, node = RANKS_MAX;
    double us = -1, from = (double)c->begin_ps * 1e-6, to = (double)h->cpu->time_ps(h) * 1e-6;
    int begin = 0, end = 0;
    size_t n = strlen(c->name);

    if (sscanf(line, "rank %u on node %u at %lf us: %n%*[a-zA-Z0-9_]%n", &rank, &node, &us, &begin,
               &end) != 3)
        return false;
    return rank == c->rank && node == h->node->index && us > from - 1e-5 && us < to + 1e-5 &&
           (size_t)(end - begin) == n && strncmp(line + begin, c->name, n) == 0 &&
           strncmp(line + end, ": ", 2) == 0 && line[end + 2] != '\0';
}

static void judge_lines(const struct call *c, tcaresult got)
{
    struct world *w = c->w;
    unsigned before = w->lines_of[c->rank], expected = got != TCA_SUCCESS && before <= LINES_MAX;
    bool good = w->lines_now == expected;

    w->lines_of[c->rank] += w->lines_now;
    if (got == TCA_ERROR_DMA && w->lines_now == 0) /* it does not say which argument it was */
        return;
    if (good && expected == 1)
        good = before < LINES_MAX ? line_is_good(c) : strstr(w->line, "not shown") != NULL;
    if (good)
        return;
    world_found(w, c->name, "%s returned %d and left %u lines%s%s, expected %u%s", c->name, got,
                w->lines_now, w->lines_now != 0 ? ", the last one: " : "",
                w->lines_now != 0 ? w->line : "", expected,
                expected == 1 ? " with rank, node, time and call" : "");
}

static void judge_code(const struct call *c, tcaresult got)
{
    const struct verdict *v = &c->v;
    const char *text = tcaGetErrorString(got);
    char kind[100], codes[40] = "";

    for (int code = 1; code < 32; code++)
        if ((v->codes >> code & 1) != 0)
            (void)snprintf(codes + strlen(codes), sizeof(codes) - strlen(codes), " %d", code);
    (void)snprintf(kind, sizeof(kind), "%s %d", c->name, got);
    if (!verdict_allows(v, got))
        world_found(c->w, kind, "%s returned %d (%s), expected%s%s%s%s", c->name, got,
                    text != NULL ? text : "NULL", v->refused ? "" : " 0", codes,
                    v->why != NULL ? ": " : "", v->why != NULL ? v->why : "");
    else if (text == NULL || text[0] == '\0' || strcmp(text, tcaGetErrorString(1000)) == 0)
        world_found(c->w, kind, "%s returned %d, which has no text", c->name, got);
}

bool call_end(struct call *c, tcaresult got)
{
    struct world *w = c->w;

    got = lie_about(w, got);
    world_log(w, " = %d\n", got);
    judge_code(c, got);
    judge_lines(c, got);
    w->out->results = (w->out->results ^ (uint64_t)(unsigned)got) * UINT64_C(0x100000001b3);
    w->out->refused += got != TCA_SUCCESS;
    for (unsigned row = 0; row < OPEN_ROWS; row++)
        w->out->open[row] += !c->v.refused && (c->v.open >> row & 1) != 0;
    return got == TCA_SUCCESS && w->out->found[0] == '\0';
}

void call_changed(const struct call *c, const char *what)
{
    char kind[100];

    (void)snprintf(kind, sizeof(kind), "%s changed", c->name);
    world_found(c->w, kind, "%s was refused and has changed %s", c->name, what);
}

/* ---- names -------------------------------------------------------------------- */

static char *name_room(void)
{
    static char rooms[4][40];
    static unsigned next;

    return rooms[next++ % 4];
}

uint8_t *plain_memory(void)
{
    static uint8_t bytes[64];

    return bytes;
}

const char *name_pointer(const struct world *w, const uint8_t *p)
{
    char *name = name_room();

    if (p == NULL)
        return "NULL";
    if (p == plain_memory())
        return "a_variable";
    for (unsigned i = w->nmems; i-- > 0;) {
        size_t off = (size_t)(p - w->mems[i].p);

        if (p < w->mems[i].p || off > w->mems[i].n)
            continue;
        (void)snprintf(name, 40, off != 0 ? "m%u + %zu" : "m%u", i, off);
        return name;
    }
    return "?";
}

const char *name_handle(const struct world *w, const struct handle *h)
{
    char *name = name_room();

    if (h == NULL)
        return "NULL";
    (void)snprintf(name, 40, "&h%u", (unsigned)(h - w->handles));
    return name;
}

const char *name_list(const struct world *w, const struct list *l)
{
    char *name = name_room();

    if (l == NULL)
        return "NULL";
    (void)snprintf(name, 40, "d%u", (unsigned)(l - w->lists));
    return name;
}

/* ---- things to call with ------------------------------------------------------- */

struct mem *pick_mem(struct world *w, unsigned rank, bool live)
{
    size_t from = dice_below(&w->dice, w->nmems);

    for (unsigned i = 0; i < w->nmems; i++) {
        struct mem *m = &w->mems[(from + i) % w->nmems];

        if (m->rank == rank && m->live == live && !m->reused)
            return m;
    }
    return NULL;
}

struct handle *pick_handle(struct world *w, const struct handle_wish *wish)
{
    size_t from = dice_below(&w->dice, w->nhandles);

    for (unsigned i = 0; i < w->nhandles; i++) {
        struct handle *h = &w->handles[(from + i) % w->nhandles];

        if (h->state == wish->state && (wish->rank == RANKS_MAX || wish->rank == h->rank) &&
            h->n >= wish->least && (!wish->live || w->mems[h->mem].live))
            return h;
    }
    return NULL;
}

struct handle *add_handle(struct world *w, const struct handle *h)
{
    if (w->nhandles == HANDLES_MAX)
        return NULL;
    w->handles[w->nhandles] = *h;
    return &w->handles[w->nhandles++];
}

/** Bytes that are no handle. */
static struct handle *make_junk(struct world *w)
{
    static const uint8_t bytes[] = { 0x00, 0x5a, 0xa5, 0xff };
    struct handle junk = { .state = HANDLE_JUNK, .rank = RANKS_MAX };
    uint8_t byte = bytes[dice_below(&w->dice, sizeof(bytes))];

    memset(&junk.bytes, byte, sizeof(junk.bytes));
    if (w->nhandles < HANDLES_MAX)
        world_log(w, "     all bytes of h%u are 0x%02x\n", w->nhandles, byte);
    return add_handle(w, &junk);
}

static struct handle *bend(struct world *w)
{
    const struct handle_wish good = { RANKS_MAX, HANDLE_GOOD, false, 0 };
    const struct handle *from = pick_handle(w, &good);
    uint8_t change = (uint8_t)(1 + dice_below(&w->dice, 255));
    size_t at = dice_below(&w->dice, sizeof(from->bytes));
    struct handle bent;

    if (from == NULL || w->nhandles == HANDLES_MAX)
        return NULL;
    bent = *from;
    bent.state = HANDLE_BENT;
    ((uint8_t *)&bent.bytes)[at] ^= change;
    world_log(w, "     h%u is h%u with byte %zu XOR 0x%02x\n", w->nhandles,
              (unsigned)(from - w->handles), at, change);
    return add_handle(w, &bent);
}

struct handle *pick_bad_handle(struct world *w)
{
    struct handle_wish wish = { .rank = RANKS_MAX };

    switch (dice_below(&w->dice, 8)) {
    case 0:
    case 1:
        return make_junk(w);
    case 2:
        return bend(w);
    case 3:
        wish.state = HANDLE_COPY;
        break;
    case 4:
        wish.state = HANDLE_ODD;
        break;
    case 5:
    case 6:
        wish.state = HANDLE_DESTROYED;
        break;
    default:
        return NULL;
    }
    return pick_handle(w, &wish);
}

struct list *pick_list(struct world *w, unsigned rank, bool live)
{
    size_t from = dice_below(&w->dice, w->nlists);

    for (unsigned i = 0; i < w->nlists; i++) {
        struct list *l = &w->lists[(from + i) % w->nlists];

        if (l->rank == rank && l->live == live && !l->reused)
            return l;
    }
    return NULL;
}

int pick_channel(struct world *w)
{
    static const int none[] = { -1, 4, 5, 77, -2147483647, 2147483647 };

    if (dice_one_in(&w->dice, 20))
        return none[dice_below(&w->dice, sizeof(none) / sizeof(none[0]))];
    return (int)dice_below(&w->dice, dice_one_in(&w->dice, 2) ? 2 : CHANNELS);
}
