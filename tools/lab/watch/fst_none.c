/* In the place of fst.c where CMake did not find Verilator's FST writer. */
#include "tools/lab/watch/fst.h"

#include "tools/load/arena.h"

struct lab_fst *lab_fst_open(const char *path)
{
    load_raise(SIM_ERR_IO,
               "%s: this hubsim was built without the FST writer: install the package "
               "verilator, run cmake again and build",
               path);
}

struct observe_wave_writer lab_fst_writer(struct lab_fst *fst)
{
    (void)fst;
    return (struct observe_wave_writer){ 0 };
}

void lab_fst_close(struct lab_fst *fst, struct sim_error *err)
{
    (void)fst;
    (void)err;
}
