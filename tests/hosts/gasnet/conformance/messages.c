/* "Active Messages": each category with each number of arguments, requests and replies. */
#include "check.h"
#include "counts.h"

#define BYTES 40

enum kind { SHORT, MEDIUM, LONG, ASYNC, KINDS };
static const char *const NAMES[KINDS] = { "Short", "Medium", "Long", "LongAsync" };

/* Handlers: of requests of a kind with m arguments, then of replies. A LongAsync has those of Long.
 */
#define REQUEST(kind, m) (gasnet_handler_t)(128 + ((kind) == ASYNC ? LONG : (kind)) * 17 + (m))
#define REPLY(kind, m)   (gasnet_handler_t)(REQUEST(kind == SHORT ? SHORT : MEDIUM, m) + 3 * 17)

static volatile int requests, replies;
static enum kind kind;      /* what travels at present; all ranks agree */
static unsigned from, to;   /* who sends to this rank, and to whom it sends */
static size_t bytes;        /* of data */
static uint8_t data[BYTES]; /* source of this rank's */

/* Any pattern of bits, both limits among them. */
static arg value(unsigned sender, bool is_reply, int m, int i)
{
    uint32_t x = (sender * 2 + is_reply) * 977u + (uint32_t)(m * 17 + i) * 2654435769u;

    if (i == 3)
        return INT32_MIN;
    return i == 4 ? INT32_MAX : (arg)(x ^ x >> 15);
}

static const arg *values(unsigned sender, bool is_reply, int m)
{
    static arg all[2][ARGS_MAX];

    for (int i = 0; i < ARGS_MAX; i++)
        all[is_reply][i] = value(sender, is_reply, m, i);
    return all[is_reply];
}

/* Where a Long of `sender` lands, of a request or a reply. */
static size_t place(unsigned sender, bool is_reply)
{
    return (sender * 2 + is_reply) * 64 + 3;
}

/* A message has come from `sender`, as it should be? */
static bool right(bool is_reply, unsigned sender, int m, const arg *a, const void *at, size_t n)
{
    bool good = true;

    for (int i = 0; i < m; i++)
        good = good && a[i] == value(sender, is_reply, m, i);
    if (kind == SHORT)
        return good;
    if (kind == MEDIUM)
        return good && n == bytes && differ(at, n, sender * 2 + is_reply) == 0;
    if (bytes > 0)
        good = good && at == segment_of(me) + place(sender, is_reply);
    return good && n == bytes &&
           segment_differs(place(sender, is_reply), n, sender * 2 + is_reply) == 0;
}

static unsigned source_of(gasnet_token_t token)
{
    gasnet_node_t source = 12345;

    CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK,
          "gasnet_AMGetMsgSource: in a handler");
    return source;
}

static void request_came(gasnet_token_t token, int m, const arg *a, const void *at, size_t n)
{
    unsigned sender = source_of(token);

    CHECK_OF(kind * 17 + m, sender == from, "gasnet_AMGetMsgSource: %s request, %d arguments",
             NAMES[kind], m);
    if (bytes == 0)
        CHECK_OF(kind * 17 + m, right(false, sender, m, a, at, n),
                 "gasnet_AMRequest%s%d: without data", NAMES[kind], m);
    else
        CHECK_OF(kind * 17 + m, right(false, sender, m, a, at, n),
                 "gasnet_AMRequest%s%d: arguments and data", NAMES[kind], m);
    requests++;
}

static void reply_came(gasnet_token_t token, int m, const arg *a, const void *at, size_t n)
{
    enum kind k = kind == ASYNC ? LONG : kind;
    unsigned sender = source_of(token);

    CHECK_OF(k * 17 + m, sender == to, "gasnet_AMGetMsgSource: %s reply, %d arguments", NAMES[k],
             m);
    if (bytes == 0)
        CHECK_OF(k * 17 + m, right(true, sender, m, a, at, n), "gasnet_AMReply%s%d: without data",
                 NAMES[k], m);
    else
        CHECK_OF(k * 17 + m, right(true, sender, m, a, at, n),
                 "gasnet_AMReply%s%d: arguments and data", NAMES[k], m);
    replies++;
}

/* The data of a reply: a source on the handler's stack. */
#define REPLY_DATA                                                                                 \
    uint8_t own[BYTES];                                                                            \
    fill(own, bytes, me * 2 + 1)
#define TARGET (segment_of(from) + place(me, true))

