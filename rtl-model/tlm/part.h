/*
 * A part of a machine as a SystemC module: a simulation of its own, with one domain, that is kept
 * in step with SystemC's time, and the plugs of its links. It never runs ahead: at each time at
 * which something is due, the module's process runs what is due then, and no more.
 */
#ifndef TLM_PART_H
#define TLM_PART_H

#include <map>
#include <memory>
#include <string>

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "link.h"
#include "machine.h"

namespace hubsim
{

class Part;

/** SystemC's present time in picoseconds. */
inline sim_time_t now_ps()
{
    return sc_core::sc_time_stamp().value();
}

/** The end of a link: what a cable is plugged into. One without a cable is no error. */
class Plug
{
  public:
    Plug(Part &part, const std::string &name, pcie_port *port);

    tlm_utils::simple_initiator_socket_optional<Plug, 32, LinkTypes> tx;
    tlm_utils::simple_target_socket_optional<Plug, 32, LinkTypes> rx;
    sim_time_t cable_ps = 0; /* of what tx is bound to */

    Part &part() const { return owner; }
    const std::string &name() const { return label; }
    bool connected() const { return tx.size() != 0; }
    /** The port's half of its link: both ends know of each other then. */
    void connect();

  private:
    tlm::tlm_sync_enum take(tlm::tlm_generic_payload &trans, tlm::tlm_phase &phase,
                            sc_core::sc_time &delay);
    unsigned show(tlm::tlm_generic_payload &trans);
    void meet(const pcie_outside_end &end);
    void send(tlm::tlm_generic_payload &trans);
    static void sent_tlp(void *arg, const void *record, uint32_t bytes);
    static void sent_dllps(void *arg, const void *record, uint32_t bytes);

    Part &owner;
    std::string label;
    pcie_port *port;
    pcie_outside_end far = {};
    pcie_outside outside = {};
    Transactions transactions;
};

class Part : public sc_core::sc_module
{
  public:
    ~Part() override;

    /** By the port's name, "e"; Error where there is none. */
    Plug &plug(const std::string &name);
    const std::string &path() const { return where; }
    unsigned node() const { return place; }
    /** That of this part alone; fingerprint_of() puts parts together. */
    sim_fingerprint fingerprint() const { return sim_domain_fingerprint(dom); }

  protected:
    /** Component `name` of a node. */
    Part(const Machine &machine, unsigned node, const std::string &name);

    /** Around whatever a SystemC process does to the part: the simulation is brought to the present
     * time, and what is to happen next is waited for. */
    void enter();
    void leave();
    void add_plug(const std::string &name, pcie_port *port);
    /** After the links are joined, at time 0. */
    virtual void begin() = 0;

    sim_domain *dom = nullptr;

  private:
    friend class Plug;
    struct End {
        void operator()(struct sim *s) const { sim_destroy(s); }
    };

    void start_of_simulation() override;
    void step();
    void run();
    void fail(const std::string &what);

    unsigned place;
    std::string where, failure; /* "node0.hub" names statistics and random streams */
    std::unique_ptr<struct sim, End> sim;
    std::map<std::string, std::unique_ptr<Plug>> plugs;
    sc_core::sc_event due;
    sim_event tick;
};

/** Joins two plugs by a cable, both directions. */
void join(Plug &a, Plug &b, sim_time_t cable_ps);

/** The fingerprints of the machine that the parts make up, in any order: those of `hubsim run`. */
sim_fingerprint fingerprint_of(const std::vector<const Part *> &parts);

} // namespace hubsim
#endif /* TLM_PART_H */
