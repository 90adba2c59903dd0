#include "core/prove/pin_store.h"

#include "core/base/digest.h"
#include "core/prove/checked_file.h"
#include "core/prove/stored_decision.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr int Format = 1;

bool isDigest(std::string_view text) {
    return text.size() == 64 && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::filesystem::path pathOf(const std::filesystem::path& folder, std::string_view obligation) {
    return folder / (std::string(obligation) + ".pin.json");
}

/// The decision an object's fields tell; absent if they do not.
std::optional<StoredDecision> decisionIn(const nlohmann::json& json) {
    const auto verdict = json.find("verdict"), rung = json.find("rung"), strength = json.find("strength");
    if (verdict == json.end() || !verdict->is_string() || rung == json.end() || !rung->is_number_unsigned() ||
        (strength != json.end() && !strength->is_string()))
        return std::nullopt;
    return storedDecision(verdict->get_ref<const std::string&>(), rung->get<std::uint64_t>(),
                          strength == json.end() ? std::string_view() : std::string_view(strength->get_ref<const std::string&>()));
}

std::optional<PinnedLemma> readLemma(const nlohmann::json& json) {
    const auto digest = json.find("digest");
    if (!json.is_object() || digest == json.end() || !digest->is_string() || !isDigest(digest->get_ref<const std::string&>()))
        return std::nullopt;
    const std::optional<StoredDecision> decision = decisionIn(json);
    if (!decision)
        return std::nullopt;
    return PinnedLemma{digest->get<std::string>(), decision->verdict, decision->rung, decision->strength};
}

} // namespace

std::optional<Pin> PinStore::lookup(std::string_view obligation) const {
    if (!isDigest(obligation))
        return std::nullopt;
    const std::optional<std::string> text = readCheckedFile(pathOf(m_folder, obligation));
    if (!text)
        return std::nullopt;
    const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || json.value("lemmascope-pin", nlohmann::json()) != Format || json.value("obligation", nlohmann::json()) != obligation)
        return std::nullopt;
    const auto solver = json.find("solver"), lemmas = json.find("lemmas");
    if (solver == json.end() || !solver->is_string() || lemmas == json.end() || !lemmas->is_array())
        return std::nullopt;
    Pin pin;
    pin.solver = solver->get<std::string>();
    for (const nlohmann::json& item : *lemmas) {
        std::optional<PinnedLemma> lemma = readLemma(item);
        if (!lemma)
            return std::nullopt;
        pin.lemmas.push_back(std::move(*lemma));
    }
    return pin;
}

Result<void> PinStore::store(std::string_view obligation, const Pin& pin) const {
    if (!isDigest(obligation))
        return fail(ErrorCode::Internal, "pins: '" + std::string(obligation) + "' is no digest of an obligation");
    nlohmann::ordered_json json;
    json["lemmascope-pin"] = Format;
    json["obligation"] = obligation;
    json["solver"] = pin.solver;
    nlohmann::ordered_json& lemmas = json["lemmas"] = nlohmann::ordered_json::array();
    for (const PinnedLemma& lemma : pin.lemmas) {
        if (!isDigest(lemma.digest))
            return fail(ErrorCode::Internal, "pins: '" + lemma.digest + "' is no digest of a lemma");
        nlohmann::ordered_json item;
        item["digest"] = lemma.digest;
        item["verdict"] = name(lemma.verdict);
        item["rung"] = static_cast<unsigned>(lemma.rung);
        if (lemma.strength)
            item["strength"] = name(*lemma.strength);
        lemmas.push_back(std::move(item));
    }
    // One lemma a line: pins are kept under version control.
    return writeCheckedFile(pathOf(m_folder, obligation), json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string PinStore::obligationDigest(const std::vector<std::string>& lemmaDigests) {
    std::string all;
    for (const std::string& digest : lemmaDigests)
        all += digest + "\n";
    return sha256Hex(all);
}

} // namespace lemmascope
