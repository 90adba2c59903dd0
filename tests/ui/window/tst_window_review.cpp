// The lemmas as a review, by clicks and keys: notes, obsolete lemmas, groups, one lemma asked again, limits, the query's text.

#include "tests/ui/window/window_fixture.h"
#include "ui/models/lemma_model.h"
#include "ui/models/message_model.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/limits_dialog.h"
#include "ui/panels/query_panel.h"
#include "ui/panels/review_note_editor.h"
#include "ui/views/lemma_tree_view.h"
#include "ui/views/smtlib_highlighter.h"
#include "ui/views/theme.h"
#include "ui/window/review_part.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStatusBar>
#include <QTextBlock>
#include <QTextLayout>

#include <functional>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

/// Every row that is shown, its children behind it.
QString shownIds(const LemmaPanel* panel) {
    QStringList ids;
    const QAbstractItemModel* model = panel->table()->model();
    for (int row = 0; row < model->rowCount(); ++row) {
        const QModelIndex top = model->index(row, LemmaModel::IdColumn);
        ids << top.data().toString();
        const QModelIndex parent = model->index(row, 0);
        if (model->rowCount(parent) > 0) {
            QStringList below;
            for (int child = 0; child < model->rowCount(parent); ++child) {
                below << model->index(child, LemmaModel::IdColumn, parent).data().toString();
            }
            ids.back() += u'(' + below.join(u' ') + u')';
        }
    }
    return ids.join(u' ');
}

QModelIndex rowOf(const LemmaPanel* panel, const QString& id) {
    const QAbstractItemModel* model = panel->table()->model();
    const std::function<QModelIndex(const QModelIndex&)> look = [&](const QModelIndex& parent) {
        for (int row = 0; row < model->rowCount(parent); ++row) {
            const QModelIndex index = model->index(row, LemmaModel::IdColumn, parent);
            const int kind = index.data(LemmaModel::RowRole).toInt();
            if (index.data().toString() == id && (kind == LemmaModel::LemmaRow || kind == LemmaModel::DetachedNoteRow)) {
                return index;
            }
            if (const QModelIndex below = parent.isValid() ? QModelIndex() : look(model->index(row, 0)); below.isValid()) {
                return below;
            }
        }
        return QModelIndex();
    };
    return look({});
}

void click(LemmaPanel* panel, const QString& id) {
    const QModelIndex row = rowOf(panel, id);
    QVERIFY2(row.isValid(), qPrintable(id));
    panel->table()->scrollTo(row);
    const QRect at = panel->table()->visualRect(row.siblingAtColumn(LemmaModel::TitleColumn));
    QTest::mouseClick(panel->table()->viewport(), Qt::LeftButton, Qt::NoModifier, at.center());
}

QString cell(const LemmaPanel* panel, const QString& id, int column) { return rowOf(panel, id).siblingAtColumn(column).data().toString(); }

void touch(const QString& file) {
    QFile changed(file);
    QVERIFY(changed.open(QIODevice::Append));
    changed.write(" ");
}

} // namespace

