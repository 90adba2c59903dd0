// Movements against arrays: each term's elements are read here by walking the term, and each chain of movements is done here
// on arrays of element numbers, without views. A term must hold the elements that its chain gives; chains without Concat
// that give the same elements should be one term.

#include "core/term/movement.h"

#include <QtTest/QTest>

#include <map>
#include <random>

using namespace lemmascope;

namespace {

using Random = std::mt19937_64;

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

using Lengths = std::vector<std::int64_t>;

/// Element numbers: an input's element, or an op on such numbers, each combination once.
class Numbers {
  public:
    std::int64_t of(const std::string& name, const Lengths& arguments) {
        return m_numbers.try_emplace({name, arguments}, static_cast<std::int64_t>(m_numbers.size())).first->second;
    }

  private:
    std::map<std::pair<std::string, Lengths>, std::int64_t> m_numbers;
};

struct Array {
    Lengths shape;
    Lengths elements;
    friend auto operator<=>(const Array&, const Array&) = default;
};

std::int64_t countOf(const Lengths& shape) {
    std::int64_t out = 1;
    for (const std::int64_t length : shape) {
        out *= length;
    }
    return out;
}

/// Multi-index of a flat one and back.
Lengths unflattened(std::int64_t flat, const Lengths& shape) {
    Lengths out(shape.size());
    for (std::size_t k = shape.size(); k-- > 0;) {
        out[k] = flat % shape[k];
        flat /= shape[k];
    }
    return out;
}
std::int64_t flattened(const Lengths& index, const Lengths& shape) {
    std::int64_t out = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        out = out * shape[k] + index[k];
    }
    return out;
}

/// result[index] = source[from(index)]
template <class From>
Array gathered(const Array& source, const Lengths& shape, From from) {
    Array out{shape, {}};
    for (std::int64_t flat = 0; flat < countOf(shape); ++flat) {
        out.elements.push_back(source.elements.at(static_cast<std::size_t>(flattened(from(unflattened(flat, shape)), source.shape))));
    }
    return out;
}

Array joined(const std::vector<Array>& parts, std::size_t axis) {
    Lengths shape = parts[0].shape;
    shape[axis] = 0;
    for (const Array& part : parts) {
        shape[axis] += part.shape[axis];
    }
    Array out{shape, {}};
    for (std::int64_t flat = 0; flat < countOf(shape); ++flat) {
        Lengths index = unflattened(flat, shape);
        std::size_t k = 0;
        while (index[axis] >= parts[k].shape[axis]) {
            index[axis] -= parts[k++].shape[axis];
        }
        out.elements.push_back(parts[k].elements.at(static_cast<std::size_t>(flattened(index, parts[k].shape))));
    }
    return out;
}

Array broadcast(const Array& source, const Lengths& shape) {
    const std::size_t lead = shape.size() - source.shape.size();
    return gathered(source, shape, [&](const Lengths& index) {
        Lengths out(index.begin() + static_cast<std::ptrdiff_t>(lead), index.end());
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] = source.shape[k] == 1 ? 0 : out[k];
        }
        return out;
    });
}

Lengths known(const Shape& shape) {
    Lengths out;
    for (const Dim& dim : shape) {
        out.push_back(dim.value());
    }
    return out;
}
Shape dims(const Lengths& lengths) { return Shape(lengths.begin(), lengths.end()); }

struct Made {
    TermId term;
    Array array;
    bool concat = false; ///< some Concat went into it
};

/// A store with inputs, and what is made of them on both sides.
class Workshop {
  public:
    explicit Workshop(std::uint64_t seed) : random(seed), move(store) {
        for (std::uint32_t k = 0; k < 2; ++k) {
            const Lengths shape = k == 0 ? Lengths{2, 3, 4} : Lengths{4, 6};
            Array array{shape, {}};
            for (std::int64_t i = 0; i < countOf(shape); ++i) {
                array.elements.push_back(numbers.of("input", {k, i}));
            }
            made.push_back({store.input(k, {ElementType::F32, dims(shape)}), array, false});
        }
    }

    /// The elements that a term stands for, by its own parts.
    Array elementsOf(TermId term) {
        const Lengths shape = known(store.shape(term));
        Array out{shape, {}};
        switch (store.kind(term)) {
        case TermKind::Input:
            for (std::int64_t i = 0; i < countOf(shape); ++i) {
                out.elements.push_back(numbers.of("input", {store.term(term).payload, i}));
            }
            return out;
        case TermKind::View: {
            const Array source = elementsOf(store.operands(term)[0]);
            const View& view = store.view(term);
            for (std::int64_t flat = 0; flat < countOf(shape); ++flat) {
                std::int64_t rest = flat;
                std::int64_t index = view.offset.value();
                for (std::size_t k = view.modes.size(); k-- > 0;) {
                    index += rest % view.modes[k].extent.value() * view.modes[k].stride.value();
                    rest /= view.modes[k].extent.value();
                }
                out.elements.push_back(source.elements.at(static_cast<std::size_t>(index)));
            }
            return out;
        }
        case TermKind::Concat: {
            std::vector<Array> parts;
            for (const TermId part : store.operands(term)) {
                parts.push_back(elementsOf(part));
            }
            return joined(parts, store.term(term).payload);
        }
        default: {
            std::vector<Array> operands;
            for (const TermId operand : store.operands(term)) {
                operands.push_back(elementsOf(operand));
            }
            return applied(store.op(term).name, operands, shape);
        }
        }
    }

