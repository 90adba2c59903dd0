#include "core/graph/infer.h"
#include "core/match/machine.h"
#include "core/match/parser.h"
#include "core/match/print.h"
#include "core/match/term_subject.h"
#include "core/rewrite/rewriter.h"

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>

// No text crashes the parser of rules; what it takes is checked, compiled, run on a small term and used to rewrite a small
// graph, and its layout is stable. The corpus:
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
    // And replacements on a small graph: what comes out can be typed.
    static const auto graph = [] {
        Graph made;
        made.opsets[""] = 17;
        const ValueId x = made.addValue({.name = "x", .type = {ElementType::F32, Shape{Dim(2), Dim::symbol("n")}}});
        made.inputs = {x};
        ValueId last = x;
        for (const char* op : {"Neg", "Relu", "Transpose", "Neg"}) {
            const ValueId next = made.addValue({.name = std::string("v") + std::to_string(made.values.size())});
            made.addNode({.op = {"", op, 17}, .operands = {last}, .results = {next}});
            last = next;
        }
        made.outputs = {last};
        return std::make_shared<const Graph>(std::move(made));
    }();
    rewrite::RewriteOptions options;
    options.maxRounds = 3;
    options.maxNodes = 1'000;
    options.machine.steps = 2'000;
    options.fragment.maxFoldedBytes = 1 << 16;
    options.fragment.maxFoldOperations = 1 << 16;
    if (const auto rewritten = rewrite::rewriteGraph(graph, *file, *programs, options)) {
        assert(inferTypes(*rewritten->plain));
    }
    return 0;
}
