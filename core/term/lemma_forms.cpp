// From a value down to its cuts: views are pushed to what is read, contractions become sums over bound indices.

#include "core/term/lemma_forms.h"

#include "core/term/expand.h"
#include "core/term/form_term.h"
#include "core/term/view.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lemmascope {

namespace {

constexpr std::uint32_t MaxDepth = 400;
constexpr std::size_t MaxRank = 64;

View identityView(const Shape& shape) {
    View view{Dim(0), {}};
    if (const Dim count = elementCount(shape); !count.is(1)) {
        view.modes.push_back(Mode{count, Dim(1)});
    }
    return view;
}

/// `view` for the leading axes, and the index itself for `count` further elements behind each.
View extended(const View& view, const Dim& count) {
    View out{view.offset * count, {}};
    for (const Mode& mode : view.modes) {
        out.modes.push_back(Mode{mode.extent, mode.stride * count});
    }
    out.modes.push_back(Mode{count, Dim(1)});
    return coalesced(std::move(out));
}

/// Ops of which a sum of sums stays one: what is joined may wait until all its parts are there.
bool isLinear(const std::string& name) { return name == "Add" || name == "Sub" || name == "Neg" || name == "Sum" || name == "Mean"; }

bool isFloatingContraction(const TermStore& store, TermId term) {
    return std::all_of(store.operands(term).begin(), store.operands(term).end(),
                       [&](TermId t) { return store.hasShape(t) && isFloat(store.type(t).element); });
}

} // namespace

Shape joinedShape(const Shape& first, const Shape& second) {
    Shape out = first;
    out.insert(out.end(), second.begin(), second.end());
    return out;
}

LemmaForms::LemmaForms(TermStore& store, FormStore::Limits limits) : m_store(store), m_move(store), m_forms(store, limits) { m_forms.ownFormTerms(); }

void LemmaForms::start(Cut cut, std::function<bool()> expiry, bool renew, bool windows) {
    m_cut = std::move(cut);
    m_expiry = std::move(expiry);
    m_memo.clear();
    m_cutTerms.clear();
    m_needs.reset();
    m_gaveUp = false;
    m_depth = 0;
    m_steps = 0;
    m_largestSteps = 0;
    m_windows = windows;
    m_usedWindows = false;
    if (renew) {
        m_forms.renewBudget();
    }
}

std::optional<Scalar> LemmaForms::at(TermId term) {
    m_needs.reset();
    m_depth = 0;
    m_mayCut = true;
    m_outerRank = m_store.hasShape(term) ? m_store.shape(term).size() : 0;
    try {
        const Scalar out = withSumsJoined(scalar(term), m_store.hasShape(term) ? m_store.shape(term) : Shape{});
        return gaveUp() ? std::nullopt : std::optional<Scalar>(out);
    } catch (const CutRequest& request) {
        m_needs = SpaceCut{request.axis, request.position, request.digit};
    } catch (const GiveUp&) {
        m_gaveUp = true;
    }
    return std::nullopt;
}

Scalar LemmaForms::scalar(TermId term) {
    if (const auto at = m_memo.find(term); at != m_memo.end()) {
        return at->second;
    }
    if (++m_depth > MaxDepth || m_forms.tooLarge() || ((++m_steps & 31U) == 0 && m_expiry && m_expiry())) {
        throw GiveUp{};
    }
    const Scalar out = compute(term);
    --m_depth;
    m_memo.emplace(term, out);
    return out;
}

TermId LemmaForms::materialise(Scalar scalar, const TensorType& type) { return formTerm(m_store, m_forms, scalar, type); }

