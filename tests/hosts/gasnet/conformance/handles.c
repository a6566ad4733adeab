/* "Extended API": handles, implicit operations, access regions, and very many operations at once.
 */
#include "check.h"

#define MANY 65535
#define SOME 20
#define EACH 1000

static uint8_t out[SOME * EACH], in[SOME * EACH];

static void prepare(void)
{
    check_barrier();
    segment_clear(0, SOME * EACH, 0);
    fill(out, sizeof(out), me);
    memset(in, 0, sizeof(in));
    check_barrier();
}

/* All that this rank has put at its neighbour is there. */
static bool arrived(void)
{
    check_barrier();
    return segment_differs(0, SOME * EACH, prev) == 0;
}

static gasnet_handle_t put_one(int i)
{
    return gasnet_put_nb_bulk(next, segment_of(next) + i * EACH, out + i * EACH, EACH);
}

static gasnet_handle_t get_one(int i)
{
    return gasnet_get_nb_bulk(in + i * EACH, next, segment_of(next) + i * EACH, EACH);
}

static void invalid(void)
{
    gasnet_handle_t none[3] = { GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE,
                                GASNET_INVALID_HANDLE },
                    zero;

    memset(&zero, 0, sizeof(zero));
    CHECK(zero == GASNET_INVALID_HANDLE, "GASNET_INVALID_HANDLE: all bits are zero");
    gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
    CHECK(gasnet_try_syncnb(GASNET_INVALID_HANDLE) == GASNET_OK,
          "gasnet_try_syncnb: GASNET_INVALID_HANDLE is over");
    gasnet_wait_syncnb_all(none, 3);
    gasnet_wait_syncnb_some(none, 3);
    CHECK(gasnet_try_syncnb_all(none, 3) == GASNET_OK,
          "gasnet_try_syncnb_all: a list of GASNET_INVALID_HANDLE");
    CHECK(gasnet_try_syncnb_some(none, 3) == GASNET_OK,
          "gasnet_try_syncnb_some: a list of GASNET_INVALID_HANDLE");
    gasnet_wait_syncnb_all(NULL, 0);
    gasnet_wait_syncnb_some(NULL, 0);
    CHECK(gasnet_try_syncnb_all(NULL, 0) == GASNET_OK, "gasnet_try_syncnb_all: an empty list");
    CHECK(gasnet_try_syncnb_some(NULL, 0) == GASNET_OK, "gasnet_try_syncnb_some: an empty list");
}

static bool all_invalid(const gasnet_handle_t *handles, int n)
{
    for (int i = 0; i < n; i++)
        if (handles[i] != GASNET_INVALID_HANDLE)
            return false;
    return true;
}

static void lists(void)
{
    gasnet_handle_t handles[SOME + 1];
    int rounds = 0;

    prepare();
    for (int i = 0; i < SOME; i++)
        handles[i] = put_one(i);
    handles[SOME] = GASNET_INVALID_HANDLE;
    gasnet_wait_syncnb_all(handles, SOME + 1);
    CHECK(all_invalid(handles, SOME + 1), "gasnet_wait_syncnb_all: handles are overwritten");
    CHECK(arrived(), "gasnet_wait_syncnb_all: all data are there");
    for (int i = 0; i < SOME; i++)
        handles[i] = get_one(i);
    while (!all_invalid(handles, SOME) && rounds++ < 10 * SOME)
        gasnet_wait_syncnb_some(handles, SOME);
    CHECK(rounds <= SOME, "gasnet_wait_syncnb_some: each call ends one at least");
    CHECK(differ(in, sizeof(in), me) == 0, "gasnet_wait_syncnb_some: all data are there");
    prepare();
    for (int i = 0; i < SOME; i++)
        handles[i] = put_one(i);
    while (gasnet_try_syncnb_all(handles, SOME) == GASNET_ERR_NOT_READY)
        ;
    CHECK(all_invalid(handles, SOME), "gasnet_try_syncnb_all: handles are overwritten");
    CHECK(arrived(), "gasnet_try_syncnb_all: all data are there");
    for (int i = 0; i < SOME; i++)
        handles[i] = get_one(i);
    while (!all_invalid(handles, SOME))
        if (gasnet_try_syncnb_some(handles, SOME) != GASNET_OK)
            rounds++;
    CHECK(differ(in, sizeof(in), me) == 0, "gasnet_try_syncnb_some: all data are there");
    prepare();
}

