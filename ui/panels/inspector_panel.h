#pragma once

#include "core/prove/check_result.h"

#include <QWidget>

#include <memory>

namespace lemmascope {

class FactTableModel;
class FactTableView;
class LongText;

/// Two nodes (or values, or the sides of a lemma) next to each other, and in words what they are to each other.
class InspectorPanel : public QWidget {
    Q_OBJECT

  public:
    explicit InspectorPanel(QWidget* parent = nullptr);

    void clear();
    void showNodes(const GraphTree* reference, FlatNodeId referenceNode, const GraphTree* rewritten, FlatNodeId rewrittenNode,
                   const Correspondence* correspondence);
    void showValues(const GraphTree* reference, FlatValueId referenceValue, const GraphTree* rewritten, FlatValueId rewrittenValue);
    /// The lemma's facts, and below them the nodes nearest to its pair.
    void showLemma(const CheckResult& result, std::size_t lemma);
    [[nodiscard]] QString text() const; ///< everything it shows

  Q_SIGNALS:
    /// A row that speaks of values was activated (double click, Return).
    void valuesActivated(lemmascope::FlatValueId reference, lemmascope::FlatValueId rewritten);

  private:
    void present(const QString& sentence);

    LongText* m_sentence;
    FactTableModel* m_lemma;
    FactTableView* m_lemmaView;
    FactTableModel* m_pair;
    FactTableView* m_pairView;
};

} // namespace lemmascope
