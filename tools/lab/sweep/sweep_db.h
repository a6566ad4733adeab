/*
 * The database of a sweep: one file, one row for each point that has a result, one transaction
 * for each row. A process that is killed leaves whole rows and no half ones, at any moment.
 */
#ifndef LAB_SWEEP_DB_H
#define LAB_SWEEP_DB_H

#include "tools/lab/run/run.h"
#include "tools/lab/sweep/sweep.h"

SIM_BEGIN_DECLS

struct lab_sweep_db;

struct lab_sweep_row {
    unsigned point;         /* its index in the sweep */
    const char *parameters; /* JSON, of all axes */
    const char *run;        /* as lab_run_text() */
    int rc;                 /* SIM_OK: `text` has result lines, else the error */
    const char *text;
    struct sim_fingerprint print;
};

/**
 * Opens or makes it. One that was made for other points or by another model is an error;
 * `model` 0 takes any. Close it with lab_sweep_db_close(); an error that leaves does so, too.
 */
struct lab_sweep_db *lab_sweep_db_open(const char *path, const struct lab_sweep *sweep,
                                       uint64_t model);
void lab_sweep_db_close(struct lab_sweep_db *db);

/** Renames it to PATH.1, .2, ...; nothing happens where there is none. For who has the lock. */
void lab_sweep_db_set_aside(const char *path);

/** A second row of one point is an error. No kill takes it away again. */
void lab_sweep_db_add(struct lab_sweep_db *db, const struct lab_sweep_row *row);
/** Calls back for each row in the order of points; texts are valid during the call. */
typedef void (*lab_sweep_row_fn)(void *arg, const struct lab_sweep_row *row);
void lab_sweep_db_each(struct lab_sweep_db *db, lab_sweep_row_fn fn, void *arg);

/** One process at a time works on a sweep; the lock goes with the process, however it ends.
 * @return the descriptor that holds it */
int lab_sweep_lock(const char *path);

SIM_END_DECLS
#endif /* LAB_SWEEP_DB_H */
