// What multiplies a product of reads of values is constant, so it is an array that can be evaluated, with the bound of its
// rounding in the type of its constants.

#include "core/term/constant_walk.h"

#include "core/term/form_numbers.h"
#include "core/term/view.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <span>

namespace lemmascope {

namespace {

constexpr double Slack = 4.0; ///< times the bound of both evaluations
constexpr std::size_t MostTargets = 512;
constexpr double Noise = 1e-13; ///< relative error of our own evaluation in double, with room

double halfSmallestSubnormal(ElementType element) {
    switch (element) {
    case ElementType::F16: return 0x1p-25;
    case ElementType::BF16: return 0x1p-134;
    case ElementType::F32: return 0x1p-150;
    default: return 0.0;
    }
}

std::string number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 9).ptr;
    return {text.data(), end};
}

} // namespace

using Estimate = ConstantEstimate;

ConstantEstimate ConstantMatcher::Walk::times(const Estimate& a, const Estimate& b, double u) {
    const double value = a.value * b.value;
    return Estimate{value, std::fabs(a.value) * b.bound + std::fabs(b.value) * a.bound + a.bound * b.bound + std::fabs(value) * u,
                    a.magnitude * b.magnitude};
}

std::optional<ConstantEstimate> ConstantMatcher::Walk::raised(const Estimate& a, const mpq_class& exponent) const {
    if (exponent == 1) {
        return a;
    }
    const double e = exponent.get_d();
    const bool whole = exponent.get_den() == 1;
    if ((!whole && !(a.value > 0.0)) || (exponent < 0 && a.value == 0.0) || std::fabs(e) > 64) {
        return std::nullopt;
    }
    const double value = std::pow(a.value, e);
    const double relative = a.value == 0.0 ? 0.0 : a.bound / std::fabs(a.value);
    if (relative > 0.01 || !std::isfinite(value)) {
        return std::nullopt;
    }
    const double steps = whole ? std::fabs(e) : 2.0; // a root, and perhaps a reciprocal
    return Estimate{value, std::fabs(value) * (std::fabs(e) * relative * 1.1 + steps * m_owner.m_unit), std::fabs(value)};
}

std::optional<std::int64_t> ConstantMatcher::Walk::flatOf(TermId leaf, const Shape& space, const std::vector<std::int64_t>& at) {
    // Asked for every element: the few leaves and spaces are remembered.
    auto& known = m_strides[leaf];
    auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == space; });
    if (found == known.end()) {
        known.emplace_back(space, m_lemma.stridesOf(leaf, space));
        found = std::prev(known.end());
    }
    const std::optional<AxisStrides>& strides = found->second;
    if (!strides || !strides->offset.isKnown()) {
        return std::nullopt;
    }
    std::int64_t flat = strides->offset.value();
    for (std::size_t k = 0; k < space.size(); ++k) {
        if (strides->strides[k].is(0)) {
            continue;
        }
        if (!strides->strides[k].isKnown()) {
            return std::nullopt;
        }
        flat += strides->strides[k].value() * at[k];
    }
    return flat;
}

