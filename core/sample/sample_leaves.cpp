// What a run starts from: which terms, how many levels of the chain, sizes, and the elements of inputs and constants.

#include "core/sample/order.h"
#include "core/sample/sample_run.h"
#include "core/sample/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace lemmascope {

using namespace sampling;

namespace {

constexpr std::int64_t LargeConstant = 4096; ///< elements; larger constants are made where they are read

std::uint64_t drawn(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return mixed(mixed(mixed(mixed(seed + 0x5A17ULL, a), b), c), d);
}

double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53; }

double normal(std::uint64_t bits) { return std::sqrt(-2.0 * std::log(uniform(bits))) * std::cos(2.0 * std::numbers::pi * uniform(mixed(17, bits))); }

/// In the input's own type, so that a graph can be run on the very sample.
double nearest(double value, ElementType type) {
    switch (type) {
    case ElementType::F32: return static_cast<double>(static_cast<float>(value));
    case ElementType::F16: return static_cast<double>(halfToFloat(doubleToHalf(value)));
    case ElementType::BF16: return static_cast<double>(bfloatToFloat(doubleToBfloat(value)));
    default: return value;
    }
}

bool isExponential(const std::string& name) {
    static const std::set<std::string> Names{"Exp", "Sigmoid", "Tanh", "Softplus", "Swish", "QuickGelu", "FastGelu", "Gelu",
                                             "Elu", "Celu",    "Selu", "Mish",     "Sinh",  "Cosh",      "Pow"};
    return Names.contains(name);
}

} // namespace

std::vector<TermId> Sampler::Run::cone(const std::vector<TermId>& from) const {
    // Operands first, depth first, so that what is read together stands together.
    std::vector<TermId> out;
    std::vector<bool> seen(store.size(), false);
    std::vector<std::pair<TermId, std::size_t>> stack;
    for (const TermId root : from) {
        if (!root.isValid() || seen[root.index]) {
            continue;
        }
        seen[root.index] = true;
        stack.emplace_back(root, 0);
        while (!stack.empty()) {
            const TermId top = stack.back().first;
            const std::span<const TermId> operands = store.operands(top);
            if (stack.back().second == operands.size()) {
                out.push_back(top);
                stack.pop_back();
                continue;
            }
            const TermId next = operands[stack.back().second++];
            if (!seen[next.index]) {
                seen[next.index] = true;
                stack.emplace_back(next, 0);
            }
        }
    }
    return out;
}

void Sampler::Run::prepare(std::span<const TermId> given) {
    sampleCount = std::clamp<std::size_t>(options.samples, 1, 32);
    const std::vector<TermId> original(given.begin(), given.end());
    for (const TermId root : original) {
        if (root.isValid()) {
            (void)definitions.define(root);
        }
    }
    for (const TermId term : cone(original)) {
        const TermId meaning = definitions.define(term);
        if (definedOf.size() <= term.index) {
            definedOf.resize(static_cast<std::size_t>(term.index) + 1);
        }
        definedOf[term.index] = meaning;
    }
    for (const TermId root : original) {
        roots.push_back(root.isValid() ? definedOf[root.index] : TermId());
    }
    const std::size_t first = std::min(options.firstRoots, roots.size());
    const std::vector<TermId> firstCone = cone({roots.begin(), roots.begin() + static_cast<std::ptrdiff_t>(first)});
    for (const TermId term : firstCone) {
        at(term).ofFirst = true;
    }
    for (const TermId term : cone({roots.begin() + static_cast<std::ptrdiff_t>(first), roots.end()})) {
        if (at(term).ofFirst && store.kind(term) == TermKind::Constant) {
            shared.insert(term);
        }
    }
    order = cone(roots); // the first graph's roots come first
    for (const TermId term : order) {
        for (const TermId operand : store.operands(term)) {
            ++at(operand).readers;
        }
    }
    for (const TermId root : roots) {
        if (root.isValid()) {
            at(root).isKept = true;
        }
    }
    for (const TermId term : order) {
        at(term).isKept = at(term).isKept || store.kind(term) == TermKind::Input;
    }
    std::string why;
    const std::optional<std::map<std::string, std::int64_t>> chosen = chooseSizes(store, order, options.sizes, options.symbols, why);
    if (!chosen) {
        complain(why);
        order.clear();
        return;
    }
    sizes = *chosen;
    for (const TermId term : order) {
        if (store.kind(term) != TermKind::Apply || store.op(term).name != "ReduceSum" || !store.op(term).attributes.contains("axes")) {
            continue;
        }
        const TermId operand = store.operands(term)[0];
        const auto axes = store.op(term).attribute<std::vector<std::int64_t>>("axes");
        Dim product(1);
        for (const std::int64_t axis : axes) {
            if (store.hasShape(operand) && axis >= 0 && axis < static_cast<std::int64_t>(store.shape(operand).size())) {
                product = product * store.shape(operand)[static_cast<std::size_t>(axis)];
            }
        }
        if (const std::optional<std::int64_t> length = product.evaluate(sizes)) {
            lengths[product.text()] = *length;
        }
    }
    chooseLevels();
    chooseSamples();
    findIndexInputs();
}

