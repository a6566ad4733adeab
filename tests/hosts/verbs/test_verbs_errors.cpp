/* What a work request returns when its adapter's reads are answered wrongly, late or not at all. */
#include "tests/hosts/verbs/pair.h"

namespace
{

using namespace test;

const sim_time_t timeout = 20 * SIM_US;
const std::vector<const char *> hasty = { "node*.ib.completion_timeout_ps=20000000" };

uint64_t stat_of(Cluster &c, const std::string &path)
{
    std::pair<std::string, uint64_t> found(path, UINT64_MAX);

    sim_stat_each(
        machine_sim(c.machine()),
        [](void *arg, const char *at, const char *, const char *, uint64_t value) {
            auto *into = static_cast<std::pair<std::string, uint64_t> *>(arg);
            if (into->first == at)
                into->second = value;
        },
        &found);
    return found.second;
}

/* Rank 0 writes 4096 bytes of GPU 2 to the other one, or reads them from there if `op` says so.
 * *status_p: how that ends; *ps_p: when. @return 0, if no wrong byte has come */
int move_from_gpu(unsigned op, unsigned *status_p, sim_time_t *ps_p)
{
    static uint8_t memory[2][8192];
    Pair p;
    uint8_t *own = memory[p.h->rank];
    verbs_region host, gpu;

    memset(own, 0, 8192);
    EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
    uint8_t *device = (uint8_t *)p.h->gpus->alloc(p.h, 2, 8192, 65536);
    EXPECT_IN_RANK(verbs_register(&p.v, own, 8192, 7, &host), 2);
    EXPECT_IN_RANK(verbs_register(&p.v, device, 8192, 7, &gpu), 3);
    for (int i = 0; i < 4096; i++)
        device[i] = (uint8_t)(1 + i % 255);
    EXPECT_IN_RANK(p.connect(op == IB_WQE_READ ? gpu : host), 4);
    if (p.h->rank == 0) {
        verbs_send s = p.to_far(op, op == IB_WQE_READ ? host : gpu, 0, 4096);
        uint64_t from = p.h->cpu->time_ps(p.h);
        verbs_post(&p.qp, &s);
        *status_p = p.wait(p.send_cq).status;
        *ps_p = p.h->cpu->time_ps(p.h) - from;
    }
    p.barrier();
    const uint8_t *to = memory[op == IB_WQE_READ ? 0 : 1];
    for (int i = 0; i < 4096; i++)
        EXPECT_IN_RANK(to[i] == 0 || to[i] == 1 + i % 255, 5);
    return to[4096] == 0 && (*status_p == IB_OK) == (to[4095] != 0) ? 0 : 6;
}

/* What a GPU answers wrongly ends the request and is not sent in place of its bytes. */
TEST(VerbsErrors, DataThatCannotBeReadAreNotSent)
{
    for (const char *fault : { "abort", "poison" })
        for (unsigned op : { IB_WQE_WRITE, IB_WQE_READ }) {
            bool read = op == IB_WQE_READ;
            std::string text = std::string("{component: node") + (read ? "1" : "0") + ".gpu2, " +
                               fault + ": {at: 200us, count: 1, skip: 3}}";
            MachineFile file("two-node", {}, { text.c_str() });
            Cluster c(file.cluster());
            unsigned status = IB_OK;
            sim_time_t took = 0;

            SCOPED_TRACE(text);
            c.expect_run([&] { return move_from_gpu(op, &status, &took); });
            EXPECT_EQ(read ? IB_ERR_REMOTE : IB_ERR_LOCAL, status);
        }
}

/* Four completions answer a read of 1024 bytes. All of them are poisoned, and none is taken for the
 * answer to the next read, which waits for the only tag. */
TEST(VerbsErrors, PoisonedPiecesOfAnAnswerAreAllOfTheirRead)
{
    MachineFile file("two-node", { "node*.ib.read_bytes=1024", "node*.ib.read_tags=1" },
                     { "{component: node0.gpu2, poison: {at: 200us, count: 1}}" });
    Cluster c(file.cluster());

    c.expect_run([] {
        static uint8_t memory[2][1024];
        Pair p, other;
        verbs_region host, gpu;

        EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
        void *device = p.h->gpus->alloc(p.h, 2, 1024, 65536);
        EXPECT_IN_RANK(verbs_register(&p.v, memory[p.h->rank], 1024, 7, &host), 2);
        EXPECT_IN_RANK(verbs_register(&p.v, device, 1024, 7, &gpu), 3);
        other.v = p.v;
        EXPECT_IN_RANK(p.connect(host) && other.connect(host), 4);
        if (p.h->rank != 0)
            return 0;
        verbs_send from_gpu = p.to_far(IB_WQE_WRITE, gpu, 0, 1024);
        verbs_send from_host = other.to_far(IB_WQE_WRITE, host, 0, 1024);
        verbs_post(&p.qp, &from_gpu);
        verbs_post(&other.qp, &from_host);
        EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_ERR_LOCAL, 5);
        return other.wait(other.send_cq).status == IB_OK ? 0 : 6;
    });
    EXPECT_EQ(4u, stat_of(c, "node0.ib.pcie.errors.uncorrectable"));
}