std::optional<ConstantEstimate> ConstantMatcher::Walk::element(TermId leaf, const Shape& space, const std::vector<std::int64_t>& at, int depth) {
    if (const LemmaForms::Sum* found = m_lemma.sumOf(leaf); found != nullptr && m_store.shape(leaf) == space) {
        const LemmaForms::Sum sum = *found;
        Coefficient one;
        std::optional<Estimate> out;
        std::vector<std::int64_t> box;
        std::int64_t points = 1;
        for (const Dim& dim : sum.bound) {
            if (!dim.isKnown() || dim.value() > 1'000'000) {
                return std::nullopt;
            }
            box.push_back(dim.value());
            points *= dim.value();
            if (points > 1'000'000) {
                return std::nullopt;
            }
        }
        std::vector<std::int64_t> index = at;
        index.resize(at.size() + box.size(), 0);
        const Shape wider = joinedShape(space, sum.bound);
        for (std::int64_t p = 0; p < points; ++p) {
            std::int64_t rest = p;
            for (std::size_t k = box.size(); k-- > 0;) {
                index[at.size() + k] = rest % box[k];
                rest /= box[k];
            }
            const std::optional<Estimate> here = estimate(m_forms.formOf(sum.inner), wider, index, depth + 1);
            if (!here) {
                return std::nullopt;
            }
            if (!out) {
                out = here;
            } else if (sum.largest) {
                out = here->value > out->value ? here : out;
            } else {
                out = Estimate{out->value + here->value, out->bound + here->bound + std::fabs(out->value + here->value) * m_owner.m_unit,
                               out->magnitude + here->magnitude};
            }
        }
        return out;
    }
    const TermId source = m_store.sourceOf(leaf);
    if (m_store.kind(source) != TermKind::Constant) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> place = flatOf(leaf, space, at);
    if (!place) {
        return std::nullopt;
    }
    const std::int64_t flat = *place;
    std::vector<double>& values = m_owner.m_values[source];
    if (values.empty()) {
        const Tensor& data = m_store.constantTensor(source);
        values.reserve(static_cast<std::size_t>(data.count()));
        for (std::int64_t i = 0; i < data.count(); ++i) {
            values.push_back(data.toDouble(i));
        }
    }
    if (flat < 0 || flat >= static_cast<std::int64_t>(values.size())) {
        return std::nullopt;
    }
    const double value = values[static_cast<std::size_t>(flat)];
    if (!std::isfinite(value)) {
        return std::nullopt;
    }
    const ElementType element = m_store.type(source).element;
    const double unit = std::ldexp(1.0, -static_cast<int>(significandBits(element)));
    // Below the smallest normal number what is stored is off by more, for its size.
    const double bound = value == 0.0 ? 0.0 : std::max(std::fabs(value) * unit, halfSmallestSubnormal(element));
    return Estimate{value, bound, std::fabs(value)};
}

std::optional<ConstantEstimate> ConstantMatcher::Walk::estimate(AtomId atom, const mpq_class& exponent, const Shape& space,
                                                                const std::vector<std::int64_t>& at, int depth) {
    if (depth > MaxDepth) {
        return std::nullopt;
    }
    const std::vector<FormId> list = m_forms.formsOf(atom);
    std::optional<Estimate> base;
    switch (m_forms.kind(atom)) {
    case FormStore::AtomKind::Read: {
        const std::vector<TermId>& leaves = m_forms.leavesOf(atom);
        base = leaves.size() == 1 ? element(leaves.front(), space, at, depth) : std::nullopt;
        break;
    }
    case FormStore::AtomKind::Power: base = estimate(list[0], space, at, depth + 1); break;
    case FormStore::AtomKind::Exp: {
        const std::optional<Estimate> inner = estimate(m_forms.exponentOf(atom), space, at, depth + 1);
        if (!inner || std::fabs(inner->value) > 80 || inner->bound > 0.01) {
            return std::nullopt;
        }
        const double value = std::exp(inner->value);
        base = Estimate{value, value * (inner->bound * 1.1 + m_owner.m_unit), value};
        break;
    }
    case FormStore::AtomKind::Max:
        for (const FormId form : list) {
            const std::optional<Estimate> one = estimate(form, space, at, depth + 1);
            if (!one) {
                return std::nullopt;
            }
            base = base && base->value >= one->value ? base : one;
        }
        break;
    case FormStore::AtomKind::Truth: return std::nullopt;
    case FormStore::AtomKind::Function: {
        const std::string& name = m_forms.nameOf(atom);
        if (name == "sqrt_2_over_pi") {
            base = Estimate{0.79788456080286535588, 0.0, 0.8};
        } else if (name == "log" && list.size() == 1) {
            const std::optional<Estimate> inner = estimate(list[0], space, at, depth + 1);
            if (!inner || !(inner->value > 0.0)) {
                return std::nullopt;
            }
            const double value = std::log(inner->value);
            base = Estimate{value, inner->bound / inner->value * 1.1 + std::fabs(value) * m_owner.m_unit, std::fabs(value) + 1.0};
        }
        break;
    }
    }
    return base ? raised(*base, exponent) : std::nullopt;
}

std::optional<ConstantEstimate> ConstantMatcher::Walk::estimate(FormId form, const Shape& space, const std::vector<std::int64_t>& at, int depth) {
    Estimate sum;
    for (const Monomial& monomial : m_forms.monomials(form)) {
        Estimate product = numberOf(monomial.coefficient);
        bool first = abs(monomial.coefficient) == 1;
        for (const Factor& factor : monomial.factors) {
            const std::optional<Estimate> one = estimate(factor.atom, factor.exponent, space, at, depth + 1);
            if (!one) {
                return std::nullopt;
            }
            product = times(product, *one, first ? 0.0 : m_owner.m_unit);
            first = false;
        }
        const double value = sum.value + product.value;
        const double rounding = sum.magnitude == 0.0 ? 0.0 : std::fabs(value) * m_owner.m_unit;
        sum = Estimate{value, sum.bound + product.bound + rounding, sum.magnitude + product.magnitude};
    }
    return sum;
}

