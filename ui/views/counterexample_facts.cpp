#include "ui/views/counterexample_facts.h"

#include "core/report/element_text.h"
#include "ui/views/tensor_text.h"
#include "ui/views/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr std::int64_t WholeElements = 64; ///< a tensor of at most so many is listed whole
constexpr std::int64_t ListedElements = 256;
constexpr std::int64_t WalkedElements = std::int64_t{1} << 22; ///< never walk a gigabyte on the UI thread

QString tr(const char* text) { return QCoreApplication::translate("CounterexampleFacts", text); }

QString differenceText(const Tensor& a, const Tensor& b, std::int64_t flat) {
    if (!isFloat(a.element()) && !isInteger(a.element())) {
        return {};
    }
    if (isInteger(a.element())) {
        return QString::number(static_cast<double>(b.toInt64(flat)) - static_cast<double>(a.toInt64(flat)), 'g', 17);
    }
    const double difference = b.toDouble(flat) - a.toDouble(flat);
    return std::isnan(difference) ? QString() : QString::number(difference, 'g', 6);
}

/// The value of one side on the way, or why there is none.
QString runText(const Evaluation& run, FlatValueId value) {
    if (!value.isValid() || value.index >= run.values.size() || !run.values[value.index]) {
        return tr("not computed");
    }
    return summaryText(*run.values[value.index], 4);
}

QString valueName(const GraphTree* tree, FlatValueId value) {
    if (tree == nullptr || !value.isValid() || value.index >= tree->valueCount()) {
        return tr("none");
    }
    return toQString(tree->value(value).name);
}

const Tensor* runTensor(const Evaluation& run, FlatValueId value) {
    return value.isValid() && value.index < run.values.size() && run.values[value.index] ? &*run.values[value.index] : nullptr;
}

/// `a[8]`; a whole buffer without its index.
QString accessText(const FaultReport& fault) { return toQString(fault.buffer) + (fault.index.empty() ? QString() : positionText(fault.index)); }

/// `8`, `[8,4]`; empty when there is none.
QString sizeText(const FaultReport& fault) {
    return fault.size.size() == 1 ? QString::number(fault.size.front()) : fault.size.empty() ? QString() : positionText(fault.size);
}

/// What the faulting side does, without its subject: `reads a[8], size 8`.
QString faultDeed(const FaultReport& fault) {
    if (fault.access == "divide") {
        return fault.buffer.empty() ? tr("divides by zero") : tr("divides by zero, %1").arg(accessText(fault));
    }
    const QString deed = fault.access == "write" ? tr("writes %1") : tr("reads %1");
    const QString size = sizeText(fault);
    return deed.arg(accessText(fault)) + (size.isEmpty() ? QString() : tr(", size %1").arg(size));
}

std::optional<std::int64_t> differingElement(const Counterexample& example) {
    if (!example.reference || !example.rewritten) {
        return std::nullopt;
    }
    const std::int64_t named = flatIndex(example.reference->shape(), example.index);
    return named >= 0 ? named : firstDifference(*example.reference, *example.rewritten);
}

} // namespace

FactTable inputFacts(const Counterexample& example) {
    FactTable table;
    table.headers = {tr("Input"), tr("Element"), tr("Value"), tr("Bits")};
    for (const auto& [symbol, size] : example.sizes) {
        table.rows.push_back({{tr("size %1").arg(toQString(symbol)), QString(), QString::number(size), QString()}, false, {}});
    }
    for (const auto& [inputName, tensor] : example.inputs) {
        const QString title = toQString(inputName) + u' ' + typeText(tensor);
        const bool whole = tensor.count() <= WholeElements;
        std::int64_t listed = 0;
        const std::int64_t walked = std::min(tensor.count(), WalkedElements);
        for (std::int64_t i = 0; i < walked && listed < ListedElements; ++i) {
            if (!whole && isZero(tensor, i)) {
                continue;
            }
            table.rows.push_back({{title, positionText(tensor.shape(), i), decimalText(tensor, i), bitsText(tensor, i)}, false, {}});
            ++listed;
        }
        if (!whole) {
            const std::int64_t left = tensor.count() - listed;
            const bool allZero = listed < ListedElements && walked == tensor.count();
            table.rows.push_back(
                {{title, tr("the other %1").arg(left), allZero ? tr("0") : tr("not listed: the exported report has them"), QString()}, false, {}});
        }
        if (tensor.count() == 0) {
            table.rows.push_back({{title, tr("no elements"), QString(), QString()}, false, {}});
        }
    }
    return table;
}

