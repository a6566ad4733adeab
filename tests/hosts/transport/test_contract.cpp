/* The rules of hosts/transport/transport.h, over each transport, for one library and for two that a
 * rank uses at once. */
#include <fstream>
#include <map>
#include <sstream>

#include "tests/hosts/transport/player.h"

namespace
{

using namespace test;

constexpr unsigned ranks = 4;

using Settings = std::vector<std::pair<std::string, uint64_t>>;

/** A transport, with settings that have no "mpi." in front. */
struct Way {
    const char *transport;
    bool gpu;         /* it takes GPU memory as it is */
    const char *name; /* ends that of the test */
    Settings settings = {};
};

/** Settings of a run, whose keys have to stay. */
class Software
{
  public:
    void set(const char *library, const Way &way)
    {
        word(library, "transport", way.transport);
        /* Without them net exposes nothing to MPI. */
        if (strcmp(library, "mpi") == 0)
            word(library, "requests", strcmp(way.transport, "tcp") == 0 ? "off" : "on");
        for (const auto &s : way.settings)
            add(library, s.first)->number = s.second;
    }
    launch_software software = launch_software_default();

  private:
    host_setting *add(const char *library, const std::string &key)
    {
        keys_.push_back(std::string(library) + "." + key);
        return launch_software_setting(&software, keys_.back().c_str());
    }
    void word(const char *library, const char *key, const char *value)
    {
        strcpy(add(library, key)->word, value);
    }
    std::deque<std::string> keys_;
};

void run(const char *machine, Software &software, unsigned nranks, const std::function<int()> &fn)
{
    MachineFile file(machine);
    launch_config cfg = {};

    cfg.software = &software.software;
    cfg.nranks = nranks;
    Cluster c(file.cluster());
    c.expect_run(fn, cfg);
}

const char hubs[] = "platform: hapacs-tca\nring: 3\n"; /* two of the ranks share a node */

/* Long writes go by both rails, or in chunks by way of the hosts. */
const Settings staged = {
    { "rails", 2 },
    { "stripe_bytes", 1024 },
    { "gdr_limit", 512 },
    { "chunk_bytes", 256 },
};

/* All writes of more than a unit go by both rails. */
const Settings shared = { { "rails", 2 }, { "gdr_rails", 2 }, { "stripe_bytes", 1 } };

/* Memory is registered for one transfer, or data go by buffers of the library. */
const Settings bounced = { { "keep_regions", 2 }, { "bounce_bytes", 1024 } };

/* Nearly each operation meets a full ring, or goes in pieces. */
const Settings tight = {
    { "ring_entries", 2 },  { "pieces", 2 },          { "piece_bytes", 512 },
    { "first_bytes", 256 }, { "landing_bytes", 256 }, { "stage_bytes", 600 },
};

const Way tca = { "tca", true, "tca" }, tca_two_entries = { "tca", true, "tca_two_entries", tight },
          tca_fault = { "tca", true, "tca_fault", { { "fault", 1 } } };
/* The same of a ring alone. */
const Settings few = { { "ring_entries", 2 } };

const Way peach2_two_entries = { "peach2", true, "peach2_two_entries", few },
          ib_two_entries = { "ib", true, "ib_two_entries", few },
          mbcf_two_entries = { "mbcf", false, "mbcf_two_entries", few };
const Way net = { "net", true, "net" }, peach2 = { "peach2", true, "peach2" },
          ib = { "ib", true, "ib" }, ib_staged = { "ib", true, "ib_staged", staged },
          ib_bounced = { "ib", true, "ib_bounced", bounced },
          ib_shared = { "ib", true, "ib_shared", shared }, mbcf = { "mbcf", false, "mbcf" },
          tcp = { "tcp", false, "tcp" };

const char *machine_of(const Way &way, const Way &other)
{
    return way.gpu && other.gpu ? hubs : "mbcf-switch";
}

class Contract : public testing::TestWithParam<std::tuple<const char *, Way>>
{
  public:
    static void hold(bool on_gpu)
    {
        const char *library = std::get<0>(GetParam());
        const Way &way = std::get<1>(GetParam());
        Software software;

        software.set(library, way);
        run(machine_of(way, way), software, ranks, [&] {
            Player p(library, on_gpu);

            p.begin();
            p.play();
            return 0;
        });
    }
};

TEST_P(Contract, HoldsForHostMemory)
{
    hold(false);
}
TEST_P(Contract, HoldsForGpuMemory)
{
    if (!std::get<1>(GetParam()).gpu)
        GTEST_SKIP() << "its machine has no GPU";
    hold(true);
}

INSTANTIATE_TEST_SUITE_P(Transports, Contract,
                         testing::Combine(testing::Values("mpi", "gasnet"),
                                          testing::Values(net, peach2, peach2_two_entries, tca,
                                                          tca_two_entries, tca_fault, ib,
                                                          ib_two_entries, ib_staged, ib_bounced,
                                                          ib_shared, mbcf, mbcf_two_entries, tcp)),
                         [](const auto &info) {
                             return std::string(std::get<0>(info.param)) + "_" +
                                    std::get<1>(info.param).name;
                         });

/* Rank 1 computes, while rank 0 looks into its memory as soon as the network says that data are
 * there.
 */
TEST_P(Contract, PlacedDataAreThereThoughTheFarRankComputes)
{
    static uint8_t *far;
    static transport_key key;
    Software software;

    software.set(std::get<0>(GetParam()), std::get<1>(GetParam()));
    run(machine_of(std::get<1>(GetParam()), std::get<1>(GetParam())), software, 3, [] {
        host *h = host_self();
        const char *library = std::get<0>(GetParam());
        constexpr uint32_t bytes = 30000;
        char why[TRANSPORT_WHY_BYTES];
        transport *t;

        EXPECT_TRUE(transport_open(h, library, why, &t)) << why;
        host_state_add(&h->states, &(new Kept{ {}, t })->state, release_transport);
        EXPECT_EQ(strcmp(t->ops->name, "ib") == 0 || strcmp(t->ops->name, "mbcf") == 0,
                  t->ops->placed != nullptr);
        if (t->ops->placed == nullptr)
            return 0;
        auto *memory = static_cast<uint8_t *>(h->memory->alloc(h, bytes, 64));
        memset(memory, 0, bytes);
        if (h->rank == 2) { /* on a node of its own */
            far = memory;
            key = {};
            EXPECT_TRUE(t->ops->expose(t, memory, bytes, &key));
        }
        h->cpu->spend(h, (h->rank == 0 ? 1 : 100) * SIM_MS);
        for (unsigned n = 1; h->rank == 0 && n <= 3; n++) {
            transport_write w = {};
            transport_ticket ticket = 0;
            fill(memory, 0, n, bytes);
            w.key = &key;
            w.from = memory;
            w.bytes = bytes;
            w.watched = true;
            EXPECT_TRUE(t->ops->write(t, 2, &w, &ticket));
            EXPECT_FALSE(is_filled(far, 0, n, bytes));
            while (!t->ops->placed(t, ticket))
                t->ops->wait(t);
            EXPECT_TRUE(is_filled(far, 0, n, bytes)) << "write " << n;
        }
        return 0;
    });
}

/** The transport of MPI and that of GASNet, in one program. */
class Together : public testing::TestWithParam<std::tuple<Way, Way>>
{
  public:
    /** Each looks without waiting, as long as both have something to do. */
    static void at_once(Player &a, Player &b)
    {
        while (!a.over() || !b.over()) {
            bool any = a.step(), other = b.step();

            if (any || other || (a.over() && b.over()))
                continue;
            if (!a.over() && !b.over()) {
                a.poll();
                b.poll();
                continue;
            }
            (a.over() ? a : b).hand_over();
            (a.over() ? b : a).wait();
        }
        a.hand_over();
        b.hand_over();
    }
    /** While one waits, what the others have begun with the other one comes. */
    static void in_turn(Player &a, Player &b)
    {
        for (unsigned n = batch; n <= ops; n += batch) {
            b.send_all(n);
            a.play(n);
            b.play(n);
        }
    }
    static void hold(bool on_gpu, unsigned nranks, void (*play)(Player &, Player &))
    {
        const Way &first = std::get<0>(GetParam()), &second = std::get<1>(GetParam());
        Software software;

        software.set("mpi", first);
        software.set("gasnet", second);
        run(machine_of(first, second), software, nranks, [&] {
            Player mpi("mpi", on_gpu), gasnet("gasnet", on_gpu);
            bool turned = strcmp(first.name, second.name) > 0; /* either may be the first one */

            (turned ? gasnet : mpi).begin();
            (turned ? mpi : gasnet).begin();
            play(mpi, gasnet);
            return 0;
        });
    }
};

TEST_P(Together, AtOnce)
{
    hold(false, ranks, at_once);
}
TEST_P(Together, InTurn)
{
    hold(std::get<0>(GetParam()).gpu && std::get<1>(GetParam()).gpu, ranks, in_turn);
}

std::string name_both(const testing::TestParamInfo<std::tuple<Way, Way>> &info)
{
    return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(WithGpus, Together,
                         testing::Combine(testing::Values(net, peach2, tca, ib, ib_staged),
                                          testing::Values(net, peach2, tca, ib, ib_staged)),
                         name_both);
INSTANTIATE_TEST_SUITE_P(Ethernet, Together,
                         testing::Combine(testing::Values(net, mbcf, tcp),
                                          testing::Values(mbcf, tcp)),
                         name_both);

/* Five ranks of a hub take turns at its channels, whichever library of theirs wants one. */
TEST(Channels, AreSharedByRanksAndLibraries)
{
    for (const Way &way : { peach2, tca }) {
        SCOPED_TRACE(way.name);
        Software software;

        software.set("mpi", peach2);
        software.set("gasnet", way);
        run("platform: hapacs-tca\nring: 2\n", software, 10, [] {
            Player mpi("mpi", false), gasnet("gasnet", false);

            gasnet.begin();
            mpi.begin();
            Together::at_once(mpi, gasnet);
            return 0;
        });
    }
}

/* Both libraries set a transport in the same words. */
TEST(Settings, OfATransportAreThoseOfEitherLibrary)
{
    for (const transport_ops **ops = transports; *ops != nullptr; ops++) {
        const host_param *mpi = (*ops)->params[TRANSPORT_MPI];
        const host_param *gasnet = (*ops)->params[TRANSPORT_GASNET];

        for (; mpi != nullptr && mpi->key != nullptr; mpi++, gasnet++) {
            ASSERT_NE(nullptr, gasnet->key);
            EXPECT_EQ("gasnet" + std::string(mpi->key).substr(strlen("mpi")), gasnet->key);
            EXPECT_EQ(mpi->most, gasnet->most);
        }
        EXPECT_TRUE(gasnet == nullptr || gasnet->key == nullptr);
    }
}

/* The choice of a number finds the transport of that name. */
TEST(Settings, TheFirstTransportOfGasnetIsTheControlNetwork)
{
    const host_param *choice = transport_gasnet_params();

    EXPECT_STREQ("gasnet.transport", choice->key);
    EXPECT_EQ(0u, std::string(choice->choices).find(std::string(transports[0]->name) + "|"));
    EXPECT_STREQ("net", transports[0]->name);
    EXPECT_EQ(choice->most, std::count(choice->choices, strchr(choice->choices, '\0'), '|'));
}

/** Cells of a row "| a | b |", without their quotes. */
std::vector<std::string> cells_of(const std::string &line)
{
    std::vector<std::string> cells;
    std::istringstream row(line);

    for (std::string cell; std::getline(row, cell, '|');) {
        cell.erase(
            std::remove_if(cell.begin(), cell.end(), [](char c) { return c == ' ' || c == '`'; }),
            cell.end());
        cells.push_back(cell);
    }
    if (!cells.empty())
        cells.erase(cells.begin());
    return cells;
}

/** Whether a transport has what may be NULL. */
std::map<std::string, bool> optional_of(const transport_ops *o)
{
    return { { "expose", o->expose != nullptr },
             { "hide", o->hide != nullptr },
             { "write", o->write != nullptr },
             { "lays_out", o->lays_out != nullptr },
             { "read", o->read != nullptr },
             { "done", o->done != nullptr },
             { "placed", o->placed != nullptr },
             { "hand_over", o->hand_over != nullptr },
             { "ring", o->ring != nullptr },
             { "queued", o->queued != nullptr },
             { "gpu_eager_bytes", o->gpu_eager_bytes != nullptr },
             { "copy", o->copy != nullptr },
             { "profile", o->profile != nullptr } };
}

TEST(Page, SaysWhoImplementsWhat)
{
    std::ifstream page(DOCS "/transport.md");
    std::vector<std::string> names; /* those of columns */
    std::map<std::string, std::vector<std::string>> table;

    for (std::string line; std::getline(page, line) && line != "## To add a transport";) {
        std::vector<std::string> cells = cells_of(line);

        if (cells.size() > 1 && cells[0].empty() && cells[1] == transports[0]->name)
            names.assign(cells.begin() + 1, cells.end());
        else if (!cells.empty() && cells.size() == names.size() + 1)
            table[cells[0]].assign(cells.begin() + 1, cells.end());
    }
    for (const transport_ops **ops = transports; *ops != nullptr; ops++) {
        size_t column = std::find(names.begin(), names.end(), (*ops)->name) - names.begin();

        ASSERT_LT(column, names.size()) << (*ops)->name;
        for (const auto &op : optional_of(*ops)) {
            ASSERT_EQ(names.size(), table[op.first].size()) << op.first;
            EXPECT_EQ(op.second ? "yes" : "-", table[op.first][column])
                << op.first << " of " << (*ops)->name;
        }
    }
}

} // namespace