std::optional<ConstantEstimate> ConstantMatcher::Walk::estimate(const Coefficient& c, const Shape& space, const Shape& inner,
                                                                const std::vector<std::int64_t>& at) {
    std::vector<std::int64_t> index = at;
    index.resize(space.size() + inner.size(), 0);
    std::int64_t points = 1;
    for (const Dim& dim : inner) {
        if (!dim.isKnown() || dim.value() > 100'000 || points > 100'000) {
            return std::nullopt;
        }
        points *= dim.value();
    }
    Estimate sum;
    for (std::int64_t p = 0; p < points; ++p) {
        std::int64_t rest = p;
        for (std::size_t k = inner.size(); k-- > 0;) {
            index[space.size() + k] = rest % inner[k].value();
            rest /= inner[k].value();
        }
        Estimate product{1.0, 0.0, 1.0};
        bool first = true;
        for (const Placed& placed : c.constants) {
            const std::optional<Estimate> one = estimate(placed.atom, placed.exponent, placed.space, index, 0);
            if (!one) {
                return std::nullopt;
            }
            product = times(product, *one, first ? 0.0 : m_owner.m_unit);
            first = false;
        }
        const double value = sum.value + product.value;
        sum = Estimate{value, sum.bound + product.bound + (p == 0 ? 0.0 : std::fabs(value) * m_owner.m_unit), sum.magnitude + product.magnitude};
    }
    bool first = c.constants.empty();
    Estimate out = sum;
    for (const auto& [base, exponent] : c.powers) {
        const std::optional<Estimate> one = raised(numberOf(base), exponent);
        if (!one) {
            return std::nullopt;
        }
        out = times(out, *one, first || base == 1 ? 0.0 : m_owner.m_unit);
        first = first && base == 1;
    }
    const bool unit = abs(c.scale) == 1;
    return times(out, numberOf(c.scale), first || unit ? 0.0 : m_owner.m_unit);
}

std::optional<mpq_class> ConstantMatcher::Walk::exact(AtomId atom, const mpq_class& exponent, const Shape& space, const std::vector<std::int64_t>& at,
                                                      int depth) {
    if (depth > MaxDepth || m_exactLeft == 0) {
        return std::nullopt;
    }
    --m_exactLeft;
    std::optional<mpq_class> base;
    if (m_forms.kind(atom) == FormStore::AtomKind::Read) {
        const std::vector<TermId>& leaves = m_forms.leavesOf(atom);
        if (leaves.size() != 1 || m_lemma.sumOf(leaves.front()) != nullptr) {
            return std::nullopt;
        }
        const std::optional<Estimate> value = element(leaves.front(), space, at, depth); // a stored value is exact in double
        base = value ? std::optional<mpq_class>(value->value) : std::nullopt;
    } else if (m_forms.kind(atom) == FormStore::AtomKind::Power) {
        base = exact(m_forms.formsOf(atom)[0], space, at, depth + 1);
    }
    if (!base || (*base == 0 && exponent < 0)) {
        return std::nullopt;
    }
    if (exponent.get_den() != 1) {
        return formnumbers::rationalPower(*base, exponent);
    }
    if (abs(exponent) > formnumbers::MaxPower) {
        return std::nullopt;
    }
    mpq_class out = 1;
    for (long k = std::labs(exponent.get_num().get_si()); k > 0; --k) {
        out = exponent > 0 ? mpq_class(out * *base) : mpq_class(out / *base);
    }
    return out;
}

std::optional<mpq_class> ConstantMatcher::Walk::exact(FormId form, const Shape& space, const std::vector<std::int64_t>& at, int depth) {
    mpq_class sum = 0;
    for (const Monomial& monomial : m_forms.monomials(form)) {
        mpq_class product = monomial.coefficient;
        for (const Factor& factor : monomial.factors) {
            const std::optional<mpq_class> one = exact(factor.atom, factor.exponent, space, at, depth + 1);
            if (!one) {
                return std::nullopt;
            }
            product *= *one;
        }
        sum += product;
    }
    return sum;
}

