// Sessions in the window: saved, opened, restored after a crash, and never a note lost.

#include "tests/ui/window/window_fixture.h"
#include "ui/models/message_model.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/review_note_editor.h"
#include "ui/panels/welcome_page.h"
#include "ui/views/lemma_tree_view.h"
#include "ui/window/session_part.h"

#include <QAction>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>

#include <unistd.h>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

SessionPart* sessions(const WindowFixture& fixture) { return fixture.window->findChild<SessionPart*>(); }

/// Writes a note on a lemma by keys.
void note(WindowFixture& fixture, std::size_t lemma, const QString& words, bool keep = true) {
    LemmaPanel* panel = fixture.window->lemmaPanel();
    panel->selectLemma(lemma);
    panel->table()->setFocus();
    QTest::keyClick(panel->table(), Qt::Key_R);
    auto* text = panel->findChild<QPlainTextEdit*>(QStringLiteral("reviewText"));
    text->selectAll();
    QTest::keyClicks(text, words);
    if (keep) {
        QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
    }
}

/// Presses a button of the box that asks about unsaved notes; tells whether it came.
class Answer {
  public:
    explicit Answer(QMessageBox::StandardButton button) {
        QObject::connect(&m_poll, &QTimer::timeout, [this, button] {
            if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
                m_poll.stop();
                came = true;
                words = box->text() + u' ' + box->informativeText();
                if (button == QMessageBox::Discard) {
                    for (QAbstractButton* one : box->buttons()) {
                        if (box->buttonRole(one) == QMessageBox::DestructiveRole) {
                            one->click();
                            return;
                        }
                    }
                }
                box->button(button)->click();
            }
        });
        m_poll.start(10);
    }
    bool came = false;
    QString words;

  private:
    QTimer m_poll;
};

/// The window anew, where a plain file is in the place of the state folder.
void makeStateUnwritable(WindowFixture& fixture) {
    fixture.window->close();
    fixture.window.reset();
    QVERIFY(QDir(fixture.folder.filePath(QStringLiteral("state"))).removeRecursively());
    QFile plain(fixture.folder.filePath(QStringLiteral("state")));
    QVERIFY(plain.open(QIODevice::WriteOnly));
    plain.close();
    fixture.make();
}

/// As if the program had gone without a word: its mark stays, of a process that is no more.
void crash(WindowFixture& fixture) {
    QVERIFY(sessions(fixture)->flush());
    const QString state = fixture.folder.filePath(QStringLiteral("state/"));
    const QString mark = state + QStringLiteral("open-%1.json").arg(::getpid());
    QFile copy(mark);
    QVERIFY2(copy.open(QIODevice::ReadOnly), qPrintable(mark));
    const QByteArray text = copy.readAll();
    fixture.make();
    QFile dead(state + QStringLiteral("open-999999999.json"));
    QVERIFY(dead.open(QIODevice::WriteOnly));
    dead.write(text);
    dead.close();
    fixture.make();
}

} // namespace

