#include "calls.h"

#include <stdint.h>
#include <stdlib.h>

void call_desc_new(struct world *w, unsigned rank)
{
    struct verdict v = { 0 };
    struct call c;
    tcaDesc *d;

    if (w->nlists == LISTS_MAX)
        return;
    if (!w->begun[rank])
        verdict_open(&v, OPEN_LIST_FIRST, TCA_ERROR_NOT_INITIALIZED, TCA_ERROR_NOT_INITIALIZED);
    c = call_begin(w, rank, "tcaDescNew", v, "%s", "");
    d = tcaDescNew();
    if (d == NULL) {
        if (w->begun[rank])
            world_found(w, "tcaDescNew", "tcaDescNew returned NULL");
        return;
    }
    for (unsigned i = 0; i < w->nlists; i++) {
        if (w->lists[i].live && w->lists[i].d == d)
            world_found(w, "tcaDescNew", "tcaDescNew returned d%u, which was not freed", i);
        w->lists[i].reused = true; /* perhaps: that must not decide what is called next */
    }
    w->lists[w->nlists] = (struct list){ .d = d, .rank = rank, .live = true };
    (void)call_end(&c, TCA_SUCCESS);
    world_log(w, "     to d%u\n", w->nlists);
    w->nlists++;
}

/** Mostly one's own. */
static struct list *draw_list(struct world *w, unsigned rank)
{
    switch (dice_below(&w->dice, 30)) {
    case 0:
        return NULL;
    case 1:
        return pick_list(w, rank, false);
    case 2:
        return pick_list(w, (rank + 1) % w->ranks, true);
    default:
        return pick_list(w, rank, true);
    }
}

void call_desc_free(struct world *w, unsigned rank)
{
    struct list *l = draw_list(w, rank);
    struct verdict v = { 0 };
    struct call c;

    if (!w->begun[rank])
        verdict_open(&v, OPEN_LIST_FIRST, TCA_ERROR_NOT_INITIALIZED, TCA_ERROR_NOT_INITIALIZED);
    if (l == NULL)
        verdict_open(&v, OPEN_FREE_NULL, TCA_ERROR_INVALID_VALUE, TCA_ERROR_INVALID_VALUE);
    else
        reference_list(&v, rank, l);
    c = call_begin(w, rank, "tcaDescFree", v, "%s", name_list(w, l));
    if (call_end(&c, tcaDescFree(l != NULL ? l->d : NULL)) && l != NULL)
        l->live = false;
}

/* ---- puts --------------------------------------------------------------------- */

static size_t draw_words(struct world *w, size_t most)
{
    size_t cap = dice_one_in(&w->dice, 2) ? 16 : dice_one_in(&w->dice, 2) ? 256 : most;

    return most == 0 ? 0 : 1 + dice_below(&w->dice, cap < most ? cap : most);
}

static int draw_flags(struct world *w)
{
    struct dice *d = &w->dice;
    int flags = (int)dice_below(d, 4); /* the two of placement */

    flags |= dice_one_in(d, 2) ? tcaDMANotify : 0;
    flags |= dice_one_in(d, 3) ? tcaDMANotifySelf : 0;
    flags |= dice_one_in(d, 4) ? tcaDMAPipeline : 0;
    return flags | (dice_one_in(d, 12) ? tcaDMAContinue : 0);
}

static int draw_tag(struct world *w)
{
    static const int rare[] = { 0, -1, 0x10001, 0x1000001, 2147483647 };

    if (dice_one_in(&w->dice, 12))
        return rare[dice_below(&w->dice, sizeof(rare) / sizeof(rare[0]))];
    return 1 + (int)dice_below(&w->dice, 3);
}

static int draw_slot(struct world *w)
{
    static const int rare[] = { 24, 25, 255, 256, 257, 65535 };

    if (dice_one_in(&w->dice, 10))
        return rare[dice_below(&w->dice, sizeof(rare) / sizeof(rare[0]))];
    return (int)dice_below(&w->dice, 3);
}

static size_t end_of(size_t pitch, const struct ask_put *a)
{
    return (a->count - 1) * (a->count > 1 ? pitch : 0) + a->width;
}

static void draw_shape(struct world *w, bool rows, struct ask_put *a)
{
    size_t most = a->dst->n < a->src->n ? a->dst->n : a->src->n;

    a->count = 1;
    a->rows = rows || dice_one_in(&w->dice, 3);
    a->width = 4 * draw_words(w, most / 4);
    if (!a->rows)
        return;
    a->dst_pitch = dice_below(&w->dice, 100); /* one row has none */
    a->src_pitch = dice_below(&w->dice, 100);
    if (dice_one_in(&w->dice, 8))
        return;
    a->width = 4 * draw_words(w, most / 16);
    a->count = 1 + dice_below(&w->dice, 9);
    a->dst_pitch = a->width + dice_below(&w->dice, 64);
    a->src_pitch = a->width + (a->dst_pitch - a->width) % 16 + 16 * dice_below(&w->dice, 4);
    while (a->count > 1 &&
           (end_of(a->dst_pitch, a) > a->dst->n || end_of(a->src_pitch, a) > a->src->n))
        a->count--;
}

