#pragma once

#include "core/base/result.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>

namespace lemmascope::cli {

/// Asks running work to stop on SIGINT or SIGTERM, or when time is up. At most one exists at a time. Worker processes get
/// the default signal handling back when they are started.
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// From now on; replaces an earlier limit. Seconds that make no time at all (huge, infinite) mean no limit.
    void stopAfter(double seconds);
    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

    enum class Cause : std::uint8_t { None, Signal, Time };
    [[nodiscard]] Cause cause() const { return m_cause.load(); }

  private:
    std::stop_source m_source;
    std::atomic<Cause> m_cause{Cause::None};
    std::atomic<std::int64_t> m_deadlineMs;
    int m_pipe[2] = {-1, -1};
    std::thread m_watcher;

    void watch();
    void wake();
};

} // namespace lemmascope::cli
