#include "core/report/expression_pair.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace lemmascope {

using interp::NoTerm;
using interp::Op;
using interp::Term;
using interp::TermDag;
using interp::TermKind;
using interp::TermNode;
using interp::ValueType;

namespace {

constexpr std::size_t ShortText = 60;

ElementType elementTypeOf(ValueType type) {
    switch (type.code) {
    case 1: return ElementType::Bool;
    case 8: return ElementType::I8;
    case 16: return ElementType::I16;
    case 32: return ElementType::I32;
    case 64: return ElementType::I64;
    default: break;
    }
    return type == interp::Index  ? ElementType::I64
           : type == interp::F16  ? ElementType::F16
           : type == interp::BF16 ? ElementType::BF16
           : type == interp::F32  ? ElementType::F32
           : type == interp::F64  ? ElementType::F64
                                  : ElementType::Undefined;
}

/// What a node of the drawing says.
std::string titleOf(const TermDag& dag, Term term) {
    const TermNode& node = dag.node(term);
    switch (node.kind) {
    case TermKind::Apply: return std::string(interp::symbolOf(node.op, node.aux));
    case TermKind::Open: return dag.openNameOf(node.a);
    default: return dag.text(term, ShortText);
    }
}

bool isInner(const TermNode& node) { return node.kind == TermKind::Apply || node.kind == TermKind::Open; }

bool sameOperation(const TermDag& dag, Term a, Term b) {
    const TermNode& x = dag.node(a);
    const TermNode& y = dag.node(b);
    return isInner(x) && x.kind == y.kind && x.type == y.type && x.aux == y.aux && (x.kind == TermKind::Open ? x.a == y.a : x.op == y.op) &&
           dag.operands(x).size() == dag.operands(y).size();
}

class Builder {
  public:
    Builder(const TermDag& dag, const ExpressionLimits& limits) : m_dag(dag), m_limits(limits) {}

    void walk(Term reference, Term rewritten) {
        std::deque<std::pair<Term, Term>> waiting{{reference, rewritten}};
        std::set<std::pair<Term, Term>> seen{{reference, rewritten}};
        while (!waiting.empty()) {
            const auto [a, b] = waiting.front();
            waiting.pop_front();
            if (m_sides[0].size() >= m_limits.nodes || m_sides[1].size() >= m_limits.nodes) {
                m_cut = true;
                return;
            }
            if (a == b) {
                continue;
            }
            if (!sameOperation(m_dag, a, b)) {
                mark(a, b, NodeMark::Failing);
                m_differences.emplace_back(a, b);
                continue;
            }
            mark(a, b, NodeMark::Changed);
            const std::span<const Term> left = m_dag.operands(m_dag.node(a));
            std::span<const Term> right = m_dag.operands(m_dag.node(b));
            std::vector<Term> turned(right.begin(), right.end());
            if (left.size() == 2 && m_dag.node(a).kind == TermKind::Apply && interp::isCommutative(m_dag.node(a).op) && fitsTurned(left, right)) {
                std::swap(turned[0], turned[1]);
            }
            for (std::size_t i = 0; i < left.size(); ++i) {
                if (left[i] != turned[i] && seen.insert({left[i], turned[i]}).second) {
                    waiting.emplace_back(left[i], turned[i]);
                }
            }
        }
    }

    /// A few levels under each difference, on both sides.
    void addBelow() {
        for (std::size_t side = 0; side < 2; ++side) {
            std::deque<std::pair<Term, std::size_t>> waiting;
            for (const auto& difference : m_differences) {
                waiting.emplace_back(side == 0 ? difference.first : difference.second, 0);
            }
            std::set<Term> expanded;
            while (!waiting.empty()) {
                const auto [term, level] = waiting.front();
                waiting.pop_front();
                if (!expanded.insert(term).second) {
                    continue;
                }
                for (const Term operand : m_dag.operands(m_dag.node(term))) {
                    if (!isInner(m_dag.node(operand))) {
                        continue; // an input or a constant of its own
                    }
                    if (level + 1 > m_limits.below || m_sides[side].size() >= m_limits.nodes) {
                        m_cut = true;
                        continue;
                    }
                    m_sides[side].try_emplace(operand, Shown{});
                    waiting.emplace_back(operand, level + 1);
                }
            }
        }
    }

