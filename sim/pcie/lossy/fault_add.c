/* The faults of a port: tables of what a machine file says of them; checked and kept, all at once
 * or one by one. */
#include "pcie/lossy/fault.h"
#include "pcie/lossy/lossy_impl.h"
#include "pcie/lossy/misbehave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fault_kind {
    KIND_BIT_ERROR_RATE,
    KIND_BURST,
    KIND_CORRUPT,
    KIND_DROP,
    KIND_NULLIFY,
    KIND_DUPLICATE,
    KIND_FLAP,
    KIND_DOWN,
    KIND_STUCK_CREDIT,
    KIND_DEGRADE,
    KIND_MISDEED /* + enum pcie_misdeed */
};

/* clang-format off */
#define ROW(key, unit, min, max, def, field, meaning) \
    { key, unit, min, max, def, offsetof(struct pcie_fault_values, field), meaning, NULL }
#define NTH_MAX  UINT64_C(1000000000000)
#define TIME_MAX (UINT64_C(1000000) * SIM_MS)
/* A default that is no value: must be given. */
#define GIVEN    UINT64_MAX

#define RATE    ROW("bit_error_rate", "1e-18", 0, PCIE_BER_MAX, GIVEN, rate_e18, "bits that arrive wrong, of all bits that are sent")
#define AT(def) ROW("at", "ps", 0, TIME_MAX, def, at_ps, "when it begins")
#define FOR     ROW("for", "ps", 1, TIME_MAX, GIVEN, for_ps, "how long it lasts")
#define AGAIN   ROW("every", "ps", 0, TIME_MAX, 0, every_ps, "from the beginning of one to that of the next"), \
                ROW("times", "1", 1, 10000, 1, times, "how often it happens")
#define TLP(min) ROW("tlp", "1", min, NTH_MAX, 0, tlp, "which TLP that the port sends, counted from 1, replays with them")

static const struct machine_param rate_rows[] = { RATE, MACHINE_PARAM_END };
static const struct machine_param burst_rows[] = { AT(GIVEN), FOR, RATE, AGAIN, MACHINE_PARAM_END };
static const struct machine_param nth_rows[] = {
    TLP(0),
    ROW("dllp", "1", 0, NTH_MAX, 0, dllp, "which DLLP that the port sends, counted from 1"),
    MACHINE_PARAM_END
};
static const struct machine_param tlp_rows[] = { TLP(1), MACHINE_PARAM_END };
static const struct machine_param outage_rows[] = { AT(GIVEN), FOR, AGAIN, MACHINE_PARAM_END };
static const struct machine_param stuck_rows[] = {
    { "class", "choice", 0, 2, GIVEN, offsetof(struct pcie_fault_values, cls), "whose credits are held back", "posted|non-posted|completion" },
    AT(0),
    ROW("for", "ps", 0, TIME_MAX, 0, for_ps, "how long it lasts; 0 = for ever"),
    MACHINE_PARAM_END
};
static const struct machine_param degrade_rows[] = {
    AT(0),
    ROW("gen", "1", 0, 5, 0, gen, "generation at most; 0 = as before"),
    ROW("lanes", "1", 0, 16, 0, lanes, "lanes at most (1, 2, 4, 8, 16); 0 = as before"),
    MACHINE_PARAM_END
};
#undef ROW
#define ROW(key, unit, min, max, def, field, meaning) \
    { key, unit, min, max, def, offsetof(struct pcie_misbehave_values, field), meaning, NULL }
#define TIME     ROW("at", "ps", 0, TIME_MAX, 0, at_ps, "when it begins"), \
                 ROW("for", "ps", 0, TIME_MAX, 0, for_ps, "how long it lasts; 0 = for ever")
#define SHARE    ROW("share", "1e-6", 0, 1000000, 1000000, ppm, "of the requests that it hits, picked at random")
#define REQUESTS ROW("skip", "1", 0, NTH_MAX, 0, skip, "requests that are spared first"), \
                 ROW("count", "1", 0, NTH_MAX, 0, count, "requests that may be hit then; 0 = all")

