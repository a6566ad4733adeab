/* Kept results: what is wrong with one is reported by file, line, key and value; two of them
 * compare.
 */
#include "tests/folder.h"
#include "tests/tools/attempt.h"
#include "tools/lab/result/changes.h"
#include "tools/lab/result/compare.h"
#include "tools/lab/result/junit.h"
#include "tools/lab/result/kept.h"

#include <vector>

namespace
{

const char *const manifest =
    R"({
  "format": "hubsim result 2",
  "hubsim": "0.1.0",
  "commit": "abc",
  "kind": "experiment",
  "name": "small",
  "description": "",
  "command": "hubsim",
  "arguments": ["run", "small.yaml"],
  "seed": 1,
  "set": [],
  "keys": 3,
  "machines": [
    {"machine": "ring4", "nodes": 2, "hash": "0000000000000001", "parameters": {
      "node*.hub.e.link.lanes": 8,
      "node0.cpu.store": "uc",
      "node1.cpu.store": "wc"
    }}
  ],
  "runs": [
    {"run": "r0", "machine": 0, "visible": "00000000000000a0", "wire": "00000000000000b0", "edge": "00000000000000c0"},
    {"run": "r1", "machine": 0, "visible": "00000000000000a1", "wire": "00000000000000b1", "edge": "00000000000000c1"}
  ],
  "points": [
    {"point": "PIO, bytes = 8", "runs": [0]},
    {"point": "PIO, bytes = 16", "runs": [1]}
  ]
}
)";

const char *const table = "series,key,x,latency_us,failure\n"
                          "PIO,bytes,8,1.00,\n"
                          "PIO,bytes,16,2.00,\n";

const char *const statistics =
    R"({
  "format": "hubsim statistics 1",
  "runs": 2,
  "statistics": [
    {"path": "node0.hub.e.tx.tlps", "unit": "1", "values": [100, 200]},
    {"path": "node1.hub.e.tx.tlps", "unit": "1", "values": [50, 200]},
    {"path": "node0.cpu.stores", "unit": "1", "values": [7, 7]}
  ]
}
)";

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    size_t at = text.find(from);

    EXPECT_NE(std::string::npos, at) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class Kept : public test::Folder
{
  protected:
    void TearDown() override
    {
        load_arena_fini(&arena);
        Folder::TearDown();
    }
    std::string result(const std::string &name, const std::string &m = manifest,
                       const std::string &t = table, const std::string &s = statistics)
    {
        write(name + "/manifest.json", m);
        write(name + "/table.csv", t);
        write(name + "/statistics.json", s);
        return folder + "/" + name;
    }
    int try_read(const std::string &dir, lab_kept *kept)
    {
        const char *name = load_text(&arena, "%s", dir.c_str());

        err = {};
        return attempt(&err, [&] { *kept = lab_kept_read(name, &arena); });
    }
    lab_kept read(const std::string &dir)
    {
        lab_kept kept = {};

        EXPECT_EQ(SIM_OK, try_read(dir, &kept)) << err.text;
        return kept;
    }
    /** What is wrong with it, without the folder in front. */
    std::string refusal(const std::string &dir)
    {
        lab_kept kept = {};

        EXPECT_NE(SIM_OK, try_read(dir, &kept));
        return replaced(err.text, dir, "");
    }
    begun_arena arena;
    sim_error err = {};
};

TEST_F(Kept, AllOfItIsRead)
{
    lab_kept kept = read(result("a"));

    EXPECT_STREQ("small", kept.manifest.name);
    EXPECT_EQ(0xb1u, kept.manifest.runs[1].print.wire);
    EXPECT_EQ(0xc1u, kept.manifest.runs[1].print.edge);
    EXPECT_EQ(1u, kept.manifest.points[1].runs[0]);
    EXPECT_STREQ("uc", kept.manifest.machines[0].params[1].value);
    EXPECT_EQ(3u, kept.nstats);
    EXPECT_EQ(200u, kept.stats[1].values[1]);
    EXPECT_EQ(0u, kept.faults.nrows);
}

