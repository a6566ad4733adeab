#define _XOPEN_SOURCE 700 /* sigtimedwait, strsignal */
#include "child.h"

#include "judge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In use, so that those of two workers fit in 8 GB; machines reserve far more. */
#define MEMORY_MAX ((uint64_t)3 << 30)
/* No file may be larger, so that none fills the disk. */
#define FILE_MAX ((rlim_t)64 << 20)

struct use { /* what a group of processes has used */
    double seconds;
    uint64_t bytes;
};

static void make_folders(const char *path)
{
    char part[512];

    for (const char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        (void)snprintf(part, sizeof(part), "%.*s", (int)(at - path), path);
        (void)mkdir(part, 0777);
    }
}

static void write_file(const char *folder, const struct case_file *file)
{
    char path[1024];
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, file->path);
    make_folders(path);
    f = fopen(path, "wb");
    if (f == NULL)
        return;
    (void)fwrite(file->bytes, 1, file->n, f);
    (void)fclose(f);
}

/** What runs there finds nothing of an earlier case, even in the folders above its own. */
static void prepare(const struct site *site, unsigned worker, const struct fuzz_case *c,
                    char *folder, size_t size)
{
    char path[512];

    (void)snprintf(folder, size, "%s/w%u", site->base, worker);
    site_remove(folder);
    (void)snprintf(folder, size, "%s/w%u/case/a/b", site->base, worker);
    (void)snprintf(path, sizeof(path), "%s/", folder);
    make_folders(path);
    for (unsigned i = 0; i < 2; i++) {
        static const char *const programs[] = { "matcher", "windows" };
        char program[512];

        (void)snprintf(path, sizeof(path), "%s/../%s", folder, programs[i]);
        (void)snprintf(program, sizeof(program), "%s/programs/%s", site->base, programs[i]);
        if (symlink(program, path) != 0)
            abort();
    }
    for (unsigned i = 0; i < c->nfiles; i++)
        write_file(folder, &c->files[i]);
}

static void limit(int what, rlim_t most)
{
    const struct rlimit limits = { most, most };

    (void)setrlimit(what, &limits);
}

static void open_as(const char *path, int flags, int as)
{
    int fd = open(path, flags, 0666);

    if (fd < 0 || dup2(fd, as) < 0)
        _exit(126);
}

static _Noreturn void become(const struct site *site, const struct fuzz_case *c, const char *folder)
{
    static const char *const settings[] = {
        "PATH=/usr/bin:/bin",
        "HUBSIM_PATH=.",
        "LC_ALL=C.UTF-8",
        "ASAN_OPTIONS=allocator_may_return_null=1",
        "UBSAN_OPTIONS=print_stacktrace=1",
        "LSAN_OPTIONS=use_tls=0:print_suppressions=0:suppressions=../../../../leaks.supp"
    };
    char *env[sizeof(settings) / sizeof(settings[0]) + 1] = { NULL };
    char program[512];
    char *args[CASE_ARGS + 1] = { NULL };
    sigset_t none;

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    open_as("/dev/null", O_RDONLY, 0);
    if (chdir(folder) != 0)
        _exit(126);
    open_as("../../stdout", O_WRONLY | O_CREAT | O_TRUNC, 1);
    open_as("../../stderr", O_WRONLY | O_CREAT | O_TRUNC, 2);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, FILE_MAX);
    (void)signal(SIGXFSZ, SIG_IGN); /* writing fails instead */
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        env[i] = strdup(settings[i]);
    for (unsigned i = 0; i < c->nargs; i++)
        args[i] = strdup(c->args[i]);
    (void)snprintf(program, sizeof(program), "%s/bin/%s", site->base, c->args[0]);
    (void)execve(program, args, env);
    _exit(126);
}

/** Adds what one process uses if it is of the group. */
static void add_process(const char *number, struct use *use, pid_t group)
{
    char path[300], text[1024] = "";
    unsigned long user = 0, system = 0, users = 0, systems = 0, pages = 0;
    long of = 0;
    const char *rest;
    FILE *f;

    (void)snprintf(path, sizeof(path), "/proc/%s/stat", number);
    f = fopen(path, "r");
    if (f == NULL)
        return;
    rest = fgets(text, sizeof(text), f) != NULL ? strrchr(text, ')') : NULL;
    (void)fclose(f);
    if (rest == NULL ||
        sscanf(rest,
               ") %*c %*d %ld %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu %*d %*d %*d %*d %*u "
               "%*u %lu",
               &of, &user, &system, &users, &systems, &pages) != 6 ||
        of != group)
        return;
    use->seconds += (double)(user + system + users + systems) / (double)sysconf(_SC_CLK_TCK);
    use->bytes += (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct use group_use(pid_t group)
{
    struct use use = { 0, 0 };
    DIR *dir = opendir("/proc");
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
            add_process(entry->d_name, &use, group);
    if (dir != NULL)
        (void)closedir(dir);
    return use;
}

/** @return whether it ended within this time */
static bool ended(pid_t pid, unsigned seconds, int *status_p)
{
    const struct timespec most = { seconds, 0 };
    sigset_t child;

    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    for (;;) {
        if (waitpid(pid, status_p, WNOHANG) == pid)
            return true;
        if (sigtimedwait(&child, NULL, &most) < 0 && errno == EAGAIN)
            return waitpid(pid, status_p, WNOHANG) == pid;
    }
}

/* Who gets a fiftieth of a processor works, on a machine as loaded as it may be. */
static enum end wait_for(const struct site *site, pid_t pid, int *status_p)
{
    struct use use, before = { 0, 0 };

    for (unsigned idle = 0; idle < site->idle_s; before = use) {
        if (ended(pid, 1, status_p))
            return END_BY_ITSELF;
        use = group_use(pid);
        if (use.seconds >= site->limit_s || use.bytes > MEMORY_MAX)
            return END_BUSY;
        idle = use.seconds - before.seconds < 0.02 ? idle + 1 : 0;
    }
    return END_IDLE;
}

/** Its processes end with it; workers that have just lost it get a second. */
static bool leaves_processes(pid_t group)
{
    const struct timespec pause = { 0, 20000000 };

    for (unsigned i = 0; i < 50; i++) {
        if (kill(-group, 0) != 0)
            return false;
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

void child_run(const struct site *site, unsigned worker, const struct fuzz_case *c,
               struct outcome *outcome)
{
    char folder[256];
    struct end_facts facts = { .c = c };
    pid_t pid;

    prepare(site, worker, c, folder, sizeof(folder));
    pid = fork();
    if (pid == 0)
        become(site, c, folder);
    if (pid < 0)
        abort();
    (void)setpgid(pid, pid);
    facts.end = wait_for(site, pid, &facts.status);
    facts.left = facts.end == END_BY_ITSELF && leaves_processes(pid);
    (void)kill(-pid, SIGKILL);
    if (facts.end != END_BY_ITSELF)
        (void)waitpid(pid, &facts.status, 0);
    judge(&facts, folder, outcome);
}
