#pragma once

#include "core/base/result.h"
#include "core/prove/verdict.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// Verdicts of lemmas decided before, in a folder that threads, processes and machines may share (resources/docs/decisions/proving.md). An entry
/// is the file `ab/cdef....json` named by its key, written whole or not at all; a missing, truncated, damaged or foreign
/// file is a miss. A checksum finds accidents, not forgery: share a folder only with those whose proofs you believe.
/// Thread-safe; holds no state but the folder's name.
class ProofCache {
  public:
    struct Entry {
        LemmaVerdict verdict = LemmaVerdict::Holds; ///< Holds or Fails: nothing else lasts
        Rung rung = Rung::None;                     ///< the rung that decided it then, reported again now
        std::optional<Strength> strength;           ///< when it holds
        std::vector<std::string> values;            ///< when it fails: the wanted values, in the order they were asked for
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    explicit ProofCache(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// `$XDG_CACHE_HOME/lemmascope`, or `~/.cache/lemmascope`. Fails with NotFound when neither is set to an absolute path.
    [[nodiscard]] static Result<std::filesystem::path> defaultFolder();

    /// Key of a lemma: SHA-256 over its text, the solver's name and version, and the terms whose values are wanted.
    [[nodiscard]] static std::string key(std::string_view lemmaText, std::string_view solver, std::span<const std::string> wantedValues = {});

    [[nodiscard]] std::optional<Entry> lookup(std::string_view key) const;
    /// Fails with NotFound when the folder cannot be written, Internal for a key or verdict that cannot be stored.
    [[nodiscard]] Result<void> store(std::string_view key, const Entry& entry) const;

    /// Deletes the entries written longest ago until the rest takes at most `mostBytes`, and leftovers of crashed writers.
    /// Returns how many entries went. Only files that look like entries are touched.
    std::size_t evictOldest(std::uint64_t mostBytes, const std::stop_token& stop = {}) const;

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    std::filesystem::path m_folder;
};

} // namespace lemmascope
