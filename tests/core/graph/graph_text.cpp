#include "tests/core/graph/graph_text.h"

#include <cassert>
#include <cstdlib>
#include <map>
#include <sstream>

namespace lemmascope::test {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\n");
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

/// Splits at any of `separators` outside brackets of all kinds.
std::vector<std::string> split(const std::string& text, const std::string& separators) {
    std::vector<std::string> out(1);
    int depth = 0;
    for (const char letter : text) {
        depth += letter == '{' || letter == '[' || letter == '(' ? 1 : 0;
        depth -= letter == '}' || letter == ']' || letter == ')' ? 1 : 0;
        if (depth == 0 && separators.find(letter) != std::string::npos) {
            out.emplace_back();
        } else {
            out.back() += letter;
        }
    }
    return out;
}

Tensor parseTensor(const std::string& typeText, const std::string& elements) {
    const TensorType type = parseType(typeText);
    Tensor tensor(type.element, *staticShape(*type.shape));
    std::istringstream in(elements);
    std::string word;
    for (std::int64_t k = 0; in >> word; ++k) {
        const auto at = static_cast<std::size_t>(k);
        switch (type.element) {
        case ElementType::F32: tensor.mutableAs<float>()[at] = std::strtof(word.c_str(), nullptr); break;
        case ElementType::F64: tensor.mutableAs<double>()[at] = std::stod(word); break;
        case ElementType::F16: tensor.mutableAs<std::uint16_t>()[at] = doubleToHalf(std::stod(word)); break;
        case ElementType::I64: tensor.mutableAs<std::int64_t>()[at] = std::stoll(word); break;
        case ElementType::I32: tensor.mutableAs<std::int32_t>()[at] = static_cast<std::int32_t>(std::stoll(word)); break;
        case ElementType::I8: tensor.mutableAs<std::int8_t>()[at] = static_cast<std::int8_t>(std::stoll(word)); break;
        default: tensor.mutableAs<std::uint8_t>()[at] = static_cast<std::uint8_t>(std::stoll(word)); break;
        }
    }
    return tensor;
}

class Parser {
  public:
    Parser(std::int64_t opset, Parser* outer) : m_opset(opset), m_outer(outer) { m_graph.opsets[""] = opset; }

    std::shared_ptr<const Graph> parse(const std::string& text) {
        for (const std::string& line : split(text, ";\n")) {
            if (!trimmed(line).empty()) {
                statement(trimmed(line));
            }
        }
        return std::make_shared<const Graph>(std::move(m_graph));
    }

  private:
    void statement(const std::string& line) {
        std::istringstream in(line);
        std::string first;
        std::string second;
        std::string third;
        in >> first >> second >> third;
        std::string rest;
        std::getline(in, rest);
        if (first == "in") {
            Value value{second, third.empty() ? TensorType{} : parseType(third)};
            m_graph.inputs.push_back(add(std::move(value)));
        } else if (first == "const") {
            Value value{second};
            value.constant = parseTensor(third, rest);
            value.type = parseType(third);
            add(std::move(value));
        } else if (first == "symbol") {
            m_graph.symbols[second] = {std::stoll(third), std::stoll(rest)};
        } else if (first == "declare") {
            m_graph.values[find(second).index].type = parseType(third);
        } else if (first == "out") {
            for (const std::string& name : split(line.substr(4), ",")) {
                m_graph.outputs.push_back(find(trimmed(name)));
            }
        } else {
            node(line);
        }
    }

    ValueId add(Value value) {
        const std::string name = value.name;
        const ValueId id = m_graph.addValue(std::move(value));
        m_names[name] = id;
        return id;
    }

    ValueId find(const std::string& name) {
        const auto at = m_names.find(name);
        if (at != m_names.end()) {
            return at->second;
        }
        assert(m_outer != nullptr);
        const ValueId outer = m_outer->find(name);
        const ValueId inner = add(Value{name});
        m_graph.captures.push_back({inner, outer});
        return inner;
    }