TEST_F(Kept, WhatIsWrongIsToldWithItsPlace)
{
    const std::string m = manifest, s = statistics;

    EXPECT_EQ(": no such folder: expected a folder that `hubsim run FILE` or `hubrun --out DIR "
              "PROGRAM` makes",
              refusal(folder + "/none"));
    EXPECT_EQ("/manifest.json:2:3: format = hubsim result 9: expected hubsim result 2: hubsim "
              "0.2.0 reads no other",
              refusal(result("a", replaced(m, "result 2", "result 9"))));
    EXPECT_EQ("/manifest.json:10:3: sed: unknown key, did you mean seed?",
              refusal(result("a", replaced(m, "\"seed\": 1", "\"sed\": {}"))));
    EXPECT_EQ("/manifest.json:10:3: seed = x1: expected a whole number",
              refusal(result("a", replaced(m, "\"seed\": 1", "\"seed\": x1"))));
    EXPECT_EQ("/manifest.json:8:3: command = rm: expected hubsim",
              refusal(result("a", replaced(m, "\"command\": \"hubsim\"", "\"command\": \"rm\""))));
    EXPECT_EQ("/manifest.json:6:3: name = ../x: expected the name of a folder",
              refusal(result("a", replaced(m, "\"name\": \"small\"", "\"name\": \"../x\""))));
    EXPECT_EQ("/manifest.json:5:3: kind = film: expected experiment, machine, program or score",
              refusal(result("a", replaced(m, "\"experiment\"", "\"film\""))));
    EXPECT_EQ("/manifest.json:9:3: arguments: expected run and a file",
              refusal(result("a", replaced(m, "\"run\", \"small.yaml\"", "\"list\", \"a\""))));
    EXPECT_EQ("/manifest.json:9:3: arguments: expected run and a file",
              refusal(result("a", replaced(m, "\"run\", \"small.yaml\"", "\"run\""))));
    EXPECT_EQ("/manifest.json:9:3: arguments: expected score and a system",
              refusal(result("a", replaced(m, "\"experiment\"", "\"score\""))));
    EXPECT_EQ("/manifest.json:8:3: command = hubsim: expected hubrun",
              refusal(result("a", replaced(m, "\"experiment\"", "\"program\""))));
    EXPECT_EQ("/manifest.json:21:33: visible = a0: expected 16 digits of a hash",
              refusal(result("a", replaced(m, "00000000000000a0", "a0"))));
    EXPECT_EQ(
        "/manifest.json:22:19: machine = 1: expected a whole number, 0 .. 0",
        refusal(result("a", replaced(m, "\"r1\", \"machine\": 0", "\"r1\", \"machine\": 1"))));
    EXPECT_EQ("/manifest.json:26:43: runs = 7: expected a whole number, 0 .. 1",
              refusal(result("a", replaced(m, "16\", \"runs\": [1]", "16\", \"runs\": [7]"))));
    EXPECT_EQ("/table.csv:2: 1 row: expected 2, one for each point of manifest.json",
              refusal(result("a", m, "series,key,x,y\na,b,c,1\n")));
    EXPECT_EQ("/table.csv:3: 2 fields: expected 5 as in the header",
              refusal(result("a", m, replaced(table, "PIO,bytes,16,2.00,", "PIO,bytes"))));
    EXPECT_EQ("/table.csv:1: 3 columns: expected values behind the 3 that name a point",
              refusal(result("a", m, "series,key,x\na,b,c\na,b,d\n")));
    EXPECT_EQ("/statistics.json:6:50: values: expected 2, one for each run, not 1",
              refusal(result("a", m, table, replaced(s, "[50, 200]", "[50]"))));
    EXPECT_EQ("/statistics.json:3:3: runs = 3: expected a whole number, 2 .. 2",
              refusal(result("a", m, table, replaced(s, "\"runs\": 2", "\"runs\": 3"))));
}

TEST_F(Kept, WhatChecksHaveFoundIsRead)
{
    const std::string dir = result("a"), file = "a/checks.json";
    const std::string c = R"({"format": "hubsim checks 1", "accesses": "all", "found": 3,
 "mistakes": ["one", "two"]})";

    EXPECT_EQ(nullptr, read(dir).checks);
    write(file, c);
    const lab_checks *checks = read(dir).checks;
    ASSERT_NE(nullptr, checks);
    EXPECT_EQ(LAB_ACCESSES_ALL, checks->accesses);
    EXPECT_EQ(3u, checks->found);
    ASSERT_EQ(2u, checks->n);
    EXPECT_STREQ("two", checks->mistakes[1]);

    write(file, replaced(c, "\"all\"", "\"some\""));
    EXPECT_EQ("/checks.json:1:31: accesses = some: expected none, calls or all", refusal(dir));
    write(file, replaced(c, "\"found\": 3", "\"found\": 1"));
    EXPECT_EQ("/checks.json:1:50: found = 1: expected 2 or more, as mistakes has", refusal(dir));
    write(file, replaced(c, "checks 1", "checks 2"));
    EXPECT_EQ("/checks.json:1:2: format = hubsim checks 2: expected hubsim checks 1: hubsim 0.2.0 "
              "reads no other",
              refusal(dir));
}

