#include "core/term/view.h"

#include <algorithm>

namespace lemmascope {

View coalesced(View view) {
    std::vector<Mode> out; // built from the slowest to the fastest
    for (Mode& mode : view.modes) {
        if (mode.extent.is(1)) {
            continue;
        }
        // slow (e1, s1), fast (e2, s2) are one mode when a step of the slow one continues the fast one: s1 = e2 * s2
        if (!out.empty() && out.back().stride == mode.extent * mode.stride) {
            out.back().extent = out.back().extent * mode.extent;
            out.back().stride = mode.stride;
            continue;
        }
        out.push_back(std::move(mode));
    }
    // A merge can make the merged mode continue the one before it; repeat until nothing changes (at most once per mode).
    for (bool again = true; again;) {
        again = false;
        for (std::size_t k = 1; k < out.size(); ++k) {
            if (out[k - 1].stride == out[k].extent * out[k].stride) {
                out[k - 1].extent = out[k - 1].extent * out[k].extent;
                out[k - 1].stride = out[k].stride;
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(k));
                again = true;
                break;
            }
        }
    }
    view.modes = std::move(out);
    return view;
}

bool isIdentity(const View& view, const Dim& count) {
    if (!view.offset.is(0)) {
        return false;
    }
    if (view.modes.empty()) {
        return count.is(1);
    }
    return view.modes.size() == 1 && view.modes[0].stride.is(1) && view.modes[0].extent == count;
}

namespace {

/// Lower and upper bound of what is added to one digit, to show that it never carries.
struct DigitUse {
    Dim low{0};
    Dim high{0};
};

bool atLeast(const Dim& a, const Dim& b) { return Dim::provablyAtLeast(a, b); }

} // namespace

std::optional<View> composed(const View& inner, const View& outer) {
    const std::size_t count = inner.modes.size();
    // Place value of each digit of the inner view's result index.
    std::vector<Dim> place(count, Dim(1));
    for (std::size_t k = count; k-- > 1;) {
        place[k - 1] = place[k] * inner.modes[k].extent;
    }
    View out{inner.offset, {}};
    std::vector<DigitUse> use(count);

    // Digits of outer's offset. Symbolic offsets are split only where the division is exact.
    Dim rest = outer.offset;
    for (std::size_t k = 0; k < count; ++k) {
        Dim digit(0);
        if (rest.isKnown() && place[k].isKnown()) {
            if (place[k].value() == 0) {
                return std::nullopt;
            }
            digit = k == 0 ? Dim::floorDiv(rest, place[k]) : Dim::floorDiv(rest, place[k]);
        } else if (const std::optional<Dim> quotient = Dim::exactQuotient(rest, place[k]);
                   quotient && atLeast(inner.modes[k].extent - Dim(1), *quotient)) {
            digit = *quotient;
        } else if ((rest.isKnown() || atLeast(rest, Dim(0))) && atLeast(place[k] - Dim(1), rest)) {
            digit = Dim(0);
        } else {
            // One whole multiple of the place value, as in n*k + c with c < n.
            const Dim part = Dim::floorDiv(rest, place[k]);
            std::vector<std::string> symbols;
            if (!part.isKnown()) {
                return std::nullopt;
            }
            digit = part;
        }
        rest = rest - digit * place[k];
        out.offset = out.offset + digit * inner.modes[k].stride;
        use[k].low = digit;
        use[k].high = digit;
    }
    if (!rest.is(0)) {
        return std::nullopt;
    }

    for (const Mode& mode : outer.modes) {
        Dim extent = mode.extent;
        Dim stride = mode.stride;
        if (stride.is(0)) {
            out.modes.push_back(Mode{extent, Dim(0)});
            continue;
        }
        const std::optional<std::int64_t> bound = stride.lowerBound();
        // A stride that is 0 at some size (a length that may be 0) steps nowhere there: the place it was split for is empty too.
        const bool negative = !(bound && *bound >= 0);
        if (negative && !(stride.isKnown() && stride.value() < 0)) {
            const std::optional<std::int64_t> mirrored = (Dim(0) - stride).lowerBound();
            if (!mirrored || *mirrored <= 0) {
                return std::nullopt;
            }
        }
        const Dim size = negative ? Dim(0) - stride : stride;
        // The mode starts in the slowest digit whose place value divides it, and may run on into slower digits.
        std::size_t k = 0;
        std::optional<Dim> step;
        for (; k < count; ++k) {
            step = Dim::exactQuotient(size, place[k]);
            if (step) {
                break; // that it never carries is checked below
            }
        }
        if (k == count) {
            return std::nullopt;
        }
        std::vector<Mode> pieces; // fastest first
        for (;;) {
            const Mode& digit = inner.modes[k];
            const Dim reach = (extent - Dim(1)) * *step;
            if (k == 0 || atLeast(digit.extent - Dim(1), reach)) {
                const Dim signedStep = negative ? Dim(0) - *step : *step;
                pieces.push_back(Mode{extent, signedStep * digit.stride});
                (negative ? use[k].low : use[k].high) = (negative ? use[k].low : use[k].high) + (negative ? Dim(0) - reach : reach);
                break;
            }
            // The digit wraps inside the mode: split into full turns of this digit and steps of the next slower one.
            const std::optional<Dim> turn = Dim::exactQuotient(digit.extent, *step);
            const std::optional<Dim> turns = turn ? Dim::exactQuotient(extent, *turn) : std::nullopt;
            if (!turns) {
                return std::nullopt;
            }
            if (!turn->is(1)) {
                const Dim signedStep = negative ? Dim(0) - *step : *step;
                const Dim full = (*turn - Dim(1)) * *step;
                pieces.push_back(Mode{*turn, signedStep * digit.stride});
                (negative ? use[k].low : use[k].high) = (negative ? use[k].low : use[k].high) + (negative ? Dim(0) - full : full);
            }
            extent = *turns;
            --k;
            step = Dim(1);
        }
        for (std::size_t p = pieces.size(); p-- > 0;) {
            out.modes.push_back(pieces[p]);
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (!atLeast(use[k].low, Dim(0)) || !atLeast(inner.modes[k].extent - Dim(1), use[k].high)) {
            return std::nullopt;
        }
    }
    return coalesced(std::move(out));
}

std::vector<Dim> contiguousStrides(const Shape& shape) {
    std::vector<Dim> strides(shape.size(), Dim(1));
    for (std::size_t axis = shape.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    return strides;
}

View fromAxisStrides(const Dim& offset, const Shape& shape, const std::vector<Dim>& strides) {
    View view{offset, {}};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        view.modes.push_back(Mode{shape[axis], strides[axis]});
    }
    return coalesced(std::move(view));
}

std::optional<AxisStrides> axisStrides(const View& view, const Shape& shape) {
    AxisStrides out{view.offset, std::vector<Dim>(shape.size(), Dim(0))};
    std::size_t mode = view.modes.size();
    Dim left(1);   // what remains of the current mode
    Dim stride(0); // of its next digit
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis].is(1)) {
            continue;
        }
        if (left.is(1)) {
            if (mode == 0) {
                return std::nullopt;
            }
            --mode;
            left = view.modes[mode].extent;
            stride = view.modes[mode].stride;
        }
        const std::optional<Dim> quotient = Dim::exactQuotient(left, shape[axis]);
        if (!quotient) {
            return std::nullopt;
        }
        out.strides[axis] = stride;
        stride = stride * shape[axis];
        left = *quotient;
    }
    if (!left.is(1) || mode != 0) {
        return std::nullopt;
    }
    return out;
}

