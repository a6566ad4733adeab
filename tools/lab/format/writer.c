#define _POSIX_C_SOURCE 200809L /* pthread_sigmask */
#include "tools/lab/format/writer.h"
#include "tools/lab/format/out.h"
#include "tools/lab/format/whole.h"
#include "tools/load/arena.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART_BYTES (1u << 20)

/* Two parts take turns: one is being filled, the other one is empty or being written. */
struct lab_writer {
    int fd;
    pthread_t thread;
    uint8_t *filling;
    size_t filled;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    uint8_t *other;
    size_t ready; /* bytes of `other` that wait to be written; 0: it is empty */
    bool last;
    int code; /* error number of the first write that failed, or 0 */
    uint8_t parts[2][PART_BYTES];
};

static void *write_parts(void *arg)
{
    struct lab_writer *w = arg;
    int code;

    (void)pthread_mutex_lock(&w->lock);
    while (!w->last || w->ready != 0) {
        if (w->ready == 0) {
            (void)pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        code = w->code;
        (void)pthread_mutex_unlock(&w->lock);
        if (code == 0 && !lab_write_whole(w->fd, w->other, w->ready))
            code = errno != 0 ? errno : EIO;
        (void)pthread_mutex_lock(&w->lock);
        w->code = code;
        w->ready = 0;
        (void)pthread_cond_signal(&w->changed);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

/** Gives what is filled to the thread. False: writing has failed. */
static bool hand_over(struct lab_writer *w, bool last)
{
    uint8_t *empty;
    bool ok;

    (void)pthread_mutex_lock(&w->lock);
    while (w->ready != 0)
        (void)pthread_cond_wait(&w->changed, &w->lock);
    empty = w->other;
    w->other = w->filling;
    w->ready = w->filled;
    w->last = last;
    ok = w->code == 0;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
    w->filling = empty;
    w->filled = 0;
    return ok;
}

bool lab_writer_write(void *writer, const void *bytes, size_t n)
{
    struct lab_writer *w = writer;
    const uint8_t *from = bytes;

    while (n > 0) {
        size_t part = PART_BYTES - w->filled < n ? PART_BYTES - w->filled : n;

        memcpy(w->filling + w->filled, from, part);
        w->filled += part;
        from += part;
        n -= part;
        if (w->filled == PART_BYTES && !hand_over(w, false))
            return false;
    }
    return true;
}

int lab_writer_close(struct lab_writer *w)
{
    int code;

    (void)hand_over(w, true);
    (void)pthread_join(w->thread, NULL);
    code = w->code;
    if (close(w->fd) != 0 && code == 0)
        code = errno;
    (void)pthread_cond_destroy(&w->changed);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
    return code;
}

/** Signals are for the simulation, whose handlers know its stacks. */
static int start_thread(struct lab_writer *w)
{
    sigset_t all, before;
    int rc;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    rc = pthread_create(&w->thread, NULL, write_parts, w);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

struct lab_writer *lab_writer_open(const char *path)
{
    int fd = lab_out_create(path);
    struct lab_writer *w = calloc(1, sizeof(*w));

    SIM_ASSERT(w != NULL);
    w->fd = fd;
    w->filling = w->parts[0];
    w->other = w->parts[1];
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->changed, NULL);
    if (start_thread(w) != 0) {
        (void)close(fd);
        free(w);
        load_raise(SIM_ERR_NOMEM, "%s: no memory for a buffer and a thread", path);
    }
    return w;
}
