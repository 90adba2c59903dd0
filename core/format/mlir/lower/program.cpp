#include "core/format/mlir/entry.h"
#include "core/format/mlir/lower.h"
#include "core/format/mlir/lower/body.h"

#include <algorithm>
#include <set>

namespace lemmascope::ir {

namespace {

const std::set<std::string_view> TaskOps{"async.execute",   "async.func", "scf.parallel",   "scf.forall",
                                         "affine.parallel", "gpu.launch", "gpu.launch_func"};

} // namespace

std::uint32_t Program::place(OperationId op) {
    const auto [at, isNew] = m_places.try_emplace(op.index, 0);
    if (isNew) {
        const Place where = module.operation(op).place;
        const Attribute* event = module.find(op, "case.event");
        at->second = builder.place(module.file, where.line, where.column, module.name(op), event == nullptr ? std::string_view() : event->bytes);
    }
    return at->second;
}

Result<void> Program::checkDepth() const {
    std::vector<std::uint32_t> depth(module.operations.size(), 0);
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        const BlockId block = module.operations[i].block;
        if (!block.isValid()) {
            continue;
        }
        const OperationId around = module.region(module.block(block).region).operation;
        if (around.index >= i) {
            return fail(ErrorCode::Internal, "ops are out of order", module.file);
        }
        depth[i] = depth[around.index] + 1;
        if (depth[i] > DeepestRegions) {
            return fail(ErrorCode::TooLarge, "regions are nested deeper than " + std::to_string(DeepestRegions) + " levels",
                        module.where(OperationId(i)));
        }
    }
    return {};
}

std::set<std::string, std::less<>> Program::globalsThatMayChange() const {
    static const std::set<std::string_view> Reads{"memref.load",        "affine.load", "memref.dim",           "memref.rank",
                                                  "affine.vector_load", "vector.load", "vector.transfer_read", "memref.prefetch"};
    std::map<std::uint32_t, std::string_view> held; // by value
    std::set<std::string, std::less<>> out;
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        if (const Attribute* name = module.name(OperationId(i)) == "memref.get_global" ? module.find(OperationId(i), "name") : nullptr) {
            held[module.result(OperationId(i)).index] = name->bytes;
        }
    }
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        const OperationId op(i);
        const auto operands = module.operands(op);
        for (std::size_t at = 0; at < operands.size(); ++at) {
            const auto global = held.find(operands[at].index);
            if (global != held.end() && !Reads.contains(module.name(op)) && !(module.name(op) == "memref.copy" && at == 0)) {
                out.emplace(global->second);
            }
        }
    }
    return out;
}

void Program::addGlobals() {
    const std::set<std::string, std::less<>> changing = globalsThatMayChange();
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        const OperationId op(i);
        if (module.name(op) != "memref.global") {
            continue;
        }
        const Attribute* typed = module.find(op, "type");
        const auto held = typed != nullptr && typed->type.isValid() ? viewType(module, typed->type) : std::nullopt;
        const auto count = held ? elementCount(held->sizes) : std::nullopt;
        if (!count || *count > MostElements) {
            continue; // who asks for it is refused
        }
        interp::Global global;
        global.name = symbolOf(module, op);
        global.type = *held;
        const Attribute* initial = module.find(op, "initial_value");
        // One that nobody else sees and nobody here writes is what it begins with.
        const Attribute* seen = module.find(op, "sym_visibility");
        const bool isPrivate = seen != nullptr && seen->bytes == "private";
        const bool begins = initial != nullptr && initial->kind != Attribute::Kind::Unit;
        global.isConstant = module.find(op, "constant") != nullptr || (isPrivate && begins && !changing.contains(global.name));
        global.place = place(op);
        if (initial == nullptr || initial->kind == Attribute::Kind::Unit) {
            // Without a value it is defined elsewhere: then its content is any.
            global.isInitialised = initial == nullptr;
            if (global.isConstant) {
                continue;
            }
        } else {
            auto bits = elementBits(module, *initial);
            if (!bits) {
                continue;
            }
            global.values = std::move(*bits);
        }
        const std::string name = global.name;
        m_globals[name] = builder.global(std::move(global));
    }
}

