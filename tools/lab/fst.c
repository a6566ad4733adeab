#define _POSIX_C_SOURCE 200809L /* lstat */
#include "tools/lab/fst.h"

#include "observe/map.h"

#include <fstapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PICOSECONDS (-12)
#define STATES_MAX  64u

struct lab_fst {
    void *file;
    const char *path;
    sim_time_t time;
    bool begun;               /* a time has been written */
    struct observe_map enums; /* of lists of states */
};

/** The writer removes what has the name, were it a device, and makes a file of its own. */
static bool may_be_replaced(const char *path)
{
    struct stat s;

    return lstat(path, &s) != 0 || S_ISREG(s.st_mode);
}

int lab_fst_open(const char *path, struct lab_fst **fst_p, struct sim_error *err)
{
    struct lab_fst *fst;

    if (!may_be_replaced(path))
        return sim_error_set(err, SIM_ERR_IO, "%s: expected the name of a file, new or old", path);
    fst = calloc(1, sizeof(*fst));
    if (fst == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", path);
    fst->path = path;
    fst->file = fstWriterCreate(path, 1);
    if (fst->file == NULL) {
        free(fst);
        return sim_error_set(err, SIM_ERR_IO, "%s: cannot be written", path);
    }
    fstWriterSetPackType(fst->file, FST_WR_PT_LZ4);
    fstWriterSetTimescale(fst->file, PICOSECONDS);
    fstWriterSetVersion(fst->file, "hubsim " HUBSIM_VERSION);
    /* The same run gives the same file. */
    fstWriterSetDate(fst->file, "");
    *fst_p = fst;
    return SIM_OK;
}

static void scope(void *arg, const char *name)
{
    struct lab_fst *fst = arg;

    fstWriterSetScope(fst->file, FST_ST_VCD_MODULE, name, NULL);
}

static void upscope(void *arg)
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

static uint32_t declare(void *arg, const struct sim_signal *signal, const char *name)
{
    struct lab_fst *fst = arg;

    if (signal->states != NULL)
        fstWriterEmitEnumTableRef(fst->file, names_of(fst, signal));
    return fstWriterCreateVar(fst->file, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, signal->bits, name, 0);
}

static void change(void *arg, sim_time_t time, uint32_t handle, const struct sim_signal *signal,
                   uint64_t value)
{
    struct lab_fst *fst = arg;

    if (!fst->begun || time != fst->time)
        fstWriterEmitTimeChange(fst->file, time);
    fst->begun = true;
    fst->time = time;
    fstWriterEmitValueChange64(fst->file, handle, signal->bits, value);
}

struct observe_wave_writer lab_fst_writer(struct lab_fst *fst)
{
    return (struct observe_wave_writer){
        .scope = scope, .upscope = upscope, .signal = declare, .change = change, .arg = fst
    };
}

/** The end of the block that begins at `at`: a byte for its kind, its length in eight more, of
 * which the first is the most significant, and which count themselves. -1: it is cut off. */
static long block_end(FILE *f, long at)
{
    uint8_t head[9];
    uint64_t length = 0;

    if (fseek(f, at, SEEK_SET) != 0 || fread(head, 1, sizeof(head), f) != sizeof(head))
        return -1;
    for (unsigned i = 1; i < sizeof(head); i++)
        length = length << 8 | head[i];
    return length >= 8 && length <= INT64_MAX / 2 ? at + 1 + (long)length : -1;
}

/** The writer does not look whether its writing succeeds: in a whole file the blocks end where it
 * ends. */
static bool is_whole(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1, at = 0;

    if (f == NULL)
        return false;
    if (fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    while (at >= 0 && at < size)
        at = block_end(f, at);
    (void)fclose(f);
    return size > 0 && at == size;
}

int lab_fst_close(struct lab_fst *fst, struct sim_error *err)
{
    bool bad = fstWriterGetFseekFailed(fst->file) != 0;
    int rc = SIM_OK;

    fstWriterClose(fst->file);
    if (bad || !is_whole(fst->path))
        rc = sim_error_set(err, SIM_ERR_IO, "%s: writing failed", fst->path);
    observe_map_fini(&fst->enums);
    free(fst);
    return rc;
}
