/*
 * Descriptor lists. A list remembers puts, and tcaDescSet() turns them into a chain:
 * for each put its data, then a status descriptor for each notification. At the
 * very end a word to the own ring marks the end of the chain; the last
 * self-notification does that where there is one. No rank waits for that last word,
 * and by it the library knows a channel to be idle.
 */
#include <stdlib.h>

#include "hosts/driver/descriptor.h"
#include "hosts/tca/internal.h"

#define FLAGS_ALL                                                                                  \
    (tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify | tcaDMANotifySelf |               \
     tcaDMAPipeline | tcaDMAContinue)
#define PIECE_MAX (UINT64_C(1) << 30) /* of one descriptor: sizes have 32, blocks 30 bits */
#define ALIGN_LOW 15u                 /* source and destination agree in these address bits */

tcaDesc *tcaDescNew(void)
{
    struct tca_rank *self = tca_rank_make();
    tcaDesc *d = self != NULL ? calloc(1, sizeof(*d)) : NULL;

    if (d == NULL)
        return NULL;
    d->before_p = &self->descs;
    d->next = self->descs;
    if (d->next != NULL)
        d->next->before_p = &d->next;
    self->descs = d;
    return d;
}

void tca_descs_free(struct tca_rank *self)
{
    while (self->descs != NULL) {
        tcaDesc *d = self->descs;

        self->descs = d->next;
        free(d->puts);
        free(d);
    }
}

tcaresult tca_append_put(tcaDesc *d, const struct tca_put *p)
{
    if (d->n == d->room) {
        size_t room = d->room != 0 ? 2 * d->room : 8;
        struct tca_put *more = realloc(d->puts, room * sizeof(*more));

        if (more == NULL)
            return TCA_ERROR_OUT_OF_MEMORY;
        d->puts = more;
        d->room = room;
    }
    d->puts[d->n++] = *p;
    return TCA_SUCCESS;
}

static tcaresult check_handles(const struct tca_rank *self, const struct tca_ask *a)
{
    if (!tca_handle_ok(a->dst))
        return tca_refuse_handle(a->call, "dst", a->dst);
    if (!tca_handle_ok(a->src))
        return tca_refuse_handle(a->call, "src", a->src);
    if (!tca_reaches(self, a->src) || a->src->node != self->d->slot)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                          "src: memory of another node, in part %u: expected the own one, since "
                          "transfers only put",
                          a->src->node);
    if (a->dst->node >= self->d->slots)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                          "dst: memory of part %u of the window, which has %u", a->dst->node,
                          self->d->slots);
    if (!tca_reaches(self, a->dst)) /* only the control network leads there */
        return tca_refuse_reach(a->call, "dst", a->dst, self);
    if (a->dst->area >= HUB_AREA_SELF)
        return tca_refuse(a->call, TCA_ERROR_NOT_SUPPORTED,
                          "dst: memory that no window reaches: expected that of the host or of "
                          "GPU 0 .. %u in part %u",
                          HUB_AREA_SELF - HUB_AREA_GPU0 - 1, a->dst->node);
    return TCA_SUCCESS;
}

static tcaresult check_choices(const struct tca_ask *a)
{
    if ((a->flags & ~FLAGS_ALL) != 0)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                          "flags = 0x%x: 0x%x is none: expected those of tcaDMAFlag",
                          (unsigned)a->flags, (unsigned)(a->flags & ~FLAGS_ALL));
    if (a->slot < 0 || a->slot >= (int)NOTIFY_SLOTS)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE, "slot = %d: expected 0 .. %u", a->slot,
                          NOTIFY_SLOTS - 1);
    return TCA_SUCCESS;
}

/* Bytes from the first to the last one that the rows touch; false when that is absurd. */
static bool extent(uint64_t pitch, uint64_t width, uint64_t count, uint64_t *bytes_p)
{
    if (pitch != 0 && count - 1 > (UINT64_MAX - width) / pitch)
        return false;
    *bytes_p = (count - 1) * pitch + width;
    return true;
}

