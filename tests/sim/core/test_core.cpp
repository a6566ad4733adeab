#include "core/sim.h"

#include "tests/built.h"

#include <gtest/gtest.h>

#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace
{

TEST(Clock, EdgesAreRoundedDownAndNeverDrift)
{
    sim_clock clk;

    sim_clock_init(&clk, 250000);
    EXPECT_EQ(4000u, sim_clock_time(&clk, 1));
    EXPECT_EQ(UINT64_C(4000) * 1000000007u, sim_clock_time(&clk, 1000000007u));
    sim_clock_init(&clk, 85000); /* 200000 / 17 ps */
    EXPECT_EQ(11764u, sim_clock_time(&clk, 1));
    EXPECT_EQ(23529u, sim_clock_time(&clk, 2));
    EXPECT_EQ(UINT64_C(1000000000000), sim_clock_time(&clk, 85000000));
}

TEST(Clock, EdgeIsTheFirstAtOrAfter)
{
    for (uint64_t khz : { 1u, 85000u, 250000u, 333333u, 3333333u, 9999999u }) {
        sim_clock clk;
        sim_stream st;

        sim_clock_init(&clk, khz);
        sim_stream_init(&st, khz, "edge");
        for (int i = 0; i < 10000; i++) {
            uint64_t t = sim_stream_below(&st, UINT64_C(1) << 50);
            uint64_t e = sim_clock_edge(&clk, t);

            ASSERT_GE(sim_clock_time(&clk, e), t);
            if (e != 0) {
                ASSERT_LT(sim_clock_time(&clk, e - 1), t);
            }
        }
    }
}

struct Recorder {
    sim_event ev;
    sim_domain *dom;
    std::vector<int> *log;
    int id;

    static void fire(sim_event *ev)
    {
        Recorder *r = reinterpret_cast<Recorder *>(ev);
        r->log->push_back(r->id);
    }
};

class Events : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        sim_config cfg = {};
        sim = sim_create(&cfg);
        dom = sim_domain_create(sim, "node0");
    }
    void TearDown() override { sim_destroy(sim); }
    Recorder make(int id)
    {
        Recorder r;
        sim_event_init(&r.ev, Recorder::fire);
        r.dom = dom;
        r.log = &log;
        r.id = id;
        return r;
    }
    struct sim *sim;
    sim_domain *dom;
    std::vector<int> log;
};

TEST_F(Events, PhasesOfOneTimeRunInOrder)
{
    Recorder task = make(3), clock = make(2), arrive = make(1);

    sim_schedule_at(dom, &task.ev, 10, SIM_TASK);
    sim_schedule_at(dom, &clock.ev, 10, SIM_CLOCK);
    sim_schedule_at(dom, &arrive.ev, 10, SIM_ARRIVE);
    EXPECT_EQ(SIM_OK, sim_run(sim, 100));
    EXPECT_EQ((std::vector<int>{ 1, 2, 3 }), log);
}

TEST_F(Events, RunStopsAfterItsLimitAndGoesOn)
{
    Recorder a = make(1), b = make(2);

    sim_schedule_at(dom, &a.ev, 10, SIM_ARRIVE);
    sim_schedule_at(dom, &b.ev, 11, SIM_ARRIVE);
    EXPECT_EQ(SIM_ERR_LIMIT, sim_run(sim, 10));
    EXPECT_EQ((std::vector<int>{ 1 }), log);
    EXPECT_EQ(SIM_OK, sim_run(sim, SIM_TIME_NEVER - 1));
    EXPECT_EQ((std::vector<int>{ 1, 2 }), log);
}

TEST_F(Events, TheNextOneIsKnownBetweenRuns)
{
    Recorder a = make(1), b = make(2);
    std::vector<sim_time_t> times;

    EXPECT_EQ(SIM_TIME_NEVER, sim_next(sim));
    sim_schedule_at(dom, &a.ev, 30, SIM_ARRIVE);
    sim_schedule_at(dom, &b.ev, 20, SIM_TASK);
    for (sim_time_t next = sim_next(sim); next != SIM_TIME_NEVER; next = sim_next(sim)) {
        times.push_back(next);
        sim_run(sim, next);
    }
    EXPECT_EQ((std::vector<sim_time_t>{ 20, 30 }), times);
    EXPECT_EQ((std::vector<int>{ 2, 1 }), log);
}