std::optional<std::uint32_t> Program::globalNamed(std::string_view symbol) const {
    const auto at = m_globals.find(symbol);
    return at == m_globals.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::uint32_t> Program::constantGlobal(AttributeId attribute, OperationId op) {
    const auto known = m_constants.find(attribute.index);
    if (known != m_constants.end()) {
        return known->second;
    }
    const Attribute& value = module.attribute(attribute);
    auto bits = elementBits(module, value);
    const auto held = value.type.isValid() ? viewType(module, value.type) : std::nullopt;
    if (!bits || !held) {
        return std::nullopt;
    }
    interp::Global global;
    global.name = "constant" + std::to_string(m_constants.size());
    global.type = *held;
    global.isConstant = true;
    global.values = std::move(*bits);
    global.place = place(op);
    return m_constants[attribute.index] = builder.global(std::move(global));
}

const Program::Function* Program::functionNamed(std::string_view symbol) const {
    const auto at = m_functions.find(symbol);
    return at == m_functions.end() ? nullptr : &at->second;
}

void Program::declareFunctions(OperationId entry) {
    std::vector<OperationId> order{entry}; // the entry is function 0
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        if (module.name(OperationId(i)) == "func.func" && OperationId(i) != entry) {
            order.emplace_back(i);
        }
    }
    for (const OperationId op : order) {
        Function function{op, nullptr, {}, {}};
        const std::string name = symbolOf(module, op);
        std::vector<ValueType> scalars;
        std::vector<ValueType> scalarResults;
        std::vector<ViewType> views;
        std::vector<ViewType> viewResults;
        bool held = hasBody(module, op);
        if (held) {
            const Block& first = module.block(module.blockOf(module.regionOf(op)));
            for (std::uint32_t i = 0; i < first.arguments.count; ++i) {
                const ValueId value(std::size_t{first.arguments.first + i});
                const TypeId type = module.value(value).type;
                const auto scalar = valueType(module, type);
                auto view = passedType(module, type);
                held = held && (scalar || view);
                function.scalarArguments.push_back(scalar.has_value());
                if (scalar) {
                    scalars.push_back(*scalar);
                } else if (view) {
                    for (const auto& [axis, size] : op == entry ? m_fixedDimensions[value.index] : std::map<std::size_t, std::int64_t>()) {
                        view->sizes[axis] = size;
                    }
                    views.push_back(*view);
                }
            }
            for (const ValueId value : returnedValues(module, op)) {
                const TypeId type = module.value(value).type;
                const auto scalar = valueType(module, type);
                const auto view = passedType(module, type);
                held = held && (scalar || view);
                function.scalarResults.push_back(scalar.has_value());
                if (scalar) {
                    scalarResults.push_back(*scalar);
                } else if (view) {
                    viewResults.push_back(*view);
                }
            }
        }
        if (held) {
            function.builder = &builder.function(name, scalars, views, scalarResults, viewResults);
        }
        m_functions.emplace(name, std::move(function));
    }
}

Result<void> Program::fixSizes(OperationId entry) {
    const Block& block = module.block(module.blockOf(module.regionOf(entry)));
    std::vector<std::string> names;
    for (const auto& [given, size] : options.sizes) {
        const std::size_t point = given.rfind('.');
        const std::string name =
            given.substr(given.starts_with('%') ? 1 : 0, point == std::string::npos ? point : point - (given.starts_with('%') ? 1 : 0));
        ValueId found;
        names.clear();
        for (std::uint32_t i = 0; i < block.arguments.count; ++i) {
            const ValueId value(std::size_t{block.arguments.first + i});
            names.push_back(argumentName(module, value));
            found = names.back() == name || "#" + std::to_string(i) == name ? value : found;
        }
        const auto wrong = [&](const std::string& why) {
            return fail(ErrorCode::Usage, "--size " + given + "=" + std::to_string(size) + ": " + why, module.file);
        };
        if (!found.isValid()) {
            std::string listed;
            for (const std::string& one : names) {
                listed += (listed.empty() ? "" : ", ") + one;
            }
            return wrong("there is no such argument: there is " + listed);
        }
        const Type& type = module.typeOf(found);
        if (type.kind == Type::Kind::Integer || type.kind == Type::Kind::Index) {
            m_fixedScalars[found.index] = size;
            continue;
        }
        std::vector<std::size_t> open;
        for (std::size_t axis = 0; axis < type.shape.size(); ++axis) {
            if (type.shape[axis] == Dynamic) {
                open.push_back(axis);
            }
        }
        if (size < 0 || (type.kind != Type::Kind::MemRef && type.kind != Type::Kind::Tensor) || open.empty()) {
            return wrong("'" + name + "' is neither an integer nor has it a dynamic size that this could be");
        }
        std::size_t axis = open.front();
        if (point != std::string::npos) {
            const std::string text = given.substr(point + 1);
            axis = text.size() == 1 && text[0] >= '0' && text[0] <= '9' ? static_cast<std::size_t>(text[0] - '0') : type.shape.size();
            if (std::find(open.begin(), open.end(), axis) == open.end()) {
                return wrong("'" + name + "' has no dynamic axis " + text);
            }
        } else if (open.size() > 1) {
            return wrong("'" + name + "' has several dynamic axes: name one, " + name + "." + std::to_string(open.front()) + "=" +
                         std::to_string(size));
        }
        m_fixedDimensions[found.index][axis] = size;
    }
    return {};
}

