#include "core/graph/dim.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace lemmascope {

namespace {

enum class AtomKind : std::uint8_t { Symbol, FloorDiv, Min, Max };

struct Atom {
    AtomKind kind = AtomKind::Symbol;
    std::string text; // canonical, unique for the atom: its identity
    Dim lhs;
    Dim rhs;
};

using AtomRef = std::shared_ptr<const Atom>;

bool lessAtom(const AtomRef& a, const AtomRef& b) { return a->text < b->text; }
bool sameAtom(const AtomRef& a, const AtomRef& b) { return a == b || a->text == b->text; }

struct Monomial {
    std::vector<AtomRef> atoms; // sorted by text, repeated for powers
    std::int64_t coefficient = 0;
};

// Degree first, then text: constants come last, as people write them.
bool lessMonomial(const std::vector<AtomRef>& a, const std::vector<AtomRef>& b) {
    if (a.size() != b.size()) {
        return a.size() > b.size();
    }
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), lessAtom);
}

bool sameMonomial(const std::vector<AtomRef>& a, const std::vector<AtomRef>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), sameAtom);
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    std::int64_t quotient = a / b;
    if (a % b != 0 && ((a < 0) != (b < 0))) {
        --quotient;
    }
    return quotient;
}

} // namespace

struct Dim::Polynomial {
    std::vector<Monomial> monomials; // sorted, no zero coefficients
    bool overflow = false;

    void add(const std::vector<AtomRef>& atoms, std::int64_t coefficient) {
        const auto at = std::lower_bound(monomials.begin(), monomials.end(), atoms,
                                         [](const Monomial& m, const std::vector<AtomRef>& key) { return lessMonomial(m.atoms, key); });
        if (at != monomials.end() && sameMonomial(at->atoms, atoms)) {
            overflow = overflow || __builtin_add_overflow(at->coefficient, coefficient, &at->coefficient);
            if (at->coefficient == 0) {
                monomials.erase(at);
            }
        } else if (coefficient != 0) {
            monomials.insert(at, Monomial{atoms, coefficient});
        }
    }
};

Dim Dim::symbol(const std::string& name) {
    Polynomial polynomial;
    polynomial.monomials.push_back(Monomial{{std::make_shared<Atom>(Atom{AtomKind::Symbol, name, {}, {}})}, 1});
    return fromPolynomial(std::move(polynomial));
}

std::int64_t Dim::value() const {
    assert(isKnown());
    return m_value;
}

std::optional<std::string> Dim::symbolName() const {
    if (m_polynomial == nullptr || m_polynomial->monomials.size() != 1) {
        return std::nullopt;
    }
    const Monomial& only = m_polynomial->monomials.front();
    if (only.coefficient != 1 || only.atoms.size() != 1 || only.atoms.front()->kind != AtomKind::Symbol) {
        return std::nullopt;
    }
    return only.atoms.front()->text;
}

Dim Dim::overflowDim() {
    Dim dim;
    dim.m_overflow = true;
    return dim;
}

Dim Dim::fromPolynomial(Polynomial&& polynomial) {
    if (polynomial.overflow) {
        return overflowDim();
    }
    if (polynomial.monomials.empty()) {
        return Dim(0);
    }
    if (polynomial.monomials.size() == 1 && polynomial.monomials.front().atoms.empty()) {
        return Dim(polynomial.monomials.front().coefficient);
    }
    Dim dim;
    dim.m_polynomial = std::make_shared<const Polynomial>(std::move(polynomial));
    return dim;
}

Dim::Polynomial Dim::polynomial() const {
    if (m_polynomial != nullptr) {
        return *m_polynomial;
    }
    Polynomial constant;
    if (m_value != 0) {
        constant.monomials.push_back(Monomial{{}, m_value});
    }
    return constant;
}

Dim operator+(const Dim& a, const Dim& b) {
    if (a.overflowed() || b.overflowed()) {
        return Dim::overflowDim();
    }
    if (a.isKnown() && b.isKnown()) {
        std::int64_t sum = 0;
        return __builtin_add_overflow(a.m_value, b.m_value, &sum) ? Dim::overflowDim() : Dim(sum);
    }
    Dim::Polynomial sum = a.polynomial();
    for (const Monomial& monomial : b.polynomial().monomials) {
        sum.add(monomial.atoms, monomial.coefficient);
    }
    return Dim::fromPolynomial(std::move(sum));
}

Dim operator-(const Dim& a, const Dim& b) { return a + Dim(-1) * b; }

