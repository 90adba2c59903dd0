#include "ui/canvas/scene_overlay.h"

#include "core/report/element_number.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr std::int64_t MostSummarised = 20'000; ///< elements looked at for a chip's minimum and maximum
constexpr std::size_t MostChips = 2'000;        ///< nearest to the first difference on a long way

QString numberText(double value, ElementType element) {
    if (isInteger(element) || element == ElementType::Bool) {
        return QString::number(value, 'f', 0);
    }
    if (std::isnan(value)) {
        return QStringLiteral("NaN");
    }
    if (std::isinf(value)) {
        return value > 0 ? QStringLiteral("\u221E") : QStringLiteral("\u2212\u221E");
    }
    QString text = QString::number(value, 'g', 5);
    text.replace(QLatin1Char('-'), QChar(0x2212));
    return text;
}

const Evaluation& runOf(const Counterexample& counterexample, Side side) {
    return side == Side::Reference ? counterexample.referenceRun : counterexample.rewrittenRun;
}

/// `[0,1] 0.9993, there 0.5 (Δ -0.4993, 8388608 ulp)`: the first element at which both sides differ. Empty where they cannot be held
/// against each other.
QString firstDifferenceText(const Tensor& mine, const Tensor& theirs, bool isReference) {
    if (mine.shape() != theirs.shape() || mine.element() != theirs.element() || mine.element() == ElementType::String) {
        return {};
    }
    for (std::int64_t i = 0; i < mine.count(); ++i) {
        const double x = elementValue(mine, i);
        const double y = elementValue(theirs, i);
        if (x == y || (std::isnan(x) && std::isnan(y))) {
            continue;
        }
        QStringList place;
        std::int64_t rest = i;
        for (std::size_t axis = mine.shape().size(); axis-- > 0;) {
            place.prepend(QString::number(rest % mine.shape()[axis]));
            rest /= mine.shape()[axis];
        }
        QString text = place.isEmpty() ? QString() : QStringLiteral("[%1] ").arg(place.join(QLatin1Char(',')));
        text += QCoreApplication::translate("SceneOverlay", "%1, there %2").arg(numberText(x, mine.element()), numberText(y, mine.element()));
        const Tensor& from = isReference ? mine : theirs;
        const Tensor& to = isReference ? theirs : mine;
        const double change = elementValue(to, i) - elementValue(from, i);
        if (std::isfinite(change)) {
            text += QStringLiteral(" (\u0394 %1").arg(numberText(change, ElementType::F64));
            const auto steps = ulpDistance(from, to, i);
            text += steps && isFloat(mine.element()) ? QStringLiteral(", %1 ulp)").arg(*steps) : QStringLiteral(")");
        }
        return text;
    }
    return {};
}

} // namespace

std::vector<Role> rolesOf(const Correspondence& correspondence, Side side) {
    const std::vector<NodeRelation>& relations = side == Side::Reference ? correspondence.reference : correspondence.rewritten;
    std::vector<Role> roles;
    roles.reserve(relations.size());
    for (const NodeRelation& relation : relations) {
        roles.push_back(roleOf(relation.mark, side));
    }
    return roles;
}

SceneOverlay overlayOf(const std::shared_ptr<const Correspondence>& correspondence, const std::shared_ptr<const GraphTree>& other, Side side) {
    SceneOverlay overlay;
    overlay.roles = rolesOf(*correspondence, side);
    overlay.correspondence = correspondence;
    overlay.other = other;
    return overlay;
}

SceneOverlay overlayOf(const std::shared_ptr<const CheckResult>& result, Side side) {
    // Shares the result's ownership, so that the overlay keeps what it points into alive.
    SceneOverlay overlay = overlayOf(std::shared_ptr<const Correspondence>(result, &result->correspondence),
                                     side == Side::Reference ? result->rewritten : result->reference, side);
    overlay.lemmaIds.reserve(result->lemmas.size());
    for (const LemmaResult& lemma : result->lemmas) {
        overlay.lemmaIds.push_back(QString::fromStdString(lemma.id));
    }
    return overlay;
}

