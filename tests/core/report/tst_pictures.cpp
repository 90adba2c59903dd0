#include "core/report/glyphs.h"
#include "core/report/graph_picture.h"
#include "core/report/graph_summary.h"
#include "core/report/picture.h"
#include "tests/core/report/results.h"

#include <QTest>
#include <QXmlStreamReader>

#include <limits>
#include <numeric>
#include <set>

using namespace lemmascope;
using namespace lemmascope::testing;

class TestPictures : public QObject {
    Q_OBJECT

    static bool wellFormed(const std::string& xml) {
        QXmlStreamReader reader(QString::fromStdString(xml));
        while (!reader.atEnd()) {
            reader.readNext();
        }
        if (reader.hasError()) {
            qWarning("%s", qPrintable(reader.errorString()));
        }
        return !reader.hasError();
    }

  private Q_SLOTS:
    void regionShowsBothSidesWithMarksInWords() {
        const auto picture = regionPicture(refutedResult(), {});
        QVERIFY(picture.has_value());
        const std::string svg = pictureSvg(*picture);
        QVERIFY(wellFormed(svg));
        for (const char* part :
             {"reference", "rewritten", ">failing pair<", ">\u2717<", "refuted: value", "axis = 0", "Softmax soft, failing pair"}) {
            QVERIFY2(svg.find(part) != std::string::npos, part);
        }
    }

    /// What stands in a box is all there, in lines that fit it.
    void longAttributesAreWrittenWhole() {
        auto graph = std::make_shared<Graph>(*softmaxGraph(1));
        std::vector<std::int64_t> many(15);
        std::iota(many.begin(), many.end(), 1'000'000);
        graph->nodes[0].attributes["perm"] = many;
        const auto tree = GraphTree::build(graph);
        QVERIFY(tree.has_value());
        const auto picture = graphPicture(*tree, {});
        QVERIFY(picture.has_value());
        std::string all;
        for (const Picture::Text& text : picture->texts) {
            all += text.text + " ";
            const bool fits = std::any_of(picture->boxes.begin(), picture->boxes.end(), [&](const Picture::Box& box) {
                const double half = static_cast<double>(text.text.size()) * PictureCharacterWidth / 2.0;
                return text.x - half >= box.x && text.x + half <= box.x + box.width && text.y - 8.0 >= box.y && text.y + 2.0 <= box.y + box.height;
            });
            QVERIFY2(fits, text.text.c_str());
        }
        for (const std::int64_t value : many) {
            QVERIFY2(all.find(std::to_string(value)) != std::string::npos, all.c_str());
        }
    }

    void theLegendHasWhatOccursAndNoMore() {
        const auto picture = regionPicture(refutedResult(), {});
        QVERIFY(picture.has_value());
        std::set<std::string> words;
        std::set<Role> drawn;
        for (const Picture::Text& text : picture->texts) {
            words.insert(text.text);
        }
        for (const Picture::Box& box : picture->boxes) {
            if (box.role && *box.role != Role::Plain) {
                drawn.insert(*box.role);
            }
        }
        QVERIFY(!drawn.empty());
        for (std::size_t i = 1; i < RoleCount; ++i) {
            const auto role = static_cast<Role>(i);
            QCOMPARE(words.count(lookOf(role).word) > 0, drawn.count(role) > 0);
        }
    }

    /// The marks of the window in the picture, light and dark: what its palette says, and nothing else.
    void coloursAreThoseOfTheRoles() {
        const std::string svg = pictureSvg(*regionPicture(refutedResult(), {}));
        QVERIFY(svg.find("stroke=\"" + hexColour(coloursOf(Role::Failing, Lightness::Light).line) + "\"") != std::string::npos);
        const std::size_t dark = svg.find("prefers-color-scheme: dark");
        QVERIFY(dark != std::string::npos);
        QVERIFY(svg.find(hexColour(coloursOf(Role::Failing, Lightness::Dark).line), dark) < svg.find("</style>"));
        QCOMPARE(hexColour(0x0A1B2C), std::string("#0a1b2c"));
    }

