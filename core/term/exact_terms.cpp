#include "core/term/exact_terms.h"

#include "core/term/expand.h"
#include "core/term/form_term.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

constexpr std::size_t MaxParts = 64;

bool isAbsent(const TermStore& store, TermId term) { return store.type(term).element == ElementType::Undefined; }

} // namespace

ExactTerms::ExactTerms(TermStore& store, FormStore::Limits limits) : m_store(store), m_definitions(store), m_move(store), m_forms(store, limits) {
    m_forms.ownFormTerms();
}

Scalar ExactTerms::scalar(TermId term) {
    std::vector<TermId> stack{m_definitions.define(term)};
    const TermId root = stack.front();
    while (!stack.empty()) {
        const TermId top = stack.back();
        if (m_scalars.size() < m_store.size()) {
            m_scalars.resize(m_store.size());
        }
        if (m_scalars[top.index]) {
            stack.pop_back();
            continue;
        }
        bool ready = true;
        for (const TermId operand : m_store.operands(top)) {
            if (!m_scalars[operand.index]) {
                stack.push_back(operand);
                ready = false;
            }
        }
        if (!ready) {
            continue;
        }
        stack.pop_back();
        m_expired = m_expired || (m_expiry && m_expiry());
        const Scalar value = m_expired ? m_forms.read(top, -1) : compute(top);
        m_scalars.resize(std::max(m_scalars.size(), m_store.size()));
        m_scalars[top.index] = value;
    }
    return *m_scalars[root.index];
}

TermId ExactTerms::canonical(TermId term) {
    const TermId meaning = m_definitions.define(term);
    const Scalar value = scalar(meaning);
    if (m_canonical.size() < m_store.size()) {
        m_canonical.resize(m_store.size());
    }
    if (!m_canonical[meaning.index].isValid()) {
        const TermId out = materialise(value, m_store.type(meaning));
        m_canonical.resize(std::max(m_canonical.size(), m_store.size()));
        m_canonical[meaning.index] = out;
    }
    return m_canonical[meaning.index];
}

bool ExactTerms::equal(TermId a, TermId b) {
    if (a == b) {
        return true;
    }
    if (!(m_store.type(a).shape == m_store.type(b).shape) || !m_store.hasShape(a) || m_store.type(a).element != m_store.type(b).element) {
        return false;
    }
    const Scalar first = scalar(a);
    const Scalar second = scalar(b);
    return !gaveUp() && m_forms.equalScalars(first, second);
}

TermId ExactTerms::materialise(Scalar scalar, const TensorType& type) { return formTerm(m_store, m_forms, scalar, type); }

Scalar ExactTerms::readLeaf(TermId leaf, TermId meaning) {
    if (m_resolver && meaning.isValid() && m_store.kind(leaf) == TermKind::Apply) {
        if (const std::optional<TermId> other = m_resolver(leaf, meaning)) {
            leaf = *other;
        }
    }
    return m_forms.read(leaf, -1);
}

std::pair<mpq_class, Scalar> ExactTerms::withoutContent(Scalar scalar) {
    const std::vector<FormStore::Part> parts = m_forms.parts(scalar);
    mpz_class num;
    mpz_class den = 1;
    for (const FormStore::Part& part : parts) {
        mpz_gcd(num.get_mpz_t(), num.get_mpz_t(), part.coefficient.get_num().get_mpz_t());
        mpz_lcm(den.get_mpz_t(), den.get_mpz_t(), part.coefficient.get_den().get_mpz_t());
    }
    // Factors drawn out of layer after layer would square their length at every product; long ones stay inside.
    constexpr std::size_t MaxBits = 64;
    if (num == 0 || mpz_sizeinbase(num.get_mpz_t(), 2) + mpz_sizeinbase(den.get_mpz_t(), 2) > MaxBits) {
        return {mpq_class(1), scalar};
    }
    mpq_class content(num, den);
    content.canonicalize();
    if (parts.front().coefficient < 0) {
        content = -content;
    }
    if (content == 1) {
        return {content, scalar};
    }
    return {content, m_forms.mul(scalar, m_forms.number(mpq_class(1) / content))};
}

