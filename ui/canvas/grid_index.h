#pragma once

#include <QRectF>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace lemmascope {

/// Uniform grid over rectangles. An entry stands in every cell it touches, but a query reports it once: only from the first
/// cell, in the query's range, that it touches. Entries over more than `LargeSpan` cells stand in a list that every query reads.
class GridIndex {
  public:
    static constexpr double Cell = 512.0;
    static constexpr std::int64_t LargeSpan = 64;

    GridIndex() = default;
    /// `keys[i]` is what a query reports for `rects[i]`; empty: i. Null rectangles are left out. Coordinates must be finite.
    explicit GridIndex(const std::vector<QRectF>& rects, std::vector<std::uint32_t> keys = {}) {
        QRectF all;
        for (const QRectF& rect : rects) {
            if (!rect.isNull()) {
                all = all.isNull() ? rect : joined(all, rect);
            }
        }
        m_left = all.left();
        m_top = all.top();
        // A graph of any extent gets at most about four cells per entry, so that an odd layout cannot exhaust memory.
        m_cell = Cell;
        const double most = 4.0 * static_cast<double>(rects.size()) + 1024.0;
        while ((all.width() / m_cell + 1.0) * (all.height() / m_cell + 1.0) > most) {
            m_cell *= 2.0;
        }
        m_columns = static_cast<std::int64_t>(all.width() / m_cell) + 1;
        m_rows = static_cast<std::int64_t>(all.height() / m_cell) + 1;
        std::vector<std::uint32_t> counts(static_cast<std::size_t>(m_columns * m_rows) + 1, 0);
        m_entries.reserve(rects.size());
        for (std::size_t i = 0; i < rects.size(); ++i) {
            if (rects[i].isNull()) {
                continue;
            }
            const Range range = rangeOf(rects[i]);
            const std::uint32_t key = keys.empty() ? static_cast<std::uint32_t>(i) : keys[i];
            if ((range.right - range.left + 1) * (range.bottom - range.top + 1) > LargeSpan) {
                m_large.push_back(key);
                m_largeRects.push_back(rects[i]);
                continue;
            }
            m_entries.push_back(Entry{key, range});
            forEachCell(range, [&](std::size_t cell) { ++counts[cell + 1]; });
        }
        for (std::size_t i = 1; i < counts.size(); ++i) {
            counts[i] += counts[i - 1];
        }
        m_start = counts;
        m_cells.resize(counts.back());
        for (std::size_t e = 0; e < m_entries.size(); ++e) {
            forEachCell(m_entries[e].range, [&](std::size_t cell) { m_cells[counts[cell]++] = static_cast<std::uint32_t>(e); });
        }
    }

    /// Calls `visit(key)` once for each entry in a cell that `area` touches; a superset of the entries that touch it.
    template <typename Visit>
    void query(const QRectF& area, Visit&& visit) const {
        for (std::size_t i = 0; i < m_large.size(); ++i) {
            if (touches(m_largeRects[i], area)) {
                visit(m_large[i]);
            }
        }
        if (m_start.empty() || m_cells.empty()) {
            return;
        }
        const Range range = rangeOf(area);
        for (std::int64_t row = range.top; row <= range.bottom; ++row) {
            for (std::int64_t column = range.left; column <= range.right; ++column) {
                const auto cell = static_cast<std::size_t>(row * m_columns + column);
                for (std::uint32_t at = m_start[cell]; at < m_start[cell + 1]; ++at) {
                    const Entry& entry = m_entries[m_cells[at]];
                    if (std::max(entry.range.left, range.left) == column && std::max(entry.range.top, range.top) == row) {
                        visit(entry.key);
                    }
                }
            }
        }
    }

    [[nodiscard]] static bool touches(const QRectF& a, const QRectF& b) {
        return a.left() <= b.right() && b.left() <= a.right() && a.top() <= b.bottom() && b.top() <= a.bottom();
    }
    /// Union that also takes rectangles of no width or height (segments), which QRectF::united ignores.
    [[nodiscard]] static QRectF joined(const QRectF& a, const QRectF& b) {
        return {QPointF(std::min(a.left(), b.left()), std::min(a.top(), b.top())),
                QPointF(std::max(a.right(), b.right()), std::max(a.bottom(), b.bottom()))};
    }

  private:
    struct Range {
        std::int64_t left, top, right, bottom;
    };
    struct Entry {
        std::uint32_t key;
        Range range;
    };

    [[nodiscard]] std::int64_t cellAt(double offset, std::int64_t count) const {
        return static_cast<std::int64_t>(std::clamp(std::floor(offset / m_cell), 0.0, static_cast<double>(count - 1)));
    }
    [[nodiscard]] Range rangeOf(const QRectF& rect) const {
        return Range{cellAt(rect.left() - m_left, m_columns), cellAt(rect.top() - m_top, m_rows), cellAt(rect.right() - m_left, m_columns),
                     cellAt(rect.bottom() - m_top, m_rows)};
    }
    template <typename Visit>
    void forEachCell(const Range& range, Visit&& visit) const {
        for (std::int64_t row = range.top; row <= range.bottom; ++row) {
            for (std::int64_t column = range.left; column <= range.right; ++column) {
                visit(static_cast<std::size_t>(row * m_columns + column));
            }
        }
    }

    double m_left = 0.0;
    double m_top = 0.0;
    double m_cell = Cell;
    std::int64_t m_columns = 0;
    std::int64_t m_rows = 0;
    std::vector<Entry> m_entries;
    std::vector<std::uint32_t> m_start; ///< by cell, into m_cells
    std::vector<std::uint32_t> m_cells;
    std::vector<std::uint32_t> m_large;
    std::vector<QRectF> m_largeRects;
};

} // namespace lemmascope
