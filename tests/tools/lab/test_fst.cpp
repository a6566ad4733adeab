/* A file of waves on a disk without room for it. */
#include "tools/lab/watch/fst.h"

#include "tests/folder.h"
#include "tests/tools/attempt.h"

#include <csignal>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace
{

class Fst : public test::Folder
{
  protected:
    /** Signals and changes for some hundred KiB into a file of at most so many bytes. */
    int write(rlim_t most)
    {
        const sim_signal signal = { "level", 64, nullptr, SIM_SIGNAL_PLAIN, "" };
        const rlimit full = { most, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
        lab_fst *fst = nullptr;
        const std::string path = folder + "/x.fst";
        std::vector<uint32_t> handles;

        err = {};
        if (attempt(&err, [&] { fst = lab_fst_open(path.c_str()); }) != SIM_OK)
            return err.code;
        setrlimit(RLIMIT_FSIZE, &full);
        observe_wave_writer w = lab_fst_writer(fst);
        for (unsigned i = 0; i < 500; i++) {
            w.scope(w.arg, ("scope" + std::to_string(i)).c_str());
            handles.push_back(w.signal(w.arg, &signal, ("signal" + std::to_string(i)).c_str()));
            w.upscope(w.arg);
        }
        for (uint64_t time = 0; time < 100; time++)
            for (uint32_t handle : handles)
                w.change(w.arg, time, handle, &signal, (time + 1) * handle * 0x9e3779b97f4a7c15);
        lab_fst_close(fst, &err);
        setrlimit(RLIMIT_FSIZE, &none);
        return err.code;
    }
    sim_error err = {};
};

/* The writer maps files of its own, whose missing pages would end the process. */
TEST_F(Fst, SaysThatThereIsNoRoomForIt)
{
    signal(SIGXFSZ, SIG_IGN); /* writing fails instead */
    if (write(RLIM_INFINITY) != SIM_OK)
        GTEST_SKIP() << err.text;
    for (rlim_t most = 0; most < 300000; most = most * 3 / 2 + 500) {
        EXPECT_EQ(SIM_ERR_IO, write(most)) << most;
        EXPECT_EQ(folder + "/x.fst: writing failed: File too large", err.text) << most;
    }
    EXPECT_EQ(SIM_OK, write(RLIM_INFINITY)) << err.text;
    std::filesystem::remove_all(folder);
    EXPECT_EQ(SIM_ERR_IO, write(RLIM_INFINITY));
    EXPECT_EQ(folder + "/x.fst: No such file or directory: expected a writable file", err.text);
}

} // namespace
