// The matcher in the window: rules opened, matched, stepped through, asked why not; over fake services.
#include "app/window/services.h"
#include "tests/ui/window/window_fixture.h"

#include "ui/jobs/job_list_model.h"
#include "ui/models/message_model.h"
#include "ui/models/outline_model.h"
#include "ui/panels/matcher_panel.h"
#include "ui/panels/outline_view.h"
#include "ui/panels/rule_text_view.h"
#include "ui/panels/rules_panel.h"
#include "ui/window/matcher_part.h"
#include "ui/window/replacement_part.h"
#include "ui/window/rules_part.h"
#include "ui/window/session_part.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QMenu>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

const char* const Rules = "rule attention: matmul(softmax{axis=-1}(mul(matmul(?q, transpose{perm=?p}(?k)), ?s)), ?v) where is_const(?s)\n"
                          "    => matmul(softmax{axis=-1}(matmul(?q, ?k)), ?v)\n"
                          "rule gelu: relu(mul(?x, ?y) | add(matmul(div(?a, ?b), ?v), ?c))\n"
                          "rule tanhs: tanh(?x)\n";

/// The window with a pair and rules open.
struct Matching : WindowFixture {
    RulesPart* rules = window->findChild<RulesPart*>();
    MatcherPart* matcher = window->findChild<MatcherPart*>();

    QString write(const QString& name, const QByteArray& text) {
        const QString path = folder.path() + u'/' + name;
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
            qWarning("%s could not be written", qPrintable(path));
        }
        return path;
    }
    [[nodiscard]] bool idle() {
        return QTest::qWaitFor([this] { return window->isIdle() && rules->isIdle() && matcher->isIdle(); }, 10'000);
    }
    [[nodiscard]] bool openRules(const QByteArray& text = Rules, const QString& name = QStringLiteral("a.rules")) {
        rules->open(write(name, text));
        return idle();
    }
    [[nodiscard]] bool start(const QByteArray& text = Rules) { return openAndSettle(QStringLiteral("refuted")) && openRules(text); }
    [[nodiscard]] const OutlineRows& rows() const { return rules->panel()->tree()->outline()->rows(); }
    [[nodiscard]] QStringList texts(OutlineRow::Kind kind) const {
        QStringList out;
        for (const OutlineRow& each : rows()) {
            if (each.kind == kind) {
                QStringList cells = each.cells;
                cells.removeAll(QString());
                out << cells.join(u'|');
            }
        }
        return out;
    }
    /// Chooses the first row of a kind by a click.
    [[nodiscard]] bool click(OutlineRow::Kind kind, std::size_t skip = 0) {
        window->showDock(rules->dock(), false);
        OutlineView* tree = rules->panel()->tree();
        tree->expandAll();
        for (std::size_t i = 0; i < rows().size(); ++i) {
            if (rows()[i].kind == kind && skip-- == 0) {
                const QModelIndex index = tree->outline()->indexOf(i);
                tree->scrollTo(index);
                QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(index).center());
                return idle();
            }
        }
        return false;
    }
    [[nodiscard]] QString selected() const {
        const MainWindow::Selection at = window->selection();
        return at.node.isValid() ? QString::fromStdString(window->session()->tree(at.side)->node(at.node).name) : QString();
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(window.get(), key, modifiers); }
    [[nodiscard]] const match::StepState& state() const { return *matcher->state(); }
    [[nodiscard]] QString next() const { return QString::fromStdString(state().next); }
    [[nodiscard]] FlatNodeId node(const QString& name, Side side = Side::Reference) const {
        const GraphTree& tree = *window->session()->tree(side);
        for (std::size_t i = 0; i < tree.nodeCount(); ++i) {
            if (tree.node(FlatNodeId(i)).name == name.toStdString()) {
                return FlatNodeId(i);
            }
        }
        return {};
    }
};

} // namespace

