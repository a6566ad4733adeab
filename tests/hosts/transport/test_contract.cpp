/*
 * The rules of hosts/transport/transport.h, over each transport. All ranks do random operations to
 * all others. Sender and receiver draw the same ones, so each entry and each byte that a write has
 * put somewhere is known.
 */
#include <cuda_runtime.h>

#include <cstring>
#include <random>

#include "hosts/driver/driver.h"
#include "hosts/transport/transport.h"
#include "tests/hosts/machine_file.h"

namespace
{

using namespace test;

constexpr unsigned ranks = 4, ops = 60;
constexpr uint32_t write_max = 2000;
constexpr uint64_t room = ops * (write_max + 128);

struct Op {
    bool writes;
    transport_fifo fifo;
    uint32_t head, bytes; /* of an entry; or of the note, and of the data */
    uint64_t at;          /* where a write goes, in the memory for its source */
};

uint8_t byte_of(unsigned source, unsigned op, uint64_t i)
{
    return (uint8_t)(source * 37 + op * 11 + i * 7 + (i >> 8) * 3 + 1);
}

void fill(uint8_t *to, unsigned source, unsigned op, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        to[i] = byte_of(source, op, i);
}

bool is_filled(const uint8_t *bytes, unsigned source, unsigned op, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (bytes[i] != byte_of(source, op, i))
            return false;
    return true;
}

/** What `source` does to `dest`: the same for both of them. */
std::vector<Op> draw(unsigned source, unsigned dest, const transport_caps &caps, bool exposes)
{
    std::minstd_rand random(100 * source + dest + 1);
    auto below = [&](uint32_t n) { return (uint32_t)(random() % n); };
    uint32_t longest = std::min<uint32_t>(caps.fifo_bytes, 3000);
    std::vector<Op> all;
    uint64_t at = 0;

    for (unsigned k = 0; k < ops; k++) {
        Op op = {};
        op.writes = exposes && below(2) == 0;
        op.fifo = below(2) == 0 ? TRANSPORT_REQUEST : TRANSPORT_MESSAGE;
        op.head = 8 + 4 * below(TRANSPORT_HEAD_BYTES / 4 - 1);
        uint32_t most = op.writes ? write_max : longest - op.head;
        op.bytes = below(3) == 0 ? 0 : 1 + below(below(2) == 0 ? 100 : most);
        op.at = at;
        at += op.writes ? op.bytes + 64 - (op.bytes + below(64)) % 64 : 0;
        all.push_back(op);
    }
    return all;
}

/** One end of the pair with another rank. */
struct Peer {
    std::vector<Op> out, in;
    unsigned sent = 0, taken = 0;
    unsigned next_in[TRANSPORT_FIFOS] = {}; /* the operation whose entry comes next */
    unsigned in_place = 0;                  /* writes of so many operations have been found */
    uint8_t *memory = nullptr,
            *source = nullptr; /* for what it writes here, and for writes there */
    transport_key own = {}, key = {};
    bool sent_key = false, has_key = false;
};

struct Writing {
    transport_ticket ticket;
    uint8_t *from;
    uint32_t bytes;
};

struct Kept {
    host_state state;
    transport *t;
};

void release(void *kept)
{
    Kept *k = static_cast<Kept *>(kept);

    k->t->ops->destroy(k->t);
    delete k;
}

class Player
{
  public:
    explicit Player(bool on_gpu) : on_gpu_(on_gpu) {}

    int play()
    {
        host *h = host_self();
        char why[TRANSPORT_WHY_BYTES];

        EXPECT_TRUE(transport_open(h, why, &t_)) << why;
        host_state_add(&h->states, &(new Kept{ {}, t_ })->state, release);
        EXPECT_TRUE(t_->caps.gpu || !on_gpu_);
        exposes_ = t_->ops->expose != nullptr;
        peers_.resize(h->size);
        for (unsigned r = 0; r < h->size; r++)
            if (r != h->rank)
                begin(r);
        while (!over()) {
            bool any = false;

            for (unsigned r = 0; r < h->size; r++)
                any |= r != h->rank && send(r);
            for (transport_fifo fifo : { TRANSPORT_MESSAGE, TRANSPORT_REQUEST })
                for (unsigned r = 0; (r = t_->ops->next(t_, fifo, r)) < h->size; r++)
                    any |= take(fifo, r);
            any |= end_writes();
            if (!any && !over())
                t_->ops->wait(t_);
        }
        if (t_->ops->hand_over != nullptr)
            t_->ops->hand_over(t_);
        return 0;
    }

