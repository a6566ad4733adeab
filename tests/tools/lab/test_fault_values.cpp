/* Values of faults out of their ranges. Loading refuses them, in the rows of the kinds that ship:
 * the models rely on it. */
#include <gtest/gtest.h>

#include "tests/tools/attempt.h"
#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

namespace
{

std::string message_of(const char *fault)
{
    load_roots roots = {};
    load_options opt = {};
    load_machine *machine = nullptr;
    sim_error err = {};

    load_roots_add(&roots, "configs");
    opt.roots = &roots;
    opt.kinds = lab_kinds();
    opt.faults = &fault;
    opt.nfaults = 1;
    (void)attempt(&err,
                  [&] { machine = load_machine_create("configs/machines/two-node.yaml", &opt); });
    load_machine_destroy(machine);
    return err.text;
}

TEST(FaultValues, OutOfRangeAreRefused)
{
    const struct {
        const char *fault, *message; /* "": taken */
    } cases[] = {
        { "{link: node0.hub.e, bit_error_rate: 0.1}", "" },
        { "{link: node0.hub.e, bit_error_rate: 0.100000000000000001}",
          "--faults:1:21: bit_error_rate = 0.100000000000000001: expected a rate, 0 .. 1e-1, such "
          "as 1e-9" },
        { "{link: node0.hub.e, burst: {at: 1us, for: 1us, bit_error_rate: 0.11}}",
          "--faults:1:48: bit_error_rate = 0.11: expected a rate, 0 .. 1e-1, such as 1e-9" },
        { "{link: node0.hub.e, burst: {at: 1us, for: 0, bit_error_rate: 0.1}}",
          "--faults:1:38: for = 0: expected a time, 1ps .. 1000s, such as 10us" },
        { "{component: node0.host, slow: {by: 1ps}}", "" },
        { "{component: node0.host, slow: {by: 0}}",
          "--faults:1:32: by = 0: expected a time, 1ps .. 1000s, such as 10us" },
        { "{component: node0.host, slow: {by: 1us, share: 1}}", "" },
        { "{component: node0.host, slow: {by: 1us, share: 1.000001}}",
          "--faults:1:41: share = 1.000001: expected a rate, 0 .. 1, such as 0.01" },
        { "{component: node0.gpu0, poison: {share: 1.000001}}",
          "--faults:1:34: share = 1.000001: expected a rate, 0 .. 1, such as 0.01" },
    };

    for (const auto &c : cases)
        EXPECT_EQ(c.message, message_of(c.fault)) << c.fault;
}

} // namespace
