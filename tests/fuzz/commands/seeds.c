#define _POSIX_C_SOURCE 200809L /* scandir */
#include "seeds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 60u /* keys, names and patterns are shorter */

const char *seeds_read(struct load_arena *arena, const char *path, size_t *n_p)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    long n;

    if (f == NULL)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        bytes = load_alloc(arena, (size_t)n + 1);
        *n_p = fread(bytes, 1, (size_t)n, f);
    }
    (void)fclose(f);
    return bytes;
}

static void *grow(void *items, size_t n, size_t size)
{
    if ((n & (n - 1)) == 0) /* full at each power of two */
        items = realloc(items, (n == 0 ? 1 : 2 * n) * size);
    if (items == NULL)
        abort();
    return items;
}

static void add_word(struct seeds *seeds, const char *text, size_t n)
{
    seeds->words = grow(seeds->words, seeds->nwords, sizeof(*seeds->words));
    seeds->words[seeds->nwords++] = load_text(&seeds->arena, "%.*s", (int)n, text);
}

/** What stands between blanks and the signs of YAML and CSV. */
static void add_words(struct seeds *seeds, const char *text)
{
    static const char between[] = " \n\t\"'{}[]:,;=#()";

    while (*text != '\0') {
        size_t n = strcspn(text, between);

        if (n > 0 && n <= WORD_MAX)
            add_word(seeds, text, n);
        text += n + (text[n] != '\0');
    }
}

static void add_file(struct seeds *seeds, const char *root, const char *folder, const char *name)
{
    struct seed_file file = { folder, load_text(&seeds->arena, "%s", name), NULL, 0 };

    file.bytes = seeds_read(&seeds->arena, load_text(&seeds->arena, "%s/%s/%s", root, folder, name),
                            &file.n);
    if (file.bytes == NULL)
        return;
    seeds->files = grow(seeds->files, seeds->nfiles, sizeof(*seeds->files));
    seeds->files[seeds->nfiles++] = file;
    if (strstr(name, ".yaml") != NULL || strstr(name, ".csv") != NULL)
        add_words(seeds, file.bytes);
}

void seeds_add_folder(struct seeds *seeds, const char *root, const char *folder)
{
    const char *path = load_text(&seeds->arena, "%s/%s", root, folder);
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.')
            add_file(seeds, root, folder, names[i]->d_name);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

/** "key,value,unit,range,...": a range is "1 .. 16", or "uc|wc" for choices. */
static void add_param(struct seeds *seeds, const char *line, bool ethernet)
{
    const char *comma[3], *at = line;
    struct seed_param param = { .ethernet = ethernet };
    char *end;
    size_t length;

    for (unsigned i = 0; i < 3; i++, at++)
        if ((at = comma[i] = strchr(at, ',')) == NULL)
            return;
    length = strcspn(at, ",\n");
    param.key = load_text(&seeds->arena, "%.*s", (int)(comma[0] - line), line);
    param.min = strtoull(at, &end, 10);
    if (end > at && strncmp(end, " .. ", 4) == 0)
        param.max = strtoull(end + 4, NULL, 10);
    else
        param.choices = load_text(&seeds->arena, "%.*s", (int)length, at);
    seeds->params = grow(seeds->params, seeds->nparams, sizeof(*seeds->params));
    seeds->params[seeds->nparams++] = param;
}

void seeds_add_params(struct seeds *seeds, const char *csv, bool ethernet)
{
    const char *line = strchr(csv, '\n');

    while (line != NULL && line[1] != '\0') {
        if (strncmp(line + 1, "node", 4) != 0 || strncmp(line + 1, "node0", 5) == 0)
            add_param(seeds, line + 1, ethernet);
        line = strchr(line + 1, '\n');
    }
}

const struct seed_file *seeds_find(const struct seeds *seeds, const char *folder, const char *name)
{
    for (size_t i = 0; i < seeds->nfiles; i++)
        if (strcmp(seeds->files[i].folder, folder) == 0 && strcmp(seeds->files[i].name, name) == 0)
            return &seeds->files[i];
    return NULL;
}

const struct seed_file *seeds_pick(const struct seeds *seeds, struct dice *dice, const char *folder)
{
    size_t n = 0, wanted;

    for (size_t i = 0; i < seeds->nfiles; i++)
        n += strcmp(seeds->files[i].folder, folder) == 0;
    wanted = dice_below(dice, n);
    for (size_t i = 0; i < seeds->nfiles; i++)
        if (strcmp(seeds->files[i].folder, folder) == 0 && wanted-- == 0)
            return &seeds->files[i];
    return NULL;
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return m > 0 && m <= n && strcmp(text + n - m, end) == 0;
}

const struct seed_param *seeds_param(const struct seeds *seeds, struct dice *dice, const char *key)
{
    size_t start = dice_below(dice, seeds->nparams);

    for (size_t i = 0; i < seeds->nparams; i++) {
        const struct seed_param *param = &seeds->params[(start + i) % seeds->nparams];

        if (key == NULL || ends_in(param->key, key))
            return param;
    }
    return NULL;
}

void seeds_fini(struct seeds *seeds)
{
    free(seeds->files);
    free(seeds->words);
    free(seeds->params);
    load_arena_fini(&seeds->arena);
}
