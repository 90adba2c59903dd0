#include "ui/canvas/scene_builder.h"

#include "ui/canvas/scene_memory.h"
#include "ui/canvas/scene_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace lemmascope {

namespace {

constexpr double StubLength = 14.0;
constexpr double StubInset = 12.0; ///< from the corner of the box
constexpr double SceneMargin = 24.0;
constexpr std::uint32_t MostSourceReaders = 16; ///< of an input or constant whose edges are all drawn
constexpr std::uint32_t MostReaders = 48;       ///< of a node
constexpr std::uint32_t ReadersDrawn = 2;       ///< where there are more

/// A coordinate from outside: a layouter that goes wrong must not reach integer conversions.
double finite(double value) { return std::isfinite(value) ? std::clamp(value, -1e9, 1e9) : 0.0; }

/// Pairs the groups and items of both plans from the top down. `partners[i]` is the position, in the paired group, of item i.
struct Pairing {
    std::vector<std::uint32_t> reference;
    std::vector<std::uint32_t> rewritten;
};

Pairing pairPlans(ScenePlan& reference, ScenePlan& rewritten, const Correspondence& correspondence) {
    Pairing pairing;
    pairing.reference.assign(reference.items.size(), PlanGroup::None);
    pairing.rewritten.assign(rewritten.items.size(), PlanGroup::None);
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
        if (a == NoItem || b == NoItem || pairing.reference[a] != PlanGroup::None || pairing.rewritten[b] != PlanGroup::None ||
            reference.groups[reference.items[a].group].pair != rewritten.items[b].group) {
            return;
        }
        pairing.reference[a] = rewritten.items[b].position;
        pairing.rewritten[b] = reference.items[a].position;
    };
    reference.groups[0].pair = 0;
    rewritten.groups[0].pair = 0;
    for (std::uint32_t g = 0; g < reference.groups.size(); ++g) {
        if (reference.groups[g].pair == PlanGroup::None) {
            continue;
        }
        const PlanGroup& there = rewritten.groups[reference.groups[g].pair];
        std::map<QString, std::uint32_t> outputsThere, capturesThere;
        for (const std::uint32_t b : there.items) {
            if (rewritten.items[b].kind == ItemKind::Output) {
                outputsThere.emplace(rewritten.strings[rewritten.items[b].title], b);
            } else if (rewritten.items[b].kind == ItemKind::Capture) {
                capturesThere.emplace(rewritten.strings[rewritten.items[b].title], b);
            }
        }
        for (const std::uint32_t a : reference.groups[g].items) {
            const PlanItem& item = reference.items[a];
            if (item.nodeGroup != NodeGroup::None) {
                join(a, item.nodeGroup < rewritten.itemOfGroup.size() ? rewritten.itemOfGroup[item.nodeGroup] : NoItem);
            } else if (item.node.isValid()) {
                if (item.node.index < correspondence.reference.size()) {
                    const FlatNodeId partner = correspondence.reference[item.node.index].partner;
                    join(a, partner.isValid() && partner.index < rewritten.itemOfNode.size() ? rewritten.itemOfNode[partner.index] : NoItem);
                }
            } else if (item.kind == ItemKind::Input && item.value.index < correspondence.partnerOfReferenceValue.size()) {
                const FlatValueId partner = correspondence.partnerOfReferenceValue[item.value.index];
                if (partner.isValid() && partner.index < rewritten.itemOfValue.size()) {
                    const std::uint32_t b = rewritten.itemOfValue[partner.index];
                    join(a, b != NoItem && rewritten.items[b].kind == ItemKind::Input ? b : NoItem);
                }
            } else if (item.kind == ItemKind::Output) {
                const auto at = outputsThere.find(reference.strings[item.title]);
                join(a, at != outputsThere.end() ? at->second : NoItem);
            } else if (item.kind == ItemKind::Capture) {
                const auto at = capturesThere.find(reference.strings[item.title]);
                join(a, at != capturesThere.end() ? at->second : NoItem);
            }
        }
        // Nested graphs of partners that are both open pair in order.
        std::map<std::uint32_t, std::vector<std::uint32_t>> childrenThere;
        for (const std::uint32_t child : there.children) {
            childrenThere[rewritten.items[rewritten.groups[child].parentItem].position].push_back(child);
        }
        std::map<std::uint32_t, std::size_t> taken;
        for (const std::uint32_t child : reference.groups[g].children) {
            const std::uint32_t partner = pairing.reference[reference.groups[child].parentItem];
            const auto at = childrenThere.find(partner);
            if (partner == PlanGroup::None || at == childrenThere.end() || taken[partner] >= at->second.size()) {
                continue;
            }
            const std::uint32_t other = at->second[taken[partner]++];
            reference.groups[child].pair = other;
            rewritten.groups[other].pair = child;
        }
    }
    return pairing;
}

