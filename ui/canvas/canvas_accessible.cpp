#include "ui/canvas/canvas_accessible.h"

#include "ui/canvas/graph_canvas.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QCoreApplication>
#include <QHash>
#include <QPointer>

#include <algorithm>
#include <memory>
#include <vector>

namespace lemmascope {

namespace {

/// More children than anyone steps through; past it, zooming in shows the rest.
constexpr std::size_t MostChildren = 500;

class ItemAccessible;

class CanvasAccessible : public QAccessibleWidget {
  public:
    explicit CanvasAccessible(GraphCanvas* canvas) : QAccessibleWidget(canvas, QAccessible::List), m_key(canvas) { made().insert(m_key, this); }
    ~CanvasAccessible() override {
        made().remove(m_key);
        forget();
    }
    CanvasAccessible(const CanvasAccessible&) = delete;
    CanvasAccessible& operator=(const CanvasAccessible&) = delete;

    /// Interfaces that exist, by canvas: asking Qt for one would make it.
    [[nodiscard]] static QHash<const GraphCanvas*, CanvasAccessible*>& made() {
        static QHash<const GraphCanvas*, CanvasAccessible*> all;
        return all;
    }

    [[nodiscard]] GraphCanvas* canvas() const { return static_cast<GraphCanvas*>(widget()); }

    /// Items in sight, the selected one always among them.
    [[nodiscard]] std::vector<std::uint32_t> items() const {
        if (canvas() == nullptr || canvas()->scene() == nullptr) {
            return {};
        }
        std::vector<std::uint32_t> found = canvas()->scene()->itemsIn(canvas()->visibleArea());
        if (found.size() > MostChildren) {
            found.resize(MostChildren);
        }
        const std::uint32_t selected = canvas()->selectedItem();
        if (selected != NoItem && !std::binary_search(found.begin(), found.end(), selected)) {
            found.insert(std::lower_bound(found.begin(), found.end(), selected), selected);
        }
        return found;
    }

    [[nodiscard]] int childCount() const override { return static_cast<int>(items().size()); }
    [[nodiscard]] QAccessibleInterface* child(int index) const override {
        const std::vector<std::uint32_t> found = items();
        return index >= 0 && static_cast<std::size_t>(index) < found.size() ? itemInterface(found[static_cast<std::size_t>(index)]) : nullptr;
    }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override;
    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override {
        const std::uint32_t item = canvas()->itemAtViewport(QPointF(canvas()->viewport()->mapFromGlobal(QPoint(x, y))));
        return item == NoItem ? nullptr : itemInterface(item);
    }
    [[nodiscard]] QAccessibleInterface* focusChild() const override {
        return canvas()->hasFocus() && canvas()->selectedItem() != NoItem ? itemInterface(canvas()->selectedItem()) : nullptr;
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override {
        if (kind == QAccessible::Description) {
            const auto scene = canvas()->scene();
            return scene == nullptr ? QString()
                                    : QCoreApplication::translate("lemmascope::GraphCanvas", "%1 nodes, %2 edges")
                                          .arg(scene->tree->nodeCount())
                                          .arg(scene->edgeCount());
        }
        return QAccessibleWidget::text(kind);
    }

    [[nodiscard]] QAccessibleInterface* itemInterface(std::uint32_t item) const;

    void forget() {
        for (const QAccessible::Id id : m_made) {
            QAccessible::deleteAccessibleInterface(id);
        }
        m_made.clear();
    }

  private:
    const GraphCanvas* m_key;
    mutable QHash<std::uint32_t, QAccessible::Id> m_made;
};

class ItemAccessible : public QAccessibleInterface, public QAccessibleActionInterface {
  public:
    ItemAccessible(GraphCanvas* canvas, std::shared_ptr<const GraphScene> scene, std::uint32_t item)
        : m_canvas(canvas), m_scene(std::move(scene)), m_item(item) {}

    [[nodiscard]] std::uint32_t item() const { return m_item; }
    [[nodiscard]] bool isValid() const override { return m_canvas != nullptr && m_canvas->scene() == m_scene; }
    [[nodiscard]] QObject* object() const override { return nullptr; }
    [[nodiscard]] QWindow* window() const override { return isValid() ? m_canvas->window()->windowHandle() : nullptr; }
    [[nodiscard]] QAccessibleInterface* parent() const override { return isValid() ? QAccessible::queryAccessibleInterface(m_canvas) : nullptr; }
    [[nodiscard]] QAccessibleInterface* child(int) const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::ListItem; }

