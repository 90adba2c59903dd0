#include "core/format/mlir/lower/body.h"

#include <algorithm>

namespace lemmascope::ir {

using interp::Op;

namespace {

std::string nameOf(const Body& body, ValueId value) { return body.module().nameOf(value); }

/// Registers for the results of an op, set as its results.
std::vector<Slot> resultSlots(Body& body, OperationId op) {
    std::vector<Slot> out;
    for (std::size_t i = 0; i < body.module().resultCount(op); ++i) {
        out.push_back(body.fresh(body.module().value(body.module().result(op, i)).type));
        body.set(body.module().result(op, i), out.back());
    }
    return out;
}

void lowerFor(Body& body, OperationId op) {
    const Module& m = body.module();
    const BlockId block = m.blockOf(m.regionOf(op));
    const auto type = valueType(m, m.value(m.argument(block, 0)).type);
    if (!type) {
        body.refuse(op);
        return;
    }
    const std::vector<Slot> carried = resultSlots(body, op);
    MoveList start;
    for (std::size_t i = 0; i < carried.size(); ++i) {
        Body::move(start, carried[i], body.slot(m.operand(op, i + 3)));
    }
    body.f.moves(start);
    const auto loop = body.f.beginFor(body.operand(op, 0), body.operand(op, 1), body.operand(op, 2), nameOf(body, m.argument(block, 0)), *type);
    body.setScalar(m.argument(block, 0), loop.variable);
    for (std::size_t i = 0; i < carried.size(); ++i) {
        body.set(m.argument(block, i + 1), carried[i]);
    }
    body.structured(m.regionOf(op), carried);
    body.f.endFor(loop);
}

void lowerIf(Body& body, OperationId op) {
    const Module& m = body.module();
    const std::vector<Slot> results = resultSlots(body, op);
    const Label then = body.f.label();
    const Label otherwise = body.f.label();
    const Label exit = body.f.label();
    body.f.branch(body.operand(op, 0), then, otherwise);
    body.f.bind(then);
    body.structured(m.regionOf(op, 0), results);
    body.f.jump(exit);
    body.f.bind(otherwise);
    if (m.regionCount(op) > 1) {
        body.structured(m.regionOf(op, 1), results);
    }
    body.f.jump(exit);
    body.f.bind(exit);
}

void lowerWhile(Body& body, OperationId op) {
    const Module& m = body.module();
    const BlockId before = m.blockOf(m.regionOf(op, 0));
    const BlockId after = m.blockOf(m.regionOf(op, 1));
    std::vector<Slot> into;
    MoveList start;
    for (std::size_t i = 0; i < m.block(before).arguments.count; ++i) {
        into.push_back(body.fresh(m.value(m.argument(before, i)).type));
        body.set(m.argument(before, i), into.back());
        Body::move(start, into.back(), body.slot(m.operand(op, i)));
    }
    body.f.moves(start);
    const std::vector<Slot> results = resultSlots(body, op);
    const Label head = body.f.label();
    const Label loop = body.f.label();
    const Label exit = body.f.label();
    body.f.enterScope();
    body.f.bind(head);
    const OperationId condition = body.operationsOf(before);
    MoveList passed;
    for (std::size_t i = 0; i < results.size(); ++i) {
        Body::move(passed, results[i], body.slot(m.operand(condition, i + 1)));
    }
    const Register goesOn = body.operand(condition, 0);
    // The condition may be one of the values that are moved.
    const Register kept = body.f.scalar(interp::Bit);
    passed.scalars.emplace_back(kept, goesOn);
    body.f.moves(passed);
    body.f.branch(kept, loop, exit);
    body.f.bind(loop);
    for (std::size_t i = 0; i < results.size(); ++i) {
        body.set(m.argument(after, i), results[i]);
    }
    body.structured(m.regionOf(op, 1), into);
    body.f.jump(head, {}, true);
    body.f.bind(exit);
    body.f.leaveScope();
}

void lowerSwitch(Body& body, OperationId op) {
    const Module& m = body.module();
    const std::vector<Slot> results = resultSlots(body, op);
    const Attribute* values = m.find(op, "cases");
    std::vector<std::pair<std::int64_t, Label>> cases;
    for (const std::int64_t value : values == nullptr ? std::vector<std::int64_t>() : values->integers) {
        cases.emplace_back(value, body.f.label());
    }
    const Label otherwise = body.f.label();
    const Label exit = body.f.label();
    body.switchOn(body.operand(op, 0), cases, otherwise);
    body.f.bind(otherwise);
    body.structured(m.regionOf(op, 0), results);
    body.f.jump(exit);
    for (std::size_t i = 0; i < cases.size() && i + 1 < m.regionCount(op); ++i) {
        body.f.bind(cases[i].second);
        body.structured(m.regionOf(op, i + 1), results);
        body.f.jump(exit);
    }
    body.f.bind(exit);
}

/// The function that a reduction's region computes of its two arguments; nothing if it reads anything else but constants.
std::optional<std::uint32_t> combiner(Body& body, OperationId op, RegionId region) {
    const Module& m = body.module();
    const BlockId block = m.blockOf(region);
    const auto type = valueType(m, m.value(m.argument(block, 0)).type);
    if (!type) {
        return std::nullopt;
    }
    const auto made =
        body.program.outline(body, op, region, "reduction", {*type, *type}, {*type}, {}, [&](Body& inside, const std::vector<Register>& own) {
            inside.setScalar(m.argument(block, 0), own[0]);
            inside.setScalar(m.argument(block, 1), own[1]);
            const OperationId last = inside.operationsOf(block);
            inside.f.ret({inside.operand(last, 0)});
        });
    return made && made->scalars.empty() && made->views.empty() ? std::optional(made->function->number()) : std::nullopt;
}

void lowerParallel(Body& body, OperationId op) {
    const Module& m = body.module();
    const BlockId block = m.blockOf(m.regionOf(op));
    interp::ParallelSpec spec;
    spec.lower = body.indices(body.segment(op, 0));
    spec.upper = body.indices(body.segment(op, 1));
    spec.step = body.indices(body.segment(op, 2));
    const auto initial = body.segment(op, 3);
    const OperationId last = m.operationOf(block, m.block(block).operations.count - 1); // scf.reduce
    std::vector<ValueType> types;
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        const auto type = valueType(m, m.value(m.result(op, i)).type);
        const auto combine = type && i < m.regionCount(last) ? combiner(body, op, m.regionOf(last, i)) : std::nullopt;
        if (!combine) {
            body.refuse(op, "a reduction that is no function of two numbers");
            return;
        }
        types.push_back(*type);
        spec.reductions.push_back({*combine, body.scalar(initial[i]), body.f.scalar(*type)});
    }
    runIterations(body, op, std::move(spec), types);
}

/// tensor.parallel_insert_slice at the end of a forall: the slice is stored into the shared result.
void insertShared(Body& inside, OperationId op) {
    const Register into = inside.view(inside.segment(op, 1)[0]);
    const Register from = inside.view(inside.segment(op, 0)[0]);
    auto offsets = inside.segment(op, 2);
    auto sizes = inside.segment(op, 3);
    auto strides = inside.segment(op, 4);
    const std::vector<Bound> at = inside.mixed(op, "static_offsets", offsets);
    const std::vector<Bound> count = inside.mixed(op, "static_sizes", sizes);
    const std::vector<Bound> by = inside.mixed(op, "static_strides", strides);
    const std::vector<std::uint32_t> kept = keptAxes(count, inside.f.code().views[from].sizes);
    if (kept.size() != inside.f.code().views[from].sizes.size()) {
        inside.refuse(op);
        return;
    }
    inside.nest(inside.sizesOf(from), [&](const std::vector<Register>& index) {
        std::vector<Bound> target = at;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            target[kept[i]] = inside.add(at[kept[i]], inside.multiply({false, 0, index[i]}, by[kept[i]]));
        }
        std::vector<Register> registers;
        for (const Bound& bound : target) {
            registers.push_back(inside.in(bound));
        }
        inside.f.store(inside.f.load(from, index), into, registers);
    });
}

