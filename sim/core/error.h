/*
 * Errors: a code, and one message with what it is about. Functions return the code and leave the
 * message in the caller's struct.
 */
#ifndef SIM_CORE_ERROR_H
#define SIM_CORE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SIM_BEGIN_DECLS extern "C" {
#define SIM_END_DECLS   }
#else
#define SIM_BEGIN_DECLS
#define SIM_END_DECLS
#endif

SIM_BEGIN_DECLS

enum sim_status {
    SIM_OK = 0,
    SIM_ERR_CONFIG = -1, /* a value given by the user is wrong; sim_error has the line */
    SIM_ERR_NOMEM = -2,
    SIM_ERR_UNCLAIMED = -3, /* no device claims this address: an Unsupported Request */
    SIM_ERR_STALLED = -4,   /* work is left and no event will ever do it */
    SIM_ERR_IO = -5,
    SIM_ERR_LIMIT = -6, /* a time or size limit given by the user was reached */
};

/** What an error is about, for callers that know more of it than the function that found it. */
enum sim_cause {
    SIM_CAUSE_OTHER,
    SIM_CAUSE_VALUE,    /* parameter `key` has `value` */
    SIM_CAUSE_DEADLOCK, /* some wait for each other in a circle; the text names them */
};

/** One located message, written by the function that knows the reason. */
struct sim_error {
    int code;
    char text[1024];
    enum sim_cause cause;
    char key[40]; /* a parameter, or the end of one: "lanes" of "e.link.lanes" */
    uint64_t value;
    bool headed;  /* the text says whose parameter it is: sim_error_value() had a head */
    bool located; /* the text begins with a file and a line */
    size_t head;  /* bytes of the text that say where, and ": " */
};

/** Keeps the first message: does nothing when `err` is NULL or already set. @return `code`. */
int sim_error_set(struct sim_error *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/** About a value that the user gave: "`head``key` = `value`: ..."; the head, or "", says whose. */
int sim_error_value(struct sim_error *err, int code, const char *head, const char *key,
                    uint64_t value, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/** About a choice, which the user gave as a word. */
int sim_error_choice(struct sim_error *err, int code, const char *head, const char *key,
                     uint64_t value, const char *word, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
/** Headed by what it is about, and ": ". The end of a long one is shown: what `fmt` says has half
 * of the room. */
int sim_error_set_behind(struct sim_error *err, int code, const char *head, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/** Headed by the line that it is about. `file` NULL: none is known; `line` 0: an option of a
 * command line. */
int sim_error_set_at(struct sim_error *err, int code, const char *file, unsigned line,
                     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/** The text without the option that it begins with, for one who knows a better place. A file and a
 * line stay: they say which one. */
const char *sim_error_why(const struct sim_error *err);

/** Breaks of our own rules; on in every build. Prints where, then aborts. */
#define SIM_ASSERT(cond) ((cond) ? (void)0 : sim_assert_fail(#cond, __FILE__, __LINE__))
void sim_assert_fail(const char *cond, const char *file, int line) __attribute__((noreturn));

SIM_END_DECLS
#endif /* SIM_CORE_ERROR_H */
