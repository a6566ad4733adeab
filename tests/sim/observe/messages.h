/*
 * Messages between ranks of a machine, one after the other, some of them while
 * other ranks write to the same receiver: what each was, and when it began and
 * was seen by the program's own clock.
 */
#ifndef TESTS_SIM_OBSERVE_MESSAGES_H
#define TESTS_SIM_OBSERVE_MESSAGES_H

#include "tests/hosts/machine_file.h"
#include "tests/hosts/tca/rank.h"

#include "observe/observe.h"

#include <peach2.h>

#include <memory>
#include <random>

namespace test
{

enum class Kind { Pio, Dma, Chain, Blocks };

struct Message {
    Kind kind = Kind::Pio;
    int from = 0, to = 1;
    bool src_gpu = false, dst_gpu = false, host_table = false;
    size_t bytes = 8, count = 1, pitch = 0; /* each put's or block's */
    std::vector<int> others;                /* write to `to` meanwhile */
    sim_time_t begin = 0, end = 0;          /* as the program measures */
};

using Messages = std::vector<Message>;

/** One rank's buffers, and those of all. */
class Sender
{
  public:
    enum {
        SLOT = 3,
        CH = 0,
        CH_OTHERS = 1,
        BUFFER = 65536,
        OTHERS_BYTES = 8192,
        OWN_TAG = 1000000
    };

    explicit Sender(Rank &r) : r_(r), h_(host_self())
    {
        for (int gpu = 0; gpu < 2; gpu++) {
            tcaMemoryKind kind = gpu != 0 ? tcaMemoryGPU : tcaMemoryCPU;

            EXPECT_EQ(TCA_SUCCESS, tcaMalloc((void **)&out_[gpu], BUFFER, kind));
            EXPECT_EQ(TCA_SUCCESS, tcaMalloc((void **)&in_[gpu], BUFFER, kind));
            outs_[gpu] = r.publish(out_[gpu], BUFFER, kind);
            ins_[gpu] = r.publish(in_[gpu], BUFFER, kind);
            boards_[gpu].resize(r.size);
            EXPECT_EQ(0, peach2_alloc(gpu - 1, BUFFER, &board_[gpu]));
            peach2_buffer shown = board_[gpu];
            shown.p = 0; /* a pointer of this process, which no fingerprint should see */
            MPI_Allgather(&shown, sizeof(shown), MPI_BYTE, boards_[gpu].data(), sizeof(board_[gpu]),
                          MPI_BYTE, MPI_COMM_WORLD);
        }
    }
    void play(Messages &all)
    {
        for (size_t i = 0; i < all.size(); i++)
            play(all[i], (int)i + 1);
    }

  private:
    Rank &r_;
    struct host *h_;
    uint8_t *out_[2] = {}, *in_[2] = {};
    std::vector<tcaHandle> outs_[2], ins_[2];
    peach2_buffer board_[2] = {};
    std::vector<peach2_buffer> boards_[2];

