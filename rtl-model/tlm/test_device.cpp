/*
 * Modules of SystemC that cannot be made, stop, or break a rule. SystemC begins once in a process,
 * so what needs it runs in a process of its own. That ends by _exit(): what it has is no leak.
 */
#include "device.h"
#include "endpoint.h"
#include "tests/folder.h"

#include <memory>
#include <unistd.h>

namespace
{

/** Writes to the far end for ever; after a microsecond it calls sc_stop(), with more to do. */
class Writer : public sc_core::sc_module
{
  public:
    explicit Writer(const sc_core::sc_module_name &name) : sc_module(name), socket("socket")
    {
        SC_HAS_PROCESS(Writer);
        SC_THREAD(write);
        SC_THREAD(stop);
    }
    tlm_utils::simple_initiator_socket<Writer> socket;

  private:
    void write()
    {
        unsigned char word[4] = {};

        for (;;) {
            tlm::tlm_generic_payload trans;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;

            trans.set_command(tlm::TLM_WRITE_COMMAND);
            trans.set_data_ptr(word);
            trans.set_data_length(sizeof(word));
            trans.set_streaming_width(sizeof(word));
            socket->b_transport(trans, delay);
            sc_core::wait(1, sc_core::SC_NS);
        }
    }
    void stop()
    {
        sc_core::wait(1, sc_core::SC_US);
        more.notify(sc_core::SC_ZERO_TIME);
        sc_core::sc_stop();
    }
    sc_core::sc_event more;
};

/** Refuses what it is to pass on. */
class Deaf : public sc_core::sc_module
{
  public:
    explicit Deaf(const sc_core::sc_module_name &name) : sc_module(name), in("in"), out("out")
    {
        in.register_nb_transport_fw(this, &Deaf::forward);
        in.register_transport_dbg(this, &Deaf::debug);
    }
    tlm_utils::simple_target_socket<Deaf, 32, hubsim::LinkTypes> in;
    tlm_utils::simple_initiator_socket<Deaf, 32, hubsim::LinkTypes> out;

  private:
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload &, tlm::tlm_phase &, sc_core::sc_time &)
    {
        return tlm::TLM_ACCEPTED;
    }
    unsigned debug(tlm::tlm_generic_payload &trans) { return out->transport_dbg(trans); }
};

class Devices : public test::Folder
{
  protected:
    void TearDown() override
    {
        hubsim::set_builder(nullptr);
        Folder::TearDown();
    }

    hubsim::Machine pair(const std::string &bar_bytes)
    {
        write("pair.yaml", R"(description: two bridges
components:
  root:
    kind: systemc
    role: root
    link: { gen: 2, lanes: 4 }
  device:
    kind: systemc
    bar_bytes: )" + bar_bytes +
                               R"(
    link: { gen: 2, lanes: 4 }
links:
  - { from: root.link, to: device.link, length_mm: 100 }
)");
        return hubsim::Machine(write("machine.yaml", "platform: ./pair.yaml\nnodes: 1\n"));
    }

    /** Leaves the process, and prints why a machine cannot be made, at each of two attempts. */
    [[noreturn]] static void make_twice(const hubsim::Machine &of)
    {
        const sim_config cfg = {};

        for (unsigned i = 0; i < 2; i++) {
            machine *m = nullptr;
            sim_error err = {};

            if (machine_create(&of.desc(), &cfg, nullptr, nullptr, &m, &err) == SIM_OK)
                _exit(1);
            fprintf(stderr, "%s\n", err.text);
        }
        _exit(0);
    }

    [[noreturn]] static void make_endpoint(const hubsim::Machine &of)
    {
        try {
            hubsim::Endpoint device("device", of, 0, "device");
        } catch (const hubsim::Error &e) {
            fprintf(stderr, "%s", e.what());
            _exit(0);
        }
        _exit(1);
    }

    /** Leaves the process: 0 when the simulation ends well after modules have stopped. */
    [[noreturn]] void stop_in_a_machine()
    {
        const hubsim::Machine of = pair("8KiB");
        const sim_config cfg = {};
        std::unique_ptr<Writer> writer;
        machine *m = nullptr;
        sim_error err = {};

        hubsim::set_builder([&writer](const std::string &path, hubsim::Bridge &bridge) {
            if (path != "node0.root")
                return;
            writer = std::make_unique<Writer>("writer");
            writer->socket.bind(bridge.target);
        });
        if (machine_create(&of.desc(), &cfg, nullptr, nullptr, &m, &err) != SIM_OK)
            _exit(1);
        for (unsigned i = 0; i < 3; i++) /* packets are still under way */
            if (sim_run(machine_sim(m), (i + 2) * SIM_US) != SIM_OK)
                _exit(2);
        fprintf(stderr, "stopped at %llu ps", static_cast<unsigned long long>(hubsim::now_ps()));
        _exit(0);
    }

    [[noreturn]] void refuse_packets()
    {
        const hubsim::Machine of = pair("8KiB");
        hubsim::Endpoint root("root", of, 0, "root"), device("device", of, 0, "device");
        hubsim::Plug &a = root.plug("link"), &b = device.plug("link");
        Deaf deaf("deaf");

        a.tx.bind(deaf.in);
        deaf.out.bind(b.rx);
        b.tx.bind(a.rx);
        try {
            sc_core::sc_start();
        } catch (const std::exception &e) {
            fprintf(stderr, "%s", e.what());
            _exit(0);
        }
        _exit(1);
    }
};

/* What SystemC has of it stays, so a later machine is refused. */
TEST_F(Devices, OneThatCannotBeMadeEndsWell)
{
    const hubsim::Machine of = pair("8KiB");

    hubsim::set_builder([](const std::string &path, hubsim::Bridge &) {
        throw hubsim::Error(path + ": no such card");
    });
    EXPECT_EXIT(make_twice(of), testing::ExitedWithCode(0),
                "^node0.root: no such card\n"
                "node0.root: SystemC has processes of another machine: expected one machine");
}

TEST_F(Devices, SizesArePowersOfTwo)
{
    const hubsim::Machine of = pair("24KiB");
    const std::string text = "node0.device.bar_bytes = 24576: expected a power of two";

    EXPECT_EXIT(make_twice(of), testing::ExitedWithCode(0), "pair.yaml:9: " + text);
    EXPECT_EXIT(make_endpoint(of), testing::ExitedWithCode(0), "^" + text);
}

TEST_F(Devices, PacketsComeAfterTheStop)
{
    EXPECT_EXIT(stop_in_a_machine(), testing::ExitedWithCode(0), "stopped at 1000000 ps");
}

TEST_F(Devices, APacketThatIsRefusedEndsTheSimulation)
{
    EXPECT_EXIT(refuse_packets(), testing::ExitedWithCode(0),
                "the module behind tx answers .*: expected TLM_COMPLETED");
}

} // namespace
