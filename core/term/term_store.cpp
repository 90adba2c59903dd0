#include "core/term/term_store.h"

#include "core/term/view.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace lemmascope {

namespace {

std::uint32_t mix(std::uint32_t hash, std::uint32_t word) {
    hash ^= word + 0x9E3779B9U + (hash << 6U) + (hash >> 2U);
    return hash * 0x85EBCA6BU ^ (hash >> 13U);
}

/// Element type and shape as a key; static shapes without building polynomial text.
std::string typeKey(const TensorType& type) { return type.text(); }

std::string viewKey(const View& view) {
    std::string key = view.offset.text();
    for (const Mode& mode : view.modes) {
        key += ";" + mode.extent.text() + ":" + mode.stride.text();
    }
    return key;
}

void appendAttribute(std::string& out, const Attribute& attribute) {
    std::visit(
        [&out](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::int64_t>) {
                out += std::to_string(value);
            } else if constexpr (std::is_same_v<T, float>) {
                std::uint32_t bits = 0;
                std::memcpy(&bits, &value, sizeof bits);
                out += "f" + std::to_string(bits);
            } else if constexpr (std::is_same_v<T, std::string>) {
                out += "s" + std::to_string(value.size()) + ":" + value;
            } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
                out += "[";
                for (const std::int64_t item : value) {
                    out += std::to_string(item) + ",";
                }
                out += "]";
            } else if constexpr (std::is_same_v<T, std::vector<float>>) {
                out += "f[";
                for (const float item : value) {
                    std::uint32_t bits = 0;
                    std::memcpy(&bits, &item, sizeof bits);
                    out += std::to_string(bits) + ",";
                }
                out += "]";
            } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
                out += "s[";
                for (const std::string& item : value) {
                    out += std::to_string(item.size()) + ":" + item;
                }
                out += "]";
            } else if constexpr (std::is_same_v<T, Tensor>) {
                out += "t" + value.digest().hex();
            } else {
                out += "g"; // nested graphs become operands, see term_builder.cpp
            }
        },
        attribute);
}

} // namespace

TermStore::TermStore() : m_table(1024, 0) {}

std::uint32_t TermStore::internType(const TensorType& type) {
    const auto [at, added] = m_typeIndex.try_emplace(typeKey(type), static_cast<std::uint32_t>(m_types.size()));
    if (added) {
        m_types.push_back(type);
    }
    return at->second;
}

OperatorId TermStore::internOperator(Operator op) {
    std::string key = op.name + "|" + std::to_string(op.result) + "|" + std::string(name(op.element)) + "|" + (op.open ? "o" : "");
    for (const auto& [attributeName, attribute] : op.attributes) {
        key += "|" + attributeName + "=";
        appendAttribute(key, attribute);
    }
    const auto [at, added] = m_operatorIndex.try_emplace(std::move(key), static_cast<std::uint32_t>(m_operators.size()));
    if (added) {
        m_operators.push_back(std::move(op));
    }
    return OperatorId(at->second);
}

void TermStore::grow() {
    std::vector<std::uint32_t> table(m_table.size() * 2, 0);
    const std::size_t mask = table.size() - 1;
    for (std::size_t i = 0; i < m_terms.size(); ++i) {
        std::size_t at = m_hashes[i] & mask;
        while (table[at] != 0) {
            at = (at + 1) & mask;
        }
        table[at] = static_cast<std::uint32_t>(i + 1);
    }
    m_table.swap(table);
}

TermId TermStore::intern(Term term, std::span<const TermId> operands) {
    std::uint32_t hash = mix(static_cast<std::uint32_t>(term.kind), term.op.index);
    hash = mix(mix(hash, term.type), term.payload);
    for (const TermId operand : operands) {
        hash = mix(hash, operand.index);
    }
    if (m_terms.size() * 10 >= m_table.size() * 6) {
        grow();
    }
    const std::size_t mask = m_table.size() - 1;
    std::size_t at = hash & mask;
    for (; m_table[at] != 0; at = (at + 1) & mask) {
        const std::uint32_t index = m_table[at] - 1;
        const Term& other = m_terms[index];
        if (m_hashes[index] == hash && other.kind == term.kind && other.op == term.op && other.type == term.type && other.payload == term.payload &&
            other.operandCount == operands.size() && std::equal(operands.begin(), operands.end(), m_operands.begin() + other.firstOperand)) {
            return TermId(index);
        }
    }
    term.firstOperand = static_cast<std::uint32_t>(m_operands.size());
    term.operandCount = static_cast<std::uint32_t>(operands.size());
    // `operands` may point into m_operands itself: copy before it can move.
    const std::vector<TermId> copy(operands.begin(), operands.end());
    m_operands.insert(m_operands.end(), copy.begin(), copy.end());
    m_terms.push_back(term);
    m_hashes.push_back(hash);
    m_openForms.emplace_back();
    m_table[at] = static_cast<std::uint32_t>(m_terms.size());
    return TermId(m_terms.size() - 1);
}

