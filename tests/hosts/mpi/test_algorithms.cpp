/* Every algorithm of every collective against what the standard says, on shapes drawn at random. */
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/hosts/mpi/ranks.h"

extern "C" {
struct mpi_rank;
struct mpi_rank *mpi_self(void);
int mpi_algorithms_force(struct mpi_rank *mr, const char *text);
int mpi_choices_add(struct mpi_rank *mr, const char *text);
bool mpi_algorithm_text(const struct mpi_rank *mr, unsigned i, char *text, size_t room);
}

namespace
{

using test::Me;

int value(int rank, int i)
{
    return 1000 * rank + 7 * i + 1;
}

/** Ints of a program: one behind the other, or two of each three. */
struct Ints {
    MPI_Datatype type = MPI_INT;
    bool gaps;
    std::vector<int> all;

    Ints(int n, bool with_gaps) : gaps(with_gaps), all((size_t)(n * 3 / 2 + 3), -1)
    {
        if (gaps) {
            MPI_Type_vector(2, 1, 2, MPI_INT, &type);
            MPI_Type_commit(&type);
        }
    }
    ~Ints()
    {
        if (gaps)
            MPI_Type_free(&type);
    }
    Ints(const Ints &) = delete;
    Ints &operator=(const Ints &) = delete;
    int &operator[](int i) { return all[(size_t)(gaps ? i / 2 * 3 + i % 2 * 2 : i)]; }
    void *at() { return all.data(); }
    int count(int n) const { return gaps ? n / 2 : n; } /* of n ints, n even */
};

/** One call, drawn alike on all ranks. */
struct Shape {
    int n; /* ints in a block, even */
    int root;
    bool gaps, in_place;
    std::vector<int> counts, displs; /* the v forms', in ints, even */
};

Shape draw(std::mt19937 &random, int size)
{
    static const int lengths[] = { 0, 2, 6, 34, 130, 700, 3000, 20000 };
    Shape s;
    int at = 0;

    s.n = lengths[random() % (size > 8 ? 6 : 8)];
    s.root = (int)(random() % (unsigned)size);
    s.gaps = random() % 2 == 0;
    s.in_place = random() % 2 == 0;
    for (int r = 0; r < size; r++) {
        s.counts.push_back(random() % 4 == 0 ? 0 : 2 * (int)(random() % (unsigned)(s.n / 2 + 1)));
        at += 2 * (int)(random() % 3);
        s.displs.push_back(at);
        at += s.counts.back();
    }
    return s;
}

int room(const Shape &s)
{
    return s.displs.back() + s.counts.back();
}

int bad_block(Ints &b, int from, int n, int rank, int first)
{
    int bad = 0;

    for (int i = 0; i < n; i++)
        bad += b[from + i] != value(rank, first + i);
    return bad;
}

void fill(Ints &b, int from, int n, int rank, int first)
{
    for (int i = 0; i < n; i++)
        b[from + i] = value(rank, first + i);
}

/** Counts and displacements in units of the type. */
std::vector<int> units(const std::vector<int> &ints, bool gaps)
{
    std::vector<int> u;
    for (int i : ints)
        u.push_back(gaps ? i / 2 : i);
    return u;
}

int barrier(const Me &me, const Shape &)
{
    struct host *h = host_self();
    static uint64_t last;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me.rank == 0)
        last = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    h->cpu->spend(h, (uint64_t)((me.rank * 5) % 8 + 1) * 50 * SIM_US);
    last = std::max(last, h->cpu->time_ps(h));
    MPI_Barrier(MPI_COMM_WORLD);
    return h->cpu->time_ps(h) < last;
}

int bcast(const Me &me, const Shape &s)
{
    Ints b(s.n, s.gaps && me.rank % 2 == 0);
    if (me.rank == s.root)
        fill(b, 0, s.n, s.root, 0);
    MPI_Bcast(b.at(), b.count(s.n), b.type, s.root, MPI_COMM_WORLD);
    return bad_block(b, 0, s.n, s.root, 0);
}

int gather(const Me &me, const Shape &s)
{
    bool is_root = me.rank == s.root;
    Ints own(s.n, !s.gaps), all(s.n * me.size, s.gaps);
    int bad = 0;
    fill(own, 0, s.n, me.rank, 0);
    if (is_root && s.in_place)
        fill(all, me.rank * s.n, s.n, me.rank, 0);
    MPI_Gather(is_root && s.in_place ? MPI_IN_PLACE : own.at(), own.count(s.n), own.type, all.at(),
               all.count(s.n), all.type, s.root, MPI_COMM_WORLD);
    for (int r = 0; is_root && r < me.size; r++)
        bad += bad_block(all, r * s.n, s.n, r, 0);
    return bad;
}

