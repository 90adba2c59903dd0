// Numbers of definitions: exact reals, stored in the type asked for, and lengths.

#include "core/eval/interval_math.h"
#include "core/eval/kernel_table.h"

#include <array>

namespace lemmascope {

namespace {

void number(NodeRun& run) {
    const auto* near = run.node().attribute<Tensor>("near");
    const ElementType type = run.elementType("to", ElementType::Undefined);
    if (!run.require(near != nullptr && near->element() == ElementType::F64 && near->count() == 3 && isFloat(type) && isComputable(type),
                     "a number has no value")) {
        return;
    }
    const std::array<double, 3> bounds{near->toDouble(0), near->toDouble(1), near->toDouble(2)};
    if (run.enclosing()) {
        // Tight around the real; a node that charges rounding holds it in its type.
        const Interval exact{bounds[0], bounds[2], false};
        run.give<Interval>(0, type, {}, std::vector<Interval>{interval::charged(exact)});
        return;
    }
    run.give<double>(0, type, {}, std::vector<double>{bounds[1]});
}

void length(NodeRun& run) {
    const Array& x = run.in(0);
    const std::vector<std::int64_t> axes = run.integers("axes");
    const auto which = run.stopped() ? std::nullopt : normalAxes(run, axes, x.rank());
    if (!which) {
        return;
    }
    double count = 1.0;
    for (const std::size_t axis : *which) {
        count *= static_cast<double>(x.dim(axis));
    }
    const ElementType type = isFloat(x.element()) ? x.element() : ElementType::F32;
    if (run.enclosing()) {
        run.give<Interval>(0, type, {}, std::vector<Interval>{Interval{count, count, false}});
        return;
    }
    run.give<double>(0, type, {}, std::vector<double>{count});
}

constexpr Kernel Kernels[] = {
    {LemmascopeDomain, "Number", 0, 0, KernelTypes::Nothing, number},
    {LemmascopeDomain, "Length", 0, 0, KernelTypes::Any, length},
};

} // namespace

std::span<const Kernel> numberKernels() { return Kernels; }

} // namespace lemmascope
