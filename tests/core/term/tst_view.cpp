// Views as functions: every claim is checked on all indices by walking digits here, without the code under test.

#include "core/term/view.h"

#include <QtTest/QTest>

#include <map>
#include <random>

using namespace lemmascope;

namespace {

using Random = std::mt19937_64;

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

std::int64_t lengthOf(const View& view, const std::map<std::string, std::int64_t>& sizes = {}) {
    std::int64_t out = 1;
    for (const Mode& mode : view.modes) {
        out *= mode.extent.evaluate(sizes).value();
    }
    return out;
}

/// All source indices in order, by counting digits up like an odometer.
std::vector<std::int64_t> indicesOf(const View& view, const std::map<std::string, std::int64_t>& sizes = {}) {
    std::vector<std::int64_t> digits(view.modes.size(), 0);
    std::vector<std::int64_t> out;
    for (std::int64_t n = lengthOf(view, sizes); n > 0; --n) {
        std::int64_t index = view.offset.evaluate(sizes).value();
        for (std::size_t k = 0; k < digits.size(); ++k) {
            index += digits[k] * view.modes[k].stride.evaluate(sizes).value();
        }
        out.push_back(index);
        for (std::size_t k = digits.size(); k-- > 0;) {
            if (++digits[k] < view.modes[k].extent.evaluate(sizes).value()) {
                break;
            }
            digits[k] = 0;
        }
    }
    return out;
}

View randomView(Random& random, std::size_t maxModes, std::int64_t maxExtent) {
    View view{Dim(pick(random, 0, 8)), {}};
    for (std::int64_t k = pick(random, 0, static_cast<std::int64_t>(maxModes)); k > 0; --k) {
        view.modes.push_back(Mode{Dim(pick(random, 1, maxExtent)), Dim(pick(random, -4, 8))});
    }
    return view;
}

/// A view that stays within [0, count): a reshape, transpose, slice, step, reversal or repetition of the index space of `shape`.
View movementOf(Random& random, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t k = shape.size(); k-- > 1;) {
        strides[k - 1] = strides[k] * shape[k];
    }
    std::vector<std::size_t> order(shape.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        order[k] = k;
    }
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t offset = 0;
    View out{Dim(0), {}};
    for (const std::size_t axis : order) {
        if (pick(random, 0, 5) == 0) {
            out.modes.push_back(Mode{Dim(pick(random, 1, 3)), Dim(0)});
        }
        const std::int64_t start = pick(random, 0, shape[axis] - 1);
        const std::int64_t step = pick(random, 0, 3) == 0 ? pick(random, -2, 2) : 1;
        const std::int64_t most = step > 0 ? (shape[axis] - 1 - start) / step + 1 : step < 0 ? start / -step + 1 : 3;
        const bool whole = step == 1 && pick(random, 0, 2) > 0;
        offset += (whole ? 0 : start) * strides[axis];
        out.modes.push_back(Mode{Dim(whole ? shape[axis] : pick(random, 1, most)), Dim(step * strides[axis])});
    }
    out.offset = Dim(offset);
    return out;
}

QString described(const View& view) {
    std::string out = view.offset.text();
    for (const Mode& mode : view.modes) {
        out += " (" + mode.extent.text() + ":" + mode.stride.text() + ")";
    }
    return QString::fromStdString(out);
}

} // namespace

