// libFuzzer target of the ONNX reader and writer: any bytes are read or refused; what was read is written and reads again.
// Seeds: tests/data/cases/onnx. A crash it finds becomes a row of tst_onnx_files.

#include "core/format/onnx/onnx_reader.h"
#include "core/format/onnx/onnx_writer.h"

#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lemmascope;
    const auto graph = readOnnxBytes(std::as_bytes(std::span(data, size)), "fuzz.onnx");
    if (!graph) {
        return 0;
    }
    std::vector<std::string> notes;
    const auto bytes = writeOnnxBytes(**graph, notes);
    if (bytes && !readOnnxBytes(std::as_bytes(std::span(*bytes)), "again.onnx")) {
        std::abort();
    }
    return 0;
}
