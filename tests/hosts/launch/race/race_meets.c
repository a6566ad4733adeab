/* Transfers that meet each other outside of the host's memory, or by other calls. */
#include "races.h"

/** The own words go to the other rank's GPU. */
static void put_to_gpu(int channel, int slot)
{
    tcaDesc *d = tcaDescNew();

    tcaDescSetMemcpy(d, &gpus[!me], 0, &handles[me], 0, BYTES, IN | tcaDMANotify, slot, TAG);
    tcaDescSet(d, channel);
    tcaStartDMADesc(channel);
    tcaDescFree(d);
}

static void puts_to_gpu_by_two_channels(void)
{
    set_up_gpus();
    if (me == 0) {
        put_to_gpu(0, SLOT);
        put_to_gpu(1, OTHER_SLOT);
    } else {
        arrived(SLOT);
        arrived(OTHER_SLOT);
    }
}

/** Rank 1 sends on what it has got, or is to get. */
static void relay_from_gpu(int waits)
{
    tcaDesc *d = tcaDescNew();

    set_up_gpus();
    if (me == 0)
        put_to_gpu(0, SLOT);
    else if (waits)
        arrived(SLOT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) {
        tcaDescSetMemcpy(d, &handles[0], BYTES, &gpus[1], 0, BYTES, IN, SLOT, TAG);
        tcaDescSet(d, 0);
        tcaStartDMADesc(0);
    }
    tcaDescFree(d);
}

static void relays_from_gpu_at_once(void)
{
    relay_from_gpu(0);
}

static void ok_relays_from_gpu_after_wait(void)
{
    relay_from_gpu(1);
}

const struct race_case race_meets[] = {
    CASE(puts_to_gpu_by_two_channels),
    CASE(relays_from_gpu_at_once),
    CASE(ok_relays_from_gpu_after_wait),
    { NULL, NULL },
};
