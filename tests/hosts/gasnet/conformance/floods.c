/* "Active Messages", progress: more messages than any ring holds, in all directions, and no rank
 * waits for ever. */
#include "check.h"

enum { ON_SHORT = 128, ON_MEDIUM, ON_LONG, ON_ANSWER, ON_DATA, ON_LANDED, ON_LAST };

#define MANY   150
#define PART   256 /* bytes of a Long */
#define PLACES 64

static volatile unsigned came, answered, bad;
static size_t most;

static void on_short(gasnet_token_t token, arg number)
{
    came++;
    gasnet_AMReplyShort1(token, ON_ANSWER, number + 1);
}

/* The largest reply there is for the smallest request. */
static void on_medium(gasnet_token_t token, void *at, size_t bytes, arg seed, arg size)
{
    uint8_t *own = malloc((size_t)size + 1);

    bad += differ(at, bytes, (unsigned)seed) != 0;
    fill(own, (size_t)size, (unsigned)seed + 1);
    came++;
    gasnet_AMReplyMedium1(token, ON_DATA, own, (size_t)size, seed + 1);
    free(own);
}

static void on_long(gasnet_token_t token, void *at, size_t bytes, arg seed, arg place)
{
    uint8_t own[PART];
    gasnet_node_t from = 0;

    (void)at;
    gasnet_AMGetMsgSource(token, &from);
    bad += segment_differs((size_t)place, bytes, (unsigned)seed) != 0;
    fill(own, PART, (unsigned)seed + 1);
    came++;
    gasnet_AMReplyLong2(
        token, ON_LANDED, own, PART,
        segment_of(from) + CHECK_SEGMENT / 2 + (me * PLACES + (unsigned)seed % PLACES) * PART,
        seed + 1, (arg)(CHECK_SEGMENT / 2 + (me * PLACES + (unsigned)seed % PLACES) * PART));
}

static void on_answer(gasnet_token_t token, arg number)
{
    (void)token;
    (void)number;
    answered++;
}

static void on_data(gasnet_token_t token, void *at, size_t bytes, arg seed)
{
    (void)token;
    bad += differ(at, bytes, (unsigned)seed) != 0;
    answered++;
}

static void on_landed(gasnet_token_t token, void *at, size_t bytes, arg seed, arg place)
{
    (void)token;
    (void)at;
    bad += segment_differs((size_t)place, bytes, (unsigned)seed) != 0;
    answered++;
}

static void on_last(gasnet_token_t token)
{
    (void)token;
    came++;
}

static void begin(void)
{
    check_barrier();
    came = answered = bad = 0;
    check_barrier();
}

/* Until all that this rank expects has come; nothing has been lost and nothing came twice. */
static bool end(unsigned requests, unsigned replies)
{
    GASNET_BLOCKUNTIL(came >= requests && answered >= replies);
    check_barrier();
    return came == requests && answered == replies && bad == 0;
}

/* All ranks to all others, none of which polls by itself. */
static void shorts(void)
{
    begin();
    for (int i = 0; i < MANY; i++)
        for (unsigned k = 1; k <= nodes; k++)
            gasnet_AMRequestShort1((me + k) % nodes, ON_SHORT, i);
    CHECK(end(MANY * nodes, MANY * nodes), "Short: all flood all, each is answered once");
}

static void mediums(const char *what, int site, size_t there, size_t back)
{
    uint8_t *out = malloc(there + 1);

    begin();
    for (int i = 0; i < MANY; i++)
        for (unsigned k = 1; k <= nodes; k++) {
            fill(out, there, me + (unsigned)i);
            gasnet_AMRequestMedium2((me + k) % nodes, ON_MEDIUM, out, there, (arg)me + i,
                                    (arg)back);
        }
    CHECK_OF(site, end(MANY * nodes, MANY * nodes), "Medium: all flood all, %s", what);
    free(out);
}

/* No two Longs that are under way have one place. */
static void longs(bool async)
{
    static uint8_t out[PLACES][PART];

    for (unsigned k = 1; k <= nodes; k++) {
        unsigned to = (me + k) % nodes;

        begin();
        for (unsigned i = 0; i < PLACES; i++) {
            size_t place = (me * PLACES + i) * PART;

            fill(out[i], PART, i);
            if (async)
                gasnet_AMRequestLongAsync2(to, ON_LONG, out[i], PART, segment_of(to) + place,
                                           (arg)i, (arg)place);
            else
                gasnet_AMRequestLong2(to, ON_LONG, out[i], PART, segment_of(to) + place, (arg)i,
                                      (arg)place);
        }
        CHECK_OF(async, end(PLACES, PLACES), "Long%s: a flood, answered by Longs",
                 async ? "Async" : "");
    }
}

/* Two ranks that only send to each other, and one that all others send to. */
static void pairs(void)
{
    unsigned other = me ^ 1;

    begin();
    if (other < nodes)
        for (int i = 0; i < 4 * MANY; i++)
            gasnet_AMRequestShort1(other, ON_SHORT, i);
    CHECK(end(other < nodes ? 4 * MANY : 0, other < nodes ? 4 * MANY : 0),
          "Request: two nodes that only send to each other both go on");
}

static void many_to_one(void)
{
    for (unsigned one = 0; one<nodes; one += nodes> 4 ? nodes / 2 : 1) {
        begin();
        for (int i = 0; i < MANY; i++)
            gasnet_AMRequestShort1(one, ON_SHORT, i);
        CHECK(end(me == one ? MANY * nodes : 0, MANY), "Request: all to one node");
    }
}

/* One that is not answered at all takes no room for ever. */
static void silent(void)
{
    begin();
    for (int i = 0; i < 4 * MANY; i++)
        gasnet_AMRequestShort0(next, ON_LAST);
    CHECK(end(4 * MANY, 0), "Request: without replies");
}

/* A loop on gasnet_AMPoll() lets time pass. */
static void polling(void)
{
    begin();
    gasnet_AMRequestShort1(next, ON_SHORT, 1);
    while (answered == 0 || came == 0)
        CHECK(gasnet_AMPoll() == GASNET_OK, "gasnet_AMPoll: its status");
    CHECK(end(1, 1), "gasnet_AMPoll: a loop ends when the reply has come");
}

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = {
        { ON_SHORT, (void (*)())on_short }, { ON_MEDIUM, (void (*)())on_medium },
        { ON_LONG, (void (*)())on_long },   { ON_ANSWER, (void (*)())on_answer },
        { ON_DATA, (void (*)())on_data },   { ON_LANDED, (void (*)())on_landed },
        { ON_LAST, (void (*)())on_last },
    };

    check_begin(&argc, &argv, "5 floods", table, 7);
    most = gasnet_AMMaxMedium();
    shorts();
    mediums("empty, answered by empty ones", 0, 0, 0);
    mediums("small, answered by the largest", 1, 8, most);
    mediums("the largest, answered by small ones", 2, most, 8);
    mediums("the largest, answered by the largest", 3, most, most);
    longs(false);
    longs(true);
    pairs();
    many_to_one();
    silent();
    polling();
    return check_end();
}
