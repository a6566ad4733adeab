/*
 * Two bridges at the ends of a link: a root, whose thread plays software, and a device with memory.
 * SystemC runs once in a process, so the whole scenario runs first, and tests look at what it left.
 */
#include "endpoint.h"

#include "pcie/port/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

namespace
{

constexpr uint64_t kBar = UINT64_C(0x900000000), kSize = 8192, kHost = 0x10000;
constexpr unsigned kRandom = 200;

const char *const kMachineFile = "platform: ./pair.yaml\nnodes: 1\n";
const char *const kPlatformFile = R"(description: two bridges
components:
  root:
    kind: systemc
    role: root
    timeout_ps: 20_000_000
    link: { gen: 2, lanes: 4, mps_bytes: 128 }
  device:
    kind: systemc
    vendor_id: 0x1a2b
    device_id: 0x3c4d
    bar_bytes: 8KiB
    link: { gen: 3, lanes: 8, mps_bytes: 256 }
links:
  - { from: root.link, to: device.link, length_mm: 100 }
)";

/** Bytes that take 10 ns for each access; the last 256 refuse, and what begins at `hangs` hangs. */
class Memory : public sc_core::sc_module
{
  public:
    static constexpr uint64_t kRefused = kSize - 256, kHangs = kSize - 512;

    explicit Memory(const sc_core::sc_module_name &name) : sc_module(name), socket("socket")
    {
        socket.register_b_transport(this, &Memory::b_transport);
    }
    tlm_utils::simple_target_socket<Memory> socket;
    std::vector<uint8_t> bytes = std::vector<uint8_t>(kSize);
    unsigned largest = 0;
    uint64_t hangs = kHangs;

