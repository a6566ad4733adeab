#include "config_test.h"

namespace
{

class TreeTest : public testing::Test
{
  protected:
    void TearDown() override { load_arena_fini(&arena); }
    int parse(const std::string &text)
    {
        err = {};
        return attempt(&err,
                       [&] { tree = load_tree_parse("f.yaml", text.data(), text.size(), &arena); });
    }
    std::string message(const std::string &text)
    {
        EXPECT_NE(SIM_OK, parse(text));
        EXPECT_EQ(std::string::npos, std::string(err.text).find('\n'));
        return err.text;
    }
    begun_arena arena;
    load_tree *tree = nullptr;
    sim_error err = {};
};

TEST_F(TreeTest, NodesKnowTheirLineAndColumn)
{
    ASSERT_EQ(SIM_OK, parse("a: 1\nb:\n  - x\n  - {c: 2}\n"));
    const load_tree *b = load_tree_get(tree, "b");
    ASSERT_NE(nullptr, b);
    EXPECT_EQ(LOAD_LIST, b->type);
    EXPECT_EQ(2u, b->n);
    EXPECT_EQ(3u, b->items[0].line);
    EXPECT_EQ(5u, b->items[0].column);
    EXPECT_EQ(4u, load_tree_get(&b->items[1], "c")->line);
    EXPECT_EQ(6u, load_tree_get(&b->items[1], "c")->column);
}

TEST_F(TreeTest, BrokenYamlIsLocated)
{
    const std::string column = "keys of one mapping in one column";

    EXPECT_EQ("f.yaml:2:4: mapping values are not allowed in this context: expected " + column +
                  ", and quotes around a text with a colon",
              message("a: 1\n  b: 2\n"));
    EXPECT_EQ("f.yaml:3:2: did not find expected key: expected " + column,
              message("a:\n  b: 2\n c: 3\n"));
    EXPECT_EQ(
        "f.yaml:2:1: found a tab character that violates indentation: expected spaces, no tab",
        message("a: 1\n\tb: 2\n"));
    EXPECT_EQ("f.yaml:2:3: found undefined alias: expected quotes around a text that begins with *",
              message("set:\n  *node: 1\n"));
    EXPECT_EQ("f.yaml:2:1: did not find expected ',' or '}': expected a comma between the keys in "
              "braces, and the brace that closes them",
              message("set: {a: 1\n"));
    EXPECT_EQ("f.yaml:1:1: empty: expected a mapping", message(""));
    EXPECT_EQ("f.yaml:1:1: expected a mapping", message("- 1\n"));
    EXPECT_EQ("f.yaml:3:1: expected one document: a second one begins here",
              message("---\na: 1\n---\nb: 2\n"));
    ASSERT_EQ(SIM_OK, parse("---\na: 1\n...\n# and no more\n")) << err.text;
    EXPECT_EQ("f.yaml:1:1: control characters are not allowed: expected YAML",
              message(std::string("a: \x01\n", 5)));
}

TEST_F(TreeTest, AKeyMayOccurOnce)
{
    EXPECT_EQ("f.yaml:3:1: a: expected each key once; it is also in line 1",
              message("a: 1\nb: 2\na: 3\n"));
}

TEST_F(TreeTest, AliasesThatNeverEndAreRefused)
{
    EXPECT_NE(std::string::npos, message("a: &x [*x]\n").find("expected at most 32 levels"));
    std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 9; i++) {
        std::string below = "*a" + std::to_string(i - 1), name = "a" + std::to_string(i);
        bomb += name + ": &" + name + " [";
        for (int k = 0; k < 10; k++)
            bomb += below + (k < 9 ? ", " : "]\n");
    }
    EXPECT_NE(std::string::npos, message(bomb).find("expected at most 100000 values"));
}

} // namespace
