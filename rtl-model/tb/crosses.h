/*
 * What a record has in it: events, and for each packet what it was, from where to where, and what
 * it had to wait for.
 */
#ifndef TB_CROSSES_H
#define TB_CROSSES_H

#include "record.h"

#include <map>

struct Report {
    uint64_t tlps = 0, edges = 0, records = 0;
    std::array<uint64_t, kEvents> events = {};
    std::map<std::string, uint64_t> crosses; /* 0: could happen, and did not */
    std::map<std::string, uint64_t> clocks;  /* by 100 ps of the phase, and ppm of 250 MHz */
    uint64_t unexplained = 0;                /* edges at which a packet could have gone */
};

/** Adds what is in a record. */
void count_crosses(const Record &record, const ForwardParams &params, Report *report);
/** Appends lines to a file: sort | name | count. */
bool write_report(const Report &report, const char *file);

#endif
