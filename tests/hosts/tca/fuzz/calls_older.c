/* The older interface: puts at positions of a table. */
#include "calls.h"

#include <stdlib.h>

static bool on_board(const struct table *t)
{
    return t->number == 0;
}

static struct table *board_of(struct world *w, unsigned rank)
{
    return &w->tables[rank]; /* they were made first */
}

void call_empty_board(struct world *w, unsigned rank)
{
    struct call c = call_begin(w, rank, "tcaDMADescInt_Init", reference_call(w, rank), "%s", "");
    struct table *t = board_of(w, rank);

    if (!call_end(&c, tcaDMADescInt_Init()))
        return;
    for (unsigned i = 0; i < TABLE_ROOM; i++)
        t->set[i] = false;
}

static struct table *pick_table(struct world *w, unsigned rank, bool live)
{
    size_t from = dice_below(&w->dice, w->ntables);

    for (unsigned i = 0; i < w->ntables; i++) {
        struct table *t = &w->tables[(from + i) % w->ntables];

        if (t->rank == rank && t->live == live && !on_board(t))
            return t;
    }
    return NULL;
}

static bool number_is_live(const struct world *w, unsigned rank, int number)
{
    for (unsigned i = 0; i < w->ntables; i++)
        if (w->tables[i].rank == rank && w->tables[i].live && w->tables[i].number == number)
            return true;
    return false;
}

void call_create_table(struct world *w, unsigned rank)
{
    static const int bad[] = { 0, -1, 1025, -2147483647, 2147483647 };
    int capacity = dice_one_in(&w->dice, 6) ? bad[dice_below(&w->dice, 5)]
                                            : 1 + (int)dice_below(&w->dice, TABLE_ROOM);
    bool nowhere = dice_one_in(&w->dice, 20);
    struct verdict v = reference_call(w, rank);
    int number = -5;
    struct call c;

    if (w->ntables == TABLES_MAX)
        return;
    if (nowhere || capacity < 1 || capacity > TABLE_ROOM)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "tables have 1 to 1024 positions");
    c = call_begin(w, rank, "tcaCreateDMADesc", v, "%s, %d", nowhere ? "NULL" : "&t", capacity);
    if (!call_end(&c, tcaCreateDMADesc(nowhere ? NULL : &number, capacity))) {
        if (number != -5)
            call_changed(&c, "the number");
        return;
    }
    world_log(w, "     t is %d\n", number);
    if (number == 0 || number_is_live(w, rank, number))
        world_found(w, "number", "tcaCreateDMADesc gave table %d, which is another one", number);
    w->tables[w->ntables++] =
        (struct table){ .rank = rank, .number = number, .capacity = capacity, .live = true };
}

/** The number of a table of the host, mostly one that there is; else *t_p is NULL. */
static int draw_number(struct world *w, unsigned rank, struct table **t_p)
{
    static const int bad[] = { 0, -1, 99, -2147483647, 2147483647 };
    struct table *t = pick_table(w, rank, !dice_one_in(&w->dice, 12));
    int number = t != NULL && !dice_one_in(&w->dice, 12) ? t->number : bad[dice_below(&w->dice, 5)];

    *t_p = NULL;
    for (unsigned i = 0; i < w->ntables; i++)
        if (w->tables[i].rank == rank && w->tables[i].live && w->tables[i].number == number &&
            number != 0)
            *t_p = &w->tables[i];
    return number;
}

static void need_table(struct verdict *v, const struct table *t)
{
    if (t == NULL)
        verdict_refuse(v, TCA_ERROR_INVALID_VALUE, "no such table");
}

void call_destroy_table(struct world *w, unsigned rank)
{
    struct verdict v = reference_call(w, rank);
    struct table *t;
    int number = draw_number(w, rank, &t);
    struct call c;

    if (t == NULL && !dice_one_in(&w->dice, 4))
        return;
    need_table(&v, t);
    c = call_begin(w, rank, "tcaDestroyDMADesc", v, "%d", number);
    if (call_end(&c, tcaDestroyDMADesc(number)) && t != NULL)
        t->live = false;
}

/** Mostly the first that is free. */
static int draw_position(struct world *w, const struct table *t)
{
    int pos = 0, capacity = t != NULL ? t->capacity : TABLE_ROOM;

    if (dice_one_in(&w->dice, 12))
        return dice_one_in(&w->dice, 2) ? -1 : capacity;
    if (dice_one_in(&w->dice, 4))
        return (int)dice_below(&w->dice, (size_t)capacity);
    while (t != NULL && pos < capacity - 1 && t->set[pos])
        pos++;
    return pos;
}

/** Half of the calls are for the board's own table, and nearly all where there is no other. */
static bool on_the_board(struct world *w, unsigned rank)
{
    return dice_one_in(&w->dice, 2) ||
           (pick_table(w, rank, true) == NULL && !dice_one_in(&w->dice, 8));
}

