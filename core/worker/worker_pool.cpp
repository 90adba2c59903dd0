#include "core/worker/worker_pool.h"

#include "core/worker/messages.h"
#include "core/worker/process.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

// A worker asks the kernel to be killed when the *thread* that started it ends (PR_SET_PDEATHSIG works by thread), and the
// threads that ask questions come and go. So one thread that lives as long as the pool, the keeper, starts all workers.
// It also waits for killed ones to be gone, which takes a while for a process with gigabytes to give back.
// Tests: tests/core/worker/tst_worker_pool.cpp.

namespace lemmascope {

namespace {

using Clock = ChildProcess::Clock;
using Transfer = ChildProcess::Transfer;

/// A running worker that has said hello.
struct Worker {
    ChildProcess process;
    FrameReader frames;
    WorkerHello hello;
};

/// Why a conversation ended without an answer.
struct Broken {
    enum class Kind : std::uint8_t { Crashed, Deadline, Stopped } kind = Kind::Crashed;
    std::string story; ///< for Crashed: how the worker ended
};

Broken broken(Transfer transfer, ChildProcess& process) {
    switch (transfer) {
    case Transfer::Deadline: return {Broken::Kind::Deadline, {}};
    case Transfer::Stopped: return {Broken::Kind::Stopped, {}};
    case Transfer::Done:
    case Transfer::Closed:
    case Transfer::Failed: break;
    }
    // It closed its end: it is dying, and its status says why. If it does not die it gets killed.
    if (!process.waitForExit(Clock::now() + std::chrono::milliseconds(200)))
        return {Broken::Kind::Crashed, "worker closed its output and went on"};
    return {Broken::Kind::Crashed, "worker " + process.ending()};
}

tl::expected<Message, Broken> receive(ChildProcess& process, FrameReader& frames, Clock::time_point deadline, const std::stop_token& stop) {
    for (;;) {
        Result<std::optional<Message>> message = frames.next();
        if (!message)
            return tl::unexpected(Broken{Broken::Kind::Crashed, message.error().message});
        if (*message)
            return std::move(**message);
        std::string bytes;
        if (const Transfer got = process.read(bytes, deadline, stop); got != Transfer::Done)
            return tl::unexpected(broken(got, process));
        frames.append(bytes);
    }
}

} // namespace

struct WorkerPool::State {
    explicit State(Options chosen) : options(std::move(chosen)) {}

    const Options options;
    std::mutex mutex;
    std::condition_variable_any changed; ///< a worker came back, or one less is running
    std::vector<Worker> idle;            // guarded, as are the next three
    unsigned busy = 0;                   ///< workers handed out or being started
    std::string solverName;
    std::vector<ChildProcess> dying;          ///< killed, not yet known to be gone; guarded
    std::deque<std::function<void()>> chores; ///< for the keeper; guarded
    std::mutex lossMutex;                     ///< held while the handler runs
    WorkerLossHandler lossHandler;
    std::condition_variable_any keeperCalled;
    std::jthread keeper; ///< last: stopped before what it uses goes