FactTable outputFacts(const Counterexample& example) {
    FactTable table;
    table.headers = {tr("Element of %1").arg(toQString(example.output)),
                     tr("Reference"),
                     tr("Rewritten"),
                     tr("Difference"),
                     tr("Bits in reference"),
                     tr("Bits in rewritten")};
    if (!example.reference && !example.rewritten) {
        return {}; // no output was compared
    }
    if (!example.reference || !example.rewritten) {
        const auto side = [](const std::optional<Tensor>& tensor) { return tensor ? summaryText(*tensor) : tr("faults: no value"); };
        table.rows.push_back({{positionText(example.index), side(example.reference), side(example.rewritten), {}, {}, {}},
                              true,
                              tr("One side faults on these inputs.")});
        return table;
    }
    const Tensor& a = *example.reference;
    const Tensor& b = *example.rewritten;
    if (a.element() != b.element() || a.shape() != b.shape()) {
        table.rows.push_back({{tr("type"), typeText(a), typeText(b), {}, {}, {}}, true, tr("The outputs differ in type or shape.")});
        return table;
    }
    const auto first = differingElement(example);
    const bool whole = a.count() <= WholeElements;
    const auto addRow = [&](std::int64_t i) {
        const bool emphasised = first && i == *first;
        table.rows.push_back({{positionText(a.shape(), i), decimalText(a, i), decimalText(b, i),
                               sameElement(a, b, i) ? tr("equal") : differenceText(a, b, i), bitsText(a, i), bitsText(b, i)},
                              emphasised,
                              emphasised ? tr("The first element that differs.") : QString()});
    };
    const std::int64_t walked = std::min(a.count(), WalkedElements);
    std::int64_t differing = 0;
    if (!whole && first && *first >= walked) {
        addRow(*first);
    }
    for (std::int64_t i = 0; i < walked; ++i) {
        const bool differs = !sameElement(a, b, i);
        differing += differs ? 1 : 0;
        if (whole || (differs && differing <= ListedElements)) {
            addRow(i);
        }
    }
    if (!whole) {
        table.rows.push_back({{tr("%1 of %2 differ").arg(differing).arg(walked), {}, {}, {}, {}, {}}, false, {}});
    }
    return table;
}

FactTable outputFacts(const CheckResult& result) {
    if (!result.fault) {
        return result.counterexample ? outputFacts(*result.counterexample) : FactTable{};
    }
    const FaultReport& fault = *result.fault;
    FactTable table;
    table.headers = {tr("Fault"), tr("Reference"), tr("Rewritten")};
    const auto add = [&](const QString& what, const QString& faulting, const QString& running, bool emphasised) {
        const bool left = fault.side == Side::Reference;
        table.rows.push_back({{what, left ? faulting : running, left ? running : faulting}, emphasised, {}});
    };
    add(tr("run"), faultDeed(fault), tr("runs without a fault"), true);
    if (const QString size = sizeText(fault); !size.isEmpty()) {
        add(tr("size of %1").arg(toQString(fault.buffer)), size, {}, false);
    }
    if (!fault.node.empty()) {
        add(tr("node"), toQString(fault.node), {}, false);
    }
    return table;
}

