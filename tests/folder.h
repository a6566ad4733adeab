/* What tests of files and commands need: a folder of their own, and a shell. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace test
{

/** For EXPECT_TRUE() and EXPECT_FALSE(), which then show the text. */
inline testing::AssertionResult has(const std::string &text, const std::string &part)
{
    return (text.find(part) != std::string::npos ? testing::AssertionSuccess()
                                                 : testing::AssertionFailure())
           << "looked for: " << part << "\nin: " << text;
}
inline testing::AssertionResult begins(const std::string &text, const std::string &part)
{
    return (text.rfind(part, 0) == 0 ? testing::AssertionSuccess() : testing::AssertionFailure())
           << "expected: " << part << "\nat the beginning of: " << text;
}

/** `folder` is empty when a test begins, and gone after it. */
class Folder : public testing::Test
{
  protected:
    void SetUp() override
    {
        char name[] = "/tmp/hubsim-test-XXXXXX";

        ASSERT_NE(nullptr, mkdtemp(name));
        folder = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    /** Folders in `name` are made. @return the path */
    std::string write(const std::string &name, const std::string &content) const
    {
        std::filesystem::path path = folder + "/" + name;

        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << content;
        return path;
    }
    std::string text(const std::string &name) const
    {
        std::ifstream in(folder + "/" + name);
        return std::string(std::istreambuf_iterator<char>(in), {});
    }
    std::string folder;
};

class Shell : public Folder
{
  protected:
    /** @return the exit status, -1 after a signal; what it printed is in `out` and `errors` */
    int sh(const std::string &command)
    {
        FILE *p = popen(("{ " + command + "; } 2>" + folder + "/stderr").c_str(), "r");
        char buffer[4096];
        size_t n;

        out.clear();
        while ((n = fread(buffer, 1, sizeof(buffer), p)) > 0)
            out.append(buffer, n);
        int status = pclose(p);
        errors = text("stderr");
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::string out, errors;
};

} // namespace test

#endif /* TESTS_FOLDER_H */
