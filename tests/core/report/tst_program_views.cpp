// What the window and the report show of two programs: differing lines, maps of cells, expressions, schedules, the report's files.

#include "core/report/program_anonymous.h"
#include "core/report/program_diff.h"
#include "core/report/program_report.h"
#include "core/report/schedule.h"
#include "tests/core/report/programs.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

std::shared_ptr<const interp::ProgramComparison> compared(const ProgramPair& pair) {
    auto made = interp::comparePrograms(pair.reference, pair.rewritten);
    if (!made) {
        qFatal("%s", made.error().text().c_str());
    }
    return std::make_shared<const interp::ProgramComparison>(std::move(*made));
}

std::vector<Role> roles(const std::vector<LineMark>& lines) {
    std::vector<Role> out;
    for (const LineMark& line : lines) {
        out.push_back(line.role);
    }
    return out;
}

QString contentOf(const QString& file) {
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readAll()) : QString();
}

} // namespace

class TestProgramViews : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void namesAndCommentsAreNoDifference() {
        const ProgramDiff diff = diffPrograms("func.func @f() {\n  %0 = arith.addf %a, %b : f32 // sum\n  return\n}\n",
                                              "func.func @f() {\n  %sum = arith.addf %arg0,   %arg1 : f32\n\n  return\n}\n");
        QCOMPARE(diff.differing, std::size_t{0});
        QCOMPARE(diff.reference[1].role, Role::Shared);
        QCOMPARE(diff.reference[1].partner, 2U);
        QCOMPARE(diff.reference[2].partner, 4U);
        QCOMPARE(diff.rewritten[2].role, Role::Plain); // an empty line
    }

    void changedAddedAndRemovedOpsAreTold() {
        const ProgramDiff diff = diffPrograms("a.begin\n%0 = arith.addi %x, %y : i32\nb.gone\nc.end", //
                                              "a.begin\n%0 = arith.addi %x, %y : i64\nc.end\nd.new");
        QCOMPARE(roles(diff.reference), (std::vector{Role::Shared, Role::Changed, Role::OnlyReference, Role::Shared}));
        QCOMPARE(roles(diff.rewritten), (std::vector{Role::Shared, Role::Changed, Role::Shared, Role::OnlyRewritten}));
        QCOMPARE(diff.reference[1].partner, 2U);
        QCOMPARE(diff.differing, std::size_t{4});
    }

    void textsInQuotesCount() {
        QCOMPARE(diffPrograms("x.op \"a % b\"", "x.op \"a %c b\"").differing, std::size_t{2});
        QCOMPARE(diffPrograms("x.op \"a // b\"", "x.op \"a // c\"").differing, std::size_t{2});
    }

    void longTextsOfManyDifferencesStayAligned() {
        // More edits than the exact comparison allows: lines that stand once in each still meet.
        std::string a, b;
        constexpr int Lines = 10'000;
        for (int i = 0; i < Lines; ++i) {
            a += "op.n" + std::to_string(i) + "\n";
            b += i % 3 == 0 ? "other.n" + std::to_string(i) + "\n" : "op.n" + std::to_string(i) + "\n";
        }
        const ProgramDiff diff = diffPrograms(a, b);
        QCOMPARE(diff.reference[Lines - 2].role, Role::Shared);
        QCOMPARE(diff.reference[Lines - 2].partner, static_cast<std::uint32_t>(Lines - 1));
        QCOMPARE(std::count_if(diff.reference.begin(), diff.reference.end(), [](const LineMark& m) { return m.role == Role::Shared; }),
                 std::ptrdiff_t{Lines - (Lines + 2) / 3});
    }

    void placesNameTheirLine() {
        QCOMPARE(lineOfPlace("a/b.mlir:12:5"), 12U);
        QCOMPARE(lineOfPlace("C:x.mlir:3:1"), 3U);
        QCOMPARE(lineOfPlace("b.mlir"), 0U);
        QCOMPARE(lineOfPlace(""), 0U);
        QCOMPARE(lineOfPlace("f:x:1"), 0U);
    }

    void aMapTellsEachCell() {
        const ProgramPair pair = pairOf(scaled("a.mlir", -1), scaled("b.mlir", 3));
        const OutputMap map(compared(pair), 0);
        QCOMPARE(map.name(), std::string("C"));
        QCOMPARE(map.rows(), std::uint64_t{4});
        QCOMPARE(map.columns(), std::uint64_t{6});
        QCOMPARE(map.count(CellState::Differs), std::uint64_t{4});
        QCOMPARE(map.count(CellState::Same), std::uint64_t{20});
        QCOMPARE(map.at(9), CellState::Differs);
        QCOMPARE(map.at(8), CellState::Same);
        QCOMPARE(map.cellText(9), std::string("C[1,3]"));
        QCOMPARE(map.families().size(), std::size_t{1});
        QCOMPARE(map.families()[0].text, std::string("C[*,3]"));
        QCOMPARE(map.summary(), std::string("C: 4 of 24 cells differ: C[*,3]"));
        QCOMPARE(map.first(), std::uint64_t{3});
        QCOMPARE(map.next(3, false), std::optional<std::uint64_t>(9));
        QCOMPARE(map.next(3, true), std::optional<std::uint64_t>(21)); // around the end
        // Pooled: a square tells the worst of its cells.
        const PooledMap pool = pooled(map, 0, 2, 3);
        QCOMPARE(pool.rows, 2);
        QCOMPARE(pool.columns, 3);
        QCOMPARE(pool.at(0, 1), CellState::Differs);
        QCOMPARE(pool.at(1, 0), CellState::Same);
        QCOMPARE(pool.columnOf(3), 1);
        const Picture picture = mapPicture(map, 0);
        QCOMPARE(std::count_if(picture.boxes.begin(), picture.boxes.end(), [](const Picture::Box& box) { return box.role == Role::Failing; }),
                 std::ptrdiff_t{4 + 1}); // and one in the legend
    }

    void expressionsGoDownToTheFirstDifference() {
        const ProgramPair pair = pairOf(scaled("a.mlir", -1), scaled("b.mlir", 3));
        const OutputMap map(compared(pair), 0);
        const auto story = cellStory(pair, map, 9, {});
        QVERIFY2(story, story ? "" : story.error().text().c_str());
        QCOMPARE(story->name, std::string("C[1,3]"));
        QCOMPARE(story->state, CellState::Differs);
        const ExpressionPair& e = story->expressions;
        QVERIFY2(e.referenceText.find("B[3] * A[1,3]") != std::string::npos, e.referenceText.c_str());
        QCOMPARE(e.differenceCount, std::size_t{1});
        QCOMPARE(e.differences.front(), std::string("1 against 2"));
        // The sum is on the way, the constant is the difference; the product is shared and stands as one input.
        const Graph& graph = e.reference->top();
        QCOMPARE(graph.nodes.size(), std::size_t{2});
        QCOMPARE(graph.inputs.size(), std::size_t{1});
        QCOMPARE(graph.value(graph.inputs[0]).name, std::string("(B[3] * A[1,3])"));
        std::vector<NodeMark> marks;
        for (const NodeRelation& relation : e.correspondence.reference) {
            marks.push_back(relation.mark);
            QVERIFY(relation.partner.isValid());
        }
        std::sort(marks.begin(), marks.end());
        QCOMPARE(marks, (std::vector{NodeMark::Changed, NodeMark::Failing}));
    }

    void theOpsThatWriteACellAreNamed() {
        const ProgramPair pair = pairOf(scaled("a.mlir", -1), scaled("b.mlir", 3));
        const OutputMap map(compared(pair), 0);
        const auto story = cellStory(pair, map, 9, {});
        QVERIFY(story);
        for (const auto& accesses : story->accesses) {
            QCOMPARE(accesses.size(), std::size_t{1});
            QVERIFY(accesses[0].isLast);
            QCOMPARE(lineOfPlace(accesses[0].place), 9U);
            QVERIFY2(accesses[0].text.find("i = 1, j = 3") != std::string::npos, accesses[0].text.c_str());
        }
        QVERIFY(!cellStory(pair, map, 24, {}));
        std::stop_source stopped;
        stopped.request_stop();
        const auto cancelled = cellStory(pair, map, 9, stopped.get_token());
        QVERIFY(cancelled || cancelled.error().code == ErrorCode::Cancelled); // a run this short may end first
    }

    void equalCellsHaveOneExpression() {
        const ProgramPair pair = pairOf(scaled("a.mlir", -1), scaled("b.mlir", -1, true));
        const auto comparison = compared(pair);
        QCOMPARE(comparison->result.verdict, Verdict::Proved);
        const OutputMap map(comparison, 0);
        QVERIFY(map.summary().find("all 24 cells are equal") != std::string::npos);
        QVERIFY(!map.next(0, false));
        const auto story = cellStory(pair, map, 5, {});
        QVERIFY(story);
        QCOMPARE(story->expressions.referenceText, story->expressions.rewrittenText);
        QVERIFY(story->expressions.differences.empty());
        QVERIFY(story->expressions.reference->nodeCount() >= 2);
        for (const NodeRelation& relation : story->expressions.correspondence.rewritten) {
            QCOMPARE(relation.mark, NodeMark::Shared);
        }
    }

    void differingOpsFailInTheText() {
        const ProgramPair pair = pairOf(scaled("a.mlir", -1), scaled("b.mlir", 3));
        ProgramDiff diff = diffPrograms(pair.referenceText, pair.rewrittenText);
        QCOMPARE(diff.rewritten[6].role, Role::OnlyRewritten); // the select
        QCOMPARE(diff.rewritten[8].role, Role::Shared);
        markFailing(diff, *compared(pair));
        QCOMPARE(diff.rewritten[8].role, Role::Failing); // the store of differing cells
        QVERIFY(diff.notes[1][9].find("C[*,3]") != std::string::npos);
    }

    void bothAccessesOfARaceAreMarked() {
        const ProgramPair pair = pairOf(chained("a.mlir", true), chained("b.mlir", false));
        ProgramDiff diff = diffPrograms(pair.referenceText, pair.rewrittenText);
        markFailing(diff, *compared(pair));
        std::vector<std::uint32_t> marked;
        for (const auto& [line, note] : diff.notes[1]) {
            marked.push_back(line);
        }
        QCOMPARE(marked, (std::vector<std::uint32_t>{5, 10}));
        QCOMPARE(diff.rewritten[4].role, Role::Failing);
    }

    void aLaunchWaitsForTheThreadsItMakes() {
        using Kind = interp::TraceEvent::Kind;
        Schedule schedule;
        schedule.tasks.resize(2);
        const auto step = [&schedule](Kind kind, std::size_t task, std::optional<std::size_t> other) {
            ScheduleStep made;
            made.kind = kind;
            made.task = task;
            made.other = other;
            schedule.steps.push_back(made);
        };
        step(Kind::Run, 0, std::nullopt);
        step(Kind::Wait, 0, std::nullopt);
        step(Kind::Spawn, 0, 1);
        step(Kind::Run, 1, std::nullopt);
        QCOMPARE(schedule.statesAt(2)[1], TaskState::Ready);
        QCOMPARE(schedule.statesAt(3)[0], TaskState::Waiting);
        QCOMPARE(schedule.statesAt(3)[1], TaskState::Running);
        step(Kind::Run, 0, std::nullopt); // goes on
        QCOMPARE(schedule.statesAt(4)[0], TaskState::Running);
    }

    void aRaceStandsInItsSchedule() {
        const ProgramPair pair = pairOf(chained("a.mlir", true), chained("b.mlir", false));
        const auto comparison = compared(pair);
        QCOMPARE(comparison->result.kind, std::optional(RefutationKind::Race));
        const auto schedule = scheduleOf(pair.rewritten, comparison->rewritten, Side::Rewritten, 1000, {});
        QVERIFY(schedule);
        QVERIFY(schedule->race.has_value());
        const ScheduleStep& first = schedule->steps[schedule->race->first];
        const ScheduleStep& second = schedule->steps[schedule->race->second];
        QVERIFY(first.task != second.task);
        QCOMPARE(first.cell, second.cell);
        QCOMPARE(first.cell.substr(0, 1), std::string("B"));
        QCOMPARE(first.kind, interp::TraceEvent::Kind::Write);
        QCOMPARE(second.kind, interp::TraceEvent::Kind::Read);
        QCOMPARE(first.line, 5U);
        QCOMPARE(second.line, 10U);
        QVERIFY(!schedule->missing.empty());
        QCOMPARE(schedule->decisive(), schedule->race->second);
        // Main makes both, each begins after it was made.
        QVERIFY(schedule->tasks.size() >= 3);
        QVERIFY(schedule->edges.size() >= 2);
        for (const ScheduleEdge& edge : schedule->edges) {
            QVERIFY(edge.from < edge.to);
        }
        const std::vector<TaskState> before = schedule->statesAt(0);
        QCOMPARE(std::count(before.begin(), before.end(), TaskState::Running), std::ptrdiff_t{1});
        const std::vector<TaskState> then = schedule->statesAt(schedule->race->second);
        QCOMPARE(then[second.task], TaskState::Running);
    }

    void aScheduleThatEndsWellOrdersItsTasks() {
        const WrittenProgram program = chained("a.mlir", true);
        interp::TermDag dag;
        interp::RunOptions options;
        interp::addBuffers(*program.program, dag, options);
        options.traced = 1000;
        const auto run = interp::run(program.program, dag, options);
        QVERIFY(run);
        const Schedule schedule = scheduleOf(*run, Side::Reference);
        QVERIFY2(schedule.trouble.empty(), schedule.trouble.c_str());
        QCOMPARE(schedule.skipped, std::uint64_t{0});
        const std::vector<TaskState> last = schedule.statesAt(schedule.steps.size() - 1);
        for (const TaskState state : last) {
            QCOMPARE(state, TaskState::Ended);
        }
        // The read of B in the second task comes after the end of the first, by an edge.
        const auto ends = std::find_if(schedule.steps.begin(), schedule.steps.end(),
                                       [&](const ScheduleStep& step) { return step.kind == interp::TraceEvent::Kind::End && step.task == 1; });
        QVERIFY(ends != schedule.steps.end());
        const auto at = static_cast<std::size_t>(ends - schedule.steps.begin());
        QVERIFY(std::any_of(schedule.edges.begin(), schedule.edges.end(), [at](const ScheduleEdge& edge) { return edge.from == at; }));
    }

    void longSchedulesKeepBothEnds() {
        const WrittenProgram program = scaled("a.mlir", -1);
        interp::TermDag dag;
        interp::RunOptions options;
        interp::addBuffers(*program.program, dag, options);
        options.traced = 20;
        const auto run = interp::run(program.program, dag, options);
        QVERIFY(run);
        const Schedule schedule = scheduleOf(*run, Side::Reference);
        QCOMPARE(schedule.steps.size(), std::size_t{20});
        QCOMPARE(schedule.gapAt, std::size_t{10});
        QCOMPARE(schedule.skipped, std::uint64_t{1 + 24 * 3 + 1 - 20}); // run, three accesses a cell, end
        QCOMPARE(schedule.steps.back().kind, interp::TraceEvent::Kind::End);
        QCOMPARE(schedule.steps[18].cell, std::string("C[3,5]"));
    }

    void aReportHasMapExpressionsAndReplay() {
        QTemporaryDir folder;
        const ProgramPair pair = pairOf(scaled("a.mlir", -1), scaled("b.mlir", 3));
        ProgramReportRequest request{pair, compared(pair), {}, {"kernel", true}, false, {}};
        request.options.sizes["n"] = 4;
        const auto report = exportProgramReport(request, folder.filePath("out").toStdString(), {});
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        const QDir out(folder.filePath("out"));
        for (const char* file : {"reference.mlir", "rewritten.mlir", "result.json", "report.html", "report.md", "map_C.svg", "map_C.png",
                                 "expressions.svg", "replay.sh"}) {
            QVERIFY2(out.exists(file), file);
        }
        QCOMPARE(contentOf(out.filePath("rewritten.mlir")).toStdString(), pair.rewrittenText);
        QVERIFY(contentOf(out.filePath("result.json")).contains("\"verdict\": \"refuted\""));
        const QString words = contentOf(out.filePath("report.md"));
        for (const char* needed : {"C: 4 of 24 cells differ", "1 against 2", "memref.store at b.mlir:9:5",
                                   "check reference.mlir rewritten.mlir --entry kernel --size n=4 --may-alias"}) {
            QVERIFY2(words.contains(needed), needed);
        }
        QVERIFY(contentOf(out.filePath("report.html")).count("<svg") == 2);
        QVERIFY(words.contains("![Map of C](map_C.svg)"));
        QVERIFY(QFileInfo(out.filePath("replay.sh")).isExecutable());
    }

    void aReportOfARaceTellsItsSchedule() {
        QTemporaryDir folder;
        const ProgramPair pair = pairOf(chained("a.mlir", true), chained("b.mlir", false));
        const auto report = exportProgramReport({pair, compared(pair), {}, {}, false, {}}, folder.path().toStdString(), {});
        QVERIFY(report);
        const QString words = contentOf(folder.filePath("report.md"));
        QVERIFY(words.contains("Schedule of the rewritten program"));
        QVERIFY(words.contains("Missing: "));
        QVERIFY2(words.contains("Both schedules") && words.contains(" after the first and "), qPrintable(words));
    }

    void anAnonymousPairIsCheckedAgainWithoutItsNames() {
        QTemporaryDir folder;
        const ProgramPair pair = pairOf(scaled("a.mlir", -1), scaled("b.mlir", 3));
        ProgramReportRequest request{pair, compared(pair), {}, {}, true, {}};
        request.options.outputs = {"C"};
        const std::string out = folder.path().toStdString();
        QCOMPARE(exportProgramReport(request, out, {}).error().code, ErrorCode::Usage); // nothing to check it with
        // A stand-in for reader and check.
        bool otherwise = false;
        std::vector<std::string> asked;
        request.recheck = [&](const auto& reference, const auto&, const ProgramOptions&, const CheckOptions& options,
                              std::stop_token) -> Result<RecheckedPrograms> {
            asked = options.outputs;
            const QString text = contentOf(QString::fromStdString(reference.string()));
            RecheckedPrograms made;
            made.reference.program = pair.reference;
            made.rewritten.program = pair.rewritten;
            auto comparison = std::make_shared<interp::ProgramComparison>(*request.comparison);
            comparison->result.verdict = otherwise || text.contains("%C") ? Verdict::Undecided : Verdict::Refuted;
            comparison->result.counterexample->output = options.outputs.front();
            made.check = {comparison->result, comparison};
            return made;
        };
        const auto report = exportProgramReport(request, out, {});
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QVERIFY(report->verified);
        QVERIFY(!asked.empty() && asked.front() != "C" && asked.front().starts_with("v"));
        QVERIFY(contentOf(folder.filePath("replay.sh")).contains(QString::fromStdString("--outputs " + asked.front())));
        // A verdict that hangs on the names is not passed on under others.
        otherwise = true;
        const auto refused = exportProgramReport(request, out, {});
        QVERIFY(!refused && refused.error().text().find("anonymous") != std::string::npos);
        QVERIFY(!QFile::exists(folder.filePath("rewritten.mlir")));
        request.pair.referenceText.clear(); // bytecode
        QCOMPARE(exportProgramReport(request, out, {}).error().code, ErrorCode::Usage);
    }

    void namesGoFromTextsAndEqualOnesStayEqual() {
        const std::string reference = "// secret\n"
                                      "#secret = affine_map<(d0) -> (d0)>\n"
                                      "#loc1 = loc(\"secret.py\":3:4)\n"
                                      "module attributes {acme.secret = \"secret\"} {\n"
                                      "  memref.global \"private\" constant @secret_table : memref<2xi32> = dense<\"0x0100000002000000\">\n"
                                      "  func.func private @secret_call(f64) -> f64\n"
                                      "  func.func @secret_kernel(%secret: memref<2xi32>, %0: f64 loc(\"secret\":1:1)) -> f64 {\n"
                                      "    %secret_2:2 = \"acme.secret\"(%0) : (f64) -> (f64, f64) loc(fused<\"secret(\">[#loc1, \"secret\"])\n"
                                      "    %r = call @secret_call(%secret_2#1) : (f64) -> f64\n"
                                      "    cf.br ^secret(%r : f64)\n"
                                      "  ^secret(%s: f64):\n"
                                      "    \"func.return\"(%s) : (f64) -> ()\n"
                                      "  }\n"
                                      "}";
        std::string other = reference;
        other.replace(other.find("#1)"), 3, "#0)");
        const AnonymousPrograms made = anonymousPrograms(reference, other, true);
        QVERIFY2(made.reference.find("secret") == std::string::npos, made.reference.c_str());
        QVERIFY2(made.reference.find("acme") == std::string::npos, made.reference.c_str());
        QVERIFY2(made.reference.find("loc") == std::string::npos, made.reference.c_str());
        QCOMPARE(std::count(made.reference.begin(), made.reference.end(), '\n'), std::count(reference.begin(), reference.end(), '\n'));
        for (const char* kept :
             {"dense<\"0x0100000002000000\">", "\"private\"", "\"func.return\"", "%0: f64)", ":2 = \"x.n", "#1)", "affine_map<(d0) -> (d0)>"}) {
            QVERIFY2(made.reference.find(kept) != std::string::npos, (std::string(kept) + "\n" + made.reference).c_str());
        }
        // Both texts differ where they did, and nowhere else.
        const auto at = std::mismatch(made.reference.begin(), made.reference.end(), made.rewritten.begin());
        QVERIFY(at.first != made.reference.end() && *at.first == '1' && *at.second == '0');
        QVERIFY(std::equal(at.first + 1, made.reference.end(), at.second + 1));
        QCOMPARE(made.nameOf("secret.0"), made.nameOf("secret") + ".0");
        QCOMPARE(made.nameOf("@secret_kernel"), made.symbols.at("secret_kernel"));
        QCOMPARE(made.nameOf("result0"), std::string("result0"));
        // Any text will do.
        for (const char* odd : {"", "\"", "loc(", "#", "%", "@\"", "loc(\"((", "//", "\\", "\"\\", "#a = loc("}) {
            (void)anonymousPrograms(odd, odd, true);
        }
    }

    void whatASizeIsAskedFor() {
        CheckResult result;
        result.verdict = Verdict::Undecided;
        result.reason = "the loop at f.mlir:3:5 depends on data: 'm', arith.addi at f.mlir:2:7 = n + 1; give --size n=N (scf.for at f.mlir:3:5)";
        QCOMPARE(sizeAskedFor(result), std::string("n"));
        result.verdict = Verdict::Proved;
        QCOMPARE(sizeAskedFor(result), std::string());
    }
};

QTEST_GUILESS_MAIN(TestProgramViews)
#include "tst_program_views.moc"
