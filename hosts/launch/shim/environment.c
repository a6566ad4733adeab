/*
 * The rank's environment: that of hubrun, and what the rank has changed for itself. libc's own look
 * at variables (the time zone, the language) stays at that of hubrun.
 */
#define _GNU_SOURCE /* asprintf, clearenv */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hosts/launch/shim/parts.h"

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

/* The one that our CUDA library looks at; see hub_program_hooks.visible. */
static const char visible[] = "CUDA_VISIBLE_DEVICES";

static struct variable {
    struct variable *next;
    char *text; /* NAME=VALUE, the program's own after putenv(); NAME: it was removed */
    size_t n;   /* bytes of its name */
} * changed;
static int cleared; /* nothing is left of what hubrun has */

/* The names that MPICH, Open MPI and MVAPICH2 have; programs choose a GPU by such a number. */
static const struct {
    const char *name;
    int place;
} places[] = {
    { "PMI_RANK", HUB_RANK },
    { "PMI_SIZE", HUB_RANKS },
    { "MPI_LOCALRANKID", HUB_LOCAL_RANK },
    { "MPI_LOCALNRANKS", HUB_LOCAL_RANKS },
    { "OMPI_COMM_WORLD_RANK", HUB_RANK },
    { "OMPI_COMM_WORLD_SIZE", HUB_RANKS },
    { "OMPI_COMM_WORLD_LOCAL_RANK", HUB_LOCAL_RANK },
    { "OMPI_COMM_WORLD_LOCAL_SIZE", HUB_LOCAL_RANKS },
    { "MV2_COMM_WORLD_RANK", HUB_RANK },
    { "MV2_COMM_WORLD_SIZE", HUB_RANKS },
    { "MV2_COMM_WORLD_LOCAL_RANK", HUB_LOCAL_RANK },
    { "MV2_COMM_WORLD_LOCAL_SIZE", HUB_LOCAL_RANKS },
};

static char *number_of(int place)
{
    static char text[HUB_PLACES][12];

    (void)snprintf(text[place], sizeof(text[0]), "%u", hub_hooks.place[place]);
    return text[place];
}

static struct variable *find_changed(const char *name, size_t n)
{
    struct variable *v = changed;

    while (v != NULL && (v->n != n || strncmp(v->text, name, n) != 0))
        v = v->next;
    return v;
}

char *getenv(const char *name)
{
    size_t n = strlen(name);
    const struct variable *v = find_changed(name, n);

    if (v != NULL)
        return v->text[n] == '=' ? v->text + n + 1 : NULL;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (strcmp(name, places[i].name) == 0)
            return number_of(places[i].place);
    if (strcmp(name, visible) == 0)
        return *hub_hooks.visible;
    for (char **e = environ; !cleared && e != NULL && *e != NULL; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
            return *e + n + 1;
    return NULL;
}

/* What was there before is not freed: the program may still point to it, as with libc. */
static int change(char *text, size_t n)
{
    struct variable *v = find_changed(text, n);

    if (v == NULL) {
        v = malloc(sizeof(*v));
        if (v == NULL)
            return -1;
        v->next = changed;
        changed = v;
    }
    v->text = text;
    v->n = n;
    *hub_hooks.visible = getenv(visible);
    return 0;
}

/* To a text of our own. */
static int change_to(char *text, size_t n)
{
    int code = text != NULL ? change(text, n) : -1;

    if (code != 0)
        free(text);
    return code;
}

static int is_name(const char *name)
{
    return name != NULL && name[0] != '\0' && strchr(name, '=') == NULL;
}

int setenv(const char *name, const char *value, int replace)
{
    char *text;

    if (!is_name(name))
        return hub_fail(EINVAL);
    if (!replace && getenv(name) != NULL)
        return 0;
    return asprintf(&text, "%s=%s", name, value) < 0 ? -1 : change_to(text, strlen(name));
}

int unsetenv(const char *name)
{
    return is_name(name) ? change_to(strdup(name), strlen(name)) : hub_fail(EINVAL);
}

int putenv(char *text)
{
    size_t n = strcspn(text, "=");

    return text[n] == '=' ? change(text, n) : unsetenv(text);
}

int clearenv(void)
{
    changed = NULL;
    cleared = 1;
    *hub_hooks.visible = NULL;
    return 0;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
