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
#define FORMAT         "2"
#define BUSY_MS        10000 /* somebody may look into it meanwhile */

struct lab_sweep_db {
    sqlite3 *sql;
    const char *path;
    struct load_arena arena;
};

static _Noreturn void fail_db(const struct lab_sweep_db *db)
{
    load_raise(SIM_ERR_IO, "%s: %s", db->path, sqlite3_errmsg(db->sql));
}

/** `format` is sqlite3_mprintf()'s: %Q is a text with its quotes. */
static void execute_text(const struct lab_sweep_db *db, const char *format, ...)
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
    if (code != SQLITE_OK)
        fail_db(db);
}

static void finalize_query(void *statement)
{
    (void)sqlite3_finalize(statement);
}

/** It ends with the arena. */
static sqlite3_stmt *prepare_query(const struct lab_sweep_db *db, const char *text,
                                   struct load_arena *arena)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(db->sql, text, -1, &statement, NULL) != SQLITE_OK)
        fail_db(db);
    return load_own(arena, finalize_query, statement);
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

static int64_t query_number(const struct lab_sweep_db *db, const char *text)
{
    struct load_arena arena = { 0 };
    sqlite3_stmt *statement = prepare_query(db, text, &arena);
    int64_t number;

    if (sqlite3_step(statement) != SQLITE_ROW)
        fail_db(db);
    number = sqlite3_column_int64(statement, 0);
    load_arena_fini(&arena);
    return number;
}

/** All of it or nothing: a kill in the middle leaves an empty database. */
static void make_study(const struct lab_sweep_db *db, const struct lab_sweep *sweep)
{
    execute_text(
        db,
        "PRAGMA application_id = " APPLICATION_ID "; PRAGMA user_version = " FORMAT ";"
        "CREATE TABLE study (sweep TEXT, file TEXT, definition TEXT, model TEXT, version TEXT,"
        " points INTEGER);"
        "CREATE TABLE point (id INTEGER PRIMARY KEY, parameters TEXT NOT NULL, run TEXT NOT NULL,"
        " state TEXT NOT NULL CHECK (state IN ('done', 'failed')), text TEXT NOT NULL,"
        " visible TEXT NOT NULL, wire TEXT NOT NULL, edge TEXT NOT NULL);"
        "INSERT INTO study VALUES (%Q, %Q, '%016llx', '%016llx', %Q, %u)",
        sweep->name, sweep->path, (unsigned long long)sweep->definition,
        (unsigned long long)sweep->model, HUBSIM_VERSION, sweep->n);
}

static _Noreturn void refuse_study(const struct lab_sweep_db *db, const struct lab_sweep *sweep,
                                   const char *what)
{
    load_raise(SIM_ERR_CONFIG,
               "%s: its results were made by other %s than %s has now: --fresh sets them "
               "aside and begins anew, --out takes another folder",
               db->path, what, sweep->path);
}

static void check_study(const struct lab_sweep_db *db, const struct lab_sweep *sweep,
                        uint64_t model)
{
    struct load_arena arena = { 0 };
    sqlite3_stmt *statement =
        prepare_query(db, "SELECT definition, model, sweep FROM study", &arena);

    if (sqlite3_step(statement) != SQLITE_ROW)
        fail_db(db);
    if (strcmp(text_of(statement, 2), sweep->name) != 0)
        load_raise(SIM_ERR_CONFIG, "%s: holds the sweep %s: expected %s", db->path,
                   text_of(statement, 2), sweep->name);
    if (hash_of(statement, 0) != sweep->definition)
        refuse_study(db, sweep, "points");
    if (model != 0 && hash_of(statement, 1) != model)
        refuse_study(db, sweep, "programs or machine files");
    load_arena_fini(&arena);
}

/**
 * WAL: a commit is one write, and others may read meanwhile. Not each is forced to the disk: a kill
 * loses nothing of what the kernel has, a power cut the last rows, which are then run again. Where
 * there is no WAL (file systems without shared memory), SQLite keeps its journal.
 */
