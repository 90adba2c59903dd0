#include "app/cli/requests.h"

#include <charconv>

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

Result<IntegerRange> parseRange(const std::string& option, const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
        return fail(ErrorCode::Usage, option + ": '" + text + "' is not of the form low:high");
    }
    const Result<std::int64_t> low = parseInteger(option, text.substr(0, colon));
    const Result<std::int64_t> high = parseInteger(option, text.substr(colon + 1));
    if (!low) {
        return tl::unexpected(low.error());
    }
    if (!high) {
        return tl::unexpected(high.error());
    }
    if (*low > *high) {
        return fail(ErrorCode::Usage, option + ": the range " + text + " is empty: its low end is above its high end");
    }
    return IntegerRange{*low, *high};
}

} // namespace lemmascope::cli
