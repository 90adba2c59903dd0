#pragma once

#include "core/base/result.h"
#include "core/format/mlir/module.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::ir {

/// Text of MLIR or its bytecode, by the first bytes, or by the name's ending (.mlir, .mlirbc).
[[nodiscard]] bool looksLikeMlir(std::string_view head, const std::filesystem::path& path);

/// Reads and verifies MLIR, text or bytecode, in the process `lemmascope-mlir`, which stands beside the running program. `file`: the name
/// that places start with; `firstLine`: where the text begins in it. Fails with BadData (libMLIR's first message, with its place), TooLarge
/// (nesting, size), NotFound (no such program: built without the reader), WorkerFailed (the process died: of a fault in libMLIR, its memory or its
/// time), Cancelled.
[[nodiscard]] Result<std::shared_ptr<const Module>> readModule(const std::string& text, const std::string& file, std::uint32_t firstLine = 1,
                                                               std::stop_token stop = {});

/// The bytes of a file to be read. Fails with NotFound, BadData (no regular file), TooLarge.
[[nodiscard]] Result<std::string> readText(const std::filesystem::path& path);
/// Both. Fails as these do.
[[nodiscard]] Result<std::shared_ptr<const Module>> readModuleFile(const std::filesystem::path& path, std::stop_token stop = {});

/// One step of what `--mlir-print-ir-after-all` writes: the program after a pass.
struct Dump {
    std::string title; ///< `After Canonicalizer (canonicalize)`
    std::uint32_t firstLine = 1;
    std::string text;
};
/// The dumps in a text, in order; empty where it has none.
[[nodiscard]] std::vector<Dump> splitDumps(std::string_view text);

} // namespace lemmascope::ir
