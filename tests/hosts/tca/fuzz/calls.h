/* Calls of one rank, each with arguments that are mostly right. They do nothing where there is
 * nothing to call with, or where a program would wait for ever. */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "call.h"

typedef void (*call_fn)(struct world *w, unsigned rank);

/* calls_memory.c */
void call_init(struct world *w, unsigned rank);
void call_malloc(struct world *w, unsigned rank);
void call_free(struct world *w, unsigned rank);
void call_create_handle(struct world *w, unsigned rank);
void call_destroy_handle(struct world *w, unsigned rank);
void call_fill(struct world *w, unsigned rank); /* the program writes to its memory */

/* calls_list.c */
void call_desc_new(struct world *w, unsigned rank);
void call_desc_free(struct world *w, unsigned rank);
void call_put(struct world *w, unsigned rank);
void call_many_puts(struct world *w, unsigned rank);
void call_set(struct world *w, unsigned rank);
/** Draws a put, mostly a good one. `rows`: only the 2-D call will do. @return there is one */
bool draw_put(struct world *w, unsigned rank, bool rows, struct ask_put *a);
/** The channel has this list from now on. */
void install(struct world *w, unsigned rank, int ch, const struct puts *puts);
/** "&h1, 0, &h0, 16, 64, 0x5, 2, 1" */
const char *show_put(const struct world *w, const struct ask_put *a, char *text, size_t room);

/* calls_channel.c */
void call_start(struct world *w, unsigned rank);
void call_wait_channel(struct world *w, unsigned rank);
void call_take(struct world *w, unsigned rank);
void call_reset(struct world *w, unsigned rank);
/** Waits for the channels that the rank has used, and hands over its stores. */
void call_settle(struct world *w, unsigned rank);

/* calls_pio.c */
void call_region(struct world *w, unsigned rank);
void call_send(struct world *w, unsigned rank);
void call_commit(struct world *w, unsigned rank);

/* calls_older.c */
void call_empty_board(struct world *w, unsigned rank);
void call_create_table(struct world *w, unsigned rank);
void call_destroy_table(struct world *w, unsigned rank);
void call_position(struct world *w, unsigned rank);
void call_chain(struct world *w, unsigned rank);

#endif /* FUZZ_CALLS_H */
