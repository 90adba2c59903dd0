#include "core/format/mlir/parser/convert.h"

#include "core/format/mlir/parser/convert_types.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Support/SourceMgr.h>
#include <mlir/AsmParser/AsmParserState.h>
#include <mlir/IR/Block.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/Location.h>
#include <mlir/IR/Operation.h>
#include <mlir/IR/Region.h>

#include <string_view>

// Two passes: ops, regions, blocks and values get their numbers, in breadth so that those of a block lie side by side; then what
// refers to them is written down, since an operand may be defined further on.

namespace lemmascope::ir {

namespace {

class Converter {
  public:
    Converter(const mlir::AsmParserState* names, const llvm::SourceMgr& sources, unsigned firstLine)
        : m_names(names), m_sources(sources), m_firstLine(firstLine), m_types(m_module) {}

    Module run(mlir::Block& top) {
        indexLines();
        addOperations(top, BlockId());
        m_module.topCount = static_cast<std::uint32_t>(m_operations.size());
        for (std::size_t i = 0; i < m_operations.size(); ++i) {
            addRegions(*m_operations[i], OperationId(i));
        }
        for (std::size_t i = 0; i < m_operations.size(); ++i) {
            describe(*m_operations[i], m_module.operations[i]);
        }
        return std::move(m_module);
    }

  private:
    Module m_module;
    const mlir::AsmParserState* m_names;
    const llvm::SourceMgr& m_sources;
    unsigned m_firstLine;
    TypeConverter m_types;
    std::vector<mlir::Operation*> m_operations;
    llvm::DenseMap<mlir::Value, std::uint32_t> m_values;
    llvm::DenseMap<mlir::Block*, std::uint32_t> m_blocks;
    std::vector<const char*> m_lines; ///< where each begins

    void indexLines() {
        if (m_names == nullptr) {
            return;
        }
        const llvm::StringRef text = m_sources.getMemoryBuffer(1)->getBuffer();
        m_lines.push_back(text.begin());
        for (const char* at = text.begin(); at != text.end(); ++at) {
            if (*at == '\n') {
                m_lines.push_back(at + 1);
            }
        }
    }

    [[nodiscard]] Place placeAt(llvm::SMLoc at) const {
        const auto line = std::upper_bound(m_lines.begin(), m_lines.end(), at.getPointer());
        return line == m_lines.begin() ? Place{}
                                       : Place{static_cast<std::uint32_t>(line - m_lines.begin()) + m_firstLine - 1,
                                               static_cast<std::uint32_t>(at.getPointer() - *(line - 1)) + 1};
    }

    static std::string nameAt(llvm::SMRange range) {
        std::string_view text(range.Start.getPointer(), static_cast<std::size_t>(range.End.getPointer() - range.Start.getPointer()));
        if (text.starts_with('%')) {
            text.remove_prefix(1);
        }
        return std::string(text);
    }

    /// What a location names: NameLoc, as bytecode may keep.
    static std::string nameIn(mlir::Location location) {
        const auto named = mlir::dyn_cast<mlir::NameLoc>(location);
        return named ? named.getName().str() : std::string();
    }

    std::uint32_t addValue(mlir::Value value, OperationId operation, BlockId block, std::size_t number, std::string name) {
        const auto index = static_cast<std::uint32_t>(m_module.values.size());
        m_values[value] = index;
        m_module.values.push_back({m_types.type(value.getType()), operation, block, static_cast<std::uint32_t>(number), std::move(name)});
        return index;
    }

    /// The ops of a block, with their results.
    Range addOperations(mlir::Block& from, BlockId block) {
        const auto first = static_cast<std::uint32_t>(m_operations.size());
        for (mlir::Operation& operation : from) {
            const OperationId id(m_operations.size());
            m_operations.push_back(&operation);
            Operation added;
            added.block = block;
            const auto* definition = m_names == nullptr ? nullptr : m_names->getOpDef(&operation);
            if (definition != nullptr) {
                added.place = placeAt(definition->loc.Start);
            } else if (const auto place = operation.getLoc()->findInstanceOf<mlir::FileLineColLoc>()) {
                added.place = {place.getLine(), place.getColumn()};
            }
            added.results = {static_cast<std::uint32_t>(m_module.values.size()), operation.getNumResults()};
            for (const mlir::OpResult result : operation.getResults()) {
                const std::size_t number = result.getResultNumber();
                std::string name;
                if (definition != nullptr) {
                    name = resultName(*definition, number, operation.getNumResults());
                } else {
                    name = operation.getNumResults() == 1 ? nameIn(operation.getLoc()) : std::string();
                }
                addValue(result, id, BlockId(), number, std::move(name));
            }
            m_module.operations.push_back(added);
        }
        return {first, static_cast<std::uint32_t>(m_operations.size()) - first};
    }

