#include "core/rewrite/structure_digest.h"

#include <cstring>
#include <vector>

namespace lemmascope::rewrite {

namespace {

constexpr std::size_t LargeBytes = 4'096;

template <typename T>
void put(std::string& out, const T& plain) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &plain, sizeof(T));
    out.append(bytes, sizeof(T));
}

void putText(std::string& out, const std::string& text) {
    put(out, text.size());
    out += text;
}

void putTensor(std::string& out, const Tensor& tensor) {
    if (tensor.bytes().size() <= LargeBytes) {
        put(out, tensor.digest());
        return;
    }
    put(out, tensor.bytes().data());
    put(out, tensor.bytes().size());
    put(out, tensor.element());
    for (const std::int64_t length : tensor.shape()) {
        put(out, length);
    }
}

void putAttribute(std::string& out, const Attribute& attribute) {
    struct Writer {
        std::string& out;
        void operator()(std::int64_t v) const { put(out, v); }
        void operator()(float v) const { put(out, v); }
        void operator()(const std::string& v) const { putText(out, v); }
        void operator()(const std::vector<std::int64_t>& v) const {
            put(out, v.size());
            for (const std::int64_t each : v) {
                put(out, each);
            }
        }
        void operator()(const std::vector<float>& v) const {
            put(out, v.size());
            for (const float each : v) {
                put(out, each);
            }
        }
        void operator()(const std::vector<std::string>& v) const {
            put(out, v.size());
            for (const std::string& each : v) {
                putText(out, each);
            }
        }
        void operator()(const Tensor& v) const { putTensor(out, v); }
        void operator()(const std::shared_ptr<const Graph>& v) const { put(out, v.get()); }
        void operator()(const std::vector<std::shared_ptr<const Graph>>& v) const {
            put(out, v.size());
            for (const auto& each : v) {
                put(out, each.get());
            }
        }
    };
    put(out, attribute.index());
    std::visit(Writer{out}, attribute);
}

} // namespace

Digest128 structureDigest(const Graph& graph) {
    std::vector<Digest128> values(graph.values.size());
    std::string key;
    for (std::size_t v = 0; v < graph.values.size(); ++v) {
        const Value& value = graph.values[v];
        if (value.producer.isValid()) {
            continue;
        }
        key.assign("leaf");
        if (value.constant) {
            putTensor(key, *value.constant);
        } else {
            putText(key, value.name);
        }
        values[v] = contentDigest(key);
    }
    for (const Node& node : graph.nodes) {
        key.assign("node");
        putText(key, node.op.domain);
        putText(key, node.op.name);
        put(key, node.op.version);
        put(key, node.body.get());
        for (const auto& [name, attribute] : node.attributes) {
            putText(key, name);
            putAttribute(key, attribute);
        }
        put(key, node.operands.size());
        for (const ValueId operand : node.operands) {
            put(key, operand.isValid() ? values[operand.index] : Digest128{});
        }
        for (const auto& [role, nested] : node.attributes.empty() && !node.body ? std::vector<std::pair<std::string, std::shared_ptr<const Graph>>>()
                                                                                : Graph::nestedGraphs(node)) {
            for (const Capture& capture : nested->captures) {
                put(key, values[capture.outer.index]);
            }
        }
        for (std::size_t k = 0; k < node.results.size(); ++k) {
            if (node.results[k].isValid()) {
                put(key, k);
                values[node.results[k].index] = contentDigest(key);
            }
        }
    }
    key.assign("outputs");
    for (const ValueId output : graph.outputs) {
        put(key, values[output.index]);
    }
    return contentDigest(key);
}

} // namespace lemmascope::rewrite