  private:
    /** What a transport may be asked to expose. */
    uint8_t *memory(uint64_t bytes)
    {
        void *p = nullptr;

        if (on_gpu_)
            EXPECT_EQ(cudaSuccess, cudaMalloc(&p, bytes));
        else
            p = t_->host->memory->alloc(t_->host, bytes, 64);
        EXPECT_NE(nullptr, p);
        return static_cast<uint8_t *>(p);
    }

    void begin(unsigned r)
    {
        Peer &p = peers_[r];

        p.out = draw(t_->host->rank, r, t_->caps, exposes_);
        p.in = draw(r, t_->host->rank, t_->caps, exposes_);
        for (transport_fifo fifo : { TRANSPORT_MESSAGE, TRANSPORT_REQUEST })
            p.next_in[fifo] = next_of(p.in, fifo, 0);
        if (!exposes_)
            return;
        p.memory = memory(room);
        p.source = memory(room);
        EXPECT_TRUE(t_->ops->expose(t_, p.memory, room, &p.own));
    }

    static unsigned next_of(const std::vector<Op> &all, transport_fifo fifo, unsigned from)
    {
        while (from < all.size() && all[from].fifo != fifo)
            from++;
        return from;
    }

    /** The next operation. @return false: nothing was done */
    bool send(unsigned r)
    {
        Peer &p = peers_[r];

        if (exposes_ && !p.sent_key) {
            transport_entry e = {};
            e.head = &p.own;
            e.head_bytes = sizeof(p.own);
            return p.sent_key = t_->ops->append(t_, r, &e);
        }
        if ((exposes_ && !p.has_key) || p.sent == ops)
            return false;
        const Op &op = p.out[p.sent];
        std::vector<uint8_t> head(op.head), data(op.writes ? 0 : op.bytes);
        fill(head.data(), t_->host->rank, p.sent, head.size());
        fill(data.data(), t_->host->rank, p.sent, data.size());
        if (op.writes) {
            transport_write w = {};
            transport_ticket ticket = 0;
            w.key = &p.key;
            w.at = op.at;
            w.from = p.source + op.at;
            w.bytes = op.bytes;
            w.fifo = op.fifo;
            w.note = head.data();
            w.note_bytes = op.head;
            fill(p.source + op.at, t_->host->rank, p.sent, op.bytes);
            if (!t_->ops->write(t_, r, &w, &ticket))
                return false;
            writing_.push_back({ ticket, p.source + op.at, op.bytes });
        } else {
            transport_entry e = { op.fifo, head.data(), data.data(), op.head, op.bytes, false };
            if (!t_->ops->append(t_, r, &e))
                return false;
        }
        memset(head.data(), 0, head.size()); /* both may be reused at once */
        memset(data.data(), 0, data.size());
        p.sent++;
        return true;
    }

    bool take(transport_fifo fifo, unsigned r)
    {
        Peer &p = peers_[r];
        transport_taken taken;

        if (!t_->ops->take(t_, fifo, r, &taken))
            return false;
        if (exposes_ && !p.has_key) {
            EXPECT_EQ(TRANSPORT_MESSAGE, fifo);
            EXPECT_EQ(sizeof(p.key), taken.size);
            memcpy(&p.key, taken.bytes, sizeof(p.key));
            p.has_key = true;
        } else {
            unsigned k = p.next_in[fifo];
            EXPECT_GT(ops, k) << "an entry too many";
            const Op &op = p.in.at(k);
            uint32_t data = op.writes ? 0 : op.bytes;
            EXPECT_EQ(op.head + data, taken.size) << "operation " << k << " of rank " << r;
            EXPECT_TRUE(is_filled(taken.bytes, r, k, op.head)) << k << " of rank " << r;
            EXPECT_TRUE(is_filled(taken.bytes + op.head, r, k, data)) << k << " of rank " << r;
            if (on_gpu_) /* what a core has stored there is on its way, before any load */
                driver_flush_gpu(t_->host, t_->host->gpu);
            for (; p.in_place <= k; p.in_place++)
                if (p.in[p.in_place].writes)
                    EXPECT_TRUE(is_filled(p.memory + p.in[p.in_place].at, r, p.in_place,
                                          p.in[p.in_place].bytes))
                        << "write " << p.in_place << " of rank " << r << " before entry " << k;
            p.next_in[fifo] = next_of(p.in, fifo, k + 1);
            p.taken++;
        }
        t_->ops->release(t_, fifo, r);
        return true;
    }

