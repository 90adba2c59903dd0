#include "core/prove/lemma_memory.h"

#include <algorithm>

namespace lemmascope {

std::optional<LemmaMemory::Answer> LemmaMemory::lookup(std::string_view key) const {
    const std::lock_guard lock(m_mutex);
    const auto at = m_answers.find(key);
    return at == m_answers.end() ? std::nullopt : std::optional(at->second);
}

void LemmaMemory::store(const std::string& key, const std::string& digest, const Answer& answer) {
    const std::lock_guard lock(m_mutex);
    if (m_answers.size() >= Kept) {
        m_answers.clear();
        m_asked.clear();
    }
    std::uint64_t& asked = m_asked[digest];
    asked = std::max(asked, answer.steps);
    const auto [at, added] = m_answers.try_emplace(key, answer);
    if (!added && (answer.isDecided() || !at->second.isDecided())) {
        at->second = answer;
    }
}

std::uint64_t LemmaMemory::askedSteps(std::string_view digest) const {
    const std::lock_guard lock(m_mutex);
    const auto at = m_asked.find(digest);
    return at == m_asked.end() ? 0 : at->second;
}

} // namespace lemmascope
