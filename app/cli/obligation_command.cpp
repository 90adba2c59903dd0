#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "core/report/obligation.h"

namespace lemmascope::cli {

int obligationCommand(const ObligationRequest& request, Console& console, Interrupt& interrupt) {
    const auto reference = openGraph(request.reference, interrupt);
    if (!reference) {
        return report(console, reference.error());
    }
    const auto rewritten = openGraph(request.rewritten, interrupt);
    if (!rewritten) {
        return report(console, rewritten.error());
    }
    // Without a solver and without a search: the lemmas and their texts are what is wanted, not their answers.
    CheckOptions options = request.options;
    options.lookForCounterexample = false;
    const Result<CheckResult> result = check(*reference, *rewritten, options, {}, interrupt.token());
    if (!result) {
        return report(console, result.error());
    }
    if (request.folder.empty()) {
        console.answer(obligationText(*result));
        return 0;
    }
    if (const Result<void> written = writeObligation(*result, request.folder); !written) {
        return report(console, written.error());
    }
    console.answer(obligationDigest(*result) + "\n");
    return 0;
}

} // namespace lemmascope::cli
