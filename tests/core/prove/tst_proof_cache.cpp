#include "core/base/digest.h"
#include "core/prove/checked_file.h"
#include "core/prove/pin_store.h"
#include "core/prove/proof_cache.h"

#include <QtTest>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

using namespace lemmascope;
namespace fs = std::filesystem;

namespace {

using Entry = ProofCache::Entry;

const Entry Proved{LemmaVerdict::Holds, Rung::Solver, Strength::Exact, {}};
const Entry Refuted{LemmaVerdict::Fails, Rung::Solver, std::nullopt, {"(- 3)", "true", "|a \"b\"\n|"}};

fs::path fileOf(const ProofCache& cache, const std::string& key) { return cache.folder() / key.substr(0, 2) / (key.substr(2) + ".json"); }

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write(const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// As writeCheckedFile would, so that only the content is wrong.
std::string withChecksum(const std::string& text) { return text + "\nsha256 " + sha256Hex(text) + "\n"; }

} // namespace

class TestProofCache : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void whatWasStoredIsFound() {
        const QTemporaryDir folder;
        const ProofCache cache(folder.path().toStdString() + "/new/folder");
        const std::string one = ProofCache::key("lemma 1", "z3 4.8.12"), two = ProofCache::key("lemma 2", "z3 4.8.12");
        QVERIFY(!cache.lookup(one));
        QVERIFY(cache.store(one, Proved));
        QVERIFY(cache.store(two, Refuted));
        QVERIFY(cache.lookup(one) == Proved);
        QVERIFY(cache.lookup(two) == Refuted);
        QVERIFY(cache.store(one, Refuted)); // a later answer replaces an earlier one
        QVERIFY(cache.lookup(one) == Refuted);
        QVERIFY(fs::exists(fileOf(cache, one)));
    }

    void keysTellEverythingApart() {
        const std::vector<std::string> wanted{"x"}, none, split{"x", "y"}, joined{"xy"};
        const std::string key = ProofCache::key("a", "z3", wanted);
        QCOMPARE(key, ProofCache::key("a", "z3", wanted));
        QVERIFY(key != ProofCache::key("b", "z3", wanted));
        QVERIFY(key != ProofCache::key("a", "cvc5", wanted));
        QVERIFY(key != ProofCache::key("a", "z3", none));
        QVERIFY(ProofCache::key("a", "z3", split) != ProofCache::key("a", "z3", joined));
        QVERIFY(ProofCache::key("ab", "c") != ProofCache::key("a", "bc"));
        QCOMPARE(key.size(), std::size_t{64});
    }

    void truncatedOrChangedFilesAreMisses() {
        const QTemporaryDir folder;
        const ProofCache cache(folder.path().toStdString());
        const std::string key = ProofCache::key("lemma", "z3");
        QVERIFY(cache.store(key, Refuted));
        const std::string content = contentOf(fileOf(cache, key));
        for (std::size_t size = 0; size < content.size(); ++size) {
            write(fileOf(cache, key), content.substr(0, size));
            QVERIFY(!cache.lookup(key));
        }
        for (std::size_t at = 0; at < content.size(); ++at) {
            std::string bad = content;
            bad[at] = static_cast<char>(bad[at] ^ 1);
            write(fileOf(cache, key), bad);
            QVERIFY(!cache.lookup(key));
        }
        write(fileOf(cache, key), content + content);
        QVERIFY(!cache.lookup(key));
        write(fileOf(cache, key), content);
        QVERIFY(cache.lookup(key) == Refuted);
    }

