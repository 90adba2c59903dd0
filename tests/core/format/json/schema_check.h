#pragma once

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <cmath>

namespace lemmascope::test {

/// Checks a JSON value against a JSON Schema (2020-12), for the keywords that resources/schema uses; a schema with any other
/// keyword is reported, so that nothing is taken for checked that is not.
class SchemaCheck {
  public:
    explicit SchemaCheck(const QJsonObject& schema) : m_root(schema) {}

    /// What is wrong, one line each with its place; empty when the value fits.
    [[nodiscard]] QStringList problems(const QJsonValue& value) const { return check(m_root, value, QStringLiteral("$"), 0); }

  private:
    static QString typeName(const QJsonValue& value) {
        switch (value.type()) {
        case QJsonValue::Null: return QStringLiteral("null");
        case QJsonValue::Bool: return QStringLiteral("boolean");
        case QJsonValue::Double: return std::floor(value.toDouble()) == value.toDouble() ? QStringLiteral("integer") : QStringLiteral("number");
        case QJsonValue::String: return QStringLiteral("string");
        case QJsonValue::Array: return QStringLiteral("array");
        default: return QStringLiteral("object");
        }
    }
    static bool isOfType(const QJsonValue& value, const QString& type) {
        return typeName(value) == type || (type == QStringLiteral("number") && value.isDouble());
    }

    QStringList check(const QJsonValue& schema, const QJsonValue& value, const QString& place, int depth) const {
        if (depth > 200) {
            return {place + QStringLiteral(": nested too deeply")};
        }
        if (schema.isBool()) {
            return schema.toBool() ? QStringList() : QStringList{place + QStringLiteral(": nothing may stand here")};
        }
        QStringList out;
        const QJsonObject rules = schema.toObject();
        for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
            out += checkRule(rules, rule.key(), rule.value(), value, place, depth);
        }
        return out;
    }

    QStringList checkRule(const QJsonObject& rules, const QString& key, const QJsonValue& rule, const QJsonValue& value, const QString& place,
                          int depth) const {
        const auto when = [&](bool wrong, const QString& what) { return wrong ? QStringList{place + QStringLiteral(": ") + what} : QStringList(); };
        if (key == QStringLiteral("$ref")) {
            QJsonValue target = m_root;
            const QStringList steps = rule.toString().mid(2).split(QLatin1Char('/'));
            for (const QString& step : steps) {
                target = target.toObject().value(step);
            }
            return target.isUndefined() ? when(true, QStringLiteral("no definition ") + rule.toString()) : check(target, value, place, depth + 1);
        }
        if (key == QStringLiteral("type")) {
            bool fits = false;
            for (const QJsonValue& type : rule.isArray() ? rule.toArray() : QJsonArray{rule}) {
                fits = fits || isOfType(value, type.toString());
            }
            return when(!fits, QStringLiteral("is of type ") + typeName(value));
        }
        if (key == QStringLiteral("const")) {
            return when(value != rule, QStringLiteral("is not the constant"));
        }
        if (key == QStringLiteral("enum")) {
            return when(!rule.toArray().contains(value), QStringLiteral("is none of the allowed values"));
        }
        if (key == QStringLiteral("minimum")) {
            return when(value.isDouble() && value.toDouble() < rule.toDouble(), QStringLiteral("is too small"));
        }
        if (key == QStringLiteral("minLength")) {
            return when(value.isString() && value.toString().size() < rule.toInt(), QStringLiteral("is too short"));
        }
        if (key == QStringLiteral("pattern")) {
            return when(value.isString() && !QRegularExpression(rule.toString()).match(value.toString()).hasMatch(),
                        QStringLiteral("does not match"));
        }
        if (key == QStringLiteral("minItems") || key == QStringLiteral("maxItems")) {
            const auto size = value.toArray().size();
            return when(value.isArray() && (key == QStringLiteral("minItems") ? size < rule.toInt() : size > rule.toInt()),
                        QStringLiteral("has a wrong number of items"));
        }
        if (key == QStringLiteral("required")) {
            QStringList out;
            for (const QJsonValue& name : rule.toArray()) {
                out += when(value.isObject() && !value.toObject().contains(name.toString()), name.toString() + QStringLiteral(" is missing"));
            }
            return out;
        }
        if (key == QStringLiteral("items")) {
            QStringList out;
            const QJsonArray items = value.toArray();
            for (qsizetype k = 0; k < items.size(); ++k) {
                out += check(rule, items[k], QStringLiteral("%1[%2]").arg(place).arg(k), depth + 1);
            }
            return out;
        }
        if (key == QStringLiteral("properties") || key == QStringLiteral("additionalProperties")) {
            QStringList out;
            const QJsonObject known = rules.value(QStringLiteral("properties")).toObject();
            const QJsonObject members = value.toObject();
            for (auto member = members.begin(); member != members.end(); ++member) {
                const QString inside = place + QLatin1Char('.') + member.key();
                if (key == QStringLiteral("properties") && known.contains(member.key())) {
                    out += check(known.value(member.key()), member.value(), inside, depth + 1);
                } else if (key == QStringLiteral("additionalProperties") && !known.contains(member.key())) {
                    out += check(rule, member.value(), inside, depth + 1);
                }
            }
            return out;
        }
        if (key == QStringLiteral("allOf") || key == QStringLiteral("anyOf") || key == QStringLiteral("oneOf")) {
            return checkChoices(key, rule.toArray(), value, place, depth);
        }
        static const QStringList Words{QStringLiteral("$schema"), QStringLiteral("$defs"), QStringLiteral("title"), QStringLiteral("description")};
        return when(!Words.contains(key), QStringLiteral("the schema has a keyword that is not checked: ") + key);
    }

    QStringList checkChoices(const QString& key, const QJsonArray& choices, const QJsonValue& value, const QString& place, int depth) const {
        QStringList all;
        int fitting = 0;
        for (const QJsonValue& choice : choices) {
            const QStringList found = check(choice, value, place, depth + 1);
            all += found;
            fitting += found.isEmpty() ? 1 : 0;
        }
        const bool fits = key == QStringLiteral("allOf") ? all.isEmpty() : (key == QStringLiteral("anyOf") ? fitting > 0 : fitting == 1);
        return fits ? QStringList() : QStringList{place + QStringLiteral(": fits %1 of %2: ").arg(fitting).arg(key)} + all;
    }

    QJsonObject m_root;
};

} // namespace lemmascope::test