TEST(VerbsErrors, ARequestWhoseDataAreNeverReadFailsInTime)
{
    for (unsigned op : { IB_WQE_WRITE, IB_WQE_READ }) {
        const std::string node = op == IB_WQE_READ ? "node1" : "node0";
        std::string fault = "{component: " + node + ".gpu2, silent: {at: 200us, count: 1}}";
        MachineFile file("two-node", hasty, { fault.c_str() });
        Cluster c(file.cluster());
        unsigned status = IB_OK;
        sim_time_t took = 0;

        SCOPED_TRACE(fault);
        c.expect_run([&] { return move_from_gpu(op, &status, &took); });
        EXPECT_EQ(op == IB_WQE_READ ? IB_ERR_REMOTE : IB_ERR_LOCAL, status);
        EXPECT_GE(took, timeout);
        EXPECT_LT(took, timeout + 10 * SIM_US);
        EXPECT_EQ(1u, stat_of(c, node + ".ib.read_timeouts"));
        EXPECT_EQ(1u, stat_of(c, node + ".ib.pcie.errors.uncorrectable"));
        EXPECT_EQ(1u, stat_of(c, "node0.ib.read_timeouts") + stat_of(c, "node1.ib.read_timeouts"));
    }
}

TEST(VerbsErrors, WithoutATimeoutARequestWaitsWithoutEnd)
{
    MachineFile file("two-node", { "node*.ib.completion_timeout_ps=0" },
                     { "{component: node0.gpu2, silent: {at: 200us, count: 1}}" });
    Cluster c(file.cluster());
    unsigned status = IB_OK;
    sim_time_t took = 0;

    EXPECT_NE(SIM_OK, c.run([&] { return move_from_gpu(IB_WQE_WRITE, &status, &took); }));
    EXPECT_EQ(0u, stat_of(c, "node0.ib.read_timeouts"));
    EXPECT_FALSE(c.result.ranks[0].ended);
}

/* The GPU answers one read when the adapter has given it up and reads the host. What comes from
 * there is what the host has. */
TEST(VerbsErrors, ALateAnswerIsNotTakenForThatOfAnotherRead)
{
    MachineFile file("two-node", hasty,
                     { "{component: node0.gpu2, slow: {by: 120us, at: 200us, count: 1}}" });
    Cluster c(file.cluster());

    c.expect_run([] {
        static uint8_t memory[2][1 << 20];
        Pair p;
        uint8_t *own = memory[p.h->rank];
        verbs_region host, gpu;

        EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
        uint8_t *device = (uint8_t *)p.h->gpus->alloc(p.h, 2, 4096, 65536);
        EXPECT_IN_RANK(verbs_register(&p.v, own, sizeof(memory[0]), 7, &host), 2);
        EXPECT_IN_RANK(verbs_register(&p.v, device, 4096, 7, &gpu), 3);
        memset(own, p.h->rank == 0 ? 0x11 : 0, sizeof(memory[0]));
        memset(device, 0xee, 4096);
        EXPECT_IN_RANK(p.connect(host), 4);
        uint64_t from = p.h->cpu->time_ps(p.h);
        if (p.h->rank == 0) {
            verbs_send s = p.to_far(IB_WQE_WRITE, gpu, 0, 512);
            verbs_post(&p.qp, &s);
            EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_ERR_LOCAL, 5);
        }
        EXPECT_IN_RANK(p.connect(host), 6);
        if (p.h->rank == 0) {
            EXPECT_IN_RANK(p.h->cpu->time_ps(p.h) < from + 100 * SIM_US, 7);
            verbs_send s = p.to_far(IB_WQE_WRITE, host, 0, sizeof(memory[0]));
            verbs_post(&p.qp, &s);
            EXPECT_IN_RANK(p.wait(p.send_cq).status == IB_OK, 8);
            EXPECT_IN_RANK(p.h->cpu->time_ps(p.h) > from + 150 * SIM_US, 9);
        }
        p.barrier();
        p.h->cpu->spend(p.h, 10 * SIM_US);
        for (size_t i = 0; i < sizeof(memory[0]); i++)
            EXPECT_IN_RANK(own[i] == 0x11, 10);
        return 0;
    });
    EXPECT_EQ(1u, stat_of(c, "node0.ib.read_timeouts"));
    EXPECT_EQ(1u + 2u, stat_of(c, "node0.ib.pcie.errors.uncorrectable")) << "256 bytes each";
}

