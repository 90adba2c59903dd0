// Conditions on the values that a failing pair reads, and on lengths. Tests: tests/core/prove/tst_condition.cpp.

#include "core/prove/condition_candidates.h"

#include "core/prove/candidates.h"
#include "core/prove/facts.h"

#include <algorithm>
#include <limits>
#include <set>

namespace lemmascope {

namespace {

constexpr std::int64_t PrefixVersion = 17; ///< of the operators that compute a source
constexpr std::int64_t LargestFilled = 65'536;
constexpr std::size_t MostSources = 12;

/// One graph whose sources are computed by nodes put in front.
class Prefix {
  public:
    explicit Prefix(Graph& graph) : m_graph(graph) {}

    /// Takes the source out of the inputs (or makes a constant none) and puts a free input in its place.
    ValueId freed(ValueId source, const TensorType& type) {
        Value& value = m_graph.values.at(source.index);
        Value input;
        input.name = value.name + "#free";
        input.type = type;
        value.constant.reset();
        value.range.reset();
        const ValueId id = m_graph.addValue(std::move(input));
        const auto at = std::find(m_graph.inputs.begin(), m_graph.inputs.end(), source);
        if (at != m_graph.inputs.end()) {
            *at = id;
        } else {
            m_graph.inputs.push_back(id);
        }
        return id;
    }
    ValueId input(const std::string& name, const TensorType& type) {
        Value value;
        value.name = name;
        value.type = type;
        m_graph.inputs.push_back(m_graph.addValue(std::move(value)));
        return m_graph.inputs.back();
    }
    [[nodiscard]] const std::string& name(ValueId value) const { return m_graph.value(value).name; }
    ValueId constant(Tensor tensor) {
        Value value;
        value.type.element = tensor.element();
        value.type.shape = Shape(tensor.shape().begin(), tensor.shape().end());
        value.constant = std::move(tensor);
        value.name = "#c" + std::to_string(m_graph.values.size());
        return m_graph.addValue(std::move(value));
    }
    ValueId apply(const std::string& op, const std::vector<ValueId>& operands) {
        Value value;
        value.name = "#v" + std::to_string(m_graph.values.size());
        const ValueId id = m_graph.addValue(std::move(value));
        put(op, operands, id);
        return id;
    }
    void put(const std::string& op, const std::vector<ValueId>& operands, ValueId result) {
        Node node;
        node.op = OpId{"", op, PrefixVersion};
        node.operands = operands;
        node.results = {result};
        m_nodes.push_back(std::move(node));
    }
    ~Prefix() {
        std::vector<Node> nodes = std::move(m_nodes);
        std::move(m_graph.nodes.begin(), m_graph.nodes.end(), std::back_inserter(nodes));
        m_graph.nodes.clear();
        for (Node& node : nodes) {
            m_graph.addNode(std::move(node));
        }
    }
    Prefix(const Prefix&) = delete;
    Prefix& operator=(const Prefix&) = delete;

  private:
    Graph& m_graph;
    std::vector<Node> m_nodes;
};

std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t k = 0; k < names.size(); ++k) {
        out += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
    }
    return out;
}

template <typename Test>
bool everyElement(const Tensor& tensor, Test test) {
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        if (!test(tensor.toDouble(i))) {
            return false;
        }
    }
    return true;
}

class Maker {
  public:
    Maker(const CutPair& pair, const std::map<std::string, IntegerRange>& symbols, const std::vector<double>& factors, std::size_t most)
        : m(pair), m_symbols(symbols), m_factors(factors), m_most(most) {}
    std::vector<ConditionCandidate> run();

  private:
    const CutPair& m;
    const std::map<std::string, IntegerRange>& m_symbols;
    const std::vector<double>& m_factors;
    std::size_t m_most;
    std::vector<ConditionCandidate> m_out;
    std::vector<std::size_t> m_floats;
    std::vector<std::size_t> m_integers; ///< inputs

    void push(ConditionCandidate candidate) {
        if (m_out.size() < m_most) {
            m_out.push_back(std::move(candidate));
        }
    }
    enum class Sign : std::uint8_t { NotZero, NotNegative, NotPositive, Positive };
    static void restrict(Prefix& prefix, ValueId source, const TensorType& type, Sign sign);
    void signs(Sign sign, const std::vector<std::vector<std::size_t>>& groups);
    void orders();
    void equalPairs();
    void uniform(bool data);
    void fixed(double number, bool data);
    [[nodiscard]] bool isData(std::size_t source) const;
    void lengths(bool toOne);
    void ranges();
    void booleans();
};

