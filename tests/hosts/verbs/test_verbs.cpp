/* Two nodes with adapters, seen through the library: what arrives, when, and what goes wrong. */
#include "tests/hosts/verbs/pair.h"

#include <algorithm>

namespace
{

using namespace test;

TEST(Verbs, WritesAndReadsReachMemoryOfTheProgramAndOfGpus)
{
    on_two_nodes([] {
        static uint8_t memory[2][3 * 65536];
        Pair p;
        uint8_t *own = memory[p.h->rank];
        const uint32_t n = 150001;
        verbs_region host, gpu;

        EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
        uint8_t *device = (uint8_t *)p.h->gpus->alloc(p.h, 2, sizeof(memory[0]), 65536);
        EXPECT_IN_RANK(verbs_register(&p.v, own, sizeof(memory[0]), 7, &host), 2);
        EXPECT_IN_RANK(verbs_register(&p.v, device, sizeof(memory[0]), 7, &gpu), 3);
        for (size_t i = 0; i < sizeof(memory[0]); i++) {
            own[i] = byte_of(i, p.h->rank);
            device[i] = 0;
        }
        /* Into the far GPU from host memory, at an odd place; back again by a read into the host.
         */
        EXPECT_IN_RANK(p.connect(gpu), 4);
        verbs_send s = p.to_far(IB_WQE_WRITE, host, 77, n);
        verbs_post(&p.qp, &s);
        EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_OK, 5);
        p.barrier();
        EXPECT_IN_RANK(device[76] == 0 && device[77 + n] == 0, 6);
        for (size_t i = 77; i < 77 + n; i++)
            EXPECT_IN_RANK(device[i] == byte_of(i, p.other), 7);
        memset(own, 0, sizeof(memory[0]));
        s = p.to_far(IB_WQE_READ, host, 77, n);
        verbs_post(&p.qp, &s);
        EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_OK, 8);
        for (size_t i = 77; i < 77 + n; i++)
            EXPECT_IN_RANK(own[i] == byte_of(i, p.h->rank), 9);
        p.barrier();
        verbs_deregister(&p.v, &host);
        return 0;
    });
}

/* The far adapter acknowledges what waits for its bus, which is slower than the link: a read that
 * is posted then still finds all that was written. */
TEST(Verbs, AReadIsBehindTheWritesThatHaveEnded)
{
    on_two_nodes(
        [] {
            static uint8_t memory[2][2 * 65536];
            Pair p;
            uint8_t *own = memory[p.h->rank];
            const uint32_t n = 65536;
            verbs_region region;

            for (size_t i = 0; i < sizeof(memory[0]); i++)
                own[i] = i < n ? byte_of(i, p.h->rank) : 0;
            EXPECT_IN_RANK(p.begin(own, sizeof(memory[0]), 7, &region), 1);
            if (p.h->rank == 0) {
                verbs_send s = p.to_far(IB_WQE_WRITE, region, 0, n);
                s.far_offset = n;
                verbs_post(&p.qp, &s);
                EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_OK, 2);
                s = p.to_far(IB_WQE_READ, region, n, 256);
                s.far_offset = 2 * n - 256;
                verbs_post(&p.qp, &s);
                EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_OK, 3);
                EXPECT_IN_RANK(memcmp(own + n, own + n - 256, 256) == 0, 4);
            }
            p.barrier();
            return 0;
        },
        { "node1.ib.port.lanes=1" });
}

/* Sends take receive requests in order; one that finds none waits and comes again. */
TEST(Verbs, SendsFindReceivesInOrderAndWaitForThem)
{
    on_two_nodes([] {
        static uint8_t memory[2][65536];
        Pair p;
        uint8_t *own = memory[p.h->rank];
        verbs_region region;
        verbs_done done;

        EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
        EXPECT_IN_RANK(verbs_register(&p.v, own, sizeof(memory[0]), 7, &region), 2);
        EXPECT_IN_RANK(p.connect(region, 1), 3);
        if (p.h->rank == 0) {
            for (unsigned i = 0; i < 40; i++) {
                verbs_send s = p.to_far(IB_WQE_SEND, region, 0, 5000);
                s.signaled = i == 39;
                s.immediate = i % 2 != 0;
                s.imm = i;
                memset(own, (int)i, 5000);
                if (i == 39) {
                    s.data = own;
                    s.region = NULL;
                    s.bytes = 100;
                } else {
                    s.signaled = true;
                }
                verbs_post(&p.qp, &s);
                done = p.wait(p.send_cq);
                EXPECT_IN_RANK(done.status == IB_OK && done.number == i, 4);
            }
            return 0;
        }
        p.h->cpu->spend(p.h, 100 * SIM_US); /* long enough to be found not ready */
        for (unsigned i = 0; i < 40; i++) {
            verbs_post_receive(&p.qp, &region, (uint64_t)(i % 8) * 8192, 8192);
            done = p.wait(p.receive_cq);
            EXPECT_IN_RANK(done.status == IB_OK && done.number == i, 5);
            EXPECT_IN_RANK(done.bytes == (i == 39 ? 100 : 5000), 6);
            EXPECT_IN_RANK(done.has_imm == (i % 2 != 0) && (!done.has_imm || done.imm == i), 7);
            EXPECT_IN_RANK(own[(i % 8) * 8192] == i && own[(i % 8) * 8192 + done.bytes - 1] == i,
                           8);
        }
        return 0;
    });
}

