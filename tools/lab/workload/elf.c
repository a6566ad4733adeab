#define _GNU_SOURCE /* memmem */
#include "tools/lab/workload/elf.h"

#include <string.h>
#include <sys/stat.h>

#define NAME_BYTES 64u

FILE *lab_elf_open(const char *path)
{
    struct stat s;
    bool regular = stat(path, &s) == 0 && S_ISREG(s.st_mode); /* to open a pipe may take for ever */

    return regular ? fopen(path, "rb") : NULL;
}

bool lab_elf_read(FILE *f, uint64_t at, void *bytes, size_t n)
{
    return fseek(f, (long)at, SEEK_SET) == 0 && fread(bytes, n, 1, f) == 1;
}

bool lab_elf_section(FILE *f, const char *name, Elf64_Shdr *section_p)
{
    size_t n = strlen(name) + 1;
    char text[NAME_BYTES];
    Elf64_Ehdr head;
    Elf64_Shdr names;

    SIM_ASSERT(n <= sizeof(text));
    if (!lab_elf_read(f, 0, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        !lab_elf_read(f, head.e_shoff + head.e_shstrndx * sizeof(names), &names, sizeof(names)))
        return false;
    for (unsigned i = 0; i < head.e_shnum; i++)
        if (lab_elf_read(f, head.e_shoff + i * sizeof(*section_p), section_p, sizeof(*section_p)) &&
            lab_elf_read(f, names.sh_offset + section_p->sh_name, text, n) &&
            memcmp(text, name, n) == 0)
            return true;
    return false;
}

/** The file may be damaged: no more than it has. */
static bool has_text(FILE *f, const Elf64_Shdr *section, const char *text)
{
    struct load_arena arena = { 0 };
    struct stat s;
    bool found = false;

    if (fstat(fileno(f), &s) == 0 && section->sh_size <= (uint64_t)s.st_size) {
        char *bytes = load_alloc(&arena, section->sh_size);

        found = lab_elf_read(f, section->sh_offset, bytes, section->sh_size) &&
                memmem(bytes, section->sh_size, text, strlen(text)) != NULL;
    }
    load_arena_fini(&arena);
    return found;
}

bool lab_elf_is_program(const char *path)
{
    FILE *f = lab_elf_open(path);
    Elf64_Shdr names;
    bool is = f != NULL && lab_elf_section(f, ".dynstr", &names) &&
              has_text(f, &names, "hub_program_loading"); /* hosts/launch/shim/program.h */

    if (f != NULL)
        (void)fclose(f);
    return is;
}
