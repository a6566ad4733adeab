/* Checks of a program that uses GASNet's tools, in C and in C++. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int checks, failures;

static void check(int good, const char *what, const char *file, int line)
{
    checks++;
    if (good)
        return;
    failures++;
    printf("%s:%d: %s\n", file, line, what);
}
#define CHECK(condition) check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)

#endif /* CHECK_H */
