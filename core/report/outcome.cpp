#include "core/report/outcome.h"

#include "core/report/result_json.h"
#include "core/report/text_report.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lemmascope {

std::string_view toolVersion() { return LEMMASCOPE_VERSION; }

bool provedAsWanted(const CheckResult& result, Strength wanted) {
    return result.verdict == Verdict::Proved && result.strength.has_value() && *result.strength <= wanted;
}

int checkStatus(const CheckResult& result, Strength wanted) {
    if (result.verdict == Verdict::Refuted) {
        return 1;
    }
    return provedAsWanted(result, wanted) ? 0 : 2;
}

std::string headline(const CheckResult& result, Strength wanted) {
    std::string line = verdictLine(result);
    if (result.verdict == Verdict::Proved && !provedAsWanted(result, wanted)) {
        line += " (wanted " + std::string(name(wanted)) + ")";
    }
    return line;
}

std::string_view name(Side side) { return side == Side::Reference ? "reference" : "rewritten"; }

std::string nodeName(const CheckResult& result, Side side, FlatNodeId id) {
    const auto& tree = side == Side::Reference ? result.reference : result.rewritten;
    if (!tree || !id.isValid() || id.index >= tree->nodeCount()) {
        return "?";
    }
    return tree->path(id);
}

std::string valueName(const CheckResult& result, Side side, FlatValueId id) {
    const auto& tree = side == Side::Reference ? result.reference : result.rewritten;
    if (!tree || !id.isValid() || id.index >= tree->valueCount()) {
        return "?";
    }
    return tree->value(id).name;
}

PairReport reportPair(std::string name, std::string reference, std::string rewritten, const Result<CheckResult>& result, Strength wanted) {
    PairReport report;
    report.name = std::move(name);
    report.reference = std::move(reference);
    report.rewritten = std::move(rewritten);
    if (!result) {
        report.error = result.error();
        report.line = "error: " + result.error().text();
        return report;
    }
    report.verdict = result->verdict;
    report.strength = result->strength;
    report.kind = result->kind;
    report.asWanted = provedAsWanted(*result, wanted);
    report.assumed = result->assumed;
    std::copy_if(result->assumptions.begin(), result->assumptions.end(), std::back_inserter(report.acceptedDifferences),
                 [](const Remark& remark) { return remark.kind == "assumed-equal"; });
    report.line = headline(*result, wanted);
    report.text = textReport(*result);
    report.json = resultFields(*result, 3);
    for (const Blame& blame : result->blame) {
        report.places.push_back({blame.side, blame.nodeName, blame.attribute});
    }
    report.seconds = result->times.total;
    return report;
}

PairsOutcome outcomeOf(const std::vector<PairReport>& pairs) {
    // Of verdicts, the worst counts: refuted, unproved, undecided, proved (resources/docs/decisions/numbers.md).
    static constexpr auto Badness = [](Verdict verdict) {
        switch (verdict) {
        case Verdict::Refuted: return 3;
        case Verdict::Unproved: return 2;
        case Verdict::Undecided: return 1;
        case Verdict::Proved: return 0;
        }
        return 3;
    };
    PairsOutcome outcome;
    std::optional<int> errorStatus;
    bool allAsWanted = true;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const PairReport& pair = pairs[i];
        if (!pair.asWanted) {
            allAsWanted = false;
            if (!outcome.first) {
                outcome.first = i;
            }
        }
        for (const AssumedPair& one : pair.assumed) {
            const auto same = [&](const AssumedPair& other) {
                return other.referenceName == one.referenceName && other.rewrittenName == one.rewrittenName;
            };
            if (std::none_of(outcome.assumed.begin(), outcome.assumed.end(), same)) {
                outcome.assumed.push_back(one);
            }
        }
        for (const Remark& one : pair.acceptedDifferences) {
            if (std::none_of(outcome.acceptedDifferences.begin(), outcome.acceptedDifferences.end(),
                             [&](const Remark& other) { return other.text == one.text; })) {
                outcome.acceptedDifferences.push_back(one);
            }
        }
        // Nothing is known of what could not be read: a PairReport of an error is undecided.
        if (!outcome.verdict || Badness(pair.verdict) > Badness(*outcome.verdict)) {
            outcome.verdict = pair.verdict;
        }
        if (pair.error) {
            if (!errorStatus) {
                errorStatus = exitStatus(pair.error->code);
            }
            continue;
        }
        if (pair.strength) {
            outcome.strength = outcome.strength ? weaker(*outcome.strength, *pair.strength) : *pair.strength;
        }
    }
    if (outcome.verdict != Verdict::Proved || errorStatus) {
        outcome.strength.reset();
    }
    if (outcome.verdict == Verdict::Refuted) {
        outcome.status = 1;
    } else if (errorStatus) {
        outcome.status = *errorStatus;
    } else {
        outcome.status = allAsWanted ? 0 : 2;
    }
    const bool unreadable = errorStatus && outcome.verdict != Verdict::Refuted;
    const auto decides = [&](const PairReport& pair) {
        return unreadable ? pair.error.has_value() : !pair.error && !pair.asWanted && pair.verdict == outcome.verdict;
    };
    if (const auto at = std::find_if(pairs.begin(), pairs.end(), decides); at != pairs.end()) {
        outcome.decisive = static_cast<std::size_t>(at - pairs.begin());
    }
    return outcome;
}

} // namespace lemmascope