std::span<const TermId> TermStore::operands(TermId id) const {
    const Term& term = m_terms[id.index];
    return {m_operands.data() + term.firstOperand, term.operandCount};
}

TermId TermStore::input(std::uint32_t number, const TensorType& type) {
    return intern(Term{.kind = TermKind::Input, .type = internType(type), .payload = number}, {});
}

TermId TermStore::bound(std::uint32_t number, const TensorType& type) {
    return intern(Term{.kind = TermKind::Bound, .type = internType(type), .payload = number}, {});
}

TermId TermStore::constant(const Tensor& tensor) {
    Tensor flat = tensor.reshaped({tensor.count()});
    bool uniform = false;
    if (tensor.element() != ElementType::String && tensor.count() >= 1) {
        const std::size_t size = byteSize(tensor.element());
        const std::byte* first = tensor.bytes().data();
        const std::size_t total = tensor.bytes().size();
        // All elements equal the first exactly when the bytes equal themselves shifted by one element.
        uniform = total == size || std::memcmp(first, first + size, total - size) == 0;
    }
    if (uniform) {
        const std::size_t size = byteSize(tensor.element());
        auto element = std::make_shared<std::vector<std::uint64_t>>(2, 0); // aligned for every element type
        std::memcpy(element->data(), tensor.bytes().data(), size);
        flat = Tensor(tensor.element(), {}, {reinterpret_cast<const std::byte*>(element->data()), size}, element);
    }
    const Digest128 digest = flat.digest();
    std::vector<std::uint32_t>& bucket = m_constantIndex[digest];
    std::uint32_t index = Id<void>::Invalid;
    for (const std::uint32_t candidate : bucket) {
        if (m_constants[candidate].sameBits(flat)) {
            index = candidate;
        }
    }
    if (index == Id<void>::Invalid) {
        index = static_cast<std::uint32_t>(m_constants.size());
        m_constants.push_back(flat);
        bucket.push_back(index);
    }
    Shape flatShape;
    for (const std::int64_t length : flat.shape()) {
        flatShape.emplace_back(length);
    }
    const TermId data = intern(Term{.kind = TermKind::Constant, .type = internType({flat.element(), flatShape}), .payload = index}, {});
    Shape shape;
    for (const std::int64_t length : tensor.shape()) {
        shape.emplace_back(length);
    }
    View view{Dim(0), {}};
    if (!uniform) {
        view.modes.push_back(Mode{Dim(tensor.count()), Dim(1)});
    } else {
        view.modes.push_back(Mode{Dim(tensor.count()), Dim(0)});
    }
    return rawView(data, coalesced(view), {tensor.element(), shape});
}

TermId TermStore::apply(OperatorId op, std::span<const TermId> operands, const TensorType& type) {
    return intern(Term{.kind = TermKind::Apply, .op = op, .type = internType(type)}, operands);
}

TermId TermStore::rawConcat(std::uint32_t axis, std::span<const TermId> operands, const TensorType& type) {
    return intern(Term{.kind = TermKind::Concat, .type = internType(type), .payload = axis}, operands);
}

TermId TermStore::rawView(TermId source, const View& view, const TensorType& type) {
    if (type == this->type(source) && isIdentity(view, elementCount(*type.shape))) {
        return source;
    }
    const auto [at, added] = m_viewIndex.try_emplace(viewKey(view), static_cast<std::uint32_t>(m_views.size()));
    if (added) {
        m_views.push_back(view);
    }
    return intern(Term{.kind = TermKind::View, .type = internType(type), .payload = at->second}, std::span(&source, 1));
}

