#pragma once

#include "core/format/json/scope.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// How parts that are read in place and results that land in tables become nodes of the SSA graph.
//
// Read {"of": t, ...}: `rows`, `cols`, `slice` as literals: one ai.onnx Slice with constant operands; `rows` by an index tensor:
// ai.onnx Gather on axis 0; {"at": p, "count": k}: lemmascope.RowsAt(t, p){count}. `cols` beside rows by tensor or position: a
// Slice of that.
//
// Write {"into": t, ...}: lemmascope.StoreSlice(table, value){starts, ends, steps}, one entry per axis of the table in the words of
// the format: 0 <= start <= end <= size, and a negative step runs from end-1 down to start; an axis whose length is a symbol and
// that is written whole has end 2^63-1. lemmascope.StoreRows(table, value, rows); lemmascope.StoreRowsAt(table, value, at){count}.
// `cols` beside rows by tensor or position: the columns are sliced out, written, and stored back.
//
// Every such node has the string attribute `lemmascope.form` (`part` or `store`), and those with literals `lemmascope.words` (`rows`,
// `cols`, `rows cols`, `slice`): the writer's only, without meaning.

namespace lemmascope::json {

inline constexpr const char* FormAttribute = "lemmascope.form";
inline constexpr const char* WordsAttribute = "lemmascope.words";
inline constexpr const char* FormDomain = "lemmascope";
inline constexpr std::int64_t FormVersion = 1;
/// Slice with its numbers as operands and Gather with negative indices are those of opset 13 on.
inline constexpr std::int64_t PartOpset = 13;
inline constexpr std::int64_t WholeAxis = INT64_MAX;

/// The words of a part as the file gives them, its names already resolved.
struct PartWords {
    struct Range {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int64_t step = 1;
    };
    std::optional<Range> rows;
    std::optional<Range> cols;
    std::optional<std::vector<Range>> slice;
    ValueId rowIndices;     ///< `rows` by an index tensor
    ValueId rowAt;          ///< `rows` from a scalar on
    std::int64_t count = 0; ///< with `rowAt`
    std::string indexName;  ///< as the file calls `rowIndices` or `rowAt`
    std::size_t offset = 0; ///< of the whole, for messages

    [[nodiscard]] bool byIndex() const { return rowIndices.isValid() || rowAt.isValid(); }
};

/// Reads rows, cols, slice from `fields` and checks them against `type` where that is known.
[[nodiscard]] PartWords readWords(const Fields& fields, const TensorType& type, Scope& scope, Problem& problem);
/// An operand that is part of a value: adds the nodes that read it and gives their result.
[[nodiscard]] ValueId lowerPart(const Value& operand, Scope& scope, Problem& problem);

/// A result that lands in a table.
struct StoreTarget {
    std::string table;
    PartWords words;
};
/// Reads {"into": ...}; its names are those that stand before the node.
[[nodiscard]] StoreTarget readStore(const Value& result, Scope& scope, Problem& problem);
/// Adds the nodes that write `value` and makes the result the table's new version.
void lowerStore(const StoreTarget& target, ValueId value, Scope& scope);

} // namespace lemmascope::json
