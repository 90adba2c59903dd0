// Tests: tests/core/format/onnx/tst_onnx_writer.cpp.

#include "core/format/onnx/store_lowering.h"

#include <algorithm>
#include <limits>
#include <set>

namespace lemmascope::onnx {

namespace {

constexpr std::int64_t LowestOpset = 11; ///< the first with ScatterND and ScatterElements that take negative indices
constexpr std::int64_t ChainLimit = 16;
/// An index that is past every table, and stays so when a row count is added.
constexpr std::int64_t PastEveryTable = std::int64_t{1} << 40U;

bool isStore(const Node& node) {
    return node.op.domain == "lemmascope" && !node.body &&
           (node.op.name == "RowsAt" || node.op.name == "StoreRows" || node.op.name == "StoreRowsAt" || node.op.name == "StoreSlice");
}

/// Builds the new node list; value ids of the old graph stay.
class Lowering {
  public:
    Lowering(const Graph& graph, std::vector<std::string>& notes) : m_from(graph), m_graph(graph), m_notes(notes) {
        m_graph.nodes.clear();
        m_version = std::max<std::int64_t>(LowestOpset, 17);
        if (const auto opset = graph.opsets.find(""); opset != graph.opsets.end()) {
            m_version = opset->second;
        } else {
            m_graph.opsets[""] = m_version;
        }
    }

    Result<Graph> run() {
        for (std::size_t i = 0; i < m_from.nodes.size(); ++i) {
            const Node& node = m_from.nodes[i];
            if (!isStore(node)) {
                m_graph.addNode(node);
                continue;
            }
            m_node = &node;
            m_text = "node '" + m_from.displayName(NodeId(i)) + "'";
            if (m_version < LowestOpset) {
                return fail(ErrorCode::Unsupported, m_text + ": " + node.op.name + " has a form in ONNX from opset " + std::to_string(LowestOpset) +
                                                        " on, the graph is of opset " + std::to_string(m_version));
            }
            if (auto lowered = lower(node); !lowered) {
                return tl::unexpected(std::move(lowered.error()));
            }
        }
        return std::move(m_graph);
    }

  private:
    const Graph& m_from;
    Graph m_graph;
    std::vector<std::string>& m_notes;
    std::int64_t m_version = 0;
    const Node* m_node = nullptr;
    std::string m_text;
    std::size_t m_made = 0;

    Result<void> lower(const Node& node) {
        const bool parts = node.op.name == "RowsAt";
        const std::size_t wanted = parts || node.op.name == "StoreSlice" ? 2 : 3;
        if (node.results.size() != 1 || !node.results.front().isValid() || node.operands.size() != wanted ||
            std::any_of(node.operands.begin(), node.operands.end(), [](ValueId id) { return !id.isValid(); })) {
            return fail(ErrorCode::BadData, m_text + ": " + node.op.name + " takes " + std::to_string(wanted) + " operands and has one result");
        }
        if (node.op.name == "StoreSlice") {
            return storeSlice(node);
        }
        if (node.op.name == "StoreRows") {
            return storeRows(node);
        }
        return rowsFrom(node);
    }

    // ---- small builders --------------------------------------------------------------------------------------------

    ValueId integers(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& elements) {
        Value value;
        value.name = resultName("index");
        value.constant = Tensor::of<std::int64_t>(ElementType::I64, std::move(shape), elements);
        value.type.element = ElementType::I64;
        value.type.shape = Shape(value.constant->shape().begin(), value.constant->shape().end());
        return m_graph.addValue(std::move(value));
    }
    ValueId list(const std::vector<std::int64_t>& elements) { return integers({static_cast<std::int64_t>(elements.size())}, elements); }

    std::string resultName(const std::string& what) { return m_from.value(m_node->results.front()).name + "." + what + std::to_string(m_made++); }

    ValueId add(const std::string& op, std::vector<ValueId> operands, std::map<std::string, Attribute> attributes = {}, ValueId result = {}) {
        if (!result.isValid()) {
            Value value;
            value.name = resultName(op);
            result = m_graph.addValue(std::move(value));
        }
        Node node;
        node.op = {"", op, m_version};
        node.operands = std::move(operands);
        node.results = {result};
        node.attributes = std::move(attributes);
        m_graph.addNode(std::move(node));
        return result;
    }

    ValueId slice(ValueId of, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step) {
        return add("Slice", {of, list({start}), list({end}), list({axis}), list({step})});
    }

    ValueId asI64(ValueId value) {
        constexpr std::int64_t Int64Number = 7; // TensorProto.DataType
        return m_graph.value(value).type.element == ElementType::I64 ? value : add("Cast", {value}, {{"to", Int64Number}});
    }

