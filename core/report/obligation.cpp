#include "core/report/obligation.h"

#include "core/base/digest.h"
#include "core/report/files.h"
#include "core/report/json_writer.h"
#include "core/report/outcome.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string_view>
#include <system_error>

namespace lemmascope {

namespace {

std::string_view kindName(LemmaResult::Kind kind) {
    static constexpr std::array<std::string_view, 4> Names{"equal", "in-range", "divisor", "fact"};
    return Names.at(static_cast<std::size_t>(kind));
}

std::string oneLine(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, ' ');
    return text;
}

std::string lemmaFile(std::size_t position) {
    std::array<char, 32> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "L%04zu.smt2", position + 1);
    return {buffer.data(), static_cast<std::size_t>(length)};
}

bool isLemmaFile(std::string_view name) {
    return name.size() > 6 && name.front() == 'L' && name.ends_with(".smt2") &&
           std::all_of(name.begin() + 1, name.end() - 5, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::string askingText(const std::string& lemma) {
    return lemma + (lemma.empty() || lemma.back() == '\n' ? "" : "\n") + "; unsat: the lemma holds\n(check-sat)\n";
}

namespace {

/// `asking`: for a solver, each lemma by itself; else just what is stated, which is what the digest is of.
std::string statedLemmas(const CheckResult& result, bool asking) {
    std::string out;
    bool asked = false;
    for (const LemmaResult& lemma : result.lemmas) {
        if (lemma.text.empty()) {
            if (!lemma.noText.empty()) {
                out += (out.empty() ? "" : "\n") + std::string("; ") + oneLine(lemma.id) + ": " + oneLine(lemma.title) +
                       "\n; no text: " + lemma.noText + "\n";
            }
            continue;
        }
        out += out.empty() ? "" : "\n";
        out += asked ? "(reset)\n" : ""; // lemmas declare the same names
        out += "; " + oneLine(lemma.id) + ": " + oneLine(lemma.title) + "\n; sha256 " + lemma.digest + "\n" +
               (asking ? askingText(lemma.text) : lemma.text + (lemma.text.back() == '\n' ? "" : "\n"));
        asked = asking;
    }
    out = out.empty() ? "; no lemma has a text: everything was decided by terms and index maps\n" : out;
    return result.assumed.empty() ? out : "; assuming " + oneLine(assumedText(result.assumed)) + " (reference=rewritten)\n" + out;
}

} // namespace

std::string obligationText(const CheckResult& result) { return statedLemmas(result, true); }

std::string obligationDigest(const CheckResult& result) { return sha256Hex(statedLemmas(result, false)); }

Result<void> writeObligation(const CheckResult& result, const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return fail(ErrorCode::NotFound, "cannot make the folder: " + problem.message(), folder.string());
    }
    std::set<std::string> written;
    JsonWriter json;
    json.beginObject();
    json.key("format");
    json.string("lemmascope-obligation");
    json.key("version");
    json.integer(1);
    json.key("digest");
    json.string(obligationDigest(result));
    json.key("digest_of");
    json.string("a lemma's digest is the SHA-256 of its file without the last two lines, which ask the solver; the digest above is that "
                "of what `lemmascope-cli obligation` prints without those lines and without (reset)");
    if (!result.assumed.empty()) {
        json.key("assumed_equal");
        json.beginArray();
        for (const AssumedPair& pair : result.assumed) {
            json.beginObject(JsonWriter::Layout::InLine);
            json.key("reference");
            json.string(pair.referenceName);
            json.key("rewritten");
            json.string(pair.rewrittenName);
            json.endObject();
        }
        json.endArray();
    }
    json.key("lemmas");
    json.beginArray();
    for (std::size_t i = 0; i < result.lemmas.size(); ++i) {
        const LemmaResult& lemma = result.lemmas[i];
        std::string file;
        if (!lemma.text.empty()) {
            file = lemmaFile(i);
            if (const Result<void> saved = writeFile(folder / file, askingText(lemma.text)); !saved) {
                return saved;
            }
            written.insert(file);
        }
        json.beginObject(JsonWriter::Layout::InLine);
        json.key("id");
        json.string(lemma.id);
        json.key("kind");
        json.string(kindName(lemma.kind));
        json.key("title");
        json.string(lemma.title);
        json.key("file");
        json.stringOrNull(file);
        json.key("digest");
        json.stringOrNull(lemma.digest);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
        const std::string name = entry.path().filename().string();
        if (isLemmaFile(name) && !written.contains(name)) {
            std::filesystem::remove(entry.path(), problem);
        }
    }
    return writeFile(folder / "manifest.json", json.text() + "\n");
}

} // namespace lemmascope
