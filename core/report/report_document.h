#pragma once

#include "core/report/outcome.h"

#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// A result in words, before it becomes plain text, Markdown or HTML: the three say the same.
struct ReportTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows; ///< each as long as `columns`
};

struct ReportSection {
    std::string title;
    std::vector<std::string> paragraphs;
    ReportTable table; ///< shown when it has rows
    std::string code;  ///< shown as it is when not empty
};

struct ReportDocument {
    std::string headline;           ///< the verdict line
    std::optional<Verdict> verdict; ///< gives the headline its glyph and colour in HTML
    std::vector<ReportSection> sections;
};

struct DescribeOptions {
    std::size_t maxElements = 16; ///< of each tensor of the counterexample
    std::size_t maxPathValues = 32;
    std::size_t maxRemarks = 50;
    bool lemmaText = false; ///< the failing lemma's SMT-LIB text too, as the last section
};

/// Outputs, failing lemma with the nodes and attributes it speaks of, fault, condition, witness with decimal and bit patterns,
/// inner values on the way, counts of lemmas, assumptions, caveats, the lemma's text. Sections without content are left out.
[[nodiscard]] ReportDocument describe(const CheckResult& result, const DescribeOptions& options = {});

/// The first lemma that fails, else the first that is not shown to hold; nullptr if all hold.
[[nodiscard]] const LemmaResult* decisiveLemma(const CheckResult& result);

/// `MatMul MatMul_3 (x, w) -> y, axis = 1`: a node with its operands, results and attributes.
[[nodiscard]] std::string nodeText(const GraphTree& tree, FlatNodeId id);
/// `[1, 2]`, `0.5`, `"reflect"`, `f32[3] tensor`
[[nodiscard]] std::string attributeText(const Attribute& attribute);

[[nodiscard]] std::string plainText(const ReportDocument& document); ///< without the headline
[[nodiscard]] std::string markdown(const ReportDocument& document);
/// A whole page that needs no other file and no scripts, in the colours of roles.h, light or dark as its reader has it and black on white
/// in print; `picture` is inline SVG with a legend of its own, or empty.
[[nodiscard]] std::string html(const ReportDocument& document, const std::string& picture);

/// A picture of a page.
struct ReportFigure {
    std::string svg;
    std::string label; ///< for screen readers
    std::string caption;
};
/// The same with any number of pictures; those without SVG are left out.
[[nodiscard]] std::string html(const ReportDocument& document, const std::vector<ReportFigure>& figures);

} // namespace lemmascope