void lowerForall(Body& body, OperationId op) {
    const Module& m = body.module();
    const RegionId region = m.regionOf(op);
    const BlockId block = m.blockOf(region);
    interp::ParallelSpec spec;
    auto lower = body.segment(op, 0);
    auto upper = body.segment(op, 1);
    auto step = body.segment(op, 2);
    const auto registers = [&](const std::vector<Bound>& bounds) {
        std::vector<Register> out;
        for (const Bound& bound : bounds) {
            out.push_back(body.in(bound));
        }
        return out;
    };
    spec.lower = registers(body.mixed(op, "staticLowerBound", lower));
    spec.upper = registers(body.mixed(op, "staticUpperBound", upper));
    spec.step = registers(body.mixed(op, "staticStep", step));
    const std::size_t axes = spec.lower.size();
    // Shared outputs: a copy of the operand that all iterations write into. It is captured as the block's argument.
    const auto shared = body.segment(op, 3);
    for (std::size_t i = 0; i < shared.size(); ++i) {
        const Register copy = body.copyOf(body.view(shared[i]));
        body.setView(m.argument(block, axes + i), copy);
        body.setView(m.result(op, i), copy);
    }
    const auto made = body.program.outline(body, op, region, "scf.forall", std::vector<ValueType>(axes, interp::Index), {}, {},
                                           [&](Body& inside, const std::vector<Register>& own) {
                                               for (std::size_t i = 0; i < axes; ++i) {
                                                   inside.setScalar(m.argument(block, i), own[i]);
                                               }
                                               const OperationId last = inside.operationsOf(block); // scf.forall.in_parallel
                                               if (m.regionCount(last) > 0 && m.blockCount(m.regionOf(last)) > 0) {
                                                   const BlockId ends = m.blockOf(m.regionOf(last));
                                                   for (std::size_t k = 0; k < m.block(ends).operations.count; ++k) {
                                                       inside.operation(m.operationOf(ends, k));
                                                   }
                                               }
                                               inside.f.ret();
                                           });
    if (!made) {
        return;
    }
    spec.function = made->function->number();
    spec.scalars = made->scalars;
    spec.views = made->views;
    body.f.parallel(std::move(spec));
}

} // namespace

void insertSharedSlice(Body& body, OperationId op) { insertShared(body, op); }

bool lowerScf(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "scf.for") {
        lowerFor(body, op);
    } else if (name == "scf.if") {
        lowerIf(body, op);
    } else if (name == "scf.while") {
        lowerWhile(body, op);
    } else if (name == "scf.index_switch") {
        lowerSwitch(body, op);
    } else if (name == "scf.parallel") {
        lowerParallel(body, op);
    } else if (name == "scf.forall") {
        lowerForall(body, op);
    } else if (name == "scf.execute_region") {
        const Label exit = body.f.label();
        body.unstructured(m.regionOf(op), resultSlots(body, op), exit);
        body.f.bind(exit);
    } else if (name == "scf.yield" && body.target() != nullptr) { // of an execute_region with several blocks
        MoveList moves;
        const Body::Target target = *body.target();
        for (std::size_t i = 0; i < std::min(target.slots.size(), m.operands(op).size()); ++i) {
            Body::move(moves, target.slots[i], body.slot(m.operand(op, i)));
        }
        body.f.jump(target.exit, moves);
    } else {
        return false;
    }
    return true;
}

} // namespace lemmascope::ir
