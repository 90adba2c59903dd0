#include "core/prove/recheck.h"

#include "core/prove/lemma_memory.h"

#include <algorithm>

namespace lemmascope {

Result<CheckResult> recheck(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const RecheckRequest& request,
                            const CheckOptions& options, const CheckServices& services, std::stop_token stop) {
    CheckOptions again = options;
    if (request.counterexample) {
        again.searchEffort = std::max(options.searchEffort, CounterexampleEffort);
    }
    CheckServices used = services;
    const std::uint64_t asked = services.memory != nullptr ? services.memory->askedSteps(request.digest) : 0;
    const std::uint64_t before = std::min(std::max(options.lemmaSteps, asked), MostRecheckSteps / RecheckFactor);
    used.again = LemmaAgain{request.digest, std::max(options.lemmaSteps, before * RecheckFactor)};
    return check(std::move(reference), std::move(rewritten), again, used, std::move(stop));
}

} // namespace lemmascope
