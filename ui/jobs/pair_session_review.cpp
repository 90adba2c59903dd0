// The review side of PairSession: the list of lemmas with its notes, what is remembered of a pair, and one lemma asked again.

#include "ui/jobs/pair_session.h"

#include "ui/jobs/background_free.h"
#include "ui/jobs/job_list_model.h"
#include "ui/models/message_model.h"
#include "ui/views/text.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

namespace lemmascope {

namespace {

/// Limits as a pair remembers them; what it was asked stays.
void takeLimits(CheckOptions& options, const CheckOptions& limits) {
    options.timeSeconds = limits.timeSeconds;
    options.lemmaSteps = limits.lemmaSteps;
    options.jobs = limits.jobs;
    options.seed = limits.seed;
    options.specialValues = limits.specialValues;
}

std::vector<FlatNodeId> nodesAt(const GraphTree& tree, const std::vector<std::string>& paths) {
    std::vector<FlatNodeId> nodes;
    if (paths.empty()) {
        return nodes;
    }
    std::unordered_map<std::string, FlatNodeId> known;
    for (std::size_t n = 0; n < tree.nodeCount(); ++n) {
        known.try_emplace(tree.path(FlatNodeId(n)), FlatNodeId(n));
    }
    for (const std::string& path : paths) {
        if (const auto at = known.find(path); at != known.end()) {
            nodes.push_back(at->second);
        }
    }
    return nodes;
}

std::int64_t nanoseconds(const FileStamp& stamp) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::file_clock::to_sys(stamp.time).time_since_epoch()).count();
}

} // namespace

Result<PairSession::Checked> PairSession::checkedOf(Result<CheckResult> result) {
    if (!result) {
        return tl::unexpected<Error>(result.error());
    }
    Checked checked;
    checked.result = freedInBackground(std::make_unique<const CheckResult>(std::move(*result)));
    checked.regions = lemmaRegions(*checked.result);
    return checked;
}

void PairSession::takeResult(Checked checked) {
    m_session.result = std::move(checked.result);
    if (m_session.result->reference && m_session.result->rewritten) {
        m_session.referenceTree = {m_session.result, m_session.result->reference.get()};
        m_session.rewrittenTree = {m_session.result, m_session.result->rewritten.get()};
    }
    m_correspondence = std::shared_ptr<const Correspondence>(m_session.result, &m_session.result->correspondence);
    setLemmas(m_session.result, m_stale ? LemmaSource::Obsolete : LemmaSource::Current, std::move(checked.regions), m_lemmas->notes);
    setState(State::Decided);
    startScenes();
}

void PairSession::setLemmas(std::shared_ptr<const CheckResult> result, LemmaSource source, std::vector<LemmaRegion> regions,
                            std::vector<ReviewNote> notes) {
    m_lemmas = makeLemmaList(std::move(result), source, std::move(regions), std::move(notes));
    Q_EMIT lemmasChanged();
}

void PairSession::setLemmaSource(LemmaSource source) {
    if (m_lemmas->source != source && m_lemmas->result) {
        setLemmas(m_lemmas->result, source, m_lemmas->regions, m_lemmas->notes);
    }
}

void PairSession::review(std::size_t lemma, const std::string& text, const std::string& reviewer, std::int64_t time) {
    if (!m_lemmas->result || lemma >= m_lemmas->result->lemmas.size()) {
        return;
    }
    const LemmaResult& entry = m_lemmas->result->lemmas[lemma];
    const ReviewNote note{identityOf(*m_lemmas->result, lemma), entry.id, entry.verdict, text, reviewer, time};
    std::vector<ReviewNote> all = m_lemmas->notes;
    if (const auto at = m_lemmas->noteOf[lemma]) {
        all[*at] = note;
    } else {
        all.push_back(note);
    }
    setLemmas(m_lemmas->result, m_lemmas->source, m_lemmas->regions, std::move(all));
}

void PairSession::keepNote(const ReviewNote& note) {
    std::vector<ReviewNote> all = m_lemmas->notes;
    const auto at = std::find_if(all.begin(), all.end(), [&note](const ReviewNote& known) { return known.lemma == note.lemma; });
    if (at != all.end()) {
        *at = note;
    } else {
        all.push_back(note);
    }
    setLemmas(m_lemmas->result, m_lemmas->source, m_lemmas->regions, std::move(all));
}

void PairSession::removeNote(std::size_t note) {
    std::vector<ReviewNote> all = m_lemmas->notes;
    if (note < all.size()) {
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(note));
        setLemmas(m_lemmas->result, m_lemmas->source, m_lemmas->regions, std::move(all));
    }
}

void PairSession::recheck(std::size_t lemma, bool counterexample) {
    if (!m_session.result || lemma >= m_session.result->lemmas.size() || m_state != State::Decided) {
        return;
    }
    if (!m_services.recheck) {
        check(m_session.options);
        return;
    }
    const LemmaResult& entry = m_session.result->lemmas[lemma];
    m_recheck.setName(counterexample ? tr("Look for a counterexample to %1").arg(toQString(entry.id)) : tr("Check %1").arg(toQString(entry.id)));
    const RecheckRequest request{entry.digest, counterexample};
    m_recheck.start<Checked>(
        [request, services = m_services, options = m_session.options, reference = m_session.referenceGraph,
         rewritten = m_session.rewrittenGraph](const JobContext& context) -> Result<Checked> {
            CheckWatch watch;
            watch.progress = [&context](const CheckProgress& progress) {
                context.report({toQString(progress.current), progress.decided, progress.total});
            };
            watch.correspondence = [](const Correspondence&) {};
            return checkedOf(services.recheck(reference, rewritten, request, options, watch, context.stop));
        },
        [this, lemma, counterexample](Result<Checked> checked) {
            if (!checked) {
                m_messages->addError(counterexample ? tr("Looking for a counterexample") : tr("Checking the lemma"), checked.error());
                Q_EMIT stateChanged();
                return;
            }
            const auto before = m_session.result;
            takeResult(std::move(*checked));
            Q_EMIT rechecked(before ? sameLemma(*before, lemma, *m_session.result) : std::nullopt, counterexample);
        });
    Q_EMIT stateChanged();
}

