#pragma once

#include "core/prove/check_result.h"
#include "tests/mutants/mutation.h"

#include <string>

namespace lemmascope::mutants {

/// Why a mutant means the same as the graph it was made of, by an argument that the prover has no part in; empty when none is
/// found. The arguments: no output reads the changed node; it only moves values, has lengths of numbers, and moves distinct values
/// the same way; it is elementwise with one operand of at most 8 bits and gives the same for all 256 values; a changed element of a
/// constant is overwritten (NaN in its place reaches nothing); for no input does a value reach the bound that moved or the part of the
/// activation that was dropped (enclosures with every input unbounded); a tie of the comparison selects between equal values;
/// quantising once or twice on one grid is the same, also with a MaxPool between, and saturates at 0; a bias of the keys shifts whole rows
/// of a Softmax; a Reshape is read by Reshapes only; numbers below 128 are the same with and without sign.
[[nodiscard]] std::string neutralBecause(const Graph& original, const Mutation& mutation);

/// Random inputs of several scales, small integers, ties: does any show the two graphs of a check apart?
[[nodiscard]] bool differsOnSamples(const CheckResult& result);

} // namespace lemmascope::mutants