    Array applied(const std::string& name, const std::vector<Array>& operands, const Lengths& shape) {
        Array out{shape, {}};
        for (std::int64_t flat = 0; flat < countOf(shape); ++flat) {
            Lengths arguments;
            for (const Array& operand : operands) {
                arguments.push_back(operand.elements.at(static_cast<std::size_t>(flat)));
            }
            out.elements.push_back(numbers.of(name, arguments));
        }
        return out;
    }

    OperatorId elementwise(const std::string& name) {
        Operator op;
        op.name = name;
        op.elementwise = true;
        op.element = ElementType::F32;
        return store.internOperator(op);
    }

    Made reshaped(const Made& from) {
        // Random factors of the count.
        std::int64_t left = countOf(from.array.shape);
        Lengths shape;
        while (left > 1) {
            std::int64_t factor = pick(random, 2, left);
            while (left % factor != 0) {
                ++factor;
            }
            shape.push_back(factor);
            left /= factor;
        }
        std::shuffle(shape.begin(), shape.end(), random);
        if (pick(random, 0, 4) == 0) {
            shape.insert(shape.begin() + pick(random, 0, static_cast<std::int64_t>(shape.size())), 1);
        }
        return {move.reshape(from.term, dims(shape)), {shape, from.array.elements}, from.concat};
    }

    Made transposed(const Made& from) {
        std::vector<std::size_t> order(from.array.shape.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            order[k] = k;
        }
        std::shuffle(order.begin(), order.end(), random);
        Lengths shape;
        for (const std::size_t axis : order) {
            shape.push_back(from.array.shape[axis]);
        }
        const Array array = gathered(from.array, shape, [&](const Lengths& index) {
            Lengths out(index.size());
            for (std::size_t k = 0; k < index.size(); ++k) {
                out[order[k]] = index[k];
            }
            return out;
        });
        return {move.transpose(from.term, order), array, from.concat};
    }

    Made sliced(const Made& from) {
        std::vector<Dim> starts;
        std::vector<Dim> lengths;
        Lengths first;
        Lengths shape;
        Lengths steps;
        for (const std::int64_t length : from.array.shape) {
            const bool whole = pick(random, 0, 1) == 0;
            const std::int64_t start = whole ? 0 : pick(random, 0, length - 1);
            const std::int64_t step = whole ? 1 : pick(random, 0, 2) == 0 ? (pick(random, 0, 1) == 0 ? -1 : 2) : 1;
            const std::int64_t most = step > 0 ? (length - 1 - start) / step + 1 : start + 1;
            first.push_back(start);
            steps.push_back(step);
            shape.push_back(whole ? length : pick(random, 1, most));
            starts.emplace_back(start);
            lengths.emplace_back(shape.back());
        }
        const Array array = gathered(from.array, shape, [&](Lengths index) {
            for (std::size_t k = 0; k < index.size(); ++k) {
                index[k] = first[k] + steps[k] * index[k];
            }
            return index;
        });
        return {move.slice(from.term, starts, lengths, steps), array, from.concat};
    }

    Made expanded(const Made& from) {
        Lengths shape = from.array.shape;
        for (std::int64_t& length : shape) {
            length = length == 1 && pick(random, 0, 1) == 0 ? 2 : length;
        }
        if (pick(random, 0, 1) == 0) {
            shape.insert(shape.begin(), 2);
        }
        return {move.expand(from.term, dims(shape)), broadcast(from.array, shape), from.concat};
    }

