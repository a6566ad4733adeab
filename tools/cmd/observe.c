/* Observers of one of the simulations that a command has made: --timeline and the like. */
#include "tools/cmd/session.h"

#include <inttypes.h>
#include <stdio.h>
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

/** The run once more. That it fails as before was to be observed; observers change nothing. */
static void repeat_run(struct lab_site *site, const struct search *search)
{
    struct lab_pool *pool =
        lab_pool_create(&(struct lab_pool_config){ .execute = lab_simulate, .execute_arg = site });
    const struct lab_result *result;

    (void)lab_pool_get(pool, search->run);
    lab_pool_work(pool);
    result = lab_pool_get(pool, search->run);
    if (result->rc == SIM_OK)
        SIM_ASSERT(memcmp(&result->print, &search->result->print, sizeof(result->print)) == 0);
    else if (search->result->rc == SIM_OK || strcmp(result->error, search->result->error) != 0)
        load_raise(result->rc, "%s", result->error);
    lab_pool_destroy(pool);
}

/** A machine that cannot be observed so is refused before it runs again. */
static void check_machine(const struct lab_site *site, const struct lab_run *run)
{
    struct load_machine *machine = lab_load_run(site, run);

    lab_watch_check(&site->watch, load_machine_desc(machine));
    load_machine_destroy(machine);
}

void cmd_observe(struct cmd_session *session, const struct lab_watch_options *watch,
                 const char *file, uint64_t which)
{
    struct lab_site site = session->site;
    struct search search = { .wanted = which };

    if (!lab_watch_wanted(watch))
        return;
    lab_pool_each(session->ev.pool, find_run, &search);
    if (search.run == NULL)
        load_raise(SIM_ERR_CONFIG, "%s: --observe %" PRIu64 ": expected 1 .. %" PRIu64, file, which,
                   search.n);
    site.watch = *watch;
    check_machine(&site, search.run);
    repeat_run(&site, &search);
    fprintf(stderr, "hubsim: observed simulation %" PRIu64 " of %" PRIu64 ": %s\n", search.found,
            search.n, lab_run_text(search.run, &session->arena));
}
