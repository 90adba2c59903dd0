// Which values an operator's attributes can have.
#include "core/ruleproof/attribute_values.h"

#include "core/graph/ops/op_block.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace lemmascope::ruleproof {

namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t MostRankOfPermutations = 5;

void addIntegers(AttributeChoices& out, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i <= last; ++i) {
        out.values.emplace_back(Attribute(i));
    }
}

/// Every list of that length with entries among `entries`.
std::vector<Ints> listsOf(std::size_t length, const Ints& entries) {
    std::vector<Ints> out{{}};
    for (std::size_t i = 0; i < length; ++i) {
        std::vector<Ints> longer;
        for (const Ints& each : out) {
            for (const std::int64_t entry : entries) {
                longer.push_back(each);
                longer.back().push_back(entry);
            }
        }
        out = std::move(longer);
    }
    return out;
}

void addAxisLists(AttributeChoices& out, std::size_t rank, bool fromEndToo) {
    if (rank > 6) {
        out.gap = "axes of rank " + std::to_string(rank);
        return;
    }
    for (std::uint32_t subset = 1; subset < 1U << rank; ++subset) {
        Ints axes;
        Ints fromEnd;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            if ((subset >> axis & 1U) != 0) {
                axes.push_back(static_cast<std::int64_t>(axis));
                fromEnd.push_back(static_cast<std::int64_t>(axis) - static_cast<std::int64_t>(rank));
            }
        }
        out.values.emplace_back(Attribute(axes));
        if (fromEndToo) {
            out.values.emplace_back(Attribute(fromEnd));
        }
    }
}

} // namespace

std::vector<std::pair<std::string, char>> attributeKinds(const OpId& op) {
    std::vector<std::pair<std::string, char>> out;
    if (const OpRule* rule = findRule(op)) {
        for (const AttributeKind& each : rule->attributes) {
            out.emplace_back(std::string(each.name), each.kind);
        }
    }
    return out;
}

