#define _GNU_SOURCE /* memfd_create */
#include "hosts/launch/process/program.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

/* @return false: errno says why. */
static bool copy_bytes(int to, int from, size_t bytes)
{
    off_t at = 0;

    while ((size_t)at < bytes) {
        ssize_t n = sendfile(to, from, &at, bytes - (size_t)at);

        if (n == 0) /* it has become shorter */
            errno = EIO;
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
    }
    return true;
}

/* A compiler may write the file while ranks are loaded: all have what it was at first. */
int program_file_open(const char *path, struct program_file *file_p, struct sim_error *err)
{
    struct program_file file = { path, -1, 0 };
    struct stat st;
    int code = SIM_OK, from = open(path, O_RDONLY | O_CLOEXEC);

    if (from < 0 || fstat(from, &st) != 0 || !S_ISREG(st.st_mode)) {
        code = sim_error_set(err, SIM_ERR_CONFIG, "%s: cannot read the program: %s", path,
                             from < 0 ? strerror(errno) : "expected a regular file");
        goto out;
    }
    file.bytes = (size_t)st.st_size;
    file.fd = memfd_create("program", MFD_CLOEXEC);
    if (file.fd < 0 || !copy_bytes(file.fd, from, file.bytes)) {
        code = sim_error_set(err, SIM_ERR_IO, "%s: copy of the program: %s", path, strerror(errno));
        program_file_close(&file);
        goto out;
    }
    *file_p = file;
out:
    if (from >= 0)
        close(from);
    return code;
}

void program_file_close(const struct program_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
}

/* Symbols are data to dlsym(); ISO C has no cast to a function pointer, POSIX asks for this one. */
static void copy_symbol(void *handle, const char *name, void *symbol_p)
{
    void *symbol = dlsym(handle, name);

    memcpy(symbol_p, &symbol, sizeof(symbol));
}

/* Loading runs constructors, which cannot be given an argument. */
static _Thread_local const struct hub_program_hooks *loading;

const struct hub_program_hooks *hub_program_loading(void)
{
    return loading;
}

static int find_text(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct program *p = arg;

    (void)size;
    if (info->dlpi_addr != p->base)
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

        if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) != 0) {
            p->text = p->base + ph->p_vaddr;
            p->text_end = p->text + ph->p_memsz;
        }
    }
    return 1;
}

bool program_offset(const struct program *p, uint64_t addr, uint64_t *offset_p)
{
    if (p == NULL || addr < p->text || addr >= p->text_end)
        return false;
    *offset_p = addr - p->base;
    return true;
}

void program_place(const struct program *p, uint64_t addr, char *text, size_t room)
{
    const char *name;
    uint64_t offset;

    text[0] = '\0';
    if (!program_offset(p, addr, &offset))
        return;
    name = strrchr(p->path, '/');
    (void)snprintf(text, room, " at %s+0x%" PRIx64, name != NULL ? name + 1 : p->path, offset);
}

struct walk {
    const struct program *program;
    uint64_t from;
    struct program_calls *calls;
    unsigned n;
};

