#include "core/graph/infer.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

/// `y: f32[2,n]` per output, its elements in braces where known; or the error's message.
QString inferred(const std::string& text, std::int64_t opset = 17, const InferOptions& options = {}) {
    const auto graph = inferTypes(*parseGraph(text, opset), options);
    if (!graph) {
        return QString::fromStdString("error: " + graph.error().message);
    }
    std::string out;
    for (const ValueId id : (*graph)->outputs) {
        const Value& value = (*graph)->value(id);
        out += (out.empty() ? "" : " ") + value.type.text();
        if (value.elements) {
            std::string elements;
            for (const Dim& element : *value.elements) {
                elements += (elements.empty() ? "" : " ") + element.text();
            }
            out += "{" + elements + "}";
        }
    }
    return QString::fromStdString(out);
}

} // namespace

class TestInfer : public QObject {
    Q_OBJECT

  private slots:
    void typesFollowTheOps_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("expected");
        QTest::newRow("relu") << "in x f32[2,n]; y = Relu(x); out y"
                              << "f32[2,n]";
        QTest::newRow("broadcast") << "in x f32[2,1,n]; in y f32[5,n]; z = Add(x, y); out z"
                                   << "f32[2,5,n]";
        QTest::newRow("broadcast a symbol with a number") << "in x f32[n]; in y f32[5]; z = Mul(x, y); out z"
                                                          << "f32[5]";
        QTest::newRow("broadcast mismatch") << "in x f32[2]; in y f32[3]; z = Add(x, y); out z"
                                            << "error: node 'z': shapes [2] and [3] do not broadcast: 2 and 3 differ and neither is 1";
        QTest::newRow("shape chain")
            << "in x f32[n,4,8]; s = Shape(x); const i i64[1] 0; b = Gather(s, i); const m i64[1] -1; t = Concat(b, m) axis=0; "
               "y = Reshape(x, t); out y, t"
            << "f32[n,32] i64[2]{n -1}";
        QTest::newRow("matmul") << "in x f32[b,2,n]; in w f32[n,7]; y = MatMul(x, w); out y"
                                << "f32[b,2,7]";
    }

    void typesFollowTheOps() {
        QFETCH(QString, graph);
        QFETCH(QString, expected);
        QCOMPARE(inferred(graph.toStdString()), expected);
    }
};

QTEST_APPLESS_MAIN(TestInfer)
#include "tst_infer.moc"