/* Each write with immediate data takes a receive request without memory, and its completion
 * interrupts the node of a rank that computes. */
TEST(Verbs, CompletionsOfAQueueInterrupt)
{
    on_two_nodes([] {
        static uint8_t memory[2][4096];
        struct Arrivals {
            Pair p;
            unsigned seen, bytes;
        } a = {};
        Pair &p = a.p;
        verbs_region region;

        EXPECT_IN_RANK(p.begin(memory[p.h->rank], 4096, 7, &region), 3);
        verbs_send s = p.to_far(IB_WQE_WRITE, region, 0, 100);
        s.immediate = true;
        if (p.h->rank == 0) {
            p.barrier();
            for (s.imm = 1; s.imm <= 3; s.imm++) {
                p.h->cpu->spend(p.h, 20 * SIM_US);
                verbs_post(&p.qp, &s);
                EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_OK, 4);
            }
            p.barrier();
            return 0;
        }
        const host_helper above = {
            [](void *arg) { return verbs_ready(&static_cast<Arrivals *>(arg)->p.receive_cq, 0); },
            [](void *arg) {
                Arrivals *into = static_cast<Arrivals *>(arg);
                verbs_done done;

                while (verbs_poll(&into->p.v, &into->p.receive_cq, &done)) {
                    into->seen = into->seen * 10 + done.imm;
                    into->bytes += done.bytes;
                }
            },
            &a,
        };
        const driver_helper helper = { p.h, 0,
                                       [](const void *cq) {
                                           return verbs_ready(static_cast<const verbs_cq *>(cq), 0);
                                       },
                                       &p.receive_cq };
        EXPECT_IN_RANK(p.h->cpu->set_helper(p.h, &above), 5);
        EXPECT_IN_RANK(driver_helper_add(driver_of(p.h), &helper), 6);
        EXPECT_IN_RANK(verbs_cq_events(&p.v, &p.receive_cq), 7);
        verbs_post_empty(&p.qp, 3);
        p.barrier();
        p.h->cpu->spend(p.h, 40 * SIM_US);
        EXPECT_IN_RANK(a.seen == 1, 8);
        EXPECT_IN_RANK(!verbs_ready(&p.receive_cq, 0), 9);
        p.h->cpu->spend(p.h, 60 * SIM_US);
        EXPECT_IN_RANK(a.seen == 123 && a.bytes == 300, 10);
        p.barrier();
        return 0;
    });
}

TEST(Verbs, AWriteWithImmediateDataWaitsForAReceiveRequest)
{
    on_two_nodes([] {
        static uint8_t memory[2][4096];
        Pair p;
        verbs_region region;

        EXPECT_IN_RANK(p.begin(memory[p.h->rank], 4096, 7, &region), 3);
        if (p.h->rank == 0) {
            verbs_send s = p.to_far(IB_WQE_WRITE, region, 0, 100);
            uint64_t from = p.h->cpu->time_ps(p.h);
            s.immediate = true;
            verbs_post(&p.qp, &s);
            EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_OK, 4);
            EXPECT_IN_RANK(p.h->cpu->time_ps(p.h) - from > 100 * SIM_US, 5);
            return 0;
        }
        p.h->cpu->spend(p.h, 100 * SIM_US);
        EXPECT_IN_RANK(!verbs_ready(&p.receive_cq, 0), 6);
        verbs_post_empty(&p.qp, 1);
        verbs_done done = p.wait(p.receive_cq);
        return done.status == IB_OK && done.bytes == 100 ? 0 : 7;
    });
}