    Result<std::shared_ptr<const GraphTree>> graph(std::size_t side, Term root) {
        Graph made;
        made.name = side == 0 ? "reference" : "rewritten";
        std::map<Term, ValueId> values;
        const auto typed = [&](Term term, std::string name) {
            Value value;
            value.name = std::move(name);
            value.type = {elementTypeOf(m_dag.node(term).type), Shape{}};
            return value;
        };
        for (auto& [term, shown] : m_sides[side]) { // by number: operands come first
            Node node;
            node.op = {"", titleOf(m_dag, term), 0};
            if (isInner(m_dag.node(term))) {
                for (const Term operand : m_dag.operands(m_dag.node(term))) {
                    auto at = values.find(operand);
                    if (at == values.end()) {
                        // Shared by both sides, or left out: one box with its text.
                        const ValueId input = made.addValue(typed(operand, m_dag.text(operand, ShortText)));
                        made.inputs.push_back(input);
                        at = values.emplace(operand, input).first;
                    }
                    node.operands.push_back(at->second);
                }
            }
            const ValueId result = made.addValue(typed(term, m_dag.text(term, ShortText)));
            node.results.push_back(result);
            shown.node = made.addNode(std::move(node));
            values.emplace(term, result);
        }
        if (const auto at = values.find(root); at != values.end()) {
            made.outputs.push_back(at->second);
            made.outputNames.push_back("cell");
        }
        auto tree = GraphTree::build(std::make_shared<const Graph>(std::move(made)));
        if (!tree) {
            return tl::unexpected<Error>(tree.error());
        }
        return std::make_shared<const GraphTree>(std::move(*tree));
    }

    std::vector<NodeRelation> relations(std::size_t side) const {
        std::vector<NodeRelation> out(m_sides[side].size());
        for (const auto& [term, shown] : m_sides[side]) {
            NodeRelation& relation = out[shown.node.index];
            const auto other = m_sides[1 - side].find(shown.partner != NoTerm ? shown.partner : term);
            if (other != m_sides[1 - side].end()) {
                relation.partner = FlatNodeId(other->second.node.index);
            }
            relation.mark = shown.mark;
            switch (shown.mark) {
            case NodeMark::Failing:
                relation.reason = "first difference: " + m_dag.text(term, ShortText) + " here, " + m_dag.text(shown.partner, ShortText) + " there";
                break;
            case NodeMark::Changed: relation.reason = "the same operation on operands that differ"; break;
            default:
                relation.mark = other != m_sides[1 - side].end() ? NodeMark::Shared : NodeMark::Only;
                relation.reason = other != m_sides[1 - side].end() ? "" : "under a difference";
                break;
            }
        }
        return out;
    }

    /// A root of equal terms is shown by itself.
    void addRoot(Term term) {
        for (auto& side : m_sides) {
            side.try_emplace(term, Shown{});
        }
        m_differences.emplace_back(term, term);
        addBelow();
        m_differences.clear();
    }

    [[nodiscard]] const std::vector<std::pair<Term, Term>>& differences() const { return m_differences; }
    [[nodiscard]] bool isCut() const { return m_cut; }

  private:
    struct Shown {
        NodeMark mark = NodeMark::Only;
        Term partner = NoTerm;
        NodeId node;
    };

    void mark(Term a, Term b, NodeMark mark) {
        const auto set = [mark](std::map<Term, Shown>& side, Term term, Term partner) {
            Shown& shown = side[term];
            if (shown.partner == NoTerm || (mark == NodeMark::Failing && shown.mark != NodeMark::Failing)) {
                shown.mark = mark;
                shown.partner = partner;
            }
        };
        set(m_sides[0], a, b);
        set(m_sides[1], b, a);
    }

