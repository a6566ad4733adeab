/*
 * Programs as hubcc makes them, over each transport and with faults: whatever the order of events
 * and of domains, they print the same lines, end at the same times, and leave the same fingerprint.
 */
#include "tests/built.h"
#include "tests/hosts/machine_file.h"

#include <cstring>

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::MachineFile;

struct Network {
    const char *name, *mpi, *machine;
    unsigned ranks;
    std::vector<const char *> sets, faults;
};

/* Bit errors on the cables between hubs, or between a host and its adapter. */
const char *const CABLES = "{link: node*.hub.e, bit_error_rate: 2e-6}";
const char *const ADAPTERS = "{link: node*.ib.pcie, bit_error_rate: 2e-6}";

const std::vector<Network> NETWORKS = {
    { "net", "net", "ring4", 5, {}, {} },
    { "net_sr", "net,requests=on,eager_bytes=300", "ring4", 3, {}, {} },
    { "peach2", "peach2", "ring4", 5, {}, {} },
    { "peach2_nsr", "peach2,requests=off,fifo_bytes=256", "ring4", 3, {}, { CABLES } },
    { "ib", "ib,rails=2", "ring4", 5, {}, {} },
    { "ib_sr", "ib,requests=on", "ring4", 3, {}, { ADAPTERS } },
    { "mbcf", "mbcf", "mbcf-switch", 4, {}, {} },
    { "mbcf_nsr",
      "mbcf,requests=off",
      "mbcf-switch-half",
      3,
      { "node*.ether.rx.loss_ppm=3000" },
      {} },
    { "tcp", "tcp", "mbcf-hub", 2, { "node*.ether.rx.loss_ppm=3000" }, {} },
};
const std::vector<Network> HELPERS = {
    { "peach2", "peach2,progress=helper", "ring4", 5, {}, { CABLES } },
    { "ib", "ib,progress=helper", "ring4", 5, {}, {} },
    { "mbcf", "mbcf,progress=helper", "mbcf-switch", 4, {}, {} },
};

void PrintTo(const Network &n, std::ostream *os)
{
    *os << n.mpi << " on " << n.machine;
}

class Orders : public testing::TestWithParam<Network>
{
  protected:
    static void run(Cluster &c, const std::string &program, const std::vector<std::string> &args)
    {
        const Network &n = GetParam();
        launch_software software = lab_software(c.machine(), 0);
        launch_config cfg = {};
        load_arena arena = {};

        ASSERT_EQ(
            SIM_OK,
            attempt(&c.err, [&] { lab_software_mpi(&software, nullptr, n.mpi, nullptr, &arena); }))
            << c.err.text;
        cfg.nranks = n.ranks;
        cfg.software = &software;
        cfg.beside = lab_software_beside(&software, c.machine());
        cfg.max_time_ps = 100000 * SIM_MS;
        ASSERT_EQ(SIM_OK, c.run_program(test::BUILD + "/tests/hosts/mpi/" + program, args, cfg))
            << c.err.text;
        load_arena_fini(&arena);
        EXPECT_TRUE(c.all_well()) << (c.lines.empty() ? "" : c.lines.back().text);
    }
    static std::vector<sim_order> orders()
    {
        if (test::SANITIZED)
            return { test::all_orders().back() };
        return test::all_orders();
    }
    /** In the fast order, again in it, and in each other one. */
    static void expect_same(const std::string &program, const std::vector<std::string> &args = {})
    {
        MachineFile file(GetParam().machine, GetParam().sets, GetParam().faults);
        ClusterConfig cfg = file.cluster();
        Cluster first(cfg);

        SCOPED_TRACE(program);
        run(first, program, args);
        for (const sim_order &order : orders()) {
            cfg.order = order;
            Cluster c(cfg);
            SCOPED_TRACE(std::string("shuffled:") + (order.shuffle_ties ? " ties" : "") +
                         (order.shuffle_turns ? " turns" : ""));
            run(c, program, args);
            c.expect_same_outcome(first);
            if (HasFailure())
                return;
        }
    }
};

TEST_P(Orders, OfEventsDoNotMatterToMessages)
{
    expect_same("matcher", { "patterns=6", "limits=300,2000" });
}

TEST_P(Orders, OfEventsDoNotMatterToOneSidedOperations)
{
    expect_same("windows", { "fixed" });
    expect_same("locks");
}

TEST_P(Orders, OfEventsDoNotMatterToCollectives)
{
    expect_same("collectives");
    expect_same("nonblocking");
}

TEST_P(Orders, OfEventsDoNotMatterToDatatypes)
{
    bool adapters = std::string(GetParam().machine) == "ring4" && strncmp(GetParam().mpi, "net", 3);
    const char *gpu = adapters ? "gpu=1" : "gpu=0"; /* memory of GPUs, too */

    expect_same("signatures_point", { "cases=6", gpu });
    expect_same("signatures_collectives", { "cases=6", gpu });
}

TEST_P(Orders, OfEventsDoNotMatterToFiles)
{
    expect_same("io", { std::string("io-of-") + GetParam().name });
}

class OrdersWithHelpers : public Orders
{
};

TEST_P(OrdersWithHelpers, OfEventsDoNotMatterToWhatGoesOnByItself)
{
    expect_same("matcher", { "patterns=6", "limits=300,2000" });
    expect_same("windows", { "fixed" });
    expect_same("nonblocking");
    expect_same("signatures_point", { "cases=6" });
}

std::string name(const testing::TestParamInfo<Network> &n)
{
    return n.param.name;
}

INSTANTIATE_TEST_SUITE_P(Mpi, Orders, testing::ValuesIn(NETWORKS), name);
INSTANTIATE_TEST_SUITE_P(Mpi, OrdersWithHelpers, testing::ValuesIn(HELPERS), name);

} // namespace
