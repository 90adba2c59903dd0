#pragma once

#include "core/graph/dim.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// What the rule of an op asks of two lengths and does not see to hold at all sizes: the graph runs only where it does.
struct DimQuestion {
    enum class Kind : std::uint8_t {
        Equal,    ///< left = right
        Broadcast ///< left = right, or one of them is 1
    };
    Kind kind = Kind::Equal;
    Dim left;
    Dim right;
    friend bool operator==(const DimQuestion&, const DimQuestion&) = default;
};

/// What can be said of two Dims at all admissible sizes. Symbols range from 1 unless the graph says otherwise; unknowns (`?...`),
/// which stand for lengths that data decides, range from 0. (Dim's own comparisons take every symbol from 1.)
class DimOrder {
  public:
    DimOrder() = default;
    /// `lowest`: least values of the symbols that do not range from 1.
    explicit DimOrder(std::map<std::string, std::int64_t> lowest) : m_lowest(std::move(lowest)) {}

    /// True only when a >= b at all sizes is seen.
    [[nodiscard]] bool atLeast(const Dim& a, const Dim& b) const;
    /// a >= b: certain yes, certain no, or not known.
    [[nodiscard]] std::optional<bool> compare(const Dim& a, const Dim& b) const;
    [[nodiscard]] std::optional<bool> equal(const Dim& a, const Dim& b) const;
    /// The lesser or greater of the two, where the order is seen or all symbols range from 1.
    [[nodiscard]] std::optional<Dim> min(const Dim& a, const Dim& b) const;
    [[nodiscard]] std::optional<Dim> max(const Dim& a, const Dim& b) const;

    /// Questions are added there from now on, in the order met; it must outlive this.
    void askInto(std::vector<DimQuestion>* questions) { m_questions = questions; }
    void ask(DimQuestion::Kind kind, const Dim& left, const Dim& right) const;

  private:
    [[nodiscard]] bool allFromOne(const Dim& a, const Dim& b) const;

    std::map<std::string, std::int64_t> m_lowest;
    std::vector<DimQuestion>* m_questions = nullptr;
};

} // namespace lemmascope
