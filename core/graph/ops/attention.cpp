// Attention and rotary embeddings: ONNX's own and ONNX Runtime's fused ones.

#include "core/graph/ops/op_block.h"

namespace lemmascope {

namespace {

std::optional<std::int64_t> headCount(InferContext& c, const std::string& key) {
    const std::int64_t heads = c.intAttribute(key, 0);
    if (heads < 1) {
        c.fail(c.hasAttribute(key) ? "attribute '" + key + "' is " + std::to_string(heads) + ", expected 1 or more"
                                   : "attribute '" + key + "' is missing");
        return std::nullopt;
    }
    return heads;
}

// [batch, heads, sequence, head size], from four axes or from three with the heads side by side.
std::optional<Shape> splitHeads(InferContext& c, std::size_t operand, const std::string& key) {
    if (!c.shape(operand)) {
        return std::nullopt;
    }
    const Shape& shape = *c.shape(operand);
    if (shape.size() == 4) {
        return shape;
    }
    if (!c.checkRank(operand, 3)) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> heads = headCount(c, key);
    if (!heads) {
        return std::nullopt;
    }
    if (shape[2].isKnown() && shape[2].value() % *heads != 0) {
        c.fail("operand " + std::to_string(operand) + " has a last axis of length " + shape[2].text() + ", expected a multiple of " +
               std::to_string(*heads) + " heads");
        return std::nullopt;
    }
    return Shape{shape[0], Dim(*heads), shape[1], Dim::floorDiv(shape[2], Dim(*heads))};
}

// Q, K, V, attn_mask, past_key, past_value. Results: Y, present_key, present_value, qk_matmul_output.
void inferAttention(InferContext& c) {
    const std::optional<Shape> q = splitHeads(c, 0, "q_num_heads");
    const std::optional<Shape> k = c.failed() ? std::nullopt : splitHeads(c, 1, "kv_num_heads");
    const std::optional<Shape> v = c.failed() ? std::nullopt : splitHeads(c, 2, "kv_num_heads");
    if (c.failed()) {
        return;
    }
    for (std::size_t result = 0; result < c.resultCount(); ++result) {
        c.setResult(result, c.element(result == 2 ? 2 : result == 1 ? 1 : 0), std::nullopt);
    }
    if (!q || !k || !v) {
        return;
    }
    if (!c.checkEqual((*k)[3], (*q)[3], "head size of operand 1") || !c.checkEqual((*v)[2], (*k)[2], "sequence length of operand 2")) {
        return;
    }
    if (c.shape(0)->size() == 3) {
        c.setResult(0, c.element(0), Shape{(*q)[0], (*q)[2], (*q)[1] * (*v)[3]});
    } else {
        c.setResult(0, c.element(0), Shape{(*q)[0], (*q)[1], (*q)[2], (*v)[3]});
    }
    Dim total = (*k)[2];
    if (c.has(4)) {
        if (!c.shape(4) || c.shape(4)->size() != 4) {
            return;
        }
        total = total + (*c.shape(4))[2];
    }
    c.setResult(1, c.element(1), Shape{(*k)[0], (*k)[1], total, (*k)[3]});
    c.setResult(2, c.element(2), Shape{(*v)[0], (*v)[1], total, (*v)[3]});
    c.setResult(3, c.element(0), Shape{(*q)[0], (*q)[1], (*q)[2], total});
}

void firstOperandType(InferContext& c) { c.setResult(0, c.type(0)); }

// com.microsoft.Attention: input [batch, sequence, in], one weight for q, k and v side by side, bias.
void inferMicrosoftAttention(InferContext& c) {
    if (!c.checkRank(0, 3) || !c.checkRank(1, 2)) {
        return;
    }
    const std::vector<std::int64_t>* sizes = c.intsAttribute("qkv_hidden_sizes");
    if (sizes != nullptr && !sizes->empty() && sizes->size() != 3) {
        c.fail("attribute 'qkv_hidden_sizes' has " + counted(sizes->size(), "value") + ", expected 3");
        return;
    }
    std::optional<Dim> hidden;
    if (sizes != nullptr && !sizes->empty()) {
        hidden = Dim(sizes->back());
    } else if (c.shape(1)) {
        const Dim& packed = c.shape(1)->back();
        if (packed.isKnown() && packed.value() % 3 != 0) {
            c.fail("operand 1 has " + packed.text() + " columns, expected a multiple of 3");
            return;
        }
        hidden = Dim::floorDiv(packed, Dim(3));
    }
    std::optional<Shape> out;
    if (c.shape(0) && hidden) {
        out = Shape{(*c.shape(0))[0], (*c.shape(0))[1], *hidden};
    }
    c.setResult(0, c.element(0), std::move(out));
    c.setResult(1, c.element(0), std::nullopt);
}

// com.microsoft.MultiHeadAttention and GroupQueryAttention: query [batch, sequence, heads * size], key, value. A query of rank
// above 3 (packed forms) leaves the shape open.
void inferMultiHeadAttention(InferContext& c) {
    const bool rows = c.shape(0) && c.shape(0)->size() == 3 && c.shape(2);
    const bool plain = rows && c.shape(2)->size() == 3;
    std::optional<Shape> out;
    if (c.node().op.name == "MultiHeadAttention") {
        if (plain) {
            out = Shape{(*c.shape(0))[0], (*c.shape(0))[1], c.shape(2)->back()};
        } else if (rows && c.shape(2)->size() == 4) { // values that have their heads already
            out = Shape{(*c.shape(0))[0], (*c.shape(0))[1], (*c.shape(2))[1] * (*c.shape(2))[3]};
        }
    } else if (plain) {
        out = *c.shape(0); // the query's heads, all of one size
    }
    c.setResult(0, c.element(0), std::move(out));
    for (std::size_t k = 1; k < c.resultCount(); ++k) {
        c.setResult(k, c.element(0), std::nullopt);
    }
}

} // namespace

OpBlocks attentionOps() {
    constexpr OpClass Computing = OpClass::Computing;
    return {
        {OnnxDomain,
         "Attention",
         {23},
         3,
         6,
         Computing,
         "is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f softcap:f softmax_precision:i",
         inferAttention},
        {OnnxDomain,
         "Attention",
         {24},
         3,
         7,
         Computing,
         "is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f softcap:f softmax_precision:i",
         inferAttention},
        {OnnxDomain, "RotaryEmbedding", {23}, 3, 4, Computing, "interleaved:i num_heads:i rotary_embedding_dim:i", firstOperandType},
        {MicrosoftDomain,
         "RotaryEmbedding",
         {1},
         4,
         4,
         Computing,
         "interleaved:i is_packed_batching:i num_heads:i rotary_embedding_dim:i scale:f",
         firstOperandType},
        {MicrosoftDomain,
         "Attention",
         {1},
         2,
         7,
         Computing,
         "do_rotary:i mask_filter_value:f num_heads:i past_present_share_buffer:i qkv_hidden_sizes:I rotary_embedding_dim:i scale:f unidirectional:i",
         inferMicrosoftAttention},
        {MicrosoftDomain,
         "MultiHeadAttention",
         {1},
         1,
         -1,
         Computing,
         "mask_filter_value:f num_heads:i scale:f unidirectional:i",
         inferMultiHeadAttention},
        {MicrosoftDomain,
         "GroupQueryAttention",
         {1},
         1,
         -1,
         Computing,
         "do_rotary:i kv_num_heads:i local_window_size:i num_heads:i rotary_interleaved:i scale:f smooth_softmax:i softcap:f",
         inferMultiHeadAttention},
    };
}

} // namespace lemmascope