/* In any order, and one by one. */
static void singly(void)
{
    gasnet_handle_t handles[SOME];

    prepare();
    for (int i = 0; i < SOME; i++)
        handles[i] = put_one(i);
    for (int i = SOME; i-- > 0;)
        gasnet_wait_syncnb(handles[i]);
    CHECK(arrived(), "gasnet_wait_syncnb: the last one first");
    for (int i = 0; i < SOME; i++)
        handles[i] = get_one(i);
    for (int i = 0; i < SOME; i++)
        while (gasnet_try_syncnb(handles[(i * 7) % SOME]) == GASNET_ERR_NOT_READY)
            ;
    CHECK(differ(in, sizeof(in), me) == 0, "gasnet_try_syncnb: in any order");
    prepare();
}

static void implicit(void)
{
    prepare();
    CHECK(gasnet_try_syncnbi_all() == GASNET_OK, "gasnet_try_syncnbi_all: nothing is under way");
    CHECK(gasnet_try_syncnbi_gets() == GASNET_OK, "gasnet_try_syncnbi_gets: nothing is under way");
    CHECK(gasnet_try_syncnbi_puts() == GASNET_OK, "gasnet_try_syncnbi_puts: nothing is under way");
    for (int i = 0; i < SOME; i++)
        gasnet_put_nbi_bulk(next, segment_of(next) + i * EACH, out + i * EACH, EACH);
    gasnet_wait_syncnbi_puts();
    CHECK(arrived(), "gasnet_wait_syncnbi_puts: all data are there");
    for (int i = 0; i < SOME; i++)
        gasnet_get_nbi_bulk(in + i * EACH, next, segment_of(next) + i * EACH, EACH);
    gasnet_wait_syncnbi_gets();
    CHECK(differ(in, sizeof(in), me) == 0, "gasnet_wait_syncnbi_gets: all data are there");
    prepare();
    for (int i = 0; i < SOME; i++)
        gasnet_put_nbi(next, segment_of(next) + i * EACH, out + i * EACH, EACH);
    while (gasnet_try_syncnbi_puts() == GASNET_ERR_NOT_READY)
        ;
    CHECK(arrived(), "gasnet_try_syncnbi_puts: all data are there");
    for (int i = 0; i < SOME; i++)
        gasnet_get_nbi(in + i * EACH, next, segment_of(next) + i * EACH, EACH);
    while (gasnet_try_syncnbi_gets() == GASNET_ERR_NOT_READY)
        ;
    CHECK(differ(in, sizeof(in), me) == 0, "gasnet_try_syncnbi_gets: all data are there");
    prepare();
    for (int i = 0; i < SOME; i++) {
        gasnet_put_nbi_bulk(next, segment_of(next) + i * EACH, out + i * EACH, EACH);
        gasnet_get_nbi_bulk(in + i * EACH, me, segment_of(me) + CHECK_SEGMENT / 2, EACH);
    }
    gasnet_wait_syncnbi_all();
    CHECK(arrived(), "gasnet_wait_syncnbi_all: puts and gets");
}

