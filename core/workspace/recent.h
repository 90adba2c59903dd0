#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lemmascope {

/// A pair that was open once, with the last verdict line (`proved: exact`), empty while none was reached.
struct RecentPair {
    std::filesystem::path reference; ///< absolute
    std::filesystem::path rewritten; ///< absolute
    std::string verdict;
    friend bool operator==(const RecentPair&, const RecentPair&) = default;
};

/// Pairs opened lately, newest first, at most `Kept`; a pair stands there once.
class RecentPairs {
  public:
    static constexpr std::size_t Kept = 12;

    /// Moves or adds the pair to the front. An empty verdict keeps the one known.
    void add(const RecentPair& pair);
    void clear() { m_pairs.clear(); }
    [[nodiscard]] const std::vector<RecentPair>& pairs() const { return m_pairs; }

    /// Reads the list; a missing file is an empty list. Fails with BadData where the file is not ours.
    [[nodiscard]] static Result<RecentPairs> load(const std::filesystem::path& file);
    /// Writes under a temporary name, then renames; makes the folder.
    [[nodiscard]] Result<void> save(const std::filesystem::path& file) const;

  private:
    std::vector<RecentPair> m_pairs;
};

/// Where state lives that is neither configuration nor cache: `$XDG_STATE_HOME/lemmascope`, by default
/// `~/.local/state/lemmascope` (XDG Base Directory 0.8). Never beside the models. Empty when there is no home.
[[nodiscard]] std::filesystem::path stateFolder();

} // namespace lemmascope
