#include "ui/jobs/program_session.h"

#include "ui/jobs/background_free.h"
#include "ui/jobs/job_list_model.h"
#include "ui/models/message_model.h"
#include "ui/views/text.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace lemmascope {

std::size_t ComparedPrograms::firstOutput() const {
    std::size_t first = 0;
    for (std::size_t i = 1; i < maps.size(); ++i) {
        first = maps[i]->familyState() > maps[first]->familyState() ? i : first;
    }
    return first;
}

ProgramSession::ProgramSession(PairLayouter layout, JobListModel* jobs, MessageModel* messages, QObject* parent)
    : QObject(parent), m_layout(std::move(layout)), m_messages(messages), m_load(tr("Open programs"), jobs), m_check(tr("Check programs"), jobs),
      m_storyJob(tr("Look up a cell"), jobs), m_scheduleJob(tr("Run the schedule"), jobs), m_export(tr("Export report"), jobs),
      m_save(tr("Save session"), jobs) {
    m_changeTimer.setSingleShot(true);
    m_changeTimer.setInterval(200);
    connect(&m_changeTimer, &QTimer::timeout, this, [this] {
        watchFiles(); // a file that was replaced by another is no longer watched
        const bool stale = isOpen() && (fileStamp(m_referenceFile) != m_referenceStamp || fileStamp(m_rewrittenFile) != m_rewrittenStamp);
        if (stale != m_stale) {
            m_stale = stale;
            Q_EMIT stateChanged();
        }
    });
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] {
        if (!m_changeTimer.isActive()) {
            m_changeTimer.start();
        }
    });
    connect(&m_check, &LatestJob::progressed, this, &ProgramSession::progressed);
    connect(&m_check, &LatestJob::stopped, this, [this] {
        if (m_state == State::Checking) {
            setState(State::Stopped);
        }
    });
    connect(&m_load, &LatestJob::stopped, this, &ProgramSession::stateChanged);
}

ProgramSession::~ProgramSession() = default;

bool ProgramSession::isProgram(const std::filesystem::path& file) {
    const QString name = pathText(file.filename());
    return name.endsWith(QStringLiteral(".mlir"), Qt::CaseInsensitive) || name.endsWith(QStringLiteral(".mlirbc"), Qt::CaseInsensitive);
}

Result<ProgramSession::Loaded> ProgramSession::load(const ProgramServices& services, const std::filesystem::path& reference,
                                                    const std::filesystem::path& rewritten, const Question& question, const JobContext& context) {
    context.report({tr("reading both files"), 0, 0});
    Loaded loaded;
    loaded.referenceStamp = fileStamp(reference);
    loaded.rewrittenStamp = fileStamp(rewritten);
    const auto read = [&](const std::filesystem::path& file, const ProgramSizes& sizes) -> Result<ProgramFile> {
        if (!isProgram(file)) {
            return fail(ErrorCode::Usage, toStdString(tr("a graph cannot be compared with a program: give two .mlir files, or two graphs")),
                        file.string());
        }
        if (!services.load || !services.compare) {
            return fail(ErrorCode::Unsupported, toStdString(tr("this program was built without the MLIR reader")), file.string());
        }
        auto program = services.load(file, question.program, sizes, context.stop);
        if (!program && program.error().where.empty()) {
            Error error = program.error();
            error.where = file.string();
            return tl::unexpected<Error>(std::move(error));
        }
        return program;
    };
    Result<ProgramFile> left = read(reference, question.sizes);
    // Sizes name arguments of the reference; the rewritten program may call them otherwise.
    Result<ProgramFile> right =
        left ? read(rewritten, left->program ? sizesByPosition(question.sizes, *left->program) : question.sizes) : Result<ProgramFile>(ProgramFile());
    for (const auto& [side, result] : {std::pair{tr("reference"), &left}, std::pair{tr("rewritten"), &right}}) {
        if (!*result) {
            Error error = result->error();
            error.message = toStdString(tr("%1 program: %2").arg(side, toQString(error.message)));
            return tl::unexpected<Error>(std::move(error));
        }
    }
    loaded.pair = {reference.string(), rewritten.string(), std::move(left->text), std::move(right->text), left->program, right->program};
    loaded.files = std::make_shared<const Files>(Files{std::move(*left), std::move(*right)});
    context.report({tr("comparing the texts"), 0, 0});
    loaded.diff = std::make_shared<const ProgramDiff>(diffPrograms(loaded.pair.referenceText, loaded.pair.rewrittenText));
    return loaded;
}

