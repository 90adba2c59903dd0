// Turns a result into sections of words. Renderers are in report_text.cpp; tests in tests/core/report/tst_report_text.cpp.
#include "core/report/report_document.h"

#include "core/prove/fault_text.h"
#include "core/report/element_text.h"
#include "core/report/json_writer.h"
#include "core/report/side_by_side.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace lemmascope {

namespace {

std::string counted(std::size_t count, const std::string& noun) { return std::to_string(count) + " " + noun + (count == 1 ? "" : "s"); }

template <typename T>
std::string listText(const std::vector<T>& values) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size() && i < 16; ++i) {
        out += i == 0 ? "" : ", ";
        if constexpr (std::is_same_v<T, std::string>) {
            out += jsonString(values[i]);
        } else if constexpr (std::is_same_v<T, float>) {
            out += shortestDecimal(values[i]);
        } else {
            out += std::to_string(values[i]);
        }
    }
    return out + (values.size() > 16 ? ", ...]" : "]");
}

struct AttributeWriter {
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(float value) const { return shortestDecimal(value); }
    std::string operator()(const std::string& value) const { return jsonString(value); }
    std::string operator()(const Tensor& value) const { return tensorTypeText(value) + " tensor"; }
    std::string operator()(const std::shared_ptr<const Graph>&) const { return "graph"; }
    std::string operator()(const std::vector<std::shared_ptr<const Graph>>& value) const { return counted(value.size(), "graph"); }
    template <typename T>
    std::string operator()(const std::vector<T>& value) const {
        return listText(value);
    }
};

ReportSection outputsSection(const CheckResult& result) {
    ReportSection section{.title = "Outputs", .table = {.columns = {"output", "verdict", "reason"}}};
    for (const OutputResult& output : result.outputs) {
        std::string verdict(name(output.verdict));
        if (output.strength) {
            verdict += ": " + std::string(name(*output.strength));
        } else if (output.kind) {
            verdict += ": " + std::string(name(*output.kind));
        }
        section.table.rows.push_back({output.name, verdict, output.reason});
    }
    return section;
}

ReportSection lemmasSection(const CheckResult& result) {
    ReportSection section{.title = "Lemmas"};
    std::map<LemmaVerdict, std::size_t> byVerdict;
    std::map<Rung, std::array<std::size_t, 4>> byRung;
    for (const LemmaResult& lemma : result.lemmas) {
        ++byVerdict[lemma.verdict];
        ++byRung[lemma.rung][static_cast<std::size_t>(lemma.verdict)];
    }
    std::string summary;
    for (const auto& [verdict, count] : byVerdict) {
        static constexpr std::array<std::string_view, 4> One{" holds", " fails", " undecided", " vacuous"};
        static constexpr std::array<std::string_view, 4> Many{" hold", " fail", " undecided", " vacuous"};
        summary += (summary.empty() ? "" : ", ") + std::to_string(count);
        summary += (count == 1 ? One : Many)[static_cast<std::size_t>(verdict)];
    }
    section.paragraphs.push_back(counted(result.lemmas.size(), "lemma") + (summary.empty() ? "" : ": " + summary) + "; " +
                                 counted(result.correspondence.sharedTerms, "shared term") + ".");
    section.table.columns = {"rung", "decided by", "hold", "fail", "undecided"};
    for (const auto& [rung, counts] : byRung) {
        const bool none = rung == Rung::None;
        section.table.rows.push_back({none ? "-" : std::to_string(static_cast<int>(rung)), none ? "no rung" : std::string(name(rung)),
                                      std::to_string(counts[0]), std::to_string(counts[1]), std::to_string(counts[2] + counts[3])});
    }
    return section;
}

void addNodes(ReportSection& section, const CheckResult& result, Side side, const std::vector<FlatNodeId>& nodes) {
    const auto& tree = side == Side::Reference ? result.reference : result.rewritten;
    static constexpr std::size_t Shown = 12;
    for (std::size_t i = 0; i < nodes.size() && i < Shown && tree; ++i) {
        if (nodes[i].isValid() && nodes[i].index < tree->nodeCount()) {
            section.table.rows.push_back({std::string(name(side)), nodeText(*tree, nodes[i])});
        }
    }
    if (nodes.size() > Shown) {
        section.table.rows.push_back({std::string(name(side)), "and " + std::to_string(nodes.size() - Shown) + " more"});
    }
}

