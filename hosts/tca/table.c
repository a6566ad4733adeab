/*
 * The older interface: puts at numbered positions of a table. Each position
 * holds a list of one put, so what a put may be is decided in one place; setting
 * a chain joins the positions that tcaDMAContinue links and makes that list the
 * channel's own. Later changes of the table show when the chain is set again.
 */
#include <limits.h>
#include <stdlib.h>

#include "hosts/tca/internal.h"

static void clear_table(const struct tca_table *t)
{
    for (int i = 0; i < t->capacity && t->at != NULL; i++) {
        free(t->at[i].puts);
        t->at[i] = (tcaDesc){ 0 };
    }
}

static void free_table(struct tca_table *t)
{
    clear_table(t);
    free(t->at);
    t->at = NULL;
}

int tca_table_make(struct tca_rank *self, int capacity)
{
    int n = 0;

    while (n < self->ntables && self->tables[n].at != NULL)
        n++;
    if (n == self->ntables) {
        struct tca_table *more = realloc(self->tables, ((size_t)n + 1) * sizeof(*more));

        if (more == NULL)
            return -1;
        self->tables = more;
        self->ntables++;
    }
    self->tables[n] = (struct tca_table){ calloc((size_t)capacity, sizeof(tcaDesc)), capacity };
    return self->tables[n].at != NULL ? n : -1;
}

void tca_tables_free(struct tca_rank *self)
{
    for (int i = 0; i < self->ntables; i++)
        free_table(&self->tables[i]);
    free(self->tables);
}

/** NULL: no such table, or no rank. */
static struct tca_table *table_of(const struct tca_rank *self, int number)
{
    return self != NULL && number >= 0 && number < self->ntables && self->tables[number].at != NULL
               ? &self->tables[number]
               : NULL;
}

static tcaresult no_table(const char *call, const struct tca_rank *self, int number)
{
    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    return tca_refuse(call, TCA_ERROR_INVALID_VALUE,
                      "table = %d: expected one of tcaCreateDMADesc() that was not destroyed",
                      number == INT_MIN ? TCA_TABLE_INTERNAL : number);
}

/** For calls that have another name for the internal table: no table has this number. */
static int in_host(int table)
{
    return table == TCA_TABLE_INTERNAL ? INT_MIN : table;
}

tcaresult tcaDMADescInt_Init(void)
{
    struct tca_rank *self = tca_enter(__func__);

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    clear_table(&self->tables[TCA_TABLE_INTERNAL]);
    return TCA_SUCCESS;
}

tcaresult tcaCreateDMADesc(int *table, int capacity)
{
    struct tca_rank *self = tca_enter(__func__);
    int number;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (table == NULL)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE, "table = NULL: expected an int");
    if (capacity < 1 || capacity > TCA_TABLE_CAPACITY)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE, "capacity = %d: expected 1 .. %d",
                          capacity, TCA_TABLE_CAPACITY);
    number = tca_table_make(self, capacity);
    if (number < 0)
        return tca_refuse(__func__, TCA_ERROR_OUT_OF_MEMORY, "out of memory");
    *table = number;
    return TCA_SUCCESS;
}

tcaresult tcaDestroyDMADesc(int table)
{
    struct tca_rank *self = tca_enter(__func__);
    struct tca_table *t = table_of(self, in_host(table));

    if (t == NULL)
        return no_table(__func__, self, in_host(table));
    free_table(t);
    return TCA_SUCCESS;
}

/** NULL: there is none, and the call is refused. */
static tcaDesc *place_of(const char *call, const struct tca_rank *self, int table, int pos,
                         const int *next_pos)
{
    struct tca_table *t = table_of(self, table);

    if (t == NULL)
        (void)no_table(call, self, table);
    else if (next_pos == NULL)
        (void)tca_refuse(call, TCA_ERROR_INVALID_VALUE, "next_pos = NULL: expected an int");
    else if (pos < 0 || pos >= t->capacity)
        (void)tca_refuse(call, TCA_ERROR_INVALID_VALUE, "pos = %d: expected 0 .. %d", pos,
                         t->capacity - 1);
    else
        return &t->at[pos];
    return NULL;
}

