#include "tests/ui/window/fakes.h"

#include "core/layout/layered.h"

#include <QDir>
#include <QFile>

#include <algorithm>
#include <thread>

namespace lemmascope::test {

namespace {

/// Builds a graph from short lines; values are made on first use.
class Builder {
  public:
    explicit Builder(const std::string& name) {
        m_graph = std::make_shared<Graph>();
        m_graph->name = name;
        m_graph->opsets[""] = 17;
    }
    ValueId value(const std::string& name, std::vector<std::int64_t> shape) {
        if (const ValueId known = m_graph->findValue(name); known.isValid()) {
            return known;
        }
        Value made;
        made.name = name;
        made.type.element = ElementType::F32;
        made.type.shape = Shape(shape.begin(), shape.end());
        return m_graph->addValue(made);
    }
    void input(const std::string& name, std::vector<std::int64_t> shape) { m_graph->inputs.push_back(value(name, std::move(shape))); }
    void constant(const std::string& name, const std::vector<std::int64_t>& shape, const std::vector<float>& data) {
        m_graph->values[value(name, shape).index].constant = Tensor::of<float>(ElementType::F32, shape, data);
    }
    void node(const std::string& op, const std::string& name, const std::vector<std::string>& operands, const std::string& result,
              std::vector<std::int64_t> shape, std::map<std::string, Attribute> attributes = {}) {
        Node made;
        made.op = {"", op, 17};
        made.name = name;
        for (const std::string& operand : operands) {
            made.operands.push_back(m_graph->findValue(operand));
        }
        made.results.push_back(value(result, std::move(shape)));
        made.attributes = std::move(attributes);
        m_graph->addNode(std::move(made));
    }
    std::shared_ptr<const Graph> finish(const std::string& output) {
        m_graph->outputs.push_back(m_graph->findValue(output));
        return m_graph;
    }