TEST(Verbs, WhatIsNotAllowedFailsAndFlushesTheRest)
{
    on_two_nodes([] {
        static uint8_t memory[2][65536];
        Pair p;
        verbs_region region;
        verbs_done done;

        EXPECT_IN_RANK(p.begin(memory[p.h->rank], 65536, IB_ACCESS_LOCAL, &region), 3);
        if (p.h->rank == 0) {
            verbs_send s = p.to_far(IB_WQE_WRITE, region, 0, 4096);
            verbs_post(&p.qp, &s);
            verbs_post(&p.qp, &s);
            done = p.wait(p.send_cq);
            EXPECT_IN_RANK(done.status == IB_ERR_REMOTE && done.number == 0, 4);
            done = p.wait(p.send_cq);
            EXPECT_IN_RANK(done.status == IB_ERR_FLUSHED && done.number == 1, 5);
        }
        p.barrier();
        return memory[1][0] == 0 ? 0 : 6;
    });
}

/* More requests than the adapter keeps at a time, some of them with their doorbell, some fetched
 * later: all are done, in order, each once. */
TEST(Verbs, RequestsBeyondTheAdaptersWindowAreFetchedInOrder)
{
    static const unsigned COUNT = 1503;
    on_two_nodes([] {
        static uint8_t memory[2][65536];
        Pair p;
        uint8_t *own = memory[p.h->rank];
        verbs_region region;

        EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
        memset(own, 0, sizeof(memory[0]));
        EXPECT_IN_RANK(verbs_register(&p.v, own, sizeof(memory[0]), 7, &region), 2);
        EXPECT_IN_RANK(p.connect(region), 3);
        for (unsigned i = 0; p.h->rank == 0 && i < COUNT; i++) {
            uint64_t word = i + 1;
            verbs_send s = p.to_far(IB_WQE_WRITE, region, 8 * i, i % 3 == 0 ? 4096 : 8);
            if (i % 3 != 0) {
                s.data = &word;
                s.region = NULL;
            }
            s.signaled = i % 8 == 7;
            while (!verbs_has_room(&p.qp))
                EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_OK, 4);
            verbs_post(&p.qp, &s);
            if (i % 20 == 19) /* the last of them are being fetched, or not any more */
                p.h->cpu->spend(p.h, (i / 20 + 1) * 75 * SIM_NS);
        }
        p.barrier();
        p.h->cpu->spend(p.h, 20 * SIM_US);
        for (unsigned i = COUNT - 2; p.h->rank == 1 && i < COUNT; i++)
            EXPECT_IN_RANK(own[8 * i] == (uint8_t)(i + 1), 5);
        return 0;
    });
}

/** Queue pairs of one rank, each connected to itself. */
struct Loops {
    static const unsigned QPS = 5;
    verbs_cq cq[QPS];
    verbs_qp qp[QPS];

    bool create(verbs *v)
    {
        for (unsigned i = 0; i < QPS; i++)
            if (!verbs_cq_create(v, 8, nullptr, &cq[i]) ||
                !verbs_qp_create(v, &cq[i], &cq[i], 6, 0, 0, &qp[i]) ||
                !verbs_qp_connect(&qp[i], v->lid, qp[i].number))
                return false;
        return true;
    }
    bool wait(verbs *v, unsigned i)
    {
        verbs_done done;

        while (!verbs_poll(v, &cq[i], &done))
            v->h->bus->wait_write(v->h, verbs_next(&cq[i]), IB_CQE_BYTES);
        qp[i].ended = done.number + 1;
        return done.status == IB_OK && done.qp == qp[i].number;
    }
};

/* The adapter has memory for requests of those queue pairs only that have some. It goes from one to
 * the next, which has none of the requests of the one before. */
