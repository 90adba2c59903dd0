// Tasks: races, deadlocks, what is nondeterministic, semaphores, channels, devices.

#include "core/interp/compare.h"
#include "core/program/builder.h"
#include "core/program/number.h"

#include <QtTest/QTest>

#include <functional>

using namespace lemmascope;
using namespace lemmascope::interp;

namespace {

ViewType vec(ValueType type, std::int64_t n) { return {type, {n}}; }

std::shared_ptr<const Program> finished(ProgramBuilder& p, std::uint32_t entry) {
    auto made = p.finish(entry);
    if (!made) {
        qFatal("%s", made.error().text().c_str());
    }
    return *made;
}

RunResult ran(const std::shared_ptr<const Program>& program, RunOptions options = {}) {
    TermDag dag;
    auto result = run(program, dag, options);
    if (!result) {
        qFatal("%s", result.error().text().c_str());
    }
    return std::move(*result);
}

ProgramComparison compared(const std::shared_ptr<const Program>& a, const std::shared_ptr<const Program>& b) {
    auto made = comparePrograms(a, b);
    if (!made) {
        qFatal("%s", made.error().text().c_str());
    }
    return std::move(*made);
}

/// B = A + A, then C = B * B; the second task waits for the first if `waits`, main for the second if `joins`.
std::shared_ptr<const Program> chain(bool tasks, bool waits, bool joins = true) {
    ProgramBuilder p;
    const std::vector<ViewType> two{vec(F64, 4), vec(F64, 4)};
    const auto body = [&](FunctionBuilder& f, Op op, Register from, Register to) {
        const auto loop = f.beginFor(f.index(0), f.index(4), f.index(1), "i");
        const Register a = f.load(from, {loop.variable});
        f.store(f.binary(op, F64, a, a), to, {loop.variable});
        f.endFor(loop);
    };
    FunctionBuilder& first = p.function("first", {}, two);
    first.at(p.place("f.mlir", 3, 5, "memref.store"));
    body(first, Op::AddF, 0, 1);
    first.ret();
    FunctionBuilder& second = p.function("second", {}, two);
    second.at(p.place("f.mlir", 8, 5, "memref.load"));
    body(second, Op::MulF, 0, 1);
    second.ret();
    FunctionBuilder& main = p.function("kernel", {}, {vec(F64, 4), vec(F64, 4), vec(F64, 4)});
    for (const std::uint32_t i : {0U, 1U, 2U}) {
        p.argument({std::string(1, static_cast<char>('A' + i)), true, i});
    }
    if (!tasks) {
        body(main, Op::AddF, 0, 1);
        body(main, Op::MulF, 1, 2);
        main.ret();
        return finished(p, 2);
    }
    main.at(p.place("f.mlir", 2, 3, "async.execute", "e1"));
    const Register t1 = main.spawn(first, {}, {0, 1});
    main.at(p.place("f.mlir", 7, 3, "async.execute", "e2"));
    const Register t2 = main.spawn(second, {}, {1, 2}, waits ? std::vector{t1} : std::vector<Register>{});
    if (joins) {
        main.await(t2);
        main.await(t1);
    }
    main.ret();
    return finished(p, 2);
}

/// y[i] += A[i,j] * x[j], in parallel over rows, or over rows and columns.
std::shared_ptr<const Program> matvec(int axes, std::int64_t rows = 6, std::int64_t columns = 5) {
    ProgramBuilder p;
    const std::vector<ViewType> types{{F64, {rows, columns}}, vec(F64, columns), vec(F64, rows)};
    const auto step = [](FunctionBuilder& f, Register i, Register j) {
        const Register product = f.binary(Op::MulF, F64, f.load(0, {i, j}), f.load(1, {j}));
        f.store(f.binary(Op::AddF, F64, f.load(2, {i}), product), 2, {i});
    };
    FunctionBuilder& main = p.function("kernel", {}, types);
    p.argument({"A", true, 0});
    p.argument({"x", true, 1});
    p.argument({"y", true, 2});
    const Register zero = main.index(0), one = main.index(1), n = main.index(rows), m = main.index(columns);
    if (axes == 0) {
        const auto i = main.beginFor(zero, n, one);
        const auto j = main.beginFor(zero, m, one);
        step(main, i.variable, j.variable);
        main.endFor(j);
        main.endFor(i);
        main.ret();
        return finished(p, 0);
    }
    FunctionBuilder& body = p.function("body", std::vector<ValueType>(static_cast<std::size_t>(axes), Index), types);
    if (axes == 1) {
        const auto j = body.beginFor(body.index(0), body.index(columns), body.index(1));
        step(body, 0, j.variable);
        body.endFor(j);
    } else {
        step(body, 0, 1);
    }
    body.ret();
    ParallelSpec spec;
    spec.function = 1;
    spec.lower = axes == 1 ? std::vector{zero} : std::vector{zero, zero};
    spec.upper = axes == 1 ? std::vector{n} : std::vector{n, m};
    spec.step = axes == 1 ? std::vector{one} : std::vector{one, one};
    spec.views = {0, 1, 2};
    main.parallel(spec);
    main.ret();
    return finished(p, 0);
}

/// sh[t] = x[t]; barrier; o[t] = sh[n-1-t], one block of n threads.
std::shared_ptr<const Program> exchange(bool barrier, std::int64_t threads = 2, std::int64_t blocks = 1, bool skipsFirst = false) {
    ProgramBuilder p;
    const std::vector<ViewType> types(3, vec(I32, threads));
    FunctionBuilder& main = p.function("kernel", {}, types);
    p.argument({"x", true, 0});
    p.argument({"sh", true, 1, Role::Scratch});
    p.argument({"o", true, 2, Role::InOut});
    FunctionBuilder& body = p.function("body", {Index, Index, Index}, types);
    body.at(p.place("g.mlir", 5, 7, "memref.store", "S1"));
    body.store(body.load(0, {1}), 1, {1});
    if (barrier) {
        const Label meet = body.label(), wait = body.label();
        if (skipsFirst) {
            body.branch(body.binary(Op::CmpI, Index, 1, body.index(0), static_cast<std::uint16_t>(CmpIPredicate::Eq)), meet, wait);
            body.bind(wait);
        }
        body.emit({Op::Barrier});
        if (skipsFirst) {
            body.jump(meet);
            body.bind(meet);
        }
    }
    body.at(p.place("g.mlir", 8, 7, "memref.load"));
    const Register other = body.load(1, {body.binary(Op::SubI, Index, body.index(threads - 1), 1)});
    body.at(p.place("g.mlir", 9, 7, "memref.store", "S2"));
    body.store(other, 2, {1});
    body.ret();
    ParallelSpec spec;
    spec.function = 1;
    spec.lower = {main.index(0), main.index(0)};
    spec.upper = {main.index(blocks), main.index(threads)};
    spec.step = {main.index(1), main.index(1)};
    spec.scalars = {main.index(threads)};
    spec.views = {0, 1, 2};
    spec.blockAxes = 1;
    main.parallel(spec);
    main.ret();
    return finished(p, 0);
}

/// Two tasks take one semaphore (initially `units`) and write `values` to x[0], or to a cell each.
std::shared_ptr<const Program> takers(std::int64_t units, bool oneCell) {
    ProgramBuilder p;
    p.program().semaphores.push_back({"lock", units});
    FunctionBuilder& body = p.function("body", {I32, Index}, {vec(I32, 2)});
    const Register handle = body.scalar(Handle);
    body.emit({Op::SemaphoreHandle, Handle, 0, handle, 0, 0, 0});
    const Register one = body.index(1);
    body.emit({Op::Acquire, {}, 0, 0, handle, one, 0});
    body.store(0, 0, {1});
    body.emit({Op::Release, {}, 0, 0, handle, one, 0});
    body.ret();
    FunctionBuilder& main = p.function("kernel", {}, {vec(I32, 2)});
    p.argument({"x", true, 0});
    const Register a = main.spawn(body, {main.number(I32, 1), main.index(0)}, {0});
    const Register b = main.spawn(body, {main.number(I32, 2), main.index(oneCell ? 0 : 1)}, {0});
    main.await(a);
    main.await(b);
    main.ret();
    return finished(p, 1);
}

std::shared_ptr<const Program> storesTwo(std::int64_t first, std::int64_t second) {
    ProgramBuilder p;
    FunctionBuilder& main = p.function("kernel", {}, {vec(I32, 2)});
    p.argument({"x", true, 0});
    main.store(main.number(I32, static_cast<double>(first)), 0, {main.index(0)});
    if (second != 0) {
        main.store(main.number(I32, static_cast<double>(second)), 0, {main.index(1)});
    }
    main.ret();
    return finished(p, 0);
}

} // namespace

