#include "options.h"

#include <string.h>

enum taking { NOTHING, WORD, SET, FAULT, OUTPUT, TRANSPORT, ALGORITHM };

struct option {
    const char *commands; /* each with a blank before and behind */
    const char *name;     /* "--jobs=" or "-n" */
    unsigned rarity;      /* it is there once in so many cases */
    enum taking taking;
    const char *values; /* WORD: with bars between */
};

#define SIMULATING " run explain hubrun "
#define BUILDING   " run explain hubrun topology params "
#define TABLES     " run explain topology params sweep score check diff capture list tune "

static const struct option options[] = {
    { TABLES, "--csv", 8, NOTHING, NULL },
    { TABLES, "--json", 8, NOTHING, NULL },
    { BUILDING " score figure tune ", "--set=", 3, SET, NULL },
    { BUILDING " score figure tune ", "--set=", 4, SET, NULL },
    { BUILDING, "--set=", 6, SET, NULL },
    { BUILDING, "--faults=", 5, FAULT, NULL },
    { BUILDING, "--faults=", 15, FAULT, NULL },
    { BUILDING, "--platform=", 15, WORD,
      "hapacs-tca|hapacs-tca-sandybridge|mbcf|mbcf-sunos|switching-hub|platforms/p.yaml" },
    { BUILDING, "--seed=", 10, WORD, "0|1|2|18446744073709551615" },
    { " run sweep check score hubrun ", "--out=", 4, OUTPUT, NULL },
    { SIMULATING, "--pcap=", 20, OUTPUT, NULL },
    { SIMULATING, "--pcap-links=", 30, WORD, "node*.hub.e|*|node0.host.p0|node9.*" },
    { SIMULATING, "--timeline=", 20, OUTPUT, NULL },
    { SIMULATING, "--waves=", 30, OUTPUT, NULL },
    { " run hubrun ", "--utilisation", 20, NOTHING, NULL },
    { " run hubrun ", "--utilisation=", 20, WORD, "1us|10us|1000s" },
    { " run ", "--observe=", 20, WORD, "1|1|2" },
    { " run score ", "--whole-protocol", 60, NOTHING, NULL },
    { " score ", "--fingerprints", 30, NOTHING, NULL },
    { " topology ", "--links", 4, NOTHING, NULL },
    { " topology ", "--svg=", 4, OUTPUT, NULL },
    { " topology ", "--traffic=", 10, WORD, "a|a|.|machines" },
    { " topology ", "--run=", 10, WORD, "1|2" },
    { " params ", "--markdown", 8, NOTHING, NULL },
    { " params ", "--fault-kinds", 20, NOTHING, NULL },
    { " explain ", "--kind=", 2, WORD, "pio|register|dma|chain|2d" },
    { " explain ", "--bytes=", 2, WORD, "4|8|8|16|64|1000|4096|65536|262144|1048576" },
    { " explain ", "--blocks=", 6, WORD, "1|4|255|65536" },
    { " explain ", "--pitch=", 6, WORD, "8|64|4096|65536" },
    { " explain ", "--puts=", 6, WORD, "1|4|255|256|65536" },
    { " explain ", "--from=", 5, WORD, "0|1|1|2|3" },
    { " explain ", "--to=", 5, WORD, "0|1|1|2|3" },
    { " explain ", "--src=", 5, WORD, "cpu|gpu0|gpu1|gpu2|gpu3" },
    { " explain ", "--dst=", 5, WORD, "cpu|gpu0|gpu1|gpu2|gpu3" },
    { " explain ", "--descriptors=", 6, WORD, "internal|host" },
    { " explain ", "--contend=", 8, WORD, "0|1|2|3|1,2|2,2,2|0,1,2,3|1," },
    { " explain ", "--path", 8, NOTHING, NULL },
    { " explain ", "--svg=", 8, OUTPUT, NULL },
    { " sweep ", "--show", 6, NOTHING, NULL },
    { " sweep ", "--fresh", 6, NOTHING, NULL },
    { " score ", "--sensitivity=", 40, WORD, "node0.hub.clock_khz|wire.*|nosuch" },
    { " check ", "--band=", 3, WORD, "1%|0.5|*=1%|1e300" },
    { " check ", "--junit=", 6, OUTPUT, NULL },
    { " check diff ", "--limit=", 4, WORD, "0|1|2|18446744073709551615" },
    { " diff ", "--point=", 5, WORD, "*|*bytes = 64|nodes*" },
    { " tune ", "--margin=", 3, WORD, "0|1|100" },
    { " hubrun ", "--name=", 6, WORD, "n|two words|kept|new.csv|a/b|.|.." },
    { " hubrun ", "--mpi=", 2, TRANSPORT, NULL },
    { " hubrun ", "--algorithm=", 4, ALGORITHM, NULL },
    { " hubrun ", "--place=", 6, WORD, "cyclic|block|block:2|0,1|1,0|0,0" },
    { " hubrun ", "--visible-devices=", 10, WORD, "0|1,0|3|9|0,0|GPU-1|," },
    { " hubrun ", "--compute=", 8, WORD, "none|counted|measured" },
    { " hubrun ", "--block-time=", 10, WORD, "1ns|1s|1ps|1000s" },
    { " hubrun ", "--max-time=", 8, WORD, "1ns|1us|1ms|1ps|1000s" },
    { " hubrun ", "--fingerprint", 5, NOTHING, NULL },
    { " hubrun ", "--label", 10, NOTHING, NULL },
    { " hubrun ", "--quiet", 10, NOTHING, NULL },
    { " hubrun ", "--profile", 10, NOTHING, NULL },
    { " hubrun ", "--profile=", 10, OUTPUT, NULL },
};

