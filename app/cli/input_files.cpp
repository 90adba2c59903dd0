#include "app/cli/input_files.h"

#include "app/cli/requests.h"
#include "core/format/npy/npy.h"
#include "core/report/element_text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

namespace lemmascope::cli {

namespace {

using Sizes = std::map<std::string, std::int64_t>;

/// Checks a given tensor against the declared type and learns the symbols that are whole dims.
Result<void> matchType(const Value& input, const Tensor& tensor, Sizes& sizes) {
    const auto mismatch = [&] {
        return fail(ErrorCode::ShapeMismatch,
                    "input '" + input.name + "' is " + input.type.text() + ", but the file given for it holds " + tensorTypeText(tensor));
    };
    if (input.type.element != ElementType::Undefined && input.type.element != tensor.element()) {
        return mismatch();
    }
    if (!input.type.shape) {
        return {};
    }
    if (input.type.shape->size() != tensor.shape().size()) {
        return mismatch();
    }
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
        const Dim& dim = (*input.type.shape)[axis];
        const std::int64_t length = tensor.shape()[axis];
        if (const auto symbol = dim.symbolName()) {
            const auto [at, isNew] = sizes.emplace(*symbol, length);
            if (!isNew && at->second != length) {
                return fail(ErrorCode::ShapeMismatch, "input '" + input.name + "': " + *symbol + " is " + std::to_string(length) +
                                                          " here, but another input has " + std::to_string(at->second));
            }
        } else if (dim.isKnown() && !dim.is(length)) {
            return mismatch();
        }
    }
    return {};
}

Result<std::vector<std::int64_t>> lengths(const Graph& graph, const Value& input, Sizes& sizes) {
    if (!input.type.shape) {
        return fail(ErrorCode::Usage, "input '" + input.name + "' has no known rank: give it with --input " + input.name + "=FILE.npy");
    }
    std::vector<std::int64_t> out;
    for (const Dim& dim : *input.type.shape) {
        std::vector<std::string> symbols;
        dim.collectSymbols(symbols);
        for (const std::string& symbol : symbols) {
            const auto range = graph.symbols.find(symbol);
            std::int64_t length = 2;
            if (range != graph.symbols.end()) {
                length = std::clamp(length, range->second.low, std::max(range->second.low, range->second.high));
            }
            sizes.emplace(symbol, length);
        }
        const std::optional<std::int64_t> length = dim.evaluate(sizes);
        if (!length || *length < 0) {
            return fail(ErrorCode::ShapeMismatch, "input '" + input.name + "': no length for " + dim.text());
        }
        out.push_back(*length);
    }
    return out;
}

/// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
class Random {
  public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next() {
        m_state += 0x9E3779B97F4A7C15U;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    /// In [-2, 2), with few enough digits to be exact in f32.
    double real() { return static_cast<double>(next() >> 44U) / 262144.0 - 2.0; }
    std::int64_t integer(std::int64_t low, std::int64_t high) {
        const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        const std::uint64_t offset = width == 0 ? next() : next() % width;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
    }

  private:
    std::uint64_t m_state;
};

template <typename T, typename Make>
void fill(Tensor& tensor, Make make) {
    for (T& element : tensor.mutableAs<T>()) {
        element = static_cast<T>(make());
    }
}

Result<Tensor> randomTensor(const Value& input, std::vector<std::int64_t> shape, Random& random) {
    double count = 1.0;
    for (const std::int64_t length : shape) {
        count *= static_cast<double>(length);
    }
    if (count > 1e8) {
        return fail(ErrorCode::TooLarge, "input '" + input.name + "' has more than 100,000,000 elements: give it with --input");
    }
    Tensor tensor(input.type.element, std::move(shape));
    const auto real = [&] { return random.real(); };
    const auto integer = [&] { return input.range ? random.integer(input.range->low, input.range->high) : random.integer(0, 3); };
    switch (input.type.element) {
    case ElementType::F64: fill<double>(tensor, real); break;
    case ElementType::F32: fill<float>(tensor, real); break;
    case ElementType::F16: fill<std::uint16_t>(tensor, [&] { return doubleToHalf(real()); }); break;
    case ElementType::BF16: fill<std::uint16_t>(tensor, [&] { return doubleToBfloat(real()); }); break;
    case ElementType::Bool: fill<std::uint8_t>(tensor, [&] { return random.integer(0, 1); }); break;
    default:
        if (!isInteger(input.type.element)) {
            return fail(ErrorCode::Unsupported,
                        "input '" + input.name + "' of type " + input.type.text() + " has no random form: give it with --input");
        }
        switch (byteSize(input.type.element)) {
        case 1: fill<std::uint8_t>(tensor, integer); break;
        case 2: fill<std::uint16_t>(tensor, integer); break;
        case 4: fill<std::uint32_t>(tensor, integer); break;
        default: fill<std::uint64_t>(tensor, integer); break;
        }
    }
    return tensor;
}

} // namespace

Result<NamedTensors> readInputFiles(const std::vector<std::string>& arguments) {
    NamedTensors out;
    for (const std::string& argument : arguments) {
        if (argument.find('=') == std::string::npos && std::filesystem::path(argument).extension() == ".npz") {
            auto all = readNpz(argument);
            if (!all) {
                return tl::unexpected(all.error());
            }
            std::move(all->begin(), all->end(), std::back_inserter(out));
            continue;
        }
        const auto parts = splitAssignment("--input", argument);
        if (!parts) {
            return tl::unexpected(parts.error());
        }
        auto tensor = readNpy(parts->second);
        if (!tensor) {
            return tl::unexpected(tensor.error());
        }
        out.emplace_back(parts->first, std::move(*tensor));
    }
    return out;
}

Result<std::vector<std::optional<Tensor>>> completeInputs(const Graph& graph, const NamedTensors& given, std::optional<std::uint64_t> seed) {
    std::vector<std::optional<Tensor>> out(graph.inputs.size());
    Sizes sizes;
    for (const auto& [name, tensor] : given) {
        const auto at =
            std::find_if(graph.inputs.begin(), graph.inputs.end(), [&, wanted = name](ValueId id) { return graph.value(id).name == wanted; });
        if (at == graph.inputs.end()) {
            std::string known;
            for (const ValueId id : graph.inputs) {
                known += (known.empty() ? "" : ", ") + graph.value(id).name;
            }
            return fail(ErrorCode::Usage, "--input: the graph has no input '" + name + "'; it has " + (known.empty() ? "none" : known));
        }
        if (const Result<void> fits = matchType(graph.value(*at), tensor, sizes); !fits) {
            return tl::unexpected(fits.error());
        }
        out[static_cast<std::size_t>(at - graph.inputs.begin())] = tensor;
    }
    Random random(seed.value_or(0));
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i]) {
            continue;
        }
        const Value& input = graph.value(graph.inputs[i]);
        if (!seed) {
            return fail(ErrorCode::Usage, "no tensor for input '" + input.name + "': give --input " + input.name + "=FILE.npy or --random SEED");
        }
        auto shape = lengths(graph, input, sizes);
        if (!shape) {
            return tl::unexpected(shape.error());
        }
        auto tensor = randomTensor(input, std::move(*shape), random);
        if (!tensor) {
            return tl::unexpected(tensor.error());
        }
        out[i] = std::move(*tensor);
    }
    return out;
}

} // namespace lemmascope::cli
