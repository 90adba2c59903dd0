#include "core/prove/acceptable.h"

#include <algorithm>

namespace lemmascope {

Result<std::pair<std::string, std::string>> acceptablePair(const CheckResult& result, std::size_t lemma) {
    if (lemma >= result.lemmas.size() || !result.reference || !result.rewritten) {
        return fail(ErrorCode::Usage, "there is no such lemma");
    }
    const LemmaResult& entry = result.lemmas[lemma];
    if (entry.kind != LemmaResult::Kind::Equal) {
        return fail(ErrorCode::Usage, entry.id + " is not about two equal values: an access out of range cannot be accepted");
    }
    if (entry.verdict == LemmaVerdict::Holds) {
        return fail(ErrorCode::Usage, entry.id + " holds: there is nothing to accept");
    }
    const Graph& reference = result.reference->top();
    const Graph& rewritten = result.rewritten->top();
    if (!entry.reference.isValid() || !entry.rewritten.isValid()) {
        return fail(ErrorCode::Usage, entry.id + " speaks of no value of the two graphs");
    }
    if (entry.reference.index >= reference.values.size() || entry.rewritten.index >= rewritten.values.size()) {
        return fail(ErrorCode::Usage, entry.id + " speaks of values in a nested graph: only those of the top graphs can be accepted");
    }
    const Value& mine = reference.values[entry.reference.index];
    const Value& theirs = rewritten.values[entry.rewritten.index];
    if (mine.name.empty() || theirs.name.empty()) {
        return fail(ErrorCode::Usage, entry.id + " speaks of a value without a name");
    }
    if (std::find(rewritten.inputs.begin(), rewritten.inputs.end(), ValueId(entry.rewritten.index)) != rewritten.inputs.end()) {
        return fail(ErrorCode::Usage, "'" + theirs.name + "' is an input of the rewritten graph");
    }
    if (!(mine.type == theirs.type)) {
        return fail(ErrorCode::Usage, "'" + mine.name + "' and '" + theirs.name + "' have different types");
    }
    return std::pair(mine.name, theirs.name);
}

} // namespace lemmascope
