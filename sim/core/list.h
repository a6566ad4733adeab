/*
 * Lists, first in, first out. An element begins with its link, so that a pointer to the one is a
 * pointer to the other; who keeps elements of one type in a list says so beside it.
 */
#ifndef SIM_CORE_LIST_H
#define SIM_CORE_LIST_H

#include "core/sim.h"

#include <stdlib.h>

SIM_BEGIN_DECLS

struct sim_link {
    struct sim_link *next;
};

struct sim_list {
    void *head; /* the first element; NULL: there is none */
    struct sim_link *tail;
};

static inline void sim_list_push(struct sim_list *list, struct sim_link *element)
{
    element->next = NULL;
    if (list->head != NULL)
        list->tail->next = element;
    else
        list->head = element;
    list->tail = element;
}

/** What is pushed so is the next one to be popped. */
static inline void sim_list_push_first(struct sim_list *list, struct sim_link *element)
{
    if (list->head == NULL)
        list->tail = element;
    element->next = (struct sim_link *)list->head;
    list->head = element;
}

/** The first element, taken out; NULL: there is none. */
static inline void *sim_list_pop(struct sim_list *list)
{
    struct sim_link *element = (struct sim_link *)list->head;

    if (element != NULL)
        list->head = element->next;
    return element;
}

/** Frees all elements. */
static inline void sim_list_free(struct sim_list *list)
{
    void *element;

    while ((element = sim_list_pop(list)) != NULL)
        free(element);
}

SIM_END_DECLS
#endif /* SIM_CORE_LIST_H */
