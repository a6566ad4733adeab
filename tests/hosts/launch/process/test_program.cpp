#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hosts/launch/process/output.h"
#include "hosts/launch/process/program.h"
#include "hosts/launch/process/task.h"
#include "tests/built.h"

namespace
{

const std::string PROGRAMS = test::BUILD + "/tests/hosts/launch";

struct Copy {
    struct task *t = nullptr;
    struct program *p = nullptr;
    std::vector<std::string> args;
    std::vector<char *> argv; /* not on the task's stack, which exit() drops */
    int code = -1;
    hub_program_signals signals = {};
};
Copy *running;

void copy_run(void *arg)
{
    auto *c = static_cast<Copy *>(arg);
    for (auto &a : c->args)
        c->argv.push_back(a.data());
    c->argv.push_back(nullptr);
    c->code = c->p->main(static_cast<int>(c->args.size()), c->argv.data());
}

void copy_exit(int code)
{
    running->code = 1000 + code;
    task_exit(running->t);
}

sim_time_t no_time(void *)
{
    return 5;
}

void collect(void *arg, unsigned rank, enum output_stream stream, sim_time_t, const char *line)
{
    static_cast<std::vector<std::string> *>(arg)->push_back(
        std::to_string(rank) + (stream == OUTPUT_STDOUT ? "o:" : "e:") + line);
}

TEST(Program, SixtyFourCopiesHaveTheirOwnGlobals)
{
    const unsigned n = 64;
    std::vector<Copy> copies(n);
    std::vector<std::string> lines, expected;
    struct output *out = output_create(collect, &lines);
    struct program_file file = {};
    struct sim_error err = {};

    const std::string path = PROGRAMS + "/test_globals.so";
    ASSERT_EQ(SIM_OK, program_file_open(path.c_str(), &file, &err)) << err.text;
    for (unsigned r = 0; r < n; r++) {
        struct hub_program_hooks hooks = {};
        hooks.out = output_open(out, r, OUTPUT_STDOUT, no_time, nullptr);
        hooks.err = output_open(out, r, OUTPUT_STDERR, no_time, nullptr);
        hooks.exit = copy_exit;
        hooks.signals = &copies[r].signals;
        hooks.alloc = [](void *, size_t bytes, size_t, int *, uint64_t) { return malloc(bytes); };
        hooks.realloc = [](void *, void *p, size_t bytes, uint64_t) { return realloc(p, bytes); };
        hooks.free = [](void *, void *p, uint64_t) { free(p); };
        copies[r].args = { "globals", "-n", std::to_string(r) };
        if (r == 7)
            copies[r].args.push_back("end");
        ASSERT_EQ(SIM_OK, program_load(&file, r, &hooks, &copies[r].p, &err)) << err.text;
        copies[r].t = task_create(TASK_STACK_BYTES, copy_run, &copies[r]);
    }
    program_file_close(&file);
    for (unsigned r = 0; r < n; r++) {
        running = &copies[r];
        task_resume(copies[r].t);
        EXPECT_EQ(r == 7 ? 1004 : static_cast<int>(r), copies[r].code);
    }
    output_flush(out, SIM_TIME_NEVER);
    for (unsigned r = 0; r < n; r++) {
        std::string who = std::to_string(r);
        expected.push_back(who + "o:" + std::to_string(100 + r) + " 1 1");
        expected.push_back(who + "o:part whole");
        expected.push_back(who + "e:error line");
        /* exit() flushed rank 7's last line early; all have the same time, so rank orders. */
        expected.push_back(who + "o:x");
    }
    EXPECT_EQ(expected, lines);
    output_destroy(out);
    for (auto &c : copies) {
        task_destroy(c.t);
        program_unload(c.p, false);
    }
}

TEST(Program, AMissingFileIsNamed)
{
    struct program_file file = {};
    struct sim_error err = {};

    EXPECT_EQ(SIM_ERR_CONFIG, program_file_open("/no/such/program.so", &file, &err));
    EXPECT_NE(std::string::npos, std::string(err.text).find("/no/such/program.so"));
}

TEST(Program, AFileThatIsNoObjectIsRefused)
{
    struct program_file file = {};
    struct program *p = nullptr;
    struct hub_program_hooks hooks = {};
    struct sim_error err = {};

    ASSERT_EQ(SIM_OK, program_file_open("CMakeLists.txt", &file, &err)) << err.text;
    EXPECT_EQ(SIM_ERR_CONFIG, program_load(&file, 0, &hooks, &p, &err));
    EXPECT_NE(std::string::npos, std::string(err.text).find("CMakeLists.txt"));
    program_file_close(&file);
}

} // namespace
