#include "core/format/json/form_plan.h"

#include "core/format/json/forms.h"

#include <algorithm>
#include <limits>
#include <set>

// The inverse of forms.cpp. A part is hidden when its value is read once, by an ordinary node; a store when the value stored is
// a result that nothing else reads and the stores follow their node directly. Then the graph is walked once in file order to see
// that each table is only ever read in its latest version; a table where that fails is not written as one.

namespace lemmascope::json {

namespace {

using lemmascope::Value; // of the graph
using Range = PartWords::Range;
using Ints = std::vector<std::int64_t>;

std::string text(const Range& range, bool withStep) {
    return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + (withStep ? ", " + std::to_string(range.step) : std::string()) +
           "]";
}

/// One store: the nodes it is made of (one, or three where columns of indexed rows are written) and its values.
struct StoreGroup {
    std::size_t first = 0;
    std::size_t count = 0;
    ValueId table;
    ValueId stored;
    ValueId version;
    WrittenPart words;
};

class Planner {
  public:
    Planner(const Graph& graph, bool top) : m_graph(graph), m_top(top) {}

    FormPlan run() {
        m_plan.hiddenNodes.assign(m_graph.nodes.size(), false);
        m_plan.hiddenValues.assign(m_graph.values.size(), false);
        countUses();
        planParts();
        planStores();
        hideConstants();
        return std::move(m_plan);
    }

  private:
    struct Use {
        std::uint32_t count = 0;
        NodeId reader; ///< of the only use, if that is an operand
        std::size_t operand = 0;
    };

    [[nodiscard]] const TensorType& type(ValueId id) const { return m_graph.value(id).type; }
    [[nodiscard]] const Node& node(std::size_t index) const { return m_graph.nodes[index]; }
    [[nodiscard]] static bool hasForm(const Node& node, const char* form) {
        const auto* attribute = node.attribute<std::string>(FormAttribute);
        return attribute != nullptr && *attribute == form;
    }
    [[nodiscard]] static std::string words(const Node& node) {
        const auto* attribute = node.attribute<std::string>(WordsAttribute);
        return attribute == nullptr ? std::string() : *attribute;
    }

    void countUses() {
        m_uses.resize(m_graph.values.size());
        for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
            for (std::size_t k = 0; k < node(n).operands.size(); ++k) {
                const ValueId operand = node(n).operands[k];
                if (operand.isValid()) {
                    m_uses[operand.index] = {m_uses[operand.index].count + 1, NodeId(n), k};
                }
            }
            for (const auto& [role, nested] : Graph::nestedGraphs(node(n))) {
                for (const Capture& capture : nested->captures) {
                    m_uses[capture.outer.index] = {m_uses[capture.outer.index].count + 1, NodeId(), 0};
                }
            }
        }
        for (const ValueId output : m_graph.outputs) {
            m_uses[output.index] = {m_uses[output.index].count + 1, NodeId(), 0};
        }
    }

    // --- parts ------------------------------------------------------------------------------------------------------

    [[nodiscard]] std::int64_t partOpset() const {
        const auto opset = m_graph.opsets.find("");
        return std::max(PartOpset, opset == m_graph.opsets.end() ? 0 : opset->second);
    }

    [[nodiscard]] const Tensor* indexConstant(ValueId id) const {
        if (!id.isValid()) {
            return nullptr;
        }
        const Value& value = m_graph.value(id);
        return value.constant && value.constant->element() == ElementType::I64 && value.constant->shape().size() == 1 ? &*value.constant : nullptr;
    }

    [[nodiscard]] static bool inside(const Range& range, const std::optional<Dim>& length) {
        return range.begin >= 0 && range.begin <= range.end && range.step != 0 && !(length && length->isKnown() && range.end > length->value());
    }
    [[nodiscard]] static std::optional<Dim> axisLength(const TensorType& type, bool last) {
        return type.shape && !type.shape->empty() ? std::optional<Dim>(last ? type.shape->back() : type.shape->front()) : std::nullopt;
    }

