/* Two ranks that write to each other, over the transport "tca" or another one. */
#ifndef TESTS_HOSTS_TRANSPORT_TCA_PAIR_H
#define TESTS_HOSTS_TRANSPORT_TCA_PAIR_H

#include <cuda_runtime.h>

#include <cstring>
#include <functional>
#include <vector>

#include "hosts/driver/driver.h"
#include "hosts/transport/tca/count.h"
#include "hosts/transport/transport.h"
#include "tests/hosts/machine_file.h"

namespace test
{

/** Where memory of a rank is. */
enum class Kind { program, pinned, gpu };

struct TcaKept {
    host_state state;
    transport *t;
};

inline void tca_release(void *kept)
{
    TcaKept *k = static_cast<TcaKept *>(kept);

    k->t->ops->destroy(k->t);
    delete k;
}

/** A rank of a run. */
class TcaRank
{
  public:
    explicit TcaRank(const char *library)
    {
        char why[TRANSPORT_WHY_BYTES];

        h = host_self();
        EXPECT_TRUE(transport_open(h, library, why, &t)) << why;
        host_state_add(&h->states, &(new TcaKept{ {}, t })->state, tca_release);
    }

    uint8_t *memory(Kind kind, uint64_t bytes) const
    {
        void *p = nullptr;

        if (kind == Kind::gpu)
            EXPECT_EQ(cudaSuccess, cudaMalloc(&p, bytes));
        else
            p = kind == Kind::pinned ? h->memory->alloc(h, bytes, HOST_PAGE) : program(bytes);
        EXPECT_NE(nullptr, p);
        return static_cast<uint8_t *>(p);
    }

    /** In the same place in each run, as that of a program is. */
    void *program(uint64_t bytes) const
    {
        static std::vector<uint8_t> all[2] = { std::vector<uint8_t>(program_bytes),
                                               std::vector<uint8_t>(program_bytes) };
        static uint64_t used[2];

        if (!own_)
            used[h->rank] = 0;
        own_ = true;
        used[h->rank] += host_round_up(bytes, 64);
        EXPECT_GE(program_bytes, used[h->rank]);
        return &all[h->rank][used[h->rank] - host_round_up(bytes, 64)];
    }

    /** Exposes it to the other one, and gets its key. */
    transport_key swap(uint8_t *p, uint64_t bytes)
    {
        transport_key own = {}, key;
        transport_entry e = {};
        transport_taken taken;

        EXPECT_TRUE(t->ops->expose(t, p, bytes, &own));
        e.head = &own;
        e.head_bytes = sizeof(own);
        EXPECT_TRUE(t->ops->append(t, 1 - h->rank, &e));
        taken = wait_entry(TRANSPORT_MESSAGE);
        memcpy(&key, taken.bytes, sizeof(key));
        release(TRANSPORT_MESSAGE);
        return key;
    }

    /** Entries of the other FIFO may be there, and stay: wait() would return at once. */
    void rest() const
    {
        if (t->ops->next(t, TRANSPORT_MESSAGE, 0) == h->size &&
            t->ops->next(t, TRANSPORT_REQUEST, 0) == h->size)
            t->ops->wait(t);
        else
            (void)t->ops->poll(t);
    }
    transport_taken wait_entry(transport_fifo fifo)
    {
        transport_taken taken = {};

        while (!t->ops->take(t, fifo, 1 - h->rank, &taken))
            rest();
        return taken;
    }
    void release(transport_fifo fifo) { t->ops->release(t, fifo, 1 - h->rank); }

    /** With a note of so many bytes, of value `number`. */
    transport_ticket write(const transport_key &key, uint64_t at, const void *from, uint64_t bytes,
                           uint32_t number, uint32_t note_bytes = 16,
                           const transport_strides *strides = nullptr)
    {
        uint32_t note[TRANSPORT_HEAD_BYTES / 4] = { number };
        transport_write w = {};
        transport_ticket ticket = 0;

        w.key = &key;
        w.at = at;
        w.from = from;
        w.bytes = bytes;
        w.strides = strides;
        w.fifo = TRANSPORT_MESSAGE;
        w.note = note;
        w.note_bytes = note_bytes;
        while (!t->ops->write(t, 1 - h->rank, &w, &ticket))
            rest();
        return ticket;
    }
    void wait_note(uint32_t number)
    {
        transport_taken taken = wait_entry(TRANSPORT_MESSAGE);
        uint32_t is;

        memcpy(&is, taken.bytes, sizeof(is));
        EXPECT_EQ(number, is);
        release(TRANSPORT_MESSAGE);
    }
    /** Until the other one has come here, too. */
    void sync()
    {
        uint32_t word = 0;
        transport_entry e = {};

        e.fifo = TRANSPORT_REQUEST;
        e.head = &word;
        e.head_bytes = sizeof(word);
        while (!t->ops->append(t, 1 - h->rank, &e))
            rest();
        (void)wait_entry(TRANSPORT_REQUEST);
        release(TRANSPORT_REQUEST);
    }
    void wait_done(transport_ticket ticket)
    {
        while (ticket != 0 && !t->ops->done(t, ticket))
            rest();
    }
    /** What came by a core's stores to a GPU is there for all to see. */
    void settle() const
    {
        for (unsigned g = 0; g < driver_of(h)->ngpus; g++)
            driver_flush_gpu(h, g);
    }
    uint64_t now() const { return h->cpu->time_ps(h); }
    tct_counts counts() const { return *tct_counts_of(t); }

    host *h;
    transport *t = nullptr;

  private:
    static constexpr uint64_t program_bytes = 16 << 20;
    mutable bool own_ = false;
};

using Settings = std::vector<std::pair<const char *, uint64_t>>;

/** Runs both ranks; counts() is of "tca" alone. */
inline void run_pair(const Settings &settings, const std::function<int(TcaRank &)> &fn,
                     const std::vector<const char *> &sets = {}, bool once = false,
                     const char *library = "mpi", const char *transport = "tca")
{
    MachineFile file("platform: hapacs-tca\nring: 2\n", sets);
    launch_software software = launch_software_default();
    launch_config cfg = {};
    const host_param *p;

    strcpy(launch_software_setting(&software, "mpi.transport")->word, transport);
    strcpy(launch_software_setting(&software, "gasnet.transport")->word, transport);
    for (const auto &s : settings)
        for (unsigned i = 0; (p = launch_param(i, nullptr)) != nullptr; i++)
            if (strcmp(p->key, s.first) == 0)
                launch_software_set(&software, p, s.second);
    software.cost_ps[HOST_COST_CUDA_COPY] = 5000000; /* as hapacs-tca.yaml has them */
    software.cost_ps[HOST_COST_COPY_KB] = 170000;
    software.cost_ps[HOST_COST_CALL] = 20000;
    cfg.software = &software;
    cfg.nranks = 2;
    Cluster c(file.cluster());
    auto body = [&fn, library] {
        TcaRank rank(library);
        int code = fn(rank);

        if (rank.t->ops->hand_over != nullptr)
            rank.t->ops->hand_over(rank.t);
        return code;
    };
    if (!once)
        c.expect_run(body, cfg);
    else
        EXPECT_EQ(SIM_OK, c.run(body, cfg)) << c.err.text;
}

} // namespace test
#endif /* TESTS_HOSTS_TRANSPORT_TCA_PAIR_H */
