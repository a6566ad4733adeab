/*
 * Writes a capture, and beside it one line of JSON for each packet with what the dissector should
 * say of it:
 *   capture_packets samples FILE.pcapng EXPECTED.json   each type of TLP and DLLP, in many variants
 *   capture_packets run FILE.pcapng EXPECTED.json       a program on two nodes
 *   capture_packets faults FILE.pcapng EXPECTED.json    the same where bit errors hit packets
 * Of what was hit only the verdict on its checksum is expected. The expectation comes from the
 * packets' fields, never from their bytes; only of what hubsim cannot send are there bytes, written
 * out by hand.
 */
#include "memory/payload.h"
#include "observe/capture.h"
#include "observe/fan.h"
#include "pcie/tlp/lcrc.h"
#include "pcie/tlp/packet.h"
#include "tests/built.h"
#include "tests/tools/attempt.h"
#include "tools/lab/run/simulate.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace
{

void must(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(1);
}

/* ---- what the dissector should say ---- */

using Fields = std::string; /* the inside of a JSON object, "" or with a comma at its end */

Fields field(const char *name, uint64_t value)
{
    return "\"" + std::string(name) + "\": " + std::to_string(value) + ", ";
}

Fields field(const char *name, const std::string &value)
{
    return "\"" + std::string(name) + "\": \"" + value + "\", ";
}

std::string hex(const uint8_t *bytes, size_t n)
{
    std::string text;
    char two[3];

    for (size_t i = 0; i < n; i++) {
        (void)snprintf(two, sizeof(two), "%02x", bytes[i]);
        text += two;
    }
    return text;
}

const struct {
    const char *name;
    unsigned type;
} kinds[PCIE_KINDS] = {
    { "MRd", 0x00 },    { "MWr", 0x00 },    { "CfgRd0", 0x04 }, { "CfgWr0", 0x04 },
    { "CfgRd1", 0x05 }, { "CfgWr1", 0x05 }, { "Msg", 0x10 },    { "MsgD", 0x10 },
    { "Cpl", 0x0a },    { "CplD", 0x0a },   { "IORd", 0x02 },   { "IOWr", 0x02 },
};

Fields completion(const pcie_tlp &t)
{
    return field("pcie_tlp.completer_id", t.completer_id) + field("pcie_tlp.status", t.status) +
           field("pcie_tlp.bcm", 0) + field("pcie_tlp.byte_count", t.byte_count) +
           field("pcie_tlp.lower_address", t.lower_addr);
}

Fields request(const pcie_tlp &t)
{
    if (t.kind == PCIE_MSG || t.kind == PCIE_MSGD) {
        uint8_t bytes[8];

        for (unsigned i = 0; i < 8; i++)
            bytes[i] = static_cast<uint8_t>(t.addr >> (56 - 8 * i));
        return field("pcie_tlp.message_code", t.msg_code) +
               field("pcie_tlp.message_routing", t.msg_routing) +
               field("pcie_tlp.message", hex(bytes, 8));
    }
    Fields f = field("pcie_tlp.first_be", t.first_be) + field("pcie_tlp.last_be", t.last_be);
    if (t.kind == PCIE_MRD || t.kind == PCIE_MWR || t.kind == PCIE_IORD || t.kind == PCIE_IOWR)
        return f + field("pcie_tlp.address", t.addr);
    return f + field("pcie_tlp.target_id", t.completer_id) + field("pcie_tlp.register", t.addr);
}

Fields tlp_fields(const pcie_tlp &t, uint16_t seq)
{
    const bool is_cpl = t.kind == PCIE_CPL || t.kind == PCIE_CPLD;
    const bool no_length = t.kind == PCIE_CPL || t.kind == PCIE_MSG;
    const unsigned routing = t.kind == PCIE_MSG || t.kind == PCIE_MSGD ? t.msg_routing : 0;
    const unsigned fmt = (pcie_tlp_header_bytes(&t) == 16 ? 1 : 0) | (t.payload != nullptr ? 2 : 0);
    Fields f = field("pcie_tlp.name", kinds[t.kind].name) + field("pcie_tlp.seq", seq) +
               field("pcie_tlp.fmt", fmt) + field("pcie_tlp.type", kinds[t.kind].type + routing) +
               field("pcie_tlp.tc", t.tc) + field("pcie_tlp.attr.ido", t.attr >> 2 & 1) +
               field("pcie_tlp.attr.ro", t.attr >> 1 & 1) + field("pcie_tlp.attr.ns", t.attr & 1) +
               field("pcie_tlp.th", 0) + field("pcie_tlp.td", 0) +
               field("pcie_tlp.ep", t.poisoned) + field("pcie_tlp.at", 0) +
               field("pcie_tlp.length", no_length ? 0 : t.length_dw) +
               field("pcie_tlp.requester_id", t.requester_id) + field("pcie_tlp.tag", t.tag);

    f += is_cpl ? completion(t) : request(t);
    if (t.payload != nullptr)
        f += field("pcie_tlp.data", hex(t.payload->data, pcie_tlp_data_bytes(&t)));
    return f;
}

Fields dllp_fields(const pcie_dllp &d)
{
    if (d.type == PCIE_DLLP_ACK || d.type == PCIE_DLLP_NAK)
        return field("pcie_dllp.type", d.type) + field("pcie_dllp.seq", d.seq);
    if (d.type == PCIE_DLLP_VENDOR)
        return field("pcie_dllp.type", d.type) + field("pcie_dllp.vendor", d.vendor);
    if (!pcie_dllp_is_flow_control(d.type))
        return field("pcie_dllp.type", d.type);
    return field("pcie_dllp.type", d.type + 16u * d.cls + d.vc) + field("pcie_dllp.class", d.cls) +
           field("pcie_dllp.vc", d.vc) + field("pcie_dllp.hdr_fc", d.hdr) +
           field("pcie_dllp.data_fc", d.data);
}

/* Bits of the framing alone may have been hit. */
bool checksum_fits(const pcie_packet &p)
{
    pcie_dllp d;

    if (p.packet.kind == SIM_PACKET_DLLP)
        return pcie_dllp_decode(p.bytes, &d) != PCIE_DLLP_BAD_CRC;
    return pcie_lcrc(p.bytes, p.nbytes - PCIE_LCRC_BYTES) == pcie_frame_lcrc(p.bytes, p.nbytes);
}

/* ---- an observer that writes it ---- */

struct Expected {
    FILE *out;
    Fields override;  /* where not empty: of the next packet */
    bool good = true; /* the checksum of the next packet */
    sim_probe probe{};

    explicit Expected(FILE *to) : out(to)
    {
        probe.arg = this;
        probe.packet = [](void *arg, const sim_packet *p) {
            static_cast<Expected *>(arg)->write(*p);
        };
    }
    void write(const sim_packet &s)
    {
        const pcie_packet *p = pcie_packet_of(&s);
        const bool tlp = s.kind == SIM_PACKET_TLP;
        Fields f = field("hubsim.port", s.where) + field("hubsim.to", s.toward) +
                   field("hubsim.begin_ps", s.begin) +
                   field("hubsim.duration_ps", s.end - s.begin) +
                   field("hubsim.kind", tlp ? 0 : 1) + field("hubsim.flags", s.flags);

        bool right = good;

        if (!override.empty())
            f += override;
        else if ((s.flags & SIM_PACKET_CORRUPT) != 0)
            right = checksum_fits(*p);
        else
            f += tlp ? tlp_fields(*p->tlp, p->seq) : dllp_fields(*p->dllp);
        f += field(tlp ? "pcie_tlp.lcrc.good" : "pcie_dllp.crc.good",
                   right && (s.flags & SIM_PACKET_NULLIFIED) == 0);
        (void)fprintf(out, "{ %s }\n", f.substr(0, f.size() - 2).c_str());
    }
};

struct Output {
    FILE *pcap, *json;
    observe_capture *capture;
    Expected expected;
    observe_fan fan{};

    Output(const char *pcap_path, const char *json_path)
        : pcap(fopen(pcap_path, "wb")), json(fopen(json_path, "w")), expected(json)
    {
        observe_capture_config cfg = {};

        must(pcap != nullptr && json != nullptr, "open");
        cfg.program = "capture_packets";
        cfg.sink.arg = pcap;
        cfg.sink.write = [](void *arg, const void *bytes, size_t n) {
            return fwrite(bytes, 1, n, static_cast<FILE *>(arg)) == n;
        };
        capture = observe_capture_create(&cfg, &fan);
        must(capture != nullptr, "capture");
        observe_fan_add(&fan, &expected.probe);
    }
    ~Output()
    {
        must(observe_capture_finish(capture) == SIM_OK, "write");
        observe_capture_destroy(capture);
        must(fclose(pcap) == 0 && fclose(json) == 0, "close");
    }
    Output(const Output &) = delete;
};

/* ---- each type ---- */

struct Samples {
    Output &out;
    const sim_probe *probe;
    mem_pool *pool = mem_pool_create();
    std::mt19937 random{ 1 };
    sim_time_t now = 0;
    uint16_t seq = 0;

    explicit Samples(Output &o) : out(o), probe(observe_fan_probe(&o.fan)) {}
    ~Samples() { mem_pool_destroy(pool); }
    Samples(const Samples &) = delete;

    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random()) % n; }

    pcie_packet packet(sim_packet_kind kind, uint32_t flags)
    {
        pcie_packet p = {};
        const bool there = below(2) != 0;

        p.packet.kind = kind;
        p.packet.flags = flags;
        p.packet.where = there ? "a" : "b";
        p.packet.toward = there ? "b" : "a";
        p.packet.begin = now;
        p.packet.end = now + 1 + below(70000);
        now = p.packet.end + below(3);
        return p;
    }
    void tell(const pcie_packet &p) { probe->packet(probe->arg, &p.packet); }

    void tell(const pcie_tlp &tlp, uint32_t flags = 0)
    {
        pcie_packet p = packet(SIM_PACKET_TLP, flags);

        p.tlp = &tlp;
        p.seq = seq++ & 0xfff;
        tell(p);
    }
    void tell(const pcie_dllp &dllp)
    {
        pcie_packet p = packet(SIM_PACKET_DLLP, 0);

        p.dllp = &dllp;
        tell(p);
    }
    /* Bytes that hubsim does not send, with what they mean. */
    void tell(sim_packet_kind kind, std::vector<uint8_t> bytes, const Fields &meaning,
              bool good = true)
    {
        pcie_packet p = packet(kind, good ? 0 : SIM_PACKET_CORRUPT);
        uint32_t crc = kind == SIM_PACKET_TLP ? pcie_lcrc(bytes.data(), bytes.size())
                                              : pcie_dllp_crc(bytes.data());

        if (!good)
            crc ^= 1;
        for (unsigned i = 0; i < (kind == SIM_PACKET_TLP ? 4u : 2u); i++)
            bytes.push_back(static_cast<uint8_t>(crc >> 8 * i));
        p.bytes = bytes.data();
        p.nbytes = static_cast<uint32_t>(bytes.size());
        out.expected.override = meaning;
        out.expected.good = good;
        tell(p);
        out.expected.override = "";
        out.expected.good = true;
    }

    void give_data(pcie_tlp *t)
    {
        t->payload = mem_payload_alloc(pool, t->length_dw * 4u);
        must(t->payload != nullptr, "payload");
        for (uint32_t i = 0; i < t->payload->bytes; i++)
            t->payload->data[i] = static_cast<uint8_t>(random());
    }
    pcie_tlp make(uint8_t kind)
    {
        static const uint32_t lengths[] = { 0, 1, 2, 4, 5, 7, 8, 9, 64, 250, 1000, 4096 };
        static const uint8_t status[] = { PCIE_CPL_SC, PCIE_CPL_SC, PCIE_CPL_UR, PCIE_CPL_CRS,
                                          PCIE_CPL_CA };
        pcie_tlp t = {};

        t.kind = kind;
        t.requester_id = static_cast<uint16_t>(random());
        t.tag = static_cast<uint8_t>(random());
        t.poisoned = below(8) == 0;
        if (kind == PCIE_MRD || kind == PCIE_MWR) {
            const uint64_t page =
                below(2) != 0 ? below(1u << 20) : static_cast<uint64_t>(random()) << 8;
            const uint32_t bytes = lengths[below(12)];

            t.tc = below(8) & 7, t.attr = below(8) & 7;
            pcie_tlp_set_range(&t, page << 12 | (bytes == 4096 ? 0 : below(4096 - bytes)), bytes);
        } else if (kind == PCIE_CPL || kind == PCIE_CPLD) {
            t.tc = below(8) & 7, t.attr = below(8) & 7;
            t.completer_id = static_cast<uint16_t>(random());
            t.lower_addr = below(128) & 0x7f;
            t.status = kind == PCIE_CPLD ? 0 : status[below(5)];
            t.byte_count = static_cast<uint16_t>(1 + below(4096));
            t.length_dw = kind == PCIE_CPLD ? static_cast<uint16_t>(1 + below(64)) : 0;
        } else if (kind == PCIE_MSG || kind == PCIE_MSGD) {
            static const uint8_t codes[] = { 0x00, 0x14, 0x18, 0x20, 0x27, 0x30, 0x33, 0x50, 0x7e };

            t.tc = below(8) & 7;
            t.msg_code = codes[below(9)];
            t.msg_routing = below(6) & 7;
            t.addr = static_cast<uint64_t>(random()) << 32 | random();
            t.length_dw = kind == PCIE_MSGD ? static_cast<uint16_t>(1 + below(4)) : 0;
        } else {
            t.length_dw = 1, t.first_be = static_cast<uint8_t>(below(16));
            t.completer_id = static_cast<uint16_t>(random());
            t.addr = kind == PCIE_IORD || kind == PCIE_IOWR ? below(1u << 30) * UINT64_C(4)
                                                            : below(1024) * UINT64_C(4);
        }
        if (kind == PCIE_MWR || kind == PCIE_CPLD || kind == PCIE_MSGD || kind == PCIE_CFGWR0 ||
            kind == PCIE_CFGWR1 || kind == PCIE_IOWR)
            give_data(&t);
        return t;
    }
};

