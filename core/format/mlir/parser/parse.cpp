#include "core/format/mlir/parser/parse.h"

#include "core/format/mlir/parser/convert.h"
#include "core/format/mlir/parser/dialects.h"
#include "core/format/mlir/parser/linalg_maps.h"

#include <llvm/Support/SourceMgr.h>
#include <mlir/AsmParser/AsmParser.h>
#include <mlir/AsmParser/AsmParserState.h>
#include <mlir/Bytecode/BytecodeReader.h>
#include <mlir/IR/Block.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/Verifier.h>

#include <memory>
#include <string>

namespace lemmascope::ir {

namespace {

struct Finding {
    std::string message;
    Place place;
};

/// libMLIR's errors; its notes and warnings say nothing that an error does not.
struct Findings {
    unsigned firstLine;
    std::vector<Finding> errors;
    std::size_t more = 0;

    void add(mlir::Diagnostic& diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) {
            return;
        }
        static constexpr std::size_t Most = 1;
        if (errors.size() >= Most) {
            ++more;
            return;
        }
        Finding finding;
        llvm::raw_string_ostream(finding.message) << diagnostic;
        if (const auto place = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>()) {
            finding.place = {place.getLine() + firstLine - 1, place.getColumn()};
        }
        errors.push_back(std::move(finding));
    }
};

bool isNameCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; }

/// The op on that line of the text, the first word of the form `x.y` that is no number; empty if there is none.
std::string opOnLine(std::string_view text, std::uint32_t line) {
    for (std::uint32_t i = 1; i < line; ++i) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            return {};
        }
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    for (std::size_t at = 0; at < text.size();) {
        if (!isNameCharacter(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && isNameCharacter(text[end])) {
            ++end;
        }
        const std::string_view word = text.substr(at, end - at);
        const char before = at == 0 ? ' ' : text[at - 1];
        const bool sigil = before == '%' || before == '@' || before == '!' || before == '#' || before == '^';
        const std::size_t point = word.find('.');
        if (!sigil && point != std::string_view::npos && point > 0 && point + 1 < word.size() && (word[0] < '0' || word[0] > '9')) {
            return std::string(word);
        }
        at = end;
    }
    return {};
}

tl::unexpected<Error> failure(const Findings& findings, const ParseRequest& request, bool text) {
    if (findings.errors.empty()) {
        return fail(ErrorCode::BadData, "cannot be read as MLIR, and libMLIR does not say why", request.file);
    }
    const Finding& first = findings.errors.front();
    std::string message = first.message;
    if (text && first.place.line >= request.firstLine) {
        const std::string op = opOnLine(request.text, first.place.line - request.firstLine + 1);
        message += op.empty() || message.find(op) != std::string::npos ? "" : " (in '" + op + "')";
    }
    if (message.find("Dialect `") != std::string::npos || message.find("not found for custom op") != std::string::npos) {
        message += ": write this op in generic form (mlir-opt --mlir-print-op-generic), and it is taken as an open function";
    }
    if (findings.more > 0) {
        message += "; " + std::to_string(findings.more) + (findings.more == 1 ? " more error" : " more errors");
    }
    std::string where = request.file;
    if (first.place.line > 0) {
        where += ":" + std::to_string(first.place.line) + ":" + std::to_string(first.place.column);
    }
    return fail(ErrorCode::BadData, std::move(message), std::move(where));
}

} // namespace

Result<Module> parse(const ParseRequest& request) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    // One thread: the order of messages is then that of the text.
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.allowUnregisteredDialects(true);
    context.printOpOnDiagnostic(false);
    Findings findings{request.firstLine, {}, 0};
    const mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
        findings.add(diagnostic);
        return mlir::success();
    });

    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(request.text, request.file, /*RequiresNullTerminator=*/true), llvm::SMLoc());
    const llvm::MemoryBufferRef buffer = sources->getMemoryBuffer(1)->getMemBufferRef();
    const bool bytecode = mlir::isBytecode(buffer);
    const mlir::ParserConfig config(&context, /*verifyAfterParse=*/true);
    mlir::Block top;
    mlir::AsmParserState names;
    const mlir::LogicalResult parsed =
        bytecode ? mlir::readBytecodeFile(sources, &top, config) : mlir::parseAsmSourceFile(*sources, &top, config, &names);
    if (mlir::failed(parsed)) {
        return failure(findings, request, !bytecode);
    }
    attachIndexingMaps(top);
    Module module = convert(top, bytecode ? nullptr : &names, *sources, request.firstLine);
    module.file = request.file;
    return module;
}

} // namespace lemmascope::ir
