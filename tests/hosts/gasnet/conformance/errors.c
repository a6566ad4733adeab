/* Bad input of the Core: one line that names call, value and what was expected, and all ranks end.
 */
#include "cases.h"

enum { ON_SHORT = 128, ON_MEDIUM, ON_LONG, ON_REPLY, ON_DATA_REPLY, ON_ONE_ONLY, ON_ACT };

static gasnet_hsl_t a = GASNET_HSL_INITIALIZER, b = GASNET_HSL_INITIALIZER;
static volatile int answered;
static char bytes[1 << 16];

/* What a handler does that it may not. */
enum act {
    NOTHING,
    TWICE,
    TWO_MEDIUMS,
    REQUEST,
    POLL,
    BLOCK,
    ATTACH,
    LOCKED_END,
    LOCKED_REPLY,
    OWN_LOCK_TWICE,
    UNREGISTERED,
    BEYOND_MEDIUM,
    BEYOND_SEGMENT,
    REPLY_IN_REPLY,
    REQUEST_IN_REPLY,
    POLL_IN_REPLY,
    OTHER_TOKEN,
    NO_TOKEN
};

static void on_act(gasnet_token_t token, arg what)
{
    switch ((enum act)what) {
    case TWICE:
        gasnet_AMReplyShort0(token, ON_REPLY);
        gasnet_AMReplyShort0(token, ON_REPLY);
        break;
    case TWO_MEDIUMS:
        gasnet_AMReplyMedium0(token, ON_DATA_REPLY, bytes, 8);
        gasnet_AMReplyMedium0(token, ON_DATA_REPLY, bytes, 8);
        break;
    case REQUEST:
        gasnet_AMRequestShort0(next, ON_SHORT);
        break;
    case POLL:
        gasnet_AMPoll();
        break;
    case BLOCK:
        GASNET_BLOCKUNTIL(answered == 99);
        break;
    case ATTACH:
        gasnet_attach(NULL, 0, 0, 0);
        break;
    case LOCKED_END:
        gasnet_hsl_lock(&a);
        break;
    case LOCKED_REPLY:
        gasnet_hsl_lock(&a);
        gasnet_AMReplyShort0(token, ON_REPLY);
        gasnet_hsl_unlock(&a);
        break;
    case OWN_LOCK_TWICE:
        gasnet_hsl_lock(&a);
        gasnet_hsl_lock(&a);
        break;
    case UNREGISTERED:
        gasnet_AMReplyShort0(token, 222);
        break;
    case BEYOND_MEDIUM:
        gasnet_AMReplyMedium0(token, ON_DATA_REPLY, bytes, gasnet_AMMaxMedium() + 1);
        break;
    case BEYOND_SEGMENT:
        gasnet_AMReplyLong0(token, ON_DATA_REPLY, bytes, 8, segment_of(prev) + CHECK_SEGMENT - 4);
        break;
    case OTHER_TOKEN: {
        char other[64] = { 0 };

        gasnet_AMReplyShort0((gasnet_token_t)(void *)other, ON_REPLY);
        break;
    }
    case NO_TOKEN:
        gasnet_AMReplyShort0(NULL, ON_REPLY);
        break;
    default:
        gasnet_AMReplyShort1(token, ON_REPLY, what);
    }
}

static void on_reply(gasnet_token_t token, arg what)
{
    if (what == REPLY_IN_REPLY)
        gasnet_AMReplyShort1(token, ON_REPLY, NOTHING);
    else if (what == REQUEST_IN_REPLY)
        gasnet_AMRequestShort0(next, ON_SHORT);
    else if (what == POLL_IN_REPLY)
        gasnet_AMPoll();
    answered++;
}

static void on_short(gasnet_token_t token)
{
    (void)token;
}

static void on_data(gasnet_token_t token, void *at, size_t n)
{
    (void)token;
    (void)at;
    (void)n;
}

/* The first rank makes its neighbour do `what` says. */
static void let(int what)
{
    check_barrier(); /* all ranks have their tables of segments, which handlers use */
    if (me == 0)
        gasnet_AMRequestShort1(next, ON_ACT, what);
    serve();
}