    Made concatenated(const Made& from) {
        const auto axis = static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(from.array.shape.size()) - 1));
        std::vector<Made> parts{from};
        for (const Made& other : made) {
            Lengths shape = other.array.shape;
            if (shape.size() == from.array.shape.size()) {
                shape[axis] = from.array.shape[axis];
                if (shape == from.array.shape && pick(random, 0, 1) == 0 && parts.size() < 3) {
                    parts.push_back(other);
                }
            }
        }
        if (parts.size() == 1) {
            parts.push_back(from);
        }
        std::shuffle(parts.begin(), parts.end(), random);
        std::vector<TermId> terms;
        std::vector<Array> arrays;
        for (const Made& part : parts) {
            terms.push_back(part.term);
            arrays.push_back(part.array);
        }
        return {move.concat(axis, terms), joined(arrays, axis), true};
    }

    Made computed(const Made& from) {
        if (pick(random, 0, 1) == 0) {
            const std::vector<TermId> operands{from.term};
            return {move.elementwise(elementwise("Relu"), operands, {ElementType::F32, dims(from.array.shape)}),
                    applied("Relu", {from.array}, from.array.shape), from.concat};
        }
        for (std::size_t tries = 0; tries < 20; ++tries) {
            const Made& other = made[static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(made.size()) - 1))];
            const Shape shape = dims(from.array.shape);
            if (broadcastsTo(dims(other.array.shape), shape)) {
                const std::vector<TermId> operands{from.term, other.term};
                return {move.elementwise(elementwise("Sub"), operands, {ElementType::F32, shape}),
                        applied("Sub", {from.array, broadcast(other.array, from.array.shape)}, from.array.shape), from.concat || other.concat};
            }
        }
        return from;
    }

    Made step(const Made& from, bool everything) {
        switch (pick(random, 0, everything ? 7 : 4)) {
        case 0:
        case 1: return reshaped(from);
        case 2: return from.array.shape.empty() ? from : transposed(from);
        case 3: return sliced(from);
        case 4: return countOf(from.array.shape) > 40 || from.array.shape.size() > 4 ? sliced(from) : expanded(from);
        case 5:
        case 6: return from.array.shape.empty() || countOf(from.array.shape) > 40 ? from : concatenated(from);
        default: return computed(from);
        }
    }

    Random random;
    TermStore store;
    Movements move;
    Numbers numbers;
    std::vector<Made> made;
};

} // namespace