#define HANDLERS(M)                                                                                \
    static void on_short_##M(gasnet_token_t token PARAMS##M)                                       \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 }, *v = values(me, true, M);                                  \
        request_came(token, M, a, NULL, 0);                                                        \
        (void)v;                                                                                   \
        gasnet_AMReplyShort##M(token, REPLY(SHORT, M) SENT##M);                                    \
    }                                                                                              \
    static void on_medium_##M(gasnet_token_t token, void *at, size_t n PARAMS##M)                  \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 }, *v = values(me, true, M);                                  \
        REPLY_DATA;                                                                                \
        request_came(token, M, a, at, n);                                                          \
        (void)v;                                                                                   \
        gasnet_AMReplyMedium##M(token, REPLY(MEDIUM, M), own, bytes SENT##M);                      \
    }                                                                                              \
    static void on_long_##M(gasnet_token_t token, void *at, size_t n PARAMS##M)                    \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 }, *v = values(me, true, M);                                  \
        REPLY_DATA;                                                                                \
        request_came(token, M, a, at, n);                                                          \
        (void)v;                                                                                   \
        gasnet_AMReplyLong##M(token, REPLY(LONG, M), own, bytes, TARGET SENT##M);                  \
    }                                                                                              \
    static void on_short_reply_##M(gasnet_token_t token PARAMS##M)                                 \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 };                                                            \
        reply_came(token, M, a, NULL, 0);                                                          \
    }                                                                                              \
    static void on_data_reply_##M(gasnet_token_t token, void *at, size_t n PARAMS##M)              \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 };                                                            \
        reply_came(token, M, a, at, n);                                                            \
    }
COUNTS(HANDLERS)

#define SEND(M)                                                                                    \
    case M:                                                                                        \
        if (kind == SHORT)                                                                         \
            status = gasnet_AMRequestShort##M(to, REQUEST(SHORT, M) SENT##M);                      \
        else if (kind == MEDIUM)                                                                   \
            status = gasnet_AMRequestMedium##M(to, REQUEST(MEDIUM, M), data, bytes SENT##M);       \
        else if (kind == LONG)                                                                     \
            status = gasnet_AMRequestLong##M(to, REQUEST(LONG, M), data, bytes, target SENT##M);   \
        else                                                                                       \
            status =                                                                               \
                gasnet_AMRequestLongAsync##M(to, REQUEST(LONG, M), data, bytes, target SENT##M);   \
        break;

static int request(int m)
{
    const arg *v = values(me, false, m);
    uint8_t *target = segment_of(to) + place(me, false);
    int status = -1;

    fill(data, bytes, me * 2);
    switch (m) {
        COUNTS(SEND)
    }
    return status;
}

/* Each rank sends one to a rank so far to its right, which replies. */
static void round_of(int m, unsigned distance)
{
    to = (me + distance) % nodes;
    from = (me + nodes - distance) % nodes;
    requests = replies = 0;
    segment_clear(0, 64 * 2 * nodes + 64, 0xee);
    check_barrier();
    CHECK_OF(kind * 17 + m, request(m) == GASNET_OK, "gasnet_AMRequest%s%d: its status",
             NAMES[kind], m);
    GASNET_BLOCKUNTIL(requests == 1 && replies == 1);
    check_barrier();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[5 * 17];
    int n = 0;

#define ENTER(M)                                                                                   \
    table[n++] = (gasnet_handlerentry_t){ REQUEST(SHORT, M), (void (*)())on_short_##M };           \
    table[n++] = (gasnet_handlerentry_t){ REQUEST(MEDIUM, M), (void (*)())on_medium_##M };         \
    table[n++] = (gasnet_handlerentry_t){ REQUEST(LONG, M), (void (*)())on_long_##M };             \
    table[n++] = (gasnet_handlerentry_t){ REPLY(SHORT, M), (void (*)())on_short_reply_##M };       \
    table[n++] = (gasnet_handlerentry_t){ REPLY(MEDIUM, M), (void (*)())on_data_reply_##M };
    COUNTS(ENTER)
    check_begin(&argc, &argv, "3 messages", table, n);
    CHECK(gasnet_AMMaxArgs() >= ARGS_MAX, "gasnet_AMMaxArgs: at least 16");
    CHECK(gasnet_AMMaxMedium() >= 512, "gasnet_AMMaxMedium: at least 512");
    CHECK(gasnet_AMMaxLongRequest() >= 512, "gasnet_AMMaxLongRequest: at least 512");
    CHECK(gasnet_AMMaxLongReply() >= 512, "gasnet_AMMaxLongReply: at least 512");
    for (kind = SHORT; kind < KINDS; kind++)
        for (bytes = 0; bytes <= BYTES; bytes += BYTES)
            for (int m = 0; m <= ARGS_MAX; m++) {
                round_of(m, 1 % nodes); /* the neighbour */
                if (nodes > 1)
                    round_of(m, 0); /* the rank itself */
                if (nodes > 3)
                    round_of(m, nodes / 2);
            }
    return check_end();
}
