// One program in the machine: values and cells, faults, conditions that depend on data, tasks.

#include "core/interp/machine.h"
#include "core/interp/scalar.h"
#include "core/program/builder.h"
#include "core/program/number.h"

#include <QtTest/QTest>

#include <cmath>
#include <random>

using namespace lemmascope;
using namespace lemmascope::interp;

namespace {

ViewType vec(ValueType type, std::int64_t n) { return {type, {n}}; }

std::shared_ptr<const Program> finished(ProgramBuilder& p) {
    auto program = p.finish();
    if (!program) {
        qFatal("%s", program.error().text().c_str());
    }
    return *program;
}

struct Ran {
    TermDag dag;
    RunResult result;
    [[nodiscard]] std::string cell(std::size_t argument, std::size_t at) const {
        const LiveOut& out = result.arguments[argument];
        const Cell cell = out.cells[at];
        return cell.term == NoTerm
                   ? std::to_string(out.type.isFloat() ? doubleOf(out.type, cell.bits) : static_cast<double>(signedOf(out.type, cell.bits)))
                   : dag.text(cell.term);
    }
};

std::unique_ptr<Ran> ran(ProgramBuilder& p, RunOptions options = {}) {
    auto made = std::make_unique<Ran>();
    auto result = run(finished(p), made->dag, options);
    if (!result) {
        qFatal("%s", result.error().text().c_str());
    }
    made->result = std::move(*result);
    return made;
}

/// A function of one vector argument `A`, to be filled.
struct OneVector {
    ProgramBuilder p;
    FunctionBuilder* f = nullptr;
    explicit OneVector(ValueType type, std::int64_t n) {
        f = &p.function("kernel", {}, {vec(type, n)});
        p.argument({"A", true, 0});
    }
};

} // namespace

