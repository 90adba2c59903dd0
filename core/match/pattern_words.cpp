// Tests: tests/core/match/tst_match_stepper.cpp.
#include "core/match/pattern_words.h"

#include "core/match/print.h"

#include <vector>

namespace lemmascope::match {

namespace {

/// Cut at a character of UTF-8.
std::string cut(std::string text, std::size_t most) {
    if (text.size() <= most) {
        return text;
    }
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return text.substr(0, end) + "\u2026";
}

std::vector<PatternKind> kindsOf(InstructionKind kind) {
    switch (kind) {
    case InstructionKind::Variable: return {PatternKind::Variable};
    case InstructionKind::Any: return {PatternKind::Any};
    case InstructionKind::Omitted: return {PatternKind::Omitted};
    case InstructionKind::Number: return {PatternKind::Number};
    case InstructionKind::Operator: return {PatternKind::Operator};
    case InstructionKind::FunctionVariable: return {PatternKind::FunctionVariable};
    case InstructionKind::Alternate: return {PatternKind::Alternate, PatternKind::Operator}; // opt f(p)
    case InstructionKind::Guarded: return {PatternKind::Guarded};
    case InstructionKind::Exists: return {PatternKind::Exists};
    case InstructionKind::Constraint: return {PatternKind::Constraint};
    case InstructionKind::As: return {PatternKind::As};
    case InstructionKind::Result: return {PatternKind::Result};
    case InstructionKind::Call: return {PatternKind::Call, PatternKind::Mu};
    }
    return {};
}

} // namespace

PatternWords::PatternWords(std::shared_ptr<const RuleFile> file) : m_file(std::move(file)) {
    for (std::size_t i = 0; i < m_file->patterns.size(); ++i) {
        m_patterns.emplace(Key{m_file->patterns[i].spot, m_file->patterns[i].kind}, PatternId(i));
    }
}

const PatternNode* PatternWords::find(const MatchProgram& program, InstructionId at, PatternId& id) const {
    if (!at.isValid()) {
        return nullptr;
    }
    const Instruction& instruction = program.at(at);
    for (const PatternKind kind : kindsOf(instruction.kind)) {
        const auto found = m_patterns.find(Key{instruction.spot, kind});
        if (found != m_patterns.end()) {
            id = found->second;
            return &m_file->at(found->second);
        }
    }
    return nullptr;
}

std::string PatternWords::text(const MatchProgram& program, InstructionId at, std::size_t most) const {
    PatternId id;
    if (find(program, at, id) != nullptr) {
        return cut(patternText(*m_file, id), most);
    }
    if (!at.isValid()) {
        return {};
    }
    const Instruction& instruction = program.at(at);
    return instruction.kind == InstructionKind::Alternate ? "one of " + std::to_string(instruction.children.size()) + " patterns"
                                                          : "the pattern at " + instruction.spot.text();
}

std::string PatternWords::guard(const MatchProgram& program, InstructionId at, std::size_t most) const {
    PatternId id;
    const PatternNode* node = find(program, at, id);
    return node == nullptr || !node->guard.isValid() ? std::string() : cut(guardText(*m_file, node->guard, false), most);
}

} // namespace lemmascope::match
