#include "ui/window/places_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/window/main_window.h"

#include <algorithm>
#include <vector>

namespace lemmascope {

PlacesPart::PlacesPart(MainWindow& window) : QObject(&window), m_window(window), m_job(tr("Index the names"), window.jobs(), this) {
    connect(window.session(), &PairSession::opened, this, &PlacesPart::refresh);
    connect(window.session(), &PairSession::stateChanged, this, &PlacesPart::refresh); // a result brings trees of its own
    connect(window.session(), &PairSession::scenesChanged, this, [this] {
        if (m_pending) {
            const PlaceId place = *std::exchange(m_pending, std::nullopt);
            goTo(place);
        }
    });
}

const Correspondence* PlacesPart::marks() const { return m_window.session()->correspondence().get(); }

void PlacesPart::refresh() {
    const Session& session = m_window.session()->session();
    const std::array trees{session.referenceTree, session.rewrittenTree};
    if (trees == m_trees) {
        return;
    }
    m_trees = trees;
    m_job.stop();
    m_pending.reset();
    const std::size_t nodes = (trees[0] ? trees[0]->nodeCount() : 0) + (trees[1] ? trees[1]->nodeCount() : 0);
    if (nodes <= LargestAtOnce) {
        m_index = nodes == 0 ? nullptr : NodeIndex::build(trees[0], trees[1]).value_or(nullptr);
        Q_EMIT indexChanged();
        return;
    }
    if (m_index != nullptr) {
        m_index = nullptr;
        Q_EMIT indexChanged();
    }
    using Index = std::shared_ptr<const NodeIndex>;
    m_job.start<Index>([trees](const JobContext& context) { return NodeIndex::build(trees[0], trees[1], context.stop); },
                       [this](Result<Index> index) {
                           m_index = index ? *index : nullptr;
                           Q_EMIT indexChanged();
                       });
}

bool PlacesPart::goTo(const PlaceId& place) {
    m_pending.reset();
    const GraphTree* tree = m_window.session()->tree(place.side);
    GraphCanvas* canvas = m_window.canvas(place.side);
    if (tree == nullptr || !place.isValid()) {
        return false;
    }
    if (place.value.isValid()) {
        const auto& scene = canvas->scene();
        const std::uint32_t item = scene && place.value.index < scene->itemOfValue.size() ? scene->itemOfValue[place.value.index] : NoItem;
        if (item != NoItem) {
            canvas->selectItem(item);
            canvas->ensureVisible(item);
        }
        m_window.selectValue(place.side, place.value);
        return item != NoItem;
    }
    if (place.node.index >= tree->nodeCount()) {
        return false;
    }
    m_window.goToNode(place.side, place.node);
    const auto& scene = canvas->scene();
    if (scene == nullptr || scene->tree.get() != tree) {
        m_pending = place; // once it is drawn
        return false;
    }
    if (scene->itemOfNode[place.node.index] != NoItem) {
        return true;
    }
    const std::uint32_t around = scene->visibleItem(place.node);
    if (around == NoItem || !scene->nodes[around].isValid() || scene->kinds[around] != ItemKind::Collapsed) {
        return around != NoItem;
    }
    // Each node around it is opened, from the outside in; the scene that comes of it is asked again.
    std::vector<FlatNodeId> closed;
    for (FlatNodeId node = place.node; node.isValid();) {
        const GraphInstance& instance = tree->instanceOf(node);
        if (instance.parent == Id<void>::Invalid) {
            break;
        }
        node = FlatNodeId(tree->instances()[instance.parent].nodeBase + instance.parentNode.index);
        closed.push_back(node);
    }
    m_pending = place;
    for (auto node = closed.rbegin(); node != closed.rend(); ++node) {
        if (scene->itemOfNode[node->index] == NoItem || scene->kinds[scene->itemOfNode[node->index]] == ItemKind::Collapsed) {
            m_window.session()->expand(place.side, *node, true);
        }
    }
    return true;
}

PlaceId PlacesPart::selected() const {
    const MainWindow::Selection chosen = m_window.selection();
    if (chosen.node.isValid() || chosen.value.isValid()) {
        return {chosen.side, chosen.node, chosen.value};
    }
    return {};
}

} // namespace lemmascope
