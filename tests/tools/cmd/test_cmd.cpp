/* The command as its users meet it: output, one-line errors, exit status. */
#include <algorithm>

#include "tests/tools/cmd/command.h"

namespace
{

using test::Command;

TEST_F(Command, HelpIsThereForEachCommand)
{
    EXPECT_EQ(0, run("--help"));
    for (const char *name : { "`hubcc`", "`hubrun`" })
        EXPECT_NE(std::string::npos, out.find(name)) << out;
    EXPECT_NE(std::string::npos, out.find("figure"));
    for (const char *name : { "list", "params", "run", "check", "diff", "score", "explain", "tune",
                              "figure", "sweep", "topology", "fit" }) {
        EXPECT_EQ(0, run(std::string(name) + " --help")) << name;
        EXPECT_EQ(0u, out.find("Usage: hubsim " + std::string(name))) << out;
        EXPECT_EQ("", errors);
        std::string help = out;
        EXPECT_EQ(0, run(std::string(name) + " -h"));
        EXPECT_EQ(help, out);
    }
    std::string help = (run("--help"), out);
    for (const char *word : { "-h", "help" }) {
        EXPECT_EQ(0, run(word));
        EXPECT_EQ(help, out);
    }
    for (const char *word : { "--version", "-V", "version" }) {
        EXPECT_EQ(0, run(word));
        EXPECT_EQ(0u, out.find("hubsim ")) << out;
    }
}

TEST_F(Command, ParamsShowsTheKeysThatAreAskedFor)
{
    EXPECT_EQ(0, run("params two-node hub.clock_k --csv"));
    EXPECT_NE(std::string::npos, out.find("\nnode*.hub.clock_khz,250000,kHz,"));
    EXPECT_EQ(2, std::count(out.begin(), out.end(), '\n')) << out;
    EXPECT_EQ(0, run("params two-node 'hub.*credits' --csv"));
    EXPECT_LT(2, std::count(out.begin(), out.end(), '\n')) << out;
    EXPECT_EQ(1, run("params two-node xyzzyx"));
    EXPECT_EQ("hubsim: xyzzyx: no key of two-node has this in it: expected a part of one, such as "
              "clock\n",
              errors);
    for (const auto &[wrong, right] : { std::pair("clok", "clock"),
                                        { "clok_khz", "clock_khz" },
                                        { "hub.clok_khz", "hub.clock_khz" } }) {
        EXPECT_EQ(1, run(std::string("params two-node ") + wrong));
        EXPECT_EQ(std::string("hubsim: ") + wrong +
                      ": no key of two-node has this in it, did you mean " + right + "?\n",
                  errors);
    }
    EXPECT_EQ(1, run("params pingpong byts"));
    EXPECT_EQ("hubsim: byts: no key of pingpong has this in it, did you mean bytes?\n", errors);
}

TEST_F(Command, ParamsShowsNodesThatAreAskedFor)
{
    EXPECT_EQ(0, run("params ring8 'node[1-3].hub.*_pairs' --set node2.hub.route_pairs=5 --csv | "
                     "cut -d, -f1,2"));
    EXPECT_EQ("key,value\nnode1.hub.route_pairs,8\nnode2.hub.route_pairs,5\n"
              "node3.hub.route_pairs,8\n",
              out);
    EXPECT_EQ(0, run("params ring8 'node0*' --csv"));
    EXPECT_NE(std::string::npos, out.find("\nnode0.hub.clock_khz,"));
    EXPECT_EQ(std::string::npos, out.find("\nnode1."));
    EXPECT_EQ(1, run("params ring8 node9.hub"));
    EXPECT_EQ("hubsim: node9.hub: no key of ring8 has this in it: expected node0 .. node7\n",
              errors);
    EXPECT_EQ(1, run("topology ring8 --set node8.hub.ports=5"));
    EXPECT_EQ("hubsim: --set node8.hub.ports=5: matches no key: expected node0 .. node7\n", errors);
}

TEST_F(Command, ParamsShowsAPortOfAHostOnlyAsFarAsItDiffers)
{
    EXPECT_EQ(0, run("params two-node host --csv"));
    EXPECT_EQ(std::string::npos, out.find("p0.port"));
    EXPECT_EQ(0, run("params two-node host.p0 --csv --set node1.host.p0.port.lanes=4"));
    EXPECT_NE(std::string::npos, out.find("\nnode1.host.p0.port.lanes,4,1,1 .. 16,--set,"));
    EXPECT_EQ(out.find("p0.port"), out.rfind("p0.port")) << out;
}

/* A terminal of 80 columns, by the variable that programs may set. */
TEST_F(Command, TablesFitTheTerminal)
{
    size_t from = 0;

    EXPECT_EQ(0, run("params two-node hub", "COLUMNS=80"));
    for (size_t end; (end = out.find('\n', from)) != std::string::npos; from = end + 1)
        EXPECT_GE(80u, end - from) << out.substr(from, end - from);
    EXPECT_EQ(0, run("params two-node hub"));
    EXPECT_NE(std::string::npos, out.find(std::string("  meaning\n")));
}

TEST_F(Command, BytesHaveUnits)
{
    EXPECT_EQ(0, run("explain two-node --bytes 1KiB"));
    std::string one = out;
    EXPECT_EQ(0, run("explain two-node --bytes 1024"));
    EXPECT_EQ(one, out);
    EXPECT_EQ(2, run("explain two-node --bytes 1KB"));
    EXPECT_EQ(0u, errors.find("hubsim explain: --bytes 1KB: expected a number of bytes, such as "
                              "4096 or 4KiB\n"))
        << errors;
    for (const char *bytes : { "1KiB|4KiB", "1024|4096" }) {
        std::string file = write("sizes.yaml", "description: two sizes\nworkload: pingpong\n"
                                               "platform: hapacs-tca\nseries:\n"
                                               "  - { name: a, mode: pio, bytes: " +
                                                   std::string(bytes) + " }\n");
        EXPECT_EQ(0, run("run " + file + " --csv --out " + folder + "/out")) << errors;
        EXPECT_NE(std::string::npos, out.find("\na,bytes,1024,")) << out;
        EXPECT_NE(std::string::npos, out.find("\na,bytes,4096,")) << out;
    }
}

TEST_F(Command, WrongUsageIsStatusTwo)
{
    EXPECT_EQ(2, run(""));
    EXPECT_EQ(2, run("paramz"));
    EXPECT_EQ("hubsim: paramz: unknown command, did you mean params?\n", errors);
    EXPECT_EQ(2, run("xyzzy"));
    EXPECT_EQ(0u, errors.find("hubsim: xyzzy: unknown command: expected list, params, run, "));
    EXPECT_EQ(2, run("params"));
    EXPECT_EQ(2, run("params a b c"));
    EXPECT_EQ(2, run("list --colour"));
    EXPECT_EQ(2, run("run two-node --seed x"));
    for (const char *option :
         { "run two-node --timeline", "run two-node --waves", "run two-node --pcap",
           "run two-node --pcap-links", "run two-node --platform", "run two-node --out",
           "topology two-node --svg", "figure allgather --points", "score peach2 --rows" }) {
        EXPECT_EQ(2, run(std::string(option) + "=")) << option;
        EXPECT_NE(std::string::npos, errors.find(std::string(strstr(option, "--")) + ": expected "))
            << errors;
        EXPECT_NE(std::string::npos, errors.find(", not an empty word\n")) << errors;
    }
}

/* The right file for another command. */
TEST_F(Command, AFileOfAnotherCommandIsNamedWithIt)
{
    const std::string tool = "cd " + folder + " && " + test::HUBSIM;

    EXPECT_EQ(1, run("run lanes"));
    EXPECT_EQ("hubsim: lanes: not found in experiments/ or machines/, but in sweeps/: `hubsim "
              "sweep` takes it\n",
              errors);
    EXPECT_EQ(1, run("sweep stream"));
    EXPECT_EQ("hubsim: stream: not found in sweeps/, but in experiments/: `hubsim run` takes it\n",
              errors);
    write("s.yaml", "workload: pingpong\nplatform: hapacs-tca\nset: {node0.hub.clock_khz: 1}\n");
    EXPECT_EQ(1, sh(tool + " run s.yaml"));
    EXPECT_EQ("hubsim: s.yaml:3:1: set: a key of sweeps, which `hubsim sweep` runs\n", errors);
    write("s.yaml", "workload: bare-link\n");
    EXPECT_EQ(1, sh(tool + " run s.yaml"));
    EXPECT_EQ("hubsim: s.yaml:1:1: expected the key series; a sweep may lack it: `hubsim sweep` "
              "runs one\n",
              errors);
    write("t35.yaml", "platform: hapacs-tca\ntorus: [3, 5]\n");
    EXPECT_EQ(1, sh(tool + " sweep t35.yaml"));
    EXPECT_EQ("hubsim: t35.yaml:1:1: expected a sweep, with workload or program; `hubsim run` runs "
              "a machine\n",
              errors);
    EXPECT_EQ(1, sh(tool + " run t35"));
    EXPECT_EQ("hubsim: t35: not found in experiments/ or machines/, did you mean t35.yaml?\n",
              errors);
}

/* Before anything runs, and in the line of the key. */
TEST_F(Command, AnExperimentWithNodesOrFaultsThatItsMachineLacksIsRefused)
{
    const std::pair<const char *, const char *> cases[] = {
        { "workload: pingpong, bytes: 6..24 by 6",
          "bytes=6: expected a multiple of 4, at least 4" },
        { "workload: stream, bytes: 8, nodes: 1000",
          "nodes=1000: expected 1 or 2, of those that the key machine names" },
        { "workload: all-to-all, bytes: 16, nodes: 4|9",
          "nodes=9: expected at most 4, as ring4 has 4 nodes" },
        { "workload: pingpong, bytes: 8, hops: 7", "hops=7: expected a distance that ring4 has" },
        { "workload: pingpong, bytes: 8, faults: nosuch",
          "faults=nosuch: nosuch: not found in faults/: `hubsim list` names what is there" },
    };

    for (const auto &[series, message] : cases) {
        const std::string file =
            write("e.yaml", "platform: hapacs-tca\nmachine: ring4\nseries:\n  - { name: a, " +
                                std::string(series) + " }\n");

        EXPECT_EQ(1, run("run " + file + " --out " + folder + "/out"));
        EXPECT_EQ("hubsim: " + file + ":4: setup " + message + "\n", errors);
        EXPECT_FALSE(std::filesystem::exists(folder + "/out"));
    }
}

/* A distance, for both; node 5 is fewer cables away. */
TEST_F(Command, AnExperimentAndASweepPlaceTheSecondRankAlike)
{
    const std::string head = "platform: hapacs-tca\nmachine: subcluster16\nworkload: ";
    unsigned n = 0;

    for (const char *workload : { "pingpong", "mpi-pingpong" })
        for (const char *hops : { "", ", hops: 0", ", hops: 1", ", hops: 5", ", hops: 6" }) {
            const std::string what = head + workload + "\nsetup: { bytes: 8" + hops + " }\n";
            const std::string to = " --csv --out " + folder + "/" + std::to_string(n++);
            const int status =
                run("run " + write("e.yaml", what + "series:\n  - { name: a }\n") + to);
            const std::string row = out.substr(out.find("\na,bytes,8,") + 1), why = errors;

            EXPECT_EQ(status, run("sweep " + write("s.yaml", what) + to)) << what << errors;
            if (status == 0)
                EXPECT_EQ(row, "a,bytes,8," + out.substr(out.find('\n') + 1)) << what;
            else
                EXPECT_EQ(why.substr(why.find("setup ")), errors.substr(errors.find("setup ")));
        }
}

TEST_F(Command, PicturesInSvgHaveItsEnding)
{
    for (const char *command : { "topology two-node", "explain two-node" }) {
        const std::string file = folder + "/x.d/ring.svg.png";

        std::filesystem::create_directory(folder + "/x.d");
        EXPECT_EQ(2, run(std::string(command) + " --svg " + file));
        EXPECT_EQ("", out);
        EXPECT_NE(std::string::npos,
                  errors.find(": --svg " + file + ": expected a name that ends in .svg\n"))
            << errors;
        EXPECT_EQ(0, run(std::string(command) + " --svg " + folder + "/x.d/ring")) << errors;
    }
}

TEST_F(Command, ErrorsAreOneLineOnStderrAndStatusOne)
{
    EXPECT_EQ(1, run("params two-nod"));
    EXPECT_EQ("", out);
    EXPECT_EQ("hubsim: two-nod: not found in machines/, did you mean two-node?\n", errors);
    EXPECT_EQ(1, run("params ./none.yaml"));
    EXPECT_EQ("hubsim: ./none.yaml: no such file\n", errors);
    EXPECT_EQ(1, run("run pingpong-prodution"));
    EXPECT_EQ("hubsim: pingpong-prodution: not found in experiments/ or machines/, did you mean "
              "pingpong-production?\n",
              errors);
    EXPECT_EQ(1, run("run two-nod"));
    EXPECT_EQ("hubsim: two-nod: not found in experiments/ or machines/, did you mean two-node?\n",
              errors);
    EXPECT_EQ(1, run("run ./none.yaml"));
    EXPECT_EQ("hubsim: ./none.yaml: no such file\n", errors);
    EXPECT_EQ(1, run("params two-node --set nothing.like.this=1"));
    EXPECT_EQ("hubsim: --set nothing.like.this=1: matches no key\n", errors);
    EXPECT_EQ(1, run("run two-node --set 'node*.hub.e.link.lanes=99'"));
    EXPECT_EQ("hubsim: --set node*.hub.e.link.lanes=99: node0.hub.e.link.lanes: expected a "
              "whole number, 1 .. 16\n",
              errors);
    EXPECT_EQ(1, run("run two-node --set node0.host.p7.port.lanes=4"));
    EXPECT_EQ("hubsim: --set node0.host.p7.port.lanes=4: no link is at node0.host.p7: expected a "
              "port with one\n",
              errors);
    EXPECT_EQ(1, run("params two-node --set node1.hub.weight.s=4"));
    EXPECT_EQ("hubsim: --set node1.hub.weight.s=4: no link is at node1.hub.s: expected a port with "
              "one\n",
              errors);
    EXPECT_EQ(0, run("params two-node --set 'node*.host.p?.socket=0'")) << errors;
    EXPECT_EQ(0, run("params two-node --set node0.host.net.latency_ps=0")) << errors;
    EXPECT_EQ(0, run("params hapacs-tca --set node0.hub.e.link.lanes=4")) << errors;
    EXPECT_EQ(1, run("run two-node --set node0.hub.kind=hub.rtl --set node0.hub.arbiter=oldest"));
    EXPECT_EQ("hubsim: --set: node0.hub.arbiter = oldest: hub.rtl expects round-robin\n", errors);
    EXPECT_EQ(1, run("run bare-link --set 'node*.[ab].link.gen=4'"));
    EXPECT_EQ("hubsim: --set: node0.a.link.gen: the experiment's setup or series says 1: expected "
              "no other value\n",
              errors);
    EXPECT_EQ(1, run("score atlantis"));
    EXPECT_EQ(
        "hubsim: atlantis: no published measurements of this name: expected dimmnet2, gasnet, "
        "hxb, mbcf, peach2\n",
        errors);
    EXPECT_EQ(1, run("score peach2 --set x=1"));
    EXPECT_EQ("", out);
    EXPECT_EQ("hubsim: --set x=1: matches no key\n", errors);
    EXPECT_EQ(1, run("score peach"));
    EXPECT_NE(std::string::npos, errors.find("peach2, did you mean peach2?\n")) << errors;
}

TEST_F(Command, AMachineFileOfOnesOwnIsRead)
{
    std::string file = write("m.yaml", "platform: hapacs-tca\nnodes: 2\ncable: 3\n");

    EXPECT_EQ(1, run("params " + file));
    EXPECT_EQ("hubsim: " + file + ":3:1: cable = 3: unknown key, did you mean cables?\n", errors);
    write("m.yaml", "platform: hapacs-tca\ncables: []\n");
    for (const char *command : { "run ", "params ", "topology " }) {
        EXPECT_EQ(1, run(command + file));
        EXPECT_EQ(0u, errors.find("hubsim: " + file + ":1:1: expected the key nodes, or one of "))
            << errors;
    }
    write("m.yaml", "platform: hapacs-tca\nnodes: 2\n");
    EXPECT_EQ(0, run("params " + file + " --csv")) << errors;
    EXPECT_NE(std::string::npos, out.find("node*.hub.clock_khz,250000,kHz,"));
}

TEST_F(Command, AnExperimentSaysWhereItNamesWhatIsNotThere)
{
    const std::string head = "workload: pingpong\nsetup: {bytes: 8}\n";
    const std::string tail = "series:\n  - {name: a, mode: pio}\n";
    std::string file = write("e.yaml", head + "machine: rin8\n" + tail);

    EXPECT_EQ(1, run("run " + file));
    EXPECT_EQ("hubsim: " + file +
                  ":3: machine = rin8: not found in machines/, did you mean ring8?\n",
              errors);
    write("e.yaml", head + "platform: hapacs-tc\n" + tail);
    EXPECT_EQ(1, run("run " + file));
    EXPECT_EQ("hubsim: " + file +
                  ":3: platform = hapacs-tc: not found in platforms/, did you mean hapacs-tca?\n",
              errors);
    EXPECT_EQ(1, run("run " + file + " --platform none"));
    EXPECT_EQ(0u, errors.find("hubsim: none: not found in platforms/")) << errors;
}

TEST_F(Command, ConfigurationsAreFoundFromAnyFolderAndInHubsimPath)
{
    EXPECT_EQ(0, run("params two-node --json", "cd / &&")) << errors;
    EXPECT_EQ('[', out[0]);
    write("mine/machines/odd.yaml", "description: an odd one\nplatform: hapacs-tca\nnodes: 3\n");
    EXPECT_EQ(0, run("list", "HUBSIM_PATH=" + folder + "/mine"));
    EXPECT_NE(std::string::npos, out.find("an odd one"));
    EXPECT_NE(std::string::npos, out.find("two-node"));
}

/* `hubrun --mpi ib,library=nosuch` sends its reader to the list. */
TEST_F(Command, LibrariesOfMpiAreListed)
{
    unsigned libraries = 0;

    EXPECT_EQ(0, run("list --csv")) << errors;
    for (const auto &file : std::filesystem::directory_iterator("configs/mpi")) {
        EXPECT_TRUE(test::has(out, "\nlibrary," + file.path().stem().string() + ",")) << out;
        libraries++;
    }
    EXPECT_LT(0u, libraries);
}

TEST_F(Command, NothingIsWrittenForATerminalInAPipe)
{
    EXPECT_EQ(0, run("params ring8 --csv"));
    EXPECT_EQ(std::string::npos, out.find('\r'));
    EXPECT_EQ("", errors);
}

TEST_F(Command, WhatAHubCannotBeIsLocated)
{
    std::string file = write("m.yaml", "platform: hapacs-tca\nnodes: 2\nset:\n"
                                       "  node1.hub.bus_bytes: 24\nedges: |\n  0 1\n");

    EXPECT_EQ(1, run("run " + file));
    EXPECT_EQ("hubsim: " + file + ":4: node1.hub.bus_bytes = 24: expected a power of two\n",
              errors);
    EXPECT_EQ(1, run("topology two-node --set 'node1.hub.bus_bytes=8'"));
    EXPECT_EQ("hubsim: --set node1.hub.bus_bytes=8: "
              "expected a whole number, 16 .. 128 bytes (or KiB, MiB, GiB)\n",
              errors);
    EXPECT_EQ(1, run("topology two-node --set 'node1.hub.dma.read_bytes=96'"));
    EXPECT_EQ("hubsim: --set: node1.hub.dma.read_bytes = 96: expected a "
              "power of two\n",
              errors);
}

/* Queues of the core in SystemVerilog have as many places as there are credits. */
TEST_F(Command, AHubInSystemVerilogHasNoBufferWithoutEnd)
{
    for (const char *key : { "e.link.ph_credits", "n.link.nph_credits" }) {
        const std::string set = std::string(" --set 'node0.hub.") + key + "=0'";

        EXPECT_EQ(1, run("run two-node --set 'node*.hub.kind=hub.rtl'" + set));
        EXPECT_EQ("hubsim: --set: node0.hub." + std::string(key) +
                      " = 0: hub.rtl expects 1 to 127: a queue holds no infinite credits\n",
                  errors);
    }
}

/* A row whose hub cannot be made has measured nothing, so it has not failed. */
TEST_F(Command, ScoreSaysNotRunOfAHubThatCannotBeMade)
{
    const std::string rows =
        write("rows.csv", "id,platform,workload,setup,quantity,relation,value,value2,unit,"
                          "tolerance_pct,source,role,needs\n"
                          "a,hapacs-tca,pingpong,bytes=8;mode=pio,latency,eq,1,,us,3,s,primary,\n");

    EXPECT_EQ(1, run("score peach2 --csv --set 'node*.hub.kind=hub.rtl' --rows " + rows,
                     "HUBSIM_RTL=/dev/null/none"));
    EXPECT_NE(std::string::npos, out.find("\na,1,,,not-run,primary,no,")) << out;
    EXPECT_NE(std::string::npos,
              errors.find("hub in SystemVerilog could not be made in /dev/null/none"))
        << errors;
}

/* What a hub passes on is as large as some host has sent it. */
TEST_F(Command, PayloadsFitThroughAllLinksOfASubcluster)
{
    const std::string wide = "256, the payload of packets that may come from ";

    EXPECT_EQ(1, run("run ring4 --set 'node*.hub.[ew].link.mps_bytes=128'"));
    EXPECT_EQ("hubsim: --set: node0.hub: e.link.mps_bytes = 128: "
              "expected at least " +
                  wide + "node0.hub.n\n",
              errors);
    EXPECT_EQ(1,
              run("run ring4 --set 'node2.hub.w.link.mps_bytes=128'")); /* one end of one cable */
    EXPECT_EQ("hubsim: --set: node2.hub: w.link.mps_bytes = 128: "
              "expected at least " +
                  wide + "node0.hub.n\n",
              errors);
    EXPECT_EQ(1, run("run ring4 --set 'node1.host.port.mps_bytes=128'"));
    EXPECT_EQ(0u, errors.find("hubsim: configs/platforms/hapacs-tca.yaml:")) << errors;
    EXPECT_NE(std::string::npos,
              errors.find(": node1.hub.n: the host takes payloads of 128 bytes: expected at least "
                          "256, that of packets that may come from node0.hub.n\n"))
        << errors;
    EXPECT_EQ(0, run("run two-node --set 'node*.hub.[ew].link.mps_bytes=512'")) << errors;
    EXPECT_EQ(0, run("run two-node --set 'node*.*mps_bytes=128'")) << errors;
}

/* A real parser reads what each of them holds. */
/* Of every configuration that ships, which all load. */
TEST_F(Command, WhatIsWrittenAsJsonIsJson)
{
    unsigned n = 0;
    auto keep = [&](const std::string &args) {
        EXPECT_EQ(0, run(args + " --json >" + folder + "/" + std::to_string(n++) + ".json"))
            << args << errors;
    };

    for (const char *kind : { "machines", "platforms" })
        for (const auto &file : std::filesystem::directory_iterator(std::string("configs/") + kind))
            if (!test::SANITIZED || file.path().stem() == "ring8")
                keep("params " + file.path().string());
    for (const char *args :
         { "params --fault-kinds", "topology one-way-ring8", "topology ring8 --links",
           "explain two-node", "run line3 --set 'node*.hub.e.link.lanes=1'" })
        keep(args);
    EXPECT_EQ(0, sh("python3 -c 'import json, sys; [json.load(open(name)) for name in "
                    "sys.argv[1:]]' " +
                    folder + "/*.json"))
        << errors;
    EXPECT_LT(test::SANITIZED ? 5u : 25u, n);
}

TEST_F(Command, OutputThatCannotBeWrittenIsAnError)
{
    const std::string rows = write("rows.csv", "id,platform,workload,setup,quantity,relation,value,"
                                               "value2,unit,tolerance_pct,source,role,needs\n");
    const std::string small = write("small.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                                                  "setup: {rounds: 2, repeats: 1, mode: pio}\n"
                                                  "series:\n  - {name: PIO, bytes: 8..32}\n");
    const std::string out_dir = " --out " + folder + "/out";

    ASSERT_EQ(0, run("run " + small + out_dir)) << errors;
    ASSERT_EQ(0, run("explain two-node --pcap " + folder + "/a.pcapng")) << errors;
    for (const std::string &args :
         { std::string("--help"), std::string("--version"), std::string("list"),
           std::string("params --help"), std::string("params two-node"),
           std::string("params --fault-kinds"), std::string("topology two-node --csv"),
           std::string("explain two-node"), std::string("run two-node"), "run " + small + out_dir,
           "score peach2 --csv --rows " + rows, "capture " + folder + "/a.pcapng" }) {
        EXPECT_EQ(1, run(args + " >/dev/full")) << args;
        EXPECT_EQ(
            "hubsim: standard output: could not be written in full: No space left on device\n",
            errors);
        EXPECT_EQ(1, run(args + " >&-")) << args;
        EXPECT_EQ("hubsim: standard output: could not be written in full: Bad file descriptor\n",
                  errors);
    }
    const std::string kept = folder + "/out/small";
    EXPECT_EQ(2, run("check " + kept + " >/dev/full")) << errors;
    EXPECT_EQ(2, run("diff " + kept + " " + kept + " >/dev/full")) << errors;
}

/* As `| head -1` does: by the signal, whatever the caller does with it. */
TEST_F(Command, OutputThatNobodyReadsAnyMoreEndsItQuietly)
{
    EXPECT_EQ(0, sh("{ (trap '' PIPE; " + test::HUBSIM + " params ring8); echo $? >" + folder +
                    "/status; } | head -1"));
    EXPECT_EQ("141\n", text("status"));
    EXPECT_EQ("", errors);
}

/* Before the figure's runs, which take longer than a test may. */
TEST_F(Command, PointsOfOnesOwnAreReadUpToALimit)
{
    const std::string large = folder + "/large.csv";

    std::ofstream(large) << "series,x,y\n";
    std::filesystem::resize_file(large, 5u << 20);
    EXPECT_EQ(1, run("figure allgather --points /dev/zero", "timeout 10"));
    EXPECT_EQ("hubsim: /dev/zero: not a regular file: expected a readable file\n", errors);
    EXPECT_EQ(1, run("figure allgather --points " + large, "timeout 10"));
    EXPECT_EQ("hubsim: " + large + ": too large: expected at most 4194304 bytes\n", errors);
    std::filesystem::resize_file(large, 3u << 20);
    EXPECT_EQ(1, run("figure allgather --points " + large, "timeout 10"));
    EXPECT_EQ("hubsim: " + large + ": has bytes of 0: expected text\n", errors);
}

TEST_F(Command, FilesThatCannotBeWrittenInFullAreErrors)
{
    const std::string small = write("small.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                                                  "setup: {rounds: 2, repeats: 1, mode: pio}\n"
                                                  "series:\n  - {name: PIO, bytes: 8..32}\n");

    ASSERT_EQ(0, run("run " + small + " --out " + folder + "/out")) << errors;
    for (const std::string &args :
         { std::string("topology two-node --svg"), std::string("explain two-node --svg"),
           std::string("explain two-node --pcap"), std::string("explain two-node --timeline") }) {
        EXPECT_EQ(1, run(args + " /dev/full")) << args;
        EXPECT_NE(std::string::npos, errors.find("/dev/full: ")) << errors;
    }
    EXPECT_EQ(2, run("check " + folder + "/out/small --junit /dev/full"));
    EXPECT_NE(std::string::npos,
              errors.find("/dev/full: could not be written in full: No space left on "
                          "device\n"))
        << errors;
    /* of 512 or 1024 bytes: a manifest is larger */
    EXPECT_EQ(1, run("run " + small + " --out " + folder + "/cut", "trap '' XFSZ; ulimit -f 2;"));
    EXPECT_NE(std::string::npos, errors.find(": could not be written in full: File too large\n"))
        << errors;
    EXPECT_FALSE(std::filesystem::exists(folder + "/cut/small/manifest.json") &&
                 std::filesystem::file_size(folder + "/cut/small/manifest.json") == 0);
}

TEST_F(Command, AFigureMayBeOfAnotherPlatform)
{
    write("experiments/small.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                                    "setup: {rounds: 1, repeats: 1, mode: dma-chain-host}\n"
                                    "series:\n  - {name: DMA, src: gpu, dst: gpu, bytes: 65536}\n");
    write("figures/f.yaml",
          "experiments: [small]\nx: {label: size}\ny: {quantity: latency}\nbounds: no\n"
          "published: small\n");
    write("published/small.csv",
          "id,platform,workload,setup,quantity,relation,value,value2,unit,tolerance_pct,source,"
          "role,needs\n"
          "a,hapacs-tca,pingpong,bytes=65536;mode=dma-chain-host;src=gpu;dst=gpu,latency,eq,42,,us,"
          "1,a,primary,\n"
          "b,hapacs-tca-sandybridge,pingpong,bytes=65536;mode=dma-chain-host;src=gpu;dst=gpu,"
          "latency,eq,43,,us,1,b,primary,\n");
    std::string own, other;

    for (auto [points, platform] :
         { std::pair(&own, ""), std::pair(&other, " -p hapacs-tca-sandybridge") }) {
        ASSERT_EQ(0,
                  run("figure f --out " + folder + "/pictures" + platform, "HUBSIM_PATH=" + folder))
            << errors;
        *points = text("pictures/f.csv");
        EXPECT_TRUE(test::has(*points, "DMA,published,65536,42,")) << *points;
        EXPECT_FALSE(test::has(*points, ",43,")) << "of a platform that the file does not name";
    }
    EXPECT_NE(own, other);
}

TEST_F(Command, AFigureThatDoesNotFitOnTheDiskIsNoTraceback)
{
    write("experiments/small.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                                    "setup: {rounds: 1, repeats: 1, mode: pio}\n"
                                    "series:\n  - {name: PIO, bytes: 8}\n");
    write("figures/f.yaml", "experiments: [small]\nx: {label: size}\ny: {quantity: latency}\n");
    const std::string stem = folder + "/pictures/f";

    for (const char *end : { "png", "svg" }) {
        SCOPED_TRACE(end);
        std::filesystem::create_directory(folder + "/pictures");
        std::filesystem::create_symlink("/dev/full", stem + "." + end);
        EXPECT_EQ(1, run("figure f --out " + folder + "/pictures", "HUBSIM_PATH=" + folder));
        EXPECT_EQ("plot: " + stem + "." + end +
                      ": No space left on device: expected room for the picture\nhubsim: " + stem +
                      ": could not be drawn; " + stem + ".csv has the numbers\n",
                  errors);
        EXPECT_TRUE(std::filesystem::exists(stem + ".csv"));
        EXPECT_FALSE(std::filesystem::exists(stem + ".json"));
        std::filesystem::remove_all(folder + "/pictures");
    }
    EXPECT_EQ(0, run("figure f f --out " + folder + "/pictures", "HUBSIM_PATH=" + folder));
    EXPECT_EQ(stem + ".png\n" + stem + ".svg\n" + stem + ".csv\n", out) << "named once";
}

TEST_F(Command, AFigureThatCannotBeMadeIsRefusedBeforeItRuns)
{
    write("experiments/small.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                                    "setup: {rounds: 1, repeats: 1, mode: pio}\n"
                                    "series:\n  - {name: PIO, bytes: 8}\n");
    auto refusal = [&](const std::string &tail) {
        std::string file =
            write("figures/f.yaml", "experiments: [small]\nx: {label: size}\n" + tail);

        EXPECT_EQ(1, run("figure f --out " + folder + "/pictures", "HUBSIM_PATH=" + folder));
        EXPECT_FALSE(std::filesystem::exists(folder + "/pictures"));
        EXPECT_EQ(0u, errors.find("hubsim: " + file + ":")) << errors;
        return errors.substr(std::string("hubsim: " + file + ":").size());
    };

    EXPECT_EQ("3:5: quantity = latency_ps_p50: latency_ps_p50: expected latency, bandwidth, "
              "round_trip, time, speedup or a key in ps of the result of pingpong: latency_ps_min, "
              "latency_ps_median, latency_ps_p99, latency_ps_max, bandwidth_kBps, bytes, repeats, "
              "verified, races\n",
              refusal("y: {quantity: latency_ps_p50}\n"));
    EXPECT_EQ("4:10: DMA: expected the name of a series of the experiments\n",
              refusal("y: {quantity: latency}\nseries: [DMA]\n"));
    for (const char *end : { "csv", "json", "png", "svg" }) {
        const std::string link = folder + "/pictures/f." + end;

        write("figures/f.yaml", "experiments: [small]\nx: {label: size}\ny: {quantity: latency}\n");
        std::filesystem::create_directory(folder + "/pictures");
        std::filesystem::create_symlink("nowhere/file", link);
        EXPECT_EQ(1, run("figure f --out " + folder + "/pictures", "HUBSIM_PATH=" + folder));
        EXPECT_EQ("hubsim: " + link + ": No such file or directory: expected a writable file\n",
                  errors);
        std::filesystem::remove(link);
        EXPECT_TRUE(std::filesystem::is_empty(folder + "/pictures")) << "it has run";
    }
}

TEST_F(Command, WrongPublishedRowsAreLocated)
{
    std::string file =
        write("rows.csv", "id,platform,workload,setup,quantity,relation,value,value2,"
                          "unit,tolerance_pct,source,role,needs\n"
                          "a,hapacs-tca,pingpong,bites=8,latency,eq,1,,us,3,s,,\n");

    EXPECT_EQ(1, run("score peach2 --rows " + file));
    EXPECT_EQ("hubsim: a: " + file + ":2: setup bites=8: unknown key, did you mean bytes?\n",
              errors);
    EXPECT_EQ(0u, out.find("verdict  id  ")) << out;
    EXPECT_NE(std::string::npos, out.find("\nnot-run  a   ")) << out;
    EXPECT_NE(std::string::npos, out.find("setup bites=8: unknown key")) << out;
    EXPECT_NE(std::string::npos,
              out.find("\n0 primary rows pass, 0 fail, 1 could not be run; 0 rows "
                       "were calibrated to\n"))
        << out;
}

TEST_F(Command, AnExperimentGivesTableAndManifestWhateverTheWorkers)
{
    std::string file = write("small.yaml", "description: a small one\n"
                                           "workload: pingpong\n"
                                           "platform: hapacs-tca\n"
                                           "setup: {rounds: 2, repeats: 1, mode: pio}\n"
                                           "series:\n"
                                           "  - {name: PIO, bytes: 8..32}\n");
    std::string first, manifest, counted;

    for (const char *jobs : { "1", "2", "3" }) {
        EXPECT_EQ(0, run("run " + file + " --csv --out " + folder + "/out --jobs " + jobs))
            << errors;
        std::ifstream table(folder + "/out/small/table.csv"),
            made_of(folder + "/out/small/manifest.json"),
            statistics(folder + "/out/small/statistics.json");
        std::string text(std::istreambuf_iterator<char>(table), {});
        std::string json(std::istreambuf_iterator<char>(made_of), {});
        std::string counts(std::istreambuf_iterator<char>(statistics), {});

        EXPECT_EQ(out, text);
        EXPECT_NE(std::string::npos, json.find("\"seed\": 1"));
        EXPECT_NE(std::string::npos, json.find("\"node*.hub.clock_khz\": 250000,"));
        EXPECT_EQ(std::string::npos, json.find(folder));
        EXPECT_NE(std::string::npos, json.find("\"visible\": \""));
        if (first.empty())
            first = text, manifest = json, counted = counts;
        EXPECT_EQ(first, text);
        EXPECT_EQ(manifest, json);
        EXPECT_EQ(counted, counts);
    }
    EXPECT_EQ(0u, first.find("series,key,x,latency_us_min,"));
    EXPECT_NE(std::string::npos, first.find("PIO,bytes,32,"));
    EXPECT_NE(std::string::npos, counted.find("{\"path\": \"node0.hub.e.tx.tlps\", \"unit\": "));
    EXPECT_TRUE(std::filesystem::exists(folder + "/out/small/small.yaml"));
    EXPECT_FALSE(std::filesystem::exists(folder + "/out/small/faults.csv"));
}

TEST_F(Command, TuningTellsTheFastestAlgorithm)
{
    const std::string head = "description: gathering\nworkload: mpi-collective\nmachine: ring4\n"
                             "setup: {op: allgather, nodes: 4, mpi: net, bytes: 8|65536}\nseries:\n"
                             "  - {name: ring, algorithm: allgather=ring}\n"
                             "  - {name: linear, algorithm: allgather=linear}\n",
                      own = "  - {name: own}\n";
    std::string file = write("gather.yaml", head + own);

    EXPECT_EQ(0, run("tune " + file)) << errors;
    EXPECT_NE(std::string::npos, out.find("\nhubrun --algorithm allgather=linear/4\n")) << out;
    EXPECT_EQ(0, run("tune --margin 1000 " + file)) << errors;
    EXPECT_NE(std::string::npos, out.find("the library chooses well by itself")) << out;
    write("gather.yaml", head);
    EXPECT_EQ(1, run("tune " + file));
    EXPECT_NE(std::string::npos, errors.find("and one without, in which the library chooses"));
    write("gather.yaml", head + own + "  - {name: other, algorithm: bcast=chain}\n");
    EXPECT_EQ(1, run("tune " + file));
    EXPECT_NE(std::string::npos, errors.find("bcast=chain: expected one, of the same collective"));
}

TEST_F(Command, AFailingProgramIsOneLine)
{
    std::string file =
        write("odd.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                          "series:\n  - {name: odd, bytes: 64MiB, mode: dma-chain-host}\n");

    EXPECT_EQ(1, run("run " + file + " --csv --set 'node*.host.ram_bytes=16MiB' --out " + folder +
                     "/out"));
    EXPECT_EQ(0u, errors.find("hubsim: odd, bytes = 67108864: two-node: pingpong: rank 0 ended "
                              "with status"));
    EXPECT_EQ(errors.size() - 1, errors.find('\n'));
}

TEST_F(Command, ScoringBuildsThePlatformThatIsAskedFor)
{
    const std::string head = "id,platform,workload,setup,quantity,relation,value,value2,unit,"
                             "tolerance_pct,source,role,needs\n";
    const std::string tail =
        ",pingpong,bytes=4096;src=gpu,latency,between,0.1,90,us,0,s,primary,\n";
    const std::string file = write("rows.csv", head + "a,hapacs-tca-sandybridge" + tail);

    EXPECT_EQ(0, run("score peach2 --csv --rows " + file)) << errors;
    const std::string asked = out;
    write("rows.csv", head + "a,hapacs-tca" + tail);
    EXPECT_EQ(0, run("score peach2 --csv --rows " + file)) << errors;
    EXPECT_NE(asked, out);
    EXPECT_EQ(0, run("score peach2 --csv --rows " + file + " -p hapacs-tca-sandybridge")) << errors;
    EXPECT_EQ(asked, out);
    EXPECT_EQ(1, run("score peach2 --csv --rows " + file + " -p nosuch"));
    EXPECT_EQ("hubsim: nosuch: not found in platforms/: `hubsim list` names what is there\n",
              errors);
}

TEST_F(Command, ScoringTellsItsVerdictInTheExitStatus)
{
    const std::string head = "id,platform,workload,setup,quantity,relation,value,value2,unit,"
                             "tolerance_pct,source,role,needs\n";
    std::string file = write("rows.csv", head + "a,hapacs-tca,pingpong,bytes=8;mode=pio,latency,"
                                                "between,0.1,10,us,0,s,primary,\n");

    EXPECT_EQ(0, run("score peach2 --csv --rows " + file)) << errors;
    EXPECT_EQ(
        0u,
        out.find("id,published,simulated,error_pct,verdict,role,calibrated,reason\na,0.1..10,"));
    write("rows.csv",
          head + "a,hapacs-tca,pingpong,bytes=8;mode=pio,latency,le,0.1,,us,0,s,primary,\n");
    EXPECT_EQ(1, run("score peach2 --csv --rows " + file));
    EXPECT_NE(std::string::npos, out.find(",fail,primary,no,\n"));
}

} // namespace
