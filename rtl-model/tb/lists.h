/*
 * A host that keeps the hub's DMA channels busy: it writes lists of descriptors and registers,
 * starts channels and aborts them, closes areas, and answers what the channels read, mostly as it
 * should.
 */
#ifndef TB_LISTS_H
#define TB_LISTS_H

#include "core/sim.h"
#include "pcie/port/port.h"
#include "pcie/tlp/tlp.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <vector>

struct hub;

/* Where things lie; the rest follows from the random numbers. */
struct ListPlan {
    uint64_t bar = 0, part = 0;       /* the window, and the bytes of one node's part */
    uint64_t own = 0;                 /* where that of this node begins */
    std::function<uint64_t()> place;  /* where that of any node does, */
    std::function<uint64_t()> way;    /* of any node behind a port */
    std::function<uint64_t()> bound;  /* near a bound of a route */
    uint64_t late_ps = 0;             /* an answer so late comes behind its time-out */
    unsigned wrong = 4;               /* of 100 answers */
    unsigned longest = 1500;          /* double words of one descriptor */
    sim_time_t patience_ps = 8000000; /* until a channel that does not end is started again */
    bool aims = false;                /* short transfers to bounds, and nothing else */
};

/** A packet that is sent at some time. */
struct TimedTlp {
    sim_time_t time;
    pcie_tlp tlp;
};

class ListHost
{
  public:
    ListHost(const ListPlan &plan, struct hub *hub, pcie_port *port, mem_pool *pool,
             std::mt19937_64 *rng)
        : plan(plan), hub(hub), port(port), pool(pool), rng(rng)
    {
    }
    /** Writes, and reads of registers, in their order; the caller sends them at once. */
    std::vector<pcie_tlp> act(sim_time_t now);
    /** Completions of a read, those of one request in their order. */
    std::vector<TimedTlp> answer(const pcie_tlp *request, sim_time_t now);

  private:
    struct Descriptor {
        std::array<uint32_t, 8> words;
    };

    uint64_t random(uint64_t n) { return n == 0 ? 0 : (*rng)() % n; }
    bool chance(unsigned percent) { return random(100) < percent; }
    uint64_t self() const;
    uint64_t any_source(uint32_t bytes);
    uint64_t any_destination(uint32_t bytes, uint64_t source);
    uint32_t sparse();
    Descriptor any_descriptor();
    void store(uint64_t addr, const void *bytes, uint32_t n);
    void store_value(uint64_t addr, uint64_t value, bool in_halves);
    void set_registers(unsigned channel);
    void write_list(unsigned channel);
    Descriptor aimed();
    void aim_once(unsigned channel);
    void aim(unsigned channel);
    void start(unsigned channel);
    void disturb(unsigned channel);
    void read_register(unsigned channel, uint32_t offset);
    void look_at(unsigned channel);
    void try_registers(unsigned channel);
    bool may_start(unsigned channel, sim_time_t now);
    void fill(pcie_tlp *cpl, uint64_t addr, uint32_t lead);

    ListPlan plan;
    struct hub *hub;
    pcie_port *port;
    mem_pool *pool;
    std::mt19937_64 *rng;
    std::map<uint64_t, Descriptor> tables; /* by address, in host memory */
    std::vector<pcie_tlp> made;
    bool careful = false; /* the list that is being written is right */
    struct {
        uint32_t ended;
        sim_time_t until;
    } started[4] = {}; /* what was started has not ended so far, or was lost */
};

#endif