/** Mostly where something was set. */
static int draw_first(struct world *w, const struct table *t)
{
    int pos = (int)dice_below(&w->dice, 4);

    if (dice_one_in(&w->dice, 12))
        return dice_one_in(&w->dice, 2) ? -1 : TABLE_ROOM;
    for (int i = 0; i < TABLE_ROOM && !dice_one_in(&w->dice, 1000); i++)
        if (t->set[(pos + i) % TABLE_ROOM])
            return (pos + i) % TABLE_ROOM;
    return pos;
}

static tcaresult set_position(bool board, int number, int pos, int *next_p, const struct ask_put *a)
{
    tcaHandle dst, src, *to = a->dst != NULL ? &dst : NULL, *from = a->src != NULL ? &src : NULL;

    if (to != NULL)
        dst = a->dst->bytes;
    if (from != NULL)
        src = a->src->bytes;
    if (!board)
        return tcaSetDMADesc_Memcpy2D(number, pos, next_p, to, a->dst_off, a->dst_pitch, from,
                                      a->src_off, a->src_pitch, a->width, a->count, a->flags,
                                      a->slot, a->tag);
    if (a->rows)
        return tcaSetDMADescInt_Memcpy2D(pos, next_p, to, a->dst_off, a->dst_pitch, from,
                                         a->src_off, a->src_pitch, a->width, a->count, a->flags,
                                         a->slot, a->tag);
    return tcaSetDMADescInt_Memcpy(pos, next_p, to, a->dst_off, from, a->src_off, a->width,
                                   a->flags, a->slot, a->tag);
}

static const char *position_call(bool board, bool rows)
{
    if (!board)
        return "tcaSetDMADesc_Memcpy2D";
    return rows ? "tcaSetDMADescInt_Memcpy2D" : "tcaSetDMADescInt_Memcpy";
}

void call_position(struct world *w, unsigned rank)
{
    bool board = on_the_board(w, rank), nowhere = dice_one_in(&w->dice, 30);
    struct table *t = board_of(w, rank);
    int number = board ? 0 : draw_number(w, rank, &t), pos = draw_position(w, t), next = pos;
    struct verdict v = reference_call(w, rank);
    char text[250], table[16] = "";
    struct ask_put a;
    struct call c;

    if (!draw_put(w, rank, !board, &a))
        return;
    a.flags = (a.flags & ~tcaDMAContinue) | (dice_one_in(&w->dice, 3) ? tcaDMAContinue : 0);
    need_table(&v, t);
    reference_put(&v, w, rank, &a);
    if (t != NULL && (pos < 0 || pos >= t->capacity))
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "no such position");
    if (nowhere)
        verdict_open(&v, OPEN_NEXT, TCA_ERROR_INVALID_VALUE, TCA_ERROR_INVALID_VALUE);
    if (!board)
        (void)snprintf(table, sizeof(table), "%d, ", number);
    c = call_begin(w, rank, position_call(board, a.rows), v, "%s%d, %s, %s", table, pos,
                   nowhere ? "NULL" : "&next", show_put(w, &a, text, sizeof(text)));
    if (!call_end(&c, set_position(board, number, pos, nowhere ? NULL : &next, &a))) {
        if (next != pos)
            call_changed(&c, "the next position");
        return;
    }
    if (!nowhere && next != pos + 1)
        world_found(w, "next", "%s gave %d as next position, expected %d", c.name, next, pos + 1);
    if (t == NULL) /* which call_end() has reported */
        return;
    t->set[pos] = true;
    t->put[pos] = put_of(&a);
    /* The table decides where descriptors lie. */
    t->put[pos].flags = board ? a.flags | tcaDMAUseInternal : a.flags & ~tcaDMAUseInternal;
}

/** The puts from this position to the first one without tcaDMAContinue. @return there are all */
static bool follow(const struct table *t, int pos, struct puts *chain)
{
    for (;; pos++) {
        if (pos < 0 || pos >= t->capacity || !t->set[pos])
            return false;
        puts_add(chain, &t->put[pos]);
        if ((t->put[pos].flags & tcaDMAContinue) == 0)
            return true;
    }
}

void call_chain(struct world *w, unsigned rank)
{
    bool board = on_the_board(w, rank);
    struct table *t = board_of(w, rank);
    int number = board ? 0 : draw_number(w, rank, &t), ch = pick_channel(w), pos = 0;
    struct verdict v = reference_call(w, rank);
    struct puts chain = { 0 };
    struct call c;

    if (board)
        pos = draw_first(w, t);
    need_table(&v, t);
    reference_channel(&v, ch);
    if (t != NULL && !follow(t, pos, &chain))
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "the chain leads to where nothing was set");
    else if (t != NULL)
        reference_set(&v, w, rank, &chain, ch);
    c = call_begin(w, rank, board ? "tcaSetDMAChainInt" : "tcaSetDMAChain", v, "%d, %d", ch,
                   board ? pos : number);
    if (call_end(&c, board ? tcaSetDMAChainInt(ch, pos) : tcaSetDMAChain(ch, number)))
        install(w, rank, ch, &chain);
    free(chain.put);
}