std::optional<std::vector<std::vector<Mode>>> axisModes(const View& view, const Shape& shape) {
    std::vector<std::vector<Mode>> out(shape.size());
    std::size_t mode = view.modes.size();
    Dim left(1);   // what remains of the current mode
    Dim stride(0); // of its next digit
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        Dim needed = shape[axis];
        while (!needed.is(1)) {
            if (left.is(1)) {
                if (mode == 0) {
                    return std::nullopt;
                }
                --mode;
                left = view.modes[mode].extent;
                stride = view.modes[mode].stride;
            }
            if (const std::optional<Dim> quotient = Dim::exactQuotient(left, needed)) {
                out[axis].insert(out[axis].begin(), Mode{needed, stride});
                stride = stride * needed;
                left = *quotient;
                break;
            }
            const std::optional<Dim> quotient = Dim::exactQuotient(needed, left);
            if (!quotient) {
                return std::nullopt;
            }
            out[axis].insert(out[axis].begin(), Mode{left, stride});
            needed = *quotient;
            left = Dim(1);
        }
    }
    if (!left.is(1) || mode != 0) {
        return std::nullopt;
    }
    return out;
}

View wholeView(const Shape& shape) { return coalesced(View{Dim(0), {Mode{elementCount(shape), Dim(1)}}}); }

std::optional<std::pair<Dim, Dim>> rangeOf(const AxisStrides& affine, const Shape& shape) {
    Dim low = affine.offset;
    Dim high = affine.offset;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const Dim reach = (shape[k] - Dim(1)) * affine.strides[k];
        if (Dim::provablyAtLeast(affine.strides[k], Dim(0))) {
            high = high + reach;
        } else if (Dim::provablyAtLeast(Dim(0), affine.strides[k])) {
            low = low + reach;
        } else {
            return std::nullopt;
        }
    }
    return std::pair{low, high};
}

std::optional<std::int64_t> sourceIndex(const View& view, std::int64_t flat) {
    if (!view.offset.isKnown()) {
        return std::nullopt;
    }
    std::int64_t index = view.offset.value();
    for (std::size_t k = view.modes.size(); k-- > 0;) {
        const Mode& mode = view.modes[k];
        if (!mode.extent.isKnown() || !mode.stride.isKnown() || mode.extent.value() <= 0) {
            return std::nullopt;
        }
        index += (flat % mode.extent.value()) * mode.stride.value();
        flat /= mode.extent.value();
    }
    return index;
}

} // namespace lemmascope
