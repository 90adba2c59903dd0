// Classes of equal values: a term joins the class of the first whose fields agree on every sample, and goes on with that
// term's elements. Tests: tests/core/sample.

#include "core/sample/sampler.h"

#include "core/sample/sample_run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lemmascope {

using namespace sampling;

namespace {

constexpr std::size_t KeptElements = 32; ///< whose real samples stay when an array goes
constexpr double Noise = 1e-9;           ///< of the real samples, relative
constexpr double SmallestScale = 1e-3;
constexpr double LargestError = 0.05; ///< of the largest element: past it, being within rounding says nothing
constexpr std::size_t MostCandidates = 64;

std::size_t strideFor(std::size_t count) { return (count + KeptElements - 1) / KeptElements; }

} // namespace

const SampledTerm* Sampler::Run::find(TermId term) const {
    if (!term.isValid()) {
        return nullptr;
    }
    TermId meaning = term;
    if (term.index < definedOf.size() && definedOf[term.index].isValid()) {
        meaning = definedOf[term.index];
    }
    const SampledTerm* state = stateOf(meaning);
    return state != nullptr && state->computed ? state : nullptr;
}

void Sampler::Run::digest(SampledTerm& term) const {
    term.digests.clear();
    const std::size_t count = term.array->count();
    const auto add = [&](const void* data) {
        term.digests.push_back(contentDigest(std::span<const std::byte>(static_cast<const std::byte*>(data), count * 8)));
    };
    if (term.kind != Kind::Real) {
        for (std::size_t k = 0; k < term.copies; ++k) {
            add(term.array->slice(k).integers);
        }
        return;
    }
    for (std::size_t l = term.traits.top; l < levels; ++l) {
        for (std::size_t k = 0; k < term.copies; ++k) {
            add(term.array->slice(k).fields[l]);
        }
    }
}

void Sampler::Run::summarise(SampledTerm& term) const {
    term.values.clear();
    term.errors.clear();
    term.largest = 0.0;
    if (term.kind != Kind::Real) {
        return;
    }
    const std::size_t count = term.array->count();
    const std::size_t stride = std::max<std::size_t>(strideFor(count), 1);
    for (std::size_t k = 0; k < term.copies; ++k) {
        const Slice slice = term.array->slice(k);
        for (std::size_t i = 0; i < count; ++i) {
            if (std::isfinite(slice.values[i])) {
                term.largest = std::max(term.largest, std::abs(slice.values[i]));
            }
            if (i % stride == 0) {
                term.values.push_back(slice.values[i]);
                term.errors.push_back(slice.errors[i]);
            }
        }
    }
}

Digest128 Sampler::Run::classKey(const SampledTerm& term, TermId id, std::size_t level) const {
    std::string key = store.type(id).text() + "|" + std::to_string(term.samples) + "|" + std::to_string(level);
    const std::size_t base = term.kind == Kind::Real ? (level - term.traits.top) * term.copies : 0;
    for (std::size_t k = 0; k < sampleCount; ++k) {
        if ((term.samples >> k & 1U) != 0) {
            const Digest128& digest = term.digests[base + (term.copies == 1 ? 0 : k)];
            key.append(reinterpret_cast<const char*>(&digest), sizeof digest);
        }
    }
    return contentDigest(key);
}

std::string Sampler::Run::nearKey(TermId id) const { return store.type(id).text(); }

void Sampler::Run::finish(TermId term) {
    SampledTerm& own = at(term);
    own.representative = term;
    if (!own.computed) {
        if (own.array) {
            bytes -= own.array.use_count() == 1 ? own.array->bytes() : 0;
            own.array.reset();
        }
        return;
    }
    if (own.lazy) {
        return; // is no class of its own until someone reads all of it
    }
    digest(own);
    summarise(own);
    join(term);
}