QString faultSentence(const FaultReport& fault) {
    const QString sentence =
        fault.side == Side::Rewritten ? tr("The reference runs; the rewritten graph %1%2.") : tr("The rewritten graph runs; the reference %1%2.");
    return sentence.arg(faultDeed(fault), fault.node.empty() ? QString() : tr(", in node %1").arg(toQString(fault.node)));
}

FactTable pathFacts(const CheckResult& result) {
    FactTable table;
    table.headers = {tr("Step"), tr("Same?"), tr("Value"), tr("Reference"), tr("Rewritten")};
    if (!result.counterexample) {
        return table;
    }
    const Counterexample& example = *result.counterexample;
    for (std::size_t step = 0; step < example.path.size(); ++step) {
        const auto [left, right] = example.path[step];
        const Tensor* a = runTensor(example.referenceRun, left);
        const Tensor* b = runTensor(example.rewrittenRun, right);
        const bool first = step == example.firstDifference;
        QString same;
        if (first) {
            same = tr("≠ first difference");
        } else if (a != nullptr && b != nullptr && a->count() <= WalkedElements) {
            same = firstDifference(*a, *b) ? tr("≠") : tr("=");
        }
        const QString leftName = valueName(result.reference.get(), left);
        const QString rightName = valueName(result.rewritten.get(), right);
        table.rows.push_back({{QString::number(step + 1), same, leftName == rightName ? leftName : tr("%1 and %2").arg(leftName, rightName),
                               runText(example.referenceRun, left), runText(example.rewrittenRun, right)},
                              first,
                              first ? tr("Here the two graphs part: everything before agrees.") : QString()});
    }
    return table;
}

namespace {

QString differenceSentence(const CheckResult& result) {
    const Counterexample& example = *result.counterexample;
    if (result.fault) {
        return (example.confirmed ? tr("✓ Confirmed by running both graphs: %1") : tr("Candidate, not confirmed: %1"))
            .arg(faultSentence(*result.fault));
    }
    if (!example.reference && !example.rewritten) {
        return tr("These inputs separate the two graphs, but no output was computed on them.");
    }
    const QString place = toQString(example.output) + (example.index.empty() ? QString() : positionText(example.index));
    const auto flat = differingElement(example);
    const auto side = [&](const std::optional<Tensor>& tensor) {
        if (!tensor) {
            return tr("a fault");
        }
        return flat && *flat < tensor->count() ? decimalText(*tensor, *flat) : typeText(*tensor);
    };
    const QString text = example.confirmed
                             ? tr("✓ Confirmed by running both graphs: %1 is %2 in the reference and %3 in the rewritten graph.")
                             : tr("Candidate, not confirmed (rounding may explain it): %1 is %2 in the reference and %3 in the rewritten graph.");
    return text.arg(place, side(example.reference), side(example.rewritten));
}

} // namespace

QString counterexampleSentence(const CheckResult& result) {
    if (!result.counterexample) {
        return {};
    }
    const QString condition = result.condition ? u' ' + tr("The two are equal if %1.").arg(toQString(*result.condition)) : QString();
    return differenceSentence(result) + condition;
}

namespace {

QString joined(const CheckResult& result, QString (*render)(const FactTable&), const QString& headline) {
    if (!result.counterexample) {
        return {};
    }
    QString text = counterexampleSentence(result) + QStringLiteral("\n\n");
    const auto add = [&](const QString& title, const FactTable& table) {
        if (!table.rows.empty()) {
            text += headline.arg(title) + render(table) + u'\n';
        }
    };
    add(tr("Inputs"), inputFacts(*result.counterexample));
    add(result.fault ? tr("Fault") : tr("Outputs"), outputFacts(result));
    add(tr("Values on the way"), pathFacts(result));
    return text;
}

} // namespace

QString counterexampleText(const CheckResult& result) { return joined(result, &toPlainText, QStringLiteral("%1\n")); }

QString counterexampleMarkdown(const CheckResult& result) { return joined(result, &toMarkdown, QStringLiteral("### %1\n\n")); }

} // namespace lemmascope