    void keep(const std::stop_token& stop);
    void inKeeper(std::function<void()> chore);
    [[nodiscard]] Result<ChildProcess> spawn(const std::stop_token& stop);
    [[nodiscard]] Result<Worker> startWorker(const std::stop_token& stop);
    [[nodiscard]] Result<Worker> take(const std::stop_token& stop, bool fresh);
    void giveBack(Worker worker);
    void discard(ChildProcess process);
    void freeSlot();
    void tellLoss(const Message& request, WorkerLoss::Next next, const std::string& story);
    template <typename Answer>
    [[nodiscard]] Result<Answer> converse(const Message& request, Result<Answer> (*decode)(const Message&), unsigned timeoutMs,
                                          const std::stop_token& stop, bool& timedOut);
};

void WorkerPool::State::keep(const std::stop_token& stop) {
    constexpr auto ReapEvery = std::chrono::milliseconds(5);
    std::unique_lock lock(mutex);
    for (;;) {
        if (dying.empty())
            keeperCalled.wait(lock, stop, [&] { return !chores.empty() || !dying.empty(); });
        else
            keeperCalled.wait_for(lock, stop, ReapEvery, [&] { return !chores.empty(); });
        std::erase_if(dying, [](ChildProcess& process) { return process.hasExited(); });
        if (!chores.empty()) {
            const std::function<void()> chore = std::move(chores.front());
            chores.pop_front();
            lock.unlock();
            chore();
            lock.lock();
        } else if (stop.stop_requested()) {
            return; // what is still dying is waited for where it is destroyed
        }
    }
}

void WorkerPool::State::inKeeper(std::function<void()> chore) {
    {
        const std::lock_guard lock(mutex);
        chores.push_back(std::move(chore));
    }
    keeperCalled.notify_all();
}

Result<ChildProcess> WorkerPool::State::spawn(const std::stop_token& stop) {
    /// Shared with the keeper, since a stopped caller does not wait for it.
    struct Spawned {
        std::mutex mutex;
        std::condition_variable_any ready;
        std::optional<Result<ChildProcess>> child;
    };
    const auto spawned = std::make_shared<Spawned>();
    inKeeper([this, spawned] {
        Result<std::string> program = options.executable.empty() ? siblingProgram("lemmascope-cli") : Result<std::string>(options.executable);
        Result<ChildProcess> child = program ? ChildProcess::start(*program, options.arguments) : tl::unexpected(program.error());
        const std::lock_guard lock(spawned->mutex);
        spawned->child.emplace(std::move(child));
        spawned->ready.notify_all();
    });
    std::unique_lock lock(spawned->mutex);
    if (!spawned->ready.wait(lock, stop, [&] { return spawned->child.has_value(); }))
        return fail(ErrorCode::Cancelled, "worker: stopped");
    return std::move(*spawned->child);
}

Result<Worker> WorkerPool::State::startWorker(const std::stop_token& stop) {
    Result<ChildProcess> process = spawn(stop);
    if (!process)
        return tl::unexpected(process.error());
    Worker worker{std::move(*process), {}, {}};
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(options.startTimeoutMs);
    const tl::expected<Message, Broken> message = receive(worker.process, worker.frames, deadline, stop);
    Error error{ErrorCode::WorkerFailed, {}, {}};
    if (message) {
        Result<WorkerHello> hello = decodeHello(*message);
        if (hello && hello->protocol == WorkerProtocol) {
            worker.hello = std::move(*hello);
            const std::lock_guard lock(mutex);
            solverName = worker.hello.solver;
            return worker;
        }
        error.message = hello ? "worker speaks protocol " + std::to_string(hello->protocol) + ", expected " + std::to_string(WorkerProtocol) +
                                    ": is '" + options.executable + "' of this version?"
                              : hello.error().message;
    } else if (message.error().kind == Broken::Kind::Stopped) {
        error = {ErrorCode::Cancelled, "worker: stopped", {}};
    } else if (message.error().kind == Broken::Kind::Deadline) {
        error.message = "worker did not start within " + std::to_string(options.startTimeoutMs) + " ms";
    } else {
        error.message = message.error().story;
    }
    discard(std::move(worker.process));
    return tl::unexpected(std::move(error));
}

/// A worker for one conversation: give it back or discard it, then free its slot. `fresh`: started now.
Result<Worker> WorkerPool::State::take(const std::stop_token& stop, bool fresh) {
    std::vector<Worker> gone; // ended outside the lock
    {
        std::unique_lock lock(mutex);
        const unsigned most = options.workers;
        if (!changed.wait(lock, stop, [&] { return busy < most; }) || stop.stop_requested())
            return fail(ErrorCode::Cancelled, "worker: stopped");
        ++busy;
        while (!idle.empty()) {
            Worker worker = std::move(idle.back());
            idle.pop_back();
            if (!fresh && !worker.process.hasExited())
                return worker;
            gone.push_back(std::move(worker)); // died while idle, or makes room for a fresh one
            if (fresh)
                break;
        }
    }
    for (Worker& worker : gone)
        discard(std::move(worker.process));
    Result<Worker> worker = startWorker(stop);
    if (!worker)
        freeSlot();
    return worker;
}

void WorkerPool::State::freeSlot() {
    {
        const std::lock_guard lock(mutex);
        --busy;
    }
    changed.notify_one();
}

void WorkerPool::State::giveBack(Worker worker) {
    {
        const std::lock_guard lock(mutex);
        idle.push_back(std::move(worker));
        --busy;
    }
    changed.notify_one();
}

/// Kills it now; the keeper waits for its end.
void WorkerPool::State::discard(ChildProcess process) {
    process.kill();
    if (process.hasExited())
        return;
    {
        const std::lock_guard lock(mutex);
        dying.push_back(std::move(process));
    }
    keeperCalled.notify_all();
}

void WorkerPool::State::tellLoss(const Message& request, WorkerLoss::Next next, const std::string& story) {
    const std::lock_guard lock(lossMutex);
    if (!lossHandler)
        return;
    WorkerLoss loss;
    loss.next = next;
    loss.story = story;
    loss.executable = options.executable;
    {
        const std::lock_guard inner(mutex);
        loss.solver = solverName;
    }
    if (Result<SolverRequest> solve = decodeSolve(request)) {
        loss.request = std::move(solve->script);
        loss.extension = "smt2";
        loss.limits = "steps " + std::to_string(solve->steps) + ", time " + std::to_string(solve->timeoutMs) + " ms, memory " +
                      std::to_string(solve->memoryMb) + " MB";
    } else if (const Result<DotRequest> drawing = decodeDraw(request)) {
        loss.task = WorkerLoss::Task::Draw;
        loss.request = "digraph {\n";
        for (std::size_t i = 0; i < drawing->boxes.size(); ++i)
            loss.request += std::to_string(i) + " [width=" + std::to_string(drawing->boxes[i].width) +
                            ", height=" + std::to_string(drawing->boxes[i].height) + "]\n";
        for (const DotRequest::Edge& edge : drawing->edges)
            loss.request += std::to_string(edge.from) + " -> " + std::to_string(edge.to) + "\n";
        loss.request += "}\n";
        loss.extension = "dot";
        loss.limits = "time " + std::to_string(drawing->timeoutMs) + " ms";
    }
    lossHandler(loss);
}

/// One request and its answer, from a second worker if the first one breaks. An answer that cannot be decoded is a break.
template <typename Answer>
Result<Answer> WorkerPool::State::converse(const Message& request, Result<Answer> (*decode)(const Message&), unsigned timeoutMs,
                                           const std::stop_token& stop, bool& timedOut) {
    const std::string frame = encodeFrame(request);
    if (request.payload.size() > LargestPayload)
        return fail(ErrorCode::TooLarge, "worker: a request of " + std::to_string(request.payload.size()) + " bytes");
    std::string firstStory;
    for (int attempt = 0;; ++attempt) {
        std::string story;
        if (Result<Worker> worker = take(stop, attempt > 0)) {
            const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(timeoutMs) + std::chrono::milliseconds(options.graceMs);
            const Transfer sent = worker->process.write(frame, deadline, stop);
            tl::expected<Message, Broken> message = sent == Transfer::Done
                                                        ? receive(worker->process, worker->frames, deadline, stop)
                                                        : tl::expected<Message, Broken>(tl::unexpected(broken(sent, worker->process)));
            if (message) {
                Result<Answer> answer = decode(*message);
                if (answer || answer.error().code != ErrorCode::WorkerFailed) {
                    giveBack(std::move(*worker));
                    return answer;
                }
                message = tl::unexpected(Broken{Broken::Kind::Crashed, answer.error().message});
            }
            discard(std::move(worker->process));
            freeSlot();
            if (message.error().kind == Broken::Kind::Stopped)
                return fail(ErrorCode::Cancelled, "worker: stopped");
            if (message.error().kind == Broken::Kind::Deadline) {
                timedOut = true;
                const std::string late = "worker did not answer within " + std::to_string(timeoutMs) + " ms";
                tellLoss(request, WorkerLoss::Next::TimeOver, late);
                return fail(ErrorCode::WorkerFailed, late);
            }
            story = message.error().story;
        } else if (worker.error().code == ErrorCode::WorkerFailed) {
            story = worker.error().message;
        } else {
            return tl::unexpected(worker.error());
        }
        tellLoss(request, attempt > 0 ? WorkerLoss::Next::GivenUp : WorkerLoss::Next::AskedAgain, story);
        if (attempt > 0)
            return fail(ErrorCode::WorkerFailed, story == firstStory ? "twice: " + story : firstStory + "; then " + story);
        firstStory = std::move(story);
    }
}

WorkerPool::WorkerPool() : WorkerPool(Options{}) {}

WorkerPool::WorkerPool(Options options) {
    if (options.workers == 0)
        options.workers = std::max(1U, std::thread::hardware_concurrency());
    m_state = std::make_unique<State>(std::move(options));
    m_state->keeper = std::jthread([state = m_state.get()](const std::stop_token& stop) { state->keep(stop); });
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(m_state->mutex);
        assert(m_state->busy == 0 && "a request is still running");
    }
    for (Worker& worker : m_state->idle)
        worker.process.kill();
    m_state->idle.clear();
    m_state->keeper.request_stop();
    m_state->keeper.join();
}

