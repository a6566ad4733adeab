#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static int replay(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t n;
    uint8_t *exact;

    if (file == NULL) {
        perror(path);
        return -1;
    }
    n = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    exact = malloc(n + (n == 0)); /* so that a sanitizer sees a step beyond the end */
    if (exact == NULL)
        return -1;
    for (size_t i = 0; i < n; i++)
        exact[i] = bytes[i];
    (void)LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;

    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]) != 0;
    printf("%d inputs\n", argc - 1);
    return failed;
}
