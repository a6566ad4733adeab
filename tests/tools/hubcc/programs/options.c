/* What getopt() and its relatives make of many lines of arguments; the same natively. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int flag;
static void all(int argc, char **argv, const char *o, int how)
{
    static const struct option names[] = { { "size", 1, 0, 's' },   { "verbose", 0, &flag, 5 },
                                           { "verify", 0, 0, 'V' }, { "opt", 2, 0, 'o' },
                                           { "x", 0, 0, 'X' },      { 0 } };
    int c, idx = -1;
    optind = 0;
    opterr = 0;
    while ((c = how == 0   ? getopt(argc, argv, o)
                : how == 1 ? getopt_long(argc, argv, o, names, &idx)
                           : getopt_long_only(argc, argv, o, names, &idx)) != -1)
        printf("%d(%s,%d,%d) ", c, optarg ? optarg : "-", c == '?' ? optopt : 0, idx);
    printf("| %d:", optind);
    for (int i = optind; i < argc; i++)
        printf(" %s", argv[i]);
    printf("\n");
}
int main(void)
{
    static const char *const sets[] = {
        "p -a -b 3 x -c y",
        "p x -ab3 -- -c",
        "p x y",
        "p -z -b",
        "p --size 5 file --verb --verbose -s6 --opt --opt=7 --ver --size",
        "p --size=9 -abc -- q",
        "p -size 3 -x -a -verify",
        "p - -a",
        "p --nope -b"
    };
    static const char *const os[] = { "ab:c", "+ab:cs:", "-ab:cs:", ":ab:c::s:" };
    for (int how = 0; how < 3; how++)
        for (unsigned i = 0; i < 4; i++)
            for (unsigned s = 0; s < sizeof sets / sizeof *sets; s++) {
                char *argv[32], *text = strdup(sets[s]);
                int argc = 0;
                for (char *t = strtok(text, " "); t; t = strtok(NULL, " "))
                    argv[argc++] = t;
                argv[argc] = NULL;
                printf("%d %s [%s]: ", how, os[i], sets[s]);
                all(argc, argv, os[i], how);
            }
    return 0;
}