TEST_F(Events, ScheduleByMovesOnlyEarlier)
{
    Recorder a = make(1), b = make(2);

    sim_schedule_at(dom, &a.ev, 50, SIM_ARRIVE);
    sim_schedule_at(dom, &b.ev, 40, SIM_ARRIVE);
    sim_schedule_by(dom, &a.ev, 60, SIM_ARRIVE);
    EXPECT_EQ(50u, a.ev.time);
    sim_schedule_by(dom, &a.ev, 30, SIM_ARRIVE);
    sim_run(sim, 100);
    EXPECT_EQ((std::vector<int>{ 1, 2 }), log);
}

struct Passer {
    sim_event ev;
    sim_domain *dom;
    std::vector<bool> passed;
    std::vector<sim_time_t> now;

    static void fire(sim_event *ev)
    {
        Passer *p = reinterpret_cast<Passer *>(ev);

        for (sim_time_t delay : { 5, 4, 1, 100, 5000000 }) {
            p->passed.push_back(sim_pass(p->dom, delay, SIM_TASK));
            p->now.push_back(sim_now(p->dom));
        }
    }
};

/* At 10, with others at 15 and 20: nothing passes that comes as late as another event or behind the
 * end of the run, and what passes counts as an event. */
TEST_F(Events, TimePassesAtOnceOnlyWhenNothingElseHappensMeanwhile)
{
    Recorder a = make(1), b = make(2);
    Passer p = {};

    sim_event_init(&p.ev, Passer::fire);
    p.dom = dom;
    EXPECT_FALSE(sim_pass(dom, 1, SIM_TASK)); /* no event runs */
    sim_schedule_at(dom, &p.ev, 10, SIM_TASK);
    sim_schedule_at(dom, &a.ev, 15, SIM_TASK);
    sim_schedule_at(dom, &b.ev, 20, SIM_ARRIVE);
    EXPECT_EQ(SIM_OK, sim_run(sim, 200));
    EXPECT_EQ((std::vector<bool>{ false, true, false, false, false }), p.passed);
    EXPECT_EQ((std::vector<sim_time_t>{ 10, 14, 14, 14, 14 }), p.now);
    EXPECT_EQ((std::vector<int>{ 1, 2 }), log);
    EXPECT_EQ(4u, sim_events_run(sim));
    p.passed.clear();
    sim_schedule_at(dom, &p.ev, 30, SIM_TASK);
    EXPECT_EQ(SIM_OK, sim_run(sim, 139));
    EXPECT_EQ((std::vector<bool>{ true, true, true, false, false }), p.passed);
}

TEST_F(Events, CancelledEventsDoNotRun)
{
    std::vector<Recorder> r;

    for (int i = 0; i < 500; i++)
        r.push_back(make(i));
    for (int i = 0; i < 500; i++)
        sim_schedule_at(dom, &r[i].ev, 1000u + static_cast<unsigned>(i * 7919 % 500), SIM_CLOCK);
    for (int i = 0; i < 500; i += 2)
        sim_cancel(dom, &r[i].ev);
    sim_run(sim, 5000);
    ASSERT_EQ(250u, log.size());
    for (size_t i = 0; i < log.size(); i++) {
        EXPECT_EQ(1, log[i] % 2);
        if (i != 0) {
            EXPECT_LT(log[i - 1] * 7919 % 500, log[i] * 7919 % 500);
        }
    }
}

/* Few and many events, near and far beyond what the short part of the queue can distinguish, often
 * of one time and phase: against an ordered map. */
TEST_F(Events, RandomSchedulesRunInOrder)
{
    const sim_time_t steps[] = { 0, 1, 2, 40, 4000, uint64_t{ 1 } << 50, uint64_t{ 1 } << 58 };
    std::map<std::tuple<sim_time_t, int, int>, int> expected; /* time, phase, turn -> event */
    std::vector<Recorder> r;
    sim_stream stream;
    sim_time_t now = 0;
    int turn = 0;

    sim_stream_init(&stream, 7, "queue");
    for (int i = 0; i < 60; i++)
        r.push_back(make(i));
    for (int round = 0; round < 400; round++) {
        uint64_t most = round % 100 < 50 ? 8 : r.size(); /* the array alone, or the heap too */

        for (uint64_t n = sim_stream_below(&stream, most); n > 0; n--) {
            int i = static_cast<int>(sim_stream_below(&stream, most));
            int phase = static_cast<int>(sim_stream_below(&stream, 3));
            sim_time_t at = now + 1 + steps[sim_stream_below(&stream, round < 390 ? 5 : 7)];

            for (auto it = expected.begin(); it != expected.end(); ++it)
                if (it->second == i) {
                    expected.erase(it);
                    break;
                }
            sim_cancel(dom, &r[static_cast<size_t>(i)].ev);
            sim_schedule_at(dom, &r[static_cast<size_t>(i)].ev, at, static_cast<sim_phase>(phase));
            expected[{ at, phase, turn++ }] = i;
        }
        now += steps[sim_stream_below(&stream, round < 390 ? 5 : 7)];
        log.clear();
        sim_run(sim, now);
        for (int i : log) {
            ASSERT_EQ(expected.begin()->second, i) << "round " << round;
            expected.erase(expected.begin());
        }
        ASSERT_TRUE(expected.empty() || std::get<0>(expected.begin()->first) > now);
    }
}