    Attribute attribute(const std::string& text) {
        if (text.front() == '{') {
            return Parser(m_opset, this).parse(text.substr(1, text.size() - 2));
        }
        if (const std::size_t brace = text.find(":{"); brace != std::string::npos) {
            return parseTensor(text.substr(0, brace), text.substr(brace + 2, text.size() - brace - 3));
        }
        const bool list = text.front() == '[';
        const std::string inner = list ? text.substr(1, text.size() - 2) : text;
        const bool number = inner.empty() || (inner.find_first_not_of("0123456789.-+e,") == std::string::npos && inner != "e");
        const bool real = number && inner.find_first_of(".e") != std::string::npos;
        if (!list) {
            return !number ? Attribute(text) : real ? Attribute(std::stof(text)) : Attribute(std::int64_t{std::stoll(text)});
        }
        std::vector<std::int64_t> integers;
        std::vector<float> reals;
        std::vector<std::string> strings;
        for (const std::string& part : split(inner, ",")) {
            if (part.empty()) {
                continue;
            }
            if (!number) {
                strings.push_back(part);
            } else if (real) {
                reals.push_back(std::stof(part));
            } else {
                integers.push_back(std::stoll(part));
            }
        }
        return !number ? Attribute(strings) : real ? Attribute(reals) : Attribute(integers);
    }

    // results = [domain::]Op[@version](operands) attributes, or results = fused:{ body }(operands)
    void node(const std::string& line) {
        const std::size_t equals = line.find('=');
        assert(equals != std::string::npos);
        std::string call = trimmed(line.substr(equals + 1));
        Node node;
        std::size_t open = call.find('(');
        if (call.rfind("fused:{", 0) == 0) {
            int depth = 0;
            std::size_t end = 6;
            do {
                depth += call[end] == '{' ? 1 : call[end] == '}' ? -1 : 0;
                ++end;
            } while (depth > 0);
            node.body = Parser(m_opset, this).parse(call.substr(7, end - 8));
            node.op = {"lemmascope", "fused", 1};
            open = end;
        } else {
            std::string op = call.substr(0, open);
            node.op.version = m_opset;
            if (const std::size_t at = op.find('@'); at != std::string::npos) {
                node.op.version = std::stoll(op.substr(at + 1));
                op.resize(at);
            }
            if (const std::size_t colons = op.find("::"); colons != std::string::npos) {
                node.op.domain = op.substr(0, colons);
                node.op.version = 1;
                op = op.substr(colons + 2);
            }
            node.op.name = op;
        }
        const std::size_t close = call.find(')', open);
        const std::string operands = call.substr(open + 1, close - open - 1);
        if (!trimmed(operands).empty()) {
            for (const std::string& name : split(operands, ",")) {
                node.operands.push_back(trimmed(name).empty() ? ValueId() : find(trimmed(name)));
            }
        }
        for (const std::string& word : split(call.substr(close + 1), " ")) {
            if (word.empty()) {
                continue;
            }
            const std::size_t sign = word.find('=');
            if (word.substr(0, sign) == "name") {
                node.name = word.substr(sign + 1);
            } else {
                node.attributes.emplace(word.substr(0, sign), attribute(word.substr(sign + 1)));
            }
        }
        for (const std::string& name : split(line.substr(0, equals), ",")) {
            node.results.push_back(trimmed(name).empty() ? ValueId() : add(Value{trimmed(name)}));
        }
        m_graph.addNode(std::move(node));
    }

    Graph m_graph;
    std::int64_t m_opset;
    Parser* m_outer;
    std::map<std::string, ValueId> m_names;
};

} // namespace

TensorType parseType(const std::string& text) {
    const std::size_t bracket = text.find('[');
    assert(bracket != std::string::npos && text.back() == ']');
    TensorType type;
    type.element = elementTypeByName(text.substr(0, bracket)).value_or(ElementType::Undefined);
    const std::string dims = text.substr(bracket + 1, text.size() - bracket - 2);
    if (dims == "?") {
        return type;
    }
    type.shape = Shape{};
    if (dims.empty()) {
        return type;
    }
    for (const std::string& dim : split(dims, ",")) {
        const bool number = dim.find_first_not_of("-0123456789") == std::string::npos;
        type.shape->push_back(number ? Dim(std::stoll(dim)) : Dim::symbol(dim));
    }
    return type;
}

std::shared_ptr<const Graph> parseGraph(const std::string& text, std::int64_t opset) { return Parser(opset, nullptr).parse(text); }

} // namespace lemmascope::test