void Sampler::Run::chooseSamples() {
    // What all samples would cost: one tells more than six of which none reaches the outputs.
    double once = 0.0;
    double each = 0.0;
    std::vector<bool> varies(store.size(), false);
    for (const TermId term : order) {
        bool own = store.kind(term) == TermKind::Input || store.kind(term) == TermKind::Bound;
        std::vector<Lengths> shapes;
        for (const TermId operand : store.operands(term)) {
            own = own || varies[operand.index];
            const std::optional<Lengths> shape = store.hasShape(operand) ? lengthsOf(store.shape(operand), sizes) : std::nullopt;
            shapes.push_back(shape.value_or(Lengths{}));
        }
        varies[term.index] = own;
        const std::optional<Lengths> shape = store.hasShape(term) ? lengthsOf(store.shape(term), sizes) : std::nullopt;
        if (store.kind(term) == TermKind::Apply && shape) {
            (own ? each : once) +=
                store.op(term).elementwise ? 8.0 * static_cast<double>(countOf(*shape)) : ArrayKernels::work(store.op(term), shapes, *shape);
        }
    }
    once *= static_cast<double>(levels) / 2.0;
    each *= static_cast<double>(levels) / 2.0;
    if ((each * static_cast<double>(sampleCount) + once) * 4.0 > static_cast<double>(options.maxWork) && levels == 4) {
        levels = 3;
        once *= 0.75;
        each *= 0.75;
    }
    const double room = static_cast<double>(options.maxWork) - once;
    if (each * static_cast<double>(sampleCount) > room) {
        sampleCount = static_cast<std::size_t>(std::clamp(std::floor(room / each), 1.0, static_cast<double>(sampleCount)));
    }
}

void Sampler::Run::chooseLevels() {
    // Each nested exponential uses up one level; logarithms stand at the chain's end.
    std::vector<std::uint8_t> depth(store.size(), 0);
    bool logarithms = false;
    std::uint8_t deepest = 0;
    for (const TermId term : order) {
        std::uint8_t own = 0;
        for (const TermId operand : store.operands(term)) {
            own = std::max(own, depth[operand.index]);
        }
        if (store.kind(term) == TermKind::Apply) {
            const std::string& name = store.op(term).name;
            const bool power = name == "Pow" && store.operands(term).size() == 2 && !store.uniformValue(store.operands(term)[1]);
            const bool fraction = name == "Pow" && !power;
            if (fraction) {
                const double exponent = store.uniformValue(store.operands(term)[1]).value_or(0.0);
                logarithms = logarithms || exponent * 2 != std::nearbyint(exponent * 2) || std::abs(exponent) > 16;
            }
            logarithms = logarithms || name == "Log" || name == "Softplus" || power;
            if (isExponential(name) && own < 100) {
                ++own;
            }
        }
        depth[term.index] = own;
        deepest = std::max(deepest, own);
    }
    levels = logarithms ? MaxLevels : std::clamp<std::size_t>(1U + deepest, 1, 4);
}

