/* Each copy has its own globals: prints how often each has been touched in this copy. */
#define _XOPEN_SOURCE 700 /* getopt */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int shared_name = 100;
static int hidden;

int main(int argc, char **argv)
{
    static int inner;
    int option;

    while ((option = getopt(argc, argv, "n:x")) != -1)
        if (option == 'n')
            shared_name += atoi(optarg);
    hidden++;
    inner++;
    printf("%d %d %d\n", shared_name, hidden, inner);
    fprintf(stdout, "part ");
    puts("whole");
    fprintf(stderr, "%s\n", "error line");
    putchar('x');
    if (argc > 3)
        exit(argc);
    return shared_name - 100;
}
