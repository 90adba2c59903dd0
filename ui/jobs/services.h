#pragma once

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/prove/check.h"
#include "core/prove/check_result.h"
#include "core/prove/recheck.h"
#include "core/worker/worker_loss.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// What the callbacks of a running check bring; they come from any thread.
struct CheckWatch {
    std::function<void(const CheckProgress&)> progress;
    std::function<void(const Correspondence&)> correspondence;
};

struct ReportRequest {
    std::shared_ptr<const CheckResult> result;
    std::filesystem::path reference; ///< the files the result speaks of
    std::filesystem::path rewritten;
    std::filesystem::path folder;
    CheckOptions options;
    bool anonymous = false;
};

/// Everything slow that the window asks of core. app/window fills it in; tests put fakes here. Each function runs on a
/// background thread, must poll its token, and may be called again while an earlier call is still noticing that it was stopped.
struct Services {
    /// Reads one file; the graph holds inferred types where inference succeeds.
    std::function<Result<std::shared_ptr<const Graph>>(const std::filesystem::path&, std::stop_token)> load;
    std::function<Result<CheckResult>(std::shared_ptr<const Graph>, std::shared_ptr<const Graph>, const CheckOptions&, const CheckWatch&,
                                      std::stop_token)>
        check;
    /// Asks one lemma again with more; the others keep what they came to (core/prove/recheck.h). May be empty: all is checked again.
    std::function<Result<CheckResult>(std::shared_ptr<const Graph>, std::shared_ptr<const Graph>, const RecheckRequest&, const CheckOptions&,
                                      const CheckWatch&, std::stop_token)>
        recheck;
    std::function<Result<JointLayout>(const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token)> layout;
    /// Graphviz in a worker process, for at most 300 nodes. May be empty.
    std::function<Result<Layout>(const LayoutGraph&, std::stop_token)> layoutFocus;
    /// Tensors for inputs: each .npy for the input that its file is named after, all arrays of an .npz by their names.
    std::function<Result<std::vector<std::pair<std::string, Tensor>>>(const std::vector<std::filesystem::path>&, std::stop_token)> readTensors;
    /// Writes a bug report; what it has to tell comes back as notes.
    std::function<Result<std::vector<std::string>>(const ReportRequest&, std::stop_token)> exportReport;
    /// From now on `handler` is told, on any thread, of worker processes that end before they answer; null: nobody. May be empty.
    std::function<void(WorkerLossHandler)> watchWorkers;
    std::string versions; ///< of the program and its engines, for About and the status bar
};

} // namespace lemmascope