static tcaresult check_rows(const struct tca_ask *a)
{
    const char *name = a->rows ? "width" : "n";

    if (a->width == 0 || a->width % 4 != 0)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                          "%s = %llu: expected a multiple of 4, from 4 on", name,
                          (unsigned long long)a->width);
    if (a->count == 0)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE, "count = 0: expected 1 or more");
    if (a->count == 1)
        return TCA_SUCCESS;
    if (a->width >= PIECE_MAX)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE, "%s = %llu: expected less than %llu",
                          name, (unsigned long long)a->width, (unsigned long long)PIECE_MAX);
    for (int i = 0; i < 2; i++) {
        uint64_t pitch = i == 0 ? a->dst_pitch : a->src_pitch;

        if (pitch < a->width || pitch - a->width > UINT32_MAX)
            return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                              "%s = %llu: expected %llu, the width, or up to %lu more",
                              i == 0 ? "dst_pitch" : "src_pitch", (unsigned long long)pitch,
                              (unsigned long long)a->width, (unsigned long)UINT32_MAX);
    }
    if (((a->dst_pitch ^ a->src_pitch) & ALIGN_LOW) != 0)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                          "dst_pitch = %llu, src_pitch = %llu: expected the same modulo 16",
                          (unsigned long long)a->dst_pitch, (unsigned long long)a->src_pitch);
    return TCA_SUCCESS;
}

static tcaresult check_place(const struct tca_ask *a, const char *name, const tcaHandle *h,
                             off_t off, uint64_t pitch)
{
    uint64_t bytes;

    if (extent(pitch, a->width, a->count, &bytes) && tca_within(h->size, off, bytes))
        return TCA_SUCCESS;
    if (!a->rows)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                          "%s_off = %lld, n = %llu: expected an end within the %llu bytes of the "
                          "handle",
                          name, (long long)off, (unsigned long long)a->width,
                          (unsigned long long)h->size);
    return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                      "%s_off = %lld, %s_pitch = %llu, width = %llu, count = %llu: expected an end "
                      "within the %llu bytes of the handle",
                      name, (long long)off, name, (unsigned long long)pitch,
                      (unsigned long long)a->width, (unsigned long long)a->count,
                      (unsigned long long)h->size);
}

static tcaresult check_ask(const struct tca_rank *self, const struct tca_ask *a)
{
    tcaresult code = check_handles(self, a);
    uint64_t dst, src;

    if (code == TCA_SUCCESS)
        code = check_choices(a);
    if (code == TCA_SUCCESS)
        code = check_rows(a);
    if (code == TCA_SUCCESS)
        code = check_place(a, "dst", a->dst, a->dst_off, a->dst_pitch);
    if (code == TCA_SUCCESS)
        code = check_place(a, "src", a->src, a->src_off, a->src_pitch);
    if (code != TCA_SUCCESS)
        return code;
    dst = a->dst->offset + (uint64_t)a->dst_off;
    src = a->src->bus + (uint64_t)a->src_off;
    if (((dst ^ src) & ALIGN_LOW) != 0)
        return tca_refuse(a->call, TCA_ERROR_INVALID_VALUE,
                          "dst_off = %lld, src_off = %lld: the destination begins %u bytes behind "
                          "a multiple of 16 and the source %u: expected the same",
                          (long long)a->dst_off, (long long)a->src_off, (unsigned)(dst & ALIGN_LOW),
                          (unsigned)(src & ALIGN_LOW));
    return TCA_SUCCESS;
}

/** One that the rank has made and not freed. */
static bool is_list(const struct tca_rank *self, const tcaDesc *d)
{
    const tcaDesc *at = self != NULL ? self->descs : NULL;

    while (at != NULL && at != d)
        at = at->next;
    return at != NULL;
}

static tcaresult refuse_list(const char *call, const tcaDesc *d)
{
    if (d == NULL)
        return tca_refuse(call, TCA_ERROR_INVALID_VALUE, "d = NULL: expected a list");
    return tca_refuse(call, TCA_ERROR_INVALID_VALUE,
                      "d = %p: freed before, or no list of tcaDescNew()", (const void *)d);
}

tcaresult tca_set_put(tcaDesc *d, const struct tca_ask *a)
{
    struct tca_rank *self = tca_enter(a->call);
    struct tca_put p;
    tcaresult code;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (!a->table && !is_list(self, d))
        return refuse_list(a->call, d);
    code = check_ask(self, a);
    if (code != TCA_SUCCESS)
        return code;
    p = (struct tca_put){ .dst = *a->dst,
                          .dst_off = (uint64_t)a->dst_off,
                          .src_bus = a->src->bus + (uint64_t)a->src_off,
                          .width = a->width,
                          .count = a->count,
                          .dst_gap = a->count > 1 ? a->dst_pitch - a->width : 0,
                          .src_gap = a->count > 1 ? a->src_pitch - a->width : 0,
                          .flags = a->flags,
                          .slot = (unsigned)a->slot,
                          .tag = (uint32_t)a->tag };
    code = tca_append_put(d, &p);
    return code == TCA_SUCCESS ? code : tca_refuse(a->call, code, "out of memory");
}

