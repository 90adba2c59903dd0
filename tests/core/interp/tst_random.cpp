// Random programs: the machine on numbers and on terms against a direct evaluation of the same tree, verdicts on random pairs against
// runs of both, races of random task graphs against reachability.

#include "core/interp/compare.h"
#include "core/interp/term_graph.h"
#include "core/interp/term_values.h"
#include "core/program/builder.h"
#include "core/program/number.h"

#include <QtTest/QTest>

#include <random>

using namespace lemmascope;
using namespace lemmascope::interp;

namespace {

constexpr std::int64_t Size = 4; // cells of either array

/// An expression over `i32`: leaves are constants, the loop variable, or a load from one of two arrays at a masked index.
struct Expression {
    enum class Kind { Number, Variable, Load, Binary, Select } kind = Kind::Number;
    Op op = Op::AddI;
    std::uint32_t number = 0; ///< or array
    std::vector<Expression> parts;
};

/// A statement: a store, a conditional, or a loop of three trips.
struct Statement {
    enum class Kind { Store, If, Loop } kind = Kind::Store;
    std::uint32_t array = 0;
    Expression index, value; ///< value: the condition of an If (not 0)
    std::vector<Statement> first, second;
};

class Generator {
  public:
    explicit Generator(std::uint32_t seed) : m_random(seed) {}
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_random() % n); }

    Expression expression(int depth) {
        Expression e;
        const std::uint32_t what = depth == 0 ? below(3) : below(8);
        if (what == 0) {
            e.number = below(5) == 0 ? static_cast<std::uint32_t>(m_random()) : below(7);
            return e;
        }
        if (what == 1) {
            e.kind = Expression::Kind::Variable;
            return e;
        }
        if (what <= 3) {
            e.kind = Expression::Kind::Load;
            e.number = below(2);
            e.parts.push_back(depth == 0 ? Expression{Expression::Kind::Number, Op::AddI, below(Size), {}} : expression(depth - 1));
            return e;
        }
        if (what == 4) {
            e.kind = Expression::Kind::Select;
            e.parts = {expression(depth - 1), expression(depth - 1), expression(depth - 1)};
            return e;
        }
        static constexpr Op Ops[] = {Op::AddI, Op::SubI, Op::MulI, Op::And, Op::Or,   Op::Xor, Op::MinS,
                                     Op::MaxU, Op::ShrS, Op::ShrU, Op::Shl, Op::DivS, Op::RemU};
        e.kind = Expression::Kind::Binary;
        e.op = Ops[below(std::size(Ops))];
        e.parts = {expression(depth - 1), expression(depth - 1)};
        return e;
    }

    std::vector<Statement> statements(int depth) {
        std::vector<Statement> list;
        const std::uint32_t count = 1 + below(3);
        for (std::uint32_t i = 0; i < count; ++i) {
            Statement s;
            const std::uint32_t what = depth == 0 ? 0 : below(4);
            if (what <= 1) {
                s.array = below(2);
                s.index = expression(1);
                s.value = expression(2);
            } else if (what == 2) {
                s.kind = Statement::Kind::If;
                s.value = expression(1);
                s.first = statements(depth - 1);
                if (below(2) == 0) {
                    s.second = statements(depth - 1);
                }
            } else {
                s.kind = Statement::Kind::Loop;
                s.first = statements(depth - 1);
            }
            list.push_back(std::move(s));
        }
        return list;
    }

    /// One small change somewhere.
    void mutate(std::vector<Statement>& list) {
        Statement& s = list[below(static_cast<std::uint32_t>(list.size()))];
        if (s.kind != Statement::Kind::Store && !s.first.empty() && below(3) != 0) {
            mutate(s.first);
            return;
        }
        Expression* e = &s.value;
        while (!e->parts.empty() && below(2) == 0) {
            e = &e->parts[below(static_cast<std::uint32_t>(e->parts.size()))];
        }
        if (e->kind == Expression::Kind::Binary && below(2) == 0) {
            std::swap(e->parts[0], e->parts[1]);
        } else if (e->kind == Expression::Kind::Number) {
            ++e->number;
        } else {
            *e = expression(1);
        }
    }

  private:
    std::mt19937 m_random;
};

using Arrays = std::array<std::array<std::uint32_t, Size>, 2>;

