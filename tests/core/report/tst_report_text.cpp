#include "core/report/report_document.h"
#include "core/report/roles.h"
#include "core/report/text_report.h"
#include "tests/core/report/results.h"

#include <QTest>

using namespace lemmascope;
using namespace lemmascope::testing;

class TestReportText : public QObject {
    Q_OBJECT

    static bool has(const std::string& text, const std::string& part) {
        const bool found = text.find(part) != std::string::npos;
        if (!found) {
            qWarning("missing: %s\nin: %s", part.c_str(), text.c_str());
        }
        return found;
    }

  private Q_SLOTS:
    void verdictLines() {
        QCOMPARE(verdictLine(refutedResult()), std::string("refuted: value: y[0,1] is 0.5, rewritten 0.25"));
        QCOMPARE(verdictLine(provedResult(Strength::Exact)), std::string("proved: exact"));
        CheckResult fault = refutedResult();
        fault.kind = RefutationKind::OutOfRange;
        fault.fault = FaultReport{Side::Rewritten, "read", "g", {1}, {1}, "n3"};
        QCOMPARE(verdictLine(fault), std::string("refuted: out-of-range: read of g[1], size [1], in n3"));
    }

    void aNameCannotForgeASecondLine() {
        CheckResult result = refutedResult();
        result.verdict = Verdict::Unproved;
        result.reason = "relies on foo\nproved: exact\x1b[2J";
        QVERIFY(verdictLine(result).find('\n') == std::string::npos);
        result.outputs[0].name = "y\nproved: exact";
        const std::string text = textReport(result);
        QVERIFY(text.find("\nproved") == std::string::npos);
        QVERIFY(text.find('\x1b') == std::string::npos);
    }

    void textTellsLemmaWitnessAndWay() {
        const std::string text = textReport(refutedResult());
        QVERIFY(has(text, "Lemma L1 fails"));
        QVERIFY(has(text, "Softmax soft (x) -> y, axis = 0"));
        QVERIFY(has(text, "Softmax soft (x) -> y, axis = 1"));
        QVERIFY(has(text, "0.1, -0, 1, 1e-07"));
        QVERIFY(has(text, "0x3f000000"));
        QVERIFY(has(text, "rewritten y[0,1]"));
        QVERIFY(has(text, "first difference"));
        QVERIFY(has(text, "exp is never 0"));
    }

    void candidateThatIsNotConfirmedSaysSo() {
        CheckResult result = refutedResult();
        result.verdict = Verdict::Unproved;
        result.counterexample->confirmed = false;
        QVERIFY(has(textReport(result), "not confirmed"));
    }

    void markupCannotBeBrokenOutOf() {
        CheckResult result = refutedResult();
        result.lemmas[0].title = "<script>alert(1)</script> | `x`";
        result.lemmas[0].text = "```\n; a comment with a fence\n";
        const ReportDocument document = describe(result, {.lemmaText = true});
        const std::string page = html(document, "");
        QVERIFY(page.find("<script>") == std::string::npos);
        QVERIFY(has(page, "&lt;script&gt;"));
        const std::string text = markdown(document);
        QVERIFY(has(text, "````\n```\n; a comment"));
        QVERIFY(has(text, "\\<script\\>"));
    }

    void markdownEscapesOnlyMarkup() {
        CheckResult result = refutedResult();
        result.lemmas[0].title = "kv_1[1,7] -> y, [here](http://elsewhere) _slanted_ #3";
        const std::string text = markdown(describe(result));
        QVERIFY(has(text, "# refuted: value: y[0,1] is 0.5"));
        QVERIFY(has(text, "kv_1[1,7] -> y, [here]\\(http://elsewhere) \\_slanted\\_ #3"));
        QVERIFY(text.find("\\[") == std::string::npos);
    }

    void lemmaComesBeforeWitnessAndItsTextLast() {
        const std::string text = markdown(describe(refutedResult(), {.lemmaText = true}));
        std::size_t at = 0;
        for (const char* title : {"## Outputs", "## Lemma L1 fails", "## Blame", "## Counterexample", "## Values on the way", "## Assumptions",
                                  "## Lemma L1 in SMT-LIB"}) {
            const std::size_t next = text.find(title, at);
            QVERIFY2(next != std::string::npos, title);
            at = next;
        }
        QVERIFY(text.find("\n## ", at + 1) == std::string::npos);
    }

    void pageNeedsNoOtherFile() {
        const std::string page = html(describe(refutedResult()), "<svg></svg>");
        for (const char* outside : {"http://", "https://", "src=", "href=", "@import", "url("}) {
            QVERIFY2(page.find(outside) == std::string::npos, outside);
        }
    }

    /// What a screen reader goes by: one heading, a section for each part with its heading, tables with column heads.
    void pageHasAStructure() {
        const ReportDocument document = describe(refutedResult());
        const std::string page = html(document, "<svg></svg>");
        const auto count = [&page](std::string_view what) {
            std::size_t found = 0;
            for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) {
                ++found;
            }
            return found;
        };
        QCOMPARE(count("<h1>"), std::size_t{1});
        QCOMPARE(count("<h2 id="), document.sections.size());
        QCOMPARE(count("<section aria-labelledby="), document.sections.size());
        std::size_t columns = 0;
        for (const ReportSection& section : document.sections) {
            columns += section.table.rows.empty() ? 0 : section.table.columns.size();
        }
        QVERIFY(columns > 0);
        QCOMPARE(count("<th scope=\"col\">"), columns);
        QCOMPARE(count("<script"), std::size_t{0});
        for (const char* part : {"prefers-color-scheme: dark", "@media print", "max-width: 40rem", "lang=\"en\"", "<figcaption>"}) {
            QVERIFY2(has(page, part), part);
        }
    }

    /// The verdict wears the window's glyph and colour; the word stands beside it.
    void verdictsHaveTheirGlyph() {
        const std::string page = html(describe(refutedResult()), "");
        QVERIFY(has(page, "<h1><span class=\"badge failing\" aria-hidden=\"true\">\u2717</span> refuted: value"));
        QVERIFY(has(page, hexColour(coloursOf(Role::Shared, Lightness::Light).line).c_str()));
        QVERIFY(has(page, hexColour(coloursOf(Role::Shared, Lightness::Dark).line).c_str()));
        QVERIFY(has(html(describe(provedResult(Strength::Exact)), ""), "badge shared"));
        // In tables too, where a column is one of verdicts: a value named so is no verdict.
        ReportDocument table;
        table.sections.push_back({.title = "T", .table = {{"output", "verdict"}, {{"proved", "refuted: value"}}}});
        const std::string cells = html(table, "");
        QVERIFY(has(cells, "<td data-label=\"output\">proved</td>"));
        QVERIFY(has(cells, "aria-hidden=\"true\">\u2717</span> refuted: value</td>"));
    }

    void longTensorsAreCutWithTheirCount() {
        CheckResult result = refutedResult();
        result.counterexample->inputs[0].second = Tensor(ElementType::F32, {1000});
        QVERIFY(has(textReport(result), "... (1000 in all)"));
        QVERIFY(textReport(result).size() < 4000);
    }
};

QTEST_GUILESS_MAIN(TestReportText)
#include "tst_report_text.moc"
