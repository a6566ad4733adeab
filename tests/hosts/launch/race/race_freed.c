/* Memory that is freed too early, or used too late. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "races.h"

/* Its calls have their places in functions of their own, and are not the last thing that these do.
 */
#define PLACE __attribute__((noinline)) static
enum { ROUNDS = 50, SMALL = 4096 };

static void *given;
static int done;

static void need(int ok)
{
    if (!ok)
        exit(3);
    done++;
}

PLACE void free_mine(void)
{
    need(tcaFree(mine, tcaMemoryCPU) == TCA_SUCCESS);
}

/* Compilers make one function of two that are equal. */
PLACE void free_again(void *p)
{
    need(tcaFree(p, tcaMemoryCPU) == TCA_SUCCESS);
}

PLACE void free_gpu(void)
{
    need(tcaFree(on_gpu, tcaMemoryGPU) == TCA_SUCCESS);
}

PLACE void start(int channel)
{
    need(tcaStartDMADesc(channel) == TCA_SUCCESS);
}

PLACE void store_remote(uint64_t word)
{
    tcaPIOHandle pio;

    need(tcaSetPIORegion(&pio, &handles[!me], 0, BYTES) == TCA_SUCCESS);
    need(tcaSendPIO(&pio, 0, &word, sizeof(word)) == TCA_SUCCESS);
    need(tcaSendPIOCommit() == TCA_SUCCESS);
}

PLACE void store_word(size_t word)
{
    mine[word] = 1;
    done++;
}

PLACE void poll_word(size_t word)
{
    seen += *(const volatile uint64_t *)&mine[word];
    done++;
}

PLACE void send_words(void)
{
    MPI_Send(mine, 8, MPI_BYTE, !me, 0, MPI_COMM_WORLD);
    done++;
}

PLACE void isend_words(void)
{
    MPI_Isend(mine, BYTES, MPI_BYTE, !me, 0, MPI_COMM_WORLD, &request);
    done++;
}

/* The own node's memory goes to the other one's. */
static void set_list(tcaHandle *dst, tcaHandle *src, int flags)
{
    tcaDesc *d = tcaDescNew();

    need(tcaDescSetMemcpy(d, dst, 0, src, 0, BYTES, IN | flags, SLOT, TAG) == TCA_SUCCESS);
    need(tcaDescSet(d, 0) == TCA_SUCCESS);
    tcaDescFree(d);
}

static void set_rows(void)
{
    tcaDesc *d = tcaDescNew();

    need(tcaDescSetMemcpy2D(d, &handles[!me], 0, EVERY * 8, &handles[me], 0, EVERY * 8, 8,
                            WORDS / EVERY, IN, SLOT, TAG) == TCA_SUCCESS);
    need(tcaDescSet(d, 0) == TCA_SUCCESS);
    tcaDescFree(d);
}

