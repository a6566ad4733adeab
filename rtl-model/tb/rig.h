/*
 * The machine of the lock step: one hub in C, and a far end of the test's own on each port.
 */
#ifndef TB_RIG_H
#define TB_RIG_H

#include "lists.h"
#include "record.h"

extern "C" {
#include "hub/internal.h"
#include "pcie/port/port_impl.h"
}

#include <deque>
#include <memory>
#include <random>

/* Slots behind one pair of a port, or behind no port (the number of ports). */
struct Stretch {
    unsigned port, first, last;
};

struct Rig;

/* One far end. */
struct Far {
    sim_event pump, take; /* `pump` first: see far_of() */
    Rig *rig;
    unsigned index;
    pcie_port *port;
    std::deque<pcie_tlp> out;
    struct Held {
        sim_time_t time;
        pcie_class cls;
        uint32_t units;
    };
    std::deque<Held> held;
    std::vector<TimedTlp> later; /* what is to be sent, by its time */
    uint16_t id = 0;             /* the number of the hub's end */
    uint64_t stored = 0;         /* where it wrote to internal memory last */
    bool configured = false, pumping = false;

    unsigned random(unsigned n);
    bool chance(unsigned percent) { return random(100) < percent; }
    void send(const pcie_tlp &tlp);
    void config_write(uint32_t reg, uint32_t value);
    void configure();
    void configure_again();
    void configure_msi();
    void set_up();
    void make_packet();
    void make_write();
    void write_self(pcie_tlp *tlp);
    uint32_t any_register();
    uint32_t any_lead();
    void write_words(pcie_tlp *tlp, uint32_t reg, std::vector<uint64_t> words, uint32_t lead = 0);
    void write_anything(pcie_tlp *tlp);
    void make_ring(pcie_tlp *tlp);
    void make_transfer(pcie_tlp *tlp);
    void make_read(pcie_tlp *tlp);
    void make_stranger(pcie_tlp *tlp);
    void fill(pcie_tlp *tlp);
    void choose_class(pcie_tlp *tlp);
    void answer(const pcie_tlp *request);
    bool send_some(sim_time_t now);
    void send_later(const TimedTlp &t);
    void received(pcie_tlp *tlp);
    uint64_t base() const;
    uint64_t self() const; /* the hub's own area */
    void stray(pcie_tlp *tlp);
};

struct Sampler {
    sim_event ev;
    Rig *rig;
};

struct Rig {
    ForwardParams params;
    Traffic traffic;
    std::mt19937_64 rng;
    struct sim *sim;
    sim_domain *dom;
    mem_pool *pool;
    hub_config cfg = {};
    void *component = nullptr;
    std::deque<Far> far;
    Record record;
    unsigned window_log2 = 0, part_log2 = 0, slot = 0;
    sim_time_t begin = 0;
    uint64_t bar = 0;               /* where the window lies for the host */
    std::vector<Stretch> stretches; /* the window from slot 0 on */
    ForwardIn straps = {};          /* what else never changes */
    Sampler sampler;
    hub_watch watch;
    uint64_t sampled = UINT64_MAX; /* the last edge with a sample */
    std::unique_ptr<ListHost> host;
    struct { /* at that edge */
        uint32_t chains[HUB_DMA_CHANNELS] = {};
        bool failed[HUB_DMA_CHANNELS] = {}, no_tag[HUB_DMA_CHANNELS] = {};
        bool no_window[HUB_DMA_CHANNELS] = {};
        uint32_t full = 0, spill = 0; /* bits of ports' classes, of ports */
        uint64_t lap = 0;
    } last;
    struct { /* a channel's write left while its data is being read from internal RAM */
        std::vector<uint8_t> image;
        uint64_t begun = 0;
        uint64_t undecided = UINT64_MAX; /* it has changed meanwhile: hardware and model differ */
    } race;
    std::deque<std::string> texts;

    struct hub *hub() { return static_cast<struct hub *>(component); }
    uint64_t random(uint64_t n) { return n == 0 ? 0 : rng() % n; }
    uint64_t between(uint64_t low, uint64_t high) { return low + random(high - low + 1); }
    void create();
    void configure_hub();
    void begin_counters();
    void wait_long();
    void choose_window();
    void choose_stretches();
    void routes();
    void disturb_routes();
    /** Where the part of a node behind that port begins in the window; -1: behind any, or none. */
    uint64_t any_part(int port = -1);
    /** An offset that differs from one of a pair in a single bit, or in none. */
    uint64_t near_bound();
    uint64_t area() const { return UINT64_C(1) << (part_log2 - 2); }
    void connect(unsigned port);
    unsigned most_mps() const;
    void choose_payloads();
    void look_at_rings();
    void fail_link(unsigned port);
    void sample(uint64_t edge);
    bool has_work();
    State state_at(uint64_t edge);
    void show_port(State *s, unsigned port);
    void notice(const State &s);
    void watch_race(uint32_t source, uint64_t edge);
    void notice_race(uint64_t edge);
    void notice_channels(const State &s);
    void happen(Event event, uint64_t times = 1) { record.events[event] += times; }
    void look_beside(uint64_t edge);
    void run();
    ~Rig();
};

/* What ports and events of a far end call; its address comes first. */
void far_received(void *user, pcie_tlp *tlp);
void far_ready(void *user, pcie_class cls);
void far_pump(sim_event *ev);
void far_take(sim_event *ev);

/** What writes the record of a rig. */
hub_watch rig_watch(Rig *rig);
void rig_sample(sim_event *ev);
/** A source as the core in RTL counts them. */
uint32_t rig_source(const ForwardParams &params, uint32_t source);

#endif
