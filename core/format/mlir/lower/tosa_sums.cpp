#include "core/format/mlir/lower/tosa.h"

#include <algorithm>
#include <limits>
#include <map>

namespace lemmascope::ir {

using interp::Op;

namespace {

/// An accumulator that loops add to: a register of the result's type.
class Sum {
  public:
    Sum(Body& body, Register start) : m_body(body), m_value(body.f.scalar(body.f.code().registers[start])) { set(start); }

    [[nodiscard]] Register value() const { return m_value; }
    [[nodiscard]] ValueType type() const { return m_body.f.code().registers[m_value]; }
    void set(Register to) { m_body.f.moves({{{m_value, to}}, {}}); }
    void combine(Op op, Register with) { set(m_body.f.binary(op, type(), m_value, with)); }
    void addProduct(Register a, Register b) {
        const bool real = type().isFloat();
        combine(real ? Op::AddF : Op::AddI, m_body.f.binary(real ? Op::MulF : Op::MulI, type(), widened(a), widened(b)));
    }

  private:
    Body& m_body;
    Register m_value;

    /// Products are taken in the type of the sum.
    Register widened(Register from) {
        const ValueType of = m_body.f.code().registers[from];
        if (of == type()) {
            return from;
        }
        return m_body.f.convert(type().isFloat() ? Op::ExtF : Op::ExtS, type(), from);
    }
};

Register zero(Body& body, ValueType type) { return type.isFloat() ? body.f.number(type, 0.0) : body.f.constant(type, 0); }

bool isPlain(const Module& m, OperationId op) { return m.find(op, "quantization_info") == nullptr; }

bool lowerMatmul(Body& body, OperationId op) {
    const Register a = body.viewOperand(op, 0);
    const Register b = body.viewOperand(op, 1);
    const Register into = emptyResult(body, op);
    const std::int64_t depth = body.f.code().views[a].sizes[2];
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) {
        Sum sum(body, zero(body, body.f.code().views[into].element));
        body.nest(numbers({depth}), [&](const std::vector<Register>& k) {
            sum.addProduct(body.f.load(a, {at[0], at[1], k[0]}), body.f.load(b, {at[0], k[0], at[2]}));
        });
        body.f.store(sum.value(), into, at);
    });
    body.setViewResult(op, into);
    return true;
}

/// input [n, ic], weight [oc, ic], bias [oc].
bool lowerFullyConnected(Body& body, OperationId op) {
    const Register input = body.viewOperand(op, 0);
    const Register weight = body.viewOperand(op, 1);
    const Register bias = body.viewOperand(op, 2);
    const Register into = emptyResult(body, op);
    if (body.f.code().views[bias].element != body.f.code().views[into].element) {
        return false;
    }
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) {
        Sum sum(body, loadBroadcast(body, bias, {at[1]}));
        body.nest(numbers({body.f.code().views[input].sizes[1]}), [&](const std::vector<Register>& k) {
            sum.addProduct(body.f.load(input, {at[0], k[0]}), body.f.load(weight, {at[1], k[0]}));
        });
        body.f.store(sum.value(), into, at);
    });
    body.setViewResult(op, into);
    return true;
}

/// A window over the two middle axes of [n, h, w, c].
struct Window {
    std::vector<std::int64_t> pad, stride, dilation, kernel;
    Register input = 0;
};

/// Runs `inside` where the window's element lies in the input: gets the row and column there.
void overWindow(Body& body, const Window& window, const std::vector<Register>& at,
                const std::function<void(Register row, Register column, const std::vector<Register>& inWindow)>& inside) {
    const std::vector<std::int64_t> sizes = body.f.code().views[window.input].sizes;
    body.nest(numbers(window.kernel), [&](const std::vector<Register>& k) {
        Register place[2];
        std::optional<Register> holds;
        for (std::size_t i = 0; i < 2; ++i) {
            const Bound start = body.multiply({false, 0, at[1 + i]}, {true, window.stride[i], 0});
            const Bound step = body.multiply({false, 0, k[i]}, {true, window.dilation[i], 0});
            place[i] = body.in(body.add(body.add(start, step), {true, -window.pad[2 * i], 0}));
            const Register one =
                body.f.binary(Op::CmpI, interp::Index, place[i], body.index(sizes[1 + i]), static_cast<std::uint16_t>(interp::CmpIPredicate::Ult));
            holds = holds ? body.f.binary(Op::And, interp::Bit, *holds, one) : one;
        }
        const Label within = body.f.label();
        const Label exit = body.f.label();
        body.f.branch(*holds, within, exit);
        body.f.bind(within);
        inside(place[0], place[1], k);
        body.f.jump(exit);
        body.f.bind(exit);
    });
}

