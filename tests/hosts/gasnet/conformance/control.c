/* "Job Control" and "Job Environment": what a program may ask, before gasnet_attach() and after it.
 */
#include "check.h"

enum { ON_SEGMENT = 128, ON_NUMBERS };

static volatile unsigned came;

/* What each rank says of itself is what others find in their tables. */
static void on_segment(gasnet_token_t token, void *at, size_t bytes)
{
    gasnet_seginfo_t own;
    gasnet_node_t from = 0;

    gasnet_AMGetMsgSource(token, &from);
    memcpy(&own, at, bytes < sizeof(own) ? bytes : sizeof(own));
    CHECK(own.addr == segments[from].addr && own.size == segments[from].size,
          "gasnet_getSegmentInfo: the same on all nodes");
    came++;
}

static void on_numbers(gasnet_token_t token, arg node, arg size, arg global_high, arg global_low,
                       arg local_high, arg local_low)
{
    uintptr_t local = (uint64_t)(uint32_t)local_high << 32 | (uint32_t)local_low;
    uintptr_t global = (uint64_t)(uint32_t)global_high << 32 | (uint32_t)global_low;
    gasnet_node_t from = nodes;

    gasnet_AMGetMsgSource(token, &from);
    CHECK(from == (gasnet_node_t)node, "gasnet_mynode: what others see as source");
    CHECK(nodes == (unsigned)size, "gasnet_nodes: the same on all nodes");
    CHECK(local >= gasnet_getMaxGlobalSegmentSize(),
          "gasnet_getMaxGlobalSegmentSize: the least of all nodes' local ones");
    CHECK(global == gasnet_getMaxGlobalSegmentSize(),
          "gasnet_getMaxGlobalSegmentSize: the same on all nodes");
    came++;
}

static void before_attach(void)
{
    uintptr_t local = gasnet_getMaxLocalSegmentSize(), global = gasnet_getMaxGlobalSegmentSize();
    char *path = gasnet_getenv("PATH");

    CHECK(nodes >= 1 && me < nodes, "gasnet_mynode: between 0 and gasnet_nodes() - 1");
    CHECK(gasnet_mynode() == me && gasnet_nodes() == nodes, "gasnet_mynode: does not change");
    CHECK(global <= local, "gasnet_getMaxGlobalSegmentSize: at most the local one");
    CHECK(global >= CHECK_SEGMENT, "gasnet_getMaxGlobalSegmentSize: there is room for a segment");
    CHECK(local % GASNET_PAGESIZE == 0 && global % GASNET_PAGESIZE == 0,
          "gasnet_getMaxLocalSegmentSize: whole pages");
    CHECK(local == gasnet_getMaxLocalSegmentSize(), "gasnet_getMaxLocalSegmentSize: steady");
    CHECK(gasnet_getenv("NO_SUCH_VARIABLE_I_HOPE") == NULL, "gasnet_getenv: what is not there");
    CHECK(path == NULL || strcmp(path, getenv("PATH")) == 0, "gasnet_getenv: what is there");
}