/* A disk was full, a download broke off: every shorter file is an error of one line. */
TEST_F(Kept, CommandsAreTakenByAShellAsTheyWere)
{
    const char *plain[] = { "<%s>",   "",    "it's", "'", "a b", "$x", "`x`", "a\\b",    "\"",
                            "[1..2]", "a=b", "~",    "!", "x*",  "#",  "{a}", "\xc3\xa4" };
    const char *control[] = { "<%s>", "it's\n", "\t\\", "\0017", "\177'" };
    auto printed = [&](const char *shell, const char *const *words, unsigned n) {
        write("s", lab_kept_command("printf", words, n, &arena));
        FILE *p = popen((std::string(shell) + " " + folder + "/s").c_str(), "r");
        char text[1000] = "";

        (void)fread(text, 1, sizeof(text) - 1, p);
        pclose(p);
        return std::string(text);
    };

    EXPECT_EQ("<><it's><'><a b><$x><`x`><a\\b><\"><[1..2]><a=b><~><!><x*><#><{a}><\xc3\xa4>",
              printed("sh", plain, std::size(plain)));
    EXPECT_EQ("<it's\n><\t\\><\0017><\177'>", printed("bash", control, std::size(control)));
    EXPECT_EQ(std::string::npos, text("s").find('\n')) << text("s");
}

TEST_F(Kept, TruncatedFilesAreRefused)
{
    const std::string m = manifest, s = statistics;

    for (size_t n = 0; n + 3 < m.size(); n += 7)
        EXPECT_EQ(std::string::npos, refusal(result("a", m.substr(0, n))).find('\n'));
    for (size_t n = 0; n + 3 < s.size(); n += 7)
        EXPECT_EQ(std::string::npos, refusal(result("a", m, table, s.substr(0, n))).find('\n'));
}

/* ---- two results ----------------------------------------------------------------- */

class Compare : public Kept
{
  protected:
    int add_band(const char *text)
    {
        err = {};
        return attempt(&err, [&] { lab_bands_add(&bands, text, &arena); });
    }
    void compare(const std::string &a, const std::string &b,
                 const std::vector<const char *> &widths = {})
    {
        bands = {};
        for (const char *width : widths)
            ASSERT_EQ(SIM_OK, add_band(width)) << err.text;
        x = read(a);
        y = read(b);
        lab_compare(&x, &y, &bands, &arena, &c);
    }
    std::vector<lab_change> changes()
    {
        lab_changes found = {};

        lab_changes_find(&x, &y, &c, &arena, &found);
        return std::vector<lab_change>(found.list, found.list + found.n);
    }
    lab_kept x = {}, y = {};
    lab_bands bands = {};
    lab_comparison c = {};
};

TEST_F(Compare, AResultEqualsItself)
{
    compare(result("a"), result("b"));
    EXPECT_EQ(2u, c.counts[LAB_POINT_EQUAL]);
    EXPECT_TRUE(lab_compare_passes(&c, &bands));
    EXPECT_TRUE(changes().empty());
}

TEST_F(Compare, AnotherModelIsToldApartFromAnotherValue)
{
    const std::string b = result("b", replaced(manifest, "00000000000000b0", "00000000000000ff"),
                                 replaced(table, "2.00", "2.02"));

    compare(result("a"), b);
    EXPECT_EQ(LAB_POINT_MODEL, c.points[0].verdict);
    EXPECT_FALSE(c.points[0].visible);
    EXPECT_TRUE(c.points[0].wire);
    EXPECT_EQ(LAB_POINT_VALUES, c.points[1].verdict);
    EXPECT_FALSE(lab_compare_passes(&c, &bands));

    compare(folder + "/a", b, { "1%" });
    EXPECT_EQ(LAB_POINT_MODEL, c.points[0].verdict);
    EXPECT_EQ(LAB_POINT_MODEL, c.points[1].verdict);
    EXPECT_TRUE(lab_compare_passes(&c, &bands));

    compare(folder + "/a", b, { "5%", "latency_*=0.9%" }); /* the last one that matches */
    EXPECT_EQ(LAB_POINT_VALUES, c.points[1].verdict);
    compare(folder + "/a", b, { "latency_us=0.02" });
    EXPECT_TRUE(lab_compare_passes(&c, &bands));
    compare(folder + "/a", b, { "latency_us=0.019" });
    EXPECT_FALSE(lab_compare_passes(&c, &bands));
}

TEST_F(Compare, AFailureIsAValue)
{
    compare(result("a"), result("b", manifest, replaced(table, "2.00,", ",no result")), { "50%" });
    EXPECT_EQ(LAB_POINT_VALUES, c.points[1].verdict);
    EXPECT_EQ(2u, c.points[1].ncells);
}

