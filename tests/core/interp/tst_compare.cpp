// Two programs: sharing, families, the ladder, counterexamples, faults, traps.

#include "core/interp/compare.h"
#include "core/interp/families.h"
#include "core/program/builder.h"
#include "core/program/number.h"
#include "core/prove/lemma_memory.h"

#include <QtTest/QTest>

#include <functional>
#include <thread>

using namespace lemmascope;
using namespace lemmascope::interp;

namespace {

ViewType vec(ValueType type, std::int64_t n) { return {type, {n}}; }

using Body = std::function<void(ProgramBuilder&, FunctionBuilder&)>;

/// One function over the arguments `names` of the given view types.
std::shared_ptr<const Program> program(const std::vector<std::pair<std::string, ViewType>>& arguments, const Body& body,
                                       const std::vector<ViewType>& results = {}) {
    ProgramBuilder p;
    std::vector<ViewType> types;
    for (const auto& [name, type] : arguments) {
        p.argument({name, true, static_cast<std::uint32_t>(types.size())});
        types.push_back(type);
    }
    FunctionBuilder& f = p.function("kernel", {}, types, {}, results);
    for (std::uint32_t i = 0; i < results.size(); ++i) {
        p.result({"result" + std::to_string(i), true, i});
    }
    body(p, f);
    auto made = p.finish();
    if (!made) {
        qFatal("%s", made.error().text().c_str());
    }
    return *made;
}

ProgramComparison compared(const std::shared_ptr<const Program>& a, const std::shared_ptr<const Program>& b, CompareOptions options = {}) {
    options.check.timeSeconds = 60;
    auto made = comparePrograms(a, b, options);
    if (!made) {
        qFatal("%s", made.error().text().c_str());
    }
    return std::move(*made);
}

std::string line(const ProgramComparison& c) { return verdictLine(c.result); }

/// Elementwise over `A` and `B` into `C`, with the operations of `body(f, a, b)`.
std::shared_ptr<const Program> elementwise(ValueType type, const std::function<Register(FunctionBuilder&, Register, Register)>& body) {
    return program({{"A", vec(type, 4)}, {"B", vec(type, 4)}, {"C", vec(type, 4)}}, [&](ProgramBuilder&, FunctionBuilder& f) {
        const auto loop = f.beginFor(f.index(0), f.index(4), f.index(1), "i");
        const Register a = f.load(0, {loop.variable});
        const Register b = f.load(1, {loop.variable});
        f.store(body(f, a, b), 2, {loop.variable});
        f.endFor(loop);
        f.ret();
    });
}

/// C[i,j] += sum of A[i,k] * B[k,j]; columns up to `columns`; `tiled`: k in the outer loop; `last`: order of the factors.
std::shared_ptr<const Program> product(std::int64_t columns, bool tiled, bool exchanged, bool backwards = false) {
    return program({{"A", {F64, {3, 4}}}, {"B", {F64, {4, 5}}}, {"C", {F64, {3, 5}}}}, [&](ProgramBuilder&, FunctionBuilder& f) {
        const auto inner = [&](Register i, Register j, Register k) {
            const Register row = backwards ? f.binary(Op::SubI, Index, f.index(3), k) : k;
            const Register a = f.load(0, {i, row});
            const Register b = f.load(1, {row, j});
            const Register p = exchanged ? f.binary(Op::MulF, F64, b, a) : f.binary(Op::MulF, F64, a, b);
            f.store(f.binary(Op::AddF, F64, f.load(2, {i, j}), p), 2, {i, j});
        };
        const auto outer = f.beginFor(f.index(0), f.index(tiled ? 4 : 3), f.index(1));
        const auto middle = f.beginFor(f.index(0), f.index(columns), f.index(1));
        const auto last = f.beginFor(f.index(0), f.index(tiled ? 3 : 4), f.index(1));
        if (tiled) {
            inner(last.variable, middle.variable, outer.variable);
        } else {
            inner(outer.variable, middle.variable, last.variable);
        }
        f.endFor(last);
        f.endFor(middle);
        f.endFor(outer);
        f.ret();
    });
}

constexpr std::uint16_t predicate(CmpIPredicate p) { return static_cast<std::uint16_t>(p); }
constexpr std::uint16_t predicate(CmpFPredicate p) { return static_cast<std::uint16_t>(p); }

} // namespace

