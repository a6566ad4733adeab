/* Observers of one of the simulations that a command has made: --timeline and the like. */
#include "tools/cmd/session.h"

#include <inttypes.h>
#include <stdio.h>

struct search {
    uint64_t wanted, n; /* from 1 on; so far */
    const struct lab_run *run;
};

static void find_run(void *arg, const struct lab_run *run, const struct lab_result *result)
{
    struct search *search = arg;

    (void)result;
    if (++search->n == search->wanted)
        search->run = run;
}

int cmd_observe(struct cmd_session *session, const struct lab_watch_options *watch,
                const char *file, uint64_t which, struct sim_error *err)
{
    struct lab_site site = session->site;
    struct search search = { .wanted = which };
    FILE *nowhere;
    int rc;

    if (!lab_watch_wanted(watch))
        return SIM_OK;
    lab_pool_each(session->ev.pool, find_run, &search);
    if (search.run == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: --observe %" PRIu64 ": expected 1 .. %" PRIu64, file, which,
                             search.n);
    nowhere = fopen("/dev/null", "w");
    if (nowhere == NULL)
        return sim_error_set(err, SIM_ERR_IO, "/dev/null: cannot be written");
    site.watch = *watch;
    rc = lab_simulate(&site, search.run, nowhere, err);
    (void)fclose(nowhere);
    if (rc == SIM_OK)
        (void)fprintf(stderr, "hubsim: observed simulation %" PRIu64 " of %" PRIu64 ": %s\n", which,
                      search.n, lab_run_text(search.run, &session->arena));
    return rc;
}
