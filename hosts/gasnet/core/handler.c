/* Handlers of the program, which have as many parameters as the message has arguments. */
#include "hosts/gasnet/core/deliver.h"

typedef gasnet_handlerarg_t arg;

/* The types of parameters behind the first ones, and their values. */
#define TYPES0
#define TYPES1  , arg
#define TYPES2  TYPES1, arg
#define TYPES3  TYPES2, arg
#define TYPES4  TYPES3, arg
#define TYPES5  TYPES4, arg
#define TYPES6  TYPES5, arg
#define TYPES7  TYPES6, arg
#define TYPES8  TYPES7, arg
#define TYPES9  TYPES8, arg
#define TYPES10 TYPES9, arg
#define TYPES11 TYPES10, arg
#define TYPES12 TYPES11, arg
#define TYPES13 TYPES12, arg
#define TYPES14 TYPES13, arg
#define TYPES15 TYPES14, arg
#define TYPES16 TYPES15, arg
#define VALUES0
#define VALUES1  , a[0]
#define VALUES2  VALUES1, a[1]
#define VALUES3  VALUES2, a[2]
#define VALUES4  VALUES3, a[3]
#define VALUES5  VALUES4, a[4]
#define VALUES6  VALUES5, a[5]
#define VALUES7  VALUES6, a[6]
#define VALUES8  VALUES7, a[7]
#define VALUES9  VALUES8, a[8]
#define VALUES10 VALUES9, a[9]
#define VALUES11 VALUES10, a[10]
#define VALUES12 VALUES11, a[11]
#define VALUES13 VALUES12, a[12]
#define VALUES14 VALUES13, a[13]
#define VALUES15 VALUES14, a[14]
#define VALUES16 VALUES15, a[15]

static void call_short(gasneti_handler_fn fn, gasnet_token_t token, unsigned nargs, const arg *a)
{
#define CASE(M)                                                                                    \
    case M:                                                                                        \
        ((void (*)(gasnet_token_t TYPES##M))fn)(token VALUES##M);                                  \
        break;
    switch (nargs) {
        GASNETI_COUNTS(CASE)
    }
#undef CASE
}

static void call_data(gasneti_handler_fn fn, gasnet_token_t token, void *data, size_t bytes,
                      unsigned nargs, const arg *a)
{
#define CASE(M)                                                                                    \
    case M:                                                                                        \
        ((void (*)(gasnet_token_t, void *, size_t TYPES##M))fn)(token, data, bytes VALUES##M);     \
        break;
    switch (nargs) {
        GASNETI_COUNTS(CASE)
    }
#undef CASE
}

void gasnet_call_handler(struct gasnet_rank *gr, struct gasneti_token *token,
                         const struct gasnet_head *head, void *data)
{
    gasneti_handler_fn fn = gr->handlers[head->handler];
    gasnet_hsl_t *hsls = gr->hsls;
    bool library = gasnet_program_begin(gr);

    if (head->category == GASNET_SHORT)
        call_short(fn, token, head->nargs, head->args);
    else
        call_data(fn, token, data, head->bytes, head->nargs, head->args);
    gasnet_program_end(gr, library);
    if (gr->hsls != hsls)
        gasnet_fail(gr, "handler %u has ended with HSL %u locked", head->handler, gr->hsls->number);
}
