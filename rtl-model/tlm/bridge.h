/*
 * Between a port of PCI Express and sockets of TLM-2.0: reads and writes of SystemC's initiators
 * become TLPs, and TLPs that come become reads and writes at SystemC's targets.
 *
 *   initiators --target.b_transport()--> MWr, MRd --> port      and the completions back
 *   targets <--initiator.b_transport()-- MWr, MRd <-- port      and the completions back
 *
 * What comes is taken in order, one packet after the other: the next one waits until the target has
 * returned, and with it the credits of its receive buffer. Completions do not pass writes that came
 * before them, so a target must not read by the bridge before it returns: that is an error.
 */
#ifndef TLM_BRIDGE_H
#define TLM_BRIDGE_H

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "hub/edge.h"

namespace hubsim
{

/** The keys of kind `systemc`; units in the names. */
struct BridgeConfig {
    uint64_t role; /* enum hub_role */
    uint64_t vendor_id, device_id, bar_bytes;
    uint64_t read_bytes, timeout_ps;
    pcie_port_config link;
};
extern const machine_param bridge_params[];
extern const machine_group bridge_groups[];

/** Where a bridge is, and who runs the port. */
struct BridgePlace {
    sim_domain *dom;
    std::string path; /* "node0.timer" */
    /** Around what is done to the port by a process of SystemC. */
    std::function<void()> enter, leave;
    /** Notifies an event at the port's present time. */
    std::function<void(sc_core::sc_event &)> wake;
};

class Bridge : public sc_core::sc_module
{
  public:
    /** Throws Error. */
    Bridge(const sc_core::sc_module_name &name, const BridgePlace &at, const BridgeConfig &cfg);
    ~Bridge() override;

    /** Requests of SystemC: any size and address, without byte enables. A write returns when the
     * port has taken it. A read that is refused, or not answered in time, has an error response. */
    tlm_utils::simple_target_socket_optional<Bridge> target;
    /** Requests that come. Addresses of an endpoint count from the beginning of its BAR. */
    tlm_utils::simple_initiator_socket_optional<Bridge> initiator;

    /** At a root: configuration requests to the device at the other end, by a thread. All ones when
     * they are not answered. */
    uint32_t config_read(uint32_t reg);
    void config_write(uint32_t reg, uint32_t value);

    pcie_port *port() const { return edge.pcie; }
    /** When the port is joined, before time begins. */
    void start();

  private:
    struct Read { /* a request that is not answered */
        bool open = false;
        uint8_t *to = nullptr; /* null: its answer has no data */
        uint32_t left = 0;
        unsigned lower = 0; /* low bits of the next byte's address */
        tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
        sc_core::sc_time over; /* no answer counts any more: its time-out, from when it was sent */
        sc_core::sc_event ended;
    };

    void b_transport(tlm::tlm_generic_payload &trans, sc_core::sc_time &delay);
    void write(uint64_t addr, const uint8_t *bytes, uint32_t n);
    tlm::tlm_response_status read(uint64_t addr, uint8_t *bytes, uint32_t n);
    unsigned ask(pcie_tlp tlp, uint8_t *to, uint32_t n, uint64_t addr);
    tlm::tlm_response_status wait_for(unsigned tag);
    uint32_t configure(pcie_tlp_kind kind, uint32_t reg, uint32_t value);
    void send(const pcie_tlp &tlp);

    void serve();
    void handle(const pcie_tlp &tlp);
    bool forward(const pcie_tlp &tlp, tlm::tlm_command command, uint8_t *bytes);
    void answer(const pcie_tlp &request);
    void refuse(const pcie_tlp &request);
    void complete(const pcie_tlp &cpl);
    static uint32_t take_data(Read &r, const pcie_tlp &cpl);
    bool is_over(const Read &r) const;
    static void received(void *user, pcie_tlp *tlp);
    static void ready(void *user, pcie_class cls);

    BridgePlace place;
    BridgeConfig config;
    mem_pool *pool;
    hub_edge edge = {};
    std::deque<pcie_tlp> queue;
    std::vector<Read> reads; /* by tag */
    unsigned next_tag = 0;
    sc_core::sc_event arrived, room, tag_free;
    sc_core::sc_process_handle server;
};

} // namespace hubsim
#endif /* TLM_BRIDGE_H */