/* What is in a region is synchronised by its handle, what is outside by the implicit calls. */
static void regions(void)
{
    gasnet_handle_t first, second;

    prepare();
    gasnet_put_nbi_bulk(next, segment_of(next), out, EACH);
    gasnet_begin_nbi_accessregion();
    for (int i = 1; i < SOME / 2; i++)
        gasnet_put_nbi_bulk(next, segment_of(next) + i * EACH, out + i * EACH, EACH);
    first = gasnet_end_nbi_accessregion();
    gasnet_begin_nbi_accessregion();
    for (int i = SOME / 2; i < SOME; i++)
        gasnet_put_nbi_bulk(next, segment_of(next) + i * EACH, out + i * EACH, EACH);
    second = gasnet_end_nbi_accessregion();
    gasnet_wait_syncnbi_all();
    gasnet_wait_syncnb(second);
    gasnet_wait_syncnb(first);
    CHECK(arrived(), "Access regions: two, the last one first, and a put outside");
    gasnet_begin_nbi_accessregion();
    for (int i = 0; i < SOME; i++)
        gasnet_get_nbi_bulk(in + i * EACH, next, segment_of(next) + i * EACH, EACH);
    first = gasnet_end_nbi_accessregion();
    while (gasnet_try_syncnb(first) == GASNET_ERR_NOT_READY)
        ;
    CHECK(differ(in, sizeof(in), me) == 0, "Access regions: of gets");
    gasnet_begin_nbi_accessregion();
    first = gasnet_end_nbi_accessregion();
    CHECK(gasnet_try_syncnb(first) == GASNET_OK, "Access regions: an empty one is over");
    gasnet_begin_nbi_accessregion();
    gasnet_memset_nbi(next, segment_of(next), 0x11, EACH);
    gasnet_put_nbi_val(next, segment_of(next) + EACH, 0x22, 1);
    second = put_one(3); /* a handle of its own, in a region too */
    first = gasnet_end_nbi_accessregion();
    gasnet_wait_syncnb(second);
    gasnet_wait_syncnb(first);
    check_barrier();
    segment_load(in, 0, EACH + 1);
    CHECK(in[0] == 0x11 && in[EACH - 1] == 0x11 && in[EACH] == 0x22,
          "Access regions: memsets and values");
    prepare();
}

/* The bound that the specification sets on operations without a sync. */
static void many(void)
{
    gasnet_handle_t *handles = malloc(MANY * sizeof(*handles));
    uint32_t x;

    prepare();
    for (uint32_t i = 0; i < MANY; i++) {
        x = i ^ me << 20;
        handles[i] = gasnet_put_nb(next, segment_of(next) + 4 * (size_t)i, &x, 4);
    }
    gasnet_wait_syncnb_all(handles, MANY);
    check_barrier();
    {
        uint32_t *all = malloc(MANY * sizeof(*all)), bad = 0;

        segment_load(all, 0, MANY * sizeof(*all));
        for (uint32_t i = 0; i < MANY; i++)
            bad += all[i] != (i ^ prev << 20);
        CHECK(bad == 0, "gasnet_put_nb: 65535 without a sync");
        memset(all, 0, MANY * sizeof(*all));
        check_barrier();
        for (uint32_t i = 0; i < MANY; i++)
            gasnet_get_nbi(&all[i], next, segment_of(next) + 4 * (size_t)i, 4);
        gasnet_wait_syncnbi_gets();
        bad = 0;
        for (uint32_t i = 0; i < MANY; i++)
            bad += all[i] != (i ^ me << 20);
        CHECK(bad == 0, "gasnet_get_nbi: 65535 without a sync");
        free(all);
    }
    free(handles);
    check_barrier();
}

/* What a put has brought each node may get, the one that put it or another. */
static void order(void)
{
    uint32_t x = me + 77, y = 0;
    unsigned third = (me + 2) % nodes;

    prepare();
    gasnet_put(third, segment_of(third) + 4 * (size_t)me, &x, 4);
    gasnet_get(&y, third, segment_of(third) + 4 * (size_t)me, 4);
    CHECK(y == x, "gasnet_get: sees what the same node has put before");
    check_barrier();
    y = 0;
    gasnet_get(&y, (prev + 2) % nodes, segment_of((prev + 2) % nodes) + 4 * (size_t)prev, 4);
    CHECK(y == prev + 77, "gasnet_get: sees what another node has put before");
    check_barrier();
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "8 handles", NULL, 0);
    invalid();
    lists();
    singly();
    implicit();
    regions();
    order();
    many();
    return check_end();
}