Fields raw_tlp(const char *name, unsigned fmt, unsigned type, unsigned length, unsigned tag)
{
    return field("pcie_tlp.name", name) + field("pcie_tlp.fmt", fmt) +
           field("pcie_tlp.type", type) + field("pcie_tlp.length", length) +
           field("pcie_tlp.tag", tag);
}

void foreign_tlps(Samples &s)
{
    s.tell(SIM_PACKET_TLP, { 0x00, 0x01, 0x01, 0, 0, 1, 1, 0, 0x11, 0x0f, 0, 0, 0x10, 0 },
           raw_tlp("MRdLk", 0, 1, 1, 0x11));
    s.tell(SIM_PACKET_TLP,
           { 0x00, 0x02, 0x6c, 0, 0, 1, 1, 0, 0x12, 0, 0, 0, 0, 1, 0, 0, 0x20, 0, 1, 2, 3, 4 },
           raw_tlp("FetchAdd", 3, 0x0c, 1, 0x12) + field("pcie_tlp.address", 0x100002000) +
               field("pcie_tlp.data", "01020304"));
    s.tell(SIM_PACKET_TLP, { 0x00, 0x03, 0x4d, 0, 0, 1, 1, 0, 0x13, 0, 0, 0, 0x20, 0, 1, 2, 3, 4 },
           raw_tlp("Swap", 2, 0x0d, 1, 0x13));
    s.tell(SIM_PACKET_TLP,
           { 0x00, 0x04, 0x4e, 0, 0, 2, 1, 0, 0x14, 0, 0, 0, 0x20, 0, 1, 2, 3, 4, 5, 6, 7, 8 },
           raw_tlp("CAS", 2, 0x0e, 2, 0x14));
    s.tell(SIM_PACKET_TLP, { 0x00, 0x05, 0x4b, 0, 0, 1, 2, 0, 0, 4, 1, 0, 0x11, 0, 9, 8, 7, 6 },
           raw_tlp("CplDLk", 2, 0x0b, 1, 0x11));
    /* with an ECRC, a processing hint and an address to be translated */
    s.tell(SIM_PACKET_TLP,
           { 0x00, 0x06, 0x00, 0x01, 0x84, 1, 1, 0, 0x15, 0x0f, 0, 0, 0x20, 0, 0xde, 0xad, 0xbe,
             0xef },
           raw_tlp("MRd", 0, 0, 1, 0x15) + field("pcie_tlp.th", 1) + field("pcie_tlp.td", 1) +
               field("pcie_tlp.at", 1) + field("pcie_tlp.ecrc", 0xdeadbeef));
    /* hit: the LCRC shows it */
    s.tell(SIM_PACKET_TLP, { 0x00, 0x07, 0x00, 0, 0, 1, 1, 0, 0x16, 0x0f, 0, 0, 0x10, 0 },
           raw_tlp("MRd", 0, 0, 1, 0x16), false);
    s.tell(SIM_PACKET_DLLP, { 0x00, 0x00, 0x0a, 0xbc }, field("pcie_dllp.seq", 0xabc), false);
}

