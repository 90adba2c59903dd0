// The window at scale: bench_window FAMILY NODES, one pair a run, numbers as one JSON object on standard output. The pair is written to
// files, opened in the real window (MainWindow, offscreen) with the real services, and watched until both canvases have painted the
// graphs with their marks. CPU time of the first picture is that of the whole process: reading, types, terms, pairing, groups, layout,
// painting; what the check's thread does between giving out the marks and the picture is told apart (`check_meanwhile_ms`). Frames are
// CPU time of the UI thread for one pane, jumps of the whole process for both.
//
// Families: `transformer` (layers of 14 nodes with scopes), `unet` (levels with long skip edges), `random` (each node reads two of the
// last 60), `constant` (a chain in which every second node reads the same constant). The last tenth of the rewritten graph swaps the
// operands of ten sums and has one other operator.

#include "app/window/services.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <pthread.h>
#include <random>
#include <sys/resource.h>

namespace lemmascope {

namespace {

double cpuMs(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}
double processMs() { return cpuMs(CLOCK_PROCESS_CPUTIME_ID); }
double threadMs() { return cpuMs(CLOCK_THREAD_CPUTIME_ID); }

/// Writes nodes one after the other; all values are f32[4,4].
class Writer {
  public:
    Writer(std::size_t nodes, bool rewritten) : m_wanted(nodes), m_rewritten(rewritten) {}

    std::string node(const std::string& name, std::string op, std::vector<std::string> operands, const std::string& attributes = {}) {
        if (m_rewritten && op == "Add" && m_count > m_wanted * 90 / 100 && operands.size() == 2 && m_swapped++ < 10) {
            std::swap(operands[0], operands[1]);
        }
        if (m_rewritten && !m_wrong && m_count > m_wanted * 95 / 100 && op == "Relu") {
            op = "Abs";
            m_wrong = true;
        }
        m_text += std::string(m_count > 0 ? ",\n" : "") + R"({"op":")" + op + R"(","name":")" + name + R"(","in":[)";
        for (std::size_t i = 0; i < operands.size(); ++i) {
            m_text += (i > 0 ? ",\"" : "\"") + operands[i] + "\"";
        }
        m_text += R"(],"out":[")" + name + R"(_out"])" + (attributes.empty() ? "" : R"(,"attrs":)" + attributes) + "}";
        ++m_count;
        return name + "_out";
    }
    [[nodiscard]] bool isDone() const { return m_count >= m_wanted; }
    [[nodiscard]] std::size_t count() const { return m_count; }
    void write(const std::string& file, const std::string& output) const {
        std::ofstream out(file);
        out << R"({"format":"lemmascope-graph","version":1,"name":"bench","opset":17,"inputs":[{"name":"x","type":"f32","shape":[4,4]}],)"
            << R"("constants":[{"name":"scale","type":"f32","shape":[],"data":[0.5]}],"nodes":[)"
            << "\n"
            << m_text << "\n],\"outputs\":[\"" << output << "\"]}\n";
    }

