// Running a recorded program over blocks of elements: each step is one loop per field level, so the op is decided once per
// block and the loops are plain.

#include "core/sample/element_program.h"
#include "core/sample/order.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace lemmascope::sampling {

namespace {

constexpr std::size_t Block = 128;
constexpr double Ulp = 0x1p-52; ///< rounding of the real samples themselves, kept in their errors

using Code = ElementProgram::Code;
using Step = ElementProgram::Step;

/// Where the elements of one step stand: in the operand itself or in scratch.
struct Lane {
    std::array<const std::uint64_t*, MaxLevels> f{};
    const double* r = nullptr;
    const double* e = nullptr;
    const std::int64_t* i = nullptr;
};

struct Buffer {
    std::array<std::uint64_t, MaxLevels * Block> fields;
    std::array<double, Block> values;
    std::array<double, Block> errors;
    std::array<std::int64_t, Block> integers;
};

class Runner {
  public:
    Runner(const ElementProgram& program, const std::vector<ElementProgram::Constant>& constants, std::size_t levels,
           const std::vector<ElementProgram::Operand>& operands, ElementProgram::Outcome& outcome)
        : m_program(program), m_constants(constants), m_levels(levels), m_operands(operands), m_outcome(outcome), m_buffers(program.length()),
          m_lanes(program.length()) {}

    void block(std::size_t begin, std::size_t count, const MutableSlice& out);

  private:
    const ElementProgram& m_program;
    const std::vector<ElementProgram::Constant>& m_constants;
    std::size_t m_levels;
    const std::vector<ElementProgram::Operand>& m_operands;
    ElementProgram::Outcome& m_outcome;
    std::vector<Buffer> m_buffers;
    std::vector<Lane> m_lanes;
    std::size_t m_count = 0;

