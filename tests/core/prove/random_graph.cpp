#include "tests/core/prove/random_graph.h"

#include <algorithm>
#include <sstream>

namespace lemmascope::prove_test {

std::size_t pick(Random& random, std::size_t count) { return static_cast<std::size_t>(random() % count); }

std::string Sketch::text(const std::string& prefix) const {
    const auto named = [&](const std::string& name) {
        return name == "x" || name == "y" || name == "z" || (!statements.empty() && name == statements.back().result) ? name : prefix + name;
    };
    std::string out = "in x f32[2,3]; in y f32[3]; in z f32[3,2]";
    for (const Constant& constant : constants) {
        out += "; const " + named(constant.name) + " " + constant.type;
        for (const std::string& element : constant.elements) {
            out += " " + element;
        }
    }
    for (const Statement& statement : statements) {
        out += "; " + named(statement.result) + " = " + statement.op + "(";
        for (std::size_t k = 0; k < statement.operands.size(); ++k) {
            out += (k == 0 ? "" : ", ") + named(statement.operands[k]);
        }
        out += ")";
        for (const auto& [key, value] : statement.attributes) {
            out += " " + key + "=" + value;
        }
    }
    return out + "; out " + statements.back().result;
}

namespace {

using Lengths = std::vector<std::int64_t>;

std::string listOf(const Lengths& values) {
    std::string out = "[";
    for (std::size_t k = 0; k < values.size(); ++k) {
        out += (k == 0 ? "" : ",") + std::to_string(values[k]);
    }
    return out + "]";
}

class Builder {
  public:
    explicit Builder(Random& random) : m_random(random) {
        m_values = {{"x", {2, 3}}, {"y", {3}}, {"z", {3, 2}}};
        for (const auto& [name, shape] : std::vector<std::pair<std::string, Lengths>>{{"w", {3, 3}}, {"b", {3}}, {"k", {2, 3}}}) {
            std::vector<std::string> elements;
            for (std::int64_t i = 0; i < (name == "w" ? 9 : name == "b" ? 3 : 6); ++i) {
                static const std::vector<std::string> Numbers{"0", "1", "-1", "0.5", "2", "-0.25", "3"};
                elements.push_back(Numbers[pick(m_random, Numbers.size())]);
            }
            m_sketch.constants.push_back({name, "f32" + listOf(shape), elements});
            m_values.emplace_back(name, shape);
        }
    }

    Sketch build() {
        const std::size_t count = 3 + pick(m_random, 5);
        while (m_sketch.statements.size() < count) {
            add();
        }
        return m_sketch;
    }

  private:
    Random& m_random;
    Sketch m_sketch;
    std::vector<std::pair<std::string, Lengths>> m_values;

    std::string integers(const Lengths& values) {
        const std::string name = "i" + std::to_string(m_sketch.constants.size());
        std::vector<std::string> elements;
        for (const std::int64_t value : values) {
            elements.push_back(std::to_string(value));
        }
        m_sketch.constants.push_back({name, "i64[" + std::to_string(values.size()) + "]", elements});
        return name;
    }

    void result(const std::string& op, std::vector<std::string> operands, const Lengths& shape, std::map<std::string, std::string> attributes = {}) {
        const std::string name = "v" + std::to_string(m_sketch.statements.size());
        m_sketch.statements.push_back({op, std::move(operands), std::move(attributes), name, shape});
        m_values.emplace_back(name, shape);
    }

