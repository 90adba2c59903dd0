#pragma once

#include "core/prove/check_result.h"
#include "ui/canvas/palette.h"

#include <QString>

#include <cstddef>

namespace lemmascope {

[[nodiscard]] QString glyph(Verdict verdict);      ///< ✓ ✗ ≁ ?
[[nodiscard]] QString glyph(LemmaVerdict verdict); ///< ✓ ✗ ? ∅
/// The palette role whose mark a verdict wears. Text itself is always in the palette's text colour.
[[nodiscard]] Role roleOf(Verdict verdict);
[[nodiscard]] Role roleOf(LemmaVerdict verdict);

[[nodiscard]] QString word(Verdict verdict);      ///< `PROVED`, in capitals for the banner
[[nodiscard]] QString word(LemmaVerdict verdict); ///< `holds`
[[nodiscard]] QString word(Strength strength);    ///< `exact`, as the command line spells it
[[nodiscard]] QString word(RefutationKind kind);
[[nodiscard]] QString word(Rung rung);
[[nodiscard]] QString word(NodeMark mark, Side side); ///< `only in reference`
/// One sentence on what a strength promises.
[[nodiscard]] QString explanation(Strength strength);

/// `PROVED (exact)`, `REFUTED (value)`, `UNPROVED`, `UNDECIDED`.
[[nodiscard]] QString bannerTitle(const CheckResult& result);
/// The rest of the verdict's line: what the command line prints after the verdict and its strength or kind.
[[nodiscard]] QString bannerReason(const CheckResult& result);

struct LemmaCounts {
    std::size_t holds = 0, fails = 0, undecided = 0, vacuous = 0;
};
[[nodiscard]] LemmaCounts countLemmas(const CheckResult& result);
/// `2 fail · 1 undecided · 34 hold`; says so when no lemma was needed, or none could be stated.
[[nodiscard]] QString countsText(const CheckResult& result);
/// Why a result has no lemmas: because none was needed (only when proved), else what kept them from being stated.
[[nodiscard]] QString noLemmasText(const CheckResult& result);
/// Index of the first lemma that fails, else of the first that is not proved; lemmas.size() if all hold.
[[nodiscard]] std::size_t firstFailing(const CheckResult& result);

} // namespace lemmascope
