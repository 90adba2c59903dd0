#include "core/format/onnx/attribute_proto.h"

#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/format/onnx/type_proto.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace lemmascope::onnx {

namespace {

struct KindRow {
    AttributeProto::AttributeType kind;
    const char* name;
    bool (*filled)(const AttributeProto&);
};

const std::array KindRows{
    KindRow{AttributeProto::FLOAT, "FLOAT", [](const AttributeProto& a) { return a.has_f(); }},
    KindRow{AttributeProto::INT, "INT", [](const AttributeProto& a) { return a.has_i(); }},
    KindRow{AttributeProto::STRING, "STRING", [](const AttributeProto& a) { return a.has_s(); }},
    KindRow{AttributeProto::TENSOR, "TENSOR", [](const AttributeProto& a) { return a.has_t(); }},
    KindRow{AttributeProto::GRAPH, "GRAPH", [](const AttributeProto& a) { return a.has_g(); }},
    KindRow{AttributeProto::FLOATS, "FLOATS", [](const AttributeProto& a) { return a.floats_size() != 0; }},
    KindRow{AttributeProto::INTS, "INTS", [](const AttributeProto& a) { return a.ints_size() != 0; }},
    KindRow{AttributeProto::STRINGS, "STRINGS", [](const AttributeProto& a) { return a.strings_size() != 0; }},
    KindRow{AttributeProto::TENSORS, "TENSORS", [](const AttributeProto& a) { return a.tensors_size() != 0; }},
    KindRow{AttributeProto::GRAPHS, "GRAPHS", [](const AttributeProto& a) { return a.graphs_size() != 0; }},
    KindRow{AttributeProto::SPARSE_TENSOR, "SPARSE_TENSOR", [](const AttributeProto& a) { return a.has_sparse_tensor(); }},
    KindRow{AttributeProto::SPARSE_TENSORS, "SPARSE_TENSORS", [](const AttributeProto& a) { return a.sparse_tensors_size() != 0; }},
    KindRow{AttributeProto::TYPE_PROTO, "TYPE_PROTO", [](const AttributeProto& a) { return a.has_tp(); }},
    KindRow{AttributeProto::TYPE_PROTOS, "TYPE_PROTOS", [](const AttributeProto& a) { return a.type_protos_size() != 0; }},
};

/// Kinds whose absent field is no zero value that a writer may leave out.
bool needsItsField(std::int32_t kind) {
    return kind == AttributeProto::TENSOR || kind == AttributeProto::GRAPH || kind == AttributeProto::SPARSE_TENSOR ||
           kind == AttributeProto::TYPE_PROTO;
}

template <typename Protos>
Result<void> takeList(Protos& protos, const std::string& key, const std::string& subject, TensorSource& tensors, bool keep, AttributeMap& out) {
    if (protos.empty()) {
        out[key + "[]"] = std::vector<std::int64_t>{};
    }
    for (int i = 0; i < protos.size(); ++i) {
        const std::string element = key + "[" + std::to_string(i) + "]";
        auto tensor = tensors.take(*protos.Mutable(i), subject + " element " + std::to_string(i), keep);
        if (!tensor) {
            return tl::unexpected(std::move(tensor.error()));
        }
        out[element] = std::move(*tensor);
    }
    return {};
}

bool sameFloats(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool sameAttribute(const Attribute& a, const Attribute& b) {
    if (a.index() != b.index()) {
        return false;
    }
    if (const auto* tensor = std::get_if<Tensor>(&a)) {
        return tensor->sameBits(std::get<Tensor>(b));
    }
    if (const auto* number = std::get_if<float>(&a)) {
        return sameFloats(*number, std::get<float>(b));
    }
    if (const auto* numbers = std::get_if<std::vector<float>>(&a)) {
        const auto& others = std::get<std::vector<float>>(b);
        return std::equal(numbers->begin(), numbers->end(), others.begin(), others.end(), sameFloats);
    }
    if (const auto* number = std::get_if<std::int64_t>(&a)) {
        return *number == std::get<std::int64_t>(b);
    }
    if (const auto* text = std::get_if<std::string>(&a)) {
        return *text == std::get<std::string>(b);
    }
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&a)) {
        return *numbers == std::get<std::vector<std::int64_t>>(b);
    }
    if (const auto* texts = std::get_if<std::vector<std::string>>(&a)) {
        return *texts == std::get<std::vector<std::string>>(b);
    }
    if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&a)) {
        return *graph == std::get<std::shared_ptr<const Graph>>(b);
    }
    return std::get<std::vector<std::shared_ptr<const Graph>>>(a) == std::get<std::vector<std::shared_ptr<const Graph>>>(b);
}

