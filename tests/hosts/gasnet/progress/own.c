/* A node waits for another one's data by calls that need no network, each of which has to let time
 * pass and messages be handled now and then: over most conduits a put ends by the target's answer.
 */
#include "../extended/common.h"

enum { ROUNDS = 8 };

static void on_short(gasnet_token_t token)
{
    (void)token;
}

static void look(unsigned how, uint8_t *own, uint8_t *copy)
{
    gasnet_memvec_t to = { copy, 1 }, from = { own, 1 };

    switch (how) {
    case 0:
        gasnet_get(copy, me, own, 1);
        return;
    case 1:
        *copy = (uint8_t)gasnet_get_val(me, own, 1);
        return;
    case 2:
        gasnet_wait_syncnb(gasnet_get_nb(copy, me, own, 1));
        return;
    case 3:
        gasnet_getv_bulk(1, &to, me, 1, &from);
        return;
    case 4:
        gasnet_put_val(me, own + 1, 1, 1);
        break;
    case 5:
        gasnet_memset(me, own + 1, 1, 8);
        break;
    case 6:
        gasnet_AMRequestShort0(me, 200);
        break;
    default:
        gasnet_wait_syncnbi_all();
    }
    *copy = *own;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { 200, (void (*)())on_short } };
    uint8_t copy = 0;

    begin(&argc, &argv, table, 1);
    for (unsigned how = 0; how < ROUNDS; how++) {
        all_here();
        if (me == 0)
            gasnet_put_val(nodes - 1, segment_of(nodes - 1), how + 1, 1);
        else if (me == nodes - 1)
            do
                look(how, segment_of(me), &copy);
            while (copy != how + 1);
        CHECK(me != nodes - 1 || me == 0 || copy == how + 1);
    }
    return end("own");
}