std::optional<Window> windowOf(Body& body, OperationId op, std::vector<std::int64_t> kernel) {
    const Module& m = body.module();
    Window window{integersOf(m, op, "pad"), integersOf(m, op, "stride"), integersOf(m, op, "dilation"), std::move(kernel), body.viewOperand(op, 0)};
    if (window.dilation.empty()) {
        window.dilation = {1, 1};
    }
    const bool good = window.pad.size() == 4 && window.stride.size() == 2 && window.dilation.size() == 2 && window.kernel.size() == 2 &&
                      body.f.code().views[window.input].sizes.size() == 4;
    return good ? std::optional(std::move(window)) : std::nullopt;
}

/// conv2d: weight [oc, kh, kw, ic]; depthwise: weight [kh, kw, c, m], output channel c * m.
bool lowerConvolution(Body& body, OperationId op, bool depthwise) {
    const Register weight = body.viewOperand(op, 1);
    const Register bias = body.viewOperand(op, 2);
    const Register into = emptyResult(body, op);
    const std::vector<std::int64_t> sizes = body.f.code().views[weight].sizes;
    if (sizes.size() != 4 || body.f.code().views[bias].element != body.f.code().views[into].element) {
        return false;
    }
    const auto window = windowOf(body, op, depthwise ? std::vector{sizes[0], sizes[1]} : std::vector{sizes[1], sizes[2]});
    if (!window) {
        return false;
    }
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) {
        Sum sum(body, loadBroadcast(body, bias, {at[3]}));
        overWindow(body, *window, at, [&](Register row, Register column, const std::vector<Register>& k) {
            if (depthwise) {
                const Register channels = body.index(std::max<std::int64_t>(1, sizes[3]));
                const Register channel = body.f.binary(Op::DivU, interp::Index, at[3], channels);
                const Register number = body.f.binary(Op::RemU, interp::Index, at[3], channels);
                sum.addProduct(body.f.load(window->input, {at[0], row, column, channel}), body.f.load(weight, {k[0], k[1], channel, number}));
                return;
            }
            body.nest(numbers({sizes[3]}), [&](const std::vector<Register>& channel) {
                sum.addProduct(body.f.load(window->input, {at[0], row, column, channel[0]}), body.f.load(weight, {at[3], k[0], k[1], channel[0]}));
            });
        });
        body.f.store(sum.value(), into, at);
    });
    body.setViewResult(op, into);
    return true;
}

Register lowest(Body& body, ValueType type) {
    return type.isFloat() ? body.f.number(type, -std::numeric_limits<double>::infinity())
                          : body.f.constant(type, std::uint64_t{1} << (type.width() - 1));
}

/// Of floats only where they are averaged: integers are averaged with a rescale.
bool lowerPool(Body& body, OperationId op, bool average) {
    const auto window = windowOf(body, op, integersOf(body.module(), op, "kernel"));
    const Register into = emptyResult(body, op);
    const ValueType type = body.f.code().views[into].element;
    if (!window || body.f.code().views[window->input].element != type || (average && !type.isFloat())) {
        return false;
    }
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) {
        Sum sum(body, average ? zero(body, type) : lowest(body, type));
        Sum count(body, body.index(0));
        overWindow(body, *window, at, [&](Register row, Register column, const std::vector<Register>&) {
            const Register value = body.f.load(window->input, {at[0], row, column, at[3]});
            sum.combine(average ? Op::AddF : type.isFloat() ? Op::MaximumF : Op::MaxS, value);
            if (average) {
                count.combine(Op::AddI, body.index(1));
            }
        });
        const Register value =
            average ? body.f.binary(Op::DivF, type, sum.value(), body.f.convert(Op::IntToFloatS, type, count.value())) : sum.value();
        body.f.store(value, into, at);
    });
    body.setViewResult(op, into);
    return true;
}