TEST(Verbs, QueuePairsThatWorkInTurnKeepTheirRequestsApart)
{
    on_two_nodes([] {
        static uint64_t memory[Loops::QPS][64], expected[Loops::QPS][64];
        Pair p;
        Loops l;
        verbs_region region;
        uint64_t word = 0;

        if (p.h->rank != 0)
            return 0;
        memset(memory, 0, sizeof(memory));
        memset(expected, 0, sizeof(expected));
        EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
        EXPECT_IN_RANK(verbs_register(&p.v, memory, sizeof(memory), 7, &region), 2);
        EXPECT_IN_RANK(l.create(&p.v), 3);
        p.far.key = region.key;
        for (unsigned round = 0; round < 100; round++) {
            unsigned i = round * 3 % Loops::QPS, n = 1 + round * 11 % 40;

            for (unsigned k = 0; k < n; k++) {
                unsigned at = (round + 7 * k) % 64;
                uint64_t offset = (i * UINT64_C(64) + at) * 8;
                verbs_send s = p.to_far(IB_WQE_WRITE, region, offset, 8);

                expected[i][at] = ++word;
                s.data = &word;
                s.region = nullptr;
                while (!verbs_has_room(&l.qp[i]))
                    EXPECT_IN_RANK(l.wait(&p.v, i), 4);
                verbs_post(&l.qp[i], &s);
            }
            while (round % 3 != 0 &&
                   l.qp[i].ended != l.qp[i].posted) /* else others go on beside it */
                EXPECT_IN_RANK(l.wait(&p.v, i), 5);
        }
        for (unsigned i = 0; i < Loops::QPS; i++)
            while (l.qp[i].ended != l.qp[i].posted)
                EXPECT_IN_RANK(l.wait(&p.v, i), 6);
        return memcmp(memory, expected, sizeof(memory)) == 0 ? 0 : 7;
    });
}

/** One way of `count` writes of `bytes` each, picoseconds from the first post to the last
 * completion. */
