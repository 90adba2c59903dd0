#pragma once

#include "core/base/error.h"
#include "core/match/graph_match.h"
#include "core/match/rule_set.h"
#include "core/match/stepper.h"
#include "ui/views/outline.h"

#include <QStringList>

#include <set>
#include <string>

namespace lemmascope {

/// Columns of rule rows: rule or root, matches, barred, undecided, what came of it.
inline constexpr int RuleColumns = 5;
inline constexpr std::size_t MostRules = 5'000; ///< listed
[[nodiscard]] QStringList ruleHeaders();
/// What each column counts, for tool tips.
[[nodiscard]] QStringList ruleHeaderTips();

/// The rules with their counts; below each its matches with what they bound, its nearest misses, and where many roots fail. `result` and
/// `subject` may be null: nothing was matched yet. Findings of the static check stand first. `breaks`: names of rules.
[[nodiscard]] OutlineRows ruleRows(const match::RuleSet& rules, const match::GraphMatchResult* result, const match::GraphSubject* subject,
                                   const std::set<std::string>& breaks);
/// The same rows with other breaks.
void markBreaks(OutlineRows& rows, const match::RuleSet& rules, const std::set<std::string>& breaks);
/// A rule file that cannot be read.
[[nodiscard]] OutlineRows troubleRows(const Error& error);
/// `2 matches, 1 may be rewritten; 14 roots tried, 40 have another operator`
[[nodiscard]] QString resultText(const match::GraphMatchResult& result);

/// Columns: rule, operators matched, why.
[[nodiscard]] QStringList whyNotHeaders();
/// Why rules do not match at one root, nearest first, every branch below; those that begin with another operator stand together.
[[nodiscard]] OutlineRows whyNotRows(const match::RuleSet& rules, const match::GraphMatchResult& result, const match::GraphSubject& subject,
                                     match::TermId root);

/// Columns: what, in words.
[[nodiscard]] QStringList stateHeaders();
[[nodiscard]] OutlineRows stateRows(const match::StepState& state, const match::GraphSubject& subject);
/// `fuse at add_3 (Add): step 12, 2 operators matched`
[[nodiscard]] QString stateTitle(const match::StepState& state, const match::RuleSet& rules, const match::GraphSubject& subject);

} // namespace lemmascope
