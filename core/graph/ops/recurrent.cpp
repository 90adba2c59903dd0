// LSTM, GRU and RNN.

#include "core/graph/ops/op_block.h"

namespace lemmascope {

namespace {

// x [seq, batch, in], w [directions, gates * hidden, in], r [directions, gates * hidden, hidden], bias, sequence lengths, initial
// states. Results: all states [seq, directions, batch, hidden], last state [directions, batch, hidden] (LSTM: and cell). With
// layout 1 the batch comes first everywhere.
void inferRecurrent(InferContext& c, std::int64_t gates) {
    if (!c.checkRank(0, 3) || !c.checkRank(1, 3) || !c.checkRank(2, 3) || !c.checkSameElement({0, 1, 2, 3})) {
        return;
    }
    const std::string direction = c.stringAttribute("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
        c.fail("attribute 'direction' is '" + direction + "', expected forward, reverse or bidirectional");
        return;
    }
    const Dim directions(direction == "bidirectional" ? 2 : 1);
    std::optional<Dim> hidden;
    if (c.hasAttribute("hidden_size")) {
        hidden = Dim(c.intAttribute("hidden_size", 0));
    } else if (c.shape(2)) {
        hidden = c.shape(2)->back();
    }
    if (c.shape(1) && !c.checkEqual(c.shape(1)->front(), directions, "number of directions of operand 1")) {
        return;
    }
    if (c.shape(2) && hidden && !c.checkEqual(c.shape(2)->back(), *hidden, "length of operand 2 on axis 2")) {
        return;
    }
    if (c.shape(1) && hidden && !c.checkEqual((*c.shape(1))[1], *hidden * Dim(gates), "length of operand 1 on axis 1")) {
        return;
    }
    if (c.shape(0) && c.shape(1) && !c.checkEqual(c.shape(1)->back(), c.shape(0)->back(), "length of operand 1 on axis 2")) {
        return;
    }
    if (!hidden) {
        hidden = c.unknown(0, 3);
    }
    const bool batchFirst = c.intAttribute("layout", 0) != 0;
    const Dim sequence = c.shape(0) ? (*c.shape(0))[batchFirst ? 1 : 0] : c.unknown(0, 0);
    const Dim batch = c.shape(0) ? (*c.shape(0))[batchFirst ? 0 : 1] : c.unknown(0, 2);
    c.setResult(0, c.element(0), batchFirst ? Shape{batch, sequence, directions, *hidden} : Shape{sequence, directions, batch, *hidden});
    for (std::size_t k = 1; k < c.resultCount(); ++k) {
        c.setResult(k, c.element(0), batchFirst ? Shape{batch, directions, *hidden} : Shape{directions, batch, *hidden});
    }
}

void inferLstm(InferContext& c) { inferRecurrent(c, 4); }
void inferGru(InferContext& c) { inferRecurrent(c, 3); }
void inferRnn(InferContext& c) { inferRecurrent(c, 1); }

} // namespace

OpBlocks recurrentOps() {
    constexpr OpClass Computing = OpClass::Computing;
    constexpr std::string_view Common =
        "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i layout:i output_sequence:i";
    return {
        {OnnxDomain,
         "LSTM",
         {1, 7, 14, 22},
         3,
         8,
         Computing,
         "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i input_forget:i layout:i output_sequence:i",
         inferLstm},
        {OnnxDomain,
         "GRU",
         {1, 3, 7, 14, 22},
         3,
         6,
         Computing,
         "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i layout:i linear_before_reset:i output_sequence:i",
         inferGru},
        {OnnxDomain, "RNN", {1, 7, 14, 22}, 3, 6, Computing, Common, inferRnn},
    };
}

} // namespace lemmascope