  private:
    std::shared_ptr<Graph> m_graph;
};

void common(Builder& builder) {
    builder.input("x", {2, 2});
    builder.constant("w_query", {2, 2}, {1, 0, 0, 1});
    builder.constant("w_key", {2, 2}, {1, 0, 0, 1});
    builder.constant("w_value", {2, 2}, {1, 2, 3, 4});
    builder.constant("scale", {}, {0.5F});
    builder.constant("bias", {2}, {0.25F, -0.25F});
    builder.node("MatMul", "query", {"x", "w_query"}, "q", {2, 2});
    builder.node("MatMul", "key", {"x", "w_key"}, "k", {2, 2});
    builder.node("MatMul", "value", {"x", "w_value"}, "v", {2, 2});
}

std::shared_ptr<const Graph> referenceGraph() {
    Builder builder("attention");
    common(builder);
    builder.node("Transpose", "key_transposed", {"k"}, "kt", {2, 2}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    builder.node("MatMul", "scores", {"q", "kt"}, "s", {2, 2});
    builder.node("Mul", "scaled", {"s", "scale"}, "m", {2, 2});
    builder.node("Softmax", "weights", {"m"}, "p", {2, 2}, {{"axis", std::int64_t{-1}}});
    builder.node("MatMul", "mixed", {"p", "v"}, "o", {2, 2});
    builder.node("Add", "biased", {"o", "bias"}, "a", {2, 2});
    builder.node("Relu", "activated", {"a"}, "y", {2, 2});
    return builder.finish("y");
}

std::shared_ptr<const Graph> rewrittenGraph(std::int64_t axis) {
    Builder builder("attention_fused");
    common(builder);
    builder.node("FusedMatMul", "scores_fused", {"q", "k"}, "m", {2, 2}, {{"alpha", 0.5F}, {"transB", std::int64_t{1}}});
    builder.node("Softmax", "weights", {"m"}, "p", {2, 2}, {{"axis", axis}});
    builder.node("MatMul", "mixed", {"p", "v"}, "o", {2, 2});
    builder.node("Add", "biased", {"o", "bias"}, "a", {2, 2});
    builder.node("Relu", "activated", {"a"}, "y", {2, 2});
    return builder.finish("y");
}

FlatNodeId nodeNamed(const GraphTree& tree, const std::string& name) {
    for (std::size_t i = 0; i < tree.nodeCount(); ++i) {
        if (tree.node(FlatNodeId(i)).name == name) {
            return FlatNodeId(i);
        }
    }
    return {};
}

FlatValueId valueNamed(const GraphTree& tree, const std::string& name) { return FlatValueId(tree.top().findValue(name).index); }

struct Maker {
    FakePair pair;

    explicit Maker(std::int64_t axis) {
        pair.reference = referenceGraph();
        pair.rewritten = rewrittenGraph(axis);
        pair.result.reference = std::make_shared<const GraphTree>(*GraphTree::build(pair.reference));
        pair.result.rewritten = std::make_shared<const GraphTree>(*GraphTree::build(pair.rewritten));
        Correspondence& marks = pair.result.correspondence;
        marks.reference.resize(pair.result.reference->nodeCount());
        marks.rewritten.resize(pair.result.rewritten->nodeCount());
        marks.partnerOfReferenceValue.resize(pair.result.reference->valueCount());
        marks.sharedTerms = 9;
        for (const char* name : {"x", "w_query", "w_key", "w_value", "bias", "q", "k", "v", "m", "p", "o", "a", "y"}) {
            marks.partnerOfReferenceValue[valueNamed(*pair.result.reference, name).index] = valueNamed(*pair.result.rewritten, name);
        }
        for (const char* name : {"query", "key", "value"}) {
            mark(name, name, NodeMark::Shared, "");
        }
        mark("key_transposed", "", NodeMark::Only, "fused into scores_fused");
        mark("scores", "", NodeMark::Only, "fused into scores_fused");
        mark("scaled", "scores_fused", NodeMark::Equal, "a lemma proved both equal");
        for (const char* name : {"weights", "mixed", "biased", "activated"}) {
            mark(name, name, NodeMark::Changed, "reads a value that differs");
        }
        pair.result.times.termCount = 14;
    }

    void mark(const std::string& reference, const std::string& rewritten, NodeMark mark, const std::string& reason) {
        Correspondence& marks = pair.result.correspondence;
        const FlatNodeId left = nodeNamed(*pair.result.reference, reference);
        const FlatNodeId right = nodeNamed(*pair.result.rewritten, rewritten);
        if (left.isValid()) {
            marks.reference[left.index] = NodeRelation{mark, right, reason, {}};
        }
        if (right.isValid()) {
            marks.rewritten[right.index] = NodeRelation{mark, left, reason, {}};
        }
    }

    LemmaResult& lemma(const std::string& reference, const std::string& rewritten, LemmaVerdict verdict, const std::string& title,
                       const std::string& reason) {
        LemmaResult made;
        made.id = "L" + std::to_string(pair.result.lemmas.size() + 1);
        made.title = title;
        made.verdict = verdict;
        made.reason = reason;
        made.rung = verdict == LemmaVerdict::Holds ? Rung::MovementNormalForm : Rung::Solver;
        if (verdict == LemmaVerdict::Holds) {
            made.strength = Strength::Exact;
        }
        made.digest = std::string(64, static_cast<char>('a' + static_cast<int>(pair.result.lemmas.size())));
        made.text = "; " + made.id + ": " + title +
                    "\n(set-logic QF_UFNIRA)\n(declare-fun s (Int) Real)\n(declare-const i Int)\n(assert (and (<= 0 i) (< i 4)))\n"
                    "(assert (not (= (/ (s i) 2.0) (* 0.5 (s i)))))\n";
        made.outputs = {0};
        const FlatNodeId left = nodeNamed(*pair.result.reference, reference);
        const FlatNodeId right = nodeNamed(*pair.result.rewritten, rewritten);
        if (left.isValid()) {
            made.referenceNodes = {left};
            pair.result.correspondence.reference[left.index].lemmas.push_back(static_cast<std::uint32_t>(pair.result.lemmas.size()));
        }
        if (right.isValid()) {
            made.rewrittenNodes = {right};
            pair.result.correspondence.rewritten[right.index].lemmas.push_back(static_cast<std::uint32_t>(pair.result.lemmas.size()));
        }
        pair.result.lemmas.push_back(std::move(made));
        return pair.result.lemmas.back();
    }

    void verdict(Verdict verdict, std::optional<Strength> strength, std::optional<RefutationKind> kind, const std::string& reason) {
        pair.result.verdict = verdict;
        pair.result.strength = strength;
        pair.result.kind = kind;
        pair.result.reason = reason;
        pair.result.outputs = {OutputResult{"y", valueNamed(*pair.result.reference, "y"), valueNamed(*pair.result.rewritten, "y"), verdict, strength,
                                            kind, verdict == Verdict::Proved ? "" : reason}};
        pair.result.assumptions = {{"size", "every size is as declared"}, {"definition", "FusedMatMul is alpha * A * B"}};
    }
};

} // namespace

FakePair refutedPair() {
    Maker maker(0);
    maker.lemma("scaled", "scores_fused", LemmaVerdict::Holds, "Mul m = FusedMatMul m", "");
    maker.lemma("query", "query", LemmaVerdict::Holds, "MatMul q = MatMul q", "");
    maker.lemma("weights", "weights", LemmaVerdict::Fails, "Softmax p = Softmax p", "axis is -1 in the reference and 0 in the rewritten graph")
        .model = "s(0) = 1, s(1) = 0";
    maker.lemma("mixed", "mixed", LemmaVerdict::Undecided, "MatMul o = MatMul o", "time: 60 s were not enough");
    maker.lemma("activated", "activated", LemmaVerdict::Fails, "Relu y = Relu y", "its operand differs");
    maker.mark("weights", "weights", NodeMark::Failing, "axis is -1 here and 0 there");
    maker.pair.result.correspondence.reference[nodeNamed(*maker.pair.result.reference, "weights").index].lemmas = {2};
    maker.mark("activated", "activated", NodeMark::Failing, "its operand differs");
    maker.mark("mixed", "mixed", NodeMark::Undecided, "60 s were not enough");
    maker.verdict(Verdict::Refuted, std::nullopt, RefutationKind::Value, "y[0,1] is 1.75, rewritten 0.5");
    maker.pair.result.blame = {Blame{Side::Rewritten, nodeNamed(*maker.pair.result.rewritten, "weights"), "weights", "axis"}};

    Counterexample example;
    example.confirmed = true;
    const auto tensor = [](const std::vector<float>& data) { return Tensor::of<float>(ElementType::F32, {2, 2}, data); };
    example.inputs = {{"x", tensor({0, 1, 0, 0})}};
    example.output = "y";
    example.index = {0, 1};
    example.reference = tensor({1, 1.75F, 0, 0});
    example.rewritten = tensor({1, 0.5F, 0, 0});
    example.referenceRun.values.resize(maker.pair.result.reference->valueCount());
    example.rewrittenRun.values.resize(maker.pair.result.rewritten->valueCount());
    const auto way = [&](const std::string& name, const std::vector<float>& left, const std::vector<float>& right) {
        const FlatValueId a = valueNamed(*maker.pair.result.reference, name);
        const FlatValueId b = valueNamed(*maker.pair.result.rewritten, name);
        example.referenceRun.values[a.index] = tensor(left);
        example.rewrittenRun.values[b.index] = tensor(right);
        example.path.emplace_back(a, b);
    };
    way("x", {0, 1, 0, 0}, {0, 1, 0, 0});
    way("q", {0, 1, 0, 0}, {0, 1, 0, 0});
    way("m", {0.5F, 0, 0, 0}, {0.5F, 0, 0, 0});
    way("p", {0.625F, 0.375F, 0.5F, 0.5F}, {0.625F, 0.5F, 0.375F, 0.5F});
    way("y", {1, 1.75F, 0, 0}, {1, 0.5F, 0, 0});
    example.firstDifference = 3;
    maker.pair.result.counterexample = std::move(example);
    return std::move(maker.pair);
}

FakePair provedPair() {
    Maker maker(-1);
    maker.lemma("scaled", "scores_fused", LemmaVerdict::Holds, "Mul m = FusedMatMul m", "");
    maker.lemma("query", "query", LemmaVerdict::Holds, "MatMul q = MatMul q", "");
    maker.lemma("activated", "activated", LemmaVerdict::Holds, "Relu y = Relu y", "");
    for (const char* name : {"weights", "mixed", "biased", "activated"}) {
        maker.mark(name, name, NodeMark::Equal, "follows from L1");
    }
    maker.verdict(Verdict::Proved, Strength::Exact, std::nullopt, "");
    return std::move(maker.pair);
}

FakePair unprovedPair() {
    Maker maker(-1);
    maker.lemma("scaled", "scores_fused", LemmaVerdict::Fails, "Mul m = FusedMatMul m", "relies on FusedMatMul").model = "FusedMatMul(q, k)[0] = 1";
    maker.mark("scaled", "scores_fused", NodeMark::Failing, "FusedMatMul has no definition");
    maker.verdict(Verdict::Unproved, std::nullopt, std::nullopt, "relies on FusedMatMul");
    return std::move(maker.pair);
}

FakePair undecidedPair() {
    Maker maker(-1);
    maker.lemma("scaled", "scores_fused", LemmaVerdict::Holds, "Mul m = FusedMatMul m", "");
    maker.lemma("weights", "weights", LemmaVerdict::Undecided, "Softmax p = Softmax p", "time: 60 s were not enough");
    maker.mark("weights", "weights", NodeMark::Undecided, "60 s were not enough");
    maker.verdict(Verdict::Undecided, std::nullopt, std::nullopt, "time: 1 of 2 lemmas");
    return std::move(maker.pair);
}

Services fakeServices(const std::shared_ptr<FakeBehaviour>& behaviour) {
    const auto pairOf = [](const std::string& name) {
        return name == "proved" ? provedPair() : name == "unproved" ? unprovedPair() : name == "undecided" ? undecidedPair() : refutedPair();
    };
    Services services;
    services.load = [behaviour, pairOf](const std::filesystem::path& path, std::stop_token) -> Result<std::shared_ptr<const Graph>> {
        ++behaviour->loads;
        const std::string file = path.filename().string();
        if (file.starts_with("bad")) {
            return fail(ErrorCode::BadData, "node 'Conv_3': attribute 'pads' has 3 values, expected 4", path.string());
        }
        if (file.starts_with("missing")) {
            return fail(ErrorCode::NotFound, "no such file", path.string());
        }
        const std::string name = file.substr(0, file.find('.'));
        const FakePair pair = pairOf(name);
        auto graph = std::make_shared<Graph>(file.find(".rew.") == std::string::npos ? *pair.reference : *pair.rewritten);
        graph->name = name; // the check below goes by it
        return graph;
    };
    services.check = [behaviour, pairOf](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph>, const CheckOptions& options,
                                         const CheckWatch& watch, std::stop_token stop) -> Result<CheckResult> {
        ++behaviour->checks;
        behaviour->steps = options.lemmaSteps;
        if (behaviour->checkFails) {
            return fail(ErrorCode::ShapeMismatch, "node 'scores': operand 1 has 3 rows, expected 2");
        }
        FakePair pair = pairOf(reference->name);
        watch.correspondence(pair.result.correspondence);
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(behaviour->checkMs);
        std::size_t decided = 0;
        while (std::chrono::steady_clock::now() < until) {
            if (stop.stop_requested() && !behaviour->deaf) {
                return fail(ErrorCode::Cancelled, "stopped");
            }
            watch.progress({CheckProgress::Stage::Deciding, std::min<std::size_t>(++decided / 20, 5), 5, "Softmax p = Softmax p"});
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return std::move(pair.result);
    };
    services.recheck = [behaviour, check = services.check](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten,
                                                           const RecheckRequest& request, const CheckOptions& options, const CheckWatch& watch,
                                                           std::stop_token stop) -> Result<CheckResult> {
        ++behaviour->rechecks;
        behaviour->counterexamples += request.counterexample ? 1 : 0;
        --behaviour->checks;
        auto result = check(reference, rewritten, options, watch, stop);
        if (!result || !behaviour->recheckDecides) {
            return result;
        }
        bool open = false;
        for (LemmaResult& lemma : result->lemmas) {
            if (lemma.digest == request.digest) {
                lemma.verdict = LemmaVerdict::Holds;
                lemma.strength = Strength::Exact;
                lemma.reason.clear();
            }
            open = open || lemma.verdict != LemmaVerdict::Holds;
        }
        if (!open) {
            result->verdict = Verdict::Proved;
            result->strength = Strength::Exact;
            result->reason.clear();
        }
        if (behaviour->renumbers) {
            std::reverse(result->lemmas.begin(), result->lemmas.end());
            for (std::size_t k = 0; k < result->lemmas.size(); ++k) {
                result->lemmas[k].id = "L" + std::to_string(k + 1);
            }
        }
        return result;
    };
    services.layout = [](const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token stop) -> Result<JointLayout> {
        return layoutJoint(reference, rewritten, stop);
    };
    services.exportReport = [behaviour](const ReportRequest& request, std::stop_token) -> Result<std::vector<std::string>> {
        ++behaviour->reports;
        if (behaviour->reportFails) {
            return fail(ErrorCode::NotFound, "the folder cannot be written: choose another", request.folder.string());
        }
        QDir().mkpath(QString::fromStdString(request.folder.string()));
        QFile file(QString::fromStdString((request.folder / "report.md").string()));
        if (!file.open(QIODevice::WriteOnly)) {
            return fail(ErrorCode::NotFound, "cannot write report.md", request.folder.string());
        }
        file.write(request.anonymous ? "anonymous\n" : "named\n");
        return std::vector<std::string>{"constants are shared with the model"};
    };
    services.versions = "Lemmascope test, no solver";
    return services;
}

QString makeFile(const QString& folder, const QString& name) {
    const QString path = folder + QLatin1Char('/') + name;
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(name.toUtf8());
    }
    return path;
}

} // namespace lemmascope::test