void PairSession::setLimits(const CheckOptions& limits) {
    takeLimits(m_session.options, limits);
    Q_EMIT lemmasChanged(); // what is saved has changed
}

void PairSession::restore(std::shared_ptr<const SavedSession> saved, bool sameFiles) {
    const auto reference = saved->reference.file;
    const auto rewritten = saved->rewritten.file;
    load(reference, rewritten, {std::move(saved), true, sameFiles});
}

void PairSession::recallInto(Loaded& loaded, const Earlier& earlier, const Recall& recall) {
    loaded.earlier = earlier;
    const auto known = recall ? recall(loaded.session.reference, loaded.session.rewritten) : nullptr;
    if (!earlier.saved) {
        loaded.earlier.saved = known;
    } else if (known) {
        // What was said of the pair since that session was saved is not lost by opening it.
        auto merged = std::make_shared<SavedSession>(*earlier.saved);
        merged->notes = mergeNotes(std::move(merged->notes), known->notes);
        loaded.earlier.saved = std::move(merged);
    }
    if (loaded.earlier.whole && earlier.saved && earlier.saved->verdict) {
        loaded.stored =
            std::make_shared<const CheckResult>(restoredResult(*earlier.saved->verdict, loaded.session.referenceTree, loaded.session.rewrittenTree));
        loaded.storedRegions = lemmaRegions(*loaded.stored);
    }
}

void PairSession::takeEarlier(const Loaded& loaded, const std::vector<ReviewNote>& openNotes) {
    const SavedSession& saved = *loaded.earlier.saved;
    if (!loaded.earlier.whole) {
        m_restored.reset();
        takeLimits(m_session.options, saved.options);
        setLemmas(nullptr, LemmaSource::Current, {}, saved.notes);
        return;
    }
    m_restored = loaded.earlier.saved;
    m_session.options = saved.options;
    m_accepted[{m_session.reference, m_session.rewritten}] = saved.options.assumedEqual;
    const SavedView& view = saved.view;
    m_sceneOptions.focusOnDifference = view.focus;
    m_sceneOptions.contextHops = view.contextHops;
    m_session.contextHops = view.contextHops;
    m_sceneOptions.groupsStartOpen = view.groupsOpen;
    m_sceneOptions.toggledGroups = {view.groups.begin(), view.groups.end()};
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto at = static_cast<std::size_t>(side);
        m_sceneOptions.expanded[at] = nodesAt(*tree(side), view.expanded[at]);
        m_sceneOptions.collapsed[at] = nodesAt(*tree(side), view.collapsed[at]);
    }
    setLemmas(loaded.stored, loaded.earlier.sameFiles ? LemmaSource::Session : LemmaSource::Obsolete, loaded.storedRegions,
              mergeNotes(saved.notes, openNotes));
}

std::function<SavedSession()> PairSession::snapshot() const {
    SavedSession saved;
    saved.reference.file = m_session.reference;
    saved.rewritten.file = m_session.rewritten;
    for (const auto& [graph, stamp] :
         {std::pair{&saved.reference, m_session.referenceStamp}, std::pair{&saved.rewritten, m_session.rewrittenStamp}}) {
        graph->size = stamp ? stamp->size : 0;
        graph->time = stamp ? nanoseconds(*stamp) : 0;
    }
    saved.options = m_session.options;
    saved.options.userInputs.clear();
    // Of verdicts that were restored the counterexample is not at hand, which the line speaks of.
    const std::string line = m_restored && m_restored->verdict && m_lemmas->source != LemmaSource::Current && !m_session.result
                                 ? m_restored->verdict->line
                                 : std::string();
    saved.notes = m_lemmas->notes;
    saved.view.focus = m_sceneOptions.focusOnDifference;
    saved.view.contextHops = m_sceneOptions.contextHops;
    saved.view.groupsOpen = m_sceneOptions.groupsStartOpen;
    saved.view.groups = {m_sceneOptions.toggledGroups.begin(), m_sceneOptions.toggledGroups.end()};
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto at = static_cast<std::size_t>(side);
        for (const auto& [nodes, paths] : {std::pair{&m_sceneOptions.expanded[at], &saved.view.expanded[at]},
                                           std::pair{&m_sceneOptions.collapsed[at], &saved.view.collapsed[at]}}) {
            for (const FlatNodeId node : *nodes) {
                if (tree(side) != nullptr && node.index < tree(side)->nodeCount()) {
                    paths->push_back(tree(side)->path(node));
                }
            }
        }
    }
    return [saved = std::move(saved), result = m_lemmas->result, line] {
        SavedSession whole = saved;
        if (result) {
            whole.verdict = savedVerdict(*result);
            whole.verdict->line = line.empty() ? whole.verdict->line : line;
        }
        return whole;
    };
}

} // namespace lemmascope
