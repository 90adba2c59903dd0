#pragma once

#include "ui/window/action_list.h"

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <optional>
#include <vector>

class QAction;

namespace lemmascope {

class KeyboardPage;
class MainWindow;

/// The reader's own keys: Edit > Settings lists every lasting act of the menus with its keys, which can be given, taken and reset; what
/// differs from the built-in keys is kept in the settings. A key means one act: who gets it takes it from whoever had it.
class KeyboardPart : public QObject {
    Q_OBJECT

  public:
    /// After all other parts: acts that are made later cannot be given keys.
    explicit KeyboardPart(MainWindow& window);

    void open();
    [[nodiscard]] KeyboardPage* page() const { return m_page; }
    [[nodiscard]] std::size_t count() const { return m_entries.size(); }
    [[nodiscard]] QString title(std::size_t entry) const { return m_entries[entry].listed.id(); }
    [[nodiscard]] QList<QKeySequence> keys(std::size_t entry) const;
    [[nodiscard]] bool isBuiltIn(std::size_t entry) const;
    /// Who has the key, other than this entry: an act's title, or the graph itself; empty: nobody.
    [[nodiscard]] QString ownerOf(const QKeySequence& key, std::size_t except) const;
    /// Gives it these keys (none: no key) and takes them from others. False, and nothing changes, where the graph itself needs one.
    bool setKeys(std::size_t entry, const QList<QKeySequence>& keys);
    void reset(std::size_t entry);
    void resetAll();

  Q_SIGNALS:
    void keysChanged();

  private:
    struct Entry {
        ListedAction listed;
        QList<QKeySequence> builtIn;
    };
    void give(std::size_t entry, const QList<QKeySequence>& keys);
    void keep() const;

    MainWindow& m_window;
    KeyboardPage* m_page = nullptr;
    std::vector<Entry> m_entries;
};

} // namespace lemmascope