LayoutGraph layoutGraphOf(const ScenePlan& plan, const PlanGroup& group, const std::vector<std::uint32_t>& partners) {
    LayoutGraph graph;
    graph.nodes.reserve(group.items.size());
    for (const std::uint32_t index : group.items) {
        const PlanItem& item = plan.items[index];
        LayoutGraph::Node node;
        node.width = item.width;
        node.height = item.height + item.strip;
        node.pulledDown = item.pulledDown;
        node.place = item.place;
        if (index < partners.size()) {
            node.partner = partners[index];
        }
        graph.nodes.push_back(node);
    }
    graph.edges.reserve(group.edges.size());
    std::vector<std::uint32_t> readers(group.items.size(), 0);
    for (const std::uint32_t edge : group.edges) {
        const PlanItem& from = plan.items[plan.edges[edge].from];
        graph.edges.push_back({from.position, plan.items[plan.edges[edge].to].position});
        ++readers[from.position];
    }
    // What very many read is drawn to its first readers: lines to all of them would hide everything else.
    std::vector<std::uint32_t> drawn(group.items.size(), 0);
    for (LayoutGraph::Edge& edge : graph.edges) {
        const std::uint32_t most = plan.items[group.items[edge.from]].pulledDown ? MostSourceReaders : MostReaders;
        edge.brokenOff = readers[edge.from] > most && ++drawn[edge.from] > ReadersDrawn;
    }
    return graph;
}

/// Gives an open node the size its drawings need, side by side under the header.
void sizeContainer(ScenePlan& plan, std::uint32_t group, const SceneMetrics& metrics) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> inside;
    for (const std::uint32_t child : plan.groups[group].children) {
        inside[plan.groups[child].parentItem].push_back(child);
    }
    const double pad = metrics.titlePixels;
    const double top = metrics.headerHeight() + metrics.smallLineHeight() + pad * 0.5;
    for (const auto& [itemIndex, children] : inside) {
        double x = pad;
        double height = 0.0;
        for (const std::uint32_t child : children) {
            PlanGroup& nested = plan.groups[child];
            nested.offset = QPointF(x, top);
            x += std::max(finite(nested.layout.width), metrics.titlePixels * 6.0) + pad;
            height = std::max(height, finite(nested.layout.height));
        }
        PlanItem& item = plan.items[itemIndex];
        item.width = std::max(item.width, x);
        item.height = top + height + pad;
    }
}