bool lowerReduce(Body& body, OperationId op, std::string_view name) {
    static const std::map<std::string_view, std::pair<Op, Op>> Known{
        {"reduce_sum", {Op::AddI, Op::AddF}},     {"reduce_prod", {Op::MulI, Op::MulF}}, {"reduce_max", {Op::MaxS, Op::MaximumF}},
        {"reduce_min", {Op::MinS, Op::MinimumF}}, {"reduce_all", {Op::And, Op::And}},    {"reduce_any", {Op::Or, Op::Or}}};
    const auto found = Known.find(name);
    const Attribute* along = body.module().find(op, "axis");
    if (found == Known.end() || along == nullptr) {
        return false;
    }
    const Register from = body.viewOperand(op, 0);
    const Register into = emptyResult(body, op);
    const ValueType type = body.f.code().views[into].element;
    const auto axis = static_cast<std::size_t>(along->integer);
    const Op combine = type.isFloat() ? found->second.second : found->second.first;
    std::uint64_t neutral = 0;
    switch (combine) {
    case Op::MulI: neutral = 1; break;
    case Op::MaxS: neutral = std::uint64_t{1} << (type.width() - 1); break;
    case Op::MinS: neutral = (std::uint64_t{1} << (type.width() - 1)) - 1; break;
    case Op::And: neutral = ~std::uint64_t{0}; break;
    default: break;
    }
    const double infinity = std::numeric_limits<double>::infinity();
    const double real = combine == Op::MulF ? 1.0 : combine == Op::MaximumF ? -infinity : combine == Op::MinimumF ? infinity : 0.0;
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) {
        Sum sum(body, type.isFloat() ? body.f.number(type, real) : body.f.constant(type, neutral));
        body.nest(numbers({body.f.code().views[from].sizes[axis]}), [&](const std::vector<Register>& k) {
            std::vector<Register> index = at;
            index[axis] = k[0];
            sum.combine(combine, body.f.load(from, index));
        });
        body.f.store(sum.value(), into, at);
    });
    body.setViewResult(op, into);
    return true;
}

/// The first index of the largest element along an axis.
bool lowerArgmax(Body& body, OperationId op) {
    const Attribute* along = body.module().find(op, "axis");
    const Register from = body.viewOperand(op, 0);
    const Register into = emptyResult(body, op);
    const ValueType type = body.f.code().views[from].element;
    const auto axis = static_cast<std::size_t>(along == nullptr ? 0 : along->integer);
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) {
        Sum best(body, lowest(body, type));
        Sum where(body, zero(body, body.f.code().views[into].element));
        body.nest(numbers({body.f.code().views[from].sizes[axis]}), [&](const std::vector<Register>& k) {
            std::vector<Register> index = at;
            index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), k[0]);
            const Register value = body.f.load(from, index);
            const auto predicate =
                type.isFloat() ? static_cast<std::uint16_t>(interp::CmpFPredicate::Ogt) : static_cast<std::uint16_t>(interp::CmpIPredicate::Sgt);
            const Register larger = body.f.binary(type.isFloat() ? Op::CmpF : Op::CmpI, type, value, best.value(), predicate);
            where.set(body.f.select(where.type(), larger, body.f.convert(Op::IndexCastS, where.type(), k[0]), where.value()));
            best.set(body.f.select(type, larger, value, best.value()));
        });
        body.f.store(where.value(), into, at);
    });
    body.setViewResult(op, into);
    return true;
}

} // namespace

bool lowerTosaSums(Body& body, OperationId op, std::string_view name) {
    if (!isPlain(body.module(), op)) {
        return false; // zero points
    }
    if (name == "matmul") {
        return lowerMatmul(body, op);
    }
    if (name == "fully_connected") {
        return lowerFullyConnected(body, op);
    }
    if (name == "conv2d" || name == "depthwise_conv2d") {
        return lowerConvolution(body, op, name != "conv2d");
    }
    if (name == "max_pool2d" || name == "avg_pool2d") {
        return lowerPool(body, op, name == "avg_pool2d");
    }
    if (name == "argmax") {
        return lowerArgmax(body, op);
    }
    return lowerReduce(body, op, name);
}

} // namespace lemmascope::ir