void ProgramSession::open(const std::filesystem::path& reference, const std::filesystem::path& rewritten) {
    CheckOptions options = m_options;
    ProgramOptions program = m_program;
    const bool same = reference == m_referenceFile && rewritten == m_rewrittenFile;
    const bool swapped = reference == m_rewrittenFile && rewritten == m_referenceFile;
    if (m_next) {
        program = m_next->program;
        options.sizes = m_next->sizes;
        options.wanted = program.fingerprint ? Strength::Probable : options.wanted;
        options.outputs.clear();
        m_next.reset();
    } else if (!same && !swapped) { // what another pair was asked does not hold for this one
        program = {};
        options.sizes.clear();
        options.outputs.clear();
    }
    openWith(reference, rewritten, program, options);
}

void ProgramSession::openWith(const std::filesystem::path& reference, const std::filesystem::path& rewritten, const ProgramOptions& program,
                              const CheckOptions& options) {
    m_load.setName(tr("Open %1 and %2").arg(pathText(reference.filename()), pathText(rewritten.filename())));
    m_load.start<Loaded>([services = m_services, reference, rewritten, question = Question{program, options.sizes}](
                             const JobContext& context) { return load(services, reference, rewritten, question, context); },
                         [this, reference, rewritten, program, options](Result<Loaded> loaded) {
                             if (loaded) {
                                 m_options = options;
                                 m_program = program;
                                 adopt(std::move(*loaded), reference, rewritten);
                                 return;
                             }
                             m_messages->addError(tr("Opening the programs"), loaded.error());
                             Q_EMIT openRefused(loaded.error());
                             Q_EMIT stateChanged();
                         });
    Q_EMIT loadingStarted(pathText(reference), pathText(rewritten));
    Q_EMIT stateChanged();
}

void ProgramSession::restore(const SavedSession& session, bool sameFiles) {
    CheckOptions options = m_options;
    options.wanted = session.options.wanted;
    options.sizes = session.options.sizes;
    options.outputs = session.options.outputs;
    if (!sameFiles) {
        m_messages->addNote(pathText(session.reference.file),
                            tr("The programs are not those that the session was saved with: they are checked as they are."));
    }
    openWith(session.reference.file, session.rewritten.file, session.program, options);
}

void ProgramSession::adopt(Loaded loaded, const std::filesystem::path& reference, const std::filesystem::path& rewritten) {
    m_check.stop();
    m_referenceFile = reference;
    m_rewrittenFile = rewritten;
    m_referenceStamp = loaded.referenceStamp;
    m_rewrittenStamp = loaded.rewrittenStamp;
    m_files = std::move(loaded.files);
    m_pair = std::move(loaded.pair);
    m_diff = std::move(loaded.diff);
    m_stale = false;
    clearFindings();
    watchFiles();
    for (const auto& [file, program] : {std::pair{&reference, &m_pair.reference}, std::pair{&rewritten, &m_pair.rewritten}}) {
        for (const std::string& note : *program ? (*program)->notes : std::vector<std::string>()) {
            m_messages->addNote(pathText(*file), toQString(note));
        }
    }
    m_state = State::Checking; // said once, by check below
    Q_EMIT opened();
    check(m_options);
}

void ProgramSession::clearFindings() {
    m_storyJob.stop();
    m_scheduleJob.stop();
    m_compared.reset();
    m_story.reset();
    m_schedule.reset();
    m_trouble.clear();
}

void ProgramSession::reload() {
    if (isOpen()) {
        open(m_referenceFile, m_rewrittenFile);
    }
}

void ProgramSession::swapSides() {
    if (isOpen()) {
        open(m_rewrittenFile, m_referenceFile);
    }
}

void ProgramSession::close() {
    m_load.stop();
    m_check.stop();
    const bool was = isOpen();
    const Strength wanted = m_options.wanted;
    m_files.reset();
    m_pair = {};
    m_program = {};
    m_options = {};
    m_options.wanted = wanted;
    m_diff.reset();
    clearFindings();
    m_referenceFile.clear();
    m_rewrittenFile.clear();
    m_stale = false;
    watchFiles();
    m_state = State::Empty;
    if (was) {
        Q_EMIT opened();
        Q_EMIT storyChanged();
        Q_EMIT scheduleChanged();
        Q_EMIT stateChanged();
    }
}