/** Both begin equally far behind a multiple of 16. @return there is such a place */
static bool draw_offsets(struct world *w, struct ask_put *a)
{
    size_t dst_room = a->dst->n - end_of(a->dst_pitch, a);
    size_t src_room = a->src->n - end_of(a->src_pitch, a), low;

    for (unsigned tries = 0; tries < 8; tries++) {
        a->dst_off = (off_t)dice_below(&w->dice, dst_room + 1);
        if (!dice_one_in(&w->dice, 4))
            a->dst_off &= ~(off_t)3;
        if (dice_one_in(&w->dice, 4))
            a->dst_off = (off_t)dst_room; /* up to the end */
        low = (a->dst->off + (size_t)a->dst_off - a->src->off) % 16;
        if (low <= src_room) {
            a->src_off = (off_t)(low + 16 * dice_below(&w->dice, (src_room - low) / 16 + 1));
            return true;
        }
    }
    return false;
}

static void spoil_place(struct world *w, unsigned rank, struct ask_put *a)
{
    const struct handle_wish foreign = { (rank + 1) % w->ranks, HANDLE_GOOD, true, 0 };
    const struct handle_wish any = { RANKS_MAX, HANDLE_GOOD, false, 0 };
    off_t step = (off_t)(16 * (1 + dice_below(&w->dice, 8)));

    switch (dice_below(&w->dice, 10)) {
    case 0:
        a->dst_off = (off_t)(a->dst->n - end_of(a->dst_pitch, a)) + step / 4;
        return;
    case 1:
        a->src_off = (off_t)(a->src->n - end_of(a->src_pitch, a)) + step / 4;
        return;
    case 2:
        a->dst_off = -step;
        return;
    case 3:
        a->src_off = -step;
        return;
    case 4:
        a->dst_off += 1 + (off_t)dice_below(&w->dice, 15);
        return;
    case 5:
        a->dst_off = dice_one_in(&w->dice, 2) ? INT64_MAX - 15 : INT64_MIN + 16;
        return;
    case 6:
        a->dst = pick_bad_handle(w);
        return;
    case 7:
        a->src = pick_bad_handle(w);
        return;
    case 8:
        a->src = pick_handle(w, &foreign);
        return;
    default: /* perhaps of freed memory */
        a->dst = pick_handle(w, &any);
        return;
    }
}

static void spoil_shape(struct world *w, struct ask_put *a)
{
    static const size_t huge[] = { SIZE_MAX, SIZE_MAX - 3, (size_t)1 << 63, (size_t)1 << 32,
                                   (size_t)1 << 30 };
    size_t large = huge[dice_below(&w->dice, sizeof(huge) / sizeof(huge[0]))];

    switch (dice_below(&w->dice, a->rows ? 8 : 3)) {
    case 0:
        a->width += 1 + dice_below(&w->dice, 3);
        return;
    case 1:
        a->width = 0;
        return;
    case 2:
        a->width = large & ~(size_t)3;
        return;
    case 3:
        a->count = 0;
        return;
    case 4:
        a->count = large;
        return;
    case 5:
        a->dst_pitch = a->src_pitch = large & ~(size_t)15;
        return;
    case 6:
        a->src_pitch = a->dst_pitch + 1 + dice_below(&w->dice, 15);
        return;
    default:
        a->dst_pitch = a->src_pitch = a->width - 4 * dice_below(&w->dice, 2);
        return;
    }
}

static void spoil(struct world *w, unsigned rank, struct ask_put *a)
{
    switch (dice_below(&w->dice, 8)) {
    case 0:
        a->slot = dice_one_in(&w->dice, 2) ? -1 - (int)dice_below(&w->dice, 9)
                                           : 65536 + (int)dice_below(&w->dice, 9);
        return;
    case 1:
        a->flags |= (int)(0x40u << dice_below(&w->dice, 26));
        return;
    case 2:
    case 3:
    case 4:
        spoil_shape(w, a);
        return;
    default:
        spoil_place(w, rank, a);
        return;
    }
}

bool draw_put(struct world *w, unsigned rank, bool rows, struct ask_put *a)
{
    struct handle_wish own = { rank, HANDLE_GOOD, true, 4 };
    struct handle_wish to = { (rank + 1 + (unsigned)dice_below(&w->dice, w->ranks - 1)) % w->ranks,
                              HANDLE_GOOD, true, 4 };

    *a = (struct ask_put){ .flags = draw_flags(w), .slot = draw_slot(w), .tag = draw_tag(w) };
    a->src = pick_handle(w, &own);
    a->dst = dice_one_in(&w->dice, 4) ? NULL : pick_handle(w, &to);
    if (a->dst == NULL)
        a->dst = pick_handle(w, &own);
    if (a->src == NULL)
        return false;
    draw_shape(w, rows, a);
    if (!draw_offsets(w, a))
        return false;
    if (a->dst->rank == rank && !dice_one_in(&w->dice, 4))
        a->flags &= ~tcaDMANotifySelf; /* with the other one, one or two come */
    if (dice_one_in(&w->dice, 6))
        spoil(w, rank, a);
    return true;
}