    [[nodiscard]] bool knownNotNegative(ValueId id) const {
        const Value& value = m_from.value(id);
        if (value.range) {
            return value.range->low >= 0;
        }
        if (!value.constant || !isInteger(value.constant->element())) {
            return isInteger(value.type.element) && !isSignedInteger(value.type.element);
        }
        for (std::int64_t i = 0; i < value.constant->count(); ++i) {
            if (value.constant->toInt64(i) < 0) {
                return false;
            }
        }
        return true;
    }

    // ---- the four ops ----------------------------------------------------------------------------------------------

    /// match: RowsAt(table, at), StoreRowsAt(table, rows, at)
    /// result: Gather(table, at + [0..count)), ScatterND(table, at + [[0]..[count-1]], rows)
    Result<void> rowsFrom(const Node& node) {
        const bool reads = node.op.name == "RowsAt";
        const auto* count = node.attribute<std::int64_t>("count");
        if (count != nullptr && (*count < 0 || *count > (std::int64_t{1} << 24U))) {
            return fail(ErrorCode::TooLarge, m_text + ": attribute 'count' is " + std::to_string(*count) + ", expected 0 to 2^24");
        }
        const std::int64_t rows = count != nullptr ? *count : 1;
        const std::vector<std::int64_t> one = reads ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 1};
        const ValueId given = node.operands[reads ? 1 : 2];
        ValueId at = add("Reshape", {asI64(given), list(one)});
        if (!knownNotNegative(given)) {
            const ValueId negative = add("Less", {at, list({0})});
            at = add("Where", {negative, list({PastEveryTable}), at});
        }
        std::vector<std::int64_t> steps;
        for (std::int64_t k = 0; k < rows; ++k) {
            steps.push_back(k);
        }
        std::vector<std::int64_t> shape{rows};
        if (!reads) {
            shape.push_back(1);
        }
        const ValueId index = add("Add", {at, integers(std::move(shape), steps)});
        if (reads) {
            add("Gather", {node.operands[0], index}, {{"axis", std::int64_t{0}}}, node.results.front());
        } else {
            add("ScatterND", {node.operands[0], index, node.operands[1]}, {}, node.results.front());
        }
        return {};
    }

    /// match: StoreRows(table, rows, which), later rows win
    /// result: ScatterND(table, which[:, None], rows), one after the other where rows may repeat
    Result<void> storeRows(const Node& node) {
        const ValueId which = node.operands[2];
        const TensorType& type = m_from.value(which).type;
        if (type.rank() != std::size_t{1}) {
            return fail(ErrorCode::Unsupported, m_text + ": StoreRows by indices of type " + type.text() + " has no form in ONNX, expected one axis");
        }
        const Dim& count = type.shape->front();
        const ValueId index = asI64(which);
        const bool distinct = distinctRows(which) || count.is(0) || count.is(1);
        if (distinct || !count.isKnown() || count.value() > ChainLimit) {
            if (!distinct) {
                m_notes.push_back(m_text + ": written as one ScatterND; ONNX leaves open which write is the last where rows repeat");
            }
            const ValueId column = add("Reshape", {index, list({-1, 1})});
            add("ScatterND", {node.operands[0], column, node.operands[1]}, {}, node.results.front());
            return {};
        }
        ValueId table = node.operands[0];
        for (std::int64_t k = 0; k < count.value(); ++k) {
            const ValueId place = add("Reshape", {add("Gather", {index, list({k})}, {{"axis", std::int64_t{0}}}), list({1, 1})});
            const ValueId row = add("Gather", {node.operands[1], list({k})}, {{"axis", std::int64_t{0}}});
            const ValueId into = k + 1 == count.value() ? node.results.front() : ValueId();
            table = add("ScatterND", {table, place, row}, {}, into);
        }
        return {};
    }

    /// True when the indices are known and no two of them name one row.
    [[nodiscard]] bool distinctRows(ValueId id) const {
        const Value& value = m_from.value(id);
        if (!value.constant || !isInteger(value.constant->element())) {
            return false;
        }
        std::set<std::int64_t> seen;
        for (std::int64_t i = 0; i < value.constant->count(); ++i) {
            const std::int64_t row = value.constant->toInt64(i);
            if (row < 0 || !seen.insert(row).second) { // a negative one may equal another, counted from the end
                return false;
            }
        }
        return true;
    }

    struct AxisRange {
        std::int64_t axis = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int64_t step = 1;
        bool reachesEnd = false;
    };