AttributeChoices attributeChoices(const AttributeQuestion& question) {
    AttributeChoices out;
    const std::vector<std::pair<std::string, char>> kinds = attributeKinds(question.op);
    const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.first == question.name; });
    const char kind = at == kinds.end() ? '\0' : at->second;
    const std::string& op = question.op.name;
    const std::string& name = question.name;
    const std::optional<std::size_t> first = question.ranks.empty() ? std::nullopt : question.ranks[0];
    const auto rank = static_cast<std::int64_t>(first.value_or(0));
    static const std::set<std::string> Flags{"keepdims",
                                             "transA",
                                             "transB",
                                             "exclusive",
                                             "reverse",
                                             "largest",
                                             "select_last_index",
                                             "allowzero",
                                             "ceil_mode",
                                             "transBatchA",
                                             "transBatchB",
                                             "fmod",
                                             "count_include_pad",
                                             "noop_with_empty_axes",
                                             "is_causal",
                                             "unidirectional",
                                             "interleaved",
                                             "do_rotary",
                                             "detect_negative",
                                             "detect_positive"};
    static const std::set<std::string> Unfelt{"stash_type", "saturate",          "sorted",    "storage_order", "momentum", "seed",
                                              "precision",  "softmax_precision", "round_mode"};
    const OpSchema* schema = findOp(question.op);
    const bool elementwise = schema != nullptr && schema->opClass == OpClass::Elementwise;
    if ((elementwise && (name == "axis" || name == "broadcast")) || name == "consumed_inputs") {
        out.values.emplace_back(); // of opsets before 7
    } else if (Flags.contains(name)) {
        addIntegers(out, 0, 1);
    } else if (Unfelt.contains(name)) {
        out.values.emplace_back(); // left as it is: it decides nothing that the definitions see
    } else if (name == "axis" && kind == 'i') {
        // Unknown opsets' corner cases are refused by inference: an axis too far is no case.
        const std::int64_t last = op == "Flatten" ? rank : rank - 1;
        addIntegers(out, question.isRead ? -rank : 0, last);
    } else if (name == "axes" && kind == 'I') {
        std::size_t reach = static_cast<std::size_t>(rank);
        if (op == "Unsqueeze") {
            reach += 1;
            out.scope = "Unsqueeze by one axis";
            for (std::size_t axis = 0; axis < reach; ++axis) {
                out.values.emplace_back(Attribute(Ints{static_cast<std::int64_t>(axis)}));
                if (question.isRead) {
                    out.values.emplace_back(Attribute(Ints{static_cast<std::int64_t>(axis) - static_cast<std::int64_t>(reach)}));
                }
            }
        } else {
            out.values.emplace_back(); // all axes, or those of length 1
            addAxisLists(out, reach, question.isRead);
        }
    } else if (name == "perm" && kind == 'I') {
        if (rank > MostRankOfPermutations) {
            out.gap = "permutations of rank " + std::to_string(rank);
            return out;
        }
        Ints order(static_cast<std::size_t>(rank));
        std::iota(order.begin(), order.end(), 0);
        do {
            out.values.emplace_back(Attribute(order));
        } while (std::next_permutation(order.begin(), order.end()));
    } else if (name == "block_size" || (kind == 'e' && name != "to")) {
        out.values.emplace_back();
        out.scope = name + " at its default";
    } else if (kind == 'e') {
        for (const std::int64_t code : {1, 10, 6, 7, 2, 9}) { // f32, f16, i32, i64, u8, bool
            out.values.emplace_back(Attribute(code));
        }
        out.scope = name + " of f32, f16, i32, i64, u8, bool";
    } else if (name == "approximate") {
        out.values = {Attribute(std::string("none")), Attribute(std::string("tanh"))};
    } else if (name == "auto_pad") {
        out.values.emplace_back();
        out.scope = "auto_pad NOTSET";
    } else if (op == "Pad" && name == "mode") {
        for (const char* each : {"constant", "reflect", "edge"}) {
            out.values.emplace_back(Attribute(std::string(each)));
        }
    } else if (name == "direction" && op == "BitShift") {
        out.values = {Attribute(std::string("LEFT")), Attribute(std::string("RIGHT"))};
    } else if (name == "reduction" && op.starts_with("Scatter")) {
        for (const char* each : {"none", "add", "mul"}) {
            out.values.emplace_back(Attribute(std::string(each)));
        }
    } else if (name == "strides" || name == "dilations") {
        const std::size_t spatial = rank >= 2 ? static_cast<std::size_t>(rank) - 2 : 0;
        for (Ints& each : listsOf(spatial, {1, 2})) {
            out.values.emplace_back(Attribute(std::move(each)));
        }
        out.scope = name + " 1 and 2";
    } else if (name == "pads" && kind == 'I') {
        const std::size_t spatial = rank >= 2 ? static_cast<std::size_t>(rank) - 2 : 0;
        out.values.emplace_back(Attribute(Ints(2 * spatial, 0)));
        Ints some(2 * spatial, 1);
        out.values.emplace_back(Attribute(some));
        if (spatial > 0) {
            some[0] = 0;
            out.values.emplace_back(Attribute(std::move(some)));
        }
        out.scope = "pads 0, 1, and 0 before 1";
    } else if (name == "kernel_shape") {
        const std::size_t spatial = rank >= 2 ? static_cast<std::size_t>(rank) - 2 : 0;
        if (op.starts_with("Conv")) {
            out.values.emplace_back(); // as the weights have it
            if (question.isRead) {
                out.values.clear();
                for (Ints& each : listsOf(spatial, {1, 3})) {
                    out.values.emplace_back(Attribute(std::move(each)));
                }
                out.scope = "kernels of 1 and 3";
            }
        } else {
            for (Ints& each : listsOf(spatial, {1, 2})) {
                out.values.emplace_back(Attribute(std::move(each)));
            }
            out.scope = "windows of 1 and 2";
        }
    } else if (name == "group") {
        addIntegers(out, 1, 2);
        out.scope = "group 1 and 2";
    } else if (name == "blocksize") {
        addIntegers(out, 2, 2);
        out.scope = name + " 2";
    } else if (name == "training_mode" || name == "is_test" || name == "spatial") {
        out.values.emplace_back();
        out.scope = name + " at its default";
    } else if (kind == 'f') {
        out.isReal = true;
        for (const float each : {0.5F, 1.0F, 2.0F}) {
            out.values.emplace_back(Attribute(each));
        }
        if (name == "epsilon") {
            out.values = {Attribute(1e-5F), Attribute(1e-3F), Attribute(0.5F)};
        }
    } else {
        out.values.emplace_back();
        out.gap = "attribute " + name + " of " + question.op.text() + " is only tried at its default";
    }
    return out;
}