class TestTasks : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void anOrderedChainIsEqual() { QCOMPARE(verdictLine(compared(chain(false, true), chain(true, true)).result), std::string("proved: identical")); }

    void aMissingTokenIsARaceWithBothOrders() {
        const ProgramComparison c = compared(chain(false, true), chain(true, false));
        QCOMPARE(c.result.kind, std::optional(RefutationKind::Race));
        const RaceReport& race = *c.result.race;
        QCOMPARE(race.events, (std::vector<std::string>{"e1", "e2"}));
        QCOMPARE(race.buffer, std::string("B"));
        QCOMPARE(race.index, std::vector<std::int64_t>{0});
        QCOMPARE(race.runs.size(), std::size_t{2});
        QCOMPARE(race.runs[1].order, (std::vector<std::string>{"e2", "e1"}));
        const Tensor& one = race.runs[0].outputs.back().second;
        const Tensor& two = race.runs[1].outputs.back().second;
        QVERIFY(!one.sameBits(two));
        QVERIFY2(race.text.find("nothing makes e2 wait for e1") != std::string::npos, race.text.c_str());
        QVERIFY2(race.text.find("f.mlir:3:5") != std::string::npos && race.text.find("i = 0") != std::string::npos, race.text.c_str());
        QVERIFY(compared(chain(true, false), chain(false, true)).result.reason.starts_with("reference undefined: race"));
    }

    void aTaskAndWhatFollowsItsStartRace() {
        // main returns while the tasks may still write
        const ProgramComparison c = compared(chain(false, true), chain(true, true, false));
        QVERIFY2(c.result.kind == std::optional(RefutationKind::Race), verdictLine(c.result).c_str());
        QVERIFY2(c.result.reason.find("before it returns") != std::string::npos, c.result.reason.c_str());
    }

    void rowsInParallelAreEqualAndColumnsRace() {
        QCOMPARE(verdictLine(compared(matvec(0), matvec(1)).result), std::string("proved: identical"));
        const ProgramComparison c = compared(matvec(0), matvec(2));
        QCOMPARE(c.result.kind, std::optional(RefutationKind::Race));
        QCOMPARE(c.result.race->buffer, std::string("y"));
        QVERIFY(c.result.race->text.find("iterations of one parallel loop are not ordered") != std::string::npos);
    }

    void barriersOrderThreads() {
        QCOMPARE(verdictLine(compared(exchange(true), exchange(true)).result), std::string("proved: identical"));
        const ProgramComparison c = compared(exchange(true), exchange(false));
        QCOMPARE(c.result.kind, std::optional(RefutationKind::Race));
        QCOMPARE(c.result.race->events, (std::vector<std::string>{"S2@0", "S1@1"}));
        QCOMPARE(c.result.race->index, std::vector<std::int64_t>{1});
        QCOMPARE(c.result.race->runs.size(), std::size_t{2});
    }

    void barriersDoNotOrderBlocks() {
        const RunResult r = ran(exchange(true, 2, 2));
        QCOMPARE(r.end, RunResult::End::Raced);
        QVERIFY(r.race->missing.find("different blocks") != std::string::npos);
    }

    void aBarrierThatNotAllReachIsADeadlock() {
        const ProgramComparison c = compared(exchange(true), exchange(true, 2, 1, true));
        QVERIFY2(c.result.kind == std::optional(RefutationKind::Deadlock) || c.result.kind == std::optional(RefutationKind::Race),
                 verdictLine(c.result).c_str());
    }

    void manyThreadsAndBarriersStayLinear() {
        const RunResult r = ran(exchange(true, 2000));
        QCOMPARE(r.end, RunResult::End::Finished);
        QCOMPARE(r.tasks, std::uint64_t{2001});
        const RunResult wide = ran(matvec(1, 20'000, 3));
        QCOMPARE(wide.end, RunResult::End::Finished);
    }

    void twoTakersOfOneSemaphoreAreNondeterministic() {
        const ProgramComparison c = compared(storesTwo(1, 0), takers(1, true));
        QVERIFY2(c.result.kind == std::optional(RefutationKind::Nondeterministic), verdictLine(c.result).c_str());
        QCOMPARE(c.result.race->runs.size(), std::size_t{2});
        QCOMPARE(c.result.race->buffer, std::string("lock"));
        // With a unit for each, or where the order does not show, nothing is refuted.
        QCOMPARE(verdictLine(compared(storesTwo(1, 2), takers(2, false)).result), std::string("proved: identical"));
        QCOMPARE(compared(storesTwo(1, 2), takers(1, false)).result.verdict, Verdict::Undecided);
        // Two units order nothing: both may be inside at once.
        QCOMPARE(compared(storesTwo(1, 0), takers(2, true)).result.kind, std::optional(RefutationKind::Race));
    }

    void locksTakenInOppositeOrderDeadlock() {
        ProgramBuilder p;
        p.program().semaphores = {{"a", 1}, {"b", 1}, {"go", 0}};
        std::vector<FunctionBuilder*> bodies;
        for (const std::uint32_t first : {0U, 1U}) {
            FunctionBuilder& f = p.function("body", {}, {});
            bodies.push_back(&f);
            const Register one = f.index(1);
            const auto handle = [&](std::uint32_t number) {
                const Register h = f.scalar(Handle);
                f.emit({Op::SemaphoreHandle, Handle, 0, h, number, 0, 0});
                return h;
            };
            const Register mine = handle(first), theirs = handle(1 - first), go = handle(2);
            f.emit({Op::Acquire, {}, 0, 0, mine, one, 0});
            if (first == 0) {
                f.emit({Op::Acquire, {}, 0, 0, go, one, 0}); // waits until the other has taken its own
            } else {
                f.emit({Op::Release, {}, 0, 0, go, one, 0});
            }
            f.emit({Op::Acquire, {}, 0, 0, theirs, one, 0});
            f.emit({Op::Release, {}, 0, 0, theirs, one, 0});
            f.emit({Op::Release, {}, 0, 0, mine, one, 0});
            f.ret();
        }
        FunctionBuilder& main = p.function("kernel", {}, {});
        const Register x = main.spawn(*bodies[0], {}, {});
        const Register y = main.spawn(*bodies[1], {}, {});
        main.await(x);
        main.await(y);
        main.ret();
        const RunResult r = ran(finished(p, 2));
        QCOMPARE(r.end, RunResult::End::Deadlocked);
        QVERIFY(r.deadlock->isCycle);
        QCOMPARE(r.deadlock->cycle.size(), std::size_t{2});
        QVERIFY2(r.deadlock->text().find("waits for semaphore 'b'") != std::string::npos, r.deadlock->text().c_str());
    }

    void aGroupThatNobodyFillsIsADeadlock() {
        ProgramBuilder p;
        FunctionBuilder& main = p.function("kernel", {}, {});
        const Register group = main.scalar(Handle);
        main.emit({Op::GroupCreate, Handle, 0, group, main.index(1), 0, 0});
        main.emit({Op::AwaitAll, {}, 0, 0, group, 0, 0});
        main.ret();
        const RunResult r = ran(finished(p, 0));
        QCOMPARE(r.end, RunResult::End::Deadlocked);
        QVERIFY(!r.deadlock->isCycle);
    }

    void aProducerAndAConsumerWithTwoSemaphoresAreOrdered() {
        // The AIE idiom: `empty` (1) and `full` (0) hand one buffer back and forth; the consumer is a device task that loops.
        const auto make = [](bool waits) {
            ProgramBuilder p;
            p.program().semaphores = {{"empty", 1}, {"full", 0}, {"done", 0}};
            const auto handle = [](FunctionBuilder& f, std::uint32_t number) {
                const Register h = f.scalar(Handle);
                f.emit({Op::SemaphoreHandle, Handle, 0, h, number, 0, 0});
                return h;
            };
            FunctionBuilder& consumer = p.function("consumer", {}, {vec(I32, 1), vec(I32, 3)});
            {
                FunctionBuilder& f = consumer;
                const Register empty = handle(f, 0), full = handle(f, 1), done = handle(f, 2), one = f.index(1);
                const Register i = f.scalar(Index);
                f.moves({{{i, f.index(0)}}, {}});
                const Label head = f.label();
                f.bind(head);
                f.emit({Op::DeviceHead});
                f.emit({Op::Acquire, {}, 0, 0, full, one, 0});
                f.store(f.load(0, {f.index(0)}), 1, {i});
                f.emit({Op::Release, {}, 0, 0, empty, one, 0});
                f.emit({Op::Release, {}, 0, 0, done, one, 0});
                f.jump(head, {{{i, f.binary(Op::AddI, Index, i, one)}}, {}});
                // never reached: a device does not end
            }
            FunctionBuilder& main = p.function("kernel", {}, {vec(I32, 3), vec(I32, 3)});
            p.argument({"x", true, 0});
            p.argument({"o", true, 1});
            FunctionBuilder& f = main;
            const Register buffer = f.alloc(vec(I32, 1));
            const Register empty = handle(f, 0), full = handle(f, 1), done = handle(f, 2), one = f.index(1);
            (void)f.spawn(consumer, {}, {buffer, 1}, {}, true);
            const auto loop = f.beginFor(f.index(0), f.index(3), one, "i");
            if (waits) {
                f.emit({Op::Acquire, {}, 0, 0, empty, one, 0});
            }
            f.store(f.load(0, {loop.variable}), buffer, {f.index(0)});
            f.emit({Op::Release, {}, 0, 0, full, one, 0});
            f.endFor(loop);
            f.emit({Op::Acquire, {}, 0, 0, done, f.index(3), 0});
            f.ret();
            return finished(p, 1);
        };
        const auto copies = [] {
            ProgramBuilder p;
            FunctionBuilder& f = p.function("kernel", {}, {vec(I32, 3), vec(I32, 3)});
            p.argument({"x", true, 0});
            p.argument({"o", true, 1});
            f.copy(0, 1);
            f.ret();
            return finished(p, 0);
        };
        const ProgramComparison c = compared(copies(), make(true));
        QVERIFY2(verdictLine(c.result) == "proved: identical", verdictLine(c.result).c_str());
        QCOMPARE(compared(copies(), make(false)).result.kind, std::optional(RefutationKind::Race));
    }

    void channelsMeet() {
        const auto make = [](int putters, bool gets) {
            ProgramBuilder p;
            p.program().channels = {{"c"}};
            const auto handle = [](FunctionBuilder& f) {
                const Register h = f.scalar(Handle);
                f.emit({Op::ChannelHandle, Handle, 0, h, 0, 0, 0});
                return h;
            };
            FunctionBuilder& put = p.function("put", {I32}, {});
            put.emit({Op::PutValue, {}, 0, 0, handle(put), 0, 0});
            put.ret();
            FunctionBuilder& main = p.function("kernel", {}, {vec(I32, 2)});
            p.argument({"x", true, 0});
            std::vector<Register> tasks;
            for (int i = 0; i < putters; ++i) {
                tasks.push_back(main.spawn(put, {main.number(I32, i + 1)}, {}));
            }
            const Register channel = handle(main);
            for (int i = 0; i < putters && gets; ++i) {
                const Register value = main.scalar(I32);
                main.emit({Op::GetValue, I32, 0, value, channel, 0, 0});
                main.store(value, 0, {main.index(i)});
            }
            for (const Register task : tasks) {
                main.await(task);
            }
            main.ret();
            return finished(p, 1);
        };
        QCOMPARE(verdictLine(compared(storesTwo(1, 0), make(1, true)).result), std::string("proved: identical"));
        QCOMPARE(compared(storesTwo(1, 2), make(2, true)).result.kind, std::optional(RefutationKind::Nondeterministic));
        const RunResult alone = ran(make(1, false));
        QCOMPARE(alone.end, RunResult::End::Deadlocked);
        QVERIFY2(alone.deadlock->text().find("a get from channel 'c'") != std::string::npos, alone.deadlock->text().c_str());
    }

    void reductionsAreFoldedInOrderAndExact() {
        const auto make = [](bool parallel, ValueType type, Op op) {
            ProgramBuilder p;
            FunctionBuilder& main = p.function("kernel", {}, {vec(type, 5), vec(type, 1)});
            p.argument({"x", true, 0});
            p.argument({"o", true, 1});
            Register sum = main.scalar(type);
            if (parallel) {
                FunctionBuilder& body = p.function("body", {Index}, {vec(type, 5)}, {type});
                body.ret({body.load(0, {0})});
                FunctionBuilder& add = p.function("add", {type, type}, {}, {type});
                add.ret({add.binary(op, type, 0, 1)});
                ParallelSpec spec;
                spec.function = body.number();
                spec.lower = {main.index(0)};
                spec.upper = {main.index(5)};
                spec.step = {main.index(1)};
                spec.views = {0};
                spec.reductions = {{add.number(), main.number(type, 0), sum}};
                main.parallel(spec);
            } else {
                main.moves({{{sum, main.number(type, 0)}}, {}});
                const auto loop = main.beginFor(main.index(0), main.index(5), main.index(1));
                main.moves({{{sum, main.binary(op, type, sum, main.load(0, {loop.variable}))}}, {}});
                main.endFor(loop);
            }
            main.store(sum, 1, {main.index(0)});
            main.ret();
            return finished(p, 0);
        };
        QCOMPARE(verdictLine(compared(make(false, F32, Op::AddF), make(true, F32, Op::AddF)).result), std::string("proved: exact"));
        QCOMPARE(verdictLine(compared(make(false, I32, Op::AddI), make(true, I32, Op::AddI)).result), std::string("proved: identical"));
        QCOMPARE(compared(make(false, I32, Op::AddI), make(true, I32, Op::Xor)).result.verdict, Verdict::Refuted);
    }

    void atomicUpdatesDoNotRaceWithEachOther() {
        enum class What { Sum, OldValue, Mixed, Plain };
        const auto make = [](What what, ValueType type) {
            ProgramBuilder p;
            FunctionBuilder& body = p.function("body", {Index}, {vec(type, 4), vec(type, 1), vec(type, 4)});
            const Register x = body.load(0, {0});
            const Op add = type.isFloat() ? Op::AddF : Op::AddI;
            if (what == What::Plain) {
                body.store(body.binary(add, type, body.load(1, {body.index(0)}), x), 1, {body.index(0)});
            } else {
                const Register old = body.atomicUpdate(add, x, 1, {body.index(0)}, what == What::OldValue);
                if (what == What::OldValue) {
                    body.store(old, 2, {0});
                } else if (what == What::Mixed) {
                    body.store(body.load(1, {body.index(0)}), 2, {0});
                }
            }
            body.ret();
            FunctionBuilder& main = p.function("kernel", {}, {vec(type, 4), vec(type, 1), vec(type, 4)});
            p.argument({"x", true, 0});
            p.argument({"o", true, 1});
            p.argument({"t", true, 2});
            ParallelSpec spec;
            spec.function = 0;
            spec.lower = {main.index(0)};
            spec.upper = {main.index(4)};
            spec.step = {main.index(1)};
            spec.views = {0, 1, 2};
            main.parallel(spec);
            main.ret();
            return finished(p, 1);
        };
        const auto sequential = [](ValueType type) {
            ProgramBuilder p;
            FunctionBuilder& main = p.function("kernel", {}, {vec(type, 4), vec(type, 1), vec(type, 4)});
            p.argument({"x", true, 0});
            p.argument({"o", true, 1});
            p.argument({"t", true, 2});
            const auto loop = main.beginFor(main.index(0), main.index(4), main.index(1));
            const Register sum =
                main.binary(type.isFloat() ? Op::AddF : Op::AddI, type, main.load(1, {main.index(0)}), main.load(0, {loop.variable}));
            main.store(sum, 1, {main.index(0)});
            main.endFor(loop);
            main.ret();
            return finished(p, 0);
        };
        QCOMPARE(verdictLine(compared(sequential(I32), make(What::Sum, I32)).result), std::string("proved: identical"));
        QCOMPARE(verdictLine(compared(sequential(F32), make(What::Sum, F32)).result), std::string("proved: exact"));
        QCOMPARE(ran(make(What::OldValue, I32)).end, RunResult::End::Raced);
        QCOMPARE(ran(make(What::Mixed, I32)).end, RunResult::End::Raced);
        QCOMPARE(ran(make(What::Plain, I32)).end, RunResult::End::Raced);
    }

    void updatesByDifferentOperationsAreRefutedWhereTheOrderShows() {
        const auto make = [](Op first, Op second) {
            ProgramBuilder p;
            FunctionBuilder& body = p.function("body", {Index}, {vec(I32, 2), vec(I32, 1)});
            const Label other = body.label();
            const Label end = body.label();
            const Label one = body.label();
            body.branch(body.binary(Op::CmpI, Index, 0, body.index(0), static_cast<std::uint16_t>(CmpIPredicate::Eq)), one, other);
            body.bind(one);
            (void)body.atomicUpdate(first, body.number(I32, 6), 1, {body.index(0)}, false);
            body.jump(end);
            body.bind(other);
            (void)body.atomicUpdate(second, body.number(I32, 1), 1, {body.index(0)}, false);
            body.jump(end);
            body.bind(end);
            body.ret();
            FunctionBuilder& main = p.function("kernel", {}, {vec(I32, 2), vec(I32, 1)});
            p.argument({"x", true, 0});
            p.argument({"o", true, 1});
            ParallelSpec spec;
            spec.function = 0;
            spec.lower = {main.index(0)};
            spec.upper = {main.index(2)};
            spec.step = {main.index(1)};
            spec.views = {0, 1};
            main.parallel(spec);
            main.ret();
            return finished(p, 1);
        };
        // A program that does the same in turn.
        const auto inTurn = [](Op first, Op second) {
            ProgramBuilder p;
            FunctionBuilder& main = p.function("kernel", {}, {vec(I32, 2), vec(I32, 1)});
            p.argument({"x", true, 0});
            p.argument({"o", true, 1});
            const Register once = main.binary(first, I32, main.load(1, {main.index(0)}), main.number(I32, 6));
            main.store(main.binary(second, I32, once, main.number(I32, 1)), 1, {main.index(0)});
            main.ret();
            return finished(p, 0);
        };
        const CheckResult shown = compared(inTurn(Op::AddI, Op::And), make(Op::AddI, Op::And)).result;
        QCOMPARE(shown.verdict, Verdict::Refuted);
        QVERIFY(shown.kind == RefutationKind::Nondeterministic);
        // Bits that the other leaves alone: neither a race nor a difference.
        const CheckResult silent = compared(inTurn(Op::Xor, Op::Or), make(Op::Xor, Op::Or)).result;
        QCOMPARE(silent.verdict, Verdict::Undecided);
        QVERIFY2(silent.reason.find("agree") != std::string::npos, silent.reason.c_str());
        QCOMPARE(compared(make(Op::AddI, Op::And), make(Op::AddI, Op::And)).result.verdict, Verdict::Undecided);
    }

    void anEmptyParallelLoopEnds() {
        const RunResult r = ran(matvec(1, 0, 3));
        QCOMPARE(r.end, RunResult::End::Finished);
    }

    void valuesOfTasksAreAwaited() {
        ProgramBuilder p;
        FunctionBuilder& body = p.function("body", {I32}, {}, {I32});
        body.ret({body.binary(Op::AddI, I32, 0, body.number(I32, 1))});
        FunctionBuilder& main = p.function("kernel", {}, {vec(I32, 1)});
        p.argument({"x", true, 0});
        const Register task = main.spawn(body, {main.load(0, {main.index(0)})}, {});
        const Register value = main.scalar(I32);
        main.emit({Op::AwaitValue, I32, 0, value, task, 0, 0});
        main.store(value, 0, {main.index(0)});
        main.ret();
        const auto program = finished(p, 1);
        TermDag dag;
        const auto r = run(program, dag, {});
        QCOMPARE(dag.text(r->arguments[0].cells[0].term), std::string("(x[0] + 1)"));
    }
};

QTEST_APPLESS_MAIN(TestTasks)
#include "tst_tasks.moc"
