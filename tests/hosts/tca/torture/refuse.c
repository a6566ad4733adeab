#include "torture.h"

#include <stdint.h>
#include <string.h>

/* Must be refused, with a text that says why. */
#define REFUSED(t, call)                                                                           \
    do {                                                                                           \
        tcaresult result_ = (call);                                                                \
        if (result_ == TCA_SUCCESS)                                                                \
            fail(t, "not refused: %s", #call);                                                     \
        if (tcaGetErrorString(result_) == NULL || *tcaGetErrorString(result_) == '\0')             \
            fail(t, "no text for result %d of %s", (int)result_, #call);                           \
        (t)->count.refused++;                                                                      \
    } while (0)

#define NO_KIND ((tcaMemoryKind)77)

enum { HUGE_SLOT = 1 << 20, NO_CHANNEL = 1000, ALL = tcaDMANotify | tcaDMANotifySelf };

struct pair { /* destination and source of a put, their addresses alike modulo 16 */
    tcaHandle *dst, *src;
    size_t dst_off, src_off, dst_length, src_length;
};

static struct pair some_pair(struct torture *t, struct random *r)
{
    int rank = (int)random_below(r, (size_t)t->ranks);
    enum buffer to = random_one_in(r, 2) ? DST_CPU : DST_GPU;
    enum buffer from = random_one_in(r, 2) ? SRC_CPU : SRC_GPU;
    struct pair p = {
        memory_handle(t, rank, to), memory_handle(t, t->me, from), 64, 64, memory_length(to),
        memory_length(from)
    };

    p.src_off = 64 + (t->shift[rank][to] - t->shift[t->me][from]) % 16;
    return p;
}

static void refuse_puts(struct torture *t, struct random *r, tcaDesc *d)
{
    struct pair p = some_pair(t, r);
    off_t to = (off_t)p.dst_off, from = (off_t)p.src_off;
    off_t dst_end = (off_t)p.dst_length, src_end = (off_t)p.src_length;
    tcaHandle garbage;

    memset(&garbage, 0xa5, sizeof(garbage));
    switch (random_below(r, 14)) {
    case 0:
        REFUSED(
            t, tcaDescSetMemcpy(d, p.dst, to, p.src, from, 4 * random_below(r, 99) + 2, ALL, 0, 1));
        return;
    case 1:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, to + 1 + (off_t)random_below(r, 15), p.src, from, 64,
                                    ALL, 0, 1));
        return;
    case 2:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, dst_end - 64 + to % 16, p.src, from, 128, ALL, 0, 1));
        return;
    case 3:
        REFUSED(t,
                tcaDescSetMemcpy(d, p.dst, to, p.src, src_end - 256 + from % 16, 512, ALL, 0, 1));
        return;
    case 4:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, to - 80, p.src, from, 64, ALL, 0, 1));
        return;
    case 5:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, to, p.src, from - 96, 64, ALL, 0, 1));
        return;
    case 6:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, to, p.src, from, 64, ALL, -1, 1));
        return;
    case 7:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, to, p.src, from, 64, ALL, HUGE_SLOT, 1));
        return;
    case 8:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, to, p.src, from, SIZE_MAX - 63, ALL, 0, 1));
        return;
    case 9:
        REFUSED(t, tcaDescSetMemcpy(d, NULL, to, p.src, from, 64, ALL, 0, 1));
        return;
    case 10:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, to, NULL, from, 64, ALL, 0, 1));
        return;
    case 11:
        REFUSED(t, tcaDescSetMemcpy(NULL, p.dst, to, p.src, from, 64, ALL, 0, 1));
        return;
    case 12:
        REFUSED(t, tcaDescSetMemcpy(d, &garbage, to, p.src, from, 64, ALL, 0, 1));
        return;
    default:
        REFUSED(t, tcaDescSetMemcpy(d, p.dst, to, &garbage, from, 64, ALL, 0, 1));
    }
}

static void refuse_foreign_source(struct torture *t, struct random *r, tcaDesc *d)
{
    int other = (t->me + 1 + (int)random_below(r, (size_t)t->ranks - 1)) % t->ranks;
    tcaHandle *foreign = memory_handle(t, other, DST_CPU);
    tcaHandle *own = memory_handle(t, t->me, DST_CPU);
    off_t from = 64 + (off_t)((t->shift[t->me][DST_CPU] - t->shift[other][DST_CPU]) % 16);

    REFUSED(t, tcaDescSetMemcpy(d, own, 64, foreign, from, 64, ALL, 0, 1));
    REFUSED(t, tcaDescSetMemcpy2D(d, own, 64, 64, foreign, from, 64, 64, 4, ALL, 0, 1));
}

static void refuse_rows(struct torture *t, struct random *r, tcaDesc *d)
{
    struct pair p = some_pair(t, r);
    off_t to = (off_t)p.dst_off, from = (off_t)p.src_off;

    switch (random_below(r, 6)) {
    case 0: /* the second row is not aligned to its source */
        REFUSED(t, tcaDescSetMemcpy2D(d, p.dst, to, 128, p.src, from, 132, 64, 3, ALL, 0, 1));
        return;
    case 1:
        REFUSED(t, tcaDescSetMemcpy2D(d, p.dst, to, 128, p.src, from, 128, 62, 3, ALL, 0, 1));
        return;
    case 2:
        REFUSED(t, tcaDescSetMemcpy2D(d, p.dst, to, p.dst_length / 2, p.src, from, 64, 64, 3, ALL,
                                      0, 1));
        return;
    case 3:
        REFUSED(t, tcaDescSetMemcpy2D(d, p.dst, to, 64, p.src, from, p.src_length / 2, 64, 3, ALL,
                                      0, 1));
        return;
    case 4:
        REFUSED(t, tcaDescSetMemcpy2D(d, p.dst, to, SIZE_MAX / 2 + 1, p.src, from, SIZE_MAX / 2 + 1,
                                      64, 3, ALL, 0, 1));
        return;
    default:
        REFUSED(
            t, tcaDescSetMemcpy2D(d, p.dst, to, 64, p.src, from, 64, 64, SIZE_MAX / 32, ALL, 0, 1));
    }
}

