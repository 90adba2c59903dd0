#pragma once

#include "core/base/result.h"
#include "core/prove/verdict.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// One lemma of a pinned obligation.
struct PinnedLemma {
    std::string digest; ///< SHA-256 of its text, as `LemmaResult::digest`
    LemmaVerdict verdict = LemmaVerdict::Holds;
    Rung rung = Rung::None;
    std::optional<Strength> strength;
    friend bool operator==(const PinnedLemma&, const PinnedLemma&) = default;
};

/// What was decided about one pair of graphs: its lemmas in proof order, and the solver that decided them.
struct Pin {
    std::string solver;
    std::vector<PinnedLemma> lemmas;
    friend bool operator==(const Pin&, const Pin&) = default;
};

/// Pinned obligations (`check --pin DIR`), each in the file `OBLIGATION.pin.json`, where OBLIGATION is the digest of the
/// obligation's text. While the two graphs stay as they are their obligation has the same digest, so each of its lemmas
/// finds its verdict here and no solver is asked; a changed graph has another digest and is proved again. Files are
/// written whole or not at all; one that is damaged is as if it were not there. Thread-safe.
class PinStore {
  public:
    explicit PinStore(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// `obligation`: 64 lower-case hexadecimal digits.
    [[nodiscard]] std::optional<Pin> lookup(std::string_view obligation) const;
    /// Fails with NotFound when the folder cannot be written, Internal when `obligation` or a lemma's digest is no digest.
    [[nodiscard]] Result<void> store(std::string_view obligation, const Pin& pin) const;

    /// Digest of an obligation known by its lemmas' digests, in proof order.
    [[nodiscard]] static std::string obligationDigest(const std::vector<std::string>& lemmaDigests);

  private:
    std::filesystem::path m_folder;
};

} // namespace lemmascope