/* Long enough for any transfer here: what is reported is the lack of order alone. */
static void let_pass(void)
{
    for (int i = 0; i < ROUNDS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- freed while a transfer may use it ------------------------------------------------- */

static void start_put(int flags)
{
    set_list(&handles[!me], &handles[me], flags);
    start(0);
}

static void frees_source(void)
{
    if (me == 0) {
        start_put(tcaDMANotify);
        free_mine();
    } else {
        arrived(SLOT);
    }
}

static void frees_destination(void)
{
    if (me == 0) {
        start_put(0);
        tcaWaitDMAC(0);
    }
    let_pass();
    if (me == 1)
        free_mine();
}

static void frees_rows(void)
{
    if (me == 0) {
        set_rows();
        start(0);
        tcaWaitDMAC(0);
    }
    let_pass();
    if (me == 1)
        free_mine();
}

static void frees_stored(void)
{
    if (me == 0)
        store_remote(5);
    let_pass();
    if (me == 1)
        free_mine();
}

static void frees_sent(void)
{
    if (me == 0) {
        isend_words();
        free_mine();
        end();
    } else {
        MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void start_between_gpus(int flags)
{
    set_up_gpus();
    if (me == 0) {
        set_list(&gpus[1], &gpus[0], flags);
        start(0);
    }
}

static void frees_source_on_gpu(void)
{
    start_between_gpus(0);
    let_pass();
    if (me == 0)
        free_gpu();
}

static void frees_destination_on_gpu(void)
{
    start_between_gpus(0);
    if (me == 0)
        tcaWaitDMAC(0);
    let_pass();
    if (me == 1)
        free_gpu();
}

static void ok_frees_after_wait(void)
{
    if (me == 0) {
        start_put(tcaDMANotify);
        tcaWaitDMAC(0);
    } else {
        arrived(SLOT);
    }
    free_mine();
}

static void ok_frees_after_own_notification(void)
{
    if (me == 0) {
        start_put(tcaDMANotify | tcaDMANotifySelf);
        sent(SLOT);
        free_mine();
    } else {
        arrived(SLOT);
    }
}

static void ok_frees_after_reset(void)
{
    if (me == 0) {
        start_put(0);
        tcaReset();
        free_mine();
    }
}

static void ok_frees_after_word(void)
{
    if (me == 0)
        store_remote(5);
    if (me == 1) {
        const volatile uint64_t *at = mine;

        while (*at != 5)
            ;
        free_mine();
    }
}

static void ok_frees_after_wait_on_gpu(void)
{
    start_between_gpus(tcaDMANotify);
    if (me == 0)
        tcaWaitDMAC(0);
    else
        arrived(SLOT);
    free_gpu();
}

static void ok_frees_beside(void)
{
    void *other;

    need(tcaMalloc(&other, BYTES, tcaMemoryCPU) == TCA_SUCCESS);
    if (me == 0)
        start_put(tcaDMANotify);
    need(tcaFree(other, tcaMemoryCPU) == TCA_SUCCESS);
    if (me == 1)
        arrived(SLOT);
}

/* ---- transfers that begin when it is free ---------------------------------------------- */

static void puts_from_freed(void)
{
    if (me == 0) {
        free_mine();
        start_put(0);
    }
    let_pass();
}

static void puts_to_freed(void)
{
    if (me == 1)
        free_mine();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        start_put(0);
    let_pass();
}

static void puts_rows_to_freed(void)
{
    if (me == 1)
        free_mine();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        set_rows();
        start(0);
    }
    let_pass();
}

static void starts_old_list(void)
{
    if (me == 0)
        set_list(&handles[1], &handles[0], 0);
    if (me == 1)
        free_mine();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        start(0);
    let_pass();
}

static void stores_to_freed(void)
{
    if (me == 1)
        free_mine();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        store_remote(5);
    let_pass();
}

static void puts_from_freed_gpu(void)
{
    set_up_gpus();
    if (me == 0) {
        free_gpu();
        set_list(&gpus[1], &gpus[0], 0);
        start(0);
    }
    let_pass();
}

static void puts_to_freed_gpu(void)
{
    set_up_gpus();
    if (me == 1)
        free_gpu();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        set_list(&gpus[1], &gpus[0], 0);
        start(0);
    }
    let_pass();
}

/* A list that does not run may outlive its memory. */
static void ok_keeps_old_list(void)
{
    if (me == 0) {
        set_list(&handles[1], &handles[0], 0);
        free_mine();
        set_list(&handles[1], &handles[0], 0);
    }
}

/* ---- the program, and what it calls ---------------------------------------------------- */

static void loads_freed(void)
{
    free_mine();
    if (me == 1)
        load(3);
}

static void stores_word_to_freed(void)
{
    free_mine();
    if (me == 1)
        store_word((size_t)2 * WORDS - 1);
}

static void polls_freed(void)
{
    free_mine();
    if (me == 0)
        poll_word(0);
}

static void sends_freed(void)
{
    uint64_t word;

    if (me == 1) {
        free_mine();
        send_words();
    } else {
        MPI_Recv(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void get_again(size_t bytes)
{
    need(tcaMalloc(&given, bytes, tcaMemoryCPU) == TCA_SUCCESS);
    need(given == mine);
}

/* Each has its own place, also beside others. */
static void loads_one_of_many(void)
{
    enum { BLOCKS = 64, ONE = 33 };
    void *blocks[BLOCKS];

    for (int i = 0; i < BLOCKS; i++)
        need(tcaMalloc(&blocks[i], SMALL, tcaMemoryCPU) == TCA_SUCCESS);
    for (int i = 0; i < BLOCKS; i++) {
        mine = blocks[(i * 7) % BLOCKS];
        if (mine == blocks[ONE])
            free_again(mine);
        else
            free_mine();
    }
    mine = blocks[ONE];
    if (me == 1)
        load(SMALL / 8 - 1);
}

/* Some of it is memory again. */
static void loads_rest_of_freed(void)
{
    free_mine();
    get_again(SMALL);
    store_word(SMALL / 8 - 1);
    if (me == 0)
        load(SMALL / 8);
}

/* What lies between two that were given: the second one begins with a page. */
static void loads_between_given(void)
{
    void *p;

    free_mine();
    MPI_Alloc_mem(64, MPI_INFO_NULL, &p);
    need(p == mine);
    need(tcaMalloc(&given, SMALL, tcaMemoryCPU) == TCA_SUCCESS);
    need(given == (char *)p + SMALL);
    store_word(0);
    store_word(SMALL / 8);
    if (me == 0)
        load(SMALL / 8 - 1);
}

static void ok_given_again_on_gpu(void)
{
    void *first;

    set_up_gpus();
    first = on_gpu;
    free_gpu();
    set_up_gpus();
    need(on_gpu == first);
    if (me == 0) {
        set_list(&gpus[1], &gpus[0], 0);
        start(0);
    }
    let_pass();
}

/* The BAR's pages of the freed block are another one's, which has its own place in the process. */
static void ok_pinned_again_on_gpu(void)
{
    tcaHandle own, first;
    void *other;

    need(tcaMalloc(&on_gpu, BYTES, tcaMemoryGPU) == TCA_SUCCESS);
    need(tcaCreateHandle(&first, on_gpu, BYTES, tcaMemoryGPU) == TCA_SUCCESS);
    need(cudaMalloc(&other, BYTES) == cudaSuccess);
    free_gpu();
    need(tcaCreateHandle(&own, other, BYTES, tcaMemoryGPU) == TCA_SUCCESS);
    need(own.bus == first.bus && other != on_gpu);
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, gpus, sizeof(own), MPI_BYTE, MPI_COMM_WORLD);
    if (me == 0) {
        set_list(&gpus[1], &gpus[0], 0);
        start(0);
    }
    let_pass();
}

/* Only the first page of what is freed is pinned: what lies behind it on the BAR is another's. */
static void ok_frees_beside_on_gpu(void)
{
    enum { PAGE = 65536 };
    tcaHandle first;
    void *other;

    need(cudaMalloc(&other, 4 * PAGE) == cudaSuccess);
    need(tcaCreateHandle(&first, other, PAGE, tcaMemoryGPU) == TCA_SUCCESS);
    set_up_gpus();
    need(gpus[me].bus == first.bus + PAGE);
    need(tcaFree(other, tcaMemoryGPU) == TCA_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        set_list(&gpus[1], &gpus[0], 0);
        start(0);
    }
    let_pass();
}

static void ok_given_again(void)
{
    free_mine();
    get_again((size_t)2 * BYTES);
    store_word(3);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        start_put(tcaDMANotify);
    else
        arrived(SLOT);
}

static void ok_given_to_others(void)
{
    uint64_t *p;

    free_mine();
    MPI_Alloc_mem((MPI_Aint)2 * BYTES, MPI_INFO_NULL, &p);
    need(p == mine);
    store_word(3);
    load(3);
    MPI_Free_mem(p);
}

static void waits_for_freed_gpu(void)
{
    set_up_gpus();
    if (me == 0) {
        free_gpu();
        set_list(&gpus[1], &gpus[0], 0);
        start(0);
        need(tcaWaitDMAC(0) == TCA_ERROR_DMA);
    }
}

/* It breaks off where nothing is. Freed memory of the host that it reads is still there. */
static void waits_for_nothing(void)
{
    tcaDesc *d = tcaDescNew();
    tcaHandle nowhere;

    set_up_gpus();
    nowhere = gpus[me];
    nowhere.bus += (uint64_t)1 << 40;
    if (me == 0) {
        free_mine();
        free_gpu();
        need(tcaDescSetMemcpy(d, &handles[1], 0, &handles[0], 0, 64, IN, SLOT, TAG) == TCA_SUCCESS);
        need(tcaDescSetMemcpy(d, &handles[1], 0, &nowhere, 0, 64, IN, SLOT, TAG) == TCA_SUCCESS);
        need(tcaDescSet(d, 0) == TCA_SUCCESS);
        start(0);
        need(tcaWaitDMAC(0) == TCA_ERROR_DMA);
    }
    tcaDescFree(d);
}

/* On the BAR the list's memory lies behind the only page of `other` that has a place there. */
static void waits_for_nothing_beside_freed(void)
{
    enum { PAGE = 65536 };
    tcaDesc *d = tcaDescNew();
    tcaHandle first, nowhere;
    void *other;

    need(cudaMalloc(&other, 4 * PAGE) == cudaSuccess);
    need(tcaCreateHandle(&first, other, PAGE, tcaMemoryGPU) == TCA_SUCCESS);
    set_up_gpus();
    need(gpus[me].bus == first.bus + PAGE);
    nowhere = gpus[me];
    nowhere.bus += (uint64_t)1 << 40;
    if (me == 0) {
        need(tcaFree(other, tcaMemoryGPU) == TCA_SUCCESS);
        need(tcaDescSetMemcpy(d, &handles[1], 0, &gpus[0], 0, 64, IN, SLOT, TAG) == TCA_SUCCESS);
        need(tcaDescSetMemcpy(d, &handles[1], 0, &nowhere, 0, 64, IN, SLOT, TAG) == TCA_SUCCESS);
        need(tcaDescSet(d, 0) == TCA_SUCCESS);
        start(0);
        need(tcaWaitDMAC(0) == TCA_ERROR_DMA);
    }
    tcaDescFree(d);
}

/* What is given again covers what was freed as two blocks. */
static void frees_part_of_given(void)
{
    void *first, *second, *both;

    if (me == 0) {
        need(tcaMalloc(&first, SMALL, tcaMemoryCPU) == TCA_SUCCESS);
        need(tcaMalloc(&second, SMALL, tcaMemoryCPU) == TCA_SUCCESS);
        need((char *)second == (char *)first + SMALL);
        need(tcaFree(first, tcaMemoryCPU) == TCA_SUCCESS);
        need(tcaFree(second, tcaMemoryCPU) == TCA_SUCCESS);
        need(tcaMalloc(&both, 2 * SMALL, tcaMemoryCPU) == TCA_SUCCESS && both == first);
        need(tcaFree(second, tcaMemoryCPU) == TCA_ERROR_INVALID_VALUE);
    }
}

static void frees_twice(void)
{
    if (me == 0) {
        free_mine();
        need(tcaFree(mine, tcaMemoryCPU) == TCA_ERROR_INVALID_VALUE);
    }
}

/* Memory that another library gave in between. */
static void frees_thrice(void)
{
    void *p;

    if (me == 0) {
        free_mine();
        MPI_Alloc_mem((MPI_Aint)2 * BYTES, MPI_INFO_NULL, &p);
        need(p == mine);
        free_again(p);
        need(tcaFree(mine, tcaMemoryCPU) == TCA_ERROR_INVALID_VALUE);
    }
}

const struct race_case race_freed[] = {
    CASE(frees_source),
    CASE(frees_destination),
    CASE(frees_rows),
    CASE(frees_stored),
    CASE(frees_sent),
    CASE(frees_source_on_gpu),
    CASE(frees_destination_on_gpu),
    CASE(ok_frees_after_wait),
    CASE(ok_frees_after_own_notification),
    CASE(ok_frees_after_reset),
    CASE(ok_frees_after_word),
    CASE(ok_frees_after_wait_on_gpu),
    CASE(ok_frees_beside),
    CASE(puts_from_freed),
    CASE(puts_to_freed),
    CASE(puts_rows_to_freed),
    CASE(starts_old_list),
    CASE(stores_to_freed),
    CASE(puts_from_freed_gpu),
    CASE(puts_to_freed_gpu),
    CASE(ok_keeps_old_list),
    CASE(loads_freed),
    CASE(stores_word_to_freed),
    CASE(polls_freed),
    CASE(sends_freed),
    CASE(loads_one_of_many),
    CASE(loads_rest_of_freed),
    CASE(loads_between_given),
    CASE(ok_given_again_on_gpu),
    CASE(ok_pinned_again_on_gpu),
    CASE(ok_frees_beside_on_gpu),
    CASE(ok_given_again),
    CASE(ok_given_to_others),
    CASE(waits_for_freed_gpu),
    CASE(waits_for_nothing),
    CASE(waits_for_nothing_beside_freed),
    CASE(frees_part_of_given),
    CASE(frees_twice),
    CASE(frees_thrice),
    { NULL, NULL },
};
