#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/load/nearest.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 64u /* longer words are neither compared nor suggested */

#define WRONG 10u /* a letter that is wrong, missing or too much */
#define BEGUN 3u  /* so many letters are the beginning of a name */

/** A digit for another one: 2.2 is nearer to 2.3 than 2.0 is. */
static unsigned mistake(char a, char b)
{
    if (isdigit((unsigned char)a) && isdigit((unsigned char)b))
        return (unsigned)(a > b ? a - b : b - a);
    return a != b ? WRONG : 0;
}

/** Levenshtein's distance, one row at a time. */
static unsigned distance_of(const char *a, const char *b)
{
    unsigned row[WORD_MAX + 1];
    size_t na = strlen(a), nb = strlen(b);

    for (size_t j = 0; j <= nb; j++)
        row[j] = WRONG * (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];

        row[0] = WRONG * (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = diagonal + mistake(a[i - 1], b[j - 1]);

            diagonal = row[j];
            if (row[j] + WRONG < best)
                best = row[j] + WRONG;
            if (row[j - 1] + WRONG < best)
                best = row[j - 1] + WRONG;
            row[j] = best;
        }
    }
    return row[nb];
}

/** Do the parts of `word` between dots stand in `path`, in order, with the last one as its last? */
static bool leaves_parts_out(const char *word, const char *path)
{
    char part[WORD_MAX + 1], piece[WORD_MAX + 1];

    for (;;) {
        size_t nw = strcspn(word, "."), np = strcspn(path, ".");
        bool end_word = word[nw] == '\0', end_path = path[np] == '\0';

        snprintf(part, sizeof(part), "%.*s", (int)nw, word);
        snprintf(piece, sizeof(piece), "%.*s", (int)np, path);
        if (end_path)
            return end_word && fnmatch(part, piece, 0) == 0;
        if (!end_word && fnmatch(part, piece, 0) == 0)
            word += nw + 1;
        path += np + 1;
    }
}

static bool begins(const char *word, const char *path)
{
    size_t n = strlen(word);

    return n >= BEGUN && strncmp(word, path, n) == 0;
}

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL ? dot + 1 : path;
}

static bool ends_alike(const char *word, const char *path)
{
    const char *part = last_part(word);

    return strlen(part) >= BEGUN && strcmp(part, last_part(path)) == 0;
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

void load_nearest_init(struct load_nearest *near, const char *word, bool keys)
{
    *near = (struct load_nearest){ .word = word, .distance = UINT_MAX, .keys = keys };
}

void load_nearest_node(struct load_nearest *near, unsigned nnodes)
{
    unsigned node;

    if (sscanf(near->word, "node%u", &node) != 1 || node < nnodes)
        return;
    snprintf(near->hint, sizeof(near->hint),
             nnodes > 1 ? ": expected node0 .. node%u" : ": expected node0", nnodes - 1);
    near->distance = 0; /* nothing is nearer */
    near->same_end = true;
}

void load_nearest_offer(struct load_nearest *near, const char *candidate)
{
    size_t na = strlen(near->word), nb = strlen(candidate);
    unsigned limit = WRONG * ((unsigned)na / 3 + 1), d; /* a third of the letters may be wrong */
    char meant[2 * WORD_MAX + 1];
    bool same_end, related;

    if (na > WORD_MAX || nb > WORD_MAX)
        return;
    same_end = near->keys && ends_alike(near->word, candidate);
    if (near->same_end && !same_end)
        return;
    related =
        begins(near->word, candidate) || (near->keys && leaves_parts_out(near->word, candidate));
    if (!related && WRONG * (na > nb ? na - nb : nb - na) > limit)
        return; /* each letter more is a wrong one */
    d = distance_of(near->word, candidate);
    if ((!related && d > limit) || (near->same_end == same_end && d >= near->distance))
        return;
    if (near->keys)
        load_nearest_spell(near->word, candidate, meant, sizeof(meant));
    else
        (void)snprintf(meant, sizeof(meant), "%s", candidate);
    snprintf(near->hint, sizeof(near->hint), ", did you mean %s?", meant);
    near->distance = d;
    near->same_end = same_end;
}
