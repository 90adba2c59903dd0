#include "ui/window/session_part.h"

#include "ui/jobs/job_list_model.h"
#include "ui/jobs/latest_job.h"
#include "ui/jobs/program_session.h"
#include "ui/models/message_model.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/review_note_editor.h"
#include "ui/panels/welcome_page.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"
#include "ui/window/matcher_part.h"
#include "ui/window/program_part.h"
#include "ui/window/review_part.h"
#include "ui/window/rules_part.h"

#include <QAction>
#include <QCoreApplication>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::chrono::milliseconds Patience{5'000}; ///< for the disk, when the program ends

QString sessionFilter() { return SessionPart::tr("Sessions (*%1);;All files (*)").arg(toQString(SessionSuffix)); }

/// Puts an action in front of another one of its menu.
void moveBefore(QMenu* menu, QAction* action, const char* before) {
    for (QAction* known : menu->actions()) {
        if (known->shortcuts().contains(QKeySequence(QString::fromLatin1(before)))) {
            menu->removeAction(action);
            menu->insertAction(known, action);
            return;
        }
    }
}

} // namespace

SessionPart::SessionPart(MainWindow* window, ReviewPart* review, std::filesystem::path stateFolder)
    : QObject(window), m_window(window), m_review(review), m_stateFolder(std::move(stateFolder)) {
    m_read = std::make_unique<LatestJob>(tr("Open session"), window->jobs());
    m_store = std::make_shared<SessionStore>([this](const std::filesystem::path& file, const Result<void>& result) {
        // The store ends before this object does, so `this` is there to be called.
        const auto trouble = result ? std::nullopt : std::optional(result.error());
        QMetaObject::invokeMethod(
            this, [this, file, trouble] { written(file, trouble); }, Qt::QueuedConnection);
    });
    QMenu* menu = window->menu(MainWindow::Menu::File);
    QAction* openAction = window->addMenuAction(menu, tr("Open Sessio&n…"), {}, [this] {
        const QString file = QFileDialog::getOpenFileName(m_window, tr("Open Session"), QFileInfo(this->file()).path(), sessionFilter());
        if (!file.isEmpty()) {
            this->open(file);
        }
    });
    m_saveAction = window->addMenuAction(
        menu, tr("Sa&ve Session"), {QKeySequence::Save}, [this] { save(); }, MainWindow::Needs::Open);
    m_saveAsAction = window->addMenuAction(
        menu, tr("Save Session &As…"), {QKeySequence(QStringLiteral("Ctrl+Shift+S"))}, [this] { saveAs(); }, MainWindow::Needs::Open);
    moveBefore(menu, openAction, "F5");
    moveBefore(menu, m_saveAction, "Ctrl+Shift+E");
    moveBefore(menu, m_saveAsAction, "Ctrl+Shift+E");

    m_timer.setSingleShot(true);
    m_timer.setInterval(AutosaveMs);
    connect(&m_timer, &QTimer::timeout, this, &SessionPart::autosave);
    PairSession* session = window->session();
    connect(session, &PairSession::opened, this, &SessionPart::pairOpened);
    connect(session, &PairSession::lemmasChanged, this, &SessionPart::changed);
    connect(session, &PairSession::leaving, this, [this] { // behind the review, which keeps its draft first
        m_timer.stop();
        autosave();
        if (hasNotesBesidesFile() && m_stateFolder.empty()) {
            m_window->messages()->addNote({}, tr("Notes on the pair that was open before were kept nowhere; they are gone."));
        } else if (hasNotesBesidesFile() && m_kept[pairFile()].fails) {
            m_window->messages()->addNote(
                pathText(pairFile()), tr("Notes could not be kept in this file: open the pair again before the program ends, and save a session."));
        } else if (hasUnsavedNotes()) {
            m_window->messages()->addNote(pathText(m_file),
                                          tr("Notes that this session file does not have are kept for the pair; open it to save them."));
        }
    });
    connect(session, &PairSession::openFailed, this, [this] { m_opening.clear(); });
    connect(session, &PairSession::scenesChanged, this, [this] {
        if (m_pendingNode) {
            const SavedView view = std::exchange(m_pendingNode, std::nullopt)->view;
            const GraphTree* tree = m_window->session()->tree(view.side);
            for (std::size_t n = 0; tree != nullptr && n < tree->nodeCount(); ++n) {
                if (tree->path(FlatNodeId(n)) == view.node) {
                    m_window->goToNode(view.side, FlatNodeId(n));
                    return;
                }
            }
        }
    });
    connect(window->lemmaPanel()->editor(), &ReviewNoteEditor::edited, this, &SessionPart::changed);
    connect(window, &MainWindow::selectionChanged, this, &SessionPart::changed);
    connect(window, &MainWindow::aboutToClose, this, [this] {
        m_timer.stop();
        m_review->keepDraft();
        autosave();
        (void)flush();
        if (!m_stateFolder.empty() && !m_keepsMark) {
            unmarkOpen(m_stateFolder);
        }
    });
    window->installEventFilter(this);
    if (!m_stateFolder.empty()) {
        session->setRecall(
            [store = m_store, folder = m_stateFolder / "sessions"](const std::filesystem::path& reference, const std::filesystem::path& rewritten) {
                return store->read(folder / pairFileName(reference, rewritten));
            });
        offerLeft();
        m_prune = std::make_unique<LatestJob>(QString(), nullptr);
        m_prune->start<bool>(
            [folder = m_stateFolder / "sessions"](const JobContext&) -> Result<bool> {
                pruneSessions(folder, KeptPairs);
                return true;
            },
            [](const Result<bool>&) {});
    }
    connect(window->welcome(), &WelcomePage::sessionChosen, this, &SessionPart::open);
    connect(window->welcome(), &WelcomePage::restoreChosen, this, [this](bool restore) {
        if (m_left) {
            const LeftSession left = *std::exchange(m_left, std::nullopt);
            std::error_code ignored;
            std::filesystem::remove(left.marker, ignored);
            m_window->welcome()->offerSession({});
            if (restore) {
                this->open(pathText(left.session));
            }
        }
    });
}

