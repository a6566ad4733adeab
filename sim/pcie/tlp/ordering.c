#include "pcie/tlp/ordering.h"

#include "core/probe.h"

#include <stdlib.h>

enum {
    ORDERED = 1,     /* the later one must not pass, unless */
    RELAXED = 2,     /* it has Relaxed Ordering, */
    OTHER_ID = 4,    /* it has ID-based ordering and comes from another function, */
    OTHER_ANSWER = 8 /* or they are completions of different transactions */
};

/* Table 2-34, [later][earlier]: where it says Yes, the later one may pass. A port lets it pass
 * there whenever the earlier one is blocked, so that nothing needs to know which entries are a
 * must. */
static const uint8_t order_table[PCIE_ORDER_KINDS][PCIE_ORDER_KINDS] = {
    [PCIE_ORDER_POSTED] = { [PCIE_ORDER_POSTED] = ORDERED | RELAXED | OTHER_ID },
    [PCIE_ORDER_READ] = { [PCIE_ORDER_POSTED] = ORDERED | OTHER_ID },
    [PCIE_ORDER_NPR_DATA] = { [PCIE_ORDER_POSTED] = ORDERED | RELAXED | OTHER_ID },
    [PCIE_ORDER_COMPLETION] = { [PCIE_ORDER_POSTED] = ORDERED | RELAXED | OTHER_ID,
                                [PCIE_ORDER_COMPLETION] = ORDERED | OTHER_ANSWER },
};

struct pcie_order_key pcie_order_key_of(const struct pcie_tlp *tlp)
{
    enum pcie_class cls = pcie_tlp_class(tlp);
    enum pcie_order_kind kind = PCIE_ORDER_POSTED;

    if (cls == PCIE_COMPLETION)
        kind = PCIE_ORDER_COMPLETION;
    else if (cls == PCIE_NONPOSTED)
        kind = pcie_tlp_has_data(tlp) ? PCIE_ORDER_NPR_DATA : PCIE_ORDER_READ;
    return (struct pcie_order_key){ (uint8_t)kind, tlp->tc,           tlp->attr,
                                    tlp->tag,      tlp->requester_id, tlp->completer_id };
}

bool pcie_order_allows(const struct pcie_order_key *later, const struct pcie_order_key *earlier)
{
    unsigned rule = order_table[later->kind][earlier->kind];
    /* A completion is from its completer, all else from its requester. */
    uint16_t from =
        later->kind == PCIE_ORDER_COMPLETION ? later->completer_id : later->requester_id;

    if (later->tc != earlier->tc || (rule & ORDERED) == 0)
        return true;
    if ((rule & RELAXED) != 0 && (later->attr & PCIE_ATTR_RELAXED) != 0)
        return true;
    if ((rule & OTHER_ID) != 0 && (later->attr & PCIE_ATTR_IDO) != 0 &&
        from != earlier->requester_id)
        return true;
    return (rule & OTHER_ANSWER) != 0 &&
           (later->requester_id != earlier->requester_id || later->tag != earlier->tag);
}

static const char *const kind_names[PCIE_ORDER_KINDS] = { "posted request", "read request",
                                                          "non-posted request with data",
                                                          "completion" };

/** @return false */
static bool report_passing(struct sim_error *err, const char *where, const char *what,
                           const struct pcie_order_key *later, const struct pcie_order_key *earlier)
{
    (void)sim_error_set(
        err, SIM_ERR_LIMIT,
        "%s, %s: a %s (requester %04x, tag %u) has passed a %s (requester %04x, tag "
        "%u): forbidden by table 2-34, %c%u",
        where, what, kind_names[later->kind], later->requester_id, later->tag,
        kind_names[earlier->kind], earlier->requester_id, earlier->tag, "ABCD"[later->kind],
        (unsigned)earlier -> kind + 2);
    return false;
}

/* ---- one hop ---- */

struct order_item {
    struct pcie_order_key key;
    uint32_t number, path;
    bool gone;
};