void ProgramSession::check(const CheckOptions& options) {
    m_options = options;
    if (!isOpen()) {
        return;
    }
    clearFindings();
    Q_EMIT storyChanged();
    Q_EMIT scheduleChanged();
    m_check.setName(tr("Check %1 against %2").arg(pathText(m_referenceFile.filename()), pathText(m_rewrittenFile.filename())));
    using Compared = std::shared_ptr<const ComparedPrograms>;
    m_check.start<Compared>(
        [services = m_services, options, program = m_program, files = m_files, diff = m_diff](const JobContext& context) -> Result<Compared> {
            context.report({tr("running both programs"), 0, 0});
            CheckWatch watch;
            watch.progress = [&context](const CheckProgress& progress) {
                QString phase = progress.total == 0 ? tr("running both programs") : tr("deciding cells");
                if (!progress.current.empty()) {
                    phase += QStringLiteral(": ") + toQString(progress.current);
                }
                context.report({phase, progress.decided, progress.total});
            };
            auto compared = services.compare(files->reference, files->rewritten, program, options, watch, context.stop);
            if (!compared) {
                return tl::unexpected<Error>(compared.error());
            }
            context.report({tr("drawing the maps"), 0, 0});
            auto made = std::make_unique<ComparedPrograms>();
            made->result = freedInBackground(std::make_shared<const CheckResult>(compared->result));
            if (compared->comparison == nullptr) { // decided as graphs, or not run at all: a verdict alone
                auto bare = std::make_shared<interp::ProgramComparison>();
                bare->result = std::move(compared->result);
                compared->comparison = std::move(bare);
            }
            made->comparison = freedInBackground(std::move(compared->comparison));
            for (std::size_t i = 0; i < made->comparison->outputs.size(); ++i) {
                made->maps.push_back(std::make_shared<const OutputMap>(made->comparison, i));
            }
            auto marked = std::make_shared<ProgramDiff>(*diff);
            markFailing(*marked, *made->comparison);
            made->diff = std::move(marked);
            const auto ended = [](const interp::RunResult& run) { return run.end == interp::RunResult::End::Finished; };
            made->troubled = !ended(made->comparison->reference) && ended(made->comparison->rewritten) ? Side::Reference : Side::Rewritten;
            return Compared(std::move(made));
        },
        [this](Result<Compared> result) {
            if (!result) {
                m_messages->addError(tr("The check"), result.error());
                m_trouble = toQString(result.error().text());
                setState(State::Failed);
                return;
            }
            m_compared = std::move(*result);
            m_diff = m_compared->diff;
            setState(State::Decided);
            if (!m_compared->maps.empty()) {
                const std::size_t output = m_compared->firstOutput();
                chooseCell(output, m_compared->maps[output]->first());
            }
            showSchedule(m_compared->troubled);
        });
    setState(State::Checking);
}

void ProgramSession::ask(const ProgramOptions& program, const ProgramSizes& sizes) {
    if (!isOpen() || (program == m_program && sizes == m_options.sizes && !isLoading())) {
        return;
    }
    CheckOptions options = m_options;
    options.sizes = sizes;
    if (program.fingerprint != m_program.fingerprint) { // as `--fingerprint`: no more than probable can be wanted then
        options.wanted = program.fingerprint ? Strength::Probable : options.wanted == Strength::Probable ? Strength::Rounded : options.wanted;
    }
    openWith(m_referenceFile, m_rewrittenFile, program, options);
}