SessionPart::~SessionPart() = default;

bool SessionPart::isSessionFile(const QString& file) { return file.endsWith(toQString(SessionSuffix), Qt::CaseInsensitive); }

QString SessionPart::file() const { return pathText(m_file); }

std::filesystem::path SessionPart::pairFile() const {
    const Session& session = m_window->session()->session();
    return m_stateFolder / "sessions" / pairFileName(session.reference, session.rewritten);
}

std::vector<ReviewNote> SessionPart::notes() const {
    const auto draft = m_review->draft();
    std::vector<ReviewNote> all = m_window->session()->notes();
    if (draft) {
        const auto at = std::find_if(all.begin(), all.end(), [&draft](const ReviewNote& note) { return note.lemma == draft->lemma; });
        if (at != all.end()) {
            *at = *draft;
        } else {
            all.push_back(*draft);
        }
    }
    return all;
}

bool SessionPart::hasUnsavedNotes() const { return !m_file.empty() && notes() != m_saved; }

bool SessionPart::hasNotesBesidesFile() const {
    const auto all = notes();
    return !all.empty() && (m_file.empty() || all != m_saved);
}

SessionStore::Make SessionPart::current() const {
    SavedView view;
    const LemmaPanel* panel = m_window->lemmaPanel();
    view.provedFolded = panel->isProvedFolded();
    view.grouped = panel->isGrouped();
    if (const auto* lock = m_window->findChild<QAction*>(QStringLiteral("lockSides"))) {
        view.locked = lock->isChecked();
    }
    view.lemma = panel->selectedLemma();
    const MainWindow::Selection selected = m_window->selection();
    const GraphTree* tree = m_window->session()->tree(selected.side);
    if (!view.lemma && selected.node.isValid() && tree != nullptr && selected.node.index < tree->nodeCount()) {
        view.side = selected.side;
        view.node = tree->path(selected.node);
    }
    if (const auto* rules = m_window->findChild<RulesPart*>(); rules != nullptr && !rules->source().isEmpty()) {
        view.rules = toStdString(rules->source());
        view.breakRules.assign(rules->breaks().begin(), rules->breaks().end());
        const std::set<std::string>& nodes = m_window->findChild<MatcherPart*>()->breakNodes();
        view.breakNodes.assign(nodes.begin(), nodes.end());
    }
    return [base = m_window->session()->snapshot(), all = notes(), view] {
        SavedSession saved = base();
        saved.notes = all;
        saved.view.provedFolded = view.provedFolded;
        saved.view.grouped = view.grouped;
        saved.view.locked = view.locked;
        saved.view.lemma = saved.verdict && view.lemma && *view.lemma < saved.verdict->lemmas.size() ? view.lemma : std::nullopt;
        saved.view.side = view.side;
        saved.view.node = view.node;
        saved.view.rules = view.rules;
        saved.view.breakRules = view.breakRules;
        saved.view.breakNodes = view.breakNodes;
        return saved;
    };
}