/** What is inside lies in a ring in order of entry; most leave from its head. */
struct pcie_order_watch {
    const char *where, *what;
    struct order_item *ring;
    uint32_t mask, head, tail; /* free-running */
};

struct pcie_order_watch *pcie_order_watch_create(const struct sim_domain *dom, const char *where,
                                                 const char *what)
{
    struct pcie_order_watch *w;

    if (!sim_order_checked(dom))
        return NULL;
    w = calloc(1, sizeof(*w));
    SIM_ASSERT(w != NULL);
    w->where = where;
    w->what = what;
    w->mask = 15;
    w->ring = calloc(w->mask + UINT64_C(1), sizeof(*w->ring));
    SIM_ASSERT(w->ring != NULL);
    return w;
}

void pcie_order_watch_destroy(struct pcie_order_watch *w)
{
    if (w == NULL)
        return;
    free(w->ring);
    free(w);
}

/** Room for one more: packs what is inside, into twice the room where that fills half of it. */
static void make_room(struct pcie_order_watch *w)
{
    uint32_t n = w->mask + 1, inside = 0;
    struct order_item *ring = calloc(UINT64_C(2) * n, sizeof(*ring));

    SIM_ASSERT(ring != NULL);
    for (uint32_t i = w->head; i != w->tail; i++)
        if (!w->ring[i & w->mask].gone)
            ring[inside++] = w->ring[i & w->mask];
    free(w->ring);
    w->ring = ring;
    w->mask = 2 * inside >= n ? 2 * n - 1 : n - 1;
    w->head = 0;
    w->tail = inside;
}

void pcie_order_enter(struct pcie_order_watch *w, uint32_t number, const struct pcie_tlp *tlp,
                      uint32_t path)
{
    if (w->tail - w->head > w->mask)
        make_room(w);
    w->ring[w->tail++ & w->mask] =
        (struct order_item){ .key = pcie_order_key_of(tlp), .number = number, .path = path };
}

/** Where in the ring it is; what leaves must have entered. */
static uint32_t place_in(const struct pcie_order_watch *w, uint32_t number)
{
    uint32_t at = w->head;

    while (at != w->tail && (w->ring[at & w->mask].number != number || w->ring[at & w->mask].gone))
        at++;
    SIM_ASSERT(at != w->tail);
    return at;
}

static void skip_gone(struct pcie_order_watch *w)
{
    while (w->head != w->tail && w->ring[w->head & w->mask].gone)
        w->head++;
}

bool pcie_order_try_leave(struct pcie_order_watch *w, uint32_t number, struct sim_error *err)
{
    uint32_t at = place_in(w, number);
    struct order_item *leaving = &w->ring[at & w->mask];

    leaving->gone = true;
    for (uint32_t i = w->head; i != at; i++) {
        const struct order_item *earlier = &w->ring[i & w->mask];

        if (!earlier->gone && earlier->path == leaving->path &&
            !pcie_order_allows(&leaving->key, &earlier->key))
            return report_passing(err, w->where, w->what, &leaving->key, &earlier->key);
    }
    skip_gone(w);
    return true;
}

void pcie_order_leave(struct pcie_order_watch *w, uint32_t number)
{
    struct sim_error err;

    err.code = SIM_OK; /* all that is looked at: the rest would cost more than the check */
    if (!pcie_order_try_leave(w, number, &err))
        sim_assert_fail(err.text, __FILE__, __LINE__);
}

void pcie_order_forget(struct pcie_order_watch *w, uint32_t number)
{
    w->ring[place_in(w, number) & w->mask].gone = true;
    skip_gone(w);
}

void pcie_order_clear(struct pcie_order_watch *w)
{
    w->head = w->tail = 0;
}

/* ---- end to end ---- */

/* trace_id: the number of the packet, of its component, and of two ports that it went by. */
#define NUMBER_BITS 32u
#define ROUTE_SHIFT 56u /* sim_number() is below 2^24 */
#define ROUTE_BITS  4u

/** The last of each kind that took effect here; one with attributes that relax rules is none. */
struct order_source {
    uint64_t id; /* 0: this place is free */
    struct {
        uint64_t number;
        struct pcie_order_key key;
    } last[PCIE_ORDER_KINDS];
};

