// Enclosures: scalar functions against sampled points, whole random graphs against their results in declared types and in
// double, and what widening, casts and undecided values do.

#include "core/eval/interval_math.h"
#include "node_text.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace lemmascope;
using namespace lemmascope::eval_test;

namespace {

using E = ElementType;
using Unary = Interval (*)(const Interval&);
using Real = long double (*)(long double);

std::string text(const Interval& x) {
    char buffer[96];
    std::snprintf(buffer, sizeof buffer, "[%.17g, %.17g]%s", x.lo, x.hi, x.mayBeUndefined ? "?" : "");
    return buffer;
}

/// Enclosure of output 0 of a one-node graph whose operands are given as intervals (of type f32 unless told).
std::vector<Interval> enclosed(const std::string& node, const std::vector<IntervalTensor>& operands, bool widened = false) {
    const OneNode one = nodeOf(node);
    EvaluateOptions options;
    options.arithmetic = Arithmetic::Enclosure;
    const GraphTree tree = GraphTree::build(one.graph).value();
    if (widened) {
        options.widening.nodes = {true};
    }
    for (std::size_t k = 0; k < operands.size(); ++k) {
        options.givenEnclosures[FlatValueId(one.graph->inputs[k].index)] = operands[k];
    }
    const Result<Evaluation> run = evaluate(tree, one.inputs, options);
    const auto& result = run.value().enclosures[one.graph->outputs[0].index];
    return result ? result->elements : std::vector<Interval>{};
}

IntervalTensor scalar(double lo, double hi, E type = E::F32) { return {type, {1}, {{lo, hi, false}}}; }

} // namespace

class EvalEnclosureTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void functionsHoldTheirValues_data() {
        QTest::addColumn<int>("which");
        for (int k = 0; k < 20; ++k) {
            QTest::newRow(std::to_string(k).c_str()) << k;
        }
    }
    void functionsHoldTheirValues() {
        static const std::vector<std::pair<Unary, Real>> Functions{
            {interval::exp, std::exp},     {interval::log, std::log},
            {interval::log1p, std::log1p}, {interval::erf, std::erf},
            {interval::tanh, std::tanh},   {interval::sin, std::sin},
            {interval::cos, std::cos},     {interval::tan, std::tan},
            {interval::asin, std::asin},   {interval::acos, std::acos},
            {interval::atan, std::atan},   {interval::sinh, std::sinh},
            {interval::cosh, std::cosh},   {interval::asinh, std::asinh},
            {interval::acosh, std::acosh}, {interval::atanh, std::atanh},
            {interval::sqrt, std::sqrt},   {interval::square, [](long double x) { return x * x; }},
            {interval::floor, std::floor}, {interval::roundEven, std::nearbyint}};
        QFETCH(int, which);
        const auto [enclosure, real] = Functions.at(static_cast<std::size_t>(which));
        std::mt19937_64 random(static_cast<std::uint64_t>(which));
        std::uniform_real_distribution<double> unit(0.0, 1.0);
        for (int trial = 0; trial < 20'000; ++trial) {
            const double scale = std::pow(10.0, unit(random) * 8.0 - 5.0);
            const double a = (unit(random) * 2.0 - 1.0) * scale;
            const double b = trial % 4 == 0 ? a : a + unit(random) * scale * (trial % 3 == 0 ? 1e-12 : 1.0);
            const Interval x{a, b, false};
            const Interval y = enclosure(x);
            for (int k = 0; k < 4; ++k) {
                const double point = k == 0 ? a : k == 1 ? b : std::min(b, a + (b - a) * unit(random));
                const long double value = real(static_cast<long double>(point));
                if (std::isnan(value)) {
                    QVERIFY2(y.mayBeUndefined, text(x).c_str());
                } else if (std::isfinite(value)) {
                    QVERIFY2(static_cast<long double>(y.lo) <= value && value <= static_cast<long double>(y.hi),
                             (text(x) + " -> " + text(y)).c_str());
                }
            }
        }
    }

    void arithmeticHoldsExactResults() {
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> unit(-1.0, 1.0);
        for (int trial = 0; trial < 50'000; ++trial) {
            const auto pick = [&] {
                const double lo = unit(random) * std::pow(10.0, unit(random) * 6.0);
                return Interval{lo, lo + std::fabs(unit(random)) * (trial % 2 == 0 ? 0.0 : 1.0), false};
            };
            const Interval a = pick();
            const Interval b = pick();
            const auto inside = [&](const Interval& x) { return x.lo + (x.hi - x.lo) * std::fabs(unit(random)); };
            const double p = std::clamp(inside(a), a.lo, a.hi);
            const double q = std::clamp(inside(b), b.lo, b.hi);
            const auto holds = [](const Interval& x, long double v) {
                return static_cast<long double>(x.lo) <= v && v <= static_cast<long double>(x.hi);
            };
            // long double has 64 digits: sums of comparable doubles and all of these products to within its own half ulp
            const long double P = p;
            const long double Q = q;
            QVERIFY(holds(interval::add(a, b), static_cast<long double>(static_cast<double>(P + Q)) == P + Q ? P + Q : P + Q));
            QVERIFY(holds(interval::sub(a, b), P - Q));
            QVERIFY(holds(interval::mul(a, b), P * Q));
            if (q != 0.0) {
                const Interval quotient = interval::div(a, b);
                QVERIFY(holds(quotient, P / Q));
                QVERIFY(quotient.mayBeUndefined == (b.lo <= 0.0 && b.hi >= 0.0));
            }
            const Interval power = interval::pow(interval::abs(a), b);
            const long double expected = std::pow(std::fabs(P), Q);
            QVERIFY2(!std::isfinite(expected) || expected > 1e300L || expected < 1e-300L || holds(power, expected),
                     (text(a) + "^" + text(b) + " = " + text(power)).c_str());
        }
    }

    void exactResultsStayPoints() {
        const Interval third = interval::div(interval::point(1.0), interval::point(3.0));
        QVERIFY(third.lo < third.hi);
        QCOMPARE(interval::add(interval::point(1.0), interval::point(2.0)), interval::point(3.0));
        QCOMPARE(interval::mul(interval::point(0.5), interval::point(3.0)), interval::point(1.5));
        QCOMPARE(interval::div(interval::point(5.0), interval::point(2.0)), interval::point(2.5));
        QCOMPARE(interval::sqrt(interval::point(9.0)), interval::point(3.0));
        QCOMPARE(enclosed("MatMul@13; f32[1,2] 3 4; f32[2,1] 0.5 2", {}), std::vector<Interval>{interval::point(9.5)});
    }

    void undefinednessIsTold() {
        QVERIFY(interval::div(interval::point(1.0), interval::point(0.0)).isUndefined());
        QVERIFY(interval::sqrt(interval::point(-1.0)).isUndefined());
        QVERIFY(interval::log(interval::point(0.0)).isUndefined());
        QVERIFY(interval::pow(interval::point(0.0), interval::point(-1.0)).isUndefined());
        const Interval half = interval::sqrt({-1.0, 4.0, false});
        QCOMPARE(half, (Interval{0.0, 2.0, true}));
        const Interval quotient = interval::div({1.0, 1.0, false}, {0.0, 2.0, false});
        QCOMPARE(quotient, (Interval{0.5, interval::Infinity, true}));
        QVERIFY(interval::mul(interval::undefined(), interval::point(0.0)).isUndefined()); // a zero factor does not hide it
        QVERIFY(interval::max(interval::undefined(), interval::point(0.0)).isUndefined());
    }

    void oneOperandTwiceIsTighter() {
        QCOMPARE(enclosed("Mul@14; f32[1] 0; =0", {scalar(-2.0, 3.0)}), (std::vector<Interval>{{0.0, 9.0, false}}));
        QCOMPARE(enclosed("Sub@14; f32[1] 0; =0", {scalar(-2.0, 3.0)}), (std::vector<Interval>{{0.0, 0.0, false}}));
        QCOMPARE(enclosed("Div@14; f32[1] 0; =0", {scalar(2.0, 3.0)}), (std::vector<Interval>{{1.0, 1.0, false}}));
    }

    void undecidedComparisonsTakeTheHull() {
        QCOMPARE(enclosed("Less@13; f32[1] 0; f32[1] 0", {scalar(0.0, 2.0), scalar(1.0, 1.0)}), (std::vector<Interval>{{0.0, 1.0, false}}));
        QCOMPARE(enclosed("Less@13; f32[1] 0; f32[1] 0", {scalar(0.0, 0.5), scalar(1.0, 1.0)}), (std::vector<Interval>{{1.0, 1.0, false}}));
        QCOMPARE(enclosed("Where@16; bool[1] 0; f32[1] 0; f32[1] 0", {scalar(0.0, 1.0, E::Bool), scalar(1.0, 2.0), scalar(5.0, 6.0)}),
                 (std::vector<Interval>{{1.0, 6.0, false}}));
        // 0 and 2 may be largest; with the third apart from the others it is decided
        QCOMPARE(enclosed("ArgMax@13; f32[3] 0 0 0", {{E::F32, {3}, {{1.0, 2.0, false}, {0.0, 0.5, false}, {1.5, 3.0, false}}}}),
                 (std::vector<Interval>{{0.0, 2.0, false}}));
        QCOMPARE(enclosed("ArgMax@13; f32[3] 0 0 0", {{E::F32, {3}, {{1.0, 2.0, false}, {0.0, 0.5, false}, {2.5, 3.0, false}}}}),
                 (std::vector<Interval>{{2.0, 2.0, false}}));
        QCOMPARE(enclosed("Gather@13; f32[3] 1 5 2; i64[1] 0",
                          {{E::F32, {3}, {interval::point(1.0), interval::point(5.0), interval::point(2.0)}}, scalar(1.0, 2.0, E::I64)}),
                 (std::vector<Interval>{{2.0, 5.0, false}}));
    }

    void undecidedIntegersWrapToTheWholeType() {
        QCOMPARE(enclosed("Add@14; i8[1] 0; i8[1] 100", {scalar(20.0, 27.0, E::I8)}), (std::vector<Interval>{{120.0, 127.0, false}}));
        QCOMPARE(enclosed("Add@14; i8[1] 0; i8[1] 100", {scalar(20.0, 28.0, E::I8)}), (std::vector<Interval>{{-128.0, 127.0, false}}));
        QCOMPARE(enclosed("Div@14; i32[1] 0; i32[1] 2", {scalar(-7.0, 7.0, E::I32)}), (std::vector<Interval>{{-3.0, 3.0, false}}));
        QCOMPARE(enclosed("Cast@13 to=i32; f32[1] 0", {scalar(-1.5, 2.5)}), (std::vector<Interval>{{-1.0, 2.0, false}}));
        QCOMPARE(enclosed("QuantizeLinear@13; f32[1] 0; f32[] 1; u8[] 0", {scalar(2.5, 300.0)}), (std::vector<Interval>{{2.0, 255.0, false}}));
    }

    void castsReadWhatTheTypeHolds() {
        // x -> f16 -> f32 reads the rounding: apart from x itself.
        Graph graph;
        Value in{.name = "x"};
        in.type.element = E::F32;
        const ValueId x = graph.addValue(in);
        graph.inputs = {x};
        const ValueId half = graph.addValue(Value{.name = "half"});
        const ValueId moved = graph.addValue(Value{.name = "moved"});
        const ValueId back = graph.addValue(Value{.name = "back"});
        graph.addNode(Node{.op = {"", "Cast", 13}, .operands = {x}, .results = {half}, .attributes = {{"to", std::string("f16")}}});
        graph.addNode(Node{.op = {"", "Transpose", 13}, .operands = {half}, .results = {moved}});
        graph.addNode(Node{.op = {"", "Cast", 13}, .operands = {moved}, .results = {back}, .attributes = {{"to", std::string("f32")}}});
        graph.outputs = {back};
        const GraphTree tree = GraphTree::build(std::make_shared<const Graph>(graph)).value();
        EvaluateOptions options;
        options.arithmetic = Arithmetic::Enclosure;
        const Result<Evaluation> run = evaluate(tree, {tensorOf("f32[1] 0.1")}, options);
        const double rounded = static_cast<double>(halfToFloat(doubleToHalf(static_cast<double>(0.1F))));
        const Interval narrow = run->enclosures[half.index]->elements[0];
        QCOMPARE(narrow, (Interval{std::min(rounded, static_cast<double>(0.1F)), std::max(rounded, static_cast<double>(0.1F)), false}));
        QCOMPARE(run->enclosures[back.index]->elements[0], interval::point(rounded));
    }

    void wideningChargesTheDeclaredType() {
        const Interval sum = enclosed("Add@14; f32[1] 1; f32[1] 2", {}, true)[0];
        QVERIFY(sum.lo < 3.0 - 2.9 * 0x1p-24 && sum.lo > 3.0 - 3.2 * 0x1p-24 && sum.hi > 3.0 + 2.9 * 0x1p-24);
        // a sum of n terms is charged n times on the sum of magnitudes, whatever cancels
        const Interval cancelled = enclosed("ReduceSum@13; f32[4] 1 -1 1 -1", {}, true)[0];
        QVERIFY(cancelled.hi >= 15.9 * 0x1p-24 && cancelled.hi < 17.0 * 0x1p-24);
        for (const char* exact : {"Neg@13; f32[1] -3", "Relu@14; f32[1] 3", "Max@13; f32[1] 3; f32[1] 1", "Identity@14; f32[1] 3",
                                  "Abs@13; f32[1] -3", "Clip@13; f32[1] 5; f32[] 0; f32[] 3", "Floor@13; f32[1] 3.5", "Cast@13 to=f32; i32[1] 3"}) {
            QCOMPARE(enclosed(exact, {}, true), std::vector<Interval>{interval::point(3.0)});
        }
    }

    void constantsWiden() {
        Graph graph;
        const ValueId c = graph.addValue(Value{.name = "c", .constant = tensorOf("f32[2] 0 1")});
        const ValueId y = graph.addValue(Value{.name = "y"});
        graph.addNode(Node{.op = {"", "Identity", 14}, .operands = {c}, .results = {y}});
        graph.outputs = {y};
        const GraphTree tree = GraphTree::build(std::make_shared<const Graph>(graph)).value();
        EvaluateOptions options;
        options.arithmetic = Arithmetic::Enclosure;
        options.widening.constants = {true, false};
        const Result<Evaluation> run = evaluate(tree, {}, options);
        const std::vector<Interval>& bounds = run->enclosures[y.index]->elements;
        QCOMPARE(bounds[0], interval::point(0.0));
        QVERIFY(bounds[1].lo <= 1.0 - 0x1p-24 && bounds[1].hi >= 1.0 + 0x1p-24 && bounds[1].hi < 1.0 + 0x1p-22);
    }

    void softmaxOfApartLogitsIsTight() {
        const std::vector<Interval> y =
            enclosed("Softmax@13; f32[3] 0 0 0", {{E::F32, {3}, {{0.0, 0.1, false}, {1.0, 1.1, false}, {50.0, 50.1, false}}}});
        QVERIFY(y[2].lo > 1.0 - 1e-20 - 1e-15 && y[2].hi <= 1.0 && y[0].lo > 0.0);
        const double first = 1.0 / (1.0 + std::exp(1.1) + std::exp(50.1));
        QVERIFY(std::fabs(y[0].lo / first - 1.0) < 1e-12);
    }

    void randomGraphsLieWithin_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 300; ++seed) {
            QTest::newRow(std::to_string(seed).c_str()) << seed;
        }
    }
    void randomGraphsLieWithin() {
        QFETCH(int, seed);
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        Graph graph;
        std::vector<ValueId> values;
        std::vector<std::optional<Tensor>> inputs;
        const E type = seed % 3 == 0 ? E::F16 : seed % 3 == 1 ? E::F32 : E::F64;
        std::normal_distribution<double> normal(0.0, std::array{1.0, 4.0, 30.0, 0.01}[below(4)]);
        for (int k = 0; k < 3; ++k) {
            std::string words = std::string(name(type)) + "[3,3]";
            for (int i = 0; i < 9; ++i) {
                words += " " + std::to_string(below(8) == 0 ? std::round(normal(random)) : normal(random));
            }
            inputs.emplace_back(tensorOf(words));
            Value value{.name = "x" + std::to_string(k)};
            value.type = TensorType{type, Shape{Dim(3), Dim(3)}};
            values.push_back(graph.addValue(value));
            graph.inputs.push_back(values.back());
        }
        static const std::vector<std::string> One{"Neg",
                                                  "Abs",
                                                  "Relu",
                                                  "Exp",
                                                  "Sqrt",
                                                  "Sigmoid",
                                                  "Tanh",
                                                  "Erf",
                                                  "Softmax",
                                                  "LogSoftmax",
                                                  "Transpose",
                                                  "Sin",
                                                  "Cos",
                                                  "Reciprocal",
                                                  "HardSwish",
                                                  "Elu",
                                                  "Selu",
                                                  "Softplus",
                                                  "Softsign",
                                                  "LeakyRelu",
                                                  "Gelu",
                                                  "Mish",
                                                  "Log",
                                                  "Floor",
                                                  "ReduceMean",
                                                  "ReduceSum",
                                                  "ReduceL2",
                                                  "ReduceMax",
                                                  "ReduceLogSumExp",
                                                  "CumSum",
                                                  "LpNormalization",
                                                  "Identity"};
        static const std::vector<std::string> Two{"Add", "Sub",   "Mul", "Div",  "MatMul", "Max",    "Min",
                                                  "Pow", "PRelu", "Sum", "Mean", "Gemm",   "Einsum", "LayerNormalization"};
        for (int k = 0; k < 8; ++k) {
            Node node;
            node.operands = {values[below(values.size())]};
            if (below(2) == 0) {
                node.op = {"", One[below(One.size())], 20};
                if (node.op.name == "CumSum") {
                    Value axis{.name = "axis" + std::to_string(k), .constant = tensorOf("i64[] 1")};
                    node.operands.push_back(graph.addValue(axis));
                }
            } else {
                node.op = {"", Two[below(Two.size())], 20};
                node.operands.push_back(values[below(values.size())]);
                if (node.op.name == "Einsum") {
                    node.attributes["equation"] = std::string("ij,kj->ik");
                }
                if (node.op.name == "PRelu" || node.op.name == "LayerNormalization") {
                    node.operands[1] = graph.inputs[0]; // of the right shape, whatever the values became
                }
            }
            if (node.op.name == "Floor" || (node.op.name == "Pow" && below(2) == 0)) {
                continue; // a step between nearly equal numbers is a caveat, not an error (resources/docs/decisions/numbers.md)
            }
            node.results = {graph.addValue(Value{.name = node.op.name + std::to_string(k)})};
            values.push_back(node.results[0]);
            graph.addNode(node);
        }
        graph.outputs = {values.back()};
        const GraphTree tree = GraphTree::build(std::make_shared<const Graph>(graph)).value();
        const std::string complaint = enclosureComplaint(tree, inputs);
        QVERIFY2(complaint.empty(), complaint.c_str());
    }
};

QTEST_APPLESS_MAIN(EvalEnclosureTest)
#include "tst_eval_enclosure.moc"
