// What is left to say of cells whose terms were forgotten: both programs run on numbers.

#include "core/interp/comparison.h"
#include "core/program/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace lemmascope::interp {

namespace {

/// A float that may stand for a real number it is not: more than half of its digits are used (0.1, but not 0.75).
bool mayBeRounded(ValueType type, std::uint64_t bits) {
    const double value = doubleOf(type, bits);
    if (!std::isfinite(value) || value == 0.0) {
        return false;
    }
    const int digits = type == F64 ? 53 : type == F32 ? 24 : type == F16 ? 11 : 8;
    int exponent = 0;
    const double scaled = std::ldexp(std::frexp(value, &exponent), digits / 2);
    return scaled != std::trunc(scaled);
}

bool hasRoundedConstants(const Program& program) {
    const bool inCode = std::any_of(program.functions.begin(), program.functions.end(), [](const FunctionCode& code) {
        return std::any_of(code.constants.begin(), code.constants.end(), [&](const FunctionCode::Constant& constant) {
            const ValueType type = code.registers[constant.target];
            return type.isFloat() && mayBeRounded(type, constant.bits);
        });
    });
    return inCode || std::any_of(program.globals.begin(), program.globals.end(), [](const Global& global) {
               const ValueType type = global.type.element;
               return type.isFloat() &&
                      std::any_of(global.values.begin(), global.values.end(), [&](std::uint64_t bits) { return mayBeRounded(type, bits); });
           });
}

std::string relativeText(double relative) {
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.1e", relative);
    return text.data();
}

} // namespace

Result<void> Comparison::compareOnNumbers() {
    const auto isOpen = [](const PairClass& pair) {
        return !pair.cells.empty() && pair.state != PairClass::State::Proved && pair.state != PairClass::State::Refuted;
    };
    if (std::none_of(m_classes.begin(), m_classes.end(), isOpen)) {
        return {};
    }
    // Without terms there are no bounds of roundings: a difference counts where nothing was rounded.
    const bool mayCount = !hasRoundedConstants(*m_reference) && !hasRoundedConstants(*m_rewritten);
    constexpr std::array<std::uint32_t, 4> Samples{0, 8, 11, 13};
    std::size_t tried = 0;
    double relative = 0.0;
    std::vector<std::pair<std::size_t, std::uint64_t>> refuted;
    for (const std::uint32_t sample : Samples) {
        if (secondsLeft() <= 0 || !refuted.empty()) {
            break;
        }
        const Inputs inputs = sampleInputs(sample);
        Result<std::pair<RunResult, RunResult>> both = runConcretely(inputs, true);
        if (!both) {
            return tl::unexpected(both.error());
        }
        const bool counts = mayCount && !both->first.rounded && !both->second.rounded;
        tried += 1;
        for (PairClass& pair : m_classes) {
            if (!isOpen(pair)) {
                continue;
            }
            const auto agrees = [&](const std::pair<std::size_t, std::uint64_t>& where) {
                const auto made = madeBy(*both, m_pairs[where.first]);
                if (!made || where.second >= made->first->cells.size()) {
                    return true;
                }
                const Cell& a = made->first->cells[where.second];
                const Cell& b = made->second->cells[where.second];
                const ValueType type = made->first->type;
                if (a.term == Unwritten || b.term == Unwritten || sameValue(type, a.bits, b.bits)) {
                    return true;
                }
                pair.differed = true;
                if (type.isFloat()) {
                    const double x = doubleOf(type, a.bits);
                    const double apart = std::fabs(x - doubleOf(type, b.bits)) / std::max(std::fabs(x), 1e-300);
                    relative = std::isfinite(apart) ? std::max(relative, apart) : relative;
                }
                if (counts && !m_made.result.counterexample) {
                    tell(inputs, where.first, where.second, *made->first, *made->second);
                }
                return !counts;
            };
            const auto kept = std::stable_partition(pair.cells.begin(), pair.cells.end(), agrees);
            refuted.insert(refuted.end(), kept, pair.cells.end());
            pair.cells.erase(kept, pair.cells.end());
        }
    }
    for (PairClass& pair : m_classes) {
        if (!isOpen(pair)) {
            continue;
        }
        if (pair.isForgotten) {
            pair.state = PairClass::State::Unproved;
        }
        pair.reason = "digests differ, and of most terms only digests were kept: ";
        pair.reason += tried == 0      ? "no time was left to run both on numbers"
                       : pair.differed ? "values differ (relative " + relativeText(relative) + "), but operations round on these inputs"
                                       : "values are the same on " + std::to_string(tried) + " inputs";
        pair.reason += "; without --fingerprint, at smaller sizes, more can be said";
    }
    if (!refuted.empty()) {
        PairClass made;
        made.cells = std::move(refuted);
        made.state = PairClass::State::Refuted;
        m_classes.push_back(std::move(made));
    }
    return {};
}

} // namespace lemmascope::interp
