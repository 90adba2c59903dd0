#include "tests/core/prove/join_pairs.h"

#include <vector>

namespace lemmascope::test {

namespace {

using Numbers = std::vector<std::int64_t>;

class Text {
  public:
    explicit Text(std::string inputs) : m_text(std::move(inputs)) {}

    std::string list(const Numbers& values, const std::string& shape = "", const std::string& type = "i64") {
        const std::string name = fresh("c");
        m_text += "const " + name + " " + type + "[" + (shape.empty() ? std::to_string(values.size()) : shape) + "]";
        for (const std::int64_t value : values) {
            m_text += " " + std::to_string(value);
        }
        m_text += "; ";
        return name;
    }
    std::string op(const std::string& op, const std::vector<std::string>& operands, const std::string& attributes = "") {
        const std::string name = fresh("v");
        m_text += name + " = " + op + "(";
        for (std::size_t k = 0; k < operands.size(); ++k) {
            m_text += (k == 0 ? "" : ", ") + operands[k];
        }
        m_text += ")" + (attributes.empty() ? std::string() : " " + attributes) + "; ";
        return name;
    }
    std::string slice(const std::string& x, const Numbers& begin, const Numbers& end, const Numbers& axes, const Numbers& steps = {}) {
        std::vector<std::string> operands{x, list(begin), list(end), list(axes)};
        if (!steps.empty()) {
            operands.push_back(list(steps));
        }
        return op("Slice", operands);
    }
    std::string reshape(const std::string& x, const Numbers& shape) { return op("Reshape", {x, list(shape)}); }
    std::string done(const std::vector<std::string>& outputs) {
        std::string names;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const std::string name = outputs.size() == 1 ? "y" : "y" + std::to_string(k);
            m_text += name + " = Identity(" + outputs[k] + "); ";
            names += (k == 0 ? "" : ", ") + name;
        }
        return m_text + "out " + names;
    }

  private:
    std::string m_text;
    int m_next = 0;
    std::string fresh(const char* prefix) { return prefix + std::to_string(m_next++); }
};

std::string dims(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& dim : list) {
        out += (out.empty() ? "" : ",") + dim;
    }
    return "f32[" + out + "]";
}

} // namespace

