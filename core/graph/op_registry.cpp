#include "core/graph/op_registry.h"

#include "core/graph/ops/op_block.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <unordered_map>

namespace lemmascope {

namespace {

std::vector<AttributeKind> parseAttributes(std::string_view text) {
    std::vector<AttributeKind> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view entry = text.substr(0, end);
        assert(entry.size() > 2 && entry[entry.size() - 2] == ':');
        out.push_back({entry.substr(0, entry.size() - 2), entry.back()});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

// Rows of one op of one domain, oldest first, within the sorted tables.
struct OpRows {
    std::string_view domain;
    std::size_t first = 0;
    std::size_t last = 0;
};

class Registry {
  public:
    Registry() {
        for (OpBlocks (*family)() :
             {unaryOps, binaryOps, layoutOps, indexingOps, matrixOps, normalizationOps, reductionOps, spatialOps, partitionOps, gatherScatterOps,
              selectionOps, quantizedOps, randomOps, einsumOps, resizeOps, recurrentOps, attentionOps, controlOps, numberOps}) {
            const OpBlocks blocks = family();
            for (const OpBlock& block : blocks) {
                add(block);
            }
        }
        sort();
    }

    [[nodiscard]] const OpRule* find(const OpId& op) const {
        const auto rows = m_byName.find(op.name);
        if (rows == m_byName.end()) {
            return nullptr;
        }
        const std::string_view domain = op.domain == "ai.onnx" ? OnnxDomain : std::string_view(op.domain);
        // Domains without opset imports: their first version holds.
        const std::int64_t version = domain != OnnxDomain && op.version < 1 ? 1 : op.version;
        for (const OpRows& each : rows->second) {
            if (each.domain != domain) {
                continue;
            }
            for (std::size_t k = each.last; k > each.first; --k) {
                if (m_schemas[k - 1].sinceVersion <= version) {
                    const int removed = m_removed[k - 1];
                    return removed != 0 && version >= removed ? nullptr : &m_rules[k - 1];
                }
            }
        }
        return nullptr;
    }

    [[nodiscard]] std::span<const OpSchema> schemas() const { return m_schemas; }

  private:
    void add(const OpBlock& block) {
        for (const int since : block.since) {
            m_schemas.push_back({block.domain, block.name, since, block.minOperands, block.maxOperands, block.opClass, block.commutative});
            m_rules.push_back({nullptr, block.rule, parseAttributes(block.attributes)});
            m_removed.push_back(block.removed);
        }
    }

    void sort() {
        std::vector<std::size_t> order(m_schemas.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            order[k] = k;
        }
        const auto key = [this](std::size_t k) {
            const OpSchema& schema = m_schemas[k];
            return std::tuple(schema.domain, schema.name, schema.sinceVersion);
        };
        std::sort(order.begin(), order.end(), [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
        std::vector<OpSchema> schemas;
        std::vector<OpRule> rules;
        std::vector<int> removed;
        for (const std::size_t k : order) {
            assert(schemas.empty() || std::tuple(schemas.back().domain, schemas.back().name, schemas.back().sinceVersion) < key(k));
            schemas.push_back(m_schemas[k]);
            rules.push_back(std::move(m_rules[k]));
            removed.push_back(m_removed[k]);
        }
        m_schemas = std::move(schemas);
        m_rules = std::move(rules);
        m_removed = std::move(removed);
        for (std::size_t k = 0; k < m_schemas.size(); ++k) {
            m_rules[k].schema = &m_schemas[k];
            std::vector<OpRows>& rows = m_byName[m_schemas[k].name];
            if (rows.empty() || rows.back().domain != m_schemas[k].domain) {
                rows.push_back({m_schemas[k].domain, k, k});
            }
            rows.back().last = k + 1;
        }
    }

    std::vector<OpSchema> m_schemas;
    std::vector<OpRule> m_rules;
    std::vector<int> m_removed;
    std::unordered_map<std::string_view, std::vector<OpRows>> m_byName;
};

const Registry& registry() {
    static const Registry instance;
    return instance;
}

} // namespace

const OpSchema* findOp(const OpId& op) {
    const OpRule* rule = registry().find(op);
    return rule == nullptr ? nullptr : rule->schema;
}

const OpRule* findRule(const OpId& op) { return registry().find(op); }

std::span<const OpSchema> allOps() { return registry().schemas(); }

} // namespace lemmascope