static const struct machine_param misdeed_rows[] = { SHARE, TIME, REQUESTS, MACHINE_PARAM_END };
static const struct machine_param slow_rows[] = {
    ROW("by", "ps", 1, TIME_MAX, GIVEN, late_ps, "later than it would answer"), SHARE, TIME, REQUESTS, MACHINE_PARAM_END
};
static const struct machine_param dead_rows[] = { TIME, MACHINE_PARAM_END };

#define FAULT(kind, name, place, rows, meaning) \
    [KIND_##kind] = { name, MACHINE_OF_##place, rows, sizeof(struct pcie_fault_values), meaning }
#define MISDEED(deed, name, rows, meaning) \
    [KIND_MISDEED + PCIE_##deed] = { name, MACHINE_OF_COMPONENT, rows, sizeof(struct pcie_misbehave_values), meaning }

const struct machine_fault_kind pcie_faults[] = {
    FAULT(BIT_ERROR_RATE, "bit_error_rate", PORT, rate_rows, "Bits of what the port sends arrive wrong at random."),
    FAULT(BURST, "burst", PORT, burst_rows, "For a time another bit error rate."),
    FAULT(CORRUPT, "corrupt", PORT, nth_rows, "One bit of the n-th TLP or DLLP arrives wrong."),
    FAULT(DROP, "drop", PORT, nth_rows, "The n-th TLP or DLLP loses its framing: nothing of it is seen."),
    FAULT(NULLIFY, "nullify", PORT, tlp_rows, "The n-th TLP is first sent with EDB, to be ignored."),
    FAULT(DUPLICATE, "duplicate", PORT, tlp_rows, "The n-th TLP is sent twice."),
    FAULT(FLAP, "flap", LINK, outage_rows, "For a time nothing passes; then the link retrains and goes on where it was."),
    FAULT(DOWN, "down", LINK, outage_rows, "For a time the link is down; what it held is lost."),
    FAULT(STUCK_CREDIT, "stuck_credit", PORT, stuck_rows, "For a time the port announces no credits of a class."),
    FAULT(DEGRADE, "degrade", LINK, degrade_rows, "The link retrains and comes back slower or narrower."),
    MISDEED(POISONS, "poison", misdeed_rows, "Completions with data are poisoned."),
    MISDEED(ABORTS, "abort", misdeed_rows, "Requests are answered with Completer Abort."),
    MISDEED(IS_LATE, "slow", slow_rows, "Requests are answered later."),
    MISDEED(IS_SILENT, "silent", misdeed_rows, "Requests are taken and never answered."),
    MISDEED(STOPS_TAKING, "dead", dead_rows, "Nothing is taken out of its receive buffers, which fill up."),
    MACHINE_FAULT_END
};
/* clang-format on */

struct pcie_misbehavior pcie_misbehavior_of(const struct machine_fault_kind *what,
                                            const struct pcie_misbehave_values *values)
{
    return (struct pcie_misbehavior){
        .deed = (enum pcie_misdeed)(what - pcie_faults - KIND_MISDEED),
        .from_ps = values->at_ps,
        .to_ps = values->for_ps != 0 ? values->at_ps + values->for_ps : SIM_TIME_NEVER,
        .skip = values->skip,
        .count = values->count,
        .ppm = (uint32_t)values->ppm,
        .late_ps = values->late_ps,
    };
}

/* ---- all faults of a port ---- */

static int refuse_fault(struct sim_error *err, const struct pcie_port *p, const char *what,
                        size_t index, uint64_t value, const char *expected)
{
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: fault %s[%zu] = %llu: expected %s", p->path,
                         what, index, (unsigned long long)value, expected);
}

static int check_nth(const struct pcie_port *p, const struct pcie_fault_config *cfg,
                     struct sim_error *err)
{
    for (size_t i = 0; i < cfg->nth_count; i++) {
        const struct pcie_fault_nth *f = &cfg->nth[i];

        if (f->n == 0)
            return refuse_fault(err, p, "nth", i, f->n, "a number from 1");
        if (f->packet == PCIE_FAULT_DLLP && f->effect > PCIE_FAULT_DROP)
            return refuse_fault(err, p, "effect", i, f->effect, "corrupt or drop for a DLLP");
    }
    return SIM_OK;
}

static int check_bursts(const struct pcie_port *p, const struct pcie_fault_config *cfg,
                        struct sim_error *err)
{
    sim_time_t free_from = 0;

    for (size_t i = 0; i < cfg->burst_count; i++) {
        const struct pcie_fault_burst *b = &cfg->bursts[i];

        if (b->ber_e18 > PCIE_BER_MAX)
            return refuse_fault(err, p, "burst", i, b->ber_e18, "at most 10^17, one bit in ten");
        if (b->duration_ps == 0 || b->duration_ps > SIM_TIME_NEVER - b->at_ps)
            return refuse_fault(err, p, "burst", i, b->duration_ps, "a duration of 1 ps or more");
        if (b->at_ps < free_from)
            return refuse_fault(err, p, "burst", i, b->at_ps, "a time after the burst before");
        free_from = b->at_ps + b->duration_ps;
    }
    return SIM_OK;
}

/** Each fault by itself: lists of both ends are merged (train.c). */
static int check_link(const struct pcie_port *p, const struct pcie_fault_config *cfg,
                      struct sim_error *err)
{
    for (size_t i = 0; i < cfg->outage_count; i++) {
        const struct pcie_fault_outage *o = &cfg->outages[i];

        if (o->duration_ps == 0 || o->duration_ps > SIM_TIME_NEVER - o->at_ps)
            return refuse_fault(err, p, "outage", i, o->duration_ps, "a duration of 1 ps or more");
    }
    for (size_t i = 0; i < cfg->stuck_count; i++) {
        if (cfg->stuck[i].cls > PCIE_COMPLETION)
            return refuse_fault(err, p, "stuck", i, cfg->stuck[i].cls, "a class");
    }
    for (size_t i = 0; i < cfg->degrade_count; i++) {
        const struct pcie_fault_degrade *d = &cfg->degrades[i];

        if (d->gen > 5)
            return refuse_fault(err, p, "degrade.gen", i, d->gen, "0 to 5");
        if (d->lanes > 16 || (d->lanes & (d->lanes - 1)) != 0)
            return refuse_fault(err, p, "degrade.lanes", i, d->lanes, "0, 1, 2, 4, 8 or 16");
    }
    return SIM_OK;
}

static int check_config(const struct pcie_port *p, const struct pcie_fault_config *cfg,
                        struct sim_error *err)
{
    int rc;

    if (!pcie_port_connected(p))
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: a port that is not connected has no faults",
                             p->path);
    if (sim_now(p->dom) != 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: faults are given before the simulation runs",
                             p->path);
    if (cfg->ber_e18 > PCIE_BER_MAX)
        return refuse_fault(err, p, "ber_e18", 0, cfg->ber_e18, "at most 10^17, one bit in ten");
    rc = check_nth(p, cfg, err);
    if (rc == SIM_OK)
        rc = check_bursts(p, cfg, err);
    return rc == SIM_OK ? check_link(p, cfg, err) : rc;
}