    /// Each role's glyph can be drawn: none is the empty box.
    void thePngHasEveryGlyph() {
        for (std::size_t i = 1; i < RoleCount; ++i) {
            const QString glyph = QString::fromUtf8(lookOf(static_cast<Role>(i)).glyph);
            QCOMPARE(glyph.size(), 1);
            int same = 0;
            for (int row = 0; row < GlyphHeight; ++row) {
                same += glyphRow(glyph[0].unicode(), row) == glyphRow(0, row) ? 1 : 0;
            }
            QVERIFY2(same < GlyphHeight, qPrintable(glyph));
        }
    }

    void pngsTellRolesApartWithoutColour() {
        std::set<std::string> pictures;
        for (std::size_t i = 1; i < RoleCount; ++i) {
            const auto role = static_cast<Role>(i);
            Picture picture{.width = 80, .height = 60};
            picture.boxes.push_back({10, 10, 60, 40, role, {}});
            picture.texts.push_back({20, 25, lookOf(role).glyph, Picture::Ink::Text, true, role});
            pictures.insert(*picturePng(picture));
        }
        QCOMPARE(pictures.size(), RoleCount - 1);
    }

    void regionOfAResultWithoutLemmasIsDrawnToo() {
        CheckResult result = provedResult(Strength::Identical);
        result.lemmas.clear();
        QVERIFY(regionPicture(result, {}).has_value());
    }

    void hostileNamesStayInsideTheirElement() {
        Picture picture{.width = 100, .height = 50, .title = "</title><script>"};
        picture.texts.push_back({10, 10, "<svg onload=\"x\">&", Picture::Ink::Text, false, {}});
        picture.description = "</desc><script>";
        const std::string svg = pictureSvg(picture);
        QVERIFY(wellFormed(svg));
        QVERIFY(svg.find("<script") == std::string::npos);
    }

    void pngIsDeterministicAndShowsInk() {
        const auto picture = regionPicture(refutedResult(), {});
        const auto a = picturePng(*picture);
        const auto b = picturePng(*picture);
        QVERIFY(a.has_value() && b.has_value());
        QCOMPARE(*a, *b);
        const auto blank = picturePng({.width = picture->width, .height = picture->height});
        QVERIFY(blank->size() < a->size());
    }

    void aPictureOfNoSensibleSizeIsRefused_data() {
        QTest::addColumn<double>("width");
        QTest::newRow("none") << 0.0;
        QTest::newRow("huge") << 1e9;
        QTest::newRow("infinite") << std::numeric_limits<double>::infinity();
        QTest::newRow("nan") << std::numeric_limits<double>::quiet_NaN();
    }
    void aPictureOfNoSensibleSizeIsRefused() {
        QFETCH(double, width);
        QVERIFY(!picturePng({.width = width, .height = 100.0}).has_value());
    }

    void dotNamesNodesValuesAndOutputs() {
        const std::string dot = graphDot(*softmaxGraph(1));
        for (const char* part : {"digraph \"softmax\"", "Softmax\\nsoft", "v0 -> n0", "output y"}) {
            QVERIFY2(dot.find(part) != std::string::npos, part);
        }
    }

    void summaryCountsOpsAndNamesTheOpenOnes() {
        auto graph = std::make_shared<Graph>(*softmaxGraph(1));
        Node open;
        open.op = {"", "foo", 17};
        open.operands = {graph->outputs[0]};
        open.results = {graph->addValue({.name = "z", .type = {}})};
        graph->addNode(std::move(open));
        const auto summary = summarise(graph);
        QVERIFY(summary.has_value());
        QCOMPARE(summary->nodes, std::size_t{2});
        QCOMPARE(summary->untypedValues, std::size_t{1});
        const std::string text = summaryText(*summary);
        QVERIFY(text.find("foo      open: nothing is assumed") != std::string::npos);
        QVERIFY(text.find("input x f32[2,2]") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestPictures)
#include "tst_pictures.moc"
