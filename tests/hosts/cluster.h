/*
 * Clusters for tests of software: nodes of host, hub and two GPUs with default
 * parameters, hubs in a ring by W and E. `run` executes a function as each rank,
 * `expect_run` in every order of events and domains.
 */
#ifndef TESTS_HOSTS_CLUSTER_H
#define TESTS_HOSTS_CLUSTER_H

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hosts/launch/launch.h"
#include "hub/hub.h"
#include "node/gpu.h"
#include "node/host.h"

namespace test
{

/** The orders that no result may depend on. */
inline std::vector<sim_order> all_orders()
{
    return { {}, { true, false, 1 }, { false, true, 2 }, { true, true, 3 } };
}

using Values = std::map<std::string, uint64_t>;

struct ClusterConfig {
    unsigned nodes = 2;
    bool closed_ring = false;
    bool hubs = true;
    sim_order order = {};
    uint64_t seed = 1;
    Values host, gpu;
    /* The production boards' firmware: a word from internal memory comes this late, after data that
     * may still be on its way to a GPU (driver_wait_notify()). */
    Values hub = { { "firmware.status_internal_cycles", 500 } };
    const sim_probe *probe = nullptr;   /* an observer */
    const machine_desc *desc = nullptr; /* a whole machine instead of all above but the order */
};

class Cluster
{
  public:
    explicit Cluster(const ClusterConfig &cfg = {}) : cfg_(cfg)
    {
        if (cfg.desc == nullptr)
            describe();
        memory_ = launch_memory_create();
        sim_config sim = { cfg.seed, true, cfg.order, cfg.probe, true };
        EXPECT_EQ(SIM_OK, machine_create(cfg.desc != nullptr ? cfg.desc : &desc_, &sim,
                                         launch_memory_map, memory_, &machine_, &err))
            << err.text;
    }
    ~Cluster()
    {
        launch_result_fini(&result);
        if (machine_ != nullptr)
            machine_destroy(machine_);
        launch_memory_destroy(memory_);
    }
    Cluster(const Cluster &) = delete;
    Cluster &operator=(const Cluster &) = delete;

    struct machine *machine() { return machine_; }
    sim_fingerprint fingerprint() const { return sim_fingerprint_of(machine_sim(machine_)); }

    /** Runs `fn` as each rank; its result is the exit code. @return launch_run()'s code. */
    int run(const std::function<int()> &fn, launch_config cfg = {})
    {
        static const char *const argv[] = { "test" };

        body() = fn;
        cfg.entry = [](int, char **) { return body()(); };
        cfg.argc = 1;
        cfg.argv = argv;
        cfg.output = collect;
        cfg.remark = collect_remark;
        cfg.found = collect_found;
        cfg.refused = collect_refusal;
        cfg.output_arg = this;
        if (cfg.max_time_ps == 0)
            cfg.max_time_ps = 1000 * SIM_MS;
        int code = launch_run(machine_, &cfg, &result, &err);
        body() = nullptr;
        return code;
    }
    /** The same, and every rank must return 0; likewise, with the same outcome, in clusters that
     * differ in the order of events and domains. `fn` runs anew in each of them. */
    void expect_run(const std::function<int()> &fn, const launch_config &cfg = {})
    {
        expect_well(fn, cfg);
        for (const sim_order &order : all_orders()) {
            ClusterConfig other = cfg_;

            if (same_order(order, cfg_.order))
                continue;
            other.order = order;
            Cluster c(other);
            SCOPED_TRACE(std::string("shuffled:") + (order.shuffle_ties ? " ties" : "") +
                         (order.shuffle_turns ? " turns" : ""));
            c.expect_well(fn, cfg);
            c.expect_same_outcome(*this);
        }
    }
    /** What the ranks printed, when each of them ended, and what software and wires saw. */
    void expect_same_outcome(const Cluster &other) const
    {
        EXPECT_EQ(other.lines, lines);
        EXPECT_EQ(other.ends(), ends());
        EXPECT_EQ(other.fingerprint().visible, fingerprint().visible);
        EXPECT_EQ(other.fingerprint().wire, fingerprint().wire);
    }
    /** The same for a program object. */
    int run_program(const std::string &path, const std::vector<std::string> &args,
                    launch_config cfg = {})
    {
        std::vector<const char *> argv = { path.c_str() };

        for (auto &a : args)
            argv.push_back(a.c_str());
        cfg.program = path.c_str();
        cfg.argc = (int)argv.size();
        cfg.argv = argv.data();
        cfg.output = collect;
        cfg.remark = collect_remark;
        cfg.refused = collect_refusal;
        if (cfg.found == nullptr)
            cfg.found = collect_found;
        cfg.output_arg = this;
        if (cfg.max_time_ps == 0)
            cfg.max_time_ps = 10000 * SIM_MS;
        return launch_run(machine_, &cfg, &result, &err);
    }
    /** True when every rank ended with exit code 0. */
    bool all_well() const
    {
        for (unsigned r = 0; r < result.nranks; r++)
            if (!result.ranks[r].ended || result.ranks[r].exit_code != 0)
                return false;
        return result.nranks > 0;
    }

