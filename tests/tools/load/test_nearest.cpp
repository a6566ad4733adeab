#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "tools/load/nearest.h"

namespace
{

/** What the hint names; "" where there is none. */
std::string nearest(const char *word, std::initializer_list<const char *> candidates,
                    bool keys = true)
{
    const std::string before = ", did you mean ";
    load_nearest near;

    load_nearest_init(&near, word, keys);
    for (const char *candidate : candidates)
        load_nearest_offer(&near, candidate);
    std::string hint = near.hint;
    if (hint.empty())
        return hint;
    EXPECT_EQ(0u, hint.find(before)) << hint;
    return hint.substr(before.size(), hint.size() - before.size() - 1);
}

TEST(Nearest, AThirdOfTheLettersMayBeWrong)
{
    EXPECT_EQ("pingpong", nearest("pingpogn", { "put", "pingpong", "pongping" }));
    EXPECT_EQ("first", nearest("firsd", { "first", "fires" })) << "of two, what came first";
    EXPECT_EQ("", nearest("ring", { "torus", "rapid" }));
}

TEST(Nearest, ANumberIsNearerToTheNextOneThanToOthers)
{
    for (auto list : { std::initializer_list<const char *>{ "lib-2.0", "lib-2.2" },
                       std::initializer_list<const char *>{ "lib-2.2", "lib-2.0" } })
        EXPECT_EQ("lib-2.2", nearest("lib-2.3", list));
    EXPECT_EQ("ring8", nearest("ring9", { "ring", "ring4", "ring8", "rings" }));
}

TEST(Nearest, TheBeginningOfANameMeansIt)
{
    EXPECT_EQ("hapacs-tca", nearest("hapacs", { "hapacs-tca-sandybridge", "hapacs-tca", "mbcf" }));
    EXPECT_EQ("hapax", nearest("hapac", { "hapacs-tca", "hapax" })) << "what is nearer comes first";
    EXPECT_EQ("", nearest("ha", { "hapacs-tca" })) << "too short to mean anything";
}

TEST(Nearest, AKeyOfTheSameLastWordComesFirst)
{
    EXPECT_EQ("node4.hub.e.link.lanes",
              nearest("node4.hub.e.lanes",
                      { "node4.hub.e.role", "node4.hub.e.link.gen", "node3.hub.e.link.lanes",
                        "node4.hub.e.link.lanes", "node4.hub.e.lane" }));
    EXPECT_EQ("node0.hub.e.link.lanes",
              nearest("node0.hb.e.lanes", { "node0.hub.e.role", "node0.hub.e.link.lanes" }));
    EXPECT_EQ("", nearest("lanes", { "node0.a.long.way.down.planes" })) << "not the whole word";
    EXPECT_EQ("hubs.b", nearest("hub.a", { "hubs.b", "hot.a" })) << "too short to mean anything";
}

TEST(Nearest, ADotInANameDividesNothing)
{
    EXPECT_EQ("", nearest("0", { "lib-2.0" }, false));
    EXPECT_EQ("lib.lanes", nearest("lib.lanes2", { "lib.lanes", "x.lanes2" }, false));
    EXPECT_EQ("", nearest("lanes", { "lib-2.lanes" }, false));
    EXPECT_EQ("lib-2.2", nearest("lib-*.3", { "lib-2.2" }, false)) << "as it is spelt";
}

TEST(Nearest, PartsOfAKeyMayBeLeftOut)
{
    EXPECT_EQ("node*.hub.n.link.lanes",
              nearest("node*.hub.lanes",
                      { "node0.hub.ports", "node0.gpu0.port.lanes", "node0.hub.n.link.lanes" }));
    EXPECT_EQ("port.link.lanes", nearest("lanes", { "mode", "port.link.lanes" }));
    EXPECT_EQ("", nearest("lanes.hub", { "node0.hub.lanes" })) << "in another order";
}

} // namespace
