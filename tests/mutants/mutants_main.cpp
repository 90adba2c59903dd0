// The mutation bench: `bench_mutants [--mutants N] [--seed S] [--only TEXT] [--data DIR] [--worker CLI] [--write DIR]`. JSON on standard output,
// a table on standard error. Run by packaging/bench mutants.

#include "core/worker/worker_pool.h"
#include "tests/mutants/mutation_run.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace lemmascope;
using namespace lemmascope::mutants;

int main(int argc, char** argv) {
    CLI::App app("Plants single faults in model-like graphs and checks each mutant against its original");
    RunOptions options;
    std::string data = LEMMASCOPE_TEST_DATA;
    std::string worker = LEMMASCOPE_BIN_DIR "/lemmascope-cli";
    app.add_option("--mutants", options.mutants, "How many in all");
    app.add_option("--seed", options.seed, "Which ones");
    app.add_option("--only", options.only, "Those whose name contains this");
    app.add_option("--time", options.timeSeconds, "Seconds for one check");
    app.add_option("--data", data, "tests/data");
    app.add_option("--worker", worker, "lemmascope-cli, for its solver");
    app.add_option("--write", options.folder, "Write the pairs into this folder, as JSON graphs")->check(CLI::ExistingDirectory);
    CLI11_PARSE(app, argc, argv);
    const Result<std::vector<BenchGraph>> graphs = benchGraphs(data);
    if (!graphs) {
        std::cerr << graphs.error().text() << "\n";
        return 66;
    }
    WorkerPool::Options workers;
    workers.executable = worker;
    WorkerPool pool(workers);
    CheckServices services;
    services.solver = &pool;
    std::size_t done = 0;
    const std::vector<MutantResult> results = runMutants(*graphs, options, services, [&](const MutantResult& one) {
        ++done;
        if (!options.only.empty() || done % 50 == 0) {
            std::cerr << done << " " << one.graph << "/" << one.form << "/" << one.mutation.kind << "/" << one.mutation.what << ": " << one.verdict
                      << "\n";
        }
    });
    writeJson(std::cout, results);
    writeTable(std::cerr, results);
    const Rates rates = ratesOf(results);
    return rates.proved == 0 && rates.falseCounterexamples == 0 ? 0 : 1;
}