void Maker::restrict(Prefix& prefix, ValueId source, const TensorType& type, Sign sign) {
    const ValueId free = prefix.freed(source, type);
    switch (sign) {
    case Sign::NotNegative: prefix.put("Abs", {free}, source); break;
    case Sign::NotPositive: prefix.put("Neg", {prefix.apply("Abs", {free})}, source); break;
    case Sign::Positive: prefix.put("Exp", {free}, source); break;
    case Sign::NotZero: {
        TensorType choice = type;
        choice.element = ElementType::Bool;
        const ValueId positive = prefix.apply("Exp", {free});
        const ValueId negative = prefix.apply("Neg", {positive});
        prefix.put("Where", {prefix.input(prefix.name(source) + "#sign", choice), positive, negative}, source);
        break;
    }
    }
}

void Maker::signs(Sign sign, const std::vector<std::vector<std::size_t>>& groups) {
    static const std::map<Sign, const char*> Words{
        {Sign::NotZero, " is 0"}, {Sign::NotNegative, " is >= 0"}, {Sign::NotPositive, " is <= 0"}, {Sign::Positive, " is > 0"}};
    for (const std::vector<std::size_t>& group : groups) {
        std::vector<std::string> names;
        for (const std::size_t s : group) {
            names.push_back(m.sources[s].name);
        }
        ConditionCandidate candidate;
        candidate.text = (sign == Sign::NotZero ? "no element of " : "every element of ") + listed(names) + Words.at(sign);
        candidate.sources = group;
        const CutPair* pair = &m;
        candidate.apply = [pair, group, sign](Graph& reference, Graph& rewritten) {
            Prefix first(reference);
            Prefix second(rewritten);
            for (const std::size_t s : group) {
                const CutSource& source = pair->sources[s];
                restrict(first, source.reference, source.type, sign);
                restrict(second, source.rewritten, source.type, sign);
            }
            return true;
        };
        candidate.holds = [sign](const std::vector<Tensor>& values) {
            return std::all_of(values.begin(), values.end(), [sign](const Tensor& tensor) {
                return everyElement(tensor, [sign](double x) {
                    return sign == Sign::NotZero ? x != 0 : sign == Sign::NotNegative ? x >= 0 : sign == Sign::NotPositive ? x <= 0 : x > 0;
                });
            });
        };
        push(std::move(candidate));
    }
}

void Maker::orders() {
    for (const std::size_t low : m_floats) {
        for (const std::size_t high : m_floats) {
            const CutSource& a = m.sources[low];
            const CutSource& b = m.sources[high];
            if (low == high || !(a.type == b.type)) {
                continue;
            }
            ConditionCandidate candidate;
            const bool scalar = a.type.shape->empty();
            candidate.text = scalar ? a.name + " <= " + b.name : "every element of " + a.name + " is <= that of " + b.name;
            candidate.sources = {low, high};
            const CutPair* pair = &m;
            candidate.apply = [pair, low, high](Graph& reference, Graph& rewritten) {
                for (const bool mine : {true, false}) {
                    Prefix prefix(mine ? reference : rewritten);
                    const CutSource& one = pair->sources[low];
                    const CutSource& other = pair->sources[high];
                    const ValueId target = mine ? other.reference : other.rewritten;
                    const ValueId above = prefix.apply("Abs", {prefix.freed(target, other.type)});
                    prefix.put("Add", {mine ? one.reference : one.rewritten, above}, target);
                }
                return true;
            };
            candidate.holds = [](const std::vector<Tensor>& values) {
                for (std::int64_t i = 0; i < values[0].count() && values[0].shape() == values[1].shape(); ++i) {
                    if (!(values[0].toDouble(i) <= values[1].toDouble(i))) {
                        return false;
                    }
                }
                return values[0].shape() == values[1].shape();
            };
            push(std::move(candidate));
        }
    }
}

void Maker::equalPairs() {
    for (std::size_t one = 0; one < m.sources.size(); ++one) {
        for (std::size_t other = one + 1; other < m.sources.size(); ++other) {
            const CutSource& a = m.sources[one];
            const CutSource& b = m.sources[other];
            const bool constants = a.kind == CutSource::Kind::Constant || b.kind == CutSource::Kind::Constant;
            if (!(a.type == b.type) || !a.type.shape || constants || !isComputable(a.type.element)) {
                continue;
            }
            ConditionCandidate candidate;
            candidate.text = a.name + " equals " + b.name;
            candidate.sources = {one, other};
            const CutPair* pair = &m;
            candidate.apply = [pair, one, other](Graph& reference, Graph& rewritten) {
                for (const bool mine : {true, false}) {
                    Prefix prefix(mine ? reference : rewritten);
                    const CutSource& target = pair->sources[other];
                    const CutSource& from = pair->sources[one];
                    (void)prefix.freed(mine ? target.reference : target.rewritten, target.type);
                    prefix.put("Identity", {mine ? from.reference : from.rewritten}, mine ? target.reference : target.rewritten);
                }
                return true;
            };
            candidate.holds = [](const std::vector<Tensor>& values) { return values[0].sameBits(values[1]); };
            push(std::move(candidate));
        }
    }
}