TextPair im2col(const Convolution& shape, Im2col how, Twin fault) {
    const auto n = [](std::int64_t v) { return std::to_string(v); };
    const std::string inputs = "in x " + dims({shape.batch, n(shape.channels), n(shape.size), n(shape.size)}) + "; in w " +
                               dims({n(shape.filters), n(shape.channels), n(shape.kernel), n(shape.kernel)}) + "; ";
    const std::string pads = n(shape.pad) + "," + n(shape.pad) + "," + n(shape.pad) + "," + n(shape.pad);
    Text reference(inputs);
    const std::string conv = reference.op("Conv", {"x", "w"},
                                          "strides=[" + n(shape.stride) + "," + n(shape.stride) + "] pads=[" + pads + "] dilations=[" +
                                              n(shape.dilation) + "," + n(shape.dilation) + "]");
    Text text(inputs);
    const std::int64_t k = shape.kernel;
    const std::int64_t c = shape.channels;
    const std::int64_t m = shape.filters;
    const std::int64_t out = shape.result();
    const std::int64_t low = fault == Twin::PadShifted ? shape.pad - 1 : shape.pad;
    const std::int64_t high = 2 * shape.pad - low;
    std::string x = "x";
    if (shape.pad > 0) {
        x = text.op("Pad", {x, text.list({0, 0, low, low, 0, 0, high, high})});
    }
    const auto last = [&](std::int64_t at) { return at * shape.dilation + (out - 1) * shape.stride + 1; };
    const auto window = [&](const std::string& from, std::int64_t a, std::int64_t b, const Numbers& axes) {
        return text.slice(from, {a * shape.dilation, b * shape.dilation}, {last(a), last(b)}, axes, {shape.stride, shape.stride});
    };
    const bool turned = fault == Twin::KernelTransposed;
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    for (std::int64_t a = 0; a < k; ++a) {
        for (std::int64_t b = 0; b < k; ++b) {
            places.emplace_back(turned ? b : a, turned ? a : b);
        }
    }
    const auto tables = [&](std::int64_t step) {
        Numbers at;
        for (std::int64_t a = 0; a < k; ++a) {
            for (std::int64_t o = 0; o < out; ++o) {
                at.push_back(a * shape.dilation + o * step);
            }
        }
        return at;
    };
    const std::int64_t wrap = shape.size + 2 * shape.pad;
    std::string columns;
    std::string weights = "w";
    switch (how) {
    case Im2col::OnChannels: {
        std::vector<std::string> parts;
        for (const auto& [a, b] : places) {
            parts.push_back(window(x, a, b, {2, 3}));
        }
        columns = text.reshape(text.op("Concat", parts, "axis=1"), {-1, k * k * c, out * out});
        weights = text.op("Transpose", {"w"}, "perm=[0,2,3,1]");
        break;
    }
    case Im2col::OnNewAxis: {
        std::vector<std::string> parts;
        for (const auto& [a, b] : places) {
            parts.push_back(text.op("Unsqueeze", {window(x, a, b, {2, 3}), text.list({2})}));
        }
        columns = text.reshape(text.op("Concat", parts, "axis=2"), {-1, c * k * k, out * out});
        break;
    }
    case Im2col::Gathered: {
        const std::string rows = text.op("Gather", {x, text.list(tables(shape.stride), n(k) + "," + n(out))}, "axis=2");
        const std::string both = text.op("Gather", {rows, text.list(tables(shape.stride), n(k) + "," + n(out))}, "axis=4");
        columns = text.reshape(text.op("Transpose", {both}, turned ? "perm=[0,1,4,2,3,5]" : "perm=[0,1,2,4,3,5]"), {-1, c * k * k, out * out});
        break;
    }
    case Im2col::Flat: {
        Numbers at;
        for (const auto& [a, b] : places) {
            for (std::int64_t o = 0; o < out; ++o) {
                for (std::int64_t p = 0; p < out; ++p) {
                    at.push_back((a * shape.dilation + o * shape.stride) * wrap + b * shape.dilation + p * shape.stride);
                }
            }
        }
        columns = text.op("Gather", {text.reshape(x, {-1, c, wrap * wrap}), text.list(at, n(k * k) + "," + n(out * out))}, "axis=2");
        columns = text.reshape(columns, {-1, c * k * k, out * out});
        break;
    }
    case Im2col::ChannelsLast: {
        const std::string image = text.op("Transpose", {x}, "perm=[0,2,3,1]");
        std::vector<std::string> parts;
        for (const auto& [a, b] : places) {
            parts.push_back(window(image, a, b, {1, 2}));
        }
        weights = text.reshape(text.op("Transpose", {"w"}, "perm=[2,3,1,0]"), {k * k * c, m});
        const std::string product = text.op("MatMul", {text.op("Concat", parts, "axis=3"), weights});
        return {reference.done({conv}), text.done({text.op("Transpose", {product}, "perm=[0,3,1,2]")})};
    }
    case Im2col::Products:
    case Im2col::Pointwise: {
        std::string sum;
        for (const auto& [a, b] : places) {
            if (fault == Twin::RowDropped && a == k - 1) {
                continue;
            }
            const std::int64_t i = turned ? b : a;
            const std::int64_t j = turned ? a : b;
            const std::string own = text.slice("w", {i, j}, {i + 1, j + 1}, {2, 3});
            const std::string part = window(x, a, b, {2, 3});
            const std::string product = how == Im2col::Pointwise
                                            ? text.op("Conv", {part, own})
                                            : text.op("MatMul", {text.reshape(own, {m, c}), text.reshape(part, {-1, c, out * out})});
            sum = sum.empty() ? product : text.op("Add", {sum, product});
        }
        return {reference.done({conv}), text.done({how == Im2col::Pointwise ? sum : text.reshape(sum, {-1, m, out, out})})};
    }
    }
    const std::string product = text.op("MatMul", {text.reshape(weights, {m, c * k * k}), columns});
    return {reference.done({conv}), text.done({text.reshape(product, {-1, m, out, out})})};
}

