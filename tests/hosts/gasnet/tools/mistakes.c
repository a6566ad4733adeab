/* One mistake with GASNet's tools, by its number; each ends all ranks. */
#include <gasnet_tools.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;

int main(int argc, char **argv)
{
    char *p;

    (void)printf("before\n");
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 1:
        gasnett_mutex_lock(&mutex);
        gasnett_mutex_lock(&mutex);
        break;
    case 2:
        gasnett_mutex_unlock(&mutex);
        break;
    case 3:
        gasnett_mutex_lock(&mutex);
        gasnett_mutex_destroy(&mutex);
        break;
    case 4:
        gasnett_mutex_assertlocked(&mutex);
        break;
    case 5:
        gasnett_mutex_lock(&mutex);
        gasnett_mutex_assertunlocked(&mutex);
        break;
    case 6:
        gasnett_mutex_lock(&mutex);
        gasnett_cond_wait(&cond, &mutex); /* who would wake it? */
        break;
    case 7:
        gasnett_cond_wait(&cond, &mutex);
        break;
    case 8:
        gasnett_rwlock_rdlock(&lock);
        gasnett_rwlock_wrlock(&lock);
        break;
    case 9:
        gasnett_rwlock_wrlock(&lock);
        gasnett_rwlock_rdlock(&lock);
        break;
    case 10:
        gasnett_rwlock_unlock(&lock);
        break;
    case 11:
        gasnett_rwlock_rdlock(&lock);
        gasnett_rwlock_assertwrlocked(&lock);
        break;
    case 12:
        gasnett_rwlock_wrlock(&lock);
        gasnett_rwlock_destroy(&lock);
        break;
    case 13:
        p = (char *)gasnett_debug_malloc(5);
        memset(p, 0, 6);
        gasnett_debug_free(p);
        break;
    case 14:
        p = (char *)gasnett_debug_malloc(5);
        memset(p, 0, 6);
        gasnett_debug_memcheck_all();
        break;
    case 15:
        gasnett_setenv("TOOLS_NUMBER", "12Q");
        (void)gasnett_getenv_int_withdefault("TOOLS_NUMBER", 0, 1);
        break;
    case 16:
        gasnett_setenv("TOOLS_NUMBER", "0x");
        (void)gasnett_getenv_int_withdefault("TOOLS_NUMBER", 0, 0);
        break;
    case 17:
        gasnett_setenv("TOOLS_NUMBER", "perhaps");
        (void)gasnett_getenv_yesno_withdefault("TOOLS_NUMBER", 0);
        break;
    case 18:
        gasnett_setenv("TOOLS_NUMBER", "1/0");
        (void)gasnett_getenv_dbl_withdefault("TOOLS_NUMBER", 0);
        break;
    case 19:
        gasnett_setenv("", "1");
        break;
    case 20:
        (void)gasnett_reghandler(0, SIG_IGN);
        break;
    case 21:
        (void)gasnett_debug_calloc(SIZE_MAX, 3);
        break;
    case 22:
        gasnett_fatalerror("%d of %s", 3, "four\n");
    case 23:
        gasnett_fatalerror_nopos("no place");
    }
    return 0;
}