    struct Line {
        unsigned rank;
        bool error;
        sim_time_t time;
        std::string text;
        bool operator==(const Line &o) const
        {
            return rank == o.rank && error == o.error && time == o.time && text == o.text;
        }
    };
    std::vector<Line> lines;
    std::vector<std::string> remarks; /* of libraries, on the run */
    std::vector<std::string> found;   /* by checks */
    struct launch_result result = {};
    sim_error err = {};

  private:
    struct Node {
        std::vector<machine_component_desc> components;
        std::vector<machine_link_desc> links;
    };
    ClusterConfig cfg_;
    std::deque<std::shared_ptr<machine_param>> rows_;
    std::deque<std::vector<machine_value>> values_; /* each ends with one without a row */
    std::deque<Node> nodes_;
    std::vector<machine_node_desc> node_descs_;
    std::vector<machine_link_desc> cables_;
    machine_desc desc_ = {};
    launch_memory *memory_ = nullptr;
    struct machine *machine_ = nullptr;

    static bool same_order(const sim_order &a, const sim_order &b)
    {
        return a.shuffle_ties == b.shuffle_ties && a.shuffle_turns == b.shuffle_turns;
    }
    void expect_well(const std::function<int()> &fn, const launch_config &cfg)
    {
        EXPECT_EQ(SIM_OK, run(fn, cfg)) << err.text;
        EXPECT_TRUE(all_well());
    }
    std::vector<sim_time_t> ends() const
    {
        std::vector<sim_time_t> at;

        for (unsigned r = 0; r < result.nranks; r++)
            at.push_back(result.ranks[r].end_ps);
        return at;
    }
    static std::function<int()> &body()
    {
        static std::function<int()> fn;
        return fn;
    }
    static void collect(void *arg, unsigned rank, enum output_stream stream, sim_time_t time,
                        const char *line)
    {
        static_cast<Cluster *>(arg)->lines.push_back({ rank, stream != OUTPUT_STDOUT, time, line });
    }
    static void collect_found(void *arg, const char *line)
    {
        static_cast<Cluster *>(arg)->found.emplace_back(line);
    }
    static void collect_remark(void *arg, const char *line)
    {
        static_cast<Cluster *>(arg)->remarks.emplace_back(line);
    }
    static void collect_refusal(void *arg, unsigned rank, const char *line)
    {
        EXPECT_EQ(0u, std::string(line).find("rank " + std::to_string(rank) + " on node "));
        collect_remark(arg, line);
    }
    void describe()
    {
        for (unsigned i = 0; i < cfg_.nodes; i++)
            add_node(i);
        for (unsigned i = 0; cfg_.hubs && i + 1 < cfg_.nodes; i++)
            cable(i, i + 1);
        if (cfg_.hubs && cfg_.closed_ring && cfg_.nodes > 2)
            cable(cfg_.nodes - 1, 0);
        for (auto &n : nodes_)
            node_descs_.push_back({ "test", (unsigned)n.components.size(), n.components.data(),
                                    (unsigned)n.links.size(), n.links.data() });
        desc_.name = "test";
        desc_.window_bytes = UINT64_C(512) << 30;
        desc_.part_bytes = UINT64_C(32) << 30;
        desc_.ps_per_m = 5000;
        desc_.nnodes = (unsigned)node_descs_.size();
        desc_.nodes = node_descs_.data();
        desc_.ncables = (unsigned)cables_.size();
        desc_.cables = cables_.data();
        desc_.net_latency_ps = 1000000;
        desc_.net_bytes_per_us = 1000;
    }
    void add(unsigned node, const char *name, const machine_kind *kind, const Values &values)
    {
        size_t used = 0;

        values_.emplace_back();
        rows_.emplace_back(machine_table_create(kind->params, kind->groups), free);
        for (const machine_param *p = rows_.back().get(); p->key != nullptr; p++) {
            machine_value v = {};
            auto it = values.find(p->key);

            v.param = p;
            v.value = it != values.end() ? it->second : p->def;
            used += it != values.end();
            values_.back().push_back(v);
        }
        EXPECT_EQ(values.size(), used) << name << ": unknown key";
        values_.back().push_back({});
        nodes_[node].components.push_back({ name, kind, values_.back().data() });
    }
    void link(unsigned node, const char *port, const char *component, const char *far_port)
    {
        nodes_[node].links.push_back(
            { node, node, "host", port, component, far_port, 100, nullptr, 0 });
    }
    void cable(unsigned a, unsigned b)
    {
        cables_.push_back({ a, b, "hub", "w", "hub", "e", 1000, nullptr, 0 });
    }
    void add_node(unsigned i)
    {
        nodes_.emplace_back();
        add(i, "host", &node_host_kind, cfg_.host);
        if (cfg_.hubs) {
            add(i, "hub", &hub_kind, cfg_.hub);
            link(i, "p0", "hub", "n");
        }
        add(i, "gpu0", &node_gpu_kind, cfg_.gpu);
        link(i, "p1", "gpu0", "pcie");
        add(i, "gpu1", &node_gpu_kind, cfg_.gpu);
        link(i, "p2", "gpu1", "pcie");
    }
};

} // namespace test
#endif /* TESTS_HOSTS_CLUSTER_H */
