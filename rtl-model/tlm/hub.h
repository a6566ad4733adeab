/*
 * The hub in C as a SystemC module, with its ports, its hard blocks and its half of each link; and
 * the cables between hubs, from which the routes follow.
 */
#ifndef TLM_HUB_H
#define TLM_HUB_H

#include "part.h"

namespace hubsim
{

class Hub : public Part
{
  public:
    /** With the values of node `node`'s component `component`, of kind hub.c or another make of it.
     * Throws Error. */
    Hub(sc_core::sc_module_name name, const Machine &machine, unsigned node,
        const std::string &component = "hub");
    ~Hub() override;

    /** What its routing unit is set to; before time begins. */
    machine_routes routes = {};

  private:
    void begin() override;

    const machine_kind *kind;
    void *component = nullptr;
};

/** Cables that join hubs with hubs. */
class Cables
{
  public:
    /** With the speed of the wires in `machine`. */
    explicit Cables(const Machine &values) : machine(values) {}
    void join(Hub &a, const std::string &port_a, Hub &b, const std::string &port_b,
              uint64_t length_mm);
    /** Sets the routes of all hubs that cables join: each takes the part of the window of its place
     * in `hubs`, and packets the shortest route, as `hubsim run` has it where a file says nothing
     * else. Throws Error. */
    void route(const std::vector<Hub *> &hubs) const;

  private:
    struct Cable {
        Hub *a, *b;
        const char *port_a, *port_b; /* the kind's own texts */
    };
    const Machine &machine;
    std::vector<Cable> cables;
};

/** What so much wire takes. */
sim_time_t wire_ps(const Machine &machine, uint64_t length_mm);

} // namespace hubsim
#endif /* TLM_HUB_H */