static tcaresult place_put(int table, int pos, int *next_pos, const struct tca_ask *ask)
{
    struct tca_rank *self = tca_enter(ask->call);
    tcaDesc *place, made = { 0 };
    tcaresult code;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    place = place_of(ask->call, self, table, pos, next_pos);
    if (place == NULL)
        return TCA_ERROR_INVALID_VALUE;
    code = tca_set_put(&made, ask);
    if (code != TCA_SUCCESS)
        return code;
    free(place->puts);
    *place = made;
    *next_pos = pos + 1;
    return TCA_SUCCESS;
}

tcaresult tcaSetDMADesc_Memcpy2D(int table, int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                 size_t dst_pitch, tcaHandle *src, off_t src_off, size_t src_pitch,
                                 size_t width, size_t count, int flags, int slot, int tag)
{
    const struct tca_ask ask = { __func__, dst,       src,       dst_off,
                                 src_off,  dst_pitch, src_pitch, width,
                                 count,    true,      true,      flags & ~tcaDMAUseInternal,
                                 slot,     tag };

    return place_put(in_host(table), pos, next_pos, &ask);
}

tcaresult tcaSetDMADescInt_Memcpy2D(int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                    size_t dst_pitch, tcaHandle *src, off_t src_off,
                                    size_t src_pitch, size_t width, size_t count, int flags,
                                    int slot, int tag)
{
    const struct tca_ask ask = { __func__, dst,       src,       dst_off,
                                 src_off,  dst_pitch, src_pitch, width,
                                 count,    true,      true,      flags | tcaDMAUseInternal,
                                 slot,     tag };

    return place_put(TCA_TABLE_INTERNAL, pos, next_pos, &ask);
}

tcaresult tcaSetDMADescInt_Memcpy(int pos, int *next_pos, tcaHandle *dst, off_t dst_off,
                                  tcaHandle *src, off_t src_off, size_t n, int flags, int slot,
                                  int tag)
{
    const struct tca_ask ask = { __func__, dst, src, dst_off, src_off, n,
                                 n,        n,   1,   false,   true,    flags | tcaDMAUseInternal,
                                 slot,     tag };

    return place_put(TCA_TABLE_INTERNAL, pos, next_pos, &ask);
}

static tcaresult set_chain(struct host_place place, int table, int ch, int pos)
{
    const char *call = place.call;
    struct tca_rank *self = tca_enter(call);
    const struct tca_table *t = table_of(self, table);
    tcaDesc chain = { 0 };
    tcaresult code = t != NULL ? TCA_SUCCESS : no_table(call, self, table);
    bool more = true;

    for (; code == TCA_SUCCESS && more; pos++) {
        if (pos < 0 || pos >= t->capacity || t->at[pos].n == 0) {
            code = tca_refuse(call, TCA_ERROR_INVALID_VALUE,
                              "position %d: nothing was set there, and the chain leads to it", pos);
            break;
        }
        more = (t->at[pos].puts->flags & tcaDMAContinue) != 0;
        code = tca_append_put(&chain, t->at[pos].puts);
    }
    if (code == TCA_SUCCESS)
        code = tca_set_chain(tca_enter(call), place, &chain, ch);
    free(chain.puts);
    return code;
}

tcaresult tcaSetDMAChain(int ch, int table)
{
    return set_chain(HOST_PLACE_OF_CALLER(), in_host(table), ch, 0);
}

tcaresult tcaSetDMAChainInt(int ch, int first_pos)
{
    return set_chain(HOST_PLACE_OF_CALLER(), TCA_TABLE_INTERNAL, ch, first_pos);
}
