#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace lemmascope {

/// A worker process that ended, or was ended, before it answered. What a crash bundle and a message need.
struct WorkerLoss {
    enum class Task : std::uint8_t { Solve, Draw } task = Task::Solve;
    enum class Next : std::uint8_t {
        AskedAgain, ///< a fresh worker gets the same request
        GivenUp,    ///< the second one ended too
        TimeOver    ///< it did not answer in its time and was killed
    } next = Next::AskedAgain;
    std::string story;      ///< `worker killed by signal 9 (Killed)`, with its last words
    std::string solver;     ///< name and version, empty before the first worker said hello
    std::string request;    ///< the SMT-LIB script; for Draw the graph in the DOT language
    std::string extension;  ///< of a file with `request`: `smt2`, `dot`
    std::string limits;     ///< `steps 20000000, time 30000 ms, memory 4096 MB`
    std::string executable; ///< as configured, empty: the program's own
};

/// Called on the thread that asked, outside locks; must be quick.
using WorkerLossHandler = std::function<void(const WorkerLoss&)>;

} // namespace lemmascope
