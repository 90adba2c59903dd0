// Where a run holds terms: what TermDag::sweep() must keep.

#include "core/interp/machine_state.h"

namespace lemmascope::interp {

namespace {

using Visit = std::function<void(Term&)>;

void visitCells(std::vector<Cell>& cells, const Visit& visit) {
    for (Cell& cell : cells) {
        if (cell.term > Mixed) {
            visit(cell.term);
        }
    }
}

void visitResult(RunResult& result, const Visit& visit) {
    for (std::vector<LiveOut>* list : {&result.results, &result.arguments, &result.globals}) {
        for (LiveOut& out : *list) {
            visitCells(out.cells, visit);
        }
    }
    for (Fault& fault : result.conditional) {
        visit(fault.guard);
    }
    if (result.fault) {
        visit(result.fault->guard);
    }
}

} // namespace

void Machine::visitTerms(const Visit& visit) {
    if (m_options.alsoHeld != nullptr) {
        visitResult(*m_options.alsoHeld, visit);
    }
    visitResult(m_result, visit);
    for (Allocation& memory : m_allocations) {
        visitCells(memory.cells, visit);
    }
    for (const std::unique_ptr<Task>& task : m_tasks) {
        visitCells(task->registers, visit);
        visit(task->transferred.term);
    }
    for (auto& [task, ended] : m_ended) {
        visitCells(ended.scalars, visit);
    }
    for (ParallelRun& run : m_parallels) {
        visitCells(run.captured, visit);
        visitCells(run.results, visit);
    }
    for (ChannelState& channel : m_channels) {
        for (std::deque<Offer>* offers : {&channel.puts, &channel.gets}) {
            for (Offer& offer : *offers) {
                visit(offer.value.term);
            }
        }
    }
    for (UndoEntry& entry : m_undo) {
        visit(entry.before.term);
    }
    for (Fork& fork : m_forks) {
        visit(fork.condition);
        visit(fork.guardBefore);
        visitCells(fork.registersBefore, visit);
        visitCells(fork.registersFirst, visit);
        for (auto& [entry, after] : fork.writtenFirst) {
            visit(entry.before.term);
            visit(after.term);
        }
    }
    visit(m_guard);
}

} // namespace lemmascope::interp
