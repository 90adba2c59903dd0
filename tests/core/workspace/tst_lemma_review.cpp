// Regions of lemmas, and notes that stay with their lemma from one check to the next.

#include "core/prove/check.h"
#include "core/workspace/lemma_review.h"

#include "tests/core/graph/graph_text.h"

#include <QTest>

#include <set>
#include <tuple>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

std::shared_ptr<const CheckResult> checked(const std::string& reference, const std::string& rewritten) {
    CheckOptions options;
    options.timeSeconds = 20;
    auto result = check(parseGraph(reference), parseGraph(rewritten), options);
    return result ? std::make_shared<const CheckResult>(std::move(*result)) : nullptr;
}

std::string text(const std::vector<LemmaRegion>& regions) {
    std::string out;
    for (const LemmaRegion& region : regions) {
        out += region.name + ":";
        for (const std::uint32_t lemma : region.lemmas) {
            out += " " + std::to_string(lemma);
        }
        out += "\n";
    }
    return out;
}

/// A result by hand: the nodes of each lemma by name.
struct Made {
    std::shared_ptr<CheckResult> result = std::make_shared<CheckResult>();

    Made(const std::string& reference, const std::string& rewritten) {
        result->reference = std::make_shared<const GraphTree>(*GraphTree::build(parseGraph(reference)));
        result->rewritten = std::make_shared<const GraphTree>(*GraphTree::build(parseGraph(rewritten)));
        Correspondence& marks = result->correspondence;
        marks.reference.resize(result->reference->nodeCount());
        marks.rewritten.resize(result->rewritten->nodeCount());
        marks.partnerOfReferenceValue.resize(result->reference->valueCount());
        for (std::size_t n = 0; n < result->reference->nodeCount(); ++n) {
            for (std::size_t m = 0; m < result->rewritten->nodeCount(); ++m) {
                if (resultName(*result->reference, n) == resultName(*result->rewritten, m)) {
                    marks.reference[n].partner = FlatNodeId(m);
                    marks.rewritten[m].partner = FlatNodeId(n);
                }
            }
        }
        for (std::size_t v = 0; v < result->reference->valueCount(); ++v) {
            const ValueId other = result->rewritten->top().findValue(result->reference->value(FlatValueId(v)).name);
            if (other.isValid()) {
                marks.partnerOfReferenceValue[v] = FlatValueId(other.index);
            }
        }
    }
    static std::string resultName(const GraphTree& tree, std::size_t node) {
        const Node& found = tree.node(FlatNodeId(node));
        return tree.top().value(found.results.front()).name;
    }
    static std::vector<FlatNodeId> nodes(const GraphTree& tree, const std::vector<std::string>& results) {
        std::vector<FlatNodeId> out;
        for (const std::string& result : results) {
            out.emplace_back(tree.top().value(tree.top().findValue(result)).producer.index);
        }
        return out;
    }
    LemmaResult& lemma(const std::string& title, const std::vector<std::string>& reference, const std::vector<std::string>& rewritten,
                       const std::string& digest = "") {
        LemmaResult made;
        made.id = "L" + std::to_string(result->lemmas.size() + 1);
        made.title = title;
        made.digest = digest;
        made.referenceNodes = nodes(*result->reference, reference);
        made.rewrittenNodes = nodes(*result->rewritten, rewritten);
        if (!reference.empty()) {
            made.reference = FlatValueId(result->reference->top().findValue(reference.front()).index);
        }
        if (!rewritten.empty()) {
            made.rewritten = FlatValueId(result->rewritten->top().findValue(rewritten.front()).index);
        }
        result->lemmas.push_back(std::move(made));
        return result->lemmas.back();
    }
};

const std::string Chain = "in x f32[2]; a = Relu(x); b = Neg(a); c = Exp(b); d = Neg(c); e = Relu(d); out e";

} // namespace

