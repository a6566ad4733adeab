/* gasnet_AMRequest and gasnet_AMReply for each category and number of arguments, and AMPoll. */
#include "hosts/gasnet/core/message.h"

#define NAMES0
#define NAMES1  a0,
#define NAMES2  NAMES1 a1,
#define NAMES3  NAMES2 a2,
#define NAMES4  NAMES3 a3,
#define NAMES5  NAMES4 a4,
#define NAMES6  NAMES5 a5,
#define NAMES7  NAMES6 a6,
#define NAMES8  NAMES7 a7,
#define NAMES9  NAMES8 a8,
#define NAMES10 NAMES9 a9,
#define NAMES11 NAMES10 a10,
#define NAMES12 NAMES11 a11,
#define NAMES13 NAMES12 a12,
#define NAMES14 NAMES13 a13,
#define NAMES15 NAMES14 a14,
#define NAMES16 NAMES15 a15,

static void check_am(struct gasnet_rank *gr, const struct gasnet_am *am)
{
    gasnet_check_node(gr, am->dest);
    if (am->handler < GASNET_FIRST_CLIENT || gr->handlers[am->handler] == NULL)
        gasnet_fail(gr, "handler %u, for node %u: expected one that gasnet_attach() has registered",
                    am->handler, am->dest);
    if (am->category == GASNET_MEDIUM && am->bytes > gr->medium_max)
        gasnet_fail(gr, "%llu bytes: expected at most %u, gasnet_AMMaxMedium()",
                    (unsigned long long)am->bytes, gr->medium_max);
    if (am->category == GASNET_LONG && am->bytes > gasnet_AMMaxLongRequest())
        gasnet_fail(gr, "%llu bytes: expected at most %zu, gasnet_AMMaxLongRequest()",
                    (unsigned long long)am->bytes, gasnet_AMMaxLongRequest());
}

static int request(const char *call, const void *from, struct gasnet_am am, const void *to)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_OUTSIDE);

    check_am(v.gr, &am);
    if (am.category == GASNET_LONG)
        am.to = am.bytes > 0 ? gasnet_check_segment(v.gr, am.dest, to, am.bytes) : 0;
    gasnet_send(v.gr, &am);
    gasnet_take(v.gr);
    gasnet_leave(&v);
    return GASNET_OK;
}

static int reply(const char *call, const void *from, gasnet_token_t token, struct gasnet_am am,
                 const void *to)
{
    struct gasnet_visit v = gasnet_enter(call, from, GASNET_NEEDS_ATTACH);
    struct gasnet_rank *gr = v.gr;

    if (gr->level == GASNET_IN_PROGRAM)
        gasnet_fail(gr, "outside of a handler: expected a handler of a request");
    if (token != gr->token)
        gasnet_fail(gr, "token 0x%llx: expected that which the handler has got",
                    (unsigned long long)(uintptr_t)token);
    if (!token->is_request)
        gasnet_fail(gr, "in a handler of a reply: expected a handler of a request");
    if (token->replied)
        gasnet_fail(gr, "a second reply to node %u: expected one at most", token->source);
    if (gr->hsls != NULL)
        gasnet_fail(gr, "while HSL %u is locked: expected gasnet_hsl_unlock() before",
                    gr->hsls->number);
    token->replied = true;
    am.dest = token->source;
    am.is_reply = true;
    check_am(gr, &am);
    if (am.category == GASNET_LONG)
        am.to = am.bytes > 0 ? gasnet_check_segment(gr, am.dest, to, am.bytes) : 0;
    gasnet_send(gr, &am);
    gasnet_leave(&v);
    return GASNET_OK;
}

#define HERE            __func__, __builtin_return_address(0)
#define ARGS(M)         const gasnet_handlerarg_t args[(M) + 1] = { NAMES##M 0 }
#define AM(kind, count) .category = (kind), .handler = handler, .nargs = (count), .args = args
#define DATA            .from = from, .bytes = bytes

