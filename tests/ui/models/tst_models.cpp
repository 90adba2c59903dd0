#include "tests/ui/window/fakes.h"

#include "ui/jobs/job_list_model.h"
#include "ui/models/fact_table_model.h"
#include "ui/models/lemma_model.h"
#include "ui/models/message_model.h"
#include "ui/views/counterexample_facts.h"
#include "ui/views/inspector_facts.h"
#include "ui/views/tensor_text.h"
#include "ui/views/verdict_text.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <cmath>
#include <limits>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

/// The lemmas with a note on the first, and one whose lemma is gone.
std::shared_ptr<const LemmaList> listOf(const CheckResult& result, LemmaSource source = LemmaSource::Current, bool noted = false) {
    auto shared = std::make_shared<const CheckResult>(result);
    std::vector<ReviewNote> notes;
    if (noted) {
        notes.push_back({identityOf(*shared, 0), "L1", LemmaVerdict::Holds, "looked at it", "Ann", 1'700'000'000});
        notes.push_back({{"gone", LemmaResult::Kind::Equal, "a lemma of before", {}, {}}, "L7", LemmaVerdict::Fails, "why", "Ben", 0});
    }
    return makeLemmaList(shared, source, lemmaRegions(*shared), notes);
}

constexpr auto Report = QAbstractItemModelTester::FailureReportingMode::QtTest;

} // namespace

class TestModels : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void lemmaModelsKeepTheRulesOfModels() {
        LemmaModel model;
        LemmaFilterModel shown;
        shown.setSourceModel(&model);
        QAbstractItemModelTester tester(&model, Report);
        QAbstractItemModelTester shownTester(&shown, Report);
        for (const FakePair& pair : {refutedPair(), provedPair()}) {
            model.setLemmas(listOf(pair.result));
            shown.sort(LemmaModel::TitleColumn, Qt::DescendingOrder);
            shown.setText(QStringLiteral("softmax"));
            shown.setShow(LemmaFilterModel::Show::Failing);
            model.setGrouped(!model.isGrouped());
            shown.setShow(LemmaFilterModel::Show::All);
            shown.setProvedFolded(true);
            shown.setText({});
            shown.setProvedFolded(false);
            QCOMPARE(shown.rowCount(), model.rowCount());
            QCOMPARE(shown.shownLemmas(), static_cast<int>(pair.result.lemmas.size()));
        }
        model.setLemmas(nullptr);
        QCOMPARE(shown.rowCount(), 0);
    }

    void notesAndRegionsAreRows() {
        LemmaModel model;
        LemmaFilterModel shown;
        shown.setSourceModel(&model);
        QAbstractItemModelTester tester(&model, Report);
        QAbstractItemModelTester shownTester(&shown, Report);
        const CheckResult result = refutedPair().result;
        const auto count = static_cast<int>(result.lemmas.size());
        model.setLemmas(listOf(result, LemmaSource::Current, true));
        shown.sort(LemmaModel::IdColumn, Qt::DescendingOrder);
        QCOMPARE(shown.rowCount(), count + 1);
        // Whichever way it is sorted, the detached notes stand last.
        QCOMPARE(shown.index(count, 0).data(LemmaModel::RowRole).toInt(), static_cast<int>(LemmaModel::DetachedRow));
        shown.sort(LemmaModel::IdColumn, Qt::AscendingOrder);
        const QModelIndex detached = shown.index(count, 0);
        QCOMPARE(detached.data(LemmaModel::RowRole).toInt(), static_cast<int>(LemmaModel::DetachedRow));
        QCOMPARE(shown.rowCount(detached), 1);
        const QModelIndex note = shown.mapToSource(shown.index(0, 0, detached));
        QVERIFY(model.noteAt(note) == std::optional<std::size_t>(1));
        QVERIFY(!model.lemmaAt(note));
        QVERIFY(note.siblingAtColumn(LemmaModel::TitleColumn).data().toString().contains(QStringLiteral("a lemma of before: why")));
        QVERIFY(model.noteAt(model.indexOf(0)) == std::optional<std::size_t>(0));
        QVERIFY(model.indexOf(0, LemmaModel::ReviewColumn).data().toString().contains(QStringLiteral("Ann")));
        shown.setShow(LemmaFilterModel::Show::NotReviewed);
        QCOMPARE(shown.shownLemmas(), count - 1);
        shown.setShow(LemmaFilterModel::Show::Reviewed);
        QCOMPARE(shown.shownLemmas(), 1);
        shown.setShow(LemmaFilterModel::Show::All);
        shown.setText(QStringLiteral("looked ann"));
        QCOMPARE(shown.shownLemmas(), 1);
        shown.setText({});

        model.setGrouped(true);
        QCOMPARE(shown.shownLemmas(), count);
        QVERIFY(shown.rowCount() <= count + 1);
        const QModelIndex region = shown.index(0, 0);
        QCOMPARE(region.data(LemmaModel::RowRole).toInt(), static_cast<int>(LemmaModel::RegionRow));
        QCOMPARE(region.siblingAtColumn(LemmaModel::IdColumn).data().toString(), QString::number(shown.rowCount(region)));
        for (std::size_t lemma = 0; lemma < result.lemmas.size(); ++lemma) {
            QVERIFY(model.lemmaAt(model.indexOf(lemma)) == std::optional(lemma));
            QVERIFY(model.indexOf(lemma).parent().isValid());
        }
        shown.setText(QStringLiteral("nothing has this"));
        QCOMPARE(shown.rowCount(), 0);
    }

    void obsoleteLemmasSaySo() {
        LemmaModel model;
        const CheckResult result = refutedPair().result;
        model.setLemmas(listOf(result));
        LemmaFilterModel shown;
        shown.setSourceModel(&model);
        shown.setShow(LemmaFilterModel::Show::Obsolete);
        QCOMPARE(shown.shownLemmas(), 0);
        model.setLemmas(listOf(result, LemmaSource::Obsolete));
        QCOMPARE(shown.shownLemmas(), static_cast<int>(result.lemmas.size()));
        const QModelIndex first = model.indexOf(0);
        QVERIFY(first.data().toString().contains(QStringLiteral("was")));
        QVERIFY(first.data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("obsolete")));
        QVERIFY(first.data(Qt::ToolTipRole).toString().contains(QStringLiteral("Obsolete")));
        // From a session they are what they were, but not yet confirmed.
        model.setLemmas(listOf(result, LemmaSource::Session));
        QVERIFY(!model.indexOf(0).data().toString().contains(QStringLiteral("was")));
        QVERIFY(model.indexOf(0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("session")));
    }

    void idsSortAsNumbers() {
        CheckResult result = provedPair().result;
        for (int i = 0; i < 12; ++i) {
            LemmaResult lemma;
            lemma.id = "L" + std::to_string(result.lemmas.size() + 1);
            result.lemmas.push_back(lemma);
        }
        LemmaModel model;
        model.setLemmas(listOf(result));
        LemmaFilterModel shown;
        shown.setSourceModel(&model);
        shown.sort(LemmaModel::IdColumn);
        QCOMPARE(shown.index(1, LemmaModel::IdColumn).data().toString(), QStringLiteral("L2"));
        QCOMPARE(shown.index(9, LemmaModel::IdColumn).data().toString(), QStringLiteral("L10"));
    }

    void filterReadsNodeNamesAndReasons() {
        LemmaModel model;
        model.setLemmas(listOf(refutedPair().result));
        LemmaFilterModel shown;
        shown.setSourceModel(&model);
        shown.setText(QStringLiteral("SCORES_fused"));
        QCOMPARE(shown.rowCount(), 1);
        shown.setText(QStringLiteral("60 enough"));
        QCOMPARE(shown.index(0, LemmaModel::IdColumn).data().toString(), QStringLiteral("L4"));
    }

    void messagesKeepTheRulesOfModels() {
        MessageModel model;
        QAbstractItemModelTester tester(&model, Report);
        model.addError(QStringLiteral("Opening"), Error{ErrorCode::NotFound, "no such file", "a.onnx"});
        model.addNote(QStringLiteral("a.onnx"), QStringLiteral("initializer 'w' is also an input"));
        QCOMPARE(model.errorCount(), 1);
        // What failed, where, and what to do.
        QCOMPARE(model.index(0, MessageModel::WhereColumn).data().toString(), QStringLiteral("a.onnx"));
        QCOMPARE(model.index(0, MessageModel::TextColumn).data().toString(),
                 QStringLiteral("Opening failed: no such file. Check that the file exists and may be read."));
        for (std::size_t i = 0; i < MessageModel::Kept + 5; ++i) {
            model.addNote({}, QString::number(i));
        }
        QCOMPARE(model.rowCount(), static_cast<int>(MessageModel::Kept));
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void factTablesKeepTheRulesOfModelsAndCopy() {
        FactTableModel model;
        QAbstractItemModelTester tester(&model, Report);
        FactTable table;
        table.headers = {QStringLiteral("a"), QStringLiteral("long header")};
        table.rows = {{{QStringLiteral("1|2"), QStringLiteral("x")}, true, QStringLiteral("why")}, {{QStringLiteral("short")}, false, {}}};
        model.setTable(table);
        QVERIFY(model.index(0, 1).data(FactTableModel::EmphasisRole).toBool());
        QCOMPARE(model.index(0, 0).data(Qt::ToolTipRole).toString(), QStringLiteral("why"));
        QCOMPARE(toPlainText(table), QStringLiteral("  a      long header\n> 1|2    x\n  short\n"));
        QCOMPARE(toMarkdown(table), QStringLiteral("| a | long header |\n| --- | --- |\n| **1\\|2** | **x** |\n| short |  |\n"));
        model.setTable({});
        QCOMPARE(model.columnCount(), 0);
    }

    void jobListKeepsTheRulesOfModels() {
        JobListModel model;
        QAbstractItemModelTester tester(&model, Report);
        for (int i = 0; i < JobListModel::KeptJobs + 10; ++i) {
            const quint64 job = model.begin(QString::number(i), {});
            model.update(job, {QStringLiteral("phase"), 1, 2});
            model.finish(job, JobState::Done);
            model.update(job, {QStringLiteral("late"), 2, 2});
        }
        QCOMPARE(model.rowCount(), JobListModel::KeptJobs);
        QCOMPARE(model.index(0, JobListModel::PhaseColumn).data().toString(), QStringLiteral("done"));
    }

    void elementsReadAsTheirType() {
        const auto f32 = [](float value) { return decimalText(Tensor::of<float>(ElementType::F32, {}, {value}), 0); };
        QCOMPARE(f32(0.1F), QStringLiteral("0.1"));
        QCOMPARE(f32(-0.0F), QStringLiteral("-0"));
        QCOMPARE(f32(std::numeric_limits<float>::infinity()), QStringLiteral("inf"));
        QCOMPARE(f32(std::nanf("")), QStringLiteral("nan"));
        QCOMPARE(decimalText(Tensor::of<double>(ElementType::F64, {}, {0.1}), 0), QStringLiteral("0.1"));
        QCOMPARE(decimalText(Tensor::of<std::uint16_t>(ElementType::F16, {}, {0x3c00}), 0), QStringLiteral("1"));
        QCOMPARE(decimalText(Tensor::of<std::uint64_t>(ElementType::U64, {}, {~std::uint64_t{0}}), 0), QStringLiteral("18446744073709551615"));
        QCOMPARE(decimalText(Tensor::of<std::int64_t>(ElementType::I64, {}, {std::numeric_limits<std::int64_t>::min()}), 0),
                 QStringLiteral("-9223372036854775808"));
        QCOMPARE(decimalText(Tensor::of<std::uint8_t>(ElementType::Bool, {}, {1}), 0), QStringLiteral("true"));
        QCOMPARE(bitsText(Tensor::of<float>(ElementType::F32, {2}, {1.0F, -2.0F}), 1), QStringLiteral("0xc0000000"));
        QCOMPARE(positionText({2, 3, 4}, 17), QStringLiteral("[1,1,1]"));
        QCOMPARE(positionText(std::vector<std::int64_t>{}, 0), QStringLiteral("[]"));
    }

    void nanEqualsNanAndZeroEqualsMinusZero() {
        const Tensor a = Tensor::of<float>(ElementType::F32, {3}, {std::nanf(""), 0.0F, 1.0F});
        const Tensor b = Tensor::of<float>(ElementType::F32, {3}, {-std::nanf(""), -0.0F, 2.0F});
        QCOMPARE(firstDifference(a, b), std::optional<std::int64_t>(2));
        QCOMPARE(firstDifference(a, a), std::nullopt);
    }

    void noLemmasMeansProvedOnlyWhenProved() {
        CheckResult result = provedPair().result;
        result.lemmas.clear();
        QCOMPARE(countsText(result), QStringLiteral("no lemma was needed"));
        QVERIFY(noLemmasText(result).contains(QStringLiteral("the same terms")));
        for (const Verdict verdict : {Verdict::Unproved, Verdict::Undecided, Verdict::Refuted}) {
            result.verdict = verdict;
            result.strength.reset();
            result.reason = "relies on foo";
            QCOMPARE(countsText(result), QStringLiteral("no lemma could be stated"));
            QVERIFY(noLemmasText(result).startsWith(QStringLiteral("No lemma could be stated: ")));
            QVERIFY(noLemmasText(result).contains(QStringLiteral("foo")));
        }
    }

    void aFaultIsToldAsOneSidesFault_data() {
        QTest::addColumn<QString>("access");
        QTest::addColumn<bool>("rewritten");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("read") << "read" << true << "The reference runs; the rewritten graph reads a[8], size 8, in node a[pos].";
        QTest::newRow("write") << "write" << true << "The reference runs; the rewritten graph writes a[8], size 8, in node a[pos].";
        QTest::newRow("divide") << "divide" << true << "The reference runs; the rewritten graph divides by zero, a[8], in node a[pos].";
        QTest::newRow("reference") << "read" << false << "The rewritten graph runs; the reference reads a[8], size 8, in node a[pos].";
    }
    void aFaultIsToldAsOneSidesFault() {
        QFETCH(QString, access);
        QFETCH(bool, rewritten);
        QFETCH(QString, sentence);
        CheckResult result = refutedPair().result;
        result.kind = RefutationKind::OutOfRange;
        result.counterexample->output.clear();
        result.counterexample->index.clear();
        result.counterexample->reference.reset();
        result.counterexample->rewritten.reset();
        result.fault = FaultReport{rewritten ? Side::Rewritten : Side::Reference, access.toStdString(), "a", {8}, {8}, "a[pos]"};
        QCOMPARE(counterexampleSentence(result), QStringLiteral("✓ Confirmed by running both graphs: ") + sentence);
        const FactTable table = outputFacts(result);
        QCOMPARE(table.headers.join(u'|'), QStringLiteral("Fault|Reference|Rewritten"));
        QVERIFY(!table.rows.empty());
        const qsizetype faulting = rewritten ? 2 : 1;
        QCOMPARE(table.rows[0].cells[3 - faulting], QStringLiteral("runs without a fault"));
        QVERIFY(sentence.contains(table.rows[0].cells[faulting]));
        QVERIFY(!counterexampleText(result).contains(QStringLiteral("no value")));
        QVERIFY(outputFacts(*result.counterexample).rows.empty());
    }

    void counterexampleTablesMarkTheFirstDifference() {
        const CheckResult result = refutedPair().result;
        const FactTable outputs = outputFacts(*result.counterexample);
        for (std::size_t row = 0; row < outputs.rows.size(); ++row) {
            QCOMPARE(outputs.rows[row].emphasised, row == 1);
        }
        QCOMPARE(outputs.rows[1].cells.mid(0, 4).join(u' '), QStringLiteral("[0,1] 1.75 0.5 -1.25"));
        const FactTable path = pathFacts(result);
        QStringList marks;
        for (const FactRow& row : path.rows) {
            marks << row.cells[1];
        }
        QCOMPARE(marks.join(u' '), QStringLiteral("= = = ≠ first difference ≠"));
        QCOMPARE(inputFacts(*result.counterexample).rows[1].cells.join(u' '), QStringLiteral("x f32[2,2] [0,1] 1 0x3f800000"));
        QVERIFY(counterexampleSentence(result).contains(QStringLiteral("y[0,1] is 1.75 in the reference and 0.5 in the rewritten graph")));
        QVERIFY(!counterexampleSentence(result).contains(QStringLiteral("equal if")));
        CheckResult conditional = result;
        conditional.condition = "every element of s is >= 0";
        QVERIFY(counterexampleSentence(conditional).endsWith(QStringLiteral(" The two are equal if every element of s is >= 0.")));
    }

    void largeTensorsAreListedByWhatMatters() {
        Counterexample example;
        std::vector<float> data(100'000, 0.0F);
        data[777] = 3.0F;
        example.inputs = {{"x", Tensor::of<float>(ElementType::F32, {100, 1000}, data)}};
        std::vector<float> other = data;
        other[99'999] = 1.0F;
        example.output = "y";
        example.index = {99, 999};
        example.reference = Tensor::of<float>(ElementType::F32, {100, 1000}, data);
        example.rewritten = Tensor::of<float>(ElementType::F32, {100, 1000}, other);
        const FactTable inputs = inputFacts(example);
        QCOMPARE(inputs.rows.size(), std::size_t{2});
        QCOMPARE(inputs.rows[0].cells[1], QStringLiteral("[0,777]"));
        QCOMPARE(inputs.rows[1].cells[1], QStringLiteral("the other 99999"));
        const FactTable outputs = outputFacts(example);
        QCOMPARE(outputs.rows.size(), std::size_t{2});
        QVERIFY(outputs.rows[0].emphasised);
        QCOMPARE(outputs.rows[1].cells[0], QStringLiteral("1 of 100000 differ"));
    }

    void faultingSideIsSaidNotComputed() {
        Counterexample example;
        example.output = "y";
        example.index = {0};
        example.reference = Tensor::of<float>(ElementType::F32, {1}, {1.0F});
        const FactTable outputs = outputFacts(example);
        QCOMPARE(outputs.rows.size(), std::size_t{1});
        QCOMPARE(outputs.rows[0].cells[2], QStringLiteral("faults: no value"));
    }

    void inspectorComparesNodes() {
        const CheckResult result = refutedPair().result;
        const LemmaResult& lemma = result.lemmas[2];
        const FactTable facts = nodePairFacts(result.reference.get(), lemma.referenceNodes[0], result.rewritten.get(), lemma.rewrittenNodes[0]);
        QStringList differing;
        for (const FactRow& row : facts.rows) {
            if (row.emphasised) {
                differing << row.cells.join(u' ');
            }
        }
        QCOMPARE(differing.join(u';'), QStringLiteral("axis -1 0"));
        const FactTable alone = nodePairFacts(result.reference.get(), lemma.referenceNodes[0], result.rewritten.get(), {});
        QCOMPARE(alone.rows[0].cells[2], QStringLiteral("none"));
        QVERIFY(nodePairFacts(nullptr, {}, nullptr, {}).rows.empty());
        QVERIFY(toPlainText(lemmaFacts(result, 2)).contains(QStringLiteral("rung 6")));
        QVERIFY(relationSentence(&result.correspondence, *result.reference, FlatNodeId(3U), Side::Reference)
                    .contains(QStringLiteral("only in the reference. fused into scores_fused")));
    }

    void bannerUsesTheWordsOfTheCommandLine_data() {
        QTest::addColumn<int>("pair");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("counts");
        QTest::newRow("proved") << 0 << "PROVED (exact)"
                                << "3 hold";
        QTest::newRow("refuted") << 1 << "REFUTED (value)"
                                 << "2 fail · 1 undecided · 2 hold";
        QTest::newRow("unproved") << 2 << "UNPROVED"
                                  << "1 fail";
        QTest::newRow("undecided") << 3 << "UNDECIDED"
                                   << "1 undecided · 1 hold";
    }
    void bannerUsesTheWordsOfTheCommandLine() {
        QFETCH(int, pair);
        QFETCH(QString, title);
        QFETCH(QString, counts);
        const CheckResult result = (pair == 0 ? provedPair() : pair == 1 ? refutedPair() : pair == 2 ? unprovedPair() : undecidedPair()).result;
        QCOMPARE(bannerTitle(result), title);
        QCOMPARE(countsText(result), counts);
        if (result.verdict != Verdict::Proved) {
            const QString line = QString::fromStdString(verdictLine(result));
            QVERIFY2(!bannerReason(result).isEmpty() && line.endsWith(bannerReason(result)), qPrintable(line + u'\n' + bannerReason(result)));
        }
        QVERIFY(firstFailing(result) == (pair == 0 ? result.lemmas.size() : pair == 1 ? 2 : pair == 2 ? 0 : 1));
    }
};

QTEST_MAIN(TestModels)
#include "tst_models.moc"