tcaresult tcaDescFree(tcaDesc *d)
{
    if (d == NULL || host_self() == NULL) /* a rank that has ended has none any more */
        return TCA_SUCCESS;
    if (!is_list(tca_rank_make(), d))
        return refuse_list(__func__, d);
    *d->before_p = d->next;
    if (d->next != NULL)
        d->next->before_p = d->before_p;
    free(d->puts);
    free(d);
    return TCA_SUCCESS;
}

tcaresult tcaDescSetMemcpy2D(tcaDesc *d, tcaHandle *dst, off_t dst_off, size_t dst_pitch,
                             tcaHandle *src, off_t src_off, size_t src_pitch, size_t width,
                             size_t count, int flags, int slot, int tag)
{
    const struct tca_ask ask = { __func__, dst,   src,  dst_off, src_off, dst_pitch, src_pitch,
                                 width,    count, true, false,   flags,   slot,      tag };

    return tca_set_put(d, &ask);
}

tcaresult tcaDescSetMemcpy(tcaDesc *d, tcaHandle *dst, off_t dst_off, tcaHandle *src, off_t src_off,
                           size_t n, int flags, int slot, int tag)
{
    const struct tca_ask ask = { __func__, dst, src,   dst_off, src_off, n,    n,
                                 n,        1,   false, false,   flags,   slot, tag };

    return tca_set_put(d, &ask);
}

/* ---- from puts to descriptors ------------------------------------------------ */

/** Descriptors in the order of the chain, each in one of the two memories. */
struct plan {
    struct {
        struct descriptor d;
        bool internal;
    } * steps;
    uint32_t n, internal;
    bool
        own_word; /* the last one is in the host's memory, and no flag of the program asks for it */
};

