#include "core/workspace/session_file.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

// No text crashes the reader of sessions, and what it takes is written and read again with the same answer.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lemmascope;
    const std::filesystem::path file = "/folder/fuzz.lsession";
    const auto session = parseSession(std::string_view(reinterpret_cast<const char*>(data), size), file);
    if (!session) {
        return 0;
    }
    const std::string text = sessionText(*session, file);
    const auto again = parseSession(text, file);
    if (!again || sessionText(*again, file) != text) {
        std::abort();
    }
    return 0;
}