int gatherv(const Me &me, const Shape &s)
{
    int n = s.counts[(size_t)me.rank], bad = 0;
    bool is_root = me.rank == s.root;
    Ints own(n, !s.gaps), all(room(s), s.gaps);
    fill(own, 0, n, me.rank, 0);
    if (is_root && s.in_place)
        fill(all, s.displs[(size_t)me.rank], n, me.rank, 0);
    MPI_Gatherv(is_root && s.in_place ? MPI_IN_PLACE : own.at(), own.count(n), own.type, all.at(),
                units(s.counts, s.gaps).data(), units(s.displs, s.gaps).data(), all.type, s.root,
                MPI_COMM_WORLD);
    for (int r = 0; is_root && r < me.size; r++)
        bad += bad_block(all, s.displs[(size_t)r], s.counts[(size_t)r], r, 0);
    return bad;
}

int scatter(const Me &me, const Shape &s)
{
    bool is_root = me.rank == s.root, in_place = is_root && s.in_place;
    Ints own(s.n, !s.gaps), all(s.n * me.size, s.gaps);
    for (int r = 0; is_root && r < me.size; r++)
        fill(all, r * s.n, s.n, r, 3);
    MPI_Scatter(all.at(), all.count(s.n), all.type, in_place ? MPI_IN_PLACE : own.at(),
                own.count(s.n), own.type, s.root, MPI_COMM_WORLD);
    return in_place ? bad_block(all, me.rank * s.n, s.n, me.rank, 3)
                    : bad_block(own, 0, s.n, me.rank, 3);
}

int scatterv(const Me &me, const Shape &s)
{
    int n = s.counts[(size_t)me.rank];
    bool is_root = me.rank == s.root, in_place = is_root && s.in_place;
    Ints own(n, !s.gaps), all(room(s), s.gaps);
    for (int r = 0; is_root && r < me.size; r++)
        fill(all, s.displs[(size_t)r], s.counts[(size_t)r], r, 3);
    MPI_Scatterv(all.at(), units(s.counts, s.gaps).data(), units(s.displs, s.gaps).data(), all.type,
                 in_place ? MPI_IN_PLACE : own.at(), own.count(n), own.type, s.root,
                 MPI_COMM_WORLD);
    return in_place ? bad_block(all, s.displs[(size_t)me.rank], n, me.rank, 3)
                    : bad_block(own, 0, n, me.rank, 3);
}

int allgather(const Me &me, const Shape &s)
{
    Ints own(s.n, !s.gaps), all(s.n * me.size, s.gaps && me.rank % 2 == 0);
    int bad = 0;
    fill(own, 0, s.n, me.rank, 0);
    if (s.in_place)
        fill(all, me.rank * s.n, s.n, me.rank, 0);
    MPI_Allgather(s.in_place ? MPI_IN_PLACE : own.at(), own.count(s.n), own.type, all.at(),
                  all.count(s.n), all.type, MPI_COMM_WORLD);
    for (int r = 0; r < me.size; r++)
        bad += bad_block(all, r * s.n, s.n, r, 0);
    return bad;
}

int allgatherv(const Me &me, const Shape &s)
{
    int n = s.counts[(size_t)me.rank], bad = 0;
    Ints own(n, !s.gaps), all(room(s), s.gaps);
    fill(own, 0, n, me.rank, 0);
    if (s.in_place)
        fill(all, s.displs[(size_t)me.rank], n, me.rank, 0);
    MPI_Allgatherv(s.in_place ? MPI_IN_PLACE : own.at(), own.count(n), own.type, all.at(),
                   units(s.counts, s.gaps).data(), units(s.displs, s.gaps).data(), all.type,
                   MPI_COMM_WORLD);
    for (int r = 0; r < me.size; r++)
        bad += bad_block(all, s.displs[(size_t)r], s.counts[(size_t)r], r, 0);
    return bad;
}

/* The block from rank a to rank b begins with value(a, b). */
int alltoall(const Me &me, const Shape &s)
{
    Ints out(s.n * me.size, !s.gaps), in(s.n * me.size, s.gaps);
    int bad = 0;
    for (int r = 0; r < me.size; r++)
        fill(s.in_place ? in : out, r * s.n, s.n, me.rank, r);
    MPI_Alltoall(s.in_place ? MPI_IN_PLACE : out.at(), out.count(s.n), out.type, in.at(),
                 in.count(s.n), in.type, MPI_COMM_WORLD);
    for (int r = 0; r < me.size; r++)
        bad += bad_block(in, r * s.n, s.n, r, me.rank);
    return bad;
}

