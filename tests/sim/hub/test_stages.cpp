/*
 * What each stage of the core costs: with a parameter of so many more cycles, what passes the stage
 * n times comes n times so much later.
 */
#include "rig.h"

namespace
{

class Stages : public HubRig
{
  protected:
    static constexpr uint64_t kMore = 100;
    using Field = uint64_t hub_config::*;
    using Times = std::map<std::string, double>; /* how often it is passed, by parameter */
    const std::map<std::string, Field> fields = {
        { "receive", &hub_config::receive_cycles },
        { "route", &hub_config::route_cycles },
        { "output", &hub_config::output_cycles },
        { "register", &hub_config::register_cycles },
        { "start", &hub_config::dma_start_cycles },
        { "decode", &hub_config::dma_decode_cycles },
        { "fetch_internal", &hub_config::dma_fetch_internal_cycles },
        { "fetch_host", &hub_config::dma_fetch_host_cycles },
        { "issue", &hub_config::dma_read_issue_cycles },
        { "completion", &hub_config::dma_completion_cycles },
        { "status_register", &hub_config::status_register_cycles },
        { "status_host", &hub_config::status_host_cycles },
        { "status_internal", &hub_config::status_internal_cycles },
        { "bringup", &hub_config::bringup_cycles },
        { "config", &hub_config::config_cycles },
    };

    void start(uint64_t src, uint64_t n, uint64_t status_addr)
    {
        uint64_t base = reg(0, HUB_DMA(0));

        hosts[0].write64(base + HUB_DMA_SRC, src);
        hosts[0].write64(base + HUB_DMA_DST, area(1, HUB_AREA_HOST));
        hosts[0].write64(base + HUB_DMA_LENGTH, n);
        hosts[0].write64(base + HUB_DMA_STATUS_ADDR, status_addr);
        hosts[0].write64(base + HUB_DMA_CONTROL, HUB_DMA_START_REG);
        run();
    }
    /** A descriptor that copies 64 bytes, and one for a status word. */
    void start_chain(bool internal)
    {
        const uint64_t dst = area(1, HUB_AREA_HOST), status = dst + 0x1000;
        const uint32_t in = internal ? HUB_DESC_INTERNAL : 0;
        const uint32_t words[2][8] = {
            { static_cast<uint32_t>(kRam), static_cast<uint32_t>(kRam >> 32 | dst >> 32 << 16),
              static_cast<uint32_t>(dst), 64, 1 | in },
            { 1, static_cast<uint32_t>(status >> 32 << 16), static_cast<uint32_t>(status), 0,
              HUB_DESC_END, HUB_DESC_STATUS },
        };

        for (unsigned k = 0; k < 2; k++)
            if (internal)
                hosts[0].write(reg(0, HUB_INTERNAL_OFFSET + k * 32), words[k], 32);
        memcpy(&hosts[0].ram[0x10000], words, sizeof(words));
        hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_TABLE), kRam + 0x10000);
        hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_HEAD), in);
        run();
    }
    sim_time_t written(uint64_t offset) { return hosts[1].written.at(kRam + offset); }
    /** `scenario` returns when it ends. Those parameters that `passed` does not name have no part
     * in it. */
    void check(const Times &passed, const std::function<sim_time_t()> &scenario)
    {
        const double cycle_ps = 1e9 / double(cfg.clock_khz);
        auto took = [&] {
            build(2);
            sim_time_t begin = sim_now(doms[0]), end = scenario();
            TearDown();
            return double(end - begin);
        };
        const double before = took();

        for (const auto &[name, field] : fields) {
            cfg.*field += kMore;
            auto times = passed.find(name);
            EXPECT_NEAR(times == passed.end() ? 0 : times->second,
                        (took() - before) / cycle_ps / double(kMore), 0.05)
                << name;
            cfg.*field -= kMore;
        }
    }
};

TEST_F(Stages, OfARemoteStore)
{
    check({ { "receive", 2 }, { "route", 2 }, { "output", 2 } }, [&] {
        hosts[0].write64(area(1, HUB_AREA_HOST), 1);
        run();
        return written(0);
    });
}

TEST_F(Stages, OfARegisterThatIsRead)
{
    check({ { "receive", 1 }, { "route", 1 }, { "register", 1 }, { "output", 1 } }, [&] {
        (void)load(0, reg(0, HUB_ID));
        return hosts[0].answered.back().first;
    });
}

/* It comes to its stage before the write has left, and may not pass it. */
TEST_F(Stages, OfAReadBehindAWrite)
{
    check({ { "receive", 1 }, { "route", 1 }, { "register", 1 }, { "output", 2 } }, [&] {
        hosts[0].write64(area(1, HUB_AREA_HOST), 1);
        (void)load(0, reg(0, HUB_ID));
        return hosts[0].answered.back().first;
    });
}

/* One that comes before the write does not wait for it. */
TEST_F(Stages, OfAReadBeforeAWrite)
{
    check({ { "receive", 1 }, { "route", 1 }, { "register", 1 }, { "output", 1 } }, [&] {
        (void)hosts[0].read(reg(0, HUB_ID), 8);
        hosts[0].write64(area(1, HUB_AREA_HOST), 1);
        run();
        return hosts[0].answered.back().first;
    });
}

/* The hard block answers it, so no stage of the core is passed. */
TEST_F(Stages, OfAConfigurationRequest)
{
    check({ { "config", 1 } }, [&] {
        hosts[0].config_write(PCIE_CFG_MSI + 12, 7);
        run();
        return hosts[0].answered.back().first;
    });
}

