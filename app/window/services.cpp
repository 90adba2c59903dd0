#include "app/window/services.h"

#include "app/window/engines.h"

#include "core/format/load.h"
#include "core/format/npy/npy.h"
#include "core/graph/infer.h"
#include "core/layout/dot_layout.h"
#include "core/layout/layered.h"
#include "core/prove/check.h"
#include "core/prove/lemma_memory.h"
#include "core/prove/proof_cache.h"
#include "core/prove/recheck.h"
#include "core/report/bug_report.h"
#include "core/report/outcome.h"
#include "core/worker/worker_pool.h"
#include "ui/views/text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <iterator>
#include <optional>

namespace lemmascope {

namespace {

/// The folder with the example pairs: `share/lemmascope/samples` of the installation, else `resources/samples` of a source tree
/// above the program.
QString samplesFolder() {
    QDir folder(QCoreApplication::applicationDirPath());
    const QString installed = folder.filePath(QStringLiteral("../share/lemmascope/samples"));
    if (QFileInfo::exists(installed)) {
        return QDir::cleanPath(installed);
    }
    constexpr int Levels = 5;
    for (int level = 0; level < Levels && folder.cdUp(); ++level) {
        const QString source = folder.filePath(QStringLiteral("resources/samples"));
        if (QFileInfo::exists(source)) {
            return source;
        }
    }
    return {};
}

} // namespace

Services realServices(const std::shared_ptr<Engines>& engines) {
    Services services;
    services.load = [](const std::filesystem::path& path, std::stop_token stop) -> Result<std::shared_ptr<const Graph>> {
        auto graph = loadGraph(path, stop);
        if (!graph) {
            return graph;
        }
        // A graph whose types do not fit is still drawn, with the types it declares; the check says what is wrong.
        auto inferred = inferTypes(**graph, {}, stop);
        if (inferred) {
            return inferred;
        }
        return inferred.error().code == ErrorCode::Cancelled ? inferred : graph;
    };
    services.check = [engines](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions& options,
                               const CheckWatch& watch, std::stop_token stop) {
        CheckServices used = engines->services();
        used.progress = watch.progress;
        used.correspondence = watch.correspondence;
        return check(std::move(reference), std::move(rewritten), options, used, stop);
    };
    services.recheck = [engines](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const RecheckRequest& request,
                                 const CheckOptions& options, const CheckWatch& watch, std::stop_token stop) {
        CheckServices used = engines->services();
        used.progress = watch.progress;
        used.correspondence = watch.correspondence;
        return recheck(std::move(reference), std::move(rewritten), request, options, used, stop);
    };
    services.readTensors = [](const std::vector<std::filesystem::path>& files,
                              std::stop_token stop) -> Result<std::vector<std::pair<std::string, Tensor>>> {
        std::vector<std::pair<std::string, Tensor>> out;
        for (const std::filesystem::path& file : files) {
            if (stop.stop_requested()) {
                return fail(ErrorCode::Cancelled, "cancelled");
            }
            if (file.extension() == ".npz") {
                auto all = readNpz(file);
                if (!all) {
                    return tl::unexpected<Error>(all.error());
                }
                out.insert(out.end(), std::make_move_iterator(all->begin()), std::make_move_iterator(all->end()));
                continue;
            }
            auto tensor = readNpy(file);
            if (!tensor) {
                return tl::unexpected<Error>(tensor.error());
            }
            out.emplace_back(file.stem().string(), std::move(*tensor));
        }
        return out;
    };
    services.layout = [](const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token stop) {
        return layoutJoint(reference, rewritten, stop);
    };
    services.layoutFocus = [engines](const LayoutGraph& graph, std::stop_token stop) { return layoutWithDot(engines->pool, graph, stop); };
    services.exportReport = [engines](const ReportRequest& request, std::stop_token stop) -> Result<std::vector<std::string>> {
        BugReportOptions options;
        options.anonymous = request.anonymous;
        options.check = request.options;
        options.recheck = [engines](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions& again,
                                    std::stop_token token) {
            return check(std::move(reference), std::move(rewritten), again, engines->services(), token);
        };
        options.solver = engines->pool.solverName(stop).value_or("");
        auto report = exportBugReport(*request.result, request.folder, options, stop);
        if (!report) {
            return tl::unexpected<Error>(report.error());
        }
        return report->notes;
    };
    services.watchWorkers = [engines](WorkerLossHandler handler) { engines->pool.setLossHandler(std::move(handler)); };
    services.versions = "Lemmascope " + std::string(toolVersion());
    return services;
}

Services realServices() { return realServices(std::make_shared<Engines>()); }

std::vector<ExamplePair> installedExamples() {
    const QString folder = samplesFolder();
    std::vector<ExamplePair> examples;
    const auto add = [&](const QString& name, const QString& title, const QString& description) {
        const QString reference = folder + u'/' + name + QStringLiteral(".ref.lsg.json");
        const QString rewritten = folder + u'/' + name + QStringLiteral(".rew.lsg.json");
        if (!folder.isEmpty() && QFileInfo::exists(reference) && QFileInfo::exists(rewritten)) {
            examples.push_back({title, description, toPath(reference), toPath(rewritten)});
        }
    };
    add(QStringLiteral("heads_reordered"), WelcomePage::tr("Proved: attention heads, moved"),
        WelcomePage::tr("Split, transpose and concat of two heads become one reshape: the same values in the same places."));
    add(QStringLiteral("softmax_axis"), WelcomePage::tr("Refuted: a softmax over the wrong axis"),
        WelcomePage::tr("A rewrite folded a transpose but kept the softmax's axis: an input shows the difference."));
    add(QStringLiteral("out_of_time"), WelcomePage::tr("Undecided: a solver that runs out of steps"),
        WelcomePage::tr("An identity of bits and products that no rung decides: what an honest “not decided” looks like."));
    return examples;
}

} // namespace lemmascope
