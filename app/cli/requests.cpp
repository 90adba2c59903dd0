#include "app/cli/requests.h"

#include <charconv>
#include <cmath>

namespace lemmascope::cli {

Result<std::pair<std::string, std::string>> splitAssignment(const std::string& option, const std::string& text) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
        return fail(ErrorCode::Usage, option + ": '" + text + "' is not of the form name=value");
    }
    return std::pair(text.substr(0, at), text.substr(at + 1));
}

Result<std::int64_t> parseInteger(const std::string& option, const std::string& text) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) {
        return fail(ErrorCode::Usage, option + ": '" + text + "' is not a 64-bit integer");
    }
    return value;
}

Result<std::variant<IntegerRange, RealRange>> parseRange(const std::string& option, const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
        return fail(ErrorCode::Usage, option + ": '" + text + "' is not of the form low:high");
    }
    const std::string ends[] = {text.substr(0, colon), text.substr(colon + 1)};
    const Result<std::int64_t> low = parseInteger(option, ends[0]);
    const Result<std::int64_t> high = parseInteger(option, ends[1]);
    RealRange real;
    for (const bool first : {true, false}) {
        const std::string& end = ends[first ? 0 : 1];
        double& value = first ? real.low : real.high;
        const auto [stop, problem] = std::from_chars(end.data(), end.data() + end.size(), value);
        if (problem != std::errc() || stop != end.data() + end.size() || !std::isfinite(value)) {
            return fail(ErrorCode::Usage, option + ": '" + end + "' is not a finite number");
        }
    }
    const bool integers = low && high;
    if (integers ? *low > *high : real.low > real.high) {
        return fail(ErrorCode::Usage, option + ": the range " + text + " is empty: its low end is above its high end");
    }
    return integers ? std::variant<IntegerRange, RealRange>(IntegerRange{*low, *high}) : real;
}

} // namespace lemmascope::cli
