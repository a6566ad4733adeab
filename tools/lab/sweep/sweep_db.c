#define _POSIX_C_SOURCE 200809L
#include "tools/lab/sweep/sweep_db.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Distinguishes the file from other databases; in the header, where file(1) shows it. */
#define APPLICATION_ID "0x68756273" /* "hubs" */
#define FORMAT         "1"
#define BUSY_MS        10000 /* somebody may look into it meanwhile */

struct lab_sweep_db {
    sqlite3 *sql;
    const char *path;
    struct load_arena arena;
};

static int fail_db(struct lab_sweep_db *db, struct sim_error *err)
{
    return sim_error_set(err, SIM_ERR_IO, "%s: %s", db->path, sqlite3_errmsg(db->sql));
}

/** `format` is sqlite3_mprintf()'s: %Q is a text with its quotes. */
static int execute_text(struct lab_sweep_db *db, struct sim_error *err, const char *format, ...)
{
    va_list args;
    char *text;
    int code;

    va_start(args, format);
    text = sqlite3_vmprintf(format, args);
    va_end(args);
    SIM_ASSERT(text != NULL);
    code = sqlite3_exec(db->sql, text, NULL, NULL, NULL);
    sqlite3_free(text);
    return code == SQLITE_OK ? SIM_OK : fail_db(db, err);
}

static int prepare_query(struct lab_sweep_db *db, const char *text, sqlite3_stmt **statement_p,
                         struct sim_error *err)
{
    return sqlite3_prepare_v2(db->sql, text, -1, statement_p, NULL) == SQLITE_OK ? SIM_OK
                                                                                 : fail_db(db, err);
}

/** NULL (an empty database gives it too) becomes "". */
static const char *text_of(sqlite3_stmt *statement, int i)
{
    const unsigned char *text = sqlite3_column_text(statement, i);

    return text != NULL ? (const char *)text : "";
}

static uint64_t hash_of(sqlite3_stmt *statement, int i)
{
    return strtoull(text_of(statement, i), NULL, 16);
}

/* ---- making and opening ------------------------------------------------------------------- */

static int query_number(struct lab_sweep_db *db, const char *text, int64_t *number_p,
                        struct sim_error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = prepare_query(db, text, &statement, err);

    if (rc == SIM_OK && sqlite3_step(statement) != SQLITE_ROW)
        rc = fail_db(db, err);
    if (rc == SIM_OK)
        *number_p = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return rc;
}

/** All of it or nothing: a kill in the middle leaves an empty database. */
static int make_study(struct lab_sweep_db *db, const struct lab_sweep *sweep, struct sim_error *err)
{
    return execute_text(
        db, err,
        "PRAGMA application_id = " APPLICATION_ID "; PRAGMA user_version = " FORMAT ";"
        "CREATE TABLE study (sweep TEXT, file TEXT, definition TEXT, model TEXT, version TEXT,"
        " points INTEGER);"
        "CREATE TABLE point (id INTEGER PRIMARY KEY, parameters TEXT NOT NULL, run TEXT NOT NULL,"
        " state TEXT NOT NULL CHECK (state IN ('done', 'failed')), text TEXT NOT NULL,"
        " visible TEXT NOT NULL, wire TEXT NOT NULL);"
        "INSERT INTO study VALUES (%Q, %Q, '%016llx', '%016llx', %Q, %u)",
        sweep->name, sweep->path, (unsigned long long)sweep->definition,
        (unsigned long long)sweep->model, HUBSIM_VERSION, sweep->n);
}

static int refuse_study(struct lab_sweep_db *db, const struct lab_sweep *sweep, const char *what,
                        struct sim_error *err)
{
    return sim_error_set(err, SIM_ERR_CONFIG,
                         "%s: its results were made by other %s than %s has now: --fresh sets them "
                         "aside and begins anew, --out takes another folder",
                         db->path, what, sweep->path);
}

static int check_study(struct lab_sweep_db *db, const struct lab_sweep *sweep, uint64_t model,
                       struct sim_error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = prepare_query(db, "SELECT definition, model, sweep FROM study", &statement, err);

    if (rc != SIM_OK)
        return rc;
    if (sqlite3_step(statement) != SQLITE_ROW)
        rc = fail_db(db, err);
    else if (strcmp(text_of(statement, 2), sweep->name) != 0)
        rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: holds the sweep %s: expected %s", db->path,
                           text_of(statement, 2), sweep->name);
    else if (hash_of(statement, 0) != sweep->definition)
        rc = refuse_study(db, sweep, "points", err);
    else if (model != 0 && hash_of(statement, 1) != model)
        rc = refuse_study(db, sweep, "programs or machine files", err);
    (void)sqlite3_finalize(statement);
    return rc;
}

/**
 * WAL: a commit is one write, and others may read meanwhile. Not each is forced to the disk: a kill
 * loses nothing of what the kernel has, a power cut the last rows, which are then run again. Where
 * there is no WAL (file systems without shared memory), SQLite keeps its journal.
 */
static int set_up(struct lab_sweep_db *db, const struct lab_sweep *sweep, uint64_t model,
                  struct sim_error *err)
{
    int64_t tables = 0, id = 0;
    int rc;

