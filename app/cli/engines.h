#pragma once

#include "app/cli/requests.h"

#include <memory>
#include <string>

namespace lemmascope::cli {

/// The solver processes and the proof cache of one command, made once and used for every pair.
class Engines {
  public:
    explicit Engines(const CheckRequest& request);
    ~Engines();
    Engines(const Engines&) = delete;
    Engines& operator=(const Engines&) = delete;

    [[nodiscard]] CheckServices services();
    /// Records the lemmas of a check beside their proofs; says in one line whether that obligation was pinned before.
    [[nodiscard]] Result<std::string> writePin(const CheckResult& result, const std::string& folder);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lemmascope::cli
