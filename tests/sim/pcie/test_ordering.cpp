/* The table of order word by word, and that the checkers see each way to break it. */
#include "pcie/tlp/ordering.h"
#include "tests/built.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace
{

pcie_tlp tlp(int kind, unsigned requester = 0x100, unsigned tag = 1)
{
    static mem_payload data;
    pcie_tlp t = {};

    t.kind = (uint8_t)kind;
    t.requester_id = (uint16_t)requester;
    t.tag = (uint8_t)tag;
    t.length_dw = 1;
    if (kind == PCIE_MWR || kind == PCIE_CFGWR0 || kind == PCIE_IOWR || kind == PCIE_CPLD ||
        kind == PCIE_MSGD)
        t.payload = &data; /* its presence is all that counts here */
    return t;
}

pcie_tlp with(pcie_tlp t, unsigned attr, unsigned tc = 0)
{
    t.attr = (uint8_t)attr;
    t.tc = (uint8_t)tc;
    return t;
}

bool pass(const pcie_tlp &later, const pcie_tlp &earlier)
{
    pcie_order_key a = pcie_order_key_of(&later), b = pcie_order_key_of(&earlier);

    return pcie_order_allows(&a, &b);
}

const bool no = false, may = true, must = true;

TEST(OrderTable, SaysWhatTheSpecificationSays)
{
    const pcie_tlp columns[] = { tlp(PCIE_MWR), tlp(PCIE_MRD), tlp(PCIE_CFGWR0),
                                 tlp(PCIE_CPLD, 0x200, 9) };
    const std::vector<std::pair<int, std::vector<bool>>> rows = {
        { PCIE_MWR, { no, must, must, may } },  { PCIE_MSG, { no, must, must, may } },
        { PCIE_MSGD, { no, must, must, may } }, { PCIE_MRD, { no, may, may, may } },
        { PCIE_CFGRD0, { no, may, may, may } }, { PCIE_IORD, { no, may, may, may } },
        { PCIE_CFGWR0, { no, may, may, may } }, { PCIE_IOWR, { no, may, may, may } },
        { PCIE_CPL, { no, must, must, may } },  { PCIE_CPLD, { no, must, must, may } },
    };

    for (auto &row : rows)
        for (unsigned c = 0; c < 4; c++)
            EXPECT_EQ(row.second[c], pass(tlp(row.first), columns[c]))
                << "kind " << row.first << " column " << c + 2;
}

TEST(OrderTable, CompletionsOfOneRequestStayInOrder)
{
    EXPECT_EQ(no, pass(tlp(PCIE_CPLD, 0x100, 5), tlp(PCIE_CPLD, 0x100, 5)));
    EXPECT_EQ(may, pass(tlp(PCIE_CPLD, 0x100, 5), tlp(PCIE_CPLD, 0x100, 6)));
    EXPECT_EQ(may, pass(tlp(PCIE_CPLD, 0x100, 5), tlp(PCIE_CPL, 0x200, 5)));
}

TEST(OrderTable, RelaxedOrderingOfTheLaterOneCounts)
{
    EXPECT_EQ(may, pass(with(tlp(PCIE_MWR), PCIE_ATTR_RELAXED), tlp(PCIE_MWR)));
    EXPECT_EQ(may, pass(with(tlp(PCIE_CPLD), PCIE_ATTR_RELAXED), tlp(PCIE_MWR)));
    EXPECT_EQ(may, pass(with(tlp(PCIE_IOWR), PCIE_ATTR_RELAXED), tlp(PCIE_MWR)));
    EXPECT_EQ(no, pass(with(tlp(PCIE_MRD), PCIE_ATTR_RELAXED), tlp(PCIE_MWR))); /* B2 */
    EXPECT_EQ(no, pass(tlp(PCIE_MWR), with(tlp(PCIE_MWR), PCIE_ATTR_RELAXED)));
}

TEST(OrderTable, IdBasedOrderingSparesOtherFunctionsOnly)
{
    for (int kind : { PCIE_MWR, PCIE_MRD, PCIE_IOWR }) {
        EXPECT_EQ(may, pass(with(tlp(kind, 0x100), PCIE_ATTR_IDO), tlp(PCIE_MWR, 0x200)));
        EXPECT_EQ(no, pass(with(tlp(kind, 0x100), PCIE_ATTR_IDO), tlp(PCIE_MWR, 0x100)));
    }
    /* a completion is from its completer, whatever the requester */
    pcie_tlp cpl = with(tlp(PCIE_CPLD, 0x100), PCIE_ATTR_IDO);
    cpl.completer_id = 0x200;
    EXPECT_EQ(no, pass(cpl, tlp(PCIE_MWR, 0x200)));
    EXPECT_EQ(may, pass(cpl, tlp(PCIE_MWR, 0x300)));
}

TEST(OrderTable, TrafficClassesHaveNoOrder)
{
    EXPECT_EQ(may, pass(with(tlp(PCIE_MWR), 0, 1), tlp(PCIE_MWR)));
    EXPECT_EQ(no, pass(with(tlp(PCIE_MWR), 0, 1), with(tlp(PCIE_MWR), 0, 1)));
}

class Order : public ::testing::Test
{
  protected:
    struct sim *sim;
    sim_domain *dom;
    pcie_order_watch *w;
    pcie_order_end *from, *to;
    sim_error err = {};

    Order()
    {
        sim_config cfg = {};

        cfg.check_order = true;
        sim = sim_create(&cfg);
        dom = sim_domain_create(sim, "d");
        w = pcie_order_watch_create(dom, "x.n", "receive buffer");
        from = pcie_order_end_create(dom, "from");
        to = pcie_order_end_create(dom, "to");
    }
    ~Order() override
    {
        pcie_order_watch_destroy(w);
        pcie_order_end_destroy(from);
        pcie_order_end_destroy(to);
        sim_destroy(sim);
    }
    void enter(uint32_t number, const pcie_tlp &t, uint32_t path = 0)
    {
        pcie_order_enter(w, number, &t, path);
    }
    bool leave(uint32_t number) { return pcie_order_try_leave(w, number, &err); }
    pcie_tlp begin(pcie_tlp t)
    {
        pcie_order_begin(from, &t);
        return t;
    }
    bool arrive(const pcie_tlp &t) { return pcie_order_try_arrive(to, &t, &err); }
};

TEST_F(Order, AQueueMayLetPassWhatTheTableAllows)
{
    enter(1, tlp(PCIE_MRD));
    enter(2, tlp(PCIE_MWR));
    enter(3, tlp(PCIE_CPLD));
    EXPECT_TRUE(leave(2)); /* a write passes a read, */
    EXPECT_TRUE(leave(3)); /* and a completion too: the write is gone */
    EXPECT_TRUE(leave(1));
}

TEST_F(Order, AReadThatPassesAWriteIsSeen)
{
    enter(1, tlp(PCIE_MWR, 0x100, 3));
    enter(2, tlp(PCIE_MRD, 0x200, 4));
    EXPECT_FALSE(leave(2));
    EXPECT_STREQ("x.n, receive buffer: a read request (requester 0200, tag 4) has passed a posted "
                 "request (requester 0100, tag 3): forbidden by table 2-34, B2",
                 err.text);
}

TEST_F(Order, EachForbiddenPairIsSeen)
{
    const std::vector<std::pair<int, int>> pairs = {
        { PCIE_MWR, PCIE_MWR },    { PCIE_MRD, PCIE_MWR }, { PCIE_CFGWR0, PCIE_MWR },
        { PCIE_CPLD, PCIE_MWR },   { PCIE_CPL, PCIE_MSG }, { PCIE_CPLD, PCIE_CPLD },
        { PCIE_CFGRD0, PCIE_MSGD }
    };
    uint32_t n = 0;

    for (auto &p : pairs) {
        pcie_order_clear(w);
        enter(n, tlp(p.second));
        enter(n + 1, tlp(p.first));
        EXPECT_FALSE(leave(n + 1)) << p.first << " " << p.second;
        n += 2;
    }
}

TEST_F(Order, OnlyWhatGoesTheSameWayHasAnOrder)
{
    enter(1, tlp(PCIE_MWR), 0);
    enter(2, tlp(PCIE_MWR), 1);
    enter(3, tlp(PCIE_MWR), 0);
    EXPECT_TRUE(leave(2));
    EXPECT_FALSE(leave(3));
}

TEST_F(Order, ManyInsideAreAllWatched)
{
    enter(0, tlp(PCIE_MRD)); /* stays, so the ring packs and grows behind it */
    for (uint32_t i = 1; i < 1000; i++) {
        enter(2 * i, tlp(PCIE_MWR));
        enter(2 * i + 1, tlp(PCIE_MWR));
        ASSERT_TRUE(leave(i + 1));
    }
    EXPECT_FALSE(leave(1002));
    EXPECT_TRUE(leave(1001));
    EXPECT_TRUE(leave(1003));
    EXPECT_TRUE(leave(0));
}

TEST_F(Order, WhatIsForgottenPassesNothing)
{
    enter(1, tlp(PCIE_MWR));
    enter(2, tlp(PCIE_MRD));
    pcie_order_forget(w, 2);
    EXPECT_TRUE(leave(1));
}

TEST_F(Order, IsKeptFromEndToEnd)
{
    pcie_tlp a = begin(tlp(PCIE_MWR, 0x100, 1)), b = begin(tlp(PCIE_MWR, 0x100, 2)),
             c = begin(tlp(PCIE_MRD, 0x100, 3)), d = begin(tlp(PCIE_MWR, 0x100, 4));

    EXPECT_TRUE(arrive(a));
    EXPECT_TRUE(arrive(d)); /* passes the read, which it may, and b, which it must not: */
    EXPECT_FALSE(arrive(b));
    EXPECT_STREQ("to, on the way here: a posted request (requester 0100, tag 4) has passed a "
                 "posted request (requester 0100, tag 2): forbidden by table 2-34, A2",
                 err.text);
    EXPECT_TRUE(arrive(c));
    EXPECT_TRUE(arrive(begin(tlp(PCIE_CPLD))));
}

TEST_F(Order, RelaxedPacketsMayOvertakeEndToEnd)
{
    pcie_tlp a = begin(tlp(PCIE_MWR)), b = begin(with(tlp(PCIE_CPLD), PCIE_ATTR_RELAXED));

    EXPECT_TRUE(arrive(b));
    EXPECT_TRUE(arrive(a));
}

TEST_F(Order, SourcesAreToldApart)
{
    std::vector<pcie_order_end *> ends;
    std::vector<pcie_tlp> first;

    for (int i = 0; i < 100; i++) {
        ends.push_back(pcie_order_end_create(dom, "other"));
        first.push_back(tlp(PCIE_MWR));
        pcie_order_begin(ends.back(), &first.back());
        pcie_tlp second = tlp(PCIE_MWR);
        pcie_order_begin(ends.back(), &second);
        EXPECT_TRUE(arrive(second));
    }
    for (int i = 0; i < 100; i++) {
        EXPECT_FALSE(arrive(first[i]));
        pcie_order_end_destroy(ends[i]);
    }
}

TEST_F(Order, IsThatOfOneRoute)
{
    auto by = [&](std::vector<unsigned> ports) {
        pcie_tlp t = begin(tlp(PCIE_MWR));

        for (unsigned port : ports)
            pcie_order_by(&t, port);
        return t;
    };
    pcie_tlp a = by({ 0, 1 }), b = by({ 1, 0 }), c = by({ 0, 0 }), d = by({ 0, 1 });

    EXPECT_TRUE(arrive(d));
    EXPECT_TRUE(arrive(c));
    EXPECT_TRUE(arrive(b));
    EXPECT_FALSE(arrive(a));
    pcie_tlp astray = by({ 0, 1, 2 });
    EXPECT_EQ(0u, astray.trace_id);
    EXPECT_TRUE(arrive(astray));
    pcie_tlp strange = tlp(PCIE_MWR); /* its component takes no part */
    pcie_order_by(&strange, 14);
    EXPECT_EQ(0u, strange.trace_id);
}

TEST_F(Order, ABrokenOrderEndsTheProgram)
{
    enter(1, tlp(PCIE_MWR));
    enter(2, tlp(PCIE_CPLD));
    EXPECT_DEATH(pcie_order_leave(w, 2), "x.n, receive buffer: a completion .* has passed a posted "
                                         "request .*: forbidden by table 2-34, D2");
    pcie_tlp a = begin(tlp(PCIE_MWR)), b = begin(tlp(PCIE_MRD));
    pcie_order_arrive(to, &b);
    EXPECT_DEATH(pcie_order_arrive(to, &a), "to, on the way here: a read request");
}

TEST(OrderOff, HasNoCheckers)
{
    if (test::SANITIZED)
        GTEST_SKIP() << "which always have them";
    sim_config cfg = {};
    struct sim *sim = sim_create(&cfg);
    sim_domain *dom = sim_domain_create(sim, "d");

    EXPECT_EQ(nullptr, pcie_order_watch_create(dom, "x", "y"));
    EXPECT_EQ(nullptr, pcie_order_end_create(dom, "x"));
    sim_destroy(sim);
}

} // namespace