class TestWindowMatcher : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void rulesAreMatchedWithCounts() {
        Matching m;
        QVERIFY(m.start());
        QVERIFY(m.rules->dock()->isVisible());
        QCOMPARE(m.rules->panel()->answer(), QStringLiteral("matches: 1, may be rewritten: 1"));
        const QStringList rules = m.texts(OutlineRow::Kind::Rule);
        QCOMPARE(rules.size(), 3);
        QCOMPARE(rules[0], QStringLiteral("attention|1|0|0|1 may be rewritten"));
        QVERIFY2(rules[1].startsWith(QStringLiteral("gelu|0|0|0|nearest: activated (Relu), 3 of ")), qPrintable(rules[1]));
        QCOMPARE(rules[2], QStringLiteral("tanhs|0|0|0|no node has its first operator"));
        QCOMPARE(m.texts(OutlineRow::Kind::Match), QStringList(QStringLiteral("✓ mixed (MatMul)|nodes: 5; may be rewritten")));
        QVERIFY(m.rules->panel()->text()->toPlainText().startsWith(QStringLiteral("rule attention")));
        // Words filter; what is shown is copied as text.
        m.rules->panel()->filter()->setText(QStringLiteral("gelu"));
        QCOMPARE(m.texts(OutlineRow::Kind::Rule).size(), 1);
        QTest::keyClick(m.rules->panel()->tree(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("gelu  0  0  0")));
    }

    void aMatchIsOutlinedWithItsNames() {
        Matching m;
        QVERIFY(m.start());
        QVERIFY(m.click(OutlineRow::Kind::Match));
        QCOMPARE(m.selected(), QStringLiteral("mixed"));
        const ResolvedOverlay& shown = m.window->canvas(Side::Reference)->resolvedOverlay();
        QCOMPARE(std::count_if(shown.marked.begin(), shown.marked.end(), [](const auto& each) { return each.inside; }), std::ptrdiff_t{5});
        const GraphCanvas* canvas = m.window->canvas(Side::Reference);
        const std::uint32_t query = canvas->scene()->visibleItem(m.node(QStringLiteral("query")));
        QVERIFY2(canvas->describe(query).contains(QStringLiteral("held by ?q")), qPrintable(canvas->describe(query)));
        const std::uint32_t mixed = canvas->scene()->visibleItem(m.node(QStringLiteral("mixed")));
        QVERIFY(canvas->describe(mixed).contains(QStringLiteral("matched: 1")));
        // Without the names, and without any marks.
        const auto entry = [&m](const QString& text) {
            const auto all = m.window->menu(MainWindow::Menu::Matcher)->actions();
            return *std::find_if(all.begin(), all.end(), [&text](QAction* each) { return each->text().remove(u'&') == text; });
        };
        entry(QStringLiteral("Show Bindings"))->trigger();
        QVERIFY(!canvas->describe(query).contains(QStringLiteral("held by")));
        QVERIFY(canvas->describe(mixed).contains(QStringLiteral("matched: 1")));
        entry(QStringLiteral("Leave the Attempt"))->trigger();
        QVERIFY(canvas->match().marks.empty());
    }

    void stepsForwardBackIntoAndOut() {
        Matching m;
        QVERIFY(m.start());
        QVERIFY(m.click(OutlineRow::Kind::Match));
        QVERIFY(m.state().outcome == match::Outcome::Match);
        m.key(Qt::Key_F12, Qt::ControlModifier | Qt::ShiftModifier); // to the start
        QCOMPARE(m.state().position, std::uint64_t{0});
        QVERIFY(m.matcher->dock()->isVisible());
        const QString start = m.next();
        m.key(Qt::Key_F11);
        QCOMPARE(m.state().position, std::uint64_t{1});
        m.key(Qt::Key_F12);
        QCOMPARE(m.next(), start);
        m.key(Qt::Key_F11);
        m.key(Qt::Key_F11);
        QVERIFY2(m.next().startsWith(QStringLiteral("match softmax")), qPrintable(m.next()));
        // The current place on both canvases.
        const GraphCanvas* pattern = m.matcher->panel()->pattern();
        QVERIFY(pattern->scene() != nullptr);
        QVERIFY(pattern->resolvedOverlay().currentMark != NoItem);
        QVERIFY(pattern->describe(pattern->resolvedOverlay().currentMark).startsWith(QStringLiteral("softmax")));
        const GraphCanvas* canvas = m.window->canvas(Side::Reference);
        QCOMPARE(canvas->resolvedOverlay().currentMark, canvas->scene()->visibleItem(m.node(QStringLiteral("weights"))));
        m.key(Qt::Key_F10); // all of the softmax
        QVERIFY2(m.next().startsWith(QStringLiteral("match ?v")), qPrintable(m.next()));
        m.key(Qt::Key_F12, Qt::ControlModifier | Qt::ShiftModifier);
        for (int i = 0; i < 3; ++i) {
            m.key(Qt::Key_F11);
        }
        QVERIFY2(m.next().startsWith(QStringLiteral("match mul")), qPrintable(m.next()));
        m.key(Qt::Key_F11, Qt::ShiftModifier); // out of the softmax
        QVERIFY2(m.next().startsWith(QStringLiteral("match ?v")), qPrintable(m.next()));
        QVERIFY(m.matcher->panel()->title().contains(QStringLiteral("attention at mixed (MatMul): step")));
        // The state is told: what is bound where, and what is left.
        const QString told = outlineText(m.matcher->panel()->state()->outline()->rows());
        QVERIFY2(told.contains(QStringLiteral("?q  q")) && told.contains(QStringLiteral("Work left")), qPrintable(told));
        m.key(Qt::Key_F10, Qt::ControlModifier | Qt::ShiftModifier); // to the end
        QVERIFY(m.state().outcome == match::Outcome::Match);
        QVERIFY(outlineText(m.matcher->panel()->state()->outline()->rows()).contains(QStringLiteral("Why it matched")));
    }

    void aMissStopsAtTheFailureThatCameFurthest() {
        Matching m;
        QVERIFY(m.start());
        m.key(Qt::Key_F8, Qt::ControlModifier); // next partial match
        QVERIFY(m.idle());
        QVERIFY(m.matcher->state().has_value());
        QVERIFY(m.state().failureAhead);
        QVERIFY(!m.window->canvas(Side::Reference)->resolvedOverlay().currentFits);
        QVERIFY(m.rules->panel()->text()->markedLine() > 0);
        const std::uint64_t at = m.state().position;
        m.key(Qt::Key_F12, Qt::ControlModifier | Qt::ShiftModifier);
        m.key(Qt::Key_F12, Qt::ControlModifier); // the furthest again
        QCOMPARE(m.state().position, at);
        m.key(Qt::Key_F12, Qt::ControlModifier | Qt::ShiftModifier);
        m.key(Qt::Key_F12, Qt::ShiftModifier); // the next one
        QVERIFY(m.state().failureAhead);
    }

    void breakpointsStopOnRulesAndNodes() {
        Matching m;
        QVERIFY(m.start());
        QVERIFY(m.click(OutlineRow::Kind::Match));
        m.key(Qt::Key_F12, Qt::ControlModifier | Qt::ShiftModifier);
        const match::StepState before = m.state();
        m.key(Qt::Key_F10, Qt::ControlModifier); // none is set
        QCOMPARE(m.state().position, before.position);
        m.window->selectNode(Side::Reference, m.node(QStringLiteral("scores")));
        m.key(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(m.matcher->breakNodes().contains("scores"));
        m.key(Qt::Key_F10, Qt::ControlModifier);
        QVERIFY2(m.next().startsWith(QStringLiteral("match matmul")) && m.next().contains(QStringLiteral("at scores")), qPrintable(m.next()));
        m.window->selectNode(Side::Reference, m.node(QStringLiteral("scores")));
        m.key(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(m.matcher->breakNodes().empty());
        // On a rule, by its box and by the key.
        m.rules->setBreak("gelu", true);
        m.key(Qt::Key_F10, Qt::ControlModifier);
        QCOMPARE(m.state().rule, std::size_t{1});
        QCOMPARE(m.state().position, std::uint64_t{0});
        QVERIFY(m.click(OutlineRow::Kind::Rule, 1));
        m.key(Qt::Key_F9);
        QVERIFY(m.rules->breaks().empty());
        OutlineView* tree = m.rules->panel()->tree();
        QVERIFY(tree->outline()->setData(tree->outline()->index(0, 0), Qt::Checked, Qt::CheckStateRole));
        QVERIFY(m.rules->breaks().contains("attention"));
    }

    void whyNotHereOnANode() {
        Matching m;
        QVERIFY(m.start());
        GraphCanvas* canvas = m.window->canvas(Side::Reference);
        canvas->setFocus();
        m.window->selectNode(Side::Reference, m.node(QStringLiteral("activated")));
        QTest::keyClick(canvas, Qt::Key_W);
        QVERIFY(m.idle());
        QCOMPARE(m.matcher->panel()->page(), MatcherPanel::Page::WhyNot);
        QCOMPARE(m.matcher->panel()->whyTitle(), QStringLiteral("Why not at activated (Relu)?"));
        OutlineView* why = m.matcher->panel()->why();
        const OutlineRows& rows = why->outline()->rows();
        QVERIFY(!rows.empty());
        QCOMPARE(rows[0].cells[0], QStringLiteral("✗ gelu"));
        QVERIFY2(rows[0].cells[2].contains(QStringLiteral("the pattern wants div")), qPrintable(rows[0].cells[2]));
        QVERIFY(outlineText(rows).contains(QStringLiteral("alternate 1 of 2")));
        QVERIFY(outlineText(rows).contains(QStringLiteral("begin with another operator: 2")));
        // A click goes to the node and to the place in the rule.
        QTest::mouseClick(why->viewport(), Qt::LeftButton, {}, why->visualRect(why->outline()->index(0, 0)).center());
        QCOMPARE(m.selected(), QStringLiteral("weights"));
        QCOMPARE(m.rules->panel()->text()->markedLine(), 3);
        // One rule alone; Return steps to its failure.
        m.matcher->panel()->rules()->setCurrentIndex(2);
        Q_EMIT m.matcher->panel()->rules()->activated(2);
        QVERIFY(m.idle());
        QCOMPARE(why->outline()->rows()[0].cells[0], QStringLiteral("✗ gelu"));
        why->setFocus();
        why->setCurrentIndex(why->outline()->index(0, 0));
        QTest::keyClick(why, Qt::Key_Return);
        QVERIFY(m.idle());
        QCOMPARE(m.matcher->panel()->page(), MatcherPanel::Page::Steps);
        QVERIFY(m.state().failureAhead);
    }

    void theNodeMenuAsksOneRuleOrAll() {
        Matching m;
        QVERIFY(m.start());
        QMenu menu;
        Q_EMIT m.window->nodeMenuOpening(&menu, Side::Rewritten, m.node(QStringLiteral("weights"), Side::Rewritten));
        QMenu* why = nullptr;
        for (QAction* action : menu.actions()) {
            if (action->text().contains(QStringLiteral("Why Not Here"))) {
                why = action->menu();
            }
        }
        QVERIFY(why != nullptr);
        QCOMPARE(why->actions().size(), 5); // all, a line, three rules
        why->actions()[2]->trigger();
        QVERIFY(m.idle());
        QCOMPARE(m.matcher->panel()->whyTitle(), QStringLiteral("Why not at weights (Softmax)?"));
        QCOMPARE(m.matcher->panel()->why()->outline()->rows()[0].cells[0], QStringLiteral("✗ attention"));
        for (QAction* action : menu.actions()) {
            if (action->text().contains(QStringLiteral("Break Here"))) {
                action->trigger();
            }
        }
        QVERIFY(m.matcher->breakNodes().contains("weights"));
    }

    void theOtherGraphCanBeMatched() {
        Matching m;
        QVERIFY(m.start());
        m.rules->panel()->side()->setCurrentIndex(1);
        Q_EMIT m.rules->panel()->side()->activated(1);
        QVERIFY(m.idle());
        QCOMPARE(m.rules->panel()->answer(), QStringLiteral("matches: 0, may be rewritten: 0"));
        QVERIFY(m.click(OutlineRow::Kind::Miss));
        QCOMPARE(m.window->selection().side, Side::Rewritten);
        QVERIFY(m.window->canvas(Side::Rewritten)->resolvedOverlay().currentMark != NoItem);
        QVERIFY(m.window->canvas(Side::Reference)->resolvedOverlay().currentMark == NoItem);
    }

    void badRulesSayWhereAndAreMendedByTheFile() {
        Matching m;
        QVERIFY(m.openAndSettle(QStringLiteral("refuted")));
        const int before = m.window->messages()->errorCount();
        QVERIFY(m.openRules("rule r: relu(?x)\nrule q: relu(?x\n"));
        QCOMPARE(m.window->messages()->errorCount(), before + 1);
        QVERIFY(m.window->messages()->plainText().contains(QStringLiteral("a.rules:3:1")) ||
                m.window->messages()->plainText().contains(QStringLiteral("a.rules:2:")));
        QCOMPARE(m.texts(OutlineRow::Kind::Finding).size(), 1);
        QVERIFY(m.rules->panel()->text()->toPlainText().contains(QStringLiteral("rule q")));
        QVERIFY(m.rules->panel()->answer().startsWith(u'✗'));
        // A static error: nothing is matched, its line is marked.
        QTest::qWait(20);
        m.write(QStringLiteral("a.rules"), "rule r: relu(?x)\n  where rank(?why) = 2\n");
        QTRY_VERIFY(m.rules->rules() != nullptr);
        QVERIFY(m.idle());
        QVERIFY(!m.rules->rules()->passes());
        QVERIFY2(m.texts(OutlineRow::Kind::Finding).value(0).startsWith(QStringLiteral("✗ 2:")),
                 qPrintable(m.texts(OutlineRow::Kind::Finding).join(u'\n')));
        QCOMPARE(m.rules->panel()->text()->markedLine(), 2);
        m.rules->setBreak("r", true);
        m.write(QStringLiteral("a.rules"), "# mended\nrule r: relu(?x)\n");
        QTRY_VERIFY(m.rules->result() != nullptr);
        QCOMPARE(m.texts(OutlineRow::Kind::Match).size(), 1);
        QVERIFY(m.rows()[0].checked.value_or(false)); // the breakpoint stayed
        m.rules->open(m.folder.path() + QStringLiteral("/gone.rules"));
        QVERIFY(m.idle());
        QVERIFY(m.rules->rules() == nullptr);
        QVERIFY(m.window->messages()->plainText().contains(QStringLiteral("gone.rules")));
    }

    void reloadsOfThePairMatchAgain() {
        Matching m;
        QVERIFY(m.start());
        QVERIFY(m.click(OutlineRow::Kind::Match));
        const auto old = m.rules->result();
        m.key(Qt::Key_F5);
        QTRY_VERIFY(m.rules->result() != nullptr && m.rules->result() != old);
        QVERIFY(m.idle());
        QCOMPARE(m.texts(OutlineRow::Kind::Match).size(), 1);
        QVERIFY(!m.matcher->state().has_value()); // of a graph that is gone
        QVERIFY(m.window->canvas(Side::Reference)->match().marks.empty());
        m.window->session()->close();
        QVERIFY(m.idle());
        QVERIFY(m.rules->result() == nullptr);
        QVERIFY(m.rules->panel()->answer().contains(QStringLiteral("once a pair is open")));
    }

    void rulesCanBeDroppedAndOpenedBeforeThePair() {
        Matching m;
        m.window->openFiles({m.write(QStringLiteral("early.rules"), Rules)});
        QVERIFY(m.idle());
        QVERIFY(m.window->isWelcome());
        QVERIFY(m.rules->rules() != nullptr);
        QVERIFY(m.openAndSettle(QStringLiteral("refuted")));
        QTRY_VERIFY(m.rules->result() != nullptr);
        // Beside a pair that is open, rules do not open another one.
        m.window->openFiles({m.write(QStringLiteral("other.rules"), "rule r: relu(?x)\n")});
        QVERIFY(m.idle());
        QCOMPARE(m.texts(OutlineRow::Kind::Rule).size(), 1);
        QVERIFY(m.window->session()->session().isOpen());
        m.rules->close();
        QVERIFY(m.rows().empty());
        // Both are offered again.
        const auto actions = m.window->menu(MainWindow::Menu::File)->actions();
        const auto recent =
            std::find_if(actions.begin(), actions.end(), [](const QAction* a) { return a->text().contains(QStringLiteral("Rules Opened")); });
        QVERIFY(recent != actions.end());
        const auto offered = (*recent)->menu()->actions();
        QVERIFY(offered.size() >= 2); // settings last as long as the program
        QVERIFY(offered[0]->text().endsWith(QStringLiteral("other.rules")));
        QVERIFY(offered[1]->text().endsWith(QStringLiteral("early.rules")));
        offered[1]->trigger();
        QVERIFY(m.idle());
        QCOMPARE(m.texts(OutlineRow::Kind::Rule).size(), 3);
    }

    void oneGraphIsEnoughForRules() {
        const auto opened = [](Matching& m) {
            return QTest::qWaitFor([&m] { return m.window->session()->session().isOpen() && m.rules->result() != nullptr; }, 10'000) && m.idle();
        };
        for (const bool rulesFirst : {true, false}) {
            Matching m;
            m.window->resize(1366, 728);
            m.window->show();
            const QString graph = m.write(QStringLiteral("one.lsg.json"), "{}");
            const QString rules = m.write(QStringLiteral("one.rules"), Rules);
            m.window->openFiles({rulesFirst ? rules : graph});
            QVERIFY(m.idle());
            QVERIFY(!m.window->session()->session().isOpen());
            m.window->openFiles({rulesFirst ? graph : rules});
            QVERIFY(opened(m));
            QCOMPARE(m.window->session()->session().reference, m.window->session()->session().rewritten);
            // The pane comes up with them, wide enough for its columns.
            QVERIFY(m.rules->dock()->isVisible() && !m.rules->dock()->visibleRegion().isEmpty());
            QTRY_VERIFY(m.rules->dock()->width() >= m.window->width() / 3);
            // Another graph is a rewrite of it.
            m.window->openFiles({m.write(QStringLiteral("two.lsg.json"), "{}")});
            QVERIFY(m.idle());
            QTRY_VERIFY(m.window->session()->session().reference != m.window->session()->session().rewritten);
        }
    }

    void whyNotHereWorksWhereverTheFocusIs() {
        Matching m;
        QVERIFY(m.start());
        m.window->selectNode(Side::Reference, m.node(QStringLiteral("activated")));
        const auto asked = [&m] { return m.matcher->panel()->whyTitle(); };
        // In a text field a letter is a letter.
        QLineEdit* filter = m.rules->panel()->filter();
        filter->setFocus();
        QTest::keyClick(filter, Qt::Key_W);
        QVERIFY(m.idle());
        QCOMPARE(filter->text(), QStringLiteral("w"));
        QVERIFY(!asked().contains(QStringLiteral("activated")));
        filter->clear();
        for (QWidget* focused : {static_cast<QWidget*>(m.rules->panel()->tree()), static_cast<QWidget*>(m.rules->panel()->text()),
                                 static_cast<QWidget*>(m.rules->panel()->side()), static_cast<QWidget*>(m.window->canvas(Side::Rewritten))}) {
            m.window->selectNode(Side::Reference, m.node(QStringLiteral("activated")));
            m.matcher->panel()->setWhy({}, {});
            focused->setFocus();
            QTest::keyClick(focused, Qt::Key_W);
            QVERIFY(m.idle());
            QCOMPARE(asked(), QStringLiteral("Why not at activated (Relu)?"));
        }
    }

    void longMatchingIsStopped() {
        Matching m;
        QVERIFY(m.openAndSettle(QStringLiteral("refuted")));
        QVERIFY(m.openRules());
        m.rules->run();
        QVERIFY(!m.rules->isIdle());
        for (QAction* action : m.window->menu(MainWindow::Menu::Lemmas)->actions()) { // at once: a key would be late
            if (action->shortcuts().contains(QKeySequence(Qt::Key_Escape))) {
                action->trigger();
            }
        }
        QVERIFY(m.rules->isIdle());
        QVERIFY(m.rules->panel()->answer().contains(QStringLiteral("stopped")));
        m.key(Qt::Key_F9, Qt::ControlModifier);
        QVERIFY(m.idle());
        QCOMPARE(m.texts(OutlineRow::Kind::Match).size(), 1);
    }

    void aMatchOpensItsReplacementWhichIsChecked() {
        QTemporaryDir folder;
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(folder.path() + QStringLiteral("/config")));
        MainWindow window(realServices(), {}, (folder.path() + QStringLiteral("/state")).toStdString());
        window.resize(1366, 728);
        window.show();
        auto* rules = window.findChild<RulesPart*>();
        auto* replacement = window.findChild<ReplacementPart*>();
        const auto idle = [&] { return QTest::qWaitFor([&] { return window.isIdle() && rules->isIdle() && replacement->isIdle(); }, 60'000); };
        const QString samples = QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/samples/softmax_axis");
        window.openPair(samples + QStringLiteral(".ref.lsg.json"), samples + QStringLiteral(".rew.lsg.json"));
        QVERIFY(idle());
        const auto openText = [&](const QByteArray& text, const QString& name) {
            QFile file(folder.path() + u'/' + name);
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && (file.close(), rules->open(file.fileName()), idle());
        };
        const auto choose = [&] {
            const OutlineRows& rows = rules->panel()->tree()->outline()->rows();
            const auto at = std::find_if(rows.begin(), rows.end(), [](const OutlineRow& row) { return row.kind == OutlineRow::Kind::Match; });
            if (at != rows.end()) {
                rules->panel()->tree()->choose(static_cast<std::size_t>(at - rows.begin()));
            }
            return at != rows.end() && idle();
        };
        // A right rule: proved.
        rules->open(samples + QStringLiteral(".rules"));
        QVERIFY(idle());
        QVERIFY(choose());
        QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(idle());
        QTRY_VERIFY(window.session()->session().result != nullptr);
        const Session& session = window.session()->session();
        QVERIFY2(session.rewritten.string().find("softmax_axis.move_softmax.y") != std::string::npos, session.rewritten.string().c_str());
        QVERIFY(session.reference.string().ends_with("softmax_axis.ref.lsg.json"));
        QCOMPARE(session.result->verdict, Verdict::Proved);
        QCOMPARE(window.session()->tree(Side::Rewritten)->nodeCount(), std::size_t{4});
        // A wrong one: refuted, with an input.
        QVERIFY(openText("rule wrong: transpose{perm=[1,0]}(softmax{axis=1}(transpose{perm=[1,0]}(?x))) => softmax{axis=1}(?x)\n",
                         QStringLiteral("wrong.rules")));
        QVERIFY(choose());
        replacement->openReplacement();
        QVERIFY(idle());
        QTRY_VERIFY(session.rewritten.string().find("wrong") != std::string::npos && session.result != nullptr);
        QCOMPARE(session.result->verdict, Verdict::Refuted);
        // All rules of a file; and what cannot be replaced says why.
        QVERIFY(openText("rule twice: transpose{perm=[1,0]}(softmax{axis=1}(transpose{perm=[1,0]}(?x))) => softmax{axis=0}(?x)\n"
                         "rule scaled: mul(matmul(?q, ?k), ?s) => matmul(mul(?q, ?s), ?k)\n",
                         QStringLiteral("both.rules")));
        QTest::keyClick(&window, Qt::Key_A, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(idle());
        QTRY_VERIFY(session.rewritten.string().find("softmax_axis.all") != std::string::npos && session.result != nullptr);
        QCOMPARE(session.result->verdict, Verdict::Proved);
        QVERIFY(openText("rule refused: softmax{axis=1}(?x) => transpose{perm=[0,1,2]}(?x)\n", QStringLiteral("refused.rules")));
        const int errors = window.messages()->errorCount();
        QVERIFY(choose());
        replacement->openReplacement();
        QVERIFY(idle());
        QCOMPARE(window.messages()->errorCount(), errors + 1);
        QVERIFY2(window.messages()->plainText().contains(QStringLiteral("was not replaced")), qPrintable(window.messages()->plainText()));
        window.close();
    }

    void sessionsKeepTheRulesAndBreakpoints() {
        Matching m;
        QVERIFY(m.start());
        m.rules->setBreak("gelu", true);
        m.matcher->setBreak(Side::Reference, m.node(QStringLiteral("scores")), true);
        auto* sessions = m.window->findChild<SessionPart*>();
        const QString file = m.folder.path() + QStringLiteral("/kept.lsession");
        sessions->saveTo(file);
        QTRY_VERIFY(QFile::exists(file));
        m.rules->close();
        m.rules->setBreaks({});
        m.matcher->setBreakNodes({});
        m.window->openFiles({file});
        QTRY_VERIFY(m.rules->rules() != nullptr);
        QVERIFY(m.idle());
        QCOMPARE(m.rules->breaks(), std::set<std::string>{"gelu"});
        QCOMPARE(m.matcher->breakNodes(), std::set<std::string>{"scores"});
        QCOMPARE(m.texts(OutlineRow::Kind::Rule).size(), 3);
    }

    void rulesOfTheLibraryAreOpenedByName() {
        Matching m;
        QVERIFY(m.openAndSettle(QStringLiteral("refuted")));
        m.rules->open(QStringLiteral("@attention"));
        QVERIFY(m.idle());
        QVERIFY(m.rules->rules() != nullptr);
        QVERIFY(!m.texts(OutlineRow::Kind::Rule).isEmpty());
        QCOMPARE(m.rules->source(), QStringLiteral("@attention"));
        m.rules->open(QStringLiteral("@nothing"));
        QVERIFY(m.idle());
        QVERIFY(m.rules->rules() == nullptr);
    }

    void withoutRulesTheKeysSayWhatToDo() {
        Matching m;
        QVERIFY(m.openAndSettle(QStringLiteral("refuted")));
        GraphCanvas* canvas = m.window->canvas(Side::Reference);
        canvas->setFocus();
        m.window->selectNode(Side::Reference, m.node(QStringLiteral("mixed")));
        QTest::keyClick(canvas, Qt::Key_W);
        QVERIFY(m.rules->dock()->isVisible());
        QVERIFY(m.rules->panel()->answer().contains(QStringLiteral("Open a rule file")));
        m.key(Qt::Key_F11);
        QVERIFY(!m.matcher->state().has_value());
        // With rules, a step begins at the selected node.
        QVERIFY(m.openRules());
        m.window->selectNode(Side::Reference, m.node(QStringLiteral("mixed")));
        m.key(Qt::Key_F11);
        QVERIFY(m.matcher->state().has_value());
        QCOMPARE(m.state().position, std::uint64_t{0});
    }
};

QTEST_MAIN(TestWindowMatcher)
#include "tst_window_matcher.moc"