std::uint32_t value(const Expression& e, const Arrays& arrays, std::uint32_t variable) {
    const auto part = [&](std::size_t i) { return value(e.parts[i], arrays, variable); };
    switch (e.kind) {
    case Expression::Kind::Number: return e.number;
    case Expression::Kind::Variable: return variable;
    case Expression::Kind::Load: return arrays[e.number][part(0) & (Size - 1)];
    case Expression::Kind::Select: return part(0) != 0 ? part(1) : part(2);
    case Expression::Kind::Binary: break;
    }
    const std::uint32_t a = part(0), b = part(1);
    const auto x = static_cast<std::int32_t>(a);
    switch (e.op) {
    case Op::AddI: return a + b;
    case Op::SubI: return a - b;
    case Op::MulI: return a * b;
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::MinS: return static_cast<std::uint32_t>(std::min(x, static_cast<std::int32_t>(b)));
    case Op::MaxU: return std::max(a, b);
    case Op::ShrS: return b >= 32 ? (x < 0 ? 0xFFFFFFFFU : 0) : static_cast<std::uint32_t>(x >> b);
    case Op::ShrU: return b >= 32 ? 0 : a >> b;
    case Op::Shl: return b >= 32 ? 0 : a << b;
    case Op::DivS: return static_cast<std::uint32_t>(x / static_cast<std::int32_t>((b & 7U) + 1)); // divisors of 1 to 8
    default: return a % ((b & 7U) + 1);
    }
}

void obey(const std::vector<Statement>& list, Arrays& arrays, std::uint32_t variable) {
    for (const Statement& s : list) {
        switch (s.kind) {
        case Statement::Kind::Store: {
            const std::uint32_t v = value(s.value, arrays, variable);
            arrays[s.array][value(s.index, arrays, variable) & (Size - 1)] = v;
            break;
        }
        case Statement::Kind::If: obey(value(s.value, arrays, variable) != 0 ? s.first : s.second, arrays, variable); break;
        case Statement::Kind::Loop:
            for (std::uint32_t i = 0; i < 3; ++i) {
                obey(s.first, arrays, i);
            }
            break;
        }
    }
}

struct Emitter {
    FunctionBuilder& f;

    Register expression(const Expression& e, Register variable) {
        switch (e.kind) {
        case Expression::Kind::Number: return f.constant(I32, e.number);
        case Expression::Kind::Variable: return variable;
        case Expression::Kind::Load: return f.load(e.number, {index(e.parts[0], variable)});
        case Expression::Kind::Select: {
            const Register c =
                f.binary(Op::CmpI, I32, expression(e.parts[0], variable), f.constant(I32, 0), static_cast<std::uint16_t>(CmpIPredicate::Ne));
            const Register a = expression(e.parts[1], variable);
            return f.select(I32, c, a, expression(e.parts[2], variable));
        }
        case Expression::Kind::Binary: break;
        }
        const Register a = expression(e.parts[0], variable);
        Register b = expression(e.parts[1], variable);
        if (e.op == Op::DivS || e.op == Op::RemU) {
            b = f.binary(Op::AddI, I32, f.binary(Op::And, I32, b, f.constant(I32, 7)), f.constant(I32, 1));
        }
        return f.binary(e.op, I32, a, b);
    }

    Register index(const Expression& e, Register variable) {
        return f.convert(Op::IndexCastU, Index, f.binary(Op::And, I32, expression(e, variable), f.constant(I32, Size - 1)));
    }

    void statements(const std::vector<Statement>& list, Register variable) {
        for (const Statement& s : list) {
            switch (s.kind) {
            case Statement::Kind::Store: {
                const Register v = expression(s.value, variable);
                f.store(v, s.array, {index(s.index, variable)});
                break;
            }
            case Statement::Kind::If: {
                const Register c =
                    f.binary(Op::CmpI, I32, expression(s.value, variable), f.constant(I32, 0), static_cast<std::uint16_t>(CmpIPredicate::Ne));
                const Label yes = f.label(), no = f.label(), meet = f.label();
                f.branch(c, yes, no);
                f.bind(yes);
                statements(s.first, variable);
                f.jump(meet);
                f.bind(no);
                statements(s.second, variable);
                f.jump(meet);
                f.bind(meet);
                break;
            }
            case Statement::Kind::Loop: {
                const auto loop = f.beginFor(f.constant(I32, 0), f.constant(I32, 3), f.constant(I32, 1), "i", I32);
                statements(s.first, loop.variable);
                f.endFor(loop);
                break;
            }
            }
        }
    }
};

std::shared_ptr<const Program> programOf(const std::vector<Statement>& list) {
    ProgramBuilder p;
    FunctionBuilder& f = p.function("kernel", {}, {{I32, {Size}}, {I32, {Size}}});
    p.argument({"A", true, 0});
    p.argument({"B", true, 1});
    Emitter{f}.statements(list, f.constant(I32, 5));
    f.ret();
    auto made = p.finish();
    if (!made) {
        qFatal("%s", made.error().text().c_str());
    }
    return *made;
}

