#include "tools/lab/evaluate.h"

#include <string.h>

/** The measured time of one run in seconds. */
static const char *run_time(const struct lab_result *result, bool median, double *seconds_p)
{
    uint64_t ps = 0, verified = 0;

    if (result->rc != SIM_OK)
        return result->error;
    if (result->nlines != 1)
        return "the program did not print one result";
    if (!lab_line_get(&result->lines[0], median ? "latency_ps_median" : "latency_ps_min", &ps) ||
        ps == 0)
        return "the result has no latency";
    if (!lab_line_get(&result->lines[0], "verified", &verified) || verified != 1)
        return "the received bytes are not those that were sent";
    *seconds_p = (double)ps * 1e-12;
    return NULL;
}

int lab_read_plan(const struct lab_evaluator *ev, const struct lab_plan *plan, const char *quantity,
                  struct lab_reading *reading)
{
    bool bandwidth = strcmp(quantity, "bandwidth") == 0;
    double best = 0;

    for (unsigned i = 0; i < plan->nruns; i++) {
        struct lab_run run = plan->runs[i];
        const struct lab_result *result;
        double seconds;

        run.sets = ev->sets;
        run.nsets = ev->nsets;
        run.seed = ev->seed;
        result = lab_pool_get(ev->pool, &run);
        if (result == NULL) {
            reading->pending = true;
            continue;
        }
        reading->failure = run_time(result, plan->median, &seconds);
        if (reading->failure != NULL)
            return SIM_OK;
        if (best == 0 || seconds < best)
            best = seconds;
    }
    if (reading->pending)
        reading->value = 1;
    else if (plan->nruns == 0)
        reading->value = plan->closed_form;
    else
        reading->value = bandwidth ? (double)plan->bytes / best : best;
    return SIM_OK;
}