    (void)sqlite3_busy_timeout(db->sql, BUSY_MS);
    rc = execute_text(db, err,
                      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
    if (rc == SIM_OK)
        rc = query_number(db, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (rc == SIM_OK)
        rc = query_number(db, "PRAGMA application_id", &id, err);
    if (rc != SIM_OK)
        return rc;
    if (tables == 0)
        rc = make_study(db, sweep, err);
    else if (id != strtol(APPLICATION_ID, NULL, 0))
        rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: expected the database of a sweep", db->path);
    else
        rc = check_study(db, sweep, model, err);
    return rc == SIM_OK ? execute_text(db, err, "COMMIT") : rc;
}

int lab_sweep_db_open(const char *path, const struct lab_sweep *sweep, uint64_t model,
                      struct lab_sweep_db **db_p, struct sim_error *err)
{
    struct lab_sweep_db *db = calloc(1, sizeof(*db));
    int rc;

    SIM_ASSERT(db != NULL);
    db->path = load_text(&db->arena, "%s", path);
    if (sqlite3_open(path, &db->sql) != SQLITE_OK)
        rc = fail_db(db, err);
    else
        rc = set_up(db, sweep, model, err);
    if (rc == SIM_OK)
        *db_p = db;
    else
        lab_sweep_db_close(db);
    return rc;
}

void lab_sweep_db_close(struct lab_sweep_db *db)
{
    if (db == NULL)
        return;
    (void)sqlite3_close(db->sql);
    load_arena_fini(&db->arena);
    free(db);
}

/** What a killed process left in the log belongs into this file, not into the next of its name. */
static int finish_log(const char *path, struct sim_error *err)
{
    sqlite3 *sql = NULL;
    int code = sqlite3_open(path, &sql), rc = SIM_OK;

    if (code == SQLITE_OK)
        (void)sqlite3_busy_timeout(sql, BUSY_MS);
    if (code == SQLITE_OK)
        code = sqlite3_exec(sql, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    if (code != SQLITE_OK && code != SQLITE_NOTADB)
        rc = sim_error_set(err, SIM_ERR_IO, "%s: %s", path, sqlite3_errmsg(sql));
    (void)sqlite3_close(sql);
    return rc;
}

int lab_sweep_db_set_aside(const char *path, struct sim_error *err)
{
    struct load_arena arena = { 0 };
    const char *aside;
    int rc = SIM_OK;

    if (access(path, F_OK) != 0)
        return SIM_OK;
    rc = finish_log(path, err);
    for (unsigned i = 1; access(aside = load_text(&arena, "%s.%u", path, i), F_OK) == 0;)
        i++;
    if (rc == SIM_OK && rename(path, aside) != 0)
        rc = sim_error_set(err, SIM_ERR_IO, "%s: cannot become %s: %s", path, aside,
                           strerror(errno));
    load_arena_fini(&arena);
    return rc;
}

/* ---- rows ----------------------------------------------------------------------------------- */

int lab_sweep_db_add(struct lab_sweep_db *db, const struct lab_sweep_row *row,
                     struct sim_error *err)
{
    /* Outside of BEGIN, so it commits by itself. */
    return execute_text(
        db, err, "INSERT INTO point VALUES (%u, %Q, %Q, %Q, %Q, '%016llx', '%016llx')", row->point,
        row->parameters, row->run, row->rc == SIM_OK ? "done" : "failed", row->text,
        (unsigned long long)row->visible, (unsigned long long)row->wire);
}

int lab_sweep_db_each(struct lab_sweep_db *db, lab_sweep_row_fn fn, void *arg,
                      struct sim_error *err)
{
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ROW, rc;

    rc = prepare_query(
        db, "SELECT id, parameters, run, state, text, visible, wire FROM point ORDER BY id",
        &statement, err);
    while (rc == SIM_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        fn(arg, &(struct lab_sweep_row){
                    .point = (unsigned)sqlite3_column_int64(statement, 0),
                    .parameters = text_of(statement, 1),
                    .run = text_of(statement, 2),
                    .rc = strcmp(text_of(statement, 3), "done") == 0 ? SIM_OK : SIM_ERR_IO,
                    .text = text_of(statement, 4),
                    .visible = hash_of(statement, 5),
                    .wire = hash_of(statement, 6),
                });
    if (rc == SIM_OK && step != SQLITE_DONE)
        rc = fail_db(db, err);
    (void)sqlite3_finalize(statement);
    return rc;
}

/* ---- the lock ---- */

/** A lock of its own file: closing any descriptor of the database would end SQLite's locks. */
int lab_sweep_lock(const char *path, int *fd_p, struct sim_error *err)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), rc = SIM_OK;

    if (fd < 0)
        return sim_error_set(err, SIM_ERR_IO, "%s: %s", path, strerror(errno));
    if (fcntl(fd, F_SETLK, &lock) == 0) {
        *fd_p = fd;
        return SIM_OK;
    }
    if (errno != EACCES && errno != EAGAIN)
        rc = sim_error_set(err, SIM_ERR_IO, "%s: cannot be locked: %s", path, strerror(errno));
    else if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        rc = sim_error_set(err, SIM_ERR_IO, "%s: the sweep is being run by process %ld", path,
                           (long)lock.l_pid);
    else
        rc = sim_error_set(err, SIM_ERR_IO, "%s: the sweep is being run by another process", path);
    (void)close(fd);
    return rc;
}
