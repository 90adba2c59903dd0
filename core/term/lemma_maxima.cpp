// A maximum over indices commutes with what keeps the order of its values: positive scales, shifts, roundings, exponentials, bounds, and
// an integer's value as a real number. What is so drawn out stands outside on both sides of a lemma.

#include "core/term/lemma_forms.h"

#include "core/term/form_term.h"
#include "core/term/view.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

constexpr std::int64_t MaxWindows = 100'000;
constexpr std::uint32_t MaxSteps = 4'000;

std::optional<Rounding> roundingNamed(const std::string& name) {
    if (name == "floor") {
        return Rounding::Down;
    }
    if (name == "ceil") {
        return Rounding::Up;
    }
    if (name == "trunc") {
        return Rounding::ToZero;
    }
    return name == "round" ? std::optional(Rounding::HalfEven) : std::nullopt;
}

bool isIncreasing(const std::string& name) {
    return name == "erf" || name == "tanh" || name == "atan" || name == "sinh" || name == "asinh" || name == "sign";
}

} // namespace

Scalar LemmaForms::largestThrough(Scalar value, const Largest& largest) {
    // Forms share their parts: without a limit a maximum of maxima of one form would be walked many times.
    if (++m_depth > 400 || ++m_largestSteps > MaxSteps) {
        throw GiveUp{};
    }
    const Scalar out = [&]() -> Scalar {
        mpq_class shift = 0;
        std::vector<Scalar> rest;
        std::optional<FormStore::Monomial> only;
        for (const FormStore::Monomial& part : m_forms.monomials(value)) {
            if (part.factors.empty()) {
                shift += part.coefficient;
                continue;
            }
            rest.push_back(m_forms.product(part.coefficient, part.factors));
            only = part;
        }
        const Scalar shifted = m_forms.number(shift);
        if (rest.empty()) {
            return shifted;
        }
        // match: max of c v + d, c > 0   result: c (max of v) + d
        const auto plain = [&] {
            const Scalar sum = m_forms.withoutConditions(m_forms.sum(rest));
            const mpq_class content = m_forms.contentOf(sum);
            return m_forms.add(m_forms.mul(m_forms.number(content), largest.base(m_forms.mul(sum, m_forms.number(mpq_class(1) / content)))), shifted);
        };
        if (rest.size() != 1 || only->factors.size() != 1 || only->factors[0].exponent != 1) {
            return plain();
        }
        const AtomId atom = only->factors[0].atom;
        const mpq_class scale = only->coefficient;
        const auto scaled = [&](Scalar inner) { return m_forms.add(m_forms.mul(m_forms.number(scale), inner), shifted); };
        switch (m_forms.kind(atom)) {
        case FormStore::AtomKind::Max: {
            const std::vector<FormId> forms = m_forms.formsOf(atom);
            std::optional<Scalar> joined;
            if (scale > 0) {
                // match: max of max(u, v)   result: max(max of u, max of v)
                for (const FormId form : forms) {
                    const Scalar one = largest.again(m_forms.valueOf(form));
                    joined = joined ? m_forms.max(*joined, one) : one;
                }
                return scaled(*joined);
            }
            // match: max of min(u, k), k a number   result: min(max of u, k); here -max(-u, -k)
            const auto isNumber = [&](FormId form) { return m_forms.leaves(m_forms.valueOf(form)).empty(); };
            if (std::count_if(forms.begin(), forms.end(), isNumber) + 1 != static_cast<std::ptrdiff_t>(forms.size())) {
                return plain();
            }
            for (const FormId form : forms) {
                const Scalar one = isNumber(form)
                                       ? m_forms.valueOf(form)
                                       : m_forms.sub(m_forms.number(0), largest.again(m_forms.sub(m_forms.number(0), m_forms.valueOf(form))));
                joined = joined ? m_forms.max(*joined, one) : one;
            }
            return scaled(*joined);
        }
        case FormStore::AtomKind::Exp:
            // match: max of exp(v)   result: exp(max of v)
            return scale > 0 ? scaled(m_forms.exp(largest.again(m_forms.valueOf(m_forms.exponentOf(atom))))) : plain();
        case FormStore::AtomKind::Function: {
            const std::string name = m_forms.nameOf(atom);
            const std::vector<FormId> forms = m_forms.formsOf(atom);
            if (scale < 0 || forms.size() != 1) {
                return plain();
            }
            if (const std::optional<Rounding> how = roundingNamed(name)) {
                return scaled(m_forms.round(*how, largest.again(m_forms.valueOf(forms[0]))));
            }
            if (isIncreasing(name)) {
                const std::array<Scalar, 1> argument{largest.again(m_forms.valueOf(forms[0]))};
                return scaled(m_forms.function(name, argument, ElementType::F64));
            }
            const std::optional<ElementType> integer = name.starts_with("real_") ? elementTypeByName(name.substr(5)) : std::nullopt;
            if (integer && largest.integer) {
                return scaled(m_forms.realOfInteger(largest.integer(m_forms.valueOf(forms[0]), *integer), *integer));
            }
            return plain();
        }
        default: return plain();
        }
    }();
    --m_depth;
    return m_forms.withoutConditions(out);
}

