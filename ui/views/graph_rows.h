#pragma once

#include "ui/views/node_index.h"
#include "ui/views/node_query.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace lemmascope {

/// Both graphs as rows of words: what the graph table shows, sorts and copies. A snapshot, to be read from any thread; a cell is made
/// when it is asked for.
struct GraphRows {
    enum Column { Side, Name, Op, Type, Mark, Partner, Lemma, Inputs, Outputs };
    static constexpr int ColumnCount = 9;

    std::shared_ptr<const NodeIndex> index;      ///< null: no rows
    std::shared_ptr<const Correspondence> marks; ///< null: not compared yet
    std::shared_ptr<const CheckResult> result;   ///< null: no verdicts yet

    /// `entry`: of the index.
    [[nodiscard]] QString cell(std::uint32_t entry, int column) const;
    /// Entries that match, in the column's order, otherwise in that of the graphs. Cut short when stopped.
    [[nodiscard]] std::vector<std::uint32_t> arranged(const NodeQuery& query, int column, bool descending, std::stop_token stop = {}) const;
    [[nodiscard]] static QStringList headers();
    /// Rows with their headers. Cut short when stopped.
    [[nodiscard]] QString tabSeparated(const std::vector<std::uint32_t>& entries, std::stop_token stop = {}) const;
    [[nodiscard]] QString plainText(const std::vector<std::uint32_t>& entries, std::stop_token stop = {}) const;
    [[nodiscard]] QString markdown(const std::vector<std::uint32_t>& entries, std::stop_token stop = {}) const;

    [[nodiscard]] const NodeRelation* relation(std::uint32_t entry) const;
};

} // namespace lemmascope
