#include "hosts/gasnet/core/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct host_param gasnet_params[] = {
    HOST_PARAM_CHOICE("gasnet.segment", 0, "host|gpu|gpu0|gpu1|gpu2|gpu3|gpu4|gpu5|gpu6|gpu7", 9,
                      "the memory of segments: of the host, or of a GPU; gpu = the one beside the "
                      "adapter that GASNet uses"),
    { "gasnet.max_segment_bytes", "bytes", 0, UINT64_C(16) << 30, 0,
      "most that a rank may attach; 0 = what memory there is", NULL, 0 },
    HOST_PARAM_BYTES("gasnet.packed_bytes", 0,
                     "longest Long that travels in one entry with its header and is copied at its "
                     "target; 0 = none"),
    HOST_PARAM_END
};

/* ---- the program's environment ---------------------------------------------------------- */

/* getenv() is the program's, which keeps an environment for each rank. */
const char *gasnet_environment(struct gasnet_rank *gr, const char *name)
{
    bool library = gasnet_program_begin(gr);
    const char *value = gr->environment(name);

    gasnet_program_end(gr, library);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/** 1024 to the power that a letter stands for; 0: there is none. */
static double unit_of(const char *text)
{
    static const char letters[] = "KMGT";
    const char *found;
    double unit = 1024;

    if (text[0] == '\0' || strcasecmp(text, "B") == 0)
        return 1;
    found = strchr(letters, text[0] & ~0x20); /* small ones, too */
    if (found == NULL || (text[1] != '\0' && strcasecmp(text + 1, "B") != 0))
        return 0;
    for (const char *at = letters; at < found; at++)
        unit *= 1024;
    return unit;
}

uint64_t gasnet_environment_bytes(struct gasnet_rank *gr, const char *name, uint64_t own)
{
    const char *text = gasnet_environment(gr, name);
    char *end;
    double n;

    if (text == NULL)
        return own;
    n = strtod(text, &end);
    if (end == text || !isfinite(n) || n < 0 || unit_of(end) == 0 || n * unit_of(end) >= 0x1p63)
        gasnet_fail(gr, "%s=%s: expected a number of bytes, perhaps with K, M, G or T behind it",
                    name, text);
    return (uint64_t)(n * unit_of(end));
}

uint64_t gasnet_environment_ps(struct gasnet_rank *gr, const char *name, uint64_t own_ps)
{
    const char *text = gasnet_environment(gr, name);
    char *end;
    double s;

    if (text == NULL)
        return own_ps;
    s = strtod(text, &end);
    if (end == text || *end != '\0' || !(s >= 0 && s <= 1e6))
        gasnet_fail(gr, "%s=%s: expected 0 .. 1000000 seconds", name, text);
    return (uint64_t)(s * 1e12);
}

static void check_bytes(struct gasnet_rank *gr, const char *name)
{
    (void)gasnet_environment_bytes(gr, name, 0);
}

static void check_seconds(struct gasnet_rank *gr, const char *name)
{
    (void)gasnet_environment_ps(gr, name, 0);
}

/* Here all of them are the dissemination over active messages. */
static void check_barrier(struct gasnet_rank *gr, const char *name)
{
    static const char *const known[] = { "DISSEM", "AMDISSEM", "RDMADISSEM", "AMCENTRAL" };
    const char *text = gasnet_environment(gr, name);
    unsigned i = 0;

    while (text != NULL && i < sizeof(known) / sizeof(known[0]) && strcmp(text, known[i]) != 0)
        i++;
    if (i == sizeof(known) / sizeof(known[0]))
        gasnet_fail(gr, "%s=%s: expected DISSEM, AMDISSEM, RDMADISSEM or AMCENTRAL", name, text);
}

static const struct {
    const char *name, *own;
    void (*check)(struct gasnet_rank *gr, const char *name);
} variables[] = {
    { "GASNET_MAX_SEGSIZE", "what the settings of hubrun say", check_bytes },
    { "GASNET_EXITTIMEOUT", "0.002", check_seconds },
    { "GASNET_BARRIER", "DISSEM", check_barrier },
};

void gasnet_environment_check(struct gasnet_rank *gr)
{
    bool reports = gr->host->rank == 0 && gasnet_environment(gr, "GASNET_VERBOSEENV") != NULL;
    char line[256];

    for (unsigned i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = gasnet_environment(gr, variables[i].name);

        variables[i].check(gr, variables[i].name);
        (void)snprintf(line, sizeof(line), "ENV parameter: %s = %s%s", variables[i].name,
                       value != NULL ? value : variables[i].own, value != NULL ? "" : " (default)");
        if (reports)
            gr->host->process->print(gr->host, line);
    }
}