std::optional<Attribute> literalAttribute(const match::AttributeValue& wanted, char kind) {
    using Kind = match::AttributeValue::Kind;
    switch (wanted.kind) {
    case Kind::Number:
        if (kind == 'I' && wanted.number.integer) {
            return Attribute(Ints{*wanted.number.integer});
        }
        if (kind == 'f' || !wanted.number.integer) {
            return Attribute(static_cast<float>(wanted.number.value));
        }
        return Attribute(*wanted.number.integer);
    case Kind::Text: return Attribute(wanted.text);
    case Kind::Word: return Attribute(wanted.text);
    case Kind::List: {
        const bool texts = std::any_of(wanted.items.begin(), wanted.items.end(), [](const auto& each) { return each.kind != Kind::Number; });
        if (texts) {
            std::vector<std::string> out;
            for (const match::AttributeValue& each : wanted.items) {
                if (each.kind != Kind::Text && each.kind != Kind::Word) {
                    return std::nullopt;
                }
                out.push_back(each.text);
            }
            return Attribute(std::move(out));
        }
        const bool floats =
            kind == 'F' || std::any_of(wanted.items.begin(), wanted.items.end(), [](const auto& each) { return !each.number.integer; });
        if (floats) {
            std::vector<float> out;
            for (const match::AttributeValue& each : wanted.items) {
                out.push_back(static_cast<float>(each.number.value));
            }
            return Attribute(std::move(out));
        }
        Ints out;
        for (const match::AttributeValue& each : wanted.items) {
            out.push_back(*each.number.integer);
        }
        return Attribute(std::move(out));
    }
    case Kind::Variable:
    case Kind::Expression: return std::nullopt;
    }
    return std::nullopt;
}

match::FactValue factOf(const Attribute& attribute) {
    using match::FactValue;
    const auto list = [](const auto& values, const auto& item) {
        FactValue::List out;
        for (const auto& each : values) {
            out.emplace_back(item(each));
        }
        return FactValue(std::move(out));
    };
    if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
        return FactValue(*integer);
    }
    if (const auto* real = std::get_if<float>(&attribute)) {
        return FactValue(static_cast<double>(*real));
    }
    if (const auto* text = std::get_if<std::string>(&attribute)) {
        return FactValue(*text);
    }
    if (const auto* ints = std::get_if<Ints>(&attribute)) {
        return list(*ints, [](std::int64_t v) { return v; });
    }
    if (const auto* reals = std::get_if<std::vector<float>>(&attribute)) {
        return list(*reals, [](float v) { return static_cast<double>(v); });
    }
    if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
        return list(*texts, [](const std::string& v) { return v; });
    }
    return {};
}

std::optional<Tensor> operandOf(const Attribute& attribute) {
    if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
        return Tensor::of<std::int64_t>(ElementType::I64, {1}, {*integer});
    }
    if (const auto* ints = std::get_if<Ints>(&attribute)) {
        return Tensor::of<std::int64_t>(ElementType::I64, {static_cast<std::int64_t>(ints->size())}, *ints);
    }
    if (const auto* real = std::get_if<float>(&attribute)) {
        return Tensor::of<float>(ElementType::F32, {}, {*real});
    }
    return std::nullopt;
}

} // namespace lemmascope::ruleproof
