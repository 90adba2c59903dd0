#include "core/interp/clocks.h"

#include <algorithm>

namespace lemmascope::interp {

std::uint32_t ClockPool::at(Clock clock, std::uint32_t task) const {
    if (clock == 0) {
        return 0;
    }
    std::uint32_t height = m_nodes[clock].height;
    if ((task >> Bits >> (Bits * height)) != 0) {
        return 0;
    }
    while (height > 0) {
        clock = m_nodes[clock].entries[(task >> (Bits * height)) & (Width - 1)];
        if (clock == 0) {
            return 0;
        }
        --height;
    }
    return m_nodes[clock].entries[task & (Width - 1)];
}

ClockPool::Clock ClockPool::make(std::uint32_t height) {
    Clock made = 0;
    if (m_free.empty()) {
        made = static_cast<Clock>(m_nodes.size());
        m_nodes.emplace_back();
    } else {
        made = m_free.back();
        m_free.pop_back();
        m_nodes[made] = Node{};
    }
    m_nodes[made].references = 1;
    m_nodes[made].height = height;
    return made;
}

void ClockPool::drop(Clock clock) {
    if (clock == 0 || --m_nodes[clock].references > 0) {
        return;
    }
    if (m_nodes[clock].height > 0) { // at most eight levels deep
        for (const std::uint32_t entry : m_nodes[clock].entries) {
            drop(entry);
        }
    }
    m_free.push_back(clock);
}

ClockPool::Clock ClockPool::unshared(Clock clock) {
    if (m_nodes[clock].references == 1) {
        return clock;
    }
    const Clock made = make(m_nodes[clock].height);
    std::copy(std::begin(m_nodes[clock].entries), std::end(m_nodes[clock].entries), std::begin(m_nodes[made].entries));
    if (m_nodes[made].height > 0) {
        for (const std::uint32_t entry : m_nodes[made].entries) {
            (void)copy(entry);
        }
    }
    --m_nodes[clock].references;
    return made;
}

ClockPool::Clock ClockPool::raised(Clock clock, std::uint32_t height) {
    while (m_nodes[clock].height < height) {
        const Clock above = make(m_nodes[clock].height + 1);
        m_nodes[above].entries[0] = clock;
        clock = above;
    }
    return clock;
}

ClockPool::Clock ClockPool::with(Clock clock, std::uint32_t task, std::uint32_t value) {
    std::uint32_t height = 0;
    while ((task >> Bits >> (Bits * height)) != 0) {
        ++height;
    }
    Clock root = clock == 0 ? make(height) : raised(clock, height);
    root = unshared(root);
    Clock node = root;
    for (std::uint32_t level = m_nodes[root].height; level > 0; --level) {
        const std::size_t slot = (task >> (Bits * level)) & (Width - 1);
        const Clock below = m_nodes[node].entries[slot];
        const Clock own = below == 0 ? make(level - 1) : unshared(below);
        m_nodes[node].entries[slot] = own;
        node = own;
    }
    std::uint32_t& entry = m_nodes[node].entries[task & (Width - 1)];
    entry = std::max(entry, value);
    return root;
}

ClockPool::Clock ClockPool::joined(Clock a, Clock b) {
    if (b == 0 || a == b) {
        drop(b);
        return a;
    }
    if (a == 0) {
        return b;
    }
    const std::uint32_t height = std::max(m_nodes[a].height, m_nodes[b].height);
    a = raised(a, height);
    b = raised(b, height);
    // What `a` already knows costs no copy: it is unshared only where an entry changes.
    for (std::size_t i = 0; i < Width; ++i) {
        const std::uint32_t mine = m_nodes[a].entries[i];
        const std::uint32_t theirs = m_nodes[b].entries[i];
        if (theirs == 0 || mine == theirs) {
            continue;
        }
        if (height == 0) {
            if (theirs > mine) {
                a = unshared(a);
                m_nodes[a].entries[i] = theirs;
            }
            continue;
        }
        const Clock both = joined(copy(mine), copy(theirs));
        if (both == mine) {
            drop(both);
            continue;
        }
        a = unshared(a);
        drop(m_nodes[a].entries[i]);
        m_nodes[a].entries[i] = both;
    }
    drop(b);
    return a;
}

} // namespace lemmascope::interp
