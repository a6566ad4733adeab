/*
 * The older interface: puts at numbered positions of a table. Each position
 * holds a list of one put, so what a put may be is decided in one place; setting
 * a chain joins the positions that tcaDMAContinue links and makes that list the
 * channel's own. Later changes of the table show when the chain is set again.
 */
#include <stdlib.h>

#include "hosts/tca/internal.h"

#define INTERNAL 0 /* the number of the table that stands for the board's memory */

static void table_clear(struct tca_table *t)
{
    for (int i = 0; i < t->capacity && t->at != NULL; i++) {
        tcaDescFree(t->at[i]);
        t->at[i] = NULL;
    }
}

static void table_free(struct tca_table *t)
{
    table_clear(t);
    free((void *)t->at);
    *t = (struct tca_table){ NULL, 0 };
}

static bool table_make(struct tca_table *t, int capacity)
{
    tcaDesc **at = calloc((size_t)capacity, sizeof(tcaDesc *));

    if (at == NULL)
        return false;
    *t = (struct tca_table){ at, capacity };
    return true;
}

void tca_tables_free(struct tca_state *state)
{
    for (int i = 0; i < state->ntables; i++)
        table_free(&state->tables[i]);
    free(state->tables);
}

/* The first number that is free, from `first` on; the array grows when there is none. */
static int free_number(struct tca_state *state, int first)
{
    struct tca_table *more;
    int n = first;

    while (n < state->ntables && state->tables[n].at != NULL)
        n++;
    if (n < state->ntables)
        return n;
    more = realloc(state->tables, ((size_t)n + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    for (int i = state->ntables; i <= n; i++)
        more[i] = (struct tca_table){ NULL, 0 };
    state->tables = more;
    state->ntables = n + 1;
    return n;
}

static struct tca_table *table_of(const struct tca_self *self, int number)
{
    struct tca_state *state = tca_state_of(self->h);

    return number >= 0 && number < state->ntables && state->tables[number].at != NULL
               ? &state->tables[number]
               : NULL;
}

/* It is there from its first use on, whether tcaDMADescInt_Init() was called or not. */
static tcaresult internal_table(const struct tca_self *self, struct tca_table **table_p)
{
    struct tca_state *state = tca_state_of(self->h);

    if (table_of(self, INTERNAL) == NULL &&
        (free_number(state, INTERNAL) != INTERNAL ||
         !table_make(&state->tables[INTERNAL], TCA_TABLE_CAPACITY)))
        return TCA_ERROR_OUT_OF_MEMORY;
    *table_p = table_of(self, INTERNAL);
    return TCA_SUCCESS;
}

tcaresult tcaDMADescInt_Init(void)
{
    struct tca_self self;
    struct tca_table *t;
    tcaresult code = tca_enter(&self);

    if (code == TCA_SUCCESS)
        code = internal_table(&self, &t);
    if (code == TCA_SUCCESS)
        table_clear(t);
    return code;
}

tcaresult tcaCreateDMADesc(int *table, int capacity)
{
    struct tca_self self;
    tcaresult code = tca_enter(&self);
    int number;

    if (code != TCA_SUCCESS)
        return code;
    if (table == NULL || capacity < 1 || capacity > TCA_TABLE_CAPACITY)
        return TCA_ERROR_INVALID_VALUE;
    number = free_number(tca_state_of(self.h), INTERNAL + 1);
    if (number < 0 || !table_make(&tca_state_of(self.h)->tables[number], capacity))
        return TCA_ERROR_OUT_OF_MEMORY;
    *table = number;
    return TCA_SUCCESS;
}

tcaresult tcaDestroyDMADesc(int table)
{
    struct tca_self self;
    tcaresult code = tca_enter(&self);

    if (code != TCA_SUCCESS)
        return code;
    if (table == INTERNAL || table_of(&self, table) == NULL)
        return TCA_ERROR_INVALID_VALUE;
    table_free(table_of(&self, table));
    return TCA_SUCCESS;
}

/* `made` holds the put, or the call that should have put it there failed. */
static tcaresult place_put(struct tca_table *t, int pos, int *next_pos, tcaDesc *made,
                           tcaresult code)
{
    if (code != TCA_SUCCESS) {
        tcaDescFree(made);
        return code;
    }
    tcaDescFree(t->at[pos]);
    t->at[pos] = made;
    *next_pos = pos + 1;
    return TCA_SUCCESS;
}

static tcaresult set_2d(struct tca_table *t, int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                        size_t dst_pitch, tcaHandle *src, off_t src_off, size_t src_pitch,
                        size_t width, size_t count, int flags, int slot, int tag)
{
    tcaDesc *made;

    if (t == NULL || next_pos == NULL || pos < 0 || pos >= t->capacity)
        return TCA_ERROR_INVALID_VALUE;
    made = tcaDescNew();
    if (made == NULL)
        return TCA_ERROR_OUT_OF_MEMORY;
    return place_put(t, pos, next_pos, made,
                     tcaDescSetMemcpy2D(made, dst, dst_off, dst_pitch, src, src_off, src_pitch,
                                        width, count, flags, slot, tag));
}

tcaresult tcaSetDMADesc_Memcpy2D(int table, int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                 size_t dst_pitch, tcaHandle *src, off_t src_off, size_t src_pitch,
                                 size_t width, size_t count, int flags, int slot, int tag)
{
    struct tca_self self;
    tcaresult code = tca_enter(&self);

    if (code != TCA_SUCCESS)
        return code;
    if (table == INTERNAL)
        return TCA_ERROR_INVALID_VALUE;
    return set_2d(table_of(&self, table), pos, next_pos, dst, dst_off, dst_pitch, src, src_off,
                  src_pitch, width, count, flags & ~tcaDMAUseInternal, slot, tag);
}

tcaresult tcaSetDMADescInt_Memcpy2D(int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                    size_t dst_pitch, tcaHandle *src, off_t src_off,
                                    size_t src_pitch, size_t width, size_t count, int flags,
                                    int slot, int tag)
{
    struct tca_self self;
    struct tca_table *t = NULL;
    tcaresult code = tca_enter(&self);

    if (code == TCA_SUCCESS)
        code = internal_table(&self, &t);
    if (code != TCA_SUCCESS)
        return code;
    return set_2d(t, pos, next_pos, dst, dst_off, dst_pitch, src, src_off, src_pitch, width, count,
                  flags | tcaDMAUseInternal, slot, tag);
}

tcaresult tcaSetDMADescInt_Memcpy(int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                  tcaHandle *src, off_t src_off, size_t n, int flags, int slot,
                                  int tag)
{
    return tcaSetDMADescInt_Memcpy2D(pos, next_pos, dst, dst_off, n, src, src_off, n, n, 1, flags,
                                     slot, tag);
}

static tcaresult set_chain(const struct tca_table *t, int ch, int pos)
{
    tcaDesc *chain = tcaDescNew();
    tcaresult code = chain != NULL ? TCA_SUCCESS : TCA_ERROR_OUT_OF_MEMORY;
    bool more = true;

    for (; code == TCA_SUCCESS && more; pos++) {
        if (pos < 0 || pos >= t->capacity || t->at[pos] == NULL) {
            code = TCA_ERROR_INVALID_VALUE; /* it would lead to where nothing was set */
            break;
        }
        more = (tca_desc_flags(t->at[pos]) & tcaDMAContinue) != 0;
        code = tca_desc_join(chain, t->at[pos]);
    }
    if (code == TCA_SUCCESS)
        code = tcaDescSet(chain, ch);
    tcaDescFree(chain);
    return code;
}

tcaresult tcaSetDMAChain(int ch, int table)
{
    struct tca_self self;
    tcaresult code = tca_enter(&self);

    if (code != TCA_SUCCESS)
        return code;
    if (table == INTERNAL || table_of(&self, table) == NULL)
        return TCA_ERROR_INVALID_VALUE;
    return set_chain(table_of(&self, table), ch, 0);
}

tcaresult tcaSetDMAChainInt(int ch, int first_pos)
{
    struct tca_self self;
    struct tca_table *t;
    tcaresult code = tca_enter(&self);

    if (code == TCA_SUCCESS)
        code = internal_table(&self, &t);
    return code == TCA_SUCCESS ? set_chain(t, ch, first_pos) : code;
}
