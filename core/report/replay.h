#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// What the replay scripts of a bug report need to know.
struct ReplayPlan {
    std::string verdictLine;
    std::vector<std::pair<std::string, std::string>> inputs; ///< input name -> file in `inputs/`
    std::string output;                                      ///< the output to look at; empty: all
    /// Place of each of `inputs`, and of `output`, among those of one .onnx file: an ONNX file may need other names, since it
    /// gives each name once. -1: the file lacks it.
    struct OnnxPlaces {
        std::vector<std::int64_t> inputs;
        std::int64_t output = -1;
    };
    OnnxPlaces reference;
    OnnxPlaces rewritten;
    std::vector<std::int64_t> index;
    std::string options; ///< of `check`, such as ` --strength exact`
    bool onnx = true;    ///< the .onnx files could be written
};

/// `replay.sh`: checks the exported pair again and, where there are inputs, runs both graphs on them. POSIX sh.
[[nodiscard]] std::string replayShell(const ReplayPlan& plan);
/// `replay_ort.mjs`: runs both ONNX files on ONNX Runtime (npm onnxruntime-node) without graph optimisation, and prints both
/// outputs and the element in question.
[[nodiscard]] std::string replayOnnxRuntime(const ReplayPlan& plan);
/// `text` as one word of a POSIX shell.
[[nodiscard]] std::string shellWord(const std::string& text);

} // namespace lemmascope
