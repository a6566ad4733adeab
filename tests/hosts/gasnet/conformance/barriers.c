/* "Extended API": the split-phase barrier, its ids and flags. */
#include "check.h"

#define ANON GASNET_BARRIERFLAG_ANONYMOUS

enum { ON_MARK = 128 };

static volatile unsigned marks;

static void on_mark(gasnet_token_t token)
{
    (void)token;
    marks++;
}

static int both(int id, int flags)
{
    gasnet_barrier_notify(id, flags);
    return gasnet_barrier_wait(id, flags);
}

static int tried(int id, int flags)
{
    int code;

    gasnet_barrier_notify(id, flags);
    while ((code = gasnet_barrier_try(id, flags)) == GASNET_ERR_NOT_READY)
        ;
    return code;
}

static void names(void)
{
    static const int ids[] = { 0, 1, -1, 12345, INT32_MAX, INT32_MIN };

    for (int i = 0; i < 6; i++) {
        CHECK_OF(i, both(ids[i], 0) == GASNET_OK, "gasnet_barrier_wait: all name %d", ids[i]);
        CHECK_OF(i, tried(ids[i], 0) == GASNET_OK, "gasnet_barrier_try: all name %d", ids[i]);
        CHECK_OF(i, both(ids[i], ANON) == GASNET_OK, "gasnet_barrier_wait: none has a name, %d",
                 ids[i]);
        CHECK_OF(i, tried(ids[i], ANON) == GASNET_OK, "gasnet_barrier_try: none has a name, %d",
                 ids[i]);
    }
}

/* Anonymous ones match any name. */
static void some_anonymous(void)
{
    for (unsigned who = 0; who < nodes; who++) {
        CHECK(both(99, me == who ? ANON : 0) == GASNET_OK, "Barriers: one without a name");
        CHECK(both(99, me == who ? 0 : ANON) == GASNET_OK, "Barriers: only one with a name");
    }
    CHECK(both((int)me, ANON) == GASNET_OK, "Barriers: the ids of anonymous ones may differ");
}

/* All hear of a mismatch, and the next barrier is as good as new. */
static void mismatches(void)
{
    const int bad = GASNET_ERR_BARRIER_MISMATCH;

    for (unsigned who = 0; who < nodes; who++) {
        if (nodes > 1) {
            CHECK(both(me == who ? 5 : 6, 0) == bad, "Barriers: one name differs, all hear of it");
            CHECK(tried(me == who ? 5 : 6, 0) == bad,
                  "gasnet_barrier_try: one name differs, all hear of it");
        }
        CHECK(both(7, me == who ? GASNET_BARRIERFLAG_MISMATCH : 0) == bad,
              "GASNET_BARRIERFLAG_MISMATCH: of one node is heard by all");
        CHECK(both(7, 0) == GASNET_OK, "Barriers: a mismatch is over with its barrier");
    }
    CHECK(both(7, GASNET_BARRIERFLAG_MISMATCH) == bad, "GASNET_BARRIERFLAG_MISMATCH: of all");
    if (nodes > 2) { /* two names among anonymous ones */
        CHECK(both((int)me, me == 0 || me == nodes - 1 ? 0 : ANON) == bad,
              "Barriers: two names that differ, the others have none");
        CHECK(both(8, ANON) == GASNET_OK, "Barriers: after a mismatch of two");
    }
    gasnet_barrier_notify(3, 0);
    CHECK(gasnet_barrier_wait(4, 0) == bad, "gasnet_barrier_wait: another id than notified");
    CHECK(both(3, 0) == GASNET_OK, "Barriers: after another id in wait");
}

/* None leaves before the last one has come. */
static void waits(void)
{
    for (unsigned round = 0; round < 3 * nodes; round++) {
        unsigned late = round % nodes;

        marks = 0;
        both(0, ANON);
        if (me == late)
            for (unsigned i = 0; i < nodes; i++)
                gasnet_AMRequestShort0(i, ON_MARK);
        GASNET_BLOCKUNTIL(marks == 1);
        CHECK(both((int)round, 0) == GASNET_OK, "Barriers: %d in a row", 3);
        CHECK(marks == 1, "Barriers: nobody begins the next round before all have ended this one");
    }
}

/* Other calls between notify and wait. */
static void split(void)
{
    uint32_t x = me, y = 0;

    segment_clear(0, 64, 0);
    both(1, 0);
    gasnet_put(next, segment_of(next), &x, 4);
    gasnet_barrier_notify(2, 0);
    gasnet_put(next, segment_of(next) + 8, &x, 4);
    CHECK(gasnet_barrier_wait(2, 0) == GASNET_OK, "Barriers: a put between notify and wait");
    segment_load(&y, 0, 4);
    CHECK(y == prev, "Barriers: what was put before notify is there behind wait");
    both(1, 0);
    segment_load(&y, 8, 4);
    CHECK(y == prev, "Barriers: what was put between is there behind the next one");
    marks = 0;
    both(1, 0);
    gasnet_barrier_notify(3, 0);
    gasnet_AMRequestShort0(next, ON_MARK);
    GASNET_BLOCKUNTIL(marks == 1);
    CHECK(gasnet_barrier_wait(3, 0) == GASNET_OK, "Barriers: messages between notify and wait");
}

static void many(void)
{
    int good = 0;

    for (int i = 0; i < 300; i++)
        good += (i % 3 ? both(i, 0) : tried(i, i % 2 ? ANON : 0)) == GASNET_OK;
    CHECK(good == 300, "Barriers: 300 in a row");
}

static void results(void)
{
    int id = -5;

    both(4321, 0);
    CHECK(gasnet_barrier_result(&id) == 0 && id == 4321,
          "gasnet_barrier_result: the name of the last one");
    both(1, ANON);
    CHECK(gasnet_barrier_result(&id) != 0, "gasnet_barrier_result: it had no name");
    both(11, me == 0 ? 0 : ANON);
    CHECK(gasnet_barrier_result(&id) == 0 && id == 11,
          "gasnet_barrier_result: the name that one node gave");
}

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = { { ON_MARK, (void (*)())on_mark } };

    check_begin(&argc, &argv, "9 barriers", table, 1);
    names();
    some_anonymous();
    mismatches();
    waits();
    split();
    many();
    results();
    return check_end();
}
