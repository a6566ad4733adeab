/* Transfers on the production nodes, with their calibrated parameters. */
#include "tests/hosts/tca/rank.h"

#include "hosts/driver/driver.h"
#include "tests/tools/attempt.h"
#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::Rank;

enum { CH = 0, SLOT = 3, TAG = 0x55, TURNS = 4 };
const size_t KIB = 1024, MOST = 64 * KIB;

class Machine
{
  public:
    explicit Machine(const char *name, const std::vector<const char *> &sets = {})
    {
        load_roots roots = {};
        load_options opt = {};
        begun_arena arena;
        sim_error err = {};

        load_roots_add(&roots, CONFIGS);
        opt.roots = &roots;
        opt.kinds = lab_kinds();
        opt.sets = sets.data();
        opt.nsets = (unsigned)sets.size();
        EXPECT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      machine_ = load_machine_create(
                                          load_find(&roots, "machines", name, &arena), &opt);
                                  }))
            << err.text;
        load_arena_fini(&arena);
    }
    ~Machine() { load_machine_destroy(machine_); }
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;
    const machine_desc *desc() const { return load_machine_desc(machine_); }

  private:
    load_machine *machine_ = nullptr;
};

struct Case {
    int flags; /* where descriptors and notifications lie */
    tcaMemoryKind src, dst;
};

class TcaPlatform : public ::testing::TestWithParam<Case>
{
};

void ping_pong(Rank &r, const Case &how, size_t n, uint8_t *out, uint8_t *in, tcaHandle *outs,
               tcaHandle *ins)
{
    tcaDesc *d = tcaDescNew();

    EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &ins[!r.me], 0, &outs[r.me], 0, n,
                                            how.flags | tcaDMANotify, SLOT, TAG));
    EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
    for (int turn = 0; turn < TURNS; turn++) {
        unsigned seed = (unsigned)(turn + n / KIB);
        if (turn % 2 == r.me) {
            test::fill(out, n, seed);
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        } else {
            /* Device memory is memory of the process: this look takes no simulated time. */
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&ins[!r.me], SLOT, TAG));
            EXPECT_EQ(0u, test::wrong_bytes(in, n, seed)) << n << " bytes, turn " << turn;
        }
    }
    EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(CH));
    EXPECT_EQ(TCA_SUCCESS, tcaDescFree(d));
}

void on_two_nodes(const std::vector<const char *> &sets, const std::function<int()> &fn)
{
    Machine two("two-node", sets);
    ClusterConfig cc;
    cc.desc = two.desc();
    Cluster c(cc);
    launch_software software = lab_software(c.machine(), 0);
    launch_config cfg = {};

    cfg.software = &software;
    c.expect_run(fn, cfg);
}

TEST_P(TcaPlatform, NoFlagIsSeenBeforeItsData)
{
    const Case how = GetParam();

    on_two_nodes({}, [&] {
        Rank r;
        uint8_t *out = r.memory(MOST, how.src), *in = r.memory(MOST, how.dst);
        auto outs = r.publish(out, MOST, how.src), ins = r.publish(in, MOST, how.dst);
        for (size_t n : { 16 * KIB, 24 * KIB, 32 * KIB, 64 * KIB }) {
            r.barrier();
            ping_pong(r, how, n, out, in, outs.data(), ins.data());
        }
        return MPI_Finalize();
    });
}

/* As tcaWaitDMARecvDesc(), but without the read from the GPU at its end. */
void wait_without_flush(unsigned source)
{
    struct host *h = host_self();
    struct driver *d = driver_of(h);
    uint64_t key = notify_key(source, SLOT, TAG);
    uint8_t flush = 0;

    driver_ring_drain(h, d);
    while (!notify_count_take(&d->counts, key, &flush)) {
        h->bus->wait_write(h, notify_ring_next(&d->ring), 8);
        driver_ring_drain(h, d);
    }
    EXPECT_EQ(1u, flush);
}

/* Where a GPU is farther than DRAM, a word from the host table overtakes
 * its data; it is the read from the GPU that keeps the library honest. */
TEST(TcaFlush, TheReadFromTheGpuWaitsForSlowWrites)
{
    for (bool flush : { true, false }) {
        on_two_nodes({ "node*.gpu0.port.rx_latency_ps=400000" }, [&] {
            Rank r;
            const size_t n = 16 * KIB;
            uint8_t *buf = r.memory(n, tcaMemoryGPU);
            auto all = r.publish(buf, n, tcaMemoryGPU);
            tcaDesc *d = tcaDescNew();
            test::fill(buf, n, r.me);
            r.barrier();
            if (r.me == 0) {
                EXPECT_EQ(TCA_SUCCESS,
                          tcaDescSetMemcpy(d, &all[1], 0, &all[0], 0, n, tcaDMANotify, SLOT, TAG));
                EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
                EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(CH));
            } else {
                if (flush)
                    EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&all[0], SLOT, TAG));
                else
                    wait_without_flush(all[0].node);
                EXPECT_EQ(flush, test::wrong_bytes(buf, n, 0) == 0);
            }
            EXPECT_EQ(TCA_SUCCESS, tcaDescFree(d));
            return MPI_Finalize();
        });
    }
}

const int INTERNAL = tcaDMAUseInternal | tcaDMAUseNotifyInternal;

INSTANTIATE_TEST_SUITE_P(HostDescriptors, TcaPlatform,
                         ::testing::Values(Case{ 0, tcaMemoryCPU, tcaMemoryCPU },
                                           Case{ 0, tcaMemoryCPU, tcaMemoryGPU },
                                           Case{ 0, tcaMemoryGPU, tcaMemoryCPU },
                                           Case{ 0, tcaMemoryGPU, tcaMemoryGPU }));
INSTANTIATE_TEST_SUITE_P(InternalDescriptors, TcaPlatform,
                         ::testing::Values(Case{ INTERNAL, tcaMemoryCPU, tcaMemoryCPU },
                                           Case{ INTERNAL, tcaMemoryCPU, tcaMemoryGPU },
                                           Case{ INTERNAL, tcaMemoryGPU, tcaMemoryCPU },
                                           Case{ INTERNAL, tcaMemoryGPU, tcaMemoryGPU }));

} // namespace