    void real(std::size_t at, const Step& step);
    void divide(const Lane& a, const Lane& b, Buffer& out);
    void extreme(std::size_t at, const Step& step, const Lane& a, const Lane& b, Buffer& out);
    void concrete(std::size_t at, const Step& step);
    void load(std::size_t at, const Step& step, std::size_t begin);
    void squareRoot(const Lane& a, std::size_t top, Buffer& out);
    void roundTo(std::size_t at, const Step& step, const Lane& a, std::size_t top, Buffer& out);
    void hash(const Step& step, Buffer& out);
    void put(Buffer& out, std::size_t i, double whole) const {
        for (std::size_t l = 0; l < m_levels; ++l) {
            out.fields[l * Block + i] = field(l).fromDouble(whole);
        }
        out.values[i] = whole;
        out.errors[i] = 0.0;
    }
    void decided(std::size_t at, bool way) { m_outcome.decided[at] = static_cast<std::uint8_t>(m_outcome.decided[at] | (way ? 1U : 2U)); }
    void drop() { m_outcome.dropped = true; }
};

void Runner::load(std::size_t at, const Step& step, std::size_t begin) {
    const ElementProgram::Operand& operand = m_operands[static_cast<std::size_t>(step.data)];
    Lane& lane = m_lanes[at];
    if (operand.index == nullptr) {
        for (std::size_t l = 0; l < m_levels && step.kind == Kind::Real; ++l) {
            lane.f[l] = operand.slice.fields[l] + begin;
        }
        lane.r = step.kind == Kind::Real ? operand.slice.values + begin : nullptr;
        lane.e = step.kind == Kind::Real ? operand.slice.errors + begin : nullptr;
        lane.i = step.kind == Kind::Real ? nullptr : operand.slice.integers + begin;
        return;
    }
    Buffer& buffer = m_buffers[at];
    const std::uint32_t* index = operand.index + begin;
    if (step.kind == Kind::Real) {
        for (std::size_t l = 0; l < m_levels; ++l) {
            for (std::size_t i = 0; i < m_count; ++i) {
                buffer.fields[l * Block + i] = operand.slice.fields[l][index[i]];
            }
        }
        for (std::size_t i = 0; i < m_count; ++i) {
            buffer.values[i] = operand.slice.values[index[i]];
            buffer.errors[i] = operand.slice.errors[index[i]];
        }
    } else {
        for (std::size_t i = 0; i < m_count; ++i) {
            buffer.integers[i] = operand.slice.integers[index[i]];
        }
    }
}

void Runner::divide(const Lane& a, const Lane& b, Buffer& out) {
    for (std::size_t l = 0; l < m_levels; ++l) {
        // One inversion for the block: running products, then back.
        const PrimeField& p = field(l);
        std::array<std::uint64_t, Block> before{};
        std::uint64_t product = p.one();
        for (std::size_t i = 0; i < m_count; ++i) {
            before[i] = product;
            if (b.f[l][i] == 0) {
                drop();
            } else {
                product = p.mul(product, b.f[l][i]);
            }
        }
        std::uint64_t inverse = p.inverse(product);
        for (std::size_t i = m_count; i-- > 0;) {
            if (b.f[l][i] == 0) {
                out.fields[l * Block + i] = 0;
                continue;
            }
            out.fields[l * Block + i] = p.mul(a.f[l][i], p.mul(inverse, before[i]));
            inverse = p.mul(inverse, b.f[l][i]);
        }
    }
    for (std::size_t i = 0; i < m_count; ++i) {
        const double size = std::abs(b.r[i]);
        out.values[i] = a.r[i] / b.r[i];
        out.errors[i] = (a.e[i] + std::abs(out.values[i]) * b.e[i]) / std::max(size - b.e[i], size / 2) + std::abs(out.values[i]) * Ulp;
        if (b.r[i] == 0.0) {
            drop();
        }
    }
}

void Runner::extreme(std::size_t at, const Step& step, const Lane& a, const Lane& b, Buffer& out) {
    const std::size_t top = step.traits.top;
    for (std::size_t i = 0; i < m_count; ++i) {
        const Order order = orderOf(a.f[top][i], a.r[i], a.e[i], b.f[top][i], b.r[i], b.e[i]);
        if (order == Order::TooClose) {
            drop();
        }
        const bool second = order == (step.code == Code::Max ? Order::Less : Order::Greater);
        if (order != Order::Same) {
            decided(at, second);
        }
        const Lane& from = second ? b : a;
        for (std::size_t l = 0; l < m_levels; ++l) {
            out.fields[l * Block + i] = from.f[l][i];
        }
        out.values[i] = from.r[i];
        out.errors[i] = from.e[i];
    }
}

void Runner::squareRoot(const Lane& a, std::size_t top, Buffer& out) {
    for (std::size_t i = 0; i < m_count; ++i) {
        const double root = std::sqrt(a.r[i]);
        // A root that is a short number is that number: sqrt(64) = 8, whatever the squares of the field are.
        const bool isShort = std::remainder(root, 0x1p-10) == 0.0 && root < 0x1p20 && root > 0.0;
        if (isShort) {
            const std::uint64_t whole = field(top).fromDouble(root);
            if (field(top).mul(whole, whole) == a.f[top][i]) {
                put(out, i, root);
                continue;
            }
        }
        for (std::size_t l = 0; l < m_levels; ++l) {
            out.fields[l * Block + i] = field(l).root(a.f[l][i]);
        }
        out.values[i] = root;
        out.errors[i] = root > 0.0 ? std::min(a.e[i] / (2 * root) * 1.1, std::sqrt(a.e[i]) + a.e[i] / root) + root * Ulp : std::sqrt(a.e[i]);
    }
}

void Runner::roundTo(std::size_t at, const Step& step, const Lane& a, std::size_t top, Buffer& out) {
    const auto how = static_cast<Rounding>(step.data);
    for (std::size_t i = 0; i < m_count; ++i) {
        double r = a.r[i];
        if (!(std::abs(r) < 0x1p60)) {
            drop();
            put(out, i, 0.0);
            continue;
        }
        const std::optional<double> known = wholeValue(top, a.f[top][i], r, 2);
        if (known) {
            r = *known;
        } else {
            // Where the function steps: at whole numbers, or half-way between them.
            const double place = how == Rounding::HalfEven ? r + 0.5 : r;
            if (std::abs(place - std::nearbyint(place)) <= Margin * std::max(1.0, std::abs(r))) {
                drop();
            }
        }
        const double whole = how == Rounding::Down     ? std::floor(r)
                             : how == Rounding::Up     ? std::ceil(r)
                             : how == Rounding::ToZero ? std::trunc(r)
                                                       : std::nearbyint(r);
        decided(at, whole == 0.0);
        put(out, i, whole);
    }
}

void Runner::hash(const Step& step, Buffer& out) {
    // One hash per level, over all arguments in order; an odd function hashes the smaller of x and -x.
    const bool isReal = step.kind == Kind::Real;
    for (std::size_t i = 0; i < m_count; ++i) {
        const auto at = [&](std::size_t level, bool& negative) {
            std::uint64_t key = step.key;
            for (const std::uint32_t argument : step.arguments) {
                const Lane& lane = m_lanes[argument];
                if (m_program.steps()[argument].kind != Kind::Real) {
                    key = mixed(key, static_cast<std::uint64_t>(lane.i[i]));
                    continue;
                }
                std::uint64_t x = lane.f[level][i];
                if (step.code == Code::Odd) {
                    const std::uint64_t other = field(level).negated(x);
                    negative = other < x;
                    x = std::min(x, other);
                }
                key = mixed(key, x);
            }
            return key;
        };
        bool negative = false;
        const std::uint64_t exact = at(step.traits.top, negative);
        if (!isReal) {
            out.integers[i] = static_cast<std::int64_t>(exact & (step.kind == Kind::Boolean ? 1U : 3U));
            continue;
        }
        for (std::size_t l = 0; l < m_levels; ++l) {
            negative = false;
            const std::uint64_t h = field(l).fromHash(at(l, negative));
            out.fields[l * Block + i] = negative || (step.code == Code::Odd && m_lanes[step.arguments[0]].f[l][i] == 0)
                                            ? (m_lanes[step.arguments[0]].f[l][i] == 0 ? 0 : field(l).negated(h))
                                            : h;
        }
        if (step.data >= 0) {
            const double x = step.arguments.empty() ? 0.0 : m_lanes[step.arguments[0]].r[i];
            const double e = step.arguments.empty() ? 0.0 : m_lanes[step.arguments[0]].e[i];
            out.values[i] = realFunction(step.data, x);
            out.errors[i] =
                1.1 * std::max(std::abs(realFunction(step.data, x + e) - out.values[i]), std::abs(realFunction(step.data, x - e) - out.values[i])) +
                std::abs(out.values[i]) * Ulp;
        } else {
            out.values[i] = std::ldexp(static_cast<double>(exact >> 11U), -52) - 1.0;
            out.errors[i] = 0.0;
        }
    }
}

void Runner::real(std::size_t at, const Step& step) {
    Buffer& out = m_buffers[at];
    const auto lane = [&](std::size_t k) -> const Lane& { return m_lanes[step.arguments[k]]; };
    const std::size_t n = m_count;
    switch (step.code) {
    case Code::Constant: {
        const ElementProgram::Constant& c = m_constants[static_cast<std::size_t>(step.data)];
        for (std::size_t l = 0; l < m_levels; ++l) {
            std::fill_n(out.fields.begin() + static_cast<std::ptrdiff_t>(l * Block), n, c.fields[l]);
        }
        std::fill_n(out.values.begin(), n, c.value);
        std::fill_n(out.errors.begin(), n, c.error);
        return;
    }
    case Code::Add:
    case Code::Sub: {
        const Lane& a = lane(0);
        const Lane& b = lane(1);
        const bool plus = step.code == Code::Add;
        for (std::size_t l = 0; l < m_levels; ++l) {
            const PrimeField& p = field(l);
            std::uint64_t* f = out.fields.data() + l * Block;
            for (std::size_t i = 0; i < n; ++i) {
                f[i] = plus ? p.add(a.f[l][i], b.f[l][i]) : p.sub(a.f[l][i], b.f[l][i]);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            out.values[i] = plus ? a.r[i] + b.r[i] : a.r[i] - b.r[i];
            out.errors[i] = a.e[i] + b.e[i] + (std::abs(a.r[i]) + std::abs(b.r[i])) * Ulp;
        }
        break;
    }
    case Code::Mul: {
        const Lane& a = lane(0);
        const Lane& b = lane(1);
        for (std::size_t l = 0; l < m_levels; ++l) {
            const PrimeField& p = field(l);
            std::uint64_t* f = out.fields.data() + l * Block;
            for (std::size_t i = 0; i < n; ++i) {
                f[i] = p.mul(a.f[l][i], b.f[l][i]);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double x = std::abs(a.r[i]);
            const double y = std::abs(b.r[i]);
            out.values[i] = a.r[i] * b.r[i];
            out.errors[i] = x * b.e[i] + y * a.e[i] + a.e[i] * b.e[i] + x * y * Ulp;
        }
        break;
    }
    case Code::Div: divide(lane(0), lane(1), out); break;
    case Code::Max:
    case Code::Min: extreme(at, step, lane(0), lane(1), out); return;
    case Code::Exp: {
        const Lane& a = lane(0);
        for (std::size_t l = 0; l < m_levels; ++l) {
            std::uint64_t* f = out.fields.data() + l * Block;
            for (std::size_t i = 0; i < n; ++i) {
                f[i] = l + 1 < m_levels ? exponential(l, a.f[l + 1][i]) : lastExponential(l, a.f[l][i]);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            out.values[i] = std::exp(a.r[i]);
            out.errors[i] = out.values[i] * (std::expm1(a.e[i]) + 2 * Ulp);
        }
        break;
    }
    case Code::Log: {
        const Lane& a = lane(0);
        for (std::size_t l = 0; l < m_levels; ++l) {
            std::uint64_t* f = out.fields.data() + l * Block;
            for (std::size_t i = 0; i < n; ++i) {
                if (l >= LogLevel && a.f[l - 1][i] == 0) {
                    drop();
                }
                f[i] = l >= LogLevel ? logarithm(l, a.f[l - 1][i]) : field(l).fromHash(mixed(0x6C6F67ULL, a.f[l][i]));
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            out.values[i] = std::log(a.r[i]);
            out.errors[i] = a.e[i] / std::abs(a.r[i]) * 1.1 + (std::abs(out.values[i]) + 1.0) * Ulp;
        }
        break;
    }
    case Code::Sqrt: squareRoot(lane(0), step.traits.top, out); break;
    case Code::Round: roundTo(at, step, lane(0), m_program.steps()[step.arguments[0]].traits.top, out); return;
    case Code::Rounded: {
        const Lane& a = lane(0);
        const std::size_t top = m_program.steps()[step.arguments[0]].traits.top;
        const auto nearest = [&](double x) {
            return step.type == ElementType::F16    ? static_cast<double>(halfToFloat(doubleToHalf(x)))
                   : step.type == ElementType::BF16 ? static_cast<double>(bfloatToFloat(doubleToBfloat(x)))
                                                    : static_cast<double>(static_cast<float>(x));
        };
        for (std::size_t i = 0; i < n; ++i) {
            const double r = a.r[i];
            const double to = nearest(r);
            const double noise = std::abs(r) * 0x1p-44;
            const bool known = std::isfinite(to) && field(top).fromDouble(to) == a.f[top][i];
            if (!known && (nearest(r + noise) != to || nearest(r - noise) != to || !std::isfinite(to))) {
                drop();
            }
            put(out, i, std::isfinite(to) ? to : 0.0);
        }
        return;
    }
    case Code::Choose: {
        for (std::size_t i = 0; i < n; ++i) {
            const bool first = lane(0).i[i] != 0;
            decided(at, first);
            const Lane& from = lane(first ? 1 : 2);
            for (std::size_t l = 0; l < m_levels; ++l) {
                out.fields[l * Block + i] = from.f[l][i];
            }
            out.values[i] = from.r[i];
            out.errors[i] = from.e[i];
        }
        return;
    }
    case Code::RealOfInteger:
    case Code::RealOfBoolean:
        for (std::size_t l = 0; l < m_levels; ++l) {
            for (std::size_t i = 0; i < n; ++i) {
                out.fields[l * Block + i] = fieldOf(lane(0).i[i], step.from, l);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            out.values[i] = realOf(lane(0).i[i], step.from);
            out.errors[i] = 0.0;
        }
        return;
    case Code::Odd:
    case Code::Hash: hash(step, out); break;
    default: break;
    }
    // A NaN out of operands that are none is an infinity against an infinity: nothing is known there. Outside a function's
    // domain (sqrt, log and the like) the value is undefined, which stands as NaN.
    const bool arithmetic = step.code == Code::Add || step.code == Code::Sub || step.code == Code::Mul || step.code == Code::Div;
    for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(out.errors[i])) {
            out.errors[i] = 0.0;
        }
        if (arithmetic && std::isnan(out.values[i]) && !std::isnan(lane(0).r[i]) && !std::isnan(lane(1).r[i])) {
            drop();
        }
    }
}

void Runner::concrete(std::size_t at, const Step& step) {
    std::array<std::int64_t, Block>& out = m_buffers[at].integers;
    const auto lane = [&](std::size_t k) -> const Lane& { return m_lanes[step.arguments[k]]; };
    for (std::size_t i = 0; i < m_count; ++i) {
        switch (step.code) {
        case Code::Constant: out[i] = m_constants[static_cast<std::size_t>(step.data)].integer; break;
        case Code::Less:
        case Code::Equal: {
            const std::size_t top = std::max(m_program.steps()[step.arguments[0]].traits.top, m_program.steps()[step.arguments[1]].traits.top);
            const Order order = orderOf(lane(0).f[top][i], lane(0).r[i], lane(0).e[i], lane(1).f[top][i], lane(1).r[i], lane(1).e[i]);
            if (order == Order::TooClose) {
                drop();
            }
            out[i] = order == (step.code == Code::Less ? Order::Less : Order::Same) ? 1 : 0;
            decided(at, out[i] != 0);
            break;
        }
        case Code::Not: out[i] = lane(0).i[i] == 0 ? 1 : 0; break;
        case Code::And: out[i] = lane(0).i[i] != 0 && lane(1).i[i] != 0 ? 1 : 0; break;
        case Code::Xor: out[i] = (lane(0).i[i] != 0) != (lane(1).i[i] != 0) ? 1 : 0; break;
        case Code::Choose:
            out[i] = lane(lane(0).i[i] != 0 ? 1 : 2).i[i];
            decided(at, lane(0).i[i] != 0);
            break;
        case Code::IntegerOp: {
            const std::int64_t second = step.arguments.size() > 1 ? lane(1).i[i] : 0;
            const std::optional<std::int64_t> value = integerResult(static_cast<IntegerOp>(step.data), lane(0).i[i], second, step.type);
            if (!value) {
                drop();
            }
            out[i] = value.value_or(0);
            break;
        }
        case Code::IntegerLess: out[i] = integerIsLess(lane(0).i[i], lane(1).i[i], step.type) ? 1 : 0; break;
        case Code::IntegerEqual: out[i] = lane(0).i[i] == lane(1).i[i] ? 1 : 0; break;
        case Code::IntegerOfReal: {
            const Lane& a = lane(0);
            const std::size_t top = m_program.steps()[step.arguments[0]].traits.top;
            double r = a.r[i];
            if (!(std::abs(r) < 0x1p63)) {
                drop();
                out[i] = 0;
                break;
            }
            if (const std::optional<double> known = wholeValue(top, a.f[top][i], r)) {
                r = *known;
            } else if (step.data == 0 && std::nearbyint(r) != 0.0 && std::abs(r - std::nearbyint(r)) <= Margin * std::max(1.0, std::abs(r))) {
                drop();
            }
            out[i] = wrapped(static_cast<std::int64_t>(step.data == 0 ? std::trunc(r) : std::nearbyint(r)), step.type);
            decided(at, out[i] == 0);
            break;
        }
        case Code::IntegerOfInteger: out[i] = wrapped(lane(0).i[i], step.type); break;
        case Code::IntegerOfBoolean: out[i] = lane(0).i[i] != 0 ? 1 : 0; break;
        default: break;
        }
    }
    if (step.code == Code::Hash) {
        hash(step, m_buffers[at]);
    }
}

void Runner::block(std::size_t begin, std::size_t count, const MutableSlice& out) {
    m_count = count;
    const std::vector<Step>& steps = m_program.steps();
    for (std::size_t at = 0; at < steps.size(); ++at) {
        Lane& lane = m_lanes[at];
        for (std::size_t l = 0; l < m_levels; ++l) {
            lane.f[l] = m_buffers[at].fields.data() + l * Block;
        }
        lane.r = m_buffers[at].values.data();
        lane.e = m_buffers[at].errors.data();
        lane.i = m_buffers[at].integers.data();
        if (steps[at].code == Code::Read) {
            load(at, steps[at], begin);
        } else if (steps[at].kind == Kind::Real) {
            real(at, steps[at]);
        } else {
            concrete(at, steps[at]);
        }
    }
    const Lane& last = m_lanes.back();
    if (steps.back().kind == Kind::Real) {
        for (std::size_t l = 0; l < m_levels; ++l) {
            std::copy_n(last.f[l], count, out.fields[l] + begin);
        }
        std::copy_n(last.r, count, out.values + begin);
        std::copy_n(last.e, count, out.errors + begin);
    } else {
        std::copy_n(last.i, count, out.integers + begin);
    }
}

} // namespace

void ElementProgram::run(const std::vector<Operand>& operands, const MutableSlice& out, std::size_t begin, std::size_t end, Outcome& outcome) const {
    outcome.decided.resize(m_steps.size(), 0);
    Runner runner(*this, m_constants, m_levels, operands, outcome);
    for (std::size_t at = begin; at < end; at += Block) {
        runner.block(at, std::min(Block, end - at), out);
    }
}

} // namespace lemmascope::sampling
