/* Ends badly, in the way its argument says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int deep(int n)
{
    volatile char frame[4096];

    frame[n % 4096] = (char)n;
    return n == 0 ? frame[0] : deep(n + 1) + frame[n % 4096];
}

/* Arrays of more than the stack. */
static int use_array(void)
{
    volatile long array[10 << 20];

    array[0] = 1;
    return (int)array[0];
}

static int use_larger_array(void)
{
    volatile long array[200 << 20];

    array[0] = 1;
    return (int)array[0];
}

static int call_below_array(void)
{
    volatile long array[10 << 20];

    array[(10 << 20) - 1] = 1;
    puts("not to be seen");
    return (int)array[(10 << 20) - 1];
}

/* NOLINTBEGIN(clang-analyzer-core.DivideZero,clang-analyzer-core.NullDereference,clang-analyzer-core.NonNullParamChecker):
 * on purpose */
int main(int argc, char **argv)
{
    volatile int zero = 0;
    const char *how = argc > 1 ? argv[1] : "";

    puts("begun");
    if (strcmp(how, "null") == 0)
        *(volatile int *)(size_t)zero = 1;
    if (strcmp(how, "library") == 0)
        return (int)strlen((const char *)(size_t)zero);
    if (strcmp(how, "stack") == 0)
        return deep(1);
    if (strcmp(how, "array") == 0)
        return use_array();
    if (strcmp(how, "larger array") == 0)
        return use_larger_array();
    if (strcmp(how, "below array") == 0)
        return call_below_array();
    if (strcmp(how, "divide") == 0)
        return argc * 1000 / zero;
    if (strcmp(how, "abort") == 0)
        abort();
    return 0;
}
/* NOLINTEND(clang-analyzer-core.DivideZero,clang-analyzer-core.NullDereference,clang-analyzer-core.NonNullParamChecker)
 */