/* Its sender would find no receive request for ever. */
TEST(VerbsErrors, AReceiveRequestThatCannotBeReadFailsAtBothEnds)
{
    for (const char *fault : { "silent", "abort" }) {
        std::string text =
            std::string("{component: node1.host, ") + fault + ": {at: 350us, count: 1}}";
        MachineFile file("two-node", hasty, { text.c_str() });
        Cluster c(file.cluster());

        SCOPED_TRACE(text);
        c.expect_run([] {
            static uint8_t memory[2][4096];
            Pair p;
            verbs_region region;

            EXPECT_IN_RANK(p.begin(memory[p.h->rank], 4096, 7, &region), 3);
            if (p.h->rank == 0) {
                verbs_send s = p.to_far(IB_WQE_SEND, region, 0, 100);
                verbs_post(&p.qp, &s);
                return p.wait(p.send_cq).status == IB_ERR_REMOTE ? 0 : 4;
            }
            EXPECT_IN_RANK(p.h->cpu->time_ps(p.h) < 350 * SIM_US, 5);
            p.h->cpu->spend(p.h, 400 * SIM_US - p.h->cpu->time_ps(p.h));
            verbs_post_receive(&p.qp, &region, 0, 100);
            verbs_done done = p.wait(p.receive_cq);
            return done.status == IB_ERR_LOCAL && done.number == 0 ? 0 : 6;
        });
        EXPECT_EQ(1u, stat_of(c, "node0.ib.errors"));
        EXPECT_EQ(1u, stat_of(c, "node1.ib.errors"));
    }
}

bool ends(Pair &p, uint32_t number, unsigned status)
{
    verbs_done done = p.wait(p.send_cq);

    return done.number == number && done.status == status;
}

/* The first write is still on its way when the data of the second one fail. */
TEST(VerbsErrors, TheWriteWhoseDataFailHasTheReason)
{
    for (const char *fault : { "abort", "poison" }) {
        std::string text =
            std::string("{component: node0.gpu2, ") + fault + ": {at: 200us, count: 1}}";
        MachineFile file("two-node", {}, { text.c_str() });
        Cluster c(file.cluster());

        SCOPED_TRACE(text);
        c.expect_run([] {
            static uint8_t memory[2][65536];
            Pair p;
            verbs_region host, gpu;

            EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
            void *device = p.h->gpus->alloc(p.h, 2, 512, 65536);
            EXPECT_IN_RANK(verbs_register(&p.v, memory[p.h->rank], 65536, 7, &host), 2);
            EXPECT_IN_RANK(verbs_register(&p.v, device, 512, 7, &gpu), 3);
            EXPECT_IN_RANK(p.connect(host), 4);
            if (p.h->rank != 0)
                return 0;
            verbs_send from_host = p.to_far(IB_WQE_WRITE, host, 0, 65536);
            verbs_send from_gpu = p.to_far(IB_WQE_WRITE, gpu, 0, 512);
            verbs_post(&p.qp, &from_host);
            verbs_post(&p.qp, &from_gpu);
            EXPECT_IN_RANK(ends(p, 0, IB_ERR_FLUSHED), 5);
            EXPECT_IN_RANK(ends(p, 1, IB_ERR_LOCAL), 6);
            verbs_post(&p.qp, &from_host);
            verbs_post(&p.qp, &from_host);
            EXPECT_IN_RANK(ends(p, 2, IB_ERR_FLUSHED), 7);
            return ends(p, 3, IB_ERR_FLUSHED) ? 0 : 8;
        });
        EXPECT_EQ(1u, stat_of(c, "node0.ib.errors"));
    }
}