std::vector<std::string> ProgramSession::functions() const {
    std::vector<std::string> names;
    if (m_files) {
        names = m_files->reference.functions;
        for (const std::string& name : m_files->rewritten.functions) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    return names;
}

std::vector<std::string> ProgramSession::askable() const {
    return m_files && m_files->reference.program ? sizedArguments(*m_files->reference.program) : std::vector<std::string>();
}

std::string ProgramSession::sizeNeeded() const { return m_compared ? sizeAskedFor(*m_compared->result) : std::string(); }

void ProgramSession::chooseCell(std::size_t output, std::uint64_t cell) {
    if (!m_compared || output >= m_compared->maps.size() || cell >= m_compared->maps[output]->cellCount()) {
        return;
    }
    using Story = std::shared_ptr<const ShownStory>;
    m_storyJob.start<Story>(
        [pair = m_pair, map = m_compared->maps[output], output, cell, metrics = m_metrics,
         layouter = m_layout](const JobContext& context) -> Result<Story> {
            context.report({tr("looking up %1").arg(toQString(map->cellText(cell))), 0, 0});
            auto story = cellStory(pair, *map, cell, context.stop);
            if (!story) {
                return tl::unexpected<Error>(story.error());
            }
            auto shown = std::make_shared<ShownStory>();
            shown->output = output;
            shown->story = std::move(*story);
            SceneRequest request;
            request.reference.tree = shown->story.expressions.reference;
            request.rewritten.tree = shown->story.expressions.rewritten;
            request.correspondence = std::make_shared<const Correspondence>(shown->story.expressions.correspondence);
            request.metrics = metrics;
            request.layouter = layouter;
            auto scenes = buildScenes(request, context.stop);
            if (!scenes) {
                return tl::unexpected<Error>(scenes.error());
            }
            shown->scenes = std::move(*scenes);
            return Story(std::move(shown));
        },
        [this](Result<Story> story) {
            if (!story) {
                m_messages->addError(tr("Looking up the cell"), story.error());
                return;
            }
            m_story = std::move(*story);
            if (!m_story->story.trouble.empty()) {
                m_messages->addNote(toQString(m_story->story.name), toQString(m_story->story.trouble));
            }
            Q_EMIT storyChanged();
        });
}

void ProgramSession::showSchedule(Side side) {
    if (!m_compared || m_pair.reference == nullptr || m_pair.rewritten == nullptr) {
        return;
    }
    using Shown = std::shared_ptr<const Schedule>;
    m_scheduleJob.start<Shown>(
        [program = side == Side::Reference ? m_pair.reference : m_pair.rewritten, compared = m_compared,
         side](const JobContext& context) -> Result<Shown> {
            context.report({tr("running the program once more"), 0, 0});
            const interp::ProgramComparison& comparison = *compared->comparison;
            auto schedule =
                scheduleOf(program, side == Side::Reference ? comparison.reference : comparison.rewritten, side, MostEvents, context.stop);
            if (!schedule) {
                return tl::unexpected<Error>(schedule.error());
            }
            return std::make_shared<const Schedule>(std::move(*schedule));
        },
        [this](Result<Shown> schedule) {
            if (!schedule) {
                m_messages->addError(tr("Running the schedule"), schedule.error());
                return;
            }
            m_schedule = std::move(*schedule);
            Q_EMIT scheduleChanged();
        });
}

void ProgramSession::stop() {
    m_load.stop();
    m_check.stop();
    m_storyJob.stop();
    m_scheduleJob.stop();
    if (m_state == State::Checking) {
        setState(State::Stopped);
    } else {
        Q_EMIT stateChanged();
    }
}

bool ProgramSession::isIdle() const {
    return !m_load.isRunning() && !m_check.isRunning() && !m_storyJob.isRunning() && !m_scheduleJob.isRunning() && !m_export.isRunning() &&
           !m_save.isRunning();
}

void ProgramSession::exportReport(const std::filesystem::path& folder, bool anonymous) {
    if (!m_compared) {
        return;
    }
    ProgramReportRequest request{m_pair, m_compared->comparison, m_options, m_program, anonymous, m_services.recheck};
    m_export.start<std::vector<std::string>>(
        [request = std::move(request), folder](const JobContext& context) -> Result<std::vector<std::string>> {
            context.report({tr("writing the report"), 0, 0});
            auto report = exportProgramReport(request, folder, context.stop);
            if (!report) {
                return tl::unexpected<Error>(report.error());
            }
            return report->notes;
        },
        [this, folder](Result<std::vector<std::string>> notes) {
            if (!notes) {
                m_messages->addError(tr("Exporting the report"), notes.error());
                Q_EMIT reportFailed(toQString(notes.error().text()));
                return;
            }
            for (const std::string& note : *notes) {
                m_messages->addNote(pathText(folder), toQString(note));
            }
            Q_EMIT reportWritten(pathText(folder));
        });
}

void ProgramSession::save(const std::filesystem::path& file) {
    if (!isOpen()) {
        return;
    }
    m_save.start<bool>(
        [file, reference = m_referenceFile, rewritten = m_rewrittenFile, options = m_options, program = m_program,
         result = m_compared ? m_compared->result : nullptr](const JobContext& context) -> Result<bool> {
            SavedSession session;
            session.reference = savedGraph(reference, context.stop);
            session.rewritten = savedGraph(rewritten, context.stop);
            session.options = options;
            session.program = program;
            if (result) {
                CheckResult bare = *result; // its lemmas name nodes of graphs, which there are none
                bare.lemmas.clear();
                session.verdict = savedVerdict(bare);
            }
            const auto written = writeSession(session, file, true);
            if (!written) {
                return tl::unexpected<Error>(written.error());
            }
            return true;
        },
        [this, file](const Result<bool>& written) {
            if (!written) {
                m_messages->addError(tr("Saving the session"), written.error());
            } else {
                Q_EMIT saved(pathText(file));
            }
        });
}

void ProgramSession::setState(State state) {
    m_state = state;
    Q_EMIT stateChanged();
}

void ProgramSession::watchFiles() {
    if (!m_watcher.files().isEmpty()) {
        m_watcher.removePaths(m_watcher.files());
    }
    if (isOpen()) {
        m_watcher.addPaths({pathText(m_referenceFile), pathText(m_rewrittenFile)});
    }
}

} // namespace lemmascope
