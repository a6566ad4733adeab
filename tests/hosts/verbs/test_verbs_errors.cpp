/* What a work request returns when its adapter's reads are answered wrongly, late or not at all. */
#include "tests/hosts/verbs/pair.h"

namespace
{

using namespace test;

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

} // namespace
