#define _GNU_SOURCE /* environ */
#include "tools/hubrun/environment.h"
#include "tools/lab/process/processes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static void remark(const struct options *opt, const char *fmt,
                                                         ...)
{
    va_list ap;

    if (opt->quiet)
        return;
    fputs("hubrun: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

/* ---- GPUs ---------------------------------------------------------------------------- */

static unsigned entries_of(const char *list)
{
    unsigned n = *list != '\0';

    while ((list = strchr(list, ',')) != NULL) {
        list++;
        n++;
    }
    return n;
}

/* CUDA leaves them out without a word. */
static void report_unseen(const struct options *opt, const struct machine_desc *desc)
{
    for (unsigned node = 0; node < desc->nnodes; node++) {
        unsigned all = launch_gpus(desc, node, NULL), n = launch_gpus(desc, node, opt->visible);

        if (all == 0 || n == entries_of(opt->visible))
            continue;
        remark(
            opt,
            "--visible-devices %s: ranks on node %u see %u of its %u GPUs: expected numbers from "
            "0 to %u, each once",
            opt->visible, node, n, all, all - 1);
        return;
    }
}

static bool has_gpus(const struct machine_desc *desc)
{
    for (unsigned node = 0; node < desc->nnodes; node++)
        if (launch_gpus(desc, node, NULL) > 0)
            return true;
    return false;
}

static void take_devices(struct options *opt, const struct machine_desc *desc)
{
    const char *set = getenv("CUDA_VISIBLE_DEVICES");

    if (!has_gpus(desc)) {
        if (opt->visible != NULL)
            remark(opt, "--visible-devices %s: not used: no node of this machine has a GPU",
                   opt->visible);
        return;
    }
    if (opt->visible == NULL && set != NULL) {
        opt->visible = set;
        remark(opt, "CUDA_VISIBLE_DEVICES=%s: as with --visible-devices %s", set,
               *set != '\0' ? set : "''");
    }
    if (opt->visible != NULL)
        report_unseen(opt, desc);
}

/* ---- MPI libraries ------------------------------------------------------------------- */

/* A variable whose documented meaning is that of a setting here. */
struct variable {
    const char *name, *setting;
    const char *words; /* for 0, 1 and so on; one that is empty has none here. NULL: a number */
    bool collective;   /* the setting is one of --algorithm, else of --mpi, for InfiniBand */
};

/* Numbers are sections of the MVAPICH2 2.3.7 user guide; the others stand in the guide of
 * MVAPICH2-GDR 2.3.7, "Tuning and Usage Parameters", "Basic". */
static const struct variable mvapich2[] = {
    { "MV2_IBA_EAGER_THRESHOLD", "eager_bytes", NULL, false },               /* 11.24 */
    { "MV2_MAX_INLINE_SIZE", "inline_bytes", NULL, false },                  /* 11.30 */
    { "MV2_NUM_PORTS", "rails", NULL, false },                               /* 11.34 */
    { "MV2_RAIL_SHARING_LARGE_MSG_THRESHOLD", "stripe_bytes", NULL, false }, /* 11.39 */
    { "MV2_USE_GPUDIRECT", "gdr", "off|on", false },
    { "MV2_USE_GPUDIRECT_RDMA", "gdr", "off|on", false },
    { "MV2_USE_GDR", "gdr", "off|on", false },
    { "MV2_GPUDIRECT_LIMIT", "gdr_limit", NULL, false },
    { "MV2_USE_GPUDIRECT_RECEIVE_LIMIT", "gdr_receive_limit", NULL, false },
    { "MV2_USE_GPUDIRECT_GDRCOPY", "gdrcopy", "off|on", false },
    { "MV2_CUDA_BLOCK_SIZE", "chunk_bytes", NULL, false },
    { NULL, NULL, NULL, false },
};

/* `ompi_info --all` of Open MPI 1.8 to 4.1. Its limits of bytes count a header, ours do not. What
 * its allgather and alltoall call linear is a gather and a broadcast, and an order of its own. */
#define ALGORITHM(collective) "OMPI_MCA_coll_tuned_" collective "_algorithm", collective
static const struct variable openmpi[] = {
    { "OMPI_MCA_btl_openib_want_cuda_gdr", "gdr", "off|on", false },
    { ALGORITHM("allgather"), "||bruck|recursive-doubling|ring|neighbor-exchange", true },
    { ALGORITHM("allreduce"), "||reduce-bcast|recursive-doubling|ring||rabenseifner", true },
    { ALGORITHM("alltoall"), "||pairwise|bruck", true },
    { ALGORITHM("barrier"), "|linear||hypercube|dissemination", true },
    { ALGORITHM("bcast"), "|linear|||||binomial", true },
    { ALGORITHM("gather"), "|linear|binomial", true },
    { ALGORITHM("reduce"), "|linear||||binomial||scatter-gather", true },
    { ALGORITHM("reduce_scatter"), "|reduce-scatterv|halving|ring", true },
    { ALGORITHM("scatter"), "|linear|binomial", true },
    { NULL, NULL, NULL, false },
};

static const struct library {
    const char *name, *prefix;
    const struct variable *variables;
    const char *rules; /* its variables of collectives have an effect when this one is on */
} libraries[] = {
    { "mvapich2", "MV2_", mvapich2, NULL },
    { "openmpi", "OMPI_MCA_", openmpi, "OMPI_MCA_coll_tuned_use_dynamic_rules" },
};

static bool is_on(const char *variable)
{
    const char *value = variable != NULL ? getenv(variable) : NULL;

    return value != NULL && (strcmp(value, "1") == 0 || strcmp(value, "true") == 0);
}

/* 12288, 12K, 1M; none is 0, which means something else here. */
static uint64_t parse_number(const char *name, const char *text)
{
    static const char units[] = "KMG";
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] != '\0' ? strchr(units, text[digits]) : NULL;
    uint64_t n = strtoull(text, NULL, 10);

    if (digits == 0 || digits > 10 || n == 0 ||
        (text[digits] != '\0' && (unit == NULL || text[digits + 1] != '\0')))
        load_raise(SIM_ERR_CONFIG,
                   "%s=%s: expected a number from 1, such as 8192, or 8K, 8M and 8G for bytes",
                   name, text);
    return unit != NULL ? n << 10 * (unit - units + 1) : n;
}

#define VALUE_BYTES 32u
#define WHY_BYTES   256u

/* @return false: no algorithm of ours does that */
static bool find_value(const struct variable *v, const char *text, char value[VALUE_BYTES])
{
    const char *word = v->words;
    unsigned long n;
    char *end;

    if (word == NULL) {
        (void)snprintf(value, VALUE_BYTES, "%" PRIu64, parse_number(v->name, text));
        return true;
    }
    n = strtoul(text, &end, 10);
    if (strcmp(text, "true") == 0)
        n = 1;
    else if (strcmp(text, "false") != 0 && (*end != '\0' || *text < '0' || *text > '9'))
        return false;
    for (; n > 0 && word != NULL; n--)
        word = strchr(word, '|') != NULL ? strchr(word, '|') + 1 : NULL;
    if (word == NULL || *word == '|' || *word == '\0')
        return false;
    (void)snprintf(value, VALUE_BYTES, "%.*s", (int)strcspn(word, "|"), word);
    return true;
}

static void append(char *text, size_t room, const char *setting, const char *value)
{
    size_t n = strlen(text);

    (void)snprintf(text + n, room - n, "%s%s=%s", n > 0 ? "," : "", setting, value);
}

/* Before what was typed, which then counts. */
static void merge_mpi(struct options *opt, const char *taken)
{
    const char *typed = opt->mpi != NULL ? opt->mpi : "";
    int n = snprintf(opt->taken_mpi, sizeof(opt->taken_mpi), "ib,%s%s%s", taken,
                     typed[0] != '\0' ? "," : "", typed);

    if (n < 0 || (size_t)n >= sizeof(opt->taken_mpi))
        load_raise(SIM_ERR_CONFIG, "--mpi %.40s...: expected fewer settings beside --variables %s",
                   typed, opt->variables);
    opt->mpi = opt->taken_mpi;
}

static void merge_algorithm(struct options *opt, const char *taken)
{
    int n =
        snprintf(opt->taken_algorithm, sizeof(opt->taken_algorithm), "%s%s%s", taken,
                 opt->algorithm != NULL ? "," : "", opt->algorithm != NULL ? opt->algorithm : "");

    if (n < 0 || (size_t)n >= sizeof(opt->taken_algorithm))
        load_raise(SIM_ERR_CONFIG,
                   "--algorithm %.40s...: expected fewer choices beside --variables %s",
                   opt->algorithm, opt->variables);
    opt->algorithm = opt->taken_algorithm;
}

/* The transport in `--mpi`: a word alone. @return its length; 0: none is typed */
static int find_transport(const char *mpi, const char **name_p)
{
    size_t found = 0;

    for (const char *at = mpi; at != NULL && *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (at[strcspn(at, "=,")] != '=') {
            *name_p = at;
            found = strcspn(at, ",");
        }
    return (int)found;
}

/* Settings of `--mpi` are InfiniBand's. @return NULL: MPI goes over it; else `why`, which says why
 * the setting of a variable has no meaning */
static const char *why_not_ib(const struct options *opt, const struct machine_desc *desc,
                              const struct variable *v, char why[WHY_BYTES])
{
    const char *name = "ib";
    int n = find_transport(opt->mpi, &name);

    if (n == 0 && !launch_has_network(desc, HOST_NETWORK_IB))
        snprintf(why, WHY_BYTES, "here: no node of this machine has an InfiniBand adapter");
    else if (n == 0 || (n == 2 && strncmp(name, "ib", 2) == 0))
        return NULL;
    else
        snprintf(why, WHY_BYTES, "over %.*s: with --mpi ib it is %s", n, name, v->setting);
    return why;
}

/* An algorithm that another library has and ours has not is left; a switch has no third state. */
static bool find_setting(const struct variable *v, const char *text, char value[VALUE_BYTES])
{
    bool found = find_value(v, text, value);

    if (!found && !v->collective)
        load_raise(SIM_ERR_CONFIG, "%s=%s: expected 0 or 1", v->name, text);
    return found;
}

static void take_settings(struct options *opt, const struct machine_desc *desc,
                          const struct library *l)
{
    char mpi[TAKEN_BYTES] = "", algorithm[TAKEN_BYTES] = "", value[VALUE_BYTES], why[WHY_BYTES];

    for (const struct variable *v = l->variables; v->name != NULL; v++) {
        const char *text = getenv(v->name), *not_ib = NULL;

        if (text == NULL || (v->collective && !is_on(l->rules)))
            continue;
        if (!v->collective)
            not_ib = why_not_ib(opt, desc, v, why);
        if (not_ib != NULL)
            remark(opt, "%s=%s: no meaning %s", v->name, text, not_ib);
        if (not_ib != NULL || !find_setting(v, text, value))
            continue;
        remark(opt, "%s=%s: as with --%s%s=%s", v->name, text,
               v->collective ? "algorithm " : "mpi ib,", v->setting, value);
        if (v->collective)
            append(algorithm, sizeof(algorithm), v->setting, value);
        else
            append(mpi, sizeof(mpi), v->setting, value);
    }
    if (mpi[0] != '\0')
        merge_mpi(opt, mpi);
    if (algorithm[0] != '\0')
        merge_algorithm(opt, algorithm);
}

static size_t name_bytes(const char *entry)
{
    return strcspn(entry, "=");
}

/* Has it a line of its own? */
static bool has_own_line(const struct library *l, const char *entry)
{
    size_t n = name_bytes(entry);
    char value[VALUE_BYTES];

    for (const struct variable *v = l->variables; v->name != NULL; v++)
        if (strlen(v->name) == n && strncmp(v->name, entry, n) == 0)
            return !v->collective || (is_on(l->rules) && find_value(v, getenv(v->name), value));
    return l->rules != NULL && strlen(l->rules) == n && strncmp(l->rules, entry, n) == 0;
}

static bool is_left(const struct library *l, const char *entry, bool chosen)
{
    static const char launchers[] = "MV2_COMM_WORLD_";

    return strncmp(entry, l->prefix, strlen(l->prefix)) == 0 &&
           strncmp(entry, launchers, strlen(launchers)) != 0 && !(chosen && has_own_line(l, entry));
}

/* The next one in the order of names. NULL: `after` is the last one, or there is none at all. */
static const char *next_left(const struct library *l, bool chosen, const char *after)
{
    const char *next = NULL;

    for (char **e = environ; *e != NULL; e++)
        if (is_left(l, *e, chosen) && (after == NULL || strcmp(*e, after) > 0) &&
            (next == NULL || strcmp(*e, next) < 0))
            next = *e;
    return next;
}

/* Without memory of its own: addresses of what follows must not depend on the environment. */
static void report_others(const struct options *opt, const struct library *l, bool chosen)
{
    const char *e = next_left(l, chosen, NULL);

    if (opt->quiet || e == NULL)
        return;
    if (lab_processes_several() && strcmp(l->name, "openmpi") == 0)
        return; /* mpirun has set them for the processes of hubrun */
    for (const char *before = "hubrun: "; e != NULL; e = next_left(l, chosen, e), before = ", ")
        fprintf(stderr, "%s%.*s", before, (int)name_bytes(e), e);
    if (chosen)
        fprintf(stderr, ": not used: no effect there, or no setting here\n");
    else
        fprintf(stderr, ": not used: --variables %s takes those that have a setting here\n",
                l->name);
}

void environment_take(struct options *opt, const struct machine_desc *desc)
{
    take_devices(opt, desc);
    for (size_t i = 0; i < SIM_COUNT(libraries); i++) {
        bool chosen = opt->variables != NULL && strcmp(opt->variables, libraries[i].name) == 0;

        if (chosen)
            take_settings(opt, desc, &libraries[i]);
        report_others(opt, &libraries[i], chosen);
    }
}
