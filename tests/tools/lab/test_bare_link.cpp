/* What `hubsim run` makes of a bare link: its result, its bound, and why there may be none. */
#include <gtest/gtest.h>
#include <string>

#include "tests/tools/attempt.h"
#include "tools/lab/bounds/bounds_link.h"
#include "tools/lab/rows/evaluate.h"
#include "tools/lab/run/bare_link.h"

namespace
{

class BareLink : public testing::Test
{
  protected:
    void SetUp() override { load_roots_add(&site.roots, "configs"); }
    void TearDown() override { load_arena_fini(&arena); }

    /** Bytes per second of what the setup says, and *bound_p. */
    double rate(const std::string &text, lab_bound *bound_p)
    {
        double bytes_per_s = 0;

        EXPECT_EQ(SIM_OK, attempt(&err, [&] { bytes_per_s = measure(text, bound_p); })) << err.text;
        return bytes_per_s;
    }
    double measure(const std::string &text, lab_bound *bound_p)
    {
        lab_setup setup = lab_setup_parse(text.c_str(), "test", &arena);
        lab_point point = { "test", nullptr, "bare-link", &setup, nullptr };
        lab_plan plan = lab_plan_make(&point, &lab_protocol_short, &arena);
        load_machine *machine = lab_load_run(&site, &plan.runs[0]);
        lab_result result;
        lab_times times = { 0, 0 };
        char *out = nullptr;
        size_t n = 0;
        FILE *f = open_memstream(&out, &n);

        *bound_p = lab_run_bound(load_machine_desc(machine), &plan.runs[0], plan.stores);
        lab_simulate_on(&site, &plan.runs[0], machine, f);
        fclose(f);
        lab_result_parse(out, &arena, &result);
        EXPECT_EQ(nullptr, lab_read_times(&result, &times));
        load_machine_destroy(machine);
        free(out);
        return static_cast<double>(lab_read_bytes(plan.bytes, &result)) / times.min_s;
    }
    /** Why the shipped machine, with these values, has no result. */
    std::string failure(std::vector<const char *> sets, const char *fault = nullptr)
    {
        lab_run run = {};
        FILE *none = fopen("/dev/null", "w");

        run.machine = "two-ends";
        run.faults[0] = fault;
        run.nfaults = fault != nullptr ? 1 : 0;
        run.sets = sets.data();
        run.nsets = static_cast<unsigned>(sets.size());
        err = {};
        EXPECT_NE(SIM_OK, attempt(&err, [&] { lab_simulate(&site, &run, none); }));
        fclose(none);
        return err.text;
    }
    lab_site site = {};
    begun_arena arena;
    sim_error err = {};
};

/* SKP ordered sets and DLLPs are what is missing, some hundredths at most. */
TEST_F(BareLink, ComesCloseToItsBound)
{
    const struct {
        const char *setup;
        double bound; /* bytes a second */
    } cases[] = {
        { "gen=2;lanes=8;bytes=256", 4e9 * 256 / 280 },
        { "gen=2;lanes=8;bytes=64", 4e9 * 64 / 88 },
        { "gen=2;lanes=8;bytes=6", 4e9 * 6 / 32 },
        { "gen=1;lanes=4;direction=both", 2 * 1e9 * 256 / 280 },
        { "gen=3;lanes=16;mps_bytes=128;request=read", 16e9 * 128 / 130 * 512 / (512 + 4 * 20) },
        { "gen=3;lanes=16;mps_bytes=128;request=read;direction=both",
          2 * 16e9 * 128 / 130 * 512 / (512 + 4 * 20 + 24) },
    };
    for (const auto &c : cases) {
        lab_bound bound = {};
        const double got = rate(c.setup, &bound);

        EXPECT_STREQ("link", bound.name);
        EXPECT_NEAR(1, bound.bytes_per_s / c.bound, 1e-9) << c.setup;
        EXPECT_LT(got, bound.bytes_per_s) << c.setup;
        EXPECT_GT(got, 0.96 * bound.bytes_per_s) << c.setup;
    }
}

/* a writes and b reads: all of it goes from a to b. */
TEST_F(BareLink, FlowsGoFromWhoWritesAndToWhoReads)
{
    const char *sets[] = { "node0.a.write_bytes=64", "node0.b.read_bytes=256" };
    lab_run run = {};

    run.machine = "two-ends";
    run.sets = sets, run.nsets = 2;
    ASSERT_EQ(SIM_OK,
              attempt(&err,
                      [&] {
                          load_machine *machine = lab_load_run(&site, &run);
                          lab_flows flows = lab_flows_of(load_machine_desc(machine), &arena);

                          EXPECT_EQ(1u, flows.n);
                          EXPECT_STREQ("a", flows.flows[0].from->name);
                          EXPECT_STREQ("b", flows.flows[0].to->name);
                          EXPECT_EQ(256u, lab_flow_value(flows.flows[0].to, "read_bytes"));
                          EXPECT_NEAR(4e9 * 256 / 276,
                                      lab_flows_bound(load_machine_desc(machine)).bytes_per_s, 1);
                          load_machine_destroy(machine);
                      }))
        << err.text;
}

TEST_F(BareLink, SaysWhyItHasNoResult)
{
    EXPECT_EQ("two-ends: expected a link between two components of kind traffic, of which one has "
              "write_bytes or read_bytes",
              failure({}));
    EXPECT_NE(std::string::npos,
              failure({ "node0.a.write_bytes=512" })
                  .find("node0.a: write_bytes = 512: expected at most 256, the link's "
                        "Max_Payload_Size"));
    EXPECT_NE(std::string::npos, failure({ "node0.b.link.nph_credits=0" })
                                     .find("node0.b: link.nph_credits = 0: expected 1 .. 127"));
    EXPECT_NE(std::string::npos, failure({ "node0.a.write_bytes=256" },
                                         "{link: node0.a.link, down: {at: 1us, for: 1000ms}}")
                                     .find("bytes and for 100 ms no more"));
    site.max_time_ps = SIM_US;
    EXPECT_NE(std::string::npos,
              failure({ "node0.a.write_bytes=256" }).find("bytes at the time limit"));
}

} // namespace