    /// The ranges of a Slice that forms.cpp could have made, in the format's words.
    [[nodiscard]] std::optional<std::vector<Range>> sliceRanges(const Node& slice, const Ints& axes) const {
        if (slice.op != OpId{"", "Slice", partOpset()} || slice.operands.size() != 5 || slice.attributes.size() != 2) {
            return std::nullopt;
        }
        const Tensor* tensors[4];
        for (std::size_t k = 0; k < 4; ++k) {
            tensors[k] = indexConstant(slice.operands[k + 1]);
            if (tensors[k] == nullptr || tensors[k]->count() != static_cast<std::int64_t>(axes.size())) {
                return std::nullopt;
            }
        }
        std::vector<Range> ranges;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const std::int64_t start = tensors[0]->as<std::int64_t>()[k];
            const std::int64_t end = tensors[1]->as<std::int64_t>()[k];
            const std::int64_t step = tensors[3]->as<std::int64_t>()[k];
            if (tensors[2]->as<std::int64_t>()[k] != axes[k] || start < 0 || start == WholeAxis || end == WholeAxis) {
                return std::nullopt;
            }
            if (step > 0) {
                ranges.push_back({start, end, step});
                if (end < start || (end == start && step != 1)) {
                    return std::nullopt;
                }
            } else {
                const bool fromFirst = end == std::numeric_limits<std::int64_t>::min();
                if (step == 0 || (!fromFirst && (end < 0 || end >= start))) {
                    return std::nullopt;
                }
                ranges.push_back({fromFirst ? 0 : end + 1, start + 1, step});
            }
        }
        return ranges;
    }

    /// `read`: the type of the value that the file will name, which the reader checks against.
    [[nodiscard]] bool literalWords(const Node& slice, const TensorType& read, WrittenPart& part) const {
        const std::string used = words(slice);
        Ints axes;
        if (used == "rows" || used == "rows cols") {
            axes.push_back(0);
        }
        if (used == "cols" || used == "rows cols") {
            axes.push_back(-1);
        }
        if (used == "slice") {
            const Tensor* count = slice.operands.size() == 5 ? indexConstant(slice.operands[1]) : nullptr;
            for (std::int64_t k = 0; count != nullptr && k < count->count(); ++k) {
                axes.push_back(k);
            }
            if (read.rank() && *read.rank() != axes.size()) {
                return false;
            }
        } else if (axes.empty() || (read.rank() && *read.rank() < axes.size() + (part.rowIndices.isValid() || part.rowAt.isValid() ? 1U : 0U))) {
            return false;
        }
        const std::optional<std::vector<Range>> ranges = sliceRanges(slice, axes);
        if (!ranges) {
            return false;
        }
        for (std::size_t k = 0; k < ranges->size(); ++k) {
            const Range& range = (*ranges)[k];
            const std::optional<Dim> length =
                used == "slice" ? (read.shape ? std::optional<Dim>((*read.shape)[k]) : std::nullopt) : axisLength(read, axes[k] == -1);
            if (!inside(range, length) || (used != "slice" && range.step != 1)) {
                return false;
            }
            if (used == "slice") {
                part.slice += (k == 0 ? "" : ", ") + text(range, true);
            } else {
                (axes[k] == 0 ? part.rows : part.cols) = text(range, false);
            }
        }
        if (used == "slice") {
            part.slice = "[" + part.slice + "]";
        }
        return true;
    }

    [[nodiscard]] bool isIndex(ValueId id, std::size_t rank) const {
        const TensorType& index = type(id);
        const bool element = index.element == ElementType::Undefined || index.element == ElementType::I32 || index.element == ElementType::I64;
        return element && (!index.shape || index.shape->size() == rank);
    }

