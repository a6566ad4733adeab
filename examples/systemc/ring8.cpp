/*
 * Eight hubs in a ring, each with a host, as modules of SystemC that sockets join; on two of the
 * hosts runs ping.c.
 *
 *   systemc_ring8 [--set KEY=VALUE]... MACHINE [by=pio|dma|chain|irq] [hops=4] [bytes=8]
 */
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "host.h"
#include "hub.h"

extern "C" int ping_main(int argc, char **argv);

namespace
{
constexpr char kUsage[] = "Usage: systemc_ring8 [--set KEY=VALUE]... MACHINE "
                          "[by=pio|dma|chain|irq] [hops=4] [bytes=8]";
constexpr unsigned kNodes = 8;
constexpr uint64_t kCableMm = 2000, kBoardMm = 200;

struct Ring {
    Ring(const hubsim::Machine &machine, hubsim::Program &program)
    {
        hubsim::Cables cables(machine);
        std::vector<hubsim::Hub *> all;

        for (unsigned i = 0; i < kNodes; i++) {
            const std::string n = std::to_string(i);

            hubs.push_back(std::make_unique<hubsim::Hub>(("hub" + n).c_str(), machine, i));
            hosts.push_back(
                std::make_unique<hubsim::Host>(("host" + n).c_str(), machine, i, program));
            join(hosts[i]->plug("p0"), hubs[i]->plug("n"), wire_ps(machine, kBoardMm));
            all.push_back(hubs[i].get());
        }
        for (unsigned i = 0; i < kNodes; i++)
            cables.join(*hubs[i], "e", *hubs[(i + 1) % kNodes], "w", kCableMm);
        cables.route(all);
    }

    sim_fingerprint fingerprint() const
    {
        std::vector<const hubsim::Part *> parts;

        for (unsigned i = 0; i < kNodes; i++) {
            parts.push_back(hubs[i].get());
            parts.push_back(hosts[i].get());
        }
        return fingerprint_of(parts);
    }

    std::vector<std::unique_ptr<hubsim::Hub>> hubs;
    std::vector<std::unique_ptr<hubsim::Host>> hosts;
};

int run(std::vector<char *> args)
{
    std::vector<std::string> sets;
    int status = 0;

    if (args.size() == 2 && strcmp(args[1], "--help") == 0) {
        puts(kUsage);
        return 0;
    }
    while (args.size() > 2 && strcmp(args[1], "--set") == 0) {
        sets.emplace_back(args[2]);
        args.erase(args.begin() + 1, args.begin() + 3);
    }
    if (args.size() < 2)
        throw hubsim::Error("expected a machine file");
    hubsim::Machine machine(args[1], sets);
    args.erase(args.begin() + 1);
    machine.fingerprint = true;
    hubsim::Program program([&](unsigned) {
        int code = ping_main(static_cast<int>(args.size()), args.data());

        status = status != 0 ? status : code;
    });
    Ring ring(machine, program);

    sc_core::sc_start();
    if (!program.ended())
        throw hubsim::Error("the program waits for ever");
    const sim_fingerprint f = ring.fingerprint();
    printf("fingerprint visible=%#llx wire=%#llx edge=%#llx\n",
           static_cast<unsigned long long>(f.visible), static_cast<unsigned long long>(f.wire),
           static_cast<unsigned long long>(f.edge));
    return status;
}
} // namespace

int sc_main(int argc, char **argv)
{
    try {
        return run({ argv, argv + argc });
    } catch (const hubsim::Error &e) {
        fprintf(stderr, "ring8: %s\n", e.what());
        return 1;
    }
}
