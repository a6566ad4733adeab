/*
 * What the libraries under hosts/ may ask of their host (hosts/host/host.h), for software that runs
 * in processes of SystemC: an operation is begun at a core, and the process waits for its end.
 */
#ifndef TLM_SOFTWARE_H
#define TLM_SOFTWARE_H

#include <functional>

#include <systemc>

#include "hosts/host/host.h"
#include "hosts/host/range.h"
#include "hosts/launch/launch.h"
#include "node/host.h"

namespace hubsim
{

/** The hardware of a node, and what to call before something is asked of it, and after. */
struct Board {
    node_host *host;
    unsigned node, nodes;
    std::function<void()> enter, leave;
};

/** What the threads of a node share. */
struct Node {
    Node(const Board &with, const launch_software &costs);
    ~Node();
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;

    /** How much later than others the rank begins. */
    uint64_t late_ps(uint64_t seed) const;
    /** The first core that no interrupts come to. */
    node_core *rank_core() const;

    host_node shared = {};
    Board board;
    launch_software software;
    range_alloc kernel_memory = {}, rank_memory = {};
    host_interrupt_fn irq_fn = nullptr;
    void *irq_arg = nullptr;
    uint32_t irq_pending = 0;
    sc_core::sc_event irq;
};

/** A thread of execution; SystemC runs it as an SC_THREAD. */
struct Thread {
    /** One runs the program; others are the driver's. */
    Thread(Node &of, bool runs_program);

    /** First in its process: the core that it runs on. */
    void begin(node_core *on);
    /** Handles interrupts for ever. */
    void serve();
    /** Ends when done() is called. @return its value */
    uint64_t wait_done();
    static void done(void *thread, uint64_t value);

    struct host host = {}; /* first: operations are given it */
    Node &node;
    bool is_rank;
    node_core *core = nullptr;
    uint64_t value = 0;
    sc_core::sc_event ended, woken, never;
};

} // namespace hubsim
#endif /* TLM_SOFTWARE_H */