    /** What has been sent may change. */
    bool end_writes()
    {
        size_t before = writing_.size();

        for (size_t i = 0; i < writing_.size();) {
            const Writing w = writing_[i];
            if (w.ticket != 0 && !t_->ops->done(t_, w.ticket)) {
                i++;
                continue;
            }
            memset(w.from, 0, w.bytes);
            writing_.erase(writing_.begin() + (std::ptrdiff_t)i);
        }
        return writing_.size() != before;
    }

    bool over() const
    {
        for (unsigned r = 0; r < peers_.size(); r++)
            if (r != t_->host->rank && (peers_[r].sent < ops || peers_[r].taken < ops))
                return false;
        return writing_.empty();
    }

    std::vector<Peer> peers_;
    std::vector<Writing> writing_;
    transport *t_ = nullptr;
    bool on_gpu_, exposes_ = false;
};

struct Way {
    const char *transport, *machine;
    bool gpu;         /* it takes GPU memory as it is */
    const char *name; /* ends that of the test */
    std::vector<std::pair<const char *, uint64_t>> settings = {};
};

class Contract : public testing::TestWithParam<Way>
{
  public:
    static void hold(bool on_gpu)
    {
        const Way &way = GetParam();
        MachineFile file(way.machine);
        launch_software software = launch_software_default();
        launch_config cfg = {};

        software.settings[0].key = "mpi.transport";
        strcpy(software.settings[0].word, way.transport);
        software.settings[1].key = "mpi.requests"; /* without them net exposes nothing */
        strcpy(software.settings[1].word, strcmp(way.transport, "tcp") == 0 ? "off" : "on");
        for (size_t i = 0; i < way.settings.size(); i++) {
            software.settings[2 + i].key = way.settings[i].first;
            software.settings[2 + i].number = way.settings[i].second;
        }
        cfg.software = &software;
        cfg.nranks = ranks;
        Cluster c(file.cluster());
        c.expect_run([on_gpu] { return Player(on_gpu).play(); }, cfg);
    }
};

TEST_P(Contract, HoldsForHostMemory)
{
    hold(false);
}
TEST_P(Contract, HoldsForGpuMemory)
{
    if (!GetParam().gpu)
        GTEST_SKIP() << "it takes no GPU memory";
    hold(true);
}

const char hubs[] = "platform: hapacs-tca\nring: 3\n"; /* two of the ranks share a node */

/* Long writes go by both rails, or in chunks by way of the hosts. */
const std::vector<std::pair<const char *, uint64_t>> staged = {
    { "mpi.rails", 2 },
    { "mpi.stripe_bytes", 1024 },
    { "mpi.gdr_limit", 512 },
    { "mpi.chunk_bytes", 256 },
};

/* Nearly each operation meets a full ring, or goes in pieces. */
const std::vector<std::pair<const char *, uint64_t>> tight = {
    { "mpi.ring_entries", 2 },
    { "mpi.pieces", 2 },
    { "mpi.piece_bytes", 256 },
    { "mpi.stage_bytes", 600 },
};

INSTANTIATE_TEST_SUITE_P(Transports, Contract,
                         testing::Values(Way{ "net", hubs, true, "net" },
                                         Way{ "peach2", hubs, true, "peach2" },
                                         Way{ "tca", hubs, true, "tca" },
                                         Way{ "tca", hubs, true, "tca_two_entries", tight },
                                         Way{ "tca", hubs, true, "tca_fault", { { "mpi.fault", 1 } } },
                                         Way{ "ib", hubs, true, "ib" },
                                         Way{ "ib", hubs, true, "ib_staged", staged },
                                         Way{ "mbcf", "mbcf-switch", false, "mbcf" },
                                         Way{ "tcp", "mbcf-switch", false, "tcp" }),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
