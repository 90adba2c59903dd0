#pragma once

#include "core/prove/check_result.h"
#include "ui/models/fact_table_model.h"

#include <QString>

namespace lemmascope {

/// The inputs of a counterexample, one row per element: all of a small tensor, else those that are not zero, with a row that
/// says how many were left out. Sizes first.
[[nodiscard]] FactTable inputFacts(const Counterexample& example);
/// The compared output, one row per element: small outputs whole, else the elements that differ. The first differing element
/// is emphasised.
[[nodiscard]] FactTable outputFacts(const Counterexample& example);
/// The same for a whole result: where one side faults, what each side does instead of its outputs.
[[nodiscard]] FactTable outputFacts(const CheckResult& result);
/// `The reference runs; the rewritten graph reads a[8], size 8, in node a[pos].`
[[nodiscard]] QString faultSentence(const FaultReport& fault);
/// Partner values from the inputs to the output, the first that differs emphasised.
[[nodiscard]] FactTable pathFacts(const CheckResult& result);
/// `Confirmed: y[0,1] is 2 in the reference and 3 in the rewritten graph.`, and the condition under which they are equal; the fault, if
/// there is one.
[[nodiscard]] QString counterexampleSentence(const CheckResult& result);

/// The sentence and the three tables, for the clipboard.
[[nodiscard]] QString counterexampleText(const CheckResult& result);
[[nodiscard]] QString counterexampleMarkdown(const CheckResult& result);

} // namespace lemmascope