TEST_F(Events, SchedulingIntoThePastIsABrokenRule)
{
    Recorder a = make(1), b = make(2);

    sim_schedule_at(dom, &a.ev, 50, SIM_ARRIVE);
    sim_run(sim, 100);
    EXPECT_DEATH(sim_schedule_at(dom, &b.ev, 49, SIM_ARRIVE), "broken rule");
}

/* A small network: domains throw numbers at each other over channels of unequal latency. Each
 * domain gathers what arrives in one time step and answers once, in its clock phase. */
struct Thrower {
    sim_domain *dom;
    struct sim_event tick;
    sim_stream stream;
    std::vector<sim_channel *> out;
    uint64_t state, gathered, left;

    static void receive(void *arg, const void *record, uint32_t bytes)
    {
        Thrower *t = static_cast<Thrower *>(arg);
        const unsigned char *p = static_cast<const unsigned char *>(record);
        uint64_t v;

        memcpy(&v, p, sizeof(v));
        for (uint32_t i = 8; i < bytes; i++)
            ASSERT_EQ(static_cast<unsigned char>(v + i), p[i]);
        t->gathered += v * 0x9e3779b97f4a7c15u;
        sim_visible(t->dom, 1, v);
        if (!sim_event_scheduled(&t->tick))
            sim_schedule_in(t->dom, &t->tick, 0, SIM_CLOCK);
    }
    static void on_tick(sim_event *ev)
    {
        Thrower *t = SIM_CONTAINER_OF(ev, Thrower, tick);

        t->state = t->state * 6364136223846793005u + t->gathered;
        t->gathered = 0;
        if (t->left == 0)
            return;
        t->left--;
        for (int i = 0; i < 2; i++) {
            sim_channel *ch = t->out[sim_stream_below(&t->stream, t->out.size())];
            uint32_t bytes = 8 + static_cast<uint32_t>((t->state >> (7 * i)) %
                                                       (i == 0 && t->left % 64 == 0 ? 9000 : 120));
            unsigned char *p = static_cast<unsigned char *>(sim_channel_reserve(ch, bytes));

            memcpy(p, &t->state, 8);
            for (uint32_t k = 8; k < bytes; k++)
                p[k] = static_cast<unsigned char>(t->state + k);
            sim_channel_send(ch, sim_now(t->dom));
        }
    }
};

struct sim_fingerprint throw_about(sim_order order, unsigned ndomains, bool in_step = false)
{
    sim_config cfg = {};
    std::vector<Thrower> t(5);
    struct sim_fingerprint print, joined = {};

    cfg.seed = 11;
    cfg.fingerprint = true;
    cfg.order = order;
    struct sim *sim = sim_create(&cfg);
    std::vector<sim_domain *> doms;
    for (unsigned i = 0; i < ndomains; i++)
        doms.push_back(sim_domain_create(sim, ("d" + std::to_string(i)).c_str()));
    for (unsigned i = 0; i < 5; i++) {
        t[i].dom = doms[i % ndomains];
        sim_event_init(&t[i].tick, Thrower::on_tick);
        sim_stream_init(&t[i].stream, 1, ("t" + std::to_string(i)).c_str());
        t[i].state = i;
        t[i].gathered = 0;
        t[i].left = 2000;
    }
    for (unsigned i = 0; i < 5; i++)
        for (unsigned k = 0; k < 5; k++) {
            sim_channel_config c = {};
            c.from = t[i].dom;
            c.to = t[k].dom;
            c.latency_ps = 1000 + 500 * ((i * 3 + k) % 4);
            c.deliver = Thrower::receive;
            c.arg = &t[k];
            t[i].out.push_back(sim_channel_create(&c, nullptr));
        }
    for (auto &x : t)
        sim_schedule_at(x.dom, &x.tick, 0, SIM_CLOCK);
    if (in_step)
        sim_keep_step(doms[0]);
    EXPECT_EQ(SIM_OK, sim_run(sim, SIM_TIME_NEVER - 1));
    print = sim_fingerprint_of(sim);
    for (sim_domain *dom : doms) {
        sim_fingerprint one = sim_domain_fingerprint(dom);

        sim_fingerprint_join(&joined, &one);
    }
    EXPECT_EQ(print.visible, joined.visible);
    EXPECT_EQ(print.wire, joined.wire);
    EXPECT_EQ(print.edge, joined.edge);
    sim_destroy(sim);
    return print;
}

