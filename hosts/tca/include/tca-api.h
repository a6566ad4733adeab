/*
 * TCA: puts between host and GPU memories of nodes that are joined by hubs.
 * Source compatible with programs written for the PEACH2 board's library.
 */
#ifndef TCA_API_H
#define TCA_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h> /* off_t */

#ifdef __cplusplus
extern "C" {
#endif

#define TCA_LIB_VERSION "2.0-hubsim"

typedef int tcaresult;
enum {
    TCA_SUCCESS = 0,
    TCA_ERROR_INVALID_VALUE = 1,
    TCA_ERROR_OUT_OF_MEMORY = 2,
    TCA_ERROR_NOT_SUPPORTED = 3, /* no board, or it cannot do this, as reach another sub-cluster */
    TCA_ERROR_NOT_INITIALIZED = 4,
    TCA_ERROR_DMA = 5 /* a transfer broke off */
};

typedef enum { tcaMemoryCPU = 1, tcaMemoryGPU = 2 } tcaMemoryKind;

/** A range of memory of one node; plain bytes that mean the same on all nodes. */
typedef struct tcaHandle {
    uint16_t magic;
    uint16_t subcluster; /* the owner's: puts do not leave it */
    uint16_t node;       /* the owner's part of the window */
    uint8_t area;        /* of that part; 0xff: other nodes cannot reach it */
    uint8_t kind;        /* tcaMemoryKind */
    uint64_t offset;     /* in the area */
    uint64_t size;
    uint64_t bus; /* on the owner's bus; for the owner */
} tcaHandle;

typedef struct tcaPIOHandle {
    uint64_t offset; /* in the window */
    uint64_t size;
} tcaPIOHandle;

typedef struct tcaDesc tcaDesc;

/** To be OR-ed. */
typedef enum {
    tcaDMAUseInternal = 0x01,       /* data descriptors in the board's internal memory */
    tcaDMAUseNotifyInternal = 0x02, /* those of the notifications too */
    tcaDMANotify = 0x04,            /* notify the destination's node (slot, tag) after the data */
    tcaDMANotifySelf = 0x08,        /* notify the own node as well */
    tcaDMAPipeline = 0x10,          /* the next one may begin before this one has ended */
    tcaDMAContinue = 0x20           /* for the older interface; without meaning in a tcaDesc */
} tcaDMAFlag;

/* Types, and below operators, of reductions that programs do by themselves: no function takes them.
 * Low 8 bits: index; from bit 8 up: size in bytes. */
typedef enum {
    TCA_CHAR = 0x100,
    TCA_SIGNED_CHAR = 0x101,
    TCA_UNSIGNED_CHAR = 0x102,
    TCA_BYTE = 0x103,
    TCA_SHORT = 0x204,
    TCA_UNSIGNED_SHORT = 0x205,
    TCA_INT = 0x406,
    TCA_UNSIGNED = 0x407,
    TCA_LONG = 0x808,
    TCA_UNSIGNED_LONG = 0x809,
    TCA_LONG_LONG = 0x80a,
    TCA_UNSIGNED_LONG_LONG = 0x80b,
    TCA_FLOAT = 0x40c,
    TCA_DOUBLE = 0x80d,
    TCA_LONG_DOUBLE = 0x100e
} tcaDataType;

typedef enum {
    TCA_OP_SUM,
    TCA_OP_PROD,
    TCA_OP_BAND,
    TCA_OP_LAND,
    TCA_OP_BOR,
    TCA_OP_LOR,
    TCA_OP_BXOR,
    TCA_OP_LXOR,
    TCA_OP_MAX,
    TCA_OP_MIN,
    TCA_OP_NOOP
} tcaOp;

/** Once per process, before all else; more calls do nothing. */
tcaresult tcaInit(void);
/** Waits for the channels and forgets all notifications of this node. */
tcaresult tcaReset(void);
const char *tcaGetErrorString(tcaresult r);

/** Memory that the board can reach; GPU: of the current device, on 64 KB. n may be 0. */
tcaresult tcaMalloc(void **p, size_t n, tcaMemoryKind kind);
tcaresult tcaFree(void *p, tcaMemoryKind kind);
/** [p, p + n) of pinned host memory or of a GPU. Takes no resource of the library. */
tcaresult tcaCreateHandle(tcaHandle *h, void *p, size_t n, tcaMemoryKind kind);
tcaresult tcaDestroyHandle(tcaHandle *h);

/* A list of puts, in order. Sizes are multiples of 4 and the low 4 bits of source and destination
 * addresses are equal, for 2-D in each row. */
tcaDesc *tcaDescNew(void);
tcaresult tcaDescFree(tcaDesc *d);
tcaresult tcaDescSetMemcpy(tcaDesc *d, tcaHandle *dst, off_t dst_off, tcaHandle *src, off_t src_off,
                           size_t n, int flags, int slot, int tag);
tcaresult tcaDescSetMemcpy2D(tcaDesc *d, tcaHandle *dst, off_t dst_off, size_t dst_pitch,
                             tcaHandle *src, off_t src_off, size_t src_pitch, size_t width,
                             size_t count, int flags, int slot, int tag);
/** Makes the list, as it is now, the one of channel `ch`; does not disturb one that runs there. */
tcaresult tcaDescSet(tcaDesc *d, int ch);
/** Starts the channel's list; waits first while the channel is busy. */
tcaresult tcaStartDMADesc(int ch);
tcaresult tcaWaitDMAC(int ch);
/** Waits for a notification (slot, tag) from the node that owns `h` and consumes it. */
tcaresult tcaWaitDMARecvDesc(tcaHandle *h, int slot, int tag);

/*
 * Older interface: tables of positions 0 .. capacity - 1 that hold one put each. Setting a put
 * replaces what its position held and yields the next position in *next_pos, which may be the
 * variable that `pos` came from. A put with tcaDMAContinue is followed by that of the next position
 * (an error when the chain is set and nothing is there); one without it ends the chain. The table
 * decides where descriptors lie, whatever tcaDMAUseInternal says. What is set after the chain was
 * made the channel's takes effect when it is made so again. Start and wait as for tcaDesc.
 */
#define TCA_TABLE_CAPACITY 1024
/** Empties the one table in the board's internal memory. Not needed before its first use. */
tcaresult tcaDMADescInt_Init(void);
tcaresult tcaSetDMADescInt_Memcpy(int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                  tcaHandle *src, off_t src_off, size_t n, int flags, int slot,
                                  int tag);
tcaresult tcaSetDMADescInt_Memcpy2D(int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                    size_t dst_pitch, tcaHandle *src, off_t src_off,
                                    size_t src_pitch, size_t width, size_t count, int flags,
                                    int slot, int tag);
/** The chain that begins at `first_pos`. */
tcaresult tcaSetDMAChainInt(int ch, int first_pos);
/** A table in host memory of up to TCA_TABLE_CAPACITY positions; *table is its number, never 0. */
tcaresult tcaCreateDMADesc(int *table, int capacity);
tcaresult tcaDestroyDMADesc(int table);
tcaresult tcaSetDMADesc_Memcpy2D(int table, int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                 size_t dst_pitch, tcaHandle *src, off_t src_off, size_t src_pitch,
                                 size_t width, size_t count, int flags, int slot, int tag);
/** The chain that begins at position 0. */
tcaresult tcaSetDMAChain(int ch, int table);

/** CPU stores to host memory of another node; the own one is refused. Stores beyond `n` but within
 * the handle are fine. */
tcaresult tcaSetPIORegion(tcaPIOHandle *pio, tcaHandle *remote, off_t off, size_t n);
tcaresult tcaSendPIO(tcaPIOHandle *pio, size_t off, void *buf, size_t n);
tcaresult tcaSendPIOCommit(void);

#ifdef __cplusplus
}
#endif
#endif /* TCA_API_H */