std::optional<mpq_class> ConstantMatcher::Walk::exact(const Coefficient& c, const Shape& space, const Shape& inner,
                                                      const std::vector<std::int64_t>& at) {
    std::vector<std::int64_t> index = at;
    index.resize(space.size() + inner.size(), 0);
    std::int64_t points = 1;
    for (const Dim& dim : inner) {
        points *= dim.value();
    }
    mpq_class sum = 0;
    for (std::int64_t p = 0; p < points; ++p) {
        std::int64_t rest = p;
        for (std::size_t k = inner.size(); k-- > 0;) {
            index[space.size() + k] = rest % inner[k].value();
            rest /= inner[k].value();
        }
        mpq_class product = c.scale;
        for (const Placed& placed : c.constants) {
            const std::optional<mpq_class> one = exact(placed.atom, placed.exponent, placed.space, index, 0);
            if (!one) {
                return std::nullopt;
            }
            product *= *one;
        }
        sum += product;
    }
    for (const auto& [base, exponent] : c.powers) {
        const std::optional<mpq_class> one = formnumbers::rationalPower(base, exponent);
        if (!one) {
            return std::nullopt;
        }
        sum *= *one;
    }
    return sum;
}

std::optional<std::vector<ConstantMatch::Product>> ConstantMatcher::Walk::spelt(const Split& split, const std::vector<std::int64_t>& at,
                                                                                std::optional<std::size_t> but) {
    const Coefficient& c = split.coefficient;
    std::vector<std::int64_t> index = at;
    index.resize(split.space.size() + split.inner.size(), 0);
    std::int64_t points = 1;
    for (const Dim& dim : split.inner) {
        if (!dim.isKnown() || dim.value() > 64 || points > 64) {
            return std::nullopt;
        }
        points *= dim.value();
    }
    std::vector<ConstantMatch::Product> out;
    for (std::int64_t p = 0; p < points; ++p) {
        std::int64_t rest = p;
        for (std::size_t k = split.inner.size(); k-- > 0;) {
            index[split.space.size() + k] = rest % split.inner[k].value();
            rest /= split.inner[k].value();
        }
        ConstantMatch::Product product;
        product.scale = c.scale;
        product.powers = c.powers;
        for (std::size_t k = 0; k < c.constants.size(); ++k) {
            const Placed& placed = c.constants[k];
            if (k == but) {
                continue;
            }
            const std::optional<mpq_class> base = exact(placed.atom, 1, placed.space, index, 0);
            if (!base || (*base == 0 && placed.exponent < 0)) {
                return std::nullopt;
            }
            if (placed.exponent.get_den() == 1 && abs(placed.exponent) <= formnumbers::MaxPower) {
                for (long power = std::labs(placed.exponent.get_num().get_si()); power > 0; --power) {
                    product.scale = placed.exponent > 0 ? mpq_class(product.scale * *base) : mpq_class(product.scale / *base);
                }
            } else if (const std::optional<mpq_class> root = formnumbers::rationalPower(*base, placed.exponent)) {
                product.scale *= *root;
            } else if (*base > 0) {
                product.powers.emplace_back(*base, placed.exponent);
            } else {
                return std::nullopt;
            }
        }
        out.push_back(std::move(product));
    }
    return out;
}

void ConstantMatcher::Walk::addTarget(ConstantMatch::Gap& gap, const std::vector<const Split*>& own, const std::vector<const Split*>& other,
                                      const std::vector<std::int64_t>& at) {
    if (gap.targets.size() >= MostTargets || own.size() != 1 || !own.front()->inner.empty()) {
        return;
    }
    ConstantMatch::Target target;
    for (const Split* one : other) {
        std::optional<std::vector<ConstantMatch::Product>> products = spelt(*one, at, std::nullopt);
        if (!products) {
            return;
        }
        target.sum.insert(target.sum.end(), products->begin(), products->end());
    }
    const std::vector<Placed>& placed = own.front()->coefficient.constants;
    std::optional<std::size_t> position;
    std::optional<std::int64_t> flat = gap.constant.isValid() ? std::nullopt : std::optional<std::int64_t>(-1);
    for (std::size_t k = 0; k < placed.size() && gap.constant.isValid(); ++k) {
        const std::vector<TermId> leaves = m_forms.leavesOf(placed[k].atom);
        const bool read = m_forms.kind(placed[k].atom) == FormStore::AtomKind::Read && leaves.size() == 1;
        const TermId source = !read ? TermId() : m_store.kind(leaves[0]) == TermKind::View ? m_store.operands(leaves[0])[0] : leaves[0];
        if (source == gap.constant && abs(placed[k].exponent) == 1) {
            position = k;
            target.inverse = placed[k].exponent < 0;
            flat = flatOf(leaves[0], placed[k].space, at);
        }
    }
    const auto rest = flat ? spelt(*own.front(), at, position) : std::nullopt;
    if (!rest || rest->size() != 1 || rest->front().scale == 0) {
        return;
    }
    target.rest = rest->front();
    gap.targets.try_emplace(*flat, std::move(target));
}

