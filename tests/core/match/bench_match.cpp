// `packaging/bench match`: 200 rules on a graph of 5,000 nodes, at all roots and at one; with --soak N the machine against the declarative
// meaning on many generated cases.
#include "core/graph/infer.h"
#include "core/match/graph_match.h"
#include "core/match/parser.h"
#include "tests/core/match/generated.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

int soak(std::uint64_t count, std::uint64_t first) {
    using namespace lemmascope::match::oracle;
    constexpr std::uint64_t Reported = 20'000;
    std::uint64_t agreed = 0;
    std::uint64_t differing = 0;
    std::uint64_t matched = 0;
    std::uint64_t wellFormed = 0;
    std::uint64_t undecided = 0;
    std::uint64_t searchedToo = 0;
    const Clock::time_point start = Clock::now();
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Compared each = compareGenerated(seed);
        matched += each.matched ? 1 : 0;
        wellFormed += each.wellFormed ? 1 : 0;
        undecided += each.undecided ? 1 : 0;
        searchedToo += each.searchedToo ? 1 : 0;
        ++(each.agrees ? agreed : differing);
        if (!each.agrees && differing <= 20) {
            std::fprintf(stderr, "seed %llu: %s @ %s: %s\n", static_cast<unsigned long long>(seed), each.pattern.c_str(), each.term.c_str(),
                         each.difference.c_str());
        }
        if ((seed - first + 1) % Reported == 0) {
            std::fprintf(stderr, "%llu cases, %llu differ, %.0f a second\n", static_cast<unsigned long long>(seed - first + 1),
                         static_cast<unsigned long long>(differing), static_cast<double>(seed - first + 1) / secondsSince(start));
        }
    }
    const double seconds = secondsSince(start);
    std::printf("{\"cases\": %llu, \"agreed\": %llu, \"differing\": %llu, \"well_formed\": %llu, \"matched\": %llu, \"undecided\": %llu, "
                "\"every_assignment_tried\": %llu, \"seconds\": %.1f, \"cases_per_second\": %.0f}\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(agreed), static_cast<unsigned long long>(differing),
                static_cast<unsigned long long>(wellFormed), static_cast<unsigned long long>(matched), static_cast<unsigned long long>(undecided),
                static_cast<unsigned long long>(searchedToo), seconds, static_cast<double>(count) / seconds);
    return differing == 0 ? 0 : 1;
}

