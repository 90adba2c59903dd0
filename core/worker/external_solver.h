#pragma once

#include "core/worker/solver.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// An SMT-LIB solver that is a program of its own, run once per question: the second opinion of `--cross-check` (cvc5).
/// Only time and memory limit it: `SolverRequest::steps` count Z3's steps. Thread-safe.
class ExternalSolver final : public LemmaSolver {
  public:
    /// Finds `program` in PATH, or takes it as a path if it has a slash, and asks its version.
    /// Fails with NotFound when it is not installed, WorkerFailed when it runs but does not name a version.
    [[nodiscard]] static Result<std::unique_ptr<ExternalSolver>> find(const std::string& program = "cvc5");

    /// Fails with WorkerFailed when the program crashes or answers neither sat, unsat nor unknown (a script it cannot
    /// read), with its own message.
    [[nodiscard]] Result<SolverAnswer> ask(const SolverRequest& request, std::stop_token stop) override;
    [[nodiscard]] unsigned parallelism() const override;
    [[nodiscard]] Result<std::string> solverName(std::stop_token stop) override;

  private:
    ExternalSolver(std::string path, std::string name) : m_path(std::move(path)), m_name(std::move(name)) {}
    std::string m_path;
    std::string m_name; ///< `cvc5 1.0.3`
};

/// Splits the items of `(item item ...)` at its top level: atoms, strings, quoted symbols and lists, as written.
/// Fails with BadData if `text` is not one complete list.
[[nodiscard]] Result<std::vector<std::string>> listItems(std::string_view text);

} // namespace lemmascope
