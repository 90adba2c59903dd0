#pragma once

#include "core/base/result.h"
#include "core/prove/check.h"
#include "core/prove/check_result.h"

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// Which inputs and outputs of two graphs belong together, after inference (resources/docs/decisions/proving.md): by name, then
/// `mapped`, then the rest by position where types agree. The rewritten graph's symbols are renamed to the reference's by the
/// positions of paired inputs.
struct Pairing {
    std::shared_ptr<const Graph> reference; ///< inferred
    std::shared_ptr<const Graph> rewritten; ///< inferred, symbols unified
    struct Input {
        std::size_t reference = 0;
        std::optional<std::size_t> rewritten;
        TensorType type;
        std::optional<IntegerRange> range;          ///< declared by the reference or the command line
        std::optional<RealRange> real;              ///< of a float input, from the command line: its ends are values of its type
        std::optional<IntegerRange> rewrittenRange; ///< declared by the rewritten graph only: must follow
    };
    struct Output {
        std::string name;
        ValueId reference;
        ValueId rewritten;       ///< invalid when missing
        std::string typeProblem; ///< why the types differ for some size; empty when they agree
        std::string typeDoubt;   ///< why it is not known whether they agree
    };
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::string sizeProblem;                     ///< how the rewritten graph restricts sizes that the reference leaves free: no verdict is given
    std::string rangeProblem;                    ///< a symbol's range that only the rewritten graph declares
    std::vector<std::string> extraInputs;        ///< inputs that only the rewritten graph has
    std::map<std::string, IntegerRange> symbols; ///< symbols of the inputs, with ranges
    std::vector<Remark> assumptions;
    std::vector<Remark> caveats;
};

/// Fails with BadData, ShapeMismatch (naming the side and node), or Usage for names in the options that no graph has.
[[nodiscard]] Result<Pairing> pairGraphs(const Graph& reference, const Graph& rewritten, const CheckOptions& options, std::stop_token stop);

} // namespace lemmascope
