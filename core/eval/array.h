#pragma once

#include "core/eval/evaluator.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lemmascope {

/// A value during a run: numbers of a declared element type, stored as that type, as f64 (floats in Double mode) or as
/// intervals (Enclosure mode: every float, and integers an undecided float has reached). Copies share the elements.
class Array {
  public:
    Array() = default;
    /// `tensor.element()` is `declared`, or F64 where `declared` is a float type.
    Array(ElementType declared, Tensor tensor);
    Array(ElementType declared, std::vector<std::int64_t> shape, std::shared_ptr<std::vector<Interval>> intervals);
    /// Zeros in the same kind of storage as `like`.
    [[nodiscard]] static Array zerosLike(const Array& like, std::vector<std::int64_t> shape);

    [[nodiscard]] ElementType element() const { return m_declared; }
    [[nodiscard]] bool isInterval() const { return m_intervals != nullptr; }
    [[nodiscard]] const std::vector<std::int64_t>& shape() const { return m_shape; }
    [[nodiscard]] std::size_t rank() const { return m_shape.size(); }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] std::int64_t dim(std::size_t axis) const { return m_shape[axis]; }

    [[nodiscard]] const Tensor& tensor() const { return m_tensor; } ///< only when not `isInterval()`
    [[nodiscard]] std::span<const Interval> intervals() const { return *m_intervals; }
    [[nodiscard]] std::span<Interval> mutableIntervals() { return *m_intervals; }
    [[nodiscard]] std::size_t elementSize() const { return isInterval() ? sizeof(Interval) : byteSize(m_tensor.element()); }
    [[nodiscard]] const std::byte* data() const;
    /// Only while no copy exists.
    [[nodiscard]] std::byte* mutableData();
    [[nodiscard]] Array reshaped(std::vector<std::int64_t> shape) const;

    /// The result of a Cast into a narrower float (or of an integer into a float), perhaps moved about: what reads it as
    /// another type, compares or quantises it reads its rounding (resources/docs/decisions/numbers.md).
    bool narrowed = false;

  private:
    ElementType m_declared = ElementType::Undefined;
    std::vector<std::int64_t> m_shape;
    std::int64_t m_count = 0;
    Tensor m_tensor;
    std::shared_ptr<std::vector<Interval>> m_intervals;
};

/// Number of elements; nothing when a length is negative or those that are not 0 multiply to more than 2^62.
[[nodiscard]] std::optional<std::int64_t> elementCountOf(std::span<const std::int64_t> shape);
/// Row-major strides in elements, those of an empty tensor as if its lengths of 0 were 1.
[[nodiscard]] std::vector<std::int64_t> rowMajorStrides(std::span<const std::int64_t> shape);
/// `[2,3]`
[[nodiscard]] std::string shapeText(std::span<const std::int64_t> shape);

/// Copies `n` elements, `stride` elements apart from `offset` on, into a scalar type of computation: double, float,
/// Interval, or (integers and bool only) int64_t and uint64_t, exactly where the type allows.
template <typename S>
void readElements(const Array& array, std::int64_t offset, std::int64_t stride, std::span<S> out);

/// Writes computed scalars as elements `offset`, `offset + 1`, ...: rounds to the stored float type, wraps integers to
/// their width, makes bools 0 or 1. Double and float only into floats (or bool); Interval only into intervals.
template <typename S>
void writeElements(Array& array, std::int64_t offset, std::span<const S> values);

/// Intervals of an integer or bool tensor that are all exact points become native elements again.
[[nodiscard]] Array withoutPointIntervals(Array array);
/// The same numbers as intervals; points outward where a 64-bit integer is not a double.
[[nodiscard]] Array asIntervals(const Array& array);

} // namespace lemmascope
