#include "part.h"

#include <cstring>

namespace hubsim
{

/* ---- plugs ---- */

Plug::Plug(Part &part, const std::string &name, pcie_port *p)
    : tx((name + "_tx").c_str()), rx((name + "_rx").c_str()), owner(part), label(name), port(p)
{
    rx.register_nb_transport_fw(this, &Plug::take);
    rx.register_transport_dbg(this, &Plug::show);
}

/* Cables are joined in pairs; a program that binds sockets by itself may mistake one. */
void Plug::meet(const pcie_outside_end &end)
{
    if (far.path[0] != '\0' && strcmp(far.path, end.path) != 0)
        throw Error(std::string(pcie_port_path(port)) + ": tx leads to " + far.path +
                    ", but rx comes from " + end.path + ": expected both of one plug");
    far = end;
}

unsigned Plug::show(tlm::tlm_generic_payload &trans)
{
    Shown *shown = nullptr;

    trans.get_extension(shown);
    if (shown == nullptr)
        return 0;
    meet(shown->asks);
    pcie_outside_show(port, &shown->answers);
    trans.set_response_status(tlm::TLM_OK_RESPONSE);
    return 0;
}

void Plug::connect()
{
    tlm::tlm_generic_payload trans;
    Shown shown;
    sim_error err = {};

    pcie_outside_show(port, &shown.asks);
    trans.set_extension(&shown);
    (void)tx->transport_dbg(trans);
    trans.clear_extension(&shown);
    meet(shown.answers);
    outside.sent_tlp = sent_tlp;
    outside.sent_dllps = sent_dllps;
    outside.arg = this;
    check(pcie_outside_connect(port, &far, &outside, &err), err);
}

/* The simulation runs what is due now, so SystemC's time is the time of the connector. */
void Plug::send(tlm::tlm_generic_payload &trans)
{
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::sc_time::from_value(cable_ps);

    SIM_ASSERT(sim_now(owner.dom) == now_ps());
    if (tx->nb_transport_fw(trans, phase, delay) != tlm::TLM_COMPLETED || !trans.is_response_ok())
        owner.fail(std::string(pcie_port_path(port)) + ": the module behind tx answers " +
                   trans.get_response_string() + ": expected TLM_COMPLETED, TLM_OK_RESPONSE");
    trans.release();
}

void Plug::sent_tlp(void *arg, const void *record, uint32_t)
{
    auto *plug = static_cast<Plug *>(arg);
    const auto *rec = static_cast<const wire_tlp *>(record);
    tlm::tlm_generic_payload *trans = plug->transactions.allocate();
    auto *packet = trans->get_extension<Packet>();
    const mem_payload *late = rec->tlp.payload; /* filled by its sender up to now */
    const auto *data =
        late != nullptr ? late->data : reinterpret_cast<const unsigned char *>(rec + 1);

    packet->is_tlp = true;
    packet->tlp = *rec;
    packet->tlp.tlp.payload = nullptr;
    packet->tlp.tlp.trace_id = 0; /* the observer's, in one simulation */
    packet->data.assign(data, data + rec->payload_bytes);
    trans->set_command(rec->payload_bytes != 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_IGNORE_COMMAND);
    trans->set_address(rec->tlp.addr);
    trans->set_data_ptr(packet->data.data());
    trans->set_data_length(rec->payload_bytes);
    trans->set_streaming_width(rec->payload_bytes);
    plug->send(*trans);
}

void Plug::sent_dllps(void *arg, const void *record, uint32_t)
{
    auto *plug = static_cast<Plug *>(arg);
    tlm::tlm_generic_payload *trans = plug->transactions.allocate();
    auto *packet = trans->get_extension<Packet>();

    packet->is_tlp = false;
    packet->dllps = *static_cast<const wire_dllp *>(record);
    plug->send(*trans);
}

tlm::tlm_sync_enum Plug::take(tlm::tlm_generic_payload &trans, tlm::tlm_phase &phase,
                              sc_core::sc_time &delay)
{
    const auto *packet = trans.get_extension<Packet>();
    sim_time_t at = now_ps() + delay.value();

    if (phase != tlm::BEGIN_REQ || packet == nullptr || outside.tlps == nullptr) {
        trans.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    if (packet->is_tlp) {
        uint32_t bytes = packet->tlp.payload_bytes;
        auto *rec = static_cast<wire_tlp *>(
            sim_channel_reserve(outside.tlps, static_cast<uint32_t>(sizeof(wire_tlp)) + bytes));

        *rec = packet->tlp;
        if (bytes != 0)
            memcpy(rec + 1, trans.get_data_ptr(), bytes);
        sim_channel_send(outside.tlps, at);
    } else {
        *static_cast<wire_dllp *>(sim_channel_reserve(outside.dllps, sizeof(wire_dllp))) =
            packet->dllps;
        sim_channel_send(outside.dllps, at);
    }
    trans.set_response_status(tlm::TLM_OK_RESPONSE);
    owner.leave();
    return tlm::TLM_COMPLETED;
}

void join(Plug &a, Plug &b, sim_time_t cable_ps)
{
    a.tx.bind(b.rx);
    b.tx.bind(a.rx);
    a.cable_ps = b.cable_ps = cable_ps;
}

/* ---- parts ---- */

static void nothing(sim_event *) {}

Part::Part(const Machine &machine, unsigned node, const std::string &name)
    : place(node), where("node" + std::to_string(node) + "." + name)
{
    sim_config cfg = {};

    SC_HAS_PROCESS(Part);
    if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
        throw Error("the time resolution of SystemC: expected 1 ps");
    cfg.seed = machine.seed;
    cfg.fingerprint = machine.fingerprint;
    sim.reset(sim_create(&cfg));
    dom = sim ? sim_domain_create(sim.get(), where.c_str()) : nullptr;
    if (dom == nullptr)
        throw Error(where + ": out of memory");
    sim_event_init(&tick, nothing);
    SC_METHOD(step);
    sensitive << due;
    dont_initialize();
}

Part::~Part() = default;

Plug &Part::plug(const std::string &name)
{
    const auto found = plugs.find(name);

    if (found == plugs.end())
        throw Error(where + "." + name + ": there is no such port");
    return *found->second;
}

void Part::add_plug(const std::string &name, pcie_port *port)
{
    plugs[name] = std::make_unique<Plug>(*this, name, port);
}

void Part::start_of_simulation()
{
    for (auto &plug : plugs)
        if (plug.second->connected())
            plug.second->connect();
    begin();
    leave();
}

/* No exception may pass the functions in C that the simulation consists of, nor the libraries that
 * a thread may be in: step() throws it. */
void Part::fail(const std::string &what)
{
    if (failure.empty())
        failure = what;
    due.notify(sc_core::SC_ZERO_TIME);
}

void Part::run()
{
    (void)sim_run(sim.get(), now_ps());
}

void Part::step()
{
    run();
    if (!failure.empty())
        throw Error(failure);
    leave();
}

/* Without an event at the present time the simulation would stay where its last one was. */
void Part::enter()
{
    if (sim_now(dom) < now_ps())
        sim_schedule_by(dom, &tick, now_ps(), SIM_TASK);
    run();
}

/* An earlier notification goes before a later one. */
void Part::leave()
{
    sim_time_t next = sim_next(sim.get());

    if (next != SIM_TIME_NEVER)
        due.notify(sc_core::sc_time::from_value(next - now_ps()));
}

sim_fingerprint fingerprint_of(const std::vector<const Part *> &parts)
{
    std::map<unsigned, sim_fingerprint> nodes; /* domains of one simulation are nodes, in order */
    sim_fingerprint all = {};

    for (const Part *part : parts) {
        sim_fingerprint own = part->fingerprint(), &sum = nodes[part->node()];

        sum.visible += own.visible;
        sum.wire += own.wire;
        sum.edge += own.edge;
    }
    for (const auto &node : nodes)
        sim_fingerprint_join(&all, &node.second);
    return all;
}

} // namespace hubsim