#define HANDLER_CASE(name, what)                                                                   \
    static void name(void)                                                                         \
    {                                                                                              \
        let(what);                                                                                 \
    }
HANDLER_CASE(twice, TWICE)
HANDLER_CASE(two_mediums, TWO_MEDIUMS)
HANDLER_CASE(request_in_handler, REQUEST)
HANDLER_CASE(poll_in_handler, POLL)
HANDLER_CASE(block_in_handler, BLOCK)
HANDLER_CASE(attach_in_handler, ATTACH)
HANDLER_CASE(locked_end, LOCKED_END)
HANDLER_CASE(locked_reply, LOCKED_REPLY)
HANDLER_CASE(lock_twice_in_handler, OWN_LOCK_TWICE)
HANDLER_CASE(reply_unregistered, UNREGISTERED)
HANDLER_CASE(reply_beyond_medium, BEYOND_MEDIUM)
HANDLER_CASE(reply_beyond_segment, BEYOND_SEGMENT)
HANDLER_CASE(reply_in_reply, REPLY_IN_REPLY)
HANDLER_CASE(request_in_reply, REQUEST_IN_REPLY)
HANDLER_CASE(poll_in_reply, POLL_IN_REPLY)
HANDLER_CASE(other_token, OTHER_TOKEN)
HANDLER_CASE(no_token, NO_TOKEN)

