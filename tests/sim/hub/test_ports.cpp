/* Hubs with other ports than PEACH2 has. */
#include "rig.h"

namespace
{

class Ports : public HubRig
{
  protected:
    static constexpr unsigned kNodes = 4, kWrites = 400;

    /** Each host writes more than the buffers hold to the one before it, round the ring. */
    unsigned flood()
    {
        unsigned n = 0;

        closed = true;
        build(kNodes);
        for (unsigned i = 0; i < kNodes; i++)
            for (uint32_t k = 0; k < kWrites; k++) {
                uint32_t words[64] = { k };
                hosts[i].write(area((i + kNodes - 1) % kNodes, HUB_AREA_GPU0) + k * 256, words,
                               256);
            }
        run();
        for (FakeHost &h : hosts)
            for (uint32_t k = 0; k < kWrites; k++)
                n += memcmp(&h.gpu[k * 256], &k, 4) == 0 && h.written.count(kGpu + k * 256) != 0;
        TearDown();
        return n;
    }
};

TEST_F(Ports, AllOfThemCarryTraffic)
{
    cfg.ports = HUB_MAX_PORTS;
    for (auto &[a, b] : std::map<const char *, const char *>{
             { "e", "w" }, { "a", "b" }, { "c", "d" }, { "f", "g" }, { "h", "i" } }) {
        east = a, west = b;
        EXPECT_EQ(kNodes * kWrites, flood()) << east;
    }
}

TEST_F(Ports, AFewAreEnough)
{
    cfg.ports = 3;
    EXPECT_EQ(kNodes * kWrites, flood());
}

/* With buffers of four packets, a ring without a free place fills up. */
TEST_F(Ports, PartnersKeepTheirRingMoving)
{
    cfg.ports = 8;
    east = "c", west = "d";
    for (auto &port : cfg.port)
        port.ph_credits = 4, port.pd_credits = 64;
    EXPECT_EQ(kNodes * kWrites, flood());
    cfg.ring[HUB_PORT_c] = cfg.ring[HUB_PORT_d] = 0;
    EXPECT_GT(kNodes * kWrites, flood());
}

/* So nothing enters a ring by it, and its link has no virtual channel 1. */
TEST_F(Ports, OneWithoutItsPartnerCarriesNoRing)
{
    cfg.vc1_ph_credits = 4;
    for (auto &[ports, last] :
         std::map<uint64_t, const char *>{ { 2, "e" }, { 5, "a" }, { 7, "c" } }) {
        uint32_t p = hub_port_find(last);

        cfg.ports = ports;
        EXPECT_EQ(uint32_t(HUB_PORT_NONE), hub_port_partner(&cfg, p)) << last;
        EXPECT_EQ(nullptr, hub_ring(&cfg, last).partner) << last;
        cfg.ports = ports + 1;
        EXPECT_EQ(p + 1, hub_port_partner(&cfg, p)) << last;
        EXPECT_EQ(p, hub_port_partner(&cfg, p + 1)) << last;
    }
    cfg.ports = 2;
    EXPECT_EQ(uint32_t(HUB_PORT_NONE), hub_port_partner(&cfg, HUB_PORT_a));
}

TEST_F(Ports, RegistersHaveRoomForAll)
{
    cfg.ports = HUB_MAX_PORTS;
    east = "h", west = "i";
    build(2);
    EXPECT_EQ(12u, load(0, reg(0, HUB_ID)) >> 32 & 0xff);
    EXPECT_EQ(1u | 1u << HUB_PORT_h, load(0, reg(0, HUB_LINK_STATUS)));
    EXPECT_EQ(kPart, load(0, reg(0, HUB_ROUTE_LOWER(HUB_PORT_h, 0))));
    EXPECT_EQ(0u, load(0, reg(0, HUB_ROUTE_LOWER(HUB_PORT_i, 0))));
}

TEST_F(Ports, PartnersNameEachOther)
{
    machine_place place = {};
    sim_error err = {};
    void *hub = nullptr;

    place.path = "node0.hub";
    cfg.ports = 8;
    cfg.ring[HUB_PORT_c] = 3; /* f */
    EXPECT_EQ(SIM_ERR_CONFIG, hub_kind.create(&place, &cfg, &hub, &err));
    EXPECT_STREQ("node0.hub.c.ring = f: expected none, or a port whose ring is c", err.text);
    EXPECT_EQ(SIM_CAUSE_VALUE, err.cause);
    EXPECT_STREQ("c.ring", err.key);
    EXPECT_EQ(3u, err.value);

    err = {};
    cfg = defaults();
    cfg.ports = 8;
    cfg.ring[HUB_PORT_d] = 0; /* that is what was changed, and c's is not */
    EXPECT_EQ(SIM_ERR_CONFIG, hub_kind.create(&place, &cfg, &hub, &err));
    EXPECT_STREQ("node0.hub.d.ring = none: expected c, whose ring is d", err.text);
    EXPECT_STREQ("d.ring", err.key);
}

} // namespace