/* The refusal of a write overtakes the data of the read before it. */
TEST(VerbsErrors, ARefusalNamesTheRequestThatWasRefused)
{
    on_two_nodes([] {
        static uint8_t memory[2][65536];
        Pair p;
        verbs_region region;

        EXPECT_IN_RANK(p.begin(memory[p.h->rank], 65536, IB_ACCESS_LOCAL | IB_ACCESS_READ, &region),
                       3);
        if (p.h->rank != 0)
            return 0;
        verbs_send read = p.to_far(IB_WQE_READ, region, 0, 65536);
        verbs_send write = p.to_far(IB_WQE_WRITE, region, 0, 8);
        verbs_post(&p.qp, &read);
        verbs_post(&p.qp, &write);
        EXPECT_IN_RANK(ends(p, 0, IB_ERR_FLUSHED), 4);
        return ends(p, 1, IB_ERR_REMOTE) ? 0 : 5;
    });
}

/* Rank 1 has a message for which there is no receive request, when it cannot answer a read, or
 * refuses a write of GPU memory. */
TEST(VerbsErrors, TheSideThatRefusesEndsItsOwnRequestsToo)
{
    for (unsigned op : { IB_WQE_READ, IB_WQE_WRITE }) {
        MachineFile file("two-node", {}, { "{component: node1.gpu2, abort: {at: 200us}}" });
        Cluster c(file.cluster());

        SCOPED_TRACE(op);
        c.expect_run([&] {
            static uint8_t memory[2][4096];
            Pair p;
            verbs_region host, gpu;

            EXPECT_IN_RANK(verbs_open(&p.v, p.h), 1);
            void *device = p.h->gpus->alloc(p.h, 2, 4096, 65536);
            EXPECT_IN_RANK(verbs_register(&p.v, memory[p.h->rank], 4096, 7, &host), 2);
            EXPECT_IN_RANK(verbs_register(&p.v, device, 4096, IB_ACCESS_READ, &gpu), 3);
            EXPECT_IN_RANK(p.connect(gpu), 4);
            verbs_send s = p.to_far(p.h->rank == 0 ? op : IB_WQE_SEND, host, 0, 4096);
            if (p.h->rank == 1)
                verbs_post(&p.qp, &s);
            p.barrier();
            if (p.h->rank == 0)
                verbs_post(&p.qp, &s);
            EXPECT_IN_RANK(ends(p, 0, p.h->rank == 0 ? IB_ERR_REMOTE : IB_ERR_FLUSHED), 5);
            verbs_post(&p.qp, &s);
            return ends(p, 1, IB_ERR_FLUSHED) ? 0 : 6;
        });
    }
}

/* More of them than the adapter has fetched: of the others it does not know the length. */
TEST(VerbsErrors, AllThatWasPostedBehindAFailureIsFlushedInOrder)
{
    on_two_nodes([] {
        static uint8_t memory[2][4096];
        Pair p;
        verbs_region region;
        unsigned known = 0;

        EXPECT_IN_RANK(p.begin(memory[p.h->rank], 4096, 7, &region), 3);
        for (unsigned i = 0; p.h->rank == 0 && i < 60; i++) {
            verbs_send s = p.to_far(IB_WQE_SEND, region, 0, 100 + i);
            verbs_post(&p.qp, &s);
        }
        p.barrier();
        if (p.h->rank == 1) {
            verbs_post_receive(&p.qp, &region, 0, 50);
            return 0;
        }
        EXPECT_IN_RANK(ends(p, 0, IB_ERR_LENGTH), 4);
        for (unsigned i = 1; i < 60; i++) {
            verbs_done done = p.wait(p.send_cq);
            EXPECT_IN_RANK(done.number == i && done.status == IB_ERR_FLUSHED, 5);
            EXPECT_IN_RANK(done.bytes == (done.op == IB_WQE_SEND ? 100 + i : 0), 6);
            known += done.bytes != 0;
        }
        return known > 0 && known < 59 ? 0 : 7;
    });
}

TEST(VerbsErrors, AQueuePairConnectedToItselfRefusesItsOwnRequest)
{
    on_two_nodes([] {
        static uint8_t memory[2][4096];
        Pair p;
        verbs_region region;

        EXPECT_IN_RANK(p.begin(memory[p.h->rank], 4096, IB_ACCESS_LOCAL, &region), 3);
        EXPECT_IN_RANK(verbs_qp_create(&p.v, &p.send_cq, &p.receive_cq, 6, 6, 0, &p.qp) &&
                           verbs_qp_connect(&p.qp, p.v.lid, p.qp.number),
                       4);
        verbs_send s = p.to_far(IB_WQE_WRITE, region, 0, 4096);
        s.far_key = region.key;
        verbs_post(&p.qp, &s);
        verbs_post(&p.qp, &s);
        EXPECT_IN_RANK(ends(p, 0, IB_ERR_REMOTE), 5);
        return ends(p, 1, IB_ERR_FLUSHED) ? 0 : 6;
    });
}

} // namespace
