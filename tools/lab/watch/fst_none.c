/* In the place of fst.c where CMake did not find Verilator's FST writer. */
#include "tools/lab/watch/fst.h"

int lab_fst_open(const char *path, struct lab_fst **fst_p, struct sim_error *err)
{
    (void)fst_p;
    return sim_error_set(err, SIM_ERR_IO,
                         "%s: this hubsim was built without the FST writer: install the package "
                         "verilator, run cmake again and build",
                         path);
}

struct observe_wave_writer lab_fst_writer(struct lab_fst *fst)
{
    (void)fst;
    return (struct observe_wave_writer){ 0 };
}

int lab_fst_close(struct lab_fst *fst, struct sim_error *err)
{
    (void)fst;
    (void)err;
    return SIM_OK;
}