TermId TermStore::openForm(TermId id) {
    // Operands have smaller ids, so an explicit stack reaches the bottom; forms made on the way are their own forms.
    std::vector<TermId> stack{id};
    while (!stack.empty()) {
        const TermId top = stack.back();
        if (m_openForms[top.index].isValid()) {
            stack.pop_back();
            continue;
        }
        bool ready = true;
        for (const TermId operand : operands(top)) {
            if (!m_openForms[operand.index].isValid()) {
                stack.push_back(operand);
                ready = false;
            }
        }
        if (!ready) {
            continue;
        }
        stack.pop_back();
        std::vector<TermId> forms;
        for (const TermId operand : operands(top)) {
            forms.push_back(m_openForms[operand.index]);
        }
        Term term = m_terms[top.index];
        if (term.kind == TermKind::Apply) {
            const Operator& applied = m_operators[term.op.index];
            if (applied.commutative && forms.size() == 2 && forms[1] < forms[0]) {
                std::swap(forms[0], forms[1]);
            }
            if ((applied.name == "Greater" || applied.name == "GreaterOrEqual") && forms.size() == 2) {
                // match: a > b   result: b < a
                Operator mirrored = applied;
                mirrored.name = applied.name == "Greater" ? "Less" : "LessOrEqual";
                term.op = internOperator(mirrored);
                std::swap(forms[0], forms[1]);
            } else if (applied.name == "Not" && isElementwise(forms[0]) && op(forms[0]).name == "Not") {
                // match: Not(Not c)   result: c
                m_openForms[top.index] = operands(forms[0])[0];
                continue;
            } else if (applied.name == "Where" && isElementwise(forms[0]) && op(forms[0]).name == "Not") {
                // match: Where(Not c, a, b)   result: Where(c, b, a)
                forms[0] = operands(forms[0])[0];
                std::swap(forms[1], forms[2]);
            }
        }
        const TermId form = intern(term, forms);
        m_openForms[top.index] = form;
        m_openForms[form.index] = form;
    }
    return m_openForms[id.index];
}

std::optional<double> TermStore::uniformValue(TermId id) const {
    TermId source = id;
    if (kind(source) == TermKind::View) {
        source = operands(source)[0];
    }
    if (kind(source) != TermKind::Constant) {
        return std::nullopt;
    }
    const Tensor& data = constantTensor(source);
    if (data.count() != 1 || data.element() == ElementType::String) {
        return std::nullopt;
    }
    return data.toDouble(0);
}

std::optional<Tensor> TermStore::constantElements(TermId id, std::int64_t limit) const {
    TermId source = id;
    const View* through = nullptr;
    if (kind(source) == TermKind::View) {
        through = &view(source);
        source = operands(source)[0];
    }
    if (kind(source) != TermKind::Constant || !type(id).isStatic()) {
        return std::nullopt;
    }
    const Tensor& data = constantTensor(source);
    const std::vector<std::int64_t> lengths = *staticShape(shape(id));
    std::int64_t count = 1;
    for (const std::int64_t length : lengths) {
        count *= length;
    }
    if (count > limit || data.element() == ElementType::String) {
        return std::nullopt;
    }
    const std::size_t size = byteSize(data.element());
    auto block = std::make_shared<std::vector<std::uint64_t>>(static_cast<std::size_t>(count) * size / 8 + 2, 0);
    auto* target = reinterpret_cast<std::byte*>(block->data());
    for (std::int64_t flat = 0; flat < count; ++flat) {
        const std::int64_t from = through == nullptr ? flat : *sourceIndex(*through, flat);
        std::memcpy(target + static_cast<std::size_t>(flat) * size, data.bytes().data() + static_cast<std::size_t>(from) * size, size);
    }
    return Tensor(data.element(), lengths, {target, static_cast<std::size_t>(count) * size}, block);
}

std::string TermStore::text(TermId id, int depth) const {
    const Term& shown = term(id);
    std::string out;
    switch (shown.kind) {
    case TermKind::Input: return shown.payload < inputNames.size() ? inputNames[shown.payload] : "input" + std::to_string(shown.payload);
    case TermKind::Bound: return "bound" + std::to_string(shown.payload);
    case TermKind::Constant: {
        const Tensor& data = constantTensor(id);
        return data.count() == 1 && data.element() != ElementType::String ? std::to_string(data.toDouble(0))
                                                                          : "constant" + std::to_string(shown.payload);
    }
    case TermKind::Apply: out = op(id).name; break;
    case TermKind::View: out = "view"; break;
    case TermKind::Concat: out = "concat" + std::to_string(shown.payload); break;
    }
    if (depth == 0) {
        return out + "(...)";
    }
    out += "(";
    bool first = true;
    for (const TermId operand : operands(id)) {
        out += (first ? "" : ", ") + text(operand, depth - 1);
        first = false;
    }
    if (shown.kind == TermKind::View) {
        out += "; " + viewKey(view(id));
    }
    return out + ")";
}

} // namespace lemmascope
