/* Two ports and a cable, each end with a source of TLPs and a sink that notes what came when. */
#ifndef TESTS_PCIE_LINK_FIXTURE_H
#define TESTS_PCIE_LINK_FIXTURE_H

#include "machine/kind.h"
#include "pcie/port/port_impl.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace test
{

/** Buffers so large that they never limit; latencies of a short trace. */
inline pcie_port_config wide_config(uint64_t gen, uint64_t lanes, uint64_t mps)
{
    pcie_port_config c = {};

    c.gen = gen, c.lanes = lanes, c.mps_bytes = mps;
    c.tx_latency_ps = 5000, c.rx_latency_ps = 5000;
    c.tx_queue_tlps = 64, c.replay_tlps = 1024;
    c.ack_tlps = 8, c.fc_urgent_part = 4;
    return c;
}

/** SKP ordered sets as ports have them by default. */
inline void set_default_skp(pcie_port_config *c)
{
    for (const machine_param *row = pcie_port_params; row->key != nullptr; row++)
        if (strncmp(row->key, "skp_", 4) == 0)
            memcpy(reinterpret_cast<char *>(c) + row->offset, &row->def, sizeof(row->def));
}

inline void set_credits(pcie_port_config *c, uint64_t hdr, uint64_t data)
{
    c->ph_credits = c->nph_credits = c->cplh_credits = hdr;
    c->pd_credits = c->npd_credits = c->cpld_credits = data;
}

struct Arrival {
    sim_time_t time;
    uint64_t id; /* trace_id: the order in which the other end's source made it */
    int cls;
    uint64_t hash;

    bool operator==(const Arrival &o) const
    {
        return time == o.time && id == o.id && cls == o.cls && hash == o.hash;
    }
};

/** One end. Sends `todo` in order as the port takes it. */
struct End {
    sim_domain *dom = nullptr;
    mem_pool *pool = mem_pool_create();
    pcie_port *port = nullptr;
    std::deque<pcie_tlp> todo;
    std::vector<Arrival> got;
    std::vector<bool> told; /* that the link went down or came up */
    uint64_t made = 0;      /* ids given out */
    sim_time_t lag_ps = 0;  /* how far its TLPs lag their first beats */
    bool keep_log = true;
    bool consume = true; /* after consume_delay; 0 or none: at once */
    std::function<sim_time_t(const pcie_tlp &)> consume_delay;
    std::function<void(const pcie_tlp &)> on_tlp;
    std::function<void()> refill; /* called when todo is short */

    struct Held {
        pcie_class cls;
        uint32_t credits;
    };
    std::multimap<sim_time_t, Held> held;
    struct Hook { /* finds the end from its event */
        sim_event ev;
        End *end;
    } pump_hook, free_hook;

    End()
    {
        pump_hook.end = free_hook.end = this;
        sim_event_init(&pump_hook.ev,
                       [](sim_event *ev) { reinterpret_cast<Hook *>(ev)->end->pump(); });
        sim_event_init(&free_hook.ev,
                       [](sim_event *ev) { reinterpret_cast<Hook *>(ev)->end->free_due(); });
    }
    ~End()
    {
        pcie_port_destroy(port);
        mem_pool_destroy(pool);
    }
    End(const End &) = delete;

    int open(sim_domain *d, const char *path, const pcie_port_config &cfg, sim_error *err = nullptr)
    {
        pcie_port_user user = {};

        dom = d;
        user.user = this;
        user.received = [](void *arg, pcie_tlp *tlp) { static_cast<End *>(arg)->received(tlp); };
        user.link = [](void *arg, bool up) { static_cast<End *>(arg)->told.push_back(up); };
        user.ready = [](void *arg, pcie_class) { static_cast<End *>(arg)->kick(); };
        return pcie_port_create(d, pool, path, &cfg, &user, &port, err);
    }

    void kick() { sim_schedule_by(dom, &pump_hook.ev, sim_now(dom), SIM_CLOCK); }

    void pump()
    {
        for (;;) {
            if (todo.size() < 64 && refill)
                refill();
            if (todo.empty() || !pcie_port_can_send(port, pcie_tlp_class(&todo.front())))
                return;
            pcie_tlp tlp = todo.front();
            todo.pop_front();
            pcie_port_send_lagging(port, &tlp, lag_ps);
        }
    }

    void free_due()
    {
        while (!held.empty() && held.begin()->first <= sim_now(dom)) {
            Held h = held.begin()->second;
            held.erase(held.begin());
            pcie_port_consume(port, h.cls, h.credits);
        }
        if (!held.empty())
            sim_schedule_by(dom, &free_hook.ev, held.begin()->first, SIM_CLOCK);
    }

    void received(pcie_tlp *tlp)
    {
        pcie_class cls = pcie_tlp_class(tlp);
        uint32_t credits = pcie_tlp_data_credits(tlp);

        if (keep_log)
            got.push_back({ sim_now(dom), tlp->trace_id, cls, pcie_tlp_hash(tlp) });
        if (on_tlp)
            on_tlp(*tlp);
        pcie_tlp_drop(tlp);
        sim_time_t delay = consume_delay ? consume_delay(*tlp) : 0;
        if (delay != 0) {
            held.insert({ sim_now(dom) + delay, { cls, credits } });
            sim_schedule_by(dom, &free_hook.ev, held.begin()->first, SIM_CLOCK);
        } else if (consume) {
            pcie_port_consume(port, cls, credits);
        }
    }

    /** A TLP whose bytes follow from its id. */
    pcie_tlp make(int kind, uint32_t bytes = 0)
    {
        pcie_tlp t = {};

        t.kind = (uint8_t)kind;
        t.trace_id = made++;
        t.tag = (uint8_t)t.trace_id;
        if (kind == PCIE_CPL || kind == PCIE_CPLD) {
            t.byte_count = (uint16_t)(bytes ? bytes : 4);
            t.length_dw = (uint16_t)((bytes + 3) / 4);
        } else if (kind == PCIE_CFGWR0 || kind == PCIE_CFGRD0) {
            t.length_dw = 1, t.first_be = 0xf;
        } else {
            pcie_tlp_set_range(&t, 0x10000000, bytes);
        }
        if (kind == PCIE_MWR || kind == PCIE_CPLD || kind == PCIE_CFGWR0) {
            t.payload = mem_payload_alloc(pool, t.length_dw * 4u);
            for (uint32_t i = 0; i < t.payload->bytes; i++)
                t.payload->data[i] = (uint8_t)(t.trace_id * 7 + i);
        }
        return t;
    }
    void add(int kind, uint32_t bytes = 0) { todo.push_back(make(kind, bytes)); }
};

struct Pair {
    sim *s;
    End a, b;

    /** The order of packets is watched in all tests. */
    static sim *checked(sim_config cfg)
    {
        cfg.check_order = true;
        return sim_create(&cfg);
    }
    explicit Pair(const sim_config &cfg = {}, bool two_domains = true) : s(checked(cfg))
    {
        a.dom = sim_domain_create(s, "a");
        b.dom = two_domains ? sim_domain_create(s, "b") : a.dom;
    }
    ~Pair()
    {
        pcie_port_destroy(a.port);
        pcie_port_destroy(b.port);
        a.port = b.port = nullptr;
        sim_destroy(s);
    }
    void join(const pcie_port_config &ca, const pcie_port_config &cb, sim_time_t wire_ps = 0)
    {
        sim_error err = {};

        ASSERT_EQ(SIM_OK, a.open(a.dom, "a", ca, &err)) << err.text;
        ASSERT_EQ(SIM_OK, b.open(b.dom, "b", cb, &err)) << err.text;
        ASSERT_EQ(SIM_OK, pcie_link_connect(a.port, b.port, wire_ps, &err)) << err.text;
    }
    int run(sim_time_t until = SIM_TIME_NEVER - 1) { return sim_run(s, until); }
    /* Much later each port looks at the last DLLPs, which nothing made it look at so far. */
    void settle()
    {
        sim_time_t later = sim_reached(s) + SIM_MS;

        for (End *e : { &a, &b })
            sim_schedule_at(e->dom, &e->pump_hook.ev, later, SIM_CLOCK);
        run();
        pcie_port_settle(a.port);
        pcie_port_settle(b.port);
    }

    uint64_t stat(const std::string &path) const
    {
        struct Find {
            const std::string &path;
            uint64_t value, hits;
        } f{ path, 0, 0 };

        sim_stat_each(
            s,
            [](void *arg, const char *p, const char *, const char *, uint64_t v) {
                Find *find = static_cast<Find *>(arg);
                if (find->path == p)
                    find->value = v, find->hits++;
            },
            &f);
        EXPECT_EQ(1u, f.hits) << path;
        return f.value;
    }
};

} // namespace test

#endif
