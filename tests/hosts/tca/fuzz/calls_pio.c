#include "calls.h"

#include "shadow.h"

#include <stdint.h>
#include <string.h>

#define SEND_MAX 1500u

/** Host memory of another node. */
static bool is_good(const struct world *w, unsigned rank, const struct handle *h)
{
    return h != NULL && h->rank != rank && w->mems[h->mem].kind == tcaMemoryCPU;
}

void call_region(struct world *w, unsigned rank)
{
    struct handle_wish wish = { (rank + 1 + (unsigned)dice_below(&w->dice, w->ranks)) % w->ranks,
                                HANDLE_GOOD, true, 0 };
    struct ask_region a = { .nowhere = dice_one_in(&w->dice, 30), .remote = pick_handle(w, &wish) };
    struct pio made = { .rank = rank };
    tcaPIOHandle before;
    tcaHandle bytes;
    struct call c;
    size_t n;

    for (unsigned i = 0; i < 8 && !is_good(w, rank, a.remote); i++)
        a.remote = pick_handle(w, &wish);
    if (a.remote == NULL || w->npios == PIOS_MAX ||
        (!is_good(w, rank, a.remote) && !dice_one_in(&w->dice, 4)))
        return;
    a.off = (off_t)dice_below(&w->dice, dice_one_in(&w->dice, 2) ? 1 : a.remote->n + 1);
    n = dice_below(&w->dice, dice_one_in(&w->dice, 3) ? SIZE_MAX : a.remote->n + 1);
    if (dice_one_in(&w->dice, 12))
        a.off = dice_one_in(&w->dice, 2) ? -1 - (off_t)dice_below(&w->dice, 64)
                                         : (off_t)(a.remote->n + 1 + dice_below(&w->dice, 64));
    if (dice_one_in(&w->dice, 12))
        a.remote = pick_bad_handle(w);
    memset(&made.bytes, 0x3c, sizeof(made.bytes));
    before = made.bytes;
    if (a.remote != NULL)
        bytes = a.remote->bytes;
    c = call_begin(w, rank, "tcaSetPIORegion", reference_region(w, rank, &a), "%s, %s, %lld, %zu",
                   a.nowhere ? "NULL" : "&pio", name_handle(w, a.remote), (long long)a.off, n);
    if (!call_end(&c, tcaSetPIORegion(a.nowhere ? NULL : &made.bytes,
                                      a.remote != NULL ? &bytes : NULL, a.off, n))) {
        if (memcmp(&before, &made.bytes, sizeof(before)) != 0)
            call_changed(&c, "the region");
        return;
    }
    if (a.remote == NULL) /* which call_end() has reported */
        return;
    made.odd = a.remote->state != HANDLE_GOOD && a.remote->state != HANDLE_COPY;
    made.mem = a.remote->mem;
    made.off = a.remote->off + (size_t)a.off;
    made.size = a.remote->n - (size_t)a.off;
    world_log(w, "     pio%u = pio\n", w->npios);
    w->pios[w->npios++] = made;
}

static struct pio *pick_pio(struct world *w, unsigned rank)
{
    size_t from = dice_below(&w->dice, w->npios);

    for (unsigned i = 0; i < w->npios; i++) {
        struct pio *p = &w->pios[(from + i) % w->npios];

        if (p->rank == rank && !p->odd)
            return p;
    }
    return NULL;
}

static void send(struct world *w, unsigned rank, struct pio *pio, size_t off, const uint8_t *bytes,
                 size_t n)
{
    uint8_t copy[SEND_MAX];
    char name[16] = "NULL";
    struct call c;

    if (pio != NULL)
        (void)snprintf(name, sizeof(name), "&pio%u", (unsigned)(pio - w->pios));
    if (bytes != NULL)
        memcpy(copy, bytes, n < sizeof(copy) ? n : sizeof(copy));
    c = call_begin(w, rank, "tcaSendPIO", reference_send(w, rank, pio, off, bytes == NULL, n),
                   "%s, %zu, %s, %zu", name, off, bytes != NULL ? "bytes" : "NULL", n);
    if (call_end(&c, tcaSendPIO(pio != NULL ? &pio->bytes : NULL, off, bytes != NULL ? copy : NULL,
                                n)) &&
        pio != NULL)
        shadow_pio(w, pio, off, copy, n);
}

void call_send(struct world *w, unsigned rank)
{
    struct pio *pio = dice_one_in(&w->dice, 25) ? NULL : pick_pio(w, rank);
    size_t size = pio != NULL ? pio->size : 64, off, n;
    const uint8_t *from;
    uint8_t bytes[SEND_MAX];

    if (pio == NULL && !dice_one_in(&w->dice, 16))
        return;
    if (pio != NULL && !w->mems[pio->mem].live && !w->wild)
        return;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)dice_next(&w->dice);
    off = dice_below(&w->dice, size + 1);
    n = dice_below(&w->dice, (size - off < SEND_MAX ? size - off : SEND_MAX) + 1);
    from = dice_one_in(&w->dice, 25) ? NULL : bytes;
    switch (dice_below(&w->dice, 24)) { /* refused before any byte is read */
    case 0:
        n = size - off + 1 + dice_below(&w->dice, 8);
        break;
    case 1:
        off = SIZE_MAX - dice_below(&w->dice, 16);
        n = 1 + dice_below(&w->dice, 32);
        break;
    case 2:
        n = SIZE_MAX - dice_below(&w->dice, 16);
        off = size != 0 ? off : 1;
        break;
    default:
        break;
    }
    send(w, rank, pio, off, from, n);
}

void call_commit(struct world *w, unsigned rank)
{
    struct call c = call_begin(w, rank, "tcaSendPIOCommit", reference_call(w, rank), "%s", "");

    if (call_end(&c, tcaSendPIOCommit()))
        w->commits[rank]++;
}