/// Not a bias, a scale or another parameter: of those one may well ask that they are uniform, of what a graph works on hardly.
bool Maker::isData(std::size_t source) const {
    std::size_t highest = 0;
    for (const std::size_t s : m_floats) {
        highest = std::max(highest, m.sources[s].type.shape->size());
    }
    return m.sources[source].kind != CutSource::Kind::Constant && m.sources[source].type.shape->size() == highest;
}

void Maker::uniform(bool data) {
    // Along one axis first, which asks for less; then along all.
    for (const bool all : {false, true}) {
        for (const std::size_t s : m_floats) {
            const CutSource& source = m.sources[s];
            const std::optional<std::vector<std::int64_t>> shape = staticShape(*source.type.shape);
            const std::size_t rank = source.type.shape->size();
            if (rank == 0 || rank > 6 || (!all && rank == 1) || isData(s) != data) {
                continue;
            }
            for (std::size_t axis = 0; axis < (all ? 1 : rank); ++axis) {
                if (!all && (*source.type.shape)[axis].is(1)) {
                    continue;
                }
                ConditionCandidate candidate;
                candidate.text = all ? "all elements of " + source.name + " are equal"
                                     : "the elements of " + source.name + " along axis " + std::to_string(axis) + " are equal";
                candidate.sources = {s};
                const CutPair* pair = &m;
                candidate.apply = [pair, s, axis, all, shape](Graph& reference, Graph& rewritten) {
                    const CutSource& from = pair->sources[s];
                    const auto dims = static_cast<std::int64_t>(from.type.shape->size());
                    for (const bool mine : {true, false}) {
                        Prefix prefix(mine ? reference : rewritten);
                        const ValueId target = mine ? from.reference : from.rewritten;
                        if (shape) {
                            TensorType small = from.type;
                            for (std::size_t k = 0; k < small.shape->size(); ++k) {
                                (*small.shape)[k] = all || k == axis ? Dim(1) : (*small.shape)[k];
                            }
                            const ValueId free = prefix.freed(target, small);
                            prefix.put("Expand", {free, prefix.constant(Tensor::of<std::int64_t>(ElementType::I64, {dims}, *shape))}, target);
                            continue;
                        }
                        std::vector<std::int64_t> axes;
                        for (std::int64_t k = 0; k < dims; ++k) {
                            if (all || k == static_cast<std::int64_t>(axis)) {
                                axes.push_back(k);
                            }
                        }
                        const auto count = static_cast<std::int64_t>(axes.size());
                        const ValueId free = prefix.freed(target, from.type);
                        const auto filled = [&](std::int64_t value) {
                            return prefix.constant(Tensor::of(ElementType::I64, {count}, std::vector<std::int64_t>(axes.size(), value)));
                        };
                        const ValueId begin = filled(0);
                        const ValueId end = filled(1);
                        const ValueId first =
                            prefix.apply("Slice", {free, begin, end, prefix.constant(Tensor::of<std::int64_t>(ElementType::I64, {count}, axes))});
                        prefix.put("Expand", {first, prefix.apply("Shape", {free})}, target);
                    }
                    return true;
                };
                candidate.holds = [all, axis](const std::vector<Tensor>& values) {
                    const Tensor& tensor = values[0];
                    std::int64_t stride = 1;
                    for (std::size_t k = axis + 1; k < tensor.shape().size(); ++k) {
                        stride *= tensor.shape()[k];
                    }
                    const std::int64_t length = all ? tensor.count() : tensor.shape().at(axis);
                    for (std::int64_t i = 0; i < tensor.count(); ++i) {
                        const std::int64_t first = all ? 0 : i - (i / stride % length) * stride;
                        if (tensor.toDouble(i) != tensor.toDouble(first)) {
                            return false;
                        }
                    }
                    return true;
                };
                push(std::move(candidate));
            }
        }
    }
}

