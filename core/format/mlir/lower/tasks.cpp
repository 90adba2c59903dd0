// async and gpu: what runs as tasks beside the code around it.
#include "core/format/mlir/lower/body.h"

#include <algorithm>

namespace lemmascope::ir {

using interp::Op;

namespace {

bool isAsyncValue(const Module& m, ValueId value) { return m.typeOf(value).kind == Type::Kind::AsyncValue; }

/// Waits for an async value and gives what it holds, which has type `type`.
Slot awaited(Body& body, const Slot& held, TypeId type) {
    Slot out = body.fresh(type);
    if (out.kind == Slot::Kind::Scalar) {
        body.f.emit({Op::AwaitValue, body.f.code().registers[out.reg], 0, out.reg, held.reg, held.number, 0});
    } else if (out.kind == Slot::Kind::View) {
        body.f.emit({Op::AwaitView, body.f.code().views[out.reg].element, 0, out.reg, held.reg, held.number, 0});
    }
    return out;
}

void lowerExecute(Body& body, OperationId op) {
    const Module& m = body.module();
    const RegionId region = m.regionOf(op);
    const BlockId block = m.blockOf(region);
    std::vector<Register> after;
    for (const ValueId dependency : body.segment(op, 0)) {
        after.push_back(body.scalar(dependency));
    }
    // Async values that the body takes: awaited at its start, through arguments that stand for them.
    const auto taken = body.segment(op, 1);
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (body.slot(taken[i]).kind != Slot::Kind::Result) {
            body.refuse(op, "an async value that comes from no async.execute of this function");
            return;
        }
        body.set(m.argument(block, i), body.slot(taken[i]));
        after.push_back(body.slot(taken[i]).reg);
    }
    std::vector<ValueType> scalarResults;
    std::vector<ViewType> viewResults;
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 1; i < m.resultCount(op); ++i) {
        const TypeId type = m.typeOf(m.result(op, i)).element;
        const auto scalar = type.isValid() ? valueType(m, type) : std::nullopt;
        const auto view = type.isValid() && !scalar ? viewType(m, type) : std::nullopt;
        if (!scalar && !view) {
            body.refuse(op, "a result of type " + m.typeOf(m.result(op, i)).text);
            return;
        }
        numbers.push_back(static_cast<std::uint32_t>(scalar ? scalarResults.size() : viewResults.size()));
        if (scalar) {
            scalarResults.push_back(*scalar);
        } else {
            viewResults.push_back(*view);
        }
    }
    const auto made =
        body.program.outline(body, op, region, "async.execute", {}, scalarResults, viewResults, [&](Body& inside, const std::vector<Register>&) {
            for (std::size_t i = 0; i < taken.size(); ++i) {
                const ValueId argument = m.argument(block, i);
                const Slot held = inside.slot(argument);
                if (held.kind == Slot::Kind::Result) { // not there if nobody reads it
                    inside.set(argument, awaited(inside, held, m.value(argument).type));
                }
            }
            const OperationId last = inside.operationsOf(block);
            std::vector<Register> scalars;
            std::vector<Register> views;
            for (const ValueId value : m.operands(last)) {
                if (inside.slot(value).kind == Slot::Kind::View) {
                    views.push_back(inside.view(value));
                } else {
                    scalars.push_back(inside.scalar(value));
                }
            }
            inside.f.ret(scalars, views);
        });
    if (!made) {
        return;
    }
    const Register handle = body.f.spawn(*made->function, made->scalars, made->views, after);
    body.setScalar(m.result(op, 0), handle);
    for (std::size_t i = 1; i < m.resultCount(op); ++i) {
        body.set(m.result(op, i), {Slot::Kind::Result, handle, numbers[i - 1], {}});
    }
}

/// The task behind a token or an async value.
std::optional<Register> taskOf(Body& body, ValueId value) {
    const Slot held = body.slot(value);
    return held.kind == Slot::Kind::Scalar || held.kind == Slot::Kind::Result ? std::optional(held.reg) : std::nullopt;
}

struct Launch {
    RegionId region;
    std::vector<Register> sizes; ///< of the grid, then of a block
    std::size_t firstAttribution = 0;
    std::int64_t shared = 0;
};