/* Blocks of as many ints as the sum of both ranks' shares, also none. */
int alltoallv(const Me &me, const Shape &s)
{
    std::vector<int> counts, displs;
    int at = 0, bad = 0;
    for (int r = 0; r < me.size; r++) {
        int n = (s.counts[(size_t)r] + s.counts[(size_t)me.rank]) / 4 * 2;
        counts.push_back(n);
        displs.push_back(at);
        at += n + 2 * (r % 3);
    }
    Ints out(at, !s.gaps), in(at, s.gaps);
    for (int r = 0; r < me.size; r++)
        fill(s.in_place ? in : out, displs[(size_t)r], counts[(size_t)r], me.rank, r);
    MPI_Alltoallv(s.in_place ? MPI_IN_PLACE : out.at(), units(counts, out.gaps).data(),
                  units(displs, out.gaps).data(), out.type, in.at(), units(counts, in.gaps).data(),
                  units(displs, in.gaps).data(), in.type, MPI_COMM_WORLD);
    for (int r = 0; r < me.size; r++)
        bad += bad_block(in, displs[(size_t)r], counts[(size_t)r], r, me.rank);
    return bad;
}

int sum(int ranks, int i)
{
    int s = 0;
    for (int r = 0; r < ranks; r++)
        s += value(r, i);
    return s;
}

int bad_sum(const std::vector<int> &v, int n, int ranks, int first)
{
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += v[(size_t)i] != sum(ranks, first + i);
    return bad;
}

std::vector<int> values(int rank, int n)
{
    std::vector<int> v;
    for (int i = 0; i <= n; i++) /* one more: never empty */
        v.push_back(value(rank, i));
    return v;
}

int reduce(const Me &me, const Shape &s)
{
    std::vector<int> own = values(me.rank, s.n), to((size_t)s.n + 1, -1);
    bool is_root = me.rank == s.root;
    if (is_root && s.in_place)
        to = own;
    MPI_Reduce(is_root && s.in_place ? MPI_IN_PLACE : own.data(), to.data(), s.n, MPI_INT, MPI_SUM,
               s.root, MPI_COMM_WORLD);
    return is_root ? bad_sum(to, s.n, me.size, 0) : 0;
}

