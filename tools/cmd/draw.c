/* Pictures, which scripts of scripts/ draw from results. */
#define _POSIX_C_SOURCE 200809L
#include "tools/cmd/cmd.h"

#include "tools/lab/format/out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void cmd_try_figure(const char *stem, struct load_arena *arena)
{
    static const char *const ends[] = { "csv", "json", "png", "svg" };

    for (unsigned i = 0; i < SIM_COUNT(ends); i++)
        (void)close(lab_out_try(load_text(arena, "%s.%s", stem, ends[i])));
}

void cmd_write_figure(const struct lab_figure *figure, const struct lab_table *table,
                      const char *stem, struct load_arena *arena)
{
    const char *axes_path = load_text(arena, "%s.json", stem);
    FILE *axes;

    lab_table_save(table, load_text(arena, "%s.csv", stem));
    axes = lab_out_open(axes_path);
    lab_figure_write_axes(figure, axes);
    lab_out_close(axes, axes_path);
}

/** scripts/ stands beside configs/, in the source as after installation. */
static const char *find_script(const struct load_roots *roots, const char *name,
                               struct load_arena *arena)
{
    return load_text(arena, "%s/../scripts/%s", roots->paths[0], name);
}

int cmd_wait(pid_t pid)
{
    int status = 0;

    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int cmd_python(const struct load_roots *roots, const char *script, const char *const *words,
               unsigned n)
{
    struct load_arena arena = { 0 };
    const char *python = find_script(roots, "python", &arena);
    const char **args = load_alloc(&arena, (n + 3) * sizeof(*args));
    int status;
    pid_t pid;

    args[0] = python;
    args[1] = find_script(roots, script, &arena);
    memcpy(args + 2, words, n * sizeof(*args));
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        (void)execv(python, (char *const *)(uintptr_t)args);
        _exit(127);
    }
    status = cmd_wait(pid);
    load_arena_fini(&arena);
    return status;
}

void cmd_draw(const struct load_roots *roots, const char *const *stems, unsigned n)
{
    struct load_arena arena = { 0 };

    if (cmd_python(roots, "plot.py", stems, n) == 0)
        return;
    for (unsigned i = 0; i < n; i++)
        (void)remove(load_text(&arena, "%s.json", stems[i]));
    load_arena_fini(&arena);
    load_raise(SIM_ERR_IO, "%s: could not be drawn; %s.csv has the numbers", stems[0], stems[0]);
}

/** Copies what the script prints to `out`. */
static bool run_script(const char *script, FILE *in, FILE *out)
{
    char bytes[65536];
    int ends[2];
    ssize_t n;
    pid_t pid;

    fflush(NULL);
    if (fseek(in, 0, SEEK_SET) != 0 || pipe(ends) != 0)
        return false;
    pid = fork();
    if (pid == 0) {
        (void)dup2(fileno(in), STDIN_FILENO);
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execlp("python3", "python3", "-B", script, (char *)NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    while ((n = read(ends[0], bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            fwrite(bytes, 1, (size_t)n, out);
    (void)close(ends[0]);
    return cmd_wait(pid) == 0;
}

static void close_file(void *file)
{
    (void)fclose(file);
}

void cmd_picture(const struct load_roots *roots, const char *script, const char *path,
                 cmd_write_fn write, void *arg)
{
    struct load_arena arena = { 0 };
    FILE *in = tmpfile(), *out;
    bool drawn;

    if (in == NULL)
        load_raise(SIM_ERR_IO, "%s: %s", path, strerror(errno));
    (void)load_own(&arena, close_file, in);
    out = lab_out_open(path);
    write(arg, in);
    drawn = run_script(find_script(roots, script, &arena), in, out);
    lab_out_close(out, path);
    if (!drawn)
        load_raise(SIM_ERR_IO, "%s: could not be drawn: expected python3", path);
    load_arena_fini(&arena);
}
