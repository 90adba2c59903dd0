#include "tests/ui/window/stress.h"

#include "app/window/services.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/jobs/job_list_model.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <chrono>
#include <thread>

namespace lemmascope::test {

namespace {

std::shared_ptr<const Graph> blocks(std::size_t nodes, bool rewritten) {
    constexpr std::size_t PerBlock = 4;
    auto graph = std::make_shared<Graph>();
    const TensorType type{ElementType::F32, Shape{Dim(4), Dim(4)}};
    const auto value = [&](const std::string& name) {
        Value made;
        made.name = name;
        made.type = type;
        return graph->addValue(made);
    };
    ValueId before = value("x");
    const ValueId weight = value("w");
    graph->inputs = {before, weight};
    const std::size_t count = nodes / PerBlock;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string at = "block" + std::to_string(i) + "/";
        const auto node = [&](const char* op, std::vector<ValueId> operands) {
            Node made;
            made.op = {"", op, 17};
            made.name = at + op;
            for (const ValueId operand : operands) {
                made.operands.emplace_back(operand);
            }
            const ValueId result = value(at + op + "_out");
            made.results = {result};
            graph->addNode(std::move(made));
            return result;
        };
        const ValueId product = node("MatMul", {before, weight});
        const ValueId bent = node(rewritten && i == count / 2 ? "Sigmoid" : "Relu", {product});
        before = node("Tanh", {node("Add", {before, bent})});
    }
    graph->outputs = {before};
    return graph;
}

/// What a check of a large pair may come to, at once: 500 lemmas, marks and reasons on half of the nodes.
Result<CheckResult> largeResult(const std::shared_ptr<const Graph>& reference, const std::shared_ptr<const Graph>& rewritten, const CheckWatch& watch,
                                const std::stop_token& stop) {
    CheckResult result;
    result.reference = std::make_shared<const GraphTree>(*GraphTree::build(reference));
    result.rewritten = std::make_shared<const GraphTree>(*GraphTree::build(rewritten));
    const std::size_t all = reference->nodes.size();
    for (std::size_t i = 0; i < all; ++i) {
        const NodeMark mark = i == all / 2 ? NodeMark::Failing : i > all / 2 ? NodeMark::Changed : NodeMark::Shared;
        const std::string reason = mark == NodeMark::Shared ? "" : "an operand differs: the output of node " + std::to_string(i - 1);
        result.correspondence.reference.push_back({mark, FlatNodeId(i), reason, {}});
        result.correspondence.rewritten.push_back({mark, FlatNodeId(i), reason, {}});
    }
    watch.correspondence(result.correspondence);
    constexpr std::size_t Lemmas = 500;
    for (std::size_t i = 0; i < Lemmas; ++i) {
        if (stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "stopped");
        }
        watch.progress({CheckProgress::Stage::Deciding, i, Lemmas, "Relu = Relu"});
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        LemmaResult lemma;
        lemma.id = "L" + std::to_string(i + 1);
        lemma.verdict = i == Lemmas / 2 ? LemmaVerdict::Fails : LemmaVerdict::Holds;
        lemma.title = "Relu = Relu";
        lemma.text = std::string(20'000, ';');
        const FlatNodeId node(i == Lemmas / 2 ? all / 2 : i);
        lemma.referenceNodes = {node};
        lemma.rewrittenNodes = {node};
        result.lemmas.push_back(std::move(lemma));
    }
    result.verdict = Verdict::Unproved;
    result.reason = "differs";
    return result;
}

} // namespace

Services stressServices(bool largeAtOnce) {
    Services services = realServices();
    services.check = [largeAtOnce, real = services.check](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten,
                                                          const CheckOptions& options, const CheckWatch& watch, std::stop_token stop) {
        constexpr std::size_t Large = 20'000;
        return largeAtOnce && reference->nodes.size() > Large ? largeResult(reference, rewritten, watch, stop)
                                                              : real(reference, rewritten, options, watch, stop);
    };
    services.load = [real = services.load](const std::filesystem::path& path, std::stop_token stop) -> Result<std::shared_ptr<const Graph>> {
        const std::string name = path.filename().string();
        if (name.rfind("blocks-", 0) == 0) {
            return blocks(static_cast<std::size_t>(std::stoul(name.substr(7))), name.find(".rew.") != std::string::npos);
        }
        return real(path, std::move(stop));
    };
    return services;
}

