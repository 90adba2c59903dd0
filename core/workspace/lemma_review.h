#pragma once

#include "core/prove/check_result.h"
#include "core/workspace/lemma_regions.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// What makes a lemma the same one in another check: its digest, which is equal for equal statements under renaming, and its
/// title; of a lemma without a text its kind, title and nodes.
struct LemmaIdentity {
    std::string digest;
    LemmaResult::Kind kind = LemmaResult::Kind::Equal;
    std::string title;
    std::vector<std::string> reference; ///< paths of its nearest nodes, at most `Nodes`
    std::vector<std::string> rewritten;
    static constexpr std::size_t Nodes = 8;
    friend bool operator==(const LemmaIdentity&, const LemmaIdentity&) = default;
};

[[nodiscard]] LemmaIdentity identityOf(const CheckResult& result, std::size_t lemma);

/// A lemma that a person has looked at.
struct ReviewNote {
    LemmaIdentity lemma;
    std::string id;                                 ///< `L3`, as it was called then
    LemmaVerdict verdict = LemmaVerdict::Undecided; ///< as it was then
    std::string text;                               ///< may be empty: reviewed without a remark
    std::string reviewer;
    std::int64_t time = 0; ///< seconds since 1970, UTC
    friend bool operator==(const ReviewNote&, const ReviewNote&) = default;
};

/// The lemma that each note speaks of; nothing where it is gone or says something else now. A lemma takes one note at most.
/// Lemmas with the same digest keep theirs by title, then by order.
[[nodiscard]] std::vector<std::optional<std::size_t>> attachNotes(const std::vector<ReviewNote>& notes, const CheckResult& result);

/// Both, each lemma once: of two notes on the same lemma the newer one.
[[nodiscard]] std::vector<ReviewNote> mergeNotes(std::vector<ReviewNote> notes, const std::vector<ReviewNote>& more);
/// `ours` and what a file has of somebody else: merged as above, without what `before` says that we had and no longer have.
[[nodiscard]] std::vector<ReviewNote> joinNotes(const std::vector<ReviewNote>& ours, const std::vector<ReviewNote>& before,
                                                const std::vector<ReviewNote>& inFile);

/// The lemma of `now` that `lemma` of `before` is; nothing when it is gone.
[[nodiscard]] std::optional<std::size_t> sameLemma(const CheckResult& before, std::size_t lemma, const CheckResult& now);

/// Where the verdicts of a list of lemmas come from.
enum class LemmaSource : std::uint8_t {
    Current,  ///< the check of what is open
    Session,  ///< a saved session of the very same files; a check has yet to confirm them
    Obsolete, ///< the last result: the files have changed since, or a new check has not confirmed it
};

/// The lemmas as a review shows them: a result with its regions and what people said of it. Never changed once made.
struct LemmaList {
    std::shared_ptr<const CheckResult> result; ///< null: no lemmas
    LemmaSource source = LemmaSource::Current;
    std::vector<LemmaRegion> regions;
    std::vector<std::uint32_t> regionOf;            ///< by lemma
    std::vector<ReviewNote> notes;                  ///< all, also the detached ones
    std::vector<std::optional<std::size_t>> noteOf; ///< by lemma: index into `notes`
    std::vector<std::size_t> detached;              ///< indices of notes whose lemma is gone

    [[nodiscard]] const ReviewNote* note(std::size_t lemma) const {
        return lemma < noteOf.size() && noteOf[lemma] ? &notes[*noteOf[lemma]] : nullptr;
    }
};

/// `regions` as `lemmaRegions` gives them.
[[nodiscard]] std::shared_ptr<const LemmaList> makeLemmaList(std::shared_ptr<const CheckResult> result, LemmaSource source,
                                                             std::vector<LemmaRegion> regions, std::vector<ReviewNote> notes);

} // namespace lemmascope
