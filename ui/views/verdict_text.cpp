#include "ui/views/verdict_text.h"

#include "ui/views/text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace lemmascope {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("VerdictText", text); }

} // namespace

QString glyph(Verdict verdict) {
    switch (verdict) {
    case Verdict::Proved: return QStringLiteral("✓");
    case Verdict::Refuted: return QStringLiteral("✗");
    case Verdict::Unproved: return QStringLiteral("≁");
    case Verdict::Undecided: return QStringLiteral("?");
    }
    return {};
}

QString glyph(LemmaVerdict verdict) {
    switch (verdict) {
    case LemmaVerdict::Holds: return QStringLiteral("✓");
    case LemmaVerdict::Fails: return QStringLiteral("✗");
    case LemmaVerdict::Undecided: return QStringLiteral("?");
    case LemmaVerdict::Vacuous: return QStringLiteral("∅");
    }
    return {};
}

Role roleOf(Verdict verdict) {
    switch (verdict) {
    case Verdict::Proved: return Role::Shared;
    case Verdict::Refuted: return Role::Failing;
    case Verdict::Unproved: return Role::Changed;
    case Verdict::Undecided: return Role::Undecided;
    }
    return Role::Plain;
}

Role roleOf(LemmaVerdict verdict) {
    switch (verdict) {
    case LemmaVerdict::Holds: return Role::Shared;
    case LemmaVerdict::Fails: return Role::Failing;
    case LemmaVerdict::Undecided:
    case LemmaVerdict::Vacuous: return Role::Undecided;
    }
    return Role::Plain;
}

QString word(Verdict verdict) {
    switch (verdict) {
    case Verdict::Proved: return tr("PROVED");
    case Verdict::Refuted: return tr("REFUTED");
    case Verdict::Unproved: return tr("UNPROVED");
    case Verdict::Undecided: return tr("UNDECIDED");
    }
    return {};
}

QString word(LemmaVerdict verdict) {
    switch (verdict) {
    case LemmaVerdict::Holds: return tr("holds");
    case LemmaVerdict::Fails: return tr("fails");
    case LemmaVerdict::Undecided: return tr("undecided");
    case LemmaVerdict::Vacuous: return tr("vacuous");
    }
    return {};
}

// Strengths, kinds and rungs are words of the command line and its JSON: one spelling everywhere, so they are not translated.
QString word(Strength strength) { return toQString(name(strength)); }
QString word(RefutationKind kind) { return toQString(name(kind)); }
QString word(Rung rung) { return toQString(name(rung)); }

QString word(NodeMark mark, Side side) {
    switch (mark) {
    case NodeMark::Shared: return tr("shared: the other graph computes the same");
    case NodeMark::Equal: return tr("proved equal to its partner");
    case NodeMark::Changed: return tr("changed against its partner");
    case NodeMark::Failing: return tr("in a failing pair");
    case NodeMark::Undecided: return tr("undecided");
    case NodeMark::Only: return side == Side::Reference ? tr("only in the reference") : tr("only in the rewritten graph");
    case NodeMark::Dead: return tr("reaches no output");
    case NodeMark::Accepted: return tr("accepted as equal to its partner");
    }
    return {};
}

QString explanation(Strength strength) {
    switch (strength) {
    case Strength::Identical: return tr("Bit for bit: the same operations in the same order, only moved.");
    case Strength::Open: return tr("Whatever the operations compute: only laws that hold bit for bit were used.");
    case Strength::Exact: return tr("Over the real numbers; rounding may differ.");
    case Strength::Rounded: return tr("Equal but for constants that differ by no more than their own rounding.");
    case Strength::Probable: return tr("Random samples or digests agree. This is not a proof.");
    }
    return {};
}

QString bannerTitle(const CheckResult& result) {
    const QString title = word(result.verdict);
    if (result.verdict == Verdict::Proved && result.strength) {
        return tr("%1 (%2)").arg(title, word(*result.strength));
    }
    if (result.verdict == Verdict::Refuted && result.kind) {
        return tr("%1 (%2)").arg(title, word(*result.kind));
    }
    return title;
}

