#include "core/report/result_json.h"

#include "core/report/element_text.h"
#include "core/report/json_writer.h"
#include "core/report/side_by_side.h"

#include <optional>

namespace lemmascope {

namespace {

constexpr JsonWriter::Layout InLine = JsonWriter::Layout::InLine;

template <typename Named>
void writeName(JsonWriter& json, const std::optional<Named>& value) {
    if (value) {
        json.string(name(*value));
    } else {
        json.null();
    }
}

void writeNodes(JsonWriter& json, const CheckResult& result, Side side, const std::vector<FlatNodeId>& nodes) {
    json.beginArray(InLine);
    for (const FlatNodeId node : nodes) {
        json.string(nodeName(result, side, node));
    }
    json.endArray();
}

void writeRemarks(JsonWriter& json, const std::vector<Remark>& remarks) {
    json.beginArray();
    for (const Remark& remark : remarks) {
        json.beginObject(InLine);
        json.key("kind");
        json.string(remark.kind);
        json.key("text");
        json.string(remark.text);
        json.endObject();
    }
    json.endArray();
}

void writeOutputs(JsonWriter& json, const CheckResult& result) {
    json.beginArray();
    for (const OutputResult& output : result.outputs) {
        json.beginObject(InLine);
        json.key("name");
        json.string(output.name);
        json.key("verdict");
        json.string(name(output.verdict));
        json.key("strength");
        writeName(json, output.strength);
        json.key("kind");
        writeName(json, output.kind);
        json.key("reason");
        json.stringOrNull(output.reason);
        json.endObject();
    }
    json.endArray();
}

void writeLemmas(JsonWriter& json, const CheckResult& result) {
    json.beginArray();
    for (const LemmaResult& lemma : result.lemmas) {
        json.beginObject(InLine);
        json.key("id");
        json.string(lemma.id);
        json.key("verdict");
        json.string(name(lemma.verdict));
        json.key("rung");
        if (lemma.rung == Rung::None) {
            json.null();
        } else {
            json.integer(static_cast<std::int64_t>(lemma.rung));
        }
        json.key("digest");
        json.stringOrNull(lemma.digest);
        json.key("reference");
        writeNodes(json, result, Side::Reference, lemma.referenceNodes);
        json.key("rewritten");
        writeNodes(json, result, Side::Rewritten, lemma.rewrittenNodes);
        json.key("reason");
        json.stringOrNull(lemma.reason);
        json.endObject();
    }
    json.endArray();
}

void writeTensor(JsonWriter& json, const Tensor& tensor) {
    json.beginObject(InLine);
    json.key("type");
    json.string(name(tensor.element()));
    json.key("shape");
    json.integers(tensor.shape());
    json.key("data");
    json.beginArray(InLine);
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        writeElement(json, tensor, i);
    }
    json.endArray();
    json.endObject();
}

void writeOutputElement(JsonWriter& json, const std::optional<Tensor>& tensor, const std::vector<std::int64_t>& index) {
    const std::int64_t flat = tensor ? flatIndex(tensor->shape(), index) : -1;
    if (flat < 0) {
        json.null();
    } else {
        writeElement(json, *tensor, flat);
    }
}

void writeCounterexample(JsonWriter& json, const std::optional<Counterexample>& found) {
    if (!found) {
        json.null();
        return;
    }
    json.beginObject();
    json.key("sizes");
    json.beginObject(InLine);
    for (const auto& [symbol, length] : found->sizes) {
        json.key(symbol);
        json.integer(length);
    }
    json.endObject();
    json.key("inputs");
    json.beginObject();
    for (const auto& [input, tensor] : found->inputs) {
        json.key(input);
        writeTensor(json, tensor);
    }
    json.endObject();
    json.key("output");
    json.stringOrNull(found->output);
    json.key("index");
    json.integers(found->index);
    json.key("reference");
    writeOutputElement(json, found->reference, found->index);
    json.key("rewritten");
    writeOutputElement(json, found->rewritten, found->index);
    json.endObject();
}

void writeOnInputs(JsonWriter& json, const InputComparison& seen, const CheckResult& result) {
    json.beginObject();
    json.key("compared");
    json.unsignedInteger(seen.compared);
    json.key("differing");
    json.unsignedInteger(seen.differing);
    json.key("first");
    if (!seen.first) {
        json.null();
        json.endObject();
        return;
    }
    const ComparedValue& first = seen.differences[*seen.first];
    json.beginObject(InLine);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const bool mine = side == Side::Reference;
        json.key(std::string(name(side)));
        json.beginObject(InLine);
        json.key("value");
        json.string(valueName(result, side, mine ? first.reference : first.rewritten));
        json.key("node");
        json.stringOrNull(producerName(result, side, mine ? first.reference : first.rewritten));
        json.key("element");
        const std::optional<Tensor>& element = mine ? first.referenceElement : first.rewrittenElement;
        if (element) {
            writeElement(json, *element, 0);
        } else {
            json.null();
        }
        json.endObject();
    }
    json.key("index");
    json.integers(first.referenceElement ? indexOf(first.referenceShape, first.element) : std::vector<std::int64_t>{});
    json.endObject();
    json.endObject();
}

