#pragma once

#include "core/match/program.h"

#include <compare>
#include <map>
#include <memory>
#include <string>

namespace lemmascope::match {

/// What the file wrote for a program's instructions. Instructions know their places only; this finds the patterns that stand there.
class PatternWords {
  public:
    explicit PatternWords(std::shared_ptr<const RuleFile> file);

    /// The pattern, cut to about `most` characters.
    [[nodiscard]] std::string text(const MatchProgram& program, InstructionId at, std::size_t most = 80) const;
    /// The guard of a guarded pattern.
    [[nodiscard]] std::string guard(const MatchProgram& program, InstructionId at, std::size_t most = 80) const;

  private:
    struct Key {
        Spot spot;
        PatternKind kind = PatternKind::Any;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    [[nodiscard]] const PatternNode* find(const MatchProgram& program, InstructionId at, PatternId& id) const;

    std::shared_ptr<const RuleFile> m_file;
    std::map<Key, PatternId> m_patterns;
};

} // namespace lemmascope::match
