#include "core/format/onnx/type_proto.h"

#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/format/onnx/tensor_data.h"

namespace lemmascope::onnx {

namespace {

std::string elementText(std::int32_t number) {
    const auto element = elementOf(number);
    return element ? std::string(name(*element)) : "type" + std::to_string(number);
}

std::string shapeText(const TensorShapeProto& shape) {
    std::string out = "[";
    for (int i = 0; i < shape.dim_size(); ++i) {
        const auto& dim = shape.dim(i);
        out += i == 0 ? "" : ",";
        out += dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param().empty() ? "?" : dim.dim_param();
    }
    return out + "]";
}

} // namespace

Dim FreshSymbols::make(const std::string& value, std::size_t axis) {
    std::string name = value + "." + std::to_string(axis);
    while (!m_taken.insert(name).second) {
        name += "'";
    }
    return Dim::symbol(name);
}

Result<TensorType> tensorTypeOf(const ValueInfoProto& info, const std::string& subject, FreshSymbols& fresh, std::vector<std::string>& notes) {
    TensorType out;
    const TypeProto& type = info.type();
    const bool sparse = type.value_case() == TypeProto::kSparseTensorType;
    if (type.value_case() != TypeProto::kTensorType && !sparse) {
        if (type.value_case() != TypeProto::VALUE_NOT_SET) {
            notes.push_back(subject + " is of type " + typeText(type) + ": carried as an open value");
        }
        return out;
    }
    const std::int32_t number = sparse ? type.sparse_tensor_type().elem_type() : type.tensor_type().elem_type();
    if (const auto element = elementOf(number)) {
        out.element = *element;
    } else if (number != 0) {
        notes.push_back(subject + " has element type number " + std::to_string(number) +
                        ", which IR version 13 does not name: carried as an open value");
    }
    if (sparse ? !type.sparse_tensor_type().has_shape() : !type.tensor_type().has_shape()) {
        return out;
    }
    const TensorShapeProto& shape = sparse ? type.sparse_tensor_type().shape() : type.tensor_type().shape();
    Shape dims;
    dims.reserve(static_cast<std::size_t>(shape.dim_size()));
    for (const auto& dim : shape.dim()) {
        if (dim.has_dim_value() && dim.dim_value() >= 0) {
            dims.emplace_back(dim.dim_value());
        } else if (dim.has_dim_value() && dim.dim_value() != -1) {
            return fail(ErrorCode::BadData,
                        subject + ": length " + std::to_string(dim.dim_value()) + " of axis " + std::to_string(dims.size()) + " is negative");
        } else if (dim.has_dim_param() && !dim.dim_param().empty()) {
            dims.push_back(Dim::symbol(dim.dim_param()));
        } else {
            dims.push_back(fresh.make(info.name(), dims.size()));
        }
    }
    out.shape = std::move(dims);
    return out;
}

std::string typeText(const TypeProto& type) {
    // The nesting is a chain: brackets open on the way in and close at the end.
    std::string out;
    std::string closing;
    const TypeProto* at = &type;
    for (;;) {
        switch (at->value_case()) {
        case TypeProto::kSequenceType:
            out += "seq(";
            closing += ")";
            at = &at->sequence_type().elem_type();
            continue;
        case TypeProto::kOptionalType:
            out += "optional(";
            closing += ")";
            at = &at->optional_type().elem_type();
            continue;
        case TypeProto::kMapType:
            out += "map(" + elementText(at->map_type().key_type()) + ", ";
            closing += ")";
            at = &at->map_type().value_type();
            continue;
        case TypeProto::kTensorType:
            out += elementText(at->tensor_type().elem_type()) + (at->tensor_type().has_shape() ? shapeText(at->tensor_type().shape()) : "");
            break;
        case TypeProto::kSparseTensorType:
            out += "sparse " + elementText(at->sparse_tensor_type().elem_type()) +
                   (at->sparse_tensor_type().has_shape() ? shapeText(at->sparse_tensor_type().shape()) : "");
            break;
        case TypeProto::kOpaqueType: out += "opaque(" + at->opaque_type().domain() + ", " + at->opaque_type().name() + ")"; break;
        case TypeProto::VALUE_NOT_SET: out += "?"; break;
        }
        return out + closing;
    }
}

void putType(const TensorType& type, TypeProto& proto) {
    auto* tensor = proto.mutable_tensor_type();
    tensor->set_elem_type(dataTypeOf(type.element));
    if (!type.shape) {
        return;
    }
    auto* shape = tensor->mutable_shape();
    for (const Dim& dim : *type.shape) {
        auto* out = shape->add_dim();
        if (dim.isKnown()) {
            out->set_dim_value(dim.value());
        } else if (const auto symbol = dim.symbolName()) {
            out->set_dim_param(*symbol);
        }
    }
}

} // namespace lemmascope::onnx
