#include "ui/jobs/pair_session.h"

#include "core/prove/correspondence.h"
#include "ui/jobs/background_free.h"
#include "ui/jobs/job_list_model.h"
#include "ui/models/message_model.h"
#include "ui/views/text.h"

#include <QFileInfo>
#include <QPointer>

#include <algorithm>
#include <future>
#include <utility>

namespace lemmascope {

namespace {

QString stageText(CheckProgress::Stage stage) {
    switch (stage) {
    case CheckProgress::Stage::Terms: return PairSession::tr("building terms");
    case CheckProgress::Stage::Pairing: return PairSession::tr("pairing");
    case CheckProgress::Stage::Deciding: return PairSession::tr("deciding lemmas");
    case CheckProgress::Stage::Refuting: return PairSession::tr("looking for a counterexample");
    case CheckProgress::Stage::Done: return PairSession::tr("done");
    }
    return {};
}

/// Both files at once: reading is mostly waiting.
template <typename T>
std::pair<Result<T>, Result<T>> both(const std::function<Result<T>()>& first, const std::function<Result<T>()>& second) {
    auto other = std::async(std::launch::async, second);
    Result<T> mine = first();
    return {std::move(mine), other.get()};
}

/// Graphviz for small regions; whatever goes wrong there (a worker that is missing, killed or slow) falls back to the layered
/// layout, which cannot fail.
PairLayouter focusLayouter(const Services& services) {
    if (!services.layoutFocus) {
        return services.layout;
    }
    return [dot = services.layoutFocus, layered = services.layout](const LayoutGraph& reference, const LayoutGraph& rewritten,
                                                                   std::stop_token stop) -> Result<JointLayout> {
        const auto place = [&](const LayoutGraph& graph) -> Result<Layout> {
            return graph.nodes.empty() ? Result<Layout>(Layout{}) : dot(graph, stop);
        };
        if (std::max(reference.nodes.size(), rewritten.nodes.size()) <= PairSession::LargestFocusRegion) {
            auto left = place(reference);
            if (left) {
                if (auto right = place(rewritten)) {
                    return JointLayout{std::move(*left), std::move(*right)};
                }
            }
        }
        return layered(reference, rewritten, stop);
    };
}

} // namespace

PairSession::PairSession(Services services, JobListModel* jobs, MessageModel* messages, QObject* parent)
    : QObject(parent), m_services(std::move(services)), m_messages(messages), m_load(tr("Open pair"), jobs), m_check(tr("Check"), jobs),
      m_recheck(tr("Check one lemma"), jobs), m_scenes(tr("Lay out"), jobs), m_inputs(tr("Read inputs"), jobs), m_export(tr("Export report"), jobs) {
    m_changeTimer.setSingleShot(true);
    m_changeTimer.setInterval(200);
    connect(&m_changeTimer, &QTimer::timeout, this, &PairSession::updateStale);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] {
        if (!m_changeTimer.isActive()) { // else a file that never rests would never count as changed
            m_changeTimer.start();
        }
    });
    connect(&m_check, &LatestJob::progressed, this, &PairSession::progressed);
    // The job list can stop a job behind our back.
    connect(&m_check, &LatestJob::stopped, this, [this] {
        if (m_state == State::Checking) {
            setState(State::Stopped);
        }
    });
    connect(&m_load, &LatestJob::stopped, this, &PairSession::stateChanged);
    connect(&m_recheck, &LatestJob::stopped, this, &PairSession::stateChanged);
    if (m_services.watchWorkers) {
        m_services.watchWorkers([this](const WorkerLoss& loss) {
            QMetaObject::invokeMethod(
                this, [this, loss] { Q_EMIT workerLost(loss); }, Qt::QueuedConnection);
        });
    }
}

PairSession::~PairSession() {
    if (m_services.watchWorkers) {
        m_services.watchWorkers(nullptr);
    }
}

