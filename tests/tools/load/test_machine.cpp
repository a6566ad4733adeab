#include "config_test.h"

namespace
{

using MachineFile = ConfigTest;

TEST_F(MachineFile, BecomesADescription)
{
    ASSERT_EQ(SIM_OK, load(TWO)) << err.text;
    const machine_desc *d = load_machine_desc(machine);

    EXPECT_STREQ("m", d->name);
    EXPECT_EQ(2u, d->nnodes);
    EXPECT_STREQ("small", d->nodes[1].platform);
    ASSERT_EQ(2u, d->nodes[1].ncomponents);
    EXPECT_STREQ("hub", d->nodes[1].components[1].name);
    EXPECT_STREQ("hub.c", d->nodes[1].components[1].kind->name);
    ASSERT_EQ(1u, d->nodes[1].nlinks);
    EXPECT_EQ(1u, d->nodes[1].links[0].node_a);
    EXPECT_EQ(100u, d->nodes[1].links[0].length_mm);
    ASSERT_EQ(1u, d->ncables);
    EXPECT_EQ(1u, d->cables[0].node_b);
    EXPECT_STREQ("b", d->cables[0].port_b);
    EXPECT_EQ(3000u, d->cables[0].length_mm);
    EXPECT_EQ(UINT64_C(512) << 30, d->window_bytes);
    EXPECT_EQ(UINT64_C(32) << 30, d->part_bytes);
}

TEST_F(MachineFile, APathOfAPlatformBeginsBesideTheFile)
{
    write("machines/own.yaml", "components: {cpu: {kind: box}}\nlinks: []\n");
    for (const char *path : { "own.yaml", "./own.yaml", "../machines/own.yaml" })
        EXPECT_EQ(SIM_OK, load("platform: " + std::string(path) + "\nnodes: 1\n")) << err.text;
}

TEST_F(MachineFile, DottedAndNestedKeysAreEqual)
{
    for (const char *form : { "link: {lanes: 4}", "link.lanes: 4" }) {
        write("platforms/small.yaml",
              std::string("components:\n  cpu: {kind: box, ") + form + "}\nlinks: []\n");
        ASSERT_EQ(SIM_OK, load("platform: small\nnodes: 1\n")) << err.text;
        EXPECT_EQ(4u, value(0, 0, 0).value);
        EXPECT_EQ(2u, value(0, 0, 0).line);
    }
    write(
        "platforms/small.yaml",
        "components:\n  cpu:\n    kind: box\n    link.lanes: 4\n    link: {lanes: 2}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:5:12: link.lanes = 2: expected each key once; it is also in "
              "line 4",
              message("platform: small\nnodes: 1\n"));
}

TEST_F(MachineFile, ValuesCarrySourceAndCalibration)
{
    write("platforms/small.yaml",
          "components:\n"
          "  cpu:\n"
          "    kind: box\n"
          "    latency_ps: {value: 7, source: a book, calibrated: [r.1, r.2]}\n"
          "links: []\n");
    ASSERT_EQ(SIM_OK, load("platform: small\nnodes: 1\n")) << err.text;
    EXPECT_EQ(7u, value(0, 0, 1).value);
    EXPECT_STREQ("a book", value(0, 0, 1).source);
    ASSERT_EQ(2u, value(0, 0, 1).ncalibrated);
    EXPECT_STREQ("r.2", value(0, 0, 1).calibrated[1]);
    EXPECT_EQ(nullptr, value(0, 0, 1).calibrated[2]);
    EXPECT_EQ(nullptr, value(0, 0, 0).file); /* a default */
}

/** One wrong component line at a time: file, line, column, key, value and expectation. */
TEST_F(MachineFile, WrongComponentKeysAreToldInOneLine)
{
    const std::pair<const char *, const char *> cases[] = {
        { "link.lane: 8", "link.lane = 8: unknown key, did you mean link.lanes?" },
        { "zzz: 8",
          "zzz = 8: unknown key: expected kind, include, may_override, description, or one of "
          "`hubsim params`" },
        { "latency: 5", "latency = 5: missing unit: expected latency_ps" },
        { "ram: 4096", "ram = 4096: missing unit: expected ram_bytes" },
        { "link.lanes: eight", "link.lanes = eight: expected a whole number, 1 .. 16" },
        { "link.lanes: 0", "link.lanes = 0: expected a whole number, 1 .. 16" },
        { "link.lanes: 17", "link.lanes = 17: expected a whole number, 1 .. 16" },
        { "link.lanes: -1", "link.lanes = -1: expected a whole number, 1 .. 16" },
        { "link.lanes: 2.5", "link.lanes = 2.5: expected a whole number, 1 .. 16" },
        { "latency_ps: 5 KiB", "latency_ps = 5 KiB: expected a whole number, 0 .. 1000000 ps" },
        { "link.lanes: [8]", "link.lanes: expected a whole number, 1 .. 16" },
        { "link: 8", "link = 8: expected a mapping of link.*" },
        { "mode: wb", "mode = wb: expected uc or wc" },
        { "mode: {source: x}", "mode: expected uc or wc" },
    };
    for (const auto &c : cases) {
        write("platforms/small.yaml",
              std::string("components:\n  cpu:\n    kind: box\n    ") + c.first + "\nlinks: []\n");
        EXPECT_EQ(std::string("platforms/small.yaml:4:5: ") + c.second,
                  message("platform: small\nnodes: 1\n"));
    }
    write("platforms/small.yaml",
          "components:\n  cpu:\n    kind: box\n    mode: {value: wc, sorce: x}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:4:23: sorce = x: unknown key, did you mean source?",
              message("platform: small\nnodes: 1\n"));
    write("platforms/small.yaml",
          "components:\n  cpu:\n    kind: box\n    mode: {value: wb}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:4:12: mode = wb: expected uc or wc",
              message("platform: small\nnodes: 1\n"));
}

TEST_F(MachineFile, WrongPlatformsAreToldInOneLine)
{
    const char *one = "platform: small\nnodes: 1\n";

    write("platforms/small.yaml", "components: {cpu: {kind: bx}}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:1:20: kind = bx: unknown kind, did you mean box?",
              message(one));
    write("platforms/small.yaml", "components: {cpu: {mode: wc}}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:1:14: cpu: expected the key kind", message(one));
    write("platforms/small.yaml", "components: {cpu: box}\nlinks: []\n");
    EXPECT_EQ(
        "platforms/small.yaml:1:14: cpu = box: expected a mapping with the key kind or include",
        message(one));
    write("platforms/small.yaml", "components: {cpu: {kind: box}}\n");
    EXPECT_EQ("platforms/small.yaml:1:1: expected the key links", message(one));
    write("platforms/small.yaml", "component: {}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:1:1: component: unknown key, did you mean components?",
              message(one));
    write("platforms/small.yaml", "components: {a.b: {kind: box}}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:1:14: a.b: expected a name without a dot", message(one));
    write("platforms/small.yaml",
          "components: {cpu: {kind: box}}\nlinks: [{from: cpu.a, to: cpu.c, length_mm: 1}]\n");
    EXPECT_EQ("platforms/small.yaml:2:23: to = cpu.c: expected the port a or b of cpu",
              message(one));
    write("platforms/small.yaml",
          "components: {cpu: {kind: box}}\nlinks: [{from: cpu.a, to: gpu.b, length_mm: 1}]\n");
    EXPECT_EQ("platforms/small.yaml:2:23: to = gpu.b: expected a port of cpu", message(one));
    write("platforms/other.yaml", "components: {cpu: {kind: box}}\nlinks: []\n");
    platform = "other";
    EXPECT_EQ(
        "machines/m.yaml:4:6: from = node0.hub.b: expected a port of cpu, which platform other "
        "has: -p, or an experiment, has put it in place of the machine's own",
        message(TWO));
    platform = nullptr;
    EXPECT_EQ("machines/m.yaml:1:1: platform = huge: not found in platforms/: "
              "`hubsim list` names what is there",
              message("platform: huge\nnodes: 1\n"));
}

TEST_F(MachineFile, AnIncludedFileSaysWhatMayDiffer)
{
    write("hubs/h.yaml", "kind: hub.c\nmay_override: [firmware]\nlink.lanes: 4\nlatency_ps: 9\n");
    write("platforms/small.yaml", "components:\n"
                                  "  hub:\n"
                                  "    include: ../hubs/h.yaml\n"
                                  "    firmware: {fast: off}\n"
                                  "links: []\n");
    ASSERT_EQ(SIM_OK, load("platform: small\nnodes: 1\n")) << err.text;
    EXPECT_EQ(4u, value(0, 0, 0).value);
    EXPECT_EQ(9u, value(0, 0, 1).value);
    EXPECT_EQ(0u, value(0, 0, 4).value);

    write("platforms/small.yaml",
          "components:\n  hub: {include: ../hubs/h.yaml, link.lanes: 8}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:2:34: link.lanes = 8: expected only firmware.* here, all else "
              "is set by platforms/../hubs/h.yaml",
              message("platform: small\nnodes: 1\n"));
    write("platforms/small.yaml", "components:\n  hub: {include: ../hubs/none.yaml}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:2:9: include = ../hubs/none.yaml: platforms/../hubs/none.yaml: "
              "No such file or directory: expected a readable file",
              message("platform: small\nnodes: 1\n"));
}

TEST_F(MachineFile, AnIncludedFileMayBeNamed)
{
    const char *one = "platform: small\nnodes: 1\n";

    write("hubs/h.yaml", "kind: hub.c\nlatency_ps: 9\n");
    write("platforms/small.yaml", "components:\n  hub: {include: h}\nlinks: []\n");
    ASSERT_EQ(SIM_OK, load(one)) << err.text;
    EXPECT_EQ(9u, value(0, 0, 1).value);
    write("hubs/h.yaml", "kind: hub.c\nlatency_p: 9\n");
    EXPECT_EQ("hubs/h.yaml:2:1: latency_p = 9: unknown key, did you mean latency_ps?",
              message(one));

    write("hosts/cpu.yaml", "kind: box\n");
    write("platforms/small.yaml", "components:\n  cpu: {include: cpu}\nlinks: []\n");
    EXPECT_EQ(SIM_OK, load(one)) << err.text;
    write("platforms/small.yaml", "components:\n  cpu: {include: cpi}\nlinks: []\n");
    EXPECT_EQ("platforms/small.yaml:2:9: include = cpi: cpi: not found in hubs/ or hosts/ or "
              "adapters/, did you mean cpu?",
              message(one));
}

TEST_F(MachineFile, WrongMachinesAreToldInOneLine)
{
    EXPECT_EQ("machines/m.yaml:1:1: expected the key nodes, or one of a shape: ring, chain, "
              "dual-ring, torus, mesh, star, tree",
              message("platform: small\n"));
    EXPECT_EQ("machines/m.yaml:1:1: platform = smal: not found in platforms/, did you mean small?",
              message("platform: smal\nring: 4\n"));
    EXPECT_EQ("machines/m.yaml:1:10: platform = smal: not found in platforms/, did you mean small?",
              message("nodes: [{platform: smal, count: 2}]\n"));
    EXPECT_EQ("machines/m.yaml:2:1: nodes = 0: expected a whole number, 1 .. 256",
              message("platform: small\nnodes: 0\n"));
    EXPECT_EQ(
        "machines/m.yaml:2:1: nodes: expected a number, or a list of {platform: ..., count: ...}",
        message("platform: small\nnodes: []\n"));
    EXPECT_EQ("machines/m.yaml:2:1: nodes = 9999: 9999" TOO_MANY,
              message("platform: small\nnodes: 9999\n"));
    EXPECT_EQ(
        "machines/m.yaml:1:1: nodes: 257" TOO_MANY,
        message("nodes:\n  - {platform: small, count: 200}\n  - {platform: small, count: 57}\n"));
    EXPECT_EQ("machines/m.yaml:3:1: cable = 3000: unknown key, did you mean cables?",
              message("platform: small\nnodes: 1\ncable: 3000\n"));
    EXPECT_EQ("machines/m.yaml:2:23: cont = 1: unknown key, did you mean count?",
              message("nodes:\n  - {platform: small, cont: 1}\n"));
}

TEST_F(MachineFile, WrongCablesAreToldInOneLine)
{
    const std::string head = "platform: small\nnodes: 2\ncables:\n";

    EXPECT_EQ("machines/m.yaml:4:5: length = 3000: missing unit: expected length_mm",
              message(head + "  - length: 3000\n    from: node0.hub.b\n    to: node1.hub.b\n"));
    EXPECT_EQ("machines/m.yaml:4:6: from = node2.hub.b: expected node0 .. node1, component and "
              "port, node0.hub.e",
              message(head + "  - {from: node2.hub.b, to: node1.hub.b, length_mm: 1}\n"));
    EXPECT_EQ("machines/m.yaml:4:25: to = node1.hub.n: expected the port a or b of hub",
              message(head + "  - {from: node0.hub.b, to: node1.hub.n, length_mm: 1}\n"));
    EXPECT_EQ("machines/m.yaml:4:5: expected the key to",
              message(head + "  - {from: node0.hub.b, length_mm: 1}\n"));
    EXPECT_EQ("machines/m.yaml:3:1: cables = 3: expected a list",
              message("platform: small\nnodes: 1\ncables: 3\n"));
}

TEST_F(MachineFile, APortTakesOneCable)
{
    EXPECT_EQ(
        "machines/m.yaml:5: node1.hub.b: expected one cable at a port; another is in line 4",
        message(std::string(TWO) + "  - {from: node1.hub.b, to: node1.cpu.b, length_mm: 1}\n"));
    /* The link inside the node already sits there. */
    EXPECT_EQ("machines/m.yaml:3: node0.hub.a: expected one cable at a port; another is in "
              "platforms/small.yaml:5",
              message("platform: small\nnodes: 1\n"
                      "cables: [{from: node0.hub.a, to: node0.cpu.b, length_mm: 1}]\n"));
}

TEST_F(MachineFile, TheWindowIsSharedOutInPowersOfTwo)
{
    EXPECT_EQ("machines/m.yaml:5: window.parts = 3: expected a power of two",
              message(std::string(TWO) + "window: {parts: 3}\n"));
    EXPECT_EQ("machines/m.yaml:5: window.size_bytes = 3221225472 bytes: expected a power of two",
              message(std::string(TWO) + "window: {size_bytes: 3GiB}\n"));
    EXPECT_EQ("--set: window.size_bytes = 3221225472 bytes: expected a power of two",
              message(TWO, { "window.size_bytes=3GiB" }));
    EXPECT_EQ("machines/m.yaml:5:10: window.size = 4: missing unit: expected window.size_bytes",
              message(std::string(TWO) + "window: {size: 4}\n"));
}

TEST_F(MachineFile, NodesMayBeOfDifferentPlatforms)
{
    write("platforms/other.yaml", "components: {cpu: {kind: box, mode: wc}}\nlinks: []\n");
    ASSERT_EQ(SIM_OK, load("nodes:\n  - {platform: small, count: 1}\n"
                           "  - {platform: other, count: 2}\n"))
        << err.text;
    EXPECT_EQ(3u, load_machine_desc(machine)->nnodes);
    EXPECT_STREQ("other", load_machine_desc(machine)->nodes[2].platform);
    EXPECT_EQ(1u, value(2, 0, 2).value);
    platform = "other";
    ASSERT_EQ(SIM_OK, load("platform: small\nnodes: 2\n")) << err.text;
    EXPECT_STREQ("other", load_machine_desc(machine)->nodes[0].platform);
}

TEST_F(MachineFile, SetReachesWhatItsPatternMatches)
{
    ASSERT_EQ(SIM_OK, load(TWO, { "node*.hub.link.lanes=4", "node1.*.mode=wc", "cable0.length_mm=7",
                                  "window.parts=4", "node0.link0.length_mm=5" }))
        << err.text;
    EXPECT_EQ(4u, value(0, 1, 0).value);
    EXPECT_EQ(4u, value(1, 1, 0).value);
    EXPECT_EQ(8u, value(0, 0, 0).value);
    EXPECT_EQ(1u, value(1, 0, 2).value);
    EXPECT_EQ(0u, value(0, 0, 2).value);
    EXPECT_EQ(7u, load_machine_desc(machine)->cables[0].length_mm);
    EXPECT_EQ(5u, load_machine_desc(machine)->nodes[0].links[0].length_mm);
    EXPECT_EQ(100u, load_machine_desc(machine)->nodes[1].links[0].length_mm);
    EXPECT_EQ(UINT64_C(128) << 30, load_machine_desc(machine)->part_bytes);
    EXPECT_STREQ("--set", value(0, 1, 0).file);
}

/* The two kinds of these tests have one table of keys. */
TEST_F(MachineFile, SetsChooseAnotherMakeOfADevice)
{
    ASSERT_EQ(SIM_OK, load(TWO, { "node1.cpu.kind=hub.c", "node1.cpu.link.lanes=4" })) << err.text;
    EXPECT_STREQ("box", load_machine_desc(machine)->nodes[0].components[0].kind->name);
    EXPECT_STREQ("hub.c", load_machine_desc(machine)->nodes[1].components[0].kind->name);
    EXPECT_EQ(4u, value(1, 0, 0).value);
    EXPECT_EQ("--set node*.cpu.kind=bok: node0.cpu.kind: expected box or another make of it, "
              "did you mean box?",
              message(TWO, { "node*.cpu.kind=bok" }));
}

TEST_F(MachineFile, ASetThatMatchesNothingOrDoesNotFitIsAnError)
{
    EXPECT_EQ("--set node*.hub.link.lane=4: matches no key, did you mean node*.hub.link.lanes?",
              message(TWO, { "node*.hub.link.lane=4" }));
    EXPECT_EQ("--set node[01].hub.link.lane=4: matches no key, did you mean "
              "node[01].hub.link.lanes?",
              message(TWO, { "node[01].hub.link.lane=4" }));
    EXPECT_EQ("--set node*.hu*.linc.lanes=4: matches no key, did you mean node*.hu*.link.lanes?",
              message(TWO, { "node*.hu*.linc.lanes=4" }));
    EXPECT_EQ("--set node*.hub.link=4: a group of keys: expected one of node*.hub.link.*, such as "
              "node*.hub.link.lanes",
              message(TWO, { "node*.hub.link=4" }));
    EXPECT_EQ("--set node0.hub.link.lanes=99: expected a whole number, "
              "1 .. 16",
              message(TWO, { "node0.hub.link.lanes=99" }));
    EXPECT_EQ("--set lanes: expected KEY=VALUE", message(TWO, { "lanes" }));
}

TEST_F(MachineFile, MayOverrideItsPlatformsItself)
{
    ASSERT_EQ(SIM_OK, load(std::string(TWO) + "set: {\"node1.hub.link.lanes\": 2}\n")) << err.text;
    EXPECT_EQ(8u, value(0, 1, 0).value);
    EXPECT_EQ(2u, value(1, 1, 0).value);
    EXPECT_EQ(5u, value(1, 1, 0).line);
    EXPECT_EQ("machines/m.yaml:5:7: node1.hub.linkanes = 2: matches no key, did you mean "
              "node1.hub.link.lanes?",
              message(std::string(TWO) + "set: {\"node1.hub.linkanes\": 2}\n"));
}

} // namespace
