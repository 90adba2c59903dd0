#include "core/match/machine.h"
#include "core/match/parser.h"
#include "core/match/print.h"
#include "core/match/term_subject.h"

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>

// No text crashes the parser of rules; what it takes is checked, compiled and run on a small term, and its layout is stable. The corpus:
// tests/data/cases/bugs.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lemmascope;
    using namespace lemmascope::match;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Result<RuleFile> file = parseRules(text, "fuzz");
    if (!file) {
        return 0;
    }
    const std::string once = formatRules(*file);
    const Result<RuleFile> again = parseRules(once, "fuzz");
    assert(again && formatRules(*again) == once);
    static const auto term =
        TermSubject::parse("add(mul(a, 2), relu(add(a, split{axis=1}(b))))", *Signature::parse("default rank=2 cls=ew1"), "fuzz");
    const StaticResult checked = checkStatically(*file);
    const auto programs = compileRules(*file, checked);
    assert(programs);
    for (const auto& program : *programs) {
        MatchMachine machine(*program, **term, {.steps = 2'000, .records = 8});
        machine.start((*term)->root());
        (void)machine.run();
    }
    return 0;
}