bool LemmaForms::everyWindowReads(TermId pool) const {
    // A window that lies in the padding has no largest element: another value for each type of number.
    const Operator& op = m_store.op(pool);
    const Shape in = m_store.shape(m_store.operands(pool)[0]);
    const Shape out = m_store.shape(pool);
    const auto ints = [&](const char* name) { return op.attribute<std::vector<std::int64_t>>(name); };
    const std::vector<std::int64_t> kernel = ints("kernel_shape");
    const std::vector<std::int64_t> strides = ints("strides");
    const std::vector<std::int64_t> dilations = ints("dilations");
    const std::vector<std::int64_t> pads = ints("pads");
    const std::size_t spatial = kernel.size();
    if (in.size() != spatial + 2 || out.size() != in.size() || strides.size() != spatial || dilations.size() != spatial ||
        pads.size() != 2 * spatial) {
        return false;
    }
    for (std::size_t k = 0; k < spatial; ++k) {
        const Dim& length = in[k + 2];
        const std::int64_t low = pads[k];
        const std::int64_t high = pads[spatial + k];
        if (kernel[k] < 1 || strides[k] < 1 || dilations[k] < 1 || low < 0 || high < 0) {
            return false;
        }
        if (length.isKnown() && out[k + 2].isKnown()) {
            const std::int64_t windows = out[k + 2].value();
            if (windows > MaxWindows || kernel[k] > MaxWindows) {
                return false;
            }
            for (std::int64_t w = 0; w < windows; ++w) {
                const std::int64_t begin = w * strides[k] - low;
                const std::int64_t steps = begin < 0 ? (-begin + dilations[k] - 1) / dilations[k] : 0; // to the first element inside
                if (steps >= kernel[k] || begin + steps * dilations[k] >= length.value()) {
                    return false;
                }
            }
            continue;
        }
        // At any length from 1 up: windows are whole (no ceil_mode) and longer than either padding.
        if (op.attribute<std::int64_t>("ceil_mode", 0) != 0 || dilations[k] != 1 || low >= kernel[k] || high >= kernel[k] ||
            length.lowerBound().value_or(0) < 1) {
            return false;
        }
    }
    return true;
}

std::optional<Scalar> LemmaForms::pooled(TermId term, TermId source, const View& view) {
    const Operator op = m_store.op(source);
    const std::vector<TermId> operands(m_store.operands(source).begin(), m_store.operands(source).end());
    const TensorType type = m_store.type(source);
    if (op.name != "MaxPool" || op.result != 0 || operands.size() != 1 || !m_store.hasShape(operands[0]) || !everyWindowReads(source)) {
        return std::nullopt;
    }
    const bool integers = isInteger(type.element) && isComputable(type.element);
    if (!integers && !isFloat(type.element)) {
        return std::nullopt;
    }
    const Shape from = m_store.shape(operands[0]);
    const Shape space = m_store.shape(term);
    const bool before = m_mayCut;
    m_mayCut = false;
    const Scalar given = withSumsJoined(scalar(operands[0]), from);
    m_mayCut = before;
    const Scalar value = m_forms.withoutConditions(given);
    const auto leaf = [&](Scalar inner, ElementType element) {
        Operator own = op;
        own.element = element;
        const std::array<TermId, 1> arguments{materialise(inner, {element, from})};
        const TermId whole = m_store.apply(m_store.internOperator(std::move(own)), arguments, {element, type.shape});
        return m_forms.withoutConditions(m_forms.read(term == source ? whole : m_move.view(whole, view, space), -1));
    };
    Largest largest;
    largest.base = [&](Scalar inner) { return leaf(inner, isFloat(type.element) ? type.element : ElementType::F32); };
    largest.again = [&](Scalar inner) { return largestThrough(inner, largest); };
    largest.integer = [&](Scalar inner, ElementType element) {
        const Scalar real = m_forms.realOfInteger(inner, element);
        // match: max of int(v), v whole and in range   result: int(max of v)
        const std::vector<FormStore::Monomial> parts = m_forms.monomials(real);
        const bool stays = parts.size() == 1 && parts[0].coefficient == 1 && parts[0].factors.size() == 1 && parts[0].factors[0].exponent == 1 &&
                           m_forms.kind(parts[0].factors[0].atom) == FormStore::AtomKind::Function &&
                           m_forms.nameOf(parts[0].factors[0].atom).starts_with("real_");
        return stays ? leaf(inner, element) : m_forms.integerOfWholeReal(largest.again(real), element);
    };
    const Scalar out = m_forms.withoutConditions(integers ? largest.integer(value, type.element) : largest.again(value));
    if (m_forms.alwaysDefined(given)) {
        return out;
    }
    // Defined where every element of the window is: one opaque condition, equal for equal ones.
    Operator all;
    all.name = "defined";
    all.attributes = op.attributes;
    all.attributes["store"] = static_cast<std::int64_t>(m_forms.number());
    all.attributes["conditions"] = static_cast<std::int64_t>(m_forms.conditionsOf(given).index);
    all.element = ElementType::Bool;
    const Scalar conditions = m_forms.conditionsWhere(given, [](const auto&) { return true; });
    const TermId whole = m_store.apply(m_store.internOperator(std::move(all)), m_forms.leaves(conditions), {ElementType::Bool, type.shape});
    return m_forms.requiring(out, term == source ? whole : m_move.view(whole, view, space));
}

} // namespace lemmascope
