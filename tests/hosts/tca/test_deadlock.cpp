/* What `hubsim topology` predicts of machines whose buffers fill up, and what then happens. */
#include "tests/built.h"
#include "tests/hosts/tca/flood.h"
#include "tests/hosts/tca/random_machine.h"

#include "tools/lab/topology/topology.h"

namespace
{

using test::Circle;
using test::happened;
using test::MachineFile;
using test::RandomMachine;

Circle predicted(const MachineFile &file)
{
    lab_topology topo;
    sim_error err = {};
    Circle names;

    EXPECT_EQ(SIM_OK, attempt(&err, [&] { lab_topology_create(file.desc(), &topo); })) << err.text;
    std::vector<unsigned> links(2 * topo.nlinks);
    links.resize(lab_topology_deadlock(&topo, links.data()));
    for (unsigned l : links)
        names.push_back(std::string(topo.hubs[topo.links[l].from]) + "." + topo.links[l].port_from);
    lab_topology_fini(&topo);
    return names.empty() ? names : test::turned(names);
}

/* ---- rings ------------------------------------------------------------------------- */

const std::vector<const char *> small_buffers = { "node*.hub.ddr.bytes=0",
                                                  "node*.hub.*.link.ph_credits=4",
                                                  "node*.hub.*.link.pd_credits=64" };

std::vector<const char *> with(std::vector<const char *> sets, const char *more)
{
    sets.push_back(more);
    return sets;
}

TEST(Deadlock, OfARingIsTheOneThatWasPredicted)
{
    for (const char *name : { "ring8", "one-way-ring8", "dual-ring8" }) {
        MachineFile file(name, with(small_buffers, "node*.hub.bubble_tlps=1"));
        Circle circle = happened(file);

        EXPECT_FALSE(circle.empty()) << name;
        EXPECT_EQ(strcmp(name, "dual-ring8") == 0 ? 4u : 8u, circle.size()) << name;
        if (strcmp(name, "one-way-ring8") == 0) /* there is but this one */
            EXPECT_EQ(predicted(file), circle);
        else
            EXPECT_EQ(circle.size(), predicted(file).size());
    }
}

TEST(Deadlock, DoesNotComeWhereAPlaceStaysFree)
{
    for (const char *name : { "ring8", "one-way-ring8", "dual-ring8", "torus16" }) {
        MachineFile file(name, small_buffers);

        EXPECT_EQ(Circle(), predicted(file)) << name;
        EXPECT_EQ(Circle(), happened(file)) << name;
    }
}

/* The machines of docs/deadlock.md. */
TEST(Deadlock, ComesOrNotAsThePageTells)
{
    const std::vector<const char *> off = { "node*.hub.bubble_tlps=1", "node*.hub.ddr.bytes=0" };
    MachineFile small("small-buffers-ring8");

    EXPECT_EQ(8u, predicted(small).size());
    EXPECT_EQ(8u, happened(small).size()) << "one way round or the other";
    for (const char *name : { "date-line-ring8", "up-down-ring8" }) {
        MachineFile file(name, off);

        EXPECT_EQ(Circle(), predicted(file)) << name;
        EXPECT_EQ(Circle(), happened(file)) << name;
    }
}

const std::vector<const char *> two_channels = {
    "node*.hub.ddr.bytes=0",          "node*.hub.bubble_tlps=1",    "node*.hub.*.link.ph_credits=4",
    "node*.hub.*.link.pd_credits=64", "node*.hub.vc1.ph_credits=4", "node*.hub.vc1.pd_credits=64",
};

TEST(Deadlock, DoesNotComeWherePacketsChangeTheirChannelOnce)
{
    for (const char *name : { "ring8", "one-way-ring8" }) {
        MachineFile file(name, with(two_channels, "node5.hub.date_line.ew=1"));

        EXPECT_EQ(Circle(), predicted(file)) << name;
        EXPECT_EQ(Circle(), happened(file)) << name;
    }
    /* Rows of the torus have it at their first node, columns in the first row. */
    std::vector<const char *> lines = two_channels;
    for (const char *line :
         { "node0.hub.date_line.*=1", "node4.hub.date_line.ew=1", "node8.hub.date_line.ew=1",
           "node12.hub.date_line.ew=1", "node1.hub.date_line.ab=1", "node2.hub.date_line.ab=1" })
        lines.push_back(line);
    MachineFile but_one("torus16", lines);
    EXPECT_EQ(4u, predicted(but_one).size()) << "the last column has none";
    MachineFile all("torus16", with(lines, "node3.hub.date_line.ab=1"));
    EXPECT_EQ(Circle(), predicted(all));
    EXPECT_EQ(Circle(), happened(all));
}

TEST(Deadlock, ComesWhereNoHubIsTheDateLineOrEachIs)
{
    for (const char *line : { "node*.hub.date_line.ew=0", "node*.hub.date_line.ew=1" }) {
        MachineFile file("ring8", with(two_channels, line));

        EXPECT_EQ(8u, predicted(file).size()) << line;
        EXPECT_EQ(8u, happened(file).size()) << line;
    }
}

/* What comes from channel 0 to the second line fills the ring of channel 1 that the two close,
 * although all that enters it leaves a free place. */
TEST(Deadlock, ComesWherePacketsPassTwoDateLinesUnasked)
{
    std::vector<const char *> sets = two_channels;

    for (const char *more : { "node*.hub.bubble_tlps=2", "node*.hub.vc1.ph_credits=2",
                              "node*.hub.vc1.pd_credits=32", "node*.hub.arbiter=fixed-priority",
                              "node0.hub.date_line.ew=1", "node4.hub.date_line.ew=1" })
        sets.push_back(more);
    MachineFile file("one-way-ring8", sets);

    EXPECT_EQ(8u, predicted(file).size());
    EXPECT_EQ(8u, happened(file).size());
}

/* One hub asks for more places than its neighbour has: it waits for all of them. */
TEST(Deadlock, DoesNotComeFromAskingForTooMuch)
{
    MachineFile file("ring8", { "node*.hub.ddr.bytes=0", "node*.hub.bubble_tlps=4",
                                "node3.hub.bubble_tlps=2", "node3.hub.*.link.ph_credits=2",
                                "node3.hub.*.link.pd_credits=32" });

    EXPECT_EQ(Circle(), predicted(file));
    EXPECT_EQ(Circle(), happened(file));
}

/* ---- machines at random -------------------------------------------------------------- */

const unsigned MACHINES = test::SANITIZED ? 20 : 60;

TEST(Deadlock, NeverComesWhereNoneIsPossible)
{
    unsigned safe = 0, possible = 0, came = 0;

    for (unsigned seed = 0; seed < MACHINES; seed++) {
        RandomMachine m(seed);
        unsigned headers = 3 + m.pick(3);
        std::vector<std::string> sets = {
            "node*.hub.bubble_tlps=" + std::to_string(1 + m.pick(3)),
            "node*.hub.*.link.ph_credits=" + std::to_string(headers),
            "node*.hub.*.link.pd_credits=" + std::to_string(headers * 16),
            "node*.hub.ddr.bytes=" + std::to_string(256 * m.pick(3)),
            "node*.hub.ddr.chip_tlps=" + std::to_string(1 + m.pick(2)),
            "node*.hub.ddr.cycles=" + std::to_string(m.pick(2) != 0 ? 50 : 1000),
            "node*.hub.vc1.ph_credits=" + std::to_string(2 * m.pick(2)),
            "node" + std::to_string(m.pick(3)) + ".hub.date_line.ew=1",
            "node" + std::to_string(m.pick(3)) + ".hub.date_line.ab=1",
        };
        std::vector<const char *> set;
        std::string text = m.text();

        for (const std::string &s : sets)
            set.push_back(s.c_str());
        MachineFile file(text, set);
        for (const std::string &s : sets)
            text += "\n" + s;
        SCOPED_TRACE(text);
        Circle before = predicted(file), circle = happened(file);

        safe += before.empty();
        possible += !before.empty();
        came += !circle.empty();
        if (before.empty()) {
            EXPECT_EQ(Circle(), circle);
        }
    }
    EXPECT_LT(MACHINES * 5 / 12, safe);
    EXPECT_LT(MACHINES / 5, possible);
    EXPECT_LT(possible / 2, came) << "or this floods nothing";
}

} // namespace
