// Cast and CastLike. Over the reals a Cast into a narrower float is the identity, and what leaves a type T reads its rounding
// to T (resources/docs/decisions/numbers.md); a machine rounds where the Cast stands. The enclosure holds both: after narrowing, the hull of the
// value and its rounding, marked `narrowed`; where a value leaves T, its rounding, joined with the value itself unless it is so marked (the result of
// a computing op that both sides share is read as it is).
//
// A float outside an integer type's range converts as x86's instructions do in a C++ cast, which is what ONNX Runtime runs:
// 8- and 16-bit types through i32, u32 through i64; "integer indefinite" (the smallest number) where those overflow.

#include "core/eval/kernel_table.h"

#include <array>
#include <cmath>
#include <limits>

namespace lemmascope {

namespace {

constexpr std::int64_t Indefinite64 = std::numeric_limits<std::int64_t>::min();

std::int64_t truncatedTo64(double value) { return value >= -0x1p63 && value < 0x1p63 ? static_cast<std::int64_t>(value) : Indefinite64; }

std::int64_t truncatedTo32(double value) {
    const double whole = std::trunc(value);
    return whole >= -0x1p31 && whole < 0x1p31 ? static_cast<std::int64_t>(whole) : -(std::int64_t{1} << 31);
}

/// Bits of the integer a float becomes; the caller keeps the low ones of the type's width.
std::int64_t truncatedFor(ElementType target, double value) {
    switch (target) {
    case ElementType::I64:
    case ElementType::U32: return truncatedTo64(value);
    case ElementType::U64:
        if (value >= 0x1p63) {
            const auto above = static_cast<std::uint64_t>(truncatedTo64(value - 0x1p63));
            return static_cast<std::int64_t>(above ^ (std::uint64_t{1} << 63U));
        }
        return truncatedTo64(value);
    default: return truncatedTo32(value);
    }
}

Interval truncatedFor(ElementType target, const Interval& value) {
    Interval out = interval::rangeOf(target);
    if (value.isUndefined()) {
        out.mayBeUndefined = true;
        return out;
    }
    const Interval whole = interval::trunc(value);
    if (whole.lo >= out.lo && whole.hi <= out.hi && (bitWidth(target) < 64 || whole.hi < out.hi)) {
        return whole;
    }
    out.mayBeUndefined = value.mayBeUndefined;
    return out;
}

Interval truthOf(const Interval& value) {
    if (value.isUndefined()) {
        return {0.0, 1.0, true}; // NaN casts to true; over the reals there is no answer
    }
    const bool mayBeZero = value.lo <= 0.0 && value.hi >= 0.0;
    const bool zero = value.lo == 0.0 && value.hi == 0.0;
    return {mayBeZero || value.mayBeUndefined ? 0.0 : 1.0, zero && !value.mayBeUndefined ? 0.0 : 1.0, value.mayBeUndefined};
}

bool narrows(ElementType from, ElementType to) { return isFloat(to) && (!isFloat(from) || significandBits(to) < significandBits(from)); }

void castIntervals(NodeRun& run, ElementType from, ElementType to) {
    std::vector<Interval> values = run.numbers<Interval>(0);
    const bool leaves = isFloat(from) && !narrows(from, to);
    const bool narrowed = run.in(0).narrowed;
    for (Interval& value : values) {
        if (leaves) {
            const Interval rounded = interval::roundedTo(from, value);
            value = narrowed ? rounded : interval::hull(value, rounded);
        }
        if (to == ElementType::Bool) {
            value = truthOf(value);
        } else if (isFloat(to)) {
            value = significandBits(to) >= significandBits(from) && isFloat(from) && from != ElementType::BF16
                        ? value
                        : interval::hull(value, interval::roundedTo(to, value));
        } else if (isFloat(from)) {
            value = truncatedFor(to, value);
        }
    }
    std::optional<Array> out = run.make(to, run.in(0).shape(), true);
    if (out) {
        writeElements<Interval>(*out, 0, values);
        out->narrowed = narrows(from, to) || (isFloat(to) && narrowed && from != to);
        run.give(0, std::move(*out));
    }
}

void castTo(NodeRun& run, ElementType to) {
    const Array& data = run.in(0);
    const ElementType from = data.element();
    if (run.stopped()) {
        return;
    }
    if (from == to) {
        Array same = data;
        run.give(0, std::move(same));
        return;
    }
    if (!isComputable(from) || !isComputable(to)) {
        run.open();
        return;
    }
    if (run.enclosing() && (isFloat(from) || isFloat(to) || data.isInterval())) {
        castIntervals(run, from, to);
        return;
    }
    std::optional<Array> out = run.make(to, data.shape());
    if (!out) {
        return;
    }
    constexpr std::int64_t Chunk = 1024;
    for (std::int64_t begin = 0; begin < data.count() && run.tick(Chunk); begin += Chunk) {
        const auto count = static_cast<std::size_t>(std::min(Chunk, data.count() - begin));
        if (isFloat(from)) {
            std::array<double, Chunk> values{};
            const std::span<double> part(values.data(), count);
            readElements<double>(data, begin, 1, part);
            std::array<std::int64_t, Chunk> whole{};
            for (std::size_t i = 0; i < count; ++i) {
                // In Double mode the value may hold more digits than its type: it leaves the type rounded.
                const double value = narrows(from, to) ? values[i] : interval::roundedTo(from, values[i]);
                values[i] = isFloat(to) ? interval::roundedTo(to, value) : to == ElementType::Bool ? (value != 0.0 ? 1.0 : 0.0) : 0.0;
                whole[i] = isFloat(to) || to == ElementType::Bool ? static_cast<std::int64_t>(to == ElementType::Bool ? values[i] : 0.0)
                                                                  : truncatedFor(to, value);
            }
            if (isFloat(to)) {
                writeElements<double>(*out, begin, part);
            } else {
                writeElements<std::int64_t>(*out, begin, std::span<const std::int64_t>(whole.data(), count));
            }
        } else if (from == ElementType::U64) {
            std::array<std::uint64_t, Chunk> values{};
            const std::span<std::uint64_t> part(values.data(), count);
            readElements<std::uint64_t>(data, begin, 1, part);
            writeElements<std::uint64_t>(*out, begin, part);
        } else {
            std::array<std::int64_t, Chunk> values{};
            const std::span<std::int64_t> part(values.data(), count);
            readElements<std::int64_t>(data, begin, 1, part);
            writeElements<std::int64_t>(*out, begin, part);
        }
    }
    if (out->tensor().element() != to && isFloat(to) && !isFloat(from)) {
        // An integer becomes a float of type `to` though Double mode stores f64.
        const std::span<double> stored(reinterpret_cast<double*>(out->mutableData()), static_cast<std::size_t>(out->count()));
        for (double& value : stored) {
            value = interval::roundedTo(to, value);
        }
    }
    if (!run.stopped()) {
        run.give(0, std::move(*out));
    }
}

void cast(NodeRun& run) {
    const ElementType to = run.elementType("to", ElementType::Undefined);
    if (to == ElementType::Undefined) {
        run.fail("attribute 'to' is missing or names no type");
        return;
    }
    castTo(run, to);
}

void castLike(NodeRun& run) { castTo(run, run.in(1).element()); }

constexpr Kernel Kernels[] = {
    {"", "Cast", 1, 0, KernelTypes::Any, cast},
    {"", "CastLike", 15, 0, KernelTypes::Any, castLike},
};

} // namespace

std::span<const Kernel> castKernels() { return Kernels; }

} // namespace lemmascope
