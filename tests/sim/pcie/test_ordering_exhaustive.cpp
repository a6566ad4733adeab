/*
 * The choice of what a port sends, for every sequence of some packets and every set of classes that
 * the receiver keeps waiting: nothing passes what it must not, what must pass does, all arrive.
 */
#include "link_fixture.h"
#include "pcie/tlp/ordering.h"

namespace
{

using namespace test;

enum Kind { WRITE, RELAXED_WRITE, READ, ANSWER, RELAXED_ANSWER, KINDS };
const unsigned LENGTH = 5;
const sim_time_t WAIT_PS =
    SIM_MS; /* what a class that is kept waiting pays for each of its packets */

bool is_write(int k)
{
    return k == WRITE || k == RELAXED_WRITE;
}

bool is_answer(int k)
{
    return k == ANSWER || k == RELAXED_ANSWER;
}

enum Pass { MUST_NOT, MAY, MUST };

/* Table 2-34 in words; all have one requester and traffic class, answers are of different requests.
 */
Pass rule(int later, int earlier)
{
    if (is_write(earlier)) /* the column that keeps producer and consumer in step */
        return later == RELAXED_WRITE || later == RELAXED_ANSWER ? MAY : MUST_NOT;
    if (earlier == READ && (is_write(later) || is_answer(later)))
        return MUST;
    return MAY;
}

pcie_tlp make(End *end, int kind)
{
    static const int kinds[KINDS] = { PCIE_MWR, PCIE_MWR, PCIE_MRD, PCIE_CPLD, PCIE_CPLD };
    pcie_tlp t = end->make(kinds[kind], 64);

    if (kind == RELAXED_WRITE || kind == RELAXED_ANSWER)
        t.attr = PCIE_ATTR_RELAXED;
    return t;
}

struct Case {
    int kinds[LENGTH];
    unsigned waiting; /* bits of pcie_class */
};

pcie_class class_of(int kind)
{
    return is_write(kind) ? PCIE_POSTED : kind == READ ? PCIE_NONPOSTED : PCIE_COMPLETION;
}

/** Where each packet arrived in the row of arrivals; LENGTH: not yet. */
std::vector<size_t> places(const Pair &p)
{
    std::vector<size_t> at(LENGTH, LENGTH);

    for (size_t i = 0; i < p.b.got.size(); i++)
        at[p.b.got[i].id] = i;
    return at;
}

void expect_order(const Case &c, const std::vector<size_t> &at)
{
    for (unsigned later = 0; later < LENGTH; later++)
        for (unsigned earlier = 0; earlier < later; earlier++)
            if (at[later] < at[earlier]) {
                ASSERT_NE(MUST_NOT, rule(c.kinds[later], c.kinds[earlier]))
                    << later << " passed " << earlier;
            }
}

/* Who has a place in the receiver's buffer and still waits has somebody before it that it need not
 * pass. */
void expect_progress(const Case &c, const std::vector<size_t> &at)
{
    unsigned buffered = 0;

    for (unsigned i = 0; i < LENGTH; i++)
        if (at[i] < LENGTH)
            buffered |= c.waiting & 1u << class_of(c.kinds[i]);
    for (unsigned i = 0; i < LENGTH; i++) {
        bool excused = at[i] < LENGTH || (buffered >> class_of(c.kinds[i]) & 1) != 0;

        for (unsigned e = 0; e < i; e++)
            excused =
                excused || (at[e] == LENGTH && (class_of(c.kinds[e]) == class_of(c.kinds[i]) ||
                                                rule(c.kinds[i], c.kinds[e]) != MUST));
        ASSERT_TRUE(excused) << i << " waits for nothing";
    }
}

void run(const Case &c)
{
    Pair p;
    pcie_port_config few = wide_config(2, 8, 256);

    set_credits(&few, 1, 16);
    p.join(wide_config(2, 8, 256), few);
    p.b.consume_delay = [&c](const pcie_tlp &t) {
        return (c.waiting >> pcie_tlp_class(&t) & 1) != 0 ? WAIT_PS : 0;
    };
    for (int kind : c.kinds)
        p.a.todo.push_back(make(&p.a, kind));
    p.a.kick();
    p.run(WAIT_PS / 2);
    expect_progress(c, places(p));
    p.run();
    ASSERT_EQ(LENGTH, p.b.got.size());
    expect_order(c, places(p));
}

class Sequences : public testing::TestWithParam<unsigned>
{
};

TEST_P(Sequences, ComeInAnOrderThatTheTableAllowsAndNoneStands)
{
    Case c = { { (int)GetParam() }, 0 };

    for (unsigned n = 0; n < KINDS * KINDS * KINDS * KINDS; n++) {
        for (unsigned i = 1, left = n; i < LENGTH; i++, left /= KINDS)
            c.kinds[i] = (int)(left % KINDS);
        for (c.waiting = 0; c.waiting < 8; c.waiting++) {
            run(c);
            if (HasFatalFailure())
                FAIL() << "sequence " << c.kinds[0] << c.kinds[1] << c.kinds[2] << c.kinds[3]
                       << c.kinds[4] << ", waiting " << c.waiting;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Sequences, testing::Range(0u, (unsigned)KINDS));

} // namespace