/* The first rank alone makes a mistake in a call. */
#define MISTAKE(name, ...)                                                                         \
    static void name(void)                                                                         \
    {                                                                                              \
        if (me == 0) {                                                                             \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        serve();                                                                                   \
    }
MISTAKE(unregistered, gasnet_AMRequestShort0(next, 222))
MISTAKE(library_handler, gasnet_AMRequestShort0(next, 5))
MISTAKE(unregistered_medium, gasnet_AMRequestMedium0(next, 221, bytes, 8))
MISTAKE(unregistered_long, gasnet_AMRequestLong0(next, 220, bytes, 8, segment_of(next)))
MISTAKE(no_node, gasnet_AMRequestShort0(nodes, ON_SHORT))
MISTAKE(no_node_long, gasnet_AMRequestLong0(nodes + 7, ON_LONG, bytes, 8, segment_of(0)))
MISTAKE(beyond_medium, gasnet_AMRequestMedium0(next, ON_MEDIUM, bytes, gasnet_AMMaxMedium() + 1))
MISTAKE(beyond_long, gasnet_AMRequestLong0(next, ON_LONG, bytes, gasnet_AMMaxLongRequest() + 1,
                                           segment_of(next)))
MISTAKE(beyond_async, gasnet_AMRequestLongAsync0(next, ON_LONG, bytes,
                                                 gasnet_AMMaxLongRequest() + 1, segment_of(next)))
MISTAKE(before_segment, gasnet_AMRequestLong0(next, ON_LONG, bytes, 8, segment_of(next) - 1))
MISTAKE(behind_segment,
        gasnet_AMRequestLong0(next, ON_LONG, bytes, 2, segment_of(next) + CHECK_SEGMENT - 1))
MISTAKE(behind_segment_async,
        gasnet_AMRequestLongAsync0(next, ON_LONG, bytes, 8, segment_of(next) + CHECK_SEGMENT))
MISTAKE(no_address, gasnet_AMRequestLong0(next, ON_LONG, bytes, 8, NULL))
MISTAKE(reply_outside, gasnet_AMReplyShort0(NULL, ON_REPLY))
MISTAKE(attach_twice, gasnet_attach(NULL, 0, 0, 0))
MISTAKE(init_twice, gasnet_init(NULL, NULL))
MISTAKE(lock_twice, gasnet_hsl_lock(&a); gasnet_hsl_lock(&a))
MISTAKE(unlock_free, gasnet_hsl_unlock(&a))
MISTAKE(wrong_order, gasnet_hsl_lock(&a); gasnet_hsl_lock(&b); gasnet_hsl_unlock(&a))
MISTAKE(destroy_locked, gasnet_hsl_lock(&a); gasnet_hsl_destroy(&a))
MISTAKE(destroy_twice, gasnet_hsl_destroy(&a); gasnet_hsl_destroy(&a))
MISTAKE(lock_destroyed, gasnet_hsl_destroy(&a); gasnet_hsl_lock(&a))
MISTAKE(request_locked, gasnet_hsl_lock(&a); gasnet_AMRequestShort0(next, ON_SHORT))
MISTAKE(poll_locked, gasnet_hsl_lock(&a); gasnet_AMPoll())
MISTAKE(block_locked, gasnet_hsl_lock(&a); GASNET_BLOCKUNTIL(answered == 99))
MISTAKE(request_held, gasnet_hold_interrupts(); gasnet_AMRequestShort0(next, ON_SHORT))
MISTAKE(poll_held, gasnet_hold_interrupts(); gasnet_AMPoll())
MISTAKE(block_held, gasnet_hold_interrupts(); GASNET_BLOCKUNTIL(answered == 99))
MISTAKE(hold_twice, gasnet_hold_interrupts(); gasnet_hold_interrupts())
MISTAKE(resume_free, gasnet_resume_interrupts())
MISTAKE(without_table, gasnet_getSegmentInfo(NULL, (int)nodes))

/* The neighbour has not registered what the first rank has. */
static void one_sided(void)
{
    gasnet_handlerentry_t table[] = { { ON_ONE_ONLY, (void (*)())on_short } };

    check_init(&(int){ 0 }, &(char **){ NULL }, "0");
    check_attach(table, me == 0, CHECK_SEGMENT);
    if (me == 0)
        gasnet_AMRequestShort0(next, ON_ONE_ONLY);
    serve();
}

/* ---- before gasnet_attach(), with a table of one's own ---- */

static void init_only(void)
{
    check_init(&(int){ 0 }, &(char **){ NULL }, "0");
}

static void attach_with(gasnet_handlerentry_t *table, int n, uintptr_t size)
{
    init_only();
    if (me == 0)
        gasnet_attach(table, n, size, 0);
    else
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
}

static void mynode_before_init(void)
{
    gasnet_mynode();
}
static void attach_before_init(void)
{
    gasnet_attach(NULL, 0, 0, 0);
}
static void poll_before_init(void)
{
    gasnet_AMPoll();
}
static void exit_before_init(void)
{
    gasnet_exit(0);
}
static void request_before_attach(void)
{
    init_only();
    if (me == 0)
        gasnet_AMRequestShort0(next, ON_SHORT);
    gasnet_attach(NULL, 0, 0, 0);
}
static void poll_before_attach(void)
{
    init_only();
    if (me == 0)
        gasnet_AMPoll();
    gasnet_attach(NULL, 0, 0, 0);
}
static void info_before_attach(void)
{
    gasnet_seginfo_t info[70];

    init_only();
    if (me == 0)
        gasnet_getSegmentInfo(info, (int)nodes);
    gasnet_attach(NULL, 0, 0, 0);
}
static void no_page(void)
{
    attach_with(NULL, 0, GASNET_PAGESIZE + 1);
}
static void too_large(void)
{
    attach_with(NULL, 0, (uintptr_t)1 << 50);
}
static void low_index(void)
{
    attach_with((gasnet_handlerentry_t[]){ { 127, (void (*)())on_short } }, 1, 0);
}
static void same_index(void)
{
    attach_with(
        (gasnet_handlerentry_t[]){ { 200, (void (*)())on_short }, { 200, (void (*)())on_reply } },
        2, 0);
}
static void no_function(void)
{
    attach_with((gasnet_handlerentry_t[]){ { 200, NULL } }, 1, 0);
}
static void too_many(void)
{
    static gasnet_handlerentry_t table[129];

    for (int i = 0; i < 129; i++)
        table[i].fnptr = (void (*)())on_short;
    attach_with(table, 129, 0);
}

/* What a line begins with: the rank, time and call. */
#define AT(rank, call)                                                                             \
    "^rank " rank " on node [0-9]+ at [0-9]+\\.[0-9]+ us: " call "(, [^ ]+)?[^:]*: "

static const struct one_case all[] = {
    { 1, 1, 1, AT("0", "gasnet_AMRequestShort0") "handler 222, .*node [01]: expected .*registered",
      "Short: a handler that is not registered", unregistered, false },
    { 2, 1, 1, AT("0", "gasnet_AMRequestShort0") "handler 5, .*expected",
      "Short: a handler of the library", library_handler, false },
    { 3, 1, 1, AT("0", "gasnet_AMRequestMedium0") "handler 221, .*expected",
      "Medium: a handler that is not registered", unregistered_medium, false },
    { 4, 1, 1, AT("0", "gasnet_AMRequestLong0") "handler 220, .*expected",
      "Long: a handler that is not registered", unregistered_long, false },
    { 5, 2, 1, AT("1", "[A-Za-z_]+") ".*node 0 for handler 133.*node 1.* registered",
      "Short: a handler that only the sender has registered", one_sided, true },
    { 6, 1, 1, AT("0", "gasnet_AMRequestShort0") "node [0-9]+: expected 0 \\.\\. ",
      "Short: no such node", no_node, false },
    { 7, 1, 1, AT("0", "gasnet_AMRequestLong0") "node [0-9]+: expected 0 \\.\\. ",
      "Long: no such node", no_node_long, false },
    { 8, 1, 1, AT("0", "gasnet_AMRequestMedium0") "[0-9]+ bytes: expected at most [0-9]+",
      "Medium: one byte beyond the limit", beyond_medium, false },
    { 9, 1, 1, AT("0", "gasnet_AMRequestLong0") "[0-9]+ bytes: expected at most [0-9]+",
      "Long: one byte beyond the limit", beyond_long, false },
    { 10, 1, 1, AT("0", "gasnet_AMRequestLongAsync0") "[0-9]+ bytes: expected at most [0-9]+",
      "LongAsync: one byte beyond the limit", beyond_async, false },
    { 11, 1, 1, AT("0", "gasnet_AMRequestLong0") "8 bytes at 0x.*segment, 0x.* \\.\\. 0x",
      "Long: one byte before the segment", before_segment, false },
    { 12, 1, 1, AT("0", "gasnet_AMRequestLong0") "2 bytes at 0x.*segment, 0x.* \\.\\. 0x",
      "Long: one byte behind the segment", behind_segment, false },
    { 13, 1, 1, AT("0", "gasnet_AMRequestLongAsync0") "8 bytes at 0x.*segment, 0x.* \\.\\. 0x",
      "LongAsync: behind the segment", behind_segment_async, false },
    { 14, 1, 1, AT("0", "gasnet_AMRequestLong0") "8 bytes at 0x0 .*segment, 0x.* \\.\\. 0x",
      "Long: no address", no_address, false },
    { 15, 1, 1, AT("0", "gasnet_AMReplyShort0") "outside of a handler: expected",
      "Reply: outside of a handler", reply_outside, false },
    { 16, 1, 1, AT("[01]", "gasnet_AMReplyShort0") "a second reply to node 0: expected one",
      "Reply: twice", twice, false },
    { 17, 1, 1, AT("[01]", "gasnet_AMReplyMedium0") "a second reply to node 0: expected one",
      "Reply: twice, by Mediums", two_mediums, false },
    { 18, 1, 1, AT("0", "gasnet_AMReplyShort1") "in a handler of a reply: expected",
      "Reply: in a handler of a reply", reply_in_reply, false },
    { 19, 1, 1, AT("[01]", "gasnet_AMRequestShort0") "in a handler of a request: expected",
      "Request: in a handler of a request", request_in_handler, false },
    { 20, 1, 1, AT("0", "gasnet_AMRequestShort0") "in a handler of a reply: expected",
      "Request: in a handler of a reply", request_in_reply, false },
    { 21, 1, 1, AT("[01]", "gasnet_AMPoll") "in a handler of a request: expected",
      "gasnet_AMPoll: in a handler of a request", poll_in_handler, false },
    { 22, 1, 1, AT("0", "gasnet_AMPoll") "in a handler of a reply: expected",
      "gasnet_AMPoll: in a handler of a reply", poll_in_reply, false },
    { 23, 1, 1, AT("[01]", "GASNET_BLOCKUNTIL") "in a handler of a request: expected",
      "GASNET_BLOCKUNTIL: in a handler", block_in_handler, false },
    { 24, 1, 1, AT("[01]", "gasnet_attach") ".*(handler|twice)", "gasnet_attach: in a handler",
      attach_in_handler, false },
    { 25, 1, 1, AT("[01]", ".*") "handler 134 has ended with HSL 1 locked",
      "gasnet_hsl_lock: still held at the end of a handler", locked_end, false },
    { 26, 1, 1, AT("[01]", "gasnet_AMReplyShort0") "while HSL 1 is locked: expected",
      "Reply: under an HSL", locked_reply, false },
    { 27, 1, 1, AT("[01]", "gasnet_hsl_lock") "HSL 1 is locked already: expected",
      "gasnet_hsl_lock: twice in a handler", lock_twice_in_handler, false },
    { 28, 1, 1, AT("[01]", "gasnet_AMReplyShort0") "handler 222, .*expected",
      "Reply: a handler that is not registered", reply_unregistered, false },
    { 29, 1, 1, AT("[01]", "gasnet_AMReplyMedium0") "[0-9]+ bytes: expected at most [0-9]+",
      "Reply: a Medium of one byte beyond the limit", reply_beyond_medium, false },
    { 30, 1, 1, AT("[01]", "gasnet_AMReplyLong0") "8 bytes at 0x.*segment, 0x.* \\.\\. 0x",
      "Reply: a Long behind the segment", reply_beyond_segment, false },
    { 31, 1, 1, AT("0", "gasnet_attach") "called twice", "gasnet_attach: twice", attach_twice,
      false },
    { 32, 1, 1, AT("0", "gasnet_init") "called twice", "gasnet_init: twice", init_twice, false },
    { 33, 1, 1, AT("0", "gasnet_hsl_lock") "HSL 1 is locked already: expected",
      "gasnet_hsl_lock: twice", lock_twice, false },
    { 34, 1, 1, AT("0", "gasnet_hsl_unlock") ".*not locked", "gasnet_hsl_unlock: a free one",
      unlock_free, false },
    { 35, 1, 1, AT("0", "gasnet_hsl_unlock") "HSL 1: expected HSL 2",
      "gasnet_hsl_unlock: not in reverse order", wrong_order, false },
    { 36, 1, 1, AT("0", "gasnet_hsl_destroy") "HSL 1 is locked: expected",
      "gasnet_hsl_destroy: a locked one", destroy_locked, false },
    { 37, 1, 1, AT("0", "gasnet_AMRequestShort0") "while HSL 1 is locked: expected",
      "Request: under an HSL", request_locked, false },
    { 38, 1, 1, AT("0", "gasnet_AMPoll") "while HSL 1 is locked: expected",
      "gasnet_AMPoll: under an HSL", poll_locked, false },
    { 39, 1, 1, AT("0", "GASNET_BLOCKUNTIL") "while HSL 1 is locked: expected",
      "GASNET_BLOCKUNTIL: under an HSL", block_locked, false },
    { 40, 1, 1, AT("0", "gasnet_AMRequestShort0") "in a no-interrupt section: expected",
      "Request: in a no-interrupt section", request_held, false },
    { 41, 1, 1, AT("0", "gasnet_AMPoll") "in a no-interrupt section: expected",
      "gasnet_AMPoll: in a no-interrupt section", poll_held, false },
    { 42, 1, 1, AT("0", "GASNET_BLOCKUNTIL") "in a no-interrupt section: expected",
      "GASNET_BLOCKUNTIL: in a no-interrupt section", block_held, false },
    { 43, 1, 1, AT("0", "gasnet_hold_interrupts") "twice: expected",
      "gasnet_hold_interrupts: twice", hold_twice, false },
    { 44, 1, 1, AT("0", "gasnet_resume_interrupts") "expected gasnet_hold_interrupts",
      "gasnet_resume_interrupts: without a section", resume_free, false },
    { 45, 1, 1, AT("0", "gasnet_getSegmentInfo") "no table: expected one for [0-9]+ nodes",
      "gasnet_getSegmentInfo: without a table", without_table, false },
    { 46, 1, 1, AT("[0-9]+", "gasnet_mynode") "before gasnet_init",
      "gasnet_mynode: before gasnet_init()", mynode_before_init, true },
    { 47, 1, 1, AT("[0-9]+", "gasnet_attach") "before gasnet_init",
      "gasnet_attach: before gasnet_init()", attach_before_init, true },
    { 48, 1, 1, AT("[0-9]+", "gasnet_AMPoll") "before gasnet_init",
      "gasnet_AMPoll: before gasnet_init()", poll_before_init, true },
    { 49, 1, 1, AT("[0-9]+", "gasnet_exit") "before gasnet_init",
      "gasnet_exit: before gasnet_init()", exit_before_init, true },
    { 50, 1, 1, AT("0", "gasnet_AMRequestShort0") "before gasnet_attach",
      "Request: before gasnet_attach()", request_before_attach, true },
    { 51, 1, 1, AT("0", "gasnet_AMPoll") "before gasnet_attach",
      "gasnet_AMPoll: before gasnet_attach()", poll_before_attach, true },
    { 52, 1, 1, AT("0", "gasnet_getSegmentInfo") "before gasnet_attach",
      "gasnet_getSegmentInfo: before gasnet_attach()", info_before_attach, true },
    { 53, 1, 1, AT("0", "gasnet_attach") "segsize = 4097: expected a multiple of 4096",
      "gasnet_attach: a size of no whole pages", no_page, true },
    { 54, 1, 1, AT("0", "gasnet_attach") "segsize = 1125899906842624: expected at most [0-9]+",
      "gasnet_attach: larger than what there is", too_large, true },
    { 55, 1, 1, AT("0", "gasnet_attach") "handler 127: expected 0 or 128 \\.\\. 255",
      "gasnet_attach: a number of the library's", low_index, true },
    { 56, 1, 1, AT("0", "gasnet_attach") "handler 200: registered twice",
      "gasnet_attach: a number twice", same_index, true },
    { 57, 1, 1, AT("0", "gasnet_attach") "handler 200: expected a function",
      "gasnet_attach: no function", no_function, true },
    { 58, 1, 1, AT("0", "gasnet_attach") "more handlers than",
      "gasnet_attach: more handlers than numbers", too_many, true },
    { 59, 1, 1, AT("[01]", "gasnet_AMReplyShort0") "token 0x[0-9a-f]+: expected that which",
      "Reply: by what is no token", other_token, false },
    { 60, 1, 1, AT("[01]", "gasnet_AMReplyShort0") "token 0x0: expected that which",
      "Reply: without a token", no_token, false },
    { 61, 1, 1, AT("0", "gasnet_hsl_destroy") "this HSL was destroyed: expected gasnet_hsl_init",
      "gasnet_hsl_destroy: twice", destroy_twice, false },
    { 62, 1, 1, AT("0", "gasnet_hsl_lock") "this HSL was destroyed: expected gasnet_hsl_init",
      "gasnet_hsl_lock: a destroyed one", lock_destroyed, false },
};

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = {
        { ON_SHORT, (void (*)())on_short },     { ON_MEDIUM, (void (*)())on_data },
        { ON_LONG, (void (*)())on_data },       { ON_REPLY, (void (*)())on_reply },
        { ON_DATA_REPLY, (void (*)())on_data }, { ON_ACT, (void (*)())on_act },
    };

    return cases_run(argc, argv, all, sizeof(all) / sizeof(all[0]), table, 6);
}