TEST(Order, DomainsInStepGiveTheSameFingerprint)
{
    struct sim_fingerprint plain = throw_about(sim_order{}, 5);
    struct sim_fingerprint in_step = throw_about(sim_order{}, 5, true);

    EXPECT_EQ(plain.visible, in_step.visible);
    EXPECT_EQ(plain.wire, in_step.wire);
}

/* Two domains whose clocks differ: each sees that the other one's time is never ahead. */
struct Watch {
    sim_event tick;
    sim_domain *dom, *other;
    sim_time_t period_ps;
    unsigned left, ahead;

    static void on_tick(sim_event *ev)
    {
        Watch *w = reinterpret_cast<Watch *>(ev);

        w->ahead += sim_now(w->other) > sim_now(w->dom);
        if (--w->left != 0)
            sim_schedule_in(w->dom, ev, w->period_ps, SIM_CLOCK);
    }
};

TEST(Order, NoDomainIsAheadOfAnotherThatKeepsStep)
{
    for (bool in_step : { false, true }) {
        sim_config cfg = {};
        struct sim *sim = sim_create(&cfg);
        sim_domain *a = sim_domain_create(sim, "a"), *b = sim_domain_create(sim, "b");
        Watch watches[2] = { { {}, a, b, 777, 1000, 0 }, { {}, b, a, 1003, 1000, 0 } };

        if (in_step)
            sim_keep_step(a);
        for (Watch &w : watches) {
            sim_event_init(&w.tick, Watch::on_tick);
            sim_schedule_at(w.dom, &w.tick, w.period_ps, SIM_CLOCK);
        }
        EXPECT_EQ(SIM_OK, sim_run(sim, SIM_TIME_NEVER - 1));
        EXPECT_EQ(in_step, watches[0].ahead + watches[1].ahead == 0);
        sim_destroy(sim);
    }
}

TEST(Order, TiesAndTurnsDoNotShowInTheFingerprint)
{
    for (unsigned ndomains : { 1u, 3u, 5u }) {
        struct sim_fingerprint plain = throw_about(sim_order{}, ndomains);

        EXPECT_NE(0u, plain.visible);
        for (uint64_t seed = 1; seed <= 5; seed++) {
            EXPECT_EQ(plain.visible, throw_about({ true, false, seed }, ndomains).visible);
            EXPECT_EQ(plain.visible, throw_about({ false, true, seed }, ndomains).visible);
            EXPECT_EQ(plain.visible, throw_about({ true, true, seed }, ndomains).visible);
        }
    }
}

/* Two domains end what is to be done, at 5000 and 5400. Whichever has its turn last stops the run.
 */
TEST(Order, AStopWaitsForAllThatEndTheRun)
{
    struct Part {
        sim_event ev;
        sim_domain *dom;
    };

    for (bool turns : { false, true })
        for (uint64_t seed = 1; seed <= 4; seed++) {
            sim_config cfg = {};
            cfg.order = { false, turns, seed };
            sim *sim = sim_create(&cfg);
            sim_domain *doms[2] = { sim_domain_create(sim, "a"), sim_domain_create(sim, "b") };
            Part parts[2] = {};
            sim_channel_config c = {};

            c.from = doms[0], c.to = doms[1], c.latency_ps = 1000;
            c.deliver = [](void *, const void *, uint32_t) {};
            ASSERT_NE(nullptr, sim_channel_create(&c, nullptr));
            for (unsigned i = 0; i < 2; i++) {
                parts[i].dom = doms[i];
                sim_event_init(&parts[i].ev, [](sim_event *ev) {
                    Part *p = reinterpret_cast<Part *>(ev);
                    sim_part_ended(p->dom, sim_now(p->dom));
                });
                sim_schedule_at(doms[i], &parts[i].ev, i == 0 ? 5400 : 5000, SIM_CLOCK);
            }
            sim_expect(sim, 2);
            EXPECT_EQ(SIM_OK, sim_run(sim, SIM_TIME_NEVER - 1));
            EXPECT_EQ(6400u, sim_reached(sim)) << turns << seed;
            sim_destroy(sim);
        }
}

