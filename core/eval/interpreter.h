#pragma once

#include "core/eval/kernel_table.h"
#include "core/eval/node_run.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace lemmascope {

/// One graph being run: the top graph, a fused body, a branch, or a loop body in one of its iterations.
struct Frame {
    enum class Kind : std::uint8_t { Top, Body, Branch, FirstOfBoth, SecondOfBoth, Loop, Scan };
    Kind kind = Kind::Top;
    std::uint32_t instance = 0;
    std::size_t next = 0;   ///< node to run next
    FlatNodeId owner;       ///< node of the parent frame whose results this frame gives
    bool uncertain = false; ///< stands under an undecided condition: its faults may not happen

    // If with an undecided condition: the other branch, or the results of the first.
    std::uint32_t otherInstance = 0;
    std::vector<std::optional<Array>> firstResults;

    // Loop and Scan.
    std::int64_t iteration = 0;
    std::int64_t iterations = 0; ///< the most there may be
    std::vector<std::optional<Array>> carried;
    std::vector<Array> scanned;              ///< Scan's inputs, whole
    std::vector<std::vector<Array>> stacked; ///< per scan output, one element per iteration
};

/// Runs a GraphTree with an explicit stack of frames. `run` may be called once.
class Interpreter {
  public:
    Interpreter(const GraphTree& tree, const EvaluateOptions& options, std::stop_token stop);
    [[nodiscard]] Result<Evaluation> run(const std::vector<std::optional<Tensor>>& inputs);

    /// A body run in place of a kernel: operands and results as they are kept here.
    struct BodyRun {
        std::vector<std::optional<Array>> results;
        std::optional<Fault> fault;
        bool open = false;
        std::uint64_t operations = 0;
    };
    [[nodiscard]] Result<BodyRun> runBody(const std::vector<std::optional<Array>>& operands, std::uint64_t operationsBefore);

  private:
    // interpreter.cpp
    [[nodiscard]] Result<void> bindInputs(const std::vector<std::optional<Tensor>>& inputs);
    [[nodiscard]] Result<Array> adopt(const Tensor& tensor, ElementType declared, const std::string& name);
    [[nodiscard]] Result<std::optional<Array>> givenFor(FlatValueId id);
    [[nodiscard]] Result<void> set(FlatValueId id, std::optional<Array> value);
    /// The value, made from its constant on first use.
    [[nodiscard]] Result<const std::optional<Array>*> read(FlatValueId id);
    [[nodiscard]] Result<void> step();
    [[nodiscard]] Result<void> runKernel(const Node& node, FlatNodeId id, std::vector<std::optional<Array>> operands);
    // defined.cpp
    /// Runs the definition of an op that has no kernel; false when there is none that covers the case.
    [[nodiscard]] Result<bool> runDefinition(const Node& node, FlatNodeId id, const std::vector<std::optional<Array>>& operands);

    [[nodiscard]] Result<void> giveResults(FlatNodeId id, std::vector<std::optional<Array>> results);
    void markOpen(FlatNodeId id);
    void dropAfter(std::uint32_t instance, std::size_t node);
    void clearInstance(std::uint32_t instance);
    [[nodiscard]] IntervalRounding roundingOf(FlatNodeId id, const Node& node, const std::vector<std::optional<Array>>& operands) const;
    [[nodiscard]] Result<Evaluation> collect();
    [[nodiscard]] tl::unexpected<Error> failAt(FlatNodeId id, const Error& error) const;

    // control.cpp
    [[nodiscard]] Result<void> enter(Frame frame, const std::vector<std::optional<Array>>& inputs);
    [[nodiscard]] Result<bool> startControl(const Node& node, FlatNodeId id, const std::vector<std::optional<Array>>& operands);
    [[nodiscard]] Result<void> startIf(FlatNodeId id, const std::vector<std::optional<Array>>& operands);
    [[nodiscard]] Result<void> startLoop(const Node& node, FlatNodeId id, const std::vector<std::optional<Array>>& operands);
    [[nodiscard]] Result<void> startScan(const Node& node, FlatNodeId id, const std::vector<std::optional<Array>>& operands);
    [[nodiscard]] Result<void> finishFrame();
    [[nodiscard]] Result<void> iterate(Frame frame);
    [[nodiscard]] Result<void> endIterations(Frame frame);
    [[nodiscard]] Result<std::vector<std::optional<Array>>> outputsOf(const Frame& frame);
    [[nodiscard]] std::optional<std::uint32_t> childOf(FlatNodeId id, const char* role) const;
    /// The truth of a scalar bool; nothing when undecided.
    [[nodiscard]] static std::optional<bool> truthOf(const Array& condition);

    const GraphTree& m_tree;
    const EvaluateOptions& m_options;
    RunLimits m_limits;
    std::vector<std::optional<Array>> m_values;
    std::vector<Frame> m_frames;
    std::vector<std::vector<std::vector<std::uint32_t>>> m_drops; ///< per instance and node: values read last there
    std::optional<Fault> m_fault;
    std::vector<FlatNodeId> m_open;
    std::vector<bool> m_isOpen;
};

/// `node 'Conv_3' (Conv): `
[[nodiscard]] std::string nodePrefix(const std::string& path, const OpId& op);

} // namespace lemmascope