void write_samples(Output &out)
{
    Samples s(out);

    for (unsigned variant = 0; variant < 40; variant++)
        for (uint8_t kind = 0; kind < PCIE_KINDS; kind++) {
            pcie_tlp tlp = s.make(kind);

            s.tell(tlp, variant == 1   ? SIM_PACKET_REPLAY
                        : variant == 2 ? SIM_PACKET_NULLIFIED
                        : variant == 3 ? SIM_PACKET_LOST
                                       : 0);
            pcie_tlp_drop(&tlp);
        }
    for (const uint8_t type : { PCIE_DLLP_INITFC1, PCIE_DLLP_INITFC2, PCIE_DLLP_UPDATEFC })
        for (uint8_t cls = 0; cls <= PCIE_COMPLETION; cls++)
            for (uint8_t vc = 0; vc < PCIE_DLLP_VCS; vc++) {
                pcie_dllp d = {};

                d.type = type, d.cls = cls, d.vc = vc;
                d.hdr = static_cast<uint8_t>(s.random()), d.data = s.random() & 0xfff;
                s.tell(d);
            }
    for (const uint8_t type :
         { PCIE_DLLP_ACK, PCIE_DLLP_NAK, PCIE_DLLP_PM_ENTER_L1, PCIE_DLLP_PM_ENTER_L23,
           PCIE_DLLP_PM_ACTIVE_STATE_REQUEST_L1, PCIE_DLLP_PM_REQUEST_ACK, PCIE_DLLP_VENDOR }) {
        pcie_dllp d = {};

        d.type = type;
        if (type == PCIE_DLLP_ACK || type == PCIE_DLLP_NAK)
            d.seq = s.random() & 0xfff;
        if (type == PCIE_DLLP_VENDOR)
            d.vendor = s.random() & 0xffffff;
        s.tell(d);
    }
    foreign_tlps(s);
}