Result<void> Program::describeEntry(OperationId entry) {
    const Block& block = module.block(module.blockOf(module.regionOf(entry)));
    const Attribute* marks = module.find(entry, "arg_attrs");
    std::uint32_t scalars = 0;
    std::uint32_t views = 0;
    for (std::uint32_t i = 0; i < block.arguments.count; ++i) {
        const ValueId value(std::size_t{block.arguments.first + i});
        const Type& type = module.typeOf(value);
        interp::Argument argument;
        argument.name = argumentName(module, value);
        const auto scalar = valueType(module, module.value(value).type);
        if ((!scalar && !passedType(module, module.value(value).type)) || (scalar && *scalar == interp::Handle)) {
            return fail(ErrorCode::Unsupported,
                        "argument '%" + argument.name + "' of @" + symbolOf(module, entry) + " has the unsupported type " + type.text,
                        module.where(entry));
        }
        argument.isView = !scalar;
        argument.position = argument.isView ? views++ : scalars++;
        argument.isTensor = type.kind == Type::Kind::Tensor || type.kind == Type::Kind::Vector;
        argument.isUnsigned = type.sign == Type::Sign::Unsigned || (type.element.isValid() && module.type(type.element).sign == Type::Sign::Unsigned);
        if (marks != nullptr && i < marks->items.size()) {
            const Attribute& own = module.attribute(marks->items[i]);
            const auto has = [&](std::string_view key) { return std::find(own.keys.begin(), own.keys.end(), key) != own.keys.end(); };
            argument.role = has("case.scratch") ? interp::Role::Scratch : has("case.inout") ? interp::Role::InOut : interp::Role::Unmarked;
        }
        builder.argument(std::move(argument));
    }
    std::uint32_t scalarResults = 0;
    std::uint32_t viewResults = 0;
    std::set<std::string> taken;
    const auto values = returnedValues(module, entry);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Value& value = module.value(values[i]);
        const auto scalar = valueType(module, value.type);
        if ((!scalar && !passedType(module, value.type)) || (scalar && *scalar == interp::Handle)) {
            return fail(ErrorCode::Unsupported,
                        "result " + std::to_string(i) + " of @" + symbolOf(module, entry) + " has the unsupported type " +
                            module.type(value.type).text,
                        module.where(entry));
        }
        interp::ResultInfo result;
        result.isView = !scalar;
        result.position = result.isView ? viewResults++ : scalarResults++;
        result.name = "result" + std::to_string(i);
        builder.result(std::move(result));
    }
    return {};
}

void Program::lowerFunction(const Function& function, bool isEntry) {
    FunctionBuilder& f = *function.builder;
    Body body(*this, f);
    const RegionId region = module.regionOf(function.op);
    const BlockId first = module.blockOf(region);
    f.at(place(function.op));
    Register scalars = 0;
    Register views = 0;
    for (std::uint32_t i = 0; i < module.block(first).arguments.count; ++i) {
        const ValueId value = module.argument(first, i);
        if (function.scalarArguments[i]) {
            const Register parameter = scalars++;
            const auto fixed = m_fixedScalars.find(value.index);
            body.setScalar(value, isEntry && fixed != m_fixedScalars.end()
                                      ? f.constant(f.code().registers[parameter], static_cast<std::uint64_t>(fixed->second))
                                      : parameter);
        } else if (module.typeOf(value).kind == Type::Kind::Vector) {
            f.nameView(views, module.value(value).name);
            body.loadLanes(value, views++);
        } else {
            body.setView(value, views++);
        }
    }
    body.unstructured(region, {}, Label());
}