Result<PairSession::Loaded> PairSession::loadPair(const Services& services, const std::filesystem::path& reference,
                                                  const std::filesystem::path& rewritten, const JobContext& context) {
    context.report({tr("reading both files"), 0, 0});
    Loaded loaded;
    Session& session = loaded.session;
    session.reference = reference;
    session.rewritten = rewritten;
    // Stamps before reading: a change while reading counts as one.
    session.referenceStamp = fileStamp(reference);
    session.rewrittenStamp = fileStamp(rewritten);
    using Tree = std::shared_ptr<const GraphTree>;
    const auto treeOf = [&services, &context](const std::filesystem::path& file) -> Result<Tree> {
        auto graph = services.load(file, context.stop);
        if (!graph) {
            Error error = graph.error();
            if (error.where.empty()) {
                error.where = file.string();
            }
            return tl::unexpected<Error>(std::move(error));
        }
        auto tree = GraphTree::build(*graph);
        if (!tree) {
            return tl::unexpected<Error>(Error{tree.error().code, tree.error().message, file.string()});
        }
        return freedInBackground(std::make_unique<const GraphTree>(std::move(*tree)));
    };
    auto [left, right] = both<Tree>([&] { return treeOf(reference); }, [&] { return treeOf(rewritten); });
    // Which of the two is at fault is said with its message: both files may have the same name.
    const auto refused = [](const QString& side, Error error) {
        error.message = toStdString(tr("%1 graph: %2").arg(side, toQString(error.message)));
        return tl::unexpected<Error>(std::move(error));
    };
    if (!left) {
        return refused(tr("reference"), left.error());
    }
    if (!right) {
        return refused(tr("rewritten"), right.error());
    }
    session.referenceTree = *left;
    session.rewrittenTree = *right;
    // Owned by way of the trees, whose memory is given back in the background.
    session.referenceGraph = {session.referenceTree, session.referenceTree->topShared().get()};
    session.rewrittenGraph = {session.rewrittenTree, session.rewrittenTree->topShared().get()};
    return loaded;
}

void PairSession::open(const std::filesystem::path& reference, const std::filesystem::path& rewritten) { load(reference, rewritten, {}); }

void PairSession::load(const std::filesystem::path& reference, const std::filesystem::path& rewritten, const Earlier& earlier) {
    // Read again, what is said of it is at hand, and newer than what was kept.
    const bool again = m_session.isOpen() && m_session.reference == reference && m_session.rewritten == rewritten;
    m_load.setName(tr("Open %1 and %2").arg(pathText(reference.filename()), pathText(rewritten.filename())));
    m_load.start<Loaded>(
        [services = m_services, reference, rewritten, earlier, recall = again ? Recall() : m_recall](const JobContext& context) {
            auto loaded = loadPair(services, reference, rewritten, context);
            if (loaded) {
                recallInto(*loaded, earlier, recall);
            }
            return loaded;
        },
        [this, reference, rewritten](Result<Loaded> loaded) {
            if (loaded) {
                adopt(std::move(*loaded));
                return;
            }
            m_messages->addError(tr("Opening the pair"), loaded.error());
            Q_EMIT openRefused(loaded.error());
            Q_EMIT openFailed(pathText(reference), pathText(rewritten), toQString(loaded.error().text()));
            Q_EMIT stateChanged();
        });
    Q_EMIT loadingStarted(pathText(reference), pathText(rewritten));
    Q_EMIT stateChanged();
}