template <typename T>
std::string bitsText(const T* values, std::size_t count) {
    return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

std::string keyOf(const Attribute& attribute) {
    if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
        return tensor->digest().hex();
    }
    if (const auto* number = std::get_if<float>(&attribute)) {
        return bitsText(number, 1);
    }
    if (const auto* numbers = std::get_if<std::vector<float>>(&attribute)) {
        return bitsText(numbers->data(), numbers->size());
    }
    if (const auto* number = std::get_if<std::int64_t>(&attribute)) {
        return std::to_string(*number);
    }
    if (const auto* text = std::get_if<std::string>(&attribute)) {
        return *text;
    }
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&attribute)) {
        return bitsText(numbers->data(), numbers->size());
    }
    std::string out;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
        for (const std::string& text : *texts) {
            out += std::to_string(text.size()) + ":" + text;
        }
    }
    return out; // graphs: told apart by sameAttributes
}

} // namespace

Result<Tensor> TensorSource::take(TensorProto& proto, const std::string& subject, bool keep) {
    if (const auto known = m_kept.find(&proto); known != m_kept.end()) {
        return known->second;
    }
    auto tensor = takeTensor(proto, subject, &m_files);
    if (tensor && keep) {
        m_kept.emplace(&proto, *tensor);
    }
    return tensor;
}

Result<Tensor> TensorSource::take(SparseTensorProto& proto, const std::string& subject, bool keep) {
    if (const auto known = m_kept.find(&proto); known != m_kept.end()) {
        return known->second;
    }
    auto tensor = takeSparseTensor(proto, subject, &m_files);
    if (tensor && keep) {
        m_kept.emplace(&proto, *tensor);
    }
    return tensor;
}

Result<std::int32_t> attributeKind(const AttributeProto& attribute, const std::string& subject) {
    const KindRow* filled = nullptr;
    const KindRow* named = nullptr;
    bool agree = false;
    for (const KindRow& row : KindRows) {
        const bool here = row.filled(attribute);
        filled = filled == nullptr && here ? &row : filled;
        if (row.kind == attribute.type()) {
            named = &row;
            agree = here;
        }
    }
    if (attribute.type() == AttributeProto::UNDEFINED) { // before IR 2 files named no kind
        if (filled == nullptr) {
            return fail(ErrorCode::BadData, subject + ": holds no value and names no kind");
        }
        return filled->kind;
    }
    if (named == nullptr) {
        return fail(ErrorCode::Unsupported,
                    subject + ": kind number " + std::to_string(attribute.type()) + " is not one that ONNX names up to IR version 13");
    }
    if (!agree && (filled != nullptr || needsItsField(attribute.type()))) {
        return fail(ErrorCode::BadData,
                    subject + ": says it is of kind " + named->name + ", but holds " + (filled != nullptr ? filled->name : "no value"));
    }
    return named->kind;
}

