/* Any bytes as a CSV of published rows, and as a list of values: understood, or one message. */
#include "fuzz.h"
#include "tools/lab/rows/published.h"

#include <stdlib.h>
#include <string.h>

struct input {
    const char *bytes;
    size_t n;
    struct load_arena arena;
};

static void read_rows(void *arg)
{
    struct input *in = arg;
    struct lab_csv csv = lab_csv_parse("input", in->bytes, in->n, &in->arena);

    (void)lab_rows_from(&csv, &in->arena);
}

static void read_list(void *arg)
{
    struct input *in = arg;
    int n = (int)(in->n < 200 ? in->n : 200);

    (void)lab_list_parse("key", load_text(&in->arena, "%.*s", n, in->bytes), "input", &in->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct input in = { .bytes = (const char *)bytes, .n = n };
    struct sim_error err = { 0 };
    int rc;

    load_arena_begin(&in.arena);
    rc = load_attempt(read_rows, &in, &err);
    if ((rc == SIM_OK) != (err.text[0] == '\0') || strchr(err.text, '\n') != NULL)
        abort();
    (void)load_attempt(read_list, &in, NULL);
    load_arena_fini(&in.arena);
    return 0;
}