void PairSession::adopt(Loaded loaded) {
    m_check.stop();
    m_recheck.stop();
    const CheckOptions options = m_session.options;
    const bool sameFiles = m_session.reference == loaded.session.reference && m_session.rewritten == loaded.session.rewritten;
    if (m_session.isOpen()) {
        Q_EMIT leaving();
    }
    const Session before = std::exchange(m_session, loaded.session);
    m_session.options = options;
    m_isReload = sameFiles && before.isOpen();
    if (!sameFiles) {
        // What another pair was asked about does not hold for this one; the strength wanted and the limits do.
        m_session.options.outputs.clear();
        m_session.options.mapped.clear();
        m_session.options.inputRanges.clear();
        m_session.options.realRanges.clear();
        m_session.options.sizes.clear();
        m_session.options.userInputs.clear();
    }
    m_session.options.assumedEqual = m_accepted[{m_session.reference, m_session.rewritten}];
    m_inputs.stop(); // they were meant for what was open
    m_correspondence.reset();
    m_focusLemma.reset();
    m_stale = false;
    if (m_isReload) {
        keepExpanded(before);
        m_earlier = m_shown.reference || m_shown.rewritten ? m_shown : m_earlier;
    } else {
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            m_sceneOptions.expanded[static_cast<std::size_t>(side)].clear();
            m_sceneOptions.collapsed[static_cast<std::size_t>(side)].clear();
        }
        m_sceneOptions.groupsStartOpen = false;
        m_sceneOptions.toggledGroups.clear();
        m_earlier = {};
    }
    if (loaded.earlier.saved) {
        takeEarlier(loaded, sameFiles ? m_lemmas->notes : std::vector<ReviewNote>{});
    } else if (sameFiles) {
        setLemmaSource(LemmaSource::Obsolete);
    } else {
        m_restored.reset();
        setLemmas(nullptr, LemmaSource::Current, {}, {});
    }
    m_shown = {};
    m_state = State::Checking; // said once, by check below: a state without its result must not be seen
    watchFiles();
    for (const auto& graph : {m_session.referenceTree, m_session.rewrittenTree}) {
        for (const std::string& note : graph->top().notes) {
            m_messages->addNote(pathText(graph == m_session.referenceTree ? m_session.reference : m_session.rewritten), toQString(note));
        }
    }
    Q_EMIT opened();
    startScenes();
    check(m_session.options);
}

void PairSession::reload() {
    if (m_session.isOpen()) {
        open(m_session.reference, m_session.rewritten);
    }
}

void PairSession::swapSides() {
    if (m_session.isOpen()) {
        open(m_session.rewritten, m_session.reference);
    }
}

void PairSession::close() {
    if (m_session.isOpen()) {
        Q_EMIT leaving();
    }
    m_load.stop();
    m_check.stop();
    m_recheck.stop();
    m_inputs.stop();
    m_scenes.stop();
    m_restored.reset();
    setLemmas(nullptr, LemmaSource::Current, {}, {});
    const CheckOptions options = m_session.options;
    m_session = Session{};
    m_isReload = false;
    m_shown = {};
    m_earlier = {};
    m_session.options.wanted = options.wanted;
    m_correspondence.reset();
    m_focusLemma.reset();
    m_stale = false;
    watchFiles();
    setState(State::Empty);
    Q_EMIT opened();
}

void PairSession::check(const CheckOptions& options) {
    m_session.options = options;
    if (!m_session.isOpen()) {
        return;
    }
    m_session.result.reset();
    m_recheck.stop();
    if (m_lemmas->source == LemmaSource::Current) {
        setLemmaSource(LemmaSource::Obsolete);
    }
    m_accepting = false;
    m_tryingInputs = false;
    const quint64 generation = ++m_checkGeneration;
    m_check.setName(tr("Check %1 against %2").arg(pathText(m_session.reference.filename()), pathText(m_session.rewritten.filename())));
    m_check.start<Checked>(
        [this, generation, services = m_services, options, reference = m_session.referenceGraph,
         rewritten = m_session.rewrittenGraph](const JobContext& context) -> Result<Checked> {
            CheckWatch watch;
            watch.progress = [&context](const CheckProgress& progress) {
                QString phase = stageText(progress.stage);
                if (!progress.current.empty()) {
                    phase += QStringLiteral(": ") + toQString(progress.current);
                }
                context.report({phase, progress.decided, progress.total});
            };
            watch.correspondence = [this, generation](const Correspondence& correspondence) {
                auto marks = freedInBackground(std::make_unique<const Correspondence>(correspondence));
                QMetaObject::invokeMethod(
                    this, [this, generation, marks] { takeCorrespondence(generation, marks); }, Qt::QueuedConnection);
            };
            return checkedOf(services.check(reference, rewritten, options, watch, context.stop));
        },
        [this](Result<Checked> result) {
            const bool accepting = std::exchange(m_accepting, false);
            if (!result && accepting && result.error().code == ErrorCode::BadData && !accepted().empty()) {
                m_messages->addError(tr("Accepting the lemma"), result.error());
                takeBack(accepted().size() - 1);
                return;
            }
            const bool trying = std::exchange(m_tryingInputs, false);
            if (!result && trying && result.error().code != ErrorCode::Cancelled) {
                m_messages->addError(tr("Trying the inputs"), result.error());
                CheckOptions without = m_session.options;
                without.userInputs.clear();
                check(without);
                return;
            }
            if (!result) {
                m_messages->addError(tr("The check"), result.error());
                setState(State::Failed);
                Q_EMIT checkFailed(toQString(result.error().text()));
                return;
            }
            takeResult(std::move(*result));
        });
    setState(State::Checking);
}