static const void *keep_part(unsigned char **at, const void *from, size_t bytes)
{
    unsigned char *to = *at;

    if (bytes != 0)
        memcpy(to, from, bytes);
    *at += bytes;
    return to;
}

/** All lists in one block, which is owned; elements have the same alignment. */
static int copy_config(struct fault_wire *w, const struct pcie_fault_config *cfg)
{
    size_t nth = cfg->nth_count * sizeof(*cfg->nth);
    size_t bursts = cfg->burst_count * sizeof(*cfg->bursts);
    size_t outages = cfg->outage_count * sizeof(*cfg->outages);
    size_t stuck = cfg->stuck_count * sizeof(*cfg->stuck);
    size_t degrades = cfg->degrade_count * sizeof(*cfg->degrades);
    unsigned char *at = malloc(nth + bursts + outages + stuck + degrades + 1);

    if (at == NULL)
        return SIM_ERR_NOMEM;
    free(w->lists);
    w->lists = at;
    w->cfg = *cfg;
    w->cfg.nth = keep_part(&at, cfg->nth, nth);
    w->cfg.bursts = keep_part(&at, cfg->bursts, bursts);
    w->cfg.outages = keep_part(&at, cfg->outages, outages);
    w->cfg.stuck = keep_part(&at, cfg->stuck, stuck);
    w->cfg.degrades = keep_part(&at, cfg->degrades, degrades);
    return SIM_OK;
}

