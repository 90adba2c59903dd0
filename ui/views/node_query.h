#pragma once

#include "ui/views/node_index.h"

#include <QString>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// What is looked for in both graphs: `softmax op:MatMul shape:[8,128,*] dtype:f16 attr:axis=1 mark:failing side:rew`. All terms must
/// hold; `-` before one turns it round; quotes keep blanks together: name:"layer 0". Case does not matter.
///
/// A bare word is looked for in names and ops. `op:`, `name:` look inside (with `=` in place of `:`, for the whole), `*` in a word stands
/// for anything. `shape:` takes a number, a symbol or `*` for each axis, and `...` for any number of them.
class NodeQuery {
  public:
    /// The text's query, or in words what is wrong with it.
    [[nodiscard]] static Result<NodeQuery> parse(const QString& text);
    /// Fields it knows, each with what it takes: for help and completion.
    [[nodiscard]] static std::vector<std::pair<QString, QString>> fields();

    [[nodiscard]] bool isEmpty() const { return m_terms.empty(); }
    /// Needs the verdicts: an answer changes with them.
    [[nodiscard]] bool asksForMarks() const;
    /// Entries that match, in the order of the index. `marks` may be null: then no mark matches. Cut short when stopped.
    [[nodiscard]] std::vector<std::uint32_t> matches(const NodeIndex& index, const Correspondence* marks, std::stop_token stop = {}) const;

  private:
    enum class Field : std::uint8_t { AnyWord, OfOp, OfName, OfShape, OfDtype, OfAttribute, OfMark, OfSide };
    [[nodiscard]] static int costOf(Field field);
    struct Term {
        Field field = Field::AnyWord;
        bool negated = false;
        bool whole = false; ///< compared with all of it, not looked for inside
        std::string text;   ///< folded
        std::string value;  ///< of an attribute, folded
        bool hasValue = false;
        std::vector<std::string> dims;
        ElementType element = ElementType::Undefined;
        std::uint32_t marks = 0; ///< bit per NodeMark
        lemmascope::Side side = lemmascope::Side::Reference;
    };
    [[nodiscard]] static Result<void> finish(Term& term, const QString& field, const QString& value);
    [[nodiscard]] static bool holds(const Term& term, const NodeIndex& index, const Correspondence* marks, const std::vector<char>& ops,
                                    std::size_t entry);

    std::vector<Term> m_terms;
};

/// `*` in `pattern` stands for any run of characters; both folded.
[[nodiscard]] bool wildcardMatches(std::string_view pattern, std::string_view text);

} // namespace lemmascope
