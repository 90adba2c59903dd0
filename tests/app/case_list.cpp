#include "tests/app/case_list.h"

#include <QFile>
#include <QMap>

#include <nlohmann/json.hpp>

using namespace lemmascope;
using Json = nlohmann::json;

namespace {

const QString Root = QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/");

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Rows of a tab-separated file by the names of its header.
QList<QMap<QString, QString>> rowsOf(const QString& path) {
    QList<QMap<QString, QString>> rows;
    QStringList header;
    for (const QString& line : QString::fromUtf8(contentOf(path)).split('\n')) {
        const QStringList cells = line.split('\t');
        if (header.isEmpty()) {
            header = cells;
        } else if (!line.isEmpty()) {
            QMap<QString, QString> row;
            for (qsizetype i = 0; i < header.size(); ++i) {
                row[header[i]] = i < cells.size() ? cells[i] : QString();
            }
            rows << row;
        }
    }
    return rows;
}

Json jsonOf(const QString& path) {
    const QByteArray text = contentOf(path);
    return Json::parse(text.begin(), text.end(), nullptr, false);
}

QString textOf(const Json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? QString::fromStdString(at->get<std::string>()) : QString();
}

QList<Case> jsonCases() {
    QList<Case> out;
    const Json index = jsonOf(Root + "json/expected.json");
    for (const auto& [name, entry] : index.items()) {
        Case made;
        const QString stem = QString::fromStdString(name);
        made.id = "json/" + stem;
        made.reference = Root + "json/" + stem + ".ref.lsg.json";
        made.rewritten = Root + "json/" + stem + ".rew.lsg.json";
        made.options = textOf(entry, "options");
        const QString verdict = textOf(entry, "verdict");
        made.truth = verdict == "equal"          ? Case::Truth::Equal
                     : verdict == "differs"      ? Case::Truth::Differs
                     : verdict == "out of range" ? Case::Truth::OutOfRange
                                                 : Case::Truth::Unproved;
        made.weakest = strengthByName(textOf(entry, "strength").toStdString());
        made.strongest = strengthByName(textOf(entry, "strongest").toStdString()).value_or(Strength::Identical);
        out << made;
    }
    return out;
}

QList<Case> onnxCases() {
    QList<Case> out;
    for (const auto& row : rowsOf(Root + "onnx/index.tsv")) {
        Case made;
        made.id = "onnx/" + row["name"];
        made.reference = Root + "onnx/" + row["ref_file"];
        made.rewritten = Root + "onnx/" + row["new_file"];
        made.options = row["options"];
        made.truth = row["verdict"] == "differs" ? Case::Truth::Differs : row["verdict"] == "approx" ? Case::Truth::Rounded : Case::Truth::Equal;
        made.bitEqual = row["in_float32"] == "bit-equal";
        made.strongest = made.truth == Case::Truth::Rounded ? Strength::Rounded : made.bitEqual ? Strength::Identical : Strength::Exact;
        made.weakest = made.truth == Case::Truth::Rounded ? Strength::Rounded : Strength::Exact;
        out << made;
    }
    return out;
}

QList<Case> bugCases() {
    QList<Case> out;
    const Json index = jsonOf(Root + "bugs/expected.json");
    for (const auto& [name, entry] : index.items()) {
        const auto files = entry.find("files");
        if (textOf(entry, "kind") != "graph" || files == entry.end() || !textOf(*files, "ref").endsWith(".onnx")) {
            continue; // MLIR programs and patterns belong to engines of later versions
        }
        Case made;
        made.id = "bugs/" + QString::fromStdString(name);
        made.reference = Root + "bugs/" + textOf(*files, "ref");
        made.rewritten = Root + "bugs/" + textOf(*files, "rew");
        made.options = textOf(entry, "options");
        const QString verdict = textOf(entry, "verdict");
        if (verdict == "differs") {
            made.truth = Case::Truth::Differs;
        } else if (verdict.startsWith("unsafe")) {
            made.truth = Case::Truth::OutOfRange;
        } else {
            made.weakest = Strength::Exact;
            made.strongest = verdict == "equal" ? Strength::Identical : Strength::Exact;
        }
        out << made;
    }
    return out;
}

QList<Case> runtimeBugCases() {
    QList<Case> out;
    for (const auto& row : rowsOf(Root + "ort-bugs/index.tsv")) {
        Case made;
        made.id = "ort-bugs/" + row["name"];
        made.reference = Root + "ort-bugs/" + row["name"] + ".ref.onnx";
        made.rewritten = Root + "ort-bugs/" + row["name"] + ".differs.onnx";
        made.truth = Case::Truth::Differs;
        if (QFile::exists(made.rewritten)) { // one model was refused by the runtime that made it
            out << made;
        }
    }
    return out;
}

QList<Case> runtimeCases() {
    QList<Case> out;
    for (const auto& row : rowsOf(Root + "ort/index.tsv")) {
        Case made;
        made.id = "ort/" + row["model"] + "." + row["optimiser"];
        made.reference = Root + "ort/" + row["model"] + ".ref.onnx";
        made.rewritten = Root + "ort/" + row["model"] + "." + row["optimiser"] + ".onnx";
        made.truth = row["strength"].startsWith("rounded") ? Case::Truth::Rounded : Case::Truth::Equal;
        made.weakest = made.truth == Case::Truth::Rounded ? Strength::Rounded : Strength::Exact;
        if (made.id == "ort/qdq.full") {
            // The scale of a bias is stored as 0.0002f; QLinearConv takes it to be 0.02f times 0.01f.
            made.weakest = Strength::Rounded;
        }
        out << made;
    }
    return out;
}

} // namespace

QList<Case> casesOf(const QString& folder) {
    return folder == "json"   ? jsonCases()
           : folder == "onnx" ? onnxCases()
           : folder == "bugs" ? bugCases()
           : folder == "ort"  ? runtimeCases()
                              : runtimeBugCases();
}
