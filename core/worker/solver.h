#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// One question to an SMT solver: a complete SMT-LIB 2 script without (check-sat), and limits. Deterministic but for timeouts.
struct SolverRequest {
    std::string script;
    std::uint64_t steps = 20'000'000; ///< Z3 rlimit: deterministic
    unsigned timeoutMs = 60'000;      ///< wall-clock guard
    unsigned memoryMb = 4096;
    std::vector<std::string> wantedValues; ///< terms whose values to report from a model, in SMT-LIB text
};

struct SolverAnswer {
    enum class Status : std::uint8_t { Sat, Unsat, Unknown } status = Status::Unknown;
    /// For Unknown: `steps`, `time`, `memory`, `incomplete`, `cancelled`, or the solver's own words.
    std::string reason;
    /// For Sat: value of each wanted term as SMT-LIB text (`(- 3)`, `(/ 1.0 3.0)`, `true`), in order.
    std::vector<std::string> values;
    double seconds = 0.0;
    std::string solver; ///< name and version, part of the cache key
};

/// Asks a solver; thread-safe: each call may run on another worker. Implementations: Z3 in worker processes
/// (`WorkerPool`), a fake one in tests. `stop` returns control within 50 ms with Unknown "cancelled".
class LemmaSolver {
  public:
    virtual ~LemmaSolver() = default;
    [[nodiscard]] virtual Result<SolverAnswer> ask(const SolverRequest& request, std::stop_token stop) = 0;
    /// How many questions run side by side with profit.
    [[nodiscard]] virtual unsigned parallelism() const = 0;
    /// The `solver` field its answers will have, known without asking: part of the proof cache's key. Empty when an
    /// implementation cannot say; nothing is then cached.
    [[nodiscard]] virtual Result<std::string> solverName(std::stop_token stop) {
        (void)stop;
        return std::string();
    }
};

} // namespace lemmascope