Scalar LemmaForms::compute(TermId term) {
    if (!m_store.hasShape(term)) {
        throw GiveUp{};
    }
    const Shape space = m_store.shape(term);
    const bool viewed = m_store.kind(term) == TermKind::View;
    const TermId source = viewed ? m_store.operands(term)[0] : term;
    if (!m_store.hasShape(source) || m_store.shape(source).size() > MaxRank) {
        throw GiveUp{};
    }
    const View view = viewed ? m_store.view(term) : identityView(space);
    if (const std::optional<TermId> cut = m_cut ? m_cut(source) : std::nullopt) {
        m_cutTerms.push_back(source);
        return m_forms.read(viewed ? m_move.view(*cut, view, space) : *cut, -1);
    }
    switch (m_store.kind(source)) {
    case TermKind::Constant: {
        const bool one =
            view.offset.isKnown() && std::all_of(view.modes.begin(), view.modes.end(), [](const Mode& mode) { return mode.stride.is(0); });
        const Tensor& data = m_store.constantTensor(source);
        const std::int64_t index = data.count() == 1 ? 0 : view.offset.isKnown() ? view.offset.value() : -1;
        if ((one || data.count() == 1) && index >= 0 && index < data.count() && isComputable(data.element())) {
            Expander expander(
                m_store, m_forms, Meaning::Exact, [](TermId) { return std::nullopt; }, 4);
            return expander.at(source, index);
        }
        return m_forms.read(term, -1);
    }
    case TermKind::Input:
    case TermKind::Bound: return m_forms.read(term, -1);
    case TermKind::View: {
        const TermId composition = m_move.view(source, view, space);
        if (composition != term) {
            return scalar(composition);
        }
        // No single view: the inner one is a value of its own.
        const bool before = m_mayCut;
        m_mayCut = false;
        const TermId whole = materialise(scalar(source), m_store.type(source));
        m_mayCut = before;
        return m_forms.read(m_store.rawView(whole, view, m_store.type(term)), -1);
    }
    case TermKind::Concat: return joined(term, source, view);
    case TermKind::Apply: break;
    }
    const Operator op = m_store.op(source);
    if (op.elementwise) {
        std::vector<Scalar> values;
        bool all = true;
        const std::vector<TermId> operands(m_store.operands(source).begin(), m_store.operands(source).end());
        for (const TermId operand : operands) {
            all = all && m_store.type(operand).element != ElementType::Undefined && m_store.hasShape(operand);
            if (!all) {
                break;
            }
            const bool same = m_store.shape(operand) == m_store.shape(source);
            if (!same && !m_store.shape(operand).empty()) {
                all = false;
                break;
            }
            values.push_back(scalar(viewed && same ? m_move.view(operand, view, space) : operand));
        }
        if (all) {
            if (!isLinear(op.name)) {
                for (Scalar& value : values) {
                    value = withSumsJoined(value, space);
                }
            }
            if (const std::optional<Scalar> value = scalarMeaning(m_store, source, values, m_forms)) {
                return *value;
            }
            return m_forms.function(op.name + "#" + std::to_string(m_store.term(source).op.index), values, op.element);
        }
    }
    if (op.name == "form" || op.name == "form?" || op.name == "Sum" || op.name == "Largest" || op.name == "Length" || op.name == "defined" ||
        op.name == "Padded") {
        return m_forms.read(term, -1);
    }
    if (const std::optional<Scalar> sum = contraction(term, source, view)) {
        return *sum;
    }
    if (const std::optional<Scalar> largest = pooled(term, source, view)) {
        return *largest;
    }
    return opaque(term, source, view);
}

TermId LemmaForms::padded(TermId x, const std::vector<std::int64_t>& pads) {
    const std::size_t spatial = pads.size() / 2;
    const TermId zero = m_store.constant(Tensor::of<float>(ElementType::F32, {}, {0.0F}));
    for (std::size_t k = 0; k < spatial; ++k) {
        const std::size_t axis = k + 2;
        std::vector<TermId> parts;
        const auto edge = [&](std::int64_t width) {
            Shape shape = m_store.shape(x);
            shape[axis] = Dim(width);
            View none{Dim(0), {Mode{elementCount(shape), Dim(0)}}};
            return m_store.rawView(zero, coalesced(none), {m_store.type(x).element, shape});
        };
        if (pads[k] > 0) {
            parts.push_back(edge(pads[k]));
        }
        parts.push_back(x);
        if (pads[spatial + k] > 0) {
            parts.push_back(edge(pads[spatial + k]));
        }
        if (parts.size() > 1) {
            x = m_move.concat(axis, parts);
        }
    }
    return x;
}