struct pcie_order_end {
    const char *where;
    uint64_t id, next;
    struct order_source *sources; /* open addressing */
    uint32_t mask, used;
};

struct pcie_order_end *pcie_order_end_create(struct sim_domain *dom, const char *where)
{
    struct pcie_order_end *e;

    if (!sim_order_checked(dom) || sim_probe_of(dom) != NULL)
        return NULL;
    e = calloc(1, sizeof(*e));
    SIM_ASSERT(e != NULL);
    e->where = where;
    e->id = sim_number(dom);
    e->mask = 7;
    e->sources = calloc(e->mask + UINT64_C(1), sizeof(*e->sources));
    SIM_ASSERT(e->sources != NULL);
    return e;
}

void pcie_order_end_destroy(struct pcie_order_end *e)
{
    if (e == NULL)
        return;
    free(e->sources);
    free(e);
}

void pcie_order_begin(struct pcie_order_end *e, struct pcie_tlp *tlp)
{
    SIM_ASSERT(e->next + 1 < UINT64_C(1) << NUMBER_BITS);
    tlp->trace_id = e->id << NUMBER_BITS | ++e->next;
}

void pcie_order_by(struct pcie_tlp *tlp, unsigned port)
{
    unsigned shift = ROUTE_SHIFT;

    if (tlp->trace_id == 0) /* as in pcie_order_try_arrive() */
        return;
    if (tlp->trace_id >> shift != 0)
        shift += ROUTE_BITS;
    SIM_ASSERT(port + 1 < 1u << ROUTE_BITS);
    if (tlp->trace_id >> shift == 0)
        tlp->trace_id |= (port + UINT64_C(1)) << shift;
    else
        tlp->trace_id = 0;
}

static struct order_source *place_of(struct order_source *sources, uint32_t mask, uint64_t id)
{
    uint32_t at = (uint32_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

    while (sources[at].id != 0 && sources[at].id != id)
        at = (at + 1) & mask;
    return &sources[at];
}

static struct order_source *source_of(struct pcie_order_end *e, uint64_t id)
{
    struct order_source *s;

    if (2 * e->used > e->mask) {
        uint32_t mask = 2 * e->mask + 1;
        struct order_source *sources = calloc(mask + UINT64_C(1), sizeof(*sources));

        SIM_ASSERT(sources != NULL);
        for (uint32_t i = 0; i <= e->mask; i++)
            if (e->sources[i].id != 0)
                *place_of(sources, mask, e->sources[i].id) = e->sources[i];
        free(e->sources);
        e->sources = sources;
        e->mask = mask;
    }
    s = place_of(e->sources, e->mask, id);
    e->used += s->id == 0;
    s->id = id;
    return s;
}

bool pcie_order_try_arrive(struct pcie_order_end *e, const struct pcie_tlp *tlp,
                           struct sim_error *err)
{
    struct pcie_order_key key = pcie_order_key_of(tlp);
    uint64_t id = tlp->trace_id >> NUMBER_BITS;
    uint64_t number = tlp->trace_id & ((UINT64_C(1) << NUMBER_BITS) - 1);
    struct order_source *s;

    if (id == 0) /* from a component that takes no part: a device of a test */
        return true;
    s = source_of(e, id);
    for (unsigned k = 0; k < PCIE_ORDER_KINDS; k++)
        if (s->last[k].number > number && !pcie_order_allows(&s->last[k].key, &key))
            return report_passing(err, e->where, "on the way here", &s->last[k].key, &key);
    if (key.attr == 0 && number > s->last[key.kind].number) {
        s->last[key.kind].number = number;
        s->last[key.kind].key = key;
    }
    return true;
}

void pcie_order_arrive(struct pcie_order_end *e, const struct pcie_tlp *tlp)
{
    struct sim_error err;

    err.code = SIM_OK;
    if (!pcie_order_try_arrive(e, tlp, &err))
        sim_assert_fail(err.text, __FILE__, __LINE__);
}
