#include "ui/window/keyboard_part.h"

#include "ui/window/keyboard_page.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QMenu>
#include <QSettings>
#include <QUrl>

#include <algorithm>

namespace lemmascope {

namespace {

QSettings settings() { return QSettings(QStringLiteral("lemmascope"), QStringLiteral("lemmascope")); }

/// Plain keys that a canvas takes before any menu.
bool isOfTheGraph(const QKeySequence& key) {
    static const QList<QKeySequence> keys = [] {
        QList<QKeySequence> made;
        for (const char* text :
             {"Left", "Right", "Up", "Down", "+",    "=",      "-",          "0",           "F",        "Space",      "Return", "Enter",
              "Home", "End",   "[",  "]",    "PgUp", "PgDown", "Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down", "Tab",    "Shift+Tab"}) {
            made += QKeySequence(QString::fromLatin1(text));
        }
        return made;
    }();
    return keys.contains(key);
}

} // namespace

KeyboardPart::KeyboardPart(MainWindow& window) : QObject(&window), m_window(window) {
    window.menu(MainWindow::Menu::Edit)->addSeparator();
    window.addMenuAction(window.menu(MainWindow::Menu::Edit), tr("&Settings…"), {QKeySequence(QStringLiteral("Ctrl+,"))}, [this] { open(); });
    for (const ListedAction& listed : listedActions(window)) {
        if (listed.lasting) {
            m_entries.push_back({listed, listed.action->shortcuts()});
        }
    }
    QSettings kept = settings();
    kept.beginGroup(QStringLiteral("keys"));
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const QVariant value = kept.value(QString::fromLatin1(QUrl::toPercentEncoding(m_entries[i].listed.id())));
        if (value.isValid()) {
            QList<QKeySequence> keys;
            for (const QString& text : value.toStringList()) {
                const QKeySequence key = QKeySequence::fromString(text, QKeySequence::PortableText);
                if (!key.isEmpty() && !isOfTheGraph(key) && keys.size() < 4) {
                    keys += key;
                }
            }
            give(i, keys);
        }
    }
}

void KeyboardPart::open() {
    if (m_page == nullptr) {
        m_page = new KeyboardPage(*this, &m_window);
    }
    m_page->show();
    m_page->raise();
    m_page->activateWindow();
}

QList<QKeySequence> KeyboardPart::keys(std::size_t entry) const { return m_entries[entry].listed.action->shortcuts(); }

bool KeyboardPart::isBuiltIn(std::size_t entry) const { return keys(entry) == m_entries[entry].builtIn; }

QString KeyboardPart::ownerOf(const QKeySequence& key, std::size_t except) const {
    if (key.isEmpty()) {
        return {};
    }
    if (isOfTheGraph(key)) {
        return tr("the graph itself");
    }
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (i != except && keys(i).contains(key)) {
            return title(i);
        }
    }
    return {};
}

void KeyboardPart::give(std::size_t entry, const QList<QKeySequence>& keys) {
    QAction* action = m_entries[entry].listed.action;
    // Tool tips end with the key in brackets.
    QString tip = action->toolTip();
    const QString before =
        action->shortcut().isEmpty() ? QString() : QStringLiteral(" (%1)").arg(action->shortcut().toString(QKeySequence::NativeText));
    if (!before.isEmpty() && tip.endsWith(before)) {
        tip.chop(before.size());
    }
    action->setShortcuts(keys);
    action->setToolTip(keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys.front().toString(QKeySequence::NativeText)));
}

bool KeyboardPart::setKeys(std::size_t entry, const QList<QKeySequence>& keys) {
    if (entry >= m_entries.size() || std::any_of(keys.begin(), keys.end(), [](const QKeySequence& key) { return isOfTheGraph(key); })) {
        return false;
    }
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        QList<QKeySequence> left = this->keys(i);
        const auto taken = left.removeIf([&keys](const QKeySequence& key) { return keys.contains(key); });
        if (i != entry && taken > 0) {
            give(i, left);
        }
    }
    give(entry, keys);
    keep();
    Q_EMIT keysChanged();
    return true;
}

void KeyboardPart::reset(std::size_t entry) { setKeys(entry, m_entries[entry].builtIn); }

void KeyboardPart::resetAll() {
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        give(i, m_entries[i].builtIn);
    }
    keep();
    Q_EMIT keysChanged();
}

void KeyboardPart::keep() const {
    QSettings kept = settings();
    kept.beginGroup(QStringLiteral("keys"));
    kept.remove(QString());
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (!isBuiltIn(i)) {
            QStringList texts;
            for (const QKeySequence& key : keys(i)) {
                texts += key.toString(QKeySequence::PortableText);
            }
            kept.setValue(QString::fromLatin1(QUrl::toPercentEncoding(m_entries[i].listed.id())), texts);
        }
    }
}

} // namespace lemmascope
