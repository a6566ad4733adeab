/*
 * A case: the words of one command and the files that it finds in its working directory. Kept as
 * one file: for each word "argument BYTES", for each file "file BYTES PATH", a new line, the bytes
 * and a new line.
 */
#ifndef CASE_H
#define CASE_H

#include "tools/load/arena.h"

#include <stdio.h>

#define CASE_ARGS  64u
#define CASE_FILES 24u

struct case_file {
    const char *path, *bytes;
    size_t n;
};

struct fuzz_case {
    struct load_arena *arena;
    unsigned nargs, nfiles;
    const char *args[CASE_ARGS]; /* the first is hubsim or hubrun */
    struct case_file files[CASE_FILES];
};

/** Nothing happens where there is no room. */
void case_add_arg(struct fuzz_case *c, const char *arg);
/** Replaces a file of this path. `bytes` must live as long as the case. */
void case_add_file(struct fuzz_case *c, const char *path, const char *bytes, size_t n);
const struct case_file *case_find(const struct fuzz_case *c, const char *path);

void case_write(const struct fuzz_case *c, FILE *out);
/** @return whether the bytes are a case */
bool case_parse(const char *bytes, size_t n, struct load_arena *arena, struct fuzz_case *c);
/** As a shell takes it. */
void case_print(const struct fuzz_case *c, FILE *out);

#endif /* CASE_H */
