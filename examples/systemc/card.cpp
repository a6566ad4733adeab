/*
 * A host with a hub and the card, all of them modules of SystemC; on the host runs poke.c.
 *
 *   systemc_card MACHINE
 */
#include "card.h"

#include <cstdio>
#include <vector>

#include "endpoint.h"
#include "host.h"
#include "hub.h"

extern "C" int poke_main(void);

int sc_main(int argc, char **argv)
{
    constexpr uint64_t kTraceMm = 200;
    int status = 1;

    try {
        hubsim::Machine machine(argc > 1 ? argv[1] : "card.yaml");
        hubsim::Program program([&](unsigned) { status = poke_main(); });

        machine.fingerprint = true;
        hubsim::Host host("host", machine, 0, program);
        hubsim::Hub hub("hub", machine, 0);
        hubsim::Endpoint slot("slot", machine, 0, "card");
        Card card("card");

        join(host.plug("p0"), hub.plug("n"), wire_ps(machine, kTraceMm));
        join(host.plug("p1"), slot.plug("link"), wire_ps(machine, kTraceMm));
        hubsim::Cables(machine).route({ &hub });
        slot.bridge.initiator.bind(card.registers);
        card.bus.bind(slot.bridge.target);
        sc_core::sc_start();

        const sim_fingerprint f = hubsim::fingerprint_of({ &host, &hub, &slot });
        printf("fingerprint visible=%#llx wire=%#llx edge=%#llx\n",
               static_cast<unsigned long long>(f.visible), static_cast<unsigned long long>(f.wire),
               static_cast<unsigned long long>(f.edge));
    } catch (const hubsim::Error &e) {
        fprintf(stderr, "card: %s\n", e.what());
    }
    return status;
}
