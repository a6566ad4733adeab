/* Observers of one of the simulations that a command has made: --timeline and the like. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tools/cmd/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    uint64_t wanted, n; /* from 1 on, 0: the first that has failed, or else the first; so far */
    uint64_t found;
    const struct lab_run *run;
    const struct lab_result *result;
};

/** It ended early, or with other bytes than were sent. */
static bool has_failed(const struct lab_result *result)
{
    uint64_t verified = 1;

    for (unsigned i = 0; i < result->nlines && verified != 0; i++)
        (void)lab_line_get(&result->lines[i], "verified", &verified);
    return result->rc != SIM_OK || verified == 0;
}

static void find_run(void *arg, const struct lab_run *run, const struct lab_result *result)
{
    struct search *search = arg;

    search->n++;
    if (search->wanted != 0
            ? search->n != search->wanted
            : search->run != NULL && (!has_failed(result) || has_failed(search->result)))
        return;
    search->found = search->n;
    search->run = run;
    search->result = result;
}

/** The run once more. */
static int repeat_run(const struct lab_site *site, const struct search *search,
                      struct load_arena *arena, struct sim_error *err)
{
    struct lab_site again = *site;
    struct lab_result result;
    struct sim_error why = { 0 };
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    int rc;

    SIM_ASSERT(out != NULL);
    rc = lab_simulate(&again, search->run, out, &why);
    SIM_ASSERT(fclose(out) == 0);
    if (rc == SIM_OK)
        rc = lab_result_parse(text, arena, &result, &why);
    if (rc != SIM_OK && search->result->rc != SIM_OK &&
        strcmp(why.text, search->result->error) == 0)
        rc = SIM_OK; /* it fails as before: that was to be observed */
    else if (rc != SIM_OK)
        (void)sim_error_set(err, rc, "%s", why.text);
    else /* observers change nothing */
        SIM_ASSERT(result.visible == search->result->visible &&
                   result.wire == search->result->wire);
    free(text);
    return rc;
}

int cmd_observe(struct cmd_session *session, const struct lab_watch_options *watch,
                const char *file, uint64_t which, struct sim_error *err)
{
    struct lab_site site = session->site;
    struct search search = { .wanted = which };
    int rc;

    if (!lab_watch_wanted(watch))
        return SIM_OK;
    lab_pool_each(session->ev.pool, find_run, &search);
    if (search.run == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: --observe %" PRIu64 ": expected 1 .. %" PRIu64, file, which,
                             search.n);
    site.watch = *watch;
    rc = repeat_run(&site, &search, &session->arena, err);
    if (rc == SIM_OK)
        fprintf(stderr, "hubsim: observed simulation %" PRIu64 " of %" PRIu64 ": %s\n",
                search.found, search.n, lab_run_text(search.run, &session->arena));
    return rc;
}