void Sampler::Run::join(TermId term) {
    SampledTerm& own = at(term);
    const std::size_t top = own.kind == Kind::Real ? own.traits.top : 0;
    const std::size_t last = own.kind == Kind::Real ? levels : 1;
    for (std::size_t level = top; level < last; ++level) {
        const auto found = classes.find(classKey(own, term, level));
        if (found == classes.end()) {
            continue;
        }
        SampledTerm& other = at(found->second);
        if (std::max(top, other.kind == Kind::Real ? other.traits.top : 0) != level ||
            compareReals(own, other, own.samples & other.samples, 10.0) == Agreement::Different) {
            continue;
        }
        own.representative = other.representative;
        own.rounded = own.rounded || other.rounded;
        const std::size_t otherTop = other.kind == Kind::Real ? other.traits.top : 0;
        if (other.array && otherTop <= top && other.copies == own.copies) {
            bytes -= own.array->bytes();
            own.array = other.array;
            own.traits.top = otherTop;
            own.digests = other.digests;
        }
        return;
    }
    for (std::size_t level = top; level < last; ++level) {
        classes.emplace(classKey(own, term, level), term);
    }
    const std::size_t count = own.array->count();
    if (own.kind != Kind::Real || count == 0) {
        return;
    }
    if (own.ofFirst) {
        const double value = own.values.front();
        if (std::isfinite(value) && options.firstRoots < roots.size()) {
            near[nearKey(term)].emplace(value, term);
            double& error = nearError[nearKey(term)];
            error = std::max(error, std::min(own.errors.front(), LargestError * own.largest));
        }
        return;
    }
    const std::optional<TermId> partner = withinRounding(term);
    if (!partner) {
        return;
    }
    partners.emplace_back(*partner, term);
    const SampledTerm& other = at(*partner);
    if (other.array && other.copies == own.copies && other.samples == own.samples) {
        bytes -= own.array->bytes();
        own.array = other.array;
        own.traits.top = other.traits.top;
        own.rounded = true;
        own.replaced = true;
        // `digests` stay its own: it is in no class of the first graph.
    }
}

/// A constant that was folded op by op may be off by many half ulps where its parts cancel: partners are only proposed.
constexpr double FoldSlack = 32.0;

std::optional<TermId> Sampler::Run::withinRounding(TermId term) {
    const SampledTerm& own = at(term);
    const auto bucket = near.find(nearKey(term));
    const double value = own.values.front();
    if (bucket == near.end() || !std::isfinite(value)) {
        return std::nullopt;
    }
    const double reach = FoldSlack * (own.errors.front() + nearError[nearKey(term)]) + 2 * Noise * std::max(std::abs(value), SmallestScale);
    std::optional<TermId> best;
    double smallest = 0.0;
    std::size_t tried = 0;
    for (auto at0 = bucket->second.lower_bound(value - reach); at0 != bucket->second.upper_bound(value + reach) && tried < MostCandidates;
         ++at0, ++tried) {
        const SampledTerm& other = at(at0->second);
        if (compare(own, other, ~0U, FoldSlack) != Agreement::WithinRounding) {
            continue;
        }
        double distance = 0.0;
        for (std::size_t i = 0; i < own.values.size() && own.values.size() == other.values.size(); ++i) {
            distance += std::abs(own.values[i] - other.values[i]);
        }
        if (!best || distance < smallest || (distance == smallest && at0->second < *best)) {
            best = at0->second;
            smallest = distance;
        }
    }
    return best;
}

bool Sampler::Run::sameDigests(const SampledTerm& a, const SampledTerm& b, std::uint32_t wanted) const {
    const std::uint32_t both = a.samples & b.samples & wanted;
    if (a.digests.empty() || b.digests.empty() || a.kind != b.kind) {
        return false;
    }
    const std::size_t level = a.kind == Kind::Real ? std::max(a.traits.top, b.traits.top) : 0;
    const auto of = [&](const SampledTerm& term, std::size_t k) -> const Digest128& {
        const std::size_t base = term.kind == Kind::Real ? (level - term.traits.top) * term.copies : 0;
        return term.digests[base + (term.copies == 1 ? 0 : k)];
    };
    for (std::size_t k = 0; k < sampleCount; ++k) {
        if ((both >> k & 1U) != 0 && of(a, k) != of(b, k)) {
            return false;
        }
    }
    return true;
}

Agreement Sampler::Run::compare(const SampledTerm& a, const SampledTerm& b, std::uint32_t wanted, double slack) const {
    if (!a.computed || !b.computed || a.lazy || b.lazy) {
        return Agreement::Unknown;
    }
    if (a.kind != b.kind || a.shape != b.shape) {
        return Agreement::Different;
    }
    const std::uint32_t both = a.samples & b.samples & wanted;
    if (both == 0) {
        return Agreement::Unknown;
    }
    // Equal fields with reals far apart: an identity of the fields that the reals do not have (of a square root of no square).
    if (a.representative == b.representative || (sameDigests(a, b, wanted) && compareReals(a, b, both, 10.0) != Agreement::Different)) {
        return a.rounded || b.rounded ? Agreement::WithinRounding : Agreement::Equal;
    }
    if (a.opaque || b.opaque) {
        return Agreement::Unknown;
    }
    return a.kind == Kind::Real ? compareReals(a, b, both, slack) : Agreement::Different;
}

