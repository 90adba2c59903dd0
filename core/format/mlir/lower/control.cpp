// func and cf: calls, returns and branches between blocks.
#include "core/format/mlir/lower/body.h"
#include "core/format/mlir/lower/open.h"

#include <algorithm>

namespace lemmascope::ir {

namespace {

/// The view that a function is given or gives back for a value.
Register passed(Body& body, ValueId value) {
    const auto type = passedType(body.module(), body.module().value(value).type);
    return body.slot(value).kind == Slot::Kind::Lanes && type ? body.stored(value, *type) : body.view(value);
}

void lowerCall(Body& body, OperationId op) {
    const Module& m = body.module();
    const Attribute* callee = m.find(op, "callee");
    const Program::Function* function = callee == nullptr ? nullptr : body.program.functionNamed(callee->bytes);
    if (function == nullptr || function->builder == nullptr) {
        // A declaration: what it computes is left open, unless it may touch memory or do something besides its results.
        if (callee == nullptr || !lowerOpenAs(body, op, "call @" + callee->bytes)) {
            body.refuse(op, callee == nullptr ? std::string() : "@" + callee->bytes + " has no body that can be run");
        }
        return;
    }
    std::vector<Register> scalars;
    std::vector<Register> views;
    const auto operands = m.operands(op);
    for (std::size_t i = 0; i < operands.size() && i < function->scalarArguments.size(); ++i) {
        if (function->scalarArguments[i]) {
            scalars.push_back(body.scalar(operands[i]));
        } else {
            views.push_back(passed(body, operands[i]));
        }
    }
    std::vector<Register> scalarResults;
    std::vector<Register> viewResults;
    std::vector<std::pair<ValueId, Register>> vectors;
    for (std::size_t i = 0; i < m.resultCount(op) && i < function->scalarResults.size(); ++i) {
        const ValueId value = m.result(op, i);
        if (const auto type = passedType(m, m.value(value).type); type && m.typeOf(value).kind == Type::Kind::Vector) {
            viewResults.push_back(body.f.view(*type));
            vectors.emplace_back(value, viewResults.back());
            continue;
        }
        Slot result = body.fresh(m.value(value).type);
        (function->scalarResults[i] ? scalarResults : viewResults).push_back(result.reg);
        body.set(value, std::move(result));
    }
    body.f.call(*function->builder, scalars, views, scalarResults, viewResults);
    for (const auto& [vector, from] : vectors) {
        body.loadLanes(vector, from);
    }
}

void lowerReturn(Body& body, OperationId op) {
    std::vector<Register> scalars;
    std::vector<Register> views;
    for (const ValueId value : body.module().operands(op)) {
        const Slot held = body.slot(value);
        if (held.kind == Slot::Kind::View || held.kind == Slot::Kind::Lanes) {
            views.push_back(passed(body, value));
        } else {
            scalars.push_back(body.scalar(value));
        }
    }
    body.f.ret(scalars, views);
}

/// Jumps to a block of the region with the values of its arguments.
void jumpTo(Body& body, BlockId block, std::span<const ValueId> values) { body.f.jump(body.blockLabel(block), body.blockMoves(block, values)); }

void lowerCondBranch(Body& body, OperationId op) {
    const auto successors = body.module().successors(op);
    const Label taken = body.f.label();
    const Label other = body.f.label();
    body.f.branch(body.operand(op, 0), taken, other);
    body.f.bind(taken);
    jumpTo(body, successors[0], body.segment(op, 1));
    body.f.bind(other);
    jumpTo(body, successors[1], body.segment(op, 2));
}

void lowerSwitch(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto successors = m.successors(op);
    const Attribute* values = m.find(op, "case_values");
    const auto bits = values == nullptr ? std::optional(std::vector<std::uint64_t>()) : elementBits(m, *values);
    const Attribute* segments = m.find(op, "case_operand_segments");
    if (!bits) {
        body.refuse(op);
        return;
    }
    const std::size_t count = successors.size() - 1;
    std::vector<std::pair<std::int64_t, Label>> cases;
    std::vector<Label> labels;
    for (std::size_t i = 0; i < count; ++i) {
        labels.push_back(body.f.label());
        const std::uint64_t value = bits->size() == 1 ? bits->front() : bits->at(i);
        cases.emplace_back(static_cast<std::int64_t>(value), labels.back());
    }
    const Label otherwise = body.f.label();
    body.switchOn(body.operand(op, 0), cases, otherwise);
    body.f.bind(otherwise);
    jumpTo(body, successors[0], body.segment(op, 1));
    std::span<const ValueId> left = body.segment(op, 2);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t size = segments != nullptr && i < segments->integers.size() ? static_cast<std::size_t>(segments->integers[i]) : 0;
        body.f.bind(labels[i]);
        jumpTo(body, successors[i + 1], left.first(std::min(size, left.size())));
        left = left.subspan(std::min(size, left.size()));
    }
}

} // namespace

bool lowerControl(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "func.call") {
        lowerCall(body, op);
    } else if (name == "func.return") {
        lowerReturn(body, op);
    } else if (name == "cf.br") {
        jumpTo(body, m.successors(op)[0], m.operands(op));
    } else if (name == "cf.cond_br") {
        lowerCondBranch(body, op);
    } else if (name == "cf.switch") {
        lowerSwitch(body, op);
    } else if (name == "cf.assert") {
        const Label holds = body.f.label();
        const Label fails = body.f.label();
        const Attribute* text = m.find(op, "msg");
        body.f.branch(body.operand(op, 0), holds, fails);
        body.f.bind(fails);
        body.f.fail("the assertion '" + (text == nullptr ? std::string() : text->bytes) + "' does not hold");
        body.f.bind(holds);
    } else {
        return false; // func.constant and func.call_indirect: a function as a value
    }
    return true;
}

} // namespace lemmascope::ir
