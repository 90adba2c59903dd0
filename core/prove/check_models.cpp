// A solver's models as inputs of the graphs, and as what inner values should come near to.

#include "core/prove/candidates.h"
#include "core/prove/checker.h"

#include <charconv>
#include <cmath>
#include <map>

namespace lemmascope {

namespace {

constexpr std::size_t MostAims = 8;

/// A number in SMT-LIB's text: `(- 3)`, `(/ 1.0 3.0)`, `#b01`, `#xff`, `(_ bv5 32)`.
std::optional<double> smtNumber(const std::string& text, ElementType type) {
    std::string s = text;
    const auto trim = [](std::string& t) {
        while (!t.empty() && t.front() == ' ') {
            t.erase(t.begin());
        }
        while (!t.empty() && (t.back() == ' ' || t.back() == '?')) {
            t.pop_back();
        }
    };
    trim(s);
    if (s == "true" || s == "false") {
        return s == "true" ? 1.0 : 0.0;
    }
    if (s.starts_with("#x") || s.starts_with("#b")) {
        std::uint64_t bits = 0;
        const int base = s[1] == 'x' ? 16 : 2;
        const auto parsed = std::from_chars(s.data() + 2, s.data() + s.size(), bits, base);
        if (parsed.ec != std::errc{}) {
            return std::nullopt;
        }
        const unsigned width = bitWidth(type);
        if (isSignedInteger(type) && width < 64 && (bits >> (width - 1U)) != 0) {
            return static_cast<double>(bits) - std::ldexp(1.0, static_cast<int>(width));
        }
        return isSignedInteger(type) ? static_cast<double>(static_cast<std::int64_t>(bits)) : static_cast<double>(bits);
    }
    if (s.starts_with("(- ") && s.back() == ')') {
        const std::optional<double> inner = smtNumber(s.substr(3, s.size() - 4), type);
        return inner ? std::optional<double>(-*inner) : std::nullopt;
    }
    if (s.starts_with("(/ ") && s.back() == ')') {
        std::string inner = s.substr(3, s.size() - 4);
        // the numerator may be parenthesised
        std::size_t depth = 0;
        for (std::size_t i = 0; i < inner.size(); ++i) {
            depth += inner[i] == '(' ? 1 : 0;
            depth -= inner[i] == ')' ? 1 : 0;
            if (inner[i] == ' ' && depth == 0) {
                const std::optional<double> a = smtNumber(inner.substr(0, i), type);
                const std::optional<double> b = smtNumber(inner.substr(i + 1), type);
                return a && b && *b != 0.0 ? std::optional<double>(*a / *b) : std::nullopt;
            }
        }
        return std::nullopt;
    }
    double value = 0.0;
    const auto parsed = std::from_chars(s.data(), s.data() + s.size(), value);
    return parsed.ec == std::errc{} ? std::optional<double>(value) : std::nullopt;
}

} // namespace

std::vector<Candidate> Checker::modelCandidates(const Prover& prover, SearchProblem& problem) const {
    std::map<TermId, FlatValueId> values; // of the reference's top level
    for (std::size_t v = 0; v < m_result.reference->top().values.size(); ++v) {
        if (m_reference.values[v].isValid()) {
            values.try_emplace(m_reference.values[v], FlatValueId(v));
        }
    }
    std::vector<Candidate> out;
    const std::vector<std::map<std::string, std::int64_t>> sizes = candidateSizes(problem);
    for (const std::vector<Prover::InputHint>& hint : prover.hints()) {
        for (const Prover::InputHint& part : hint) {
            const auto at = values.find(part.term);
            const std::optional<double> target = smtNumber(part.value, m_store.type(part.term).element);
            if (m_store.kind(part.term) != TermKind::Input && at != values.end() && target && problem.aims.size() < MostAims) {
                problem.aims.push_back({false, at->second, FlatValueId(), *target});
            }
        }
        // Filled up with small numbers where the model says nothing.
        for (std::size_t s = 0; s < std::min<std::size_t>(sizes.size(), 2); ++s) {
            for (const std::size_t base : {1UL, 0UL}) {
                std::optional<Candidate> candidate = makeCandidate(problem, sizes[s], base, m_options.seed);
                if (!candidate) {
                    break;
                }
                std::map<std::size_t, std::int64_t> told; // by input: values for an element that has no number
                for (const Prover::InputHint& part : hint) {
                    const std::size_t input = m_store.kind(part.term) == TermKind::Input ? m_store.term(part.term).payload : problem.inputs.size();
                    if (input >= candidate->inputs.size()) {
                        continue;
                    }
                    Tensor& tensor = candidate->inputs[input];
                    const std::optional<double> value = smtNumber(part.value, tensor.element());
                    const std::int64_t place = part.index >= 0 ? part.index : told[input]++;
                    if (!value) {
                        continue;
                    }
                    // The lemma is about any element: the first value stands everywhere, further ones one by one.
                    for (std::int64_t i = 0; part.index < 0 && place == 0 && i < tensor.count(); ++i) {
                        setElement(tensor, i, *value);
                    }
                    if (place < tensor.count()) {
                        setElement(tensor, place, *value);
                    }
                }
                out.push_back(std::move(*candidate));
            }
        }
    }
    return out;
}

} // namespace lemmascope
