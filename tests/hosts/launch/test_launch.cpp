#include "tests/hosts/cluster.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <map>

#include "hosts/driver/driver.h"
#include "hosts/launch/process/task.h"
#include "hosts/loops/include/hub-work.h"
#include "tests/built.h"

namespace
{

const std::string PROGRAMS = test::BUILD + "/tests/hosts/launch";

using test::Cluster;
using test::ClusterConfig;

/** What a cache holds is not waited for; a byte too much drives out two; twice as much, all. */
TEST(Launch, WhatAProgramSaysItComputesTakesThePlatformsTime)
{
    launch_software software = launch_software_default();
    std::vector<uint64_t> took;
    Cluster c;

    software.cost_ps[HOST_COST_LOOP + HUB_LOOP_LINES] = 7;
    const struct {
        const char *key;
        uint64_t number;
    } settings[] = { { "memory.first_bytes", 100 },
                     { "memory.first_ps", 3 },
                     { "memory.cache_bytes", 16 * 4096 },
                     { "memory.line_bytes", 10 },
                     { "memory.line_ps", 1000 } };
    for (unsigned i = 0; i < 5; i++) {
        software.settings[i] = {};
        software.settings[i].key = settings[i].key;
        software.settings[i].number = settings[i].number;
    }
    software.settings[5] = {};
    launch_config cfg = {};
    cfg.software = &software;
    ASSERT_EQ(SIM_OK, c.run(
                          [&] {
                              struct host *h = host_self();
                              auto take = [&](auto &&work) {
                                  uint64_t start = h->cpu->time_ps(h);
                                  work();
                                  if (h->rank == 0)
                                      took.push_back(h->cpu->time_ps(h) - start);
                              };
                              take([] { hub_work(HUB_LOOP_LINES, 1000); });
                              take([] { hub_walk(400, 0, 4096); });
                              take([] { hub_walk(400, 0, 16 * 4096); });
                              take([] { hub_walk(400, 100, 32 * 4096); });
                              take([] { hub_touch(4, 1, 32 * 4096); });
                              take([] { hub_gather(1000, 100); });
                              take([] { hub_gather(1000, 400); });
                              return 0;
                          },
                          cfg))
        << c.err.text;
    EXPECT_EQ((std::vector<uint64_t>{ 7000, 0, 25000, 52000, 6000, 0, 2250 }), took);
}

/* What a rank learns of it depends on its program, too, and a function may drive the hubs. */
TEST(Launch, TheNetworkIsWhatAllNodesHave)
{
    ClusterConfig bare;
    Cluster c;

    bare.hubs = false;
    Cluster b(bare);
    EXPECT_EQ(HOST_NETWORK_HUBS, launch_network(c.machine()));
    EXPECT_EQ(HOST_NETWORK_CONTROL, launch_network(b.machine()));
    EXPECT_EQ(SIM_OK, c.run([] {
        struct host *h = host_self();
        return h->net->fastest(h) == HOST_NETWORK_CONTROL ? 0 : 1;
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
}

void compute_here(uint64_t ns)
{
    struct timespec t;
    uint64_t start = 0, now;

    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
        if (start == 0)
            start = now;
    } while (now - start < ns);
}

/* A message comes 10 us after a rank has looked for it, which computes for 200 us before it waits:
 * its computing goes on while it waits, and hides nothing. */
TEST(Launch, WhatComesWhileARankStillComputesIsNotMissed)
{
    for (bool polls : { true, false }) {
        Cluster c;
        launch_config cfg = {};

        cfg.compute = LAUNCH_COMPUTE_MEASURED;
        ASSERT_EQ(SIM_OK, c.run(
                              [polls] {
                                  struct host *h = host_self();
                                  struct host_message msg;
                                  uint64_t start = h->cpu->time_ps(h);
                                  if (h->rank == 0) {
                                      h->cpu->spend(h, 10 * SIM_US);
                                      h->net->send(h, 0, 1, &start, sizeof(start));
                                      return 0;
                                  }
                                  auto *count = static_cast<volatile uint64_t *>(
                                      h->memory->alloc(h, sizeof(uint64_t), sizeof(uint64_t)));
                                  h->net->count(h, 0, count);
                                  compute_here(200000);
                                  if (polls)
                                      h->bus->wait_write(h, count, sizeof(*count));
                                  else
                                      h->cpu->sleep(h, HOST_NEVER);
                                  EXPECT_EQ(1u, *count);
                                  EXPECT_GT(h->cpu->time_ps(h) - start, 200 * SIM_US);
                                  h->net->receive(h, 0, &msg);
                                  return 0;
                              },
                              cfg))
            << c.err.text;
        EXPECT_TRUE(c.all_well());
    }
}

/* Two libraries of a rank do not get each other's messages, whichever of them asks first, and what
 * one has received stays while the other one receives. */
TEST(Launch, UsersOfTheControlNetworkAreApart)
{
    Cluster c;

    c.expect_run([] {
        struct host *h = host_self();
        struct host_message first, second;

        if (h->rank == 0) {
            for (unsigned user : { 0, 1, 1, 0 })
                h->net->send(h, user, 1, &user, sizeof(user));
            return 0;
        }
        auto *counts = static_cast<volatile uint64_t *>(h->memory->alloc(h, 16, 8));
        h->net->count(h, 0, &counts[0]);
        h->net->count(h, 1, &counts[1]);
        h->net->receive(h, 1, &second);
        h->net->receive(h, 0, &first);
        EXPECT_EQ(1u, *second.data);
        EXPECT_EQ(0u, *first.data);
        h->net->receive(h, 0, &first);
        EXPECT_EQ(1u, *second.data);
        h->net->receive(h, 1, &second);
        EXPECT_EQ(1u, *second.data);
        EXPECT_EQ(2u, counts[0]);
        EXPECT_EQ(2u, counts[1]);
        return 0;
    });
}

/* What a library costs is what it spends. */
TEST(Launch, WhatALibraryComputesTakesNoTimeByItself)
{
    Cluster c;
    launch_config cfg = {};

    cfg.compute = LAUNCH_COMPUTE_MEASURED;
    ASSERT_EQ(SIM_OK, c.run(
                          [] {
                              struct host *h = host_self();
                              h->process->library(h, true);
                              uint64_t start = h->cpu->time_ps(h);
                              compute_here(200000);
                              h->cpu->spend(h, 7);
                              EXPECT_EQ(7u, h->cpu->time_ps(h) - start);
                              h->process->library(h, false);
                              compute_here(200000);
                              EXPECT_GT(h->cpu->time_ps(h) - start, 200 * SIM_US);
                              return 0;
                          },
                          cfg))
        << c.err.text;
    EXPECT_TRUE(c.all_well());
}

TEST(Launch, NodesBootAndFindHubAndGpus)
{
    Cluster c;
    struct Seen {
        bool hub;
        unsigned functions, gpus, slot, slots;
    };
    std::vector<Seen> seen(2);

    ASSERT_EQ(SIM_OK, c.run([&] {
        const struct driver *d = driver_of(host_self());
        seen[host_self()->rank] = { d->has_hub, d->nfunctions, d->ngpus, d->slot, d->slots };
        return 0;
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
    for (unsigned r = 0; r < 2; r++) {
        EXPECT_TRUE(seen[r].hub);
        EXPECT_EQ(3u, seen[r].functions);
        EXPECT_EQ(2u, seen[r].gpus);
        EXPECT_EQ(r, seen[r].slot);
        EXPECT_EQ(16u, seen[r].slots);
    }
}

TEST(Launch, ADeadlockNamesTheRankAndWhereItWaits)
{
    Cluster c;

    EXPECT_EQ(SIM_ERR_STALLED, c.run([] {
        struct host_message msg;
        if (host_self()->rank == 1)
            host_self()->net->receive(host_self(), 0, &msg);
        return 0;
    }));
    EXPECT_NE(nullptr, strstr(c.err.text, "rank 1 on node 1")) << c.err.text;
    EXPECT_NE(nullptr, strstr(c.err.text, "waiting for a message")) << c.err.text;
}

TEST(Launch, TheTimeLimitEndsARunThatNeverWould)
{
    Cluster c;
    launch_config cfg = {};
    cfg.max_time_ps = 10 * SIM_MS;

    EXPECT_EQ(SIM_ERR_LIMIT, c.run(
                                 [] {
                                     for (;;)
                                         host_self()->cpu->spend(host_self(), SIM_US);
                                     return 0;
                                 },
                                 cfg));
    EXPECT_NE(nullptr, strstr(c.err.text, "rank 0")) << c.err.text;
}

TEST(Launch, ExitEndsOneRankOnly)
{
    Cluster c;

    ASSERT_EQ(SIM_OK, c.run([] {
        struct host *h = host_self();
        if (h->rank == 0)
            h->process->exit(h, 7);
        h->cpu->spend(h, 5 * SIM_US);
        return 3;
    })) << c.err.text;
    EXPECT_EQ(7, c.result.ranks[0].exit_code);
    EXPECT_EQ(3, c.result.ranks[1].exit_code);
    EXPECT_EQ(c.result.start_ps, c.result.ranks[0].end_ps);
    EXPECT_EQ(c.result.start_ps + 5 * SIM_US, c.result.ranks[1].end_ps);
}

TEST(Launch, ARankOnANodeThatIsNotThereIsRefused)
{
    Cluster c;
    const unsigned nodes[] = { 0, 9 };
    launch_config cfg = {};
    cfg.nranks = 2;
    cfg.nodes = nodes;

    EXPECT_EQ(SIM_ERR_CONFIG, c.run([] { return 0; }, cfg));
    EXPECT_NE(nullptr, strstr(c.err.text, "node = 9")) << c.err.text;
}

host_copy_end device_end(uint64_t offset)
{
    host_copy_end end = {};

    end.device = true;
    end.addr = offset;
    return end;
}
host_copy_end bus_end(uint64_t addr)
{
    host_copy_end end = {};

    end.addr = addr;
    return end;
}

/* Static memory, pinned twice: the GPU copies from one of its bus addresses and to the other, a
 * poll of the memory sees it, and an unpinned address takes no more. */
TEST(Launch, DevicesReachPinnedMemoryOfTheProgram)
{
    static uint8_t from[3 * 4096], to[3 * 4096];
    uint64_t first[2] = {};

    for (const sim_order &order : test::all_orders()) {
        ClusterConfig cc;
        cc.order = order;
        Cluster c(cc);
        ASSERT_EQ(SIM_OK, c.run([&] {
            struct host *h = host_self();
            if (h->rank != 0)
                return 0;
            const uint64_t n = sizeof(from) - 200;
            uint8_t *device = (uint8_t *)h->gpus->alloc(h, 0, sizeof(from), 4096);
            uint64_t offset = h->memory->pointer(h, device).offset;
            uint64_t in = h->memory->pin(h, from + 100, n), out = h->memory->pin(h, to + 100, n);
            uint64_t again = h->memory->pin(h, to, sizeof(to));
            first[0] = in, first[1] = out;
            for (size_t i = 0; i < sizeof(from); i++)
                from[i] = (uint8_t)(i * 7), to[i] = 0;
            h->gpus->copy(h, 0, bus_end(out), device_end(offset), n,
                          h->gpus->copy(h, 0, device_end(offset), bus_end(in), n, 0));
            h->bus->wait_write(h, to + 100 + n - 1, 1);
            if (memcmp(from + 100, to + 100, n) != 0 || to[99] != 0)
                return 1;
            h->memory->unpin(h, again);
            h->memory->unpin(h, out);
            to[100] = 0;
            h->gpus->wait(h, 0, h->gpus->copy(h, 0, bus_end(out), device_end(offset), 64, 0));
            h->cpu->spend(h, 5 * SIM_US);
            return to[100] != 0 ? 2 : h->memory->pin(h, to + 100, n) != out ? 3 : 0;
        })) << c.err.text;
        EXPECT_TRUE(c.all_well());
        EXPECT_EQ((uintptr_t)(from + 100) % 4096, first[0] % 4096);
        EXPECT_LT(first[0], first[1]);
    }
}

/* The GPU takes writes slowly: they wait for credits when the copy is begun. */
TEST(Launch, ACopyComesBehindTheStoresOfItsCore)
{
    static uint8_t from[8192], to[8192];

    for (const sim_order &order : test::all_orders()) {
        ClusterConfig cc;
        cc.order = order;
        cc.gpu = { { "write_interval_ps", 500 * SIM_NS }, { "write_ack_ps", 500 * SIM_NS } };
        Cluster c(cc);
        ASSERT_EQ(SIM_OK, c.run([] {
            struct host *h = host_self();
            if (h->rank != 0)
                return 0;
            const struct driver_gpu *g = &driver_of(h)->gpus[0];
            auto *device = static_cast<uint8_t *>(h->gpus->alloc(h, 0, sizeof(to), 4096));
            uint64_t offset = h->memory->pointer(h, device).offset, bus = 0;
            uint64_t pinned = h->memory->pin(h, to, sizeof(to));
            EXPECT_EQ(DRIVER_OK, driver_pin_gpu(h, 0, offset, sizeof(to), &bus));
            for (size_t i = 0; i < sizeof(from); i++)
                from[i] = (uint8_t)(i * 7 + 1), to[i] = 0;
            h->bus->store_block(h, &g->bar, bus - g->bar_bus, from, sizeof(from));
            h->gpus->wait(h, 0,
                          h->gpus->copy(h, 0, bus_end(pinned), device_end(offset), sizeof(to), 0));
            h->cpu->spend(h, 5 * SIM_US);
            return memcmp(from, to, sizeof(to)) != 0 ? 1 : 0;
        })) << c.err.text;
        EXPECT_TRUE(c.all_well());
    }
}

TEST(Launch, ManySimulationsRunOneAfterTheOther)
{
    sim_fingerprint first = {};

    for (int i = 0; i < 3; i++) {
        Cluster c;
        ASSERT_EQ(SIM_OK, c.run([] {
            struct host *h = host_self();
            void *p = h->memory->alloc(h, 100, 64);
            h->cpu->tsc(h);
            return p != nullptr ? 0 : 1;
        })) << c.err.text;
        EXPECT_TRUE(c.all_well());
        if (i == 0)
            first = c.fingerprint();
        EXPECT_EQ(first.visible, c.fingerprint().visible);
        EXPECT_EQ(first.wire, c.fingerprint().wire);
    }
}

TEST(Launch, MessagesOfAPairKeepTheirOrderOnOneNodeAndBetweenNodes)
{
    const unsigned nodes[] = { 0, 0, 1 };
    launch_config cfg = {};
    cfg.nranks = 3;
    cfg.nodes = nodes;
    for (const sim_order &order : test::all_orders()) {
        ClusterConfig cc;
        cc.order = order;
        Cluster c(cc);
        std::vector<std::vector<int>> got(3);
        ASSERT_EQ(SIM_OK, c.run(
                              [&] {
                                  struct host *h = host_self();
                                  if (h->rank != 0) {
                                      for (int i = 0; i < 5; i++)
                                          h->net->send(h, 0, 0, &i, sizeof(i));
                                      return 0;
                                  }
                                  for (int i = 0; i < 10; i++) {
                                      struct host_message msg;
                                      int value;
                                      h->net->receive(h, 0, &msg);
                                      memcpy(&value, msg.data, sizeof(value));
                                      got[msg.from].push_back(value);
                                  }
                                  return 0;
                              },
                              cfg))
            << c.err.text;
        EXPECT_EQ((std::vector<int>{ 0, 1, 2, 3, 4 }), got[1]);
        EXPECT_EQ((std::vector<int>{ 0, 1, 2, 3, 4 }), got[2]);
    }
}

/* Of timers, and from one rank of a node to the other, which it ends at last. */
TEST(Launch, SignalsArriveTheSameInEveryOrder)
{
    const unsigned nodes[] = { 0, 0 };
    launch_config cfg = {};

    cfg.nranks = 2;
    cfg.nodes = nodes;
    for (const char *what : { "timers", "neighbours" }) {
        Cluster first;
        ASSERT_EQ(SIM_OK, first.run_program(PROGRAMS + "/test_signals.so", { what }, cfg))
            << first.err.text;
        EXPECT_FALSE(first.lines.empty());
        EXPECT_EQ(strcmp(what, "neighbours") == 0 ? SIGKILL : 0, first.result.ranks[1].signal);
        for (const sim_order &order : test::all_orders()) {
            ClusterConfig cc;
            cc.order = order;
            Cluster c(cc);
            ASSERT_EQ(SIM_OK, c.run_program(PROGRAMS + "/test_signals.so", { what }, cfg))
                << c.err.text;
            c.expect_same_outcome(first);
        }
    }
}

/* A wait ends at once; what a core does by itself is over soon. */
TEST(Launch, HandlersRunInTheMidstOfWaitsAndAtTheEndOfOtherOperations)
{
    Cluster c;
    launch_config cfg = {};
    std::string text;

    cfg.compute = LAUNCH_COMPUTE_COUNTED;
    cfg.block_ps = SIM_NS;
    EXPECT_EQ(SIM_OK, c.run_program(PROGRAMS + "/test_interrupted.so", {}, cfg)) << c.err.text;
    for (auto &l : c.lines)
        text += l.text + "\n";
    EXPECT_EQ("store: at once\nstore_block: at its end\nload: at its end\n"
              "load_block: at its end\nfence: at its end\nspend: at its end\ntsc: at once\n"
              "computing: at its end\nsleep: at once\ncomputing and sleep: at its end\n"
              "wait_write: at once\ncomputing and wait_write: at its end\ngpu_wait: at once\n"
              "net_receive: at once\n",
              text);
}

TEST(Launch, AProgramPrintsInOrderOfTimeAndRank)
{
    ClusterConfig cc;
    cc.nodes = 4;
    Cluster c(cc);
    std::vector<unsigned> ranks;

    ASSERT_EQ(SIM_OK, c.run_program(PROGRAMS + "/test_globals.so", { "-n", "0" })) << c.err.text;
    EXPECT_TRUE(c.all_well());
    for (auto &l : c.lines)
        if (l.text == "part whole")
            ranks.push_back(l.rank);
    EXPECT_EQ((std::vector<unsigned>{ 0, 1, 2, 3 }), ranks);
}

TEST(Launch, LoopsThatPollDoNotDependOnTheOrderOfEvents)
{
    for (const char *how : { "volatile", "counter", "flags", "timer" }) {
        std::vector<Cluster::Line> lines;
        sim_fingerprint first = {};

        for (const sim_order &order : test::all_orders()) {
            ClusterConfig cc;
            cc.order = order;
            Cluster c(cc);

            ASSERT_EQ(SIM_OK, c.run_program(PROGRAMS + "/test_poll.so", { how })) << c.err.text;
            EXPECT_TRUE(c.all_well());
            if (lines.empty()) {
                lines = c.lines;
                first = c.fingerprint();
            }
            EXPECT_EQ(lines, c.lines) << how;
            EXPECT_EQ(first.visible, c.fingerprint().visible) << how;
            EXPECT_EQ(first.wire, c.fingerprint().wire) << how;
        }
        EXPECT_EQ(1u, lines.size());
    }
}

TEST(Launch, ACrashEndsItsRankAndIsTold)
{
    const std::string stack =
        " us: out of stack (" + std::to_string(TASK_STACK_MB) + " MB) at test_crash.so+0x";
    const struct {
        const char *how;
        std::string said;
        int code;
    } cases[] = { { "null", " us: memory access fault at test_crash.so+0x", 139 },
                  { "library", " us: memory access fault at test_crash.so+0x", 139 },
                  { "stack", stack, 139 },
                  { "array", stack, 139 },
                  { "larger array", stack, 139 },
                  { "below array", stack, 139 },
                  { "divide", " us: arithmetic fault", 136 },
                  { "abort", "aborted", 134 } };

    for (auto &how : cases) {
        if (task_sanitized() && strcmp(how.how, "abort") != 0)
            continue; /* the sanitizer reports those itself */
        Cluster c;
        ASSERT_EQ(SIM_OK, c.run_program(PROGRAMS + "/test_crash.so", { how.how })) << c.err.text;
        for (unsigned r = 0; r < 2; r++)
            EXPECT_EQ(how.code, c.result.ranks[r].exit_code) << how.how;
        ASSERT_EQ(4u, c.lines.size()) << how.how;
        EXPECT_EQ("begun", c.lines[0].text);
        EXPECT_NE(std::string::npos, c.lines[1].text.find(how.said)) << c.lines[1].text;
        EXPECT_TRUE(c.lines[1].error);
    }
}

/* One table for files and users, made of those of all libraries. */
TEST(Settings, HaveAKeyOfTheirOwnAndADefaultThatIsAllowed)
{
    std::map<std::string, std::string> alone; /* by key: the transport that has it, "": all */
    const char *transport;
    const host_param *p;

    for (unsigned i = 0; (p = launch_param(i, &transport)) != nullptr; i++) {
        const std::string choices = p->choices != nullptr ? p->choices : "";

        EXPECT_TRUE(alone.emplace(p->key, transport != nullptr ? transport : "").second) << p->key;
        EXPECT_LE(p->least, p->def) << p->key;
        EXPECT_LE(p->def, p->most) << p->key;
        if (p->choices != nullptr) {
            EXPECT_EQ(p->most, uint64_t(std::count(choices.begin(), choices.end(), '|'))) << p->key;
        }
    }
    EXPECT_EQ("", alone.at("syscall_ps"));
    EXPECT_EQ("", alone.at("mpi.transport"));
    EXPECT_EQ("ib", alone.at("mpi.rails"));
    EXPECT_EQ("", alone.at("kernel.window"));
}

} // namespace
