#pragma once

// Pairs of graphs that differ in how a value is taken apart and put together, as text for parseGraph: for tests and benchmarks.

#include <cstdint>
#include <string>

namespace lemmascope::test {

struct TextPair {
    std::string reference;
    std::string rewritten;
};

/// A convolution of `x` [batch, channels, size, size] with `w` [filters, channels, kernel, kernel].
struct Convolution {
    std::string batch = "b";
    std::int64_t channels = 4;
    std::int64_t size = 8;
    std::int64_t filters = 6;
    std::int64_t kernel = 3;
    std::int64_t stride = 1;
    std::int64_t pad = 1;
    std::int64_t dilation = 1;
    [[nodiscard]] std::int64_t result() const { return (size + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1; }
};

/// How the patches of the image are gathered and multiplied.
enum class Im2col : std::uint8_t {
    OnChannels,   ///< slices joined on the channel axis, weights transposed
    OnNewAxis,    ///< slices joined on an axis behind the channels: patches in the order of the weights
    Gathered,     ///< two Gathers with tables of positions
    Flat,         ///< one Gather of the flattened image
    ChannelsLast, ///< slices of the transposed image joined on its last axis
    Products,     ///< one product per kernel position, added up
    Pointwise     ///< one pointwise convolution per kernel position, added up
};
enum class Twin : std::uint8_t { None, KernelTransposed, PadShifted, RowDropped };

[[nodiscard]] TextPair im2col(const Convolution& shape, Im2col how, Twin fault = Twin::None);

/// An image x [batch, rows, columns] cut into `count` slices of its rows, `op` applied to each (Identity: nothing), put together
/// again: against `op` of the whole.
enum class PutTogether : std::uint8_t { Concat, Tree, Insert, Scatter, Where };
[[nodiscard]] TextPair slices(std::int64_t count, std::int64_t width, const std::string& op, PutTogether how, bool swapped = false);

/// x times the join of `count` weights, split again, against `count` products; `inner`: joined along the sum, against a sum of products.
[[nodiscard]] TextPair joinedWeights(std::int64_t size, std::int64_t count, bool inner, bool swapped = false);
/// A product against the sum of products of `count` parts of its inner axis.
[[nodiscard]] TextPair splitProduct(std::int64_t size, std::int64_t count, bool shifted = false);

} // namespace lemmascope::test
