#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lemmascope {

/// Of an output, and of a whole check (refuted if any output is, else unproved, else undecided, else proved).
enum class Verdict : std::uint8_t { Proved, Refuted, Unproved, Undecided };

/// How much of the arithmetic a proof leaves as it is; strongest first. Documented in resources/help.
enum class Strength : std::uint8_t { Identical, Open, Exact, Rounded, Probable };

/// In what way a counterexample makes the graphs differ.
enum class RefutationKind : std::uint8_t { Value, OutOfRange, Uninitialised, Type, Race, Deadlock, Nondeterministic };

enum class LemmaVerdict : std::uint8_t { Holds, Fails, Undecided, Vacuous };

/// Which step of the ladder decided a lemma. Numbers are part of the JSON result. Rungs 4 and 5 (whole-graph sampling,
/// exact normal form with symbolic indices) have their number but no engine yet.
enum class Rung : std::uint8_t {
    None = 0,
    SameTerm = 1,
    MovementNormalForm = 2,
    StaticMap = 3, ///< both sides run over all their elements
    RandomInterpretation = 4,
    ExactNormalForm = 5,
    Solver = 6,
    SecondSolver = 7
};

[[nodiscard]] std::string_view name(Verdict verdict);      ///< `proved`
[[nodiscard]] std::string_view name(Strength strength);    ///< `exact`
[[nodiscard]] std::string_view name(RefutationKind kind);  ///< `out-of-range`
[[nodiscard]] std::string_view name(LemmaVerdict verdict); ///< `holds`
[[nodiscard]] std::string_view name(Rung rung);            ///< `one term`, `static map`, ...
[[nodiscard]] std::optional<Strength> strengthByName(std::string_view text);

/// The weaker of two strengths.
[[nodiscard]] constexpr Strength weaker(Strength a, Strength b) { return a < b ? b : a; }

} // namespace lemmascope
