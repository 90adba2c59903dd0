// Building, painting and hit-testing scenes, CPU time. Families: `blocks`, deep and narrow; `window`, a DAG 60 nodes wide whose
// nodes read two of the last 60. QT_QPA_PLATFORM=offscreen is set here; pictures are 1600 x 1000.

#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/graph_canvas.h"

#include <QApplication>
#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <map>
#include <random>
#include <sstream>

namespace lemmascope {

namespace {

enum Family : std::int64_t { Blocks, Window };
constexpr int Width = 1600;
constexpr int Height = 1000;

std::shared_ptr<const GraphTree> window(std::size_t nodes) {
    std::mt19937 random(20261129);
    std::ostringstream text;
    for (std::size_t i = 0; i < nodes; ++i) {
        text << "n" << i << " = Add";
        for (int k = 0; k < 2; ++k) {
            const std::size_t back = 1 + random() % 60;
            text << (back > i ? " x" : " n" + std::to_string(i - back));
        }
        text << "\n";
    }
    return test::treeFrom(text.str());
}

struct Case {
    std::shared_ptr<const GraphTree> tree;
    std::shared_ptr<const GraphScene> scene;
    SceneOverlay overlay;
};

const Case& made(std::int64_t family, std::int64_t nodes) {
    static std::map<std::pair<std::int64_t, std::int64_t>, Case> all;
    Case& found = all[{family, nodes}];
    if (found.tree == nullptr) {
        const auto count = static_cast<std::size_t>(nodes);
        found.tree = family == Blocks ? test::blocks(count) : window(count);
        found.scene = test::scene(found.tree);
        for (std::size_t i = 0; i < found.tree->nodeCount(); ++i) {
            found.overlay.roles.push_back(i % 41 == 0 ? static_cast<Role>(1 + (i / 41) % 6) : Role::Shared);
        }
    }
    return found;
}

void build(benchmark::State& state) {
    const Case& one = made(state.range(0), state.range(1));
    for (auto _ : state) {
        benchmark::DoNotOptimize(test::scene(one.tree));
    }
}

void resolveMarks(benchmark::State& state) {
    const Case& one = made(state.range(0), state.range(1));
    for (auto _ : state) {
        benchmark::DoNotOptimize(resolve(one.overlay, *one.scene));
    }
}

/// range(2): scale in thousandths; 0: the whole scene fitted. Pans by a few pixels each frame.
void frame(benchmark::State& state) {
    const Case& one = made(state.range(0), state.range(1));
    const ResolvedOverlay overlay = resolve(one.overlay, *one.scene);
    const CanvasTheme theme = CanvasTheme::lightTheme();
    QImage image(Width, Height, QImage::Format_RGB32);
    ScenePainter painter;
    const QRectF bounds = one.scene->bounds;
    const double scale =
        state.range(2) == 0 ? std::min(Width / bounds.width(), Height / bounds.height()) : static_cast<double>(state.range(2)) / 1000.0;
    PaintOptions options;
    options.font = QApplication::font();
    options.detail = LevelOfDetail::at(scale);
    const std::uint32_t middle = static_cast<std::uint32_t>(one.scene->itemCount() / 2);
    const QPointF centre = state.range(2) == 0 ? bounds.center() : one.scene->boxes[middle].center();
    int pan = 0;
    for (auto _ : state) {
        QPainter target(&image);
        const QSizeF size(Width / scale, Height / scale);
        const QPointF at = centre + QPointF(0.0, 7.0 * (pan++ % 40) / scale);
        painter.paint(target, QRectF(0, 0, Width, Height), QRectF(at - QPointF(size.width() / 2, size.height() / 2), size), *one.scene, overlay,
                      theme, options);
    }
}

void hitTest(benchmark::State& state) {
    const Case& one = made(state.range(0), state.range(1));
    std::mt19937 random(7);
    std::uniform_real_distribution<double> x(one.scene->bounds.left(), one.scene->bounds.right());
    std::uniform_real_distribution<double> y(one.scene->bounds.top(), one.scene->bounds.bottom());
    for (auto _ : state) {
        benchmark::DoNotOptimize(one.scene->itemAt(QPointF(x(random), y(random))));
    }
}

void registerAll() {
    for (const std::int64_t family : {std::int64_t{Blocks}, std::int64_t{Window}}) {
        const std::string suffix = family == Blocks ? "/blocks" : "/window";
        for (const std::int64_t nodes : {2'000, 50'000}) {
            benchmark::RegisterBenchmark(("build" + suffix).c_str(), build)->Args({family, nodes})->Unit(benchmark::kMillisecond);
            benchmark::RegisterBenchmark(("resolve" + suffix).c_str(), resolveMarks)->Args({family, nodes})->Unit(benchmark::kMillisecond);
            benchmark::RegisterBenchmark(("hitTest" + suffix).c_str(), hitTest)->Args({family, nodes});
            for (const std::int64_t scale : {0, 30, 60, 100, 150, 350, 400, 550, 1000, 2000}) {
                benchmark::RegisterBenchmark(("frame" + suffix).c_str(), frame)->Args({family, nodes, scale})->Unit(benchmark::kMillisecond);
            }
        }
    }
}

} // namespace

} // namespace lemmascope

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    lemmascope::registerAll();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