std::optional<Outlined> Program::outline(Body& around, OperationId op, RegionId region, std::string_view name, const std::vector<ValueType>& own,
                                         const std::vector<ValueType>& scalarResults, const std::vector<ViewType>& viewResults,
                                         const std::function<void(Body&, const std::vector<Register>&)>& lower) {
    // What is read inside and defined outside. Regions of `region` come after it in number; a value's place decides.
    std::vector<ValueId> captured;
    std::set<std::uint32_t> seen;
    const auto isInside = [&](RegionId at) {
        while (at.isValid() && at != region) {
            const BlockId block = module.operation(module.region(at).operation).block;
            at = block.isValid() ? module.block(block).region : RegionId();
        }
        return at == region;
    };
    const auto regionOfValue = [&](ValueId value) {
        const Value& one = module.value(value);
        const BlockId block = one.operation.isValid() ? module.operation(one.operation).block : one.block;
        return block.isValid() ? module.block(block).region : RegionId();
    };
    std::vector<RegionId> left{region};
    while (!left.empty()) {
        const RegionId current = left.back();
        left.pop_back();
        for (std::size_t b = 0; b < module.blockCount(current); ++b) {
            const BlockId block = module.blockOf(current, b);
            for (std::size_t k = 0; k < module.block(block).operations.count; ++k) {
                const OperationId inner = module.operationOf(block, k);
                for (const ValueId operand : module.operands(inner)) {
                    // Arguments of the region that the caller has given a place around it are captured like all others.
                    const bool given = around.m_slots.contains(operand.index) && module.value(operand).block == module.blockOf(region);
                    if (seen.insert(operand.index).second && (given || !isInside(regionOfValue(operand)))) {
                        captured.push_back(operand);
                    }
                }
                for (std::size_t r = 0; r < module.regionCount(inner); ++r) {
                    left.push_back(module.regionOf(inner, r));
                }
            }
        }
    }
    std::sort(captured.begin(), captured.end());

    Outlined out;
    std::vector<ValueType> scalarTypes = own;
    std::vector<ViewType> viewTypes;
    std::vector<std::pair<ValueId, Slot>> parameters;
    Register nextScalar = static_cast<Register>(own.size());
    Register nextView = 0;
    for (const ValueId value : captured) {
        const OperationId from = module.value(value).operation;
        if (from.isValid() && module.name(from) == "arith.constant" && module.typeOf(value).kind != Type::Kind::Tensor) {
            continue; // made again inside
        }
        Slot held = around.slot(value);
        Slot inside{held.kind, 0, held.number, {}};
        if (held.kind == Slot::Kind::Scalar || held.kind == Slot::Kind::Result) {
            out.scalars.push_back(held.reg);
            scalarTypes.push_back(around.f.code().registers[held.reg]);
            inside.reg = nextScalar++;
        } else if (held.kind == Slot::Kind::View) {
            out.views.push_back(held.reg);
            viewTypes.push_back(around.f.code().views[held.reg]);
            inside.reg = nextView++;
        } else if (held.kind == Slot::Kind::Lanes) {
            for (const Register lane : held.lanes) {
                out.scalars.push_back(lane);
                scalarTypes.push_back(around.f.code().registers[lane]);
                inside.lanes.push_back(nextScalar++);
            }
        } else {
            around.refuse(op, "it reads '" + module.nameOf(value) + "' of type " + module.typeOf(value).text);
            return std::nullopt;
        }
        parameters.emplace_back(value, std::move(inside));
    }
    out.function = &builder.function(name, scalarTypes, viewTypes, scalarResults, viewResults);
    Body body(*this, *out.function);
    body.f.at(place(op));
    for (auto& [value, slot] : parameters) {
        body.set(value, std::move(slot));
    }
    std::vector<Register> ownRegisters(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
        ownRegisters[i] = static_cast<Register>(i);
    }
    lower(body, ownRegisters);
    return out;
}

Result<std::shared_ptr<const interp::Program>> Program::run() {
    if (const Result<void> depth = checkDepth(); !depth) {
        return tl::unexpected(depth.error());
    }
    const Result<OperationId> entry = findEntry(module, options.entry);
    if (!entry) {
        return tl::unexpected(entry.error());
    }
    std::set<std::string> flags;
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        m_hasTasks = m_hasTasks || TaskOps.contains(module.name(OperationId(i)));
        // `fast` alone, or a list: #arith.fastmath<nnan,ninf>.
        if (const Attribute* fast = module.find(OperationId(i), "fastmath"); fast != nullptr) {
            std::string text = fast->bytes.substr(std::min(fast->bytes.size(), fast->bytes.find('<') + 1));
            text = text.substr(0, text.find('>'));
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t comma = std::min(text.find(',', at), text.size());
                flags.insert(text.substr(at, comma - at));
                at = comma + 1;
            }
        }
    }
    flags.erase("none");
    builder.program().notes.assign(flags.begin(), flags.end());
    if (const Result<void> described = describeEntry(*entry); !described) {
        return tl::unexpected(described.error());
    }
    if (const Result<void> fixed = fixSizes(*entry); !fixed) {
        return tl::unexpected(fixed.error());
    }
    m_uses.resize(module.values.size());
    for (const ValueId operand : module.operandValues) {
        ++m_uses[operand.index];
    }
    (void)place(*entry);
    addGlobals();
    declareFunctions(*entry);
    for (const auto& [name, function] : m_functions) {
        if (function.builder != nullptr) {
            lowerFunction(function, function.op == *entry);
        }
    }
    return builder.finish(0);
}

Result<std::shared_ptr<const interp::Program>> lower(const Module& module, const LowerOptions& options) { return Program(module, options).run(); }

} // namespace lemmascope::ir