  private:
    std::size_t m_wanted;
    bool m_rewritten;
    bool m_wrong = false;
    int m_swapped = 0;
    std::size_t m_count = 0;
    std::string m_text;
};

std::string transformer(Writer& out) {
    std::string x = "x";
    for (int layer = 0; !out.isDone(); ++layer) {
        const std::string at = "/model/layer." + std::to_string(layer) + "/";
        const std::string norm = out.node(at + "norm1", "Neg", {x});
        const std::string query = out.node(at + "attention/query", "Relu", {norm}), key = out.node(at + "attention/key", "Abs", {norm});
        const std::string value = out.node(at + "attention/value", "Exp", {norm});
        const std::string turned = out.node(at + "attention/turned", "Transpose", {key}, R"({"perm":[1,0]})");
        const std::string scores = out.node(at + "attention/scores", "MatMul", {query, turned});
        const std::string scaled = out.node(at + "attention/scaled", "Mul", {scores, "scale"});
        const std::string weights = out.node(at + "attention/weights", "Softmax", {scaled}, R"({"axis":-1})");
        const std::string mixed = out.node(at + "attention/mixed", "MatMul", {weights, value});
        const std::string middle = out.node(at + "add1", "Add", {x, mixed});
        const std::string up = out.node(at + "mlp/up", "Relu", {out.node(at + "norm2", "Neg", {middle})});
        x = out.node(at + "add2", "Add", {middle, out.node(at + "mlp/down", "Tanh", {up})});
    }
    return x;
}

std::string unet(Writer& out) {
    std::string x = "x";
    for (int net = 0; !out.isDone(); ++net) {
        std::vector<std::string> skips;
        for (int level = 0; level < 24 && !out.isDone(); ++level) {
            const std::string at = "net" + std::to_string(net) + "/down" + std::to_string(level) + "/";
            x = out.node(at + "act1", "Relu", {out.node(at + "conv1", "MatMul", {x, x})});
            x = out.node(at + "act2", "Tanh", {out.node(at + "conv2", "Mul", {x, "scale"})});
            skips.push_back(x);
        }
        for (std::size_t level = skips.size(); level-- > 0 && !out.isDone();) {
            const std::string at = "net" + std::to_string(net) + "/up" + std::to_string(level) + "/";
            x = out.node(at + "join", "Add", {x, skips[level]});
            x = out.node(at + "act", "Relu", {out.node(at + "conv", "Mul", {x, "scale"})});
        }
    }
    return x;
}

std::string random(Writer& out) {
    std::mt19937 random(20261130);
    std::vector<std::string> names{"x"};
    while (!out.isDone()) {
        const auto operand = [&] { return names[names.size() - 1 - random() % std::min<std::size_t>(names.size(), 60)]; };
        const std::string name = "n" + std::to_string(out.count());
        const std::string a = operand(), b = operand();
        names.push_back(random() % 3 == 0 ? out.node(name, "Relu", {a}) : out.node(name, random() % 2 == 0 ? "Add" : "Mul", {a, b}));
    }
    return names.back();
}

std::string constant(Writer& out) {
    std::string x = "x";
    while (!out.isDone()) {
        const std::string name = "n" + std::to_string(out.count());
        x = out.count() % 2 == 0 ? out.node(name, "Mul", {x, "scale"}) : out.node(name, "Relu", {x});
    }
    return x;
}

double percentile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// Counts paints of both canvases.
class Paints : public QObject {
  public:
    explicit Paints(MainWindow& window) : m_window(window) {
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            window.canvas(side)->viewport()->installEventFilter(this);
        }
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint) {
            for (const Side side : {Side::Reference, Side::Rewritten}) {
                if (watched == m_window.canvas(side)->viewport()) {
                    ++count[static_cast<std::size_t>(side)];
                }
            }
        }
        return false;
    }
    void reset() { count[0] = count[1] = 0; }
    [[nodiscard]] bool both() const { return count[0] > 0 && count[1] > 0; }
    int count[2] = {0, 0};

  private:
    MainWindow& m_window;
};

bool waitFor(const std::function<bool()>& done, int ms) { return QTest::qWaitFor(done, ms); }

/// Frames of both panes: fitted, panning, and zooming in and back out. Each counts one pane.
std::vector<double> frames(MainWindow& window, bool zoom) {
    std::vector<double> times;
    for (int frame = 0; frame < 60; ++frame) {
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            GraphCanvas* canvas = window.canvas(side);
            const double start = threadMs();
            if (zoom) {
                canvas->zoomBy(frame < 30 ? 1.15 : 1.0 / 1.15);
            } else {
                canvas->panTo(canvas->viewCentre() + QPointF((frame % 2 == 0 ? 9.0 : -7.0) / canvas->scale(), 5.0 / canvas->scale()));
            }
            canvas->viewport()->repaint();
            times.push_back(threadMs() - start);
        }
        QApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    }
    return times;
}

