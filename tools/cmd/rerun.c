#define _GNU_SOURCE /* nftw, pipe2 */
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
        if (lab_stop_signal() != 0) /* which has come for this process, too */
            _exit(127);
        (void)execv(words[0], (char *const *)(uintptr_t)words);
    }
    (void)dprintf(errors, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/** What a run says went wrong: the last line of its own that it has printed, without its name; else
 * the first one of all. */
struct errors {
    const char *own; /* how a line of its own begins */
    char error[900], line[900];
    size_t n; /* bytes of the line so far */
};

static void end_line(struct errors *e)
{
    bool is_own;

    e->line[e->n] = '\0';
    e->n = 0;
    is_own = strncmp(e->line, e->own, strlen(e->own)) == 0;
    if (is_own || e->error[0] == '\0')
        (void)snprintf(e->error, sizeof(e->error), "%s", e->line + (is_own ? strlen(e->own) : 0));
}

/** Until all ends of it are closed, or until a signal has come. */
static void read_errors(struct errors *e, int fd, bool until_signal)
{
    struct pollfd from = { .fd = fd, .events = POLLIN };
    char bytes[4096];
    ssize_t n = 1;

    while (n > 0 && !(until_signal && lab_stop_signal() != 0)) {
        if (until_signal && !lab_stop_poll(&from, 1))
            continue;
        n = read(fd, bytes, sizeof(bytes));
        for (ssize_t i = 0; i < n; i++)
            if (bytes[i] == '\n')
                end_line(e);
            else if (e->n < sizeof(e->line) - 1)
                e->line[e->n++] = bytes[i];
    }
}

/** A signal that has come ends it, too. */
static int run_words(const char **words, struct errors *e)
{
    int ends[2], status;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        load_raise(SIM_ERR_IO, "errors of a run: %s: expected a pipe", strerror(errno));
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        become(words, ends[1]);
    (void)close(ends[1]);
    read_errors(e, ends[0], true);
    if (pid > 0)
        lab_stop_wait(pid);
    if (pid > 0 && lab_stop_signal() != 0)
        (void)kill(pid, lab_stop_signal());
    read_errors(e, ends[0], false);
    if (e->n > 0)
        end_line(e);
    status = cmd_wait(pid);
    (void)close(ends[0]);
    return status;
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
    const char *program = cmd_find_program(kept->manifest.command, arena), **words;
    struct errors errors = { .own = load_text(arena, "%s: ", kept->manifest.command) };
    int status;

    if (same_folder(kept->dir, dir))
        load_raise(SIM_ERR_CONFIG,
                   "%s: --out %s: expected a folder that does not hold the kept result", kept->dir,
                   rerun->out);
    (void)remove(manifest); /* of an earlier check: what is there afterwards is new */
    words = make_words(rerun, kept, program, arena);
    status = run_words(words, &errors);
    if (lab_stop_signal() != 0)
        load_raise(SIM_ERR_IO, "%s: %s", kept->dir, strsignal(lab_stop_signal()));
    if (access(manifest, F_OK) != 0)
        load_raise(SIM_ERR_IO, "%s: cannot be run again (status %d): %s", kept->dir, status,
                   errors.error[0] != '\0' ? errors.error : "it ended early");
    return dir; /* a point may have failed, as it may have in what was kept */
}
