#include "ui/views/node_query.h"

#include "ui/views/inspector_facts.h"
#include "ui/views/text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>
#include <charconv>

namespace lemmascope {

namespace {

constexpr std::size_t PollEvery = 4'096;
constexpr qsizetype LongestQuery = 10'000;

QString tr(const char* text) { return QCoreApplication::translate("NodeQuery", text); }

struct MarkName {
    const char* name;
    NodeMark mark;
};
constexpr std::array MarkNames{MarkName{"shared", NodeMark::Shared},       MarkName{"equal", NodeMark::Equal},
                               MarkName{"changed", NodeMark::Changed},     MarkName{"failing", NodeMark::Failing},
                               MarkName{"undecided", NodeMark::Undecided}, MarkName{"only", NodeMark::Only},
                               MarkName{"dead", NodeMark::Dead},           MarkName{"accepted", NodeMark::Accepted}};

tl::unexpected<Error> wrong(const QString& what) { return fail(ErrorCode::Usage, toStdString(what)); }

bool textMatches(std::string_view wanted, bool whole, std::string_view text) {
    if (wanted.find('*') != std::string_view::npos) {
        return whole ? wildcardMatches(wanted, text) : wildcardMatches("*" + std::string(wanted) + "*", text);
    }
    return whole ? text == wanted : text.find(wanted) != std::string_view::npos;
}

/// Any of the lines.
bool lineMatches(std::string_view wanted, bool whole, std::string_view lines) {
    if (!whole && wanted.find('*') == std::string_view::npos) {
        return lines.find(wanted) != std::string_view::npos;
    }
    for (std::size_t begin = 0; begin <= lines.size();) {
        const std::size_t end = std::min(lines.find('\n', begin), lines.size());
        if (textMatches(wanted, whole, lines.substr(begin, end - begin))) {
            return true;
        }
        begin = end + 1;
    }
    return false;
}

bool dimMatches(const std::string& wanted, const Dim& dim) {
    if (wanted == "*") {
        return true;
    }
    if (dim.isKnown()) {
        std::int64_t number = 0;
        const auto [end, trouble] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
        return trouble == std::errc() && end == wanted.data() + wanted.size() && number == dim.value();
    }
    return foldedText(dim.text()) == wanted;
}

/// `...` stands for any number of axes.
bool shapeMatches(const std::vector<std::string>& wanted, const Shape& shape) {
    const auto gap = std::find(wanted.begin(), wanted.end(), "...");
    const auto before = static_cast<std::size_t>(gap - wanted.begin());
    if (gap == wanted.end()) {
        return wanted.size() == shape.size() && std::equal(wanted.begin(), wanted.end(), shape.begin(), &dimMatches);
    }
    const auto after = static_cast<std::size_t>(wanted.end() - gap) - 1;
    return before + after <= shape.size() && std::equal(wanted.begin(), gap, shape.begin(), &dimMatches) &&
           std::equal(gap + 1, wanted.end(), shape.end() - static_cast<std::ptrdiff_t>(after), &dimMatches);
}

bool attributeMatches(const Node& node, const std::string& key, bool hasValue, const std::string& value) {
    return std::any_of(node.attributes.begin(), node.attributes.end(), [&](const auto& attribute) {
        if (!textMatches(key, true, foldedText(attribute.first))) {
            return false;
        }
        if (!hasValue) {
            return true;
        }
        std::string text = foldedText(toStdString(attributeSummary(attribute.second)));
        std::erase_if(text, [](char c) { return c == ' ' || c == '"'; });
        return textMatches(value, true, text);
    });
}

/// Words as they stand, quoted parts with `\` before a quote kept as one; each with where its first unquoted `:` or `=` stands.
struct Piece {
    QString text;
    qsizetype separator = -1;
    bool negated = false;
    bool quoted = false; ///< from its first character on
};

Result<std::vector<Piece>> piecesOf(const QString& text) {
    std::vector<Piece> pieces;
    qsizetype at = 0;
    while (at < text.size()) {
        if (text[at].isSpace()) {
            ++at;
            continue;
        }
        Piece piece;
        if (text[at] == u'-' && at + 1 < text.size() && !text[at + 1].isSpace()) {
            piece.negated = true;
            ++at;
        }
        piece.quoted = text[at] == u'"';
        int brackets = 0;
        while (at < text.size() && (brackets > 0 || !text[at].isSpace())) {
            if (text[at] == u'"') {
                const qsizetype end = text.indexOf(u'"', at + 1);
                if (end < 0) {
                    return wrong(tr("The quote at character %1 has no end.").arg(at + 1));
                }
                piece.text += text.mid(at + 1, end - at - 1);
                at = end + 1;
                continue;
            }
            if (piece.separator < 0 && !piece.quoted && (text[at] == u':' || text[at] == u'=')) {
                piece.separator = piece.text.size();
            }
            brackets += piece.separator < 0 ? 0 : text[at] == u'[' ? 1 : text[at] == u']' ? -1 : 0;
            piece.text += text[at++];
        }
        pieces.push_back(std::move(piece));
    }
    return pieces;
}

} // namespace

bool wildcardMatches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t mark = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(), [](char c) { return c == '*'; });
}