const char *show_put(const struct world *w, const struct ask_put *a, char *text, size_t room)
{
    const char *dst = name_handle(w, a->dst), *src = name_handle(w, a->src);
    const long long dst_off = (long long)a->dst_off, src_off = (long long)a->src_off;

    if (a->rows)
        (void)snprintf(text, room, "%s, %lld, %zu, %s, %lld, %zu, %zu, %zu, 0x%x, %d, %d", dst,
                       dst_off, a->dst_pitch, src, src_off, a->src_pitch, a->width, a->count,
                       (unsigned)a->flags, a->slot, a->tag);
    else
        (void)snprintf(text, room, "%s, %lld, %s, %lld, %zu, 0x%x, %d, %d", dst, dst_off, src,
                       src_off, a->width, (unsigned)a->flags, a->slot, a->tag);
    return text;
}

/* The handles are gone afterwards: the library has to take what it needs. */
static tcaresult append(tcaDesc *d, const struct ask_put *a)
{
    tcaHandle dst, src, *to = a->dst != NULL ? &dst : NULL, *from = a->src != NULL ? &src : NULL;

    if (to != NULL)
        dst = a->dst->bytes;
    if (from != NULL)
        src = a->src->bytes;
    if (a->rows)
        return tcaDescSetMemcpy2D(d, to, a->dst_off, a->dst_pitch, from, a->src_off, a->src_pitch,
                                  a->width, a->count, a->flags, a->slot, a->tag);
    return tcaDescSetMemcpy(d, to, a->dst_off, from, a->src_off, a->width, a->flags, a->slot,
                            a->tag);
}

static void append_to(struct world *w, unsigned rank, struct list *l, const struct ask_put *a)
{
    struct verdict v = reference_call(w, rank);
    char text[250];
    struct call c;

    reference_list(&v, rank, l);
    reference_put(&v, w, rank, a);
    c = call_begin(w, rank, a->rows ? "tcaDescSetMemcpy2D" : "tcaDescSetMemcpy", v, "%s, %s",
                   name_list(w, l), show_put(w, a, text, sizeof(text)));
    if (call_end(&c, append(l != NULL ? l->d : NULL, a))) {
        struct put put = put_of(a);

        puts_add(&l->puts, &put);
    }
}

void call_put(struct world *w, unsigned rank)
{
    struct ask_put a;

    if (draw_put(w, rank, false, &a))
        append_to(w, rank, draw_list(w, rank), &a);
}

/** A list so long that it fills much of the board, or more. */
void call_many_puts(struct world *w, unsigned rank)
{
    static const unsigned sizes[] = { 60, 150, 300, 600, 1030 };
    unsigned n = sizes[dice_below(&w->dice, sizeof(sizes) / sizeof(sizes[0]))];
    struct list *l = pick_list(w, rank, true);
    struct verdict v = reference_call(w, rank);
    char text[250];
    struct ask_put a;
    struct call c;
    unsigned i = 0;

    if (l == NULL || !draw_put(w, rank, false, &a))
        return;
    a.flags &= ~(tcaDMANotify | tcaDMANotifySelf);
    if (a.width * a.count > 64)
        return;
    reference_put(&v, w, rank, &a);
    if (v.refused || v.open != 0)
        return;
    c = call_begin(w, rank, a.rows ? "tcaDescSetMemcpy2D" : "tcaDescSetMemcpy", v, "%s, %s",
                   name_list(w, l), show_put(w, &a, text, sizeof(text)));
    world_log(w, ", %u times", n);
    for (; i < n; i++) {
        struct put put = put_of(&a);

        if (append(l->d, &a) != TCA_SUCCESS)
            break;
        puts_add(&l->puts, &put);
    }
    (void)call_end(&c, i == n ? TCA_SUCCESS : TCA_ERROR_OUT_OF_MEMORY);
}

void install(struct world *w, unsigned rank, int ch, const struct puts *puts)
{
    struct channel *to = &w->channels[rank][ch];

    to->earlier += to->set ? puts_descriptors(&to->puts) : 0;
    to->set = true;
    puts_copy(&to->puts, puts);
}

void call_set(struct world *w, unsigned rank)
{
    static const struct puts none;
    struct list *l = draw_list(w, rank);
    int ch = pick_channel(w);
    struct verdict v = reference_call(w, rank);
    struct call c;

    reference_list(&v, rank, l);
    reference_set(&v, w, rank, l != NULL ? &l->puts : &none, ch);
    c = call_begin(w, rank, "tcaDescSet", v, "%s, %d", name_list(w, l), ch);
    if (call_end(&c, tcaDescSet(l != NULL ? l->d : NULL, ch)))
        install(w, rank, ch, &l->puts);
}