class TestMovement : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Whatever was simplified on the way, the term holds the elements of its chain.
    void chainsHoldTheirElements() {
        std::size_t terms = 0;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Workshop shop(seed);
            for (int k = 0; k < 80; ++k) {
                const Made from = shop.made[static_cast<std::size_t>(pick(shop.random, 0, static_cast<std::int64_t>(shop.made.size()) - 1))];
                const Made next = shop.step(from, true);
                QCOMPARE(known(shop.store.shape(next.term)), next.array.shape);
                const Array held = shop.elementsOf(next.term);
                QVERIFY2(held == next.array,
                         qPrintable(QString::fromStdString("seed " + std::to_string(seed) + ": " + shop.store.text(next.term, 6))));
                shop.made.push_back(next);
                ++terms;
            }
        }
        QCOMPARE(terms, std::size_t{4'800});
    }

    /// Chains of reshapes, transposes, slices and expansions with equal elements are one term, where views compose at all.
    void equalChainsAreOneTerm() {
        std::size_t same = 0;
        std::size_t apart = 0;
        std::size_t notComposed = 0;
        for (std::uint64_t seed = 100; seed < 140; ++seed) {
            Workshop shop(seed);
            std::map<Array, TermId> terms;
            for (int k = 0; k < 200; ++k) {
                Made next = shop.made[static_cast<std::size_t>(pick(shop.random, 0, 1))];
                for (std::int64_t steps = pick(shop.random, 1, 4); steps > 0; --steps) {
                    next = shop.step(next, false);
                }
                const bool nested =
                    shop.store.kind(next.term) == TermKind::View && shop.store.kind(shop.store.operands(next.term)[0]) == TermKind::View;
                if (nested) {
                    ++notComposed;
                    continue;
                }
                const auto [at, added] = terms.try_emplace(next.array, next.term);
                if (!added) {
                    ++(at->second == next.term ? same : apart);
                }
            }
        }
        qInfo("%zu equal chains are one term, %zu are not; %zu did not compose", same, apart, notComposed);
        QCOMPARE(apart, std::size_t{0});
        QVERIFY(same > 500);
        QVERIFY(notComposed < 400); // of 8,000
    }

    void lawsOfConcat() {
        Workshop shop(1);
        const TermId x = shop.made[0].term; // [2,3,4]
        Movements& move = shop.move;
        // Pieces of a split join to the whole, on every axis.
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::vector<TermId> parts{move.sliceAxis(x, axis, Dim(0), Dim(1)),
                                            move.sliceAxis(x, axis, Dim(1), shop.store.shape(x)[axis] - Dim(1))};
            QVERIFY(move.concat(axis, parts) == x);
        }
        const TermId y = move.reshape(shop.made[1].term, {Dim(2), Dim(3), Dim(4)});
        const std::vector<TermId> both{x, y};
        const TermId joined = move.concat(1, both);
        // A slice of a Concat that lies in one piece is that piece's.
        QVERIFY(move.sliceAxis(joined, 1, Dim(3), Dim(3)) == y);
        QVERIFY(move.sliceAxis(joined, 1, Dim(0), Dim(3)) == x);
        QVERIFY(move.sliceAxis(joined, 1, Dim(1), Dim(3)) != x);
        // Nested Concats of one axis are one; of another order another.
        const std::vector<TermId> nested{joined, x};
        const std::vector<TermId> flat{x, y, x};
        const std::vector<TermId> swapped{y, x};
        QVERIFY(move.concat(1, nested) == move.concat(1, flat));
        QVERIFY(move.concat(1, swapped) != joined);
        // Relu of a Concat is the Concat of Relus.
        const std::vector<TermId> one{joined};
        const TermId outside = move.elementwise(shop.elementwise("Relu"), one, shop.store.type(joined));
        const std::vector<TermId> justX{x};
        const std::vector<TermId> justY{y};
        const std::vector<TermId> inside{move.elementwise(shop.elementwise("Relu"), justX, shop.store.type(x)),
                                         move.elementwise(shop.elementwise("Relu"), justY, shop.store.type(y))};
        QVERIFY(outside == move.concat(1, inside));
    }

    void symbolicMovementsAreOneTerm() {
        TermStore store;
        Movements move(store);
        const Dim n = Dim::symbol("n");
        const Dim m = Dim::symbol("m");
        const TermId x = store.input(0, {ElementType::F32, Shape{n, Dim(8), m}});
        // Two transposes undo each other; heads split and joined again are the input; slices add their starts.
        QVERIFY(move.transpose(move.transpose(x, {2, 0, 1}), {1, 2, 0}) == x);
        QVERIFY(move.reshape(move.reshape(x, {n, Dim(2), Dim(4), m}), {n, Dim(8), m}) == x);
        const TermId heads = move.transpose(move.reshape(x, {n, Dim(2), Dim(4), m}), {0, 2, 1, 3});
        QVERIFY(heads != move.reshape(x, {n, Dim(4), Dim(2), m}));
        QVERIFY(move.reshape(move.transpose(heads, {0, 2, 1, 3}), {n, Dim(8), m}) == x);
        QVERIFY(move.sliceAxis(move.sliceAxis(x, 1, Dim(2), Dim(5)), 1, Dim(1), Dim(2)) == move.sliceAxis(x, 1, Dim(3), Dim(2)));
        QVERIFY(move.sliceAxis(x, 1, Dim(3), Dim(2)) != move.sliceAxis(x, 1, Dim(2), Dim(2)));
        // n and m are not one length.
        const TermId square = store.input(1, {ElementType::F32, Shape{n, n}});
        QVERIFY(move.transpose(square, {1, 0}) != square);
    }

    void movingEveryLayerOfADeepGraphCostsEachLayerOnce() {
        // A residual stream that each layer transposes: what the layer before moved is found, not made again.
        const auto terms = [](int layers) {
            TermStore store;
            Movements move(store);
            Operator neg;
            neg.name = "Neg";
            neg.elementwise = true;
            Operator add = neg;
            add.name = "Add";
            const OperatorId negate = store.internOperator(neg);
            const OperatorId sum = store.internOperator(add);
            const TensorType type{ElementType::F32, Shape{Dim(4), Dim(4)}};
            TermId x = store.input(0, type);
            for (int layer = 0; layer < layers; ++layer) {
                const TermId turned = move.transpose(move.elementwise(negate, std::vector<TermId>{x}, type), {1, 0});
                Operator other;
                other.name = "MatMul";
                const TermId product = store.apply(store.internOperator(other), std::vector<TermId>{x, turned}, type);
                x = move.elementwise(sum, std::vector<TermId>{x, product}, type);
            }
            return store.size();
        };
        // Deeper than one movement enters by itself: what it leaves as a view must not be made anew for each layer.
        QVERIFY(terms(3'000) < 3'000 * 12);
    }

    void emptyTensorsStayHarmless() {
        TermStore store;
        Movements move(store);
        const TermId x = store.input(0, {ElementType::F32, Shape{Dim(0), Dim(3)}});
        const TermId y = store.input(1, {ElementType::F32, Shape{Dim(2), Dim(3)}});
        const std::vector<TermId> parts{x, y};
        QVERIFY(move.concat(0, parts) == y);
        QVERIFY(known(store.shape(move.transpose(x, {1, 0}))) == (Lengths{3, 0}));
        QVERIFY(known(store.shape(move.reshape(x, {Dim(7), Dim(0)}))) == (Lengths{7, 0}));
        QVERIFY(known(store.shape(move.sliceAxis(y, 0, Dim(1), Dim(0)))) == (Lengths{0, 3}));
    }
};

QTEST_APPLESS_MAIN(TestMovement)
#include "tst_movement.moc"
