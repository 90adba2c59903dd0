#pragma once

#include <cstdint>
#include <vector>

namespace lemmascope::interp {

/// Vector clocks of many tasks that mostly agree: persistent tries over task numbers, shared by reference counts. A clock is a handle;
/// equal parts of two clocks are one node, so joining costs what differs.
class ClockPool {
  public:
    using Clock = std::uint32_t; ///< 0: knows nobody

    [[nodiscard]] std::uint32_t at(Clock clock, std::uint32_t task) const; ///< 0: unknown
    /// Consume the handle(s) given and return one that the caller owns.
    [[nodiscard]] Clock with(Clock clock, std::uint32_t task, std::uint32_t value);
    [[nodiscard]] Clock joined(Clock a, Clock b);
    [[nodiscard]] Clock copy(Clock clock) {
        if (clock != 0) {
            ++m_nodes[clock].references;
        }
        return clock;
    }
    void drop(Clock clock);

    ClockPool() : m_nodes(1) {}

  private:
    static constexpr unsigned Bits = 4;
    static constexpr unsigned Width = 1U << Bits;
    struct Node {
        std::uint32_t references = 0;
        std::uint32_t height = 0; ///< 0: entries are clocks; else handles of nodes one lower
        std::uint32_t entries[Width] = {};
    };

    [[nodiscard]] Clock make(std::uint32_t height);
    [[nodiscard]] Clock unshared(Clock clock);
    [[nodiscard]] Clock raised(Clock clock, std::uint32_t height);

    std::vector<Node> m_nodes;
    std::vector<std::uint32_t> m_free;
};

} // namespace lemmascope::interp