uint64_t stream_ps(uint32_t bytes, unsigned count, const std::vector<const char *> &sets)
{
    uint64_t ps = 0;
    MachineFile file("two-node", sets);
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_OK, c.run([&] {
        static uint8_t memory[2][1 << 20];
        Pair p;
        verbs_region region;

        EXPECT_IN_RANK(p.begin(memory[p.h->rank], sizeof(memory[0]), 7, &region), 3);
        if (p.h->rank != 0)
            return 0;
        uint64_t start = p.h->cpu->time_ps(p.h);
        for (unsigned i = 0; i < count; i++) {
            verbs_send s = p.to_far(IB_WQE_WRITE, region, 0, bytes);
            s.signaled = i + 1 == count;
            verbs_post(&p.qp, &s);
        }
        p.wait(p.send_cq);
        ps = p.h->cpu->time_ps(p.h) - start;
        return 0;
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
    return ps;
}

/* Data over data and headers: the first packet of a message has 44 bytes of them, others 28, and
 * two more delimit each. */
TEST(Verbs, BandwidthIsThatOfTheLinkLessItsHeaders)
{
    const struct {
        const char *speed;
        uint64_t ps_per_4_bytes;
    } links[] = { { "node*.ib.link.speed=qdr", 1000 }, { "node*.ib.link.speed=ddr", 2000 } };
    const unsigned mtus[] = { 512, 2048, 4096 };
    const uint32_t bytes = 1 << 18, count = 16;

    for (auto &link : links)
        for (unsigned mtu : mtus) {
            std::string set = "node*.ib.link.mtu_bytes=" + std::to_string(mtu);
            uint64_t ps = stream_ps(bytes, count, { link.speed, set.c_str() });
            uint64_t packets = bytes / mtu;
            uint64_t wire = count * (bytes + packets * (26 + 2) + 16) * link.ps_per_4_bytes / 4;
            EXPECT_GT(ps, wire) << link.speed << " " << mtu;
            EXPECT_LT(ps, wire + 6 * SIM_US) << link.speed << " " << mtu;
        }
}

/* FDR on Gen2 x4: the bus is the narrower one. 256 bytes written take 280 symbols on it (header of
 * 4 words, sequence, check and framing), half a nanosecond each; read ones take 276. What has been
 * acknowledged may still wait for the bus of the receiver, so reading is what cannot be faster. */
TEST(Verbs, ANarrowBusBoundsBandwidth)
{
    const uint32_t bytes = 1 << 18, count = 16;
    uint64_t ps =
        stream_ps(bytes, count,
                  { "node*.ib.link.speed=fdr", "node*.ib.port.gen=2", "node*.ib.port.lanes=4" });
    uint64_t pieces = count * (uint64_t)(bytes / 256), written = pieces * (256 + 24) * 500;

    EXPECT_GT(ps, pieces * (256 + 20) * 500);
    EXPECT_LT(ps, written * 103 / 100 + 10 * SIM_US);
}

/* Each rank has a connection to each other one, and memory for what comes from each. */
struct Mesh {
    struct host *h = host_self();
    verbs v;
    verbs_cq cq;
    verbs_region region;
    struct Far {
        unsigned lid;
        uint32_t qp, key;
    };
    std::vector<verbs_qp> qp = std::vector<verbs_qp>(h->size);
    std::vector<uint32_t> key = std::vector<uint32_t>(h->size);

    bool connect(void *memory, uint64_t bytes)
    {
        std::vector<Far> far(h->size);

        if (!verbs_open(&v, h) || !verbs_register(&v, memory, bytes, 7, &region) ||
            !verbs_cq_create(&v, 10, nullptr, &cq))
            return false;
        for (unsigned r = 0; r < h->size; r++) {
            if (!verbs_qp_create(&v, &cq, &cq, 6, 0, 0, &qp[r]))
                return false;
            Far mine = { v.lid, qp[r].number, region.key };
            if (r != h->rank)
                h->net->send(h, 0, r, &mine, sizeof(mine));
        }
        for (unsigned i = 1; i < h->size; i++) {
            struct host_message msg;
            Far f;

            h->net->receive(h, 0, &msg);
            memcpy(&f, msg.data, sizeof(f));
            key[msg.from] = f.key;
            if (!verbs_qp_connect(&qp[msg.from], f.lid, f.qp))
                return false;
        }
        barrier();
        return true;
    }
    void barrier()
    {
        struct host_message msg;

        if (h->rank != 0) {
            h->net->send(h, 0, 0, &h->rank, 4);
            h->net->receive(h, 0, &msg);
            return;
        }
        for (unsigned r = 1; r < h->size; r++)
            h->net->receive(h, 0, &msg);
        for (unsigned r = 1; r < h->size; r++)
            h->net->send(h, 0, r, &h->rank, 4);
    }
    void post(unsigned to, uint32_t bytes)
    {
        verbs_send s = {};

        s.op = IB_WQE_WRITE;
        s.signaled = true;
        s.bytes = bytes;
        s.far_offset = (uint64_t)h->rank * bytes;
        s.far_key = key[to];
        s.region = &region;
        s.offset = (uint64_t)h->rank * bytes;
        verbs_post(&qp[to], &s);
    }
    bool wait(unsigned n)
    {
        verbs_done done;

        while (n > 0) {
            while (!verbs_poll(&v, &cq, &done))
                h->bus->wait_write(h, verbs_next(&cq), IB_CQE_BYTES);
            qp[0].ended = qp[0].posted; /* far fewer requests than there is room for */
            if (done.status != IB_OK)
                return false;
            n--;
        }
        return true;
    }
};

/* `to(rank, i)` is whom a rank sends its message number i to, or the rank itself: to none. When
 * each rank has ended, from the common start, in picoseconds; and what crossed the links. */
struct Traffic {
    std::vector<uint64_t> end_ps;
    uint64_t tx_bytes = 0, rx_bytes = 0, tx_packets = 0, rx_packets = 0, wait_ps = 0;
    uint64_t last_ps() const { return *std::max_element(end_ps.begin(), end_ps.end()); }
};
Traffic traffic(unsigned nodes, unsigned messages, uint32_t bytes,
                const std::function<unsigned(unsigned, unsigned)> &to,
                const std::vector<const char *> &sets = {})
{
    static uint8_t memory[16][1 << 20];
    MachineFile file("nodes: " + std::to_string(nodes) + "\nplatform: hapacs-tca\n", sets);
    Cluster c(file.cluster());
    Traffic t;

    t.end_ps.resize(nodes);
    EXPECT_EQ(SIM_OK, c.run([&] {
        Mesh m;
        unsigned n = 0;

        EXPECT_IN_RANK(m.connect(memory[m.h->rank], sizeof(memory[0])), 1);
        uint64_t start = m.h->cpu->time_ps(m.h);
        for (unsigned i = 0; i < messages; i++)
            if (to(m.h->rank, i) != m.h->rank) {
                m.post(to(m.h->rank, i), bytes);
                n++;
            }
        EXPECT_IN_RANK(m.wait(n), 2);
        t.end_ps[m.h->rank] = m.h->cpu->time_ps(m.h) - start;
        return 0;
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
    sim_stat_each(
        machine_sim(c.machine()),
        [](void *arg, const char *path, const char *, const char *, uint64_t value) {
            Traffic *sum = (Traffic *)arg;
            auto add = [&](const char *name, uint64_t &to_sum) {
                if (strstr(path, name) != nullptr)
                    to_sum += value;
            };
            add(".ib.p1.tx.bytes", sum->tx_bytes);
            add(".ib.p1.rx.bytes", sum->rx_bytes);
            add(".ib.p1.tx.packets", sum->tx_packets);
            add(".ib.p1.rx.packets", sum->rx_packets);
            add(".ib.p1.rx.wait_ps", sum->wait_ps);
        },
        &t);
    EXPECT_EQ(t.tx_bytes, t.rx_bytes);
    EXPECT_EQ(t.tx_packets, t.rx_packets);
    return t;
}

/* A message of `bytes` on a QDR link: packets of 2048 bytes with 26 bytes around them and two
 * delimiters, 16 more on the first; a byte takes 250 ps. */
uint64_t wire_ps(uint64_t bytes)
{
    return (bytes + (bytes + 2047) / 2048 * 28 + 16) * 250;
}

/* However many send to one, its link is full from the first packet to the last, and all get the
 * same share of it. */
TEST(Fabric, ManyToOneFillTheLastLink)
{
    const uint32_t bytes = 65536;
    const unsigned messages = 6;

    for (unsigned senders : { 1u, 2u, 7u }) {
        Traffic t = traffic(senders + 1, messages, bytes, [](unsigned, unsigned) { return 0; });
        uint64_t wire = senders * messages * wire_ps(bytes);

        EXPECT_GT(t.last_ps(), wire) << senders;
        EXPECT_LT(t.last_ps(), wire + wire / 100 + 3 * SIM_US) << senders;
        for (unsigned r = 1; r <= senders; r++)
            EXPECT_GT(t.end_ps[r], t.last_ps() - t.last_ps() / 10) << r << " of " << senders;
        EXPECT_EQ(senders == 1, t.wait_ps == 0);
    }
}

/* In turns that never meet, all links are full; where all send in the order of the ranks, they
 * meet, and no order is better than the links. */
TEST(Fabric, AllToAllTakesWhatALinkTakesForItsShare)
{
    const uint32_t bytes = 32768;

    for (unsigned nodes : { 4u, 16u }) {
        uint64_t wire = (nodes - 1) * wire_ps(bytes);
        Traffic turns =
            traffic(nodes, nodes, bytes, [=](unsigned r, unsigned i) { return (r + i) % nodes; });
        Traffic straight = traffic(nodes, nodes, bytes, [](unsigned, unsigned i) { return i; });

        EXPECT_GT(turns.last_ps(), wire) << nodes;
        EXPECT_LT(turns.last_ps(), wire + wire / 20 + 3 * SIM_US) << nodes;
        EXPECT_GT(straight.last_ps(), turns.last_ps()) << nodes;
        EXPECT_GT(straight.wait_ps, turns.wait_ps) << nodes;
        EXPECT_EQ(turns.tx_bytes, straight.tx_bytes);
    }
}

/* What cannot leave the switch for one adapter takes the room that its sender needs for others. */
TEST(Fabric, AnAdapterThatIsOverrunSlowsItsSendersInAllTheySend)
{
    const uint32_t bytes = 65536;
    auto victim = [&](unsigned senders) { /* rank 1 sends to 0 and to the last one in turn */
                                          Traffic t = traffic(
                                              senders + 2, 8, bytes, [=](unsigned r, unsigned i) {
                                                  return r == 0 || r == senders + 1 ? r
                                                         : r == 1 && i % 2 != 0     ? senders + 1
                                                                                    : 0u;
                                              });
                                          return t.end_ps[1];
    };
    uint64_t alone = 8 * wire_ps(bytes);

    EXPECT_LT(victim(1), alone + alone / 50 + 3 * SIM_US);
    EXPECT_GT(victim(4), 2 * alone);
}

/* Packets that meet at an output at the same instant go in an order of their own. */
TEST(Fabric, ContentionIsTheSameInEveryOrderOfEvents)
{
    static uint8_t memory[5][1 << 17];
    MachineFile file("nodes: 5\nplatform: hapacs-tca\n");
    Cluster c(file.cluster());

    c.expect_run([] {
        Mesh m;
        unsigned me = m.h->rank;

        EXPECT_IN_RANK(m.connect(memory[me], sizeof(memory[0])), 1);
        for (unsigned i = 1; i < m.h->size; i++)
            m.post(i % 2 != 0 && me != 0 ? 0 : (me + i) % m.h->size, 20000);
        EXPECT_IN_RANK(m.wait(m.h->size - 1), 2);
        m.barrier();
        return 0;
    });
}

} // namespace
