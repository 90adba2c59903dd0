// Exact numbers of definitions' texts: their names and their nearest doubles.

#include "core/graph/definition_code.h"

#include <cmath>
#include <limits>

namespace lemmascope {

namespace {

constexpr mp_bitcnt_t Precision = 256;

mpf_class pi() { return {"3.14159265358979323846264338327950288419716939937510582097494459230781640628620899", Precision}; }

/// The double nearest to a value with far more digits.
double nearest(const mpf_class& value) {
    const double low = value.get_d(); // towards 0
    const double next = std::nextafter(low, value < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
    if (!std::isfinite(low) || !std::isfinite(next)) {
        return low;
    }
    const mpf_class below(value - mpf_class(low, Precision), Precision);
    const mpf_class above(mpf_class(next, Precision) - value, Precision);
    return abs(below) <= abs(above) ? low : next;
}

} // namespace

std::string DefinedNumber::text() const {
    if (isRational()) {
        return q.get_str();
    }
    std::string root = radicand.get_str();
    std::string whole;
    if (piHalves % 2 != 0) {
        root += piHalves > 0 ? "*pi" : "/pi";
    }
    for (int k = 0; k < std::abs(piHalves) / 2; ++k) {
        whole += piHalves > 0 ? "*pi" : "/pi";
    }
    const std::string factor = q == 1 && whole.empty() ? "" : q.get_str() + whole;
    if (root == "1") {
        return factor;
    }
    return (factor.empty() ? "" : factor + "*") + "sqrt(" + root + ")";
}

std::array<double, 3> DefinedNumber::doubles() const {
    mpf_class value(q, Precision);
    if (radicand != 1) {
        value *= sqrt(mpf_class(radicand, Precision));
    }
    for (int k = 0; k < std::abs(piHalves) / 2; ++k) {
        value = piHalves > 0 ? mpf_class(value * pi(), Precision) : mpf_class(value / pi(), Precision);
    }
    if (piHalves % 2 != 0) {
        const mpf_class root(sqrt(pi()), Precision);
        value = piHalves > 0 ? mpf_class(value * root, Precision) : mpf_class(value / root, Precision);
    }
    const double middle = nearest(value);
    if (isRational() && std::isfinite(middle) && mpq_class(middle) == q) {
        return {middle, middle, middle};
    }
    const double infinity = std::numeric_limits<double>::infinity();
    return {std::nextafter(middle, -infinity), middle, std::nextafter(middle, infinity)};
}

} // namespace lemmascope