TEST_F(Compare, PointsOfOneResultOnlyAreDifferences)
{
    compare(result("a"), result("b", replaced(manifest, "PIO, bytes = 16", "DMA, bytes = 16")),
            { "1%" });
    ASSERT_EQ(3u, c.npoints);
    EXPECT_EQ(LAB_POINT_GONE, c.points[1].verdict);
    EXPECT_EQ(LAB_POINT_NEW, c.points[2].verdict);
    EXPECT_FALSE(lab_compare_passes(&c, &bands));
}

TEST_F(Compare, BandsThatMeanNothingAreRefused)
{
    for (const char *text :
         { "", "1", "x%", "-1%", "=1%", "a=", "a=%", "a=1e999", "0x1%", "any" }) {
        EXPECT_EQ(SIM_ERR_CONFIG, add_band(text)) << text;
        EXPECT_EQ("--band " + std::string(text) +
                      ": expected 1%, COLUMN=1%, COLUMN=0.5 or COLUMN=any",
                  std::string(err.text));
    }
}

TEST_F(Compare, ChangesAreInOrderOfImportance)
{
    std::string m = replaced(manifest, "link.lanes\": 8", "link.lanes\": 4");
    m = replaced(m, "node1.cpu.store\": \"wc\"", "node1.cpu.store\": \"uc\"");
    m = replaced(m, "\"commit\": \"abc\"", "\"commit\": \"def\"");
    m = replaced(m, "00000000000000a1", "00000000000000ff");
    std::string s = replaced(statistics, "[100, 200]", "[100, 300]");
    s = replaced(s, "[50, 200]", "[50, 210]");

    compare(result("a"), result("b", m, replaced(table, "2.00", "3.00"), s));
    std::vector<lab_change> found = changes();
    ASSERT_EQ(6u, found.size());
    EXPECT_EQ(LAB_CHANGE_MADE, found[0].kind);
    EXPECT_STREQ("node1.cpu.store", found[1].name);
    EXPECT_STREQ("wc", found[1].a);
    EXPECT_STREQ("node*.hub.e.link.lanes", found[2].name);
    EXPECT_EQ(2u, found[2].n);
    EXPECT_DOUBLE_EQ(-50, found[2].change_pct);
    EXPECT_STREQ("PIO: latency_us", found[3].name);
    EXPECT_STREQ("PIO, bytes = 16", found[3].where);
    EXPECT_EQ(1u, found[3].n);
    EXPECT_EQ(2u, found[3].of);
    EXPECT_EQ(LAB_CHANGE_FINGERPRINT, found[4].kind);
    EXPECT_STREQ("node*.hub.e.tx.tlps", found[5].name); /* both nodes in one line */
    EXPECT_STREQ("550", found[5].a);
    EXPECT_STREQ("660", found[5].b);
    EXPECT_EQ(2u, found[5].n);
    EXPECT_EQ(4u, found[5].of);
    EXPECT_DOUBLE_EQ(5, found[5].least_pct);
    EXPECT_DOUBLE_EQ(50, found[5].most_pct);
}

/* 2.5 and 2.6 may be 2.549 and 2.551: that comes behind what surely differs. */
TEST_F(Compare, TheLastDigitOfAValueWeighsNothing)
{
    const char *const before =
        "series,key,x,rough,fine\nPIO,bytes,8,2.5,1.000\nPIO,bytes,16,1.0,1.000\n";

    compare(result("a", manifest, before),
            result("b", manifest,
                   replaced(replaced(before, "2.5", "2.6"), "8,2.6,1.000", "8,2.6,1.010")));
    ASSERT_EQ(2u, changes().size());
    EXPECT_STREQ("PIO: fine", changes()[0].name);
}

TEST_F(Compare, CablesAndRoutesAreSeenByTheirHash)
{
    compare(result("a"), result("b", replaced(manifest, "0000000000000001", "0000000000000002")));
    ASSERT_EQ(1u, changes().size());
    EXPECT_STREQ("components, cables, routes or slots", changes()[0].name);
}

TEST_F(Compare, FaultsAreCounted)
{
    std::string a = result("a"), b = result("b");

    write("b/faults.csv",
          "run,target,kind,rate\n0,node0.hub.e,errors,1e-9\n1,node0.hub.e,errors,1e-9\n");
    compare(a, b);
    ASSERT_EQ(1u, changes().size());
    EXPECT_STREQ("node0.hub.e errors rate=1e-9", changes()[0].name);
    EXPECT_STREQ("0", changes()[0].a);
    EXPECT_STREQ("2", changes()[0].b);
}

} // namespace
