/* Non-blocking collectives, and their buffers. */
#include "races.h"

static void stores_while_broadcast(void)
{
    MPI_Ibcast(buffer, WORDS, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    if (me == 0)
        buffer[3] = 1;
    end();
}

static void loads_while_broadcast(void)
{
    MPI_Ibcast(buffer, WORDS, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    if (me == 1)
        seen += buffer[3];
    end();
}

static void loads_while_summed(void)
{
    MPI_Iallreduce(buffer, other_buffer, WORDS, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    if (me == 1)
        seen += other_buffer[3];
    end();
}

static void stores_while_gathered(void)
{
    MPI_Igather(buffer, 8, MPI_UINT64_T, other_buffer, 8, MPI_UINT64_T, 0, MPI_COMM_WORLD,
                &request);
    if (me == 1)
        buffer[7] = 1;
    end();
}

static void loads_block_while_exchanged(void)
{
    MPI_Ialltoall(buffer, 8, MPI_UINT64_T, other_buffer, 8, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    if (me == 1)
        seen += other_buffer[15];
    end();
}

static void ok_loads_beside_collectives(void)
{
    MPI_Iallreduce(buffer, other_buffer, 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    seen += buffer[3] + other_buffer[8];
    other_buffer[9] = 1;
    end();
    seen += other_buffer[3];
    MPI_Igather(buffer, 8, MPI_UINT64_T, other_buffer, 8, MPI_UINT64_T, 0, MPI_COMM_WORLD,
                &request);
    if (me == 1)
        other_buffer[3] = 1; /* of no meaning but at the root */
    end();
    if (me == 0)
        seen += other_buffer[3];
}

const struct race_case race_collectives[] = {
    CASE(stores_while_broadcast),
    CASE(loads_while_broadcast),
    CASE(loads_while_summed),
    CASE(stores_while_gathered),
    CASE(loads_block_while_exchanged),
    CASE(ok_loads_beside_collectives),
    { NULL, NULL },
};