void SessionPart::changed() {
    if (m_window->session()->session().isOpen()) {
        m_timer.start();
    }
}

void SessionPart::autosave() {
    if (!m_window->session()->session().isOpen()) {
        return;
    }
    Kept& kept = m_kept[pairFile()];
    kept.notes = hasNotesBesidesFile();
    if (m_stateFolder.empty()) {
        kept.fails = true;
        if (kept.notes) {
            tellNotKept(pairFile(), {ErrorCode::NotFound, toStdString(tr("there is no state folder: set HOME or XDG_STATE_HOME")), {}});
        }
        return;
    }
    const Session& session = m_window->session()->session();
    LeftSession open;
    open.session = pairFile();
    open.file = m_file;
    open.names = session.reference.filename().string() + " / " + session.rewritten.filename().string();
    open.notes = notes().size();
    m_store->write(open.session, current(), false);
    if (const auto marked = markOpen(m_stateFolder, open); !marked && !kept.notes && !std::exchange(m_told, true)) {
        m_window->messages()->addError(tr("Keeping the working session"), marked.error());
    }
}

bool SessionPart::keepsNotesNow() {
    m_timer.stop();
    autosave();
    const bool flushed = flush();
    QCoreApplication::sendPostedEvents(this); // whether it was written
    return flushed && !m_kept[pairFile()].fails;
}

bool SessionPart::flush() { return m_store->flush(Patience); }

void SessionPart::keepForNextStart() {
    m_quiet = true;
    m_keepsMark = m_window->session()->session().isOpen();
    m_window->close();
}

void SessionPart::open(const QString& file) {
    const std::filesystem::path path = toPath(QFileInfo(file).absoluteFilePath());
    m_read->setName(tr("Open session %1").arg(QFileInfo(file).fileName()));
    m_read->start<Read>(
        [path](const JobContext& context) -> Result<Read> {
            context.report({tr("reading the session"), 0, 0});
            auto session = readSession(path);
            if (!session) {
                return tl::unexpected<Error>(session.error());
            }
            for (const auto& [key, graph] : {std::pair{"reference", &session->reference}, std::pair{"rewritten", &session->rewritten}}) {
                std::error_code ignored;
                const auto status = std::filesystem::status(graph->file, ignored);
                if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) { // a device would be read for ever
                    return fail(ErrorCode::BadData,
                                std::string(key) + ".file is " + graph->file.string() + ", which is no file: name a graph in its place",
                                path.string());
                }
            }
            context.report({tr("comparing the graphs"), 0, 0});
            const auto same = [&context](const SavedGraph& graph) {
                return !graph.sha256.empty() && savedGraph(graph.file, context.stop).sha256 == graph.sha256;
            };
            Read read;
            read.sameFiles = same(session->reference) && same(session->rewritten);
            read.session = std::make_shared<const SavedSession>(std::move(*session));
            return read;
        },
        [this, path](Result<Read> read) {
            if (!read) {
                m_window->messages()->addError(tr("Opening the session"), read.error());
                Q_EMIT openRefused(read.error());
                m_window->welcome()->setTrouble(tr("✗ %1").arg(toQString(read.error().text())));
                m_window->statusBar()->showMessage(tr("The session could not be opened: see Messages."), 10'000);
                return;
            }
            if (ProgramSession::isProgram(read->session->reference.file)) {
                m_window->programSession()->restore(*read->session, read->sameFiles);
                return;
            }
            m_opening = path;
            m_openingNotes = read->session->notes;
            m_window->session()->restore(read->session, read->sameFiles);
        });
}