class TestWindowReview : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { qputenv("USER", "ann"); }

    void aLemmaIsMarkedReviewedByKeys() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        click(panel, QStringLiteral("L3"));
        QVERIFY(panel->editor()->isHidden());
        QTest::keyClick(panel->table(), Qt::Key_R);
        auto* text = panel->findChild<QPlainTextEdit*>(QStringLiteral("reviewText"));
        QVERIFY(text->isVisible() && text->hasFocus());
        QTest::keyClicks(text, QStringLiteral("axis was lost"));
        QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(panel->table()->hasFocus());
        const auto& notes = fixture.window->session()->notes();
        QCOMPARE(notes.size(), std::size_t{1});
        QCOMPARE(notes[0].text, std::string("axis was lost"));
        QCOMPARE(notes[0].reviewer, std::string("ann"));
        QVERIFY(notes[0].time > 1'600'000'000);
        QCOMPARE(notes[0].verdict, LemmaVerdict::Fails);
        QVERIFY(cell(panel, QStringLiteral("L3"), LemmaModel::ReviewColumn).contains(QStringLiteral("ann")));
        QCOMPARE(panel->selectedLemma(), std::optional<std::size_t>(2)); // the list stays where it was
        QVERIFY(panel->findChild<QLabel*>(QStringLiteral("lemmaSummary"))->text().contains(QStringLiteral("1 of 5 reviewed")));
        // The note shows whenever its lemma is selected, and only then.
        click(panel, QStringLiteral("L5"));
        QVERIFY(panel->editor()->isHidden());
        click(panel, QStringLiteral("L3"));
        QVERIFY(panel->editor()->isVisible());
        QCOMPARE(text->toPlainText(), QStringLiteral("axis was lost"));
        QTest::keyClick(panel->table(), Qt::Key_R, Qt::ShiftModifier);
        QVERIFY(fixture.window->session()->notes().empty());
        QVERIFY(cell(panel, QStringLiteral("L3"), LemmaModel::ReviewColumn).isEmpty());
    }

    void theEditorsButtonsDoTheSame() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        click(panel, QStringLiteral("L1"));
        QTest::keyClick(panel->table(), Qt::Key_R);
        auto* reviewer = panel->findChild<QLineEdit*>(QStringLiteral("reviewerName"));
        reviewer->clear();
        QTest::keyClicks(reviewer, QStringLiteral("Ben"));
        QTest::mouseClick(panel->findChild<QPushButton*>(QStringLiteral("reviewKeep")), Qt::LeftButton);
        QCOMPARE(fixture.window->session()->notes().size(), std::size_t{1});
        QCOMPARE(fixture.window->session()->notes()[0].reviewer, std::string("Ben"));
        QVERIFY(fixture.window->session()->notes()[0].text.empty());
        QTest::mouseClick(panel->findChild<QPushButton*>(QStringLiteral("reviewRemove")), Qt::LeftButton);
        QVERIFY(fixture.window->session()->notes().empty());
    }

    void whatIsWrittenIsKeptWhenTheReaderGoesOn() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        click(panel, QStringLiteral("L3"));
        QTest::keyClick(panel->table(), Qt::Key_R);
        auto* text = panel->findChild<QPlainTextEdit*>(QStringLiteral("reviewText"));
        QTest::keyClicks(text, QStringLiteral("half a thought"));
        click(panel, QStringLiteral("L4"));
        QTRY_COMPARE(fixture.window->session()->notes().size(), std::size_t{1});
        QCOMPARE(fixture.window->session()->notes()[0].id, std::string("L3"));
        QCOMPARE(panel->selectedLemma(), std::optional<std::size_t>(3));
        // Esc goes back to what is kept and stops nothing.
        click(panel, QStringLiteral("L3"));
        QTest::keyClicks(text, QStringLiteral(" and more"));
        QTest::keyClick(text, Qt::Key_Escape);
        QVERIFY(panel->table()->hasFocus());
        QCOMPARE(text->toPlainText(), QStringLiteral("half a thought"));
        // Nor does another pair take it along.
        QTest::keyClick(panel->table(), Qt::Key_R);
        QTest::keyClicks(text, QStringLiteral(", done"));
        QVERIFY(fixture.openAndSettle(QStringLiteral("undecided")));
        QVERIFY(fixture.window->session()->notes().empty());
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QCOMPARE(fixture.window->session()->notes().size(), std::size_t{1});
        QCOMPARE(fixture.window->session()->notes()[0].text, std::string("half a thought, done"));
    }

    void lemmasAreObsoleteUntilTheNewResultComes() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        auto* show = panel->findChild<QComboBox*>(QStringLiteral("lemmaVerdicts"));
        click(panel, QStringLiteral("L3"));
        QTest::keyClick(panel->table(), Qt::Key_R);
        QTest::keyClick(panel->findChild<QPlainTextEdit*>(QStringLiteral("reviewText")), Qt::Key_Return, Qt::ControlModifier);
        // Files that changed make the list obsolete,
        touch(QString::fromStdString(fixture.folder.path().toStdString()) + QStringLiteral("/refuted.rew.json"));
        QTRY_VERIFY(fixture.window->session()->isStale());
        QCOMPARE(panel->lemmas()->source, LemmaSource::Obsolete);
        QVERIFY(cell(panel, QStringLiteral("L3"), LemmaModel::StatusColumn).contains(QStringLiteral("was")));
        QVERIFY(panel->findChild<QLabel*>(QStringLiteral("lemmaSummary"))->text().contains(QStringLiteral("5 obsolete")));
        // and they stay in it while the new check runs.
        fixture.behaviour->checkMs = 60'000;
        QTest::keyClick(fixture.window.get(), Qt::Key_F5);
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Checking);
        QTRY_VERIFY(!fixture.window->session()->isLoading());
        QCOMPARE(shownIds(panel), QStringLiteral("L3 L5 L4 L1 L2"));
        QVERIFY2(fixture.window->banner()->title().contains(QStringLiteral("was REFUTED")), qPrintable(fixture.window->banner()->title()));
        show->setCurrentIndex(show->findData(static_cast<int>(LemmaFilterModel::Show::Obsolete)));
        QCOMPARE(shownIds(panel), QStringLiteral("L3 L5 L4 L1 L2"));
        show->setCurrentIndex(0);
        // One of them still leads to its nodes.
        QTRY_VERIFY(fixture.window->canvas(Side::Reference)->scene() != nullptr);
        click(panel, QStringLiteral("L5"));
        QVERIFY(fixture.window->canvas(Side::Reference)->selectedNode().isValid());
        QCOMPARE(panel->selectedLemma(), std::optional<std::size_t>(4));
        // Stopped, they are offered to be replayed.
        fixture.window->session()->stop();
        QVERIFY(fixture.settle());
        QCOMPARE(panel->lemmas()->source, LemmaSource::Obsolete);
        fixture.behaviour->checkMs = 0;
        fixture.window->findChild<ReviewPart*>()->replayObsolete();
        QVERIFY(fixture.settle());
        QCOMPARE(panel->lemmas()->source, LemmaSource::Current);
        QVERIFY(cell(panel, QStringLiteral("L3"), LemmaModel::ReviewColumn).contains(u'✎')); // its note came along
        show->setCurrentIndex(show->findData(static_cast<int>(LemmaFilterModel::Show::Obsolete)));
        QCOMPARE(panel->table()->model()->rowCount(), 0);
    }

    void notesWhoseLemmaIsGoneAreListed() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        ReviewNote gone;
        gone.lemma = {std::string(64, 'z'), LemmaResult::Kind::Equal, "Gemm g = Gemm g", {}, {}};
        gone.id = "L9";
        gone.text = "was fine";
        fixture.window->session()->keepNote(gone);
        QCOMPARE(shownIds(panel), QStringLiteral("L3 L5 L4 L1 L2 1(L9)"));
        QVERIFY(panel->findChild<QLabel*>(QStringLiteral("lemmaSummary"))->text().contains(QStringLiteral("1 detached")));
        click(panel, QStringLiteral("L9"));
        QVERIFY(panel->editor()->isVisible());
        QCOMPARE(panel->editor()->text(), QStringLiteral("was fine"));
        QVERIFY(!panel->findChild<QPushButton*>(QStringLiteral("reviewKeep"))->isVisible());
        QTest::keyClick(panel->table(), Qt::Key_R, Qt::ShiftModifier);
        QCOMPARE(shownIds(panel), QStringLiteral("L3 L5 L4 L1 L2"));
    }

    void lemmasStandInTheirRegions() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        click(panel, QStringLiteral("L3"));
        QTest::keyClick(panel->table(), Qt::Key_G, Qt::ShiftModifier);
        QVERIFY(panel->isGrouped());
        QCOMPARE(panel->selectedLemma(), std::optional<std::size_t>(2));
        const QAbstractItemModel* model = panel->table()->model();
        int lemmas = 0;
        for (int row = 0; row < model->rowCount(); ++row) {
            const QModelIndex region = model->index(row, 0);
            QCOMPARE(region.data(LemmaModel::RowRole).toInt(), static_cast<int>(LemmaModel::RegionRow));
            QVERIFY(panel->table()->isExpanded(region));
            QVERIFY(region.siblingAtColumn(LemmaModel::TitleColumn).data().toString().contains(u':'));
            lemmas += model->rowCount(region);
        }
        QCOMPARE(lemmas, 5);
        QVERIFY(model->rowCount() > 1 && model->rowCount() < 5);
        // Sorting, filtering, folding and F8 work in groups.
        panel->table()->sortByColumn(LemmaModel::IdColumn, Qt::DescendingOrder);
        panel->table()->sortByColumn(LemmaModel::StatusColumn, Qt::AscendingOrder);
        QCOMPARE(model->index(0, 0).data(LemmaModel::SortRole).toInt(), 0); // a region with a failing lemma first
        QTest::keyClick(panel->table(), '!');
        QVERIFY(!rowOf(panel, QStringLiteral("L1")).isValid());
        QVERIFY(rowOf(panel, QStringLiteral("L3")).isValid());
        QTest::keyClick(panel->table(), '!');
        QTest::keyClick(fixture.window.get(), Qt::Key_F8);
        QCOMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(4));
        // The arrow keys go through the tree: onto the region, which closes and opens.
        const QModelIndex region = rowOf(panel, QStringLiteral("L5")).parent();
        panel->table()->setFocus();
        panel->table()->setCurrentIndex(region);
        QVERIFY(!panel->selectedLemma());
        QTest::keyClick(panel->table(), Qt::Key_Left);
        QVERIFY(!panel->table()->isExpanded(region));
        QTest::keyClick(panel->table(), Qt::Key_Right);
        QTest::keyClick(panel->table(), Qt::Key_Down);
        QVERIFY(panel->selectedLemma().has_value());
        QTest::mouseClick(panel->findChild<QCheckBox*>(QStringLiteral("lemmaGroups")), Qt::LeftButton, Qt::NoModifier,
                          QPoint(8, panel->findChild<QCheckBox*>(QStringLiteral("lemmaGroups"))->height() / 2));
        QVERIFY(!panel->isGrouped());
    }

    void oneLemmaIsCheckedAgainAndTheOthersStay() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("undecided")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        click(panel, QStringLiteral("L2"));
        fixture.behaviour->checkMs = 300;
        const int before = fixture.behaviour->checks;
        QTest::keyClick(fixture.window.get(), Qt::Key_F7);
        // The verdicts stay in sight while it runs.
        QVERIFY(fixture.window->session()->isRechecking());
        QCOMPARE(fixture.window->session()->state(), PairSession::State::Decided);
        QVERIFY(fixture.window->session()->session().result != nullptr);
        QCOMPARE(panel->lemmas()->source, LemmaSource::Current);
        QVERIFY(fixture.window->banner()->title().startsWith(QStringLiteral("UNDECIDED")));
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.behaviour->rechecks.load(), 1);
        QCOMPARE(fixture.behaviour->checks.load(), before);
        QVERIFY(fixture.window->statusBar()->currentMessage().contains(QStringLiteral("still undecided")));
        QCOMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(1));

        fixture.behaviour->checkMs = 0;
        fixture.behaviour->recheckDecides = true;
        fixture.behaviour->renumbers = true;
        QTest::keyClick(fixture.window.get(), Qt::Key_F7);
        QVERIFY(fixture.settle());
        QVERIFY(fixture.window->banner()->title().startsWith(QStringLiteral("PROVED")));
        // The same lemma is still the one that is selected, under its new number.
        QCOMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(0));
        QCOMPARE(panel->selectedLemma(), std::optional<std::size_t>(0));
        QCOMPARE(panel->lemmas()->result->lemmas[0].title, std::string("Softmax p = Softmax p"));
        QCOMPARE(fixture.behaviour->counterexamples.load(), 0);
    }

    void aCounterexampleIsLookedForWithG() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("undecided")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        click(panel, QStringLiteral("L1")); // holds: there is none to look for
        QTest::keyClick(panel->table(), Qt::Key_G);
        QCOMPARE(fixture.behaviour->rechecks.load(), 0);
        click(panel, QStringLiteral("L2"));
        QTest::keyClick(panel->table(), Qt::Key_G);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.behaviour->counterexamples.load(), 1);
        QVERIFY(fixture.window->statusBar()->currentMessage().contains(QStringLiteral("No counterexample")));
    }

    void aStoppedRecheckLeavesTheVerdicts() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("undecided")));
        click(fixture.window->lemmaPanel(), QStringLiteral("L2"));
        fixture.behaviour->checkMs = 60'000;
        QTest::keyClick(fixture.window.get(), Qt::Key_F7);
        QVERIFY(fixture.window->session()->isRechecking());
        QTest::keyClick(fixture.window.get(), Qt::Key_Escape);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->session()->state(), PairSession::State::Decided);
        QVERIFY(fixture.window->session()->session().result != nullptr);
        QCOMPARE(fixture.window->lemmaPanel()->lemmas()->source, LemmaSource::Current);
    }

    void limitsAreAskedForAndKeptForThePair() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("undecided")));
        fixture.window->findChild<ReviewPart*>()->showLimits();
        auto* dialog = fixture.window->findChild<LimitsDialog*>();
        QVERIFY(dialog != nullptr && !dialog->isModal());
        dialog->findChild<QDoubleSpinBox*>(QStringLiteral("limitSteps"))->setValue(123'000);
        auto* seed = dialog->findChild<QLineEdit*>(QStringLiteral("limitSeed"));
        seed->clear();
        QTest::keyClicks(seed, QStringLiteral("x17"));
        QCOMPARE(seed->text(), QStringLiteral("17"));
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("limitsCheck")), Qt::LeftButton);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.behaviour->steps.load(), std::uint64_t{123'000});
        QCOMPARE(fixture.window->session()->session().options.seed, std::uint64_t{17});
        // Another pair has its own, and this one has them again after the program was started anew.
        fixture.make();
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QCOMPARE(fixture.behaviour->steps.load(), CheckOptions{}.lemmaSteps);
        QVERIFY(fixture.openAndSettle(QStringLiteral("undecided")));
        QCOMPARE(fixture.behaviour->steps.load(), std::uint64_t{123'000});
        QCOMPARE(fixture.window->session()->session().options.seed, std::uint64_t{17});
    }

    void theQueryIsSearchedCopiedAndSaved() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->goToLemma(2);
        fixture.window->showDock(MainWindow::Dock::Query, false);
        auto* text = fixture.window->findChild<QPlainTextEdit*>(QStringLiteral("queryText"));
        auto* find = fixture.window->findChild<QLineEdit*>(QStringLiteral("queryFind"));
        auto* found = fixture.window->findChild<QLabel*>(QStringLiteral("queryFound"));
        QVERIFY(!find->isVisible());
        text->setFocus();
        QTest::keyClick(text, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(find->isVisible() && find->hasFocus());
        QTest::keyClicks(find, QStringLiteral("ASSERT"));
        QCOMPARE(found->text(), QStringLiteral("1 of 2"));
        QCOMPARE(text->textCursor().selectedText(), QStringLiteral("assert"));
        QTest::keyClick(find, Qt::Key_Return);
        QCOMPARE(found->text(), QStringLiteral("2 of 2"));
        QTest::keyClick(find, Qt::Key_F3); // round the end
        QCOMPARE(found->text(), QStringLiteral("1 of 2"));
        QTest::keyClick(find, Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(found->text(), QStringLiteral("2 of 2"));
        QTest::keyClicks(find, QStringLiteral("x"));
        QCOMPARE(found->text(), QStringLiteral("not found"));
        QTest::keyClick(find, Qt::Key_Escape);
        QVERIFY(!find->isVisible() && text->hasFocus());
        fixture.window->query()->copy();
        QCOMPARE(QGuiApplication::clipboard()->text(), text->toPlainText());
        const QString file = fixture.folder.filePath(QStringLiteral("L3.smt2"));
        Q_EMIT fixture.window->query()->saveRequested(file, fixture.window->query()->text());
        QTRY_VERIFY(QFile::exists(file));
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        QVERIFY(saved.readAll().endsWith("(check-sat)\n"));
        Q_EMIT fixture.window->query()->saveRequested(QStringLiteral("/proc/none/L3.smt2"), QStringLiteral("x"));
        QTRY_VERIFY(fixture.window->messages()->plainText().contains(QStringLiteral("/proc/none/L3.smt2")));
    }

    void theQuerysColoursCanBeRead() {
        QPalette white;
        QPalette black;
        for (const auto role : {QPalette::Base, QPalette::Window}) {
            white.setColor(role, Qt::white);
            black.setColor(role, Qt::black);
        }
        white.setColor(QPalette::Text, Qt::black);
        black.setColor(QPalette::Text, Qt::white);
        for (QPalette* hard : {&white, &black}) { // as bad as a desktop can make them
            hard->setColor(QPalette::Link, hard->color(QPalette::Base));
            hard->setColor(QPalette::PlaceholderText, QColor(128, 128, 128, 10));
        }
        for (const QPalette& palette : {fusionPalette(false), fusionPalette(true), white, black}) {
            QTextDocument document;
            SmtlibHighlighter highlighter(&document);
            highlighter.setPalette(palette);
            document.setPlainText(QStringLiteral("; a comment\n(assert (= 12.5 |x|)) \"text\""));
            highlighter.rehighlight();
            int coloured = 0;
            bool bold = false;
            for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
                for (const QTextLayout::FormatRange& range : block.layout()->formats()) {
                    bold = bold || range.format.fontWeight() == QFont::Bold;
                    if (range.format.hasProperty(QTextFormat::ForegroundBrush)) {
                        ++coloured;
                        QVERIFY(contrast(range.format.foreground().color(), palette.color(QPalette::Base)) >= 4.5);
                    }
                }
            }
            QVERIFY(bold);
            QCOMPARE(coloured, 3);
        }
    }
};

QTEST_MAIN(TestWindowReview)
#include "tst_window_review.moc"
