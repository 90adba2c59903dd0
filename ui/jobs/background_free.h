#pragma once

#include <memory>
#include <utility>

namespace lemmascope {

/// Lets go of `owner` on a thread of its own: giving back the memory of 50,000 nodes, or joining a thread, takes longer than the
/// UI thread has. Thread-safe. What is still waiting when the program ends is let go of then.
void freeInBackground(std::shared_ptr<const void> owner) noexcept;

/// A shared pointer whose last owner, wherever it goes away, leaves the freeing to that thread.
template <typename T>
[[nodiscard]] std::shared_ptr<T> freedInBackground(std::unique_ptr<T> owned) {
    return std::shared_ptr<T>(owned.release(), [](T* gone) { freeInBackground(std::shared_ptr<const T>(gone)); });
}

/// The same for what another part of the program has made.
template <typename T>
[[nodiscard]] std::shared_ptr<T> freedInBackground(std::shared_ptr<T> shared) {
    if (shared == nullptr) {
        return shared;
    }
    auto holder = freedInBackground(std::make_unique<std::shared_ptr<T>>(std::move(shared)));
    return std::shared_ptr<T>(holder, holder->get());
}

} // namespace lemmascope
