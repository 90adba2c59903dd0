#include "core/graph/dim_order.h"

#include <algorithm>
#include <vector>

namespace lemmascope {

bool DimOrder::atLeast(const Dim& a, const Dim& b) const {
    if (a.isKnown() && b.isKnown()) {
        return a.value() >= b.value();
    }
    const Dim difference = a - b;
    std::vector<std::string> symbols;
    difference.collectSymbols(symbols);
    std::map<std::string, std::int64_t> lowest;
    for (const std::string& symbol : symbols) {
        const auto at = m_lowest.find(symbol);
        if (at != m_lowest.end()) {
            lowest.insert(*at);
        } else if (symbol.front() == '?') {
            lowest.emplace(symbol, 0);
        }
    }
    const std::optional<std::int64_t> bound = difference.lowerBound(lowest);
    return bound && *bound >= 0;
}

std::optional<bool> DimOrder::compare(const Dim& a, const Dim& b) const {
    if (atLeast(a, b)) {
        return true;
    }
    return atLeast(b, a + Dim(1)) ? std::optional<bool>(false) : std::nullopt;
}

std::optional<bool> DimOrder::equal(const Dim& a, const Dim& b) const {
    if (a == b && !a.overflowed()) {
        return true;
    }
    return atLeast(a, b + Dim(1)) || atLeast(b, a + Dim(1)) ? std::optional<bool>(false) : std::nullopt;
}

void DimOrder::ask(DimQuestion::Kind kind, const Dim& left, const Dim& right) const {
    if (m_questions != nullptr && left != right) {
        m_questions->push_back({kind, left, right});
    }
}

bool DimOrder::allFromOne(const Dim& a, const Dim& b) const {
    std::vector<std::string> symbols;
    a.collectSymbols(symbols);
    b.collectSymbols(symbols);
    return std::none_of(symbols.begin(), symbols.end(), [this](const std::string& symbol) {
        const auto at = m_lowest.find(symbol);
        return at != m_lowest.end() ? at->second < 1 : symbol.front() == '?';
    });
}

std::optional<Dim> DimOrder::min(const Dim& a, const Dim& b) const {
    if (atLeast(a, b)) {
        return b;
    }
    if (atLeast(b, a)) {
        return a;
    }
    return allFromOne(a, b) ? std::optional<Dim>(Dim::min(a, b)) : std::nullopt;
}

std::optional<Dim> DimOrder::max(const Dim& a, const Dim& b) const {
    if (atLeast(a, b)) {
        return a;
    }
    if (atLeast(b, a)) {
        return b;
    }
    return allFromOne(a, b) ? std::optional<Dim>(Dim::max(a, b)) : std::nullopt;
}

} // namespace lemmascope
