/*
 * The board as its driver sees it, for driver-level tests: windows, register
 * mode, chains, status words, timer. No protection and no bookkeeping: starting
 * a busy channel loses the start. Functions return 0 or a negative PEACH2_ERR_*.
 */
#ifndef PEACH2_H
#define PEACH2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PEACH2_ERR_NOMEM   (-1)
#define PEACH2_ERR_NO_HUB  (-3)
#define PEACH2_ERR_ADDRESS (-4)
#define PEACH2_ERR_DMA     (-5)
#define PEACH2_ERR_INVALID (-6)

#define PEACH2_CHANNELS 4u
#define PEACH2_IN_HOST  (-1) /* instead of a GPU's number */

/** Memory that the board reaches. Plain bytes: may be sent to other ranks. */
struct peach2_buffer {
    uint64_t p;      /* the owner's pointer, see peach2_pointer() */
    uint64_t bus;    /* on the owner's bus: a DMA source */
    uint64_t offset; /* in its area of the owner's part of the window */
    uint64_t bytes;
    uint16_t slot, subcluster;
    uint32_t area;
};

int peach2_open(void);
unsigned peach2_slot(void);       /* own part of the window */
unsigned peach2_slots(void);      /* parts in all */
unsigned peach2_subcluster(void); /* the nodes that cables join; others have windows of their own */

/** `gpu`: PEACH2_IN_HOST or a GPU of this node, by its number there whatever CUDA_VISIBLE_DEVICES
 * says. Zeroed. */
int peach2_alloc(int gpu, size_t bytes, struct peach2_buffer *buf_p);
void peach2_free(const struct peach2_buffer *buf);
static inline void *peach2_pointer(const struct peach2_buffer *buf)
{
    return (void *)(uintptr_t)buf->p;
}
/** The bus address in the window of byte `offset` of a buffer of any node: a DMA destination, or
 * for PIO. 0 when the buffer lies in no area, or in another sub-cluster. */
uint64_t peach2_window(const struct peach2_buffer *buf, size_t offset);

/* PIO through the window. Loads are answered in the own part only, elsewhere they return all
 * ones. */
void peach2_store(uint64_t window, const void *bytes, size_t n);
void peach2_commit(void);
uint64_t peach2_load(uint64_t window, unsigned size);

/** Polls a word of 4 or 8 bytes of pinned host memory until it has this value. */
void peach2_wait_word(const volatile void *p, unsigned size, uint64_t value);
/** Polls a word of an own buffer over PCIe until it has this value. */
void peach2_poll(const struct peach2_buffer *buf, size_t offset, unsigned size, uint64_t value);

/* Registers: regs/hub_regs.h */
uint64_t peach2_read(uint32_t reg);
void peach2_write(uint32_t reg, uint64_t value);

/** Where the board writes 8 bytes when a transfer or chain has been sent; window 0: nowhere. */
struct peach2_status {
    uint64_t window, data;
};
/** Fills the registers of register mode. */
int peach2_register(unsigned channel, uint64_t dst_window, uint64_t src_bus, uint32_t bytes,
                    struct peach2_status status);
/** One store. */
void peach2_register_start(unsigned channel);

struct peach2_transfer {
    uint64_t dst_window, src_bus;
    uint32_t bytes;                         /* in all */
    uint32_t block_bytes, src_gap, dst_gap; /* block stride; block_bytes 0: one piece */
};
/** Writes a list into the host table or the board's internal memory and makes it the channel's. */
int peach2_chain(unsigned channel, int internal, const struct peach2_transfer *list, unsigned n,
                 struct peach2_status status);
/** One store. */
void peach2_chain_start(unsigned channel);
/** Polls the channel's state over PCIe until it is idle. */
int peach2_wait(unsigned channel);

uint64_t peach2_tsc(void); /* time-stamp counter; reading costs */
uint64_t peach2_tsc_khz(void);
uint64_t peach2_time_ps(void); /* simulated time; costs nothing */

#ifdef __cplusplus
}
#endif
#endif /* PEACH2_H */