void PairSession::accept(const std::pair<std::string, std::string>& pair) {
    if (!m_session.isOpen() || std::find(accepted().begin(), accepted().end(), pair) != accepted().end()) {
        return;
    }
    CheckOptions options = m_session.options;
    options.assumedEqual.push_back(pair);
    m_accepted[{m_session.reference, m_session.rewritten}] = options.assumedEqual;
    check(options);
    m_accepting = true;
}

void PairSession::tryInputs(const std::vector<std::filesystem::path>& files) {
    using Tensors = std::vector<std::pair<std::string, Tensor>>;
    if (!m_session.isOpen() || !m_services.readTensors) {
        return;
    }
    m_inputs.start<Tensors>(
        [services = m_services, files](const JobContext& context) {
            context.report({tr("reading the tensors"), 0, 0});
            return services.readTensors(files, context.stop);
        },
        [this](Result<Tensors> tensors) {
            if (!tensors) {
                m_messages->addError(tr("Reading the inputs"), tensors.error());
                Q_EMIT stateChanged();
                return;
            }
            CheckOptions options = m_session.options;
            options.userInputs = std::move(*tensors);
            const bool any = !options.userInputs.empty();
            check(options);
            m_tryingInputs = any;
        });
}

void PairSession::takeBack(std::size_t accepted) {
    CheckOptions options = m_session.options;
    if (accepted < options.assumedEqual.size()) {
        options.assumedEqual.erase(options.assumedEqual.begin() + static_cast<std::ptrdiff_t>(accepted));
        m_accepted[{m_session.reference, m_session.rewritten}] = options.assumedEqual;
        check(options);
    }
}

void PairSession::takeCorrespondence(quint64 generation, std::shared_ptr<const Correspondence> correspondence) {
    if (generation != m_checkGeneration || !m_check.isRunning()) {
        return;
    }
    m_correspondence = std::move(correspondence);
    Q_EMIT correspondenceChanged();
    startScenes(); // partners now stand level
}

void PairSession::stop() {
    m_load.stop();
    m_export.stop();
    m_inputs.stop();
    m_recheck.stop();
    m_check.stop();
}

void PairSession::exportReport(const std::filesystem::path& folder, bool anonymous) {
    if (!m_session.result || !m_services.exportReport) {
        return;
    }
    ReportRequest request{m_session.result, m_session.reference, m_session.rewritten, folder, m_session.options, anonymous};
    using Notes = std::vector<std::string>;
    m_export.start<Notes>(
        [services = m_services, request](const JobContext& context) {
            context.report({tr("writing the report"), 0, 0});
            return services.exportReport(request, context.stop);
        },
        [this, folder](Result<Notes> written) {
            if (!written) {
                m_messages->addError(tr("Exporting the report"), written.error());
                Q_EMIT reportFailed(toQString(written.error().text()));
                return;
            }
            for (const std::string& note : *written) {
                m_messages->addNote(pathText(folder), toQString(note));
            }
            m_messages->addNote(pathText(folder), tr("The report was written. replay.sh there reproduces the verdict."));
            Q_EMIT reportWritten(pathText(folder));
        });
}

void PairSession::setMetrics(const SceneMetrics& metrics) {
    if (!(metrics == m_sceneOptions.metrics)) {
        m_sceneOptions.metrics = metrics;
        startScenes();
    }
}

