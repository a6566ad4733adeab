/* Programs as files: whether hubcc has made one, and what it says of itself. */
#ifndef LAB_ELF_H
#define LAB_ELF_H

#include "tools/load/arena.h"

#include <elf.h>
#include <stdio.h>

SIM_BEGIN_DECLS

/** To be closed. NULL: no regular file, or it cannot be read. */
FILE *lab_elf_open(const char *path);
/** @return whether the file has so many bytes there */
bool lab_elf_read(FILE *f, uint64_t at, void *bytes, size_t n);
/** The first section of a name. @return false: there is none, or the file is no ELF */
bool lab_elf_section(FILE *f, const char *name, Elf64_Shdr *section_p);
/** Whether the program may be loaded: it asks for its hooks then, as all do that hubcc makes. */
bool lab_elf_is_program(const char *path);

SIM_END_DECLS
#endif /* LAB_ELF_H */