void writeBlame(JsonWriter& json, const std::vector<Blame>& blames) {
    json.beginArray();
    for (const Blame& blame : blames) {
        json.beginObject(InLine);
        json.key("side");
        json.string(name(blame.side));
        json.key("node");
        json.string(blame.nodeName);
        json.key("attribute");
        json.stringOrNull(blame.attribute);
        json.endObject();
    }
    json.endArray();
}

void writeFault(JsonWriter& json, const std::optional<FaultReport>& fault) {
    if (!fault) {
        json.null();
        return;
    }
    json.beginObject(InLine);
    json.key("side");
    json.string(name(fault->side));
    json.key("access");
    json.string(fault->access);
    json.key("buffer");
    json.string(fault->buffer);
    json.key("index");
    json.integers(fault->index);
    json.key("size");
    json.integers(fault->size);
    json.key("node");
    json.string(fault->node);
    json.endObject();
}

void writeRace(JsonWriter& json, const std::optional<RaceReport>& race) {
    if (!race) {
        json.null();
        return;
    }
    const auto writeNames = [&](const std::vector<std::string>& names) {
        json.beginArray(InLine);
        for (const std::string& event : names) {
            json.string(event);
        }
        json.endArray();
    };
    json.beginObject();
    json.key("events");
    writeNames(race->events);
    json.key("buffer");
    json.string(race->buffer);
    json.key("index");
    json.integers(race->index);
    json.key("runs");
    json.beginArray();
    for (const ScheduledRun& run : race->runs) {
        json.beginObject();
        json.key("order");
        writeNames(run.order);
        json.key("outputs");
        json.beginObject();
        for (const auto& [output, tensor] : run.outputs) {
            json.key(output);
            writeTensor(json, tensor);
        }
        json.endObject();
        json.endObject();
    }
    json.endArray();
    json.endObject();
}

void writeCycle(JsonWriter& json, const std::vector<std::string>& cycle) {
    if (cycle.empty()) {
        json.null();
        return;
    }
    json.beginArray();
    for (const std::string& step : cycle) {
        json.string(step);
    }
    json.endArray();
}

void writeDifference(JsonWriter& json, const CheckResult& result) {
    if (!result.largestRelativeDifference && !result.largestUlpDifference && !result.differenceBound && result.noBoundReason.empty()) {
        json.null();
        return;
    }
    const auto write = [&](const char* key, const std::optional<double>& value) {
        json.key(key);
        if (value) {
            json.number(*value);
        } else {
            json.null();
        }
    };
    json.beginObject(InLine);
    write("relative", result.largestRelativeDifference);
    write("ulp", result.largestUlpDifference);
    write("bound", result.differenceBound);
    if (!result.noBoundReason.empty()) {
        json.key("no_bound");
        json.string(result.noBoundReason);
    }
    json.endObject();
}

void writeConstants(JsonWriter& json, const std::vector<ConstantError>& constants) {
    json.beginArray();
    for (const ConstantError& constant : constants) {
        json.beginObject(InLine);
        json.key("name");
        json.string(constant.name);
        json.key("ulp");
        json.number(constant.ulp);
        json.key("relative");
        json.number(constant.relative);
        json.key("allowed");
        json.number(constant.allowed);
        json.endObject();
    }
    json.endArray();
}

void writeTimes(JsonWriter& json, const CheckTimes& times) {
    const std::pair<const char*, double> seconds[] = {
        {"terms", times.terms}, {"pairing", times.pairing}, {"decide", times.decide}, {"refute", times.refute}, {"total", times.total}};
    const std::pair<const char*, std::size_t> counts[] = {
        {"term_count", times.termCount}, {"lemma_count", times.lemmaCount}, {"solver_calls", times.solverCalls}, {"cache_hits", times.cacheHits}};
    json.beginObject(InLine);
    for (const auto& [key, value] : seconds) {
        json.key(key);
        json.number(value);
    }
    for (const auto& [key, value] : counts) {
        json.key(key);
        json.unsignedInteger(value);
    }
    json.endObject();
}