static void start_wire(struct pcie_port *p)
{
    struct fault_wire *w = &p->lossy->wire;
    char path[256];

    snprintf(path, sizeof(path), "%s.faults", p->path);
    pcie_wire_start(w, sim_seed(p->dom) ^ sim_hash_bytes(0, &w->cfg.seed, 8), path);
}

int pcie_port_set_faults(struct pcie_port *p, const struct pcie_fault_config *cfg,
                         struct sim_error *err)
{
    int rc = check_config(p, cfg, err);

    if (rc != SIM_OK)
        return rc;
    if (pcie_lossy_attach(p) != SIM_OK || pcie_lossy_attach(p->far) != SIM_OK ||
        copy_config(&p->lossy->wire, cfg) != SIM_OK || pcie_lossy_plan(p) != SIM_OK ||
        pcie_lossy_plan(p->far) != SIM_OK)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", p->path);
    start_wire(p);
    start_wire(p->far);
    return SIM_OK;
}

/* ---- one by one ---- */

/** What a port has been given so far. */
struct pcie_fault_list {
    struct pcie_fault_config cfg;
    struct pcie_fault_nth *nth;
    struct pcie_fault_burst *bursts;
    struct pcie_fault_outage *outages;
    struct pcie_fault_stuck *stuck;
    struct pcie_fault_degrade *degrades;
};

/** Appends to an array of `*n_p` items. False: out of memory. */
static bool append_item(void *array_p, size_t *n_p, const void *item, size_t bytes)
{
    char **array = array_p;
    char *bigger = realloc(*array, (*n_p + 1) * bytes);

    if (bigger == NULL)
        return false;
    memcpy(bigger + *n_p * bytes, item, bytes);
    *array = bigger;
    (*n_p)++;
    return true;
}

static bool add_nth(struct pcie_fault_list *l, enum pcie_fault_effect effect,
                    const struct pcie_fault_values *v)
{
    const struct pcie_fault_nth tlp = { PCIE_FAULT_TLP, effect, v->tlp };
    const struct pcie_fault_nth dllp = { PCIE_FAULT_DLLP, effect, v->dllp };

    return (v->tlp == 0 || append_item(&l->nth, &l->cfg.nth_count, &tlp, sizeof(tlp))) &&
           (v->dllp == 0 || append_item(&l->nth, &l->cfg.nth_count, &dllp, sizeof(dllp)));
}

static int by_time(const void *a, const void *b)
{
    const struct pcie_fault_burst *p = a, *q = b;

    return (p->at_ps > q->at_ps) - (p->at_ps < q->at_ps);
}

static bool add_bursts(struct pcie_fault_list *l, const struct pcie_fault_values *v)
{
    for (uint64_t i = 0; i < v->times; i++) {
        const struct pcie_fault_burst burst = { v->at_ps + i * v->every_ps, v->for_ps,
                                                v->rate_e18 };

        if (!append_item(&l->bursts, &l->cfg.burst_count, &burst, sizeof(burst)))
            return false;
    }
    if (l->bursts != NULL)
        qsort(l->bursts, l->cfg.burst_count, sizeof(*l->bursts), by_time);
    return true;
}