    static std::string resultName(const mlir::AsmParserState::OperationDefinition& definition, std::size_t number, std::size_t count) {
        for (std::size_t group = definition.resultGroups.size(); group-- > 0;) {
            const auto& one = definition.resultGroups[group];
            if (one.startIndex <= number) {
                const std::size_t end = group + 1 < definition.resultGroups.size() ? definition.resultGroups[group + 1].startIndex : count;
                std::string name = nameAt(one.definition.loc);
                name = name.substr(0, name.find(':')); // %r:2
                return end - one.startIndex > 1 ? name + "#" + std::to_string(number - one.startIndex) : name;
            }
        }
        return {};
    }

    void addRegions(mlir::Operation& operation, OperationId id) {
        const auto firstRegion = static_cast<std::uint32_t>(m_module.regions.size());
        m_module.operations[id.index].regions = {firstRegion, operation.getNumRegions()};
        for (mlir::Region& region : operation.getRegions()) {
            const RegionId regionId(m_module.regions.size());
            const auto firstBlock = static_cast<std::uint32_t>(m_module.blocks.size());
            for (mlir::Block& block : region) {
                const BlockId blockId(m_module.blocks.size());
                m_blocks[&block] = blockId.index;
                m_module.blocks.push_back({regionId, addArguments(block, blockId), {}});
            }
            m_module.regions.push_back({id, {firstBlock, static_cast<std::uint32_t>(m_module.blocks.size()) - firstBlock}});
            std::uint32_t next = firstBlock;
            for (mlir::Block& block : region) {
                const Range operations = addOperations(block, BlockId(std::size_t{next}));
                m_module.blocks[next++].operations = operations;
            }
        }
    }

    Range addArguments(mlir::Block& block, BlockId id) {
        const auto* definition = m_names == nullptr ? nullptr : m_names->getBlockDef(&block);
        const auto first = static_cast<std::uint32_t>(m_module.values.size());
        for (const mlir::BlockArgument argument : block.getArguments()) {
            const std::size_t number = argument.getArgNumber();
            const bool written = definition != nullptr && number < definition->arguments.size() && definition->arguments[number].loc.isValid();
            addValue(argument, OperationId(), id, number, written ? nameAt(definition->arguments[number].loc) : nameIn(argument.getLoc()));
        }
        return {first, block.getNumArguments()};
    }

    void describe(mlir::Operation& operation, Operation& into) {
        into.name = m_types.name(std::string_view(operation.getName().getStringRef()));
        into.operands = {static_cast<std::uint32_t>(m_module.operandValues.size()), operation.getNumOperands()};
        for (const mlir::Value operand : operation.getOperands()) {
            m_module.operandValues.push_back(ValueId(std::size_t{m_values.lookup(operand)}));
        }
        into.successors = {static_cast<std::uint32_t>(m_module.successorBlocks.size()), operation.getNumSuccessors()};
        for (mlir::Block* successor : operation.getSuccessors()) {
            m_module.successorBlocks.push_back(BlockId(std::size_t{m_blocks.lookup(successor)}));
        }
        const mlir::DictionaryAttr attributes = operation.getAttrDictionary();
        std::vector<NamedAttribute> named;
        for (const mlir::NamedAttribute attribute : attributes) {
            named.push_back({m_types.name(std::string_view(attribute.getName().getValue())), m_types.attribute(attribute.getValue())});
        }
        into.attributes = {static_cast<std::uint32_t>(m_module.namedAttributes.size()), static_cast<std::uint32_t>(named.size())};
        m_module.namedAttributes.insert(m_module.namedAttributes.end(), named.begin(), named.end());
    }
};

} // namespace

Module convert(mlir::Block& top, const mlir::AsmParserState* names, const llvm::SourceMgr& sources, unsigned firstLine) {
    return Converter(names, sources, firstLine).run(top);
}

} // namespace lemmascope::ir