class TestMachine : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Against numbers of 113 digits, in which sums and products of these are exact.
    void anOperationThatRoundsIsTold() {
        __extension__ using Quad = __float128;
        std::mt19937 random(7);
        int rounded = 0, exact = 0;
        for (int i = 0; i < 20'000; ++i) {
            const ValueType type = std::array{F16, BF16, F32, F64}[random() % 4];
            const auto number = [&] {
                const int digits = 1 + static_cast<int>(random() % (i % 2 == 0 ? 4 : 50));
                const double whole = std::ldexp(static_cast<double>(random()), -32);
                const double cut = std::trunc(std::ldexp(whole, digits));
                return bitsOf(type, std::ldexp(random() % 2 == 0 ? cut : -cut, static_cast<int>(random() % 6) - digits));
            };
            const std::uint64_t a = number(), b = number(), c = number();
            const Quad x = doubleOf(type, a), y = doubleOf(type, b), z = doubleOf(type, c);
            static constexpr Op Ops[] = {Op::AddF, Op::SubF, Op::MulF, Op::DivF, Op::Fma};
            const Op op = Ops[random() % std::size(Ops)];
            const std::uint64_t result = evaluate(op, type, 0, a, b, c).bits;
            const double made = doubleOf(type, result);
            if (!std::isfinite(made)) {
                QVERIFY(mayRound(op, type, 0, a, b, c, result));
                continue;
            }
            const Quad got = made;
            const bool isExact = op == Op::AddF   ? got == x + y
                                 : op == Op::SubF ? got == x - y
                                 : op == Op::MulF ? got == x * y
                                 : op == Op::DivF ? got * y == x
                                                  : got == x * y + z;
            (isExact ? exact : rounded) += 1;
            if (!isExact) {
                QVERIFY2(mayRound(op, type, 0, a, b, c, result), qPrintable(QString::number(i)));
            } else if (op != Op::Fma) { // of it only what is exact in two steps is known to be
                QVERIFY2(!mayRound(op, type, 0, a, b, c, result), qPrintable(QString::number(i)));
            }
        }
        QVERIFY(rounded > 2000 && exact > 2000);
        QVERIFY(mayRound(Op::Math1, F32, static_cast<std::uint16_t>(MathFunction::Exp), bitsOf(F32, 0.0), 0, 0, bitsOf(F32, 1.0)));
        QVERIFY(!mayRound(Op::Math1, F32, static_cast<std::uint16_t>(MathFunction::Sqrt), bitsOf(F32, 2.25), 0, 0, bitsOf(F32, 1.5)));
        QVERIFY(mayRound(Op::Math1, F32, static_cast<std::uint16_t>(MathFunction::Sqrt), bitsOf(F32, 2.0), 0, 0, bitsOf(F32, std::sqrt(2.0))));
        QVERIFY(mayRound(Op::TruncF, F16, F32.code, bitsOf(F32, 0.1), 0, 0, bitsOf(F16, 0.1)));
        QVERIFY(!mayRound(Op::TruncF, F16, F32.code, bitsOf(F32, 0.5), 0, 0, bitsOf(F16, 0.5)));
        QVERIFY(mayRound(Op::IntToFloatS, F32, I32.code, 16777217, 0, 0, bitsOf(F32, 16777217.0)));
        QVERIFY(!mayRound(Op::IntToFloatS, F32, I32.code, 16777216, 0, 0, bitsOf(F32, 16777216.0)));
    }

    void loopsRunAndCellsHoldTerms() {
        OneVector v(F64, 4);
        FunctionBuilder& f = *v.f;
        const auto loop = f.beginFor(f.index(1), f.index(4), f.index(2), "i");
        const Register before = f.load(0, {f.binary(Op::SubI, Index, loop.variable, f.index(1))});
        f.store(f.binary(Op::AddF, F64, before, f.number(F64, 2.5)), 0, {loop.variable});
        f.endFor(loop);
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->result.end, RunResult::End::Finished);
        QCOMPARE(r->cell(0, 0), std::string("A[0]"));
        QCOMPARE(r->cell(0, 1), std::string("(A[0] + 2.5)"));
        QCOMPARE(r->cell(0, 2), std::string("A[2]"));
        QCOMPARE(r->cell(0, 3), std::string("(A[2] + 2.5)"));
    }

    void aLoopWithoutTripsLeavesTheLowerBound() {
        OneVector v(I32, 2);
        FunctionBuilder& f = *v.f;
        const auto loop = f.beginFor(f.index(5), f.index(5), f.index(1), "i");
        f.store(f.number(I32, 7), 0, {f.index(0)});
        f.endFor(loop);
        f.ret();
        const auto r = ran(v.p);
        QVERIFY(!r->result.arguments[0].written);
    }

    void loopStepsMustBePositive_data() {
        QTest::addColumn<int>("step");
        QTest::newRow("zero") << 0;
        QTest::newRow("negative") << -1;
    }
    void loopStepsMustBePositive() {
        QFETCH(int, step);
        OneVector v(I32, 2);
        FunctionBuilder& f = *v.f;
        const auto loop = f.beginFor(f.index(0), f.index(5), f.index(step), "i");
        f.endFor(loop);
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->result.end, RunResult::End::Faulted);
        QCOMPARE(r->result.fault->kind, FaultKind::BadStep);
    }

    void loopsEndAtTheEdgeOfTheirType() {
        OneVector v(I32, 1);
        FunctionBuilder& f = *v.f;
        const Register count = f.scalar(I32);
        f.moves({{{count, f.number(I32, 0)}}, {}});
        const ValueType i8 = ValueType::integer(8);
        const auto loop = f.beginFor(f.constant(i8, 100), f.constant(i8, 127), f.constant(i8, 20), "i", i8);
        const Register next = f.binary(Op::AddI, I32, count, f.number(I32, 1));
        f.moves({{{count, next}}, {}});
        f.endFor(loop);
        f.store(count, 0, {f.index(0)});
        f.ret();
        QCOMPARE(ran(v.p)->cell(0, 0), std::string("2.000000"));
    }

    void movesAreSimultaneous() {
        OneVector v(F64, 2);
        FunctionBuilder& f = *v.f;
        const Register a = f.scalar(F64), b = f.scalar(F64);
        const Register a0 = f.load(0, {f.index(0)}), b0 = f.load(0, {f.index(1)});
        f.moves({{{a, a0}, {b, b0}}, {}});
        const auto loop = f.beginFor(f.index(0), f.index(3), f.index(1));
        f.moves({{{a, b}, {b, a}}, {}});
        f.endFor(loop);
        f.store(a, 0, {f.index(0)});
        f.store(b, 0, {f.index(1)});
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->cell(0, 0), std::string("A[1]"));
        QCOMPARE(r->cell(0, 1), std::string("A[0]"));
    }

    void viewsAreAliases() {
        OneVector v(F64, 6);
        FunctionBuilder& f = *v.f;
        ViewSpec spec;
        spec.kind = ViewSpec::Kind::Subview;
        spec.offsets = {Extent::number(1)};
        spec.sizes = {Extent::number(2)};
        spec.strides = {Extent::number(2)};
        spec.axes = {0};
        const Register w = f.makeView(vec(F64, 2), 0, spec);
        f.store(f.number(F64, 1), w, {f.index(1)}); // A[3]
        f.store(f.load(0, {f.index(3)}), 0, {f.index(0)});
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->cell(0, 3), std::string("1.000000"));
        QCOMPARE(r->cell(0, 0), std::string("1.000000"));
        QCOMPARE(r->cell(0, 1), std::string("A[1]"));
    }

    void outOfRangeSaysWhereAndWho() {
        OneVector v(F64, 4);
        FunctionBuilder& f = *v.f;
        f.at(v.p.place("f.mlir", 3, 5, "scf.for"));
        const auto loop = f.beginFor(f.index(0), f.index(4), f.index(1), "i");
        f.at(v.p.place("f.mlir", 4, 7, "arith.addi"));
        const Register index = f.binary(Op::AddI, Index, loop.variable, f.index(2));
        f.at(v.p.place("f.mlir", 5, 7, "memref.store"));
        f.store(f.number(F64, 0), 0, {index});
        f.endFor(loop);
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->result.end, RunResult::End::Faulted);
        const Fault& fault = *r->result.fault;
        QCOMPARE(fault.kind, FaultKind::OutOfRange);
        QCOMPARE(fault.access, std::string("write"));
        QCOMPARE(fault.buffer, std::string("A"));
        QCOMPARE(fault.index, std::vector<std::int64_t>{4});
        QCOMPARE(fault.size, std::vector<std::int64_t>{4});
        QCOMPARE(
            fault.text(),
            std::string("write of 'A' at [4] is out of range, size [4], memref.store at f.mlir:5:7 (i = 2); computed by arith.addi at f.mlir:4:7"));
    }

    void unwrittenAndFreedMemoryIsNotRead() {
        OneVector v(F64, 1);
        FunctionBuilder& f = *v.f;
        const Register b = f.alloc(vec(F64, 2));
        f.store(f.load(b, {f.index(1)}), 0, {f.index(0)});
        f.ret();
        QCOMPARE(ran(v.p)->result.fault->kind, FaultKind::Uninitialised);

        OneVector w(F64, 1);
        FunctionBuilder& g = *w.f;
        const Register c = g.alloc(vec(F64, 2));
        g.store(g.number(F64, 1), c, {g.index(1)});
        g.dealloc(c);
        const Register d = g.alloc(vec(F64, 2)); // new memory: nothing of the old one is left
        g.store(g.number(F64, 2), d, {g.index(0)});
        g.store(g.load(c, {g.index(1)}), 0, {g.index(0)});
        g.ret();
        const auto r = ran(w.p);
        QCOMPARE(r->result.fault->kind, FaultKind::Freed);
    }

    void bothWaysOfADataConditionBecomeAChoice() {
        OneVector v(I32, 3);
        FunctionBuilder& f = *v.f;
        const Register x = f.load(0, {f.index(0)});
        const Register c = f.binary(Op::CmpI, I32, x, f.number(I32, 3), static_cast<std::uint16_t>(CmpIPredicate::Slt));
        const Label yes = f.label(), no = f.label(), meet = f.label();
        const Register result = f.scalar(I32);
        f.branch(c, yes, no);
        f.bind(yes);
        f.store(f.number(I32, 1), 0, {f.index(1)});
        f.jump(meet, {{{result, f.number(I32, 10)}}, {}});
        f.bind(no);
        f.store(x, 0, {f.index(2)});
        f.jump(meet, {{{result, x}}, {}});
        f.bind(meet);
        f.store(result, 0, {f.index(0)});
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->result.end, RunResult::End::Finished);
        QCOMPARE(r->cell(0, 0), std::string("select((A[0] < 3), 10, A[0])"));
        QCOMPARE(r->cell(0, 1), std::string("select((A[0] < 3), 1, A[1])"));
        QCOMPARE(r->cell(0, 2), std::string("select((A[0] < 3), A[2], A[0])"));
    }

    void aFaultOnOneWayKeepsItsCondition() {
        OneVector v(I32, 3);
        FunctionBuilder& f = *v.f;
        const Register x = f.load(0, {f.index(0)});
        const Register c = f.binary(Op::CmpI, I32, x, f.number(I32, 3), static_cast<std::uint16_t>(CmpIPredicate::Slt));
        const Label yes = f.label(), meet = f.label();
        f.branch(c, yes, meet);
        f.bind(yes);
        f.store(f.number(I32, 1), 0, {f.index(7)});
        f.jump(meet);
        f.bind(meet);
        f.store(f.number(I32, 5), 0, {f.index(1)});
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->result.end, RunResult::End::Finished);
        QCOMPARE(r->result.conditional.size(), std::size_t{1});
        QCOMPARE(r->dag.text(r->result.conditional[0].guard), std::string("(A[0] < 3)"));
        QCOMPARE(r->cell(0, 1), std::string("5.000000"));
    }

    void indicesFromDataBecomeChoices() {
        ProgramBuilder p;
        FunctionBuilder& f = p.function("kernel", {}, {vec(F32, 3), vec(I64, 1)});
        p.argument({"A", true, 0});
        p.argument({"n", true, 1});
        const Register i = f.convert(Op::IndexCastS, Index, f.load(1, {f.index(0)}));
        const Register clamped = f.binary(Op::MinS, Index, f.binary(Op::MaxS, Index, i, f.index(0)), f.index(1));
        f.store(f.number(F32, 9), 0, {clamped});
        f.store(f.load(0, {i}), 0, {f.index(2)});
        f.ret();
        const auto r = ran(p);
        QCOMPARE(r->result.end, RunResult::End::Finished);
        QCOMPARE(r->result.conditional.size(), std::size_t{1}); // the clamped index is in range
        QCOMPARE(r->result.conditional[0].access, std::string("read"));
        QVERIFY(r->cell(0, 0).starts_with("select((min(max(index_cast(n[0]), 0), 1) == 0), 9, A[0])"));
    }

    void aLoopUpToClampedDataEnds() {
        OneVector v(I64, 4);
        FunctionBuilder& f = *v.f;
        const Register n = f.convert(Op::IndexCastS, Index, f.load(0, {f.index(0)}));
        const Register upper = f.binary(Op::MinS, Index, n, f.index(4));
        const auto loop = f.beginFor(f.index(1), upper, f.index(1), "i");
        f.store(f.number(I64, 7), 0, {loop.variable});
        f.endFor(loop);
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->result.end, RunResult::End::Finished);
        QCOMPARE(r->cell(0, 0), std::string("A[0]"));
        QVERIFY(r->cell(0, 3).starts_with("select("));
    }

    void aLoopUpToDataIsUndecidedAndNamesTheValue() {
        ProgramBuilder p;
        FunctionBuilder& f = p.function("kernel", {Index}, {vec(I64, 400)});
        p.argument({"n", false, 0});
        p.argument({"A", true, 0});
        const auto loop = f.beginFor(f.index(0), 0, f.index(1), "i");
        f.store(f.number(I64, 7), 0, {loop.variable});
        f.endFor(loop);
        f.ret();
        const auto program = finished(p);
        TermDag dag;
        const auto r = run(program, dag, {});
        QCOMPARE(r->end, RunResult::End::Undecided);
        QVERIFY2(r->undecided.find("give --size n=N") != std::string::npos, r->undecided.c_str());
        RunOptions sized;
        sized.sizes["n"] = 3;
        TermDag other;
        QCOMPARE(run(program, other, sized)->end, RunResult::End::Finished);
    }

    void unknownExtentsGrowAsTheyAreUsed() {
        ProgramBuilder p;
        FunctionBuilder& f = p.function("kernel", {}, {{F64, {Dynamic, 3}}});
        p.argument({"A", true, 0});
        f.store(f.number(F64, 1), 0, {f.index(4), f.index(2)});
        f.ret();
        const auto program = finished(p);
        TermDag dag;
        const auto r = run(program, dag, {});
        QCOMPARE(r->end, RunResult::End::Finished);
        QCOMPARE(r->extents[0], std::optional<std::int64_t>(5));
        QCOMPARE(dag.text(r->arguments[0].cells[0].term), std::string("A[0,0]"));
        RunOptions within;
        within.extents = {4};
        TermDag other;
        QCOMPARE(run(program, other, within)->fault->kind, FaultKind::OutOfRange);
    }

    void recursionIsBounded() {
        ProgramBuilder p;
        FunctionBuilder& f = p.function("kernel", {}, {});
        f.call(f, {}, {}, {}, {});
        f.ret();
        QVERIFY(ran(p)->result.undecided.starts_with("recursion:"));
    }

    void endlessLoopsEndByBudget() {
        ProgramBuilder p;
        FunctionBuilder& f = p.function("kernel", {}, {});
        const Label again = f.label();
        f.bind(again);
        f.jump(again);
        RunOptions options;
        options.limits.steps = 100'000;
        QVERIFY(ran(p, options)->result.undecided.starts_with("step:"));
    }

    void hugeBuffersEndByBudget() {
        ProgramBuilder p;
        FunctionBuilder& f = p.function("kernel", {}, {});
        (void)f.alloc(vec(F64, std::int64_t{1} << 50));
        f.ret();
        QVERIFY(ran(p)->result.undecided.starts_with("memory:"));
    }

    void integersWrapAtTheirWidth() {
        OneVector v(ValueType::integer(7), 3);
        FunctionBuilder& f = *v.f;
        const ValueType i7 = ValueType::integer(7);
        f.store(f.binary(Op::AddI, i7, f.constant(i7, 63), f.constant(i7, 1)), 0, {f.index(0)});
        f.store(f.binary(Op::DivS, i7, f.constant(i7, 0x7F), f.constant(i7, 2)), 0, {f.index(1)}); // -1 / 2
        f.store(f.binary(Op::DivU, i7, f.constant(i7, 0x7F), f.constant(i7, 2)), 0, {f.index(2)}); // 127 / 2
        f.ret();
        const auto r = ran(v.p);
        QCOMPARE(r->cell(0, 0), std::string("-64.000000"));
        QCOMPARE(r->cell(0, 1), std::string("0.000000"));
        QCOMPARE(r->cell(0, 2), std::string("63.000000"));
    }

    void indexArithmeticThatOverflowsIsOutOfRange() {
        OneVector v(F64, 4);
        FunctionBuilder& f = *v.f;
        const Register big = f.binary(Op::MulI, Index, f.index(std::int64_t{1} << 62), f.index(6)); // wraps to 1 << 63
        f.store(f.number(F64, 0), 0, {big});
        f.ret();
        QCOMPARE(ran(v.p)->result.fault->kind, FaultKind::OutOfRange);
    }

    void constantGlobalsKeepTheirContent() {
        OneVector v(F32, 2);
        const std::uint32_t w = v.p.global({"w", vec(F32, 2), true, true, {bitsOf(F32, 1.5), bitsOf(F32, -2)}, 0});
        FunctionBuilder& f = *v.f;
        const Register g = f.global(w);
        f.store(f.load(g, {f.index(1)}), 0, {f.index(0)});
        f.ret();
        QCOMPARE(ran(v.p)->cell(0, 0), std::string("-2.000000"));
    }
};

QTEST_APPLESS_MAIN(TestMachine)
#include "tst_machine.moc"
