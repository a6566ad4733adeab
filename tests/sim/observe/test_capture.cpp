/* Captures: what is written is what was sent, in order, and what is no capture is refused. */
#include "observe/capture.h"

#include "observe/capture_format.h"
#include "observe/capture_read.h"
#include "pcie/tlp/dllp.h"
#include "pcie/tlp/lcrc.h"
#include "pcie/tlp/packet.h"

#include "../pcie/link_fixture.h"

namespace
{

using test::End;
using test::Pair;
using Bytes = std::vector<uint8_t>;

/* ---- writing to memory ---- */

struct File {
    Bytes bytes;
    size_t room = SIZE_MAX;
    std::string links; /* "": all; else the ports whose links are wanted */
    observe_fan fan{};
    observe_capture *capture;

    explicit File(const std::string &only = "") : links(only)
    {
        observe_capture_config cfg = {};

        cfg.program = "test";
        cfg.sink.arg = cfg.arg = this;
        cfg.sink.write = [](void *arg, const void *p, size_t n) {
            File *f = static_cast<File *>(arg);
            const uint8_t *b = static_cast<const uint8_t *>(p);

            if (f->bytes.size() + n > f->room)
                return false;
            f->bytes.insert(f->bytes.end(), b, b + n);
            return true;
        };
        if (!links.empty())
            cfg.wanted = [](void *arg, const char *a, const char *b) {
                const std::string &want = static_cast<File *>(arg)->links;
                return want == a || want == b;
            };
        capture = observe_capture_create(&cfg, &fan);
    }
    ~File() { observe_capture_destroy(capture); }
    File(const File &) = delete;
};

/* ---- reading ---- */

struct Packet {
    std::string port;
    sim_packet_kind kind;
    uint32_t flags, link, direction;
    sim_time_t begin, end;
    Bytes bytes;
};

struct Contents {
    std::vector<std::string> ports;
    std::vector<Packet> packets;
    int rc;
    std::string error;
};

Contents read(const Bytes &file)
{
    Contents c;
    sim_error err = {};
    observe_capture_visitor v = {};

    v.arg = &c;
    v.interface = [](void *arg, uint32_t number, const char *name) {
        Contents *all = static_cast<Contents *>(arg);
        EXPECT_EQ(all->ports.size(), number);
        all->ports.push_back(name);
    };
    v.packet = [](void *arg, const observe_captured *p) {
        Contents *all = static_cast<Contents *>(arg);
        all->packets.push_back({ all->ports[p->interface], p->kind, p->flags, p->link, p->direction,
                                 p->begin, p->end, Bytes(p->bytes, p->bytes + p->nbytes) });
    };
    c.rc = observe_capture_read(file.data(), file.size(), &v, &err);
    c.error = err.text;
    EXPECT_EQ(c.rc, err.code);
    return c;
}

/* ---- a link that sends all sorts of packets ---- */

/* What the packets should look like, from an observer of its own. */
struct Watch {
    std::vector<Packet> packets;
    const observe_fan *fan;
    sim_probe probe{};

    explicit Watch(const observe_fan *f) : fan(f)
    {
        probe.arg = this;
        probe.packet = [](void *arg, const sim_packet *packet) {
            Watch *w = static_cast<Watch *>(arg);
            const sim_probe *to = observe_fan_probe(w->fan);
            const pcie_packet *p = pcie_packet_of(packet);
            Packet seen = { packet->where, packet->kind, packet->flags,        0, 0,
                            packet->begin, packet->end,  Bytes(PCIE_FRAME_MAX) };

            if (packet->kind == SIM_PACKET_TLP)
                seen.bytes.resize(pcie_frame_encode(p->tlp, p->seq, seen.bytes.data()));
            else
                pcie_dllp_encode(p->dllp, seen.bytes.data()), seen.bytes.resize(PCIE_DLLP_BYTES);
            w->packets.push_back(seen);
            to->packet(to->arg, packet);
        };
    }
};

struct Traffic {
    File file;
    Watch watch;
    std::unique_ptr<Pair> pair;

