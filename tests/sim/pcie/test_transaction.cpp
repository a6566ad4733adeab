/* What a port does with the packets that it gets and sends: malformed ones, and the order. */
#include "link_fixture.h"
#include "pcie/port/aer.h"
#include "pcie/tlp/ordering.h"

namespace
{

using namespace test;

pcie_tlp request(int kind, uint64_t addr, uint16_t dw)
{
    pcie_tlp t = {};

    t.kind = (uint8_t)kind;
    t.addr = addr;
    t.length_dw = dw;
    t.first_be = 0xf;
    t.last_be = dw > 1 ? 0xf : 0;
    return t;
}

bool malformed(pcie_tlp t, uint32_t bytes)
{
    return pcie_tlp_malformed(&t, bytes, 256) != nullptr;
}

TEST(Malformed, IsWhatBreaksARuleOfTheHeader)
{
    EXPECT_FALSE(malformed(request(PCIE_MWR, 0x1000, 64), 256));
    EXPECT_TRUE(malformed(request(PCIE_MWR, 0x1000, 65), 260)) << "above Max_Payload_Size";
    EXPECT_TRUE(malformed(request(PCIE_MWR, 0x1000, 64), 252)) << "Length says another size";
    EXPECT_TRUE(malformed(request(PCIE_MWR, 0x1000, 1), 0)) << "no data";
    EXPECT_TRUE(malformed(request(PCIE_MRD, 0x1000, 1), 4)) << "data";
    EXPECT_FALSE(malformed(request(PCIE_MRD, 0x0ff0, 4), 0));
    EXPECT_TRUE(malformed(request(PCIE_MRD, 0x0ff0, 5), 0)) << "crosses 4 KiB";
    EXPECT_FALSE(malformed(request(PCIE_MRD, 0, 1024), 0));
    EXPECT_TRUE(malformed(request(PCIE_MRD, 4, 1024), 0));
    EXPECT_TRUE(malformed(request(PCIE_CFGRD0, 0, 2), 0)) << "two double words";
}

TEST(Malformed, ByteEnablesHaveRules)
{
    pcie_tlp one = request(PCIE_MRD, 0x1000, 1), two = request(PCIE_MRD, 0x1000, 2),
             four = request(PCIE_MRD, 0x1000, 4);

    one.first_be = 0;
    EXPECT_FALSE(malformed(one, 0)); /* zero length */
    one.first_be = 0x5;
    EXPECT_FALSE(malformed(one, 0));
    one.last_be = 1;
    EXPECT_TRUE(malformed(one, 0));
    two.first_be = 0x5, two.last_be = 0xa;
    EXPECT_FALSE(malformed(two, 0)); /* eight aligned bytes may have gaps */
    two.addr = 0x1004;
    EXPECT_TRUE(malformed(two, 0));
    two = request(PCIE_MRD, 0x1000, 2);
    two.last_be = 0;
    EXPECT_TRUE(malformed(two, 0));
    four.first_be = 0x9;
    EXPECT_TRUE(malformed(four, 0));
    four.first_be = 0x8, four.last_be = 0x1;
    EXPECT_FALSE(malformed(four, 0));
}

TEST(Malformed, ConfigurationHasNoClassAndNoAttributes)
{
    pcie_tlp t = request(PCIE_CFGWR0, 0x10, 1);

    EXPECT_FALSE(malformed(t, 4));
    t.tc = 1;
    EXPECT_TRUE(malformed(t, 4));
    t.tc = 0, t.attr = 2;
    EXPECT_TRUE(malformed(t, 4));
    t.attr = 0, t.last_be = 1;
    EXPECT_TRUE(malformed(t, 4));
}

TEST(Malformed, TlpGoesNoFurtherAndItsCreditsDoNotComeBack)
{
    Pair p;
    pcie_port_config c = wide_config(2, 8, 256);
    pcie_function fn;

    set_credits(&c, 4, 64);
    p.join(c, c);
    pcie_function_init(&fn, 0x1172, 4, 0x068000);
    pcie_port_set_function(p.b.port, &fn);
    for (int i = 0; i < 2; i++) {
        p.a.add(PCIE_MWR, 64);
        p.a.add(PCIE_MRD, 64);
        p.a.todo.push_back(request(PCIE_MRD, 0xff8, 16));
    }
    p.a.kick();
    p.run();
    EXPECT_EQ(4u, p.b.got.size());
    EXPECT_EQ(2u, p.stat("b.errors.uncorrectable"));
    EXPECT_EQ(UINT32_C(1) << PCIE_ERR_MALFORMED, pcie_function_read(&fn, PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(PCIE_STATUS_FATAL, pcie_function_read(&fn, PCIE_CFG_DEVICE_CONTROL) & 0xffff0000u);
    EXPECT_EQ(0x00000010u, pcie_function_read(&fn, PCIE_AER_HEADER_LOG));
    EXPECT_EQ(0x00000ff8u, pcie_function_read(&fn, PCIE_AER_HEADER_LOG + 8));
    for (int i = 0; i < 2; i++)
        p.a.todo.push_back(request(PCIE_MRD, 0xff8, 16));
    p.a.add(PCIE_MRD, 64); /* all four non-posted credits are lost by now */
    p.a.kick();
    p.run();
    EXPECT_EQ(4u, p.b.got.size());
    EXPECT_STREQ("non-posted header credits", pcie_port_lacks(p.a.port, PCIE_NONPOSTED));
}

/** Writes without credits stand in the queue of `a`; behind them a completion. @return arrivals */
std::vector<int> behind_blocked_writes(pcie_tlp last, Pair &p)
{
    pcie_port_config c = wide_config(2, 8, 256), few = c;
    std::vector<int> classes;

    few.ph_credits = 1;
    p.join(c, few);
    p.b.consume = false;
    for (int i = 0; i < 3; i++)
        p.a.add(PCIE_MWR, 64);
    p.a.todo.push_back(last);
    p.a.kick();
    p.run();
    for (const Arrival &a : p.b.got)
        classes.push_back(a.cls);
    return classes;
}

/* A payload that is filled while its packet is on its way, at the first one's last bytes. */
TEST(Late, PayloadIsThatOfItsArrival)
{
    for (bool two_domains : { false, true }) {
        Pair p({}, two_domains);
        struct Fill {
            sim_event ev;
            mem_payload *payload;
        } fill;
        std::vector<uint8_t> last;
        pcie_tlp first;

        p.join(wide_config(2, 8, 256), wide_config(2, 8, 256));
        first = p.a.make(PCIE_MWR, 256);
        first.payload->late = true;
        fill.payload = first.payload;
        sim_event_init(&fill.ev, [](sim_event *ev) {
            mem_payload *payload = reinterpret_cast<Fill *>(ev)->payload;

            payload->data[255] = 0xa5;
            payload->late = false;
        });
        p.b.on_tlp = [&last](const pcie_tlp &tlp) { last.push_back(tlp.payload->data[255]); };
        p.a.todo.push_back(first);
        p.a.add(PCIE_MWR, 256);
        sim_schedule_at(p.a.dom, &fill.ev, 10 * SIM_US + 64 * SIM_NS, SIM_CLOCK);
        sim_schedule_at(p.a.dom, &p.a.pump_hook.ev, 10 * SIM_US, SIM_CLOCK);
        p.run();
        EXPECT_EQ((std::vector<uint8_t>{ 0xa5, static_cast<uint8_t>(7 + 255) }), last);
        p.settle();
        EXPECT_EQ(0u, mem_pool_in_use(p.a.pool)) << "acknowledged";
    }
}

TEST(Choice, RelaxedCompletionsPassBlockedWrites)
{
    for (uint8_t attr : { 0u, PCIE_ATTR_RELAXED }) {
        Pair p;
        pcie_tlp cpl = p.a.make(PCIE_CPLD, 64);

        cpl.attr = attr;
        std::vector<int> want = { PCIE_POSTED };
        if (attr != 0)
            want.push_back(PCIE_COMPLETION);
        EXPECT_EQ(want, behind_blocked_writes(cpl, p));
    }
}

TEST(Choice, RelaxedReadsDoNot)
{
    Pair p;
    pcie_tlp read = p.a.make(PCIE_MRD, 64);

    read.attr = PCIE_ATTR_RELAXED;
    EXPECT_EQ(std::vector<int>{ PCIE_POSTED }, behind_blocked_writes(read, p));
}

TEST(Choice, OtherFunctionsAndTrafficClassesPass)
{
    for (int what : { 0, 1 }) {
        Pair p;
        pcie_tlp read = p.a.make(PCIE_MRD, 64);

        if (what == 0)
            read.requester_id = 0x300, read.attr = PCIE_ATTR_IDO;
        else
            read.tc = 1;
        EXPECT_EQ((std::vector<int>{ PCIE_POSTED, PCIE_NONPOSTED }),
                  behind_blocked_writes(read, p));
    }
}

} // namespace