ReportSection lemmaSection(const CheckResult& result) {
    ReportSection section;
    const LemmaResult* lemma = decisiveLemma(result);
    if (lemma == nullptr) {
        return section;
    }
    section.title = "Lemma " + lemma->id + " " + (lemma->verdict == LemmaVerdict::Fails ? "fails" : "is " + std::string(name(lemma->verdict)));
    std::string first = lemma->title;
    if (lemma->rung != Rung::None) {
        first +=
            (first.empty() ? "" : " ") + ("(rung " + std::to_string(static_cast<int>(lemma->rung))) + ", " + std::string(name(lemma->rung)) + ")";
    }
    for (const std::string& line : {first, lemma->reason, lemma->model.empty() ? std::string() : "Solver's model: " + lemma->model}) {
        if (!line.empty()) {
            section.paragraphs.push_back(line);
        }
    }
    section.table.columns = {"side", "node"};
    addNodes(section, result, Side::Reference, lemma->referenceNodes);
    addNodes(section, result, Side::Rewritten, lemma->rewrittenNodes);
    return section;
}

/// Last of all, since it may be long.
ReportSection lemmaTextSection(const CheckResult& result, const DescribeOptions& options) {
    ReportSection section;
    const LemmaResult* lemma = decisiveLemma(result);
    if (lemma != nullptr && options.lemmaText && !lemma->text.empty()) {
        section.title = "Lemma " + lemma->id + " in SMT-LIB";
        section.code = lemma->text;
    }
    return section;
}

ReportSection blameSection(const CheckResult& result) {
    ReportSection section{.title = "Blame", .table = {.columns = {"side", "node", "attribute"}}};
    for (const Blame& blame : result.blame) {
        const auto& tree = blame.side == Side::Reference ? result.reference : result.rewritten;
        std::string attribute = blame.attribute;
        if (tree && blame.node.isValid() && blame.node.index < tree->nodeCount()) {
            const auto& attributes = tree->node(blame.node).attributes;
            if (const auto at = attributes.find(blame.attribute); at != attributes.end()) {
                attribute += " = " + attributeText(at->second);
            }
        }
        section.table.rows.push_back({std::string(name(blame.side)), blame.nodeName, attribute});
    }
    return section;
}

ReportSection faultSection(const CheckResult& result) {
    ReportSection section;
    if (result.fault) {
        const FaultReport& fault = *result.fault;
        section.title = "Fault";
        section.paragraphs.push_back("The " + std::string(name(fault.side)) + " graph's node " + fault.node + ": " + accessText(fault) +
                                     (fault.size.empty() ? "" : ", whose size is " + indexText(fault.size)) + ".");
    }
    return section;
}

std::string elementsText(const Tensor& tensor, std::size_t most) {
    std::string out;
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        if (static_cast<std::size_t>(i) >= most) {
            return out + ", ... (" + std::to_string(tensor.count()) + " in all)";
        }
        out += (i == 0 ? "" : ", ") + elementText(tensor, i);
    }
    return out;
}

std::string bitsText(const Tensor& tensor, std::size_t most) {
    std::string out;
    for (std::int64_t i = 0; i < tensor.count() && static_cast<std::size_t>(i) < most; ++i) {
        out += (i == 0 ? "" : " ") + elementBits(tensor, i);
    }
    return out + (static_cast<std::size_t>(tensor.count()) > most ? " ..." : "");
}

std::vector<std::string> elementRow(const std::string& what, const std::optional<Tensor>& tensor, const std::vector<std::int64_t>& index) {
    const std::int64_t flat = tensor ? flatIndex(tensor->shape(), index) : -1;
    if (flat < 0) {
        return {what, "-", tensor ? "no such element" : "no value", ""};
    }
    return {what, tensorTypeText(*tensor), elementText(*tensor, flat), elementBits(*tensor, flat)};
}