std::optional<Scalar> LemmaForms::contraction(TermId term, TermId source, const View& view) {
    const Operator op = m_store.op(source);
    const std::vector<TermId> operands(m_store.operands(source).begin(), m_store.operands(source).end());
    const bool largest = op.name == "ReduceMax" || op.name == "ReduceMin" || op.name == "GlobalMaxPool";
    const bool integers = largest && isInteger(op.element) && isComputable(op.element) && operands.size() == 1 && m_store.hasShape(operands[0]);
    if (operands.empty() || (!integers && (!isFloat(op.element) || !isFloatingContraction(m_store, source)))) {
        return std::nullopt;
    }
    const Shape space = m_store.shape(term);
    const Shape shape = m_store.shape(source);
    Shape bound;
    std::vector<Operand> factors; ///< views from the flat index of (shape, bound)
    const auto add = [&](TermId operand, const Dim& offset, const std::vector<Dim>& strides) {
        factors.push_back(Operand{operand, fromAxisStrides(offset, joinedShape(shape, bound), strides)});
    };
    if (op.name == "ReduceSum" || largest) {
        const auto at = op.attributes.find("axes");
        const auto* axes = at == op.attributes.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&at->second);
        const Shape from = m_store.shape(operands[0]);
        std::vector<std::int64_t> spatial;
        if (op.name == "GlobalMaxPool" && from.size() > 2) {
            for (std::size_t k = 2; k < from.size(); ++k) {
                spatial.push_back(static_cast<std::int64_t>(k));
            }
            axes = &spatial;
        }
        if (axes == nullptr || operands.size() != 1 || from.size() != shape.size()) {
            return std::nullopt;
        }
        const std::vector<Dim> own = contiguousStrides(from);
        std::vector<Dim> strides = own;
        for (const std::int64_t axis : *axes) {
            const Dim& extent = from[static_cast<std::size_t>(axis)];
            if (largest && extent.lowerBound().value_or(0) < 1) {
                return std::nullopt;
            }
            bound.push_back(extent);
            strides[static_cast<std::size_t>(axis)] = Dim(0);
        }
        for (const std::int64_t axis : *axes) {
            strides.push_back(own[static_cast<std::size_t>(axis)]);
        }
        add(operands[0], Dim(0), strides);
    } else if (op.name == "MatMul" && operands.size() == 2) {
        const Shape a = m_store.shape(operands[0]);
        const Shape b = m_store.shape(operands[1]);
        if (a.size() < 2 || b.size() < 2 || shape.size() != std::max(a.size(), b.size())) {
            return std::nullopt;
        }
        bound.push_back(a.back());
        const std::size_t rank = shape.size();
        for (const bool left : {true, false}) {
            const Shape own = left ? a : b;
            const std::vector<Dim> contiguous = contiguousStrides(own);
            std::vector<Dim> strides(rank + 1, Dim(0));
            for (std::size_t k = 0; k + 2 < own.size(); ++k) {
                const std::size_t axis = rank - own.size() + k;
                if (own[k].is(1) && !shape[axis].is(1)) {
                    continue;
                }
                if (!(own[k] == shape[axis])) {
                    return std::nullopt;
                }
                strides[axis] = contiguous[k];
            }
            strides[left ? rank - 2 : rank - 1] = contiguous[left ? own.size() - 2 : own.size() - 1];
            strides[rank] = contiguous[left ? own.size() - 1 : own.size() - 2];
            add(operands[left ? 0 : 1], Dim(0), strides);
        }
    } else if (op.name == "Conv" && operands.size() == 2 && shape.size() >= 3) {
        const auto ints = [&](const char* name) { return op.attribute<std::vector<std::int64_t>>(name); };
        const std::vector<std::int64_t> strides = ints("strides");
        const std::vector<std::int64_t> dilations = ints("dilations");
        const std::vector<std::int64_t> pads = ints("pads");
        const std::int64_t group = op.attribute<std::int64_t>("group", 1);
        const std::size_t spatial = shape.size() - 2;
        const Shape weight = m_store.shape(operands[1]);
        const bool fits = strides.size() == spatial && dilations.size() == spatial && pads.size() == 2 * spatial && weight.size() == shape.size() &&
                          group >= 1 && std::all_of(pads.begin(), pads.end(), [](std::int64_t p) { return p >= 0; });
        const std::optional<Dim> perGroup = fits ? Dim::exactQuotient(weight[0], Dim(group)) : std::nullopt;
        if (!perGroup || !(m_store.shape(operands[0])[1] == weight[1] * Dim(group)) || !(weight[0] == shape[1])) {
            return std::nullopt;
        }
        const TermId x = padded(operands[0], pads);
        const Shape in = m_store.shape(x);
        const std::vector<Dim> xs = contiguousStrides(in);
        const std::vector<Dim> ws = contiguousStrides(weight);
        // The result's channel axis as two digits (group, channel of the group): the flat index is the same.
        Shape digits{shape[0], Dim(group), *perGroup};
        digits.insert(digits.end(), shape.begin() + 2, shape.end());
        std::vector<Dim> fromX{xs[0], weight[1] * xs[1], Dim(0)};
        std::vector<Dim> fromW{Dim(0), *perGroup * ws[0], ws[0]};
        for (std::size_t k = 0; k < spatial; ++k) {
            fromX.push_back(Dim(strides[k]) * xs[k + 2]);
            fromW.push_back(Dim(0));
        }
        for (std::size_t k = 1; k < weight.size(); ++k) {
            bound.push_back(weight[k]);
            fromX.push_back(k == 1 ? xs[1] : Dim(dilations[k - 2]) * xs[k]);
            fromW.push_back(ws[k]);
        }
        const Shape all = joinedShape(digits, bound);
        factors.push_back(Operand{x, fromAxisStrides(Dim(0), all, fromX)});
        factors.push_back(Operand{operands[1], fromAxisStrides(Dim(0), all, fromW)});
    } else if (op.name == "Einsum") {
        const std::string equation = op.attribute<std::string>("equation");
        const std::size_t arrow = equation.find("->");
        if (equation.find('.') != std::string::npos || arrow == std::string::npos) {
            return std::nullopt;
        }
        const std::string result = equation.substr(arrow + 2);
        std::vector<std::string> inputs(1);
        for (const char c : equation.substr(0, arrow)) {
            if (c == ',') {
                inputs.emplace_back();
            } else {
                inputs.back().push_back(c);
            }
        }
        if (inputs.size() != operands.size() || result.size() != shape.size()) {
            return std::nullopt;
        }
        std::map<char, Dim> summed;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const Shape own = m_store.shape(operands[i]);
            if (own.size() != inputs[i].size()) {
                return std::nullopt;
            }
            for (std::size_t k = 0; k < own.size(); ++k) {
                const char letter = inputs[i][k];
                const std::size_t at = result.find(letter);
                const Dim extent = at != std::string::npos ? shape[at] : summed.contains(letter) ? summed[letter] : own[k];
                if (!(own[k] == extent)) {
                    return std::nullopt; // a letter of length 1 against a longer one
                }
                if (at == std::string::npos) {
                    summed[letter] = own[k];
                }
            }
        }
        for (const auto& [letter, extent] : summed) {
            bound.push_back(extent);
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::vector<Dim> own = contiguousStrides(m_store.shape(operands[i]));
            std::vector<Dim> strides(shape.size() + bound.size(), Dim(0));
            for (std::size_t k = 0; k < own.size(); ++k) {
                const std::size_t at = result.find(inputs[i][k]);
                const std::size_t axis =
                    at != std::string::npos ? at : shape.size() + static_cast<std::size_t>(std::distance(summed.begin(), summed.find(inputs[i][k])));
                strides[axis] = strides[axis] + own[k]; // a letter twice is a diagonal
            }
            add(operands[i], Dim(0), strides);
        }
    } else {
        return std::nullopt;
    }
    const View outer = extended(view, elementCount(bound));
    for (Operand& factor : factors) {
        const std::optional<View> whole = composed(factor.view, outer);
        if (!whole) {
            return std::nullopt;
        }
        factor.view = *whole;
    }
    const Extreme kind = op.name == "ReduceMin" ? Extreme::Smallest : largest ? Extreme::Largest : Extreme::None;
    if (!integers) {
        return sumOfProducts(factors, space, bound, op.element, kind);
    }
    // Integers are compared as the numbers they stand for.
    const ElementType real = bitWidth(op.element) <= 16 ? ElementType::F32 : ElementType::F64;
    return m_forms.integerOfWholeReal(sumOfProducts(factors, space, bound, real, kind), op.element);
}

