/* Uses blocks of malloc() as its argument says. */
#define _GNU_SOURCE /* getline, posix_memalign */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

void *allocate(size_t n);
void *resize(void *p, size_t n);
void release(void *p);
void touch(volatile char *p, long offset);
void measure(const char *p);

/* After a call there is more to do, so that it is none that ends the function. */
static volatile unsigned calls;
static char statics[64];

/* NOLINTBEGIN(clang-analyzer-unix.Malloc): on purpose */
APART void *allocate(size_t n)
{
    void *p = malloc(n);

    calls++;
    return p;
}

APART void *resize(void *p, size_t n)
{
    p = realloc(p, n);
    calls++;
    return p;
}

APART void release(void *p)
{
    free(p);
    calls++;
}

APART void touch(volatile char *p, long offset)
{
    p[offset] = 1;
    calls++;
}

APART void measure(const char *p)
{
    calls += (unsigned)strlen(p);
}

/* Only blocks that are there, of many sizes and alignments. */
static int use_well(void)
{
    static void *blocks[100];

    for (unsigned i = 0; i < 5000; i++) {
        size_t n = (size_t)i * 7919 % (i % 50 == 0 ? 2000000 : 3000);
        void **p = &blocks[i * 31 % 100];

        if (i % 7 == 0) {
            free(*p);
            if (posix_memalign(p, (size_t)16 << i % 10, n) != 0)
                return 1;
        } else {
            *p = i % 3 == 0 ? calloc(n, 1) : realloc(*p, n);
        }
        if (i % 3 == 0 && i % 7 != 0 && n > 0 && ((char *)*p)[n - 1] != 0)
            return 2;
        memset(*p, (int)i, n);
    }
    return 0;
}

static void *volatile last;

/* Runs when there is no rank any more. */
__attribute__((destructor)) static void unload(void)
{
    release(last);
    release(last);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    char local[64];
    char *p = allocate(48), *odd = allocate(41), *line = NULL;
    size_t room = 0;

    if (strcmp(how, "well") == 0)
        return use_well();
    if (strcmp(how, "behind") == 0)
        touch(p, 48);
    if (strcmp(how, "odd") == 0) {
        touch(odd, 41);
        release(odd);
    }
    if (strcmp(how, "left") == 0)
        touch(odd, 42);
    if (strcmp(how, "before") == 0) {
        touch(p, -3);
        p = resize(p, 100);
    }
    if (strcmp(how, "after") == 0 || strcmp(how, "twice") == 0)
        release(p);
    if (strcmp(how, "after") == 0)
        touch(p, 8);
    if (strcmp(how, "twice") == 0)
        release(p);
    if (strcmp(how, "inside") == 0)
        release(p + 16);
    if (strcmp(how, "stack") == 0)
        release(local);
    if (strcmp(how, "static") == 0)
        release(statics);
    if (strcmp(how, "resized") == 0) {
        (void)resize(p, 40);
        touch(p, 0);
    }
    if (strcmp(how, "shrunk") == 0)
        touch(resize(p, 32), 32);
    if (strcmp(how, "string") == 0) {
        memset(p, 'x', 48);
        measure(p);
    }
    if (strcmp(how, "many") == 0) {
        for (unsigned i = 0; i < 40000; i++)
            p = allocate(48);
        touch(p, 48);
        release(p);
        touch(p, 5);
    }
    if (strcmp(how, "unloaded") == 0)
        last = p;
    if (strcmp(how, "line") == 0) {
        if (getline(&line, &room, stdin) < 0)
            free(line);
    }
    return 0;
}
/* NOLINTEND(clang-analyzer-unix.Malloc) */