std::vector<std::pair<QString, QString>> NodeQuery::fields() {
    QStringList marks;
    for (const MarkName& mark : MarkNames) {
        marks += QString::fromLatin1(mark.name);
    }
    return {{QStringLiteral("op"), tr("an operator: op:softmax")},
            {QStringLiteral("name"), tr("a name: name:layer.0")},
            {QStringLiteral("shape"), tr("the shape of a result: shape:[8,128,*]")},
            {QStringLiteral("dtype"), tr("its element type: dtype:f16")},
            {QStringLiteral("attr"), tr("an attribute, and its value: attr:axis=1")},
            {QStringLiteral("mark"), tr("what it is to the other side: %1").arg(marks.join(QStringLiteral(", ")))},
            {QStringLiteral("side"), tr("ref or rew")}};
}

Result<NodeQuery> NodeQuery::parse(const QString& text) {
    if (text.size() > LongestQuery) {
        return wrong(tr("The query is longer than %1 characters.").arg(LongestQuery));
    }
    const auto pieces = piecesOf(text);
    if (!pieces) {
        return tl::unexpected<Error>(pieces.error());
    }
    NodeQuery query;
    for (const Piece& piece : *pieces) {
        Term term;
        term.negated = piece.negated;
        const QString field = piece.separator < 0 ? QString() : piece.text.left(piece.separator).toLower();
        const bool scope = piece.separator >= 0 && piece.text.mid(piece.separator + 1).startsWith(u':');
        const bool fieldLike =
            !scope && !field.isEmpty() && std::all_of(field.begin(), field.end(), [](QChar c) { return c.isLetter() && c.unicode() < 0x80; });
        if (!fieldLike) {
            // `block_0:0`, `::` of scopes and the like are words.
            term.text = foldedText(toStdString(piece.text));
            if (term.text.empty()) {
                return wrong(tr("Nothing stands between the quotes."));
            }
            query.m_terms.push_back(std::move(term));
            continue;
        }
        term.whole = piece.text[piece.separator] == u'=';
        if (auto finished = finish(term, field, piece.text.mid(piece.separator + 1)); !finished) {
            return tl::unexpected<Error>(finished.error());
        }
        query.m_terms.push_back(std::move(term));
    }
    // What is looked up before what is read.
    std::stable_sort(query.m_terms.begin(), query.m_terms.end(), [](const Term& a, const Term& b) { return costOf(a.field) < costOf(b.field); });
    return query;
}

int NodeQuery::costOf(Field field) {
    switch (field) {
    case Field::OfSide: return 0;
    case Field::OfOp:
    case Field::OfMark: return 1;
    case Field::AnyWord:
    case Field::OfName: return 2;
    case Field::OfDtype: return 3;
    case Field::OfShape: return 4;
    case Field::OfAttribute: return 5;
    }
    return 0;
}

Result<void> NodeQuery::finish(Term& term, const QString& field, const QString& given) {
    const QString value = given.trimmed();
    if (value.isEmpty()) {
        return wrong(tr("%1: a value is missing after it.").arg(field));
    }
    term.text = foldedText(toStdString(value));
    if (field == QStringLiteral("op")) {
        term.field = Field::OfOp;
    } else if (field == QStringLiteral("name")) {
        term.field = Field::OfName;
    } else if (field == QStringLiteral("dtype")) {
        term.field = Field::OfDtype;
        const auto element = elementTypeByName(term.text);
        if (!element) {
            return wrong(tr("dtype: there is no element type '%1'; f32, f16, bf16, i64, bool are some.").arg(value));
        }
        term.element = *element;
    } else if (field == QStringLiteral("shape")) {
        term.field = Field::OfShape;
        QString dims = value;
        if (dims.startsWith(u'[') != dims.endsWith(u']') || dims.count(u'[') > 1 || dims.count(u']') > 1) {
            return wrong(tr("shape: '%1' has brackets that do not pair; expected [8,128,*].").arg(value));
        }
        if (dims.startsWith(u'[')) {
            dims = dims.mid(1, dims.size() - 2);
        }
        if (!dims.trimmed().isEmpty()) {
            for (const QString& dim : dims.split(u',')) {
                term.dims.push_back(foldedText(toStdString(dim.trimmed())));
                if (term.dims.back().empty()) {
                    return wrong(tr("shape: '%1' has an empty axis; '*' stands for any length.").arg(value));
                }
            }
        }
        if (std::count(term.dims.begin(), term.dims.end(), "...") > 1) {
            return wrong(tr("shape: '...' may stand only once."));
        }
    } else if (field == QStringLiteral("attr")) {
        term.field = Field::OfAttribute;
        if (const qsizetype equals = value.indexOf(u'='); equals >= 0) {
            term.hasValue = true;
            term.value = foldedText(toStdString(value.mid(equals + 1)));
            std::erase_if(term.value, [](char c) { return c == ' ' || c == '"'; });
            term.text = foldedText(toStdString(value.left(equals).trimmed()));
            if (term.text.empty() || term.value.empty()) {
                return wrong(tr("attr: expected a name, '=' and a value, as in attr:axis=1, not '%1'.").arg(value));
            }
        }
    } else if (field == QStringLiteral("mark")) {
        term.field = Field::OfMark;
        for (const QString& one : value.split(u',')) {
            const auto at = std::find_if(MarkNames.begin(), MarkNames.end(),
                                         [&one](const MarkName& mark) { return one.trimmed().toLower() == QLatin1String(mark.name); });
            if (at == MarkNames.end()) {
                QStringList known;
                for (const MarkName& mark : MarkNames) {
                    known += QString::fromLatin1(mark.name);
                }
                return wrong(tr("mark: there is no mark '%1'; there are %2.").arg(one.trimmed(), known.join(QStringLiteral(", "))));
            }
            term.marks |= 1U << static_cast<unsigned>(at->mark);
        }
    } else if (field == QStringLiteral("side")) {
        term.field = Field::OfSide;
        const QString side = value.toLower();
        if (QStringLiteral("reference").startsWith(side) && side.size() >= 3) {
            term.side = lemmascope::Side::Reference;
        } else if (QStringLiteral("rewritten").startsWith(side) && side.size() >= 3) {
            term.side = lemmascope::Side::Rewritten;
        } else {
            return wrong(tr("side: expected ref or rew, not '%1'.").arg(value));
        }
    } else {
        QStringList known;
        for (const auto& [name, what] : fields()) {
            known += name;
        }
        return wrong(
            tr("There is no field '%1'; there are %2. Quotes make it a word: \"%1:%3\".").arg(field, known.join(QStringLiteral(", ")), value));
    }
    return {};
}

