#pragma once

#include "core/base/result.h"
#include "core/format/mlir/module.h"

#include <string>
#include <string_view>

namespace lemmascope::ir {

/// What the reader process (`lemmascope-mlir`) is asked: the content of one file, or a part of it.
struct ParseRequest {
    std::string file;            ///< the name that places start with
    std::uint32_t firstLine = 1; ///< of the file, where the text begins
    std::string text;            ///< MLIR text or bytecode
};

[[nodiscard]] std::string encodeRequest(const ParseRequest& request);
[[nodiscard]] std::string encodeModule(const Module& module);
/// Both fail with WorkerFailed when the bytes are not what the other side writes; a decoded module is well formed.
[[nodiscard]] Result<ParseRequest> decodeRequest(std::string_view bytes);
[[nodiscard]] Result<Module> decodeModule(std::string_view bytes);

} // namespace lemmascope::ir
