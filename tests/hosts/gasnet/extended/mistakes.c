/* One mistake in each run: mistakes NAME. The last node makes it, and others go on polling. */
#include "common.h"

#define ON_REQUEST 230 /* handlers */

static const char *name;
static uint8_t data[64];

static bool is(const char *one)
{
    return strcmp(name, one) == 0;
}

static void on_request(gasnet_token_t token)
{
    (void)token;
    if (is("put-in-handler"))
        gasnet_put(0, segment_of(0), data, 8);
    if (is("sync-in-handler"))
        gasnet_wait_syncnbi_all();
    if (is("barrier-in-handler"))
        gasnet_barrier_notify(0, 0);
}

static gasnet_handle_t pending(void)
{
    return gasnet_get_nb_bulk(data, 0, segment_of(0), sizeof(data));
}

static void operations(void)
{
    gasnet_handle_t h, all[2];
    gasnet_valget_handle_t v;

    if (is("put-below"))
        gasnet_put(0, segment_of(0) - 1, data, 8);
    if (is("put-beyond"))
        gasnet_put_nb_bulk(0, segment_of(0) + SEGMENT - 7, data, 8);
    if (is("get-beyond"))
        gasnet_get_nbi(data, 0, segment_of(0) + SEGMENT, 1);
    if (is("get-huge"))
        gasnet_get(data, 0, segment_of(0) + 1, (size_t)-1);
    if (is("memset-beyond"))
        gasnet_memset(0, segment_of(0) + 1, 0, SEGMENT);
    if (is("value-beyond"))
        (void)gasnet_get_val(0, segment_of(0) + SEGMENT - 4, 8);
    if (is("no-node"))
        gasnet_put(nodes, segment_of(0), data, 8);
    if (is("value-of-9"))
        gasnet_put_val(0, segment_of(0), 1, 9);
    if (is("value-of-0"))
        (void)gasnet_get_nb_val(0, segment_of(0), 0);
    if (is("sync-twice")) {
        h = pending();
        gasnet_wait_syncnb(h);
        gasnet_wait_syncnb(h);
    }
    if (is("try-of-old")) { /* another operation has its number now */
        h = pending();
        gasnet_wait_syncnb(h);
        (void)pending();
        (void)gasnet_try_syncnb(h);
    }
    if (is("sync-of-none")) {
        all[0] = GASNET_INVALID_HANDLE;
        all[1] = (gasnet_handle_t)0x1234567;
        gasnet_wait_syncnb_some(all, 2);
    }
    if (is("value-twice")) {
        v = gasnet_get_nb_val(0, segment_of(0), 8);
        (void)gasnet_wait_syncnb_valget(v);
        (void)gasnet_wait_syncnb_valget(v);
    }
    if (is("value-of-get"))
        (void)gasnet_wait_syncnb_valget((gasnet_valget_handle_t)pending());
}

static void places(void)
{
    gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;

    if (is("region-in-region")) {
        gasnet_begin_nbi_accessregion();
        gasnet_begin_nbi_accessregion();
    }
    if (is("sync-in-region")) {
        gasnet_begin_nbi_accessregion();
        (void)gasnet_try_syncnbi_puts();
    }
    if (is("end-of-no-region"))
        (void)gasnet_end_nbi_accessregion();
    if (is("put-under-lock")) {
        gasnet_hsl_lock(&hsl);
        gasnet_put_nbi(0, segment_of(0), data, 8);
    }
    if (is("get-on-hold")) {
        gasnet_hold_interrupts();
        gasnet_get(data, 0, segment_of(0), 8);
    }
    if (is("notify-twice")) {
        gasnet_barrier_notify(0, 0);
        gasnet_barrier_notify(0, 0);
    }
    if (is("wait-first"))
        (void)gasnet_barrier_wait(0, 0);
    if (is("try-first"))
        (void)gasnet_barrier_try(0, 0);
    if (is("barrier-in-phase")) {
        gasnet_barrier_notify(0, ANONYMOUS);
        (void)gasnet_barrier(0, ANONYMOUS);
    }
    if (is("miscounted"))
        gasnet_AMRequestShort(me, ON_REQUEST, 1, 2, 3);
    if (is("put-in-handler") || is("sync-in-handler") || is("barrier-in-handler"))
        gasnet_AMRequestShort0(me, ON_REQUEST);
}

int main(int argc, char **argv)
{
    const gasnet_handlerentry_t handlers[] = { { ON_REQUEST, (void (*)())on_request } };

    name = argc > 1 ? argv[1] : "";
    if (is("before-attach")) {
        gasnet_init(&argc, &argv);
        if (gasnet_mynode() == 0)
            gasnet_put(0, data, data, 8);
        gasnet_attach(NULL, 0, 0, 0);
    }
    begin(&argc, &argv, handlers, 1);
    if (me == nodes - 1) {
        operations();
        places();
    }
    for (;;)
        gasnet_AMPoll();
}