ReportSection witnessSection(const CheckResult& result, const DescribeOptions& options) {
    ReportSection section;
    if (!result.counterexample) {
        return section;
    }
    const Counterexample& found = *result.counterexample;
    section.title = found.confirmed ? "Counterexample" : "Candidate, not confirmed: rounding may explain it";
    std::string sizes;
    for (const auto& [symbol, length] : found.sizes) {
        sizes += (sizes.empty() ? "" : ", ") + symbol + " = " + std::to_string(length);
    }
    if (!sizes.empty()) {
        section.paragraphs.push_back("Sizes: " + sizes + ".");
    }
    section.table.columns = {"tensor", "type", "values", "bits"};
    for (const auto& [input, tensor] : found.inputs) {
        section.table.rows.push_back({"input " + input, tensorTypeText(tensor), elementsText(tensor, options.maxElements),
                                      bitsText(tensor, std::min<std::size_t>(options.maxElements, 8))});
    }
    if (!found.output.empty()) {
        const std::string element = found.output + indexText(found.index);
        section.table.rows.push_back(elementRow("reference " + element, found.reference, found.index));
        section.table.rows.push_back(elementRow("rewritten " + element, found.rewritten, found.index));
    }
    return section;
}

const Tensor* runValue(const Evaluation& run, FlatValueId id) {
    if (!id.isValid() || id.index >= run.values.size() || !run.values[id.index]) {
        return nullptr;
    }
    return &*run.values[id.index];
}

/// First element at which two values of one path step part; none when they agree or cannot be compared.
std::optional<std::int64_t> firstDifferingElement(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape() || a.element() != b.element()) {
        return std::nullopt;
    }
    for (std::int64_t i = 0; i < a.count(); ++i) {
        if (!sameElement(a, b, i)) {
            return i;
        }
    }
    return std::nullopt;
}

ReportSection pathSection(const CheckResult& result, const DescribeOptions& options) {
    ReportSection section;
    if (!result.counterexample || result.counterexample->path.empty()) {
        return section;
    }
    const Counterexample& found = *result.counterexample;
    section.title = "Values on the way";
    section.table.columns = {"", "reference", "rewritten", "reference has", "rewritten has"};
    const std::size_t first = found.firstDifference;
    // A long way is shown around the place where the two runs part.
    const std::size_t begin = found.path.size() <= options.maxPathValues ? 0
                              : first > options.maxPathValues / 2        ? first - options.maxPathValues / 2
                                                                         : 0;
    const std::size_t end = std::min(found.path.size(), begin + options.maxPathValues);
    for (std::size_t i = begin; i < end; ++i) {
        const auto [referenceId, rewrittenId] = found.path[i];
        const Tensor* a = runValue(found.referenceRun, referenceId);
        const Tensor* b = runValue(found.rewrittenRun, rewrittenId);
        std::vector<std::string> row{i == first ? "first difference" : "", valueName(result, Side::Reference, referenceId),
                                     valueName(result, Side::Rewritten, rewrittenId)};
        const std::optional<std::int64_t> element = a != nullptr && b != nullptr ? firstDifferingElement(*a, *b) : std::nullopt;
        if (element) {
            const std::string at = indexText(indexOf(a->shape(), *element));
            row.push_back((at.empty() ? "" : at + " ") + elementText(*a, *element) + " " + elementBits(*a, *element));
            row.push_back((at.empty() ? "" : at + " ") + elementText(*b, *element) + " " + elementBits(*b, *element));
        } else {
            for (const Tensor* value : {a, b}) {
                row.push_back(value == nullptr ? "not computed" : tensorTypeText(*value) + " " + elementsText(*value, 4));
            }
        }
        section.table.rows.push_back(std::move(row));
    }
    if (begin > 0 || end < found.path.size()) {
        section.paragraphs.push_back("Steps " + std::to_string(begin + 1) + " to " + std::to_string(end) + " of " +
                                     std::to_string(found.path.size()) + ".");
    }
    return section;
}

ReportSection remarkSection(const std::string& title, const std::vector<Remark>& remarks, const DescribeOptions& options) {
    ReportSection section{.title = title, .table = {.columns = {"kind", "text"}}};
    for (std::size_t i = 0; i < remarks.size() && i < options.maxRemarks; ++i) {
        section.table.rows.push_back({remarks[i].kind, remarks[i].text});
    }
    if (remarks.size() > options.maxRemarks) {
        section.table.rows.push_back({"", "and " + std::to_string(remarks.size() - options.maxRemarks) + " more"});
    }
    return section;
}