static void plan_add(struct plan *plan, const struct descriptor *d, bool internal)
{
    if (plan->steps != NULL) {
        plan->steps[plan->n].d = *d;
        plan->steps[plan->n].internal = internal;
    }
    plan->n++;
    plan->internal += internal;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void plan_data(struct plan *plan, const struct driver *d, const struct tca_put *p)
{
    struct descriptor desc = { .src = p->src_bus,
                               .dst = driver_window(d, p->dst.node, p->dst.area,
                                                    p->dst.offset + p->dst_off),
                               .flags = (p->flags & tcaDMAPipeline) != 0 ? HUB_DESC_PIPELINE : 0 };
    bool internal = (p->flags & tcaDMAUseInternal) != 0;

    for (uint64_t left = p->width; p->count == 1 && left > 0; left -= desc.bytes) {
        desc.bytes = (uint32_t)at_most(left, PIECE_MAX);
        plan_add(plan, &desc, internal);
        desc.src += desc.bytes;
        desc.dst += desc.bytes;
    }
    if (p->count == 1)
        return;
    desc.block_bytes = (uint32_t)p->width;
    desc.src_gap = (uint32_t)p->src_gap;
    desc.dst_gap = (uint32_t)p->dst_gap;
    for (uint64_t left = p->count; left > 0;) {
        uint64_t rows = at_most(left, PIECE_MAX / p->width);

        desc.bytes = (uint32_t)(rows * p->width);
        plan_add(plan, &desc, internal);
        desc.src += rows * (p->width + p->src_gap);
        desc.dst += rows * (p->width + p->dst_gap);
        left -= rows;
    }
}

static void plan_notify(struct plan *plan, const struct driver *d, unsigned to, uint64_t entry,
                        bool internal)
{
    struct descriptor desc = { .src = entry,
                               .dst = driver_notify_address(d, to),
                               .flags = HUB_DESC_STATUS };

    plan_add(plan, &desc, internal);
}

static void plan_put(struct plan *plan, const struct driver *d, const struct tca_put *p,
                     uint64_t end)
{
    uint64_t entry = notify_key(d->slot, p->slot, p->tag);
    bool internal = (p->flags & tcaDMAUseNotifyInternal) != 0;
    uint64_t flush = 0;

    /* See driver_wait_notify(): a word from the host table follows its data at once and may be
     * seen before the data has left the far root complex for a GPU. */
    if (!internal && p->dst.area != HUB_AREA_HOST)
        flush = NOTIFY_FLUSH | (uint64_t)(p->dst.area - HUB_AREA_GPU0) << NOTIFY_GPU_SHIFT;
    plan_data(plan, d, p);
    if ((p->flags & tcaDMANotify) != 0)
        plan_notify(plan, d, p->dst.node, entry | flush, internal);
    if ((p->flags & tcaDMANotifySelf) != 0)
        plan_notify(plan, d, d->slot, entry | end, internal);
    else if (end != 0) {
        plan_notify(plan, d, d->slot, notify_key(d->slot, 0, 0) | NOTIFY_SILENT | end, internal);
        plan->own_word = !internal;
    }
}

static void plan_list(struct plan *plan, const struct driver *d, const tcaDesc *list, int ch)
{
    uint64_t end = NOTIFY_END | (uint64_t)ch << NOTIFY_CHAN_SHIFT;

    plan->n = plan->internal = 0;
    for (size_t i = 0; i < list->n; i++)
        plan_put(plan, d, &list->puts[i], i + 1 == list->n ? end : 0);
}

/* Links the steps where the chain's memory lies, last one first, and writes them there. */
static void plan_write(const struct plan *plan, struct host *h, struct driver *d,
                       struct driver_chain *chain)
{
    uint32_t internal = (uint32_t)(chain->internal_first + chain->internal_count);
    uint32_t host = (uint32_t)(chain->host_first + chain->host_count);

    chain->head = HUB_DESC_END;
    for (uint32_t i = plan->n; i-- > 0;) {
        struct descriptor desc = plan->steps[i].d;

        desc.next = chain->head;
        chain->head = plan->steps[i].internal ? --internal | HUB_DESC_INTERNAL : --host;
        driver_descriptor_write(h, d, chain->head, &desc);
    }
    h->bus->fence(h);
}

static tcaresult refuse_room(const char *call, tcaresult code, const struct plan *plan)
{
    uint32_t host = plan->n - plan->internal - plan->own_word;

    if (plan->internal == 0)
        return tca_refuse(call, code, "no room for a list of %u descriptors in the host's memory",
                          plan->n);
    if (host == 0)
        return tca_refuse(call, code, "no room for a list of %u descriptors in the board's memory",
                          plan->internal);
    return tca_refuse(call, code,
                      "no room for a list of %u descriptors in the board's memory and %u in the "
                      "host's",
                      plan->internal, host);
}

tcaresult tca_set_chain(struct tca_rank *self, struct host_place place, const tcaDesc *d, int ch)
{
    struct plan plan = { 0 };
    struct driver_chain *chain = NULL;
    const char *call = place.call;
    tcaresult code;

    if (d->n == 0)
        return tca_refuse(call, TCA_ERROR_INVALID_VALUE, "d: an empty list: expected a put");
    if (ch < 0 || ch >= (int)HUB_DMA_CHANNELS)
        return tca_refuse_channel(call, ch);
    plan_list(&plan, self->d, d, ch);
    plan.steps = calloc(plan.n, sizeof(*plan.steps));
    if (plan.steps == NULL)
        return tca_refuse(call, TCA_ERROR_OUT_OF_MEMORY, "out of memory");
    plan_list(&plan, self->d, d, ch);
    code = tca_from_driver(driver_chain_alloc(self->h, self->d, (unsigned)ch, plan.internal,
                                              plan.n - plan.internal, &chain));
    if (code == TCA_SUCCESS) {
        plan_write(&plan, self->h, self->d, chain);
        chain->place = place;
        driver_chain_install(self->h, self->d, (unsigned)ch, chain);
        tca_freed_install(self, d, ch);
        tca_race_install(self, d, ch);
    } else {
        (void)refuse_room(call, code, &plan);
    }
    free(plan.steps);
    return code;
}

tcaresult tcaDescSet(tcaDesc *d, int ch)
{
    const struct host_place place = HOST_PLACE_OF_CALLER();
    struct tca_rank *self = tca_enter(__func__);

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    return is_list(self, d) ? tca_set_chain(self, place, d, ch) : refuse_list(__func__, d);
}