class TestView : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void sourceIndexWalksTheDigits() {
        Random random(1);
        for (int round = 0; round < 500; ++round) {
            const View view = randomView(random, 4, 5);
            const std::vector<std::int64_t> all = indicesOf(view);
            for (std::size_t flat = 0; flat < all.size(); ++flat) {
                QCOMPARE(sourceIndex(view, static_cast<std::int64_t>(flat)), std::optional(all[flat]));
            }
        }
        QVERIFY(!sourceIndex(View{Dim::symbol("n"), {}}, 0));
        QVERIFY(!sourceIndex(View{Dim(0), {Mode{Dim(2), Dim::symbol("n")}}}, 0));
    }

    void coalescingKeepsTheFunction() {
        Random random(2);
        std::size_t shorter = 0;
        for (int round = 0; round < 3'000; ++round) {
            const View view = randomView(random, 5, 4);
            const View out = coalesced(view);
            QCOMPARE(indicesOf(out), indicesOf(view));
            QVERIFY(coalesced(out) == out);
            shorter += out.modes.size() < view.modes.size() ? 1 : 0;
        }
        QVERIFY(shorter > 500);
    }

    /// One length, all factorings of it, many strides: equal functions have equal modes and only they.
    void coalescedViewsAreUnique() {
        const std::vector<std::vector<std::int64_t>> factorings{{12}, {2, 6}, {6, 2}, {3, 4}, {4, 3}, {2, 2, 3}, {2, 3, 2}, {3, 2, 2}};
        std::map<std::vector<std::int64_t>, View> seen;
        std::size_t views = 0;
        for (const auto& extents : factorings) {
            std::vector<std::int64_t> strides(extents.size(), -2);
            for (bool more = true; more;) {
                View view{Dim(30), {}};
                for (std::size_t k = 0; k < extents.size(); ++k) {
                    view.modes.push_back(Mode{Dim(extents[k]), Dim(strides[k])});
                }
                const View form = coalesced(view);
                const auto [at, added] = seen.try_emplace(indicesOf(view), form);
                QVERIFY2(at->second == form, qPrintable(described(view) + " and " + described(at->second)));
                ++views;
                more = false;
                for (std::size_t k = strides.size(); k-- > 0;) {
                    if (++strides[k] <= 6) {
                        more = true;
                        break;
                    }
                    strides[k] = -2;
                }
            }
        }
        QVERIFY(seen.size() < views); // some functions came up more than once
        for (const auto& [indices, form] : seen) {
            QCOMPARE(indicesOf(form), indices); // so different functions have different forms
        }
    }

    void compositionIsComposition() {
        Random random(3);
        std::size_t composedCount = 0;
        std::size_t inRange = 0;
        for (int round = 0; round < 60'000; ++round) {
            const View inner = coalesced(randomView(random, 3, 6));
            const View outer = coalesced(randomView(random, 3, 4));
            const std::vector<std::int64_t> through = indicesOf(inner);
            const std::vector<std::int64_t> first = indicesOf(outer);
            const bool inside =
                std::all_of(first.begin(), first.end(), [&](std::int64_t i) { return i >= 0 && i < static_cast<std::int64_t>(through.size()); });
            if (!inside) {
                continue; // such a view is never built: nothing is promised of it
            }
            ++inRange;
            const std::optional<View> both = composed(inner, outer);
            if (!both) {
                continue;
            }
            ++composedCount;
            std::vector<std::int64_t> expected;
            for (const std::int64_t index : first) {
                expected.push_back(through[static_cast<std::size_t>(index)]);
            }
            QVERIFY2(indicesOf(*both) == expected, qPrintable(described(inner) + " after " + described(outer) + " gives " + described(*both)));
            QVERIFY(coalesced(*both) == *both);
        }
        qInfo("%zu of %zu compose", composedCount, inRange);
        QVERIFY(inRange > 1'000 && composedCount * 3 > inRange);
    }

    /// Transposes and slices of the very axes that the inner view has always compose.
    void movementsOfTheSameAxesCompose() {
        Random random(4);
        for (int round = 0; round < 3'000; ++round) {
            std::vector<std::int64_t> shape;
            View inner{Dim(pick(random, 0, 3)), {}};
            for (std::int64_t k = pick(random, 1, 4); k > 0; --k) {
                shape.push_back(pick(random, 1, 4));
                inner.modes.push_back(Mode{Dim(shape.back()), Dim(pick(random, -3, 9))});
            }
            const View outer = coalesced(movementOf(random, shape));
            inner = coalesced(inner);
            const std::optional<View> both = composed(inner, outer);
            std::vector<std::int64_t> expected;
            const std::vector<std::int64_t> through = indicesOf(inner);
            for (const std::int64_t index : indicesOf(outer)) {
                expected.push_back(through.at(static_cast<std::size_t>(index)));
            }
            if (both) {
                QVERIFY2(indicesOf(*both) == expected, qPrintable(described(inner) + " after " + described(outer)));
            }
            ++(both ? m_composed : m_apart);
        }
        qInfo("%zu compose, %zu do not", m_composed, m_apart);
        QVERIFY(m_composed > 20 * m_apart);
    }

    void identities() {
        QVERIFY(isIdentity(View{Dim(0), {Mode{Dim(6), Dim(1)}}}, Dim(6)));
        QVERIFY(isIdentity(View{Dim(0), {}}, Dim(1)));
        QVERIFY(!isIdentity(View{Dim(0), {}}, Dim(2)));
        QVERIFY(!isIdentity(View{Dim(1), {Mode{Dim(6), Dim(1)}}}, Dim(6)));
        QVERIFY(!isIdentity(View{Dim(0), {Mode{Dim(6), Dim(1)}}}, Dim(7)));
        QVERIFY(!isIdentity(View{Dim(0), {Mode{Dim(6), Dim(0)}}}, Dim(6)));
        const Dim n = Dim::symbol("n");
        QVERIFY(isIdentity(coalesced(View{Dim(0), {Mode{n, Dim(4)}, Mode{Dim(4), Dim(1)}}}), Dim(4) * n));
    }

    void strideOfEachAxisComesBack() {
        Random random(5);
        for (int round = 0; round < 2'000; ++round) {
            Shape shape;
            std::vector<Dim> strides;
            for (std::int64_t k = pick(random, 0, 4); k > 0; --k) {
                shape.emplace_back(pick(random, 1, 4));
                strides.emplace_back(shape.back().is(1) ? 0 : pick(random, -5, 9));
            }
            const Dim offset(pick(random, 0, 20));
            const View view = fromAxisStrides(offset, shape, strides);
            const std::optional<AxisStrides> back = axisStrides(view, shape);
            QVERIFY(back);
            QVERIFY(back->offset == offset && back->strides == strides);
        }
        // An axis that two modes cross has no one stride.
        const View crossing = coalesced(View{Dim(0), {Mode{Dim(2), Dim(1)}, Mode{Dim(3), Dim(2)}}});
        QVERIFY(!axisStrides(crossing, Shape{Dim(6)}));
        QVERIFY(!axisStrides(crossing, Shape{Dim(3), Dim(2)}));
        QVERIFY(axisStrides(crossing, Shape{Dim(2), Dim(3)}));
    }

    void symbolicViewsHoldAtEverySize() {
        const Dim n = Dim::symbol("n");
        const Dim m = Dim::symbol("m");
        const View transposed{Dim(0), {Mode{m, Dim(1)}, Mode{n, m}}}; // of [n, m]
        const View back{Dim(0), {Mode{n, Dim(1)}, Mode{m, n}}};       // of [m, n]
        const std::optional<View> both = composed(transposed, back);
        QVERIFY(both && isIdentity(*both, n * m));

        const View everySecond{Dim(1), {Mode{n, Dim(2)}}}; // of [2n]
        const View rows{Dim(0), {Mode{Dim(2) * n, Dim(1)}}};
        const View heads{Dim(0), {Mode{Dim(2), n * Dim(4)}, Mode{n, Dim(1)}, Mode{Dim(4), n}}}; // [2, 4, n] seen as [2, n, 4]
        const View tail{Dim(4) * n, {Mode{Dim(4) * n, Dim(1)}}};                                // its second half
        const std::vector<std::pair<View, View>> pairs{{rows, everySecond}, {heads, tail}};
        for (const auto& [inner, outer] : pairs) {
            const std::optional<View> view = composed(inner, outer);
            QVERIFY2(view, qPrintable(described(inner) + " after " + described(outer)));
            for (std::int64_t size = 1; size < 7; ++size) {
                const std::map<std::string, std::int64_t> sizes{{"n", size}, {"m", size + 1}};
                std::vector<std::int64_t> expected;
                const std::vector<std::int64_t> through = indicesOf(inner, sizes);
                for (const std::int64_t index : indicesOf(outer, sizes)) {
                    expected.push_back(through.at(static_cast<std::size_t>(index)));
                }
                QCOMPARE(indicesOf(*view, sizes), expected);
            }
        }
        // Half of n is not known to be whole: no view may be claimed.
        QVERIFY(!composed(View{Dim(0), {Mode{n, m}, Mode{m, Dim(1)}}}, View{Dim(0), {Mode{n * m - Dim(1), Dim(1)}}}));
        // n and m are not one symbol.
        QVERIFY(!(coalesced(View{Dim(0), {Mode{n, m}, Mode{n, Dim(1)}}}) == coalesced(View{Dim(0), {Mode{n * n, Dim(1)}}})));
    }

    /// Lengths such as floor(w + 3, 8) are 0 at small sizes: what is composed holds there too, and at every larger size.
    void lengthsThatMayBeEmptyCompose() {
        Random random(11);
        const Dim w = Dim::symbol("w");
        const std::vector<Dim> lengths{Dim::symbol("b"), Dim::floorDiv(w + Dim(3), Dim(8)), Dim(6), Dim::floorDiv(w, Dim(2))};
        std::size_t found = 0;
        for (int round = 0; round < 400; ++round) {
            Shape shape;
            for (std::int64_t k = pick(random, 2, 4); k > 0; --k) {
                shape.push_back(lengths[static_cast<std::size_t>(pick(random, 0, 3))]);
            }
            const auto shuffled = [&](const Shape& of) {
                std::vector<std::size_t> order(of.size());
                for (std::size_t k = 0; k < order.size(); ++k) {
                    order[k] = k;
                }
                std::shuffle(order.begin(), order.end(), random);
                const std::vector<Dim> strides = contiguousStrides(of);
                std::pair<View, Shape> out{View{Dim(0), {}}, {}};
                for (const std::size_t axis : order) {
                    // now and then only a part of the axis of 6, or all of it backwards
                    const bool six = of[axis].is(6);
                    const std::int64_t what = six ? pick(random, 0, 2) : 0;
                    const Dim extent = what == 1 ? Dim(3) : of[axis];
                    out.first.offset = out.first.offset + (what == 1 ? Dim(2) : what == 2 ? Dim(5) : Dim(0)) * strides[axis];
                    out.first.modes.push_back(Mode{extent, what == 2 ? Dim(0) - strides[axis] : strides[axis]});
                    out.second.push_back(extent);
                }
                return out;
            };
            const auto [inner, between] = shuffled(shape);
            const View outer = shuffled(between).first;
            const std::optional<View> both = composed(coalesced(inner), coalesced(outer));
            if (!both) {
                continue;
            }
            ++found;
            for (std::int64_t size = 1; size < 30; ++size) {
                const std::map<std::string, std::int64_t> sizes{{"w", size}, {"b", 1 + size % 3}};
                const std::vector<std::int64_t> through = indicesOf(inner, sizes);
                std::vector<std::int64_t> expected;
                for (const std::int64_t index : indicesOf(outer, sizes)) {
                    expected.push_back(through.at(static_cast<std::size_t>(index)));
                }
                QVERIFY2(indicesOf(*both, sizes) == expected, qPrintable(described(inner) + " after " + described(outer)));
            }
        }
        QVERIFY2(found > 100, qPrintable(QString::number(found)));
    }

  private:
    std::size_t m_composed = 0;
    std::size_t m_apart = 0;
};

QTEST_APPLESS_MAIN(TestView)
#include "tst_view.moc"