void PairSession::setFocusOnDifference(bool on) {
    if (on != m_sceneOptions.focusOnDifference) {
        m_sceneOptions.focusOnDifference = on;
        Q_EMIT sceneOptionsChanged();
        startScenes();
    }
}

void PairSession::setContextHops(int hops) {
    hops = std::clamp(hops, 0, 20);
    if (hops != m_sceneOptions.contextHops) {
        m_sceneOptions.contextHops = hops;
        m_session.contextHops = hops;
        Q_EMIT sceneOptionsChanged();
        if (m_sceneOptions.focusOnDifference) {
            startScenes();
        }
    }
}

void PairSession::expand(Side side, FlatNodeId node, bool open) {
    auto& wanted = (open ? m_sceneOptions.expanded : m_sceneOptions.collapsed)[static_cast<std::size_t>(side)];
    auto& other = (open ? m_sceneOptions.collapsed : m_sceneOptions.expanded)[static_cast<std::size_t>(side)];
    std::erase(other, node);
    if (std::find(wanted.begin(), wanted.end(), node) == wanted.end()) {
        wanted.push_back(node);
    }
    Q_EMIT sceneOptionsChanged();
    startScenes();
}

void PairSession::restoreSceneOptions(SceneOptions options) {
    options.metrics = m_sceneOptions.metrics;
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const std::size_t count = tree(side) == nullptr ? 0 : tree(side)->nodeCount();
        for (auto* nodes : {&options.expanded[static_cast<std::size_t>(side)], &options.collapsed[static_cast<std::size_t>(side)]}) {
            std::erase_if(*nodes, [count](FlatNodeId node) { return node.index >= count; });
        }
    }
    if (!(options == m_sceneOptions)) {
        m_sceneOptions = std::move(options);
        m_session.contextHops = m_sceneOptions.contextHops;
        Q_EMIT sceneOptionsChanged();
        startScenes();
    }
}

void PairSession::setAccepted(const AcceptedPairs::mapped_type& pairs) {
    if (m_session.isOpen() && pairs != accepted()) {
        CheckOptions options = m_session.options;
        options.assumedEqual = pairs;
        m_accepted[{m_session.reference, m_session.rewritten}] = pairs;
        check(options);
    }
}

void PairSession::setFocusLemma(std::optional<std::size_t> lemma) {
    if (m_focusLemma != lemma) {
        m_focusLemma = lemma;
        if (m_sceneOptions.focusOnDifference) {
            startScenes();
        }
    }
}

std::vector<FlatNodeId> PairSession::differingNodes(Side side) const {
    std::vector<FlatNodeId> nodes;
    if (!m_correspondence) {
        return nodes;
    }
    const auto& relations = side == Side::Reference ? m_correspondence->reference : m_correspondence->rewritten;
    for (std::size_t i = 0; i < relations.size(); ++i) {
        switch (relations[i].mark) {
        case NodeMark::Changed:
        case NodeMark::Failing:
        case NodeMark::Undecided:
        case NodeMark::Only: nodes.emplace_back(i); break;
        case NodeMark::Shared:
        case NodeMark::Equal:
        case NodeMark::Accepted:
        case NodeMark::Dead: break;
        }
    }
    return nodes;
}

SideRequest PairSession::sideRequest(Side side) const {
    SideRequest request;
    request.tree = side == Side::Reference ? m_session.referenceTree : m_session.rewrittenTree;
    request.expanded = m_sceneOptions.expanded[static_cast<std::size_t>(side)];
    request.collapsed = m_sceneOptions.collapsed[static_cast<std::size_t>(side)];
    return request;
}