Dim operator*(const Dim& a, const Dim& b) {
    if (a.overflowed() || b.overflowed()) {
        return Dim::overflowDim();
    }
    if (a.isKnown() && b.isKnown()) {
        std::int64_t product = 0;
        return __builtin_mul_overflow(a.m_value, b.m_value, &product) ? Dim::overflowDim() : Dim(product);
    }
    Dim::Polynomial product;
    const Dim::Polynomial left = a.polynomial();
    const Dim::Polynomial right = b.polynomial();
    for (const Monomial& x : left.monomials) {
        for (const Monomial& y : right.monomials) {
            std::vector<AtomRef> atoms = x.atoms;
            atoms.insert(atoms.end(), y.atoms.begin(), y.atoms.end());
            std::sort(atoms.begin(), atoms.end(), lessAtom);
            std::int64_t coefficient = 0;
            product.overflow = product.overflow || __builtin_mul_overflow(x.coefficient, y.coefficient, &coefficient);
            product.add(atoms, coefficient);
        }
    }
    return Dim::fromPolynomial(std::move(product));
}

std::optional<Dim> Dim::exactQuotient(const Dim& a, const Dim& b) {
    if (a.overflowed() || b.overflowed() || b.is(0)) {
        return std::nullopt;
    }
    if (a.isKnown() && b.isKnown()) {
        if (b.m_value == -1) {
            return Dim(0) - a;
        }
        return a.m_value % b.m_value == 0 ? std::optional<Dim>(Dim(a.m_value / b.m_value)) : std::nullopt;
    }
    // Long division by the leading monomial; the order is a monomial order (degree, then text).
    Polynomial rest = a.polynomial();
    const Polynomial divisor = b.polynomial();
    const Monomial& lead = divisor.monomials.front();
    Polynomial quotient;
    for (int step = 0; !rest.monomials.empty(); ++step) {
        if (step > 64) {
            return std::nullopt;
        }
        const Monomial top = rest.monomials.front();
        if (lead.coefficient == 0 || top.coefficient % lead.coefficient != 0) {
            return std::nullopt;
        }
        std::vector<AtomRef> atoms;
        std::size_t used = 0;
        for (const AtomRef& atom : top.atoms) {
            if (used < lead.atoms.size() && sameAtom(atom, lead.atoms[used])) {
                ++used;
            } else {
                atoms.push_back(atom);
            }
        }
        if (used != lead.atoms.size()) {
            return std::nullopt;
        }
        const std::int64_t coefficient = top.coefficient / lead.coefficient;
        quotient.add(atoms, coefficient);
        for (const Monomial& monomial : divisor.monomials) {
            std::vector<AtomRef> product = monomial.atoms;
            product.insert(product.end(), atoms.begin(), atoms.end());
            std::sort(product.begin(), product.end(), lessAtom);
            std::int64_t scaled = 0;
            if (__builtin_mul_overflow(monomial.coefficient, -coefficient, &scaled)) {
                return std::nullopt;
            }
            rest.add(product, scaled);
        }
        if (rest.overflow) {
            return std::nullopt;
        }
    }
    return fromPolynomial(std::move(quotient));
}

Dim Dim::floorDiv(const Dim& a, const Dim& b) {
    if (a.overflowed() || b.overflowed() || b.is(0)) {
        return overflowDim();
    }
    if (a.isKnown() && b.isKnown()) {
        return Dim(floorDivide(a.m_value, b.m_value));
    }
    if (const std::optional<Dim> exact = exactQuotient(a, b)) {
        return *exact;
    }
    // floor((k*q + r)/k) = q + floor(r/k): whole multiples leave the opaque part, so equal lengths get equal forms.
    Dim whole(0);
    Dim rest = a;
    if (b.isKnown() && b.m_value > 0) {
        Polynomial quotient;
        Polynomial remainder;
        for (const Monomial& monomial : a.polynomial().monomials) {
            const std::int64_t part = floorDivide(monomial.coefficient, b.m_value);
            quotient.add(monomial.atoms, part);
            remainder.add(monomial.atoms, monomial.coefficient - part * b.m_value);
        }
        whole = fromPolynomial(std::move(quotient));
        rest = fromPolynomial(std::move(remainder));
        if (rest.isKnown()) {
            return whole + Dim(floorDivide(rest.m_value, b.m_value));
        }
        // floor((floor(p, d) + c)/b) = floor(p + c*d, b*d): two strides in a row are one.
        const Polynomial parts = rest.polynomial();
        const Monomial& first = parts.monomials.front();
        const bool constantRest = parts.monomials.size() == 1 || (parts.monomials.size() == 2 && parts.monomials.back().atoms.empty());
        if (constantRest && first.coefficient == 1 && first.atoms.size() == 1 && first.atoms.front()->kind == AtomKind::FloorDiv) {
            const Dim inner = first.atoms.front()->lhs;
            const Dim divisor = first.atoms.front()->rhs;
            const Dim constant(parts.monomials.size() == 2 ? parts.monomials.back().coefficient : 0);
            if (divisor.isKnown() && divisor.m_value > 0 && !(divisor * b).overflowed()) {
                return whole + floorDiv(inner + constant * divisor, divisor * b);
            }
        }
    }
    Polynomial polynomial;
    polynomial.monomials.push_back(
        Monomial{{std::make_shared<Atom>(Atom{AtomKind::FloorDiv, "floor(" + rest.text() + ", " + b.text() + ")", rest, b})}, 1});
    return whole + fromPolynomial(std::move(polynomial));
}