    void foreignFilesAreMisses_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("empty") << "";
        QTest::newRow("not json") << "hello";
        QTest::newRow("array") << "[1]";
        QTest::newRow("other format") << R"({"lemmascope-proof":2,"key":"KEY","verdict":"holds","rung":6,"strength":"exact","values":[]})";
        QTest::newRow("no format") << R"({"key":"KEY","verdict":"holds","rung":6,"strength":"exact","values":[]})";
        QTest::newRow("other key") << R"({"lemmascope-proof":1,"key":"0","verdict":"holds","rung":6,"strength":"exact","values":[]})";
        QTest::newRow("unknown verdict") << R"({"lemmascope-proof":1,"key":"KEY","verdict":"maybe","rung":6,"strength":"exact","values":[]})";
        QTest::newRow("undecided") << R"({"lemmascope-proof":1,"key":"KEY","verdict":"undecided","rung":6,"values":[]})";
        QTest::newRow("holds without strength") << R"({"lemmascope-proof":1,"key":"KEY","verdict":"holds","rung":6,"values":[]})";
        QTest::newRow("unknown strength") << R"({"lemmascope-proof":1,"key":"KEY","verdict":"holds","rung":6,"strength":"strong","values":[]})";
        QTest::newRow("unknown rung") << R"({"lemmascope-proof":1,"key":"KEY","verdict":"holds","rung":8,"strength":"exact","values":[]})";
        QTest::newRow("negative rung") << R"({"lemmascope-proof":1,"key":"KEY","verdict":"holds","rung":-1,"strength":"exact","values":[]})";
        QTest::newRow("values that are none") << R"({"lemmascope-proof":1,"key":"KEY","verdict":"fails","rung":6,"values":[1]})";
        QTest::newRow("no values") << R"({"lemmascope-proof":1,"key":"KEY","verdict":"fails","rung":6})";
        QTest::newRow("deep") << QString(100'000, '[');
    }
    void foreignFilesAreMisses() {
        QFETCH(QString, text);
        const QTemporaryDir folder;
        const ProofCache cache(folder.path().toStdString());
        const std::string key = ProofCache::key("lemma", "z3");
        write(fileOf(cache, key), withChecksum(text.replace("KEY", QString::fromStdString(key)).toStdString()));
        QVERIFY(!cache.lookup(key));
        // The same file with nothing wrong is a hit, so the rows above fail for their own reason.
        write(fileOf(cache, key),
              withChecksum(R"({"lemmascope-proof":1,"key":")" + key + R"(","verdict":"holds","rung":6,"strength":"exact","values":[]})"));
        QVERIFY(cache.lookup(key) == Proved);
    }

    void otherThingsInItsPlaceAreMisses() {
        const QTemporaryDir folder;
        const ProofCache cache(folder.path().toStdString());
        const std::string one = ProofCache::key("1", ""), two = ProofCache::key("2", "");
        fs::create_directories(fileOf(cache, one));
        QVERIFY(!cache.lookup(one));
        QVERIFY(!cache.store(one, Proved));
        fs::create_directories(fileOf(cache, two).parent_path());
        QCOMPARE(::mkfifo(fileOf(cache, two).c_str(), 0600), 0);
        QVERIFY(!cache.lookup(two)); // and does not wait for a writer
    }

    void nothingOutsideTheFolderIsRead() {
        const QTemporaryDir folder;
        const ProofCache cache(folder.path().toStdString());
        for (const char* key : {"", "ab", "../../etc/passwd", "ABCDEF"}) {
            QVERIFY(!cache.lookup(key));
            QCOMPARE(cache.store(key, Proved).error().code, ErrorCode::Internal);
        }
    }

    void onlyLastingVerdictsAreStored() {
        const QTemporaryDir folder;
        const ProofCache cache(folder.path().toStdString());
        const std::string key = ProofCache::key("lemma", "z3");
        QCOMPARE(cache.store(key, {LemmaVerdict::Undecided, Rung::Solver, {}, {}}).error().code, ErrorCode::Internal);
        QCOMPARE(cache.store(key, {LemmaVerdict::Vacuous, Rung::Solver, {}, {}}).error().code, ErrorCode::Internal);
        QVERIFY(!cache.lookup(key));
    }

    void unwritableFoldersAreErrors() {
        const ProofCache cache("/proc/lemmascope-cache");
        const Result<void> stored = cache.store(ProofCache::key("lemma", "z3"), Proved);
        QCOMPARE(stored.error().code, ErrorCode::NotFound);
        QVERIFY(stored.error().text().find("/proc/lemmascope-cache") != std::string::npos);
    }

    void manyWritersAndReadersAgree() {
        const QTemporaryDir folder;
        const ProofCache cache(folder.path().toStdString());
        std::atomic<int> wrong = 0;
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (int i = 0; i < 200; ++i) {
                    const std::string key = ProofCache::key("lemma " + std::to_string(i % 10), "z3");
                    const Entry entry{LemmaVerdict::Fails, Rung::Solver, {}, {std::to_string(i % 10), std::string(5000, static_cast<char>('a' + t))}};
                    if (!cache.store(key, entry))
                        ++wrong;
                    const std::optional<Entry> found = cache.lookup(key);
                    if (!found || found->values[0] != entry.values[0])
                        ++wrong;
                }
            });
        threads.clear();
        QCOMPARE(wrong.load(), 0);
        std::size_t files = 0;
        for (const auto& entry : fs::recursive_directory_iterator(cache.folder()))
            files += entry.is_regular_file() ? 1 : 0;
        QCOMPARE(files, std::size_t{10}); // no unfinished ones are left
    }

    void oldestGoFirst() {
        const QTemporaryDir folder;
        const ProofCache cache(folder.path().toStdString());
        std::vector<std::string> keys;
        for (int i = 0; i < 6; ++i) {
            keys.push_back(ProofCache::key("lemma " + std::to_string(i), "z3"));
            QVERIFY(cache.store(keys.back(), Proved));
            fs::last_write_time(fileOf(cache, keys.back()), fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
        }
        const fs::path leftover = fileOf(cache, keys[0]).string() + ".1-2-3.unfinished", foreign = fileOf(cache, keys[0]).parent_path() / "notes.txt";
        write(leftover, "x");
        write(foreign, std::string(10'000, 'x'));
        fs::last_write_time(leftover, fs::file_time_type::clock::now() - std::chrono::hours(2));
        const auto size = fs::file_size(fileOf(cache, keys[0]));
        QCOMPARE(cache.evictOldest(size * 6), std::size_t{0});
        QCOMPARE(cache.evictOldest(size * 4), std::size_t{2});
        QVERIFY(!cache.lookup(keys[0]) && !cache.lookup(keys[1]));
        QVERIFY(cache.lookup(keys[2]) && cache.lookup(keys[5]));
        QVERIFY(!fs::exists(leftover));
        QVERIFY(fs::exists(foreign));
        QCOMPARE(ProofCache("/nonexistent/folder").evictOldest(0), std::size_t{0});
    }

    void defaultFolderFollowsTheDesktop() {
        const QByteArray home = qgetenv("HOME"), cacheHome = qgetenv("XDG_CACHE_HOME");
        qputenv("HOME", "/home/someone");
        qputenv("XDG_CACHE_HOME", "/elsewhere");
        QCOMPARE(ProofCache::defaultFolder().value().string(), std::string("/elsewhere/lemmascope"));
        qputenv("XDG_CACHE_HOME", "relative"); // to be ignored, says the specification
        QCOMPARE(ProofCache::defaultFolder().value().string(), std::string("/home/someone/.cache/lemmascope"));
        qunsetenv("XDG_CACHE_HOME");
        qunsetenv("HOME");
        QCOMPARE(ProofCache::defaultFolder().error().code, ErrorCode::NotFound);
        qputenv("HOME", home);
        if (!cacheHome.isEmpty())
            qputenv("XDG_CACHE_HOME", cacheHome);
    }

    void pinsComeBack() {
        const QTemporaryDir folder;
        const PinStore pins(folder.path().toStdString() + "/pins");
        const std::string a = sha256Hex("a"), b = sha256Hex("b");
        const Pin pin{"z3 4.8.12",
                      {{a, LemmaVerdict::Holds, Rung::StaticMap, Strength::Identical}, {b, LemmaVerdict::Fails, Rung::Solver, std::nullopt}}};
        const std::string obligation = PinStore::obligationDigest({a, b});
        QVERIFY(obligation != PinStore::obligationDigest({b, a}));
        QVERIFY(!pins.lookup(obligation));
        QVERIFY(pins.store(obligation, pin));
        QVERIFY(pins.lookup(obligation) == pin);
        QVERIFY(!pins.lookup(PinStore::obligationDigest({a})));
        QCOMPARE(pins.store("x", pin).error().code, ErrorCode::Internal);
        QCOMPARE(pins.store(obligation, {"z3", {{"x", LemmaVerdict::Holds, Rung::Solver, Strength::Exact}}}).error().code, ErrorCode::Internal);

        const fs::path file = folder.path().toStdString() + "/pins/" + obligation + ".pin.json";
        const std::string content = contentOf(file);
        for (std::size_t size = 0; size < content.size(); ++size) {
            write(file, content.substr(0, size));
            QVERIFY(!pins.lookup(obligation));
        }
    }
};

QTEST_APPLESS_MAIN(TestProofCache)
#include "tst_proof_cache.moc"
