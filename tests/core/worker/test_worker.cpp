// The real worker as a program of its own, so that these tests need no command line. With `--own` it is the owner of such a
// worker instead, and has it think for good: what happens to the worker when its owner is killed?
#include "core/worker/process.h"
#include "core/worker/worker_main.h"
#include "core/worker/worker_pool.h"

#include <iostream>
#include <string>

using namespace lemmascope;

namespace {

int ownAWorker() {
    Result<std::string> self = siblingProgram("lemmascope_test_worker");
    if (!self)
        return 1;
    WorkerPool::Options options;
    options.executable = *self;
    options.arguments = {};
    options.workers = 1;
    WorkerPool pool(std::move(options));
    if (!pool.solverName({}))
        return 1;
    std::cout << "started" << std::endl;
    SolverRequest request; // a nonlinear question without end
    request.script = "(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)"
                     "(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))";
    request.steps = 0;
    request.timeoutMs = 600'000;
    return pool.ask(request, {}) ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return argc > 1 && std::string(argv[1]) == "--own" ? ownAWorker() : runWorker(0, 1); }
