/* The interface page's four examples as they stand, and a main() that runs and checks them. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tca-api.h>

/* As they stand there. */
/* clang-format off */
#define OK(e) do { tcaresult r_ = (e); if (r_ != TCA_SUCCESS) { fputs(tcaGetErrorString(r_), stderr); abort(); } } while (0)
enum { CH = 0, SLOT = 3, TAG = 0x55, IN = tcaDMAUseInternal | tcaDMAUseNotifyInternal };

static tcaHandle *publish(void *p, size_t n, int gpu, int ranks)   /* result[r] describes rank r's buffer */
{
    tcaHandle own, *all = malloc(ranks * sizeof *all);
    OK(tcaCreateHandle(&own, p, n, gpu ? tcaMemoryGPU : tcaMemoryCPU));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    return all;
}
static void ping_pong(int me, size_t n, int rounds, tcaHandle *out, tcaHandle *in)
{
    tcaDesc *d = tcaDescNew();
    OK(tcaDescSetMemcpy(d, &in[!me], 0, &out[me], 0, n, IN | tcaDMANotify | tcaDMANotifySelf, SLOT, TAG));
    OK(tcaDescSet(d, CH));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 2 * rounds; turn++)
        if (turn % 2 == me) {
            OK(tcaStartDMADesc(CH));
            OK(tcaWaitDMARecvDesc(&out[me], SLOT, TAG));      /* own node: my send is complete */
        } else {
            OK(tcaWaitDMARecvDesc(&in[!me], SLOT, TAG));      /* peer's node: its data is here */
        }
    OK(tcaWaitDMAC(CH));
    OK(tcaDescFree(d));
}
static void chain_and_column(int me, int to, tcaHandle *buf, tcaHandle *cube, size_t n, size_t edge)
{
    size_t row = edge * sizeof(double), plane = edge * row;
    tcaDesc *d = tcaDescNew();
    OK(tcaDescSetMemcpy(d, &buf[to], 0, &buf[me], 0, n, IN, SLOT, TAG));              /* silent */
    OK(tcaDescSetMemcpy2D(d, &cube[to], plane - row, plane, &cube[me], 0, plane,      /* first row of each plane */
                          row, edge, IN | tcaDMANotify, SLOT, TAG));                  /* becomes the peer's last */
    OK(tcaDescSet(d, CH));
    OK(tcaStartDMADesc(CH));
    OK(tcaWaitDMAC(CH));                                      /* receiver: tcaWaitDMARecvDesc(&buf[sender], SLOT, TAG) */
    OK(tcaDescFree(d));
}
static void pio_word(tcaHandle *peer_host, volatile uint64_t *mine, uint64_t v)       /* both sides call it */
{
    tcaPIOHandle p;
    uint64_t msg[2] = { v, 1 };                               /* value, then mark */
    OK(tcaSetPIORegion(&p, peer_host, 0, sizeof msg));
    OK(tcaSendPIO(&p, 0, msg, sizeof msg));
    tcaSendPIOCommit();
    while (mine[1] != 1) ;
    mine[1] = 0;
}
/* clang-format on */

static int wrong;

static void check(int me, const char *what, int right)
{
    if (!right) {
        printf("rank %d: %s failed\n", me, what);
        wrong = 1;
    }
}

static void run_ping_pong(int me)
{
    size_t n = 4096;
    void *out, *in;

    OK(tcaMalloc(&out, n, tcaMemoryCPU));
    OK(tcaMalloc(&in, n, tcaMemoryCPU));
    memset(out, 10 + me, n);
    memset(in, 0, n);
    ping_pong(me, n, 5, publish(out, n, 0, 2), publish(in, n, 0, 2));
    MPI_Barrier(MPI_COMM_WORLD);
    check(me, "ping_pong", ((char *)in)[0] == 11 - me && ((char *)in)[n - 1] == 11 - me);
}

static void run_chain_and_column(int me)
{
    size_t n = 1024, edge = 8, cells = edge * edge * edge;
    tcaHandle *bufs, *cubes;
    double *cube;
    void *buf;
    int right = 1;

    OK(tcaMalloc(&buf, n, tcaMemoryCPU));
    OK(tcaMalloc((void **)&cube, cells * sizeof(double), tcaMemoryCPU));
    bufs = publish(buf, n, 0, 2);
    cubes = publish(cube, cells * sizeof(double), 0, 2);
    for (size_t i = 0; i < cells; i++)
        cube[i] = (double)(1000 * me + (int)i);
    memset(buf, me, n);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        chain_and_column(me, 1, bufs, cubes, n, edge);
    } else {
        OK(tcaWaitDMARecvDesc(&bufs[0], SLOT, TAG));
        for (size_t z = 0; z < edge; z++)
            for (size_t x = 0; x < edge; x++)
                right &=
                    cube[z * edge * edge + (edge - 1) * edge + x] == (double)(z * edge * edge + x);
        check(me, "chain_and_column", right && ((char *)buf)[n - 1] == 0);
    }
}

static void run_pio_word(int me)
{
    tcaHandle *hosts;
    volatile uint64_t *mine;
    double t;

    OK(tcaMalloc((void **)&mine, 16, tcaMemoryCPU));
    mine[0] = mine[1] = 0;
    hosts = publish((void *)mine, 16, 0, 2);
    for (int i = 0; i < 10; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        t = MPI_Wtime();
        pio_word(&hosts[!me], mine, (uint64_t)(100 * me + i));
        t = MPI_Wtime() - t;
        check(me, "pio_word", mine[0] == (uint64_t)(100 * !me + i) && t < 5e-6);
    }
}

int main(int argc, char **argv)
{
    int me;

    MPI_Init(&argc, &argv);
    OK(tcaInit());
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    run_ping_pong(me);
    run_chain_and_column(me);
    run_pio_word(me);
    if (!wrong)
        printf("rank %d: all well\n", me);
    MPI_Finalize();
    return wrong;
}
