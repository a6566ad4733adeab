#define _GNU_SOURCE /* nftw, memfd_create */
#include "tools/cmd/rerun.h"

#include "tools/cmd/cmd.h"
#include "tools/lab/format/out.h"
#include "tools/load/find.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_folder(void *path)
{
    (void)nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void leave_signals(void *none)
{
    (void)none;
    lab_stop_leave();
}

void cmd_rerun_begin(struct cmd_rerun *rerun, struct load_arena *arena)
{
    const char *tmp = getenv("TMPDIR");

    (void)load_own(arena, leave_signals, rerun); /* the folder ends before */
    lab_stop_catch();
    if (rerun->out != NULL) {
        lab_out_folder(rerun->out);
        return;
    }
    snprintf(rerun->temporary, sizeof(rerun->temporary), "%s/hubsim-check-XXXXXX",
             tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
    if (mkdtemp(rerun->temporary) == NULL)
        load_raise(SIM_ERR_IO, "%s: %s: expected a folder to write to", rerun->temporary,
                   strerror(errno));
    rerun->out = load_own(arena, remove_folder, rerun->temporary);
}

/* ---- the command ----------------------------------------------------------------- */

/** For hubrun, whose words may name another working directory. */
static const char *make_absolute(const char *folder, struct load_arena *arena)
{
    char *path = realpath(folder, NULL);

    if (path == NULL)
        load_raise(SIM_ERR_IO, "%s: %s: expected a folder to write to", folder, strerror(errno));
    return load_own(arena, free, path);
}

/** The words of the manifest with those that say where and how; NULL at the end. */
static const char **make_words(const struct cmd_rerun *rerun, const struct lab_kept *kept,
                               const char *program, struct load_arena *arena)
{
    const struct lab_manifest *m = &kept->manifest;
    bool lab = strcmp(m->command, "hubsim") == 0;
    const char **words = load_alloc(arena, (m->nwords + 8) * sizeof(*words));
    unsigned n = 0;

    words[n++] = program;
    if (lab)
        words[n++] = m->words[0]; /* run or score */
    words[n++] = "--out";
    words[n++] = make_absolute(rerun->out, arena);
    if (lab) {
        words[n++] = "--jobs";
        words[n++] = load_text(arena, "%u", rerun->jobs);
    } else {
        words[n++] = "--quiet"; /* the last line is to be that of an error */
        if (!rerun->no_races) {
            words[n++] = "--check"; /* changes neither times nor packets */
            words[n++] = "races";
        }
    }
    for (unsigned i = lab; i < m->nwords; i++)
        words[n++] = i == 1 && strcmp(m->kind, "experiment") == 0
                         ? load_text(arena, "%s/%s", kept->dir, m->words[i])
                         : m->words[i];
    return words;
}

/** What it prints on stdout is not wanted; errors are kept for a message of ours. */
static _Noreturn void become(const char **words, int errors)
{
    int null = open("/dev/null", O_RDWR);

    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO);
        (void)dup2(null, STDOUT_FILENO);
        (void)dup2(errors, STDERR_FILENO);
        (void)unsetenv("CUDA_VISIBLE_DEVICES"); /* the words have what counted of it */
        lab_stop_leave();
        if (lab_stop_signal() == 0) /* which has come for this process, too */
            (void)execv(words[0], (char *const *)(uintptr_t)words);
    }
    (void)dprintf(errors, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/** A signal that has come ends it, too. */
static int wait_for(pid_t pid)
{
    if (pid > 0)
        lab_stop_wait(pid);
    if (pid > 0 && lab_stop_signal() != 0)
        (void)kill(pid, lab_stop_signal());
    return cmd_wait(pid);
}

static int run_words(const char **words, int errors)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0)
        become(words, errors);
    return wait_for(pid);
}

/** In memory: where the disk is full, this says so. */
static FILE *open_errors(void)
{
    int fd = memfd_create("stderr", MFD_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "r+") : NULL;

    if (f == NULL)
        load_raise(SIM_ERR_IO, "errors of a run: %s: expected a file in memory", strerror(errno));
    return f;
}

/** The last line of its own that it has printed, without its name; else the first one of all. */
static const char *read_error(FILE *f, const char *command, struct load_arena *arena)
{
    const char *own = load_text(arena, "%s: ", command);
    char line[900], error[900] = "";

    rewind(f);
    while (fgets(line, sizeof(line), f) != NULL) {
        bool is_own = strncmp(line, own, strlen(own)) == 0;

        line[strcspn(line, "\n")] = '\0';
        if (is_own || error[0] == '\0')
            (void)snprintf(error, sizeof(error), "%s", is_own ? line + strlen(own) : line);
    }
    return error[0] != '\0' ? load_text(arena, "%s", error) : "it ended early";
}

static bool same_folder(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

const char *cmd_rerun(const struct cmd_rerun *rerun, const struct lab_kept *kept,
                      struct load_arena *arena)
{
    const char *dir = load_text(arena, "%s/%s", rerun->out, kept->manifest.folder);
    const char *manifest = load_text(arena, "%s/manifest.json", dir);
    const char *program = cmd_find_program(kept->manifest.command, arena), *error, **words;
    FILE *errors;
    int status;

    if (same_folder(kept->dir, dir))
        load_raise(SIM_ERR_CONFIG,
                   "%s: --out %s: expected a folder that does not hold the kept result", kept->dir,
                   rerun->out);
    (void)remove(manifest); /* of an earlier check: what is there afterwards is new */
    words = make_words(rerun, kept, program, arena);
    errors = open_errors();
    status = run_words(words, fileno(errors));
    error = read_error(errors, kept->manifest.command, arena);
    (void)fclose(errors);
    if (lab_stop_signal() != 0)
        load_raise(SIM_ERR_IO, "%s: %s", kept->dir, strsignal(lab_stop_signal()));
    if (access(manifest, F_OK) != 0)
        load_raise(SIM_ERR_IO, "%s: cannot be run again (status %d): %s", kept->dir, status, error);
    return dir; /* a point may have failed, as it may have in what was kept */
}
