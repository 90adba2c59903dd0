#include "core/report/output_map.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

/// Edges that spread `length` cells over `parts`.
std::pair<std::uint64_t, std::uint64_t> rangeOf(int part, int parts, std::uint64_t length) {
    const auto edge = [&](int at) { return static_cast<std::uint64_t>(at) * length / static_cast<std::uint64_t>(parts); };
    return {edge(part), edge(part + 1) - edge(part)};
}

int partOf(std::uint64_t cell, int parts, std::uint64_t length) {
    // The inverse of the edges above, which are rounded down.
    auto part = static_cast<int>(cell * static_cast<std::uint64_t>(parts) / length);
    while (part + 1 < parts && rangeOf(part + 1, parts, length).first <= cell) {
        ++part;
    }
    return part;
}

} // namespace

Role roleOf(CellState state) {
    switch (state) {
    case CellState::Same: return Role::Plain;
    case CellState::Proved: return Role::Shared;
    case CellState::Undecided: return Role::Undecided;
    case CellState::Unproved: return Role::Changed;
    case CellState::Unwritten: return Role::OnlyReference;
    case CellState::Differs: return Role::Failing;
    }
    return Role::Plain;
}

const char* word(CellState state) {
    constexpr std::array<const char*, CellStateCount> Words{"same term", "proved equal", "undecided", "not proved", "left unwritten", "differs"};
    return Words[static_cast<std::size_t>(state)];
}

OutputMap::OutputMap(std::shared_ptr<const interp::ProgramComparison> comparison, std::size_t output)
    : m_comparison(std::move(comparison)), m_output(output) {
    const std::vector<std::int64_t>& all = compared().sizes;
    for (std::size_t axis = 0; axis < all.size(); ++axis) {
        const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(all[axis], 0));
        std::uint64_t& into = axis + 1 == all.size() ? m_columns : axis + 2 == all.size() ? m_rows : m_slices;
        into *= size;
    }
    for (const CellState state : {CellState::Proved, CellState::Undecided, CellState::Unproved, CellState::Unwritten, CellState::Differs}) {
        m_worst = cellsOf(state).empty() ? m_worst : state;
    }
    if (m_worst > CellState::Proved) {
        m_families = interp::familiesOf(compared().name, all, cellsOf(m_worst));
    }
}

const std::vector<std::uint64_t>& OutputMap::cellsOf(CellState state) const {
    const interp::OutputComparison& c = compared();
    switch (state) {
    case CellState::Same:
    case CellState::Proved: return c.proved;
    case CellState::Undecided: return c.undecided;
    case CellState::Unproved: return c.unproved;
    case CellState::Unwritten: return c.unwritten;
    case CellState::Differs: break;
    }
    return c.refuted;
}

std::uint64_t OutputMap::count(CellState state) const {
    if (state != CellState::Same) {
        return cellsOf(state).size();
    }
    std::uint64_t others = 0;
    for (std::size_t i = 1; i < CellStateCount; ++i) {
        others += cellsOf(static_cast<CellState>(i)).size();
    }
    return cellCount() - std::min(cellCount(), others);
}

CellState OutputMap::at(std::uint64_t cell) const {
    for (std::size_t i = CellStateCount - 1; i > 0; --i) {
        const std::vector<std::uint64_t>& cells = cellsOf(static_cast<CellState>(i));
        if (std::binary_search(cells.begin(), cells.end(), cell)) {
            return static_cast<CellState>(i);
        }
    }
    return CellState::Same;
}

std::string OutputMap::cellText(std::uint64_t cell) const {
    std::string index;
    for (std::size_t axis = sizes().size(); axis-- > 0;) {
        const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(sizes()[axis], 1));
        index = std::to_string(cell % size) + (index.empty() ? "" : ",") + index;
        cell /= size;
    }
    return sizes().empty() ? name() : name() + "[" + index + "]";
}

std::string OutputMap::sliceText(std::uint64_t slice) const {
    if (sizes().size() < 3) {
        return name();
    }
    std::string index = "*,*";
    for (std::size_t axis = sizes().size() - 2; axis-- > 0;) {
        const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(sizes()[axis], 1));
        index = std::to_string(slice % size) + "," + index;
        slice /= size;
    }
    return name() + "[" + index + "]";
}

std::optional<std::uint64_t> OutputMap::next(std::uint64_t cell, bool backwards) const {
    const std::vector<std::uint64_t>& cells = cellsOf(m_worst);
    if (m_worst <= CellState::Proved || cells.empty()) {
        return std::nullopt;
    }
    if (backwards) {
        const auto at = std::lower_bound(cells.begin(), cells.end(), cell);
        return at == cells.begin() ? cells.back() : *(at - 1);
    }
    const auto at = std::upper_bound(cells.begin(), cells.end(), cell);
    return at == cells.end() ? cells.front() : *at;
}

std::uint64_t OutputMap::first() const { return m_worst == CellState::Same ? 0 : cellsOf(m_worst).front(); }

std::string OutputMap::summary() const {
    const std::uint64_t bad = m_worst > CellState::Proved ? count(m_worst) : 0;
    if (bad == 0) {
        return name() + ": all " + std::to_string(cellCount()) + " cells are equal" +
               (count(CellState::Proved) > 0 ? ", " + std::to_string(count(CellState::Proved)) + " by proof" : "");
    }
    const char* what = m_worst == CellState::Differs     ? " cells differ: "
                       : m_worst == CellState::Unwritten ? " cells are left unwritten: "
                       : m_worst == CellState::Unproved  ? " cells are not proved: "
                                                         : " cells are undecided: ";
    std::string text = name() + ": " + std::to_string(bad) + " of " + std::to_string(cellCount()) + what;
    for (std::size_t i = 0; i < m_families.size(); ++i) {
        text += (i > 0 ? ", " : "") + m_families[i].text;
    }
    return text;
}