static void errors(void)
{
    static const struct {
        int code;
        const char *name;
    } all[] = {
        { GASNET_OK, "GASNET_OK" },
        { GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE" },
        { GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG" },
        { GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT" },
        { GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY" },
        { GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH" },
    };
    const int n = sizeof(all) / sizeof(all[0]);

    CHECK(GASNET_OK == 0, "Errors: GASNET_OK is zero");
    for (int i = 0; i < n; i++) {
        const char *text = gasnet_ErrorDesc(all[i].code);

        CHECK_OF(i, strcmp(gasnet_ErrorName(all[i].code), all[i].name) == 0, "gasnet_ErrorName: %s",
                 all[i].name);
        CHECK_OF(i, text != NULL && strlen(text) > 3, "gasnet_ErrorDesc: of %s", all[i].name);
        for (int k = 0; k < i; k++)
            CHECK_OF(i, all[k].code != all[i].code, "Errors: %s has a code of its own",
                     all[i].name);
    }
    CHECK(gasnet_ErrorName(-77) != NULL && gasnet_ErrorDesc(-77) != NULL,
          "gasnet_ErrorName: of a code that is none");
}

static void constants(void)
{
    CHECK(GASNET_SPEC_VERSION_MAJOR == 1 && GASNET_SPEC_VERSION_MINOR >= 8,
          "GASNET_SPEC_VERSION: 1.8");
    CHECK(GASNET_VERSION == 1, "GASNET_VERSION: 1");
    CHECK((GASNET_PAGESIZE & (GASNET_PAGESIZE - 1)) == 0, "GASNET_PAGESIZE: a power of two");
    CHECK(GASNET_MAXNODES >= nodes, "GASNET_MAXNODES: there are not more");
    CHECK(GASNET_ALIGNED_SEGMENTS == 0 || GASNET_ALIGNED_SEGMENTS == 1,
          "GASNET_ALIGNED_SEGMENTS: 0 or 1");
    CHECK(strlen(GASNET_CONFIG_STRING) > 0, "GASNET_CONFIG_STRING: a text");
    CHECK(strlen(GASNET_CONDUIT_NAME_STR) > 0, "GASNET_CONDUIT_NAME_STR: a text");
    CHECK(sizeof(gasnet_handlerarg_t) == 4 && (gasnet_handlerarg_t)-1 < 0,
          "gasnet_handlerarg_t: 32 bits with a sign");
    CHECK(sizeof(gasnet_node_t) == 4 && (gasnet_node_t)-1 > 0, "gasnet_node_t: 32 bits");
    CHECK(sizeof(gasnet_handler_t) == 1, "gasnet_handler_t: 8 bits");
    CHECK(sizeof(gasnet_register_value_t) == SIZEOF_GASNET_REGISTER_VALUE_T,
          "gasnet_register_value_t: its size is told");
    CHECK((gasnet_register_value_t)-1 > 0, "gasnet_register_value_t: without a sign");
}

static void segment(void)
{
    uint8_t out[100], in[100] = { 0 };
    gasnet_seginfo_t more[70];

    CHECK(segments[me].size == CHECK_SEGMENT, "gasnet_attach: as large as asked for");
    CHECK((uintptr_t)segments[me].addr % GASNET_PAGESIZE == 0, "gasnet_attach: at a page");
    fill(out, sizeof(out), 1);
    segment_store(0, out, sizeof(out));
    segment_store(CHECK_SEGMENT - sizeof(out), out, sizeof(out));
    segment_load(in, 0, sizeof(in));
    CHECK(memcmp(in, out, sizeof(in)) == 0, "gasnet_attach: the segment's first bytes");
    segment_load(in, CHECK_SEGMENT - sizeof(in), sizeof(in));
    CHECK(memcmp(in, out, sizeof(in)) == 0, "gasnet_attach: the segment's last bytes");
    for (unsigned i = 0; i < nodes; i++)
        CHECK_OF(i, segments[i].addr != NULL && segments[i].size == CHECK_SEGMENT,
                 "gasnet_getSegmentInfo: of node %u", i);
    CHECK(gasnet_getSegmentInfo(more, (int)nodes) == GASNET_OK &&
              memcmp(more, segments, nodes * sizeof(*more)) == 0,
          "gasnet_getSegmentInfo: again");
}

static void environment(char **argv, char **given)
{
    gasnet_nodeinfo_t info[70];

    CHECK(argv == given && argv[0] != NULL, "gasnet_init: the arguments of main()");
    CHECK(gasnet_mynode() == me && gasnet_nodes() == nodes, "gasnet_attach: the node stays");
    CHECK(gasnet_getNodeInfo(info, (int)nodes) == GASNET_OK, "gasnet_getNodeInfo: its status");
    for (unsigned i = 0; i < nodes; i++)
        CHECK_OF(i, info[i].supernode < nodes && info[i].host < nodes,
                 "gasnet_getNodeInfo: numbers of node %u", i);
    CHECK(gasnet_set_waitmode(GASNET_WAIT_BLOCK) == GASNET_OK, "gasnet_set_waitmode: block");
    CHECK(gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK) == GASNET_OK, "gasnet_set_waitmode: both");
    CHECK(gasnet_set_waitmode(GASNET_WAIT_SPIN) == GASNET_OK, "gasnet_set_waitmode: spin");
    CHECK(gasnet_set_waitmode(99) == GASNET_ERR_BAD_ARG, "gasnet_set_waitmode: none of them");
}

static void tell_all(void)
{
    uintptr_t local = gasnet_getMaxLocalSegmentSize(), global = gasnet_getMaxGlobalSegmentSize();

    check_barrier(); /* handlers may run within gasnet_attach(), before the own table is there */
    for (unsigned i = 0; i < nodes; i++) {
        gasnet_AMRequestMedium0(i, ON_SEGMENT, &segments[me], sizeof(*segments));
        gasnet_AMRequestShort6(i, ON_NUMBERS, (arg)me, (arg)nodes, (arg)(global >> 32), (arg)global,
                               (arg)(local >> 32), (arg)local);
    }
    GASNET_BLOCKUNTIL(came == 2 * nodes);
}

/* Each mode of waiting ends when a handler changes the condition. */
static void wait_modes(void)
{
    static const int modes[] = { GASNET_WAIT_SPIN, GASNET_WAIT_BLOCK, GASNET_WAIT_SPINBLOCK };

    for (int i = 0; i < 3; i++) {
        gasnet_set_waitmode(modes[i]);
        check_barrier();
        CHECK_OF(i, true, "GASNET_BLOCKUNTIL: in mode %d", i);
    }
}

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = { { ON_SEGMENT, (void (*)())on_segment },
                                                   { ON_NUMBERS, (void (*)())on_numbers } };
    char **given = argv;

    check_init(&argc, &argv, "1 control");
    before_attach();
    errors();
    constants();
    check_attach(table, 2, CHECK_SEGMENT);
    segment();
    environment(argv, given);
    tell_all();
    wait_modes();
    return check_end();
}