TextPair slices(std::int64_t count, std::int64_t width, const std::string& op, PutTogether how, bool swapped) {
    const std::string inputs = "in x f32[b," + std::to_string(count * width) + ",8]; ";
    // ScatterND and masks write rows of the outermost axis.
    const bool outermost = how == PutTogether::Scatter;
    const std::string outer = "in x f32[" + std::to_string(count * width) + ",8]; ";
    Text reference(outermost ? outer : inputs);
    Text text(outermost ? outer : inputs);
    const std::int64_t axis = outermost ? 0 : 1;
    const std::int64_t rows = count * width;
    std::vector<std::int64_t> order;
    for (std::int64_t k = 0; k < count; ++k) {
        order.push_back(k);
    }
    if (swapped) {
        std::swap(order[static_cast<std::size_t>(count / 2)], order[static_cast<std::size_t>(count / 2 - 1)]);
    }
    const auto part = [&](std::int64_t k) {
        const std::string own = text.slice("x", {k * width}, {(k + 1) * width}, {axis});
        return op == "Identity" ? own : text.op(op, {own});
    };
    std::vector<std::string> parts;
    std::string out;
    switch (how) {
    case PutTogether::Concat:
        for (const std::int64_t k : order) {
            parts.push_back(part(k));
        }
        out = text.op("Concat", parts, "axis=1");
        break;
    case PutTogether::Tree:
        for (const std::int64_t k : order) {
            parts.push_back(part(k));
        }
        while (parts.size() > 1) {
            std::vector<std::string> next;
            for (std::size_t k = 0; k < parts.size(); k += 2) {
                next.push_back(k + 1 < parts.size() ? text.op("Concat", {parts[k], parts[k + 1]}, "axis=1") : parts[k]);
            }
            parts = next;
        }
        out = parts[0];
        break;
    case PutTogether::Insert:
        out = "x";
        for (std::int64_t k = 0; k < count; ++k) {
            std::vector<std::string> around;
            if (k > 0) {
                around.push_back(text.slice(out, {0}, {k * width}, {1}));
            }
            around.push_back(part(order[static_cast<std::size_t>(k)]));
            if (k + 1 < count) {
                around.push_back(text.slice(out, {(k + 1) * width}, {rows}, {1}));
            }
            out = text.op("Concat", around, "axis=1");
        }
        break;
    case PutTogether::Scatter:
        out = text.op("Sub", {"x", "x"});
        for (std::int64_t k = 0; k < count; ++k) {
            Numbers at;
            for (std::int64_t row = k * width; row < (k + 1) * width; ++row) {
                at.push_back(row);
            }
            out = text.op("ScatterND", {out, text.list(at, std::to_string(width) + ",1"), part(order[static_cast<std::size_t>(k)])});
        }
        break;
    case PutTogether::Where: {
        const std::string whole = op == "Identity" ? "x" : text.op(op, {"x"});
        const std::string other = text.op("Neg", {"x"});
        out = other;
        for (std::int64_t k = 0; k < count; ++k) {
            Numbers mask(static_cast<std::size_t>(rows), 0);
            for (std::int64_t row = k * width; row < (k + 1) * width; ++row) {
                mask[static_cast<std::size_t>(row)] = 1;
            }
            if (swapped && k == count / 2) {
                mask[static_cast<std::size_t>(k * width)] = 0;
            }
            out = text.op("Where", {text.list(mask, std::to_string(rows) + ",1", "bool"), whole, out});
        }
        break;
    }
    }
    return {reference.done({op == "Identity" ? "x" : reference.op(op, {"x"})}), text.done({out})};
}

TextPair joinedWeights(std::int64_t size, std::int64_t count, bool inner, bool swapped) {
    const std::string square = dims({std::to_string(size), std::to_string(size)});
    std::string inputs;
    std::vector<std::string> left;
    std::vector<std::string> right;
    for (std::int64_t k = 0; k < count; ++k) {
        left.push_back(inner || k == 0 ? "x" + std::to_string(k) : "x0");
        right.push_back("w" + std::to_string(k));
        inputs += (inner || k == 0 ? "in " + left.back() + " " + square + "; " : "") + "in " + right.back() + " " + square + "; ";
    }
    Text reference(inputs);
    Text text(inputs);
    std::vector<std::string> products;
    for (std::int64_t k = 0; k < count; ++k) {
        products.push_back(reference.op("MatMul", {left[static_cast<std::size_t>(k)], right[static_cast<std::size_t>(k)]}));
    }
    if (inner) {
        std::string sum = products[0];
        for (std::int64_t k = 1; k < count; ++k) {
            sum = reference.op("Add", {sum, products[static_cast<std::size_t>(k)]});
        }
        if (swapped) {
            std::swap(right[0], right[1]);
        }
        const std::string whole = text.op("MatMul", {text.op("Concat", left, "axis=1"), text.op("Concat", right, "axis=0")});
        return {reference.done({sum}), text.done({whole})};
    }
    const std::string whole = text.op("MatMul", {"x0", text.op("Concat", right, "axis=1")});
    std::vector<std::string> parts;
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t at = swapped ? (k + 1) % count : k;
        parts.push_back(text.slice(whole, {at * size}, {(at + 1) * size}, {1}));
    }
    return {reference.done(products), text.done(parts)};
}

TextPair splitProduct(std::int64_t size, std::int64_t count, bool shifted) {
    const std::string inputs = "in x " + dims({"m", std::to_string(size)}) + "; in w " + dims({std::to_string(size), "p"}) + "; ";
    Text reference(inputs);
    Text text(inputs);
    const std::int64_t width = size / count;
    std::string sum;
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t shift = shifted && k == count / 2 ? 1 : 0;
        const std::string a = text.slice("x", {k * width}, {(k + 1) * width}, {1});
        const std::string b = text.slice("w", {k * width + shift}, {(k + 1) * width + shift}, {0});
        const std::string product = text.op("MatMul", {a, b});
        sum = sum.empty() ? product : text.op("Add", {sum, product});
    }
    return {reference.done({reference.op("MatMul", {"x", "w"})}), text.done({sum})};
}

} // namespace lemmascope::test
