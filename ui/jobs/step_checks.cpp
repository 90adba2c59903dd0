#include "ui/jobs/step_checks.h"

#include "ui/jobs/job_list_model.h"
#include "ui/models/message_model.h"
#include "ui/views/text.h"

#include <algorithm>
#include <system_error>

namespace lemmascope {

namespace {

Result<std::vector<PipelineStep>> listSteps(std::vector<std::filesystem::path> graphs) {
    std::error_code unknown;
    if (graphs.size() == 1 && std::filesystem::is_directory(graphs.front(), unknown)) {
        const std::filesystem::path folder = graphs.front();
        Result<std::vector<std::filesystem::path>> files = graphFilesOf(folder);
        if (!files) {
            return tl::unexpected<Error>(files.error());
        }
        if (files->size() < 2) {
            return fail(ErrorCode::Usage, toStdString(StepChecks::tr("graphs in the folder: %1; steps need two or more").arg(files->size())),
                        folder.string());
        }
        graphs = std::move(*files);
    }
    if (graphs.size() < 2) {
        return fail(ErrorCode::Usage, toStdString(StepChecks::tr("steps need two graphs or more")), graphs.empty() ? "" : graphs.front().string());
    }
    return stepsOf(graphs);
}

StepState decided(StepState state, const CheckResult& result) {
    state.stage = StepState::Stage::Decided;
    state.verdict = result.verdict;
    state.strength = result.strength;
    state.assuming = !result.assumed.empty();
    state.line = toQString(verdictLine(result));
    return state;
}

/// Reads graphs in the order of the steps; the one that two steps share is read once.
class Reader {
  public:
    Reader(const Services& services, const JobContext& context) : m_services(services), m_context(context) {}
    Result<std::shared_ptr<const Graph>> read(const std::filesystem::path& file) {
        if (file != m_file || !m_graph) {
            m_graph = nullptr;
            Result<std::shared_ptr<const Graph>> graph = m_services.load(file, m_context.stop);
            if (!graph) {
                Error error = graph.error();
                error.where = error.where.empty() ? file.string() : error.where;
                return tl::unexpected<Error>(std::move(error));
            }
            m_file = file;
            m_graph = *graph;
        }
        return m_graph;
    }