void Sampler::Run::findIndexInputs() {
    for (const TermId term : order) {
        if (store.kind(term) == TermKind::Apply && store.op(term).name == "Cast" && isFloat(store.type(term).element)) {
            TermId from = store.operands(term)[0];
            while (store.kind(from) == TermKind::View) {
                from = store.operands(from)[0];
            }
            castInputs.insert(from);
        }
        if (store.kind(term) != TermKind::Apply || store.operands(term).size() < 2) {
            continue;
        }
        const std::string& name = store.op(term).name;
        const bool reads = name == "Gather" || name == "GatherElements" || name == "ScatterElements";
        const bool tuples = name == "GatherND" || name == "ScatterND";
        const bool rows = name == "RowsAt" || name == "StoreRows" || name == "StoreRowsAt";
        const TermId data = store.operands(term)[0];
        if ((!reads && !tuples && !rows) || !store.hasShape(data)) {
            continue;
        }
        const std::optional<Lengths> shape = lengthsOf(store.shape(data), sizes);
        if (!shape || shape->empty()) {
            continue;
        }
        std::int64_t length = *std::min_element(shape->begin(), shape->end());
        if (reads) {
            const auto axis = static_cast<std::size_t>(store.op(term).attribute<std::int64_t>("axis"));
            length = axis < shape->size() ? (*shape)[axis] : length;
        } else if (rows) {
            length = (*shape)[0] - (name == "StoreRows" ? 0 : store.op(term).attribute<std::int64_t>("count", 1) - 1);
        }
        std::vector<TermId> stack{store.operands(term)[rows && name != "RowsAt" && store.operands(term).size() > 2 ? 2 : 1]};
        std::set<TermId> seen;
        while (!stack.empty() && seen.size() < 1000) {
            const TermId top = stack.back();
            stack.pop_back();
            if (!seen.insert(top).second || !isInteger(store.type(top).element)) {
                continue;
            }
            if (store.kind(top) == TermKind::Input || store.kind(top) == TermKind::Bound) {
                const auto [known, added] = indexInputs.try_emplace(top, length);
                known->second = std::min(known->second, length);
            }
            stack.insert(stack.end(), store.operands(top).begin(), store.operands(top).end());
        }
    }
}

void Sampler::Run::input(TermId term) {
    SampledTerm& own = at(term);
    if (!allocate(term, sampleCount)) {
        return;
    }
    own.samples = sampleCount == 32 ? ~0U : (1U << sampleCount) - 1;
    const ElementType type = store.type(term).element;
    own.traits.held = isFloat(type) ? type : ElementType::Undefined;
    own.traits.degree = {1.0, 0.0, own.kind == Kind::Real};
    const std::uint64_t name = store.term(term).payload * 2ULL + (store.kind(term) == TermKind::Bound ? 1 : 0);
    const std::size_t count = own.array->count();
    const bool neverNegative = options.nonNegative.contains(term);
    // Scales of the real samples; the fifth is all negative.
    static constexpr std::array<double, 6> Scales{1.0, 8.0, 0.3, 30.0, 1.0, 3.0};
    for (std::size_t k = 0; k < sampleCount; ++k) {
        const MutableSlice out = own.array->mutableSlice(k);
        if (own.kind == Kind::Real) {
            for (std::size_t l = 0; l < levels; ++l) {
                for (std::size_t i = 0; i < count; ++i) {
                    if ((i & 65535U) == 0 && stop.stop_requested()) {
                        return;
                    }
                    out.fields[l][i] = field(l).fromHash(drawn(options.seed, name, k, l + 1, i));
                }
            }
            for (std::size_t i = 0; i < count; ++i) {
                if ((i & 65535U) == 0 && stop.stop_requested()) {
                    return;
                }
                const double draw = normal(drawn(options.seed, name, k, 0, i)) * Scales[k % Scales.size()];
                const double signedDraw = k % Scales.size() == 4 ? -std::abs(draw) - 0.05 : draw;
                out.values[i] = nearest(neverNegative ? std::abs(signedDraw) + 0.05 : signedDraw, type);
                out.errors[i] = 0.0;
            }
            continue;
        }
        IntegerRange range{0, 1};
        if (own.kind == Kind::Integer) {
            const unsigned width = bitWidth(type);
            const bool isSigned = isSignedInteger(type);
            const std::int64_t most = width >= 64 ? INT64_MAX : (std::int64_t{1} << (width - (isSigned ? 1U : 0U))) - 1;
            // Masks and flags are 0 or 1; otherwise small numbers, and all of the type.
            // What becomes a float stays small on most samples: a mask's (1 - m) * -10000 would overflow an exponential.
            const std::array<std::int64_t, 6> wide{1, most, 40, most, 1, 4096};
            const std::array<std::int64_t, 6> narrow{1, 1, 40, most, 1, 1};
            range.high = std::min(most, (castInputs.contains(term) ? narrow : wide)[k % 6]);
            range.low = isSigned && range.high > 1 ? -range.high : 0;
            if (const auto index = indexInputs.find(term); index != indexInputs.end()) {
                range = {0, std::clamp<std::int64_t>(index->second - 1, 0, 3)};
            }
            if (const auto declared = options.ranges.find(term); declared != options.ranges.end()) {
                // Within what is declared; a wide range is drawn near its low end as well.
                range.low = declared->second.low;
                range.high = std::max(range.low, declared->second.high);
                if (k % 2 == 0 && static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) > 63) {
                    range.high = range.low + 63;
                }
            }
        }
        const std::uint64_t span = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) + 1;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t bits = drawn(options.seed, name, k, 0, i);
            out.integers[i] = wrapped(static_cast<std::int64_t>(static_cast<std::uint64_t>(range.low) + (span == 0 ? bits : bits % span)), type);
            const bool free = !options.ranges.contains(term) && !indexInputs.contains(term);
            if (own.kind == Kind::Integer && free && range.high > 1 && out.integers[i] == 0) {
                out.integers[i] = 1; // a zero divisor says nothing
            }
        }
    }
    own.computed = true;
}