Result<SolverAnswer> WorkerPool::ask(const SolverRequest& request, std::stop_token stop) {
    const Clock::time_point begin = Clock::now();
    bool timedOut = false;
    Result<SolverAnswer> answer = m_state->converse(encodeSolve(request), decodeSolved, request.timeoutMs, stop, timedOut);
    if (answer || (!timedOut && answer.error().code != ErrorCode::Cancelled))
        return answer;
    SolverAnswer unknown;
    unknown.reason = timedOut ? "time" : "cancelled";
    unknown.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const std::lock_guard lock(m_state->mutex);
    unknown.solver = m_state->solverName;
    return unknown;
}

unsigned WorkerPool::parallelism() const { return m_state->options.workers; }

Result<std::string> WorkerPool::solverName(std::stop_token stop) {
    {
        const std::lock_guard lock(m_state->mutex);
        if (!m_state->solverName.empty())
            return m_state->solverName;
    }
    Result<Worker> worker = m_state->take(stop, false);
    if (!worker)
        return tl::unexpected(worker.error());
    std::string name = worker->hello.solver;
    m_state->giveBack(std::move(*worker));
    return name;
}

Result<DotAnswer> WorkerPool::draw(const DotRequest& request, std::stop_token stop) {
    bool timedOut = false;
    return m_state->converse(encodeDraw(request), decodeDrawn, request.timeoutMs, stop, timedOut);
}

void WorkerPool::setLossHandler(WorkerLossHandler handler) {
    const std::lock_guard lock(m_state->lossMutex);
    m_state->lossHandler = std::move(handler);
}

} // namespace lemmascope