std::pair<std::uint64_t, std::uint64_t> PooledMap::rowRange(int row) const { return rangeOf(row, rows, sliceRows); }
std::pair<std::uint64_t, std::uint64_t> PooledMap::columnRange(int column) const { return rangeOf(column, columns, sliceColumns); }
int PooledMap::rowOf(std::uint64_t cellRow) const { return partOf(cellRow, rows, sliceRows); }
int PooledMap::columnOf(std::uint64_t cellColumn) const { return partOf(cellColumn, columns, sliceColumns); }

PooledMap pooled(const OutputMap& map, std::uint64_t slice, int mostRows, int mostColumns) {
    PooledMap out;
    out.slice = slice;
    out.sliceRows = map.rows();
    out.sliceColumns = map.columns();
    out.rows = static_cast<int>(std::min<std::uint64_t>(map.rows(), static_cast<std::uint64_t>(std::max(mostRows, 1))));
    out.columns = static_cast<int>(std::min<std::uint64_t>(map.columns(), static_cast<std::uint64_t>(std::max(mostColumns, 1))));
    out.states.assign(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.columns), CellState::Same);
    const std::uint64_t perSlice = map.rows() * map.columns();
    if (perSlice == 0 || slice >= map.slices()) {
        return out;
    }
    const auto mark = [&](const std::vector<std::uint64_t>& cells, CellState state) {
        auto at = std::lower_bound(cells.begin(), cells.end(), slice * perSlice);
        const auto end = std::lower_bound(at, cells.end(), (slice + 1) * perSlice);
        for (; at != end; ++at) {
            const std::uint64_t inside = *at - slice * perSlice;
            const auto row = static_cast<std::size_t>(out.rowOf(inside / map.columns()));
            const auto column = static_cast<std::size_t>(out.columnOf(inside % map.columns()));
            CellState& cell = out.states[row * static_cast<std::size_t>(out.columns) + column];
            cell = std::max(cell, state);
        }
    };
    for (std::size_t i = 1; i < CellStateCount; ++i) {
        mark(map.cellsOf(static_cast<CellState>(i)), static_cast<CellState>(i));
    }
    return out;
}

Picture mapPicture(const OutputMap& map, std::uint64_t slice) {
    constexpr int MostCells = 64;
    constexpr double Margin = 10.0;
    constexpr double Line = 18.0;
    const PooledMap pool = pooled(map, slice, MostCells, MostCells);
    const double side = std::clamp(640.0 / std::max({pool.rows, pool.columns, 1}), 8.0, 24.0);
    Picture picture;
    picture.title = "Map of " + map.sliceText(slice);
    picture.description = map.summary();
    const double left = Margin + PictureCharacterWidth * 8;
    double y = Margin + Line;
    const auto text = [&picture](double x, double at, std::string words, Picture::Ink ink = Picture::Ink::Text) {
        picture.texts.push_back({x, at, std::move(words), ink, false, std::nullopt});
    };
    text(Margin, y - 4, map.summary().substr(0, 110));
    y += Line;
    const bool isPooled = pool.rows != static_cast<int>(pool.sliceRows) || pool.columns != static_cast<int>(pool.sliceColumns);
    text(Margin, y - 4, "rows down, columns across" + std::string(isPooled ? "; a square shows the worst of its cells" : ""), Picture::Ink::Muted);
    y += 6;
    for (int row = 0; row < pool.rows; ++row) {
        if (row % 8 == 0) {
            text(Margin, y + side * row + std::min(side, 12.0), std::to_string(pool.rowRange(row).first), Picture::Ink::Muted);
        }
        for (int column = 0; column < pool.columns; ++column) {
            const CellState state = pool.at(row, column);
            Picture::Box box;
            box.x = left + side * column;
            box.y = y + side * row;
            box.width = side - 1.0;
            box.height = side - 1.0;
            box.badge = false;
            if (state != CellState::Same) {
                box.role = roleOf(state);
                box.tip = word(state);
                if (side >= 14.0) {
                    picture.texts.push_back(
                        {box.x + box.width / 2, box.y + box.height / 2 + 4.0, lookOf(roleOf(state)).glyph, Picture::Ink::Text, true, roleOf(state)});
                }
            }
            picture.boxes.push_back(std::move(box));
        }
    }
    y += side * pool.rows + Line;
    double x = Margin;
    for (std::size_t i = 0; i < CellStateCount; ++i) {
        const auto state = static_cast<CellState>(i);
        if (map.count(state) == 0) {
            continue;
        }
        const std::string words = std::string(word(state)) + ": " + std::to_string(map.count(state));
        Picture::Box box{x, y - 12.0, 14.0, 14.0, std::nullopt, {}, false};
        if (state != CellState::Same) {
            box.role = roleOf(state);
            picture.texts.push_back({x + 7.0, y - 1.0, lookOf(roleOf(state)).glyph, Picture::Ink::Text, true, roleOf(state)});
        }
        picture.boxes.push_back(box);
        text(x + 20.0, y, words);
        x += 20.0 + PictureCharacterWidth * static_cast<double>(words.size()) + 16.0;
    }
    picture.width = std::max({left + side * pool.columns + Margin, x + Margin,
                              Margin * 2 + PictureCharacterWidth * static_cast<double>(std::min<std::size_t>(map.summary().size(), 110))});
    picture.height = y + Margin;
    return picture;
}

} // namespace lemmascope