Dim Dim::ceilDiv(const Dim& a, const Dim& b) { return floorDiv(a + b - Dim(1), b); }

Dim Dim::min(const Dim& a, const Dim& b) {
    if (a.overflowed() || b.overflowed()) {
        return overflowDim();
    }
    if (a == b || provablyAtLeast(b, a)) {
        return a;
    }
    if (provablyAtLeast(a, b)) {
        return b;
    }
    const bool swap = b.text() < a.text();
    const Dim& first = swap ? b : a;
    const Dim& second = swap ? a : b;
    Polynomial polynomial;
    polynomial.monomials.push_back(
        Monomial{{std::make_shared<Atom>(Atom{AtomKind::Min, "min(" + first.text() + ", " + second.text() + ")", first, second})}, 1});
    return fromPolynomial(std::move(polynomial));
}

Dim Dim::max(const Dim& a, const Dim& b) {
    if (a.overflowed() || b.overflowed()) {
        return overflowDim();
    }
    if (a == b || provablyAtLeast(a, b)) {
        return a;
    }
    if (provablyAtLeast(b, a)) {
        return b;
    }
    const bool swap = b.text() < a.text();
    const Dim& first = swap ? b : a;
    const Dim& second = swap ? a : b;
    Polynomial polynomial;
    polynomial.monomials.push_back(
        Monomial{{std::make_shared<Atom>(Atom{AtomKind::Max, "max(" + first.text() + ", " + second.text() + ")", first, second})}, 1});
    return fromPolynomial(std::move(polynomial));
}

std::strong_ordering operator<=>(const Dim& a, const Dim& b) {
    if (a.m_overflow != b.m_overflow) {
        return a.m_overflow <=> b.m_overflow;
    }
    const bool symbolicA = a.m_polynomial != nullptr;
    const bool symbolicB = b.m_polynomial != nullptr;
    if (symbolicA != symbolicB) {
        return symbolicA <=> symbolicB;
    }
    if (!symbolicA) {
        return a.m_value <=> b.m_value;
    }
    if (a.m_polynomial == b.m_polynomial) {
        return std::strong_ordering::equal;
    }
    return a.text() <=> b.text();
}

bool operator==(const Dim& a, const Dim& b) { return (a <=> b) == std::strong_ordering::equal; }

std::optional<std::int64_t> Dim::lowerBound(const std::map<std::string, std::int64_t>& lowest) const {
    if (m_overflow) {
        return std::nullopt;
    }
    if (isKnown()) {
        return m_value;
    }
    // A monomial with a negative coefficient has no bound here unless another one covers it: n*m - n = n*(m-1). Replacing
    // each symbol s by s' + lowest(s), s' >= 0, makes that visible: all coefficients but the constant must be >= 0.
    std::vector<std::string> symbols;
    collectSymbols(symbols);
    std::map<std::string, Dim> shift;
    for (const std::string& name : symbols) {
        const auto at = lowest.find(name);
        // A length that only data decides (named '?...') may be 0.
        const std::int64_t usual = name.starts_with('?') ? 0 : 1;
        shift.emplace(name, symbol(name) + Dim(at == lowest.end() ? usual : at->second));
    }
    // Opaque functions are atoms of their own; floor(p, q) >= 0 holds when p's own bound is >= 0.
    Polynomial shifted;
    for (const Monomial& monomial : m_polynomial->monomials) {
        Dim product(monomial.coefficient);
        for (const AtomRef& atom : monomial.atoms) {
            if (atom->kind == AtomKind::Symbol) {
                product = product * shift.at(atom->text);
                continue;
            }
            const std::optional<std::int64_t> low = atom->lhs.lowerBound(lowest);
            const std::optional<std::int64_t> low2 = atom->rhs.lowerBound(lowest);
            const bool nonNegative =
                atom->kind == AtomKind::Max ? (low && *low >= 0) || (low2 && *low2 >= 0) : low && *low >= 0 && low2 && *low2 >= 0;
            if (!nonNegative) {
                return std::nullopt;
            }
            std::int64_t bound = 0;
            if (atom->kind == AtomKind::Max) {
                bound = std::max(low.value_or(0), low2.value_or(0));
            } else if (atom->kind == AtomKind::Min) {
                bound = std::min(*low, *low2);
            } else if (atom->rhs.isKnown() && atom->rhs.m_value > 0) {
                bound = floorDivide(*low, atom->rhs.m_value);
            }
            Polynomial single;
            single.monomials.push_back(Monomial{{atom}, 1});
            product = product * (fromPolynomial(std::move(single)) + Dim(bound));
        }
        if (product.overflowed()) {
            return std::nullopt;
        }
        for (const Monomial& part : product.polynomial().monomials) {
            shifted.add(part.atoms, part.coefficient);
        }
    }
    std::int64_t constant = 0;
    for (const Monomial& monomial : shifted.monomials) {
        if (monomial.atoms.empty()) {
            constant = monomial.coefficient;
        } else if (monomial.coefficient < 0) {
            return std::nullopt;
        }
    }
    return shifted.overflow ? std::nullopt : std::optional<std::int64_t>(constant);
}

