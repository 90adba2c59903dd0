// Sessions written and read back, and files that are broken, hostile or of another time.

#include "core/base/digest.h"
#include "core/graph/definition_library.h"
#include "core/workspace/session_file.h"
#include "core/workspace/session_store.h"

#include "tests/core/format/json/schema_check.h"
#include "tests/core/graph/graph_text.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <random>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

const std::filesystem::path File = "/home/ann/pairs/attention.lsession";

SavedSession full() {
    SavedSession session;
    session.reference = {"/home/ann/pairs/models/a.onnx", 1234, 1'700'000'000'123'456'789, std::string(64, 'a')};
    session.rewritten = {"/home/ann/other/b.onnx", 5, -1, ""};
    CheckOptions& options = session.options;
    options.wanted = Strength::Exact;
    options.timeSeconds = 12.5;
    options.lemmaSteps = 18'000'000'000'000'000'000U;
    options.jobs = 3;
    options.seed = 42;
    options.specialValues = true;
    options.outputs = {"y", "ä\"\\\n"};
    options.mapped = {{"y", "z"}};
    options.inputRanges = {{"pos", {std::numeric_limits<std::int64_t>::min(), 15}}};
    options.realRanges = {{"x", {-0.1, 1e300}}};
    options.sizes = {{"n", 8}};
    options.assumedEqual = {{"p", "q"}, {"p", "r"}};
    session.program = {"kernel", true, true};
    SavedVerdict verdict{
        Verdict::Refuted, std::nullopt, RefutationKind::Value, "y[0] is 1, rewritten 2", "refuted: value: y[0] is 1, rewritten 2", {}, {}};
    verdict.outputs.push_back({"y", Verdict::Refuted, std::nullopt, RefutationKind::Value, ""});
    verdict.outputs.push_back({"z", Verdict::Proved, Strength::Rounded, std::nullopt, ""});
    SavedLemma lemma{"L1",
                     {std::string(64, 'b'), LemmaResult::Kind::Equal, "Softmax s = Softmax s", {"enc/softmax"}, {"enc/softmax"}},
                     LemmaVerdict::Fails,
                     std::nullopt,
                     Rung::Solver,
                     "a counterexample shows it"};
    verdict.lemmas = {lemma, lemma};
    verdict.lemmas[1].id = "L2";
    verdict.lemmas[1].lemma.digest.clear();
    verdict.lemmas[1].lemma.kind = LemmaResult::Kind::InRange;
    verdict.lemmas[1].verdict = LemmaVerdict::Holds;
    verdict.lemmas[1].strength = Strength::Identical;
    session.verdict = verdict;
    session.notes.push_back({lemma.lemma, "L1", LemmaVerdict::Fails, "known: axis\n<b>not markup</b>", "Ann", 1'700'000'000});
    session.notes.push_back({{"", LemmaResult::Kind::Fact, "gone", {}, {}}, "L9", LemmaVerdict::Holds, "", "", 0});
    session.view.focus = true;
    session.view.contextHops = 4;
    session.view.locked = false;
    session.view.provedFolded = true;
    session.view.grouped = true;
    session.view.groupsOpen = true;
    session.view.groups = {"scope:enc", "block:2"};
    session.view.expanded[0] = {"enc"};
    session.view.collapsed[1] = {"dec", "dec/loop"};
    session.view.lemma = 1;
    session.view.side = Side::Rewritten;
    session.view.node = "enc/softmax";
    session.view.rules = "/rules/attention.rules";
    session.view.breakRules = {"fuse_attn"};
    session.view.breakNodes = {"softmax_1", "softmax_2"};
    return session;
}

bool sameOptions(const CheckOptions& a, const CheckOptions& b) {
    return a.wanted == b.wanted && a.timeSeconds == b.timeSeconds && a.lemmaSteps == b.lemmaSteps && a.jobs == b.jobs && a.seed == b.seed &&
           a.specialValues == b.specialValues && a.outputs == b.outputs && a.mapped == b.mapped && a.inputRanges == b.inputRanges &&
           a.realRanges.size() == b.realRanges.size() && a.sizes == b.sizes && a.assumedEqual == b.assumedEqual;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    return at == std::string::npos ? std::string("no ") + from : text.replace(at, from.size(), to);
}

} // namespace

class TestSessionFile : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everythingSurvivesARoundTrip() {
        const SavedSession session = full();
        const std::string text = sessionText(session, File);
        const auto read = parseSession(text, File);
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QVERIFY(read->reference == session.reference);
        QVERIFY(read->rewritten == session.rewritten);
        QVERIFY(sameOptions(read->options, session.options));
        QVERIFY(read->program == session.program);
        QCOMPARE(read->options.realRanges.at("x").low, -0.1);
        QVERIFY(read->verdict == session.verdict);
        QVERIFY(read->notes == session.notes);
        QVERIFY(read->view == session.view);
        QCOMPARE(sessionText(*read, File), text);
    }

    void emptySessionSurvivesToo() {
        SavedSession session;
        session.reference.file = "/a";
        session.rewritten.file = "/b";
        const auto read = parseSession(sessionText(session, {}), File);
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QVERIFY(!read->verdict.has_value() && read->notes.empty() && read->view == session.view);
        QVERIFY(sameOptions(read->options, session.options));
        QVERIFY(read->program == session.program);
    }

    void whatIsWrittenFitsTheSchema() {
        QFile file(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/schema/session.schema.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const lemmascope::test::SchemaCheck check(QJsonDocument::fromJson(file.readAll()).object());
        SavedSession session = full();
        for (const std::string& text : {sessionText(session, File), sessionText(SavedSession{}, {})}) {
            QJsonObject written = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
            QVERIFY(!written.isEmpty());
            QCOMPARE(check.problems(written), QStringList());
            written[QStringLiteral("version")] = 2;
            QVERIFY(!check.problems(written).isEmpty());
        }
    }

    void pathsAreRelativeWhereTheGraphLiesBelow() {
        const SavedSession session = full();
        const std::string text = sessionText(session, File);
        QVERIFY(text.find("\"models/a.onnx\"") != std::string::npos);
        QVERIFY(text.find("\"/home/ann/other/b.onnx\"") != std::string::npos); // never by `..`
        QVERIFY(sessionText(session, {}).find("\"/home/ann/pairs/models/a.onnx\"") != std::string::npos);
        const auto moved = parseSession(text, "/elsewhere/attention.lsession");
        QVERIFY(moved.has_value());
        QCOMPARE(moved->reference.file.string(), std::string("/elsewhere/models/a.onnx"));
        QCOMPARE(moved->rewritten.file.string(), std::string("/home/ann/other/b.onnx"));
    }

    void notesWithoutTheirLemmaAreDetachedInTheFile() {
        const std::string text = sessionText(full(), File);
        const std::size_t detached = text.find("\"detached\"");
        QVERIFY(text.find("known: axis") < detached);
        QVERIFY(text.find("\"gone\"") > detached);
    }

    void definitionsTravelWithTheirText() {
        SavedSession session = full();
        const auto library = DefinitionLibrary::parse("op example.Twice(x) -> y\n    y = x + x\n", "twice.defs");
        QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
        session.options.definitions = *library;
        const auto read = parseSession(sessionText(session, File), File);
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QVERIFY(read->options.definitions != nullptr);
        QCOMPARE(read->options.definitions->text(), session.options.definitions->text());
        QCOMPARE(read->options.definitions->fileName(), std::string("twice.defs"));
    }

    void restoredResultHasTheLemmasOverTheTrees() {
        const auto tree = std::make_shared<const GraphTree>(*GraphTree::build(parseGraph("in x f32[2]; a = Relu(x); b = Neg(a); out b")));
        CheckResult result;
        result.reference = tree;
        result.rewritten = tree;
        result.verdict = Verdict::Undecided;
        result.reason = "time";
        LemmaResult lemma;
        lemma.id = "L1";
        lemma.title = "Neg b = Neg b";
        lemma.digest = std::string(64, 'c');
        lemma.referenceNodes = {FlatNodeId(1U), FlatNodeId(0U)};
        lemma.reason = "steps";
        result.lemmas = {lemma};
        const SavedVerdict saved = savedVerdict(result);
        QCOMPARE(saved.line, verdictLine(result));
        const CheckResult back = restoredResult(saved, tree, tree);
        QVERIFY(back.lemmas == result.lemmas);
        QCOMPARE(back.verdict, Verdict::Undecided);
        QVERIFY(savedVerdict(back).lemmas == saved.lemmas);
        // Nodes that are gone are left out.
        SavedVerdict other = saved;
        other.lemmas[0].lemma.reference = {"nowhere", "x"};
        QVERIFY(restoredResult(other, tree, tree).lemmas[0].referenceNodes.empty());
    }

    void mistakesAreNamedWithPlaceAndRemedy_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("says");
        const std::string good = sessionText(full(), File);
        const auto row = [](const char* name, const std::string& text, const char* place, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromUtf8(place) << QString::fromUtf8(says);
        };
        row("empty", "", "line 1", "not JSON");
        row("cut off", good.substr(0, good.size() / 2), "line", "not JSON");
        row("not text", std::string("\xff\xfe\x00\x01", 4), "line 1", "not JSON");
        row("a list", "[]", "the file", "expected an object");
        row("another format", replaced(good, "lemmascope-session", "lemmascope-result"), "format", "lemmascope-session");
        row("no format", replaced(good, "\"format\"", "\"form\""), "format", "missing");
        row("newer", replaced(good, "\"version\": 1", "\"version\": 2"), "version is 2", "program that wrote it");
        row("version as text", replaced(good, "\"version\": 1", "\"version\": \"1\""), "version", "whole number");
        row("leads out", replaced(good, "models/a.onnx", "../../etc/passwd"), "reference.file", "'..' leads out");
        row("leads out in the middle", replaced(good, "models/a.onnx", "/tmp/../etc/passwd"), "reference.file", "'..' leads out");
        row("no path", replaced(good, "\"models/a.onnx\"", "\"\""), "reference.file", "no file name");
        row("NUL in a path", replaced(good, "models/a.onnx", "a\\u0000b"), "reference.file", "no file name");
        row("long path", replaced(good, "models/a.onnx", std::string(5000, 'p')), "reference.file", "at most 4096");
        row("path is a number", replaced(good, "\"models/a.onnx\"", "7"), "reference.file", "expected a text");
        row("no reference", replaced(good, "\"reference\": {\n  \"file\"", "\"referenz\": {\n  \"file\""), "reference", "missing");
        row("digest", replaced(good, std::string(64, 'a'), std::string(64, 'x')), "reference.sha256", "hexadecimal");
        row("strength", replaced(good, "\"strength\": \"exact\"", "\"strength\": \"certain\""), "options.strength", "identical, open, exact");
        row("time", replaced(good, "\"time\": 12.5", "\"time\": -1"), "options.time", "number from 0");
        row("jobs", replaced(good, "\"jobs\": 3", "\"jobs\": 1000000000000"), "options.jobs", "whole number");
        row("steps", replaced(good, "\"lemma_steps\": 18000000000000000000", "\"lemma_steps\": 1e30"), "options.lemma_steps", "whole number");
        row("range backwards", replaced(good, "-9223372036854775808", "16"), "options.ranges.pos", "lower first");
        row("size", replaced(good, "\"n\": 8", "\"n\": -8"), "options.sizes.n", "whole number");
        row("entry", replaced(good, "\"entry\": \"kernel\"", "\"entry\": 3"), "options.entry", "a text");
        row("aliases", replaced(good, "\"may_alias\": true", "\"may_alias\": 1"), "options.may_alias", "true or false");
        row("mapped", replaced(good, "[\n    \"y\",\n    \"z\"\n   ]", "[\"y\"]"), "options.map[0]", "two names");
        row("verdict", replaced(good, "\"verdict\": \"refuted\"", "\"verdict\": \"fine\""), "result.verdict", "proved, refuted");
        row("lemma's verdict", replaced(good, "\"verdict\": \"fails\"", "\"verdict\": \"maybe\""), "result.lemmas[0].verdict", "holds, fails");
        row("rung", replaced(good, "\"rung\": 6", "\"rung\": 99"), "result.lemmas[0].rung", "0 to 7");
        row("kind", replaced(good, "\"kind\": \"in-range\"", "\"kind\": \"odd\""), "result.lemmas[1].kind", "equal, in-range");
        row("note's time", replaced(good, "\"time\": 1700000000\n", "\"time\": 1e400\n"), "", "");
        row("note is null", replaced(good, "\"notes\": [", "\"notes\": [null,"), "notes[0]", "expected an object");
        row("notes are a text", replaced(good, "\"notes\": [", "\"notes\": \"x\", \"old\": ["), "notes", "expected a list");
        row("selected lemma", replaced(good, "\"lemma\": 1", "\"lemma\": 2"), "view.selected.lemma", "2 lemmas");
        row("side", replaced(good, "\"side\": \"rewritten\"", "\"side\": \"left\""), "view.selected.side", "reference or rewritten");
        row("rules", replaced(good, "\"source\": \"/rules/attention.rules\"", "\"source\": 3"), "view.rules.source", "a text");
        row("context", replaced(good, "\"context\": 4", "\"context\": 400"), "view.context", "0 to 20");
        row("definitions", replaced(good, "\"definitions\": null", "\"definitions\": {\"file\": \"x.defs\", \"text\": \"what is this\"}"),
            "options.definitions", "x.defs");
        row("deep", std::string(100'000, '['), "byte 16", "nested deeper than 16");
        row("deep object",
            replaced(
                good, "\"result\": {",
                "\"result\": " +
                    [] {
                        std::string text;
                        for (int i = 0; i < 5000; ++i) {
                            text += "{\"a\":";
                        }
                        return text;
                    }()),
            "byte", "nested deeper");
        std::string many = replaced(
            good, "\"notes\": [", "\"notes\": [" + [] {
                std::string text;
                for (int i = 0; i < 200'000; ++i) {
                    text += "{},";
                }
                return text;
            }());
        row("many notes", many, "notes", "at most 100000");
        row("very many values", "{\"a\":[" + std::string(9'000'000, ',') + "]}", "", "4000000 values");
        row("long text", replaced(good, "known: axis", std::string(2U << 20U, 'n')), "notes[0].text", "at most 1048576");
    }
    void mistakesAreNamedWithPlaceAndRemedy() {
        QFETCH(QByteArray, text);
        QFETCH(QString, place);
        QFETCH(QString, says);
        const auto read = parseSession(text.toStdString(), File);
        QVERIFY(!read.has_value());
        const QString error = QString::fromStdString(read.error().text());
        QVERIFY2(error.startsWith(QStringLiteral("/home/ann/pairs/attention.lsession: ")), qPrintable(error));
        QVERIFY2(error.contains(place) && error.contains(says), qPrintable(error));
        QVERIFY2(error.contains(QStringLiteral("save the session again")), qPrintable(error));
        QVERIFY2(error.size() < 600, qPrintable(error.left(800)));
    }

    void unknownKeysArePassedOver() {
        const std::string text = replaced(sessionText(full(), File), "\"options\": {", "\"later\": {\"x\": [1, {}]}, \"options\": {\"new\": true,");
        QVERIFY(parseSession(text, File).has_value());
    }

    // No bytes crash the reader, and what it takes can be written and read again with the same answer.
    void mutatedFilesAreReadOrRefused() {
        const std::string good = sessionText(full(), File);
        std::mt19937 random(20261130);
        const auto pick = [&random](std::size_t count) { return static_cast<std::size_t>(random() % count); };
        const char* pieces[] = {"null", "[]", "{}", "-1", "1e999", "\"\"", "99999999999999999999", "true", "\\u0000",
                                ",",    "]",  "}",  "\"", ":",     "\xff"};
        std::size_t taken = 0;
        for (int round = 0; round < 4000; ++round) {
            std::string text = good;
            for (std::size_t changes = 1 + pick(3); changes > 0; --changes) {
                const std::size_t at = pick(text.size());
                const std::size_t length = std::min(text.size() - at, pick(12));
                switch (pick(4)) {
                case 0: text[at] = static_cast<char>(random() & 0xFFU); break;
                case 1: text.erase(at, length); break;
                case 2: text.insert(at, pieces[pick(std::size(pieces))]); break;
                default: { // a whole value for another
                    const std::size_t colon = text.find(": ", at);
                    const std::size_t end = colon == std::string::npos ? colon : text.find_first_of(",\n", colon + 2);
                    if (end != std::string::npos) {
                        text.replace(colon + 2, end - colon - 2, pieces[pick(8)]);
                    }
                }
                }
            }
            const auto read = parseSession(text, File);
            if (!read) {
                QVERIFY(!read.error().message.empty() && read.error().where == File.string());
                continue;
            }
            ++taken;
            const std::string again = sessionText(*read, File);
            const auto twice = parseSession(again, File);
            QVERIFY2(twice.has_value(), twice ? "" : twice.error().text().c_str());
            QVERIFY(sessionText(*twice, File) == again);
        }
        QVERIFY2(taken > 100 && taken < 3900, qPrintable(QString::number(taken)));
    }

    void filesAreWrittenWhole() {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.path().toStdString() + "/made/here/s.lsession";
        SavedSession session = full();
        QVERIFY(writeSession(session, file, true).has_value());
        session.options.seed = 43;
        QVERIFY(writeSession(session, file, true).has_value());
        const auto read = readSession(file);
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QCOMPARE(read->options.seed, std::uint64_t{43});
        QCOMPARE(QDir(folder.path() + QStringLiteral("/made/here")).entryList(QDir::Files).size(), qsizetype{1});
        const auto refused = writeSession(session, "/proc/nowhere/s.lsession", true);
        QVERIFY(!refused && refused.error().text().find("/proc/nowhere/s.lsession") == 0);
    }

    void whatIsNoFileIsRefused() {
        QTemporaryDir folder;
        QCOMPARE(readSession(folder.path().toStdString() + "/none.lsession").error().code, ErrorCode::NotFound);
        QCOMPARE(readSession(folder.path().toStdString()).error().code, ErrorCode::BadData);
        QCOMPARE(readSession("/dev/zero").error().code, ErrorCode::BadData);
    }

    void theNewestOfManyWritesStays() {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.path().toStdString() + "/s.lsession";
        const std::filesystem::path graph = folder.path().toStdString() + "/a.json";
        QFile made(QString::fromStdString(graph.string()));
        QVERIFY(made.open(QIODevice::WriteOnly));
        made.write("abc");
        made.close();
        std::atomic<int> told{0};
        {
            SessionStore store([&told](const std::filesystem::path&, const Result<void>& written) { told += written ? 1 : 100; });
            SavedSession session;
            session.reference = savedGraph(graph);
            session.rewritten = session.reference;
            session.reference.sha256.clear();
            session.rewritten.sha256.clear();
            session.rewritten.time += 1; // checked as it was before
            for (std::uint64_t k = 1; k <= 50; ++k) {
                session.options.seed = k;
                store.write(
                    file, [session] { return session; }, true);
                QCOMPARE(store.read(file)->options.seed, k); // also what has yet to be written
            }
            QVERIFY(store.flush(std::chrono::seconds(20)));
            store.write(
                file, [session] { return session; }, true); // nobody waits: digests are worked out
            while (!store.flush(std::chrono::milliseconds(0))) {
                QTest::qWait(5);
            }
        }
        const auto read = readSession(file);
        QVERIFY(read.has_value());
        QCOMPARE(read->options.seed, std::uint64_t{50});
        QVERIFY(read->rewritten.sha256.empty());
        QVERIFY(told > 0 && told < 100);
    }

    void twoProgramsKeepEachOthersNotes() {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.path().toStdString() + "/pair.lsession";
        const auto noteOn = [](const char* title, const char* text, std::int64_t time) {
            return ReviewNote{{"", LemmaResult::Kind::Fact, title, {}, {}}, "L1", LemmaVerdict::Holds, text, "Ann", time};
        };
        const auto keep = [&file](SessionStore& store, const std::vector<ReviewNote>& notes) {
            SavedSession session;
            session.reference.file = "/a.json";
            session.rewritten.file = "/b.json";
            session.notes = notes;
            store.write(
                file, [session] { return session; }, false);
            QVERIFY(store.flush(std::chrono::seconds(20)));
        };
        const auto texts = [&file] {
            QStringList all;
            const auto session = readSession(file);
            for (const ReviewNote& note : session->notes) {
                all << QString::fromStdString(note.text);
            }
            all.sort();
            return all.join(u' ');
        };
        SessionStore one({});
        SessionStore two({});
        const ReviewNote a = noteOn("a", "old", 10);
        const ReviewNote b = noteOn("b", "second", 10);
        keep(one, {a, b});
        two.setKnown(file, two.read(file)->notes);
        keep(two, {a, b});
        const ReviewNote newer = noteOn("a", "newer", 20);
        const ReviewNote c = noteOn("c", "third", 20);
        keep(one, {newer, b, c});
        keep(two, {a, b}); // nothing changed in it
        QCOMPARE(texts(), QStringLiteral("newer second third"));
        const ReviewNote d = noteOn("d", "fourth", 15);
        keep(two, {a, b, d}); // a is older than what stands there
        QCOMPARE(texts(), QStringLiteral("fourth newer second third"));
        keep(two, {a, d}); // b was taken back, and nobody said more of it
        QCOMPARE(texts(), QStringLiteral("fourth newer third"));
        keep(two, {d}); // a was taken back as it was: what was said since stays
        QCOMPARE(texts(), QStringLiteral("fourth newer third"));
    }

    void whatCannotBeWrittenStaysAtHand() {
        QTemporaryDir folder;
        const QString plain = folder.filePath(QStringLiteral("plain"));
        QFile made(plain);
        QVERIFY(made.open(QIODevice::WriteOnly));
        made.close();
        const std::filesystem::path file = plain.toStdString() + "/sessions/pair.lsession";
        std::atomic<int> failures{0};
        SessionStore store([&failures](const std::filesystem::path&, const Result<void>& written) { failures += written ? 0 : 1; });
        const SavedSession session = full();
        for (int k = 1; k <= 2; ++k) { // the same again is tried again
            store.write(
                file, [session] { return session; }, false);
            QVERIFY(store.flush(std::chrono::seconds(20)));
            QCOMPARE(failures.load(), k);
        }
        const auto read = store.read(file);
        QVERIFY(read != nullptr);
        QCOMPARE(read->notes.size(), session.notes.size());
    }

    void whatADeadProgramLeftIsFound() {
        QTemporaryDir folder;
        const std::filesystem::path state = folder.path().toStdString();
        QVERIFY(!leftSession(state));
        QVERIFY(!leftSession(state / "none"));
        SavedSession session;
        session.reference.file = "/a";
        session.rewritten.file = "/b";
        QVERIFY(writeSession(session, state / "sessions" / "x.lsession", false).has_value());
        LeftSession open;
        open.session = state / "sessions" / "x.lsession";
        open.names = "a / b";
        open.notes = 3;
        QVERIFY(markOpen(state, open).has_value());
        QVERIFY(!leftSession(state)); // this program lives
        const QDir files(folder.path());
        const QString mark = files.entryList({QStringLiteral("open-*.json")}).value(0);
        QVERIFY(QFile::copy(files.filePath(mark), files.filePath(QStringLiteral("open-999999999.json"))));
        const auto left = leftSession(state);
        QVERIFY(left.has_value());
        QVERIFY(left->session == open.session);
        QCOMPARE(left->notes, std::size_t{3});
        unmarkOpen(state);
        QVERIFY(!QFile::exists(files.filePath(mark)));
        // A mark that names a file elsewhere is no mark of ours.
        QFile forged(files.filePath(QStringLiteral("open-999999999.json")));
        QVERIFY(forged.open(QIODevice::WriteOnly));
        forged.write(R"({"format": "lemmascope-open", "session": "../../secret", "names": "x"})");
        forged.close();
        QVERIFY(!leftSession(state));
        QVERIFY(!QFile::exists(files.filePath(QStringLiteral("open-999999999.json"))));
    }

    void oldSessionsWithoutNotesGo() {
        QTemporaryDir folder;
        const std::filesystem::path state = folder.path().toStdString();
        for (int k = 0; k < 6; ++k) {
            SavedSession session;
            session.reference.file = "/a";
            session.rewritten.file = "/b";
            if (k < 2) {
                session.notes.push_back({});
            }
            QVERIFY(writeSession(session, state / (std::to_string(k) + ".lsession"), false).has_value());
        }
        pruneSessions(state, 3);
        const QStringList left = QDir(folder.path()).entryList({QStringLiteral("*.lsession")}, QDir::Files, QDir::Name);
        QCOMPARE(left.size(), qsizetype{3});
        QVERIFY(left.contains(QStringLiteral("0.lsession")) && left.contains(QStringLiteral("1.lsession")));
    }

    void graphsAreKnownByTheirContent() {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.path().toStdString() + "/a.json";
        QFile made(QString::fromStdString(file.string()));
        QVERIFY(made.open(QIODevice::WriteOnly));
        made.write("abc");
        made.close();
        const SavedGraph graph = savedGraph(file);
        QCOMPARE(graph.size, std::uint64_t{3});
        QCOMPARE(graph.sha256, sha256Hex("abc"));
        QVERIFY(graph.time > 0);
        QVERIFY(savedGraph("/dev/zero").sha256.empty());
        QVERIFY(savedGraph(folder.path().toStdString()).sha256.empty());
        QVERIFY(pairFileName("/a", "/b") != pairFileName("/b", "/a"));
        QVERIFY(pairFileName("/a", "/b").ends_with(SessionSuffix));
    }
};

QTEST_GUILESS_MAIN(TestSessionFile)
#include "tst_session_file.moc"