static const char *one_of(const struct mutator *m, const char *words)
{
    const struct seed_param choice = { .choices = words };

    return mutate_param_value(m, &choice);
}

/** A fault for a cable, one of its ports, or a component. */
static const char *fault_text(const struct mutator *m)
{
    static const char ports[] =
        "node0.hub.e|node*.hub.*|node1.host.p0|node0.hub.n|*|node0.gpu0.pcie";
    static const char of_ports[] =
        "bit_error_rate: 1e-4|bit_error_rate: 1e-1|bit_error_rate: 1e-7|corrupt: {tlp: 1}|"
        "corrupt: {dllp: 3}|burst: {at: 0us, for: 10us, bit_error_rate: 1e-3}|drop: {tlp: 2}|"
        "drop: {dllp: 1}|nullify: {tlp: 1}|duplicate: {tlp: 3}|flap: {at: 0us, for: 1000s}|"
        "flap: {at: 1us, for: 1us, every: 3us, times: 10000}|down: {at: 1us, for: 1us}|"
        "down: {at: 0us, for: 1ps, every: 2ps, times: 10000}|degrade: {at: 1us, gen: 1}|"
        "degrade: {at: 0us, lanes: 1}|stuck_credit: {class: posted, at: 1us, for: 2us}|"
        "stuck_credit: {class: completion}";
    static const char components[] =
        "node0.host|node1.host|node*.host|node*.hub|node0.gpu0|node*.*";
    static const char of_components[] =
        "poison: {}|poison: {share: 0.5}|abort: {skip: 2, count: 1}|abort: {}|slow: {by: 1000s}|"
        "slow: {by: 1ps}|silent: {count: 1}|silent: {}|dead: {at: 10us, for: 10us}|dead: {}";

    if (dice_one_in(m->dice, 4))
        return "faults/f.yaml";
    if (dice_one_in(m->dice, 8))
        return "bad-cable";
    if (dice_one_in(m->dice, 3))
        return load_text(m->arena, "{component: \"%s\", %s}", one_of(m, components),
                         one_of(m, of_components));
    return load_text(m->arena, "{%s: \"%s\", %s}", one_of(m, "link|port"), one_of(m, ports),
                     one_of(m, of_ports));
}

static const char *transport(const struct mutator *m)
{
    const char *text = one_of(m, "net|mbcf|tcp|ib|peach2|peach2|ib");

    while (dice_one_in(m->dice, 2))
        text = load_text(m->arena, "%s,%s=%s", text,
                         one_of(m, "requests|eager_bytes|write_bytes|fifo_bytes|entry_ps|rails|gdr|"
                                   "gdr_limit|gdr_receive_limit|library"),
                         one_of(m, "on|off|0|1|2|64|1000|4096|65536|1048576|4294967296|4KiB|"
                                   "mvapich2|mvapich2-gdr-2.0"));
    return text;
}

static const char *algorithm(const struct mutator *m)
{
    const char *text = "";

    do {
        text = load_text(
            m->arena, "%s%s%s=%s%s", text, text[0] != '\0' ? "," : "",
            one_of(m, "allgather|bcast|allreduce|alltoall|reduce|gather|scatter|barrier|"
                      "allgatherv|reduce_scatter"),
            one_of(m, "ring|chain|binomial|linear|pipeline|both-ways|scatter-allgather|"
                      "recursive-doubling|pairwise|bruck|nosuch"),
            one_of(m, "||@4K..64K|@..1|@8..|/4|@1K..2K/16|@9..1|/0|@18446744073709551615.."));
    } while (dice_one_in(m->dice, 3));
    return text;
}

static const char *value_of(const struct mutator *m, const struct option *option)
{
    if (!m->polite && option->taking != NOTHING && dice_one_in(m->dice, 8))
        return mutate_word(m);
    switch (option->taking) {
    case WORD:
        return one_of(m, option->values);
    case SET:
        return mutate_set(m);
    case FAULT:
        return fault_text(m);
    case OUTPUT:
        return one_of(m, "new|new/deep/er|machines|.|new.csv|new.json|../up");
    case TRANSPORT:
        return transport(m);
    case ALGORITHM:
        return algorithm(m);
    default:
        return "";
    }
}

void options_add(const struct mutator *m, struct fuzz_case *c, const char *command)
{
    const char *key = load_text(m->arena, " %s ", command);

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (strstr(options[i].commands, key) != NULL && dice_one_in(m->dice, options[i].rarity))
            case_add_arg(c, load_text(m->arena, "%s%s", options[i].name, value_of(m, &options[i])));
}

void options_spoil(const struct mutator *m, struct fuzz_case *c)
{
    size_t at = 1 + dice_below(m->dice, c->nargs - 1),
           other = 1 + dice_below(m->dice, c->nargs - 1);
    const char *held = c->args[at];
    size_t n;

    switch (dice_below(m->dice, 7)) {
    case 0: /* missing */
        memmove(&c->args[at], &c->args[at + 1], (--c->nargs - at) * sizeof(c->args[0]));
        break;
    case 1:
        case_add_arg(c, held);
        break;
    case 2:
        c->args[at] = c->args[other];
        c->args[other] = held;
        break;
    case 3:
        c->args[at] = mutate_word(m);
        break;
    case 4: /* a value is missing, or belongs to the next word */
        c->args[at] = load_text(m->arena, "%.*s", (int)strcspn(held, "="), held);
        break;
    case 5:
        case_add_arg(c, mutate_word(m));
        break;
    default:
        c->args[at] = mutate_bytes(m, held, strlen(held), &n);
        break;
    }
}
