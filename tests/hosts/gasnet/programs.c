/*
 * Random programs, one after the other: active messages of each category with replies of each, puts
 * and gets in each form, strided puts, of any alignment, between any ranks, some of them at once.
 *
 *   hubrun --gasnet=net -n 4 programs programs=1000 [first=0] [seed=1]
 *
 * A program is made of its number and the seed alone, and all ranks make it. No two of its
 * operations write to one place, and all read what never changes: byte `at` of rank r's source is
 * check_byte(r, at). So the reference is which of these bytes each place has in the end.
 */
#define _POSIX_C_SOURCE 200809L
#include "drawn.h"

#include <gasnet_vis.h>

#define REQUEST(m) (gasnet_handler_t)(128 + (m)) /* Short; with data 17 behind */
#define REPLY(m)   (gasnet_handler_t)(128 + 34 + (m))
#define WITH_DATA  17

static struct program programs[2]; /* the present one, and the one before or behind it */
static volatile unsigned requests_came[2], replies_came[2];
static uint8_t *sources[64]; /* of all ranks, as this one knows them */
static uint8_t *expected, *seen, *temporary;
static unsigned failures;

/* ---- the reference ---- */

static void lay(const struct piece *piece, unsigned source)
{
    memcpy(expected + piece->at, sources[source] + piece->from, piece->bytes);
}

static void lay_strided(const struct op *op, size_t level, uint8_t *to, const uint8_t *from)
{
    if (level == 0) {
        memcpy(to, from, op->count[0]);
        return;
    }
    for (size_t i = 0; i < op->count[level]; i++)
        lay_strided(op, level - 1, to + i * op->to_strides[level - 1],
                    from + i * op->from_strides[level - 1]);
}

static void lay_all(const struct program *p)
{
    memset(expected, BACKGROUND, p->used[me] + 32);
    for (unsigned i = 0; i < p->nops; i++) {
        const struct op *op = &p->ops[i];

        if (op->target == me && (op->kind == LONG || op->kind == ASYNC || op->kind == PUT))
            lay(&op->data, op->actor);
        if (op->actor == me && op->kind == GET && op->in_segment)
            lay(&op->data, op->target);
        if (op->target == me && op->kind == STRIDED)
            lay_strided(op, op->levels, expected + op->data.at, sources[op->actor] + op->data.from);
        if (op->actor == me && op->replies == LONG)
            lay(&op->back, op->target);
    }
}

static size_t area(const struct program *p)
{
    return SOURCE + (p->number & 1) * (AREA + SLACK);
}

static void fail(const struct program *p, unsigned number, const char *what)
{
    const struct op *op = &p->ops[number];

    if (failures++ < 5)
        printf("node %u: program %u of seed %u, operation %u (kind %d, form %d, %u to %u, %u bytes "
               "from %u to %u, %d arguments, reply %d): %s\n",
               me, p->number, seed, number, op->kind, op->form, op->actor, op->target,
               op->data.bytes, op->data.from, op->data.at, op->nargs, op->replies, what);
}