/// A transformer-like graph: blocks of attention, normalisation and a GELU network, with constants of their own.
std::shared_ptr<const lemmascope::Graph> model(std::size_t nodes) {
    using namespace lemmascope;
    Graph graph;
    graph.opsets[""] = 17;
    Value input;
    input.name = "x";
    input.type = {ElementType::F32, Shape{Dim(2), Dim(16), Dim(16)}};
    ValueId x = graph.addValue(input);
    graph.inputs.push_back(x);
    std::uint64_t names = 0;
    const auto constant = [&](const std::vector<std::int64_t>& sizes, float value) {
        Value made;
        made.name = "c" + std::to_string(names++);
        Tensor tensor(ElementType::F32, sizes);
        for (float& each : tensor.mutableAs<float>()) {
            each = value;
        }
        made.type = {ElementType::F32, Shape(sizes.begin(), sizes.end())};
        made.constant = tensor;
        return graph.addValue(std::move(made));
    };
    const auto node = [&](const char* op, std::vector<ValueId> operands, std::map<std::string, Attribute> attributes = {}) {
        Value made;
        made.name = std::string(op) + "_" + std::to_string(names++);
        Node out;
        out.op = {"", op, 17};
        out.operands = std::move(operands);
        out.attributes = std::move(attributes);
        const ValueId value = graph.addValue(std::move(made));
        out.results = {value};
        graph.addNode(std::move(out));
        return value;
    };
    const auto linear = [&](ValueId from) { return node("Add", {node("MatMul", {from, constant({16, 16}, 0.1F)}), constant({16}, 0.2F)}); };
    const auto norm = [&](ValueId from) {
        const std::map<std::string, Attribute> axes{{"axes", std::vector<std::int64_t>{-1}}};
        const ValueId centred = node("Sub", {from, node("ReduceMean", {from}, axes)});
        const ValueId variance = node("ReduceMean", {node("Pow", {centred, constant({}, 2.0F)})}, axes);
        const ValueId scaled = node("Div", {centred, node("Sqrt", {node("Add", {variance, constant({}, 1e-5F)})})});
        return node("Add", {node("Mul", {scaled, constant({16}, 1.0F)}), constant({16}, 0.0F)});
    };
    while (graph.nodes.size() < nodes) {
        const ValueId normed = norm(x);
        const ValueId key = node("Transpose", {linear(normed)}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
        const ValueId scores = node("Div", {node("MatMul", {linear(normed), key}), constant({}, 2.8F)});
        const ValueId attention = node("MatMul", {node("Softmax", {scores}, {{"axis", std::int64_t{-1}}}), linear(normed)});
        x = node("Add", {x, linear(attention)});
        const ValueId inner = linear(norm(x));
        const ValueId erf = node("Add", {node("Erf", {node("Div", {inner, constant({}, 1.4142135F)})}), constant({}, 1.0F)});
        x = node("Add", {x, linear(node("Mul", {node("Mul", {inner, erf}), constant({}, 0.5F)}))});
    }
    graph.outputs.push_back(x);
    const auto typed = inferTypes(graph);
    if (!typed) {
        std::fprintf(stderr, "%s\n", typed.error().text().c_str());
        std::exit(1);
    }
    return *typed;
}

/// Rules of the kinds that people write, in ten variants each.
std::string rules() {
    std::string out = "pattern scaled(?q, ?kt) = ex ?s. (div(matmul(?q, ?kt), ?s) | mul(matmul(?q, ?kt), ?s))\n"
                      "pattern chain(?x) = ex %H. (%H(chain(?x)) where cls(%H)=ew1) | ex ?b. add(chain(?x), ?b) | ?x\n";
    const char* shapes[] = {
        "ex ?kt. (matmul(softmax{axis=-1}(scaled(?q, ?kt)), ?v) with ?kt ~ transpose{perm=[0,2,1]}(?k)) where rank(?q)=RANK",
        "div(?d @ sub(?x, ?m @ reducemean{axes@=[-1]}(?x)), sqrt(comm add(reducemean{axes@=[-1]}(pow(?d, 2~0.001)), ?e))) where rank(?x)=RANK",
        "ac mul(?x, comm add(erf(div(?x, 1.4142135~0.001)), ?one), ?half) where rank(?x)=RANK",
        "add(matmul(?a, ?w), ?b) where is_const(?w) & rank(?a)=RANK",
        "chain(?c) with ?c ~ (matmul(?a, ?w) where rank(?a)=RANK)",
        "comm add(comm mul(?n, ?g), ?b) where is_const(?g) & is_const(?b) & rank(?n)=RANK",
        "transpose{perm=?p}(transpose{perm=?r}(?x)) where rank(?x)=RANK",
        "comm mul(?x, ?u @ sigmoid(?t @ comm mul(?x, 1.702~0.001))) where rank(?x)=RANK",
        "%F(%G(%H(?x))) where cls(%F)=ew1 & cls(%G)=ew1 & cls(%H)=ew1 & rank(?x)=RANK",
        "add(?x, add(?y, matmul(?z, ?w))) where rank(?x)=RANK",
        "softmax{axis=?a}(div(?x, ?s)) where ?a < 0 & is_const(?s) & rank(?x)=RANK",
        "opt relu(add(?x, ?y)) where rank(?x)=RANK",
        "mul(add(?x, ?y), ?z) | mul(?z, add(?x, ?y))",
        "add(%F(?c), %G(?c)) where rank(?c)=RANK",
        "sqrt(add(?v, ?e)) where value(?e) < 1 & rank(?v)=RANK",
        "matmul(add(?x, ?b), ?w) where dim(?x, -1)=RANK",
        "reducemean(reducemean(?x)) where rank(?x)=RANK",
        "sub(?x, ?y) with ?y ~ (reducemean(?x) | relu(?x))",
        "add(?x, ?x) where rank(?x)=RANK",
        "matmul(?x, transpose(?y)) where rank(?x)=RANK",
    };
    int number = 0;
    for (int variant = 0; variant < 10; ++variant) {
        for (std::string shape : shapes) {
            for (std::size_t at = shape.find("RANK"); at != std::string::npos; at = shape.find("RANK")) {
                shape.replace(at, 4, std::to_string(variant % 2 == 0 ? 3 : variant + 4));
            }
            out += "rule r" + std::to_string(number++) + ": (" + shape + ")\n";
        }
    }
    return out;
}

int measure() {
    using namespace lemmascope;
    using namespace lemmascope::match;
    const auto graph = model(5'000);
    const Result<RuleFile> file = parseRules(rules(), "rules");
    if (!file) {
        std::fprintf(stderr, "%s\n", file.error().text().c_str());
        return 1;
    }
    const StaticResult checked = checkStatically(*file);
    std::vector<double> prepared;
    std::vector<double> all;
    std::vector<double> one;
    std::size_t matches = 0;
    std::uint64_t steps = 0;
    for (int run = 0; run < 5; ++run) {
        Clock::time_point start = Clock::now();
        const auto programs = compileRules(*file, checked);
        const GraphSubject subject(graph);
        prepared.push_back(secondsSince(start));
        start = Clock::now();
        const auto found = matchGraph(*programs, subject, {});
        all.push_back(secondsSince(start));
        matches = found->matches.size();
        steps = found->steps;
        start = Clock::now();
        GraphMatchOptions options;
        options.at = subject.termOf(NodeId(graph->nodes.size() - 1));
        (void)matchGraph(*programs, subject, options);
        one.push_back(secondsSince(start));
    }
    const auto median = [](std::vector<double> values) {
        std::sort(values.begin(), values.end());
        return 1e3 * values[values.size() / 2];
    };
    std::printf("{\"nodes\": %zu, \"rules\": %zu, \"matches\": %zu, \"steps\": %llu, \"prepare_ms\": %.1f, \"all_roots_ms\": %.1f, "
                "\"one_root_ms\": %.1f}\n",
                graph->nodes.size(), file->rules.size(), matches, static_cast<unsigned long long>(steps), median(prepared), median(all), median(one));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc >= 3 && std::strcmp(argv[1], "--soak") == 0) {
        return soak(std::strtoull(argv[2], nullptr, 10), argc >= 4 ? std::strtoull(argv[3], nullptr, 10) : 0);
    }
    if (argc > 1) {
        std::fprintf(stderr, "usage: bench_match [--soak N [FIRST-SEED]]\n");
        return 64;
    }
    return measure();
}