    void play(Message &m, int tag)
    {
        tcaDesc *d = tcaDescNew();

        if (r_.me == m.from && m.kind != Kind::Pio)
            describe(m, tag, d);
        r_.barrier();
        if (r_.me == m.from) { /* the receiver waits by then */
            h_->cpu->spend(h_, 30 * SIM_US);
            m.begin = h_->cpu->time_ps(h_);
            send(m, tag);
        }
        if (r_.me == m.to) {
            receive(m, tag);
            m.end = h_->cpu->time_ps(h_);
        }
        for (int other : m.others)
            if (r_.me == other)
                disturb(m, tag);
        tcaDescFree(d);
    }
    void describe(const Message &m, int tag, tcaDesc *d)
    {
        int flags = (m.host_table ? 0 : tcaDMAUseInternal | tcaDMAUseNotifyInternal);
        size_t puts = m.kind == Kind::Chain ? m.count : 1;
        size_t rows = m.kind == Kind::Blocks ? m.count : 1;
        size_t pitch = m.kind == Kind::Blocks ? m.pitch : m.bytes;

        for (size_t i = 0; i < puts; i++)
            EXPECT_EQ(TCA_SUCCESS,
                      tcaDescSetMemcpy2D(d, &ins_[m.dst_gpu][m.to], (off_t)(i * m.bytes), pitch,
                                         &outs_[m.src_gpu][m.from], (off_t)(i * m.bytes), pitch,
                                         m.bytes, rows,
                                         flags | (i % 2 != 0 ? tcaDMAPipeline : 0) |
                                             (i + 1 == puts ? tcaDMANotify : 0),
                                         SLOT, tag));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
    }
    void send(const Message &m, int tag)
    {
        std::vector<uint64_t> words(m.bytes / 8, (uint64_t)tag);

        if (m.kind != Kind::Pio) {
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
            return;
        }
        peach2_store(peach2_window(&boards_[m.dst_gpu][m.to], 0), words.data(), m.bytes);
        peach2_commit();
    }
    void receive(const Message &m, int tag)
    {
        const peach2_buffer &own = board_[m.dst_gpu];

        if (m.kind != Kind::Pio)
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&outs_[0][m.from], SLOT, tag));
        else if (m.dst_gpu)
            peach2_poll(&own, m.bytes - 8, 8, (uint64_t)tag);
        else
            peach2_wait_word((uint8_t *)peach2_pointer(&own) + m.bytes - 8, 8, (uint64_t)tag);
    }
    /** Two puts of some packets, about when the message is on its way. */
    void disturb(const Message &m, int tag)
    {
        tcaDesc *d = tcaDescNew();

        EXPECT_EQ(TCA_SUCCESS,
                  tcaDescSetMemcpy(d, &ins_[0][m.to], BUFFER / 2, &outs_[0][r_.me], BUFFER / 2,
                                   OTHERS_BYTES,
                                   tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotifySelf,
                                   SLOT, OWN_TAG + tag));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH_OTHERS));
        h_->cpu->spend(h_, (25 + tag % 5) * SIM_US);
        for (int i = 0; i < 3; i++) {
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH_OTHERS));
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&outs_[0][r_.me], SLOT, OWN_TAG + tag));
        }
        tcaDescFree(d);
    }
};

/** A machine on which messages are sent, and what was observed of them. */
class Observed
{
  public:
    /** @param observe false: without an observer */
    Observed(const MachineFile &file, Messages &messages, bool observe = true, sim_order order = {})
        : observer_(observe ? observe_create(UINT64_C(1) << 24) : nullptr, observe_destroy)
    {
        ClusterConfig cfg = file.cluster();

        cfg.order = order;
        cfg.probe = observe ? observe_probe(observer_.get()) : nullptr;
        cluster_ = std::make_unique<Cluster>(cfg);
        EXPECT_EQ(SIM_OK, cluster_->run([&messages]() -> int {
            Rank r;
            Sender sender(r);

            sender.play(messages);
            r.barrier();
            return 0;
        })) << cluster_->err.text;
        EXPECT_TRUE(cluster_->all_well());
    }
    sim_fingerprint fingerprint() const { return cluster_->fingerprint(); }

    struct Part {
        std::string phase, kind, stage, where;
        sim_time_t from, to;
        bool operator==(const Part &o) const
        {
            return phase == o.phase && kind == o.kind && stage == o.stage && where == o.where &&
                   from == o.from && to == o.to;
        }
    };
    /** What the receiver's core waited for; ranks have one node each. */
    std::vector<Part> explain(const Message &m)
    {
        std::string core = "node" + std::to_string(m.to) + ".host.core0";
        std::vector<Part> parts;
        observe_breakdown b = {};
        sim_error err = {};

        EXPECT_EQ(SIM_OK, observe_explain(observer_.get(), core.c_str(), m.begin, m.end, &b, &err))
            << err.text;
        for (unsigned i = 0; i < b.n; i++) {
            const observe_part &p = b.parts[i];

            parts.push_back({ p.phase, sim_stage_kind_name(p.stage->kind), p.stage->name, p.where,
                              p.from, p.to });
        }
        observe_breakdown_fini(&b);
        return parts;
    }

  private:
    std::unique_ptr<observer, void (*)(observer *)> observer_;
    std::unique_ptr<Cluster> cluster_;
};

/** Total of the parts of a kind. */
inline sim_time_t total(const std::vector<Observed::Part> &parts, const std::string &kind)
{
    sim_time_t sum = 0;

    for (const auto &p : parts)
        sum += p.kind == kind ? p.to - p.from : 0;
    return sum;
}

} // namespace test
#endif /* TESTS_SIM_OBSERVE_MESSAGES_H */