static bool add_outages(struct pcie_fault_list *l, bool down, const struct pcie_fault_values *v)
{
    for (uint64_t i = 0; i < v->times; i++) {
        const struct pcie_fault_outage outage = { v->at_ps + i * v->every_ps, v->for_ps, down };

        if (!append_item(&l->outages, &l->cfg.outage_count, &outage, sizeof(outage)))
            return false;
    }
    return true;
}

static bool add_fault(struct pcie_fault_list *l, enum fault_kind kind,
                      const struct pcie_fault_values *v)
{
    const struct pcie_fault_stuck stuck = { v->at_ps, v->for_ps != 0 ? v->for_ps : SIM_TIME_NEVER,
                                            (enum pcie_class)v->cls };
    const struct pcie_fault_degrade degrade = { v->at_ps, v->gen, v->lanes };

    switch (kind) {
    case KIND_BIT_ERROR_RATE:
        l->cfg.ber_e18 = v->rate_e18;
        return true;
    case KIND_BURST:
        return add_bursts(l, v);
    case KIND_CORRUPT:
        return add_nth(l, PCIE_FAULT_CORRUPT, v);
    case KIND_DROP:
        return add_nth(l, PCIE_FAULT_DROP, v);
    case KIND_NULLIFY:
        return add_nth(l, PCIE_FAULT_NULLIFY, v);
    case KIND_DUPLICATE:
        return add_nth(l, PCIE_FAULT_DUPLICATE, v);
    case KIND_FLAP:
    case KIND_DOWN:
        return add_outages(l, kind == KIND_DOWN, v);
    case KIND_STUCK_CREDIT:
        return append_item(&l->stuck, &l->cfg.stuck_count, &stuck, sizeof(stuck));
    default:
        SIM_ASSERT(kind == KIND_DEGRADE);
        return append_item(&l->degrades, &l->cfg.degrade_count, &degrade, sizeof(degrade));
    }
}

/** What no row can say alone. */
static int check_values(const struct pcie_port *p, enum fault_kind kind,
                        const struct pcie_fault_values *v, struct sim_error *err)
{
    if ((kind == KIND_CORRUPT || kind == KIND_DROP) && v->tlp == 0 && v->dllp == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: %s: expected tlp or dllp, from 1", p->path,
                             kind == KIND_DROP ? "drop" : "corrupt");
    if (kind == KIND_DEGRADE && v->gen == 0 && v->lanes == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: degrade: expected gen or lanes", p->path);
    if (v->times > 1 && v->every_ps < v->for_ps)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: every = %llu ps: expected at least `for`, %llu ps", p->path,
                             (unsigned long long)v->every_ps, (unsigned long long)v->for_ps);
    return SIM_OK;
}

void pcie_fault_list_free(struct pcie_fault_list *l)
{
    if (l == NULL)
        return;
    free(l->nth);
    free(l->bursts);
    free(l->outages);
    free(l->stuck);
    free(l->degrades);
    free(l);
}

/** The list is the link's, once it is lossy. */
static void keep_list(struct pcie_port *p, struct pcie_fault_list *l)
{
    if (p->lossy != NULL)
        p->lossy->given = l;
    else
        pcie_fault_list_free(l);
}

int pcie_port_add_fault(struct pcie_port *p, const struct machine_fault_kind *what,
                        const struct pcie_fault_values *values, struct sim_error *err)
{
    enum fault_kind kind = (enum fault_kind)(what - pcie_faults);
    struct pcie_fault_list *l = p->lossy != NULL ? p->lossy->given : NULL;
    int rc = check_values(p, kind, values, err);

    if (rc != SIM_OK)
        return rc;
    if (l == NULL)
        l = calloc(1, sizeof(*l));
    if (l == NULL || !add_fault(l, kind, values)) {
        keep_list(p, l);
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", p->path);
    }
    l->cfg.nth = l->nth;
    l->cfg.bursts = l->bursts;
    l->cfg.outages = l->outages;
    l->cfg.stuck = l->stuck;
    l->cfg.degrades = l->degrades;
    rc = pcie_port_set_faults(p, &l->cfg, err);
    keep_list(p, l);
    return rc;
}
