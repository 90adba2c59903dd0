#include "core/format/json/forms.h"

#include <algorithm>
#include <limits>

namespace lemmascope::json {

namespace {

using Range = PartWords::Range;

std::string text(const Range& range) {
    return std::to_string(range.begin) + ":" + std::to_string(range.end) + (range.step == 1 ? "" : ":" + std::to_string(range.step));
}

/// A range of a literal part must lie inside its axis; `length` is checked where it is a number.
Range checkedRange(const Value& value, std::string_view what, bool withStep, const std::optional<Dim>& length, Problem& problem) {
    const std::vector<std::int64_t> numbers = integersOf(value, what, problem);
    if (problem.failed()) {
        return {};
    }
    if (numbers.size() != (withStep ? 3U : 2U)) {
        problem.report(std::string(what) + " has " + std::to_string(numbers.size()) + " numbers, expected " +
                           (withStep ? "[begin, end, step]" : "[begin, end]"),
                       value.offset);
        return {};
    }
    const Range range{numbers[0], numbers[1], withStep ? numbers[2] : 1};
    const bool known = length && length->isKnown();
    if (range.begin < 0 || range.end < range.begin || (known && range.end > length->value())) {
        problem.report(std::string(what) + " is [" + std::to_string(range.begin) + ", " + std::to_string(range.end) +
                           "], expected 0 <= begin <= end" + (known ? " <= " + std::to_string(length->value()) : std::string(" <= the axis' length")),
                       value.offset);
    } else if (range.step == 0) {
        problem.report(std::string(what) + " has step 0", value.offset);
    }
    return range;
}

void checkIndex(const Scope& scope, ValueId index, const std::string& name, std::size_t rank, std::string_view what, std::size_t offset,
                Problem& problem) {
    if (problem.failed()) {
        return;
    }
    const TensorType& type = const_cast<Scope&>(scope).graph().value(index).type;
    const bool wrongElement = type.element != ElementType::Undefined && type.element != ElementType::I32 && type.element != ElementType::I64;
    if (wrongElement || (type.shape && type.shape->size() != rank)) {
        problem.report(std::string(what) + " " + inQuotes(name) + " is " + type.text() + ", expected i32 or i64 with " +
                           (rank == 0 ? "no axis (a scalar)" : "one axis"),
                       offset);
    }
}

void readRows(const Value& rows, const std::optional<Dim>& length, PartWords& words, Scope& scope, Problem& problem) {
    if (rows.isArray()) {
        words.rows = checkedRange(rows, "'rows'", false, length, problem);
    } else if (rows.kind == Kind::String) {
        words.indexName = rows.string();
        words.rowIndices = scope.resolve(words.indexName, "'rows'", rows.offset, problem);
        checkIndex(scope, words.rowIndices, words.indexName, 1, "'rows'", rows.offset, problem);
    } else if (rows.kind == Kind::Object) {
        const Fields fields(rows, "'rows'", {"at", "count"}, problem);
        const std::optional<Value> at = problem.failed() ? std::nullopt : fields.required("at", "the name of an integer scalar");
        const std::optional<Value> count = problem.failed() ? std::nullopt : fields.required("count", "the number of rows");
        if (problem.failed()) {
            return;
        }
        if (at->kind == Kind::Integer) {
            problem.report("'at' is a number; fixed rows are written [begin, end]", at->offset);
            return;
        }
        words.indexName = nameOf(*at, "'at'", problem);
        words.count = integerOf(*count, "'count'", problem);
        if (problem.failed()) {
            return;
        }
        words.rowAt = scope.resolve(words.indexName, "'at'", at->offset, problem);
        checkIndex(scope, words.rowAt, words.indexName, 0, "'at'", at->offset, problem);
        const bool tooMany = length && length->isKnown() && words.count > length->value();
        if (words.count < 0 || tooMany) {
            problem.report("'count' is " + std::to_string(words.count) + ", expected " +
                               (tooMany ? "at most the " + std::to_string(length->value()) + " rows there are" : std::string("0 or more")),
                           count->offset);
        }
    } else {
        problem.report("'rows' is " + std::string(rows.kindName()) +
                           R"(, expected [begin, end], the name of an integer tensor, or {"at": name, "count": k})",
                       rows.offset);
    }
}

/// How the part is shown: `q[0:2, ...]`.
std::string label(const std::string& name, const PartWords& words) {
    std::string rows;
    if (words.rows) {
        rows = text(*words.rows);
    } else if (words.rowIndices.isValid()) {
        rows = words.indexName;
    } else if (words.rowAt.isValid()) {
        rows = words.indexName + ":" + words.indexName + "+" + std::to_string(words.count);
    }
    if (words.slice) {
        for (const Range& range : *words.slice) {
            rows += (rows.empty() ? "" : ", ") + text(range);
        }
    }
    if (words.cols) {
        rows += (rows.empty() ? "..., " : ", ..., ") + text(*words.cols);
    }
    return name + "[" + rows + "]";
}

ValueId addForm(Scope& scope, Node node, const std::string& form, const std::string& name, TensorType type = {}) {
    lemmascope::Value result;
    result.name = scope.freshName(name);
    result.type = std::move(type);
    const ValueId id = scope.graph().addValue(std::move(result));
    node.results = {id};
    node.attributes[FormAttribute] = form;
    scope.graph().addNode(std::move(node));
    return id;
}

Node partNode(Scope& scope, const char* op, std::vector<ValueId> operands) {
    Node node;
    const auto opset = scope.graph().opsets.find("");
    node.op = {"", op, std::max(PartOpset, opset == scope.graph().opsets.end() ? 0 : opset->second)};
    node.operands = std::move(operands);
    return node;
}

Node formNode(const char* op, std::vector<ValueId> operands) {
    Node node;
    node.op = {FormDomain, op, FormVersion};
    node.operands = std::move(operands);
    return node;
}

/// Slice in ONNX's words. There a negative step starts at a position and ends before one, counted from the end when
/// negative: INT64_MIN is "past the first element", and an empty range is written with step 1.
ValueId addSlice(Scope& scope, ValueId of, const std::vector<std::int64_t>& axes, const std::vector<Range>& ranges, const std::string& words,
                 const std::string& form, const std::string& name) {
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> steps;
    for (const Range& range : ranges) {
        const bool backward = range.step < 0 && range.begin < range.end;
        starts.push_back(backward ? range.end - 1 : range.begin);
        ends.push_back(!backward ? range.end : (range.begin == 0 ? std::numeric_limits<std::int64_t>::min() : range.begin - 1));
        steps.push_back(range.begin == range.end ? 1 : range.step);
    }
    const ValueId startsId = scope.indexConstant(starts);
    const ValueId endsId = scope.indexConstant(ends);
    const ValueId axesId = scope.indexConstant(axes);
    const ValueId stepsId = scope.indexConstant(steps);
    Node node = partNode(scope, "Slice", {of, startsId, endsId, axesId, stepsId});
    node.attributes[WordsAttribute] = words;
    return addForm(scope, std::move(node), form, name);
}

/// A result is stored along its own axes: every axis of the table has its range.
ValueId addStoreSlice(Scope& scope, const Table& table, ValueId value, const PartWords& words, const std::string& name) {
    const Shape& shape = *table.type.shape;
    std::vector<Range> ranges;
    for (const Dim& length : shape) {
        ranges.push_back({0, length.isKnown() ? length.value() : WholeAxis, 1});
    }
    std::string used;
    if (words.slice) {
        ranges = *words.slice;
        used = "slice";
    }
    if (words.rows) {
        ranges.front() = *words.rows;
        used = "rows";
    }
    if (words.cols) {
        ranges.back() = *words.cols;
        used += used.empty() ? "cols" : " cols";
    }
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> steps;
    for (const Range& range : ranges) {
        starts.push_back(range.begin);
        ends.push_back(range.end);
        steps.push_back(range.step);
    }
    Node node = formNode("StoreSlice", {table.current, value});
    node.attributes["starts"] = starts;
    node.attributes["ends"] = ends;
    node.attributes["steps"] = steps;
    node.attributes[WordsAttribute] = used;
    return addForm(scope, std::move(node), "store", name, table.type);
}

ValueId addStoreRows(Scope& scope, ValueId table, ValueId value, const PartWords& words, const std::string& name, const TensorType& type) {
    Node node =
        words.rowIndices.isValid() ? formNode("StoreRows", {table, value, words.rowIndices}) : formNode("StoreRowsAt", {table, value, words.rowAt});
    if (words.rowAt.isValid()) {
        node.attributes["count"] = words.count;
    }
    return addForm(scope, std::move(node), "store", name, type);
}

} // namespace

PartWords readWords(const Fields& fields, const TensorType& type, Scope& scope, Problem& problem) {
    PartWords words;
    words.offset = fields.offset();
    const std::optional<Value>& rows = fields.get("rows");
    const std::optional<Value>& cols = fields.get("cols");
    const std::optional<Value>& slice = fields.get("slice");
    if (problem.failed()) {
        return words;
    }
    if (!rows && !cols && !slice) {
        problem.report("a part needs 'rows', 'cols' or 'slice'", words.offset);
        return words;
    }
    if (slice && (rows || cols)) {
        problem.report("'slice' gives every axis; it does not stand beside 'rows' or 'cols'", words.offset);
        return words;
    }
    const std::optional<std::size_t> rank = type.rank();
    if (rank && *rank < ((rows && cols) ? 2U : (slice ? 0U : 1U))) {
        problem.report("'rows' is the first axis and 'cols' the last: " + type.text() + " does not have them", words.offset);
        return words;
    }
    if (rows) {
        readRows(*rows, rank ? std::optional<Dim>(type.shape->front()) : std::nullopt, words, scope, problem);
    }
    if (cols) {
        words.cols = checkedRange(*cols, "'cols'", false, rank ? std::optional<Dim>(type.shape->back()) : std::nullopt, problem);
    }
    if (slice) {
        const std::vector<Value> axes = itemsOf(*slice, "'slice'", problem);
        if (rank && *rank != axes.size()) {
            problem.report("'slice' has " + std::to_string(axes.size()) + " entries, " + type.text() + " has " + std::to_string(*rank) + " axes",
                           slice->offset);
        }
        words.slice.emplace();
        for (const Value& axis : axes) {
            if (problem.failed()) {
                break;
            }
            const std::size_t k = words.slice->size();
            words.slice->push_back(
                checkedRange(axis, "'slice'[" + std::to_string(k) + "]", true, rank ? std::optional<Dim>((*type.shape)[k]) : std::nullopt, problem));
        }
    }
    return words;
}

ValueId lowerPart(const Value& operand, Scope& scope, Problem& problem) {
    const Fields fields(operand, "an operand", {"of", "rows", "cols", "slice"}, problem);
    const std::optional<Value> of = problem.failed() ? std::nullopt : fields.required("of", "the name of a value");
    if (problem.failed()) {
        return {};
    }
    const std::string name = nameOf(*of, "'of'", problem);
    if (problem.failed()) {
        return {};
    }
    ValueId value = scope.resolve(name, "operand", of->offset, problem);
    if (problem.failed()) {
        return {};
    }
    const PartWords words = readWords(fields, scope.graph().value(value).type, scope, problem);
    if (problem.failed()) {
        return {};
    }
    const std::string shown = label(name, words);
    if (words.slice) {
        std::vector<std::int64_t> axes;
        for (std::size_t k = 0; k < words.slice->size(); ++k) {
            axes.push_back(static_cast<std::int64_t>(k));
        }
        return addSlice(scope, value, axes, *words.slice, "slice", "part", shown);
    }
    if (words.byIndex()) {
        Node node = words.rowIndices.isValid() ? partNode(scope, "Gather", {value, words.rowIndices}) : formNode("RowsAt", {value, words.rowAt});
        if (words.rowIndices.isValid()) {
            node.attributes["axis"] = std::int64_t{0};
        } else {
            node.attributes["count"] = words.count;
        }
        value = addForm(scope, std::move(node), "part", shown);
        return words.cols ? addSlice(scope, value, {-1}, {*words.cols}, "cols", "part", shown) : value;
    }
    if (words.rows && words.cols) {
        return addSlice(scope, value, {0, -1}, {*words.rows, *words.cols}, "rows cols", "part", shown);
    }
    return words.rows ? addSlice(scope, value, {0}, {*words.rows}, "rows", "part", shown)
                      : addSlice(scope, value, {-1}, {*words.cols}, "cols", "part", shown);
}

StoreTarget readStore(const Value& result, Scope& scope, Problem& problem) {
    const Fields fields(result, "a result", {"into", "rows", "cols", "slice"}, problem);
    const std::optional<Value> into = problem.failed() ? std::nullopt : fields.required("into", "the name of a table");
    if (problem.failed()) {
        return {};
    }
    StoreTarget target;
    target.table = nameOf(*into, "'into'", problem);
    if (problem.failed()) {
        return {};
    }
    const Table* table = scope.findTable(target.table);
    if (table == nullptr) {
        problem.report("'into' " + inQuotes(target.table) + " is not a table of this graph; declare it under \"tables\"", into->offset);
        return {};
    }
    const TensorType type = table->type;
    target.words = readWords(fields, type, scope, problem);
    return target;
}

void lowerStore(const StoreTarget& target, ValueId value, Scope& scope) {
    const Table table = *scope.findTable(target.table);
    const std::string name = target.table + "#" + std::to_string(table.versions + 1);
    ValueId version;
    if (!target.words.byIndex()) {
        version = addStoreSlice(scope, table, value, target.words, name);
    } else if (!target.words.cols) {
        version = addStoreRows(scope, table.current, value, target.words, name, table.type);
    } else {
        // Only the columns of those rows change: write the rows of the columns, then the columns back.
        const ValueId columns = addSlice(scope, table.current, {-1}, {*target.words.cols}, "cols", "store", name + ".columns");
        const ValueId written = addStoreRows(scope, columns, value, target.words, name + ".rows", {});
        PartWords back;
        back.cols = target.words.cols;
        version = addStoreSlice(scope, table, written, back, name);
    }
    scope.setVersion(target.table, version);
}

} // namespace lemmascope::json
