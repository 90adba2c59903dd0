#include "core/report/cell_story.h"

namespace lemmascope {

namespace {

constexpr double SecondsToRunAgain = 60.0;

Result<void> addAccesses(const interp::Program& program, const std::shared_ptr<const interp::Program>& shared, const interp::RunResult& earlier,
                         std::uint32_t allocation, std::uint64_t cell, Side side, CellStory& story, const std::stop_token& stop) {
    interp::TermDag dag;
    interp::RunOptions options;
    interp::addBuffers(program, dag, options);
    options.extents = earlier.extents;
    options.limits.seconds = SecondsToRunAgain;
    options.watched = {allocation, cell};
    options.detectRaces = earlier.end == interp::RunResult::End::Raced;
    auto again = interp::run(shared, dag, options, stop);
    if (!again) {
        return tl::unexpected<Error>(again.error());
    }
    auto& list = story.accesses[static_cast<std::size_t>(side)];
    std::uint64_t& writes = story.writes[static_cast<std::size_t>(side)];
    for (const interp::WatchedAccess& access : again->watched) {
        if (access.writes) {
            ++writes;
            list.push_back({access.step.text(), access.step.place, true, false});
        }
    }
    if (!list.empty()) {
        list.back().isLast = true;
    }
    if (list.size() > CellStory::MostAccesses) {
        list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(CellStory::MostAccesses));
    }
    return {};
}

} // namespace

Result<CellStory> cellStory(const ProgramPair& pair, const OutputMap& map, std::uint64_t cell, std::stop_token stop) {
    const interp::ProgramComparison& comparison = *map.comparison();
    const interp::OutputComparison& output = map.compared();
    const interp::LiveOut* left = &liveOut(comparison.reference, output.list, output.referenceIndex);
    const interp::LiveOut* right = &liveOut(comparison.rewritten, output.list, output.rewrittenIndex);
    if (cell >= left->cells.size() || cell >= right->cells.size()) {
        return fail(ErrorCode::Usage, "there is no cell " + map.cellText(cell) + " on both sides");
    }
    CellStory story;
    story.cell = cell;
    story.name = map.cellText(cell);
    story.state = map.at(cell);
    auto expressions = expressionPair(*comparison.dag, output.type, {left->cells[cell].bits, left->cells[cell].term},
                                      {right->cells[cell].bits, right->cells[cell].term});
    if (!expressions) {
        return tl::unexpected<Error>(expressions.error());
    }
    story.expressions = std::move(*expressions);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const bool first = side == Side::Reference;
        const std::uint32_t allocation = first ? left->allocation : right->allocation;
        const auto& program = first ? pair.reference : pair.rewritten;
        if (allocation == 0 || !program) {
            continue; // a returned number: nothing in memory
        }
        const auto added = addAccesses(*program, program, first ? comparison.reference : comparison.rewritten, allocation, cell, side, story, stop);
        if (!added) {
            if (added.error().code == ErrorCode::Cancelled) {
                return tl::unexpected<Error>(added.error());
            }
            story.trouble = added.error().text();
        }
    }
    return story;
}

} // namespace lemmascope