Scalar ExactTerms::compute(TermId term) {
    switch (m_store.kind(term)) {
    case TermKind::Constant: {
        const Tensor& data = m_store.constantTensor(term);
        if (data.count() == 1) {
            // The expander knows how to read each element type.
            Expander one(
                m_store, m_forms, Meaning::Exact, [](TermId) { return std::nullopt; }, 4);
            return one.at(term, 0);
        }
        return m_forms.read(term, -1);
    }
    case TermKind::Input:
    case TermKind::Bound: return m_forms.read(term, -1);
    case TermKind::View: return viewed(term);
    case TermKind::Concat: {
        std::vector<TermId> parts;
        // a copy: making terms may move the store's arrays
        const std::vector<TermId> joined(m_store.operands(term).begin(), m_store.operands(term).end());
        for (const TermId part : joined) {
            parts.push_back(materialise(*m_scalars[part.index], m_store.type(part)));
        }
        return m_forms.read(m_store.rawConcat(m_store.term(term).payload, parts, m_store.type(term)), -1);
    }
    case TermKind::Apply: break;
    }
    if (m_store.op(term).elementwise) {
        std::vector<Scalar> operands;
        for (const TermId operand : m_store.operands(term)) {
            operands.push_back(*m_scalars[operand.index]);
        }
        const bool all =
            std::none_of(m_store.operands(term).begin(), m_store.operands(term).end(), [this](TermId t) { return isAbsent(m_store, t); });
        if (all) {
            if (const std::optional<Scalar> value = scalarMeaning(m_store, term, operands, m_forms)) {
                return *value;
            }
            const Operator& op = m_store.op(term);
            return m_forms.function(op.name + "#" + std::to_string(m_store.term(term).op.index), operands, op.element);
        }
    }
    return applyComputing(term);
}

Scalar ExactTerms::viewed(TermId term) {
    const TermId source = m_store.operands(term)[0];
    const Scalar inner = *m_scalars[source.index];
    const View view = m_store.view(term);
    const TensorType type = m_store.type(term);
    if (m_store.hasShape(source) && m_store.shape(source).empty()) {
        return inner; // a tensor of rank 0 has one element, whatever the index
    }
    const auto move = [&](TermId leaf) { return m_move.view(leaf, view, *type.shape); };
    const auto fits = [&](TermId leaf) { return m_store.hasShape(leaf) && type.shape && m_store.shape(leaf) == m_store.shape(source); };
    if (const std::optional<TermId> leaf = m_forms.asRead(inner); leaf && fits(*leaf)) {
        return m_forms.read(move(*leaf), -1);
    }
    // match: view of a sum of products of reads   result: the sum of products of viewed reads
    if (m_forms.alwaysDefined(inner)) {
        const std::vector<FormStore::Part> parts = m_forms.parts(inner);
        bool plain = parts.size() <= MaxParts;
        for (const FormStore::Part& part : parts) {
            plain = plain && m_forms.leaves(part.rest).empty();
            for (const auto& [leaf, exponent] : part.reads) {
                plain = plain && fits(leaf) && exponent > 0;
            }
        }
        if (plain) {
            std::vector<Scalar> sum;
            for (const FormStore::Part& part : parts) {
                Scalar product = m_forms.mul(m_forms.number(part.coefficient), part.rest);
                for (const auto& [leaf, exponent] : part.reads) {
                    product = m_forms.mul(product, m_forms.power(m_forms.read(move(leaf), -1), exponent));
                }
                sum.push_back(product);
            }
            return m_forms.sum(sum);
        }
    }
    const TermId leaf = materialise(inner, m_store.type(source));
    return m_forms.read(type.shape ? m_move.view(leaf, view, *type.shape) : m_store.rawView(leaf, view, type), -1);
}