/* ---- a program ---- */

void write_run(Output &out, bool faults)
{
    lab_site site;
    lab_run run = {};
    sim_error err = {};
    FILE *nowhere = fopen("/dev/null", "w");

    must(nowhere != nullptr, "/dev/null");
    lab_site_init(&site);
    load_roots_add(&site.roots, CONFIGS);
    site.probe = observe_fan_probe(&out.fan);
    (void)snprintf(site.programs, sizeof(site.programs), "%s", test::WORKLOADS.c_str());
    run.machine = "two-node";
    run.program = "pingpong";
    run.args[run.nargs++] = "bytes=1024";
    run.args[run.nargs++] = "mode=dma-chain-host";
    run.args[run.nargs++] = "rounds=2";
    run.args[run.nargs++] = "repeats=1";
    if (faults)
        run.faults[run.nfaults++] = "{link: 'node*.hub.*', bit_error_rate: 2e-5}";
    run.nranks = 2;
    run.nodes[1] = 1;
    run.seed = 1;
    if (attempt(&err, [&] { lab_simulate(&site, &run, nowhere); }) != SIM_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    (void)fclose(nowhere);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        (void)fprintf(stderr,
                      "usage: capture_packets samples|run|faults FILE.pcapng EXPECTED.json\n");
        return 2;
    }
    Output out(argv[2], argv[3]);
    if (strcmp(argv[1], "samples") == 0)
        write_samples(out);
    else
        write_run(out, strcmp(argv[1], "faults") == 0);
    return 0;
}