    [[nodiscard]] QRect rect() const override {
        if (!isValid()) {
            return {};
        }
        const QRectF& box = m_scene->boxes[m_item];
        const QRect inView = QRectF(m_canvas->toViewport(box.topLeft()), m_canvas->toViewport(box.bottomRight())).toAlignedRect();
        return {m_canvas->viewport()->mapToGlobal(inView.topLeft()), inView.size()};
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = true;
            return state;
        }
        state.selectable = true;
        state.focusable = true;
        state.selected = m_canvas->selectedItem() == m_item;
        state.focused = state.selected && m_canvas->hasFocus();
        state.offscreen = !GridIndex::touches(m_scene->boxes[m_item], m_canvas->visibleArea());
        state.expandable = m_scene->nestedCounts[m_item] > 0;
        state.expanded = m_scene->isOpen(m_item);
        state.collapsed = m_scene->isClosed(m_item);
        return state;
    }

    [[nodiscard]] QString text(QAccessible::Text kind) const override {
        if (!isValid()) {
            return {};
        }
        switch (kind) {
        case QAccessible::Name: return m_canvas->describe(m_item);
        case QAccessible::Description: return m_canvas->details(m_item);
        default: return {};
        }
    }
    void setText(QAccessible::Text, const QString&) override {}

    [[nodiscard]] QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations(QAccessible::Relation match) const override {
        QList<QPair<QAccessibleInterface*, QAccessible::Relation>> found;
        auto* around = isValid() ? static_cast<CanvasAccessible*>(parent()) : nullptr;
        if (around == nullptr) {
            return found;
        }
        // A producer controls its readers.
        if (match.testFlag(QAccessible::Controller)) {
            for (const std::uint32_t edge : m_scene->edgesInto(m_item)) {
                found.append({around->itemInterface(m_scene->edgeFrom[edge]), QAccessible::Controller});
            }
        }
        if (match.testFlag(QAccessible::Controlled)) {
            for (const std::uint32_t edge : m_scene->edgesOutOf(m_item)) {
                found.append({around->itemInterface(m_scene->edgeTo[edge]), QAccessible::Controlled});
            }
        }
        return found;
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }
    [[nodiscard]] QStringList actionNames() const override { return {setFocusAction(), pressAction()}; }
    void doAction(const QString& name) override {
        if (!isValid()) {
            return;
        }
        if (name == setFocusAction()) {
            m_canvas->setFocus();
            m_canvas->chooseItem(m_item);
        } else if (name == pressAction()) {
            m_canvas->chooseItem(m_item);
            m_canvas->activateItem(m_item);
        }
    }
    [[nodiscard]] QStringList keyBindingsForAction(const QString&) const override { return {}; }

  private:
    QPointer<GraphCanvas> m_canvas;
    std::shared_ptr<const GraphScene> m_scene;
    std::uint32_t m_item;
};

int CanvasAccessible::indexOfChild(const QAccessibleInterface* child) const {
    const auto* wanted = dynamic_cast<const ItemAccessible*>(child);
    if (wanted == nullptr) {
        return -1;
    }
    const std::vector<std::uint32_t> found = items();
    const auto at = std::lower_bound(found.begin(), found.end(), wanted->item());
    return at != found.end() && *at == wanted->item() ? static_cast<int>(at - found.begin()) : -1;
}

QAccessibleInterface* CanvasAccessible::itemInterface(std::uint32_t item) const {
    const auto at = m_made.constFind(item);
    if (at != m_made.constEnd()) {
        return QAccessible::accessibleInterface(*at);
    }
    QAccessibleInterface* made = new ItemAccessible(canvas(), canvas()->scene(), item);
    m_made.insert(item, QAccessible::registerAccessibleInterface(made)); // the registry owns it from here
    return made;
}

QAccessibleInterface* makeCanvasAccessible(const QString&, QObject* object) {
    auto* canvas = qobject_cast<GraphCanvas*>(object);
    return canvas == nullptr ? nullptr : new CanvasAccessible(canvas);
}

} // namespace

void installCanvasAccessibility() {
    static const bool installed = [] {
        QAccessible::installFactory(makeCanvasAccessible);
        return true;
    }();
    Q_UNUSED(installed)
}

void announceAccessibleFocus(GraphCanvas* canvas) {
    if (!QAccessible::isActive() || !canvas->hasFocus() || canvas->selectedItem() == NoItem) {
        return;
    }
    auto* around = dynamic_cast<CanvasAccessible*>(QAccessible::queryAccessibleInterface(canvas));
    if (around != nullptr) {
        QAccessibleEvent event(around->itemInterface(canvas->selectedItem()), QAccessible::Focus);
        QAccessible::updateAccessibility(&event);
    }
}

void forgetAccessibleItems(GraphCanvas* canvas) {
    if (CanvasAccessible* around = CanvasAccessible::made().value(canvas)) {
        around->forget();
    }
}

} // namespace lemmascope
