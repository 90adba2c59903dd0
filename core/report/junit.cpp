#include "core/report/junit.h"

#include "core/report/json_writer.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace lemmascope {

namespace {

/// Text and attribute values; what XML 1.0 cannot hold becomes U+FFFD.
std::string xml(const std::string& text) {
    // jsonString mends what is not UTF-8, and its escapes are undone here in favour of XML's.
    const std::string quoted = jsonString(text);
    std::string out;
    for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
        char c = quoted[i];
        if (c == '\\') {
            c = quoted[++i];
            if (c == 'n') {
                out += "&#10;";
                continue;
            }
            if (c == 't') {
                out += "&#9;";
                continue;
            }
            if (c == 'u') {
                out += "\xEF\xBF\xBD";
                i += 4;
                continue;
            }
        }
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

std::string seconds(double value) {
    std::array<char, 32> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "%.3f", value);
    return {buffer.data(), static_cast<std::size_t>(std::max(length, 0))};
}

} // namespace

std::string junitXml(const std::vector<PairReport>& pairs) {
    std::size_t failures = 0;
    std::size_t errors = 0;
    double total = 0.0;
    std::string cases;
    for (const PairReport& pair : pairs) {
        total += pair.seconds;
        cases += "    <testcase classname=\"lemmascope\" name=\"" + xml(pair.name) + "\" time=\"" + seconds(pair.seconds) + "\"";
        if (pair.error) {
            ++errors;
            cases += ">\n      <error message=\"" + xml(pair.error->text()) + "\"/>\n    </testcase>\n";
        } else if (!pair.asWanted) {
            ++failures;
            cases += ">\n      <failure type=\"" + xml(std::string(name(pair.verdict))) + "\" message=\"" + xml(pair.line) + "\">" + xml(pair.text) +
                     "</failure>\n    </testcase>\n";
        } else {
            cases += ">\n      <system-out>" + xml(pair.line) + "</system-out>\n    </testcase>\n";
        }
    }
    const std::string counts = "tests=\"" + std::to_string(pairs.size()) + "\" failures=\"" + std::to_string(failures) + "\" errors=\"" +
                               std::to_string(errors) + "\" time=\"" + seconds(total) + "\"";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts + ">\n  <testsuite name=\"lemmascope check\" " + counts + ">\n" +
           cases + "  </testsuite>\n</testsuites>\n";
}

} // namespace lemmascope