#define DEFINE(M)                                                                                  \
    int gasnet_AMRequestShort##M(gasnet_node_t node, gasnet_handler_t handler GASNETI_PARAMS##M)   \
    {                                                                                              \
        ARGS(M);                                                                                   \
        return request(HERE, (struct gasnet_am){ AM(GASNET_SHORT, M), .dest = node }, NULL);       \
    }                                                                                              \
    int gasnet_AMRequestMedium##M(gasnet_node_t node, gasnet_handler_t handler, void *from,        \
                                  size_t bytes GASNETI_PARAMS##M)                                  \
    {                                                                                              \
        ARGS(M);                                                                                   \
        return request(HERE, (struct gasnet_am){ AM(GASNET_MEDIUM, M), .dest = node, DATA },       \
                       NULL);                                                                      \
    }                                                                                              \
    int gasnet_AMRequestLong##M(gasnet_node_t node, gasnet_handler_t handler, void *from,          \
                                size_t bytes, void *to GASNETI_PARAMS##M)                          \
    {                                                                                              \
        ARGS(M);                                                                                   \
        return request(HERE, (struct gasnet_am){ AM(GASNET_LONG, M), .dest = node, DATA }, to);    \
    }                                                                                              \
    int gasnet_AMRequestLongAsync##M(gasnet_node_t node, gasnet_handler_t handler, void *from,     \
                                     size_t bytes, void *to GASNETI_PARAMS##M)                     \
    {                                                                                              \
        ARGS(M);                                                                                   \
        return request(                                                                            \
            HERE, (struct gasnet_am){ AM(GASNET_LONG, M), .dest = node, DATA, .is_async = true },  \
            to);                                                                                   \
    }                                                                                              \
    int gasnet_AMReplyShort##M(gasnet_token_t token, gasnet_handler_t handler GASNETI_PARAMS##M)   \
    {                                                                                              \
        ARGS(M);                                                                                   \
        return reply(HERE, token, (struct gasnet_am){ AM(GASNET_SHORT, M) }, NULL);                \
    }                                                                                              \
    int gasnet_AMReplyMedium##M(gasnet_token_t token, gasnet_handler_t handler, void *from,        \
                                size_t bytes GASNETI_PARAMS##M)                                    \
    {                                                                                              \
        ARGS(M);                                                                                   \
        return reply(HERE, token, (struct gasnet_am){ AM(GASNET_MEDIUM, M), DATA }, NULL);         \
    }                                                                                              \
    int gasnet_AMReplyLong##M(gasnet_token_t token, gasnet_handler_t handler, void *from,          \
                              size_t bytes, void *to GASNETI_PARAMS##M)                            \
    {                                                                                              \
        ARGS(M);                                                                                   \
        return reply(HERE, token, (struct gasnet_am){ AM(GASNET_LONG, M), DATA }, to);             \
    }
GASNETI_COUNTS(DEFINE)

/* Only a mistake is a call of its own. Else the one with the number in its name counts, and `call`,
 * which is in the program's memory, is in no profile, which is read when that memory is gone. */
gasnet_handler_t gasneti_counted(const char *call, gasnet_handler_t handler, int said, int given)
{
    struct gasnet_visit v;

    if (said == given)
        return handler;
    v = gasnet_enter(call, __builtin_return_address(0), GASNET_NEEDS_ATTACH);
    gasnet_fail(v.gr, "%d arguments: expected %d, as it says", given, said);
}

int gasnet_AMPoll(void)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    bool found;

    v.gr->host->looks.inside = true;
    found = gasnet_poll(v.gr);
    gasnet_looked(v.gr, found, "a message from", -1);
    gasnet_leave(&v);
    return GASNET_OK;
}

void gasneti_wait(void)
{
    struct gasnet_visit v =
        gasnet_enter("GASNET_BLOCKUNTIL", __builtin_return_address(0), GASNET_NEEDS_OUTSIDE);

    gasnet_waits_begin(v.gr, "a message from", -1);
    gasnet_progress(v.gr);
    gasnet_waits_end(v.gr);
    gasnet_leave(&v);
}

int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t *source_p)
{
    if (token == NULL || source_p == NULL)
        return GASNET_ERR_BAD_ARG;
    *source_p = token->source;
    return GASNET_OK;
}

size_t gasnet_AMMaxArgs(void)
{
    return GASNET_ARGS_MAX;
}

size_t gasnet_AMMaxMedium(void)
{
    struct gasnet_rank *gr = gasnet_self();

    return gr != NULL ? gr->medium_max : 512;
}

/* Both fit into the `int` that programs keep them in. */
size_t gasnet_AMMaxLongRequest(void)
{
    return TRANSPORT_BYTES_MAX;
}

size_t gasnet_AMMaxLongReply(void)
{
    return TRANSPORT_BYTES_MAX;
}
