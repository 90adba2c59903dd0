#include "ui/panels/side_view.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/overview_map.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

SideView::SideView(Side side, QWidget* parent) : QWidget(parent), m_side(side) {
    const QString role = side == Side::Reference ? tr("Reference") : tr("Rewritten");
    setAccessibleName(tr("%1 side").arg(role));
    m_role = new QLabel(role.toUpper(), this);
    m_role->setAccessibleName(role);
    QFont bold = m_role->font();
    bold.setBold(true);
    m_role->setFont(bold);
    m_file = new QLabel(this);
    m_file->setAccessibleName(tr("File of the %1 graph").arg(role.toLower()));
    m_file->setTextFormat(Qt::PlainText);
    m_file->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // A long name gives way to the counts; it is elided in the middle and whole in the tool tip.
    m_file->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_file->setMinimumWidth(m_file->fontMetrics().horizontalAdvance(QChar(0x2026)) + 2);
    m_counts = new QLabel(this);
    m_counts->setAccessibleName(tr("Size of the %1 graph").arg(role.toLower()));
    m_canvas = new GraphCanvas(this);
    m_canvas->setAccessibleName(tr("%1 graph").arg(role));
    m_canvas->setEmptyText(tr("Drawing the graph …"));
    m_canvas->setMinimumWidth(160);
    m_overview = new OverviewMap(m_canvas);
    m_overview->setAccessibleName(tr("Overview of the %1 graph").arg(role.toLower()));

    auto* header = new QHBoxLayout;
    header->setContentsMargins(6, 3, 6, 3);
    header->addWidget(m_role);
    header->addSpacing(6);
    header->addWidget(m_file, 1);
    header->addWidget(m_counts);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(header);
    all->addWidget(m_canvas, 1);
}

void SideView::setFile(const QString& path) {
    m_path = path;
    const QString name = QFileInfo(path).fileName();
    m_file->setText(m_file->fontMetrics().elidedText(name, Qt::ElideMiddle, std::max(40, m_file->width())));
    m_file->setToolTip(path);
    m_file->setAccessibleDescription(path);
}

void SideView::setCounts(const QString& text) { m_counts->setText(text); }

void SideView::setOverviewVisible(bool visible) { m_overview->setEnabledByUser(visible); }

void SideView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    setFile(m_path);
}

} // namespace lemmascope