int allreduce(const Me &me, const Shape &s)
{
    std::vector<int> own = values(me.rank, s.n), to((size_t)s.n + 1, -1);
    if (s.in_place)
        to = own;
    MPI_Allreduce(s.in_place ? MPI_IN_PLACE : own.data(), to.data(), s.n, MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    return bad_sum(to, s.n, me.size, 0);
}

int reduce_scatter(const Me &me, const Shape &s)
{
    int all = 0, first = 0, n = s.counts[(size_t)me.rank];
    for (int r = 0; r < me.size; r++) {
        first += r < me.rank ? s.counts[(size_t)r] : 0;
        all += s.counts[(size_t)r];
    }
    std::vector<int> own = values(me.rank, all), to((size_t)all + 1, -1);
    if (s.in_place)
        to = own;
    MPI_Reduce_scatter(s.in_place ? MPI_IN_PLACE : own.data(), to.data(), s.counts.data(), MPI_INT,
                       MPI_SUM, MPI_COMM_WORLD);
    int bad = bad_sum(to, n, me.size, first);
    own = to = values(me.rank, s.n * me.size);
    MPI_Reduce_scatter_block(s.in_place ? MPI_IN_PLACE : own.data(), to.data(), s.n, MPI_INT,
                             MPI_SUM, MPI_COMM_WORLD);
    return bad + bad_sum(to, s.n, me.size, s.n * me.rank);
}

int scan(const Me &me, const Shape &s)
{
    std::vector<int> own = values(me.rank, s.n), to((size_t)s.n + 1, -1);
    if (s.in_place)
        to = own;
    MPI_Scan(s.in_place ? MPI_IN_PLACE : own.data(), to.data(), s.n, MPI_INT, MPI_SUM,
             MPI_COMM_WORLD);
    return bad_sum(to, s.n, me.rank + 1, 0);
}

int exscan(const Me &me, const Shape &s)
{
    std::vector<int> own = values(me.rank, s.n), to((size_t)s.n + 1, -1);
    if (s.in_place)
        to = own;
    MPI_Exscan(s.in_place ? MPI_IN_PLACE : own.data(), to.data(), s.n, MPI_INT, MPI_SUM,
               MPI_COMM_WORLD);
    return me.rank > 0 ? bad_sum(to, s.n, me.rank, 0) : 0;
}

const std::map<std::string, int (*)(const Me &, const Shape &)> checks = {
    { "barrier", barrier },
    { "bcast", bcast },
    { "gather", gather },
    { "gatherv", gatherv },
    { "scatter", scatter },
    { "scatterv", scatterv },
    { "allgather", allgather },
    { "allgatherv", allgatherv },
    { "alltoall", alltoall },
    { "alltoallv", alltoallv },
    { "reduce", reduce },
    { "allreduce", allreduce },
    { "reduce_scatter", reduce_scatter },
    { "scan", scan },
    { "exscan", exscan },
};

/* Twice with what the tables choose, then with each algorithm. */
int every_algorithm()
{
    Me me;
    char text[64];
    std::mt19937 random(5);

    for (const auto &[name, check] : checks)
        EXPECT_EQ(0, check(me, draw(random, me.size))) << name;
    for (unsigned i = 0; mpi_algorithm_text(mpi_self(), i, text, sizeof(text)); i++) {
        std::string kind = std::string(text).substr(0, std::string(text).find('='));
        EXPECT_EQ(MPI_SUCCESS, mpi_algorithms_force(mpi_self(), text));
        for (int turn = 0; turn < 3; turn++)
            EXPECT_EQ(0, checks.at(kind)(me, draw(random, me.size)))
                << text << ", rank " << me.rank << " of " << me.size;
    }
    return MPI_Finalize();
}

/* A ring needs as many messages one after the other as there are other ranks: time shows it. */
int limits_decide()
{
    Me me;
    auto taken_us = [&](const char *text) {
        std::vector<char> in(64 * (size_t)me.size);
        double start;

        EXPECT_EQ(MPI_SUCCESS, mpi_algorithms_force(mpi_self(), text)) << text;
        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, in.data(), 64, MPI_BYTE, MPI_COMM_WORLD);
        return (MPI_Wtime() - start) * 1e6;
    };
    double ring = taken_us("allgather=ring"), linear = taken_us("allgather=linear");
    const struct {
        const char *text;
        bool ring;
    } cases[] = {
        { "allgather=linear,allgather=ring@16..128", true },
        { "allgather=linear,allgather=ring@64..", true },
        { "allgather=linear,allgather=ring@65..", false },
        { "allgather=linear,allgather=ring@..64", false },
        { "allgather=linear,allgather=ring@..1K/8", true },
        { "allgather=linear,allgather=ring/7", false },
        { "allgather=ring/8,allgather=linear", false }, /* which replaces it */
    };

    EXPECT_GT(ring, 2 * linear);
    for (const auto &c : cases)
        EXPECT_EQ(c.ring, taken_us(c.text) > (ring + linear) / 2) << c.text;
    for (const char *text : { "allgather=ring@", "allgather=ring@4", "allgather=ring@8..4",
                              "allgather=ring/", "allgather=ring/0", "allgather=ring@1..2x",
                              "allgather=rung@1..2", "all=ring", "allgather" })
        EXPECT_EQ(MPI_ERR_ARG, mpi_algorithms_force(mpi_self(), text)) << text;
    return MPI_Finalize();
}

TEST(MpiAlgorithms, AreTakenWithinTheirLimits)
{
    test::ClusterConfig cc;

    cc.nodes = 6;
    cc.hubs = false;
    test::Cluster c(cc);
    launch_config cfg = {};
    cfg.nranks = 8;
    c.expect_run(limits_decide, cfg);
}

/* What networks and the user add fills the table, and no more. */
int table_is_full()
{
    Me me;
    std::string many = "bcast=linear";
    int code, added = 0;

    while ((code = mpi_choices_add(mpi_self(), "bcast=linear")) == MPI_SUCCESS && added < 150)
        added++;
    EXPECT_EQ(MPI_ERR_INTERN, code);
    for (int i = 1; i < 128; i++)
        many += ",bcast=linear";
    EXPECT_EQ(MPI_ERR_ARG, mpi_algorithms_force(mpi_self(), many.c_str()));
    return MPI_Finalize();
}