Result<void> takeAttribute(AttributeProto& attribute, std::int32_t kind, const std::string& subject, TensorSource& tensors, bool keep,
                           AttributeMap& out) {
    const std::string& key = attribute.name();
    switch (kind) {
    case AttributeProto::FLOAT: out[key] = attribute.f(); break;
    case AttributeProto::INT: out[key] = static_cast<std::int64_t>(attribute.i()); break;
    case AttributeProto::STRING: out[key] = attribute.s(); break;
    case AttributeProto::FLOATS: out[key] = std::vector<float>(attribute.floats().begin(), attribute.floats().end()); break;
    case AttributeProto::INTS: out[key] = std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end()); break;
    case AttributeProto::STRINGS: out[key] = std::vector<std::string>(attribute.strings().begin(), attribute.strings().end()); break;
    case AttributeProto::TENSOR:
    case AttributeProto::SPARSE_TENSOR: {
        auto tensor = kind == AttributeProto::TENSOR ? tensors.take(*attribute.mutable_t(), subject, keep)
                                                     : tensors.take(*attribute.mutable_sparse_tensor(), subject, keep);
        if (!tensor) {
            return tl::unexpected(std::move(tensor.error()));
        }
        out[key] = std::move(*tensor);
        break;
    }
    case AttributeProto::TENSORS: return takeList(*attribute.mutable_tensors(), key, subject, tensors, keep, out);
    case AttributeProto::SPARSE_TENSORS: return takeList(*attribute.mutable_sparse_tensors(), key, subject, tensors, keep, out);
    case AttributeProto::TYPE_PROTO: out[key] = typeText(attribute.tp()); break;
    case AttributeProto::TYPE_PROTOS: {
        std::vector<std::string> texts;
        for (const TypeProto& type : attribute.type_protos()) {
            texts.push_back(typeText(type));
        }
        out[key] = std::move(texts);
        break;
    }
    default: return fail(ErrorCode::Internal, subject + ": a graph is not read here");
    }
    return {};
}

Result<Tensor> constantOf(const AttributeMap& attributes, const std::string& subject) {
    std::vector<Tensor> found;
    const auto listShape = [](std::size_t size) { return std::vector<std::int64_t>{static_cast<std::int64_t>(size)}; };
    for (const auto& [key, value] : attributes) {
        const auto* tensor = std::get_if<Tensor>(&value);
        const auto* number = std::get_if<float>(&value);
        const auto* integer = std::get_if<std::int64_t>(&value);
        const auto* text = std::get_if<std::string>(&value);
        const auto* numbers = std::get_if<std::vector<float>>(&value);
        const auto* integers = std::get_if<std::vector<std::int64_t>>(&value);
        const auto* texts = std::get_if<std::vector<std::string>>(&value);
        if ((key == "value" || key == "sparse_value") && tensor != nullptr) {
            found.push_back(*tensor);
        } else if (key == "value_float" && number != nullptr) {
            found.push_back(Tensor::of<float>(ElementType::F32, {}, {*number}));
        } else if (key == "value_int" && integer != nullptr) {
            found.push_back(Tensor::of<std::int64_t>(ElementType::I64, {}, {*integer}));
        } else if (key == "value_string" && text != nullptr) {
            found.push_back(Tensor::ofStrings({}, {*text}));
        } else if (key == "value_floats" && numbers != nullptr) {
            found.push_back(Tensor::of<float>(ElementType::F32, listShape(numbers->size()), *numbers));
        } else if (key == "value_ints" && integers != nullptr) {
            found.push_back(Tensor::of<std::int64_t>(ElementType::I64, listShape(integers->size()), *integers));
        } else if (key == "value_strings" && texts != nullptr) {
            found.push_back(Tensor::ofStrings(listShape(texts->size()), *texts));
        } else if (key.starts_with("value") || key == "sparse_value") {
            return fail(ErrorCode::BadData, subject + ": attribute '" + key + "' of a Constant node is of the wrong kind");
        }
    }
    if (found.size() != 1) {
        return fail(ErrorCode::BadData, subject + ": a Constant node needs one value attribute, found " + std::to_string(found.size()));
    }
    return found.front();
}

std::string attributeKey(const AttributeMap& attributes) {
    std::string out;
    for (const auto& [key, value] : attributes) {
        const std::string text = keyOf(value);
        out += std::to_string(key.size()) + ":" + key + "=" + std::to_string(value.index()) + ":" + std::to_string(text.size()) + ":" + text;
    }
    return out;
}

bool sameAttributes(const AttributeMap& a, const AttributeMap& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && sameAttribute(x.second, y.second); });
}

} // namespace lemmascope::onnx