  private:
    void b_transport(tlm::tlm_generic_payload &trans, sc_core::sc_time &delay)
    {
        uint64_t at = trans.get_address() % kHost, n = trans.get_data_length();

        largest = std::max(largest, static_cast<unsigned>(n));
        delay += sc_core::sc_time(10, sc_core::SC_NS);
        if (at + n > kRefused) {
            trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (at == hangs)
            delay += sc_core::sc_time(100, sc_core::SC_US);
        if (trans.is_write())
            memcpy(&bytes[at], trans.get_data_ptr(), n);
        else
            memcpy(trans.get_data_ptr(), &bytes[at], n);
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

/** Counts what passes between two plugs, one direction, and delays nothing. It can change a packet
 * of the kind `next`. */
class Tap : public sc_core::sc_module
{
  public:
    explicit Tap(const sc_core::sc_module_name &name) : sc_module(name), in("in"), out("out")
    {
        in.register_nb_transport_fw(this, &Tap::forward);
        in.register_transport_dbg(this, &Tap::debug);
    }
    tlm_utils::simple_target_socket<Tap, 32, hubsim::LinkTypes> in;
    tlm_utils::simple_initiator_socket<Tap, 32, hubsim::LinkTypes> out;
    unsigned tlps = 0, dllps = 0, bytes = 0, strange = 0;
    int next = -1; /* changed once */
    std::function<void(wire_tlp &)> change;

  private:
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload &trans, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay)
    {
        auto *packet = trans.get_extension<hubsim::Packet>();

        if (packet->is_tlp && packet->tlp.tlp.kind == next) {
            next = -1;
            change(packet->tlp);
        }
        (packet->is_tlp ? tlps : dllps)++;
        bytes += trans.get_data_length();
        strange += trans.is_write() != (trans.get_data_length() != 0) || !trans.has_mm();
        strange += trans.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE;
        strange +=
            !packet->is_tlp && (trans.get_address() != 0 || trans.get_data_ptr() != nullptr ||
                                trans.get_streaming_width() != 0);
        return out->nb_transport_fw(trans, phase, delay);
    }
    unsigned debug(tlm::tlm_generic_payload &trans) { return out->transport_dbg(trans); }
};

struct Results {
    uint32_t id = 0, bar = 0, absent = 0;
    unsigned wrong = 0, transfers = 0;
    tlm::tlm_response_status disabled, outside, refused, late, after_late, byte_enables, streaming;
    sim_time_t small_ps = 0, large_ps = 0, late_ps = 0;
    bool device_waited = false, device_wrote = false;
    std::vector<tlm::tlm_response_status> changed, after_changed;
    uint8_t kept = 0;
    uint32_t kept_bar = 0, errors = 0, refusals = 0;
};

/** What runs on both sides. */
class Script : public sc_core::sc_module
{
  public:
    Script(const sc_core::sc_module_name &name, hubsim::Bridge &with, Memory &far_memory,
           Tap &to_device, Tap &to_root)
        : sc_module(name), host("host"), device("device"), root(with), far(far_memory),
          down(to_device), up(to_root)
    {
        SC_HAS_PROCESS(Script);
        SC_THREAD(software);
        SC_THREAD(hardware);
    }
    tlm_utils::simple_initiator_socket<Script> host, device;
    Results got;

  private:
    using Socket = tlm_utils::simple_initiator_socket<Script>;

    static tlm::tlm_response_status transfer(Socket &by, tlm::tlm_command command, uint64_t addr,
                                             uint8_t *bytes, unsigned n, unsigned width = 0,
                                             uint8_t *enables = nullptr)
    {
        tlm::tlm_generic_payload trans;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;

        trans.set_command(command);
        trans.set_address(addr);
        trans.set_data_ptr(bytes);
        trans.set_data_length(n);
        trans.set_streaming_width(width != 0 ? width : n);
        trans.set_byte_enable_ptr(enables);
        by->b_transport(trans, delay);
        sc_core::wait(delay);
        return trans.get_response_status();
    }

    static tlm::tlm_response_status read(Socket &by, uint64_t addr, unsigned n)
    {
        std::vector<uint8_t> bytes(n);

        return transfer(by, tlm::TLM_READ_COMMAND, addr, bytes.data(), n);
    }

    sim_time_t time_of_read(unsigned n)
    {
        sim_time_t start = hubsim::now_ps();

        (void)read(host, kBar, n);
        return hubsim::now_ps() - start;
    }

    void configure()
    {
        got.id = root.config_read(PCIE_CFG_ID);
        root.config_write(PCIE_CFG_BAR(0), UINT32_MAX);
        got.bar = root.config_read(PCIE_CFG_BAR(0));
        got.disabled = read(host, kBar, 4);
        root.config_write(PCIE_CFG_BAR(0), static_cast<uint32_t>(kBar));
        root.config_write(PCIE_CFG_BAR(1), kBar >> 32);
        sc_core::wait(1, sc_core::SC_US);
        got.device_waited = !got.device_wrote; /* it is no master yet */
        root.config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
    }

    /* Any size, address and content: what is read back is what memory there was given. */
    void random_transfers()
    {
        std::mt19937 rng(7);
        std::vector<uint8_t> model(Memory::kHangs);

        for (unsigned i = 0; i < kRandom; i++) {
            unsigned n = 1 + rng() % (i % 4 == 0 ? 3000 : 40), at = rng() % (Memory::kHangs - n);
            std::vector<uint8_t> bytes(n);

            if (i % 2 == 0) {
                for (uint8_t &b : bytes)
                    b = static_cast<uint8_t>(rng());
                (void)transfer(host, tlm::TLM_WRITE_COMMAND, kBar + at, bytes.data(), n);
                std::copy(bytes.begin(), bytes.end(), model.begin() + at);
            } else {
                got.wrong += transfer(host, tlm::TLM_READ_COMMAND, kBar + at, bytes.data(), n) !=
                             tlm::TLM_OK_RESPONSE;
                got.wrong += !std::equal(bytes.begin(), bytes.end(), model.begin() + at);
            }
            got.transfers++;
        }
        (void)read(host, kBar, 1); /* behind the last write */
        got.wrong += !std::equal(model.begin(), model.end(), far.bytes.begin());
    }

    /* Of 200 bytes, which come as two completions, the first one is not as it should be. */
    void changed_completions()
    {
        const std::function<void(wire_tlp &)> changes[] = {
            [](wire_tlp &rec) {
                rec.tlp.kind = PCIE_CPL;
                rec.tlp.length_dw = 0;
                rec.payload_bytes = 0;
            },
            [](wire_tlp &rec) { rec.tlp.byte_count = 196; },
            [](wire_tlp &rec) { rec.tlp.lower_addr ^= 4; },
            [](wire_tlp &rec) { rec.tlp.poisoned = 1; },
            [](wire_tlp &rec) { rec.tlp.tag ^= 0x20; },
        };

        for (const auto &change : changes) {
            up.change = change;
            up.next = PCIE_CPLD;
            got.changed.push_back(read(host, kBar, 200));
            got.after_changed.push_back(read(host, kBar, 200));
        }
    }

    void poisoned_writes()
    {
        uint8_t byte = 1;

        down.change = [](wire_tlp &rec) { rec.tlp.poisoned = 1; };
        (void)transfer(host, tlm::TLM_WRITE_COMMAND, kBar, &byte, 1);
        (void)read(host, kBar, 1); /* behind the write, which is not to be changed */
        down.next = PCIE_MWR;
        byte = 2;
        (void)transfer(host, tlm::TLM_WRITE_COMMAND, kBar, &byte, 1);
        (void)read(host, kBar, 1);
        got.kept = far.bytes[0];
        got.errors = root.config_read(PCIE_AER_UNCORRECTABLE);
        down.next = PCIE_CFGWR0;
        root.config_write(PCIE_CFG_BAR(0), UINT32_MAX);
        got.kept_bar = root.config_read(PCIE_CFG_BAR(0));
    }

    void software()
    {
        uint8_t bytes[8] = {}, enables[8] = {};

        configure();
        random_transfers();
        got.small_ps = time_of_read(4);
        got.large_ps = time_of_read(4096);
        got.outside = read(host, kBar + 2 * kSize, 4);
        got.refused = read(host, kBar + Memory::kRefused, 4);
        got.refusals = root.config_read(PCIE_AER_CORRECTABLE);
        got.byte_enables = transfer(host, tlm::TLM_WRITE_COMMAND, kBar, bytes, 8, 8, enables);
        got.streaming = transfer(host, tlm::TLM_WRITE_COMMAND, kBar, bytes, 8, 4);
        got.late = read(host, kBar + Memory::kHangs, 4);
        sc_core::wait(200, sc_core::SC_US);
        got.after_late = read(host, kBar, 4);
        far.hangs = 0; /* and so do the requests behind the first one */
        got.late_ps = time_of_read(2048);
        far.hangs = Memory::kHangs;
        sc_core::wait(200, sc_core::SC_US);
        changed_completions();
        poisoned_writes();
    }

    void hardware()
    {
        uint8_t word[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

        sc_core::wait(1, sc_core::SC_NS);
        (void)transfer(device, tlm::TLM_WRITE_COMMAND, kHost + 0x123, word, 8);
        got.device_wrote = true;
    }

    hubsim::Bridge &root;
    Memory &far;
    Tap &down, &up;
};

Results results;
std::vector<uint8_t> host_memory;
unsigned largest, tlps, dllps, bytes_written, strange;

class Bridges : public ::testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        char folder[] = "/tmp/hubsim-test-XXXXXX";

        ASSERT_NE(nullptr, mkdtemp(folder));
        const std::string path = folder;
        std::ofstream(path + "/pair.yaml") << kPlatformFile;
        std::ofstream(path + "/machine.yaml") << kMachineFile;
        hubsim::Machine machine(path + "/machine.yaml");
        std::filesystem::remove_all(path);

        hubsim::Endpoint root("root", machine, 0, "root"), device("device", machine, 0, "device");
        Memory near("near"), far("far");
        Tap tap("tap"), up("up");
        Script script("script", root.bridge, far, tap, up);

        /* as join() does, but for the taps */
        hubsim::Plug &a = root.plug("link"), &b = device.plug("link");

        a.tx.bind(tap.in);
        tap.out.bind(b.rx);
        b.tx.bind(up.in);
        up.out.bind(a.rx);
        a.cable_ps = b.cable_ps = 500;
        root.bridge.initiator.bind(near.socket);
        device.bridge.initiator.bind(far.socket);
        script.host.bind(root.bridge.target);
        script.device.bind(device.bridge.target);
        sc_core::sc_start();
        results = script.got;
        host_memory = near.bytes;
        largest = far.largest;
        tlps = tap.tlps;
        dllps = tap.dllps;
        bytes_written = tap.bytes;
        strange = tap.strange;
    }
};

TEST_F(Bridges, AnEndpointIsFoundAndSized)
{
    EXPECT_EQ(0x3c4d1a2bu, results.id);
    EXPECT_EQ(kSize, ~(results.bar & ~0xfu) + 1);
}

TEST_F(Bridges, RequestsWaitUntilTheyAreEnabled)
{
    EXPECT_EQ(tlm::TLM_ADDRESS_ERROR_RESPONSE, results.disabled);
    EXPECT_TRUE(results.device_waited);
    EXPECT_TRUE(results.device_wrote);
    EXPECT_EQ((std::vector<uint8_t>{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 0 }),
              std::vector<uint8_t>(host_memory.begin() + 0x122, host_memory.begin() + 0x12c));
}

TEST_F(Bridges, BytesOfAnySizeAndAddressArrive)
{
    EXPECT_EQ(kRandom, results.transfers);
    EXPECT_EQ(0u, results.wrong);
    EXPECT_EQ(512u, largest) << "a read request; payloads are of 128 at most";
}

/* A way is 5 ns at each end, 0.5 ns of cable, and 24 bytes of header and framing at 0.5 ns each.
 * The memory takes 10 ns, and what is left is for columns of the link. */
TEST_F(Bridges, AReadTakesTheWayThereAndBack)
{
    EXPECT_LE(2u * (5000 + 500 + 5000 + 12000) + 10000, results.small_ps);
    EXPECT_GE(2u * (5000 + 500 + 5000 + 12000) + 10000 + 4 * 2000, results.small_ps);
    /* 32 completions of 128 bytes with 20 more, at 2 GB/s */
    EXPECT_LE(32u * (128 + 20) * 500, results.large_ps);
    EXPECT_GE(32u * (128 + 20) * 500 + 250000, results.large_ps);
}

TEST_F(Bridges, AModuleMayStandBetweenTwoPlugs)
{
    EXPECT_EQ(0u, strange);
    EXPECT_LT(results.transfers, tlps);
    EXPECT_LT(0u, dllps);
    EXPECT_LT(8u * results.transfers, bytes_written);
}

TEST_F(Bridges, ErrorsAreResponses)
{
    EXPECT_EQ(tlm::TLM_ADDRESS_ERROR_RESPONSE, results.outside);
    EXPECT_EQ(tlm::TLM_ADDRESS_ERROR_RESPONSE, results.refused);
    EXPECT_EQ(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, results.byte_enables);
    EXPECT_EQ(tlm::TLM_BURST_ERROR_RESPONSE, results.streaming);
    EXPECT_EQ(tlm::TLM_GENERIC_ERROR_RESPONSE, results.late);
    EXPECT_EQ(tlm::TLM_OK_RESPONSE, results.after_late)
        << "an answer that came too late is dropped";
}

/* All of them are sent at once, and none waits for the end of another one. */
TEST_F(Bridges, EachRequestIsGivenUpByWhenItWasSent)
{
    EXPECT_NEAR(20e6, static_cast<double>(results.late_ps), 1e6);
}

/* The device records what it refuses, and leaves it to the root what that means. */
TEST_F(Bridges, WhatIsRefusedIsRecorded)
{
    EXPECT_EQ(1u << (PCIE_ERR_ADVISORY - PCIE_ERR_CORRECTABLE), results.refusals);
}

TEST_F(Bridges, DataThatAreMissingWrongOrPoisonedAreNoSuccess)
{
    const size_t n = 5;

    EXPECT_EQ(std::vector(n, tlm::TLM_GENERIC_ERROR_RESPONSE), results.changed);
    EXPECT_EQ(std::vector(n, tlm::TLM_OK_RESPONSE), results.after_changed);
}

TEST_F(Bridges, PoisonedWritesChangeNothing)
{
    EXPECT_EQ(1u, results.kept);
    EXPECT_EQ(1u, results.errors >> PCIE_ERR_POISONED & 1);
    EXPECT_EQ(static_cast<uint32_t>(kBar), results.kept_bar & ~0xfu);
}

} // namespace
