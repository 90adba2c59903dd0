#pragma once

#include "core/prove/check_result.h"
#include "ui/jobs/services.h"

#include <QString>

#include <atomic>
#include <chrono>
#include <memory>

namespace lemmascope::test {

/// Two graphs of an attention step and a result of checking them, made by hand.
struct FakePair {
    std::shared_ptr<const Graph> reference;
    std::shared_ptr<const Graph> rewritten;
    CheckResult result;
};

/// The Softmax axis was lost in a fusion: five lemmas, L3 and L5 fail, L4 is undecided; confirmed counterexample.
[[nodiscard]] FakePair refutedPair();
/// The same rewrite, done right: three lemmas hold.
[[nodiscard]] FakePair provedPair();
/// Relies on an op nobody defined; one failing lemma without inputs.
[[nodiscard]] FakePair unprovedPair();
/// One lemma ran out of time.
[[nodiscard]] FakePair undecidedPair();

/// How the fake services behave; shared with them, changed by tests at any time.
struct FakeBehaviour {
    std::atomic<int> checkMs{0};   ///< a check takes so long, polling its token
    std::atomic<bool> deaf{false}; ///< and does not poll it
    std::atomic<int> loads{0};
    std::atomic<int> checks{0};
    std::atomic<int> rechecks{0};
    std::atomic<int> counterexamples{0};     ///< of these, looked for one
    std::atomic<bool> recheckDecides{false}; ///< the lemma that is asked again holds now, and so the pair is proved if no other is open
    std::atomic<bool> renumbers{false};      ///< and the lemmas come in another order
    std::atomic<std::uint64_t> steps{0};     ///< that the last check was given
    std::atomic<int> reports{0};
    std::atomic<bool> reportFails{false};
    std::atomic<bool> checkFails{false};
};

/// Services over files named `refuted.ref.json`, `proved.rew.json` and so on: the name before the first dot chooses the pair.
/// Files whose name starts with `bad` cannot be read; those with `missing` are not found.
[[nodiscard]] Services fakeServices(const std::shared_ptr<FakeBehaviour>& behaviour);

/// An empty file of that name in `folder`, so that stamps and watchers have something to look at.
[[nodiscard]] QString makeFile(const QString& folder, const QString& name);

} // namespace lemmascope::test