static void set_up(const struct lab_sweep_db *db, const struct lab_sweep *sweep, uint64_t model)
{
    int64_t tables, id;

    (void)sqlite3_busy_timeout(db->sql, BUSY_MS);
    execute_text(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
    tables = query_number(db, "SELECT count(*) FROM sqlite_master");
    id = query_number(db, "PRAGMA application_id");
    if (tables == 0)
        make_study(db, sweep);
    else if (id != strtol(APPLICATION_ID, NULL, 0))
        load_raise(SIM_ERR_CONFIG, "%s: expected the database of a sweep", db->path);
    else
        check_study(db, sweep, model);
    execute_text(db, "COMMIT");
}

static void close_sql(void *sql)
{
    (void)sqlite3_close(sql);
}

/** Closed with the arena, also what could not be opened. @return the result code of SQLite */
static int open_sql(const char *path, struct load_arena *arena, sqlite3 **sql_p)
{
    int code = sqlite3_open(path, sql_p);

    (void)load_own(arena, close_sql, *sql_p);
    return code;
}

struct lab_sweep_db *lab_sweep_db_open(const char *path, const struct lab_sweep *sweep,
                                       uint64_t model)
{
    struct load_arena arena = { 0 };
    struct lab_sweep_db *db = load_alloc(&arena, sizeof(*db));

    db->arena = arena;
    db->path = load_text(&db->arena, "%s", path);
    if (open_sql(path, &db->arena, &db->sql) != SQLITE_OK)
        fail_db(db);
    set_up(db, sweep, model);
    return db;
}

void lab_sweep_db_close(struct lab_sweep_db *db)
{
    if (db != NULL)
        load_arena_fini(&db->arena);
}

/** What a killed process left in the log belongs into this file, not into the next of its name. */
static void finish_log(const char *path)
{
    struct load_arena arena = { 0 };
    sqlite3 *sql;
    int code = open_sql(path, &arena, &sql);

    if (code == SQLITE_OK)
        (void)sqlite3_busy_timeout(sql, BUSY_MS);
    if (code == SQLITE_OK)
        code = sqlite3_exec(sql, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    if (code != SQLITE_OK && code != SQLITE_NOTADB)
        load_raise(SIM_ERR_IO, "%s: %s", path, sqlite3_errmsg(sql));
    load_arena_fini(&arena);
}

void lab_sweep_db_set_aside(const char *path)
{
    struct load_arena arena = { 0 };
    const char *aside;

    if (access(path, F_OK) != 0)
        return;
    finish_log(path);
    for (unsigned i = 1; access(aside = load_text(&arena, "%s.%u", path, i), F_OK) == 0;)
        i++;
    if (rename(path, aside) != 0)
        load_raise(SIM_ERR_IO, "%s: cannot become %s: %s", path, aside, strerror(errno));
    load_arena_fini(&arena);
}

/* ---- rows ----------------------------------------------------------------------------------- */

void lab_sweep_db_add(struct lab_sweep_db *db, const struct lab_sweep_row *row)
{
    /* Outside of BEGIN, so it commits by itself. */
    execute_text(db,
                 "INSERT INTO point VALUES (%u, %Q, %Q, %Q, %Q, '%016llx', '%016llx', '%016llx')",
                 row->point, row->parameters, row->run, row->rc == SIM_OK ? "done" : "failed",
                 row->text, (unsigned long long)row->print.visible,
                 (unsigned long long)row->print.wire, (unsigned long long)row->print.edge);
}

void lab_sweep_db_each(struct lab_sweep_db *db, lab_sweep_row_fn fn, void *arg)
{
    struct load_arena arena = { 0 };
    sqlite3_stmt *statement = prepare_query(
        db, "SELECT id, parameters, run, state, text, visible, wire, edge FROM point ORDER BY id",
        &arena);
    int step;

    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        fn(arg,
           &(struct lab_sweep_row){
               .point = (unsigned)sqlite3_column_int64(statement, 0),
               .parameters = text_of(statement, 1),
               .run = text_of(statement, 2),
               .rc = strcmp(text_of(statement, 3), "done") == 0 ? SIM_OK : SIM_ERR_IO,
               .text = text_of(statement, 4),
               .print = { hash_of(statement, 5), hash_of(statement, 6), hash_of(statement, 7) },
           });
    if (step != SQLITE_DONE)
        fail_db(db);
    load_arena_fini(&arena);
}

/* ---- the lock ---- */

/** A lock of its own file: closing any descriptor of the database would end SQLite's locks. */
int lab_sweep_lock(const char *path)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), code;
    bool known;

    if (fd < 0)
        load_raise(SIM_ERR_IO, "%s: %s: expected a writable file", path, strerror(errno));
    if (fcntl(fd, F_SETLK, &lock) == 0)
        return fd;
    code = errno;
    known = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    (void)close(fd);
    if (code != EACCES && code != EAGAIN)
        load_raise(SIM_ERR_IO, "%s: cannot be locked: %s", path, strerror(code));
    if (known)
        load_raise(SIM_ERR_IO, "%s: the sweep is being run by process %ld", path, (long)lock.l_pid);
    load_raise(SIM_ERR_IO, "%s: the sweep is being run by another process", path);
}
