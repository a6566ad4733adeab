/* Runs of a bare link: two traffic generators that send what the setup says, and nothing else. */
#include "tools/lab/workload/plan_parts.h"

#include <string.h>

#define INITIAL_MRRS "512" /* Max_Read_Request_Size before software sets it (7.8.4) */
#define INITIAL_MPS  "256" /* Max_Payload_Size of ports where nothing is said */

static void add_fixed(const struct lab_planning *p, const char *key, const char *value)
{
    SIM_ASSERT(p->run->nfixed < LAB_FIXED_MAX);
    p->run->fixed[p->run->nfixed++] = load_text(p->arena, "%s=%s", key, value);
}

/** What nothing is said of is as much as a request carries at first. */
static const char *request_bytes(const struct lab_planning *p, bool reads)
{
    const char *bytes = lab_plan_text(p, "bytes", "0");

    if (strcmp(bytes, "0") != 0)
        return bytes;
    return reads ? INITIAL_MRRS : lab_plan_text(p, "mps_bytes", INITIAL_MPS);
}

/** Each point sets the same keys, since those of a sweep share one machine: its ends are `a` and
 * `b`, as in configs/platforms/two-ends.yaml. */
static void plan_bare_link(const struct lab_planning *p)
{
    static const char *const keys[] = { "gen", "lanes", "mps_bytes" };
    static const char *const none[] = { "nodes", NULL };
    bool reads = lab_plan_says(p, "request", "read"), both = lab_plan_says(p, "direction", "both");
    const char *bytes = request_bytes(p, reads);

    lab_plan_refuse(p, none, "nothing: a bare link has two ends");
    p->run->machine = p->pt->machine != NULL ? p->pt->machine : "two-ends";
    p->plan->directions = 1; /* the bound has both where both are used */
    add_fixed(p, "node*.a.write_bytes", reads ? "0" : bytes);
    add_fixed(p, "node*.a.read_bytes", reads ? bytes : "0");
    add_fixed(p, "node*.b.write_bytes", both && !reads ? bytes : "0");
    add_fixed(p, "node*.b.read_bytes", both && reads ? bytes : "0");
    for (size_t i = 0; i < SIM_COUNT(keys); i++)
        if (lab_plan_given(p, keys[i]))
            add_fixed(p, load_text(p->arena, "node*.[ab].link.%s", keys[i]),
                      lab_plan_text(p, keys[i], NULL));
}

static void plan_alone(const struct lab_planning *p, lab_plan_fn plan)
{
    plan(p);
}

static const struct lab_word link_words[] = {
    { "request", "write|read", "", "write", "what an end sends" },
    { "bytes", "0..4096", HUBSIM_BYTES, "0", "of a request; 0: as much as one carries" },
    { "direction", "one|both", "", "one", "whether both ends send" },
    { "gen", "1..5", "1", "", "of the link; else as the machine has it" },
    { "lanes", "1|2|4|8|16", "1", "", "of the link; else as the machine has it" },
    { "mps_bytes", "128|256|512|1024|2048|4096", HUBSIM_BYTES, "",
      "largest payload of a packet; else as the machine has it" },
    { 0 },
};

const struct lab_workload lab_workloads_link[] = {
    { "bare-link",
      { link_words },
      .by = plan_alone,
      .plan = plan_bare_link,
      .iterates = true,
      .prints = "latency_ps_min, latency_ps_median, bandwidth_kBps, bytes, verified" },
    { 0 },
};