void Maker::fixed(double number, bool data) {
    for (std::size_t s = 0; s < m.sources.size(); ++s) {
        const CutSource& source = m.sources[s];
        const std::optional<std::vector<std::int64_t>> shape = source.type.shape ? staticShape(*source.type.shape) : std::nullopt;
        // 64-bit constants are mostly shapes and axes: those belong to the attributes.
        const bool parameter = source.kind != CutSource::Kind::Constant || isFloat(source.type.element) || source.type.element != ElementType::I64;
        if (!shape || !parameter || !isComputable(source.type.element) || source.type.element == ElementType::Bool || isData(s) != data) {
            continue;
        }
        Tensor tensor;
        std::int64_t count = 1;
        for (const std::int64_t length : *shape) {
            count = length > LargestFilled ? LargestFilled + 1 : std::min(count * length, LargestFilled + 1);
        }
        if (count > LargestFilled) {
            continue;
        }
        tensor = Tensor(source.type.element, *shape);
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            setElement(tensor, i, number);
        }
        ConditionCandidate candidate;
        candidate.text = (shape->empty() ? source.name : "every element of " + source.name) + " is " + (number == 0.0 ? "0" : "1");
        candidate.sources = {s};
        const CutPair* pair = &m;
        candidate.apply = [pair, s, tensor](Graph& reference, Graph& rewritten) {
            for (const bool mine : {true, false}) {
                Graph& graph = mine ? reference : rewritten;
                const ValueId target = mine ? pair->sources[s].reference : pair->sources[s].rewritten;
                graph.values.at(target.index).constant = tensor;
                graph.values.at(target.index).elements.reset();
                std::erase(graph.inputs, target);
            }
            return true;
        };
        candidate.fixes = true;
        candidate.holds = [number](const std::vector<Tensor>& values) { return everyElement(values[0], [number](double x) { return x == number; }); };
        push(std::move(candidate));
    }
}

void Maker::booleans() {
    for (std::size_t s = 0; s < m.sources.size(); ++s) {
        const CutSource& source = m.sources[s];
        if (source.type.element != ElementType::Bool || !source.type.shape || source.kind == CutSource::Kind::Constant) {
            continue;
        }
        for (const bool yes : {true, false}) {
            ConditionCandidate candidate;
            candidate.text = (source.type.shape->empty() ? source.name : "every element of " + source.name) + (yes ? " is true" : " is false");
            candidate.sources = {s};
            const CutPair* pair = &m;
            candidate.apply = [pair, s, yes](Graph& reference, Graph& rewritten) {
                for (const bool mine : {true, false}) {
                    Prefix prefix(mine ? reference : rewritten);
                    const CutSource& from = pair->sources[s];
                    const ValueId target = mine ? from.reference : from.rewritten;
                    const ValueId free = prefix.freed(target, from.type);
                    prefix.put(yes ? "Or" : "And", {free, prefix.apply("Not", {free})}, target);
                }
                return true;
            };
            candidate.holds = [yes](const std::vector<Tensor>& values) {
                return everyElement(values[0], [yes](double x) { return (x != 0) == yes; });
            };
            push(std::move(candidate));
        }
    }
}