class TestCompare : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void otherLoopOrderIsIdentical() {
        QCOMPARE(line(compared(product(5, false, false), product(5, true, false))), std::string("proved: identical"));
    }
    void exchangedFactorsAreOpen() { QCOMPARE(line(compared(product(5, false, false), product(5, false, true))), std::string("proved: open")); }
    void otherOrderOfASumIsExact() {
        QCOMPARE(line(compared(product(5, false, false), product(5, false, true, true))), std::string("proved: exact"));
    }

    void aSkippedColumnIsAFamilyWithAWitness() {
        const ProgramComparison c = compared(product(5, false, false), product(4, true, false));
        QCOMPARE(c.result.verdict, Verdict::Refuted);
        QCOMPARE(c.result.kind, std::optional(RefutationKind::Value));
        QCOMPARE(c.outputs[0].families, std::string("C[*,4], 3 of 15 cells"));
        QVERIFY(c.result.counterexample && c.result.counterexample->confirmed);
        QCOMPARE(c.result.counterexample->output, std::string("C"));
        QCOMPARE(c.result.counterexample->index, (std::vector<std::int64_t>{0, 4}));
        // One product is enough to show it.
        int others = 0;
        for (const auto& [name, tensor] : c.result.counterexample->inputs) {
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                others += tensor.toDouble(i) != 0.0 ? 1 : 0;
            }
        }
        QVERIFY2(others >= 1 && others <= 2, qPrintable(QString::number(others)));
        QVERIFY(!c.outputs[0].referenceWrites.empty());
        QVERIFY(c.outputs[0].rewrittenWrites.empty());
        QCOMPARE(c.outputs[0].referenceWrites.back().step.iterations.size(), std::size_t{3});
    }

    void families() {
        QCOMPARE(familyText("C", {4, 6}, {0, 2, 4, 6, 8, 10}), std::string("C[0..1,0..4:2], 6 of 24 cells"));
        QCOMPARE(familyText("C", {2, 2}, {0, 1, 2, 3}), std::string("C[*,*], 4 of 4 cells"));
        QCOMPARE(familyText("C", {3, 3}, {0, 4, 8}), std::string("C[0,0], 1 of 9 cells; C[1,1], 1 of 9 cells; C[2,2], 1 of 9 cells"));
        QCOMPARE(familyText("C", {8}, {0, 1, 2, 4, 6, 7}), std::string("C[{0..2,4,6..7}], 6 of 8 cells"));
        QCOMPARE(familyText("x", {}, {0}), std::string("x"));
    }

    void integerLawsHoldAtTheirWidth() {
        // (a + b) * 3 and 3*a + 3*b, modulo 2^32
        const auto left = elementwise(
            I32, [](FunctionBuilder& f, Register a, Register b) { return f.binary(Op::MulI, I32, f.binary(Op::AddI, I32, a, b), f.number(I32, 3)); });
        const auto right = elementwise(I32, [](FunctionBuilder& f, Register a, Register b) {
            return f.binary(Op::AddI, I32, f.binary(Op::MulI, I32, a, f.number(I32, 3)), f.binary(Op::MulI, I32, f.number(I32, 3), b));
        });
        const ProgramComparison c = compared(left, right);
        QCOMPARE(c.result.verdict, Verdict::Proved);
        QVERIFY(*c.result.strength <= Strength::Exact);
    }

    void digestsInPlaceOfTermsNeedNoMemoryForThem() {
        constexpr std::int64_t Side = 24;
        const auto product = [&](ValueType type, bool otherOrder, bool transposed) {
            const ViewType square{type, {Side, Side}};
            return program({{"A", square}, {"B", square}, {"C", square}}, [&](ProgramBuilder&, FunctionBuilder& f) {
                const auto outer = f.beginFor(f.index(0), f.index(Side), f.index(1), otherOrder ? "k" : "i");
                const auto middle = f.beginFor(f.index(0), f.index(Side), f.index(1), "j");
                const auto last = f.beginFor(f.index(0), f.index(Side), f.index(1), otherOrder ? "i" : "k");
                const Register i = otherOrder ? last.variable : outer.variable;
                const Register k = otherOrder ? outer.variable : last.variable;
                const Register j = middle.variable;
                const Register a = f.load(0, {i, k});
                const Register b = transposed ? f.load(1, {j, k}) : f.load(1, {k, j});
                const Op times = type.isFloat() ? Op::MulF : Op::MulI;
                const Op plus = type.isFloat() ? Op::AddF : Op::AddI;
                const Register p = otherOrder ? f.binary(times, type, b, a) : f.binary(times, type, a, b);
                f.store(f.binary(plus, type, f.load(2, {i, j}), p), 2, {i, j});
                f.endFor(last);
                f.endFor(middle);
                f.endFor(outer);
                f.ret();
            });
        };
        CompareOptions options;
        options.fingerprint = true;
        options.limits.termsKept = 200;
        for (const ValueType type : {F32, I32}) {
            const ProgramComparison same = compared(product(type, false, false), product(type, true, false), options);
            QCOMPARE(line(same), std::string("proved: probable"));
            QVERIFY(same.dag->made() > 2 * Side * Side * Side);
            QVERIFY2(same.dag->size() < 20 * 3 * Side * Side, qPrintable(QString::number(same.dag->size())));
            const ProgramComparison other = compared(product(type, false, false), product(type, false, true), options);
            QCOMPARE(other.result.verdict, Verdict::Refuted);
            QVERIFY(other.result.counterexample && other.result.counterexample->confirmed);
            QVERIFY(other.outputs[0].refuted.size() > 300);
        }
    }

    void withDigestsWhatIsTakenForGrantedIsTold() {
        const auto calls = elementwise(F32, [](FunctionBuilder& f, Register a, Register) { return f.open("call @outside", {F32}, {a}).front(); });
        CompareOptions options;
        options.fingerprint = true;
        for (const CompareOptions& each : {CompareOptions(), options}) {
            const std::vector<Remark> told = compared(calls, calls, each).result.assumptions;
            QVERIFY(std::any_of(told.begin(), told.end(), [](const Remark& remark) { return remark.text.find("@outside") != std::string::npos; }));
        }
    }

    void withDigestsAnIndexFromDataKeepsItsRange() {
        const auto gather = [&](bool otherOrder) {
            return program({{"I", {Index, {50}}}, {"A", vec(F32, 4)}, {"C", vec(F32, 50)}}, [&](ProgramBuilder&, FunctionBuilder& f) {
                const auto loop = f.beginFor(f.index(0), f.index(50), f.index(1), "i");
                const Register at = otherOrder ? f.binary(Op::SubI, Index, f.index(49), loop.variable) : loop.variable;
                const Register wanted = f.load(0, {at});
                const Register inside = f.binary(Op::MinS, Index, f.binary(Op::MaxS, Index, wanted, f.index(0)), f.index(3));
                f.store(f.load(1, {inside}), 2, {at});
                f.endFor(loop);
                f.ret();
            });
        };
        CompareOptions options;
        options.fingerprint = true;
        options.limits.termsKept = 4;
        QCOMPARE(line(compared(gather(false), gather(true), options)), std::string("proved: probable"));
    }

    void withDigestsWhatOnlyRoundsOtherwiseIsNotRefuted() {
        // Many sums of thirds, in two orders: the digests differ, the values do in their last digits.
        const auto sum = [&](bool backwards, bool twice) {
            return program({{"A", vec(F32, 64)}, {"C", vec(F32, 1)}}, [&](ProgramBuilder&, FunctionBuilder& f) {
                const auto loop = f.beginFor(f.index(0), f.index(64), f.index(1), "i");
                const Register at = backwards ? f.binary(Op::SubI, Index, f.index(63), loop.variable) : loop.variable;
                const Register third = f.binary(Op::DivF, F32, f.load(0, {at}), f.number(F32, twice ? 6 : 3));
                f.store(f.binary(Op::AddF, F32, f.load(1, {f.index(0)}), third), 1, {f.index(0)});
                f.endFor(loop);
                f.ret();
            });
        };
        CompareOptions options;
        options.fingerprint = true;
        options.limits.termsKept = 4;
        for (const bool twice : {false, true}) {
            const ProgramComparison c = compared(sum(false, false), sum(true, twice), options);
            QCOMPARE(c.result.verdict, Verdict::Unproved);
            QVERIFY2(c.result.reason.find("operations round") != std::string::npos, c.result.reason.c_str());
        }
    }

    void wideningBeforeOrAfterAnAdditionDiffers() {
        const ValueType i8 = ValueType::integer(8);
        const auto make = [&](bool after) {
            return program({{"A", vec(i8, 2)}, {"C", vec(I32, 1)}}, [&](ProgramBuilder&, FunctionBuilder& f) {
                const Register a = f.load(0, {f.index(0)});
                const Register b = f.load(0, {f.index(1)});
                f.store(after ? f.convert(Op::ExtS, I32, f.binary(Op::AddI, i8, a, b))
                              : f.binary(Op::AddI, I32, f.convert(Op::ExtS, I32, a), f.convert(Op::ExtS, I32, b)),
                        1, {f.index(0)});
                f.ret();
            });
        };
        QCOMPARE(compared(make(false), make(true)).result.verdict, Verdict::Refuted);
        QCOMPARE(line(compared(make(false), make(false))), std::string("proved: identical"));
    }

    void droppedSignednessDiffers_data() {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("second");
        const auto row = [](const char* name, Op a, Op b) { QTest::newRow(name) << static_cast<int>(a) << static_cast<int>(b); };
        row("division", Op::DivS, Op::DivU);
        row("remainder", Op::RemS, Op::RemU);
        row("shift", Op::ShrS, Op::ShrU);
        row("minimum", Op::MinS, Op::MinU);
        row("upper half", Op::MulHighS, Op::MulHighU);
        row("floor division", Op::DivS, Op::FloorDivS);
    }
    void droppedSignednessDiffers() {
        QFETCH(int, first);
        QFETCH(int, second);
        const auto make = [](int op) {
            return elementwise(I32, [op](FunctionBuilder& f, Register a, Register b) {
                // a divisor of 1 to 7, so that no division faults
                const Register d = f.binary(Op::AddI, I32, f.binary(Op::And, I32, b, f.number(I32, 3)), f.number(I32, 2));
                return f.binary(static_cast<Op>(op), I32, a, d);
            });
        };
        const ProgramComparison c = compared(make(first), make(second));
        QVERIFY2(c.result.verdict == Verdict::Refuted, line(c).c_str());
        QVERIFY(c.result.counterexample->confirmed);
    }

    void unsignedAndSignedComparisonsDiffer() {
        const auto make = [](CmpIPredicate p) {
            return elementwise(I64, [p](FunctionBuilder& f, Register a, Register b) {
                return f.convert(Op::ExtU, I64, f.binary(Op::CmpI, I64, a, b, predicate(p)));
            });
        };
        QCOMPARE(compared(make(CmpIPredicate::Slt), make(CmpIPredicate::Ult)).result.verdict, Verdict::Refuted);
        // a - b <=u 0 is not a <=u b
        const auto difference = elementwise(I64, [](FunctionBuilder& f, Register a, Register b) {
            return f.convert(Op::ExtU, I64, f.binary(Op::CmpI, I64, f.binary(Op::SubI, I64, a, b), f.number(I64, 0), predicate(CmpIPredicate::Ule)));
        });
        QCOMPARE(compared(difference, make(CmpIPredicate::Ule)).result.verdict, Verdict::Refuted);
        // a > b is b < a
        const auto swapped = elementwise(I64, [](FunctionBuilder& f, Register a, Register b) {
            return f.convert(Op::ExtU, I64, f.binary(Op::CmpI, I64, b, a, predicate(CmpIPredicate::Sgt)));
        });
        const ProgramComparison c = compared(make(CmpIPredicate::Slt), swapped);
        QCOMPARE(c.result.verdict, Verdict::Proved);
    }

    void orderedAndUnorderedAreNotOneTerm() {
        const auto make = [](CmpFPredicate p) {
            return elementwise(
                F32, [p](FunctionBuilder& f, Register a, Register b) { return f.select(F32, f.binary(Op::CmpF, F32, a, b, predicate(p)), a, b); });
        };
        const ProgramComparison c = compared(make(CmpFPredicate::Olt), make(CmpFPredicate::Ult));
        QVERIFY2(c.result.verdict == Verdict::Proved ? *c.result.strength >= Strength::Exact : c.result.verdict != Verdict::Refuted, line(c).c_str());
        QVERIFY(line(c) != "proved: identical" && line(c) != "proved: open");
        QCOMPARE(compared(make(CmpFPredicate::Olt), make(CmpFPredicate::Oge)).result.verdict, Verdict::Refuted);
    }

    void truncatingDivisionIsNotRounding() {
        const auto left = elementwise(I32, [](FunctionBuilder& f, Register a, Register) {
            return f.binary(Op::DivS, I32, f.binary(Op::AddI, I32, f.binary(Op::MulI, I32, a, f.number(I32, 10)), f.number(I32, 5)),
                            f.number(I32, 10));
        });
        const auto right = elementwise(I32, [](FunctionBuilder&, Register a, Register) { return a; });
        QCOMPARE(compared(left, right).result.verdict, Verdict::Refuted);
    }

    void floatsThatOnlyRoundDifferentlyAreNotRefuted() {
        const auto left =
            elementwise(F32, [](FunctionBuilder& f, Register a, Register b) { return f.binary(Op::AddF, F32, f.binary(Op::AddF, F32, a, b), a); });
        const auto right = elementwise(
            F32, [](FunctionBuilder& f, Register a, Register b) { return f.binary(Op::AddF, F32, f.binary(Op::MulF, F32, a, f.number(F32, 2)), b); });
        QCOMPARE(line(compared(left, right)), std::string("proved: exact"));
        CompareOptions open;
        open.check.wanted = Strength::Open;
        QCOMPARE(compared(left, right, open).result.verdict, Verdict::Unproved);
    }

    void theTableOfAConstantGlobalCounts() {
        const auto make = [](double last) {
            return program({{"x", vec(F32, 3)}}, [&](ProgramBuilder& p, FunctionBuilder& f) {
                const Register w = f.global(p.global({"w", vec(F32, 3), true, true, {bitsOf(F32, 1.5), bitsOf(F32, 2), bitsOf(F32, last)}, 0}));
                const auto loop = f.beginFor(f.index(0), f.index(3), f.index(1));
                f.store(f.binary(Op::MulF, F32, f.load(0, {loop.variable}), f.load(w, {loop.variable})), 0, {loop.variable});
                f.endFor(loop);
                f.ret();
            });
        };
        const ProgramComparison c = compared(make(-0.25), make(0.25));
        QCOMPARE(c.result.verdict, Verdict::Refuted);
        QCOMPARE(c.outputs[0].families, std::string("x[2], 1 of 3 cells"));
    }

    void anAccessOutOfRangeIsNamed() {
        const auto make = [](bool wrong) {
            return program({{"n", {F32, {1, 2}}}, {"g", vec(F32, 1)}},
                           [&](ProgramBuilder&, FunctionBuilder& f) {
                               const Register o = f.alloc({F32, {1, 2}});
                               const auto loop = f.beginFor(f.index(0), f.index(2), f.index(1), "j");
                               const Register a = f.load(0, {f.index(0), loop.variable});
                               const Register g = f.load(1, {wrong ? loop.variable : f.index(0)});
                               f.store(f.binary(Op::MulF, F32, a, g), o, {f.index(0), loop.variable});
                               f.endFor(loop);
                               f.ret({}, {o});
                           },
                           {{F32, {1, 2}}});
        };
        const ProgramComparison c = compared(make(false), make(true));
        QCOMPARE(c.result.kind, std::optional(RefutationKind::OutOfRange));
        QCOMPARE(c.result.fault->buffer, std::string("g"));
        QCOMPARE(c.result.fault->access, std::string("read"));
        QCOMPARE(c.result.fault->index, std::vector<std::int64_t>{1});
        QCOMPARE(compared(make(true), make(false)).result.verdict, Verdict::Undecided); // the reference is undefined
        QVERIFY(line(compared(make(true), make(false))).starts_with("undecided: reference undefined"));
    }

    void anIndexFromDataThatOnlyTheRewrittenSideMisusesIsFound() {
        const auto make = [](bool twice) {
            return program({{"c", vec(F32, 4)}, {"k", {F32, {2, 2}}}, {"slot", vec(I64, 2)}}, [&](ProgramBuilder&, FunctionBuilder& f) {
                const auto r = f.beginFor(f.index(0), f.index(2), f.index(1), "r");
                const auto j = f.beginFor(f.index(0), f.index(2), f.index(1), "j");
                const Register v = f.load(1, {r.variable, j.variable});
                const Register slot = f.convert(Op::IndexCastS, Index, f.load(2, {r.variable}));
                Register at = f.binary(Op::AddI, Index, f.binary(Op::MulI, Index, slot, f.index(2)), j.variable);
                if (twice) {
                    at = f.binary(Op::AddI, Index, at, f.binary(Op::MulI, Index, r.variable, f.index(2)));
                }
                f.store(v, 0, {at});
                f.endFor(j);
                f.endFor(r);
                f.ret();
            });
        };
        const ProgramComparison same = compared(make(false), make(false));
        QVERIFY2(same.result.verdict == Verdict::Proved, line(same).c_str());
        const ProgramComparison c = compared(make(false), make(true));
        QVERIFY2(c.result.verdict == Verdict::Refuted, line(c).c_str());
        QCOMPARE(c.result.kind, std::optional(RefutationKind::OutOfRange));
        QCOMPARE(c.result.fault->access, std::string("write"));
        QCOMPARE(c.result.fault->buffer, std::string("c"));
        QVERIFY(c.result.fault->index[0] >= 4);
    }

    void aReadOfWhatNobodyWroteUnderAConditionIsFound() {
        const auto make = [](bool writes) {
            return program({{"f", vec(Bit, 1)}, {"p", vec(I32, 2)}}, [&](ProgramBuilder&, FunctionBuilder& f) {
                const Register b = f.alloc(vec(I32, 2));
                f.nameView(b, "b");
                const Register t = f.alloc(vec(I32, 2));
                f.store(f.number(I32, 7), writes ? b : t, {f.index(0)});
                const Label yes = f.label(), meet = f.label();
                f.branch(f.load(0, {f.index(0)}), yes, meet);
                f.bind(yes);
                f.store(f.load(b, {f.index(0)}), 1, {f.index(0)});
                f.jump(meet);
                f.bind(meet);
                f.ret();
            });
        };
        const ProgramComparison c = compared(make(true), make(false));
        QVERIFY2(c.result.verdict == Verdict::Refuted, line(c).c_str());
        QCOMPARE(c.result.kind, std::optional(RefutationKind::Uninitialised));
        QCOMPARE(c.result.fault->buffer, std::string("b"));
        QCOMPARE(line(compared(make(true), make(true))), std::string("proved: identical"));
    }

    void aResultThatIsNotWrittenIsUninitialised() {
        const auto make = [](std::int64_t upper) {
            return program({{"x", vec(F32, 4)}},
                           [&](ProgramBuilder&, FunctionBuilder& f) {
                               const Register o = f.alloc(vec(F32, 4));
                               const auto loop = f.beginFor(f.index(0), f.index(upper), f.index(1));
                               f.store(f.load(0, {loop.variable}), o, {loop.variable});
                               f.endFor(loop);
                               f.ret({}, {o});
                           },
                           {vec(F32, 4)});
        };
        const ProgramComparison c = compared(make(4), make(3));
        QCOMPARE(c.result.kind, std::optional(RefutationKind::Uninitialised));
        QCOMPARE(c.result.fault->index, std::vector<std::int64_t>{3});
        QCOMPARE(compared(make(3), make(4)).result.verdict, Verdict::Proved); // the reference leaves it open
    }

    void unknownExtentsAreTheReferences() {
        const auto make = [](std::int64_t upper) {
            return program({{"A", {F64, {Dynamic, 2}}}}, [&](ProgramBuilder&, FunctionBuilder& f) {
                const auto loop = f.beginFor(f.index(0), f.index(upper), f.index(1), "i");
                f.store(f.binary(Op::AddF, F64, f.load(0, {loop.variable, f.index(1)}), f.number(F64, 1)), 0, {loop.variable, f.index(1)});
                f.endFor(loop);
                f.ret();
            });
        };
        QCOMPARE(line(compared(make(5), make(5))), std::string("proved: identical"));
        const ProgramComparison c = compared(make(5), make(6));
        QCOMPARE(c.result.kind, std::optional(RefutationKind::OutOfRange));
        QCOMPARE(c.result.fault->index, (std::vector<std::int64_t>{5, 1}));
    }

    void ifConvertedCodeIsEqual() {
        const auto make = [](bool branches) {
            return elementwise(I32, [branches](FunctionBuilder& f, Register a, Register b) {
                const Register c = f.binary(Op::CmpI, I32, a, b, predicate(CmpIPredicate::Slt));
                if (!branches) {
                    return f.select(I32, c, f.binary(Op::AddI, I32, a, b), b);
                }
                const Register result = f.scalar(I32);
                const Label yes = f.label(), no = f.label(), meet = f.label();
                f.branch(c, yes, no);
                f.bind(yes);
                f.jump(meet, {{{result, f.binary(Op::AddI, I32, a, b)}}, {}});
                f.bind(no);
                f.jump(meet, {{{result, b}}, {}});
                f.bind(meet);
                return result;
            });
        };
        QCOMPARE(line(compared(make(false), make(true))), std::string("proved: identical"));
    }

    void theGuardOfADivisionCounts() {
        // the reference divides only where b is not 0
        const auto make = [](bool guarded) {
            return elementwise(I32, [guarded](FunctionBuilder& f, Register a, Register b) {
                const Register result = f.scalar(I32);
                const Label yes = f.label(), no = f.label(), meet = f.label();
                const Register zero = f.number(I32, 0);
                if (!guarded) {
                    const Register q = f.binary(Op::DivU, I32, a, b);
                    return f.select(I32, f.binary(Op::CmpI, I32, b, zero, predicate(CmpIPredicate::Ne)), q, zero);
                }
                f.branch(f.binary(Op::CmpI, I32, b, zero, predicate(CmpIPredicate::Ne)), yes, no);
                f.bind(yes);
                f.jump(meet, {{{result, f.binary(Op::DivU, I32, a, b)}}, {}});
                f.bind(no);
                f.jump(meet, {{{result, zero}}, {}});
                f.bind(meet);
                return result;
            });
        };
        const ProgramComparison c = compared(make(true), make(false));
        QVERIFY2(c.result.verdict == Verdict::Refuted, line(c).c_str());
        QCOMPARE(c.result.fault->access, std::string("divide"));
        const ProgramComparison same = compared(make(true), make(true));
        QVERIFY2(same.result.verdict == Verdict::Proved, line(same).c_str());
    }

    void argumentsThatAreOneMemoryAreTried() {
        CompareOptions options;
        options.mayAlias = true;
        const auto swapped = [](bool first) {
            return program({{"A", vec(F64, 1)}, {"B", vec(F64, 1)}}, [&](ProgramBuilder&, FunctionBuilder& f) {
                const Register zero = f.index(0);
                const Register early = f.load(0, {zero});
                f.store(f.number(F64, 7), 1, {zero});
                f.store(f.binary(Op::AddF, F64, first ? early : f.load(0, {zero}), f.number(F64, 1)), 1, {zero});
                f.ret();
            });
        };
        QCOMPARE(line(compared(swapped(true), swapped(false))), std::string("proved: identical"));
        QCOMPARE(compared(swapped(true), swapped(true), options).result.verdict, Verdict::Undecided); // parts may overlap
        const ProgramComparison c = compared(swapped(true), swapped(false), options);
        QVERIFY2(c.result.verdict == Verdict::Refuted, line(c).c_str());
        QVERIFY(c.result.reason.starts_with("where 'A' and 'B' are one memory"));
        QVERIFY(c.result.counterexample->confirmed);
    }

    void flagsAgainstOverflowMayGoButNotCome() {
        const auto make = [](std::uint16_t flags) {
            return elementwise(I32, [flags](FunctionBuilder& f, Register a, Register b) { return f.binary(Op::AddI, I32, a, b, flags); });
        };
        QVERIFY2(line(compared(make(NoSignedWrap), make(0))) == "proved: identical", line(compared(make(NoSignedWrap), make(0))).c_str());
        QCOMPARE(line(compared(make(NoSignedWrap), make(NoSignedWrap))), std::string("proved: identical"));
        QCOMPARE(compared(make(0), make(NoSignedWrap)).result.verdict, Verdict::Unproved);
    }

    void openFunctionsProveByTheirOperandsOnly() {
        const auto make = [](const char* name, bool exchanged) {
            return elementwise(F32, [name, exchanged](FunctionBuilder& f, Register a, Register b) {
                return f.open(name, {F32}, exchanged ? std::vector{b, a} : std::vector{a, b}).front();
            });
        };
        QCOMPARE(line(compared(make("foo", false), make("foo", false))), std::string("proved: identical"));
        QCOMPARE(compared(make("foo", false), make("foo", true)).result.verdict, Verdict::Unproved);
        QVERIFY(compared(make("foo", false), make("bar", false)).result.verdict != Verdict::Refuted);
    }

    /// As in the window, where a check may still end while the next one runs. The thread sanitizer runs this (packaging/test).
    void comparisonsAtOnceShareProgramsAndLemmasOnly() {
        const auto sum = elementwise(I32, [](FunctionBuilder& f, Register a, Register b) { return f.binary(Op::AddI, I32, a, b); });
        const auto bits = elementwise(I32, [](FunctionBuilder& f, Register a, Register b) {
            const Register both = f.binary(Op::MulI, I32, f.binary(Op::And, I32, a, b), f.number(I32, 2));
            return f.binary(Op::AddI, I32, f.binary(Op::Xor, I32, a, b), both);
        });
        const std::vector<std::pair<std::shared_ptr<const Program>, std::shared_ptr<const Program>>> pairs{
            {product(5, false, false), product(5, false, true, true)}, {product(5, false, false), product(4, true, false)}, {sum, bits}};
        LemmaMemory memory;
        CheckServices services;
        services.memory = &memory;
        const auto lines = [&] {
            std::string out;
            for (const auto& [reference, rewritten] : pairs) {
                CompareOptions options;
                options.check.timeSeconds = 60;
                const auto made = comparePrograms(reference, rewritten, options, services);
                out += (made ? line(*made) : made.error().text()) + "\n";
            }
            return out;
        };
        const std::string alone = lines();
        QVERIFY2(alone.starts_with("proved: exact\nrefuted: value: C[0,4]"), alone.c_str());
        std::vector<std::string> found(4);
        {
            std::vector<std::jthread> threads;
            for (std::string& one : found) {
                threads.emplace_back([&] { one = lines(); });
            }
        }
        for (const std::string& one : found) {
            QCOMPARE(one, alone);
        }
    }

    void argumentsOfOtherTypesAreAnotherType() {
        const auto a = program({{"x", vec(F32, 4)}}, [](ProgramBuilder&, FunctionBuilder& f) { f.ret(); });
        const auto b = program({{"x", vec(F32, 5)}}, [](ProgramBuilder&, FunctionBuilder& f) { f.ret(); });
        QCOMPARE(compared(a, b).result.kind, std::optional(RefutationKind::Type));
    }

    void scratchIsNotCompared() {
        const auto make = [](double value, Role role) {
            ProgramBuilder p;
            FunctionBuilder& f = p.function("kernel", {}, {vec(F32, 1)});
            p.argument({"t", true, 0, role});
            f.store(f.number(F32, value), 0, {f.index(0)});
            f.ret();
            return *p.finish();
        };
        QCOMPARE(compared(make(1, Role::Scratch), make(2, Role::Scratch)).result.verdict, Verdict::Proved);
        QCOMPARE(compared(make(1, Role::Unmarked), make(2, Role::Unmarked)).result.verdict, Verdict::Refuted);
    }
};

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare.moc"
