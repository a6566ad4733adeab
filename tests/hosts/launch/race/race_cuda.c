/* What CUDA does with memory of a GPU while MPI or the board use it. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "races.h"

#define PLACE __attribute__((noinline)) static
enum { PITCH = 256, WIDTH = 64, ROWS = BYTES / PITCH };

static void *device, *other_device;
static int done;

/* The calls of CUDA are not the last thing that these do, so that the places are theirs. */
static void need(int ok)
{
    if (!ok)
        exit(3);
    done++;
}

PLACE void copy_out(void)
{
    need(cudaMemcpy(other_buffer, device, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess);
}

PLACE void copy_in(void)
{
    need(cudaMemcpyAsync(device, other_buffer, BYTES, cudaMemcpyHostToDevice, NULL) == cudaSuccess);
}

PLACE void copy_inside(void)
{
    need(cudaMemcpyPeer(device, 0, other_device, 0, BYTES) == cudaSuccess);
}

PLACE void copy_rows(size_t column)
{
    need(cudaMemcpy2D(other_buffer, WIDTH, (char *)device + column, PITCH, WIDTH, ROWS,
                      cudaMemcpyDeviceToHost) == cudaSuccess);
}

PLACE void clear(void)
{
    need(cudaMemset(device, 0, BYTES) == cudaSuccess);
}

PLACE void give_back(void)
{
    need(cudaFree(device) == cudaSuccess);
}

PLACE void begin_send(void)
{
    need(MPI_Isend(device, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
}

PLACE void begin_receive(void)
{
    need(MPI_Irecv(device, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
}

/** Rank 0 sends to rank 1. */
static void begin(void)
{
    need(cudaMalloc(&device, BYTES) == cudaSuccess);
    need(cudaMalloc(&other_device, BYTES) == cudaSuccess);
    if (me == 0)
        begin_send();
    else
        begin_receive();
}

static void while_sent(void (*use)(void))
{
    begin();
    if (me == 0)
        use();
    end();
}

static void while_received(void (*use)(void))
{
    begin();
    if (me == 1)
        use();
    end();
}

static void copies_from_received(void)
{
    while_received(copy_out);
}

static void copies_to_sent(void)
{
    while_sent(copy_in);
}

static void copies_inside_to_sent(void)
{
    while_sent(copy_inside);
}

static void clears_sent(void)
{
    while_sent(clear);
}

static void frees_sent_of_gpu(void)
{
    while_sent(give_back);
}

static void ok_copies_from_sent(void)
{
    while_sent(copy_out);
}

static void ok_after_completion(void)
{
    begin();
    end();
    copy_out();
    copy_in();
    need(cudaDeviceSynchronize() == cudaSuccess);
    clear();
    give_back();
}

/** Of one column, which begins there. */
static void receive_column(size_t column)
{
    MPI_Datatype type;

    need(cudaMalloc(&device, BYTES) == cudaSuccess);
    MPI_Type_vector(ROWS, WIDTH, PITCH, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    if (me == 0) {
        need(MPI_Send(device, 1, type, 1, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    } else {
        need(MPI_Irecv(device, 1, type, 0, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        copy_rows(column);
        end();
    }
    MPI_Type_free(&type);
}

static void copies_received_rows(void)
{
    receive_column(WIDTH - 4);
}

static void ok_copies_between_rows(void)
{
    receive_column(WIDTH);
}

/** Rank 0 puts to the GPU of rank 1. */
static void put_to_gpu(void)
{
    tcaDesc *d = tcaDescNew();

    set_up_gpus();
    device = on_gpu;
    if (me == 0) {
        need(tcaDescSetMemcpy(d, &gpus[1], 0, &gpus[0], 0, BYTES, IN | tcaDMANotify, SLOT, TAG) ==
             TCA_SUCCESS);
        need(tcaDescSet(d, 0) == TCA_SUCCESS);
        need(tcaStartDMADesc(0) == TCA_SUCCESS);
    }
    tcaDescFree(d);
}

static void copies_from_put(void)
{
    put_to_gpu();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        copy_out();
}

static void clears_source_of_put(void)
{
    put_to_gpu();
    if (me == 0)
        clear();
}

static void frees_destination_of_put(void)
{
    put_to_gpu();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        give_back();
}

static void ok_copies_after_put(void)
{
    put_to_gpu();
    if (me == 1)
        arrived(SLOT);
    else
        tcaWaitDMAC(0);
    copy_out();
    clear();
    give_back();
}

const struct race_case race_cuda[] = {
    CASE(copies_from_received),   CASE(copies_to_sent),
    CASE(copies_inside_to_sent),  CASE(clears_sent),
    CASE(frees_sent_of_gpu),      CASE(ok_copies_from_sent),
    CASE(ok_after_completion),    CASE(copies_received_rows),
    CASE(ok_copies_between_rows), CASE(copies_from_put),
    CASE(clears_source_of_put),   CASE(frees_destination_of_put),
    CASE(ok_copies_after_put),    { NULL, NULL },
};