bool NodeQuery::asksForMarks() const {
    return std::any_of(m_terms.begin(), m_terms.end(), [](const Term& term) { return term.field == Field::OfMark; });
}

bool NodeQuery::holds(const Term& term, const NodeIndex& index, const Correspondence* marks, const std::vector<char>& ops, std::size_t entry) {
    const PlaceId& place = index.place(entry);
    const GraphTree& tree = *index.tree(place.side);
    switch (term.field) {
    case Field::AnyWord: return ops[index.op(entry)] != 0 || lineMatches(term.text, false, index.foldedNames(entry));
    case Field::OfOp: return ops[index.op(entry)] != 0;
    case Field::OfName: return lineMatches(term.text, term.whole, index.foldedNames(entry));
    case Field::OfSide: return place.side == term.side;
    case Field::OfAttribute: return place.node.isValid() && attributeMatches(tree.node(place.node), term.text, term.hasValue, term.value);
    case Field::OfMark: {
        if (marks == nullptr || !place.node.isValid()) {
            return false;
        }
        const auto& relations = place.side == lemmascope::Side::Reference ? marks->reference : marks->rewritten;
        return place.node.index < relations.size() && (term.marks >> static_cast<unsigned>(relations[place.node.index].mark) & 1U) != 0;
    }
    case Field::OfDtype:
    case Field::OfShape: {
        const auto fits = [&term](const TensorType& type) {
            return term.field == Field::OfDtype ? type.element == term.element : type.shape && shapeMatches(term.dims, *type.shape);
        };
        if (!place.node.isValid()) {
            return fits(tree.value(place.value).type);
        }
        const Graph& graph = *tree.instanceOf(place.node).graph;
        const Node& node = tree.node(place.node);
        return std::any_of(node.results.begin(), node.results.end(),
                           [&](ValueId result) { return result.isValid() && fits(graph.value(result).type); });
    }
    }
    return false;
}

std::vector<std::uint32_t> NodeQuery::matches(const NodeIndex& index, const Correspondence* marks, std::stop_token stop) const {
    std::vector<std::uint32_t> found;
    if (isEmpty()) {
        return found;
    }
    // Ops are few: each is compared once.
    std::vector<std::vector<char>> ops(m_terms.size());
    for (std::size_t t = 0; t < m_terms.size(); ++t) {
        for (const std::string& op : index.foldedOps()) {
            const bool asks = m_terms[t].field == Field::OfOp || m_terms[t].field == Field::AnyWord;
            ops[t].push_back(asks && textMatches(m_terms[t].text, m_terms[t].whole, op) ? 1 : 0);
        }
    }
    for (std::size_t entry = 0; entry < index.count(); ++entry) {
        if (entry % PollEvery == 0 && stop.stop_requested()) {
            break;
        }
        bool all = true;
        for (std::size_t t = 0; t < m_terms.size() && all; ++t) {
            all = holds(m_terms[t], index, marks, ops[t], entry) != m_terms[t].negated;
        }
        if (all) {
            found.push_back(static_cast<std::uint32_t>(entry));
        }
    }
    return found;
}

} // namespace lemmascope
