#include "bridge.h"

#include <cstring>

#include "machine.h"

namespace hubsim
{

namespace
{
constexpr unsigned kTags = 32; /* of 5 bits: Extended Tag Field Enable is off (7.8.4) */
constexpr uint32_t kAllOnes = UINT32_MAX;

machine_param row(const char *key, const char *unit, uint64_t min, uint64_t max, uint64_t def,
                  size_t offset, const char *meaning, const char *choices = nullptr)
{
    return { key, unit, min, max, def, offset, meaning, choices };
}

pcie_port_config link_defaults()
{
    pcie_port_config c = {}; /* buffers that do not limit a link of a few metres */

    c.ph_credits = 127;
    c.pd_credits = 2047;
    c.nph_credits = 127;
    c.replay_tlps = 1024;
    c.tx_latency_ps = c.rx_latency_ps = 5000;
    return c;
}
const pcie_port_config defaults = link_defaults();

machine_group link_group()
{
    machine_group g = {};

    g.key = "link.";
    g.rows = pcie_port_params;
    g.offset = offsetof(BridgeConfig, link);
    g.defaults = &defaults;
    return g;
}

/** Throws Error. */
const BridgeConfig &checked(const std::string &path, const BridgeConfig &cfg)
{
    const std::pair<const char *, uint64_t> powers[] = { { "bar_bytes", cfg.bar_bytes },
                                                         { "read_bytes", cfg.read_bytes } };
    sim_error err = {};

    for (const auto &[key, value] : powers)
        if ((value & (value - 1)) != 0)
            check(sim_error_value(&err, SIM_ERR_CONFIG, (path + ".").c_str(), key, value,
                                  "expected a power of two"),
                  err);
    return cfg;
}
} // namespace

#define OFFSET(field) offsetof(BridgeConfig, field)
const machine_param bridge_params[] = {
    row("role", "choice", HUB_ENDPOINT, HUB_ROOT, HUB_ENDPOINT, OFFSET(role),
        "Which end of its link it is.", "endpoint|root"),
    row("vendor_id", "1", 0, 0xfffe, 0x5c5c, OFFSET(vendor_id),
        "Vendor of an endpoint, by which its driver finds it."),
    row("device_id", "1", 0, 0xffff, 1, OFFSET(device_id),
        "Device of an endpoint, beside its vendor."),
    row("bar_bytes", "bytes", 16, UINT64_C(1) << 40, 65536, OFFSET(bar_bytes),
        "Size of an endpoint's one BAR, behind which the modules are. A power of two."),
    row("read_bytes", "bytes", 64, 4096, 512, OFFSET(read_bytes),
        "Largest read request. A power of two."),
    row("timeout_ps", "ps", 0, PCIE_TIMEOUT_MAX_PS, PCIE_TIMEOUT_PS, OFFSET(timeout_ps),
        "Longest wait for the answer to a read; 0: without end."),
    MACHINE_PARAM_END,
};
const machine_group bridge_groups[] = { link_group(), {} };

Bridge::Bridge(const sc_core::sc_module_name &name, const BridgePlace &at, const BridgeConfig &cfg)
    : sc_module(name), target("target"), initiator("initiator"), place(at),
      config(checked(at.path, cfg)), pool(mem_pool_create()), reads(kTags)
{
    const pcie_port_user user = { received, ready, nullptr, this };
    sim_error err = {};

    SC_HAS_PROCESS(Bridge);
    int rc = hub_edge_create(&edge, place.dom, pool, place.path.c_str(),
                             static_cast<hub_role>(config.role), &config.link, &user, &err);
    if (rc != SIM_OK)
        mem_pool_destroy(pool);
    check(rc, err);
    target.register_b_transport(this, &Bridge::b_transport);
    SC_THREAD(serve);
}

Bridge::~Bridge()
{
    for (pcie_tlp &tlp : queue)
        pcie_tlp_drop(&tlp);
    pcie_port_destroy(edge.pcie);
    mem_pool_destroy(pool);
}

void Bridge::start()
{
    pcie_function_init(&edge.function, static_cast<uint16_t>(config.vendor_id),
                       static_cast<uint16_t>(config.device_id), 0xff0000 /* of no class */);
    if (edge.role == HUB_ENDPOINT)
        pcie_function_add_bar(&edge.function, 0, config.bar_bytes);
}

/* ---- requests of SystemC ---- */

/* The port may have room, or may be allowed to make requests, only later. */
void Bridge::send(const pcie_tlp &tlp)
{
    for (;;) {
        place.enter();
        if (hub_edge_ready(&edge, pcie_tlp_class(&tlp))) {
            pcie_port_send(edge.pcie, &tlp);
            place.leave();
            return;
        }
        place.leave();
        sc_core::wait(room);
    }
}

void Bridge::write(uint64_t addr, const uint8_t *bytes, uint32_t n)
{
    while (n > 0) {
        uint32_t lead = addr & 3, part = pcie_split(addr, n, pcie_port_mps(edge.pcie) - lead);

        send(pcie_tlp_write(pool, edge.function.id, addr, bytes, part));
        addr += part;
        bytes += part;
        n -= part;
    }
}

unsigned Bridge::ask(pcie_tlp tlp, uint8_t *to, uint32_t n, uint64_t addr)
{
    unsigned tag = next_tag;

    for (unsigned tried = 0; reads[tag].open; tag = (tag + 1) % kTags)
        if (++tried % kTags == 0)
            sc_core::wait(tag_free);
    next_tag = (tag + 1) % kTags; /* not the same again, of which a late answer may come */
    reads[tag].open = true;
    reads[tag].to = to;
    reads[tag].left = n;
    reads[tag].lower = static_cast<unsigned>(addr);
    reads[tag].status = tlm::TLM_OK_RESPONSE;
    tlp.requester_id = edge.function.id;
    tlp.tag = static_cast<uint8_t>(tag);
    send(tlp);
    reads[tag].over = sc_core::sc_time_stamp() + sc_core::sc_time::from_value(config.timeout_ps);
    return tag;
}

bool Bridge::is_over(const Read &r) const
{
    return config.timeout_ps != 0 && sc_core::sc_time_stamp() >= r.over;
}

tlm::tlm_response_status Bridge::wait_for(unsigned tag)
{
    Read &r = reads[tag];
    bool late = false;

    if (r.left != 0 && config.timeout_ps == 0)
        sc_core::wait(r.ended);
    else if (r.left != 0 && !is_over(r))
        sc_core::wait(r.over - sc_core::sc_time_stamp(), r.ended);
    late = r.left != 0;
    r.open = false;
    tag_free.notify(sc_core::SC_ZERO_TIME);
    return late ? tlm::TLM_GENERIC_ERROR_RESPONSE : r.status;
}

/* As many requests as there are tags are under way at once. */
tlm::tlm_response_status Bridge::read(uint64_t addr, uint8_t *bytes, uint32_t n)
{
    tlm::tlm_response_status worst = tlm::TLM_OK_RESPONSE;
    std::deque<unsigned> asked;

    while (n > 0 || !asked.empty()) {
        if (n > 0 && asked.size() < kTags / 2) {
            uint32_t part = pcie_split(addr, n, static_cast<uint32_t>(config.read_bytes));
            pcie_tlp tlp = {};

            tlp.kind = PCIE_MRD;
            pcie_tlp_set_range(&tlp, addr, part);
            asked.push_back(ask(tlp, bytes, part, addr));
            addr += part;
            bytes += part;
            n -= part;
            continue;
        }
        tlm::tlm_response_status status = wait_for(asked.front());

        asked.pop_front();
        worst = worst == tlm::TLM_OK_RESPONSE ? status : worst;
    }
    return worst;
}

void Bridge::b_transport(tlm::tlm_generic_payload &trans, sc_core::sc_time &delay)
{
    bool own = sc_core::sc_get_current_process_handle() == server;

    if (delay != sc_core::SC_ZERO_TIME)
        sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (trans.get_byte_enable_ptr() != nullptr) {
        trans.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (trans.get_streaming_width() < trans.get_data_length()) {
        trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else if (trans.is_write()) {
        write(trans.get_address(), trans.get_data_ptr(), trans.get_data_length());
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
    } else if (trans.is_read() && own) { /* its completion is behind what is handled now */
        SC_REPORT_WARNING("hubsim", (place.path + ": a target reads before it returns").c_str());
        trans.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    } else if (trans.is_read()) {
        trans.set_response_status(
            read(trans.get_address(), trans.get_data_ptr(), trans.get_data_length()));
    } else {
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
    }
}

uint32_t Bridge::configure(pcie_tlp_kind kind, uint32_t reg, uint32_t value)
{
    uint8_t bytes[4] = {};
    pcie_tlp tlp = {};

    tlp.kind = static_cast<uint8_t>(kind);
    tlp.addr = reg;
    tlp.completer_id = 0x0100; /* bus 1, behind this port */
    tlp.length_dw = 1;
    tlp.first_be = 0xf;
    if (kind == PCIE_CFGWR0) {
        tlp.payload = mem_payload_alloc(pool, 4);
        SIM_ASSERT(tlp.payload != nullptr);
        sim_store(tlp.payload->data, value, 4);
    }
    return wait_for(ask(tlp, kind == PCIE_CFGRD0 ? bytes : nullptr, 4, 0)) == tlm::TLM_OK_RESPONSE
               ? sim_load32(bytes)
               : kAllOnes;
}

uint32_t Bridge::config_read(uint32_t reg)
{
    return configure(PCIE_CFGRD0, reg, 0);
}

void Bridge::config_write(uint32_t reg, uint32_t value)
{
    (void)configure(PCIE_CFGWR0, reg, value);
}

/* ---- packets that come ---- */

void Bridge::received(void *user, pcie_tlp *tlp)
{
    auto *b = static_cast<Bridge *>(user);

    b->queue.push_back(*tlp);
    b->place.wake(b->arrived);
}

void Bridge::ready(void *user, pcie_class)
{
    auto *b = static_cast<Bridge *>(user);

    b->place.wake(b->room);
}

void Bridge::serve()
{
    server = sc_core::sc_get_current_process_handle();
    for (;;) {
        while (queue.empty())
            sc_core::wait(arrived);
        pcie_tlp tlp = queue.front();

        queue.pop_front();
        handle(tlp);
        place.enter();
        pcie_port_consume(edge.pcie, pcie_tlp_class(&tlp), pcie_tlp_data_credits(&tlp));
        place.leave();
        pcie_tlp_drop(&tlp);
    }
}

/** @return how many bytes are done with: all of them, where these are not the next ones */
uint32_t Bridge::take_data(Read &r, const pcie_tlp &cpl)
{
    uint32_t skip = cpl.lower_addr & 3, n;
    bool next =
        cpl.kind == PCIE_CPLD && cpl.byte_count == r.left && cpl.lower_addr == (r.lower & 0x7f);

    if (!next || cpl.poisoned)
        r.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    if (!next)
        return r.left;
    n = static_cast<uint32_t>(sim_min(r.left, cpl.length_dw * 4u - skip));
    if (!cpl.poisoned)
        memcpy(r.to, cpl.payload->data + skip, n);
    r.to += n;
    r.lower += n;
    return n;
}

void Bridge::complete(const pcie_tlp &cpl)
{
    Read &r = reads[cpl.tag % kTags];

    if (cpl.tag >= kTags || !r.open || r.left == 0 || is_over(r)) { /* it came too late */
        pcie_port_advisory(edge.pcie, PCIE_ERR_UNEXPECTED, &cpl);
        return;
    }
    pcie_port_answered(edge.pcie, &cpl);
    if (cpl.status == PCIE_CPL_SC && r.to != nullptr) {
        r.left -= take_data(r, cpl);
    } else {
        if (cpl.status != PCIE_CPL_SC)
            r.status = cpl.status == PCIE_CPL_CA ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                 : tlm::TLM_ADDRESS_ERROR_RESPONSE;
        r.left = 0;
    }
    if (r.left == 0)
        r.ended.notify(sc_core::SC_ZERO_TIME);
}

/** A request at SystemC's target; `bytes` are whole double words. False: it is refused there. */
bool Bridge::forward(const pcie_tlp &tlp, tlm::tlm_command command, uint8_t *bytes)
{
    tlm::tlm_generic_payload trans;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    uint64_t first, base = 0;
    uint32_t n = pcie_tlp_range(&tlp, &first);

    if (edge.role == HUB_ENDPOINT) {
        if (pcie_function_claims(&edge.function, tlp.addr) != 0)
            return false;
        base = pcie_function_bar(&edge.function, 0);
    }
    if (initiator.size() == 0)
        return false;
    if (n == 0) /* a zero-length read asks whether what came before has arrived: it has */
        return true;
    trans.set_command(command);
    trans.set_address(first - base);
    trans.set_data_ptr(bytes + (first & 3));
    trans.set_data_length(n);
    trans.set_streaming_width(n);
    trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    initiator->b_transport(trans, delay);
    if (delay != sc_core::SC_ZERO_TIME)
        sc_core::wait(delay);
    return trans.is_response_ok();
}

/* What the answer says is the requester's to judge, so the error is advisory (6.2.3.2.4.1). */
void Bridge::refuse(const pcie_tlp &request)
{
    pcie_port_advisory(edge.pcie, PCIE_ERR_UNSUPPORTED, &request);
    send(hub_edge_completion(&edge, &request, PCIE_CPL_UR));
}

void Bridge::answer(const pcie_tlp &request)
{
    std::vector<uint8_t> bytes(request.length_dw * 4u);
    uint32_t left = pcie_tlp_byte_count(&request);
    uint64_t addr;

    (void)pcie_tlp_range(&request, &addr);
    if (!forward(request, tlm::TLM_READ_COMMAND, bytes.data())) {
        refuse(request);
        return;
    }
    while (left > 0) {
        uint32_t part = pcie_split_completion(addr, left, pcie_port_mps(edge.pcie));
        uint32_t skip = addr & 3;
        pcie_tlp cpl = hub_edge_completion(&edge, &request, PCIE_CPL_SC);

        cpl.kind = PCIE_CPLD;
        cpl.byte_count = static_cast<uint16_t>(left);
        cpl.lower_addr = addr & 0x7f;
        cpl.length_dw = static_cast<uint16_t>((skip + part + 3) / 4);
        cpl.payload = pcie_payload(pool, skip, bytes.data() + (addr - request.addr), part);
        send(cpl);
        addr += part;
        left -= part;
    }
}

void Bridge::handle(const pcie_tlp &tlp)
{
    switch (tlp.kind) {
    case PCIE_CPL:
    case PCIE_CPLD:
        complete(tlp);
        break;
    case PCIE_MWR: /* what a target refuses is dropped, as an unsupported posted request is */
        if (tlp.poisoned)
            pcie_port_error(edge.pcie, PCIE_ERR_POISONED, &tlp);
        else if (!forward(tlp, tlm::TLM_WRITE_COMMAND, tlp.payload->data))
            pcie_port_error(edge.pcie, PCIE_ERR_UNSUPPORTED, &tlp);
        break;
    case PCIE_MRD:
        answer(tlp);
        break;
    case PCIE_CFGRD0:
    case PCIE_CFGWR0:
        if (edge.role == HUB_ENDPOINT) {
            send(hub_edge_configure(&edge, pool, &tlp));
            room.notify(sc_core::SC_ZERO_TIME); /* requests may be allowed now */
            break;
        }
        [[fallthrough]];
    default:
        if (pcie_tlp_class(&tlp) == PCIE_NONPOSTED)
            refuse(tlp);
    }
}

} // namespace hubsim
