#include "observe/usage.h"

#include "observe/map.h"
#include "pcie/port/phy.h"
#include "pcie/tlp/packet.h"

#include <stdlib.h>
#include <string.h>

#define WINDOWS_CHOSEN 400u /* where the length is chosen: it doubles when there would be more */
#define WINDOWS_MAX    (UINT32_C(1) << 20)

/** A direction of a port, or a part of a component. */
struct place {
    const char *key;    /* `where` of the models, to be compared only: the machine may be gone */
    char *where, *side; /* copies */
    uint32_t room;
    uint64_t (*windows)[OBSERVE_USES];
    sim_time_t skp, skp_interval; /* 0: nothing was sent here */
};

struct observe_usage {
    sim_time_t window, last; /* length; the end of the latest thing seen */
    bool chosen, overflow, nomem;
    uint32_t nplaces, places_room;
    struct place *places;
    struct observe_map map; /* (where, side) to 1 + index */
};

const char *observe_use_name(unsigned use)
{
    static const char *const names[OBSERVE_USES] = {
        [OBSERVE_PAYLOAD] = "payload",
        [OBSERVE_OVERHEAD] = "overhead",
        [OBSERVE_DLLP] = "dllp",
        [OBSERVE_SKP] = "skp",
        [OBSERVE_REPLAY] = "replay",
        [OBSERVE_STALL + SIM_STALL_CREDIT] = "stall_credit",
        [OBSERVE_STALL + SIM_STALL_REPLAY] = "stall_replay",
        [OBSERVE_STALL + SIM_STALL_DOWN] = "stall_down",
        [OBSERVE_STALL + SIM_STALL_LINK] = "stall_link",
        [OBSERVE_STALL + SIM_STALL_ARBITER] = "stall_arbiter",
        [OBSERVE_STALL + SIM_STALL_ORDER] = "stall_order",
        [OBSERVE_STALL + SIM_STALL_TAG] = "stall_tag",
        [OBSERVE_STALL + SIM_STALL_MEMORY] = "stall_memory",
    };

    return names[use];
}

/* ---- places ------------------------------------------------------------------------ */

/** @return its number; 0: out of memory */
static uint32_t add_place(struct observe_usage *u, const char *where, const char *side)
{
    struct place *p;

    for (uint32_t i = 0; i < u->nplaces; i++) /* models may have texts of one side more than once */
        if (u->places[i].key == where && strcmp(u->places[i].side, side) == 0)
            return i + 1;
    if (!observe_grow(&u->places, u->nplaces, &u->places_room, sizeof(*p)))
        return 0;
    p = &u->places[u->nplaces++];
    *p = (struct place){ .key = where,
                         .where = observe_join(where, "", ""),
                         .side = observe_join(side, "", "") };
    return p->where != NULL && p->side != NULL ? u->nplaces : 0;
}

/** NULL: out of memory. */
static struct place *place_of(struct observe_usage *u, const char *where, const char *side)
{
    uint32_t *at = !u->nomem ? observe_map_at(&u->map, where, side) : NULL;

    if (at != NULL && *at == 0)
        *at = add_place(u, where, side);
    u->nomem |= at == NULL || *at == 0;
    return u->nomem ? NULL : &u->places[*at - 1];
}

/* ---- windows ----------------------------------------------------------------------- */

/** Windows of twice the length. */
static void join_windows(struct observe_usage *u)
{
    u->window *= 2;
    for (uint32_t i = 0; i < u->nplaces; i++) {
        struct place *p = &u->places[i];

        for (uint32_t w = 0; w < p->room / 2; w++)
            for (unsigned use = 0; use < OBSERVE_USES; use++)
                p->windows[w][use] = p->windows[2 * w][use] + p->windows[2 * w + 1][use];
        memset(p->windows + p->room / 2, 0, p->room / 2 * sizeof(*p->windows));
    }
}

/** Room for windows up to time `to`. */
static bool reach_windows(struct observe_usage *u, struct place *p, sim_time_t to)
{
    uint64_t n = (to + u->window - 1) / u->window, room = p->room != 0 ? p->room : 64;
    uint64_t(*windows)[OBSERVE_USES];

    if (n <= p->room)
        return true;
    while (room < n)
        room *= 2;
    u->overflow |= n > WINDOWS_MAX;
    windows = u->overflow ? NULL : realloc(p->windows, room * sizeof(*windows));
    if (windows == NULL) {
        u->nomem |= !u->overflow;
        return false;
    }
    memset(windows + p->room, 0, (room - p->room) * sizeof(*windows));
    p->windows = windows;
    p->room = (uint32_t)room;
    return true;
}