    /// Rows by index tensor or position, as Gather and RowsAt (`StoreRows` and `StoreRowsAt` with `operand` 2) give them.
    [[nodiscard]] bool indexWords(const Node& rows, std::size_t operand, const TensorType& table, WrittenPart& part) const {
        if (rows.operands.size() != operand + 1 || !rows.operands[operand].isValid() || (table.shape && table.shape->empty())) {
            return false;
        }
        const ValueId index = rows.operands[operand];
        const bool store = operand == 2;
        if (rows.op == (store ? OpId{FormDomain, "StoreRows", FormVersion} : OpId{"", "Gather", partOpset()})) {
            const auto* axis = rows.attribute<std::int64_t>("axis");
            if (!isIndex(index, 1) || rows.attributes.size() != (store ? 1U : 2U) || (!store && (axis == nullptr || *axis != 0))) {
                return false;
            }
            part.rowIndices = index;
            return true;
        }
        const auto* count = rows.attribute<std::int64_t>("count");
        if (rows.op != OpId{FormDomain, store ? "StoreRowsAt" : "RowsAt", FormVersion} || count == nullptr || *count < 0 ||
            rows.attributes.size() != 2 || !isIndex(index, 0)) {
            return false;
        }
        const std::optional<Dim> length = axisLength(table, false);
        part.rowAt = index;
        part.count = *count;
        return !(length && length->isKnown() && *count > length->value());
    }

