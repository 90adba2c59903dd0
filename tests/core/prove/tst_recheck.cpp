// Asking one lemma again: what others came to is kept, a wrong pair never becomes proved, and the answer is that of a whole check.

#include "core/prove/lemma_memory.h"
#include "core/prove/recheck.h"
#include "core/worker/solver.h"
#include "core/worker/worker_pool.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

#include <map>
#include <mutex>
#include <thread>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

/// Passes questions on and counts them by text; below `needed` steps it answers as a solver that ran out of them.
class CountingSolver final : public LemmaSolver {
  public:
    explicit CountingSolver(LemmaSolver& real) : m_real(real) {}
    std::uint64_t needed = 0;
    std::map<std::string, std::vector<std::uint64_t>> asked; ///< steps of each question
    std::function<std::optional<SolverAnswer>(const SolverRequest&)> instead;

    Result<SolverAnswer> ask(const SolverRequest& request, std::stop_token stop) override {
        {
            const std::lock_guard lock(m_mutex);
            asked[request.script].push_back(request.steps);
        }
        if (instead) {
            if (auto answer = instead(request)) {
                return *answer;
            }
        }
        if (request.steps < needed) {
            SolverAnswer answer;
            answer.reason = "steps";
            return answer;
        }
        return m_real.ask(request, std::move(stop));
    }
    [[nodiscard]] unsigned parallelism() const override { return 1; }
    [[nodiscard]] Result<std::string> solverName(std::stop_token stop) override { return m_real.solverName(std::move(stop)); }
    [[nodiscard]] std::size_t questions() const {
        std::size_t count = 0;
        for (const auto& [script, steps] : asked) {
            count += steps.size();
        }
        return count;
    }

  private:
    LemmaSolver& m_real;
    std::mutex m_mutex;
};

WorkerPool::Options workers() {
    WorkerPool::Options options;
    options.executable = std::string(LEMMASCOPE_BIN_DIR) + "/lemmascope-cli";
    options.workers = 1;
    return options;
}

// max(x, y) twice in other words, for two outputs: equal over the reals, of no common normal form; so the solver decides.
const std::string Max = "in x f32[2]; in y f32[2]; in u i32[2]; in v i32[2]; m = Max(x, y); z = Relu(m); p = BitwiseXor(u, v); out z; out p";
const std::string Chosen = "in x f32[2]; in y f32[2]; in u i32[2]; in v i32[2]; c = Less(x, y); m = Where(c, y, x); z = Relu(m); "
                           "a = BitwiseOr(u, v); b = BitwiseAnd(u, v); p = Sub(a, b); out z; out p";

CheckOptions options(bool search = true) {
    CheckOptions made;
    made.lemmaSteps = 1'000'000;
    made.lookForCounterexample = search;
    made.timeSeconds = 60.0;
    return made;
}

std::size_t firstUndecided(const CheckResult& result) {
    std::size_t k = 0;
    while (k < result.lemmas.size() && (result.lemmas[k].verdict != LemmaVerdict::Undecided || result.lemmas[k].digest.empty())) {
        ++k;
    }
    return k;
}

} // namespace

