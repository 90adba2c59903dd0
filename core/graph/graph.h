#pragma once

#include "core/base/id.h"
#include "core/graph/tensor.h"
#include "core/graph/tensor_type.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lemmascope {

class Graph;
class DefinitionLibrary;

using NodeId = Id<struct NodeTag>;   ///< index into Graph::nodes
using ValueId = Id<struct ValueTag>; ///< index into Graph::values

/// What an operator name means: the opset version in force decides (ONNX Versioning.md). `version` is the model's opset of
/// that domain, not the since-version; 0 when the domain has none.
struct OpId {
    std::string domain; ///< "" is ai.onnx; "lemmascope" for the forms of our JSON
    std::string name;
    std::int64_t version = 0;

    friend auto operator<=>(const OpId&, const OpId&) = default;
    [[nodiscard]] std::string text() const { return domain.empty() ? name : domain + "." + name; }
};

/// A node's attribute. Floats are float32 as in ONNX. Graphs are If, Loop and Scan bodies.
using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>, Tensor,
                               std::shared_ptr<const Graph>, std::vector<std::shared_ptr<const Graph>>>;

/// Both ends included.
struct IntegerRange {
    std::int64_t low = 0;
    std::int64_t high = 0;
    friend bool operator==(const IntegerRange&, const IntegerRange&) = default;
};

/// A tensor in SSA form: an input, a constant, a captured outer value, or result `resultIndex` of `producer`.
struct Value {
    std::string name;
    TensorType type; ///< declared until inference has run, inferred afterwards
    NodeId producer; ///< invalid for inputs, constants and captures
    std::uint32_t resultIndex = 0;
    std::optional<Tensor> constant;
    std::optional<IntegerRange> range; ///< declared for an integer input
    /// Set by inference for small integer tensors whose elements are functions of the sizes (Shape, its arithmetic, constants
    /// of at most 1,024 elements): the elements, row-major.
    std::shared_ptr<const std::vector<Dim>> elements;
};

struct Node {
    OpId op;
    std::string name;              ///< as in the file; may be empty or repeated in ONNX
    std::vector<ValueId> operands; ///< an invalid id is an omitted optional operand
    std::vector<ValueId> results;  ///< an invalid id is a result nobody named
    std::map<std::string, Attribute> attributes;
    /// A fused op or a call of a model's own function: its parts. Inputs and outputs pair with operands and results by
    /// position (omitted operands have an input without a type); attributes are already substituted.
    std::shared_ptr<const Graph> body;
    int line = 0; ///< in a text file, from 1; 0 when unknown

    /// The attribute if it is there and of that type.
    template <typename T>
    [[nodiscard]] const T* attribute(const std::string& key) const {
        const auto at = attributes.find(key);
        return at == attributes.end() ? nullptr : std::get_if<T>(&at->second);
    }
};

/// A value of the enclosing graph that a nested graph reads under its own ValueId.
struct Capture {
    ValueId inner;
    ValueId outer; ///< in the directly enclosing graph, which may itself capture it
};

/// One typed graph, whatever file it came from. Nodes stand in an order in which each reads only what stands before it
/// (readers sort topologically, stably, or refuse a cycle). Immutable once shared.
class Graph {
  public:
    std::string name;
    std::vector<Value> values;
    std::vector<Node> nodes;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    /// Names of the outputs where a value's own name is another (a table's last version `kv#2` is output `kv`); by position,
    /// empty text or a missing entry: the value's name. Read through `outputName`.
    std::vector<std::string> outputNames;
    std::vector<Capture> captures; ///< nested graphs only
    /// Declared ranges of symbols; a symbol not named here ranges from 1.
    std::map<std::string, IntegerRange> symbols;
    std::map<std::string, std::int64_t> opsets; ///< domain -> version
    /// Set by inference: the branch (1: then) that an If must take, by node index, since this graph cannot run otherwise.
    std::map<std::uint32_t, bool> requiredBranches;
    std::shared_ptr<const DefinitionLibrary> definitions; ///< the user's (`--definitions`), on the top graph; null: none
    std::vector<std::string> notes;                       ///< what a reader wants to tell ("initializer 'w' is also an input: taken as a constant")

    [[nodiscard]] const Value& value(ValueId id) const { return values.at(id.index); }
    [[nodiscard]] const Node& node(NodeId id) const { return nodes.at(id.index); }
    /// What output `position` is called outside: outputs pair and are reported by this name.
    [[nodiscard]] const std::string& outputName(std::size_t position) const;
    /// First value of that name.
    [[nodiscard]] ValueId findValue(const std::string& wanted) const;
    ValueId addValue(Value value);
    /// Appends a node and makes it the producer of its results.
    NodeId addNode(Node node);
    /// Nested graphs of a node in a fixed order: body, then graph attributes by name.
    [[nodiscard]] static std::vector<std::pair<std::string, std::shared_ptr<const Graph>>> nestedGraphs(const Node& node);
    /// The name to show for a node: its own, else its first result's, else `Op#index`.
    [[nodiscard]] std::string displayName(NodeId id) const;
};

} // namespace lemmascope