static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *arg)
{
    struct walk *w = arg;
    int interrupted = 0;
    uint64_t at = _Unwind_GetIPInfo(context, &interrupted), offset;

    at -= interrupted == 0; /* else it is where a call returns */
    if (!program_offset(w->program, at, &offset))
        return w->n > 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
    if (w->n == 0 && w->from != 0 && at != w->from)
        return _URC_NO_REASON;
    w->calls->at[w->n++] = at;
    return w->n < PROGRAM_CALLS ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void program_calls(const struct program *p, uint64_t from, struct program_calls *calls_p)
{
    struct walk walk = { p, from, calls_p, 0 };

    *calls_p = (struct program_calls){ { from } }; /* code without tables for it has no more */
    (void)_Unwind_Backtrace(walk_frame, &walk);
}

void program_calls_place(const struct program *p, const struct program_calls *calls, char *text,
                         size_t room)
{
    uint64_t offset;

    program_place(p, calls->at[0], text, room);
    for (unsigned i = 1; i < PROGRAM_CALLS && program_offset(p, calls->at[i], &offset); i++) {
        size_t n = strlen(text);

        n -= i > 1; /* the bracket */
        (void)snprintf(text + n, room - n, "%s0x%" PRIx64 ")", i > 1 ? ", " : " (called at ",
                       offset);
    }
}

/* The table of hashes that the linker makes says how many symbols come before those in it: the ones
 * without a definition. */
static uint64_t undefined_symbols(const uint32_t *gnu_hash)
{
    return gnu_hash != NULL ? gnu_hash[1] : 0;
}

/* A function that drives the board, of those that we have: another library may have names like
 * them.
 */
static bool names_board(void *own, const char *name)
{
    static const char *const prefixes[] = { "tca", "peach2_", "driver_" };

    for (size_t i = 0; i < SIM_COUNT(prefixes); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return dlsym(own, name) != NULL;
    return false;
}

/* NOLINTBEGIN(performance-no-int-to-ptr): the loader has made addresses of them */
static bool find_board(const struct link_map *map)
{
    const ElfW(Sym) *symbols = NULL;
    const uint32_t *hash = NULL;
    const char *names = NULL;
    void *own = dlopen(NULL, RTLD_LAZY);
    bool found = false;

    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
        else if (d->d_tag == DT_STRTAB)
            names = (const char *)d->d_un.d_ptr;
        else if (d->d_tag == DT_GNU_HASH)
            hash = (const uint32_t *)d->d_un.d_ptr;
    }
    for (uint64_t i = 1; symbols != NULL && names != NULL && i < undefined_symbols(hash); i++)
        found |= names_board(own, names + symbols[i].st_name);
    if (own != NULL)
        (void)dlclose(own);
    return found;
}
/* NOLINTEND(performance-no-int-to-ptr) */

static int program_bind(struct program *p, const struct program_file *file, struct sim_error *err)
{
    struct link_map *map = NULL;
    const int *files;

    if (dlinfo(p->handle, RTLD_DI_LINKMAP, &map) == 0) {
        p->base = map->l_addr;
        dl_iterate_phdr(find_text, p);
        p->drives_hubs = find_board(map);
    }
    p->blocks = dlsym(p->handle, "hub_program_blocks");
    files = dlsym(p->handle, "hub_program_files");
    p->announces = dlsym(p->handle, "hub_program_races") != NULL && files != NULL && *files > 0;
    copy_symbol(p->handle, "main", &p->main);
    copy_symbol(p->handle, "exit", &p->exit);
    if (p->exit == NULL || p->main == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: expected a program object with main(), made by hubcc",
                             file->path);
    return SIM_OK;
}

/* The one name that depends on the version of both sides; see HUB_PROGRAM_ABI. */
static const char *expected_program(const char *why)
{
    return strstr(why, "undefined symbol: hub_program_loading") != NULL
               ? "it to be linked anew, by the hubcc of this hubsim"
               : "a program made by hubcc";
}

/* The loader's message begins with the name of the memory file. */
static const char *without_name(const char *why, const char *name)
{
    size_t n = strlen(name);

    return strncmp(why, name, n) == 0 && strncmp(why + n, ": ", 2) == 0 ? why + n + 2 : why;
}

int program_load(const struct program_file *file, unsigned rank,
                 const struct hub_program_hooks *hooks, struct program **program_p,
                 struct sim_error *err)
{
    struct program *p = calloc(1, sizeof(*p));
    char name[64], number[12];
    int code, pid;

    if (p == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", file->path);
    p->path = file->path;
    snprintf(name, sizeof(name), "rank%u", rank);
    p->fd = memfd_create(name, MFD_CLOEXEC);
    if (p->fd < 0 || !copy_bytes(p->fd, file->fd, file->bytes)) {
        code = sim_error_set(err, SIM_ERR_IO, "%s: copy for rank %u: %s", file->path, rank,
                             strerror(errno));
        goto err_close;
    }
    /* Not /proc/self: a debugger, another process, opens it by this name. The loader's memory for
     * it must not depend on how many digits a process number has. */
    pid = snprintf(number, sizeof(number), "%ld", (long)getpid());
    snprintf(name, sizeof(name), "/proc%.*s%s/fd/%d", (int)sizeof(number) - pid, "////////////",
             number, p->fd);
    loading = hooks;
    p->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    loading = NULL;
    if (p->handle == NULL) {
        const char *why = without_name(dlerror(), name);

        code = sim_error_set(err, SIM_ERR_CONFIG, "%s: cannot load: %s: expected %s", file->path,
                             why, expected_program(why));
        goto err_close;
    }
    code = program_bind(p, file, err);
    if (code != SIM_OK)
        goto err_unload;
    *program_p = p;
    return SIM_OK;

err_unload:
    dlclose(p->handle);
err_close:
    if (p->fd >= 0)
        close(p->fd);
    free(p);
    return code;
}

void program_unload(struct program *p, bool stays)
{
    if (p == NULL)
        return;
    if (!stays)
        dlclose(p->handle);
    close(p->fd);
    free(p);
}
