#include "core/format/npy/npy.h"

#include <cstdint>
#include <cstdlib>

// No input crashes the reader, and what was read is written so that it reads as the same tensor.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lemmascope;
    const auto tensor = readNpyBytes(std::as_bytes(std::span(data, size)), {});
    if (!tensor) {
        return 0;
    }
    const auto written = npyBytes(*tensor);
    const auto again = written ? readNpyBytes(std::as_bytes(std::span(written->data(), written->size())), {}) : tensor;
    if (!written || !again || !again->sameBits(*tensor)) {
        std::abort();
    }
    return 0;
}