Result<void> layOut(ScenePlan* reference, ScenePlan* rewritten, const Pairing& pairing, const SceneRequest& request, const std::stop_token& stop) {
    static const std::vector<std::uint32_t> NoPartners;
    std::uint32_t deepest = 0;
    for (const ScenePlan* plan : {reference, rewritten}) {
        if (plan != nullptr) {
            for (const PlanGroup& group : plan->groups) {
                deepest = std::max(deepest, group.depth);
            }
        }
    }
    const auto run = [&](PlanGroup* a, PlanGroup* b) -> Result<void> {
        const LayoutGraph left = a == nullptr ? LayoutGraph{} : layoutGraphOf(*reference, *a, b == nullptr ? NoPartners : pairing.reference);
        const LayoutGraph right = b == nullptr ? LayoutGraph{} : layoutGraphOf(*rewritten, *b, a == nullptr ? NoPartners : pairing.rewritten);
        Result<JointLayout> joint = request.layouter(left, right, stop);
        if (!joint) {
            return tl::unexpected(joint.error());
        }
        const auto take = [](PlanGroup* group, Layout& layout, const LayoutGraph& graph) {
            if (group == nullptr) {
                return true;
            }
            group->layout = std::move(layout);
            return group->layout.nodes.size() == graph.nodes.size() && group->layout.edges.size() == graph.edges.size();
        };
        if (!take(a, joint->reference, left) || !take(b, joint->rewritten, right)) {
            return fail(ErrorCode::Internal, "the layout does not fit the graph it was made for");
        }
        return {};
    };
    for (std::uint32_t depth = deepest + 1; depth-- > 0;) {
        // Everything deeper is placed: the open nodes of this depth have their sizes.
        for (ScenePlan* plan : {reference, rewritten}) {
            for (std::uint32_t g = 0; plan != nullptr && g < plan->groups.size(); ++g) {
                if (plan->groups[g].depth == depth) {
                    sizeContainer(*plan, g, request.metrics);
                }
            }
        }
        for (std::uint32_t g = 0; reference != nullptr && g < reference->groups.size(); ++g) {
            PlanGroup& group = reference->groups[g];
            if (group.depth == depth) {
                if (Result<void> done = run(&group, group.pair == PlanGroup::None ? nullptr : &rewritten->groups[group.pair]); !done) {
                    return done;
                }
            }
        }
        for (std::uint32_t g = 0; rewritten != nullptr && g < rewritten->groups.size(); ++g) {
            PlanGroup& group = rewritten->groups[g];
            if (group.depth == depth && group.pair == PlanGroup::None) {
                if (Result<void> done = run(nullptr, &group); !done) {
                    return done;
                }
            }
        }
    }
    return {};
}

std::vector<std::uint32_t> countsToStarts(std::vector<std::uint32_t> counts) {
    for (std::size_t i = 1; i < counts.size(); ++i) {
        counts[i] += counts[i - 1];
    }
    return counts;
}

void addItems(GraphScene& scene, const ScenePlan& plan) {
    scene.strings = plan.strings;
    scene.itemOfNode = plan.itemOfNode;
    scene.itemOfValue = plan.itemOfValue;
    scene.itemOfGroup = plan.itemOfGroup;
    scene.hiddenIn = plan.hiddenIn;
    for (const PlanItem& item : plan.items) {
        const PlanGroup& group = plan.groups[item.group];
        const LayoutPoint& centre = group.layout.nodes[item.position];
        const double top = finite(centre.y) - (item.height + item.strip) / 2.0;
        scene.kinds.push_back(item.kind);
        scene.boxes.emplace_back(group.offset.x() + finite(centre.x) - item.width / 2.0, group.offset.y() + top, item.width, item.height);
        scene.nodes.push_back(item.node);
        scene.values.push_back(item.value);
        scene.groups.push_back(item.nodeGroup);
        scene.containers.push_back(group.parent == PlanGroup::None ? NoItem : group.parentItem);
        scene.titles.push_back(item.title);
        scene.details.push_back(item.detail);
        scene.names.push_back(item.name);
        scene.types.push_back(item.type);
        scene.nestedCounts.push_back(item.nested);
        scene.hiddenProducers.push_back(item.hiddenProducers);
        scene.hiddenConsumers.push_back(item.hiddenConsumers);
        if (item.kind == ItemKind::Container || item.kind == ItemKind::OpenGroup) {
            scene.expandedItems.push_back(static_cast<std::uint32_t>(scene.kinds.size() - 1));
        }
    }
    scene.hiddenNodes = static_cast<std::size_t>(std::count(scene.itemOfNode.begin(), scene.itemOfNode.end(), NoItem));
}

