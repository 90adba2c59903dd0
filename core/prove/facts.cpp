#include "core/prove/facts.h"

#include <algorithm>
#include <limits>

namespace lemmascope {

namespace {

__extension__ using Wide = __int128;

IntegerRange fitted(Wide low, Wide high, ElementType type) {
    const IntegerRange all = typeRange(type);
    if (low < all.low || high > all.high) {
        return all; // may wrap: nothing is known
    }
    return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

IntegerRange hull(const IntegerRange& a, const IntegerRange& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

} // namespace

IntegerRange typeRange(ElementType type) {
    if (type == ElementType::Bool) {
        return {0, 1};
    }
    const unsigned bits = bitWidth(type);
    if (bits == 0 || bits >= 64) {
        return type == ElementType::U64 ? IntegerRange{0, std::numeric_limits<std::int64_t>::max()}
                                        : IntegerRange{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    }
    const std::int64_t whole = std::int64_t{1} << bits;
    return isSignedInteger(type) ? IntegerRange{-whole / 2, whole / 2 - 1} : IntegerRange{0, whole - 1};
}

void Facts::declareInput(TermId input, IntegerRange range) {
    const auto [at, added] = m_assumed.try_emplace(input, range);
    if (!added) {
        at->second = {std::max(at->second.low, range.low), std::min(at->second.high, range.high)};
    }
    m_contradictory = m_contradictory || at->second.low > at->second.high;
    m_memo.clear();
}

void Facts::assume(const Access& access) {
    if (access.kind == Access::Kind::Divide || !access.path.empty() || access.inLoop || !access.low.isKnown() || !access.high.isKnown()) {
        return;
    }
    const IntegerRange known = interval(access.index);
    const IntegerRange both{std::max(known.low, access.low.value()), std::min(known.high, access.high.value())};
    if (both.low > both.high) {
        m_contradictory = true;
        return;
    }
    if (both == known) {
        return;
    }
    m_assumed[access.index] = both;
    // A view that shows every element of its source says it of the source as well.
    if (m_store.kind(access.index) == TermKind::View && m_store.type(access.index).isStatic()) {
        const TermId source = m_store.operands(access.index)[0];
        if (elementCount(m_store.shape(source)) == elementCount(m_store.shape(access.index)) && m_store.view(access.index).modes.size() <= 1 &&
            m_store.view(access.index).offset.is(0) &&
            (m_store.view(access.index).modes.empty() || m_store.view(access.index).modes[0].stride.is(1))) {
            m_assumed[source] = both;
        }
    }
    m_memo.clear();
}

IntegerRange Facts::interval(TermId root) {
    std::vector<TermId> stack{root};
    while (!stack.empty()) {
        const TermId top = stack.back();
        if (m_memo.contains(top)) {
            stack.pop_back();
            continue;
        }
        std::vector<IntegerRange> operands;
        bool ready = true;
        const std::vector<TermId> list(m_store.operands(top).begin(), m_store.operands(top).end());
        const ElementType element = m_store.type(top).element;
        if (isInteger(element) || element == ElementType::Bool) {
            for (const TermId operand : list) {
                const auto at = m_memo.find(operand);
                if (at == m_memo.end()) {
                    stack.push_back(operand);
                    ready = false;
                } else {
                    operands.push_back(at->second);
                }
            }
        }
        if (!ready) {
            continue;
        }
        stack.pop_back();
        IntegerRange range = isInteger(element) || element == ElementType::Bool ? compute(top, operands) : typeRange(ElementType::I64);
        if (const auto at = m_assumed.find(top); at != m_assumed.end()) {
            range = {std::max(range.low, at->second.low), std::min(range.high, at->second.high)};
        }
        m_memo.emplace(top, range);
    }
    return m_memo.at(root);
}

IntegerRange Facts::compute(TermId term, const std::vector<IntegerRange>& x) {
    const ElementType type = m_store.type(term).element;
    const IntegerRange all = typeRange(type);
    switch (m_store.kind(term)) {
    case TermKind::Constant: {
        const Tensor& data = m_store.constantTensor(term);
        if (data.count() == 0 || data.count() > 10'000'000) {
            return all;
        }
        IntegerRange out{data.toInt64(0), data.toInt64(0)};
        for (std::int64_t i = 1; i < data.count(); ++i) {
            out = hull(out, {data.toInt64(i), data.toInt64(i)});
        }
        return out;
    }
    case TermKind::View: {
        const TermId source = m_store.operands(term)[0];
        if (m_store.kind(source) == TermKind::Constant) {
            // Only the elements that are seen.
            if (const std::optional<Tensor> seen = m_store.constantElements(term, 100'000); seen && seen->count() > 0) {
                IntegerRange out{seen->toInt64(0), seen->toInt64(0)};
                for (std::int64_t i = 1; i < seen->count(); ++i) {
                    out = hull(out, {seen->toInt64(i), seen->toInt64(i)});
                }
                return out;
            }
        }
        return x[0];
    }
    case TermKind::Concat: {
        IntegerRange out = x[0];
        for (const IntegerRange& part : x) {
            out = hull(out, part);
        }
        return out;
    }
    case TermKind::Input:
    case TermKind::Bound: return all;
    case TermKind::Apply: break;
    }
    const Operator& op = m_store.op(term);
    const std::string& name = op.name;
    const auto flag = [&](const char* key) { return op.attributes.contains(key); };
    if (name == "Add" && x.size() == 2) {
        return fitted(Wide{x[0].low} + x[1].low, Wide{x[0].high} + x[1].high, type);
    }
    if (name == "Sub" && x.size() == 2) {
        return fitted(Wide{x[0].low} - x[1].high, Wide{x[0].high} - x[1].low, type);
    }
    if (name == "Neg") {
        return fitted(-Wide{x[0].high}, -Wide{x[0].low}, type);
    }
    if (name == "Mul" && x.size() == 2) {
        const Wide products[] = {Wide{x[0].low} * x[1].low, Wide{x[0].low} * x[1].high, Wide{x[0].high} * x[1].low, Wide{x[0].high} * x[1].high};
        return fitted(*std::min_element(products, products + 4), *std::max_element(products, products + 4), type);
    }
    if (name == "Div" && x.size() == 2 && x[1].low > 0) {
        const Wide quotients[] = {Wide{x[0].low} / x[1].low, Wide{x[0].low} / x[1].high, Wide{x[0].high} / x[1].low, Wide{x[0].high} / x[1].high};
        return fitted(*std::min_element(quotients, quotients + 4), *std::max_element(quotients, quotients + 4), type);
    }
    if (name == "Mod" && x.size() == 2 && x[1].low > 0) {
        const auto* truncating = std::get_if<std::int64_t>(&op.attributes.at("fmod"));
        const bool sign = truncating != nullptr && *truncating != 0;
        return {sign && x[0].low < 0 ? 1 - x[1].high : 0, x[1].high - 1};
    }
    if (name == "Abs") {
        const Wide high = std::max(-Wide{x[0].low}, Wide{x[0].high});
        return fitted(x[0].low > 0 ? x[0].low : x[0].high < 0 ? -Wide{x[0].high} : Wide{0}, high, type);
    }
    if (name == "Min" && x.size() == 2) {
        return {std::min(x[0].low, x[1].low), std::min(x[0].high, x[1].high)};
    }
    if (name == "Max" && x.size() == 2) {
        return {std::max(x[0].low, x[1].low), std::max(x[0].high, x[1].high)};
    }
    if (name == "Relu") {
        return {std::max<std::int64_t>(x[0].low, 0), std::max<std::int64_t>(x[0].high, 0)};
    }
    if (name == "Clip") {
        IntegerRange out = x[0];
        std::size_t next = 1;
        if (flag("min")) {
            out = {std::max(out.low, x[next].low), std::max(out.high, x[next].high)};
            ++next;
        }
        if (flag("max")) {
            out = {std::min(out.low, x[next].low), std::min(out.high, x[next].high)};
        }
        return out;
    }
    if (name == "Where" && x.size() == 3) {
        return hull(x[1], x[2]);
    }
    if (name == "If" && x.size() == 3) {
        return hull(x[1], x[2]);
    }
    if (name == "Cast" && x.size() == 1) {
        const ElementType from = m_store.type(m_store.operands(term)[0]).element;
        return isInteger(from) || from == ElementType::Bool ? fitted(x[0].low, x[0].high, type) : all;
    }
    if ((name == "Gather" || name == "GatherElements" || name == "GatherND" || name == "RowsAt") && !x.empty()) {
        return x[0];
    }
    if ((name == "ArgMax" || name == "ArgMin") && op.attributes.contains("axis")) {
        const Shape& shape = m_store.shape(m_store.operands(term)[0]);
        const auto axis = static_cast<std::size_t>(std::get<std::int64_t>(op.attributes.at("axis")));
        return shape[axis].isKnown() ? IntegerRange{0, shape[axis].value() - 1} : IntegerRange{0, all.high};
    }
    return all;
}

} // namespace lemmascope