void Sampler::Run::fillConstant(TermId constant, const std::vector<std::int64_t>& index, MutableSlice out) const {
    const Tensor& data = store.constantTensor(constant);
    const ElementType type = data.element();
    const bool exact = shared.contains(constant);
    for (std::size_t i = 0; i < index.size(); ++i) {
        const std::int64_t from = index[i];
        if ((i & 65535U) == 0 && stop.stop_requested()) {
            return; // nothing is concluded from a run that was stopped
        }
        if (kindOf(type) != Kind::Real) {
            out.integers[i] = data.toInt64(from);
            continue;
        }
        const double value = data.toDouble(from);
        for (std::size_t l = 0; l < levels; ++l) {
            // Infinities and NaN are values of their own.
            out.fields[l][i] = std::isfinite(value) ? field(l).fromDouble(value)
                                                    : field(l).fromHash(mixed(l, std::isnan(value) ? 1
                                                                                 : value > 0.0     ? 2
                                                                                                   : 3));
        }
        out.values[i] = value;
        out.errors[i] = exact ? 0.0 : constantError(value, type);
    }
}

void Sampler::Run::constant(TermId term) {
    SampledTerm& own = at(term);
    own.samples = sampleCount == 32 ? ~0U : (1U << sampleCount) - 1;
    const ElementType type = store.constantTensor(term).element();
    own.traits.held = isFloat(type) ? type : ElementType::Undefined;
    own.computed = true;
    if (store.constantTensor(term).count() > LargeConstant) {
        own.lazy = true;
        return;
    }
    materialise(term);
}

void Sampler::Run::materialise(TermId term) {
    SampledTerm& own = at(term);
    own.lazy = false;
    own.computed = false;
    if (!allocate(term, 1)) {
        return;
    }
    const bool isView = store.kind(term) == TermKind::View;
    std::vector<std::int64_t> index;
    if (isView) {
        index = viewIndex(term);
        const std::int64_t there = store.constantTensor(store.operands(term)[0]).count();
        if (index.size() != own.array->count() || std::any_of(index.begin(), index.end(), [there](std::int64_t i) { return i < 0 || i >= there; })) {
            complain(store.text(term, 1) + " reads outside of its operand at the sizes chosen");
            return;
        }
    } else {
        index.resize(own.array->count());
        for (std::size_t i = 0; i < index.size(); ++i) {
            index[i] = static_cast<std::int64_t>(i);
        }
    }
    fillConstant(isView ? store.operands(term)[0] : term, index, own.array->mutableSlice(0));
    own.computed = true;
}

} // namespace lemmascope
