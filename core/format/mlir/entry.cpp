#include "core/format/mlir/entry.h"

#include "core/base/nearest.h"

#include <string_view>
#include <vector>

namespace lemmascope::ir {

namespace {

bool isPublic(const Module& module, OperationId op) {
    const Attribute* visibility = module.find(op, "sym_visibility");
    return visibility == nullptr || visibility->bytes == "public";
}

std::string quoted(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        out += (out.empty() ? "" : ", ") + name;
    }
    return out;
}

} // namespace

std::string symbolOf(const Module& module, OperationId op) {
    const Attribute* name = module.find(op, "sym_name");
    return name == nullptr ? std::string() : name->bytes;
}

bool hasBody(const Module& module, OperationId op) { return module.regionCount(op) == 1 && module.blockCount(module.regionOf(op)) > 0; }

std::span<const ValueId> returnedValues(const Module& module, OperationId function) {
    const RegionId region = module.regionOf(function);
    for (std::size_t i = 0; i < module.blockCount(region); ++i) {
        const BlockId block = module.blockOf(region, i);
        const std::size_t count = module.block(block).operations.count;
        const OperationId last = module.operationOf(block, count == 0 ? 0 : count - 1);
        if (count > 0 && module.name(last) == "func.return") {
            return module.operands(last);
        }
    }
    return {};
}

std::string argumentName(const Module& module, ValueId value) {
    const Value& one = module.value(value);
    return one.name.empty() ? "arg" + std::to_string(one.number) : one.name;
}

std::vector<std::string> entryNames(const Module& module) {
    std::vector<std::string> names;
    for (const bool open : {true, false}) {
        for (std::size_t i = 0; i < module.operations.size(); ++i) {
            const OperationId op(i);
            if (module.name(op) == "func.func" && hasBody(module, op) && isPublic(module, op) == open) {
                names.push_back(symbolOf(module, op));
            }
        }
    }
    return names;
}

Result<OperationId> findEntry(const Module& module, const std::string& asked) {
    std::vector<OperationId> open;
    std::vector<OperationId> all;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        const OperationId op(i);
        if (module.name(op) == "func.func" && hasBody(module, op)) {
            all.push_back(op);
            names.push_back(symbolOf(module, op));
            if (isPublic(module, op)) {
                open.push_back(op);
            }
        }
    }
    if (all.empty()) {
        return fail(ErrorCode::BadData, "has no function with a body (func.func): there is nothing to run", module.file);
    }
    if (!asked.empty()) {
        const std::string wanted = asked.starts_with('@') ? asked.substr(1) : asked;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (names[i] == wanted) {
                return all[i];
            }
        }
        const auto near = nearestWord(wanted, std::vector<std::string_view>(names.begin(), names.end()));
        return fail(ErrorCode::Usage,
                    "--entry " + wanted + ": there is no such function" +
                        (near ? "; is " + std::string(*near) + " meant?" : ": there is " + quoted(names)),
                    module.file);
    }
    const std::vector<OperationId>& candidates = open.empty() ? all : open;
    if (candidates.size() > 1) {
        std::vector<std::string> listed;
        for (const OperationId op : candidates) {
            listed.push_back(symbolOf(module, op));
        }
        return fail(ErrorCode::Usage, "has several functions that may be meant (" + quoted(listed) + "): choose one with --entry NAME", module.file);
    }
    return candidates.front();
}

} // namespace lemmascope::ir
