#include "core/graph/definition_code.h"
#include "core/graph/infer.h"

#include <cstdint>
#include <string>
#include <string_view>

// No text crashes the parser of definitions, and what it takes can be written out for three matrices, or is refused.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lemmascope;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto library = DefinitionLibrary::parse(text, "fuzz");
    if (!library) {
        return 0;
    }
    for (const auto& definition : (*library)->all()) {
        const std::map<std::string, Attribute> none;
        DefinedCall call;
        call.definition = definition.get();
        call.attributes = &none;
        for (std::size_t k = 0; k < definition->operands.size() && k < 3; ++k) {
            call.operands.emplace_back(DefinedCall::Operand{{ElementType::F32, Shape{Dim::symbol("n"), Dim(4)}}, {}});
        }
        call.wanted.assign(definition->results.size(), true);
        if (const auto body = writeOut(call)) {
            (void)inferTypes(body->graph);
        }
    }
    return 0;
}