    void add() {
        // Later values more often, so that most of the graph is live.
        const std::size_t from =
            m_values.size() > 6 && pick(m_random, 4) > 0 ? m_values.size() - 1 - pick(m_random, 2) : pick(m_random, m_values.size());
        const auto [a, shape] = m_values[from];
        const auto [b, other] = m_values[pick(m_random, m_values.size())];
        const std::size_t axis = shape.empty() ? 0 : pick(m_random, shape.size());
        const std::int64_t shownAxis = static_cast<std::int64_t>(axis) - (pick(m_random, 2) == 0 ? 0 : static_cast<std::int64_t>(shape.size()));
        const bool fits = shape == other || (!shape.empty() && other.size() == 1 && other[0] == shape.back());
        switch (pick(m_random, 14)) {
        case 0:
        case 1:
        case 2: {
            static const std::vector<std::string> Ops{"Add", "Sub", "Mul", "Max", "Min", "Add", "Mul", "Div"};
            if (fits) {
                result(Ops[pick(m_random, Ops.size())], pick(m_random, 2) == 0 ? std::vector<std::string>{a, b} : std::vector<std::string>{b, a},
                       shape);
            }
            return;
        }
        case 3:
        case 4: {
            static const std::vector<std::string> Ops{"Relu", "Neg", "Sigmoid", "Abs", "Tanh", "Exp", "Identity", "Floor"};
            result(Ops[pick(m_random, Ops.size())], {a}, shape);
            return;
        }
        case 5:
            if (!shape.empty()) {
                result("Softmax", {a}, shape, {{"axis", std::to_string(shownAxis)}});
            }
            return;
        case 6:
        case 7:
            if (shape.size() >= 2) {
                Lengths order(shape.size());
                for (std::size_t k = 0; k < order.size(); ++k) {
                    order[k] = static_cast<std::int64_t>(k);
                }
                std::shuffle(order.begin(), order.end(), m_random);
                Lengths to;
                for (const std::int64_t k : order) {
                    to.push_back(shape[static_cast<std::size_t>(k)]);
                }
                result("Transpose", {a}, to, {{"perm", listOf(order)}});
            }
            return;
        case 8: {
            std::int64_t count = 1;
            for (const std::int64_t length : shape) {
                count *= length;
            }
            const std::vector<Lengths> shapes{{count}, {count, 1}, {1, count}, {count / 3, 3}, {3, count / 3}};
            const Lengths to = shapes[pick(m_random, count % 3 == 0 ? 5 : 3)];
            result("Reshape", {a, integers(to)}, to);
            return;
        }
        case 9:
            if (shape.size() == 2 && other.size() == 2 && shape[1] == other[0]) {
                result("MatMul", {a, b}, {shape[0], other[1]});
            }
            return;
        case 10:
            if (!shape.empty()) {
                Lengths to = shape;
                const bool keep = pick(m_random, 2) == 0;
                to[axis] = 1;
                if (!keep) {
                    to.erase(to.begin() + static_cast<std::ptrdiff_t>(axis));
                }
                static const std::vector<std::string> Ops{"ReduceMax@17", "ReduceMean@17", "ReduceMin@17"};
                result(Ops[pick(m_random, Ops.size())], {a}, to, {{"axes", listOf({shownAxis})}, {"keepdims", keep ? "1" : "0"}});
            }
            return;
        case 11:
            if (shape == other && !shape.empty() && shape[axis] < 7) {
                Lengths to = shape;
                to[axis] *= 2;
                result("Concat", {a, b}, to, {{"axis", std::to_string(shownAxis)}});
            }
            return;
        case 12:
            if (!shape.empty() && shape[axis] > 1) {
                Lengths to = shape;
                const std::int64_t start = static_cast<std::int64_t>(pick(m_random, 2));
                to[axis] = shape[axis] - start - (start == 0 ? 1 : 0);
                result("Slice", {a, integers({start}), integers({start + to[axis]}), integers({shownAxis})}, to);
            }
            return;
        default:
            if (!shape.empty() && pick(m_random, 2) == 0) {
                Lengths to = shape;
                to[axis] = 2;
                result("Gather", {a, integers({static_cast<std::int64_t>(pick(m_random, static_cast<std::size_t>(shape[axis]))), 0})}, to,
                       {{"axis", std::to_string(shownAxis)}});
            } else {
                result("LeakyRelu", {a}, shape, {{"alpha", pick(m_random, 2) == 0 ? "0.25" : "0.5"}});
            }
            return;
        }
    }
};

} // namespace

Sketch randomSketch(Random& random) { return Builder(random).build(); }

Sketch mutated(Random& random, Sketch sketch) {
    static const std::map<std::string, std::string> Siblings{{"Add", "Sub"},
                                                             {"Sub", "Add"},
                                                             {"Mul", "Add"},
                                                             {"Max", "Min"},
                                                             {"Min", "Max"},
                                                             {"Div", "Mul"},
                                                             {"Relu", "Abs"},
                                                             {"Abs", "Relu"},
                                                             {"Sigmoid", "Tanh"},
                                                             {"Tanh", "Sigmoid"},
                                                             {"Neg", "Identity"},
                                                             {"Identity", "Neg"},
                                                             {"Floor", "Ceil"},
                                                             {"Softmax", "LogSoftmax"},
                                                             {"ReduceMax@17", "ReduceMin@17"},
                                                             {"ReduceMean@17", "ReduceMax@17"},
                                                             {"ReduceMin@17", "ReduceMean@17"},
                                                             {"Exp", "Softplus"}};
    Sketch::Statement& statement = sketch.statements[pick(random, sketch.statements.size())];
    switch (pick(random, 6)) {
    case 0:
        if (statement.operands.size() == 2) {
            std::swap(statement.operands[0], statement.operands[1]);
        }
        return sketch;
    case 1: {
        Sketch::Constant& constant = sketch.constants[pick(random, sketch.constants.size())];
        std::string& element = constant.elements[pick(random, constant.elements.size())];
        element = constant.type[0] == 'i' ? std::to_string(std::stoll(element) + (pick(random, 2) == 0 ? 1 : -1))
                  : element == "0.75"     ? "1.5"
                                          : "0.75";
        return sketch;
    }
    case 2:
        if (const auto at = Siblings.find(statement.op); at != Siblings.end()) {
            statement.op = at->second;
        }
        return sketch;
    case 3: {
        // Another value of the same shape.
        std::vector<std::string> others{"x", "k"};
        for (const Sketch::Statement& earlier : sketch.statements) {
            if (&earlier == &statement) {
                break;
            }
            others.push_back(earlier.result);
        }
        statement.operands[0] = others[pick(random, others.size())];
        return sketch;
    }
    default:
        if (const auto at = statement.attributes.find("axis"); at != statement.attributes.end()) {
            at->second = std::to_string((std::stoll(at->second) + 2) % 2 + (std::stoll(at->second) >= 0 ? -1 : 0));
        }
        if (const auto at = statement.attributes.find("axes"); at != statement.attributes.end()) {
            at->second = at->second == "[0]" ? "[1]" : "[0]";
        }
        if (const auto at = statement.attributes.find("perm"); at != statement.attributes.end()) {
            at->second = at->second == "[1,0]" ? "[0,1]" : "[1,0]";
        }
        if (const auto at = statement.attributes.find("alpha"); at != statement.attributes.end()) {
            at->second = at->second == "0.25" ? "0.5" : "0.25";
        }
        return sketch;
    }
}

} // namespace lemmascope::prove_test