Agreement Sampler::Run::compareReals(const SampledTerm& a, const SampledTerm& b, std::uint32_t both, double slack) const {
    if (a.kind != Kind::Real) {
        return Agreement::WithinRounding;
    }
    // Whole arrays where both are there, else the elements that were kept.
    const bool whole = a.array && b.array && !a.replaced && !b.replaced;
    const std::size_t count = countOf(a.shape);
    const std::size_t kept = count == 0 ? 0 : (count + strideFor(count) - 1) / strideFor(count);
    const double largest = std::max(a.largest, b.largest);
    bool vague = false;
    for (std::size_t k = 0; k < sampleCount; ++k) {
        if ((both >> k & 1U) == 0) {
            continue;
        }
        const std::size_t ka = a.copies == 1 ? 0 : k;
        const std::size_t kb = b.copies == 1 ? 0 : k;
        const double* va = whole ? a.array->slice(ka).values : a.values.data() + ka * kept;
        const double* vb = whole ? b.array->slice(kb).values : b.values.data() + kb * kept;
        const double* ea = whole ? a.array->slice(ka).errors : a.errors.data() + ka * kept;
        const double* eb = whole ? b.array->slice(kb).errors : b.errors.data() + kb * kept;
        for (std::size_t i = 0; i < (whole ? count : kept); ++i) {
            if (va[i] == vb[i] || (std::isnan(va[i]) && std::isnan(vb[i]))) {
                continue;
            }
            if (slack > 1.0 && !(std::isfinite(va[i]) && std::isfinite(vb[i]))) {
                vague = true;
                continue;
            }
            if (std::isnan(va[i]) || std::isnan(vb[i])) {
                return Agreement::Different; // undefined on one side only
            }
            const double distance = std::abs(va[i] - vb[i]);
            const double noise = slack * Noise * std::max({std::abs(va[i]), std::abs(vb[i]), SmallestScale});
            const double allowed = slack * 1.01 * (ea[i] + eb[i]);
            if (!(distance <= allowed + noise)) {
                return Agreement::Different;
            }
            vague = vague || (distance > noise && allowed > LargestError * largest);
        }
    }
    return vague ? Agreement::Unknown : Agreement::WithinRounding;
}

void Sampler::Run::release(TermId term) {
    SampledTerm& own = at(term);
    if (own.readers > 0 || own.isKept || !own.array) {
        return;
    }
    // The first graph's arrays stay, as long as there is room, for values within rounding to go on with.
    const bool wanted = own.ofFirst && options.firstRoots < roots.size() && (own.copies > 1 || sampleCount == 1) && bytes < options.maxBytes / 2;
    if (!wanted) {
        bytes -= own.array.use_count() == 1 ? own.array->bytes() : 0;
        own.array.reset();
    }
}

Sampler::Sampler(TermStore& store, SampleOptions options) : m_run(std::make_unique<Run>(store, std::move(options))) {}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

void Sampler::run(std::span<const TermId> roots, std::stop_token stop) {
    m_run = std::make_unique<Run>(m_run->store, m_run->options);
    m_run->stop = std::move(stop);
    m_run->prepare(roots);
    m_run->evaluate();
}

std::optional<TermId> Sampler::representative(TermId term) const {
    const SampledTerm* found = m_run->find(term);
    return found != nullptr && !found->lazy ? std::optional(found->representative) : std::nullopt;
}

std::optional<Digest128> Sampler::signature(TermId term) const {
    const std::optional<TermId> first = representative(term);
    if (!first) {
        return std::nullopt;
    }
    const SampledTerm& state = *m_run->stateOf(*first);
    std::string text = m_run->store.type(*first).text() + "|" + std::to_string(first->index);
    for (const Digest128& digest : state.digests) {
        text += digest.hex();
    }
    return contentDigest(text);
}

Agreement Sampler::compare(TermId a, TermId b) const {
    if (a.isValid() && b.isValid() && defined(a) == defined(b)) {
        return Agreement::Equal; // one term, computed or not
    }
    const SampledTerm* first = m_run->find(a);
    const SampledTerm* second = m_run->find(b);
    return first != nullptr && second != nullptr ? m_run->compare(*first, *second) : Agreement::Unknown;
}

bool Sampler::contradicts(TermId a, TermId b) const {
    const SampledTerm* first = m_run->find(a);
    const SampledTerm* second = m_run->find(b);
    return first != nullptr && second != nullptr && m_run->compare(*first, *second, ~0U, 10.0) == Agreement::Different;
}

