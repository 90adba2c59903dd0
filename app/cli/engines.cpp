#include "app/cli/engines.h"

#include "core/prove/pin_store.h"
#include "core/prove/proof_cache.h"
#include "core/report/files.h"
#include "core/report/obligation.h"
#include "core/worker/worker_pool.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace lemmascope::cli {

namespace {

/// The pool under the name of the solver that decided the pinned lemmas: while all of them are found in the pinned folder no
/// process is started. A lemma that is not found is asked of the real solver.
class PinnedSolver final : public LemmaSolver {
  public:
    PinnedSolver(WorkerPool& pool, std::filesystem::path nameFile) : m_pool(pool), m_nameFile(std::move(nameFile)) {}

    Result<SolverAnswer> ask(const SolverRequest& request, std::stop_token stop) override { return m_pool.ask(request, std::move(stop)); }
    [[nodiscard]] unsigned parallelism() const override { return m_pool.parallelism(); }
    Result<std::string> solverName(std::stop_token stop) override {
        static constexpr std::uintmax_t LongestName = 200;
        if (const auto stored = readFile(m_nameFile, LongestName); stored && !stored->empty()) {
            return *stored;
        }
        Result<std::string> name = m_pool.solverName(std::move(stop));
        if (name) {
            if (const Result<void> written = writeFile(m_nameFile, *name); !written) {
                return tl::unexpected(written.error());
            }
        }
        return name;
    }

  private:
    WorkerPool& m_pool;
    std::filesystem::path m_nameFile;
};

} // namespace

struct Engines::State {
    WorkerPool pool;
    std::optional<ProofCache> cache;
    std::optional<PinnedSolver> pinned;

    explicit State(const CheckRequest& request) : pool(WorkerPool::Options{.workers = request.options.jobs}) {
        if (!request.pin.empty()) {
            std::error_code problem;
            std::filesystem::create_directories(request.pin, problem);
            pinned.emplace(pool, std::filesystem::path(request.pin) / "solver");
            cache.emplace(std::filesystem::path(request.pin));
        } else if (!request.noCache) {
            if (!request.cache.empty()) {
                cache.emplace(request.cache);
            } else if (const auto folder = ProofCache::defaultFolder()) {
                cache.emplace(*folder);
            }
        }
    }
};

Engines::Engines(const CheckRequest& request) : m_state(std::make_unique<State>(request)) {}
Engines::~Engines() = default;

CheckServices Engines::services() {
    CheckServices services;
    services.solver = m_state->pinned ? static_cast<LemmaSolver*>(&*m_state->pinned) : &m_state->pool;
    services.cache = m_state->cache ? &*m_state->cache : nullptr;
    return services;
}

Result<std::string> Engines::writePin(const CheckResult& result, const std::string& folder) {
    std::vector<std::string> digests;
    Pin pin;
    if (const auto solver = m_state->pinned ? m_state->pinned->solverName({}) : m_state->pool.solverName({})) {
        pin.solver = *solver;
    }
    for (const LemmaResult& lemma : result.lemmas) {
        if (!lemma.digest.empty()) {
            digests.push_back(lemma.digest);
            pin.lemmas.push_back({lemma.digest, lemma.verdict, lemma.rung, lemma.strength});
        }
    }
    const std::string obligation = PinStore::obligationDigest(digests);
    const PinStore store{std::filesystem::path(folder)};
    const bool known = store.lookup(obligation).has_value();
    if (const Result<void> written = store.store(obligation, pin); !written) {
        return tl::unexpected(written.error());
    }
    return "pin " + obligation + (known ? ": unchanged, " : ": new, ") + std::to_string(result.times.solverCalls) + " solver calls";
}

} // namespace lemmascope::cli
