#pragma once

#include "core/interp/compare.h"
#include "core/interp/families.h"
#include "core/report/picture.h"
#include "core/report/roles.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// What is known of one cell of an output, from best to worst.
enum class CellState : std::uint8_t {
    Same,
    Proved,
    Undecided, ///< neither proved nor shown to differ within the limits
    Unproved,  ///< a proof was tried and failed, no difference is confirmed
    Unwritten, ///< only the reference writes it
    Differs
};
inline constexpr std::size_t CellStateCount = 6;
[[nodiscard]] Role roleOf(CellState state);
/// `same term`, `proved equal`, `undecided`, `not proved`, `left unwritten`, `differs`.
[[nodiscard]] const char* word(CellState state);

struct PooledMap;

/// One compared output of two programs as a map: rows and columns are its last two axes, slices the others. Keeps the comparison.
class OutputMap {
  public:
    OutputMap(std::shared_ptr<const interp::ProgramComparison> comparison, std::size_t output);

    [[nodiscard]] const std::string& name() const { return compared().name; }
    [[nodiscard]] const std::vector<std::int64_t>& sizes() const { return compared().sizes; }
    [[nodiscard]] std::uint64_t cellCount() const { return m_rows * m_columns * m_slices; }
    [[nodiscard]] std::uint64_t rows() const { return m_rows; }
    [[nodiscard]] std::uint64_t columns() const { return m_columns; }
    [[nodiscard]] std::uint64_t slices() const { return m_slices; }
    [[nodiscard]] std::uint64_t count(CellState state) const;
    [[nodiscard]] CellState at(std::uint64_t cell) const;
    [[nodiscard]] std::string cellText(std::uint64_t cell) const;   ///< `C[3,31]`
    [[nodiscard]] std::string sliceText(std::uint64_t slice) const; ///< `C[2,*,*]`; the name where there is one slice
    /// The next cell that is not shown to be equal, from `cell` on (it does not count), around the end. Nothing if there is none.
    [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t cell, bool backwards) const;
    /// The cell to look at first.
    [[nodiscard]] std::uint64_t first() const;
    /// Boxes of the differing cells, else of the worst there are.
    [[nodiscard]] const std::vector<interp::CellFamily>& families() const { return m_families; }
    [[nodiscard]] CellState familyState() const { return m_worst; } ///< the worst state of all cells
    /// `C: 64 of 2048 cells differ: C[*,31]`
    [[nodiscard]] std::string summary() const;
    [[nodiscard]] std::size_t number() const { return m_output; }
    [[nodiscard]] const std::shared_ptr<const interp::ProgramComparison>& comparison() const { return m_comparison; }
    [[nodiscard]] const interp::OutputComparison& compared() const { return m_comparison->outputs[m_output]; }

  private:
    [[nodiscard]] const std::vector<std::uint64_t>& cellsOf(CellState state) const; ///< not of Same

    std::shared_ptr<const interp::ProgramComparison> m_comparison;
    std::size_t m_output = 0;
    std::uint64_t m_rows = 1, m_columns = 1, m_slices = 1;
    std::vector<interp::CellFamily> m_families;
    CellState m_worst = CellState::Same;
    friend PooledMap pooled(const OutputMap& map, std::uint64_t slice, int mostRows, int mostColumns);
};

/// A slice in at most so many rows and columns: each shows the worst of its cells.
struct PooledMap {
    std::uint64_t slice = 0;
    std::uint64_t sliceRows = 0, sliceColumns = 0; ///< cells of the slice
    int rows = 0, columns = 0;                     ///< of the picture
    std::vector<CellState> states;                 ///< row-major

    [[nodiscard]] CellState at(int row, int column) const {
        return states[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
    }
    /// First cell row and how many, of a row of the picture.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> rowRange(int row) const;
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> columnRange(int column) const;
    [[nodiscard]] int rowOf(std::uint64_t cellRow) const;
    [[nodiscard]] int columnOf(std::uint64_t cellColumn) const;
};
[[nodiscard]] PooledMap pooled(const OutputMap& map, std::uint64_t slice, int mostRows, int mostColumns);

/// The slice as a picture with a legend, in the colours of roles.h: each cell that is not the same term wears a glyph where it is large enough.
[[nodiscard]] Picture mapPicture(const OutputMap& map, std::uint64_t slice);

} // namespace lemmascope