bool ConstantMatcher::Walk::exactly(const std::vector<const Split*>& left, const std::vector<const Split*>& right,
                                    const std::vector<std::int64_t>& at) {
    mpq_class difference = 0;
    for (const bool mine : {true, false}) {
        for (const Split* one : mine ? left : right) {
            const std::optional<mpq_class> value = exact(one->coefficient, one->space, one->inner, at);
            if (!value) {
                return false;
            }
            difference += mine ? *value : mpq_class(-*value);
        }
    }
    return difference == 0;
}

bool ConstantMatcher::Walk::storedAlike(const Split& left, const Split& right) {
    struct Stored {
        const Tensor* data = nullptr;
        std::int64_t offset = 0;
        std::vector<std::int64_t> strides; ///< by axis of the space
    };
    const Shape& space = left.space;
    const auto stored = [&](const Split& side) -> std::optional<Stored> {
        const Coefficient& c = side.coefficient;
        if (!side.inner.empty() || !c.powers.empty() || c.constants.size() != 1 || c.constants[0].exponent != 1 ||
            m_forms.kind(c.constants[0].atom) != FormStore::AtomKind::Read) {
            return std::nullopt;
        }
        const std::vector<TermId>& leaves = m_forms.leavesOf(c.constants[0].atom);
        const TermId leaf = leaves.size() == 1 ? leaves.front() : TermId();
        const TermId source = leaf.isValid() ? m_store.sourceOf(leaf) : leaf;
        if (!source.isValid() || m_store.kind(source) != TermKind::Constant) {
            return std::nullopt;
        }
        const std::optional<AxisStrides> strides = m_lemma.stridesOf(leaf, c.constants[0].space);
        if (!strides || !strides->offset.isKnown() || strides->strides.size() > space.size()) {
            return std::nullopt;
        }
        Stored out{&m_store.constantTensor(source), strides->offset.value(), std::vector<std::int64_t>(space.size(), 0)};
        std::int64_t low = out.offset;
        std::int64_t high = out.offset;
        for (std::size_t k = 0; k < strides->strides.size(); ++k) {
            if (strides->strides[k].is(0)) {
                continue;
            }
            if (!strides->strides[k].isKnown() || !space[k].isKnown() || space[k].value() < 1) {
                return std::nullopt;
            }
            out.strides[k] = strides->strides[k].value();
            const std::int64_t reach = (space[k].value() - 1) * out.strides[k];
            (reach < 0 ? low : high) += reach;
        }
        return low >= 0 && high < out.data->count() ? std::optional<Stored>(std::move(out)) : std::nullopt;
    };
    if (left.coefficient.scale != right.coefficient.scale || !(left.space == right.space)) {
        return false;
    }
    const std::optional<Stored> a = stored(left);
    const std::optional<Stored> b = stored(right);
    if (!a || !b || a->data->element() != ElementType::F32 || b->data->element() != ElementType::F32) {
        return false;
    }
    std::vector<std::size_t> axes;
    for (std::size_t k = 0; k < space.size(); ++k) {
        if (a->strides[k] != 0 || b->strides[k] != 0) {
            axes.push_back(k);
        }
    }
    const std::span<const float> x = a->data->as<float>();
    const std::span<const float> y = b->data->as<float>();
    std::vector<std::int64_t> at(axes.size(), 0);
    std::int64_t i = a->offset;
    std::int64_t j = b->offset;
    for (std::size_t count = 1;; ++count) {
        const float value = x[static_cast<std::size_t>(i)];
        if (!std::isfinite(value) || std::bit_cast<std::uint32_t>(value) != std::bit_cast<std::uint32_t>(y[static_cast<std::size_t>(j)]) ||
            ((count & 0xFFFFFU) == 0 && m_owner.m_expiry && m_owner.m_expiry())) {
            return false;
        }
        std::size_t k = axes.size();
        for (; k > 0; --k) {
            const std::size_t axis = axes[k - 1];
            i += a->strides[axis];
            j += b->strides[axis];
            if (++at[k - 1] < space[axis].value()) {
                break;
            }
            i -= a->strides[axis] * space[axis].value();
            j -= b->strides[axis] * space[axis].value();
            at[k - 1] = 0;
        }
        if (k == 0) {
            return true;
        }
    }
}

