/* Two ranks of one node, whose channels are those of both. */
#include "races.h"

#define PLACE __attribute__((noinline)) static

static int done;

/* The calls are not the last thing that these do, so that the places are theirs. */
PLACE void set(int channel)
{
    tcaDesc *d = tcaDescNew();

    tcaDescSetMemcpy(d, &handles[!me], BYTES, &handles[me], 0, BYTES, IN | tcaDMANotify, SLOT,
                     TAG + me);
    tcaDescSet(d, channel);
    tcaDescFree(d);
}

PLACE void start(int channel)
{
    done += tcaStartDMADesc(channel) == TCA_SUCCESS;
}

/* The second time there is nothing new to say. */
static void starts_list_of_other(void)
{
    if (me == 0)
        set(0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        set(0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; me == 0 && i < 2; i++)
        start(0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        start(0);
}

static void ok_sets_before_each_start(void)
{
    for (int turn = 0; turn < 4; turn++) {
        if (turn % 2 == me) {
            set(0);
            start(0);
            tcaWaitDMAC(0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void ok_channel_for_each(void)
{
    set(me);
    MPI_Barrier(MPI_COMM_WORLD);
    start(me);
}

/* Who has none of its own means the other's. */
static void ok_starts_what_other_has_set(void)
{
    if (me == 1)
        set(0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        start(0);
}

const struct race_case race_channels[] = {
    CASE(starts_list_of_other),
    CASE(ok_sets_before_each_start),
    CASE(ok_channel_for_each),
    CASE(ok_starts_what_other_has_set),
    { NULL, NULL },
};
