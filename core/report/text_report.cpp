#include "core/report/text_report.h"

#include "core/report/report_document.h"

namespace lemmascope {

std::string textReport(const CheckResult& result) { return plainText(describe(result)); }

} // namespace lemmascope
