#include "study.h"

#include <gasnet-hub.h>
#include <string.h>

volatile uint64_t study_arrived;
uint64_t study_medium_bytes;
static unsigned reports; /* of nodes to node 0, of what they counted */
static uint64_t far_counts[STUDY_COUNTERS];

static void data_came(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token;
    (void)data;
    (void)bytes;
    study_arrived++;
}

/* Here alone: the next one uses the same memory. */
static void medium_came(gasnet_token_t token, void *data, size_t bytes)
{
    gasnet_node_t from;

    CHECK(gasnet_AMGetMsgSource(token, &from), GASNET_OK);
    if (bytes != study_medium_bytes || !mpi_holds(data, bytes, from))
        fail("the received bytes are not those that were sent");
    study_arrived++;
}

static void short_came(gasnet_token_t token)
{
    (void)token;
    study_arrived++;
}

static void counts_came(gasnet_token_t token, void *data, size_t bytes)
{
    const uint64_t *counts = data;

    (void)token;
    for (size_t i = 0; i < bytes / sizeof(*counts); i++)
        far_counts[i] += counts[i];
    reports++;
}

uint8_t *study_start(int *argc, char ***argv, uint64_t segment_bytes)
{
    gasnet_handlerentry_t handlers[STUDY_HANDLERS] = {
        { STUDY_LONG, (gasneti_handler_fn)data_came },
        { STUDY_MEDIUM, (gasneti_handler_fn)medium_came },
        { STUDY_SHORT, (gasneti_handler_fn)short_came },
        { STUDY_COUNTS, (gasneti_handler_fn)counts_came },
    };

    return gasnet_start(argc, argv, handlers, STUDY_HANDLERS, segment_bytes);
}

static uint64_t count_of(const char *name)
{
    uint64_t count = 0;

    if (!gasnet_hub_count(name, &count, NULL))
        fail("nothing is counted as \"%s\": expected --gasnet tca", name);
    return count;
}

void study_count_begin(struct study_counter *counters, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        counters[i].here = count_of(counters[i].name);
}

void study_count_end(struct study_counter *counters, unsigned n)
{
    uint64_t own[STUDY_COUNTERS];

    for (unsigned i = 0; i < n; i++)
        own[i] = counters[i].here = count_of(counters[i].name) - counters[i].here;
    gasnet_all(); /* so that what follows is counted nowhere */
    if (gasnet_mynode() != 0) {
        CHECK(gasnet_AMRequestMedium0(0, STUDY_COUNTS, own, n * sizeof(*own)), GASNET_OK);
        return;
    }
    GASNET_BLOCKUNTIL(reports + 1 == gasnet_nodes());
    for (unsigned i = 0; i < n; i++)
        counters[i].there = far_counts[i];
    reports = 0;
    memset(far_counts, 0, sizeof(far_counts));
}

uint64_t study_ps(double seconds)
{
    return (uint64_t)(seconds * 1e12 + 0.5);
}

void study_send(void *from, uint64_t bytes)
{
    unsigned to = !gasnet_mynode();

    CHECK(gasnet_AMRequestLong0(to, STUDY_LONG, from, bytes, gasnet_segment_of(to)), GASNET_OK);
}

uint64_t study_pingpong_ps(uint64_t rounds, void *from, uint64_t bytes)
{
    uint64_t first = study_arrived;
    double start;

    gasnet_all();
    start = gasnet_seconds();
    for (uint64_t i = 1; i <= rounds; i++) {
        if (gasnet_mynode() == 0)
            study_send(from, bytes);
        GASNET_BLOCKUNTIL(study_arrived == first + i);
        if (gasnet_mynode() == 1)
            study_send(from, bytes);
    }
    return study_ps(gasnet_seconds() - start);
}