/* What a configuration request sets holds before it is answered. */
TEST_F(Stages, OfAReadThatIsEnabled)
{
    std::vector<double> took;

    cfg.completion_timeout_ps = 0;
    for (uint64_t cycles : { 1u, 1000u }) {
        cfg.config_cycles = cycles;
        build(2);
        hosts[0].config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY);
        start(kRam, 64, 0);
        EXPECT_EQ(0u, hosts[0].reads);
        sim_time_t begin = sim_now(doms[0]);
        hosts[0].config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
        run();
        took.push_back(double(written(0) - begin));
        TearDown();
    }
    EXPECT_NEAR(took[0], took[1], 1e9 / double(cfg.clock_khz));
}

/* Requests arrive a sixth of a cycle behind an edge of a clock without a phase. The first edge from
 * there on is that of this cycle where the phase is longer, else that of the next one. */
TEST_F(Stages, BeginAtEdgesOfAClockWithAPhase)
{
    const sim_time_t cycle_ps = SIM_US, begin = 10 * SIM_MS;
    auto answered = [&](sim_time_t phase_ps) {
        cfg.clock_phase_ps = phase_ps;
        build(2);
        pcie_tlp tlp = {};
        tlp.kind = PCIE_MRD;
        pcie_tlp_set_range(&tlp, reg(0, HUB_LINK_STATUS), 8);
        EXPECT_GT(begin, sim_now(doms[0]));
        hosts[0].out.push_back(tlp);
        sim_schedule_by(doms[0], &hosts[0].event.ev, begin, SIM_CLOCK);
        run();
        auto [at, cpl] = hosts[0].answered.back();
        EXPECT_EQ(0x3, cpl.payload->data[0]) << "bring-up begins before the first edge";
        TearDown();
        return double(at);
    };

    cfg.clock_khz = 1000;
    const double without = answered(0);
    for (sim_time_t phase_ps : { 100000u, 300000u, 700000u, 999999u })
        EXPECT_NEAR(phase_ps < cycle_ps / 6 ? phase_ps : double(phase_ps) - double(cycle_ps),
                    answered(phase_ps) - without, 20000)
            << phase_ps;
    cfg.clock_khz = 250000;
    (void)answered(SIM_US); /* of which there are none until long after bring-up begins */
}

/* The store that starts it, the answer, and the write at the other node. */
TEST_F(Stages, OfATransferByRegisters)
{
    check({ { "receive", 3 },
            { "route", 3 },
            { "output", 3 },
            { "start", 1 },
            { "decode", 1 },
            { "completion", 1 } },
          [&] {
              start(kRam, 64, 0);
              return written(0);
          });
}

TEST_F(Stages, OfATransferFromInternalMemory)
{
    check({ { "receive", 2 },
            { "route", 2 },
            { "output", 2 },
            { "start", 1 },
            { "decode", 1 },
            { "fetch_internal", 1 } },
          [&] {
              start(reg(0, HUB_INTERNAL_OFFSET), 64, 0);
              return written(0);
          });
}

TEST_F(Stages, OfSeveralReads)
{
    cfg.dma_read_issue_cycles = 500; /* more than the bus takes for the data */
    check({ { "receive", 3 },
            { "route", 3 },
            { "output", 3 },
            { "start", 1 },
            { "decode", 1 },
            { "completion", 1 },
            { "issue", 4 } },
          [&] {
              start(kRam, 5 * 256, 0);
              return written(4 * 256);
          });
}

TEST_F(Stages, OfAChainInInternalMemory)
{
    check({ { "receive", 3 },
            { "route", 3 },
            { "output", 3 },
            { "start", 1 },
            { "fetch_internal", 1 },
            { "decode", 1 },
            { "completion", 1 } },
          [&] {
              start_chain(true);
              return written(0);
          });
}

/* With the answer of the fetch. */
TEST_F(Stages, OfAChainInHostMemory)
{
    check({ { "receive", 4 },
            { "route", 4 },
            { "output", 4 },
            { "start", 1 },
            { "fetch_host", 1 },
            { "decode", 1 },
            { "completion", 2 } },
          [&] {
              start_chain(false);
              return written(0);
          });
}

/* It is prepared from the last read request on. That takes longer here than all else, and so the
 * data behind that request cost it nothing. */
TEST_F(Stages, OfAStatusWord)
{
    cfg.status_register_cycles = cfg.status_host_cycles = cfg.status_internal_cycles = 1000;
    check({ { "receive", 2 },
            { "route", 2 },
            { "output", 2 },
            { "start", 1 },
            { "decode", 1 },
            { "issue", 4 },
            { "status_register", 1 } },
          [&] {
              start(kRam, 5 * 256, area(1, HUB_AREA_HOST) + 0x1000);
              return written(0x1000);
          });
    check({ { "receive", 2 },
            { "route", 2 },
            { "output", 2 },
            { "start", 1 },
            { "fetch_internal", 1 },
            { "decode", 1 },
            { "status_internal", 1 } },
          [&] {
              start_chain(true);
              return written(0x1000);
          });
    check({ { "receive", 3 },
            { "route", 3 },
            { "output", 3 },
            { "start", 1 },
            { "fetch_host", 1 },
            { "decode", 1 },
            { "completion", 1 },
            { "status_host", 1 } },
          [&] {
              start_chain(false);
              return written(0x1000);
          });
}

} // namespace
