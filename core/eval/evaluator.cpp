#include "core/eval/evaluator.h"

#include "core/eval/interpreter.h"
#include "core/graph/definition_library.h"

#include <new>

namespace lemmascope {

Result<Evaluation> evaluate(const GraphTree& tree, const std::vector<std::optional<Tensor>>& inputs, const EvaluateOptions& options,
                            std::stop_token stop) {
    try {
        Interpreter interpreter(tree, options, std::move(stop));
        return interpreter.run(inputs);
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::TooLarge, "out of memory");
    }
}

bool hasKernel(const OpId& op, ElementType firstOperand) {
    const bool onnx = op.domain.empty() || op.domain == "ai.onnx";
    if (onnx && (op.name == "If" || op.name == "Loop" || op.name == "Scan")) {
        return true;
    }
    const Kernel* kernel = findKernel(op);
    if (kernel != nullptr) {
        return firstOperand == ElementType::Undefined || acceptsType(kernel->types, firstOperand);
    }
    return DefinitionLibrary::builtin().find(op) != nullptr;
}

Result<std::vector<Tensor>> evaluateNode(const Node& node, const std::vector<std::optional<Tensor>>& operands) {
    const std::string prefix = nodePrefix(node.name, node.op);
    const Kernel* kernel = findKernel(node.op);
    if (kernel == nullptr || node.body) {
        return fail(ErrorCode::Unsupported, prefix + "no kernel");
    }
    if (!operands.empty() && operands[0] && !acceptsType(kernel->types, operands[0]->element())) {
        return fail(ErrorCode::Unsupported, prefix + "no kernel for element type " + std::string(name(operands[0]->element())));
    }
    try {
        const EvaluateOptions defaults;
        RunLimits limits{defaults.maxTensorBytes, defaults.maxOperations, 0, {}};
        NodeRun run(node, Arithmetic::Declared, limits);
        for (const std::optional<Tensor>& operand : operands) {
            run.operands.push_back(operand ? std::optional<Array>(Array(operand->element(), *operand)) : std::nullopt);
        }
        kernel->run(run);
        if (run.error()) {
            return fail(run.error()->code, prefix + run.error()->message);
        }
        if (run.faulted()) {
            return fail(ErrorCode::BadData,
                        prefix + (run.faulted()->kind == Fault::Kind::DivisionByZero ? "integer division by zero" : "an index is out of range"));
        }
        if (run.stopped()) {
            return fail(ErrorCode::Unsupported, prefix + "no kernel for these operands");
        }
        std::vector<Tensor> out;
        for (std::size_t k = 0; k < std::max(node.results.size(), run.results.size()); ++k) {
            const bool made = k < run.results.size() && run.results[k];
            if (!made && run.wants(k)) {
                return fail(ErrorCode::Unsupported, prefix + "result " + std::to_string(k) + " is not computed");
            }
            out.push_back(made ? run.results[k]->tensor() : Tensor());
        }
        return out;
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::TooLarge, prefix + "out of memory");
    }
}

} // namespace lemmascope