Arrays inputsOf(std::uint32_t sample) {
    Arrays arrays{};
    for (std::uint32_t a = 0; a < 2; ++a) {
        for (std::uint32_t i = 0; i < Size; ++i) {
            arrays[a][i] = static_cast<std::uint32_t>(sampleBits(a, i, I32, sample));
        }
    }
    return arrays;
}

std::vector<CellValues> cellsOf(const Arrays& arrays) {
    std::vector<CellValues> cells;
    for (const auto& array : arrays) {
        cells.emplace_back(array.begin(), array.end());
    }
    return cells;
}

RunLimits smallLimits() {
    RunLimits limits;
    limits.steps = 200'000;
    limits.bytes = 200'000'000;
    return limits;
}

} // namespace

class TestRandom : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void numbersAndTermsGiveWhatTheTreeGives() {
        int decided = 0;
        std::size_t compared = 0;
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            Generator generator(seed);
            const std::vector<Statement> tree = generator.statements(3);
            const auto program = programOf(tree);
            TermDag dag;
            RunOptions symbolic;
            symbolic.limits = smallLimits();
            const auto terms = run(program, dag, symbolic);
            QVERIFY(terms.has_value());
            QVERIFY2(terms->end == RunResult::End::Finished || terms->end == RunResult::End::Undecided, qPrintable(QString::number(seed)));
            const bool known = terms->end == RunResult::End::Finished;
            decided += known ? 1 : 0;
            std::vector<Term> roots;
            for (std::size_t a = 0; a < 2 && known; ++a) {
                for (const Cell& cell : terms->arguments[a].cells) {
                    roots.push_back(cell.term != NoTerm ? cell.term : dag.constant(I32, cell.bits));
                }
            }
            const std::vector<Term> order = reached(dag, roots, SIZE_MAX);
            for (const std::uint32_t sample : {0U, 3U, 9U, 12U, 13U}) {
                Arrays arrays = inputsOf(sample);
                RunOptions concrete;
                concrete.limits = smallLimits();
                concrete.arguments = cellsOf(arrays);
                TermDag scratch;
                const auto numbers = run(program, scratch, concrete);
                QVERIFY(numbers.has_value());
                QCOMPARE(numbers->end, RunResult::End::Finished);
                const Arrays before = arrays;
                obey(tree, arrays, 5);
                const TermValues values =
                    known ? evaluateTerms(dag, order, [&](Term leaf) { return std::uint64_t{before[dag.node(leaf).a][dag.node(leaf).b]}; })
                          : TermValues{};
                for (std::size_t a = 0; a < 2; ++a) {
                    for (std::size_t i = 0; i < Size; ++i) {
                        QVERIFY2(numbers->arguments[a].cells[i].bits == arrays[a][i], qPrintable(QString::number(seed)));
                        // A shift by the width is undefined: the term is an unknown then.
                        if (known && !values.doubtful[roots[a * Size + i]]) {
                            ++compared;
                            QVERIFY2(values.bits[roots[a * Size + i]] == arrays[a][i], qPrintable(QString::number(seed)));
                        }
                    }
                }
            }
        }
        QVERIFY2(decided > 150, qPrintable(QString::number(decided)));
        QVERIFY2(compared > 5'000, qPrintable(QString::number(compared)));
    }

    void verdictsAgreeWithRuns_data() {
        QTest::addColumn<bool>("digests");
        QTest::newRow("terms") << false;
        QTest::newRow("digests") << true;
    }
    void verdictsAgreeWithRuns() {
        QFETCH(bool, digests);
        int proved = 0;
        int refuted = 0;
        for (std::uint32_t seed = 0; seed < 60; ++seed) {
            Generator generator(1000 + seed);
            const std::vector<Statement> tree = generator.statements(2);
            std::vector<Statement> changed = tree;
            generator.mutate(changed);
            CompareOptions options;
            options.limits = smallLimits();
            options.check.timeSeconds = 2;
            options.check.searchEffort = 1.0;
            options.fingerprint = digests;
            options.limits.termsKept = 8; // whatever is not held goes at nearly every jump
            const auto c = comparePrograms(programOf(tree), programOf(changed), options);
            QVERIFY(c.has_value());
            if (c->result.verdict == Verdict::Proved) {
                ++proved;
                QVERIFY(!digests || (c->result.strength == Strength::Probable && c->result.errorProbability.value_or(1.0) < 1e-20));
                for (std::uint32_t sample = 0; sample < 40; ++sample) {
                    Arrays one = inputsOf(sample), two = one;
                    obey(tree, one, 5);
                    obey(changed, two, 5);
                    QVERIFY2(one == two, qPrintable(QString::number(seed)));
                }
            } else if (c->result.verdict == Verdict::Refuted) {
                ++refuted;
                QVERIFY(c->result.counterexample && c->result.counterexample->confirmed);
                Arrays one{};
                for (std::size_t a = 0; a < 2; ++a) {
                    for (std::size_t i = 0; i < Size; ++i) {
                        one[a][i] = static_cast<std::uint32_t>(c->result.counterexample->inputs[a].second.toInt64(static_cast<std::int64_t>(i)));
                    }
                }
                Arrays two = one;
                obey(tree, one, 5);
                obey(changed, two, 5);
                const std::size_t output = c->result.counterexample->output == "A" ? 0 : 1;
                const auto at = static_cast<std::size_t>(c->result.counterexample->index[0]);
                QVERIFY2(one[output][at] != two[output][at], qPrintable(QString::number(seed)));
            }
        }
        QVERIFY2(proved > 3 && refuted > 15, qPrintable(QStringLiteral("%1 proved, %2 refuted").arg(proved).arg(refuted)));
    }

    void racesAreWhatReachabilitySays() {
        int raced = 0;
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            Generator generator(5000 + seed);
            const std::uint32_t tasks = 2 + generator.below(6);
            struct Made {
                std::vector<std::uint32_t> after;
                std::vector<std::pair<std::uint32_t, bool>> accesses; ///< (cell, writes)
            };
            std::vector<Made> made(tasks);
            std::vector<std::vector<bool>> before(tasks, std::vector<bool>(tasks)); // before[i][j]: j is ordered before i
            ProgramBuilder p;
            std::vector<FunctionBuilder*> bodies;
            for (std::uint32_t t = 0; t < tasks; ++t) {
                for (std::uint32_t other = 0; other < t; ++other) {
                    if (generator.below(3) == 0) {
                        made[t].after.push_back(other);
                        before[t][other] = true;
                        for (std::uint32_t k = 0; k < tasks; ++k) {
                            before[t][k] = before[t][k] || before[other][k];
                        }
                    }
                }
                FunctionBuilder& f = p.function("body", {}, {{I32, {Size}}});
                for (std::uint32_t i = 0; i < 2; ++i) {
                    const std::uint32_t cell = generator.below(Size);
                    const bool writes = generator.below(2) == 0;
                    made[t].accesses.emplace_back(cell, writes);
                    if (writes) {
                        f.store(f.constant(I32, t), 0, {f.index(cell)});
                    } else {
                        (void)f.load(0, {f.index(cell)});
                    }
                }
                f.ret();
                bodies.push_back(&f);
            }
            FunctionBuilder& main = p.function("kernel", {}, {{I32, {Size}}});
            p.argument({"A", true, 0});
            std::vector<Register> handles;
            for (std::uint32_t t = 0; t < tasks; ++t) {
                std::vector<Register> after;
                for (const std::uint32_t other : made[t].after) {
                    after.push_back(handles[other]);
                }
                handles.push_back(main.spawn(*bodies[t], {}, {0}, after));
            }
            for (const Register handle : handles) {
                main.await(handle);
            }
            main.ret();
            const auto program = p.finish(tasks);
            QVERIFY(program.has_value());
            bool conflict = false;
            for (std::uint32_t t = 0; t < tasks; ++t) {
                for (std::uint32_t other = 0; other < t; ++other) {
                    for (const auto& [cell, writes] : made[t].accesses) {
                        for (const auto& [otherCell, otherWrites] : made[other].accesses) {
                            conflict = conflict || (!before[t][other] && cell == otherCell && (writes || otherWrites));
                        }
                    }
                }
            }
            TermDag dag;
            const auto r = run(*program, dag, {});
            QVERIFY(r.has_value());
            QVERIFY2((r->end == RunResult::End::Raced) == conflict, qPrintable(QString::number(seed)));
            if (conflict) {
                ++raced;
                const auto c = comparePrograms(*program, *program, {});
                QVERIFY(c.has_value());
                QCOMPARE(c->result.verdict, Verdict::Undecided);                                            // the reference races
                QVERIFY2(c->result.reason.find(" first: ") != std::string::npos, c->result.reason.c_str()); // both orders were run
            }
        }
        QVERIFY(raced > 40 && raced < 190);
    }
};

QTEST_APPLESS_MAIN(TestRandom)
#include "tst_random.moc"
