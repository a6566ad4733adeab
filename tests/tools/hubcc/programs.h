/* A folder of its own for each test, and a shell that has hubcc and hubrun. */
#ifndef TESTS_HUBCC_PROGRAMS_H
#define TESTS_HUBCC_PROGRAMS_H

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

class Programs : public testing::Test
{
  protected:
    void SetUp() override
    {
        char name[] = "/tmp/hubcc-XXXXXX";

        ASSERT_NE(nullptr, mkdtemp(name));
        folder = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    void write(const std::string &name, const std::string &text)
    {
        std::ofstream(folder + "/" + name) << text;
    }
    /** Runs a shell command in the folder; stdout in `out`, stderr in `errors`. */
    int sh(const std::string &command)
    {
        std::string all =
            "cd " + folder + " && PATH=" BIN ":$PATH && { " + command + "; } 2>stderr";
        FILE *p = popen(all.c_str(), "r");
        char buffer[4096];
        size_t n;

        out.clear();
        while ((n = fread(buffer, 1, sizeof(buffer), p)) > 0)
            out.append(buffer, n);
        int status = pclose(p);
        std::ifstream in(folder + "/stderr");
        errors.assign(std::istreambuf_iterator<char>(in), {});
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::string folder, out, errors;
};

} // namespace

#endif /* TESTS_HUBCC_PROGRAMS_H */