TEST(MpiAlgorithms, HaveRoomForSoManyChoices)
{
    test::ClusterConfig cc;

    cc.nodes = 1;
    cc.hubs = false;
    test::Cluster c(cc);
    c.expect_run(table_is_full);
}

/** What there is of each collective, in the words of an error. */
std::map<std::string, std::string> algorithms;

int list_algorithms()
{
    Me me;
    char text[64];

    for (unsigned i = 0; me.rank == 0 && mpi_algorithm_text(mpi_self(), i, text, sizeof(text));
         i++) {
        const std::string kind(text, strcspn(text, "="));

        algorithms[kind] += algorithms[kind].empty() ? "" : ", ";
        algorithms[kind] += text + kind.size() + 1;
    }
    return MPI_Finalize();
}

/** Four nodes with boards, and their library. */
struct Boards {
    test::ClusterConfig ring;
    launch_software software = launch_software_default();
    launch_config cfg = {};

    Boards()
    {
        ring.nodes = 4;
        ring.closed_ring = true;
        software.settings[0].key = "mpi.transport";
        strcpy(software.settings[0].word, "peach2");
        cfg.software = &software;
    }
    /** What MPI_Init says of a list of algorithms. */
    std::string answer(const std::string &list)
    {
        test::Cluster c(ring);

        software.settings[1].key = "mpi.algorithms";
        software.settings[1].text = list.c_str();
        EXPECT_EQ(SIM_OK, c.run([] { return MPI_Init(nullptr, nullptr); }, cfg)) << c.err.text;
        EXPECT_FALSE(c.all_well()) << list;
        EXPECT_EQ(1u, c.lines.size()) << list;
        const std::string line = c.lines.empty() ? "algorithm " : c.lines[0].text;
        return line.substr(line.find("algorithm "));
    }
};

/* Those of the board, too: it has the most. A long name of the user's leaves room for them. */
TEST(MpiAlgorithms, AnUnknownOneIsAnsweredByAllThatThereAre)
{
    Boards b;

    EXPECT_EQ(SIM_OK, test::Cluster(b.ring).run(list_algorithms, b.cfg));
    EXPECT_EQ(checks.size(), algorithms.size());
    EXPECT_NE(std::string::npos, algorithms["bcast"].find("both-ways"));
    for (const auto &[kind, names] : algorithms)
        for (size_t n : { 6, 2000 }) {
            const std::string forced = kind + "=" + std::string(n, 'x');

            EXPECT_EQ("algorithm '" + (n < 100 ? forced : forced.substr(0, 100) + "...") +
                          "': expected " + names,
                      b.answer(forced));
        }
}

TEST(MpiAlgorithms, WhatIsNoneIsAnsweredByWhatOneIs)
{
    const std::string whole = "COLLECTIVE=NAME, as allgather=ring";
    const std::string kind = "the name of a collective without MPI_, as in allgather=ring";
    const std::string limits = "@FROM..BELOW in bytes, /RANKS, or both behind its name, as in "
                               "allgather=ring@4K..64K/16";
    Boards b;

    for (size_t n : { 0, 5, 5000 }) {
        const std::string x(n, 'x');
        auto shown = [](const std::string &item) {
            return item.size() > 100 ? item.substr(0, 100) + "..." : item;
        };

        EXPECT_EQ("algorithm '" + shown(x) + "': expected " + whole, b.answer("bcast=linear," + x));
        EXPECT_EQ("algorithm '" + shown(x + "=ring") + "': expected " + kind,
                  b.answer(x + "=ring"));
        EXPECT_EQ("algorithm '" + shown("allgather=ring@" + x) + "': expected " + limits,
                  b.answer("allgather=ring@" + x));
    }
    EXPECT_EQ("algorithm 'a?b': expected " + whole, b.answer("a\033b"));
}

TEST(MpiAlgorithms, AllAgreeWithTheStandardOnRandomShapes)
{
    for (unsigned n : { 1u, 2u, 3u, 5u, 8u, 16u }) {
        test::ClusterConfig cc;
        cc.nodes = 6;
        cc.hubs = false;
        test::Cluster c(cc);
        launch_config cfg = {};
        cfg.nranks = n;
        if (n == 5) {
            c.expect_run(every_algorithm, cfg); /* in each order of events */
        } else {
            EXPECT_EQ(SIM_OK, c.run(every_algorithm, cfg)) << c.err.text;
            EXPECT_TRUE(c.all_well()) << n << " ranks";
        }
        for (const auto &line : c.lines)
            ADD_FAILURE() << line.text;
    }
}

} // namespace