/// Memory of a block's threads together, and of each alone.
void attributions(Body& inside, OperationId op, const Launch& launch) {
    const Module& m = inside.module();
    const BlockId block = m.blockOf(launch.region);
    for (std::size_t i = launch.firstAttribution; i < m.block(block).arguments.count; ++i) {
        const ValueId argument = m.argument(block, i);
        const auto type = viewType(m, m.value(argument).type);
        const std::size_t number = i - launch.firstAttribution;
        if (!type || !elementCount(type->sizes)) {
            inside.refuse(op, "an attribution of type " + m.typeOf(argument).text);
            return;
        }
        if (static_cast<std::int64_t>(number) < launch.shared) {
            const Register view = inside.f.view(*type);
            inside.f.emit({Op::TeamAlloc, type->element, 0, view, static_cast<std::uint32_t>(number), 0, 0});
            inside.setView(argument, view);
        } else {
            inside.setView(argument, inside.f.alloc(*type, {}, true));
        }
    }
}

void launchBody(Body& inside, OperationId op, const Launch& launch) {
    const Module& m = inside.module();
    attributions(inside, op, launch);
    const Label exit = inside.f.label();
    inside.unstructured(launch.region, {}, exit);
    (void)m;
    inside.f.bind(exit);
    inside.f.ret();
}

std::vector<ValueType> launchParameters() { return std::vector<ValueType>(12, interp::Index); }

void finishLaunch(Body& body, const Launch& launch, std::uint32_t function, std::vector<Register> scalars, std::vector<Register> views) {
    interp::ParallelSpec spec;
    spec.function = function;
    for (std::size_t axis = 0; axis < 6; ++axis) {
        spec.lower.push_back(body.index(0));
        spec.upper.push_back(launch.sizes[axis]);
        spec.step.push_back(body.index(1));
    }
    spec.scalars = launch.sizes;
    spec.scalars.insert(spec.scalars.end(), scalars.begin(), scalars.end());
    spec.views = std::move(views);
    spec.blockAxes = 3;
    body.f.parallel(std::move(spec));
}

/// The six sizes of a launch; refuses asynchronous ones and clusters.
std::optional<Launch> launchOf(Body& body, OperationId op, std::size_t lastPlain) {
    const Module& m = body.module();
    bool plain = body.segment(op, 0).empty() && m.resultCount(op) == 0;
    for (std::size_t cluster = 7; cluster < 10; ++cluster) {
        plain = plain && body.segment(op, cluster).empty();
    }
    plain = plain && body.segment(op, lastPlain).empty();
    if (!plain) {
        body.refuse(op, "only a synchronous launch without clusters and dynamic shared memory is taken");
        return std::nullopt;
    }
    Launch launch;
    for (std::size_t i = 1; i <= 6; ++i) {
        const auto size = body.segment(op, i);
        if (size.size() != 1) {
            body.refuse(op);
            return std::nullopt;
        }
        const Register reg = body.scalar(size[0]);
        launch.sizes.push_back(body.f.code().registers[reg] == interp::Index ? reg : body.f.convert(Op::IndexCastS, interp::Index, reg));
    }
    return launch;
}

void lowerLaunch(Body& body, OperationId op) {
    const Module& m = body.module();
    std::optional<Launch> launch = launchOf(body, op, 10);
    if (!launch) {
        return;
    }
    launch->region = m.regionOf(op);
    launch->firstAttribution = 12;
    const Attribute* shared = m.find(op, "workgroup_attributions");
    launch->shared = shared == nullptr ? 0 : shared->integer;
    const BlockId block = m.blockOf(launch->region);
    const auto made =
        body.program.outline(body, op, launch->region, "gpu.launch", launchParameters(), {}, {}, [&](Body& inside, const std::vector<Register>& own) {
            for (std::size_t i = 0; i < 12; ++i) {
                inside.setScalar(m.argument(block, i), own[i]);
            }
            inside.launch = own;
            launchBody(inside, op, *launch);
        });
    if (made) {
        finishLaunch(body, *launch, made->function->number(), made->scalars, made->views);
    }
}

/// The gpu.func that a symbol `module::function` names.
std::optional<OperationId> kernelNamed(const Module& m, std::string_view symbol) {
    const std::size_t split = symbol.find("::");
    for (std::size_t i = 0; i < m.operations.size(); ++i) {
        const OperationId op(i);
        if (m.name(op) != "gpu.func" || split == std::string_view::npos) {
            continue;
        }
        const Attribute* name = m.find(op, "sym_name");
        const OperationId around = m.region(m.block(m.operation(op).block).region).operation;
        const Attribute* outer = m.find(around, "sym_name");
        if (name != nullptr && outer != nullptr && name->bytes == symbol.substr(split + 2) && outer->bytes == symbol.substr(0, split)) {
            return op;
        }
    }
    return std::nullopt;
}