bool ConstantMatcher::Walk::coefficients(const std::vector<const Split*>& left, const std::vector<const Split*>& right) {
    if (left.size() == 1 && right.size() == 1 && storedAlike(*left.front(), *right.front())) {
        return true;
    }
    const Split& any = left.empty() ? *right.front() : *left.front();
    const Shape& space = any.space;
    std::vector<bool> varies(space.size(), false);
    const auto look = [&](const std::vector<const Split*>& side) {
        for (const Split* one : side) {
            for (const Placed& placed : one->coefficient.constants) {
                const std::vector<bool> along = m_lemma.variesAlong(placed.atom, placed.space);
                for (std::size_t k = 0; k < space.size() && k < along.size(); ++k) {
                    varies[k] = varies[k] || along[k];
                }
            }
        }
    };
    look(left);
    look(right);
    std::vector<std::size_t> axes;
    std::size_t points = 1;
    for (std::size_t k = 0; k < space.size(); ++k) {
        if (!varies[k]) {
            continue;
        }
        if (!space[k].isKnown()) {
            return tooLarge("a constant along a symbolic axis");
        }
        axes.push_back(k);
        points *= static_cast<std::size_t>(space[k].value());
        if (points > m_owner.m_maxElements) {
            return tooLarge("a constant of more than " + std::to_string(m_owner.m_maxElements) + " elements");
        }
    }
    ConstantMatch::Gap gap;
    bool allExact = true;
    std::vector<std::int64_t> at(space.size(), 0);
    for (std::size_t p = 0; p < points; ++p) {
        std::size_t rest = p;
        for (std::size_t k = axes.size(); k-- > 0;) {
            const auto extent = static_cast<std::size_t>(space[axes[k]].value());
            at[axes[k]] = static_cast<std::int64_t>(rest % extent);
            rest /= extent;
        }
        if ((p & 0xFFFU) == 0xFFFU && m_owner.m_expiry && m_owner.m_expiry()) {
            return tooLarge("out of time");
        }
        std::array<Estimate, 2> sums;
        for (const std::size_t side : {0U, 1U}) {
            bool first = true;
            for (const Split* one : side == 0 ? left : right) {
                const std::optional<Estimate> here = estimate(one->coefficient, one->space, one->inner, at);
                if (!here) {
                    return tooLarge("a constant that cannot be evaluated");
                }
                Estimate& sum = sums[side];
                const double value = sum.value + here->value;
                sum = Estimate{value, sum.bound + here->bound + (first ? 0.0 : std::fabs(value) * m_owner.m_unit), sum.magnitude + here->magnitude};
                first = false;
            }
        }
        const double difference = std::fabs(sums[0].value - sums[1].value);
        const double noise = Noise * (sums[0].magnitude + sums[1].magnitude);
        const double allowed = Slack * (sums[0].bound + sums[1].bound);
        if (!(difference + noise <= allowed) && !(difference == 0.0 && sums[0].bound == 0.0 && sums[1].bound == 0.0)) {
            std::string index;
            for (const std::size_t axis : axes) {
                index += (index.empty() ? "" : ",") + std::to_string(at[axis]);
            }
            return fail("the coefficient of " + (any.key.empty() ? "1" : any.key.substr(0, 80)) + " at [" + index + "] is " + number(sums[0].value) +
                        " against " + number(sums[1].value));
        }
        if (difference == 0.0 && left.size() == 1 && right.size() == 1 && left[0]->inner.empty() && right[0]->inner.empty()) {
            // Exact in double: at most one f32 constant on each side, and equal numbers before it.
            const Coefficient& x = left[0]->coefficient;
            const Coefficient& y = right[0]->coefficient;
            const auto single = [](const Coefficient& c) {
                return c.powers.empty() && c.constants.size() <= 1 && (c.constants.empty() || c.constants[0].exponent == 1);
            };
            if (single(x) && single(y) && abs(x.scale) == abs(y.scale) && x.constants.size() == y.constants.size()) {
                continue;
            }
        }
        if (difference <= noise && exactly(left, right, at)) {
            continue;
        }
        allExact = false;
        const double scale = std::max(std::fabs(sums[0].value), std::fabs(sums[1].value));
        if (scale > 0.0) {
            const double ulp = std::ldexp(2.0 * m_owner.m_unit, static_cast<int>(std::floor(std::log2(scale))));
            gap.ulp = std::max(gap.ulp, difference / ulp);
            gap.relative = std::max(gap.relative, difference / scale);
            gap.allowed = std::max(gap.allowed, allowed / scale);
        }
    }
    if (allExact) {
        return true;
    }
    // Which stored constant is taken to be another value: one that only one side has, linear in the product.
    std::vector<TermId> mine;
    std::vector<TermId> theirs;
    const auto sources = [&](const std::vector<const Split*>& side, std::vector<TermId>& into) {
        for (const Split* one : side) {
            for (const Placed& placed : one->coefficient.constants) {
                for (const TermId leaf : m_forms.leavesOf(placed.atom)) {
                    into.push_back(m_store.sourceOf(leaf));
                }
            }
        }
    };
    sources(left, mine);
    sources(right, theirs);
    const auto name = [this](const std::vector<const Split*>& side) {
        std::string out;
        for (const Split* one : side) {
            out += one->coefficient.scale.get_str();
            for (const Placed& placed : one->coefficient.constants) {
                out += "*" + m_forms.nameOf(placed.atom) + "(";
                for (const TermId leaf : m_forms.leavesOf(placed.atom)) {
                    out += std::to_string(m_store.sourceOf(leaf).index) + ",";
                }
                out += ")^" + placed.exponent.get_str();
            }
            out += "+";
        }
        return out;
    };
    const auto only = [](const std::vector<TermId>& list, const std::vector<TermId>& other) {
        for (const TermId term : list) {
            if (std::find(other.begin(), other.end(), term) == other.end()) {
                return term;
            }
        }
        return TermId();
    };
    gap.constant = only(theirs, mine);
    bool rewritten = gap.constant.isValid();
    if (!rewritten) {
        gap.constant = only(mine, theirs);
    }
    if (gap.constant.isValid()) {
        m_out.taken.emplace_back(gap.constant, name(rewritten ? left : right));
        const std::vector<const Split*>& its = rewritten ? right : left;
        for (const Placed& placed : its.size() == 1 && its.front()->inner.empty() ? its.front()->coefficient.constants : std::vector<Placed>{}) {
            const std::vector<TermId> leaves = m_forms.leavesOf(placed.atom);
            const TermId source = leaves.size() != 1                          ? TermId()
                                  : m_store.kind(leaves[0]) == TermKind::View ? m_store.operands(leaves[0])[0]
                                                                              : leaves[0];
            gap.factor = gap.factor || (source == gap.constant && abs(placed.exponent) >= 1);
        }
    } else {
        // A number in the text of a definition, or a scalar, is another on the other side.
        const auto scale = [](const std::vector<const Split*>& side) { return side.empty() ? mpq_class(0) : side.front()->coefficient.scale; };
        const auto irrational = [](const std::vector<const Split*>& side) {
            return std::any_of(side.begin(), side.end(), [](const Split* s) { return !s->coefficient.powers.empty(); });
        };
        if (name(left) == name(right) && !irrational(left) && !irrational(right)) {
            return fail("both graphs hold the same constants, and their coefficients differ");
        }
        gap.number = number(scale(right.empty() ? left : right).get_d());
    }
    // What the constant would have to be, for a text of the lemma that is exact.
    const bool second = rewritten || !gap.constant.isValid();
    for (std::size_t p = 0; p < std::min(points, MostTargets + 1); ++p) {
        std::size_t rest_ = p;
        for (std::size_t k = axes.size(); k-- > 0;) {
            const auto extent = static_cast<std::size_t>(space[axes[k]].value());
            at[axes[k]] = static_cast<std::int64_t>(rest_ % extent);
            rest_ /= extent;
        }
        addTarget(gap, second ? right : left, second ? left : right, at);
    }
    m_out.discontinuous = m_out.discontinuous || m_inStep;
    m_out.gaps.push_back(gap);
    return true;
}

} // namespace lemmascope