void PairSession::startScenes() {
    if (!m_session.isOpen()) {
        return;
    }
    SceneRequest request;
    request.reference = sideRequest(Side::Reference);
    request.rewritten = sideRequest(Side::Rewritten);
    request.correspondence = m_correspondence;
    request.metrics = m_sceneOptions.metrics;
    request.layouter = m_services.layout;
    request.groups = groupChoice();
    if (m_shown.groups && m_groupedBy == m_correspondence && m_groupedAs == request.groups.grouping) {
        request.knownGroups = m_shown.groups;
    }
    request.earlier[0] = m_earlier.reference;
    request.earlier[1] = m_earlier.rewritten;

    // Seeds of the focus region; partners come along, so that a side with no node of its own still shows the place.
    std::vector<FlatNodeId> seeds[2];
    if (m_sceneOptions.focusOnDifference && m_correspondence) {
        seeds[0] = differingNodes(Side::Reference);
        seeds[1] = differingNodes(Side::Rewritten);
        if (m_focusLemma && m_session.result && *m_focusLemma < m_session.result->lemmas.size()) {
            const LemmaResult& lemma = m_session.result->lemmas[*m_focusLemma];
            if (!lemma.referenceNodes.empty() || !lemma.rewrittenNodes.empty()) {
                seeds[0] = lemma.referenceNodes;
                seeds[1] = lemma.rewrittenNodes;
            }
        }
        const auto addPartners = [this](const std::vector<NodeRelation>& relations, const std::vector<FlatNodeId>& from,
                                        std::vector<FlatNodeId>& to) {
            for (const FlatNodeId node : from) {
                if (node.index < relations.size() && relations[node.index].partner.isValid()) {
                    to.push_back(relations[node.index].partner);
                }
            }
        };
        const std::vector<FlatNodeId> own = seeds[0];
        addPartners(m_correspondence->rewritten, seeds[1], seeds[0]);
        addPartners(m_correspondence->reference, own, seeds[1]);
        // All that differs may be on one side: the other shows the place where it went.
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            const auto& mine = seeds[static_cast<std::size_t>(side)];
            auto& theirs = seeds[1 - static_cast<std::size_t>(side)];
            if (theirs.empty() && !mine.empty()) {
                if (const FlatNodeId there = takenUpBy(*tree(side), *m_correspondence, side, mine.front()); there.isValid()) {
                    theirs.push_back(there);
                }
            }
        }
    }
    const bool focus = !seeds[0].empty() || !seeds[1].empty();
    if (focus && m_services.layout) {
        request.layouter = focusLayouter(m_services);
    }
    const auto hops = static_cast<std::size_t>(m_sceneOptions.contextHops);
    m_scenes.start<ScenePair>(
        [request, focus, hops, left = seeds[0], right = seeds[1]](const JobContext& context) mutable {
            if (focus) {
                context.report({tr("choosing the region"), 0, 0});
                constexpr std::size_t Limit = 5'000;
                request.reference.only = neighbourhood(*request.reference.tree, left, hops, Limit);
                request.rewritten.only = neighbourhood(*request.rewritten.tree, right, hops, Limit);
            }
            context.report({tr("placing nodes"), 0, 0});
            Result<ScenePair> scenes = buildScenes(request, context.stop);
            if (scenes) {
                scenes->reference = freedInBackground(std::move(scenes->reference));
                scenes->rewritten = freedInBackground(std::move(scenes->rewritten));
            }
            return scenes;
        },
        [this, correspondence = m_correspondence, grouping = request.groups.grouping](Result<ScenePair> scenes) {
            if (!scenes) {
                m_messages->addError(tr("Laying out the graphs"), scenes.error());
                return;
            }
            m_shown = *scenes;
            m_groupedBy = correspondence;
            m_groupedAs = grouping;
            Q_EMIT scenesChanged(*scenes);
        });
}

void PairSession::setState(State state) {
    m_state = state;
    Q_EMIT stateChanged();
}

void PairSession::watchFiles() {
    if (!m_watcher.files().isEmpty()) {
        m_watcher.removePaths(m_watcher.files());
    }
    if (m_session.isOpen()) {
        m_watcher.addPaths({pathText(m_session.reference), pathText(m_session.rewritten)});
    }
}

void PairSession::updateStale() {
    watchFiles(); // a file that was replaced by another is no longer watched
    const bool stale = m_session.isStale();
    if (stale != m_stale) {
        m_stale = stale;
        if (m_session.result) {
            setLemmaSource(stale ? LemmaSource::Obsolete : LemmaSource::Current);
        }
        Q_EMIT stateChanged();
    }
}

} // namespace lemmascope
