/*
 * All ranks do random operations to all others over one transport. Sender and receiver draw the
 * same ones, so each entry and each byte that a write has put somewhere is known.
 */
#ifndef TESTS_HOSTS_TRANSPORT_PLAYER_H
#define TESTS_HOSTS_TRANSPORT_PLAYER_H

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "hosts/driver/driver.h"
#include "hosts/transport/transport.h"
#include "tests/hosts/machine_file.h"

namespace test
{

constexpr unsigned ops = 60, batch = 15; /* the last one of a batch is seen at the far side */
constexpr uint32_t write_max = 2000;
constexpr uint64_t room = ops * (write_max + 128);

struct Op {
    bool writes, silent; /* silent: a write without a note */
    transport_fifo fifo;
    uint32_t head, bytes; /* of an entry; or of the note, and of the data */
    uint64_t at;          /* where a write goes, in the memory for its source */
};

inline uint8_t byte_of(unsigned source, unsigned op, uint64_t i)
{
    return (uint8_t)(source * 37 + op * 11 + i * 7 + (i >> 8) * 3 + 1);
}

inline void fill(uint8_t *to, unsigned source, unsigned op, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        to[i] = byte_of(source, op, i);
}

inline bool is_filled(const uint8_t *bytes, unsigned source, unsigned op, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (bytes[i] != byte_of(source, op, i))
            return false;
    return true;
}

/** What `source` does to `dest`: the same for both of them. */
inline std::vector<Op> draw(unsigned source, unsigned dest, const transport &t, bool exposes)
{
    std::minstd_rand random(1000 * t.user + 100 * source + dest + 1);
    auto below = [&](uint32_t n) { return (uint32_t)(random() % n); };
    uint32_t longest = std::min<uint32_t>(t.caps.fifo_bytes, 3000);
    std::vector<Op> all;
    uint64_t at = 0;

    for (unsigned k = 0; k < ops; k++) {
        Op op = {};
        op.writes = exposes && below(2) == 0;
        op.fifo = below(2) == 0 ? TRANSPORT_REQUEST : TRANSPORT_MESSAGE;
        op.head = 8 + 4 * below(TRANSPORT_HEAD_BYTES / 4 - 1);
        uint32_t most = op.writes ? write_max : longest - op.head;
        op.silent = op.writes && (k + 1) % batch != 0 && below(3) == 0;
        op.bytes = below(3) == 0 ? 0 : 1 + below(below(2) == 0 ? 100 : most);
        op.at = at;
        op.head = op.silent ? 0 : op.head;
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

inline void release_transport(void *kept)
{
    Kept *k = static_cast<Kept *>(kept);

    k->t->ops->destroy(k->t);
    delete k;
}

class Player
{
  public:
    Player(const char *library, bool on_gpu) : library_(library), on_gpu_(on_gpu) {}

    void begin()
    {
        host *h = host_self();
        char why[TRANSPORT_WHY_BYTES];

        ASSERT_TRUE(transport_open(h, library_, why, &t_)) << why;
        host_state_add(&h->states, &(new Kept{ {}, t_ })->state, release_transport);
        EXPECT_TRUE(t_->caps.gpu || !on_gpu_);
        exposes_ = t_->ops->expose != nullptr && can_expose();
        peers_.resize(h->size);
        for (unsigned r = 0; r < h->size; r++)
            if (r != h->rank)
                begin_peer(r);
    }

    /** Does what can be done now of the first `n` operations of each rank. @return whether anything
     * was */
    bool step(unsigned n = ops)
    {
        bool any = send_all(n);

        for (transport_fifo fifo : { TRANSPORT_MESSAGE, TRANSPORT_REQUEST })
            for (unsigned r = 0; (r = t_->ops->next(t_, fifo, r)) < peers_.size();)
                any |= take(fifo, r);
        return end_writes() || any;
    }
    /** Begins operations, but takes nothing in. */
    bool send_all(unsigned n)
    {
        bool any = false;

        for (unsigned r = 0; r < peers_.size(); r++)
            any |= r != t_->host->rank && send(r, n);
        return any;
    }
    bool over(unsigned n = ops) const
    {
        for (unsigned r = 0; r < peers_.size(); r++)
            if (r != t_->host->rank &&
                (peers_[r].sent < n || peers_[r].taken < entries(peers_[r].in, n)))
                return false;
        return writing_.empty();
    }
    void wait() { t_->ops->wait(t_); }
    /** Between other work of the program. */
    void poll()
    {
        t_->host->cpu->spend(t_->host, 500 * SIM_NS);
        (void)t_->ops->poll(t_);
    }
    /** To the end of the first `n`; it does not leave anything for later calls to start. */
    void play(unsigned n = ops)
    {
        while (!over(n))
            if (!step(n) && !over(n))
                wait();
        hand_over();
    }
    void hand_over()
    {
        if (t_->ops->hand_over != nullptr)
            t_->ops->hand_over(t_);
    }

  private:
    /** InfiniBand writes to memory of a GPU that several ranks use only where it needs no chunks of
     * the receiver. All ranks find the same. */
    bool can_expose()
    {
        transport_key key = {};
        bool may_lack = on_gpu_ && t_->one_sided && strcmp(t_->ops->name, "ib") == 0;
        bool can = t_->ops->expose(t_, memory(room), room, &key);

        EXPECT_TRUE(can || may_lack);
        if (can && t_->ops->hide != nullptr)
            t_->ops->hide(t_, &key);
        return can;
    }
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

    void begin_peer(unsigned r)
    {
        Peer &p = peers_[r];

        p.out = draw(t_->host->rank, r, *t_, exposes_);
        p.in = draw(r, t_->host->rank, *t_, exposes_);
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
        while (from < all.size() && (all[from].fifo != fifo || all[from].silent))
            from++;
        return from;
    }
    /** Those of the first `n`. */
    static unsigned entries(const std::vector<Op> &all, unsigned n)
    {
        return (unsigned)std::count_if(all.begin(), all.begin() + n,
                                       [](const Op &op) { return !op.silent; });
    }

    /** The next operation. @return false: nothing was done */
    bool send(unsigned r, unsigned n)
    {
        Peer &p = peers_[r];

        if (exposes_ && !p.sent_key) {
            transport_entry e = {};
            e.head = &p.own;
            e.head_bytes = sizeof(p.own);
            return p.sent_key = t_->ops->append(t_, r, &e);
        }
        if ((exposes_ && !p.has_key) || p.sent >= n)
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
            if (on_gpu_) /* not by a look that is quicker than any of the machine's */
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

    std::vector<Peer> peers_;
    std::vector<Writing> writing_;
    transport *t_ = nullptr;
    const char *library_;
    bool on_gpu_, exposes_ = false;
};

} // namespace test
#endif /* TESTS_HOSTS_TRANSPORT_PLAYER_H */
