/* The machine that SystemC assembles against the one of `hubsim run`. Runs from the root of the
 * source. */
#include "tests/built.h"
#include "tests/folder.h"

#include <algorithm>
#include <sstream>

namespace
{

const std::string kExample = "examples/systemc/", kMachine = kExample + "ring8.yaml ";

/** The one line of a text that begins so. */
std::string line_of(const std::string &text, const std::string &beginning)
{
    std::istringstream in(text);

    for (std::string line; std::getline(in, line);)
        if (line.compare(0, beginning.size(), beginning) == 0)
            return line;
    ADD_FAILURE() << "no line " << beginning << " in:\n" << text;
    return "";
}

class SystemC : public test::Shell
{
  protected:
    /** @return what a program of SystemC prints, or says when it fails */
    std::string run(const std::string &program, const std::string &args)
    {
        int status = sh("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 " + test::BUILD + "/tests/bin/" +
                        program + " " + args);

        return status == 0 ? out : errors;
    }
    std::string ring8(const std::string &args) { return run("systemc_ring8", args); }

    std::string hubrun(const std::string &args)
    {
        EXPECT_EQ(0, sh(test::HUBCC + " --no-tca -O2 -std=c11 " + kExample + "ping.c -o " + folder +
                        "/ping && " + test::HUBRUN + " --fingerprint " + args))
            << errors;
        return out + errors;
    }