    /// Operands of a commutative operation stand in no order of their own: those that are equal, or alike, go together.
    bool fitsTurned(std::span<const Term> left, std::span<const Term> right) const {
        const auto alike = [this](Term a, Term b) {
            const TermNode& x = m_dag.node(a);
            const TermNode& y = m_dag.node(b);
            return a == b                                                               ? 4
                   : sameOperation(m_dag, a, b)                                         ? 2
                   : x.kind == TermKind::Leaf && y.kind == TermKind::Leaf && x.a == y.a ? 2
                   : x.kind == y.kind                                                   ? 1
                                                                                        : 0;
        };
        return alike(left[0], right[1]) + alike(left[1], right[0]) > alike(left[0], right[0]) + alike(left[1], right[1]);
    }

    const TermDag& m_dag;
    const ExpressionLimits& m_limits;
    std::map<Term, Shown> m_sides[2];
    std::vector<std::pair<Term, Term>> m_differences;
    bool m_cut = false;
};

} // namespace

std::string cellText(const TermDag& dag, ValueType type, std::uint64_t bits, Term term, std::size_t limit) {
    if (term == NoTerm) {
        TermDag own;
        return own.text(own.constant(type, bits), limit);
    }
    return term == interp::Pending ? "its content before the program" : dag.text(term, limit);
}

Result<ExpressionPair> expressionPair(const TermDag& dag, ValueType type, ExpressionRoot reference, ExpressionRoot rewritten,
                                      const ExpressionLimits& limits) {
    ExpressionPair out;
    out.referenceText = cellText(dag, type, reference.bits, reference.term, limits.text);
    out.rewrittenText = cellText(dag, type, rewritten.bits, rewritten.term, limits.text);
    if (reference.term <= interp::Pending || rewritten.term <= interp::Pending) {
        // A number or nothing on a side: the whole is the difference.
        Correspondence& marks = out.correspondence;
        for (const auto& [text, other, tree, relations] : {std::tuple{&out.referenceText, &out.rewrittenText, &out.reference, &marks.reference},
                                                           std::tuple{&out.rewrittenText, &out.referenceText, &out.rewritten, &marks.rewritten}}) {
            Graph made;
            Value value;
            value.name = "cell";
            value.type = {elementTypeOf(type), Shape{}};
            Node node;
            node.op = {"", text->substr(0, ShortText), 0};
            node.results.push_back(made.addValue(std::move(value)));
            made.outputs = node.results;
            made.addNode(std::move(node));
            auto built = GraphTree::build(std::make_shared<const Graph>(std::move(made)));
            if (!built) {
                return tl::unexpected<Error>(built.error());
            }
            *tree = std::make_shared<const GraphTree>(std::move(*built));
            NodeRelation relation;
            relation.mark = *text == *other ? NodeMark::Shared : NodeMark::Failing;
            relation.partner = FlatNodeId(0U);
            relation.reason = *text == *other ? "" : "first difference: " + *text + " here, " + *other + " there";
            relations->push_back(std::move(relation));
        }
        if (out.referenceText != out.rewrittenText) {
            out.differences.push_back(out.referenceText + " against " + out.rewrittenText);
            out.differenceCount = 1;
        }
        marks.partnerOfReferenceValue = {FlatValueId(0U)};
        return out;
    }
    Builder builder(dag, limits);
    if (reference.term == rewritten.term) {
        builder.addRoot(reference.term);
    } else {
        builder.walk(reference.term, rewritten.term);
        builder.addBelow();
    }
    auto left = builder.graph(0, reference.term);
    auto right = builder.graph(1, rewritten.term);
    if (!left || !right) {
        return tl::unexpected<Error>(left ? right.error() : left.error());
    }
    out.reference = *left;
    out.rewritten = *right;
    out.correspondence.reference = builder.relations(0);
    out.correspondence.rewritten = builder.relations(1);
    out.correspondence.partnerOfReferenceValue.resize(out.reference->valueCount());
    out.differenceCount = builder.differences().size();
    for (const auto& [a, b] : builder.differences()) {
        if (out.differences.size() < limits.differences) {
            out.differences.push_back(dag.text(a, ShortText) + " against " + dag.text(b, ShortText));
        }
    }
    out.cut = builder.isCut();
    return out;
}

} // namespace lemmascope