/* Another domain's events decide where windows begin and end; a stop does not depend on them. */
TEST(Order, AStopDoesNotDependOnWhatElseHasEvents)
{
    for (bool in_step : { false, true })
        for (sim_time_t other : { 1u, 4500u, 4999u, 5001u, 5400u }) {
            sim_config cfg = {};
            sim *sim = sim_create(&cfg);
            sim_domain *a = sim_domain_create(sim, "a"), *b = sim_domain_create(sim, "b");
            sim_channel_config c = {};
            std::vector<int> log;
            Recorder late[] = { { {}, b, &log, 5999 }, { {}, a, &log, 6000 }, { {}, b, &log, 0 } };
            struct Stopper {
                sim_event ev;
                sim_domain *dom;
            } stop = { {}, a };

            c.from = a, c.to = b, c.latency_ps = 1000;
            c.deliver = [](void *, const void *, uint32_t) {};
            ASSERT_NE(nullptr, sim_channel_create(&c, nullptr));
            for (Recorder &r : late)
                sim_event_init(&r.ev, Recorder::fire);
            sim_event_init(&stop.ev,
                           [](sim_event *ev) { sim_stop(reinterpret_cast<Stopper *>(ev)->dom); });
            sim_schedule_at(b, &late[0].ev, 5999, SIM_CLOCK);
            sim_schedule_at(a, &late[1].ev, 6000, SIM_CLOCK);
            sim_schedule_at(b, &late[2].ev, other, SIM_CLOCK);
            sim_schedule_at(a, &stop.ev, 5000, SIM_CLOCK);
            if (in_step)
                sim_keep_step(a);
            EXPECT_EQ(SIM_OK, sim_run(sim, SIM_TIME_NEVER - 1));
            EXPECT_EQ((std::vector<int>{ 0, 5999 }), log) << other;
            EXPECT_EQ(6000u, sim_reached(sim)) << other;
            EXPECT_EQ(6000u, sim_now(b)) << other;
            sim_destroy(sim);
        }
}

TEST(Channel, LatencyBelowOneNanosecondIsAnError)
{
    sim_config cfg = {};
    struct sim *sim = sim_create(&cfg);
    sim_domain *a = sim_domain_create(sim, "a"), *b = sim_domain_create(sim, "b");
    sim_channel_config c = {};
    c.from = a, c.to = b, c.latency_ps = 999;
    sim_error err = {};

    EXPECT_EQ(nullptr, sim_channel_create(&c, &err));
    EXPECT_STREQ("channel a to b: latency_ps = 999: expected at least 1000", err.text);
    sim_destroy(sim);
}

/* A network of n nodes has n (n - 1) of them. */
TEST(Channel, OneThatCarriesLittleTakesLittleMemory)
{
    if (test::SANITIZED)
        GTEST_SKIP() << "the sanitizers have their own heap";
    const unsigned channels = 1000;
    sim_config cfg = {};
    struct sim *sim = sim_create(&cfg);
    sim_domain *a = sim_domain_create(sim, "a"), *b = sim_domain_create(sim, "b");
    sim_channel_config c = {};
    unsigned come = 0;
    size_t before = mallinfo2().uordblks;

    c.from = a, c.to = b, c.latency_ps = 1000, c.arg = &come;
    c.deliver = [](void *arg, const void *, uint32_t) { ++*static_cast<unsigned *>(arg); };
    for (unsigned i = 0; i < channels; i++) {
        sim_channel *ch = sim_channel_create(&c, nullptr);

        for (unsigned n = 0; n < 4; n++) {
            memset(sim_channel_reserve(ch, 100), 1, 100);
            sim_channel_send(ch, n);
        }
    }
    EXPECT_EQ(SIM_OK, sim_run(sim, SIM_TIME_NEVER - 1));
    EXPECT_EQ(4 * channels, come);
    EXPECT_LT((mallinfo2().uordblks - before) / channels, 2048u);
    sim_destroy(sim);
}