    /** One run of ping.c on both sides: equal lines of results, and equal fingerprints. */
    void compare(const std::string &args, const std::string &sets = "")
    {
        const std::string one = hubrun(sets + " -n 8 -m " + kMachine + folder + "/ping " + args);
        const std::string other = ring8(sets + " " + kMachine + args);

        for (const char *beginning : { "result ", "fingerprint " })
            EXPECT_EQ(line_of(one, beginning), line_of(other, beginning)) << args << " " << sets;
        EXPECT_NE(std::string::npos, one.find("verified=1")) << one;
    }
};

/* Results, and the time and the bytes of each packet at each port and at each edge of a hub. */
TEST_F(SystemC, EachPacketComesWhenItDoesInOneSimulation)
{
    compare("by=pio");
    compare("by=pio hops=1 bytes=1024");
    compare("by=dma hops=2 bytes=64");
    compare("by=dma bytes=4096");
    compare("by=chain bytes=256");
    compare("by=irq hops=3 bytes=64");
}

TEST_F(SystemC, ValuesAreThoseOfTheFilesAndOfSet)
{
    compare("by=pio", "--set 'node*.hub.clock_khz=200000'");
    compare("by=dma bytes=2048",
            "--set 'node3.hub.e.link.lanes=4' --set 'node*.host.cpu.poll_jitter_ps=9000'");
    compare("by=pio hops=3",
            "--set 'node*.software.syscall_ps=123456' --set node2.hub.clock_phase_ps=1777");
}

/** 1507500 ps as 1.507500. */
std::string microseconds(unsigned long long ps)
{
    char text[32];

    snprintf(text, sizeof(text), "%llu.%06llu", ps / 1000000, ps % 1000000);
    return text;
}

TEST_F(SystemC, ExperimentsShowTheSameLatencies)
{
    std::string table;

    ASSERT_EQ(0, sh("cp " + kExample + "*.* " + folder + " && cd " + folder + " && " + test::HUBCC +
                    " --no-tca ping.c -o ping && " + test::HUBSIM + " run ping.yaml"))
        << errors;
    table = out;
    for (const char *args :
         { "by=pio hops=1 bytes=8", "by=pio hops=4 bytes=8", "by=dma hops=2 bytes=4096" }) {
        const std::string words = line_of(ring8(kMachine + args), "result ");
        unsigned long long bytes, least, median;

        ASSERT_EQ(3, sscanf(words.c_str(),
                            "result bytes=%llu latency_ps_min=%llu latency_ps_median=%llu", &bytes,
                            &least, &median));
        EXPECT_NE(std::string::npos,
                  table.find(microseconds(least) + "           " + microseconds(median)))
            << args << ": " << words << " in:\n"
            << table;
    }
}

/* The same card at the end of a socket, and as a component of a machine that hubrun runs. */
TEST_F(SystemC, ACardIsTheSameInAMachineOfHubrun)
{
    const std::string card = kExample + "card.yaml ", poke = folder + "/poke";
    const std::string alone = run("systemc_card", card);

    EXPECT_EQ("loaded 0x123456789abcdef in ", alone.substr(0, 28));
    EXPECT_EQ(0, sh(test::HUBCC + " --no-tca -O2 -std=c11 " + kExample + "poke.c -o " + poke))
        << errors;
    EXPECT_EQ(alone,
              run("systemc_hubrun", "--quiet --allow-errors --fingerprint -m " + card + poke) +
                  errors);
    /* with a second node, in a domain of its own, the card's node does the same */
    EXPECT_EQ(alone.substr(0, alone.find("fingerprint")),
              run("systemc_hubrun",
                  "--quiet --allow-errors -n 1 -m " + kExample + "card-and-node.yaml " + poke));
}

/* The core of each hub, or of one, in a process of SystemC. */
TEST_F(SystemC, HubsWithACoreInSystemCAreTheSame)
{
    for (const char *args : { "by=pio", "by=dma bytes=4096", "by=irq hops=2" }) {
        const std::string run = "-n 8 -m " + kMachine + folder + "/ping " + args;
        const std::string one = hubrun(run);

        for (const char *hubs : { "node*", "node3" }) {
            const std::string other =
                hubrun("--set '" + std::string(hubs) + ".hub.kind=hub.sc' " + run);

            for (const char *beginning : { "result ", "fingerprint " })
                EXPECT_EQ(line_of(one, beginning), line_of(other, beginning)) << hubs << args;
        }
    }
}

TEST_F(SystemC, SuchHubsAreNotBesideModulesOfSystemC)
{
    EXPECT_EQ("hubrun: node0.card: expected components of kind systemc or hub.sc, not both\n",
              run("systemc_hubrun",
                  "--set node0.hub.kind=hub.sc -m " + kExample + "card.yaml /bin/true"));
    EXPECT_EQ("hubrun: node1.hub: SystemC has modules: expected none beside kind hub.sc\n",
              run("systemc_hubrun",
                  "--set node1.hub.kind=hub.sc -m " + kExample + "card-and-node.yaml /bin/true"));
    EXPECT_EQ("ring8: node0.hub: SystemC has modules: expected none beside kind hub.sc\n",
              ring8("--set 'node*.hub.kind=hub.sc' " + kMachine + "by=pio"));
}

/* hubsim::Hub holds any make of the hub. */
TEST_F(SystemC, HubsInSystemVerilogAreTheSame)
{
    if (sh("command -v verilator") != 0)
        GTEST_SKIP() << "verilator: not found";
    const std::string args = "by=dma hops=1 bytes=64";
    const std::string one = hubrun("-n 8 -m " + kMachine + folder + "/ping " + args);
    const std::string other = ring8("--set 'node*.hub.kind=hub.rtl' " + kMachine + args);

    for (const char *beginning : { "result ", "fingerprint " })
        EXPECT_EQ(line_of(one, beginning), line_of(other, beginning));
}

/* The log stays, and what was half made does not. */
TEST_F(SystemC, AHubThatCannotBeMadeIsToldInAFewLines)
{
    if (sh("command -v verilator") != 0)
        GTEST_SKIP() << "verilator: not found";
    const std::string kept = folder + "/rtl";

    ASSERT_NE(0, sh("CXX=nonesuch HUBSIM_RTL=" + kept + " " + test::HUBSIM +
                    " run two-node --set node0.hub.kind=hub.rtl"));
    EXPECT_NE(std::string::npos, errors.find("nonesuch")) << errors;
    EXPECT_NE(std::string::npos, errors.find("library: all of it is in " + kept + "/hub-"));
    EXPECT_EQ(4, std::count(errors.begin(), errors.end(), '\n')) << errors;
    for (const auto &entry : std::filesystem::directory_iterator(kept))
        EXPECT_TRUE(entry.path().extension() == ".log" || entry.path().filename() == "lock")
            << entry.path();
}

TEST_F(SystemC, CardsAreInOneNode)
{
    EXPECT_EQ(
        "hubrun: node1.card: SystemC is part of node0: expected all components of kind "
        "systemc in one node\n",
        run("systemc_hubrun",
            "-m " +
                write("two.yaml", "platform: " + std::filesystem::absolute(kExample).string() +
                                      "card-node.yaml\nnodes: 2\n") +
                " /bin/true"));
}

/* docs/systemc.md has what these commands print. */
TEST_F(SystemC, ThePageShowsWhatIsPrinted)
{
    std::ifstream in("docs/systemc.md");
    const std::string page(std::istreambuf_iterator<char>(in), {});

    for (const char *args : { "by=pio", "by=dma bytes=4096" })
        EXPECT_NE(std::string::npos, page.find(std::string(args) + "\n" + ring8(kMachine + args)))
            << out;
    const std::string card = run("systemc_card", kExample + "card.yaml");
    EXPECT_NE(std::string::npos, page.find(card.substr(0, card.find("fingerprint")))) << card;
}

TEST_F(SystemC, WhatIsWrongIsNamed)
{
    EXPECT_EQ("ring8: expected a machine file\n", ring8(""));
    EXPECT_EQ("Usage: systemc_ring8 ", ring8("--help").substr(0, 21));
    EXPECT_EQ("ring8: --set node9.hub.ports=3: matches no key: expected node0 .. node7\n",
              ring8("--set node9.hub.ports=3 " + kMachine));
    EXPECT_EQ("ring8: ring4: node4.hub: expected a component of kind hub.c\n", ring8("ring4"));
    EXPECT_EQ("ring8: node0.hub.e: tx_latency_ps = 0: expected at least 1000, for a link to "
              "another simulation\n",
              ring8("--set 'node*.hub.hard_block_ps=0' " + kMachine));
}

} // namespace