class TestRecheck : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void memoryKeepsWhatWasDecided() {
        LemmaMemory memory;
        QVERIFY(!memory.lookup("k").has_value());
        QCOMPARE(memory.askedSteps("d"), std::uint64_t{0});
        LemmaMemory::Answer undecided;
        undecided.reason = "steps";
        undecided.steps = 7;
        memory.store("k", "d", undecided);
        QCOMPARE(memory.lookup("k")->reason, std::string("steps"));
        LemmaMemory::Answer holds;
        holds.verdict = LemmaVerdict::Holds;
        holds.strength = Strength::Exact;
        holds.steps = 35;
        memory.store("k", "d", holds);
        memory.store("k", "d", undecided); // a later, smaller try
        QVERIFY(memory.lookup("k") == holds);
        QCOMPARE(memory.askedSteps("d"), std::uint64_t{35});
    }

    void memoryIsBounded() {
        LemmaMemory memory;
        for (std::size_t k = 0; k < LemmaMemory::Kept + 5; ++k) {
            memory.store("k" + std::to_string(k), "d", {});
        }
        QVERIFY(!memory.lookup("k0").has_value());
        QVERIFY(memory.lookup("k" + std::to_string(LemmaMemory::Kept + 4)).has_value());
    }

    void moreStepsDecideOneLemmaAndKeepTheOthers() {
        WorkerPool pool(workers());
        CountingSolver solver(pool);
        solver.needed = 2'000'000;
        LemmaMemory memory;
        CheckServices services;
        services.solver = &solver;
        services.memory = &memory;
        const auto before = check(parseGraph(Max, 18), parseGraph(Chosen, 18), options(false), services);
        QVERIFY(before.has_value());
        QCOMPARE(before->verdict, Verdict::Undecided);
        std::size_t undecided = 0;
        for (const LemmaResult& lemma : before->lemmas) {
            undecided += lemma.verdict == LemmaVerdict::Undecided && lemma.reason == "steps" ? 1 : 0;
        }
        QVERIFY2(undecided >= 2, qPrintable(QString::number(undecided)));
        const std::size_t lemma = firstUndecided(*before);
        QVERIFY(lemma < before->lemmas.size());
        const std::string text = before->lemmas[lemma].text;
        solver.asked.clear();

        const auto after = recheck(parseGraph(Max, 18), parseGraph(Chosen, 18), {before->lemmas[lemma].digest, false}, options(false), services);
        QVERIFY(after.has_value());
        // Only this one was asked, with five times the steps.
        QCOMPARE(solver.asked.size(), std::size_t{1});
        QCOMPARE(solver.asked.begin()->second.front(), std::uint64_t{5'000'000});
        QCOMPARE(after->verdict, Verdict::Undecided); // the other output is as it was
        std::size_t still = 0;
        bool holds = false;
        for (const LemmaResult& one : after->lemmas) {
            still += one.verdict == LemmaVerdict::Undecided ? 1 : 0;
            holds = holds || (one.text == text && one.verdict == LemmaVerdict::Holds);
        }
        QVERIFY(holds);
        QVERIFY(still >= 1 && still < undecided);

        // The other one too: now all is proved, and as a check with the larger limits says.
        const std::size_t second = firstUndecided(*after);
        QVERIFY(second < after->lemmas.size());
        const auto last = recheck(parseGraph(Max, 18), parseGraph(Chosen, 18), {after->lemmas[second].digest, false}, options(false), services);
        QVERIFY(last.has_value());
        CheckServices fresh;
        fresh.solver = &pool;
        CheckOptions large = options(false);
        large.lemmaSteps = 20'000'000;
        const auto whole = check(parseGraph(Max, 18), parseGraph(Chosen, 18), large, fresh);
        QVERIFY(whole.has_value());
        QCOMPARE(verdictLine(*last), verdictLine(*whole));
        QCOMPARE(last->verdict, Verdict::Proved);
    }

    void eachTryGoesFurther() {
        WorkerPool pool(workers());
        CountingSolver solver(pool);
        solver.needed = std::numeric_limits<std::uint64_t>::max();
        LemmaMemory memory;
        CheckServices services;
        services.solver = &solver;
        services.memory = &memory;
        const auto before = check(parseGraph(Max, 18), parseGraph(Chosen, 18), options(false), services);
        const std::size_t lemma = firstUndecided(*before);
        QVERIFY(lemma < before->lemmas.size());
        const std::string digest = before->lemmas[lemma].digest;
        std::vector<std::uint64_t> steps;
        for (int k = 0; k < 3; ++k) {
            solver.asked.clear();
            const auto again = recheck(parseGraph(Max, 18), parseGraph(Chosen, 18), {digest, false}, options(false), services);
            QVERIFY(again.has_value());
            QCOMPARE(again->verdict, Verdict::Undecided);
            QCOMPARE(solver.asked.size(), std::size_t{1});
            steps.push_back(solver.asked.begin()->second.front());
        }
        QVERIFY(steps == (std::vector<std::uint64_t>{5'000'000, 25'000'000, 125'000'000}));
        // A whole check asks all again.
        solver.asked.clear();
        QVERIFY(check(parseGraph(Max, 18), parseGraph(Chosen, 18), options(false), services).has_value());
        QVERIFY(solver.asked.size() >= 2);
    }

    // No lemma of a wrong pair, asked again however often, makes the pair proved.
    void wrongPairsStayUnproved_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        const auto row = [](const char* name, const char* a, const char* b) { QTest::newRow(name) << a << b; };
        row("the smaller is chosen", "in x f32[2]; in y f32[2]; m = Max(x, y); z = Relu(m); out z",
            "in x f32[2]; in y f32[2]; c = Less(x, y); m = Where(c, x, y); z = Relu(m); out z");
        row("one of two outputs is wrong", "in x f32[2]; in y f32[2]; m = Max(x, y); z = Relu(m); s = Add(x, y); out z; out s",
            "in x f32[2]; in y f32[2]; c = Less(x, y); m = Where(c, y, x); z = Relu(m); s = Sub(x, y); out z; out s");
        row("bits", "in u i32[2]; in v i32[2]; p = BitwiseXor(u, v); out p",
            "in u i32[2]; in v i32[2]; a = BitwiseOr(u, v); b = BitwiseAnd(u, v); p = Add(a, b); out p");
        row("an open op on other operands", "in x f32[2]; y = custom::Foo(x); declare y f32[2]; out y",
            "in x f32[2]; z = Neg(x); y = custom::Foo(z); declare y f32[2]; out y");
        row("an index that may leave its table", "in t f32[4]; in i i64[2]; y = Gather(t, i); out y",
            "in t f32[4]; in i i64[2]; j = Add(i, i); y = Gather(t, j); out y");
    }
    void wrongPairsStayUnproved() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        const auto left = parseGraph(reference.toStdString(), 18);
        const auto right = parseGraph(rewritten.toStdString(), 18);
        WorkerPool pool(workers());
        for (const bool search : {true, false}) { // without a search nothing but the lemmas stands between the pair and a proof
            for (const std::uint64_t needed : {std::uint64_t{0}, std::uint64_t{2'000'000}}) {
                CountingSolver solver(pool);
                solver.needed = needed;
                LemmaMemory memory;
                CheckServices services;
                services.solver = &solver;
                services.memory = &memory;
                auto result = check(left, right, options(search), services);
                QVERIFY(result.has_value());
                QVERIFY(result->verdict != Verdict::Proved);
                for (int round = 0; round < 2; ++round) {
                    std::vector<std::string> digests{""};
                    for (const LemmaResult& lemma : result->lemmas) {
                        digests.push_back(lemma.digest);
                    }
                    for (const std::string& digest : digests) {
                        result = recheck(left, right, {digest, search && round == 0}, options(search), services);
                        QVERIFY(result.has_value());
                        QVERIFY2(result->verdict != Verdict::Proved, verdictLine(*result).c_str());
                        for (const OutputResult& output : result->outputs) {
                            QVERIFY(output.verdict != Verdict::Proved || output.name != result->outputs.back().name);
                        }
                    }
                }
            }
        }
    }

    // The memory is keyed by the text: an answer about the pair before its file changed does not answer for another statement.
    void answersOfAnotherTextDoNotCount() {
        WorkerPool pool(workers());
        LemmaMemory memory;
        CheckServices services;
        services.solver = &pool;
        services.memory = &memory;
        const std::string reference = "in x f32[2]; in y f32[2]; m = Max(x, y); z = Relu(m); out z";
        const auto good = check(parseGraph(reference), parseGraph("in x f32[2]; in y f32[2]; c = Less(x, y); m = Where(c, y, x); z = Relu(m); out z"),
                                options(), services);
        QVERIFY(good.has_value());
        QCOMPARE(good->verdict, Verdict::Proved);
        const auto bad = check(parseGraph(reference), parseGraph("in x f32[2]; in y f32[2]; c = Less(x, y); m = Where(c, x, y); z = Relu(m); out z"),
                               options(), services);
        QVERIFY(bad.has_value());
        QCOMPARE(bad->verdict, Verdict::Refuted);
    }

    void stoppedAnswersAreNotRemembered() {
        WorkerPool pool(workers());
        CountingSolver solver(pool);
        std::stop_source stop;
        solver.instead = [&stop](const SolverRequest&) {
            stop.request_stop();
            SolverAnswer answer;
            answer.reason = "cancelled";
            return std::optional(answer);
        };
        LemmaMemory memory;
        CheckServices services;
        services.solver = &solver;
        services.memory = &memory;
        const auto stopped = check(parseGraph(Max, 18), parseGraph(Chosen, 18), options(false), services, stop.get_token());
        QVERIFY(!stopped || stopped->verdict == Verdict::Undecided);
        solver.instead = nullptr;
        const auto again = recheck(parseGraph(Max, 18), parseGraph(Chosen, 18), {"", false}, options(false), services);
        QVERIFY(again.has_value());
        QCOMPARE(again->verdict, Verdict::Proved);
    }

    void longerSearchFindsWhatIsThere() {
        WorkerPool pool(workers());
        LemmaMemory memory;
        CheckServices services;
        services.solver = &pool;
        services.memory = &memory;
        const auto left = parseGraph("in x f32[2]; in y f32[2]; m = Max(x, y); z = Relu(m); out z");
        const auto right = parseGraph("in x f32[2]; in y f32[2]; c = Less(x, y); m = Where(c, x, y); z = Relu(m); out z");
        const auto unsearched = check(left, right, options(false), services);
        QVERIFY(unsearched.has_value());
        QVERIFY(unsearched->verdict != Verdict::Refuted && unsearched->verdict != Verdict::Proved);
        const auto found = recheck(left, right, {unsearched->lemmas.empty() ? "" : unsearched->lemmas.front().digest, true}, options(true), services);
        QVERIFY(found.has_value());
        QCOMPARE(found->verdict, Verdict::Refuted);
        QVERIFY(found->counterexample && found->counterexample->confirmed);
    }
};

QTEST_GUILESS_MAIN(TestRecheck)
#include "tst_recheck.moc"
