#pragma once

// Rows of pairs as text (graph_text.h) with the first line that a check must give.

#include "core/prove/check.h"

#include "tests/core/graph/graph_text.h"

#include <QString>

#include <string>

namespace lemmascope::test {

/// `prove`: only whether the pair is proved is asked; no counterexample is looked for.
inline Result<CheckResult> checked(const std::string& reference, const std::string& rewritten, bool prove = false) {
    CheckOptions options;
    options.timeSeconds = 20.0;
    options.lookForCounterexample = !prove;
    return check(parseGraph(reference), parseGraph(rewritten), options);
}

/// The verdict's line begins with `line`, or, where that begins with '!', does not begin with the rest of it.
inline bool hasLine(const QString& got, const QString& line) { return line.startsWith('!') ? !got.startsWith(line.mid(1)) : got.startsWith(line); }

} // namespace lemmascope::test