void lowerLaunchFunc(Body& body, OperationId op) {
    const Module& m = body.module();
    std::optional<Launch> launch = launchOf(body, op, 10);
    if (!launch) {
        return;
    }
    const Attribute* symbol = m.find(op, "kernel");
    const auto kernel = symbol == nullptr ? std::nullopt : kernelNamed(m, symbol->bytes);
    if (!kernel || m.blockCount(m.regionOf(*kernel)) == 0) {
        body.refuse(op, "its kernel is not in this file");
        return;
    }
    launch->region = m.regionOf(*kernel);
    const BlockId block = m.blockOf(launch->region);
    const auto given = body.segment(op, 11);
    launch->firstAttribution = given.size();
    const Attribute* shared = m.find(*kernel, "workgroup_attributions");
    launch->shared = shared == nullptr ? 0 : shared->integer;
    for (std::size_t i = 0; i < given.size() && i < m.block(block).arguments.count; ++i) {
        body.set(m.argument(block, i), body.slot(given[i]));
    }
    const auto made = body.program.outline(body, op, launch->region, "gpu.launch_func", launchParameters(), {}, {},
                                           [&](Body& inside, const std::vector<Register>& own) {
                                               inside.launch = own;
                                               launchBody(inside, op, *launch);
                                           });
    if (made) {
        finishLaunch(body, *launch, made->function->number(), made->scalars, made->views);
    }
}

/// gpu.thread_id and its like: which of the twelve numbers.
bool lowerId(Body& body, OperationId op, std::string_view name) {
    static constexpr std::string_view Names[] = {"gpu.block_id", "gpu.thread_id", "gpu.grid_dim", "gpu.block_dim"};
    const auto* at = std::find(std::begin(Names), std::end(Names), name);
    const Attribute* dimension = body.module().find(op, "dimension");
    if (at == std::end(Names) || dimension == nullptr || body.launch.size() != 12) {
        return false;
    }
    const std::size_t mark = dimension->bytes.find_last_of("xyz");
    if (mark == std::string::npos) {
        return false;
    }
    body.setResult(op, body.launch[static_cast<std::size_t>(at - std::begin(Names)) * 3 + static_cast<std::size_t>(dimension->bytes[mark] - 'x')]);
    return true;
}

} // namespace

bool lowerAsync(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "async.execute") {
        lowerExecute(body, op);
    } else if (name == "async.await") {
        const ValueId value = m.operand(op, 0);
        const auto task = taskOf(body, value);
        if (!task) {
            return false;
        }
        if (isAsyncValue(m, value)) {
            const Slot held = body.slot(value);
            body.set(m.result(op), awaited(body, held, m.value(m.result(op)).type));
        } else {
            body.f.await(*task);
        }
    } else if (name == "async.create_group") {
        const Register group = body.f.scalar(interp::Handle);
        body.f.emit({Op::GroupCreate, interp::Handle, 0, group, body.operand(op, 0), 0, 0});
        body.setResult(op, group);
    } else if (name == "async.add_to_group") {
        const auto task = taskOf(body, m.operand(op, 0));
        if (!task) {
            return false;
        }
        const Register number = body.f.scalar(interp::Index);
        body.f.emit({Op::GroupAdd, interp::Index, 0, number, *task, body.operand(op, 1), 0});
        body.setResult(op, number);
    } else if (name == "async.await_all") {
        body.f.emit({Op::AwaitAll, {}, 0, 0, body.operand(op, 0), 0, 0});
    } else {
        return false; // async.func, coroutines and the runtime's own ops
    }
    return true;
}

bool lowerGpu(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "gpu.launch") {
        lowerLaunch(body, op);
    } else if (name == "gpu.launch_func") {
        lowerLaunchFunc(body, op);
    } else if (name == "gpu.barrier") {
        body.f.emit({Op::Barrier, {}, 0, 0, 0, 0, 0});
    } else if ((name == "gpu.terminator" || name == "gpu.return") && body.target() != nullptr) {
        body.f.jump(body.target()->exit);
    } else if (name == "gpu.alloc" && body.segment(op, 0).empty() && m.resultCount(op) == 1) {
        const auto type = viewType(m, m.value(m.result(op)).type);
        if (!type) {
            return false;
        }
        body.setViewResult(op, body.f.alloc(*type, body.indices(body.segment(op, 1))));
    } else if (name == "gpu.dealloc" && m.operands(op).size() == 1) {
        body.f.dealloc(body.viewOperand(op, 0));
    } else if (name == "gpu.memcpy" && m.operands(op).size() == 2) {
        body.f.copy(body.viewOperand(op, 1), body.viewOperand(op, 0)); // destination first
    } else if (name == "gpu.wait" && m.operands(op).empty() && m.resultCount(op) == 0) {
        // Nothing runs behind the back of synchronous ops.
    } else {
        return lowerId(body, op, name);
    }
    return true;
}

} // namespace lemmascope::ir
