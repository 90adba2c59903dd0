#pragma once

#include "core/interp/machine.h"

#include <string>

namespace lemmascope {

/// How the run of one program ended, in a line: `finished: 1200 steps, 4 tasks, 380 terms`, `fault: ...`, `race: ...`.
[[nodiscard]] std::string runHeadline(const interp::TermDag& dag, const interp::RunResult& run);
/// Below it: each result, and each argument and global that was written, with its first elements as terms; faults under a condition.
[[nodiscard]] std::string runText(const interp::TermDag& dag, const interp::RunResult& run);
/// The same as a JSON document (resources/help/formats.md), with every element up to a bound.
[[nodiscard]] std::string runJson(const interp::Program& program, const interp::TermDag& dag, const interp::RunResult& run);
/// Exit status of `interp`: 0 finished, 1 a fault, a race, a deadlock or an outcome that depends on the schedule, 2 undecided.
[[nodiscard]] int runStatus(const interp::RunResult& run);

} // namespace lemmascope
