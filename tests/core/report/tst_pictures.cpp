#include "core/report/graph_picture.h"
#include "core/report/graph_summary.h"
#include "core/report/picture.h"
#include "tests/core/report/results.h"

#include <QTest>
#include <QXmlStreamReader>

#include <limits>

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

  private slots:
    void regionShowsBothSidesWithMarksInWords() {
        const auto picture = regionPicture(refutedResult(), {});
        QVERIFY(picture.has_value());
        const std::string svg = pictureSvg(*picture);
        QVERIFY(wellFormed(svg));
        for (const char* part : {"reference", "rewritten", "Softmax - failing", "refuted: value", "axis = 0"}) {
            QVERIFY2(svg.find(part) != std::string::npos, part);
        }
    }

    void regionOfAResultWithoutLemmasIsDrawnToo() {
        CheckResult result = provedResult(Strength::Identical);
        result.lemmas.clear();
        QVERIFY(regionPicture(result, {}).has_value());
    }

    void hostileNamesStayInsideTheirElement() {
        Picture picture{.width = 100, .height = 50, .title = "</title><script>"};
        picture.texts.push_back({10, 10, "<svg onload=\"x\">&", {}, false});
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