class TestWindowSessions : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { qputenv("USER", "ann"); }

    void aSavedSessionShowsItsVerdictsAtOnce() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        note(fixture, 2, QStringLiteral("axis lost"));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        panel->setGrouped(true);
        panel->setProvedFolded(true);
        fixture.window->setFocusOnDifference(true);
        QVERIFY(fixture.settle());
        const QString file = fixture.folder.filePath(QStringLiteral("review.lsession"));
        sessions(fixture)->saveTo(file);
        QVERIFY(sessions(fixture)->flush());
        QTRY_VERIFY(!sessions(fixture)->hasUnsavedNotes());
        QVERIFY(QFile::exists(file));
        fixture.make();
        QVERIFY(fixture.window->isWelcome());

        fixture.behaviour->checkMs = 60'000;
        fixture.window->openFiles({file});
        panel = fixture.window->lemmaPanel();
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Checking);
        QTRY_VERIFY(fixture.window->canvas(Side::Reference)->scene() != nullptr);
        QCOMPARE(panel->lemmas()->source, LemmaSource::Session);
        QCOMPARE(panel->lemmas()->result->lemmas.size(), std::size_t{5});
        QVERIFY2(fixture.window->banner()->title().contains(QStringLiteral("REFUTED (value) (from the session)")),
                 qPrintable(fixture.window->banner()->title()));
        QVERIFY(panel->findChild<QLabel*>(QStringLiteral("lemmaSummary"))->text().contains(QStringLiteral("from the session")));
        QVERIFY(panel->isGrouped() && panel->isProvedFolded());
        QVERIFY(fixture.window->session()->sceneOptions().focusOnDifference);
        QCOMPARE(panel->selectedLemma(), std::optional<std::size_t>(2));
        QCOMPARE(panel->editor()->text(), QStringLiteral("axis lost"));
        QCOMPARE(QFileInfo(sessions(fixture)->file()).fileName(), QStringLiteral("review.lsession"));
        // A note made meanwhile stays too; the check then confirms.
        panel->setProvedFolded(false);
        note(fixture, 0, QStringLiteral("fine"));
        fixture.window->session()->stop();
        fixture.behaviour->checkMs = 0;
        fixture.window->session()->check(fixture.window->session()->session().options);
        QVERIFY(fixture.settle());
        QCOMPARE(panel->lemmas()->source, LemmaSource::Current);
        QCOMPARE(panel->lemmas()->notes.size(), std::size_t{2});
        QVERIFY(panel->lemmas()->detached.empty());
        QVERIFY(sessions(fixture)->hasUnsavedNotes());
        QTest::keyClick(fixture.window.get(), Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!sessions(fixture)->hasUnsavedNotes());
    }

    void verdictsOfOtherFilesAreObsolete() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const QString file = fixture.folder.filePath(QStringLiteral("review.lsession"));
        sessions(fixture)->saveTo(file);
        QVERIFY(sessions(fixture)->flush());
        fixture.make();
        QFile changed(fixture.folder.filePath(QStringLiteral("refuted.rew.json")));
        QVERIFY(changed.open(QIODevice::Append));
        changed.write("more");
        changed.close();
        fixture.behaviour->checkMs = 60'000;
        sessions(fixture)->open(file);
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Checking);
        QCOMPARE(fixture.window->lemmaPanel()->lemmas()->source, LemmaSource::Obsolete);
        QVERIFY(fixture.window->banner()->title().contains(QStringLiteral("was REFUTED")));
    }

    void optionsAndAcceptedPairsComeBack() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("undecided")));
        CheckOptions options = fixture.window->session()->session().options;
        options.wanted = Strength::Exact;
        options.lemmaSteps = 777;
        options.sizes["n"] = 4;
        fixture.window->session()->check(options);
        fixture.window->session()->accept({"p", "p"});
        QVERIFY(fixture.settle());
        const QString file = fixture.folder.filePath(QStringLiteral("options.lsession"));
        sessions(fixture)->saveTo(file);
        QVERIFY(sessions(fixture)->flush());
        fixture.make();
        sessions(fixture)->open(file);
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Decided);
        const CheckOptions& now = fixture.window->session()->session().options;
        QCOMPARE(now.wanted, Strength::Exact);
        QCOMPARE(now.lemmaSteps, std::uint64_t{777});
        QCOMPARE(now.sizes.at("n"), std::int64_t{4});
        QCOMPARE(fixture.window->session()->accepted().size(), std::size_t{1});
    }

    void aSessionIsDropped() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        const QString file = fixture.folder.filePath(QStringLiteral("dropped.lsession"));
        sessions(fixture)->saveTo(file);
        QVERIFY(sessions(fixture)->flush());
        fixture.make();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        auto* target = fixture.window->findChild<QWidget*>(QStringLiteral("dropRewritten"));
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &drop);
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Decided);
        QVERIFY(fixture.window->banner()->title().startsWith(QStringLiteral("PROVED")));
    }

    void whatCannotBeOpenedIsExplained_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("not a session") << QByteArray("{}") << QStringLiteral("format is missing");
        QTest::newRow("leads out")
            << QByteArray(R"({"format": "lemmascope-session", "version": 1, "reference": {"file": "../x"}, "rewritten": {"file": "y"}})")
            << QStringLiteral("'..' leads out");
        QTest::newRow("deep") << QByteArray(1'000'000, '[') << QStringLiteral("nested deeper");
        QTest::newRow("its graphs are gone")
            << QByteArray(
                   R"({"format": "lemmascope-session", "version": 1, "reference": {"file": "missing.json"}, "rewritten": {"file": "missing.json"}})")
            << QStringLiteral("no such file");
        QTest::newRow("its graph is a device")
            << QByteArray(R"({"format": "lemmascope-session", "version": 1, "reference": {"file": "/dev/zero"}, "rewritten": {"file": "/dev/zero"}})")
            << QStringLiteral("/dev/zero");
    }
    void whatCannotBeOpenedIsExplained() {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        WindowFixture fixture;
        const QString file = fixture.folder.filePath(QStringLiteral("bad.lsession"));
        QFile bad(file);
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write(text);
        bad.close();
        sessions(fixture)->open(file);
        QTRY_VERIFY2(fixture.window->messages()->plainText().contains(says), qPrintable(fixture.window->messages()->plainText()));
        QVERIFY(fixture.window->isWelcome());
        QVERIFY(fixture.window->findChild<QLabel*>(QStringLiteral("welcomeTrouble"))->text().contains(says));
        // And what was open stays open.
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        const int errors = fixture.window->messages()->errorCount();
        sessions(fixture)->open(file);
        QTRY_COMPARE(fixture.window->messages()->errorCount(), errors + 1);
        QVERIFY(fixture.window->banner()->title().startsWith(QStringLiteral("PROVED")));
    }

    void notesOfAPairAreKeptWithoutASession() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        note(fixture, 2, QStringLiteral("remember me"));
        // Nothing is written beside the models.
        QCOMPARE(QDir(fixture.folder.path()).entryList({QStringLiteral("*.lsession")}, QDir::Files).size(), qsizetype{0});
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QVERIFY(fixture.window->session()->notes().empty());
        fixture.make(); // closed without a question: there is no file to save to
        QVERIFY(!fixture.window->findChild<QFrame*>(QStringLiteral("welcomeOffer"))->isVisible());
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QCOMPARE(fixture.window->session()->notes().size(), std::size_t{1});
        QCOMPARE(fixture.window->lemmaPanel()->lemmas()->note(2)->text, std::string("remember me"));
    }

    void aCrashLosesNoNote() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        note(fixture, 2, QStringLiteral("kept"));
        note(fixture, 3, QStringLiteral("still being written"), false);
        QTest::qWait(SessionPart::AutosaveMs * 3);
        crash(fixture);
        auto* offer = fixture.window->findChild<QFrame*>(QStringLiteral("welcomeOffer"));
        QVERIFY(offer->isVisible());
        const QString words = offer->findChild<QLabel*>()->text();
        QVERIFY2(words.contains(QStringLiteral("refuted.ref.json")) && words.contains(u'2'), qPrintable(words));
        QTest::mouseClick(fixture.window->findChild<QPushButton*>(QStringLiteral("restoreSession")), Qt::LeftButton);
        QVERIFY(!offer->isVisible());
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Decided);
        QCOMPARE(fixture.window->session()->notes().size(), std::size_t{2});
        QCOMPARE(fixture.window->lemmaPanel()->lemmas()->note(3)->text, std::string("still being written"));
        QVERIFY(sessions(fixture)->file().isEmpty()); // it had not been saved by the reader
        fixture.make();
        QVERIFY(!fixture.window->findChild<QFrame*>(QStringLiteral("welcomeOffer"))->isVisible()); // once
    }

    void anEndFromOutsideIsOfferedAgain() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        note(fixture, 2, QStringLiteral("before the end"), false);
        sessions(fixture)->keepForNextStart(); // what SIGTERM calls
        QVERIFY(!fixture.window->isVisible());
        const QDir state(fixture.folder.filePath(QStringLiteral("state")));
        QCOMPARE(state.entryList({QStringLiteral("open-*.json")}).size(), qsizetype{1});
        const auto read =
            readSession((state.path() + u'/' + QStringLiteral("sessions/")).toStdString() +
                        QDir(state.filePath(QStringLiteral("sessions"))).entryList({QStringLiteral("*.lsession")}).first().toStdString());
        QVERIFY(read.has_value());
        QCOMPARE(read->notes.size(), std::size_t{1});
        QCOMPARE(read->notes[0].text, std::string("before the end"));
    }

    void closingAsksOnlyForNotesThatASavedSessionDoesNotHave() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const QString file = fixture.folder.filePath(QStringLiteral("asked.lsession"));
        sessions(fixture)->saveTo(file);
        note(fixture, 2, QStringLiteral("unsaved"));
        {
            Answer answer(QMessageBox::Cancel);
            fixture.window->close();
            QVERIFY(answer.came);
            QVERIFY(fixture.window->isVisible());
        }
        {
            Answer answer(QMessageBox::Discard);
            fixture.window->close();
            QVERIFY(answer.came);
            QVERIFY(!fixture.window->isVisible());
        }
        QVERIFY(readSession(file.toStdString())->notes.empty());
        // The note is kept for the pair all the same, and opening the session brings it back as not yet saved.
        fixture.make();
        sessions(fixture)->open(file);
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Decided);
        QCOMPARE(fixture.window->session()->notes().size(), std::size_t{1});
        QVERIFY(sessions(fixture)->hasUnsavedNotes());
        {
            Answer answer(QMessageBox::Save);
            fixture.window->close();
            QVERIFY(answer.came);
            QVERIFY(!fixture.window->isVisible());
        }
        QCOMPARE(readSession(file.toStdString())->notes.size(), std::size_t{1});
        fixture.make();
        sessions(fixture)->open(file);
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Decided);
        Answer none(QMessageBox::Cancel);
        QVERIFY(fixture.window->close());
        QVERIFY(!none.came);
    }

    void aSessionThatCannotBeWrittenSaysSo() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        sessions(fixture)->saveTo(QStringLiteral("/proc/none/x.lsession"));
        QVERIFY(sessions(fixture)->flush());
        QTRY_VERIFY2(fixture.window->messages()->plainText().contains(QStringLiteral("/proc/none/x.lsession")),
                     qPrintable(fixture.window->messages()->plainText()));
        QVERIFY(sessions(fixture)->hasUnsavedNotes());
        Answer answer(QMessageBox::Discard);
        fixture.window->close();
        QVERIFY(answer.came);
    }

    void notesThatCannotBeKeptAreSaid() {
        WindowFixture fixture;
        makeStateUnwritable(fixture);
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        note(fixture, 2, QStringLiteral("first"));
        MessageModel* messages = fixture.window->messages();
        const QString said = QStringLiteral("the notes on this pair are not kept");
        QTRY_VERIFY2(messages->plainText().contains(said), qPrintable(messages->plainText()));
        QVERIFY(messages->plainText().contains(QStringLiteral("state/sessions/")) && messages->plainText().contains(QStringLiteral("Ctrl+S")));
        note(fixture, 3, QStringLiteral("second"));
        QTest::qWait(SessionPart::AutosaveMs * 2);
        QVERIFY(sessions(fixture)->flush());
        QCoreApplication::processEvents();
        QCOMPARE(messages->plainText().count(said), qsizetype{1}); // once for the pair
        {
            Answer answer(QMessageBox::Cancel);
            fixture.window->close();
            QVERIFY(answer.came);
            QVERIFY2(answer.words.contains(QStringLiteral("are lost")) && !answer.words.contains(QStringLiteral("by the program,")),
                     qPrintable(answer.words));
            QVERIFY(fixture.window->isVisible());
        }
        // With another pair open they are still at hand, and still asked for.
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        {
            Answer answer(QMessageBox::Cancel);
            fixture.window->close();
            QVERIFY2(answer.came && answer.words.contains(QStringLiteral("other pair")), qPrintable(answer.words));
        }
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QCOMPARE(fixture.window->session()->notes().size(), std::size_t{2});
        // Save asks where, and then closes.
        const QString file = fixture.folder.filePath(QStringLiteral("rescued.lsession"));
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QTimer choose;
        connect(&choose, &QTimer::timeout, this, [&file, &choose] {
            if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
                choose.stop();
                dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(file);
                QMetaObject::invokeMethod(dialog, "accept");
            }
        });
        choose.start(10);
        Answer answer(QMessageBox::Save);
        fixture.window->close();
        QVERIFY(answer.came);
        QVERIFY(!fixture.window->isVisible());
        QCOMPARE(readSession(file.toStdString())->notes.size(), std::size_t{2});
    }

    void aSessionFileDoesNotHideThatNotesAreNotKept() {
        WindowFixture fixture;
        makeStateUnwritable(fixture);
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        sessions(fixture)->saveTo(fixture.folder.filePath(QStringLiteral("asked.lsession")));
        note(fixture, 2, QStringLiteral("unsaved"));
        Answer answer(QMessageBox::Save);
        fixture.window->close();
        QVERIFY(answer.came);
        QVERIFY2(answer.words.contains(QStringLiteral("are lost")), qPrintable(answer.words));
        QVERIFY(!fixture.window->isVisible());
    }

    void aProgramInWhichNothingChangedLeavesNewerNotes() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        note(fixture, 2, QStringLiteral("old"));
        QTest::qWait(SessionPart::AutosaveMs * 2);
        QVERIFY(sessions(fixture)->flush());
        const QDir state(fixture.folder.filePath(QStringLiteral("state/sessions")));
        const std::string file = state.filePath(state.entryList({QStringLiteral("*.lsession")}).value(0)).toStdString();
        auto others = readSession(file);
        QVERIFY(others && others->notes.size() == 1);
        others->notes[0].text = "newer";
        others->notes[0].time += 60;
        QVERIFY(writeSession(*others, file, false).has_value());
        fixture.window->close();
        QCOMPARE(readSession(file)->notes[0].text, std::string("newer"));
    }

    void longNamesDoNotWidenTheWindow() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->lemmaPanel()->selectLemma(2);
        fixture.window->session()->review(2, "x", std::string(5'000, 'W'), 1'700'000'000);
        QCoreApplication::processEvents();
        LemmaPanel* panel = fixture.window->lemmaPanel();
        QVERIFY(panel->editor()->isVisible());
        QVERIFY2(panel->minimumSizeHint().width() < 700, qPrintable(QString::number(panel->minimumSizeHint().width())));
        QCOMPARE(fixture.window->width(), 1366);
        const auto* title = panel->findChild<QLabel*>(QStringLiteral("reviewTitle"));
        QVERIFY(title->text().contains(u'…') && title->toolTip().contains(QString(5'000, u'W')));
    }

    void aBrokenStateIsMovedAsideNotWrittenOver() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        note(fixture, 2, QStringLiteral("x"));
        fixture.make();
        QDir state(fixture.folder.filePath(QStringLiteral("state/sessions")));
        const QString name = state.entryList({QStringLiteral("*.lsession")}).value(0);
        QVERIFY(!name.isEmpty());
        QFile broken(state.filePath(name));
        QVERIFY(broken.open(QIODevice::ReadWrite));
        broken.write("%%");
        broken.close();
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QVERIFY(fixture.window->session()->notes().empty());
        QVERIFY(sessions(fixture)->flush());
        QVERIFY(QFile::exists(state.filePath(name + QStringLiteral(".broken"))));
    }
};

QTEST_MAIN(TestWindowSessions)
#include "tst_window_sessions.moc"