void addEdge(GraphScene& scene, const PlanEdge& edge, const std::vector<LayoutPoint>& route, const QPointF& offset, bool stub) {
    const auto index = static_cast<std::uint32_t>(scene.edgeFrom.size());
    scene.edgeFrom.push_back(edge.from);
    scene.edgeTo.push_back(edge.to);
    scene.edgeValues.push_back(edge.value);
    scene.edgeOperands.push_back(edge.operand);
    scene.edgeStubs.push_back(stub);
    scene.edgePointStart.push_back(static_cast<std::uint32_t>(scene.points.size()));
    const QRectF& from = scene.boxes[edge.from];
    const QRectF& to = scene.boxes[edge.to];
    std::vector<QPointF> path;
    for (const LayoutPoint& point : route) {
        path.emplace_back(offset.x() + finite(point.x), offset.y() + finite(point.y));
    }
    if (path.size() < 2) {
        path = {QPointF(from.center().x(), from.bottom()), QPointF(to.center().x(), to.top())};
    }
    // From the box itself through the room its type takes, and onto the target's box.
    const auto within = [](double x, const QRectF& box) { return std::clamp(x, box.left(), box.right()); };
    path.front().setX(within(path.front().x(), from));
    path.back() = QPointF(within(path.back().x(), to), to.top());
    if (path.front().y() > from.bottom()) {
        path.front().setY(from.bottom());
    }
    if (stub) {
        // Beside the lines that are drawn, so that it can be seen: on the right where it leaves, on the left where it arrives.
        const QPointF first(from.right() - std::min(StubInset, from.width() / 2.0), path.front().y());
        const QPointF last(to.left() + std::min(StubInset, to.width() / 2.0), path.back().y());
        const double down = scene.types[edge.from] != 0 ? scene.metrics.typeStrip() : 0.0;
        path = {first, first + QPointF(0.0, down + StubLength), last - QPointF(0.0, StubLength), last};
    }
    for (std::size_t i = 0; i < path.size(); ++i) {
        scene.edgeOfPoint.push_back(index);
        if (i + 1 < path.size() && path[i] != path[i + 1] && !(stub && i == 1)) {
            scene.segments.push_back(static_cast<std::uint32_t>(scene.points.size()));
        }
        scene.points.push_back(path[i]);
    }
}

void addEdges(GraphScene& scene, const ScenePlan& plan) {
    std::vector<std::uint32_t> inCounts(scene.itemCount() + 1, 0);
    std::vector<std::uint32_t> outCounts(scene.itemCount() + 1, 0);
    for (const PlanGroup& group : plan.groups) {
        for (std::size_t i = 0; i < group.edges.size(); ++i) {
            const PlanEdge& edge = plan.edges[group.edges[i]];
            addEdge(scene, edge, group.layout.edges[i], group.offset, i < group.layout.stub.size() && group.layout.stub[i]);
            ++inCounts[edge.to + 1];
            ++outCounts[edge.from + 1];
        }
    }
    scene.edgePointStart.push_back(static_cast<std::uint32_t>(scene.points.size()));
    scene.inStart = countsToStarts(std::move(inCounts));
    scene.outStart = countsToStarts(std::move(outCounts));
    scene.inEdges.resize(scene.edgeCount());
    scene.outEdges.resize(scene.edgeCount());
    std::vector<std::uint32_t> in = scene.inStart;
    std::vector<std::uint32_t> out = scene.outStart;
    for (std::uint32_t e = 0; e < scene.edgeCount(); ++e) {
        scene.inEdges[in[scene.edgeTo[e]]++] = e;
        scene.outEdges[out[scene.edgeFrom[e]]++] = e;
    }
}

void addIndexes(GraphScene& scene) {
    std::vector<QRectF> boxes = scene.boxes;
    for (const std::uint32_t item : scene.expandedItems) {
        boxes[item] = QRectF();
    }
    scene.itemGrid = GridIndex(boxes);
    std::vector<QRectF> segments;
    segments.reserve(scene.segments.size());
    for (const std::uint32_t first : scene.segments) {
        segments.push_back(QRectF(scene.points[first], scene.points[first + 1]).normalized());
    }
    scene.segmentGrid = GridIndex(segments, scene.segments);
    for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
        const QRectF box = scene.boxes[i].adjusted(0.0, 0.0, 0.0, scene.types[i] != 0 ? scene.metrics.typeStrip() : 0.0);
        scene.bounds = i == 0 ? box : GridIndex::joined(scene.bounds, box);
    }
    for (const QPointF& point : scene.points) {
        scene.bounds = GridIndex::joined(scene.bounds, QRectF(point, QSizeF(0.0, 0.0)));
    }
    scene.bounds.adjust(-SceneMargin, -SceneMargin, SceneMargin, SceneMargin);
}

