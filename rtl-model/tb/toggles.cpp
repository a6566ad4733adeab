/* Signals by the table that Verilator keeps for the VPI. */
#include "toggles.h"

#include "verilated_syms.h"

#include <cstring>
#include <fstream>

Toggles::Toggles(VerilatedContext &context)
{
    for (const auto &scope : *context.scopeNameMap()) {
        const VerilatedVarNameMap *vars = scope.second->varsp();

        if (vars == nullptr ||
            strcmp(scope.first, "TOP.TOP") == 0 ||         /* the core's ports, once more */
            strstr(scope.first, ".unnamedblk") != nullptr) /* loops */
            continue;
        for (const auto &entry : *vars) {
            const VerilatedVar &var = entry.second;
            unsigned bits = var.dims() == 0 ? 1 : static_cast<unsigned>(var.packed().elements());
            Signal signal = { scope.first, entry.first, bits, var.vltype(), 0 };

            if (var.isParam() || var.udims() != 0 || signal.name == "clk_i")
                continue;
            switch (signal.type) {
            case VLVT_UINT8:
                add<uint8_t>(signal, var.datap());
                break;
            case VLVT_UINT16:
                add<uint16_t>(signal, var.datap());
                break;
            case VLVT_UINT64:
                add<uint64_t>(signal, var.datap());
                break;
            default:
                add<uint32_t>(signal, var.datap());
                break;
            }
        }
    }
}

template <typename T> void Toggles::add(Signal signal, const void *data)
{
    auto &list = std::get<Parts<T>>(parts);
    const T *at = static_cast<const T *>(data);

    signal.part = list.size();
    for (unsigned bits = 0; bits < signal.bits; bits += 8 * sizeof(T), at++)
        list.push_back({ at, *at, 0, 0 });
    signals.push_back(signal);
}

template <typename T> static void sample_parts(T &list)
{
    for (auto &part : list) {
        auto now = *part.data;

        if (now == part.last)
            continue;
        part.rose |= now & ~part.last;
        part.fell |= part.last & ~now;
        part.last = now;
    }
}

void Toggles::sample()
{
    std::apply([](auto &...list) { (sample_parts(list), ...); }, parts);
}

template <typename T> std::string Toggles::bits_of(const Signal &signal) const
{
    constexpr unsigned kWidth = 8 * sizeof(T);
    std::string text;

    for (unsigned b = signal.bits; b-- != 0;) {
        const Part<T> &part = std::get<Parts<T>>(parts)[signal.part + b / kWidth];

        text += "-rf+"[(part.rose >> b % kWidth & 1) | (part.fell >> b % kWidth & 1) << 1];
    }
    return text;
}

bool Toggles::write(const std::string &file) const
{
    std::ofstream to(file);

    for (const Signal &s : signals)
        to << s.place << ' ' << s.name << ' '
           << (s.type == VLVT_UINT8    ? bits_of<uint8_t>(s)
               : s.type == VLVT_UINT16 ? bits_of<uint16_t>(s)
               : s.type == VLVT_UINT64 ? bits_of<uint64_t>(s)
                                       : bits_of<uint32_t>(s))
           << '\n';
    return static_cast<bool>(to.flush());
}
