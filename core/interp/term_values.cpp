#include "core/interp/term_values.h"

#include "core/eval/interval_math.h"
#include "core/interp/scalar.h"
#include "core/interp/term_graph.h"
#include "core/program/number.h"

#include <algorithm>
#include <cmath>

namespace lemmascope::interp {

namespace {

constexpr std::size_t MaxCone = 400'000;

std::uint64_t scrambled(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

/// A value as bounds: integers exactly or not at all.
struct Bound {
    Interval real;
    std::uint64_t bits = 0; ///< of integers and conditions
    bool known = true;      ///< false: an integer or condition that roundings decide
};

/// Bounds by term.
class BoundTable {
  public:
    explicit BoundTable(std::size_t terms) : m_places(terms) {}
    [[nodiscard]] bool contains(Term term) const { return m_places[term] != 0; }
    [[nodiscard]] const Bound& at(Term term) const { return m_bounds[m_places[term] - 1]; }
    [[nodiscard]] Bound& at(Term term) { return m_bounds[m_places[term] - 1]; }
    void put(Term term, const Bound& bound) {
        m_bounds.push_back(bound);
        m_places[term] = static_cast<std::uint32_t>(m_bounds.size());
    }

  private:
    std::vector<std::uint32_t> m_places;
    std::vector<Bound> m_bounds;
};

class Encloser {
  public:
    Encloser(const TermDag& dag, const TermValues& values) : m_dag(dag), m_values(values), m_bounds(dag.size()) {}

    /// Every term by itself, each operation rounded.
    void all(std::span<const Term> order) {
        for (const Term term : order) {
            compute(term);
        }
    }

    [[nodiscard]] Enclosures of(Term reference, Term rewritten) const {
        const Bound& a = m_bounds.at(reference);
        const Bound& b = m_bounds.at(rewritten);
        Enclosures out;
        if (!m_dag.node(reference).type.isFloat()) {
            out.apart = a.bits != b.bits && a.known && b.known;
            return out;
        }
        out.reference = a.real;
        out.rewritten = b.real;
        if (!a.known || !b.known) {
            return out;
        }
        if (a.real.isUndefined() || b.real.isUndefined()) {
            const Interval& other = a.real.isUndefined() ? b.real : a.real;
            out.apart = !other.isUndefined() && !other.mayBeUndefined;
        } else {
            out.apart = !a.real.mayBeUndefined && !b.real.mayBeUndefined && (a.real.hi < b.real.lo || b.real.hi < a.real.lo);
        }
        return out;
    }

    std::optional<Enclosures> run(Term reference, Term rewritten, std::uint64_t* steps) {
        const std::vector<Term> first = reached(m_dag, std::span(&reference, 1), MaxCone);
        const std::vector<Term> second = reached(m_dag, std::span(&rewritten, 1), MaxCone);
        if (steps != nullptr) {
            *steps += std::max(first.size() + second.size(), MaxCone / 100);
        }
        if (first.empty() || second.empty()) {
            return std::nullopt;
        }
        std::vector<Term> shared;
        std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(shared));
        // Shared terms: points, computed without rounding them to their types.
        for (const Term term : shared) {
            m_point = true;
            compute(term);
            Bound& made = m_bounds.at(term);
            if (made.known && m_dag.node(term).type.isFloat() && !made.real.isUndefined()) {
                const double middle = made.real.lo == made.real.hi ? made.real.lo : made.real.lo / 2 + made.real.hi / 2;
                made.real = interval::ofNumber(middle);
            }
        }
        m_point = false;
        for (const std::vector<Term>* side : {&first, &second}) {
            for (const Term term : *side) {
                if (!m_bounds.contains(term)) {
                    compute(term);
                }
            }
        }
        if (!m_bounds.at(reference).known || !m_bounds.at(rewritten).known) {
            return std::nullopt;
        }
        return of(reference, rewritten);
    }

  private:
    static Bound unknown() {
        Bound made;
        made.known = false;
        made.real = interval::whole(true);
        return made;
    }
    static Bound exactly(std::uint64_t bits) {
        Bound made;
        made.bits = bits;
        return made;
    }
    static Bound real(const Interval& value) {
        Bound made;
        made.real = value;
        return made;
    }

    void compute(Term term) {
        const TermNode& n = m_dag.node(term);
        m_bounds.put(term, bound(term, n));
    }

    Bound bound(Term term, const TermNode& n) {
        switch (n.kind) {
        case TermKind::Leaf: return n.type.isFloat() ? real(interval::ofNumber(doubleOf(n.type, m_values.bits[term]))) : exactly(m_values.bits[term]);
        case TermKind::Constant: {
            if (!n.type.isFloat()) {
                return exactly(m_dag.constantBits(term));
            }
            const double value = doubleOf(n.type, m_dag.constantBits(term));
            Interval made = interval::ofNumber(value);
            if (!m_point && value != 0.0 && std::isfinite(value)) { // of one side only: it may itself be rounded
                const double unit = std::fabs(value) * IntervalRounding::of(elementOf(n.type)).relative;
                made = {value - unit, value + unit, false};
            }
            return real(made);
        }
        case TermKind::Apply: break;
        default: return unknown();
        }
        const std::span<const Term> parts = m_dag.operands(n);
        const Bound& a = m_bounds.at(parts[0]);
        if (n.op == Op::Select) {
            const Bound& b = m_bounds.at(parts[1]);
            const Bound& c = m_bounds.at(parts[2]);
            if (a.known) {
                return a.bits != 0 ? b : c;
            }
            if (n.type.isFloat() && b.known && c.known) {
                return real(interval::hull(b.real, c.real));
            }
            return b.known && c.known && b.bits == c.bits && !n.type.isFloat() ? b : unknown();
        }
        for (const Term part : parts) {
            if (!m_bounds.at(part).known) {
                return unknown();
            }
        }
        const ScopedRounding rounding(m_point ? IntervalRounding{} : IntervalRounding::of(elementOf(n.type.isFloat() ? n.type : F64)));
        const bool fromFloat = m_dag.node(parts[0]).type.isFloat();
        if (!fromFloat) {
            if (n.op == Op::IntToFloatS) {
                return real(interval::ofNumber(static_cast<double>(signedOf(m_dag.node(parts[0]).type, a.bits))));
            }
            if (n.op == Op::IntToFloatU) {
                return real(interval::ofNumber(static_cast<double>(a.bits)));
            }
            if (n.type.isFloat()) {
                return unknown(); // a bit cast
            }
            std::uint64_t operands[3] = {};
            for (std::size_t i = 0; i < parts.size(); ++i) {
                operands[i] = m_bounds.at(parts[i]).bits;
            }
            bool poison = false;
            const auto value = evaluateNode(m_dag, n, std::span(operands, parts.size()), poison);
            return value && !poison ? exactly(*value) : unknown();
        }
        return n.type.isFloat() ? onFloats(n, parts) : fromFloats(n, parts);
    }

    Bound onFloats(const TermNode& n, std::span<const Term> parts) {
        const Interval a = m_bounds.at(parts[0]).real;
        const Interval b = parts.size() > 1 ? m_bounds.at(parts[1]).real : Interval{};
        const Interval c = parts.size() > 2 ? m_bounds.at(parts[2]).real : Interval{};
        switch (n.op) {
        case Op::AddF: return real(interval::add(a, b));
        case Op::SubF: return real(interval::sub(a, b));
        case Op::MulF: return real(interval::mul(a, b));
        case Op::DivF: return real(interval::div(a, b));
        case Op::RemF: return real(interval::fmod(a, b));
        case Op::NegF: return real(interval::neg(a));
        case Op::MinimumF:
        case Op::MinNumF: return real(interval::min(a, b));
        case Op::MaximumF:
        case Op::MaxNumF: return real(interval::max(a, b));
        case Op::Fma: return real(interval::add(interval::mul(a, b), c));
        case Op::ExtF:
        case Op::TruncF: return real(interval::charged(a));
        case Op::Math2: return static_cast<MathFunction>(n.aux) == MathFunction::Pow ? real(interval::pow(a, b)) : unknown();
        case Op::Math1: break;
        default: return unknown();
        }
        switch (static_cast<MathFunction>(n.aux)) {
        case MathFunction::Abs: return real(interval::abs(a));
        case MathFunction::Acos: return real(interval::acos(a));
        case MathFunction::Acosh: return real(interval::acosh(a));
        case MathFunction::Asin: return real(interval::asin(a));
        case MathFunction::Asinh: return real(interval::asinh(a));
        case MathFunction::Atan: return real(interval::atan(a));
        case MathFunction::Atanh: return real(interval::atanh(a));
        case MathFunction::Ceil: return real(interval::ceil(a));
        case MathFunction::Cos: return real(interval::cos(a));
        case MathFunction::Cosh: return real(interval::cosh(a));
        case MathFunction::Erf: return real(interval::erf(a));
        case MathFunction::Exp: return real(interval::exp(a));
        case MathFunction::Floor: return real(interval::floor(a));
        case MathFunction::Log: return real(interval::log(a));
        case MathFunction::Log1p: return real(interval::log1p(a));
        case MathFunction::Round: return real(a.isUndefined() ? a : Interval{std::round(a.lo), std::round(a.hi), a.mayBeUndefined});
        case MathFunction::RoundEven: return real(interval::roundEven(a));
        case MathFunction::Rsqrt: return real(interval::div(interval::point(1.0), interval::sqrt(a)));
        case MathFunction::Sin: return real(interval::sin(a));
        case MathFunction::Sinh: return real(interval::sinh(a));
        case MathFunction::Sqrt: return real(interval::sqrt(a));
        case MathFunction::Tan: return real(interval::tan(a));
        case MathFunction::Tanh: return real(interval::tanh(a));
        case MathFunction::Trunc: return real(interval::trunc(a));
        default: return unknown();
        }
    }

    Bound fromFloats(const TermNode& n, std::span<const Term> parts) {
        const Interval a = m_bounds.at(parts[0]).real;
        if (n.op == Op::CmpF) {
            const Interval b = m_bounds.at(parts[1]).real;
            return compare(static_cast<CmpFPredicate>(n.aux), a, b);
        }
        if (n.op == Op::FloatToIntS || n.op == Op::FloatToIntU) {
            if (a.mayBeUndefined || a.isUndefined() || std::trunc(a.lo) != std::trunc(a.hi)) {
                return unknown();
            }
            const ScalarResult value = evaluate(n.op, n.type, F64.code, bitsOf(F64, a.lo), 0, 0);
            return value.fault == ScalarFault::Fine ? exactly(value.bits) : unknown();
        }
        if (n.op == Op::Math1 && a.isPoint()) { // isnan and its like
            const ScalarResult value = evaluate(Op::Math1, F64, n.aux, bitsOf(F64, a.lo), 0, 0);
            return exactly(value.bits);
        }
        return unknown();
    }

    static Bound compare(CmpFPredicate predicate, const Interval& a, const Interval& b) {
        const bool undefined = a.isUndefined() || b.isUndefined();
        if (!undefined && (a.mayBeUndefined || b.mayBeUndefined)) {
            return unknown();
        }
        const auto value = [&](const Interval& truth) { return truth.isPoint() ? exactly(truth.lo != 0.0 ? 1 : 0) : unknown(); };
        const auto negated = [&](const Interval& truth) { return truth.isPoint() ? exactly(truth.lo != 0.0 ? 0 : 1) : unknown(); };
        switch (predicate) {
        case CmpFPredicate::False: return exactly(0);
        case CmpFPredicate::True: return exactly(1);
        case CmpFPredicate::Ord: return exactly(undefined ? 0 : 1);
        case CmpFPredicate::Uno: return exactly(undefined ? 1 : 0);
        default: break;
        }
        const bool unorderedPredicate = predicate >= CmpFPredicate::Ueq;
        if (undefined) {
            return exactly(unorderedPredicate ? 1 : 0);
        }
        switch (predicate) {
        case CmpFPredicate::Oeq:
        case CmpFPredicate::Ueq: return value(interval::equal(a, b));
        case CmpFPredicate::One:
        case CmpFPredicate::Une: return negated(interval::equal(a, b));
        case CmpFPredicate::Olt:
        case CmpFPredicate::Ult: return value(interval::less(a, b));
        case CmpFPredicate::Ole:
        case CmpFPredicate::Ule: return value(interval::lessOrEqual(a, b));
        case CmpFPredicate::Ogt:
        case CmpFPredicate::Ugt: return value(interval::less(b, a));
        default: return value(interval::lessOrEqual(b, a));
        }
    }

    const TermDag& m_dag;
    const TermValues& m_values;
    bool m_point = false;
    BoundTable m_bounds;
};

} // namespace

std::uint64_t sampleBits(std::uint32_t buffer, std::uint64_t cell, ValueType type, std::uint32_t sample) {
    const std::uint64_t random = scrambled(scrambled(cell + 0x9E3779B97F4A7C15ULL * (buffer + 1)) + 0xD1B54A32D192ED03ULL * sample);
    const auto small = static_cast<std::int64_t>(random % 9) - 4;
    std::int64_t whole = 0;
    double fraction = 0.0;
    switch (sample) {
    case 0: whole = small; break;
    case 1: whole = 1; break;
    case 2: whole = 0; break;
    case 3: whole = static_cast<std::int64_t>(cell % 127); break;
    case 4: whole = random % 8 == 0 ? 1 : 0; break;
    case 5: whole = static_cast<std::int64_t>(random % 2); break;
    case 6: whole = static_cast<std::int64_t>(random % 4); break;
    case 7: whole = -1; break;
    case 8:
        whole = small;
        fraction = static_cast<double>(random >> 56) / 256.0;
        break;
    case 9: // least, greatest, and their neighbours
        if (type.isInteger()) {
            const std::uint64_t top = std::uint64_t{1} << (type.width() - 1);
            return (random % 2 == 0 ? top + (random >> 62) : top - 1 - (random >> 62)) & maskOf(type);
        }
        whole = (small << 20) + 1;
        break;
    case 10: whole = static_cast<std::int64_t>(random % 127); break;
    default:
        if (type.isInteger() && sample % 2 == 0) {
            return (random >> (random % 59)) & maskOf(type);
        }
        whole = static_cast<std::int64_t>(random % 33) - 16;
        fraction = sample % 4 == 1 ? 0.5 : static_cast<double>(random >> 48) / 65536.0; // halves: what rounds to a whole number may tie
        break;
    }
    if (type.isFloat()) {
        return bitsOf(type, static_cast<double>(whole) + fraction);
    }
    return (type == Bit ? random & 1 : static_cast<std::uint64_t>(whole)) & maskOf(type);
}

std::optional<std::uint64_t> evaluateNode(const TermDag& dag, const TermNode& node, std::span<const std::uint64_t> operands, bool& poison) {
    if (node.kind != TermKind::Apply) {
        return std::nullopt;
    }
    ValueType type = node.type;
    if (node.op == Op::CmpI || node.op == Op::CmpF || node.op == Op::Math1) {
        type = dag.node(node.a).type;
    }
    const auto at = [&](std::size_t i) { return i < operands.size() ? operands[i] : 0; };
    const ScalarResult result = evaluate(node.op, type, node.aux, at(0), at(1), at(2));
    poison = result.fault != ScalarFault::Fine;
    return result.bits;
}

std::optional<Enclosures> enclose(const TermDag& dag, Term reference, Term rewritten, const TermValues& values, std::uint64_t* steps) {
    return Encloser(dag, values).run(reference, rewritten, steps);
}

struct WideBounds::Bounds {
    Encloser encloser;
};

WideBounds::WideBounds(const TermDag& dag, std::span<const Term> order, const TermValues& values)
    : m_bounds(std::make_unique<Bounds>(Encloser(dag, values))) {
    m_bounds->encloser.all(order);
}

WideBounds::~WideBounds() = default;

bool WideBounds::apart(Term reference, Term rewritten) const { return m_bounds->encloser.of(reference, rewritten).apart; }

} // namespace lemmascope::interp
