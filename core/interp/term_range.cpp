#include "core/interp/term_range.h"

#include "core/program/number.h"

#include <algorithm>

namespace lemmascope::interp {

namespace {

constexpr unsigned MaxDepth = 64;
__extension__ using Wide = __int128;

TermRange wholeOf(ValueType type) {
    const unsigned shift = 64 - type.width();
    return {INT64_MIN >> shift, INT64_MAX >> shift};
}

/// A range of exact results, or all of the type where they might wrap.
TermRange within(ValueType type, Wide low, Wide high) {
    const TermRange whole = wholeOf(type);
    if (low < whole.low || high > whole.high) {
        return whole;
    }
    return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

} // namespace

TermRange RangeFinder::of(Term term) { return find(term, 0); }
std::optional<bool> RangeFinder::decided(Term term) { return truth(term, 0); }

TermRange RangeFinder::find(Term term, unsigned depth) {
    const TermNode& n = m_dag.node(term);
    if (n.kind == TermKind::Constant) {
        const std::int64_t value = signedOf(n.type, m_dag.constantBits(term));
        return {value, value};
    }
    const TermRange whole = wholeOf(n.type);
    if (n.kind != TermKind::Apply || depth > MaxDepth || !n.type.isInteger()) {
        return whole;
    }
    if (const auto known = m_known.find(term); known != m_known.end()) {
        return known->second;
    }
    const auto operand = [&](Term t) { return find(t, depth + 1); };
    TermRange found = whole;
    switch (n.op) {
    case Op::AddI: {
        const TermRange x = operand(n.a), y = operand(n.b);
        found = within(n.type, Wide{x.low} + y.low, Wide{x.high} + y.high);
        break;
    }
    case Op::SubI: {
        const TermRange x = operand(n.a), y = operand(n.b);
        found = within(n.type, Wide{x.low} - y.high, Wide{x.high} - y.low);
        break;
    }
    case Op::MulI: {
        const TermRange x = operand(n.a), y = operand(n.b);
        const Wide corners[] = {Wide{x.low} * y.low, Wide{x.low} * y.high, Wide{x.high} * y.low, Wide{x.high} * y.high};
        found = within(n.type, *std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
        break;
    }
    case Op::MinS: {
        const TermRange x = operand(n.a), y = operand(n.b);
        found = {std::min(x.low, y.low), std::min(x.high, y.high)};
        break;
    }
    case Op::MaxS: {
        const TermRange x = operand(n.a), y = operand(n.b);
        found = {std::max(x.low, y.low), std::max(x.high, y.high)};
        break;
    }
    case Op::MinU: { // not above either that is not negative
        const TermRange x = operand(n.a), y = operand(n.b);
        if (x.low >= 0 && y.low >= 0) {
            found = {std::min(x.low, y.low), std::min(x.high, y.high)};
        } else if (x.low >= 0 || y.low >= 0) {
            found = {0, x.low >= 0 ? x.high : y.high};
        }
        break;
    }
    case Op::MaxU: {
        const TermRange x = operand(n.a), y = operand(n.b);
        if (x.low >= 0 && y.low >= 0) {
            found = {std::max(x.low, y.low), std::max(x.high, y.high)};
        }
        break;
    }
    case Op::And: {
        const TermRange x = operand(n.a), y = operand(n.b);
        if (x.low >= 0 || y.low >= 0) {
            found = {0, x.low >= 0 && y.low >= 0 ? std::min(x.high, y.high) : x.low >= 0 ? x.high : y.high};
        }
        break;
    }
    case Op::RemU:
    case Op::RemS: {
        const TermRange x = operand(n.a), y = operand(n.b);
        if (y.low > 0 && (x.low >= 0 || n.op == Op::RemU)) {
            found = {0, x.low >= 0 ? std::min(x.high, y.high - 1) : y.high - 1};
        } else if (y.low > 0) {
            found = {1 - y.high, y.high - 1};
        }
        break;
    }
    case Op::DivU:
    case Op::DivS:
    case Op::FloorDivS: {
        const TermRange x = operand(n.a), y = operand(n.b);
        if (y.low > 0 && x.low >= 0) {
            found = {x.low / y.high, x.high / y.low};
        }
        break;
    }
    case Op::ShrU:
    case Op::ShrS: {
        const TermRange x = operand(n.a), y = operand(n.b);
        if (x.low >= 0 && y.low >= 0 && y.high < 63) {
            found = {x.low >> y.high, x.high >> y.low};
        }
        break;
    }
    case Op::ExtS:
    case Op::IndexCastS: {
        const TermRange x = operand(n.a);
        found = within(n.type, x.low, x.high);
        break;
    }
    case Op::ExtU:
    case Op::IndexCastU: {
        const TermRange x = operand(n.a);
        const unsigned width = m_dag.node(n.a).type.width();
        if (x.low >= 0) {
            found = within(n.type, x.low, x.high);
        } else if (width < n.type.width()) {
            found = {0, static_cast<std::int64_t>(maskOf(m_dag.node(n.a).type))};
        }
        break;
    }
    case Op::Trunc: {
        const TermRange x = operand(n.a);
        found = within(n.type, x.low, x.high);
        break;
    }
    case Op::Select: {
        const TermRange x = operand(n.b), y = operand(n.c);
        found = {std::min(x.low, y.low), std::max(x.high, y.high)};
        break;
    }
    default: break;
    }
    m_known.emplace(term, found);
    return found;
}

std::optional<bool> RangeFinder::truth(Term term, unsigned depth) {
    const TermNode& n = m_dag.node(term);
    if (n.kind == TermKind::Constant) {
        return m_dag.constantBits(term) != 0;
    }
    if (n.kind != TermKind::Apply || depth > MaxDepth || n.type != Bit) {
        return std::nullopt;
    }
    if (n.op == Op::And || n.op == Op::Or || n.op == Op::Xor) {
        const auto x = truth(n.a, depth + 1);
        const auto y = truth(n.b, depth + 1);
        if (n.op == Op::Xor) {
            return x && y ? std::optional(*x != *y) : std::nullopt;
        }
        const bool absorbing = n.op == Op::Or;
        if ((x && *x == absorbing) || (y && *y == absorbing)) {
            return absorbing;
        }
        return x && y ? std::optional(!absorbing) : std::nullopt;
    }
    if (n.op != Op::CmpI) {
        return std::nullopt;
    }
    const TermRange x = find(n.a, depth + 1);
    const TermRange y = find(n.b, depth + 1);
    const auto order = [](bool surely, bool never) { return surely ? std::optional(true) : never ? std::optional(false) : std::nullopt; };
    const bool natural = x.low >= 0 && y.low >= 0; // unsigned order is the signed one
    switch (static_cast<CmpIPredicate>(n.aux)) {
    case CmpIPredicate::Eq:
        return n.a == n.b ? std::optional(true) : order(x.low == x.high && y.low == y.high && x.low == y.low, x.high < y.low || y.high < x.low);
    case CmpIPredicate::Ne:
        return n.a == n.b ? std::optional(false) : order(x.high < y.low || y.high < x.low, x.low == x.high && y.low == y.high && x.low == y.low);
    case CmpIPredicate::Slt: return order(x.high < y.low, x.low >= y.high || n.a == n.b);
    case CmpIPredicate::Sle: return order(x.high <= y.low || n.a == n.b, x.low > y.high);
    case CmpIPredicate::Ult:
        if (x.low >= 0 && y.high < 0) {
            return true;
        }
        return natural ? order(x.high < y.low, x.low >= y.high || n.a == n.b) : std::nullopt;
    case CmpIPredicate::Ule:
        if (x.low >= 0 && y.high < 0) {
            return true;
        }
        return natural ? order(x.high <= y.low || n.a == n.b, x.low > y.high) : std::nullopt;
    default: return std::nullopt;
    }
}

} // namespace lemmascope::interp
