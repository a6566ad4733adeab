/* What `hubsim topology --svg` and scripts/plot.py draw. */
#include <array>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

#include "tests/built.h"
#include "tests/folder.h"

namespace
{

struct Place {
    double x, y;
};

class Topology : public test::Shell
{
  protected:
    void draw(const std::string &machine)
    {
        static const std::regex circle("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
        static const std::regex size("viewBox=\"0 0 ([0-9]+) ([0-9]+)\"");
        std::smatch match;

        ASSERT_EQ(0, sh(test::HUBSIM + " topology " + machine + " --svg " + folder + "/x.svg"))
            << errors;
        svg = text("x.svg");
        ASSERT_TRUE(std::regex_search(svg, match, size));
        frame = { std::stod(match[1]), std::stod(match[2]) };
        hubs.clear();
        for (std::sregex_iterator at(svg.begin(), svg.end(), circle), end; at != end; ++at)
            hubs.push_back({ std::stod((*at)[1]), std::stod((*at)[2]) });
    }
    double between(size_t a, size_t b) const
    {
        return std::hypot(hubs[a].x - hubs[b].x, hubs[a].y - hubs[b].y);
    }
    size_t count(const std::string &words) const
    {
        size_t n = 0;
        for (size_t at = svg.find(words); at != std::string::npos; at = svg.find(words, at + 1))
            n++;
        return n;
    }
    std::string svg;
    Place frame = {};
    std::vector<Place> hubs;
};

TEST_F(Topology, KeepsHubsApartAndInside)
{
    const std::string tree =
        write("tree.yaml", "platform: hapacs-tca\nnodes: 7\nedges: |\n  0 1\n  0 2\n  1 3\n"
                           "  1 4\n  2 5\n  2 6\n");

    for (const std::string &machine :
         { std::string("two-node"), std::string("chain8"), std::string("dual-ring8"),
           std::string("cluster64"), tree }) {
        SCOPED_TRACE(machine);
        ASSERT_NO_FATAL_FAILURE(draw(machine));
        for (size_t a = 0; a < hubs.size(); a++) {
            EXPECT_LT(20, hubs[a].x);
            EXPECT_LT(20, hubs[a].y);
            EXPECT_GT(frame.x - 20, hubs[a].x);
            EXPECT_GT(frame.y - 20, hubs[a].y);
            for (size_t b = 0; b < a; b++)
                EXPECT_LT(60, between(a, b)) << a << " and " << b;
        }
    }
}

TEST_F(Topology, ShowsTheShapeOfTheGraph)
{
    ASSERT_NO_FATAL_FAILURE(draw("ring8"));
    ASSERT_EQ(8u, hubs.size());
    for (size_t i = 0; i < 8; i++)
        EXPECT_NEAR(between(0, 1), between(i, (i + 1) % 8), 0.2) << "a circle";
    EXPECT_NEAR(between(0, 4), between(2, 6), 0.2);
    ASSERT_NO_FATAL_FAILURE(draw("subcluster16"));
    for (size_t i = 0; i < 8; i++)
        EXPECT_NEAR(between(0, 8), between(i, i + 8), 0.2) << "circles with one centre";
    EXPECT_EQ(0u, count("class=\"far\""));
    ASSERT_NO_FATAL_FAILURE(draw("torus16"));
    for (size_t i = 0; i < 16; i++) {
        EXPECT_NEAR(hubs[i % 4].x, hubs[i].x, 0.01) << "a grid";
        EXPECT_NEAR(hubs[i / 4 * 4].y, hubs[i].y, 0.01);
    }
    EXPECT_EQ(16u, count("class=\"far\"")) << "both ends of each ring of four, that way and back";
}

/* Two rings that are joined by more than one cable at each hub are no dual ring. */
TEST_F(Topology, ATorusOfTwoRowsIsAGrid)
{
    ASSERT_NO_FATAL_FAILURE(draw(write("torus.yaml", "platform: hapacs-tca\ntorus: [3, 2]\n")));
    ASSERT_EQ(6u, hubs.size());
    for (size_t i = 0; i < 6; i++) {
        EXPECT_NEAR(hubs[i % 3].x, hubs[i].x, 0.01);
        EXPECT_NEAR(hubs[i / 3 * 3].y, hubs[i].y, 0.01);
    }
    EXPECT_EQ(4u, count("class=\"far\"")) << "both ends of each ring";
}

TEST_F(Topology, ATreeHangsFromItsRoot)
{
    ASSERT_NO_FATAL_FAILURE(draw(write("tree.yaml", "platform: hapacs-tca\ntree: [3, 3]\n")));
    ASSERT_EQ(13u, hubs.size());
    for (size_t i = 1; i < 13; i++) {
        EXPECT_NEAR(hubs[i < 4 ? 1 : 4].y, hubs[i].y, 0.01) << "levels";
        EXPECT_LT(hubs[(i - 1) / 3].y + 60, hubs[i].y) << "below the node above";
    }
    EXPECT_NEAR(hubs[0].x, hubs[2].x, 0.11) << "over the middle";
    EXPECT_NEAR(hubs[1].x, (hubs[4].x + hubs[6].x) / 2, 0.11);
    /* Letters of ports would lie on each other. */
    ASSERT_NO_FATAL_FAILURE(draw(write("star.yaml", "platform: hapacs-tca\nstar: 6\n")));
    ASSERT_EQ(6u, hubs.size());
    for (size_t i = 2; i < 6; i++)
        EXPECT_NEAR(between(0, 1), between(0, i), 1) << "round the hub in the middle";
}

/* Each direction of each cable is a line of its own: no two have the same ends. */
TEST_F(Topology, CablesBetweenTheSameHubsLieBesideEachOther)
{
    static const std::regex line("<path d=\"M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)\" stroke");

    for (const char *shape : { "ring: 2", "torus: [2, 2]", "torus: [3, 2]" }) {
        const std::string file =
            write("shape.yaml", std::string("platform: hapacs-tca\n") + shape + "\n");
        std::vector<std::array<double, 4>> ends;

        SCOPED_TRACE(shape);
        ASSERT_NO_FATAL_FAILURE(draw(file));
        for (std::sregex_iterator at(svg.begin(), svg.end(), line), end; at != end; ++at)
            ends.push_back({ std::stod((*at)[1]), std::stod((*at)[2]), std::stod((*at)[3]),
                             std::stod((*at)[4]) });
        ASSERT_EQ(count(" messages, ") + count("class=\"far\""), ends.size()) << "stubs are two";
        for (size_t a = 0; a < ends.size(); a++)
            for (size_t b = 0; b < a; b++) {
                auto [x, y, to_x, to_y] = ends[a];
                auto [u, v, to_u, to_v] = ends[b];

                EXPECT_LT(5, std::hypot(x - u, y - v) + std::hypot(to_x - to_u, to_y - to_v));
                EXPECT_LT(5, std::hypot(x - to_u, y - to_v) + std::hypot(to_x - u, to_y - v));
            }
    }
}

TEST_F(Topology, HasEachHubAndEachDirection)
{
    ASSERT_NO_FATAL_FAILURE(draw("one-way-ring8"));
    EXPECT_EQ(0u, svg.find("<svg "));
    EXPECT_EQ(svg.size() - 7, svg.find("</svg>\n"));
    for (int i = 0; i < 8; i++)
        EXPECT_EQ(1u, count("<title>node" + std::to_string(i) + ".hub</title>"));
    EXPECT_EQ(1u, count("node0.hub.e to node1.hub.w: 28 messages, 216.0 ns"));
    EXPECT_EQ(1u, count("node1.hub.w to node0.hub.e: 0 messages"));
    EXPECT_EQ(0u, count("class=\"circle\""));
}

TEST_F(Topology, SaysWhatIsCutAndHowSureThatIs)
{
    ASSERT_NO_FATAL_FAILURE(draw("two-node"));
    EXPECT_EQ(1u, count("2 nodes, 1 cable, diameter 1, bisection 1 cable, no deadlock"));
    ASSERT_NO_FATAL_FAILURE(draw(write("large.yaml", "platform: hapacs-tca\nring: 64\n")));
    EXPECT_EQ(1u, count("64 nodes, 64 cables, diameter 32, bisection at most 2 cables, "));
}

TEST_F(Topology, ShowsTheCircleOfAPossibleDeadlock)
{
    ASSERT_NO_FATAL_FAILURE(draw("small-buffers-ring8"));
    EXPECT_EQ(8u, count("class=\"circle\""));
    EXPECT_EQ(1u, count("deadlock possible"));
}

TEST_F(Topology, ComesAsATableWhereNoPictureCanBeDrawn)
{
    EXPECT_EQ(1,
              sh("PATH=/nowhere " + test::HUBSIM + " topology ring4 --svg " + folder + "/x.svg"));
    EXPECT_EQ(0u, out.find("quantity "));
    EXPECT_EQ("hubsim: " + folder + "/x.svg: could not be drawn: expected python3\n", errors);
}

/* The writer of SVG leaves each text in a comment, too. */
class Plot : public test::Shell
{
  protected:
    /** Draws a table of series, kind, x, y, y2, source. */
    void draw(const std::string &rows, const std::string &x_scale = "linear",
              const std::string &y_scale = "linear", const std::string &x_label = "X")
    {
        write("p.csv", "series,kind,x,y,y2,source\n" + rows);
        write("p.json", "{\"title\": \"" + title + "\", \"x_label\": \"" + x_label +
                            "\", \"y_label\": \"Y\", \"x_scale\": \"" + x_scale +
                            "\", \"y_scale\": \"" + y_scale + "\"}");
        ASSERT_EQ(0, sh("scripts/python scripts/plot.py " + folder + "/p")) << errors;
        svg = text("p.svg");
    }
    bool shows(const std::string &words) const
    {
        return svg.find("<!-- " + words + " -->") != std::string::npos;
    }
    size_t count(const std::string &words) const
    {
        size_t n = 0;
        for (size_t at = svg.find(words); at != std::string::npos; at = svg.find(words, at + 1))
            n++;
        return n;
    }
    std::string svg, title = "t";
};

/* Only a part of a picture is removed, which a full disk leaves. This link leads to itself. */
TEST_F(Plot, WhatCannotBeWrittenIsNotRemoved)
{
    ASSERT_NO_FATAL_FAILURE(draw("a,simulated,1,2,,\n"));
    const std::string png = folder + "/p.png";
    std::filesystem::remove(png);
    std::filesystem::create_symlink(png, png);
    EXPECT_EQ(1, sh("scripts/python scripts/plot.py " + folder + "/p"));
    EXPECT_EQ("plot: " + png + ": Too many levels of symbolic links\n", errors);
    EXPECT_TRUE(std::filesystem::is_symlink(png));
}

/* Below the axes, so that it covers no point, and within the picture. */
TEST_F(Plot, ALegendOfManyEntriesLiesBelowTheAxes)
{
    auto top_of =
        [&](const char *id) { /* the first point of the path of a frame, or of a text */
                              static const std::regex y("(?:M|translate\\() ?[0-9.]+ ([0-9.]+)");
                              std::smatch match;
                              const std::string tail = svg.substr(svg.find(id));

                              EXPECT_TRUE(std::regex_search(tail, match, y)) << id;
                              return std::stod(match[1]);
        };
    static const std::regex size("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"");

    for (int n : { 8, 9, 24 }) {
        std::string rows;
        std::smatch match;

        for (int i = 0; i < n; i++)
            rows += "line " + std::to_string(i) + ",simulated,1," + std::to_string(i) + ",,\n";
        ASSERT_NO_FATAL_FAILURE(draw(rows));
        ASSERT_TRUE(std::regex_search(svg, match, size));
        EXPECT_NEAR(6.4 * 72, std::stod(match[1]), 0.1) << "as wide as others";
        EXPECT_EQ(n > 8, std::stod(match[2]) > 4.4 * 72 + 1);
        EXPECT_EQ(n > 8, top_of("<!-- line 0 -->") > top_of("<!-- X -->"));
        EXPECT_GT(std::stod(match[2]),
                  top_of(("<!-- line " + std::to_string(n - 1) + " -->").c_str()));
    }
}

TEST_F(Plot, BreaksTitlesThatAreWiderThanThePicture)
{
    const std::string half = "a title of forty letters, and one more of";

    title = half + " " + half + " " + half;
    draw("a,simulated,1,2,,\na,simulated,2,3,,\n");
    EXPECT_TRUE(shows(half + " " + half));
    EXPECT_TRUE(shows(half));
    write("m.csv", "from,to,messages,bytes\n0,1,2,300\n1,0,3,700\n");
    ASSERT_EQ(0, sh("scripts/matrix " + folder + "/m.csv --title '" + title + "' --out " + folder +
                    "/p.svg"))
        << errors;
    svg = text("p.svg");
    EXPECT_TRUE(shows(half + " " + half));
    EXPECT_TRUE(shows(half + ", 1000 bytes"));
}

TEST_F(Plot, NamesTheSeriesOfBoundsThatDiffer)
{
    draw("a,simulated,1,2,,\na,simulated,2,3,,\nb,simulated,1,4,,\nb,simulated,2,5,,\n"
         "c,simulated,1,6,,\nc,simulated,2,7,,\n"
         "link,bound,1,8,,a\nlink,bound,2,8,,a\nlink,bound,1,9,,b\nlink,bound,2,9,,b\n"
         "link,bound,1,9,,c\nlink,bound,2,9,,c\nbus,bound,1,7,,a\nbus,bound,2,7,,a\n"
         "bus,bound,1,7,,b\nbus,bound,2,7,,b\n");
    EXPECT_TRUE(shows("link: a"));
    EXPECT_TRUE(shows("link: b and 1 more"));
    EXPECT_FALSE(shows("link"));
    EXPECT_TRUE(shows("bus")) << "all have the same one";
}

TEST_F(Plot, LabelsLogarithmicAxesOfLessThanADecade)
{
    draw("a,simulated,100,300,,\na,simulated,120,700,,\n", "log2", "log");
    EXPECT_TRUE(shows("100"));
    EXPECT_TRUE(shows("112"));
    EXPECT_TRUE(shows("400"));
    EXPECT_TRUE(shows("500"));
    write("m.csv", "from,to,messages,bytes\n0,1,2,300\n1,0,3,700\n");
    ASSERT_EQ(0, sh("scripts/matrix " + folder + "/m.csv --out " + folder + "/p.svg")) << errors;
    svg = text("p.svg");
    EXPECT_TRUE(shows("400"));
    EXPECT_TRUE(shows("500"));
}

TEST_F(Plot, LabelsPowersOfTwoFromTheFirstPointOn)
{
    const std::string wide = "a,simulated,8,300,,\na,simulated,4194304,700,,\n";

    draw(wide, "log2", "linear", "Size [B]");
    for (const char *label : { "8", "64", "512", "4K", "2M" })
        EXPECT_TRUE(shows(label)) << label;
    draw("a,simulated,512,300,,\na,simulated,1048576,700,,\n", "log2", "linear", "N");
    EXPECT_TRUE(shows("512"));
    EXPECT_TRUE(shows("2048")) << "a count, not a size";
    EXPECT_FALSE(shows("2K"));
    EXPECT_TRUE(shows("524288"));
}

/* Each end is as large as a single point. */
TEST_F(Plot, ShowsBothEndsOfAPublishedRange)
{
    const std::string simulated = "a,simulated,1,1,,\na,simulated,2,100,,\n";
    const std::string edge = "stroke: #000000; stroke-width: 0.6";

    draw(simulated + "a,published,1,40,,s\n");
    const size_t one = count(edge);
    draw(simulated + "a,published,1,40,41,s\n");
    EXPECT_LT(0u, one);
    EXPECT_LT(one, count(edge));
}

} // namespace
