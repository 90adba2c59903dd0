#include "core/term/definitions.h"

#include "core/graph/infer.h"

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::int64_t Newest = 1000;
constexpr std::int64_t MaxElements = 1024; ///< of an integer operand that a definition may read

} // namespace

const Definition* definitionOf(const TermStore& store, const Operator& op) {
    const DefinitionLibrary* user = store.definitions.get();
    const std::size_t at = op.name.rfind('@');
    if (at == std::string::npos) {
        // Opset forms are resolved: one meaning, ONNX's or ONNX Runtime's.
        const Definition* found = findDefinition(user, OpId{"", op.name, Newest});
        return found != nullptr ? found : findDefinition(user, OpId{"com.microsoft", op.name, 1});
    }
    const std::string full = op.name.substr(0, at);
    const std::size_t dot = full.rfind('.');
    OpId id;
    id.domain = dot == std::string::npos ? "" : full.substr(0, dot);
    id.name = dot == std::string::npos ? full : full.substr(dot + 1);
    for (std::size_t k = at + 1; k < op.name.size() && k < at + 10 && op.name[k] >= '0' && op.name[k] <= '9'; ++k) {
        id.version = id.version * 10 + (op.name[k] - '0');
    }
    return findDefinition(user, id);
}

bool Definitions::isNone(TermId term) const { return m_store.type(term).element == ElementType::Undefined && m_store.kind(term) == TermKind::Bound; }

TermId Definitions::define(TermId term) {
    std::vector<TermId> stack{term};
    while (!stack.empty()) {
        const TermId top = stack.back();
        if (m_memo.size() < m_store.size()) {
            m_memo.resize(m_store.size());
        }
        if (m_memo[top.index].isValid()) {
            stack.pop_back();
            continue;
        }
        if (const auto at = m_meanings.find(top.index); at != m_meanings.end()) {
            if (!m_memo[at->second.index].isValid()) {
                stack.push_back(at->second);
                continue;
            }
            m_memo[top.index] = m_memo[at->second.index];
            m_meanings.erase(at);
            stack.pop_back();
            continue;
        }
        std::vector<TermId> operands;
        bool ready = true;
        for (const TermId operand : m_store.operands(top)) {
            if (!m_memo[operand.index].isValid()) {
                stack.push_back(operand);
                ready = false;
            } else {
                operands.push_back(m_memo[operand.index]);
            }
        }
        if (!ready) {
            continue;
        }
        const TermId out = rebuild(top, operands);
        m_memo.resize(m_store.size());
        if (m_store.kind(out) == TermKind::Apply) {
            // A definition may use ops that have one themselves (a mean inside a normalisation).
            if (const std::optional<TermId> inner = meaning(out); inner && *inner != out && *inner != top) {
                m_meanings[top.index] = *inner;
                continue;
            }
        }
        stack.pop_back();
        m_memo.resize(m_store.size());
        m_memo[top.index] = out;
        if (!m_memo[out.index].isValid()) {
            m_memo[out.index] = out;
        }
    }
    return m_memo[term.index];
}

TermId Definitions::rebuild(TermId term, const std::vector<TermId>& operands) {
    if (std::equal(operands.begin(), operands.end(), m_store.operands(term).begin())) {
        return term;
    }
    const Term data = m_store.term(term);
    const TensorType type = m_store.type(term);
    switch (data.kind) {
    case TermKind::Apply:
        if (m_store.op(data.op).elementwise) {
            return m_move.elementwise(data.op, operands, type);
        }
        return m_store.apply(data.op, operands, type);
    case TermKind::View: {
        const View view = m_store.view(term);
        const TermId source = operands[0];
        return type.shape ? m_move.sink(source, view, *type.shape) : m_store.rawView(source, view, type);
    }
    case TermKind::Concat: return m_move.concat(data.payload, operands);
    default: return term;
    }
}

const Definition* Definitions::definitionOf(OperatorId op) {
    const auto [at, added] = m_definitions.try_emplace(op.index, nullptr);
    if (added) {
        at->second = lemmascope::definitionOf(m_store, m_store.op(op));
    }
    return at->second;
}

