// Tests: tests/core/match/tst_match_stepper.cpp.
#include "core/match/pattern_picture.h"

#include "core/match/print.h"

#include <algorithm>

namespace lemmascope::match {

namespace {

constexpr std::size_t DeepestCall = 6;

class Drawer {
  public:
    Drawer(const MatchProgram& program, const PatternWords& words) : m_program(program), m_words(words) {
        m_out.nodes.resize(program.instructions.size());
        m_out.values.resize(program.instructions.size());
    }

    PatternPicture run() {
        m_graph.name = m_program.rule;
        const std::size_t frame = enter(0, 0, {});
        const ValueId root = draw(m_program.procedures[0].body, frame);
        if (root.isValid()) {
            m_graph.outputs.push_back(root);
            m_graph.outputNames.push_back(m_program.rule);
        }
        m_out.graph = std::make_shared<const Graph>(std::move(m_graph));
        return std::move(m_out);
    }

  private:
    struct Frame {
        std::uint32_t procedure = 0;
        std::size_t parent = 0;
        std::vector<std::size_t> cells;
    };
    struct Drawn {
        ValueId value;
        std::string name;
    };

    std::size_t enter(std::uint32_t procedure, std::size_t caller, const std::vector<SlotRef>& arguments) {
        const Procedure& entered = m_program.procedures[procedure];
        Frame frame;
        frame.procedure = procedure;
        if (entered.level > 0) {
            frame.parent = caller;
            for (std::uint32_t level = m_program.procedures[m_frames[caller].procedure].level; level >= entered.level; --level) {
                frame.parent = m_frames[frame.parent].parent;
            }
        }
        for (std::uint32_t i = 0; i < entered.slots.size(); ++i) {
            if (i < entered.parameters && i < arguments.size()) {
                frame.cells.push_back(cellOf(caller, arguments[i]));
            } else {
                frame.cells.push_back(m_cells.size());
                m_cells.push_back({{}, entered.slots[i].name.written()});
            }
        }
        m_frames.push_back(std::move(frame));
        return m_frames.size() - 1;
    }

    [[nodiscard]] std::size_t cellOf(std::size_t frame, SlotRef slot) const {
        for (std::uint32_t up = slot.up; up > 0; --up) {
            frame = m_frames[frame].parent;
        }
        return m_frames[frame].cells[slot.index];
    }

    ValueId input(const std::string& name) {
        Value value;
        value.name = name;
        const ValueId id = m_graph.addValue(std::move(value));
        m_graph.inputs.push_back(id);
        return id;
    }

    /// What stands for a name; an input until something else does.
    ValueId named(std::size_t cell) {
        if (!m_cells[cell].value.isValid()) {
            m_cells[cell].value = input(m_cells[cell].name);
        }
        return m_cells[cell].value;
    }

    ValueId node(InstructionId at, const std::string& op, const std::string& words, std::vector<ValueId> operands) {
        const std::string name = words.empty() ? m_program.at(at).spot.text() : words; // what no words tell apart has its place
        Value result;
        result.name = name;
        const ValueId id = m_graph.addValue(std::move(result));
        Node made;
        made.op = {"pattern", op, 0};
        made.name = name;
        made.operands = std::move(operands);
        made.results = {id};
        made.line = static_cast<int>(m_program.at(at).spot.line);
        m_out.nodes[at.index].push_back(m_graph.addNode(std::move(made)));
        m_out.instructions.push_back(at);
        return id;
    }

    ValueId leaf(InstructionId at, ValueId value) {
        m_out.values[at.index].push_back(value);
        return value;
    }

    /// What stands for a part also stands for the pattern around it.
    ValueId passOn(InstructionId at, InstructionId inner, ValueId value) {
        if (!m_out.nodes[inner.index].empty()) {
            m_out.nodes[at.index].push_back(m_out.nodes[inner.index].back());
        } else if (!m_out.values[inner.index].empty()) {
            m_out.values[at.index].push_back(m_out.values[inner.index].back());
        }
        return value;
    }

    std::vector<ValueId> operands(const Instruction& instruction, std::size_t frame) {
        std::vector<ValueId> out;
        for (const InstructionId child : instruction.children) {
            out.push_back(draw(child, frame));
        }
        if (instruction.rest.isValid()) {
            out.push_back(named(cellOf(frame, instruction.rest)));
        }
        return out;
    }