static void refuse_channels(struct torture *t, struct random *r)
{
    tcaDesc *d = tcaDescNew();
    int ch = random_one_in(r, 2) ? -1 - (int)random_below(r, 9) : NO_CHANNEL;

    REFUSED(t, tcaDescSet(d, ch));
    REFUSED(t, tcaDescSet(NULL, (int)random_below(r, CHANNELS)));
    REFUSED(t, tcaStartDMADesc(ch));
    REFUSED(t, tcaWaitDMAC(ch));
    TCA(t, tcaDescFree(d));
}

static void refuse_waits(struct torture *t)
{
    tcaHandle *own = memory_handle(t, t->me, SRC_CPU), garbage;

    memset(&garbage, 0x5a, sizeof(garbage));
    REFUSED(t, tcaWaitDMARecvDesc(NULL, 0, 1));
    REFUSED(t, tcaWaitDMARecvDesc(&garbage, 0, 1));
    REFUSED(t, tcaWaitDMARecvDesc(own, -1, 1));
    REFUSED(t, tcaWaitDMARecvDesc(own, HUGE_SLOT, 1));
}

static void refuse_memory(struct torture *t, struct random *r)
{
    enum buffer b = (enum buffer)random_below(r, BUFFERS);
    int kind = memory_on_gpu(b) ? tcaMemoryGPU : tcaMemoryCPU;
    void *p = t;
    tcaHandle handle;

    REFUSED(t, tcaMalloc(NULL, 64, kind));
    REFUSED(t, tcaMalloc(&p, 64, NO_KIND));
    REFUSED(t, tcaMalloc(&p, (size_t)1 << 60, kind));
    REFUSED(t, tcaMalloc(&p, SIZE_MAX, kind));
    if (p != t)
        fail(t, "a refused allocation changed the pointer");
    REFUSED(t, tcaFree(t->base[b], NO_KIND));
    REFUSED(t, tcaFree(t->base[b] + 64, kind));
    REFUSED(t, tcaCreateHandle(NULL, t->base[b], 64, kind));
    REFUSED(t, tcaCreateHandle(&handle, t->base[b], 64, NO_KIND));
    REFUSED(t, tcaCreateHandle(&handle, t->base[b], (size_t)1 << 50, kind));
    REFUSED(t, tcaCreateHandle(&handle, NULL, 64, kind));
    REFUSED(t, tcaDestroyHandle(NULL));
    if (!t->by_cuda[b])
        REFUSED(t, tcaFree(t->base[b], memory_on_gpu(b) ? tcaMemoryCPU : tcaMemoryGPU));
}

static void refuse_pio(struct torture *t)
{
    tcaHandle *peer = memory_handle(t, (t->me + 1) % t->ranks, PIO_BUF), garbage;
    off_t length = (off_t)memory_length(PIO_BUF);
    unsigned char bytes[64] = { 1, 2, 3 };
    tcaPIOHandle pio;

    memset(&garbage, 0x5a, sizeof(garbage));
    REFUSED(t, tcaSetPIORegion(NULL, peer, 0, 64));
    REFUSED(t, tcaSetPIORegion(&pio, NULL, 0, 64));
    REFUSED(t, tcaSetPIORegion(&pio, &garbage, 0, 64));
    REFUSED(t, tcaSetPIORegion(&pio, peer, length + 64, 64));
    if (t->ranks == 1)
        return;
    TCA(t, tcaSetPIORegion(&pio, peer, length - 128, 64));
    REFUSED(t, tcaSendPIO(&pio, 96, bytes, sizeof(bytes)));
    REFUSED(t, tcaSendPIO(&pio, SIZE_MAX - 31, bytes, sizeof(bytes)));
    REFUSED(t, tcaSendPIO(&pio, 0, NULL, sizeof(bytes)));
    REFUSED(t, tcaSendPIO(NULL, 0, bytes, sizeof(bytes)));
}

void refuse_some(struct torture *t, struct random *r, tcaDesc *list)
{
    tcaDesc *d = list != NULL ? list : tcaDescNew();

    switch (random_below(r, 8)) {
    case 0:
        doing(t, "trying channels that are not there");
        refuse_channels(t, r);
        break;
    case 1:
        doing(t, "trying waits for what cannot come");
        refuse_waits(t);
        break;
    case 2:
        doing(t, "trying bad arguments of allocations and handles");
        refuse_memory(t, r);
        break;
    case 3:
        doing(t, "trying bad arguments of PIO");
        refuse_pio(t);
        break;
    case 4:
        doing(t, "trying to put from a foreign source");
        if (t->ranks > 1)
            refuse_foreign_source(t, r, d);
        break;
    case 5:
        doing(t, "trying bad 2-D puts");
        refuse_rows(t, r, d);
        break;
    default:
        doing(t, "trying bad puts");
        refuse_puts(t, r, d);
    }
    if (list == NULL)
        TCA(t, tcaDescFree(d));
}

void refuse_unset(struct torture *t)
{
    for (int ch = 0; ch < CHANNELS; ch++) {
        doing(t, "channel %d, never used", ch);
        TCA(t, tcaWaitDMAC(ch));
        REFUSED(t, tcaStartDMADesc(ch));
        TCA(t, tcaWaitDMAC(ch));
    }
}
