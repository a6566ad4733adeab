/*
 * Programs as hubcc makes them, over each conduit, with segments of hosts and of GPUs, and with
 * faults. Whatever the order of events and of domains, they print the same lines, end at the same
 * times, and leave the same fingerprint.
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
    const char *name, *gasnet, *machine;
    unsigned ranks;
    std::vector<const char *> sets, faults;
    const char *mpi = "net";
};

/* Bit errors on the cables between hubs, or between a host and its adapter. */
const char *const CABLES = "{link: node*.hub.e, bit_error_rate: 2e-6}";
const char *const ADAPTERS = "{link: node*.ib.pcie, bit_error_rate: 2e-6}";

const std::vector<Network> NETWORKS = {
    { "net", "net", "ring4", 5, {}, {} },
    { "net_gpu", "net,segment=gpu", "ring4", 3, {}, {} },
    { "tca", "tca-2016", "ring4", 5, {}, {} },
    { "tca_gpu", "tca-2016,segment=gpu", "ring4", 4, {}, { CABLES } },
    { "tca_few", "tca,ring_entries=2,fault=on,channels=2", "ring4", 3, {}, { CABLES } },
    { "ib", "ibv-2016", "ring4", 5, {}, {} },
    { "ib_gpu", "ibv-2016,segment=gpu", "ring4", 4, {}, { ADAPTERS } },
    { "peach2", "peach2", "ring4", 5, {}, { CABLES } },
    { "peach2_gpu", "peach2,segment=gpu", "ring4", 3, {}, {} },
    { "mbcf", "mbcf", "mbcf-switch-half", 4, { "node*.ether.rx.loss_ppm=3000" }, {} },
    { "tcp", "tcp", "mbcf-hub", 2, { "node*.ether.rx.loss_ppm=3000" }, {} },
};

const std::vector<Network> BESIDE_MPI = {
    { "tca", "tca-2016,segment=gpu", "ring4", 3, {}, { CABLES }, "tca" },
    { "ib", "ibv-2016", "ring4", 3, {}, {}, "ib" },
    { "tca_ib", "tca-2016", "ring4", 3, {}, {}, "ib" },
    { "net", "net", "ring4", 3, {}, {}, "peach2" },
};

void PrintTo(const Network &n, std::ostream *os)
{
    *os << n.gasnet << " on " << n.machine;
}

class GasnetOrders : public testing::TestWithParam<Network>
{
  protected:
    struct Outcome {
        std::vector<Cluster::Line> lines;
        std::vector<sim_time_t> ends;
        sim_fingerprint print;
    };

    /** In a cluster of its own that is gone then: segments have the same addresses in each run,
     * which travel. */
    static Outcome run(const sim_order &order, const std::string &program,
                       const std::vector<std::string> &args)
    {
        const Network &n = GetParam();
        MachineFile file(n.machine, n.sets, n.faults);
        ClusterConfig machine = file.cluster();
        launch_config cfg = {};
        load_arena arena = {};
        load_roots roots = {};

        machine.order = order;
        load_roots_add(&roots, CONFIGS);
        Cluster c(machine);
        launch_software software = lab_software(c.machine(), 0);
        EXPECT_EQ(SIM_OK,
                  attempt(&c.err,
                          [&] {
                              lab_software_mpi(&software, nullptr, n.mpi, &roots, &arena);
                              lab_software_gasnet(&software, nullptr, n.gasnet, &roots, &arena);
                              lab_software_segment(&software, c.machine(), nullptr, n.ranks);
                          }))
            << c.err.text;
        cfg.nranks = n.ranks;
        cfg.software = &software;
        cfg.max_time_ps = 100000 * SIM_MS;
        EXPECT_EQ(SIM_OK,
                  c.run_program(test::BUILD + "/tests/hosts/gasnet/orders/" + program, args, cfg))
            << c.err.text;
        load_arena_fini(&arena);
        EXPECT_TRUE(c.all_well()) << (c.lines.empty() ? "" : c.lines.back().text);
        Outcome o = { c.lines, {}, c.fingerprint() };
        for (unsigned r = 0; r < c.result.nranks; r++)
            o.ends.push_back(c.result.ranks[r].end_ps);
        return o;
    }
    /** Memory of GPUs, too, where there are any. */
    static const char *gpu()
    {
        return strcmp(GetParam().machine, "ring4") == 0 ? "gpu=1" : "gpu=0";
    }
    /** In the fast order, again in it, and in each other one. */
    static void expect_same(const std::string &program, const std::vector<std::string> &args = {})
    {
        SCOPED_TRACE(program);
        const Outcome first = run({}, program, args);

        EXPECT_NE(0u, first.print.visible);
        for (const sim_order &order : test::all_orders()) {
            if (test::SANITIZED && !(order.shuffle_ties && order.shuffle_turns))
                continue;
            SCOPED_TRACE(std::string("shuffled:") + (order.shuffle_ties ? " ties" : "") +
                         (order.shuffle_turns ? " turns" : ""));
            const Outcome other = run(order, program, args);

            EXPECT_EQ(first.lines, other.lines);
            EXPECT_EQ(first.ends, other.ends);
            EXPECT_EQ(first.print.visible, other.print.visible);
            EXPECT_EQ(first.print.wire, other.print.wire);
            if (HasFailure())
                return;
        }
    }
};

TEST_P(GasnetOrders, OfEventsDoNotMatterToMessagesPutsAndGets)
{
    expect_same("programs", { "programs=8" });
}

TEST_P(GasnetOrders, OfEventsDoNotMatterToPieces)
{
    expect_same("vis", { "cases=2", gpu() });
}

TEST_P(GasnetOrders, OfEventsDoNotMatterToCollectivesAndBarriers)
{
    expect_same("coll", { "cases=4", gpu() });
    expect_same("barrier");
}

TEST_P(GasnetOrders, OfEventsDoNotMatterToFloods)
{
    expect_same("flood", { "4" });
}

class GasnetOrdersBesideMpi : public GasnetOrders
{
};

TEST_P(GasnetOrdersBesideMpi, OfEventsDoNotMatterToEither)
{
    expect_same("mpi");
}

std::string name(const testing::TestParamInfo<Network> &n)
{
    return n.param.name;
}

INSTANTIATE_TEST_SUITE_P(Gasnet, GasnetOrders, testing::ValuesIn(NETWORKS), name);
INSTANTIATE_TEST_SUITE_P(Gasnet, GasnetOrdersBesideMpi, testing::ValuesIn(BESIDE_MPI), name);

} // namespace