TEST(Stream, DependsOnSeedAndPathOnly)
{
    sim_stream a, b, c;

    sim_stream_init(&a, 7, "node0.cpu");
    sim_stream_init(&b, 7, "node0.cpu");
    sim_stream_init(&c, 7, "node1.cpu");
    EXPECT_EQ(sim_stream_next(&a), sim_stream_next(&b));
    EXPECT_NE(sim_stream_next(&a), sim_stream_next(&c));
    for (int i = 0; i < 1000; i++)
        EXPECT_LT(sim_stream_below(&a, 3), 3u);
}

TEST(Stats, AreListedInOrderWithTheirPresentValues)
{
    sim_config cfg = {};
    struct sim *sim = sim_create(&cfg);
    sim_domain *d = sim_domain_create(sim, "n");
    uint64_t one = 1, two = 0;
    std::map<std::string, uint64_t> seen;

    sim_stat_register(d, &one, "n.one", "1", "first");
    sim_stat_register(d, &two, "n.two", "bytes", "second");
    two = 5;
    sim_stat_each(
        sim,
        [](void *arg, const char *path, const char *, const char *, uint64_t v) {
            (*static_cast<std::map<std::string, uint64_t> *>(arg))[path] = v;
        },
        &seen);
    EXPECT_EQ((std::map<std::string, uint64_t>{ { "n.one", 1 }, { "n.two", 5 } }), seen);
    sim_destroy(sim);
}

TEST(Errors, KnowTheValueAndThePlaceThatTheirTextNames)
{
    sim_error value = {}, located = {};

    EXPECT_EQ(SIM_ERR_CONFIG,
              sim_error_value(&value, SIM_ERR_CONFIG, "node0.hub: ", "lanes", 3, "expected %d", 4));
    EXPECT_STREQ("node0.hub: lanes = 3: expected 4", value.text);
    EXPECT_EQ(SIM_CAUSE_VALUE, value.cause);
    EXPECT_STREQ("lanes", value.key);
    EXPECT_EQ(3u, value.value);
    EXPECT_TRUE(value.headed);
    EXPECT_FALSE(value.located);
    sim_error bare = {};
    (void)sim_error_value(&bare, SIM_ERR_CONFIG, "", "lanes", 3, "expected %d", 4);
    EXPECT_STREQ("lanes = 3: expected 4", bare.text);
    EXPECT_FALSE(bare.headed);
    (void)sim_error_set_at(&located, SIM_ERR_CONFIG, "m.yaml", 17, "%s", value.text);
    EXPECT_STREQ("m.yaml:17: node0.hub: lanes = 3: expected 4", located.text);
    EXPECT_TRUE(located.located);
    (void)sim_error_set_at(&located, SIM_ERR_NOMEM, nullptr, 0, "later");
    EXPECT_EQ(SIM_ERR_CONFIG, located.code) << "the first message stays";
    EXPECT_STREQ(located.text, sim_error_why(&located));
    sim_error option = {};
    (void)sim_error_set_at(&option, SIM_ERR_CONFIG, "--set", 0, "%s", value.text);
    EXPECT_STREQ("--set: node0.hub: lanes = 3: expected 4", option.text);
    EXPECT_STREQ(value.text, sim_error_why(&option));
}

TEST(Errors, APlaceThatIsLongLeavesRoomForWhy)
{
    const std::string name = std::string(3000, 'd') + "/m.yaml", why(300, 'w');
    sim_error option = {}, located = {};

    (void)sim_error_set_behind(&option, SIM_ERR_CONFIG, name.c_str(), "%s", why.c_str());
    EXPECT_EQ(why, sim_error_why(&option));
    EXPECT_EQ(0u, std::string(option.text).find("...ddd"));
    EXPECT_NE(std::string::npos, std::string(option.text).find("d/m.yaml: w"));
    (void)sim_error_set_at(&located, SIM_ERR_CONFIG, name.c_str(), 17, "%s", why.c_str());
    EXPECT_NE(std::string::npos, std::string(located.text).find("d/m.yaml:17: " + why));
    sim_error cut = {};
    (void)sim_error_set_behind(&cut, SIM_ERR_CONFIG, "--set", "%s", name.c_str());
    EXPECT_EQ(sizeof(cut.text) - 1, strlen(cut.text));
    EXPECT_EQ(name.substr(0, sizeof(cut.text) - 1 - strlen("--set: ")), sim_error_why(&cut));
}

} // namespace