std::shared_ptr<const GraphScene> assemble(ScenePlan& plan, Side side, const SceneMetrics& metrics, const std::shared_ptr<const NodeGroups>& groups) {
    // Offsets from the top down: a group's drawing stands in its parent's item, which stands in the parent's drawing.
    for (PlanGroup& group : plan.groups) {
        if (group.parent == PlanGroup::None) {
            continue;
        }
        const PlanItem& item = plan.items[group.parentItem];
        const PlanGroup& parent = plan.groups[group.parent];
        const LayoutPoint& centre = parent.layout.nodes[item.position];
        group.offset += parent.offset + QPointF(finite(centre.x) - item.width / 2.0, finite(centre.y) - (item.height + item.strip) / 2.0);
    }
    auto scene = std::make_shared<GraphScene>();
    scene->side = side;
    scene->tree = plan.tree;
    scene->metrics = metrics;
    scene->nodeGroups = groups;
    addItems(*scene, plan);
    addEdges(*scene, plan);
    for (const PlanGroup& group : plan.groups) {
        const std::string& role = plan.tree->instances()[group.instance].role;
        if (group.parent != PlanGroup::None && !role.empty() && role != "body") {
            const QRectF box(group.offset - QPointF(0.0, metrics.smallLineHeight() + metrics.titlePixels * 0.25),
                             QSizeF(std::max(finite(group.layout.width), metrics.titlePixels * 6.0), metrics.smallLineHeight()));
            scene->captions.push_back({box, static_cast<std::uint32_t>(scene->strings.size())});
            scene->strings.push_back(QString::fromStdString(role));
        }
    }
    addIndexes(*scene);
    return scene;
}

/// Takes over where things stood in an earlier scene.
void rememberPlaces(ScenePlan& plan, const NodeGroups* groups, const GraphScene& earlier) {
    const SceneMemory memory(earlier);
    std::unordered_map<std::string, std::uint32_t> seen;
    for (PlanItem& item : plan.items) {
        const std::string name = item.nodeGroup != NodeGroup::None ? "g" + groups->groups[item.nodeGroup].key
                                 : item.node.isValid()             ? lastingName(*plan.tree, item.node)
                                                                   : lastingName(*plan.tree, item.kind, item.value);
        const std::uint32_t before = memory.find(name, seen[name]++);
        if (before != NoItem) {
            item.place = earlier.boxes[before].center().x();
        }
    }
}

/// Null where nothing is grouped.
std::shared_ptr<const NodeGroups> groupsOf(const SceneRequest& request, const std::stop_token& stop) {
    if (request.groups.grouping == Grouping::None || request.reference.only || request.rewritten.only) {
        return nullptr;
    }
    if (request.knownGroups != nullptr) {
        return request.knownGroups;
    }
    GroupedPair pair;
    pair.reference = request.reference.tree == nullptr ? nullptr : &request.reference.tree->top();
    pair.rewritten = request.rewritten.tree == nullptr ? nullptr : &request.rewritten.tree->top();
    if (request.correspondence != nullptr && pair.reference != nullptr && pair.rewritten != nullptr) {
        const Correspondence& marks = *request.correspondence;
        const std::size_t count = std::min(pair.reference->nodes.size(), marks.reference.size());
        for (std::size_t r = 0; r < count; ++r) {
            const FlatNodeId partner = marks.reference[r].partner;
            const bool isTop = partner.isValid() && partner.index < pair.rewritten->nodes.size();
            pair.partner.push_back(isTop ? partner.index : NodeGroup::None);
            pair.shared.push_back(isTop && marks.reference[r].mark == NodeMark::Shared && partner.index < marks.rewritten.size() &&
                                  marks.rewritten[partner.index].mark == NodeMark::Shared);
        }
    }
    return std::make_shared<const NodeGroups>(findGroups(pair, request.groups.grouping, stop));
}

} // namespace

