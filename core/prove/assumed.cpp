// Differences that the user accepts (resources/docs/decisions/accepting.md). Tests: tests/core/prove/tst_assumed.cpp.

#include "core/prove/assumed.h"

#include "core/base/nearest.h"
#include "core/graph/infer.h"

#include <algorithm>

namespace lemmascope {

namespace {

std::string inQuotes(const std::string& name) { return "'" + name + "'"; }

/// The top graph's value of that name, or why there is none.
Result<FlatValueId> findValue(const GraphTree& tree, const std::string& name, const std::string& option, const std::string& side) {
    if (const ValueId id = tree.top().findValue(name); id.isValid()) {
        return FlatValueId(id.index);
    }
    std::vector<std::string_view> known;
    for (const Value& value : tree.top().values) {
        known.push_back(value.name);
    }
    for (std::size_t i = tree.top().values.size(); i < tree.valueCount(); ++i) {
        if (tree.value(FlatValueId(i)).name == name) {
            return fail(ErrorCode::BadData, option + ": " + inQuotes(name) + " stands in a nested graph of the " + side +
                                                ": only values of the top graph can be assumed equal");
        }
    }
    constexpr std::size_t MostNames = 50'000; // a suggestion is not worth more time
    std::sort(known.begin(), known.end());
    const auto near = known.size() < MostNames ? nearestWord(name, known) : std::nullopt;
    return fail(ErrorCode::BadData, option + ": the " + side + " has no value " + inQuotes(name) +
                                        (near ? " (did you mean " + inQuotes(std::string(*near)) + "?)"
                                              : "; A is a value of the reference, B one of the rewritten graph"));
}

bool sameElements(const Value& a, const Value& b) { return a.elements && b.elements && *a.elements == *b.elements; }

/// True when inference learns of some type through what `id` holds.
Result<bool> decidesShapes(const Graph& graph, ValueId id, std::stop_token stop) {
    Graph opaque = graph;
    Value& value = opaque.values.at(id.index);
    if (value.producer.isValid()) {
        for (ValueId& result : opaque.nodes.at(value.producer.index).results) {
            result = result == id ? ValueId() : result;
        }
    }
    const auto known = inferTypes(graph, {}, stop);
    if (known) {
        value.type = (*known)->value(id).type; // nothing but what it holds is forgotten
    }
    value.constant.reset();
    value.elements.reset();
    value.producer = {};
    value.resultIndex = 0;
    opaque.inputs.push_back(id);
    const auto unknown = inferTypes(opaque, {}, stop);
    for (const auto* inferred : {&known, &unknown}) {
        if (!*inferred && inferred->error().code == ErrorCode::Cancelled) {
            return tl::unexpected(inferred->error());
        }
    }
    if (!known || !unknown) {
        return true;
    }
    const auto before = GraphTree::build(*known);
    const auto after = GraphTree::build(*unknown);
    if (!before || !after || before->valueCount() != after->valueCount()) {
        return true;
    }
    for (std::size_t i = 0; i < before->valueCount(); ++i) {
        const Value& a = before->value(FlatValueId(i));
        const Value& b = after->value(FlatValueId(i));
        if (i != id.index && (!(a.type == b.type) || (a.elements && !b.elements))) {
            return true;
        }
    }
    return false;
}

} // namespace

Result<std::vector<AssumedPair>> assumedPairs(const GraphTree& reference, const GraphTree& rewritten, const Graph& asRead,
                                              const std::vector<std::pair<std::string, std::string>>& names, std::stop_token stop) {
    std::vector<AssumedPair> pairs;
    for (const auto& [mine, theirs] : names) {
        const std::string option = "--assume-equal " + mine + "=" + theirs;
        const Result<FlatValueId> a = findValue(reference, mine, option, "reference");
        if (!a) {
            return tl::unexpected(a.error());
        }
        const Result<FlatValueId> b = findValue(rewritten, theirs, option, "rewritten graph");
        if (!b) {
            return tl::unexpected(b.error());
        }
        const ValueId inTop(b->index);
        const std::vector<ValueId>& inputs = rewritten.top().inputs;
        if (std::find(inputs.begin(), inputs.end(), inTop) != inputs.end()) {
            return fail(ErrorCode::BadData, option + ": " + inQuotes(theirs) + " is an input of the rewritten graph: pair inputs with --map");
        }
        const Value& left = reference.value(*a);
        const Value& right = rewritten.value(*b);
        if (!(left.type == right.type)) {
            return fail(ErrorCode::BadData, option + ": " + inQuotes(mine) + " is " + left.type.text() + ", but " + inQuotes(theirs) + " is " +
                                                right.type.text() + ": values of different types cannot be equal");
        }
        for (const AssumedPair& other : pairs) {
            if (other.rewritten == *b && !(other.reference == *a)) {
                return fail(ErrorCode::BadData, option + ": " + inQuotes(theirs) + " is already assumed equal to " + inQuotes(other.referenceName));
            }
        }
        if (!sameElements(left, right)) {
            const Result<bool> shapes = decidesShapes(asRead, asRead.findValue(theirs), stop);
            if (!shapes) {
                return tl::unexpected(shapes.error());
            }
            if (*shapes) {
                return fail(ErrorCode::BadData, option + ": shapes of the rewritten graph are computed from " + inQuotes(theirs) +
                                                    ": only a value on which no shape depends can be assumed equal");
            }
        }
        const AssumedPair pair{mine, theirs, *a, *b};
        if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) {
            pairs.push_back(pair);
        }
    }
    return pairs;
}

std::string assumedText(const std::vector<AssumedPair>& pairs) {
    std::string out;
    for (const AssumedPair& pair : pairs) {
        out += (out.empty() ? "" : ", ") + pair.referenceName + "=" + pair.rewrittenName;
    }
    return out;
}

} // namespace lemmascope
