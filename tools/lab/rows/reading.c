#include "tools/lab/rows/evaluate.h"

#include <string.h>

const char *lab_read_times(const struct lab_result *result, struct lab_times *times_p)
{
    uint64_t min = 0, median = 0, verified = 0;
    const struct lab_line *line = result->lines;

    if (result->rc != SIM_OK)
        return result->error;
    if (result->nlines != 1)
        return "the program did not print one result";
    if (!lab_line_get(line, "latency_ps_min", &min) ||
        !lab_line_get(line, "latency_ps_median", &median) || min == 0 || median == 0)
        return "the result has no latency";
    if (!lab_line_get(line, "verified", &verified))
        return "the result does not say whether it was verified";
    if (verified != 1)
        return "the received bytes are not those that were sent";
    *times_p = (struct lab_times){ (double)min * 1e-12, (double)median * 1e-12 };
    return NULL;
}

uint64_t lab_read_bytes(uint64_t planned, const struct lab_result *result)
{
    uint64_t bytes = planned;

    if (bytes == 0)
        (void)lab_line_get(result->lines, "bytes", &bytes);
    return bytes;
}

struct lab_run lab_run_with(const struct lab_evaluator *ev, const struct lab_run *run)
{
    struct lab_run with = *run;

    with.sets = ev->sets;
    with.nsets = ev->nsets;
    with.seed = ev->seed;
    for (unsigned i = 0; i < ev->nfaults && with.nfaults < LAB_FAULTS_MAX; i++)
        with.faults[with.nfaults++] = ev->faults[i];
    return with;
}

/** A count of the result beside its time; 0: it has none. */
static double count_of(const struct lab_result *result, const char *key)
{
    uint64_t value = 0;

    (void)lab_line_get(result->lines, key, &value);
    return (double)value;
}

/** What the quantity is, of a run that took `seconds`. */
static double derive_quantity(const char *quantity, const struct lab_plan *plan,
                              const struct lab_result *result, double seconds)
{
    double bytes = (double)lab_read_bytes(plan->bytes, result);
    double whole = count_of(result, "whole_ps") * 1e-12; /* in which the counts were counted */

    if (whole > 0 &&
        (strcmp(quantity, LAB_BYTE_RATE) == 0 || strcmp(quantity, LAB_MESSAGE_RATE) == 0))
        seconds = whole;
    if (strcmp(quantity, "bandwidth") == 0 || strcmp(quantity, LAB_BYTE_RATE) == 0)
        return bytes / seconds;
    if (strcmp(quantity, LAB_MESSAGE_RATE) == 0)
        return count_of(result, "messages") / seconds;
    if (strcmp(quantity, LAB_WRITTEN) == 0)
        return bytes > 0 ? 100 * count_of(result, "write_bytes") / bytes : 0;
    return strcmp(quantity, "round_trip") == 0 ? 2 * seconds : seconds;
}

void lab_read_plan(const struct lab_evaluator *ev, const struct lab_plan *plan,
                   const char *quantity, struct lab_reading *reading)
{
    double best = 0;

    for (unsigned i = 0; i < plan->nruns; i++) {
        struct lab_run run = lab_run_with(ev, &plan->runs[i]);
        const struct lab_result *result = lab_pool_get(ev->pool, &run);
        struct lab_times times = { 0, 0 };
        double seconds;

        if (result == NULL) {
            reading->pending = true;
            continue;
        }
        reading->failure = lab_read_times(result, &times);
        reading->not_run = result->rc == SIM_ERR_CONFIG || result->rc == SIM_ERR_IO;
        if (reading->failure != NULL)
            return;
        seconds = plan->median ? times.median_s : times.min_s;
        if (best != 0 && seconds >= best)
            continue;
        best = seconds;
        reading->value = derive_quantity(quantity, plan, result, seconds);
    }
    if (reading->pending)
        reading->value = 1;
    else if (plan->nruns == 0)
        reading->value = plan->closed_form;
}