Scalar LemmaForms::opaque(TermId term, TermId source, const View& view) {
    const Operator op = m_store.op(source);
    const TensorType type = m_store.type(source);
    const std::vector<TermId> operands(m_store.operands(source).begin(), m_store.operands(source).end());
    const bool linear = op.name == "AveragePool" || op.name == "CumSum" ||
                        ((op.name == "MatMul" || op.name == "Conv" || op.name == "ConvTranspose") && operands.size() == 2 && isFloat(type.element));
    const bool monotone = op.name == "MaxPool" || op.name == "ReduceMax" || op.name == "ReduceMin";
    mpq_class factor = 1;
    std::vector<TermId> arguments;
    const bool before = m_mayCut;
    m_mayCut = false;
    for (const TermId operand : operands) {
        const TensorType own = m_store.type(operand);
        if (own.element == ElementType::Undefined || !own.shape) {
            arguments.push_back(operand);
            continue;
        }
        Scalar value = withSumsJoined(scalar(operand), *own.shape);
        if (isFloat(own.element) && !isFloat(type.element) && isComputable(own.element) && readsNarrowingCast(m_store, operand)) {
            value = m_forms.rounded(value, own.element);
        }
        if (linear || (monotone && isFloat(own.element))) {
            const mpq_class content = m_forms.contentOf(value);
            factor *= content;
            value = m_forms.mul(value, m_forms.number(mpq_class(1) / content));
        }
        arguments.push_back(materialise(value, own));
    }
    m_mayCut = before;
    const TermId leaf = m_store.apply(m_store.internOperator(op), arguments, type);
    const Scalar read = m_forms.read(term == source ? leaf : m_move.view(leaf, view, m_store.shape(term)), -1);
    return factor == 1 ? read : m_forms.mul(m_forms.number(factor), read);
}

} // namespace lemmascope