static void add_time(struct observe_usage *u, struct place *p, unsigned use, sim_time_t from,
                     sim_time_t to)
{
    u->last = sim_max(u->last, to);
    while (u->chosen && to > WINDOWS_CHOSEN * u->window)
        join_windows(u);
    if (!reach_windows(u, p, to))
        return;
    while (from < to) {
        uint64_t w = from / u->window;
        sim_time_t end = sim_min((w + 1) * u->window, to);

        p->windows[w][use] += end - from;
        from = end;
    }
}

/* ---- the probe --------------------------------------------------------------------- */

static void take_stall(void *arg, const struct sim_stall *stall)
{
    struct observe_usage *u = arg;
    struct place *p = place_of(u, stall->where, stall->side);

    if (p != NULL)
        add_time(u, p, OBSERVE_STALL + stall->cause, stall->from, stall->to);
}

static void take_packet(void *arg, const struct sim_packet *packet)
{
    struct observe_usage *u = arg;
    struct place *p = place_of(u, packet->where, "tx");
    sim_time_t middle = packet->end;

    if (p == NULL)
        return;
    p->skp = packet->skp;
    p->skp_interval = packet->skp_interval;
    if (packet->kind == SIM_PACKET_DLLP) {
        add_time(u, p, OBSERVE_DLLP, packet->begin, packet->end);
    } else if ((packet->flags & SIM_PACKET_REPLAY) != 0) {
        add_time(u, p, OBSERVE_REPLAY, packet->begin, packet->end);
    } else {
        const struct pcie_tlp *tlp = pcie_packet_of(packet)->tlp;
        uint64_t bytes = pcie_tlp_data_bytes(tlp);
        uint64_t symbols = PCIE_TLP_FRAMING + pcie_tlp_header_bytes(tlp) + bytes;

        middle -= (packet->end - packet->begin) * bytes / symbols;
        add_time(u, p, OBSERVE_OVERHEAD, packet->begin, middle);
        add_time(u, p, OBSERVE_PAYLOAD, middle, packet->end);
    }
}

/* ---- outside ------------------------------------------------------------------------ */

struct observe_usage *observe_usage_create(sim_time_t window_ps, struct observe_fan *fan)
{
    struct observe_usage *u = calloc(1, sizeof(*u));

    if (u == NULL)
        return NULL;
    u->chosen = window_ps == 0;
    u->window = u->chosen ? SIM_NS : window_ps;
    observe_fan_add(fan,
                    &(struct sim_probe){ .packet = take_packet, .stall = take_stall, .arg = u });
    return u;
}

void observe_usage_destroy(struct observe_usage *u)
{
    if (u == NULL)
        return;
    for (uint32_t i = 0; i < u->nplaces; i++) {
        free(u->places[i].where);
        free(u->places[i].side);
        free(u->places[i].windows);
    }
    free(u->places);
    observe_map_fini(&u->map);
    free(u);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int c = strcmp(x->where, y->where);

    return c != 0 ? c : strcmp(x->side, y->side);
}

/* SKP ordered sets until `at`: one begins with each interval but the first, and lasts p->skp. */
static sim_time_t skp_until(const struct place *p, sim_time_t at)
{
    sim_time_t since = at % p->skp_interval;

    if (at < p->skp_interval)
        return 0;
    return (at / p->skp_interval - 1) * p->skp + sim_min(since, p->skp);
}

static void report_place(const struct observe_usage *u, const struct place *p, sim_time_t end,
                         observe_window_fn fn, void *arg)
{
    uint64_t n = (end + u->window - 1) / u->window;

    for (uint64_t i = 0; i < n; i++) {
        struct observe_window w = { .where = p->where, .side = p->side };
        bool any = i + 1 == n;

        w.from = i * u->window;
        w.to = sim_min(w.from + u->window, end);
        for (unsigned use = 0; i < p->room && use < OBSERVE_USES; use++) {
            w.ps[use] = p->windows[i][use];
            any |= w.ps[use] != 0;
        }
        if (p->skp_interval != 0)
            w.ps[OBSERVE_SKP] = skp_until(p, w.to) - skp_until(p, w.from);
        if (any)
            fn(arg, &w);
    }
}

int observe_usage_each(struct observe_usage *u, sim_time_t end, observe_window_fn fn, void *arg,
                       struct sim_error *err)
{
    if (u->overflow)
        return sim_error_set(err, SIM_ERR_LIMIT,
                             "more than %u windows of %llu ps: expected longer ones", WINDOWS_MAX,
                             (unsigned long long)u->window);
    if (u->nomem)
        return sim_error_set(err, SIM_ERR_NOMEM, "use of links: out of memory");
    if (u->nplaces != 0)
        qsort(u->places, u->nplaces, sizeof(*u->places), compare_places);
    observe_map_fini(&u->map); /* add_place() finds them again */
    for (uint32_t i = 0; i < u->nplaces; i++)
        report_place(u, &u->places[i], sim_max(end, u->last), fn, arg);
    return SIM_OK;
}