Scalar ExactTerms::reduceSum(TermId term, TermId operand) {
    const auto axes = std::get<std::vector<std::int64_t>>(m_store.op(term).attributes.at("axes"));
    const Scalar inner = *m_scalars[operand.index];
    const TensorType inType = m_store.type(operand);
    const TensorType outType = m_store.type(term);
    const Operator op = m_store.op(term);
    const std::vector<FormStore::Part> parts = m_forms.parts(inner);
    const bool linear = parts.size() <= MaxParts && inType.shape && outType.shape && isFloat(inType.element);
    Scalar out = 0;
    if (!linear) {
        const std::array<TermId, 1> arguments{materialise(inner, inType)};
        return readLeaf(m_store.apply(m_store.internOperator(op), arguments, outType), term);
    }
    // match: sum over axes of c * u * v, u constant along them   result: c * u * (sum of v)
    std::vector<Scalar> sum;
    Dim count(1);
    for (const std::int64_t axis : axes) {
        count = count * (*inType.shape)[static_cast<std::size_t>(axis)];
    }
    for (const FormStore::Part& part : parts) {
        Scalar outside = m_forms.number(part.coefficient);
        Scalar inside = part.rest;
        for (const auto& [leaf, exponent] : part.reads) {
            const Scalar here = m_forms.withoutConditions(m_forms.power(m_forms.withoutConditions(m_forms.read(leaf, -1)), exponent));
            bool constant = m_store.hasShape(leaf) && m_store.shape(leaf) == *inType.shape;
            if (constant) {
                std::optional<AxisStrides> strides;
                if (m_store.kind(leaf) == TermKind::View) {
                    strides = axisStrides(m_store.view(leaf), *inType.shape);
                }
                for (const std::int64_t axis : axes) {
                    const auto at = static_cast<std::size_t>(axis);
                    constant = constant && ((*inType.shape)[at].is(1) || (strides && strides->strides[at].is(0)));
                }
            }
            if (!constant) {
                // A length or another scalar that does not vary at all.
                constant = m_store.hasShape(leaf) && m_store.shape(leaf).empty();
                inside = constant ? inside : m_forms.mul(inside, here);
                outside = constant ? m_forms.mul(outside, here) : outside;
                continue;
            }
            TermId kept = leaf;
            for (const std::int64_t axis : axes) {
                kept = m_move.sliceAxis(kept, static_cast<std::size_t>(axis), Dim(0), Dim(1));
            }
            outside = m_forms.mul(outside, m_forms.withoutConditions(m_forms.power(m_forms.withoutConditions(m_forms.read(kept, -1)), exponent)));
        }
        Scalar total = 0;
        if (m_forms.leaves(inside).empty()) {
            const Scalar length = count.isKnown() ? m_forms.number(mpq_class(static_cast<long>(count.value()))) : scalar(lengthTerm(m_store, count));
            total = m_forms.mul(inside, length);
        } else {
            const std::array<TermId, 1> arguments{materialise(m_forms.withoutConditions(inside), inType)};
            const bool whole = parts.size() == 1 && m_forms.identical(outside, m_forms.number(1));
            total = m_forms.withoutConditions(readLeaf(m_store.apply(m_store.internOperator(op), arguments, outType), whole ? term : TermId()));
        }
        sum.push_back(m_forms.mul(outside, total));
    }
    out = m_forms.sum(sum);
    if (!m_forms.alwaysDefined(inner)) {
        // The sum is defined where every summand is: one opaque condition, equal for equal operands.
        Operator all;
        all.name = "defined";
        all.attributes["axes"] = axes;
        all.element = ElementType::Bool;
        const std::array<TermId, 1> arguments{materialise(inner, inType)};
        out = m_forms.requiring(m_forms.withoutConditions(out),
                                m_store.apply(m_store.internOperator(all), arguments, {ElementType::Bool, outType.shape}));
    }
    return out;
}

Scalar ExactTerms::applyComputing(TermId term) {
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    const Operator op = m_store.op(term);
    const TensorType type = m_store.type(term);
    if (op.name == "ReduceSum" && op.attributes.contains("axes") && operands.size() == 1) {
        return reduceSum(term, operands[0]);
    }
    const bool bilinear = (op.name == "MatMul" || op.name == "Conv") && operands.size() == 2 && isFloat(type.element);
    const bool linear = bilinear || op.name == "AveragePool" || op.name == "CumSum";
    const bool monotone = op.name == "ReduceMax" || op.name == "MaxPool";
    mpq_class factor = 1;
    std::vector<TermId> arguments;
    for (const TermId operand : operands) {
        Scalar value = *m_scalars[operand.index];
        const TensorType own = m_store.type(operand);
        if (isFloat(own.element) && !isFloat(type.element) && isComputable(own.element)) {
            // What orders or quantises reads the value rounded to its type where that is a narrowing Cast's.
            if (readsNarrowingCast(m_store, operand)) {
                value = m_forms.rounded(value, own.element);
            }
        }
        if (linear || (monotone && isFloat(own.element))) {
            const auto [content, rest] = withoutContent(value);
            if (linear || content > 0) {
                factor *= content;
                value = rest;
            }
        }
        arguments.push_back(materialise(value, own));
    }
    const Scalar leaf = readLeaf(m_store.apply(m_store.internOperator(op), arguments, type), factor == 1 ? term : TermId());
    return factor == 1 ? leaf : m_forms.mul(m_forms.number(factor), leaf);
}

} // namespace lemmascope