    // As deep as patterns are nested, MaxDepth, times calls, DeepestCall.
    ValueId draw(InstructionId at, std::size_t frame) {
        const Instruction& instruction = m_program.at(at);
        if (m_graph.nodes.size() >= PatternPicture::MostNodes) {
            m_out.cut = true;
            return leaf(at, input("\u2026"));
        }
        switch (instruction.kind) {
        case InstructionKind::Variable: return leaf(at, named(cellOf(frame, instruction.slot)));
        case InstructionKind::Any: return leaf(at, input("_"));
        case InstructionKind::Omitted: return leaf(at, input("none"));
        case InstructionKind::Number: return leaf(at, input(m_words.text(m_program, at)));
        case InstructionKind::Operator:
        case InstructionKind::FunctionVariable: {
            const bool named = instruction.kind == InstructionKind::Operator;
            std::string op = named ? operatorText(m_program.operators[instruction.op]) : instruction.name.written();
            op = (instruction.order == OperandOrder::Commutative ? "comm " : instruction.order == OperandOrder::AnyTree ? "ac " : "") + op;
            std::string words;
            for (const AttributeTest& each : instruction.attributes) {
                words += (words.empty() ? "" : ", ") + each.name + (each.orOperand ? "@=" : "=") + each.wantedText;
            }
            std::vector<ValueId> read = operands(instruction, frame);
            return node(at, op, words, std::move(read));
        }
        case InstructionKind::Alternate: {
            std::vector<ValueId> read = operands(instruction, frame);
            return node(at, "one of", {}, std::move(read));
        }
        case InstructionKind::Guarded: {
            const ValueId inner = draw(instruction.children[0], frame);
            return node(at, "where", m_words.guard(m_program, at, 60), {inner});
        }
        case InstructionKind::Exists: return passOn(at, instruction.children[0], draw(instruction.children[0], frame));
        case InstructionKind::Constraint: {
            const std::size_t cell = cellOf(frame, instruction.slot);
            if (m_cells[cell].value.isValid()) { // read before this: the two stand side by side
                const ValueId inner = draw(instruction.children[0], frame);
                const ValueId must = draw(instruction.children[1], frame);
                return node(at, "with " + m_cells[cell].name, {}, {inner, must});
            }
            const ValueId must = draw(instruction.children[1], frame);
            if (!m_cells[cell].value.isValid()) {
                m_cells[cell].value = must;
                m_out.nodes[at.index] = m_out.nodes[instruction.children[1].index];
                return draw(instruction.children[0], frame);
            }
            return node(at, "with " + m_cells[cell].name, {}, {draw(instruction.children[0], frame), must});
        }
        case InstructionKind::As: {
            const ValueId inner = draw(instruction.children[0], frame);
            const std::size_t cell = cellOf(frame, instruction.slot);
            if (!m_cells[cell].value.isValid()) {
                m_cells[cell].value = inner;
            }
            return node(at, instruction.name.written() + " @", {}, {inner});
        }
        case InstructionKind::Result:
            return node(at, "result " + std::to_string(instruction.resultIndex), {}, {draw(instruction.children[0], frame)});
        case InstructionKind::Call: return call(at, instruction, frame);
        }
        return {};
    }

    ValueId call(InstructionId at, const Instruction& instruction, std::size_t frame) {
        const bool again = std::find(m_calls.begin(), m_calls.end(), instruction.procedure) != m_calls.end();
        if (again || m_calls.size() >= DeepestCall) {
            std::vector<ValueId> read;
            for (const SlotRef& each : instruction.arguments) {
                read.push_back(named(cellOf(frame, each)));
            }
            return node(at, m_program.procedures[instruction.procedure].name + (again ? " again" : ""), {}, std::move(read));
        }
        m_calls.push_back(instruction.procedure);
        const std::size_t entered = enter(instruction.procedure, frame, instruction.arguments);
        const InstructionId body = m_program.procedures[instruction.procedure].body;
        const ValueId value = passOn(at, body, draw(body, entered));
        m_calls.pop_back();
        return value;
    }

    const MatchProgram& m_program;
    const PatternWords& m_words;
    PatternPicture m_out;
    Graph m_graph;
    std::vector<Frame> m_frames;
    std::vector<Drawn> m_cells;
    std::vector<std::uint32_t> m_calls;
};

} // namespace

PatternPicture patternPicture(const MatchProgram& program, const PatternWords& words) { return Drawer(program, words).run(); }

} // namespace lemmascope::match
