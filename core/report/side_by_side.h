#pragma once

#include "core/report/report_document.h"

namespace lemmascope {

/// What both graphs gave on the tensors of `--input`, where some were given: the first pair of values beyond rounding with its
/// nodes, and a row for each pair that is not equal bit for bit, at most `maxRows`.
[[nodiscard]] ReportSection sideBySideSection(const CheckResult& result, std::size_t maxRows);

/// The node that makes a value: its path; empty for inputs and constants.
[[nodiscard]] std::string producerName(const CheckResult& result, Side side, FlatValueId value);

} // namespace lemmascope
