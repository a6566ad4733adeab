/* The split-phase barrier: ids and flags, results, polling, and what it waits for. */
#include "common.h"

#define NAMED 0

static int both(int id, int flags)
{
    gasnet_barrier_notify(id, flags);
    return gasnet_barrier_wait(id, flags);
}

static int both_by_try(int id, int flags)
{
    int code;

    gasnet_barrier_notify(id, flags);
    while ((code = gasnet_barrier_try(id, flags)) == GASNET_ERR_NOT_READY)
        ;
    return code;
}

/* No node leaves before all have come: what each has put before to all others is there. */
static void check_order(void)
{
    for (unsigned i = 1; i <= 30; i++) {
        for (unsigned k = 0; k < nodes; k++)
            gasnet_put_nbi_val(k, segment_of(k) + 8 * me, i, 8);
        gasnet_wait_syncnbi_puts();
        for (unsigned k = below(60); k > 0; k--)
            gasnet_AMPoll();
        CHECK((below(2) == 0 ? both((int)i, NAMED) : both_by_try((int)i, NAMED)) == GASNET_OK);
        for (unsigned k = 0; k < nodes; k++) {
            uint64_t said = gasnet_get_val(me, segment_of(me) + 8 * k, 8);

            CHECK(said == i || said == i + 1);
        }
    }
}

static void check_names(void)
{
    static const int ids[] = { 0, 1, -1, 2147483647, -2147483647 - 1, 305419896 };
    int id = 77, expected;

    for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        CHECK(both(ids[i], NAMED) == GASNET_OK);
        CHECK(gasnet_barrier_result(&id) == 0 && id == ids[i]);
    }
    CHECK(both((int)me, ANONYMOUS) == GASNET_OK); /* an anonymous one has no name to differ in */
    id = 77;
    CHECK(gasnet_barrier_result(&id) != 0 && id == 77);
    CHECK(both_by_try(5, GASNET_BARRIERFLAG_UNNAMED) == GASNET_OK);
    CHECK(gasnet_barrier_result(&id) != 0);
    for (unsigned who = 0; who < nodes; who++) { /* one of them names it */
        CHECK(both(me == who ? 9 : 4, me == who ? NAMED : ANONYMOUS) == GASNET_OK);
        CHECK(gasnet_barrier_result(&id) == 0 && id == 9);
        CHECK(both(me == who ? 4 : 9, me == who ? ANONYMOUS : NAMED) == GASNET_OK);
        CHECK(gasnet_barrier_result(&id) == (nodes > 1 ? 0 : 1));
    }
    CHECK(gasnet_barrier(3, NAMED) == GASNET_OK);
    CHECK(gasnet_barrier_result(&id) == 0 && id == 3);
    expected = nodes > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
    for (unsigned who = 0; who < nodes; who++) {
        CHECK(both(me == who ? 1 : 0, NAMED) == expected);
        CHECK(both_by_try(me == who ? 1 : 0, NAMED) == expected);
        CHECK(gasnet_barrier(me == who, NAMED) == expected);
        CHECK(both(0, me == who ? GASNET_BARRIERFLAG_MISMATCH : NAMED) ==
              GASNET_ERR_BARRIER_MISMATCH);
        CHECK(both(0, me == who ? GASNET_BARRIERFLAG_MISMATCH : ANONYMOUS) ==
              GASNET_ERR_BARRIER_MISMATCH);
        CHECK(both(6, NAMED) == GASNET_OK); /* the next one is none the worse */
    }
    /* some names, some not, and two that differ */
    CHECK(both((int)(me % 3), me % 3 == 0 ? ANONYMOUS : NAMED) ==
          (nodes > 2 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
}

/* The second half says the same as the first one; who does not has a mismatch, the others not. */
static void check_halves(void)
{
    gasnet_barrier_notify(1, NAMED);
    CHECK(gasnet_barrier_wait(me == 0 ? 2 : 1, NAMED) ==
          (me == 0 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
    gasnet_barrier_notify(1, NAMED);
    CHECK(gasnet_barrier_wait(1, me == 0 ? ANONYMOUS : NAMED) ==
          (me == 0 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
    gasnet_barrier_notify(1, ANONYMOUS);
    CHECK(gasnet_barrier_wait(2, ANONYMOUS) == GASNET_OK);
    CHECK(both(1, NAMED) == GASNET_OK);
}

/* Between the halves a node computes, sends, puts and gets. */
static void check_between(void)
{
    unsigned next = (me + 1) % nodes;

    for (int i = 0; i < 10; i++) {
        uint64_t value = (uint64_t)i << 40 | me, got = 1;

        gasnet_barrier_notify(i, NAMED);
        gasnet_put(next, segment_of(next) + 4096, &value, sizeof(value));
        gasnet_get(&got, next, segment_of(next) + 4096, sizeof(got));
        CHECK(got == value);
        CHECK(gasnet_get_val(next, segment_of(next) + 4096, 8) == value);
        CHECK(gasnet_barrier_wait(i, NAMED) == GASNET_OK);
    }
}

int main(int argc, char **argv)
{
    int id = 5;

    begin(&argc, &argv, NULL, 0);
    CHECK(gasnet_barrier_result(&id) != 0); /* there was none with a name */
    check_order();
    check_names();
    check_halves();
    check_between();
    return end("barrier");
}
