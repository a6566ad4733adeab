/* Machines from descriptions: what is built, and what is refused with which words. */
#include "../node/machine_fixture.h"

namespace
{

using namespace test;

Builder one_host(Values values = {})
{
    Builder b;

    values.insert({ { "ram_bytes", 1 << 16 }, { "cores", 1 } });
    b.add(0, "host", &node_host_kind, values);
    return b;
}

std::string error_of(const Builder &b)
{
    Machine m(b);

    EXPECT_NE(SIM_OK, m.code);
    EXPECT_EQ(m.code, m.err.code);
    EXPECT_EQ(nullptr, m.m);
    return m.err.text;
}

TEST(Machine, GivesEachNodeADomainAndFindsComponents)
{
    Builder b = one_host();
    const machine_kind *kind = nullptr;

    b.add(1, "host", &node_host_kind, { { "ram_bytes", 1 << 16 } });
    b.add(1, "gpu0", &node_gpu_kind, { { "memory_bytes", 1 << 20 } });
    b.link(1, "host", "p0", "gpu0", "pcie");
    Machine m(b);
    ASSERT_EQ(SIM_OK, m.code) << m.err.text;
    EXPECT_EQ(2u, machine_description(m.m)->nnodes);
    EXPECT_STREQ("node1", sim_domain_name(machine_domain(m.m, 1)));
    EXPECT_NE(machine_domain(m.m, 0), machine_domain(m.m, 1));
    EXPECT_NE(nullptr, machine_component(m.m, 1, "gpu0", &kind));
    EXPECT_EQ(&node_gpu_kind, kind);
    EXPECT_EQ(nullptr, machine_component(m.m, 0, "gpu0", nullptr));
    EXPECT_EQ(nullptr, machine_component(m.m, 2, "host", nullptr));
    EXPECT_EQ(1u, node_host_cores(m.host(0)));
    EXPECT_EQ(16u, node_host_cores(m.host(1))) << "the table's default";
    EXPECT_EQ(machine_domain(m.m, 1), node_host_domain(m.host(1)));
}

TEST(Machine, NodesAreAlikeWhicheverEndsOfTheirCablesTheyAre)
{
    static const machine_param rows[] = { { .key = "e.role" }, { .key = "e.lanes" } };
    machine_value x[3] = {}, y[3] = {};
    machine_kind hub = {}, other = {};
    machine_component_desc c = { "hub", &hub, x }, d = { "hub", &hub, y };
    machine_link_desc l = { 0, 0, "hub", "n", "host", "p0", 100, nullptr, 0 }, k = l;
    machine_node_desc a = { "one", 1, &c, 1, &l }, b = { "two", 1, &d, 1, &k };

    x[0].param = y[0].param = &rows[0];
    x[1].param = y[1].param = &rows[1];
    y[0].value = 1;
    x[1].value = y[1].value = 4;
    l.node_a = l.node_b = 7;
    EXPECT_TRUE(machine_node_alike(&a, &b));
    y[1].value = 8;
    EXPECT_FALSE(machine_node_alike(&a, &b)) << "lanes";
    y[1].value = 4;
    k.length_mm = 200;
    EXPECT_FALSE(machine_node_alike(&a, &b)) << "a length";
    k.length_mm = 100;
    k.port_b = "p1";
    EXPECT_FALSE(machine_node_alike(&a, &b)) << "the end of a link";
    k.port_b = "p0";
    d.kind = &other;
    EXPECT_FALSE(machine_node_alike(&a, &b)) << "a kind";
    d.kind = &hub;
    b.nlinks = 0;
    EXPECT_FALSE(machine_node_alike(&a, &b)) << "a link less";
}

TEST(Machine, AMakeOfAKindIsOfThatKindAndAHubForwards)
{
    static const machine_param rows[] = { { .key = "clock_khz" }, {} };
    machine_kind hub = {}, other = {};
    machine_component_desc c = {};

    hub.params = other.params = rows;
    hub.set_routes = other.set_routes = [](void *, const machine_routes *, sim_error *) -> int {
        return SIM_OK;
    };
    for (const machine_kind *kind : { &hub, &other }) {
        c.kind = kind;
        EXPECT_TRUE(machine_is_kind(&c, &hub));
        EXPECT_FALSE(machine_is_kind(&c, &node_host_kind));
        EXPECT_TRUE(machine_is_router(&c));
    }
    c.kind = &node_host_kind;
    EXPECT_FALSE(machine_is_kind(&c, &hub));
    EXPECT_FALSE(machine_is_router(&c));
}

TEST(Machine, MemoryComesFromTheGivenMap)
{
    struct Maps {
        std::vector<std::string> calls;
        std::vector<std::vector<uint8_t>> blocks;
    } maps;
    Builder b = one_host();
    Machine plain(b); /* borrows its description */
    machine *m = nullptr;
    sim_config cfg = {};
    sim_error err = {};

    ASSERT_EQ(SIM_OK, machine_create(
                          plain.m != nullptr ? &plain.b.desc : nullptr, &cfg,
                          [](void *arg, unsigned node, const char *path, uint64_t bytes) -> void * {
                              Maps *to = static_cast<Maps *>(arg);
                              to->calls.push_back(std::to_string(node) + " " + path);
                              to->blocks.emplace_back(bytes);
                              return to->blocks.back().data();
                          },
                          &maps, &m, &err));
    auto *host = static_cast<node_host *>(machine_component(m, 0, "host", nullptr));
    EXPECT_EQ(std::vector<std::string>{ "0 node0.host.ram" }, maps.calls);
    EXPECT_EQ(maps.blocks[0].data(), node_host_ram(host)->bytes);
    machine_destroy(m);
    EXPECT_EQ(SIM_ERR_NOMEM,
              machine_create(
                  &plain.b.desc, &cfg,
                  [](void *, unsigned, const char *, uint64_t) -> void * { return nullptr; },
                  nullptr, &m, &err));
    EXPECT_STREQ("node0.host.ram_bytes = 65536: out of memory",
                 err.text + strlen("test.yaml:10: "));
}

TEST(Machine, AValueIsInItsRange)
{
    EXPECT_DEATH(Machine(one_host({ { "cores", 0 } })), "param->min");
}

TEST(Machine, AValueThatAKindRefusesIsNamedWithItsPlace)
{
    std::string text = error_of(one_host({ { "rc.completion_bytes", 100 } }));
    EXPECT_EQ("node0.host.rc.completion_bytes = 100: expected a power of two",
              text.substr(text.find(' ') + 1));
    EXPECT_EQ(0u, text.find("test.yaml:"));
    text = error_of(one_host({ { "port.lanes", 3 } }));
    EXPECT_EQ("node0.host.p0: lanes = 3: expected 1, 2, 4, 8 or 16",
              text.substr(text.find(' ') + 1));
    EXPECT_EQ(0u, text.find("test.yaml:"));
    text = error_of(one_host({ { "ram_base", 0xfee00000 } }));
    EXPECT_EQ("node0.host.ram_base = 4276092928: DRAM covers the interrupt addresses at 0xfee00000",
              text.substr(text.find(' ') + 1));
}

TEST(Machine, TwoComponentsOfOneNameAreRefused)
{
    Builder b = one_host();

    b.add(0, "host", device_kind());
    EXPECT_EQ("node0.host: two components of this name", error_of(b));
}

TEST(Machine, NoNodesAreRefused)
{
    EXPECT_EQ("test: a machine needs a node", error_of(Builder()));
}

struct Links : testing::Test {
    Builder b = one_host();
    Links()
    {
        b.add(0, "a", device_kind());
        b.add(0, "b", device_kind());
        b.link(0, "host", "p0", "a", "up", 0, 5);
    }
};

TEST_F(Links, AnUnknownPortIsRefused)
{
    b.link(0, "host", "p9", "b", "up", 0, 6);
    EXPECT_EQ("test.yaml:6: node0.host.p9: a host has no such port", error_of(b));
}

TEST_F(Links, AnUnknownComponentIsRefused)
{
    b.link(0, "host", "p1", "c", "up", 0, 6);
    EXPECT_EQ("test.yaml:6: node0.c.up: there is no such component", error_of(b));
}

TEST_F(Links, APortJoinedTwiceIsRefused)
{
    b.link(0, "host", "p0", "b", "up", 0, 6);
    EXPECT_EQ("test.yaml:6: node0.host.p0 is joined twice", error_of(b));
}

TEST_F(Links, APortJoinedByALinkAndACableIsRefused)
{
    b.add(1, "x", device_kind());
    b.cable(0, "a", "up", 1, "x", "up");
    std::string text = error_of(b);
    EXPECT_EQ("test.yaml:7: ", text.substr(0, 13));
    EXPECT_NE(std::string::npos, text.find("is connected already")) << text;
}

TEST_F(Links, APortJoinedToItselfIsRefused)
{
    b.link(0, "b", "up", "b", "up", 0, 6);
    EXPECT_EQ("test.yaml:6: node0.b.up is joined twice", error_of(b));
}

TEST_F(Links, ProtocolsMustAgree)
{
    b.link(0, "host", "net", "b", "up", 0, 6);
    EXPECT_EQ("test.yaml:6: node0.host.net speaks net, but node0.b.up speaks pcie", error_of(b));
}

TEST_F(Links, PayloadSizesBehindOneHostMustAgree)
{
    b.add(0, "c", device_kind(), { { "port.mps_bytes", 128 } });
    b.link(0, "host", "p1", "c", "up", 0, 6);
    EXPECT_EQ("node0.host.p1: Max_Payload_Size (mps_bytes) of its link is 128, of another one 256: "
              "expected one size for all devices of a host",
              error_of(b));
}

TEST_F(Links, ALinkFasterThanTheLookaheadIsRefused)
{
    Builder fast = one_host({ { "port.tx_latency_ps", 0 }, { "port.rx_latency_ps", 0 } });
    fast.add(0, "a", device_kind(), { { "port.tx_latency_ps", 0 }, { "port.rx_latency_ps", 0 } });
    fast.link(0, "host", "p0", "a", "up", 100, 5);
    std::string text = error_of(fast);
    EXPECT_EQ("test.yaml:5: ", text.substr(0, 13));
    EXPECT_NE(std::string::npos, text.find("expected at least 1000")) << text;
    fast.links[0][0].length_mm = 200; /* 5 ns a metre */
    EXPECT_EQ(SIM_OK, Machine(fast).code);
}

TEST(Cables, LengthIsPropagationDelay)
{
    auto arrival = [](uint64_t mm) {
        Builder b;
        b.add(0, "a", device_kind());
        b.add(1, "b", device_kind());
        b.cable(0, "a", "up", 1, "b", "up", mm);
        return in_all_orders(b, [](Machine &m) {
            Device *a = m.device("a", 0);
            m.run();
            sim_time_t start = column(m.now() + SIM_NS);
            a->out.push_back(a->write(UINT64_C(1) << 40, { 1, 2, 3, 4 }));
            a->wake_at(start);
            m.run();
            return m.device("b", 1)->seen[0].time - start;
        });
    };
    EXPECT_EQ(arrival(0) + 15000, arrival(3000));
}

/* A router of the test shows what it is given. */
struct Router {
    machine_routes routes;
    pcie_port *dummy;
};

const machine_kind *router_kind()
{
    static const machine_param params[] = { MACHINE_PARAM_END };
    static const char *const ports[] = { "n", "e", "w", nullptr };
    static const machine_kind kind = [] {
        machine_kind k = {};

        k.name = "test.router";
        k.summary = "shows its routes";
        k.params = params;
        k.ports = ports;
        k.create = [](const machine_place *, const void *, void **component_p, sim_error *) -> int {
            *component_p = new Router();
            return SIM_OK;
        };
        k.port = [](void *component, unsigned index) -> machine_port {
            return { "test", static_cast<char *>(component) + index,
                     [](void *, void *, sim_time_t, sim_error *) -> int { return SIM_OK; } };
        };
        k.set_routes = [](void *component, const machine_routes *routes, sim_error *) -> int {
            static_cast<Router *>(component)->routes = *routes;
            return SIM_OK;
        };
        k.destroy = [](void *component) { delete static_cast<Router *>(component); };
        return k;
    }();
    return &kind;
}

Builder ring_of_four(const machine_kind *kind)
{
    Builder b;

    for (unsigned i = 0; i < 4; i++)
        b.add(i, "hub", kind);
    for (unsigned i = 0; i < 4; i++)
        b.cable(i, "hub", "e", (i + 1) % 4, "hub", "w");
    b.desc.window_bytes = UINT64_C(512) << 30;
    b.desc.part_bytes = UINT64_C(32) << 30;
    return b;
}

TEST(Machine, TellsRoutersTheirPlaceAndWays)
{
    Machine m(ring_of_four(router_kind()));
    ASSERT_EQ(SIM_OK, m.code) << m.err.text;
    auto *r = static_cast<Router *>(machine_component(m.m, 1, "hub", nullptr));
    EXPECT_EQ(1u, r->routes.slot);
    EXPECT_EQ(2u, r->routes.nranges);
    EXPECT_STREQ("w", r->routes.ranges[0].port);
    EXPECT_STREQ("e", r->routes.ranges[1].port);
    EXPECT_EQ(2u, r->routes.ranges[1].first);
    EXPECT_EQ(3u, r->routes.ranges[1].last);
}

/* A kind may name a port by any text that reads the same, and not by another. */
TEST(Machine, RegistersThatLeadElsewhereAreFound)
{
    machine_kind kind = *router_kind();

    kind.route = [](void *component, unsigned slot) -> const char * {
        static const char e[] = "e", w[] = "w"; /* not those of the table of ports */
        const machine_routes &routes = static_cast<Router *>(component)->routes;
        unsigned i = 0;

        while (routes.ranges[i].last < slot)
            i++;
        return routes.ranges[i].port[0] == 'e' ? e : w;
    };
    EXPECT_EQ(SIM_OK, Machine(ring_of_four(&kind)).code);
    kind.route = [](void *, unsigned) -> const char * { return "e"; };
    EXPECT_DEATH(Machine(ring_of_four(&kind)), "range->port");
    kind.route = [](void *, unsigned) -> const char * { return nullptr; };
    EXPECT_DEATH(Machine(ring_of_four(&kind)), "port != NULL");
}

TEST(Machine, RefusesAWindowThatIsNoPowerOfTwo)
{
    Builder b;

    b.add(0, "hub", router_kind());
    b.desc.window_bytes = 3 << 20;
    b.desc.part_bytes = 1 << 20;
    EXPECT_EQ(
        "test: window_bytes = 3145728, part_bytes = 1048576: expected powers of two, the part "
        "within the window",
        error_of(b));
}

const machine_fault_kind *fault_named(const char *name)
{
    const machine_fault_kind *kind = node_host_kind.faults;

    while (std::string(kind->name) != name)
        kind++;
    return kind;
}

TEST(Machine, FaultsReachTheirComponentsOrAreRefused)
{
    Machine plain(one_host()); /* borrows its description */
    machine_desc desc = plain.b.desc;
    const uint64_t dead[] = { 5, 7 }, rate[] = { 1 };
    const struct {
        machine_fault_desc fault;
        const char *message; /* nullptr: taken */
    } cases[] = {
        { { 0, "host", nullptr, fault_named("dead"), dead, "f.yaml", 3 }, nullptr },
        { { 0, "hots", nullptr, fault_named("dead"), dead, "f.yaml", 3 },
          "f.yaml:3: node0.hots: expected what can have the fault dead" },
        { { 0, "host", "p0", fault_named("dead"), dead, nullptr, 0 },
          "node0.host: expected what can have the fault dead" },
        { { 0, "host", "net", fault_named("bit_error_rate"), rate, nullptr, 0 },
          "net: expected a PCI Express port" },
        { { 0, "host", "p0", fault_named("bit_error_rate"), rate, nullptr, 0 },
          "node0.host.p0: a port that is not connected has no faults" },
    };

    desc.nfaults = 1;
    for (const auto &c : cases) {
        machine *m = nullptr;
        sim_config cfg = {};
        sim_error err = {};

        desc.faults = &c.fault;
        EXPECT_EQ(c.message == nullptr,
                  machine_create(&desc, &cfg, nullptr, nullptr, &m, &err) == SIM_OK);
        EXPECT_STREQ(c.message != nullptr ? c.message : "", err.text);
        machine_destroy(m);
    }
}

TEST(Machine, AFaultsValueIsInItsRange)
{
    Machine plain(one_host()); /* borrows its description */
    machine_desc desc = plain.b.desc;
    const uint64_t late[] = { 0, 1000000, 0, 0, 0, 0 };
    const machine_fault_desc slow = { 0, "host", nullptr, fault_named("slow"), late, nullptr, 0 };
    const sim_config cfg = {};
    machine *m = nullptr;
    sim_error err = {};

    desc.nfaults = 1;
    desc.faults = &slow;
    EXPECT_DEATH(machine_create(&desc, &cfg, nullptr, nullptr, &m, &err), "params\\[i\\].min");
}

} // namespace
