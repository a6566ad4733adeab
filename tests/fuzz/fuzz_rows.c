/* Any bytes as a CSV of published rows, and as a list of values: understood, or one message. */
#include "fuzz.h"
#include "tools/lab/rows/published.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct load_arena arena = { 0 };
    struct sim_error err = { 0 };
    struct lab_csv csv;
    struct lab_rows rows;
    struct lab_list list;
    int rc = lab_csv_parse("input", (const char *)bytes, n, &arena, &csv, &err);

    if (rc == SIM_OK)
        rc = lab_rows_from(&csv, &arena, &rows, &err);
    if ((rc == SIM_OK) != (err.text[0] == '\0') || strchr(err.text, '\n') != NULL)
        abort();
    (void)lab_list_parse(load_text(&arena, "%.*s", (int)(n < 200 ? n : 200), (const char *)bytes),
                         "input", &arena, &list, NULL);
    load_arena_fini(&arena);
    return 0;
}
