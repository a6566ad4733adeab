#include "mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const odd[] = {
    "",
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "63",
    "64",
    "65",
    "255",
    "256",
    "257",
    "1023",
    "1025",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e300",
    "-1e-300",
    "nan",
    "inf",
    "0x10",
    "0x",
    "1_000",
    "_",
    "0.5",
    "512GiB",
    "16777216TiB",
    "16EiB",
    "1us",
    "1e-18",
    "1000s",
    "99999999999s",
    "8..",
    "..8",
    "8..4",
    "0..8",
    "1..9 by 0",
    "1..7 by 2",
    "8..18446744073709551615",
    "1..1000000000 by 1",
    "1|2|4",
    "|",
    "||",
    ",",
    ",,0",
    "=",
    "@",
    "*",
    "node*",
    "node*.*.*",
    "[",
    "[a-",
    "?*?*?*?*",
    "{",
    "{}",
    "[]",
    "~",
    "true",
    "on",
    "off",
    ".",
    "..",
    "../machines/ring4.yaml",
    "machines",
    "nosuch",
    "a/b/c",
    " ",
    "%s%n%d",
    "$(x)",
    "`",
    "\\",
    "\xff\xfe",
    "\xc3\xa9",
    "\xe2\x80\xae",
    "\x1b[31m",
    "a\nb",
    "\t",
    "-",
    "--",
    "node0.hub.e",
    "node0.hub",
    "node0",
    "node1.hub.w",
    "node99.hub.e",
    "node4294967296.hub.e",
    "node-1.hub.e",
    "node0.host.p0",
    "node0..e",
    "node0.",
    ".hub.e",
    "hub.c",
    "host",
    "gpu",
};

static const char *repeated(const struct mutator *m)
{
    static const char *const parts[] = { "a",  "9", "0",    "a.", "*",
                                         "1|", "[", "{a: ", "- ", "\xc3\xa9" };
    const char *part = parts[dice_below(m->dice, sizeof(parts) / sizeof(parts[0]))];
    size_t n = strlen(part), length = n << dice_below(m->dice, 14);
    char *text = load_alloc(m->arena, length + 1);

    for (size_t i = 0; i < length; i++)
        text[i] = part[i % n];
    text[length] = '\0';
    return text;
}

const char *mutate_word(const struct mutator *m)
{
    const struct seeds *s = m->seeds;

    switch (dice_below(m->dice, 10)) {
    case 0:
        return repeated(m);
    case 1:
        return load_text(m->arena, "%" PRIu64, dice_next(m->dice) >> dice_below(m->dice, 64));
    case 2:
        return load_text(m->arena, "%s%s", s->words[dice_below(m->dice, s->nwords)],
                         odd[dice_below(m->dice, sizeof(odd) / sizeof(odd[0]))]);
    case 3:
    case 4:
    case 5:
        return s->words[dice_below(m->dice, s->nwords)];
    default:
        return odd[dice_below(m->dice, sizeof(odd) / sizeof(odd[0]))];
    }
}

/** One of the words between bars. */
static const char *choose(const struct mutator *m, const char *words)
{
    size_t n = 1, wanted;

    for (const char *at = words; (at = strchr(at, '|')) != NULL; at++)
        n++;
    for (wanted = dice_below(m->dice, n); wanted > 0; wanted--)
        words = strchr(words, '|') + 1;
    return load_text(m->arena, "%.*s", (int)strcspn(words, "|"), words);
}

static uint64_t within(const struct mutator *m, uint64_t min, uint64_t max)
{
    uint64_t any = dice_next(m->dice) >> dice_below(m->dice, 64);

    switch (dice_below(m->dice, 7)) {
    case 0:
    case 1:
        return min;
    case 2:
    case 3:
        return max;
    case 4:
        return min + (max > min);
    case 5:
        return max - (max > min);
    default:
        return any < min ? min : any > max ? max : any;
    }
}

const char *mutate_param_value(const struct mutator *m, const struct seed_param *param)
{
    if (!m->polite && dice_one_in(m->dice, 10))
        return mutate_word(m);
    if (param->choices != NULL)
        return choose(m, param->choices);
    if (!m->polite && dice_one_in(m->dice, 20))
        return load_text(m->arena, "%" PRIu64,
                         dice_one_in(m->dice, 2) ? param->max + 1 : param->min - 1);
    return load_text(m->arena, "%" PRIu64, within(m, param->min, param->max));
}

const char *mutate_set(const struct mutator *m)
{
    const struct seed_param *param;
    const char *key, *value;

    do
        param = seeds_param(m->seeds, m->dice, NULL);
    while (m->polite && param->ethernet != m->ethernet);
    key = param->key;
    value = mutate_param_value(m, param);

    if (strncmp(key, "node0", 5) == 0 && !dice_one_in(m->dice, 4))
        key = load_text(m->arena, "node*%s", key + 5);
    if (!m->polite && dice_one_in(m->dice, 15))
        key = mutate_word(m);
    return load_text(m->arena, "%s%s%s", key, !m->polite && dice_one_in(m->dice, 50) ? "" : "=",
                     value);
}
