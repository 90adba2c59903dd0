#pragma once

#include <QAction>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QTranslator>
#include <QWidget>

namespace lemmascope::test {

/// A language that nobody speaks: every text of ours is 40 % longer, with accents. Placeholders, mnemonics and tags stay.
class PseudoTranslator : public QTranslator {
  public:
    static constexpr QChar Mark = u'\u1E8B'; ///< in every translated text

    [[nodiscard]] QString translate(const char* context, const char* source, const char* disambiguation, int n) const override;
    [[nodiscard]] bool isEmpty() const override { return false; }
};

/// One text that has less room than it needs, or was not translated: where it is, and the text.
/// Clipped: visible labels, buttons, tabs, headers, combo boxes, dock titles and group boxes below `root` whose text is longer or
/// higher than its place. A text that is shortened and stands whole in a tooltip is not.
[[nodiscard]] QStringList clippedTexts(const QWidget* root);
/// Texts, tooltips, titles and accessible names below `root` without the mark of the pseudo language; `data` are words that no one
/// translates: names of files and nodes, verdicts in the core's own words.
[[nodiscard]] QStringList untranslatedTexts(const QWidget* root, const QSet<QString>& data);
[[nodiscard]] bool isTranslated(const QString& text, const QSet<QString>& data);
/// Entries of a menu and the menus in it.
[[nodiscard]] QList<QAction*> entriesOf(const QMenu* menu);
/// Widgets of Qt's own making: scroll bars, clear buttons, corner widgets, the inside of file dialogs.
[[nodiscard]] bool isQtsOwn(const QWidget* widget);

} // namespace lemmascope::test