bool Sampler::polynomial(TermId a, TermId b) const {
    const SampledTerm* first = m_run->find(a);
    const SampledTerm* second = m_run->find(b);
    const auto all = [](const SampledTerm* term) {
        return term != nullptr && term->kind == Kind::Real && term->traits.degree.proved && term->traits.degree.everywhere && !term->opaque;
    };
    return all(first) && all(second);
}

std::optional<std::size_t> Sampler::separatingSample(TermId a, TermId b) const {
    const SampledTerm* first = m_run->find(a);
    const SampledTerm* second = m_run->find(b);
    for (std::size_t k = 0; first != nullptr && second != nullptr && k < m_run->sampleCount; ++k) {
        if (m_run->compare(*first, *second, 1U << k) == Agreement::Different) {
            return k;
        }
    }
    return std::nullopt;
}

std::optional<Tensor> Sampler::elements(TermId term, std::size_t sample) const {
    const SampledTerm* found = m_run->find(term);
    if (found == nullptr || !found->array || found->replaced || sample >= m_run->sampleCount || (found->samples >> sample & 1U) == 0) {
        return std::nullopt;
    }
    const ElementType type = m_run->store.type(term).element;
    Tensor tensor(type, found->shape);
    const Slice slice = found->array->slice(sample);
    const std::size_t count = found->array->count();
    const auto fill = [&]<typename T>(std::span<T> out, auto&& of) {
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<T>(of(i));
        }
    };
    const auto real = [&](std::size_t i) { return slice.values[i]; };
    const auto whole = [&](std::size_t i) { return slice.integers[i]; };
    switch (type) {
    case ElementType::F64: fill(tensor.mutableAs<double>(), real); break;
    case ElementType::F32: fill(tensor.mutableAs<float>(), real); break;
    case ElementType::F16: fill(tensor.mutableAs<std::uint16_t>(), [&](std::size_t i) { return doubleToHalf(slice.values[i]); }); break;
    case ElementType::BF16: fill(tensor.mutableAs<std::uint16_t>(), [&](std::size_t i) { return doubleToBfloat(slice.values[i]); }); break;
    default:
        switch (byteSize(type)) {
        case 1: fill(tensor.mutableAs<std::uint8_t>(), whole); break;
        case 2: fill(tensor.mutableAs<std::uint16_t>(), whole); break;
        case 4: fill(tensor.mutableAs<std::uint32_t>(), whole); break;
        case 8: fill(tensor.mutableAs<std::uint64_t>(), whole); break;
        default: return std::nullopt;
        }
    }
    return tensor;
}

const std::vector<std::pair<TermId, TermId>>& Sampler::roundedPartners() const { return m_run->partners; }

TermId Sampler::defined(TermId term) const {
    const std::vector<TermId>& all = m_run->definedOf;
    return term.index < all.size() && all[term.index].isValid() ? all[term.index] : term;
}

std::size_t Sampler::samples() const { return m_run->sampleCount; }

std::size_t Sampler::samplesKept() const {
    std::uint32_t kept = ~0U;
    for (const TermId root : m_run->roots) {
        const SampledTerm* found = m_run->find(root);
        kept &= found != nullptr ? found->samples : 0U;
    }
    return m_run->roots.empty() ? 0 : static_cast<std::size_t>(std::popcount(kept));
}

std::size_t Sampler::branchDecisions() const { return m_run->decisions; }
std::size_t Sampler::branchesBothWays() const { return m_run->bothWays; }
const std::map<std::string, std::int64_t>& Sampler::sizes() const { return m_run->sizes; }
std::uint64_t Sampler::work() const { return m_run->work; }

std::optional<double> Sampler::log2ErrorBound(TermId a, TermId b) const {
    const SampledTerm* first = m_run->find(a);
    const SampledTerm* second = m_run->find(b);
    if (first == nullptr || second == nullptr || first->kind != Kind::Real || second->kind != Kind::Real || first->rounded || second->rounded ||
        first->traits.top != 0 || second->traits.top != 0 || !first->traits.degree.proved || !second->traits.degree.proved) {
        return std::nullopt;
    }
    const Degree& p = first->traits.degree;
    const Degree& q = second->traits.degree;
    const double degree = std::max({p.numerator + q.denominator, q.numerator + p.denominator, 1.0});
    return std::log2(degree) - std::log2(static_cast<double>(field(0).prime()));
}

std::vector<std::string> Sampler::hashedOps() const { return {m_run->hashed.begin(), m_run->hashed.end()}; }

std::string Sampler::trouble() const { return m_run->trouble; }

} // namespace lemmascope