void SessionPart::pairOpened() {
    PairSession* session = m_window->session();
    const auto& restored = session->restored();
    m_pendingNode.reset();
    if (!session->session().isOpen()) {
        m_file.clear();
        m_applied.reset();
        if (!m_stateFolder.empty()) {
            unmarkOpen(m_stateFolder);
        }
    } else if (restored && restored != m_applied) {
        m_applied = restored;
        const bool own = !m_stateFolder.empty() && m_opening.parent_path() == m_stateFolder / "sessions";
        m_file = own ? std::filesystem::path() : std::exchange(m_opening, std::filesystem::path());
        m_opening.clear();
        m_saved = std::move(m_openingNotes); // what the file has; more may be known of the pair
        applyView(*restored);
    } else if (!restored) {
        m_file.clear();
        m_applied.reset();
        m_saved.clear();
    }
    if (session->session().isOpen()) {
        m_store->setKnown(pairFile(), session->notes());
    }
    updateActions();
    changed();
}

void SessionPart::applyView(const SavedSession& session) {
    const SavedView& view = session.view;
    m_window->setFocusOnDifference(view.focus);
    if (auto* lock = m_window->findChild<QAction*>(QStringLiteral("lockSides"))) {
        lock->setChecked(view.locked);
    }
    if (!view.rules.empty()) {
        auto* rules = m_window->findChild<RulesPart*>();
        if (rules->source() != toQString(view.rules)) {
            rules->open(toQString(view.rules));
        }
        rules->setBreaks({view.breakRules.begin(), view.breakRules.end()});
        m_window->findChild<MatcherPart*>()->setBreakNodes({view.breakNodes.begin(), view.breakNodes.end()});
    }
    LemmaPanel* panel = m_window->lemmaPanel();
    panel->setProvedFolded(view.provedFolded);
    panel->setGrouped(view.grouped);
    if (view.lemma) {
        panel->selectLemma(view.lemma);
    } else if (!view.node.empty()) {
        m_pendingNode = session;
    }
}

void SessionPart::save() {
    if (m_window->programSession()->isOpen()) {
        m_window->programs()->save();
        return;
    }
    if (m_file.empty()) {
        saveAs();
    } else {
        saveTo(pathText(m_file));
    }
}

void SessionPart::saveAs() {
    if (m_window->programSession()->isOpen()) {
        m_window->programs()->saveAs();
        return;
    }
    const Session& session = m_window->session()->session();
    if (!session.isOpen()) {
        return;
    }
    const QString proposed =
        m_file.empty() ? pathText(session.rewritten.parent_path() / session.rewritten.stem()) + toQString(SessionSuffix) : file();
    QString chosen = QFileDialog::getSaveFileName(m_window, tr("Save Session"), proposed, sessionFilter());
    if (!chosen.isEmpty()) {
        if (QFileInfo(chosen).suffix().isEmpty()) {
            chosen += toQString(SessionSuffix);
        }
        saveTo(chosen);
    }
}

void SessionPart::saveTo(const QString& file) {
    if (!m_window->session()->session().isOpen()) {
        return;
    }
    m_review->keepDraft();
    m_file = toPath(QFileInfo(file).absoluteFilePath());
    m_saving = m_file;
    m_saved = notes();
    m_store->write(m_file, current(), true);
    updateActions();
    changed();
}

