#include "core/report/pairs_text.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace lemmascope {

namespace {

std::string oneLine(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; }, ' ');
    return text;
}

/// A step's number says little; the file that it made says which rewrite it was.
std::string listedName(const PairReport& pair, bool pipeline) {
    return oneLine(pipeline ? pair.name + "  " + std::filesystem::path(pair.rewritten).filename().string() : pair.name);
}

} // namespace

std::string pairsText(const std::vector<PairReport>& pairs, bool pipeline) {
    const PairsOutcome outcome = outcomeOf(pairs);
    const std::string noun = pipeline ? "step" : "pair";
    std::array<std::size_t, 4> counts{};
    std::size_t errors = 0;
    std::size_t widest = 0;
    for (const PairReport& pair : pairs) {
        if (pair.error) {
            ++errors;
        } else {
            ++counts[static_cast<std::size_t>(pair.verdict)];
        }
        widest = std::max(widest, std::min<std::size_t>(listedName(pair, pipeline).size(), 60));
    }
    std::string out = outcome.verdict ? std::string(name(*outcome.verdict)) : pairs.empty() ? "proved" : "error";
    if (outcome.strength && outcome.verdict == Verdict::Proved) {
        out += ": " + std::string(name(*outcome.strength));
    }
    if (outcome.first) {
        const PairReport& first = pairs[*outcome.first];
        out += ": first at " + (pipeline ? "" : noun + " ") + oneLine(first.name) + " of " + std::to_string(pairs.size()) + " (" +
               oneLine(first.reference) + " -> " + oneLine(first.rewritten) + "): " + oneLine(first.line);
    }
    out += "\n\n" + std::to_string(pairs.size()) + " " + noun + (pairs.size() == 1 ? "" : "s") + ":";
    for (const Verdict verdict : {Verdict::Proved, Verdict::Refuted, Verdict::Unproved, Verdict::Undecided}) {
        out += " " + std::to_string(counts[static_cast<std::size_t>(verdict)]) + " " + std::string(name(verdict)) +
               (verdict == Verdict::Undecided ? "" : ",");
    }
    out += (errors > 0 ? ", " + std::to_string(errors) + " could not be checked" : "") + "\n";
    for (const PairReport& pair : pairs) {
        const std::string shown = listedName(pair, pipeline);
        out += "  " + shown + std::string(2 + (widest > shown.size() ? widest - shown.size() : 0), ' ') + oneLine(pair.line) + "\n";
    }
    if (outcome.first && !pairs[*outcome.first].error) {
        const PairReport& first = pairs[*outcome.first];
        out += "\n" + oneLine(first.name) + ": " + oneLine(first.line) + "\n" + first.text;
    }
    return out;
}

} // namespace lemmascope
