#include "ui/jobs/background_free.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

namespace lemmascope {

namespace {

/// Set once the queue is no more: static objects that end later free what they own themselves.
std::atomic<bool> queueIsGone{false};

class FreeQueue {
  public:
    FreeQueue() : m_thread([this](const std::stop_token& stop) { run(stop); }) {}
    ~FreeQueue() {
        queueIsGone = true;
        m_thread.request_stop();
        m_thread.join();
    }
    FreeQueue(const FreeQueue&) = delete;
    FreeQueue& operator=(const FreeQueue&) = delete;

    void add(std::shared_ptr<const void> owner) {
        {
            const std::scoped_lock lock(m_mutex);
            m_waiting.push_back(std::move(owner));
        }
        m_called.notify_one();
    }

  private:
    void run(const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        while (m_called.wait(lock, stop, [this] { return !m_waiting.empty(); })) {
            std::shared_ptr<const void> gone = std::move(m_waiting.front());
            m_waiting.pop_front();
            lock.unlock();
            gone.reset();
            lock.lock();
        }
    }

    std::mutex m_mutex;
    std::condition_variable_any m_called;
    std::deque<std::shared_ptr<const void>> m_waiting; // guarded
    std::jthread m_thread;                             ///< last: it uses the others
};

} // namespace

void freeInBackground(std::shared_ptr<const void> owner) noexcept {
    if (queueIsGone) {
        return;
    }
    try {
        static FreeQueue queue;
        queue.add(std::move(owner));
    } catch (const std::exception&) { // no thread or no memory: it is freed here
    }
}

} // namespace lemmascope