  private:
    const Services& m_services;
    const JobContext& m_context;
    std::filesystem::path m_file;
    std::shared_ptr<const Graph> m_graph;
};

} // namespace

StepChecks::StepChecks(Services services, JobListModel* jobs, MessageModel* messages, QObject* parent)
    : QObject(parent), m_services(std::move(services)), m_messages(messages), m_list(tr("Open steps"), jobs), m_check(tr("Check steps"), jobs) {
    connect(&m_check, &LatestJob::stopped, this, [this] {
        for (std::size_t i = 0; i < m_steps.size(); ++i) {
            if (m_steps[i].stage == StepState::Stage::Waiting || m_steps[i].stage == StepState::Stage::Running) {
                m_steps[i].stage = StepState::Stage::Stopped;
                Q_EMIT stepChanged(i);
            }
        }
    });
}

StepChecks::~StepChecks() = default;

void StepChecks::open(const std::vector<std::filesystem::path>& graphs, const CheckOptions& options) {
    m_list.start<std::vector<PipelineStep>>(
        [graphs](const JobContext& context) {
            context.report({tr("listing the graphs"), 0, 0});
            return listSteps(graphs);
        },
        [this, options](Result<std::vector<PipelineStep>> steps) {
            if (steps) {
                adopt(std::move(*steps), options);
            } else {
                m_messages->addError(tr("Opening the steps"), steps.error());
                Q_EMIT openFailed(steps.error());
            }
        });
}

void StepChecks::adopt(std::vector<PipelineStep> steps, const CheckOptions& options) {
    m_check.stop();
    m_steps.clear();
    for (PipelineStep& step : steps) {
        m_steps.push_back({.step = std::move(step)});
    }
    Q_EMIT opened();
    check(options, {});
}

void StepChecks::stop() {
    m_list.stop();
    m_check.stop();
}

void StepChecks::close() {
    m_list.stop();
    ++m_generation;
    if (!m_steps.empty()) {
        m_steps.clear();
        m_check.stop();
        Q_EMIT opened();
    }
}

void StepChecks::check(const CheckOptions& options, const AcceptedPairs& accepted) {
    if (m_steps.empty()) {
        return;
    }
    const quint64 generation = ++m_generation;
    m_check.stop();
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        m_steps[i] = {.step = m_steps[i].step};
        Q_EMIT stepChanged(i);
    }
    m_taken.assign(m_steps.size(), false);
    std::vector<PipelineStep> steps;
    for (const StepState& state : m_steps) {
        steps.push_back(state.step);
    }
    const auto tell = [this, generation](std::size_t step, const StepState& state) {
        QMetaObject::invokeMethod(
            this, [this, generation, step, state] { set(generation, step, state); }, Qt::QueuedConnection);
    };
    m_check.start<bool>(
        [services = m_services, steps, options, accepted, tell](const JobContext& context) -> Result<bool> {
            Reader reader(services, context);
            for (std::size_t i = 0; i < steps.size() && !context.stop.stop_requested(); ++i) {
                const PipelineStep& step = steps[i];
                context.report({tr("%1: %2").arg(toQString(step.name), pathText(step.rewritten.filename())), i, steps.size()});
                tell(i, {.stage = StepState::Stage::Running, .step = step});
                const Result<std::shared_ptr<const Graph>> reference = reader.read(step.reference);
                const Result<std::shared_ptr<const Graph>> rewritten = reference ? reader.read(step.rewritten) : reference;
                CheckWatch watch;
                watch.correspondence = [](const Correspondence&) {};
                watch.progress = [&](const CheckProgress& progress) {
                    const QString graph = pathText(step.rewritten.filename());
                    context.report({tr("%1: %2  %3").arg(toQString(step.name), graph, toQString(progress.current)), i, steps.size()});
                };
                CheckOptions asked = options;
                asked.assumedEqual.clear();
                asked.keepText = false;
                if (const auto at = accepted.find({step.reference, step.rewritten}); at != accepted.end()) {
                    asked.assumedEqual = at->second;
                }
                const Result<CheckResult> result = rewritten ? services.check(*reference, *rewritten, asked, watch, context.stop)
                                                             : Result<CheckResult>(tl::unexpected<Error>(rewritten.error()));
                if (result) {
                    tell(i, decided({.step = step}, *result));
                } else if (!context.stop.stop_requested()) {
                    tell(i, {.stage = StepState::Stage::Failed, .step = step, .line = toQString(result.error().text())});
                }
            }
            return true;
        },
        [](const Result<bool>&) {});
}

void StepChecks::set(quint64 generation, std::size_t step, const StepState& state) {
    if (generation != m_generation || step >= m_steps.size()) {
        return;
    }
    if (m_steps[step].stage != StepState::Stage::Stopped && !m_taken[step]) {
        m_steps[step] = state;
        Q_EMIT stepChanged(step);
    }
}

void StepChecks::take(std::size_t step, const CheckResult& result) {
    if (step < m_steps.size()) {
        m_taken[step] = true;
        m_steps[step] = decided({.step = m_steps[step].step}, result);
        Q_EMIT stepChanged(step);
    }
}

std::optional<std::size_t> StepChecks::indexOf(const std::filesystem::path& reference, const std::filesystem::path& rewritten) const {
    const auto at = std::find_if(m_steps.begin(), m_steps.end(),
                                 [&](const StepState& state) { return state.step.reference == reference && state.step.rewritten == rewritten; });
    return at == m_steps.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - m_steps.begin()));
}

std::optional<std::size_t> StepChecks::firstNotProved() const {
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        switch (m_steps[i].stage) {
        case StepState::Stage::Decided:
            if (m_steps[i].verdict != Verdict::Proved) {
                return i;
            }
            break;
        case StepState::Stage::Failed: return i;
        case StepState::Stage::Waiting:
        case StepState::Stage::Running:
        case StepState::Stage::Stopped: return std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace lemmascope
