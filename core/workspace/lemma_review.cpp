#include "core/workspace/lemma_review.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace lemmascope {

namespace {

std::vector<std::string> pathsOf(const GraphTree* tree, const std::vector<FlatNodeId>& nodes) {
    std::vector<std::string> paths;
    for (const FlatNodeId node : nodes) {
        if (tree != nullptr && node.index < tree->nodeCount() && paths.size() < LemmaIdentity::Nodes) {
            paths.push_back(tree->path(node));
        }
    }
    return paths;
}

/// Lemmas of a result by what they say, to be taken one by one in their order.
class Takers {
  public:
    explicit Takers(const CheckResult& result) : m_result(result), m_taken(result.lemmas.size(), false) {
        for (std::size_t k = 0; k < result.lemmas.size(); ++k) {
            m_byDigest[result.lemmas[k].digest].push_back(k);
        }
    }

    /// `byTitle`: only one of the same title, or, without a digest, the same in all.
    std::optional<std::size_t> take(const LemmaIdentity& wanted, bool byTitle) {
        const auto at = m_byDigest.find(wanted.digest);
        if (at == m_byDigest.end() || (wanted.digest.empty() && !byTitle)) {
            return std::nullopt;
        }
        for (const std::size_t lemma : at->second) {
            const LemmaResult& entry = m_result.lemmas[lemma];
            if (m_taken[lemma] || entry.kind != wanted.kind || (byTitle && entry.title != wanted.title)) {
                continue;
            }
            if (wanted.digest.empty() && !(identityOf(m_result, lemma) == wanted)) {
                continue;
            }
            m_taken[lemma] = true;
            return lemma;
        }
        return std::nullopt;
    }

  private:
    const CheckResult& m_result;
    std::vector<bool> m_taken;
    std::map<std::string_view, std::vector<std::size_t>> m_byDigest;
};

} // namespace

LemmaIdentity identityOf(const CheckResult& result, std::size_t lemma) {
    const LemmaResult& entry = result.lemmas[lemma];
    return {entry.digest, entry.kind, entry.title, pathsOf(result.reference.get(), entry.referenceNodes),
            pathsOf(result.rewritten.get(), entry.rewrittenNodes)};
}

std::vector<std::optional<std::size_t>> attachNotes(const std::vector<ReviewNote>& notes, const CheckResult& result) {
    std::vector<std::optional<std::size_t>> lemmas(notes.size());
    if (notes.empty()) {
        return lemmas;
    }
    Takers takers(result);
    for (const bool byTitle : {true, false}) {
        for (std::size_t n = 0; n < notes.size(); ++n) {
            if (!lemmas[n]) {
                lemmas[n] = takers.take(notes[n].lemma, byTitle);
            }
        }
    }
    return lemmas;
}

std::vector<ReviewNote> mergeNotes(std::vector<ReviewNote> notes, const std::vector<ReviewNote>& more) {
    std::map<std::tuple<std::string, std::string, std::vector<std::string>, std::vector<std::string>>, std::size_t> known;
    const auto key = [](const LemmaIdentity& lemma) { return std::tuple(lemma.digest, lemma.title, lemma.reference, lemma.rewritten); };
    for (std::size_t n = 0; n < notes.size(); ++n) {
        known.try_emplace(key(notes[n].lemma), n);
    }
    for (const ReviewNote& note : more) {
        const auto [at, added] = known.try_emplace(key(note.lemma), notes.size());
        if (added) {
            notes.push_back(note);
        } else if (note.time > notes[at->second].time) {
            notes[at->second] = note;
        }
    }
    return notes;
}

std::vector<ReviewNote> joinNotes(const std::vector<ReviewNote>& ours, const std::vector<ReviewNote>& before, const std::vector<ReviewNote>& inFile) {
    const auto key = [](const ReviewNote& note) {
        return std::tie(note.lemma.digest, note.lemma.title, note.lemma.reference, note.lemma.rewritten, note.time, note.text, note.reviewer);
    };
    std::set<decltype(key(ours.front()))> gone; // taken back, or written anew
    for (const ReviewNote& note : before) {
        gone.insert(key(note));
    }
    for (const ReviewNote& note : ours) {
        gone.erase(key(note));
    }
    std::vector<ReviewNote> others;
    std::copy_if(inFile.begin(), inFile.end(), std::back_inserter(others), [&](const ReviewNote& note) { return !gone.contains(key(note)); });
    return mergeNotes(ours, others);
}

std::optional<std::size_t> sameLemma(const CheckResult& before, std::size_t lemma, const CheckResult& now) {
    if (lemma >= before.lemmas.size()) {
        return std::nullopt;
    }
    // Those before it that say the same take theirs first.
    const LemmaIdentity wanted = identityOf(before, lemma);
    std::vector<ReviewNote> ahead;
    for (std::size_t k = 0; k < lemma; ++k) {
        const LemmaResult& entry = before.lemmas[k];
        if (entry.digest == wanted.digest && entry.kind == wanted.kind && entry.title == wanted.title) {
            ahead.push_back({.lemma = identityOf(before, k)});
        }
    }
    ahead.push_back({.lemma = wanted});
    return attachNotes(ahead, now).back();
}

std::shared_ptr<const LemmaList> makeLemmaList(std::shared_ptr<const CheckResult> result, LemmaSource source, std::vector<LemmaRegion> regions,
                                               std::vector<ReviewNote> notes) {
    auto list = std::make_shared<LemmaList>();
    list->result = std::move(result);
    list->source = source;
    list->regions = std::move(regions);
    list->notes = std::move(notes);
    if (!list->result) {
        for (std::size_t n = 0; n < list->notes.size(); ++n) {
            list->detached.push_back(n);
        }
        return list;
    }
    const std::size_t count = list->result->lemmas.size();
    list->noteOf.resize(count);
    list->regionOf.resize(count, 0);
    for (std::uint32_t r = 0; r < list->regions.size(); ++r) {
        for (const std::uint32_t lemma : list->regions[r].lemmas) {
            if (lemma < count) {
                list->regionOf[lemma] = r;
            }
        }
    }
    const auto attached = attachNotes(list->notes, *list->result);
    for (std::size_t n = 0; n < attached.size(); ++n) {
        if (attached[n]) {
            list->noteOf[*attached[n]] = n;
        } else {
            list->detached.push_back(n);
        }
    }
    return list;
}

} // namespace lemmascope
