#include "observe/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct observe_slot *find_slot(const struct observe_map *map, const void *a, const void *b)
{
    uint64_t key = ((uintptr_t)a * 31 + (uintptr_t)b) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(key >> 32);

    for (;; at++) {
        struct observe_slot *slot = &map->slots[at & (map->room - 1)];

        if (slot->value == 0 || (slot->a == a && slot->b == b))
            return slot;
    }
}

static bool enlarge_map(struct observe_map *map)
{
    struct observe_map more = { .n = map->n, .room = map->room != 0 ? map->room * 2 : 256 };

    more.slots = calloc(more.room, sizeof(*more.slots));
    if (more.slots == NULL)
        return false;
    for (uint32_t i = 0; i < map->room; i++)
        if (map->slots[i].value != 0)
            *find_slot(&more, map->slots[i].a, map->slots[i].b) = map->slots[i];
    free(map->slots);
    *map = more;
    return true;
}

void observe_map_fini(struct observe_map *map)
{
    free(map->slots);
    *map = (struct observe_map){ 0 };
}

uint32_t *observe_map_at(struct observe_map *map, const void *a, const void *b)
{
    struct observe_slot *slot;

    if (map->n * 2 >= map->room && !enlarge_map(map))
        return NULL;
    slot = find_slot(map, a, b);
    if (slot->value == 0) {
        slot->a = a;
        slot->b = b;
        map->n++; /* its value follows; one that never does is found as free again */
    }
    return &slot->value;
}

void observe_table_fini(struct observe_table *table)
{
    observe_map_fini(&table->map);
    free(table->items);
}

void *observe_table_at(struct observe_table *table, const void *a, const void *b)
{
    uint32_t *number = observe_map_at(&table->map, a, b);

    if (number == NULL)
        return NULL;
    if (*number == 0) {
        if (!observe_grow(&table->items, table->n, &table->room, table->size))
            return NULL;
        memset((char *)table->items + table->n * table->size, 0, table->size);
        *number = ++table->n;
    }
    return (char *)table->items + (*number - 1) * table->size;
}

bool observe_grow(void *list_p, uint64_t n, uint32_t *room, size_t size)
{
    uint64_t more_room = *room * UINT64_C(2) + 64;
    void *list;

    if (n < *room)
        return true;
    memcpy(&list, list_p, sizeof(list)); /* a pointer of any type */
    list = more_room <= UINT32_MAX ? realloc(list, more_room * size) : NULL;
    if (list == NULL)
        return false;
    memcpy(list_p, &list, sizeof(list));
    *room = (uint32_t)more_room;
    return true;
}

char *observe_join(const char *a, const char *between, const char *b)
{
    size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = malloc(n);

    if (text != NULL)
        snprintf(text, n, "%s%s%s", a, between, b);
    return text;
}
