#define _POSIX_C_SOURCE 200809L /* lstat */
#include "tools/lab/watch/fst.h"

#include "observe/map.h"
#include "tools/lab/watch/fst_disk.h"
#include "tools/load/arena.h"

#include <errno.h>
#include <fstapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PICOSECONDS (-12)
#define STATES_MAX  64u

struct lab_fst {
    void *file;
    const char *path;
    sim_time_t time;          /* the last one in the file; SIM_TIME_NEVER: none is */
    struct observe_map enums; /* of lists of states */
};

/** The writer removes what has the name, were it a device, and makes a file of its own. */
static bool may_be_replaced(const char *path)
{
    struct stat s;

    return lstat(path, &s) != 0 || S_ISREG(s.st_mode);
}

struct lab_fst *lab_fst_open(const char *path)
{
    struct lab_fst *fst;
    void *file;

    if (!may_be_replaced(path))
        load_raise(SIM_ERR_IO, "%s: expected the name of a file, new or old", path);
    (void)fst_disk_error(); /* of an earlier file */
    file = fstWriterCreate(path, 1);
    if (file == NULL)
        load_raise(SIM_ERR_IO, "%s: %s: expected a writable file", path, strerror(errno));
    fstWriterSetPackType(file, FST_WR_PT_LZ4);
    fstWriterSetTimescale(file, PICOSECONDS);
    fstWriterSetVersion(file, "hubsim " HUBSIM_VERSION);
    /* The same run gives the same file. */
    fstWriterSetDate(file, "");
    fst = calloc(1, sizeof(*fst));
    SIM_ASSERT(fst != NULL);
    fst->file = file;
    fst->path = path;
    fst->time = SIM_TIME_NEVER;
    return fst;
}

static void open_scope(void *arg, const char *name)
{
    struct lab_fst *fst = arg;

    fstWriterSetScope(fst->file, FST_ST_VCD_MODULE, name, NULL);
}

static void close_scope(void *arg)
{
    struct lab_fst *fst = arg;

    fstWriterSetUpscope(fst->file);
}

/** Names for the values of the signal that is declared next. 0: none */
static fstEnumHandle names_of(struct lab_fst *fst, const struct sim_signal *signal)
{
    const char *values[STATES_MAX];
    char digits[STATES_MAX][8];
    uint32_t n = 0, *at = observe_map_at(&fst->enums, signal->states, NULL);

    if (at == NULL || *at != 0)
        return at != NULL ? *at : 0;
    for (; signal->states[n] != NULL && n < STATES_MAX; n++) {
        for (uint32_t bit = 0; bit < signal->bits && bit < 7; bit++)
            digits[n][bit] = (n >> (signal->bits - 1 - bit) & 1) != 0 ? '1' : '0';
        digits[n][signal->bits < 7 ? signal->bits : 7] = '\0';
        values[n] = digits[n];
    }
    *at = fstWriterCreateEnumTable(fst->file, signal->name, n, signal->bits,
                                   (const char **)(uintptr_t)signal->states, values);
    return *at;
}

static uint32_t declare_signal(void *arg, const struct sim_signal *signal, const char *name)
{
    struct lab_fst *fst = arg;

    if (signal->states != NULL)
        fstWriterEmitEnumTableRef(fst->file, names_of(fst, signal));
    return fstWriterCreateVar(fst->file, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, signal->bits, name, 0);
}

static void write_change(void *arg, sim_time_t time, uint32_t handle,
                         const struct sim_signal *signal, uint64_t value)
{
    struct lab_fst *fst = arg;

    if (time != fst->time)
        fstWriterEmitTimeChange(fst->file, time);
    fst->time = time;
    fstWriterEmitValueChange64(fst->file, handle, signal->bits, value);
}

struct observe_wave_writer lab_fst_writer(struct lab_fst *fst)
{
    return (struct observe_wave_writer){ .scope = open_scope,
                                         .upscope = close_scope,
                                         .signal = declare_signal,
                                         .change = write_change,
                                         .arg = fst };
}

void lab_fst_close(struct lab_fst *fst, struct sim_error *err)
{
    int code;

    fstWriterClose(fst->file);
    code = fst_disk_error();
    if (code != 0)
        (void)sim_error_set(err, SIM_ERR_IO, "%s: writing failed: %s", fst->path, strerror(code));
    observe_map_fini(&fst->enums);
    free(fst);
}
