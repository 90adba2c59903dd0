#include "core/report/pairs_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

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

/// What a pair's line says after `word: `, where it begins with that.
std::string without(const std::string& word, const std::string& line) { return line.starts_with(word + ": ") ? line.substr(word.size() + 2) : line; }

/// The line of the whole run. It begins with `proved` only where every pair is proved as wanted.
std::string firstLine(const std::vector<PairReport>& pairs, const PairsOutcome& outcome, bool pipeline) {
    if (!outcome.decisive) {
        return "proved" + (outcome.strength ? ": " + std::string(name(*outcome.strength)) : std::string()) +
               (outcome.assumed.empty() ? "" : " (assuming " + oneLine(assumedText(outcome.assumed)) + ")");
    }
    const auto called = [&](const PairReport& pair) { return (pipeline ? "" : "pair ") + oneLine(pair.name); };
    const PairReport& pair = pairs[*outcome.decisive];
    const std::string place =
        called(pair) + " of " + std::to_string(pairs.size()) + " (" + oneLine(pair.reference) + " -> " + oneLine(pair.rewritten) + "): ";
    std::string out;
    if (pair.error) {
        out = "error: " + place + without("error", oneLine(pair.line));
    } else if (pair.verdict == Verdict::Proved) {
        out = "not proved as wanted: first at " + place + oneLine(pair.line);
    } else {
        const std::string word(name(pair.verdict));
        out = word + ": first at " + place + without(word, oneLine(pair.line));
    }
    if (*outcome.first != *outcome.decisive) {
        out += "; before it " + called(pairs[*outcome.first]) + ": " + oneLine(pairs[*outcome.first].line);
    }
    return out;
}

} // namespace

std::string pairsText(const std::vector<PairReport>& pairs, bool pipeline) {
    const PairsOutcome outcome = outcomeOf(pairs);
    const std::string noun = pipeline ? "step" : "pair";
    std::array<std::size_t, 4> counts{};
    std::size_t errors = 0;
    std::size_t tooWeak = 0;
    std::size_t widest = 0;
    for (const PairReport& pair : pairs) {
        if (pair.error) {
            ++errors;
        } else if (pair.verdict == Verdict::Proved && !pair.asWanted) {
            ++tooWeak;
        } else {
            ++counts[static_cast<std::size_t>(pair.verdict)];
        }
        widest = std::max(widest, std::min<std::size_t>(listedName(pair, pipeline).size(), 60));
    }
    std::string out = firstLine(pairs, outcome, pipeline);
    out += "\n\n" + std::to_string(pairs.size()) + " " + noun + (pairs.size() == 1 ? "" : "s") + ":";
    for (const Verdict verdict : {Verdict::Proved, Verdict::Refuted, Verdict::Unproved, Verdict::Undecided}) {
        out += " " + std::to_string(counts[static_cast<std::size_t>(verdict)]) + " " + std::string(name(verdict)) +
               (verdict == Verdict::Undecided ? "" : ",");
    }
    out += tooWeak > 0 ? ", " + std::to_string(tooWeak) + " proved weaker than wanted" : "";
    out += (errors > 0 ? ", " + std::to_string(errors) + " could not be checked" : "") + "\n";
    for (const PairReport& pair : pairs) {
        const std::string shown = listedName(pair, pipeline);
        out += "  " + shown + std::string(2 + (widest > shown.size() ? widest - shown.size() : 0), ' ') + oneLine(pair.line) + "\n";
    }
    for (const std::optional<std::size_t>& told : {outcome.decisive, outcome.first}) {
        if (told && !pairs[*told].error) {
            out += "\n" + oneLine(pairs[*told].name) + ": " + oneLine(pairs[*told].line) + "\n" + pairs[*told].text;
            break;
        }
    }
    return out;
}

} // namespace lemmascope