    /// match: StoreSlice(table, part){starts, ends, steps}
    /// result: along each axis that is not written whole, outermost first: before, the rest of the store, after joined; the
    ///         rest scattered into its places where the step is not 1
    Result<void> storeSlice(const Node& node) {
        auto ranges = partialAxes(node);
        if (!ranges) {
            return tl::unexpected(std::move(ranges.error()));
        }
        std::vector<ValueId> tables{node.operands[0]}; // tables[k]: what is written into along the k-th partial axis
        for (const AxisRange& range : *ranges) {
            const bool backward = range.step < 0;
            const std::int64_t start = backward ? range.end - 1 : range.begin;
            const std::int64_t end = !backward ? range.end : (range.begin == 0 ? std::numeric_limits<std::int64_t>::min() : range.begin - 1);
            tables.push_back(slice(tables.back(), range.axis, start, end, range.step));
        }
        ValueId part = node.operands[1];
        for (std::size_t k = ranges->size(); k-- > 0;) {
            const ValueId into = k == 0 ? node.results.front() : ValueId();
            part = (*ranges)[k].step == 1 ? joined(tables[k], part, (*ranges)[k], into) : scattered(tables[k], part, (*ranges)[k], into);
        }
        if (ranges->empty()) {
            add("Identity", {part}, {}, node.results.front());
        }
        return {};
    }

    ValueId joined(ValueId table, ValueId part, const AxisRange& range, ValueId into) {
        std::vector<ValueId> pieces;
        if (range.begin > 0) {
            pieces.push_back(slice(table, range.axis, 0, range.begin, 1));
        }
        pieces.push_back(part);
        if (!range.reachesEnd) {
            pieces.push_back(slice(table, range.axis, range.end, std::numeric_limits<std::int64_t>::max(), 1));
        }
        return add("Concat", pieces, {{"axis", range.axis}}, into);
    }

    ValueId scattered(ValueId table, ValueId part, const AxisRange& range, ValueId into) {
        std::vector<std::int64_t> places;
        if (range.step > 0) {
            for (std::int64_t at = range.begin; at < range.end; at += range.step) {
                places.push_back(at);
            }
        } else {
            for (std::int64_t at = range.end - 1; at >= range.begin; at += range.step) {
                places.push_back(at);
            }
        }
        std::vector<std::int64_t> shape(m_from.value(m_node->operands[0]).type.shape->size(), 1);
        shape[static_cast<std::size_t>(range.axis)] = static_cast<std::int64_t>(places.size());
        const ValueId index = add("Expand", {integers(std::move(shape), places), add("Shape", {part})});
        return add("ScatterElements", {table, index, part}, {{"axis", range.axis}}, into);
    }

    /// The axes that are not written whole, checked against the table's shape.
    Result<std::vector<AxisRange>> partialAxes(const Node& node) const {
        const TensorType& type = m_from.value(node.operands[0]).type;
        const auto* starts = node.attribute<std::vector<std::int64_t>>("starts");
        const auto* ends = node.attribute<std::vector<std::int64_t>>("ends");
        const auto* steps = node.attribute<std::vector<std::int64_t>>("steps");
        if (!type.shape) {
            return fail(ErrorCode::Unsupported, m_text + ": the table's shape is not known, so that the store has no form in ONNX");
        }
        const std::size_t rank = type.shape->size();
        if (starts == nullptr || ends == nullptr || starts->size() != rank || ends->size() != rank || (steps != nullptr && steps->size() != rank)) {
            return fail(ErrorCode::BadData, m_text + ": 'starts', 'ends' and 'steps' need one entry for each of " + std::to_string(rank) + " axes");
        }
        std::vector<AxisRange> out;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const Dim& length = (*type.shape)[axis];
            AxisRange range{static_cast<std::int64_t>(axis), (*starts)[axis], (*ends)[axis], steps == nullptr ? 1 : (*steps)[axis], false};
            const bool toEnd = range.end == std::numeric_limits<std::int64_t>::max();
            range.reachesEnd = toEnd || length.is(range.end);
            if (range.step == 0 || range.begin < 0 || range.end < range.begin || (!toEnd && !Dim::provablyAtLeast(length, range.end)) ||
                (toEnd && range.step != 1)) {
                return fail(ErrorCode::Unsupported, m_text + ": range " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                                                        " step " + std::to_string(range.step) + " is not known to lie inside an axis of length " +
                                                        length.text());
            }
            if (range.end - range.begin > (std::int64_t{1} << 24U) && range.step != 1) {
                return fail(ErrorCode::TooLarge, m_text + ": a store with steps over more than 2^24 places is not written");
            }
            if (range.begin == range.end) {
                range.step = 1;
            }
            if (!(range.begin == 0 && range.reachesEnd && range.step == 1)) {
                out.push_back(range);
            }
        }
        return out;
    }
};

} // namespace

bool hasStores(const Graph& graph) { return std::any_of(graph.nodes.begin(), graph.nodes.end(), isStore); }

Result<Graph> lowerStores(const Graph& graph, std::vector<std::string>& notes) { return Lowering(graph, notes).run(); }

} // namespace lemmascope::onnx
