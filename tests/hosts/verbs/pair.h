/* What tests of the verbs begin with: two ranks and a connection between them. */
#ifndef TESTS_HOSTS_VERBS_PAIR_H
#define TESTS_HOSTS_VERBS_PAIR_H

#include "tests/hosts/machine_file.h"

#include "hosts/driver/driver.h"
#include "hosts/verbs/verbs.h"

#define EXPECT_IN_RANK(cond, code)                                                                 \
    do {                                                                                           \
        if (!(cond))                                                                               \
            return (code);                                                                         \
    } while (0)

namespace test
{

/* One queue pair to the other rank, and what each needs to know of the other. */
struct Pair {
    struct host *h = host_self();
    verbs v;
    verbs_cq send_cq, receive_cq;
    verbs_qp qp;
    struct Far {
        unsigned lid;
        uint32_t qp, key;
    } far;
    unsigned other = 1 - host_self()->rank;

    /* The far side may reach `region`. */
    bool connect(const verbs_region &region, unsigned port = 0)
    {
        if (!verbs_cq_create(&v, 8, nullptr, &send_cq) ||
            !verbs_cq_create(&v, 8, nullptr, &receive_cq) ||
            !verbs_qp_create(&v, &send_cq, &receive_cq, 6, 6, port, &qp))
            return false;
        Far mine = { v.lid, qp.number, region.key };
        send(mine);
        far = receive<Far>();
        if (!verbs_qp_connect(&qp, far.lid, far.qp))
            return false;
        barrier();
        return true;
    }
    /* The adapter, this memory as a region, and the connection. */
    bool begin(void *memory, uint64_t bytes, uint32_t access, verbs_region *region)
    {
        return verbs_open(&v, h) && verbs_register(&v, memory, bytes, access, region) &&
               connect(*region);
    }
    template <typename T> void send(const T &t) { h->net->send(h, 0, other, &t, sizeof(t)); }
    template <typename T> T receive()
    {
        struct host_message msg;
        T t;
        h->net->receive(h, 0, &msg);
        memcpy(&t, msg.data, sizeof(t));
        return t;
    }
    void barrier()
    {
        send(1);
        receive<int>();
    }
    verbs_done wait(verbs_cq &cq)
    {
        verbs_done done;

        while (!verbs_poll(&v, &cq, &done))
            h->bus->wait_write(h, verbs_next(&cq), IB_CQE_BYTES);
        if (&cq == &send_cq)
            qp.ended = done.number + 1;
        return done;
    }
    verbs_send to_far(unsigned op, const verbs_region &from, uint64_t offset, uint32_t bytes)
    {
        verbs_send s = {};
        s.op = op;
        s.signaled = true;
        s.bytes = bytes;
        s.far_offset = offset;
        s.far_key = far.key;
        s.region = &from;
        s.offset = offset;
        return s;
    }
};

inline uint8_t byte_of(size_t i, unsigned seed)
{
    return (uint8_t)(i * 31 + (i >> 8) + seed);
}

/** Runs on two nodes of a platform, in every order of events. */
inline void on_two_nodes(const std::function<int()> &fn, const std::vector<const char *> &sets = {},
                         const char *machine = "two-node")
{
    MachineFile file(machine, sets);

    ASSERT_EQ(SIM_OK, file.code);
    Cluster c(file.cluster());
    c.expect_run(fn);
    for (const Cluster::Line &line : c.lines)
        ADD_FAILURE() << line.text;
}

} // namespace test
#endif /* TESTS_HOSTS_VERBS_PAIR_H */