void Definitions::note(TermId term, const std::string& text) {
    if (m_store.op(term).name.find('@') == std::string::npos) {
        return; // an op that terms know in itself; only some of its forms are composite
    }
    if (std::find(m_store.notes.begin(), m_store.notes.end(), text) == m_store.notes.end()) {
        m_store.notes.push_back(text);
    }
}

const Definitions::Body& Definitions::bodyOf(TermId term, const Definition& definition) {
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    const Operator op = m_store.op(term);
    std::vector<std::uint32_t> key{m_store.term(term).op.index};
    std::vector<std::optional<std::vector<Dim>>> elements(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        key.push_back(m_store.term(operands[i]).type);
        if (isInteger(m_store.type(operands[i]).element)) {
            if (const std::optional<Tensor> constant = m_store.constantElements(operands[i], MaxElements)) {
                elements[i].emplace();
                for (std::int64_t k = 0; k < constant->count(); ++k) {
                    elements[i]->emplace_back(constant->toInt64(k));
                }
                key.push_back(operands[i].index);
            }
        }
        key.push_back(0xFFFFFFFFU);
    }
    const auto [at, added] = m_bodies.try_emplace(std::move(key));
    Body& out = at->second;
    if (!added) {
        return out;
    }
    DefinedCall call;
    call.definition = &definition;
    call.attributes = &op.attributes;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        call.operands.push_back(isNone(operands[i]) ? std::nullopt
                                                    : std::optional(DefinedCall::Operand{m_store.type(operands[i]), std::move(elements[i])}));
    }
    call.wanted.assign(op.result + 1, false);
    call.wanted[op.result] = true;
    Result<DefinedBody> body = writeOut(call);
    if (!body) {
        note(term, body.error().message);
        return out;
    }
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(body->graph);
    if (!typed) {
        note(term, definedName(definition) + ": " + typed.error().message);
        return out;
    }
    const TensorType& made = (*typed)->value((*typed)->outputs.front()).type;
    const TensorType& wanted = m_store.type(term);
    if (made.element != wanted.element || (wanted.shape && made.shape != wanted.shape)) {
        note(term, definedName(definition) + ": its definition gives " + made.text() + ", expected " + wanted.text());
        return out;
    }
    if (Result<GraphTree> tree = GraphTree::build(*typed)) {
        out.tree = std::make_shared<const GraphTree>(std::move(*tree));
        out.operands = body->operands;
    }
    return out;
}

std::vector<Access> Definitions::accesses(TermId term, const std::string& name) {
    const Definition* definition = m_store.kind(term) == TermKind::Apply ? definitionOf(m_store.term(term).op) : nullptr;
    if (definition == nullptr || !definitionIndexes(m_store.definitions.get(), *definition)) {
        return {};
    }
    const Body& body = bodyOf(term, *definition);
    if (!body.tree) {
        return {};
    }
    std::vector<TermId> inputs;
    for (const std::size_t k : body.operands) {
        inputs.push_back(m_store.operands(term)[k]);
    }
    TermBuilder builder(m_store);
    Result<GraphTerms> terms = builder.build(*body.tree, inputs);
    if (!terms) {
        return {};
    }
    for (Access& access : terms->accesses) {
        access.buffer = (access.buffer.empty() ? "a table" : access.buffer) + " in " + name;
    }
    return std::move(terms->accesses);
}

std::optional<TermId> Definitions::meaning(TermId term) {
    const Definition* definition = definitionOf(m_store.term(term).op);
    if (definition == nullptr) {
        return std::nullopt;
    }
    const Body& body = bodyOf(term, *definition);
    if (!body.tree) {
        return std::nullopt;
    }
    std::vector<TermId> inputs;
    for (const std::size_t k : body.operands) {
        inputs.push_back(m_store.operands(term)[k]);
    }
    TermBuilder builder(m_store);
    const Result<GraphTerms> terms = builder.build(*body.tree, inputs);
    if (!terms) {
        return std::nullopt;
    }
    const TermId out = terms->values[body.tree->top().outputs.front().index];
    return out.isValid() ? std::optional<TermId>(out) : std::nullopt;
}

} // namespace lemmascope