void writeTool(JsonWriter& json) {
    json.beginObject(InLine);
    json.key("name");
    json.string("lemmascope");
    json.key("version");
    json.string(toolVersion());
    json.endObject();
}

/// The fields from `verdict` on: the same in a single result and in a pair.
void writeResult(JsonWriter& json, const CheckResult& result) {
    json.key("verdict");
    json.string(name(result.verdict));
    json.key("strength");
    writeName(json, result.strength);
    json.key("kind");
    writeName(json, result.kind);
    json.key("reason");
    json.stringOrNull(result.reason);
    json.key("outputs");
    writeOutputs(json, result);
    json.key("lemmas");
    writeLemmas(json, result);
    json.key("counterexample");
    // Only what was confirmed is a counterexample; a candidate that rounding may explain is told in `reason`.
    writeCounterexample(json, result.counterexample && result.counterexample->confirmed ? result.counterexample : std::nullopt);
    if (result.onInputs) { // only where tensors were given
        json.key("on_inputs");
        writeOnInputs(json, *result.onInputs, result);
    }
    json.key("blame");
    writeBlame(json, result.blame);
    json.key("condition");
    json.stringOrNull(result.condition.value_or(""));
    json.key("fault");
    writeFault(json, result.fault);
    json.key("race");
    writeRace(json, result.race);
    json.key("cycle");
    writeCycle(json, result.cycle);
    json.key("difference");
    writeDifference(json, result);
    json.key("error_probability");
    if (result.errorProbability) {
        json.number(*result.errorProbability);
    } else {
        json.null();
    }
    json.key("assumptions");
    writeRemarks(json, result.assumptions);
    json.key("caveats");
    writeRemarks(json, result.caveats);
    json.key("constants");
    writeConstants(json, result.constants);
    json.key("times");
    writeTimes(json, result.times);
    json.key("tool");
    writeTool(json);
}

void writeFormat(JsonWriter& json) {
    json.key("format");
    json.string("lemmascope-result");
    json.key("version");
    json.integer(1);
}

} // namespace

std::string resultJson(const CheckResult& result) {
    JsonWriter json;
    json.beginObject();
    writeFormat(json);
    writeResult(json, result);
    json.endObject();
    return json.text() + "\n";
}

std::string resultFields(const CheckResult& result, std::size_t depth) {
    JsonWriter json(depth > 0 ? depth - 1 : 0);
    json.beginObject();
    writeResult(json, result);
    json.endObject();
    // Between `{` with its line break and the line break before `}`.
    const std::string& text = json.text();
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.rfind('\n') - begin);
}

std::string pairsJson(const std::vector<PairReport>& pairs) {
    const PairsOutcome outcome = outcomeOf(pairs);
    JsonWriter json;
    json.beginObject();
    writeFormat(json);
    json.key("verdict");
    writeName(json, outcome.verdict);
    json.key("strength");
    writeName(json, outcome.strength);
    json.key("reason");
    json.stringOrNull(outcome.decisive ? pairs[*outcome.decisive].name + ": " + pairs[*outcome.decisive].line : std::string());
    json.key("assumptions");
    writeRemarks(json, outcome.acceptedDifferences);
    json.key("first");
    if (outcome.first) {
        json.unsignedInteger(*outcome.first);
    } else {
        json.null();
    }
    json.key("pairs");
    json.beginArray();
    for (const PairReport& pair : pairs) {
        JsonWriter head(2);
        head.beginObject();
        head.key("name");
        head.string(pair.name);
        head.key("reference");
        head.string(pair.reference);
        head.key("rewritten");
        head.string(pair.rewritten);
        if (pair.error) {
            head.key("verdict");
            head.null();
            head.key("error");
            head.beginObject(InLine);
            head.key("status");
            head.integer(exitStatus(pair.error->code));
            head.key("text");
            head.string(pair.error->text());
            head.endObject();
            head.endObject();
            json.raw(head.text());
        } else {
            json.raw(head.text() + ",\n" + pair.json + "\n    }");
        }
    }
    json.endArray();
    json.endObject();
    return json.text() + "\n";
}

} // namespace lemmascope
