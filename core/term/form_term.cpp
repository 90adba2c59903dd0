#include "core/term/form_term.h"

#include <utility>

namespace lemmascope {

TermId formTerm(TermStore& terms, FormStore& forms, Scalar scalar, const TensorType& type) {
    if (const std::optional<TermId> leaf = forms.asRead(scalar); leaf && terms.type(*leaf).shape == type.shape) {
        return *leaf;
    }
    Operator op;
    op.name = forms.alwaysDefined(scalar) ? "form" : "form?";
    op.attributes["store"] = static_cast<std::int64_t>(forms.number());
    op.attributes["form"] = static_cast<std::int64_t>(forms.formOf(scalar).index);
    op.attributes["defined"] = static_cast<std::int64_t>(forms.conditionsOf(scalar).index);
    op.element = type.element;
    const std::vector<TermId> leaves = forms.leaves(scalar);
    return terms.apply(terms.internOperator(std::move(op)), leaves, type);
}

TermId lengthTerm(TermStore& terms, const Dim& length) {
    Operator op;
    op.name = "Length";
    op.attributes["of"] = length.text();
    op.attributes["positive"] = std::int64_t{length.lowerBound().value_or(0) >= 1};
    op.element = ElementType::F64;
    return terms.apply(terms.internOperator(std::move(op)), {}, {ElementType::F64, Shape{}});
}

} // namespace lemmascope