class TestLemmaReview : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void rewritesApartAreTwoRegions() {
        Made made(Chain, "in x f32[2]; a = Abs(x); b = Neg(a); c = Exp(b); d = Abs(c); e = Relu(d); out e");
        made.lemma("a", {"a"}, {"a"});
        made.lemma("d", {"d", "c", "b", "a"}, {"d", "c", "b", "a"}); // its cone ends at the pair of the first
        made.lemma("e", {"e", "d", "c", "b", "a"}, {"e", "d", "c", "b", "a"});
        QCOMPARE(text(lemmaRegions(*made.result)), std::string("a +1: 0\nd +1: 1 2\n"));
        const auto regions = lemmaRegions(*made.result);
        QCOMPARE(regions.size(), std::size_t{2});
        QVERIFY(regions[0].lemmas == (std::vector<std::uint32_t>{0}));
        QVERIFY(regions[1].lemmas == (std::vector<std::uint32_t>{1, 2})); // the output follows from it
    }

    void rewritesThatTouchAreOneRegion() {
        Made made(Chain, "in x f32[2]; a = Abs(x); b = Exp(a); c = Exp(b); d = Neg(c); e = Relu(d); out e");
        made.lemma("a", {"a"}, {"a"});
        made.lemma("b", {"b", "a"}, {"b", "a"});
        QCOMPARE(lemmaRegions(*made.result).size(), std::size_t{1});
    }

    void aRegionIsCalledByTheScopeOfItsNodes() {
        auto made = Made(Chain, "in x f32[2]; a = Abs(x); b = Exp(a); c = Exp(b); d = Neg(c); e = Relu(d); out e");
        made.lemma("b", {"b", "a"}, {"b", "a"});
        for (const auto& [first, second, name] :
             {std::tuple{"enc/layer.0/mul", "enc/layer.0/add", "enc/layer.0"}, std::tuple{"enc.mul", "enc.add", "enc"},
              std::tuple{"q[..., 0:4]", "q[..., 1:5]", "q[..., 1:5], q[..., 0:4] +2"}}) {
            for (auto* tree : {&made.result->reference, &made.result->rewritten}) {
                Graph named = (*tree)->top();
                named.nodes[0].name = first;
                named.nodes[1].name = second;
                *tree = std::make_shared<const GraphTree>(*GraphTree::build(std::make_shared<const Graph>(named)));
            }
            QCOMPARE(lemmaRegions(*made.result).front().name, std::string(name));
        }
    }

    void exchangedOperandsCountAsRewritten() {
        Made made("in x f32[2]; in y f32[2]; s = Sub(x, y); r = Relu(s); t = Relu(x); out r; out t",
                  "in x f32[2]; in y f32[2]; s = Sub(y, x); r = Relu(s); t = Abs(x); out r; out t");
        made.lemma("r", {"r", "s"}, {"r", "s"});
        made.lemma("t", {"t"}, {"t"});
        const auto regions = lemmaRegions(*made.result);
        QCOMPARE(regions.size(), std::size_t{2});
        QVERIFY2(regions[0].name.find('s') != std::string::npos, regions[0].name.c_str());
    }

    void everyLemmaHasOneRegionAndTheAnswerIsTheSameAgain() {
        const auto result = checked("in x f32[4]; in y f32[4]; a = Add(x, y); b = Relu(a); c = Mul(b, y); d = Sub(c, x); out b; out d",
                                    "in x f32[4]; in y f32[4]; a = Add(y, x); b = Relu(a); c = Mul(y, b); n = Neg(x); d = Add(c, n); out b; out d");
        QVERIFY(result != nullptr);
        const auto regions = lemmaRegions(*result);
        std::set<std::uint32_t> seen;
        std::uint32_t last = 0;
        for (const LemmaRegion& region : regions) {
            QVERIFY(!region.name.empty() && !region.lemmas.empty());
            QVERIFY(std::is_sorted(region.lemmas.begin(), region.lemmas.end()));
            QVERIFY(region.lemmas.front() >= last);
            last = region.lemmas.front();
            for (const std::uint32_t lemma : region.lemmas) {
                QVERIFY(seen.insert(lemma).second);
            }
        }
        QCOMPARE(seen.size(), result->lemmas.size());
        QVERIFY(lemmaRegions(*result) == regions);
    }

    void emptyAndBareResultsHaveRegionsToo() {
        QVERIFY(lemmaRegions(CheckResult{}).empty());
        Made made(Chain, Chain);
        made.result->correspondence = {}; // as of a restored session
        made.lemma("about nothing", {}, {});
        made.lemma("b", {"b"}, {"b"});
        const auto regions = lemmaRegions(*made.result);
        QCOMPARE(regions.size(), std::size_t{2});
        QCOMPARE(regions[0].name, std::string("about nothing"));
    }

    void notesFollowDigestAndTitle() {
        Made before(Chain, Chain);
        before.lemma("first", {"a"}, {"a"}, "same");
        before.lemma("second", {"b"}, {"b"}, "same");
        before.lemma("third", {"c"}, {"c"}, "other");
        before.lemma("no text", {"d"}, {"d"});
        std::vector<ReviewNote> notes;
        for (std::size_t k = 0; k < before.result->lemmas.size(); ++k) {
            ReviewNote note;
            note.lemma = identityOf(*before.result, k);
            note.text = before.result->lemmas[k].title;
            notes.push_back(note);
        }
        Made after(Chain, Chain);
        after.lemma("new", {"e"}, {"e"}, "new");
        after.lemma("second", {"b"}, {"b"}, "same"); // another order
        after.lemma("first", {"a"}, {"a"}, "same");
        after.lemma("third", {"c"}, {"c"}, "changed"); // says something else now
        after.lemma("no text", {"d"}, {"d"});
        const auto list = makeLemmaList(after.result, LemmaSource::Current, lemmaRegions(*after.result), notes);
        QVERIFY(list->note(0) == nullptr);
        QCOMPARE(list->note(1)->text, std::string("second"));
        QCOMPARE(list->note(2)->text, std::string("first"));
        QVERIFY(list->note(3) == nullptr);
        QCOMPARE(list->note(4)->text, std::string("no text"));
        QCOMPARE(list->detached.size(), std::size_t{1});
        QCOMPARE(list->notes[list->detached.front()].text, std::string("third"));
        // And back: the detached one finds its lemma again.
        QVERIFY(makeLemmaList(before.result, LemmaSource::Current, {}, list->notes)->detached.empty());
    }

    void renamedLemmaKeepsItsNote() {
        Made before(Chain, Chain);
        before.lemma("MatMul q = MatMul q", {"a"}, {"a"}, "d1");
        ReviewNote note;
        note.lemma = identityOf(*before.result, 0);
        Made after(Chain, Chain);
        after.lemma("MatMul query = MatMul query", {"a"}, {"a"}, "d1");
        QVERIFY(attachNotes({note}, *after.result).front() == std::optional<std::size_t>(0));
    }

    void ofTwoNotesOnALemmaTheNewerStays() {
        ReviewNote a;
        a.lemma.title = "a";
        a.text = "old";
        a.time = 1;
        ReviewNote newer = a;
        newer.text = "new";
        newer.time = 2;
        ReviewNote b;
        b.lemma.title = "b";
        const auto merged = mergeNotes({a}, {b, newer});
        QCOMPARE(merged.size(), std::size_t{2});
        QCOMPARE(merged[0].text, std::string("new"));
        QVERIFY(mergeNotes(merged, {a}) == merged);
    }

    void withoutAResultAllNotesAreDetached() {
        const auto list = makeLemmaList(nullptr, LemmaSource::Obsolete, {}, {ReviewNote{}, ReviewNote{}});
        QCOMPARE(list->detached.size(), std::size_t{2});
        QVERIFY(list->note(0) == nullptr);
    }

    void sameLemmaIsFoundAmongEqualOnes() {
        Made before(Chain, Chain);
        before.lemma("t", {"a"}, {"a"}, "d");
        before.lemma("t", {"b"}, {"b"}, "d");
        before.lemma("gone", {"c"}, {"c"}, "g");
        Made after(Chain, Chain);
        after.lemma("more", {"c"}, {"c"}, "m");
        after.lemma("t", {"a"}, {"a"}, "d");
        after.lemma("t", {"b"}, {"b"}, "d");
        QVERIFY(sameLemma(*before.result, 1, *after.result) == std::optional<std::size_t>(2));
        QVERIFY(!sameLemma(*before.result, 2, *after.result));
        QVERIFY(!sameLemma(*before.result, 9, *after.result));
    }
};

QTEST_GUILESS_MAIN(TestLemmaReview)
#include "tst_lemma_review.moc"