Result<ScenePair> buildScenes(const SceneRequest& request, std::stop_token stop) {
    static const std::vector<NodeRelation> NoRelations;
    if (!request.layouter) {
        return fail(ErrorCode::Internal, "no layout engine was given");
    }
    std::optional<ScenePlan> reference;
    std::optional<ScenePlan> rewritten;
    const std::shared_ptr<const NodeGroups> groups = groupsOf(request, stop);
    const auto plan = [&](const SideRequest& side, const std::vector<NodeRelation>& relations, std::optional<ScenePlan>& into) -> Result<void> {
        if (side.tree == nullptr) {
            return {};
        }
        PlannedGroups planned{groups.get(), {}, &side == &request.reference ? Side::Reference : Side::Rewritten};
        for (std::size_t g = 0; groups != nullptr && g < groups->groups.size(); ++g) {
            planned.open.push_back(request.groups.isOpen(groups->groups[g]));
        }
        Result<ScenePlan> made = planScene(side, planned, relations, request.metrics, stop);
        if (!made) {
            return tl::unexpected(made.error());
        }
        into = std::move(*made);
        if (const auto& earlier = request.earlier[static_cast<std::size_t>(planned.side)]; earlier != nullptr) {
            rememberPlaces(*into, groups.get(), *earlier);
        }
        return {};
    };
    const Correspondence* correspondence = request.correspondence.get();
    Result<void> planned = plan(request.reference, correspondence != nullptr ? correspondence->reference : NoRelations, reference);
    if (planned) {
        planned = plan(request.rewritten, correspondence != nullptr ? correspondence->rewritten : NoRelations, rewritten);
    }
    if (!planned) {
        return tl::unexpected(planned.error());
    }
    Pairing pairing;
    if (reference && rewritten) {
        pairing = pairPlans(*reference, *rewritten, correspondence != nullptr ? *correspondence : Correspondence{});
    }
    if (Result<void> placed = layOut(reference ? &*reference : nullptr, rewritten ? &*rewritten : nullptr, pairing, request, stop); !placed) {
        return tl::unexpected(placed.error());
    }
    ScenePair pair;
    pair.groups = groups;
    if (reference) {
        pair.reference = assemble(*reference, Side::Reference, request.metrics, groups);
    }
    if (stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "drawing was cancelled");
    }
    if (rewritten) {
        pair.rewritten = assemble(*rewritten, Side::Rewritten, request.metrics, groups);
    }
    return pair;
}

std::vector<FlatNodeId> neighbourhood(const GraphTree& tree, const std::vector<FlatNodeId>& seeds, std::size_t hops, std::size_t limit) {
    std::vector<std::uint8_t> seen(tree.nodeCount(), 0);
    std::vector<FlatNodeId> found;
    for (const FlatNodeId seed : seeds) {
        if (seed.isValid() && seed.index < seen.size() && seen[seed.index] == 0 && found.size() < limit) {
            seen[seed.index] = 1;
            found.push_back(seed);
        }
    }
    // Readers of each value, for the instances that are met.
    std::unordered_map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> readers;
    const auto readersOf = [&](const GraphInstance& instance) -> const std::vector<std::vector<std::uint32_t>>& {
        const auto [at, isNew] = readers.try_emplace(instance.nodeBase);
        if (isNew) {
            at->second.resize(instance.graph->values.size());
            for (std::uint32_t n = 0; n < instance.graph->nodes.size(); ++n) {
                for (const ValueId operand : instance.graph->nodes[n].operands) {
                    if (operand.isValid()) {
                        at->second[operand.index].push_back(n);
                    }
                }
            }
        }
        return at->second;
    };
    std::size_t begin = 0;
    for (std::size_t hop = 0; hop < hops; ++hop) {
        const std::size_t end = found.size();
        for (std::size_t i = begin; i < end; ++i) {
            const GraphInstance& instance = tree.instanceOf(found[i]);
            const Node& node = tree.node(found[i]);
            const auto add = [&](std::uint32_t local) {
                const FlatNodeId next(instance.nodeBase + local);
                if (found.size() < limit && seen[next.index] == 0) {
                    seen[next.index] = 1;
                    found.push_back(next);
                }
            };
            for (const ValueId operand : node.operands) {
                if (operand.isValid() && instance.graph->value(operand).producer.isValid()) {
                    add(instance.graph->value(operand).producer.index);
                }
            }
            for (const ValueId result : node.results) {
                if (result.isValid()) {
                    for (const std::uint32_t reader : readersOf(instance)[result.index]) {
                        add(reader);
                    }
                }
            }
        }
        begin = end;
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace lemmascope