Stress::Stress(MainWindow& window, QString folder, unsigned seed) : m_window(window), m_folder(std::move(folder)), m_random(seed) {
    for (const char* nodes : {"1000", "5000", "50000"}) {
        for (const char* side : {"ref", "rew"}) {
            writeFile(QStringLiteral("blocks-%1.%2.json").arg(QString::fromLatin1(nodes), QString::fromLatin1(side)));
        }
    }
    const auto add = [this](const char* what, std::function<void()> act, int weight = 1) {
        for (int i = 0; i < weight; ++i) {
            m_acts.emplace_back(what, act);
        }
    };
    add(
        "open a large pair", [this] { openLarge(50'000); }, 2);
    add(
        "open a pair", [this] { openAny(); }, 2);
    add(
        "next failing", [this] { key(Qt::Key_F8); }, 3);
    add(
        "next difference", [this] { key(Qt::Key_Down, Qt::AltModifier); }, 3);
    add("previous difference", [this] { key(Qt::Key_Up, Qt::AltModifier); });
    add("back", [this] { key(Qt::Key_Left, Qt::AltModifier); });
    add("forward", [this] { key(Qt::Key_Right, Qt::AltModifier); });
    add("partner", [this] { key(Qt::Key_Space, Qt::ControlModifier); });
    add(
        "zoom", [this] { wheel(below(2) == 0 ? 120 : -120, Qt::ControlModifier); }, 6);
    add(
        "scroll", [this] { wheel(below(2) == 0 ? 240 : -240, Qt::NoModifier); }, 6);
    add(
        "fit", [this] { key(Qt::Key_F); }, 2);
    add(
        "step along nodes", [this] { key(below(2) == 0 ? Qt::Key_Down : Qt::Key_BracketRight); }, 3);
    add("focus on the difference", [this] { key(Qt::Key_D, Qt::ControlModifier); });
    add("more hops", [this] { key(Qt::Key_H, Qt::ShiftModifier); });
    add("monochrome, labels", [this] { m_window.canvas(Side::Reference)->setEdgeLabels(below(2) == 0 ? EdgeLabels::Types : EdgeLabels::Names); });
    add(
        "select a node",
        [this] {
            const Side side = below(2) == 0 ? Side::Reference : Side::Rewritten;
            if (const GraphTree* tree = m_window.session()->tree(side)) {
                m_window.selectNode(side, FlatNodeId(below(tree->nodeCount())));
            }
        },
        3);
    add(
        "show a dock", [this] { key(Qt::Key_1 + static_cast<int>(below(9)), Qt::ControlModifier); }, 3);
    add("default layout", [this] { key(Qt::Key_0, Qt::ControlModifier); });
    add("check again", [this] { key(Qt::Key_F7, Qt::ShiftModifier); });
    add(
        "reload", [this] { key(Qt::Key_F5); }, 2);
    add("swap sides", [this] { m_window.session()->swapSides(); });
    add(
        "stop", [this] { key(Qt::Key_Escape); }, 2);
    add("close", [this] { key(Qt::Key_W, Qt::ControlModifier); });
    add("resize", [this] { m_window.resize(1000 + static_cast<int>(below(600)), 700 + static_cast<int>(below(200))); });
    add("files change", [this] {
        writeFile(QStringLiteral("blocks-50000.rew.json"));
        writeFile(QStringLiteral("blocks-5000.ref.json"));
    });
    add(
        "any entry of the menus", [this] { anyEntry(); }, 12);
    add("export a report", [this] { m_window.exportReport(m_folder + QStringLiteral("/report%1").arg(++m_reports % 3), false); });
}

void Stress::writeFile(const QString& path) {
    QFile file(m_folder + u'/' + path);
    if (file.open(QIODevice::WriteOnly | QIODevice::Append)) {
        file.write("\n");
    }
}

/// Also those of parts that nobody told this script of. What asks for a file, and what ends it all, is left out.
void Stress::anyEntry() {
    QList<QAction*> entries;
    QList<QMenu*> menus;
    for (std::size_t i = 0; i < MainWindow::MenuCount; ++i) {
        menus << m_window.menu(static_cast<MainWindow::Menu>(i));
    }
    while (!menus.isEmpty()) {
        for (QAction* action : menus.takeLast()->actions()) {
            if (action->menu() != nullptr) {
                menus << action->menu();
            } else if (action->isEnabled() && !action->isSeparator() && !action->text().contains(u'…') &&
                       !action->text().contains(QStringLiteral("Quit")) && action->text() != QStringLiteral("F&ull Screen")) {
                entries << action;
            }
        }
    }
    if (entries.isEmpty()) {
        return;
    }
    QAction* entry = entries[static_cast<qsizetype>(below(static_cast<std::size_t>(entries.size())))];
    m_detail = entry->text();
    entry->trigger();
    for (QWidget* top : QApplication::topLevelWidgets()) {
        if (top != &m_window && top->isVisible() && qobject_cast<QDialog*>(top) != nullptr) {
            QTimer::singleShot(300, top, &QWidget::close);
        }
    }
}

QString Stress::act() {
    m_detail.clear();
    const Act& chosen = m_acts[below(m_acts.size())];
    chosen.second();
    return QString::fromLatin1(chosen.first) + (m_detail.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(m_detail));
}

void Stress::openLarge(std::size_t nodes) {
    const QString stem = m_folder + QStringLiteral("/blocks-%1.").arg(nodes);
    m_window.openPair(stem + QStringLiteral("ref.json"), stem + QStringLiteral("rew.json"));
}

void Stress::openAny() {
    const std::size_t kind = below(6);
    if (kind < 3) {
        openLarge(kind == 0 ? 1'000 : kind == 1 ? 5'000 : 50'000);
        return;
    }
    static const QStringList names{QStringLiteral("resources/samples/out_of_time"), QStringLiteral("resources/samples/softmax_axis"),
                                   QStringLiteral("tests/data/cases/json/part_read_shifted"), QStringLiteral("resources/samples/heads_reordered")};
    const QString stem = QStringLiteral(LEMMASCOPE_SOURCE_DIR "/") + names[static_cast<qsizetype>(below(static_cast<std::size_t>(names.size())))];
    m_window.openPair(stem + QStringLiteral(".ref.lsg.json"), stem + QStringLiteral(".rew.lsg.json"));
}

QString Stress::cancel() {
    switch (below(4)) {
    case 0: key(Qt::Key_Escape); return QStringLiteral("Esc");
    case 1:
        for (int row = m_window.jobs()->rowCount() - 1; row >= 0; --row) {
            m_window.jobs()->stop(row);
        }
        return QStringLiteral("Stop in Jobs");
    case 2: m_window.session()->close(); return QStringLiteral("close");
    default: m_window.session()->reload(); return QStringLiteral("reload");
    }
}

void Stress::key(int key, Qt::KeyboardModifiers modifiers) {
    QWidget* focus = m_window.focusWidget();
    if (focus == nullptr || below(3) == 0) {
        focus = m_window.isWelcome() ? static_cast<QWidget*>(&m_window) : m_window.canvas(below(2) == 0 ? Side::Reference : Side::Rewritten);
        focus->setFocus();
    }
    QTest::keyClick(focus, static_cast<Qt::Key>(key), modifiers);
}

void Stress::wheel(int delta, Qt::KeyboardModifiers modifiers) {
    if (m_window.isWelcome()) {
        return;
    }
    QWidget* over = m_window.canvas(below(2) == 0 ? Side::Reference : Side::Rewritten)->viewport();
    const QPointF at(over->width() * 0.4, over->height() * 0.6);
    QWheelEvent event(at, over->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(over, &event);
}

} // namespace lemmascope::test
