/*
 * Handlers that the program waits for, in loops that look like loops of its own: the word lies in
 * the segment, which devices write, too, but it is a handler of this rank that changes it.
 */
#include "../extended/common.h"

enum { ON_COUNT = 200, ON_SHOW };

static volatile unsigned *counted, shown;

static void on_count(gasnet_token_t token)
{
    (void)token;
    ++*counted;
}

static void on_show(gasnet_token_t token)
{
    (void)token;
    shown++;
}

/* Nothing is open, so there is nothing but the message that a look could find. */
static void look(unsigned how)
{
    gasnet_handle_t none[] = { GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE };

    switch (how % 11) {
    case 0:
        CHECK(gasnet_try_syncnb(none[0]) == GASNET_OK);
        break;
    case 1:
        CHECK(gasnet_try_syncnb_all(none, 2) == GASNET_OK);
        break;
    case 2:
        CHECK(gasnet_try_syncnb_some(none, 2) == GASNET_OK);
        break;
    case 3:
        CHECK(gasnet_try_syncnbi_all() == GASNET_OK);
        break;
    case 4:
        CHECK(gasnet_try_syncnbi_puts() == GASNET_OK);
        break;
    case 5:
        gasnet_wait_syncnb(none[0]);
        break;
    case 6:
        gasnet_wait_syncnb_all(none, 2);
        break;
    case 7:
        gasnet_wait_syncnb_some(none, 0);
        break;
    case 8:
        gasnet_wait_syncnbi_all();
        break;
    case 9:
        gasnet_wait_syncnbi_puts();
        break;
    default:
        gasnet_wait_syncnbi_gets();
    }
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { ON_COUNT, (void (*)())on_count },
                                      { ON_SHOW, (void (*)())on_show } };
    unsigned next;

    begin(&argc, &argv, table, 2);
    next = (me + 1) % nodes;
    counted = (volatile unsigned *)segment_of(me);
    *counted = 0;
    all_here();
    for (unsigned k = 1; k <= 40; k++) {
        gasnet_AMRequestShort0(next, ON_COUNT);
        if (k % 2 != 0)
            GASNET_BLOCKUNTIL(*counted >= k);
        while (*counted < k)
            gasnet_AMPoll();
    }
    for (unsigned k = 1; k <= 22; k++) {
        gasnet_AMRequestShort0(next, ON_SHOW);
        while (shown < k)
            look(k);
    }
    CHECK(*counted == 40 && shown == 22);
    return end("words of the segment");
}
