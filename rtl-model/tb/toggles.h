/*
 * Which bits of the core's signals rise and fall, in a library that rtl-model/verilate --coverage
 * made.
 */
#ifndef TB_TOGGLES_H
#define TB_TOGGLES_H

#include "verilated.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

class Toggles
{
  public:
    /** Counts from the values that the signals of `context` have now. Memories are left out: what
     * they are written with and read as are signals. So are the clock, and the variables of loops.
     */
    explicit Toggles(VerilatedContext &context);
    /** To be called once a cycle, when all is settled and the clock is about to rise. */
    void sample();
    /** A line for each signal: its place, its name, and for each bit, the highest one first, `+` if
     * it rose and fell, `r` or `f` if it did one of them, `-` if none. @return whether `file` could
     * be written */
    bool write(const std::string &file) const;

  private:
    template <typename T> struct Part { /* a signal, or 32 bits of one */
        const T *data;
        T last, rose, fell;
    };
    template <typename T> using Parts = std::vector<Part<T>>;
    struct Signal {
        std::string place, name;
        unsigned bits;
        VerilatedVarType type;
        size_t part; /* the first one, with the lowest bits */
    };
    /* By their types, since this is what takes the time. */
    std::tuple<Parts<uint8_t>, Parts<uint16_t>, Parts<uint32_t>, Parts<uint64_t>> parts;
    std::vector<Signal> signals;

    template <typename T> void add(Signal signal, const void *data);
    template <typename T> std::string bits_of(const Signal &signal) const;
};

#endif
