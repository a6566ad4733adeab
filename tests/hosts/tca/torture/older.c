#include "torture.h"

enum { CAPACITY = 1024 }; /* entries of a table: the only number that programs use */

static void append(struct torture *t, struct older *o, const struct put *p, int flags, int *pos_p)
{
    tcaHandle dst = *memory_handle(t, p->dst, p->to), src = *memory_handle(t, t->me, p->from);
    off_t dst_off = (off_t)p->dst_off, src_off = (off_t)p->src_off;
    int tag = plan_tag(t, p->tag);

    if (t->plan.family == FAMILY_TABLE)
        TCA(t,
            tcaSetDMADesc_Memcpy2D(o->table, *pos_p, pos_p, &dst, dst_off, p->dst_pitch, &src,
                                   src_off, p->src_pitch, p->width, p->count, flags, p->slot, tag));
    else if (p->rows)
        TCA(t, tcaSetDMADescInt_Memcpy2D(*pos_p, pos_p, &dst, dst_off, p->dst_pitch, &src, src_off,
                                         p->src_pitch, p->width, p->count, flags, p->slot, tag));
    else
        TCA(t, tcaSetDMADescInt_Memcpy(*pos_p, pos_p, &dst, dst_off, &src, src_off, p->width, flags,
                                       p->slot, tag));
}

static void make(struct torture *t, struct older *o, int channel, const struct list *list,
                 int *next_p)
{
    int position = 0, *pos = t->plan.family == FAMILY_TABLE ? &position : next_p;

    doing(t, "making an older list for channel %d", channel);
    if (t->plan.family == FAMILY_TABLE)
        TCA(t, tcaCreateDMADesc(&o->table, CAPACITY));
    else if (*next_p == 0)
        TCA(t, tcaDMADescInt_Init());
    o->first = *pos;
    o->made = true;
    for (int i = 0; i < list->n; i++) {
        doing(t, "put %d of an older list for channel %d at %d", i, channel, *pos);
        append(t, o, &list->put[i], list->put[i].flags | (i + 1 < list->n ? tcaDMAContinue : 0),
               pos);
    }
}

void older_set(struct torture *t, struct older *o, int channel, const struct list *list,
               int *next_p)
{
    if (!o->made)
        make(t, o, channel, list, next_p);
    doing(t, "setting an older list on channel %d", channel);
    if (t->plan.family == FAMILY_TABLE)
        TCA(t, tcaSetDMAChain(channel, o->table));
    else
        TCA(t, tcaSetDMAChainInt(channel, o->first));
}

void older_free(struct torture *t, struct older *o)
{
    if (o->made && t->plan.family == FAMILY_TABLE)
        TCA(t, tcaDestroyDMADesc(o->table));
}
