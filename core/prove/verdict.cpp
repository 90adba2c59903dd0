#include "core/prove/verdict.h"

#include <array>

namespace lemmascope {

std::string_view name(Verdict verdict) {
    static constexpr std::array<std::string_view, 4> Names{"proved", "refuted", "unproved", "undecided"};
    return Names.at(static_cast<std::size_t>(verdict));
}

std::string_view name(Strength strength) {
    static constexpr std::array<std::string_view, 5> Names{"identical", "open", "exact", "rounded", "probable"};
    return Names.at(static_cast<std::size_t>(strength));
}

std::string_view name(RefutationKind kind) {
    static constexpr std::array<std::string_view, 7> Names{"value", "out-of-range", "uninitialised", "type", "race", "deadlock", "nondeterministic"};
    return Names.at(static_cast<std::size_t>(kind));
}

std::string_view name(LemmaVerdict verdict) {
    static constexpr std::array<std::string_view, 4> Names{"holds", "fails", "undecided", "vacuous"};
    return Names.at(static_cast<std::size_t>(verdict));
}

std::string_view name(Rung rung) {
    static constexpr std::array<std::string_view, 8> Names{
        "none", "one term", "movement normal form", "static map", "random interpretation", "exact normal form", "solver", "second solver"};
    return Names.at(static_cast<std::size_t>(rung));
}

std::optional<Strength> strengthByName(std::string_view text) {
    for (const Strength strength : {Strength::Identical, Strength::Open, Strength::Exact, Strength::Rounded, Strength::Probable}) {
        if (name(strength) == text) {
            return strength;
        }
    }
    return std::nullopt;
}

} // namespace lemmascope
