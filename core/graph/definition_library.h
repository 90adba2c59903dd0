#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

struct Definition;

/// One application of an op that is to be written out.
struct DefinedCall {
    struct Operand {
        TensorType type;
        std::optional<std::vector<Dim>> elements; ///< of a small integer tensor, where known
        /// Set: an element that is none of the numbers the definition compares it with; those are added here.
        std::vector<double>* compared = nullptr;
        /// Set: where the definition hands the operand on as an attribute of an op, this number is written there in its stead.
        std::optional<float> standIn = std::nullopt;
    };
    const Definition* definition = nullptr;
    const std::map<std::string, Attribute>* attributes = nullptr; ///< what is missing takes its default
    std::vector<std::optional<Operand>> operands;                 ///< absent: omitted
    std::vector<bool> wanted;                                     ///< by result
    std::map<std::string, Dim> lengths;                           ///< attributes that are lengths, instead of those in `attributes`
};

/// An op written out in other ops. Not yet inferred.
struct DefinedBody {
    Graph graph;                       ///< inputs: the present operands in order; outputs: the wanted results in order
    std::vector<std::size_t> operands; ///< which operand each input is
    std::vector<std::size_t> results;  ///< which result each output is
};

/// Meanings of composite ops as text over simpler ops: ours (resources/definitions, compiled in) and the user's
/// (`--definitions`), in one format (resources/help/definitions.md). The evaluator, type inference and the terms all read these.
/// Numbers of a definition's text are exact reals; attribute values and their defaults are float32.
class DefinitionLibrary {
  public:
    DefinitionLibrary();
    ~DefinitionLibrary();
    DefinitionLibrary(const DefinitionLibrary&) = delete;
    DefinitionLibrary& operator=(const DefinitionLibrary&) = delete;

    /// Ours.
    [[nodiscard]] static const DefinitionLibrary& builtin();
    /// A user's file: fails with BadData and `file:line` where the text breaks the format, defines an op that has a meaning
    /// already, or defines ops by each other in a circle.
    [[nodiscard]] static Result<std::shared_ptr<const DefinitionLibrary>> parse(std::string_view text, const std::string& fileName);

    /// The definition in force of an op; nullptr when there is none.
    [[nodiscard]] const Definition* find(const OpId& op) const;
    /// `com.example.Foo`, sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] const std::vector<std::unique_ptr<Definition>>& all() const { return m_all; }
    [[nodiscard]] const std::string& fileName() const { return m_fileName; }
    /// As read, so that a report can carry it.
    [[nodiscard]] const std::string& text() const { return m_text; }

  private:
    friend struct DefinitionParser;
    std::vector<std::unique_ptr<Definition>> m_all;
    std::map<std::string, std::vector<std::size_t>, std::less<>> m_byName; ///< domain, '\n', name
    std::string m_fileName;
    std::string m_text;
};

/// The user's definition where there is one, else ours, else nullptr.
[[nodiscard]] const Definition* findDefinition(const DefinitionLibrary* user, const OpId& op);

/// The key under which terms keep a defined op: `com.microsoft.Gelu`, its domain and name.
[[nodiscard]] std::string definedName(const Definition& definition);
/// `com.example.Scale is what scale.defs:3 says`: for the assumptions of a verdict.
[[nodiscard]] std::string definitionPlace(const Definition& definition);
/// Attributes with every default filled in: equal applications have equal attributes.
[[nodiscard]] std::map<std::string, Attribute> withDefaults(const Definition& definition, std::map<std::string, Attribute> attributes);

/// True if the op, written out, may read or write at indices that data decides: such accesses must be in range.
[[nodiscard]] bool definitionIndexes(const DefinitionLibrary* user, const Definition& definition);

/// Writes the op out. Fails with Unsupported, and words for a note, where the definition does not cover the case (an attribute
/// it has no meaning for, a rank that is not known).
[[nodiscard]] Result<DefinedBody> writeOut(const DefinedCall& call);

} // namespace lemmascope