void SessionPart::tellNotKept(const std::filesystem::path& file, const Error& why) {
    if (!std::exchange(m_kept[file].told, true)) {
        Error error = why;
        error.message = toStdString(tr("the notes on this pair are not kept: %1. Save a session file (Ctrl+S)").arg(toQString(why.message)));
        m_window->messages()->addError(tr("Keeping the notes"), error);
        m_window->statusBar()->showMessage(tr("The notes are not kept: see Messages."), 10'000);
    }
}

void SessionPart::written(const std::filesystem::path& file, const std::optional<Error>& trouble) {
    const auto kept = m_kept.find(file);
    if (kept != m_kept.end()) {
        kept->second.fails = trouble.has_value();
    }
    if (trouble && kept != m_kept.end() && kept->second.notes) {
        tellNotKept(file, *trouble);
    } else if (trouble) {
        if (file == m_saving || !std::exchange(m_told, true)) {
            m_window->messages()->addError(tr("Saving the session"), *trouble);
            m_window->statusBar()->showMessage(tr("The session could not be saved: see Messages."), 10'000);
        }
        if (file == m_file) {
            m_saved = {ReviewNote{}}; // what stands there is not known: closing asks
        }
    } else if (file == m_saving) {
        m_window->statusBar()->showMessage(tr("Session saved to %1").arg(pathText(file)), 10'000);
    }
    if (file == m_saving) {
        m_saving.clear();
    }
}

void SessionPart::offerLeft() {
    m_left = leftSession(m_stateFolder);
    if (m_left) {
        m_window->welcome()->offerSession(
            m_left->notes == 0
                ? tr("The program did not end in order. Restore the session of %1?").arg(toQString(m_left->names))
                : tr("The program did not end in order. Restore the session of %1 with %n note(s)?", nullptr, static_cast<int>(m_left->notes))
                      .arg(toQString(m_left->names)));
    }
}

bool SessionPart::mayClose() {
    if (m_quiet) {
        return true;
    }
    const bool open = m_window->session()->session().isOpen();
    const bool kept = !open || (!hasUnsavedNotes() && !hasNotesBesidesFile()) || keepsNotesNow();
    // Without a state folder nothing of a pair that was left is at hand.
    const auto lost = m_stateFolder.empty() ? 0 : std::count_if(m_kept.begin(), m_kept.end(), [&](const auto& pair) {
        return pair.second.notes && pair.second.fails && !(open && pair.first == pairFile());
    });
    const bool here = open && (!kept || hasUnsavedNotes());
    if (!here && lost == 0) {
        return true;
    }
    const QString others = tr("Notes on %n other pair(s) are not kept anywhere: open them again to save the notes.", nullptr, static_cast<int>(lost));
    const QString what = !here            ? others
                         : m_file.empty() ? tr("There are notes on this pair that no file has.")
                                          : tr("There are notes that %1 does not have.").arg(pathText(m_file.filename()));
    QMessageBox box(QMessageBox::Question, tr("Unsaved Notes"), what, QMessageBox::NoButton, m_window);
    box.setObjectName(QStringLiteral("unsavedNotes"));
    box.setAccessibleName(tr("Unsaved notes"));
    const QString why = kept ? tr("Without saving they are kept for this pair by the program, not in the session file.")
                             : tr("Without saving they are lost: the program cannot keep them (see Messages).");
    box.setInformativeText(!here ? QString() : lost == 0 ? why : why + u' ' + others);
    QPushButton* save = here ? box.addButton(QMessageBox::Save) : nullptr;
    QPushButton* leave = box.addButton(tr("&Do Not Save"), QMessageBox::DestructiveRole);
    QPushButton* stay = box.addButton(QMessageBox::Cancel);
    box.setDefaultButton(here ? save : stay);
    box.exec();
    if (here && box.clickedButton() == save) {
        this->save(); // asks where, when there is no file yet
        (void)flush();
        QCoreApplication::sendPostedEvents(this); // whether it was written
        return !m_file.empty() && !hasUnsavedNotes();
    }
    return box.clickedButton() == leave;
}

bool SessionPart::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_window && event->type() == QEvent::Close && !mayClose()) {
        event->ignore();
        return true;
    }
    return QObject::eventFilter(watched, event);
}

void SessionPart::updateActions() {
    m_saveAction->setToolTip(m_file.empty() ? tr("Save session to a file (Ctrl+S)") : tr("Save session to %1 (Ctrl+S)").arg(pathText(m_file)));
}

} // namespace lemmascope