    explicit Traffic(unsigned n, const std::string &links = "", bool shuffle = false)
        : file(links), watch(&file.fan)
    {
        static const int kinds[] = { PCIE_MWR, PCIE_CPLD, PCIE_MRD, PCIE_CPL, PCIE_CFGWR0 };
        sim_config cfg = {};
        pcie_port_config port = test::wide_config(2, 8, 256);

        cfg.probe = &watch.probe;
        cfg.order.shuffle_turns = cfg.order.shuffle_ties = shuffle;
        pair = std::make_unique<Pair>(cfg);
        pair->join(port, port, 3000);
        for (End *e : { &pair->a, &pair->b }) {
            for (unsigned i = 0; i < n; i++)
                e->add(kinds[i % 5], 1 + i * 37 % 256);
            e->kick();
        }
        pair->run();
        pair->settle();
        EXPECT_EQ(SIM_OK, observe_capture_finish(file.capture));
    }
};

/* ---- the properties ---- */

TEST(Capture, HoldsEachPacketAsItWasSent)
{
    const Traffic t(400);
    const Contents c = read(t.file.bytes);

    ASSERT_EQ(SIM_OK, c.rc) << c.error;
    EXPECT_EQ((std::vector<std::string>{ "a", "b" }), c.ports);
    for (const std::string &port : c.ports) {
        std::vector<Packet> sent, held;

        for (const Packet &p : t.watch.packets)
            if (p.port == port)
                sent.push_back(p);
        for (const Packet &p : c.packets)
            if (p.port == port)
                held.push_back(p);
        ASSERT_EQ(sent.size(), held.size());
        for (size_t i = 0; i < sent.size(); i++) {
            EXPECT_EQ(sent[i].kind, held[i].kind);
            EXPECT_EQ(sent[i].begin, held[i].begin);
            EXPECT_EQ(sent[i].end, held[i].end);
            EXPECT_EQ(sent[i].bytes, held[i].bytes);
            EXPECT_EQ(0u, held[i].link);
            EXPECT_EQ(port == "a" ? 0u : 1u, held[i].direction);
        }
    }
}

/* More than the buffer holds, so that it is written in parts. */
TEST(Capture, StandsInTheOrderOfTime)
{
    const Traffic t(40000);
    const Contents c = read(t.file.bytes);

    ASSERT_EQ(SIM_OK, c.rc) << c.error;
    ASSERT_EQ(t.watch.packets.size(), c.packets.size());
    ASSERT_GT(t.file.bytes.size(), size_t{ 8 } << 20);
    for (size_t i = 1; i < c.packets.size(); i++)
        ASSERT_LE(c.packets[i - 1].begin, c.packets[i].begin) << i;
}

TEST(Capture, IsTheSameInAnyOrderOfTurns)
{
    EXPECT_EQ(Traffic(500).file.bytes, Traffic(500, "", true).file.bytes);
}

TEST(Capture, LeavesOutLinksThatNobodyWants)
{
    EXPECT_EQ(Traffic(50).file.bytes, Traffic(50, "b").file.bytes);
    const Contents none = read(Traffic(50, "c").file.bytes);
    EXPECT_EQ(SIM_OK, none.rc);
    EXPECT_TRUE(none.ports.empty());
    EXPECT_TRUE(none.packets.empty());
}

struct One { /* a packet reported by hand */
    pcie_tlp tlp = {};
    pcie_dllp dllp = {};
    pcie_packet packet = {};

    One()
    {
        pcie_tlp_set_range(&tlp, 0x1000, 4);
        packet.packet.kind = SIM_PACKET_TLP;
        packet.packet.where = "a";
        packet.packet.toward = "b";
        packet.packet.begin = 100;
        packet.packet.end = 200;
        packet.tlp = &tlp;
        packet.seq = 0x123;
    }
    Packet through()
    {
        File file;
        const sim_probe *probe = observe_fan_probe(&file.fan);

        probe->packet(probe->arg, &packet.packet);
        EXPECT_EQ(SIM_OK, observe_capture_finish(file.capture));
        const Contents c = read(file.bytes);
        EXPECT_EQ(1u, c.packets.size()) << c.error;
        return c.packets[0];
    }
};

TEST(Capture, InvertsTheLcrcOfWhatIsNullified)
{
    One one;
    const Bytes good = one.through().bytes;

    one.packet.packet.flags = SIM_PACKET_NULLIFIED;
    const Packet null = one.through();
    EXPECT_EQ(uint32_t{ SIM_PACKET_NULLIFIED }, null.flags);
    ASSERT_EQ(good.size(), null.bytes.size());
    for (size_t i = 0; i < good.size(); i++)
        EXPECT_EQ(i + 4 < good.size() ? good[i] : good[i] ^ 0xff, null.bytes[i]);
}

TEST(Capture, ShowsTheBytesThatArriveOfWhatWasHit)
{
    One one;
    const Bytes hit = { 1, 2, 3, 4, 5, 6, 7 };

    one.packet.packet.flags = SIM_PACKET_CORRUPT | SIM_PACKET_REPLAY;
    one.packet.bytes = hit.data();
    one.packet.nbytes = static_cast<uint32_t>(hit.size());
    const Packet p = one.through();
    EXPECT_EQ(hit, p.bytes);
    EXPECT_EQ(uint32_t{ SIM_PACKET_CORRUPT | SIM_PACKET_REPLAY }, p.flags);
}

TEST(Capture, TellsThatWritingFails)
{
    for (const size_t room : { size_t{ 0 }, size_t{ 100 }, size_t{ 300 } }) {
        File file;
        One one;
        const sim_probe *probe = observe_fan_probe(&file.fan);

        file.room = room;
        probe->packet(probe->arg, &one.packet.packet);
        EXPECT_EQ(room < 300 ? SIM_ERR_IO : SIM_OK, observe_capture_finish(file.capture)) << room;
    }
}

/* ---- reading what is wrong ---- */

TEST(CaptureReader, RefusesEachPartOfACapture)
{
    const Bytes whole = Traffic(3).file.bytes;
    size_t good = 0;

    for (size_t n = 0; n < whole.size(); n++) {
        const Contents c = read(Bytes(whole.begin(), whole.begin() + static_cast<long>(n)));
        good += c.rc == SIM_OK; /* at the ends of blocks */
        EXPECT_EQ(c.rc != SIM_OK, !c.error.empty());
    }
    EXPECT_EQ(read(whole).packets.size() + 1 + 2 - 1, good);
}

TEST(CaptureReader, SaysWhereAndWhatItExpects)
{
    Bytes file = Traffic(1).file.bytes;

    EXPECT_EQ("byte 0: type of the first block = 1668244065: expected 168627466, a section of "
              "pcapng",
              read({ 'a', 'b', 'o', 'c', 0, 0, 0, 0, 0, 0, 0, 0 }).error);
    EXPECT_EQ("byte 0: length = 0: expected a section of pcapng", read({}).error);
    const size_t interface = file[4]; /* behind the section's header */
    file[interface + 8] ^= 1;
    EXPECT_EQ("byte " + std::to_string(interface) + ": link type = 146: expected 147, DLT_USER0",
              read(file).error);
}

} // namespace