void focusLemma(SceneOverlay& overlay, const LemmaResult& lemma, Side side, const GraphTree& tree) {
    const std::vector<FlatNodeId>& nodes = side == Side::Reference ? lemma.referenceNodes : lemma.rewrittenNodes;
    const FlatValueId value = side == Side::Reference ? lemma.reference : lemma.rewritten;
    overlay.lit = nodes;
    overlay.focus.clear();
    if (value.isValid() && value.index < tree.valueCount()) {
        const NodeId producer = tree.value(value).producer;
        if (producer.isValid()) {
            const FlatNodeId node(tree.instanceOf(value).nodeBase + producer.index);
            overlay.focus.push_back(node);
            if (std::find(overlay.lit.begin(), overlay.lit.end(), node) == overlay.lit.end()) {
                overlay.lit.push_back(node);
            }
        }
    }
    if (overlay.focus.empty() && !nodes.empty()) {
        overlay.focus.push_back(nodes.front());
    }
}

void showValues(SceneOverlay& overlay, const Counterexample& counterexample, Side side) {
    const Evaluation& run = runOf(counterexample, side);
    const std::size_t length = counterexample.path.size();
    const std::size_t middle = std::min(counterexample.firstDifference, length);
    const std::size_t begin = middle > MostChips / 2 ? middle - MostChips / 2 : 0;
    for (std::size_t i = begin; i < std::min(length, begin + MostChips); ++i) {
        const FlatValueId value = side == Side::Reference ? counterexample.path[i].first : counterexample.path[i].second;
        if (!value.isValid()) {
            continue;
        }
        ValueChip chip;
        chip.value = value;
        if (value.index < run.values.size() && run.values[value.index]) {
            chip.text = valueSummary(*run.values[value.index]);
        } else {
            chip.text = QStringLiteral("\u2014");
        }
        chip.differs = i >= counterexample.firstDifference;
        chip.firstDifference = i == counterexample.firstDifference;
        if (chip.firstDifference) {
            // Both values and how far they are apart, on both sides.
            const auto valueOf = [&](Side which) -> const Tensor* {
                const FlatValueId id = which == Side::Reference ? counterexample.path[i].first : counterexample.path[i].second;
                const Evaluation& values = runOf(counterexample, which);
                return id.isValid() && id.index < values.values.size() && values.values[id.index] ? &*values.values[id.index] : nullptr;
            };
            const Tensor* mine = valueOf(side);
            const Tensor* theirs = valueOf(side == Side::Reference ? Side::Rewritten : Side::Reference);
            if (mine != nullptr && theirs != nullptr) {
                const QString both = firstDifferenceText(*mine, *theirs, side == Side::Reference);
                chip.text = both.isEmpty() ? chip.text : both;
            }
        }
        overlay.chips.push_back(std::move(chip));
    }
}

QString valueSummary(const Tensor& tensor) {
    const std::int64_t count = tensor.count();
    if (tensor.element() == ElementType::String || !(isComputable(tensor.element()) || isInteger(tensor.element()))) {
        return QStringLiteral("%1 \u00D7 %2").arg(count).arg(QString::fromUtf8(name(tensor.element()).data()));
    }
    if (count == 0) {
        return QStringLiteral("[]");
    }
    if (count <= 4) {
        QString text;
        for (std::int64_t i = 0; i < count; ++i) {
            text += (i > 0 ? QStringLiteral(", ") : QString()) + numberText(tensor.toDouble(i), tensor.element());
        }
        return tensor.shape().empty() ? text : QLatin1Char('[') + text + QLatin1Char(']');
    }
    double low = INFINITY;
    double high = -INFINITY;
    bool undefined = false;
    const std::int64_t looked = std::min(count, MostSummarised);
    for (std::int64_t i = 0; i < looked; ++i) {
        const double value = tensor.toDouble(i);
        undefined = undefined || std::isnan(value);
        low = std::min(low, value); // keeps `low` when value is NaN
        high = std::max(high, value);
    }
    if (low > high) {
        return QStringLiteral("NaN");
    }
    QString text = numberText(low, tensor.element());
    if (low != high) {
        text += QStringLiteral(" \u2026 ") + numberText(high, tensor.element());
    }
    if (undefined) {
        text += QStringLiteral(", NaN");
    }
    return looked < count ? QStringLiteral("~") + text : text;
}

} // namespace lemmascope
