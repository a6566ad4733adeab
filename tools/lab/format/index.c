#include "tools/lab/format/index.h"

#include <string.h>

/** Its slot, or the free one where it would stand. */
static uint32_t *find_slot(const struct lab_index *index, const char *text)
{
    unsigned mask = index->nslots - 1;
    unsigned at = (unsigned)sim_hash_bytes(0, text, strlen(text)) & mask;

    while (index->slots[at] != 0 && strcmp(index->texts[index->slots[at] - 1], text) != 0)
        at = (at + 1) & mask;
    return &index->slots[at];
}

/** Twice as many slots as texts at least, so that searches are short. */
static void grow_index(struct lab_index *index, struct load_arena *arena)
{
    const char **texts;

    index->room = index->room * 2 + 64;
    texts = load_alloc(arena, index->room * sizeof(*texts));
    if (index->n > 0)
        memcpy(texts, index->texts, index->n * sizeof(*texts));
    index->texts = texts;
    index->nslots = 128;
    while (index->nslots < 2 * index->room)
        index->nslots *= 2;
    index->slots = load_alloc(arena, index->nslots * sizeof(*index->slots));
    for (unsigned i = 0; i < index->n; i++)
        *find_slot(index, texts[i]) = i + 1;
}

unsigned lab_index_put(struct lab_index *index, const char *text, struct load_arena *arena)
{
    uint32_t *slot;

    if (index->n == index->room)
        grow_index(index, arena);
    slot = find_slot(index, text);
    if (*slot == 0) {
        index->texts[index->n++] = text;
        *slot = index->n;
    }
    return *slot - 1;
}

unsigned lab_index_get(const struct lab_index *index, const char *text)
{
    const uint32_t *slot = index->n > 0 ? find_slot(index, text) : NULL;

    return slot != NULL && *slot != 0 ? *slot - 1 : LAB_INDEX_NONE;
}
