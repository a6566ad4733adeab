/*
 * The discrete-event core: time, clocks, events, domains, channels, random
 * streams, statistics and fingerprints. docs/example-core.c shows it in 40 lines.
 *
 * A simulation owns domains. A domain is a part that can run on its own: it has
 * its own clock, event queue, random streams and statistics, and a model holds
 * its domain, never the simulation. Domains meet only in channels. No function
 * here may be called for one simulation from two threads at once; different
 * simulations are independent of each other.
 */
#ifndef SIM_CORE_SIM_H
#define SIM_CORE_SIM_H

#include <stdalign.h>
#include <stddef.h>

#include "core/error.h"

SIM_BEGIN_DECLS

/** Zeroed memory that begins at a cache line, for what hot paths touch; free() it. NULL: none left.
 */
void *sim_calloc(size_t bytes);
#define SIM_CACHE_LINE 64

#define SIM_CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/** Elements of an array. */
#define SIM_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline uint64_t sim_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static inline uint64_t sim_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
/** The little-endian word at `p`, and one of up to 8 bytes to there. */
static inline uint32_t sim_load32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline void sim_store(uint8_t *p, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

/* ---- time --------------------------------------------------------------- */

typedef uint64_t sim_time_t; /* picoseconds since the start of the simulation */

#define SIM_TIME_NEVER UINT64_MAX
#define SIM_NS         UINT64_C(1000)
#define SIM_US         UINT64_C(1000000)
#define SIM_MS         UINT64_C(1000000000)

/** Edges of a clock of `khz`: edge n is at phase + floor(n * 10^12 / f). Set by sim_clock_init().
 */
struct sim_clock {
    uint64_t ps_num, ps_den; /* the period as a reduced fraction of picoseconds */
    sim_time_t phase_ps;     /* the first edge; the owner may set it before the clock is used */
};

/** The greatest common divisor. */
uint64_t sim_gcd(uint64_t a, uint64_t b);
/** @param khz 1 .. 10^7 (10 GHz) */
void sim_clock_init(struct sim_clock *clk, uint64_t khz);
sim_time_t sim_clock_time(const struct sim_clock *clk, uint64_t edge);
/** The first edge at or after `t`. */
uint64_t sim_clock_edge(const struct sim_clock *clk, sim_time_t t);
/** The fewest cycles that last so long. */
uint64_t sim_clock_cycles(const struct sim_clock *clk, sim_time_t duration);

/* ---- simulation and domains ---------------------------------------------- */

struct sim;
struct sim_domain;
struct sim_probe;

/** How domains take turns and ties are broken; results must not depend on it. */
struct sim_order {
    bool shuffle_ties;  /* equal (time, phase) in random order */
    bool shuffle_turns; /* domains in random order; crossing records copied, originals poisoned */
    uint64_t seed;
};

struct sim_config {
    uint64_t seed;          /* of every random stream */
    bool fingerprint;       /* compute `visible`, `wire` and `edge`; costs time on each TLP */
    struct sim_order order; /* all zero: the fast order */
    const struct sim_probe
        *probe;       /* an observer (core/probe.h), or NULL; outlives the simulation */
    bool check_order; /* models watch that no packet passes another that it must not; costs time */
};

/** NULL when memory is exhausted. Free with sim_destroy(), which frees domains and channels too. */
struct sim *sim_create(const struct sim_config *cfg);
void sim_destroy(struct sim *sim);

/** `name` ("node3") is copied; it must be unique. At most 16383 domains. NULL: out of memory. */
struct sim_domain *sim_domain_create(struct sim *sim, const char *name);
const char *sim_domain_name(const struct sim_domain *dom);
/** How many there are. */
uint32_t sim_domains(const struct sim *sim);
sim_time_t sim_now(const struct sim_domain *dom);
uint64_t sim_seed(const struct sim_domain *dom);

/**
 * Runs until no event is left, sim_stop() is called, or the next event lies after `until`.
 * Events at `until` itself are run. May be called again to go on. All domains then stand at one
 * time: that of the last event, `until`, or what sim_stop() says.
 * @return SIM_OK (nothing left, or stopped) or SIM_ERR_LIMIT (events are left after `until`).
 */
int sim_run(struct sim *sim, sim_time_t until);
/**
 * Ends sim_run() later by the smallest latency between domains: no domain is ahead of that time
 * yet. So the end depends neither on the order of domains nor on what else has events. The earliest
 * of several calls counts.
 */
void sim_stop(struct sim_domain *dom);
/**
 * Between runs: the next one ends, as by sim_stop(), when `n` parts of it have ended: ranks of a
 * program, say. Each of them says when, and wherever it is; the last end counts. 0: it does not end
 * by that.
 */
void sim_expect(struct sim *sim, uint64_t n);
/** One of the parts has ended, at `at`, the present time or an earlier one. */
void sim_part_ended(struct sim_domain *dom, sim_time_t at);
/** How many have not, between runs. In a group all processes know. */
uint64_t sim_parts_left(const struct sim *sim);
/**
 * No domain runs ahead of another any more: a window is one instant. For a component that shares
 * something with those of other domains, such as a simulator of another make. Results are the same
 * and take longer. Before the simulation runs.
 */
void sim_keep_step(struct sim_domain *dom);
/** Between runs: when the next event is due, SIM_TIME_NEVER: never. For who runs the simulation in
 * step with another one's time. */
sim_time_t sim_next(struct sim *sim);
/** The largest time that any domain has reached. */
sim_time_t sim_reached(const struct sim *sim);
/** Events run so far, for benches and progress; never part of a result. */
uint64_t sim_events_run(const struct sim *sim);
/** Events that are scheduled, between runs: of a machine at rest none. */
uint64_t sim_events_pending(const struct sim *sim);

/* ---- events -------------------------------------------------------------- */

/**
 * Within one time of one domain: first all that arrives, then clocked blocks, which see all
 * arrivals of their edge, then software. Ties beyond that must not matter (sim_order).
 */
enum sim_phase { SIM_ARRIVE = 0, SIM_CLOCK = 1, SIM_TASK = 2 };

struct sim_event;
typedef void (*sim_event_fn)(struct sim_event *ev);

/** Embedded in its owner; find the owner with SIM_CONTAINER_OF(). The core owns the fields. */
struct sim_event {
    sim_event_fn fn;
    sim_time_t time;
    uint64_t key;  /* phase, scheduling domain, sequence number */
    uint32_t slot; /* place in the queue; 0 when not scheduled */
};

void sim_event_init(struct sim_event *ev, sim_event_fn fn);
static inline bool sim_event_scheduled(const struct sim_event *ev)
{
    return ev->slot != 0;
}

/** The event must not be scheduled; `time` >= now. At the present time the phase may not go back.
 */
void sim_schedule_at(struct sim_domain *dom, struct sim_event *ev, sim_time_t time,
                     enum sim_phase phase);
static inline void sim_schedule_in(struct sim_domain *dom, struct sim_event *ev, sim_time_t delay,
                                   enum sim_phase phase)
{
    sim_schedule_at(dom, ev, sim_now(dom) + delay, phase);
}
/**
 * For the last thing that the handler of an event does: what an event of its own at `now + delay`
 * would do, the same handler may do at once when nothing else happens in the domain up to then.
 * @return true: it is then. false: it is not, and the event has to be scheduled.
 */
bool sim_pass(struct sim_domain *dom, sim_time_t delay, enum sim_phase phase);
/** Schedules, or moves an event that is scheduled later to the earlier `time`. */
void sim_schedule_by(struct sim_domain *dom, struct sim_event *ev, sim_time_t time,
                     enum sim_phase phase);
/** No effect when not scheduled. */
void sim_cancel(struct sim_domain *dom, struct sim_event *ev);

/* ---- channels ------------------------------------------------------------ */

struct sim_channel;

/** The record is valid during the call only. Runs in phase SIM_ARRIVE of the receiving domain. */
typedef void (*sim_channel_fn)(void *arg, const void *record, uint32_t bytes);

struct sim_channel_config {
    struct sim_domain *from, *to; /* may be one and the same */
    sim_time_t latency_ps;        /* >= 1 ns; the smallest one is the lookahead of all domains */
    sim_channel_fn deliver;
    void *arg; /* belongs to `to` */
    bool lazy; /* see sim_channel_settle() */
};

/** One direction of the only way between domains. Records are bytes without pointers. */
struct sim_channel *sim_channel_create(const struct sim_channel_config *cfg, struct sim_error *err);
/** Room for one record, aligned to 8, to be filled before the next call on this channel. */
void *sim_channel_reserve(struct sim_channel *ch, uint32_t bytes);
/** Sends the reserved record: delivered at `depart` + latency. `depart` >= now and never falls. */
void sim_channel_send(struct sim_channel *ch, sim_time_t depart);

/**
 * A lazy channel spends no events: what has arrived before the present time is delivered when the
 * receiver settles. It can listen: then there is an event at each arrival, one picosecond after
 * it, so that what the receiver sees is the same on both ways. Each delivery may end the listening.
 */
void sim_channel_settle(struct sim_channel *ch);
void sim_channel_listen(struct sim_channel *ch, bool on);

/* ---- random streams ------------------------------------------------------ */

/** A stream belongs to a component path, so that adding a component changes no other stream. */
struct sim_stream {
    uint64_t s[4]; /* xoshiro256** (Blackman, Vigna 2018) */
};
void sim_stream_init(struct sim_stream *st, uint64_t seed, const char *path);
uint64_t sim_stream_next(struct sim_stream *st);
/** Uniform in [0, n); n >= 1. */
uint64_t sim_stream_below(struct sim_stream *st, uint64_t n);

/* ---- statistics ---------------------------------------------------------- */

/** `value` is added to by its owner and must live as long as the domain; texts are copied. */
void sim_stat_register(struct sim_domain *dom, const uint64_t *value, const char *path,
                       const char *unit, const char *meaning);
struct sim_stat_row {
    const uint64_t *value;
    const char *name, *unit, *meaning;
};
/** Each of `n` rows as "path.name". */
void sim_stats_register(struct sim_domain *dom, const char *path, const struct sim_stat_row *rows,
                        size_t n);
typedef void (*sim_stat_fn)(void *arg, const char *path, const char *unit, const char *meaning,
                            uint64_t value);
/** All statistics, in order of domain and registration. */
void sim_stat_each(const struct sim *sim, sim_stat_fn fn, void *arg);

/* ---- fingerprints -------------------------------------------------------- */

/**
 * Sums of hashes, so the order within one time does not count: `visible` of all that software
 * observes, `wire` of each TLP at each port. `edge` is of each TLP and the clock edge of its first
 * beat on a stream into or out of a core. `where` is sim_path_hash() of the observer.
 */
uint64_t sim_path_hash(const char *path);
uint64_t sim_hash_bytes(uint64_t seed, const void *bytes, size_t n);
bool sim_fingerprint_on(const struct sim_domain *dom);
void sim_visible(struct sim_domain *dom, uint64_t where, uint64_t value);
void sim_wire(struct sim_domain *dom, uint64_t where, uint64_t value);
void sim_edge(struct sim_domain *dom, uint64_t where, uint64_t edge, uint64_t value);

/** Whether models are to watch the order of packets: always in builds with SIM_CHECK_ORDER. */
bool sim_order_checked(const struct sim_domain *dom);
/** A number from 1 on that no other call for this simulation returns, below 2^24. */
uint32_t sim_number(struct sim_domain *dom);

struct sim_fingerprint {
    uint64_t visible, wire, edge;
};
struct sim_fingerprint sim_fingerprint_of(const struct sim *sim);
/** The sums of one domain, to which those of parts of it in other simulations may be added; */
struct sim_fingerprint sim_domain_fingerprint(const struct sim_domain *dom);
/** and the next domain's become part of those of the whole simulation, all zero at first. */
void sim_fingerprint_join(struct sim_fingerprint *all, const struct sim_fingerprint *next);

SIM_END_DECLS
#endif /* SIM_CORE_SIM_H */
