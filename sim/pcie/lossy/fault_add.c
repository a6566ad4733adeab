/* The faults of a port: tables of what a machine file says of them; each is checked and added to
 * those before it. */
#include "pcie/lossy/fault.h"
#include "pcie/lossy/lossy_impl.h"
#include "pcie/lossy/misbehave.h"

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

/* ---- what a port is given ---- */

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

static bool add_nth(struct fault_wire *w, enum pcie_fault_packet packet,
                    enum pcie_fault_effect effect, uint64_t n)
{
    const struct pcie_fault_nth nth = { packet, effect, n };

    return n == 0 || append_item(&w->nth, &w->nth_count, &nth, sizeof(nth));
}

static int by_time(const void *a, const void *b)
{
    const struct pcie_fault_burst *p = a, *q = b;

    return (p->at_ps > q->at_ps) - (p->at_ps < q->at_ps);
}

static bool add_bursts(struct fault_wire *w, const struct pcie_fault_values *v)
{
    for (uint64_t i = 0; i < v->times; i++) {
        const struct pcie_fault_burst burst = { v->at_ps + i * v->every_ps, v->for_ps,
                                                v->rate_e18 };

        if (!append_item(&w->bursts, &w->burst_count, &burst, sizeof(burst)))
            return false;
    }
    qsort(w->bursts, w->burst_count, sizeof(*w->bursts), by_time);
    return true;
}

static bool plan_at(struct pcie_lossy *l, const struct plan_entry *e)
{
    size_t i = l->plan_count;

    if (!append_item(&l->plan, &l->plan_count, e, sizeof(*e)))
        return false;
    for (; i > 0 && l->plan[i - 1].at > e->at; i--) {
        l->plan[i] = l->plan[i - 1];
        l->plan[i - 1] = *e;
    }
    l->next_outage = l->plan[0].at;
    return true;
}

/** Both ends know when the link trains by plan. */
static bool plan_link(struct pcie_port *p, bool down, const struct pcie_fault_values *v)
{
    bool degrade = v->gen != 0 || v->lanes != 0, kept = true;

    for (uint64_t i = 0; kept && i < (degrade ? 1 : v->times); i++) {
        sim_time_t at = v->at_ps + i * v->every_ps;
        const struct plan_entry e = { at, at + (degrade ? p->cfg.recovery_ps : v->for_ps), down,
                                      (uint32_t)v->gen, (uint32_t)v->lanes };

        kept = plan_at(p->lossy, &e) && plan_at(p->far->lossy, &e);
    }
    return kept;
}

static bool add_fault(struct pcie_port *p, enum fault_kind kind, const struct pcie_fault_values *v)
{
    struct fault_wire *w = &p->lossy->wire;
    const struct pcie_fault_stuck stuck = { v->at_ps, v->for_ps != 0 ? v->for_ps : SIM_TIME_NEVER,
                                            (enum pcie_class)v->cls };

    switch (kind) {
    case KIND_BIT_ERROR_RATE:
        w->line_ber_e18 = v->rate_e18;
        return true;
    case KIND_BURST:
        return add_bursts(w, v);
    case KIND_FLAP:
    case KIND_DOWN:
    case KIND_DEGRADE:
        return plan_link(p, kind == KIND_DOWN, v);
    case KIND_STUCK_CREDIT:
        return append_item(&w->stuck, &w->stuck_count, &stuck, sizeof(stuck));
    default: {
        enum pcie_fault_effect effect = (enum pcie_fault_effect)(kind - KIND_CORRUPT);

        return add_nth(w, PCIE_FAULT_TLP, effect, v->tlp) &&
               add_nth(w, PCIE_FAULT_DLLP, effect, v->dllp);
    }
    }
}

/** What no row can say alone. */
static int check_values(const struct pcie_port *p, enum fault_kind kind,
                        const struct pcie_fault_values *v, struct sim_error *err)
{
    if (!pcie_port_connected(p))
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: a port that is not connected has no faults",
                             p->path);
    if ((kind == KIND_CORRUPT || kind == KIND_DROP) && v->tlp == 0 && v->dllp == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: %s: expected tlp or dllp, from 1", p->path,
                             kind == KIND_DROP ? "drop" : "corrupt");
    if (kind == KIND_DEGRADE && v->gen == 0 && v->lanes == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: degrade: expected gen or lanes", p->path);
    if ((v->lanes & (v->lanes - 1)) != 0)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: degrade.lanes = %llu: expected 0, 1, 2, 4, 8 or 16", p->path,
                             (unsigned long long)v->lanes);
    if (v->times > 1 && v->every_ps < v->for_ps)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: every = %llu ps: expected at least `for`, %llu ps", p->path,
                             (unsigned long long)v->every_ps, (unsigned long long)v->for_ps);
    return SIM_OK;
}

/** Bursts of several lines of a file may overlap. */
static int check_bursts(const struct pcie_port *p, struct sim_error *err)
{
    const struct fault_wire *w = &p->lossy->wire;

    for (size_t i = 1; i < w->burst_count; i++)
        if (w->bursts[i].at_ps < w->bursts[i - 1].at_ps + w->bursts[i - 1].duration_ps)
            return sim_error_set(err, SIM_ERR_CONFIG,
                                 "%s: fault burst[%zu] = %llu: expected a time after the burst "
                                 "before",
                                 p->path, i, (unsigned long long)w->bursts[i].at_ps);
    return SIM_OK;
}

int pcie_port_add_fault(struct pcie_port *p, const struct machine_fault_kind *what,
                        const struct pcie_fault_values *values, struct sim_error *err)
{
    enum fault_kind kind = (enum fault_kind)(what - pcie_faults);
    int rc = check_values(p, kind, values, err);

    if (rc != SIM_OK)
        return rc;
    SIM_ASSERT(sim_now(p->dom) == 0);
    if (!pcie_lossy_attach(p) || !pcie_lossy_attach(p->far) || !add_fault(p, kind, values))
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", p->path);
    pcie_wire_start(p);
    pcie_wire_start(p->far);
    return check_bursts(p, err);
}
