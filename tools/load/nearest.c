#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/load/nearest.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 64u /* longer words are neither compared nor suggested */

/** Levenshtein's distance, one row at a time. */
static unsigned distance_of(const char *a, const char *b)
{
    unsigned row[WORD_MAX + 1];
    size_t na = strlen(a), nb = strlen(b);

    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

void load_nearest_spell(const char *word, const char *path, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (bool end = false; !end && used < size;) {
        int nw = (int)strcspn(word, "."), np = (int)strcspn(path, ".");
        char pattern[WORD_MAX + 1], piece[WORD_MAX + 1];
        bool matches;

        snprintf(pattern, sizeof(pattern), "%.*s", nw, word);
        snprintf(piece, sizeof(piece), "%.*s", np, path);
        matches = nw > 0 && fnmatch(pattern, piece, 0) == 0;
        end = path[np] == '\0';
        used += (size_t)snprintf(text + used, size - used, "%s%s", matches ? pattern : piece,
                                 end ? "" : ".");
        word += nw + (word[nw] != '\0');
        path += np + 1;
    }
}

void load_nearest_init(struct load_nearest *near, const char *word)
{
    near->word = word;
    near->hint[0] = '\0';
    near->distance = (unsigned)strlen(word) / 3 + 1; /* a third of the letters may be wrong */
}

void load_nearest_node(struct load_nearest *near, unsigned nnodes)
{
    unsigned node;

    if (sscanf(near->word, "node%u", &node) != 1 || node < nnodes)
        return;
    snprintf(near->hint, sizeof(near->hint),
             nnodes > 1 ? ": expected node0 .. node%u" : ": expected node0", nnodes - 1);
    near->distance = 0; /* nothing is nearer */
}

void load_nearest_offer(struct load_nearest *near, const char *candidate)
{
    size_t na = strlen(near->word), nb = strlen(candidate);
    char meant[2 * WORD_MAX + 1];
    unsigned d;

    if (na > WORD_MAX || nb > WORD_MAX)
        return;
    if ((na > nb ? na - nb : nb - na) > near->distance) /* each letter more is a wrong one */
        return;
    d = distance_of(near->word, candidate);
    if (d > near->distance || (d == near->distance && near->hint[0] != '\0'))
        return;
    load_nearest_spell(near->word, candidate, meant, sizeof(meant));
    snprintf(near->hint, sizeof(near->hint), ", did you mean %s?", meant);
    near->distance = d;
}
