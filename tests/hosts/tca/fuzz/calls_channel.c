#include "calls.h"

#include "shadow.h"

void call_start(struct world *w, unsigned rank)
{
    int ch = pick_channel(w);
    bool known = ch >= 0 && ch < CHANNELS, odd = false, stale = false, was_broken;
    struct call c;

    if (known && !w->channels[rank][ch].set && !dice_one_in(&w->dice, 20))
        return;
    if (known)
        stale = puts_stale(w, &w->channels[rank][ch].puts, &odd);
    if (odd || (stale && !w->wild && w->lie != LIE_ERROR))
        return;
    was_broken = known && w->channels[rank][ch].broken;
    c = call_begin(w, rank, "tcaStartDMADesc", reference_start(w, rank, ch), "%d", ch);
    if (call_end(&c, tcaStartDMADesc(ch)) && !(stale && w->lie == LIE_ERROR))
        shadow_start(w, rank, (unsigned)ch, !was_broken);
}

static void wait_channel(struct world *w, unsigned rank, int ch)
{
    struct call c = call_begin(w, rank, "tcaWaitDMAC", reference_wait(w, rank, ch), "%d", ch);
    tcaresult got = tcaWaitDMAC(ch);

    if (call_end(&c, got) || (got == TCA_ERROR_DMA && ch >= 0 && ch < CHANNELS))
        shadow_idle(w, rank, (unsigned)ch);
}

void call_wait_channel(struct world *w, unsigned rank)
{
    wait_channel(w, rank, pick_channel(w));
}

static struct note *pick_note(struct world *w, unsigned rank)
{
    size_t from = dice_below(&w->dice, w->nnotes);

    for (unsigned i = 0; i < w->nnotes; i++) {
        struct note *n = &w->notes[(from + i) % w->nnotes];

        if (n->to == rank && !n->vague && n->sent > n->taken && n->tag != 0)
            return n;
    }
    return NULL;
}

static void take(struct world *w, unsigned rank, const struct handle *h, int slot, int tag,
                 struct note *note)
{
    struct verdict v = reference_take(w, rank, h, slot);
    tcaHandle bytes;
    struct call c;

    if (!v.refused && note == NULL)
        return; /* it would wait for ever */
    if (h != NULL)
        bytes = h->bytes;
    c = call_begin(w, rank, "tcaWaitDMARecvDesc", v, "%s, %d, %d", name_handle(w, h), slot, tag);
    if (call_end(&c, tcaWaitDMARecvDesc(h != NULL ? &bytes : NULL, slot, tag)))
        shadow_taken(w, note);
}

void call_take(struct world *w, unsigned rank)
{
    const struct handle_wish any = { RANKS_MAX, HANDLE_GOOD, true, 0 };
    struct handle_wish wish = { .state = HANDLE_GOOD };
    struct note *note = pick_note(w, rank);
    const struct handle *h;

    if (w->lie == LIE_HANG && w->begun[rank] && (h = pick_handle(w, &any)) != NULL) {
        tcaHandle bytes = h->bytes;

        (void)tcaWaitDMARecvDesc(&bytes, 77, 77);
    }
    if (dice_one_in(&w->dice, 24)) {
        take(w, rank, pick_bad_handle(w), 0, 1, NULL);
        return;
    }
    if (dice_one_in(&w->dice, 30)) {
        take(w, rank, pick_handle(w, &any),
             dice_one_in(&w->dice, 2) ? -1 - (int)dice_below(&w->dice, 9) : 65536, 1, NULL);
        return;
    }
    if (note == NULL || !w->begun[rank])
        return;
    wish.rank = note->from;
    wish.live = !dice_one_in(&w->dice, 6);
    h = pick_handle(w, &wish);
    if (h != NULL)
        take(w, rank, h, note->slot, note->tag, note);
}

void call_reset(struct world *w, unsigned rank)
{
    struct verdict v = reference_call(w, rank);
    struct call c;

    for (unsigned i = 0; i < CHANNELS; i++)
        if (w->channels[rank][i].broken)
            verdict_open(&v, OPEN_BROKEN, TCA_ERROR_DMA, TCA_ERROR_DMA);
    c = call_begin(w, rank, "tcaReset", v, "%s", "");
    if (!call_end(&c, tcaReset()))
        return;
    for (unsigned i = 0; i < CHANNELS; i++)
        shadow_idle(w, rank, i);
    for (unsigned i = 0; i < w->nnotes; i++)
        if (w->notes[i].to == rank)
            w->notes[i].taken = w->notes[i].sent;
    for (size_t i = 0; i < w->nflights; i++) { /* what comes now was not forgotten */
        const int notes[] = { w->flights[i].to_note, w->flights[i].self_note };

        for (unsigned k = 0; k < 2; k++)
            if (notes[k] != NO_NOTE && w->notes[notes[k]].to == rank)
                w->notes[notes[k]].vague = true;
    }
}

void call_settle(struct world *w, unsigned rank)
{
    bool sent = false;

    for (int ch = 0; ch < CHANNELS && !world_over(w); ch++)
        if (w->channels[rank][ch].set)
            wait_channel(w, rank, ch);
    for (size_t i = 0; i < w->nflights; i++)
        sent |= w->flights[i].rank == rank && w->flights[i].channel == NO_CHANNEL;
    if (sent && !world_over(w))
        call_commit(w, rank);
}