QString bannerReason(const CheckResult& result) {
    if (result.verdict == Verdict::Proved) {
        const QString strength = result.strength ? explanation(*result.strength) : QString();
        return result.assumed.empty() ? strength : tr("Assuming %1, as accepted. %2").arg(toQString(assumedText(result.assumed)), strength);
    }
    // The command line's own first line, without the words that the title already has: one wording for both.
    QString line = toQString(verdictLine(result));
    const auto drop = [&line](QLatin1String prefix) {
        if (line.startsWith(prefix)) {
            line = line.mid(prefix.size()).trimmed();
            if (line.startsWith(u':')) {
                line = line.mid(1).trimmed();
            }
        }
    };
    const std::string_view verdict = name(result.verdict);
    drop(QLatin1String(verdict.data(), static_cast<qsizetype>(verdict.size())));
    if (result.kind) {
        const std::string_view kind = name(*result.kind);
        drop(QLatin1String(kind.data(), static_cast<qsizetype>(kind.size())));
    }
    return line;
}

LemmaCounts countLemmas(const CheckResult& result) {
    LemmaCounts counts;
    for (const LemmaResult& lemma : result.lemmas) {
        switch (lemma.verdict) {
        case LemmaVerdict::Holds: ++counts.holds; break;
        case LemmaVerdict::Fails: ++counts.fails; break;
        case LemmaVerdict::Undecided: ++counts.undecided; break;
        case LemmaVerdict::Vacuous: ++counts.vacuous; break;
        }
    }
    return counts;
}

QString countsText(const CheckResult& result) {
    if (result.lemmas.empty() && result.reference == nullptr) { // of programs
        if (result.outputs.empty()) {
            return {};
        }
        const auto equal =
            std::count_if(result.outputs.begin(), result.outputs.end(), [](const OutputResult& output) { return output.verdict == Verdict::Proved; });
        return tr("outputs equal: %1 of %2").arg(equal).arg(result.outputs.size());
    }
    if (result.lemmas.empty()) {
        return result.verdict != Verdict::Proved ? tr("no lemma could be stated")
               : result.assumed.empty()          ? tr("no lemma was needed")
                                                 : tr("no other lemma was needed");
    }
    const LemmaCounts counts = countLemmas(result);
    QStringList parts;
    const auto add = [&parts](std::size_t count, const char* text) {
        if (count > 0) {
            parts << tr(text).arg(count);
        }
    };
    add(counts.fails, QT_TRANSLATE_NOOP("VerdictText", "%1 fail"));
    add(counts.undecided, QT_TRANSLATE_NOOP("VerdictText", "%1 undecided"));
    add(counts.vacuous, QT_TRANSLATE_NOOP("VerdictText", "%1 vacuous"));
    add(counts.holds, QT_TRANSLATE_NOOP("VerdictText", "%1 hold"));
    return parts.join(QStringLiteral(" · "));
}

QString noLemmasText(const CheckResult& result) {
    if (result.verdict == Verdict::Proved) {
        return result.assumed.empty() ? tr("No lemma was needed: both graphs compute the same terms.")
                                      : tr("No other lemma was needed: but for what is accepted, both graphs compute the same terms.");
    }
    const QString reason = bannerReason(result);
    return reason.isEmpty() ? tr("No lemma could be stated.") : tr("No lemma could be stated: %1").arg(reason);
}

std::size_t firstFailing(const CheckResult& result) {
    const auto first = [&result](auto&& wanted) {
        return static_cast<std::size_t>(std::find_if(result.lemmas.begin(), result.lemmas.end(), wanted) - result.lemmas.begin());
    };
    const std::size_t failing = first([](const LemmaResult& lemma) { return lemma.verdict == LemmaVerdict::Fails; });
    return failing < result.lemmas.size() ? failing : first([](const LemmaResult& lemma) { return lemma.verdict != LemmaVerdict::Holds; });
}

} // namespace lemmascope