static void verify(const struct program *p)
{
    size_t n = p->used[me] + 32;

    lay_all(p);
    segment_load(seen, area(p), n);
    if (memcmp(seen, expected, n) == 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (seen[i] != expected[i]) {
            printf("byte %zu of node %u's area is 0x%02x, expected 0x%02x\n", i, me, seen[i],
                   expected[i]);
            break;
        }
    fail(p, 0, "(or another one) a byte of the area is wrong");
}

/* ---- messages ---- */

static arg value(const struct program *p, unsigned number, int i)
{
    return i == 0 ? (arg)(number << 1 | (p->number & 1))
                  : (arg)((p->number * 31 + number) * 2654435761u + (unsigned)i * 40503u);
}

static const arg *values(const struct program *p, unsigned number)
{
    static arg all[2][ARGS_MAX];
    static unsigned turn;

    turn = !turn;
    for (int i = 0; i < ARGS_MAX; i++)
        all[turn][i] = value(p, number, i);
    return all[turn];
}

static void reply(gasnet_token_t token, const struct program *p, unsigned number)
{
    const struct op *op = &p->ops[number];
    const arg *v = values(p, number);
    uint8_t *from = sources[me] + op->back.from;
    uint8_t *to = segment_of(op->actor) + area(p) + op->back.at;

#define SEND(M)                                                                                    \
    case M:                                                                                        \
        if (op->replies == SHORT)                                                                  \
            gasnet_AMReplyShort##M(token, REPLY(M) SENT##M);                                       \
        else if (op->replies == MEDIUM)                                                            \
            gasnet_AMReplyMedium##M(token, REPLY(M) + WITH_DATA, from, op->back.bytes SENT##M);    \
        else                                                                                       \
            gasnet_AMReplyLong##M(token, REPLY(M) + WITH_DATA, from, op->back.bytes, to SENT##M);  \
        break;
    switch (op->nargs) {
        COUNTS(SEND)
    }
#undef SEND
}

/* A Long's data are there before its handler; whether others are is seen in the end. */
static void came(gasnet_token_t token, bool is_reply, int m, const arg *a, const uint8_t *at,
                 size_t n)
{
    const struct program *p = &programs[a[0] & 1];
    unsigned number = (unsigned)a[0] >> 1;
    const struct op *op = &p->ops[number];
    const struct piece *piece = is_reply ? &op->back : &op->data;
    unsigned sender = is_reply ? op->target : op->actor;
    int kind = is_reply ? op->replies : (int)op->kind;
    gasnet_node_t from = nodes;

    gasnet_AMGetMsgSource(token, &from);
    if (number >= p->nops || from != sender || m != op->nargs || n != piece->bytes)
        fail(p, number % OPS_MAX, "source, arguments or bytes of a message");
    for (int i = 1; i < m; i++)
        if (a[i] != value(p, number, i))
            fail(p, number, "an argument");
    if (n > 0 && kind != MEDIUM) {
        if (at != segment_of(me) + area(p) + piece->at)
            fail(p, number, "where a Long is");
        segment_load(temporary, area(p) + piece->at, n);
        at = temporary;
    }
    if (n > 0 && memcmp(at, sources[sender] + piece->from, n) != 0)
        fail(p, number, "data before the handler");
    if (is_reply)
        replies_came[a[0] & 1]++;
    else
        requests_came[a[0] & 1]++;
    if (!is_reply && op->replies >= 0)
        reply(token, p, number);
}

#define HANDLERS(M)                                                                                \
    static void on_request_##M(gasnet_token_t token PARAMS##M)                                     \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 };                                                            \
        came(token, false, M, a, NULL, 0);                                                         \
    }                                                                                              \
    static void on_data_##M(gasnet_token_t token, void *at, size_t n PARAMS##M)                    \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 };                                                            \
        came(token, false, M, a, at, n);                                                           \
    }                                                                                              \
    static void on_reply_##M(gasnet_token_t token PARAMS##M)                                       \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 };                                                            \
        came(token, true, M, a, NULL, 0);                                                          \
    }                                                                                              \
    static void on_data_reply_##M(gasnet_token_t token, void *at, size_t n PARAMS##M)              \
    {                                                                                              \
        const arg a[] = { GIVEN##M 0 };                                                            \
        came(token, true, M, a, at, n);                                                            \
    }
COUNTS(HANDLERS)

/* ---- playing ---- */

/* The source of an operation: memory of this rank that the caller may change behind the call. */
static uint8_t *spoilable(const struct op *op)
{
    static uint8_t own[SOURCE];

    memcpy(own, sources[me] + op->data.from, op->data.bytes);
    return own;
}

static uint8_t *source_of(const struct op *op)
{
    return (op->in_segment ? segment_of(me) : sources[me]) + op->data.from;
}

static void send(const struct program *p, unsigned number)
{
    const struct op *op = &p->ops[number];
    const arg *v = values(p, number);
    bool own = op->kind == ASYNC || op->in_segment;
    uint8_t *from = own ? source_of(op) : spoilable(op);
    uint8_t *to = segment_of(op->target) + area(p) + op->data.at;
    size_t n = op->data.bytes;

#define SEND(M)                                                                                    \
    case M:                                                                                        \
        if (op->kind == SHORT)                                                                     \
            gasnet_AMRequestShort##M(op->target, REQUEST(M) SENT##M);                              \
        else if (op->kind == MEDIUM)                                                               \
            gasnet_AMRequestMedium##M(op->target, REQUEST(M) + WITH_DATA, from, n SENT##M);        \
        else if (op->kind == LONG)                                                                 \
            gasnet_AMRequestLong##M(op->target, REQUEST(M) + WITH_DATA, from, n, to SENT##M);      \
        else                                                                                       \
            gasnet_AMRequestLongAsync##M(op->target, REQUEST(M) + WITH_DATA, from, n, to SENT##M); \
        break;
    switch (op->nargs) {
        COUNTS(SEND)
    }
#undef SEND
    if (!own)
        memset(from, 0x99, n);
}

static gasnet_handle_t put(const struct program *p, const struct op *op)
{
    bool own = op->in_segment || op->form == NB_BULK || op->form == NBI_BULK;
    uint8_t *from = own ? source_of(op) : spoilable(op);
    uint8_t *to = segment_of(op->target) + area(p) + op->data.at;
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;

    switch (op->form) {
    case BLOCKING:
        gasnet_put(op->target, to, from, op->data.bytes);
        break;
    case BULK:
        gasnet_put_bulk(op->target, to, from, op->data.bytes);
        break;
    case NB:
        handle = gasnet_put_nb(op->target, to, from, op->data.bytes);
        break;
    case NB_BULK:
        handle = gasnet_put_nb_bulk(op->target, to, from, op->data.bytes);
        break;
    case NBI:
        gasnet_put_nbi(op->target, to, from, op->data.bytes);
        break;
    default:
        gasnet_put_nbi_bulk(op->target, to, from, op->data.bytes);
    }
    if (!own)
        memset(from, 0x99, op->data.bytes);
    return handle;
}

static uint8_t *landing[OPS_MAX]; /* of gets, outside of segments */

static gasnet_handle_t get(const struct program *p, const struct op *op)
{
    size_t n = op->data.bytes;
    uint8_t *from = segment_of(op->target) + op->data.from;
    uint8_t *to = op->in_segment ? segment_of(me) + area(p) + op->data.at
                                 : landing[op - p->ops] + op->data.at % 16;

    switch (op->form) {
    case BLOCKING:
        gasnet_get(to, op->target, from, n);
        break;
    case BULK:
        gasnet_get_bulk(to, op->target, from, n);
        break;
    case NB:
        return gasnet_get_nb(to, op->target, from, n);
    case NB_BULK:
        return gasnet_get_nb_bulk(to, op->target, from, n);
    case NBI:
        gasnet_get_nbi(to, op->target, from, n);
        break;
    default:
        gasnet_get_nbi_bulk(to, op->target, from, n);
    }
    return GASNET_INVALID_HANDLE;
}

static gasnet_handle_t put_strided(const struct program *p, const struct op *op)
{
    uint8_t *from = source_of(op), *to = segment_of(op->target) + area(p) + op->data.at;

    if (op->form <= BULK)
        gasnet_puts_bulk(op->target, to, op->to_strides, from, op->from_strides, op->count,
                         op->levels);
    else if (op->form <= NB_BULK)
        return gasnet_puts_nb_bulk(op->target, to, op->to_strides, from, op->from_strides,
                                   op->count, op->levels);
    else
        gasnet_puts_nbi_bulk(op->target, to, op->to_strides, from, op->from_strides, op->count,
                             op->levels);
    return GASNET_INVALID_HANDLE;
}

static void play(const struct program *p)
{
    gasnet_handle_t handles[OPS_MAX];
    int parity = p->number & 1;

    for (unsigned i = 0; i < p->nops; i++) {
        const struct op *op = &p->ops[i];

        handles[i] = GASNET_INVALID_HANDLE;
        if (op->actor != me)
            continue;
        if (op->kind < PUT)
            send(p, i);
        else if (op->kind == PUT)
            handles[i] = put(p, op);
        else if (op->kind == GET)
            handles[i] = get(p, op);
        else
            handles[i] = put_strided(p, op);
        if (op->polls)
            gasnet_AMPoll();
    }
    gasnet_wait_syncnb_all(handles, p->nops);
    gasnet_wait_syncnbi_all();
    for (unsigned i = 0; i < p->nops; i++) {
        const struct op *op = &p->ops[i];

        if (op->actor == me && op->kind == GET && !op->in_segment &&
            memcmp(landing[i] + op->data.at % 16, sources[op->target] + op->data.from,
                   op->data.bytes) != 0)
            fail(p, i, "what a get has brought");
    }
    GASNET_BLOCKUNTIL(requests_came[parity] >= p->requests && replies_came[parity] >= p->replies);
}

/* Its operations may begin as soon as the first rank knows that all have prepared for it. */
static void prepare(unsigned number)
{
    struct program *p = &programs[number & 1];

    make(p, number);
    requests_came[number & 1] = replies_came[number & 1] = 0;
    memset(seen, BACKGROUND, p->used[me] + 32);
    segment_store(area(p), seen, p->used[me] + 32);
}

static void begin(int *argc, char ***argv)
{
    gasnet_handlerentry_t table[4 * (ARGS_MAX + 1)];
    int n = 0;

#define ENTER(M)                                                                                   \
    table[n++] = (gasnet_handlerentry_t){ REQUEST(M), (void (*)())on_request_##M };                \
    table[n++] = (gasnet_handlerentry_t){ REQUEST(M) + WITH_DATA, (void (*)())on_data_##M };       \
    table[n++] = (gasnet_handlerentry_t){ REPLY(M), (void (*)())on_reply_##M };                    \
    table[n++] = (gasnet_handlerentry_t){ REPLY(M) + WITH_DATA, (void (*)())on_data_reply_##M };
    COUNTS(ENTER)
    check_begin(argc, argv, "0 programs", table, n);
    most_medium = gasnet_AMMaxMedium();
    expected = malloc(AREA + SLACK);
    seen = malloc(AREA + SLACK);
    temporary = malloc(AREA + SLACK);
    for (int i = 0; i < OPS_MAX; i++)
        landing[i] = malloc(SOURCE);
    for (unsigned i = 0; i < nodes; i++) {
        sources[i] = malloc(SOURCE);
        fill(sources[i], SOURCE, i);
    }
    segment_store(0, sources[me], SOURCE);
}

int main(int argc, char **argv)
{
    unsigned count = 100, first = 0;

    begin(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        (void)sscanf(argv[i], "programs=%u", &count);
        (void)sscanf(argv[i], "first=%u", &first);
        (void)sscanf(argv[i], "seed=%u", &seed);
    }
    prepare(first);
    check_barrier();
    for (unsigned i = first; i < first + count; i++) {
        play(&programs[i & 1]);
        prepare(i + 1);
        check_barrier();
        verify(&programs[i & 1]);
        if (failures > 0)
            gasnet_exit(1);
    }
    check_barrier();
    if (me == 0)
        printf("programs: %u played on %u nodes, no difference\n", count, nodes);
    gasnet_exit(0);
}