bool Dim::provablyAtLeast(const Dim& a, const Dim& b) {
    const std::optional<std::int64_t> bound = (a - b).lowerBound();
    return bound && *bound >= 0;
}

std::optional<std::int64_t> Dim::evaluate(const std::map<std::string, std::int64_t>& sizes) const {
    if (m_overflow) {
        return std::nullopt;
    }
    if (isKnown()) {
        return m_value;
    }
    std::int64_t sum = 0;
    for (const Monomial& monomial : m_polynomial->monomials) {
        std::int64_t product = monomial.coefficient;
        for (const AtomRef& atom : monomial.atoms) {
            std::optional<std::int64_t> factor;
            if (atom->kind == AtomKind::Symbol) {
                const auto at = sizes.find(atom->text);
                factor = at == sizes.end() ? std::nullopt : std::optional<std::int64_t>(at->second);
            } else {
                const std::optional<std::int64_t> lhs = atom->lhs.evaluate(sizes);
                const std::optional<std::int64_t> rhs = atom->rhs.evaluate(sizes);
                if (lhs && rhs && (atom->kind != AtomKind::FloorDiv || *rhs != 0)) {
                    factor = atom->kind == AtomKind::FloorDiv ? floorDivide(*lhs, *rhs)
                             : atom->kind == AtomKind::Min    ? std::min(*lhs, *rhs)
                                                              : std::max(*lhs, *rhs);
                }
            }
            if (!factor || __builtin_mul_overflow(product, *factor, &product)) {
                return std::nullopt;
            }
        }
        if (__builtin_add_overflow(sum, product, &sum)) {
            return std::nullopt;
        }
    }
    return sum;
}

Dim Dim::substituted(const std::map<std::string, Dim>& map) const {
    if (m_polynomial == nullptr) {
        return *this;
    }
    Dim sum(0);
    for (const Monomial& monomial : m_polynomial->monomials) {
        Dim product(monomial.coefficient);
        for (const AtomRef& atom : monomial.atoms) {
            if (atom->kind == AtomKind::Symbol) {
                const auto at = map.find(atom->text);
                product = product * (at == map.end() ? symbol(atom->text) : at->second);
                continue;
            }
            const Dim lhs = atom->lhs.substituted(map);
            const Dim rhs = atom->rhs.substituted(map);
            product = product * (atom->kind == AtomKind::FloorDiv ? floorDiv(lhs, rhs) : atom->kind == AtomKind::Min ? min(lhs, rhs) : max(lhs, rhs));
        }
        sum = sum + product;
    }
    return sum;
}

void Dim::collectSymbols(std::vector<std::string>& out) const {
    if (m_polynomial == nullptr) {
        return;
    }
    for (const Monomial& monomial : m_polynomial->monomials) {
        for (const AtomRef& atom : monomial.atoms) {
            if (atom->kind == AtomKind::Symbol) {
                if (std::find(out.begin(), out.end(), atom->text) == out.end()) {
                    out.push_back(atom->text);
                }
            } else {
                atom->lhs.collectSymbols(out);
                atom->rhs.collectSymbols(out);
            }
        }
    }
}

std::string Dim::text() const {
    if (m_overflow) {
        return "overflow";
    }
    if (isKnown()) {
        return std::to_string(m_value);
    }
    std::string out;
    for (const Monomial& monomial : m_polynomial->monomials) {
        const bool negative = monomial.coefficient < 0;
        if (out.empty()) {
            out = negative ? "-" : "";
        } else {
            out += negative ? " - " : " + ";
        }
        const std::string magnitude = std::to_string(monomial.coefficient).substr(negative ? 1 : 0);
        if (monomial.atoms.empty()) {
            out += magnitude;
            continue;
        }
        bool first = true;
        if (magnitude != "1") {
            out += magnitude;
            first = false;
        }
        for (const AtomRef& atom : monomial.atoms) {
            if (!first) {
                out += "*";
            }
            out += atom->text;
            first = false;
        }
    }
    return out;
}

} // namespace lemmascope
