#include "ui/panels/key_sheet.h"

#include "ui/models/fact_table_model.h"
#include "ui/views/fact_table_view.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QVBoxLayout>

namespace lemmascope {

KeySheet::KeySheet(const QList<QAction*>& actions, QWidget* parent) : QDialog(parent) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keys"));
    setAccessibleName(tr("Key sheet"));
    FactTable table;
    table.headers = {tr("Key"), tr("Does"), tr("Where")};
    const auto add = [&table](const QString& key, const QString& act, const QString& where) { table.rows.push_back({{key, act, where}, false, {}}); };
    for (const QAction* action : actions) {
        QStringList keys;
        for (const QKeySequence& sequence : action->shortcuts()) {
            keys << sequence.toString(QKeySequence::NativeText);
        }
        if (!keys.isEmpty()) {
            QString text = action->text();
            add(keys.join(tr(" or ")), text.remove(u'&').remove(QStringLiteral("…")), tr("window"));
        }
    }
    const QString canvas = tr("graph");
    add(tr("arrows"), tr("nearest node that way"), canvas);
    add(tr("[ and ]"), tr("producer and consumer along the edge"), canvas);
    add(tr("Space"), tr("partner node on the other side"), canvas);
    add(tr("Tab"), tr("other side of the pair"), canvas);
    add(tr("Return"), tr("open or close a node with a graph inside"), canvas);
    add(tr("+ - 0 F"), tr("zoom in, out, 100 %, fit"), canvas);
    add(tr("Ctrl+wheel"), tr("zoom at the pointer"), canvas);
    add(tr("Shift+arrows, Page Up, Page Down"), tr("move the view"), canvas);
    add(tr("Home and End"), tr("first and last node"), canvas);
    add(tr("Ctrl+C"), tr("copy rows as text"), tr("tables"));

    auto* model = new FactTableModel(this);
    model->setTable(table);
    auto* view = new FactTableView(tr("Keys"), this);
    view->setModel(model);
    view->setStretchedColumn(1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->setAccessibleName(tr("Close the key sheet"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* all = new QVBoxLayout(this);
    all->addWidget(view);
    all->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 34);
}

} // namespace lemmascope