int run(const std::string& family, std::size_t nodes) {
    const std::map<std::string, std::string (*)(Writer&)> families{
        {"transformer", transformer}, {"unet", unet}, {"random", random}, {"constant", constant}};
    const auto made = families.find(family);
    QTemporaryDir folder;
    if (made == families.end() || nodes == 0 || !folder.isValid()) {
        std::fputs("usage: bench_window transformer|unet|random|constant NODES\n", stderr);
        return 64;
    }
    qputenv("XDG_CONFIG_HOME", QFile::encodeName(folder.path()));
    qputenv("XDG_CACHE_HOME", QFile::encodeName(folder.path()));
    QString files[2];
    for (const bool rewritten : {false, true}) {
        Writer writer(nodes, rewritten);
        const std::string output = made->second(writer);
        files[rewritten ? 1 : 0] = folder.path() + (rewritten ? QStringLiteral("/b.lsg.json") : QStringLiteral("/a.lsg.json"));
        writer.write(files[rewritten ? 1 : 0].toStdString(), output);
    }

    // The real services, with a clock around what they do.
    std::atomic<double> loadMs{0.0}, layoutMs{0.0}, marksMs{0.0}, atMarks{0.0};
    clockid_t checkClock = CLOCK_THREAD_CPUTIME_ID; // written before the marks are out, read after
    Services services = realServices();
    services.load = [&loadMs, load = services.load](const std::filesystem::path& path, std::stop_token stop) {
        const double start = threadMs();
        auto graph = load(path, stop);
        loadMs = loadMs + threadMs() - start;
        return graph;
    };
    services.layout = [&layoutMs, layout = services.layout](const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token stop) {
        const double start = threadMs();
        auto placed = layout(reference, rewritten, stop);
        layoutMs = layoutMs + threadMs() - start;
        return placed;
    };
    services.check = [&marksMs, &atMarks, &checkClock, check = services.check](std::shared_ptr<const Graph> reference,
                                                                               std::shared_ptr<const Graph> rewritten, const CheckOptions& options,
                                                                               const CheckWatch& watch, std::stop_token stop) {
        const double start = threadMs();
        pthread_getcpuclockid(pthread_self(), &checkClock);
        CheckWatch timed = watch;
        timed.correspondence = [&marksMs, &atMarks, start, watch](const Correspondence& marks) {
            if (marksMs == 0.0) {
                atMarks = threadMs();
                marksMs = threadMs() - start;
            }
            watch.correspondence(marks);
        };
        return check(std::move(reference), std::move(rewritten), options, timed, stop);
    };
    MainWindow window(std::move(services), {}, {});
    window.setGoesToFailing(false);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        window.canvas(side)->setAnimated(false);
    }
    window.resize(1600, 1000);
    window.show();
    QApplication::processEvents();
    Paints paints(window);

    // First picture, and first one with marks.
    constexpr int Patience = 300'000;
    PairSession& session = *window.session();
    bool marked = false;
    QObject::connect(&session, &PairSession::scenesChanged, &window, [&](const ScenePair&) {
        marked = session.correspondence() != nullptr;
        paints.reset();
    });
    QElapsedTimer clock;
    clock.start();
    const double start = processMs(), startUi = threadMs();
    window.openPair(files[0], files[1]);
    double plainMs = 0.0, markedMs = 0.0, meanwhileMs = 0.0, uiMs = 0.0, wallMs = 0.0;
    const bool shown = waitFor(
        [&] {
            if (paints.both() && window.canvas(Side::Reference)->scene() && window.canvas(Side::Rewritten)->scene()) {
                plainMs = plainMs == 0.0 ? processMs() - start : plainMs;
                if (marked && markedMs == 0.0) {
                    markedMs = processMs() - start;
                    meanwhileMs = std::max(0.0, cpuMs(checkClock) - atMarks);
                    uiMs = threadMs() - startUi;
                    wallMs = static_cast<double>(clock.elapsed());
                }
            }
            return markedMs > 0.0;
        },
        Patience);
    const double firstLayoutMs = layoutMs;
    if (!shown) {
        std::fputs("bench_window: no picture\n", stderr);
        return 1;
    }
    const Grouping grouping = session.grouping();
    const std::size_t groupedItems = window.canvas(Side::Reference)->scene()->itemCount();

    // A jump: to a differing node as it is shown now, from elsewhere.
    session.stop();
    static_cast<void>(waitFor([&] { return session.isIdle(); }, Patience));
    const auto jump = [&](FlatNodeId node) {
        window.canvas(Side::Reference)->fit();
        window.canvas(Side::Rewritten)->fit();
        QApplication::processEvents();
        paints.reset();
        const double before = processMs();
        window.goToNode(Side::Reference, node);
        static_cast<void>(waitFor([&] { return session.isIdle() && paints.both(); }, Patience));
        return processMs() - before;
    };
    const std::vector<FlatNodeId> differing = session.differingNodes(Side::Reference);
    const FlatNodeId wrong = differing.empty() ? FlatNodeId(nodes - 1) : differing.front();
    const double jumpMs = jump(wrong), jumpIntoGroupMs = jump(FlatNodeId(nodes / 2));

    // Every node by itself, wholly in view.
    layoutMs = 0.0;
    const double beforeFlat = processMs();
    session.setGrouping(Grouping::None);
    static_cast<void>(waitFor([&] { return session.isIdle(); }, Patience));
    const double flatMs = processMs() - beforeFlat, flatLayoutMs = layoutMs;
    window.canvas(Side::Reference)->fit();
    window.canvas(Side::Rewritten)->fit();
    QApplication::processEvents();
    const std::vector<double> whole = frames(window, false), zoomed = frames(window, true);
    const double flatJumpMs = jump(wrong);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);

    std::printf("{\"family\": \"%s\", \"nodes\": %zu, \"first_picture_ms\": %.0f, \"first_marked_picture_ms\": %.0f, \"check_meanwhile_ms\": %.0f, "
                "\"ui_thread_ms\": %.0f, "
                "\"wall_ms\": %.0f, \"read_both_ms\": %.0f, \"terms_and_marks_ms\": %.0f, \"layout_ms\": %.0f, \"items\": %zu, \"grouping\": %d, "
                "\"jump_ms\": %.1f, \"jump_into_group_ms\": %.1f, \"flat_scene_ms\": %.0f, \"flat_layout_ms\": %.0f, \"frame_whole_p95_ms\": %.1f, "
                "\"frame_zoom_p95_ms\": %.1f, \"flat_jump_ms\": %.1f, \"memory_mb\": %.0f}\n",
                family.c_str(), nodes, plainMs, markedMs, meanwhileMs, uiMs, wallMs, loadMs.load(), marksMs.load(), firstLayoutMs, groupedItems,
                static_cast<int>(grouping), jumpMs, jumpIntoGroupMs, flatMs, flatLayoutMs, percentile(whole, 0.95), percentile(zoomed, 0.95),
                flatJumpMs, static_cast<double>(used.ru_maxrss) / 1024.0);
    const char* picture = std::getenv("LEMMASCOPE_BENCH_PICTURE");
    if (picture != nullptr) {
        window.canvas(Side::Reference)->fit();
        window.canvas(Side::Rewritten)->fit();
        window.grab().save(QString::fromLocal8Bit(picture));
    }
    return 0;
}

} // namespace

} // namespace lemmascope

int main(int argc, char** argv) {
    qputenv("QT_LOGGING_RULES", "*.warning=false");
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    return argc == 3 ? lemmascope::run(argv[1], std::strtoull(argv[2], nullptr, 10)) : lemmascope::run({}, 0);
}