/// What was seen on samples, and what is known a priori.
ReportSection roundingSection(const CheckResult& result) {
    ReportSection section{.title = "Rounding"};
    if (result.largestRelativeDifference && result.verdict == Verdict::Proved) {
        section.paragraphs.push_back("Largest difference seen on samples: relative " + shortestDecimal(*result.largestRelativeDifference) +
                                     (result.largestUlpDifference ? ", " + shortestDecimal(*result.largestUlpDifference) + " ulp" : "") + ".");
    }
    if (result.differenceBound) {
        section.paragraphs.push_back("A-priori bound: no element differs by more than " + shortestDecimal(*result.differenceBound) +
                                     " for inputs in their ranges.");
    } else if (!result.noBoundReason.empty()) {
        section.paragraphs.push_back("No a-priori bound: " + result.noBoundReason + ".");
    }
    return section;
}

ReportSection constantsSection(const CheckResult& result) {
    ReportSection section{.title = "Rounded constants", .table = {.columns = {"constant", "ulp", "relative", "allowed"}}};
    for (const ConstantError& constant : result.constants) {
        section.table.rows.push_back(
            {constant.name, shortestDecimal(constant.ulp), shortestDecimal(constant.relative), shortestDecimal(constant.allowed)});
    }
    return section;
}

} // namespace

std::string attributeText(const Attribute& attribute) { return std::visit(AttributeWriter{}, attribute); }

std::string nodeText(const GraphTree& tree, FlatNodeId id) {
    const Node& node = tree.node(id);
    const Graph& graph = *tree.instanceOf(id).graph;
    const auto list = [&](const std::vector<ValueId>& values) {
        std::string out;
        for (std::size_t i = 0; i < values.size() && i < 8; ++i) {
            out += (i == 0 ? "" : ", ") + (values[i].isValid() ? graph.value(values[i]).name : std::string("-"));
        }
        return out + (values.size() > 8 ? ", ..." : "");
    };
    std::string out = node.op.text();
    const std::string path = tree.path(id);
    if (path != node.op.name) {
        out += " " + path;
    }
    out += " (" + list(node.operands) + ") -> " + list(node.results);
    for (const auto& [key, value] : node.attributes) {
        out += ", " + key + " = " + attributeText(value);
    }
    return out;
}

const LemmaResult* decisiveLemma(const CheckResult& result) {
    const auto first = [&](auto wanted) {
        const auto at = std::find_if(result.lemmas.begin(), result.lemmas.end(), wanted);
        return at == result.lemmas.end() ? nullptr : &*at;
    };
    const LemmaResult* failing = first([](const LemmaResult& lemma) { return lemma.verdict == LemmaVerdict::Fails; });
    return failing != nullptr ? failing : first([](const LemmaResult& lemma) { return lemma.verdict != LemmaVerdict::Holds; });
}

ReportDocument describe(const CheckResult& result, const DescribeOptions& options) {
    ReportDocument document;
    document.headline = verdictLine(result);
    document.verdict = result.verdict;
    const auto add = [&](ReportSection section) {
        if (!section.title.empty() && (!section.paragraphs.empty() || !section.table.rows.empty() || !section.code.empty())) {
            document.sections.push_back(std::move(section));
        }
    };
    add(outputsSection(result));
    add(lemmaSection(result));
    add(blameSection(result));
    add(faultSection(result));
    if (result.condition) {
        add({.title = "Condition", .paragraphs = {"Equal if " + *result.condition + "."}});
    }
    add(witnessSection(result, options));
    add(pathSection(result, options));
    add(sideBySideSection(result, options.maxPathValues));
    add(lemmasSection(result));
    add(roundingSection(result));
    add(constantsSection(result));
    add(remarkSection("Assumptions", result.assumptions, options));
    add(remarkSection("Caveats", result.caveats, options));
    add(lemmaTextSection(result, options));
    return document;
}

} // namespace lemmascope