void Maker::ranges() {
    // Axis lengths that stand in the graphs: what an index may be.
    std::set<std::int64_t> lengths;
    for (const Graph* graph : {&m.reference, &m.rewritten}) {
        for (const Value& value : graph->values) {
            for (std::size_t k = 0; value.type.shape && k < value.type.shape->size() && lengths.size() < 12; ++k) {
                if ((*value.type.shape)[k].isKnown() && (*value.type.shape)[k].value() > 0) {
                    lengths.insert((*value.type.shape)[k].value());
                }
            }
        }
    }
    const auto of = [&](std::size_t s) {
        return (m.sources[s].type.shape && m.sources[s].type.shape->empty() ? "" : "every element of ") + m.sources[s].name;
    };
    const auto restricted = [&](const std::vector<std::size_t>& group, const std::vector<IntegerRange>& bounds, std::string text) {
        std::vector<std::pair<std::size_t, IntegerRange>> set;
        for (std::size_t k = 0; k < group.size(); ++k) {
            const CutSource& source = m.sources[group[k]];
            const std::optional<IntegerRange>& declared = m.reference.value(source.reference).range;
            const IntegerRange now = declared ? *declared : typeRange(source.type.element);
            const IntegerRange next{std::max(now.low, bounds[k].low), std::min(now.high, bounds[k].high)};
            if (next.low > next.high || next == now) {
                return;
            }
            set.emplace_back(group[k], next);
        }
        if (text.empty()) { // what is left of it within what is declared
            text = of(group.front()) + " is from " + std::to_string(set.front().second.low) + " to " + std::to_string(set.front().second.high);
        }
        ConditionCandidate candidate;
        candidate.text = text;
        candidate.sources = group;
        const CutPair* pair = &m;
        candidate.apply = [pair, set](Graph& reference, Graph& rewritten) {
            for (const auto& [s, range] : set) {
                reference.values.at(pair->sources[s].reference.index).range = range;
                rewritten.values.at(pair->sources[s].rewritten.index).range = range;
            }
            return true;
        };
        push(std::move(candidate));
    };
    constexpr std::int64_t Highest = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t s : m_integers) {
        const unsigned width = bitWidth(m.sources[s].type.element);
        if (isSignedInteger(m.sources[s].type.element) && width >= 8) {
            const std::int64_t half = std::int64_t{1} << (width - 2U);
            restricted({s}, {{-half, half - 1}}, of(s) + " is from -2^" + std::to_string(width - 2U) + " to 2^" + std::to_string(width - 2U) + "-1");
        }
        restricted({s}, {{0, Highest}}, of(s) + " is >= 0");
        restricted({s}, {{1, Highest}}, of(s) + " is > 0");
    }
    for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
        for (const std::size_t s : m_integers) {
            restricted({s}, {{-*length, *length - 1}}, "");
            restricted({s}, {{0, *length - 1}}, "");
        }
    }
    for (const std::size_t s : m_integers) {
        restricted({s}, {{std::numeric_limits<std::int64_t>::min(), 0}}, of(s) + " is <= 0");
    }
    if (m_integers.size() == 2) {
        for (const auto& [dividend, divisor] : {std::pair(m_integers[0], m_integers[1]), std::pair(m_integers[1], m_integers[0])}) {
            restricted({dividend, divisor}, {{0, Highest}, {1, Highest}}, of(dividend) + " is >= 0 and " + of(divisor) + " is > 0");
        }
    }
}

void Maker::lengths(bool toOne) {
    for (auto one = m_symbols.begin(); one != m_symbols.end(); ++one) {
        if (toOne && one->second.low <= 1 && one->second.high >= 1) {
            ConditionCandidate candidate;
            candidate.text = one->first + " = 1";
            candidate.sizes = {{one->first, 1}};
            push(std::move(candidate));
        }
        for (auto other = std::next(one); !toOne && other != m_symbols.end(); ++other) {
            if (std::max(one->second.low, other->second.low) > std::min(one->second.high, other->second.high)) {
                continue;
            }
            ConditionCandidate candidate;
            candidate.text = one->first + " = " + other->first;
            candidate.renamed = {{other->first, Dim::symbol(one->first)}};
            push(std::move(candidate));
        }
    }
}

std::vector<ConditionCandidate> Maker::run() {
    for (std::size_t s = 0; s < m.sources.size() && m_floats.size() < MostSources; ++s) {
        const CutSource& source = m.sources[s];
        if (isFloat(source.type.element) && isComputable(source.type.element) && source.type.shape) {
            m_floats.push_back(s);
        }
        if (isInteger(source.type.element) && isComputable(source.type.element) && source.kind == CutSource::Kind::Input) {
            m_integers.push_back(s);
        }
    }
    std::vector<std::vector<std::size_t>> single;
    std::vector<std::vector<std::size_t>> several;
    for (const std::size_t s : m_floats) {
        single.push_back({s});
    }
    for (std::size_t one = 0; one < m_floats.size() && m_floats.size() <= 6; ++one) {
        for (std::size_t other = one + 1; other < m_floats.size(); ++other) {
            several.push_back({m_floats[one], m_floats[other]});
        }
    }
    if (m_floats.size() > 2) {
        several.push_back(m_floats);
    }
    for (const Sign sign : {Sign::NotZero, Sign::NotNegative, Sign::NotPositive, Sign::Positive}) {
        signs(sign, single);
    }
    orders();
    for (const Sign sign : {Sign::NotNegative, Sign::Positive}) {
        signs(sign, several);
    }
    uniform(false);
    lengths(false);
    ranges();
    booleans();
    fixed(1.0, false);
    fixed(0.0, false);
    addAttributeCandidates(m, false, m_factors, 200, m_out);
    addAttributeCandidates(m, true, m_factors, 200, m_out);
    equalPairs();
    uniform(true);
    fixed(1.0, true);
    fixed(0.0, true);
    lengths(true);
    if (m_out.size() > m_most) {
        m_out.resize(m_most);
    }
    return std::move(m_out);
}

} // namespace

std::vector<ConditionCandidate> conditionCandidates(const CutPair& pair, const std::map<std::string, IntegerRange>& symbols,
                                                    const std::vector<double>& factors, std::size_t most) {
    return Maker(pair, symbols, factors, most).run();
}

} // namespace lemmascope