    void planParts() {
        for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
            const Node& candidate = node(n);
            if (!hasForm(candidate, "part") || candidate.operands.empty() || !candidate.operands[0].isValid() || candidate.results.size() != 1) {
                continue;
            }
            const ValueId read = candidate.operands[0];
            WrittenPart part;
            part.of = read;
            bool fits = false;
            const auto indexed = m_plan.parts.find(read);
            const bool chained = indexed != m_plan.parts.end() && words(candidate) == "cols";
            if (chained) {
                part = indexed->second;
                part.cols.clear();
                fits = (part.rowIndices.isValid() || part.rowAt.isValid()) && literalWords(candidate, type(part.of), part);
            } else {
                fits = candidate.op.name == "Slice" ? literalWords(candidate, type(read), part) : indexWords(candidate, 1, type(read), part);
            }
            const Use& use = m_uses[candidate.results[0].index];
            // A Gather whose columns are sliced stays in `parts` until the Slice takes it over.
            const bool toSlice = use.reader.isValid() && hasForm(m_graph.node(use.reader), "part") && use.operand == 0 &&
                                 words(m_graph.node(use.reader)) == "cols" && candidate.op.name != "Slice";
            const bool toNode = use.reader.isValid() && !m_graph.node(use.reader).attributes.contains(FormAttribute);
            if (!fits || use.count != 1 || !(toSlice || toNode)) {
                continue;
            }
            m_plan.parts[candidate.results[0]] = part;
            m_partNodes[candidate.results[0]] = n;
            if (chained) {
                m_plan.hiddenNodes[m_partNodes.at(read)] = true;
                m_plan.hiddenValues[read.index] = true;
                m_plan.parts.erase(read);
            }
            if (toNode) {
                m_plan.hiddenNodes[n] = true;
                m_plan.hiddenValues[candidate.results[0].index] = true;
            }
        }
        // Rows whose Slice did not take them over are nodes of their own.
        for (auto at = m_plan.parts.begin(); at != m_plan.parts.end();) {
            at = m_plan.hiddenValues[at->first.index] ? std::next(at) : m_plan.parts.erase(at);
        }
    }

    // --- stores -----------------------------------------------------------------------------------------------------

    /// StoreSlice in the words it was read from.
    [[nodiscard]] bool sliceWords(const Node& store, WrittenPart& part) const {
        const auto* starts = store.attribute<Ints>("starts");
        const auto* ends = store.attribute<Ints>("ends");
        const auto* steps = store.attribute<Ints>("steps");
        const TensorType& table = type(store.operands[0]);
        if (store.op != OpId{FormDomain, "StoreSlice", FormVersion} || store.attributes.size() != 5 || starts == nullptr || ends == nullptr ||
            steps == nullptr || !table.shape || starts->size() != table.shape->size() || ends->size() != starts->size() ||
            steps->size() != starts->size()) {
            return false;
        }
        const std::string used = words(store);
        const std::size_t rank = starts->size();
        const bool rows = used == "rows" || used == "rows cols";
        const bool cols = used == "cols" || used == "rows cols";
        if (used != "slice" && (rank < (rows && cols ? 2U : 1U) || !(rows || cols))) {
            return false;
        }
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const Range range{(*starts)[axis], (*ends)[axis], (*steps)[axis]};
            const Dim& length = (*table.shape)[axis];
            const bool named = used == "slice" || (rows && axis == 0) || (cols && axis + 1 == rank);
            const bool whole = range.begin == 0 && range.step == 1 && range.end == (length.isKnown() ? length.value() : WholeAxis);
            if (named ? (!inside(range, length) || range.end == WholeAxis || (used != "slice" && range.step != 1)) : !whole) {
                return false;
            }
            if (used == "slice") {
                part.slice += (axis == 0 ? "" : ", ") + text(range, true);
            } else if (named) {
                (rows && axis == 0 ? part.rows : part.cols) = text(range, false);
            }
        }
        if (used == "slice") {
            part.slice = "[" + part.slice + "]";
        }
        return true;
    }

    /// The store that begins at node `at`, if one does.
    [[nodiscard]] std::optional<StoreGroup> storeAt(std::size_t at) const {
        const auto isStore = [&](std::size_t n, std::size_t operands) {
            return n < m_graph.nodes.size() && hasForm(node(n), "store") && node(n).operands.size() == operands && node(n).results.size() == 1 &&
                   node(n).results[0].isValid() &&
                   std::all_of(node(n).operands.begin(), node(n).operands.end(), [](ValueId id) { return id.isValid(); });
        };
        StoreGroup group;
        group.first = at;
        if (isStore(at, 2) && node(at).op.name == "StoreSlice") {
            group.count = 1;
            group.table = node(at).operands[0];
            group.stored = node(at).operands[1];
            group.version = node(at).results[0];
            return sliceWords(node(at), group.words) ? std::optional<StoreGroup>(group) : std::nullopt;
        }
        if (isStore(at, 3)) {
            group.count = 1;
            group.table = node(at).operands[0];
            group.stored = node(at).operands[1];
            group.version = node(at).results[0];
            return indexWords(node(at), 2, type(group.table), group.words) ? std::optional<StoreGroup>(group) : std::nullopt;
        }
        if (!isStore(at, 5) || !isStore(at + 1, 3) || !isStore(at + 2, 2)) {
            return std::nullopt;
        }
        const Node& columns = node(at);
        const Node& rows = node(at + 1);
        const Node& back = node(at + 2);
        WrittenPart sliced;
        WrittenPart stored;
        const bool joined = rows.operands[0] == columns.results[0] && back.operands[1] == rows.results[0] &&
                            back.operands[0] == columns.operands[0] && m_uses[columns.results[0].index].count == 1 &&
                            m_uses[rows.results[0].index].count == 1;
        if (!joined || !literalWords(columns, type(columns.operands[0]), sliced) || !indexWords(rows, 2, type(columns.operands[0]), group.words) ||
            !sliceWords(back, stored) || sliced.cols.empty() || sliced.cols != stored.cols || !sliced.rows.empty() || !stored.rows.empty()) {
            return std::nullopt;
        }
        group.words.cols = sliced.cols;
        group.count = 3;
        group.table = columns.operands[0];
        group.stored = rows.operands[1];
        group.version = back.results[0];
        return group;
    }

    /// Stores that follow their node directly, in the order of its results.
    void findGroups() {
        for (std::size_t owner = 0; owner < m_graph.nodes.size(); ++owner) {
            if (node(owner).attributes.contains(FormAttribute)) {
                continue;
            }
            std::size_t at = owner + 1;
            std::size_t result = 0;
            while (const std::optional<StoreGroup> group = storeAt(at)) {
                const std::vector<ValueId>& results = node(owner).results;
                const auto found = std::find(results.begin() + static_cast<std::ptrdiff_t>(result), results.end(), group->stored);
                const ValueId index = group->words.rowIndices.isValid() ? group->words.rowIndices : group->words.rowAt;
                const bool ownIndex = index.isValid() && std::find(results.begin(), results.end(), index) != results.end();
                const ValueId base = baseOf(group->table);
                const bool sameType =
                    type(group->table) == type(base) && (type(group->version) == type(base) || type(group->version) == TensorType{});
                if (found == results.end() || m_uses[group->stored.index].count != 1 || ownIndex || !sameType) {
                    break;
                }
                result = static_cast<std::size_t>(found - results.begin()) + 1;
                m_groups[NodeId(owner)].push_back(*group);
                m_bases[group->version] = base;
                at += group->count;
            }
        }
    }

    [[nodiscard]] ValueId baseOf(ValueId version) const {
        const auto at = m_bases.find(version);
        return at == m_bases.end() ? version : at->second;
    }

    [[nodiscard]] static bool writtenShape(const TensorType& type) {
        return type.element != ElementType::Undefined && type.shape &&
               std::all_of(type.shape->begin(), type.shape->end(), [](const Dim& dim) { return dim.isKnown() || dim.symbolName(); });
    }

    [[nodiscard]] static bool allZero(const Tensor& tensor) {
        constexpr std::size_t Largest = std::size_t{64} << 20U; // the reader's limit is for all tables together
        return tensor.element() != ElementType::String && tensor.bytes().size() <= Largest &&
               std::all_of(tensor.bytes().begin(), tensor.bytes().end(), [](std::byte b) { return b == std::byte{0}; });
    }

    /// Tables come after the other inputs: those from the first on that all could be tables.
    void chooseTables(const std::set<ValueId>& bases) {
        std::size_t firstTable = m_graph.inputs.size();
        while (m_top && firstTable > 0) {
            const Value& input = m_graph.value(m_graph.inputs[firstTable - 1]);
            if (input.range || !writtenShape(input.type)) {
                break;
            }
            --firstTable;
        }
        bool open = false;
        for (std::size_t k = firstTable; k < m_graph.inputs.size(); ++k) {
            open = open || bases.contains(m_graph.inputs[k]);
            if (open && m_top) {
                m_plan.tables[m_graph.inputs[k]] = {m_graph.inputs[k], true};
            }
        }
        for (const ValueId base : bases) {
            const Value& value = m_graph.value(base);
            if (value.constant && writtenShape(value.type) && value.type.isStatic() && allZero(*value.constant)) {
                m_plan.tables[base] = {base, false};
            }
        }
    }

    void planStores() {
        findGroups();
        std::set<ValueId> bases;
        for (const auto& [version, base] : m_bases) {
            bases.insert(base);
        }
        chooseTables(bases);
        std::set<ValueId> bad;
        for (const ValueId base : bases) {
            if (!m_plan.tables.contains(base)) {
                bad.insert(base);
            }
        }
        constexpr int MostRounds = 8; // a bad table can spoil another only through a shared node; past this none is written
        for (int round = 0; !misread(bad).empty(); ++round) {
            for (const ValueId base : round < MostRounds ? misread(bad) : bases) {
                bad.insert(base);
            }
        }
        for (const auto& [owner, groups] : m_groups) {
            for (const StoreGroup& group : groups) {
                if (bad.contains(baseOf(group.table))) {
                    continue;
                }
                for (std::size_t k = 0; k < group.count; ++k) {
                    m_plan.hiddenNodes[group.first + k] = true;
                    m_plan.hiddenValues[node(group.first + k).results[0].index] = true;
                }
                m_plan.hiddenValues[group.stored.index] = true;
                WrittenPart words = group.words;
                words.of = group.table;
                m_plan.stores[group.stored] = words;
                m_plan.versions[group.version] = baseOf(group.table);
            }
        }
        std::erase_if(m_plan.tables, [&](const auto& entry) { return !entry.second.input && bad.contains(entry.first); });
        dropTablesOfInputs(bad);
        for (const auto& [base, table] : m_plan.tables) {
            m_plan.versions[base] = base;
        }
    }

    /// Inputs before the first that is written to are ordinary ones.
    void dropTablesOfInputs(const std::set<ValueId>& bad) {
        std::set<ValueId> written;
        for (const auto& [version, base] : m_plan.versions) {
            written.insert(base);
        }
        for (const ValueId input : m_graph.inputs) {
            if (written.contains(input) && !bad.contains(input)) {
                return;
            }
            m_plan.tables.erase(input);
        }
    }

    /// Tables of which some node reads a version that is not the latest where it stands, or whose stores do not all have a form.
    [[nodiscard]] std::set<ValueId> misread(const std::set<ValueId>& bad) const {
        std::set<ValueId> out;
        std::map<ValueId, ValueId> latest; // by base; missing: the base
        const auto check = [&](ValueId value) {
            if (!value.isValid()) {
                return;
            }
            const ValueId base = baseOf(value);
            const auto at = latest.find(base);
            const ValueId expected = at == latest.end() ? base : at->second;
            if (!bad.contains(base) && m_plan.tables.contains(base) && value != expected) {
                out.insert(base);
            }
        };
        std::vector<bool> inStore(m_graph.nodes.size(), false);
        for (const auto& [owner, groups] : m_groups) {
            for (const StoreGroup& group : groups) {
                std::fill_n(inStore.begin() + static_cast<std::ptrdiff_t>(group.first), group.count, !bad.contains(baseOf(group.table)));
            }
        }
        for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
            if (m_plan.hiddenNodes[n] || inStore[n]) {
                continue; // checked where its owner stands
            }
            for (const ValueId operand : node(n).operands) {
                const auto part = operand.isValid() ? m_plan.parts.find(operand) : m_plan.parts.end();
                if (part == m_plan.parts.end()) {
                    check(operand);
                } else {
                    check(part->second.of);
                    check(part->second.rowIndices);
                    check(part->second.rowAt);
                }
            }
            for (const auto& [role, nested] : Graph::nestedGraphs(node(n))) {
                for (const Capture& capture : nested->captures) {
                    check(capture.outer);
                }
            }
            const auto groups = m_groups.find(NodeId(n));
            if (groups == m_groups.end()) {
                continue;
            }
            for (const StoreGroup& group : groups->second) {
                check(group.words.rowIndices); // read before any result is written
                check(group.words.rowAt);
            }
            for (const StoreGroup& group : groups->second) {
                check(group.table);
                latest[baseOf(group.table)] = group.version;
            }
        }
        for (const ValueId output : m_graph.outputs) {
            check(output);
        }
        return out;
    }

    /// Numbers of hidden Slices that nothing else reads.
    void hideConstants() {
        std::vector<std::uint32_t> hidden(m_graph.values.size(), 0);
        for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
            if (m_plan.hiddenNodes[n] && node(n).op.name == "Slice") {
                for (std::size_t k = 1; k < node(n).operands.size(); ++k) {
                    ++hidden[node(n).operands[k].index];
                }
            }
        }
        for (std::size_t v = 0; v < hidden.size(); ++v) {
            if (hidden[v] > 0 && hidden[v] == m_uses[v].count) {
                m_plan.hiddenValues[v] = true;
            }
        }
    }

    const Graph& m_graph;
    bool m_top;
    FormPlan m_plan;
    std::vector<Use> m_uses;
    std::map<ValueId, std::size_t> m_partNodes;
    std::map<NodeId, std::vector<StoreGroup>> m_groups;
    std::map<ValueId, ValueId> m_bases; ///< version -> base
};

} // namespace

FormPlan planForms(const Graph& graph, bool top) { return Planner(graph, top).run(); }

} // namespace lemmascope::json
