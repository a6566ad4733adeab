/* Packets of an adapter, kept to be used again. */
#include "ib/internal.h"

#include <stdlib.h>
#include <string.h>

struct ib_packet *ib_packet_get(struct ib_hca *hca)
{
    struct ib_packet *p = hca->free_packets;

    if (p != NULL)
        hca->free_packets = p->next;
    else
        p = malloc(sizeof(*p));
    SIM_ASSERT(p != NULL);
    memset(p, 0, offsetof(struct ib_packet, data));
    return p;
}

void ib_packet_put(struct ib_hca *hca, struct ib_packet *p)
{
    p->next = hca->free_packets;
    hca->free_packets = p;
}

void ib_packets_push(struct ib_packets *list, struct ib_packet *p)
{
    p->next = NULL;
    if (list->tail != NULL)
        list->tail->next = p;
    else
        list->head = p;
    list->tail = p;
    list->n++;
}

struct ib_packet *ib_packets_pop(struct ib_packets *list)
{
    struct ib_packet *p = list->head;

    list->head = p->next;
    if (list->head == NULL)
        list->tail = NULL;
    list->n--;
    return p;
}

void ib_packets_free(struct ib_packet *p)
{
    while (p != NULL) {
        struct ib_packet *next = p->next;

        free(p);
        p = next;
    }
}
