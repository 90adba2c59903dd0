#include "core/format/json/json_reader.h"
#include "core/report/element_text.h"
#include "core/report/tensor_copy.h"

#include <QProcess>
#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace lemmascope;

namespace {

float fromBits(std::uint32_t bits) {
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

QString literal(const Tensor& tensor) { return QString::fromStdString(*numpyLiteral(tensor)); }

/// Bits of the numbers in a one-line literal, read the way Python and NumPy do: a double first, then rounded to the type.
std::vector<std::uint32_t> readBack32(const QString& text) {
    std::vector<std::uint32_t> bits;
    const bool words = text.contains(QStringLiteral("np.uint32"));
    for (QString item : text.section(u'[', 1).section(u']', 0, 0).split(QStringLiteral(", "))) {
        if (words) {
            bits.push_back(item.toUInt(nullptr, 16));
            continue;
        }
        double value = 0.0;
        if (item.startsWith(QStringLiteral("float.fromhex('"))) {
            value = std::strtod(item.section(u'\'', 1, 1).toLatin1().constData(), nullptr);
        } else if (item == QStringLiteral("np.nan")) {
            value = std::numeric_limits<double>::quiet_NaN();
        } else if (item.endsWith(QStringLiteral("np.inf"))) {
            value = item.startsWith(u'-') ? -INFINITY : INFINITY;
        } else {
            value = std::strtod(item.toLatin1().constData(), nullptr);
        }
        const auto narrow = static_cast<float>(value);
        std::uint32_t word = 0;
        std::memcpy(&word, &narrow, sizeof word);
        bits.push_back(word);
    }
    return bits;
}

bool hasNumpy() {
    QProcess python;
    python.start(QStringLiteral("python3"), {QStringLiteral("-c"), QStringLiteral("import numpy")});
    return python.waitForFinished(30'000) && python.exitStatus() == QProcess::NormalExit && python.exitCode() == 0;
}

} // namespace

class TestTensorCopy : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void numpyLiteralsOfEachKind() {
        QCOMPARE(literal(Tensor::of<float>(ElementType::F32, {2, 2}, {1.5F, -0.0F, 0.1F, 3})),
                 QStringLiteral("np.array([[1.5, -0.0],\n          [0.1, 3.0]], dtype=np.float32)"));
        QCOMPARE(literal(Tensor::of<double>(ElementType::F64, {}, {0.1})), QStringLiteral("np.array(0.1, dtype=np.float64)"));
        QCOMPARE(literal(Tensor::of<float>(ElementType::F32, {2}, {INFINITY, -INFINITY})),
                 QStringLiteral("np.array([np.inf, -np.inf], dtype=np.float32)"));
        QCOMPARE(literal(Tensor::of<float>(ElementType::F32, {1}, {fromBits(0x7f800001)})),
                 QStringLiteral("np.array([0x7f800001], dtype=np.uint32).view(np.float32)"));
        QCOMPARE(literal(Tensor::of<std::uint8_t>(ElementType::Bool, {2}, {1, 0})), QStringLiteral("np.array([True, False], dtype=np.bool_)"));
        QCOMPARE(literal(Tensor::of<std::int8_t>(ElementType::I4, {1}, {-8})),
                 QStringLiteral("np.array([-8], dtype=np.int8)  # i4, which NumPy has no type for"));
        QCOMPARE(literal(Tensor::of<std::uint16_t>(ElementType::BF16, {1}, {0x3f80})),
                 QStringLiteral("np.array([0x3f80], dtype=np.uint16)  # the bits of bf16, which NumPy has no type for"));
        QCOMPARE(literal(Tensor(ElementType::I64, {2, 0})), QStringLiteral("np.zeros((2, 0), dtype=np.int64)"));
        QCOMPARE(literal(Tensor::ofStrings({2}, {"it's", "a\\b\n"})), QStringLiteral("np.array(['it\\'s', 'a\\\\b\\n'], dtype=object)"));
        QCOMPARE(literal(Tensor::ofStrings({1}, {"\xff"})), QStringLiteral("np.array([b'\\xff'], dtype=object)"));
    }

    /// 1.00000017881393432617187499 is nearer to the upper neighbour as a double: such floats are written in hexadecimal. Whatever is
    /// written comes back to the bit.
    void floatsComeBackToTheBit() {
        std::mt19937 random(11);
        std::vector<float> values{0.0F, -0.0F, fromBits(1), fromBits(0x007fffff), fromBits(0x00800000), 3.4028235e38F, 0.1F, fromBits(0x7fc00000)};
        for (int i = 0; i < 2000; ++i) {
            const float value = fromBits(static_cast<std::uint32_t>(random()));
            if (!std::isnan(value)) {
                values.push_back(value);
            }
        }
        const Tensor tensor = Tensor::of<float>(ElementType::F32, {static_cast<std::int64_t>(values.size())}, values);
        const auto back = readBack32(literal(tensor));
        QCOMPARE(back.size(), values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, &values[i], sizeof bits);
            QCOMPARE(back[i], bits);
        }
        const Tensor odd = Tensor::of<float>(ElementType::F32, {2}, {fromBits(0xffc12345), 1.0F});
        QCOMPARE(readBack32(literal(odd)), (std::vector<std::uint32_t>{0xffc12345, 0x3f800000}));
    }

    /// The same through NumPy itself, where it is installed.
    void numpyReadsThemToo() {
        if (!hasNumpy()) {
            QSKIP("no python3 with numpy: the literals were read by this test's own reader");
        }
        std::mt19937 random(5);
        QString script = QStringLiteral("import numpy as np, sys\n");
        QStringList wanted;
        const auto add = [&](const Tensor& tensor) {
            script += QStringLiteral("print((%1\n).tobytes().hex())\n").arg(literal(tensor));
            wanted << QString::fromLatin1(
                QByteArray(reinterpret_cast<const char*>(tensor.bytes().data()), static_cast<qsizetype>(tensor.bytes().size())).toHex());
        };
        std::vector<float> single;
        std::vector<double> wide;
        std::vector<std::uint16_t> half;
        for (int i = 0; i < 300; ++i) {
            single.push_back(fromBits(static_cast<std::uint32_t>(random())));
            wide.push_back(std::ldexp(static_cast<double>(random()) - 2e9, static_cast<int>(random() % 2000) - 1000));
            half.push_back(static_cast<std::uint16_t>(random()));
        }
        add(Tensor::of<float>(ElementType::F32, {3, 100}, single));
        add(Tensor::of<double>(ElementType::F64, {2, 3, 50}, wide));
        add(Tensor::of<std::uint16_t>(ElementType::F16, {300}, half));
        add(Tensor::of<std::int64_t>(ElementType::I64, {2}, {std::numeric_limits<std::int64_t>::min(), 7}));
        add(Tensor::of<std::uint8_t>(ElementType::Bool, {2}, {1, 0}));
        QProcess python;
        python.start(QStringLiteral("python3"), {QStringLiteral("-c"), script});
        QVERIFY(python.waitForFinished(60'000));
        QCOMPARE(QString::fromLatin1(python.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts), wanted);
    }

    /// What is copied as JSON can be pasted into a graph as a constant, and has the same bits there.
    void jsonIsAConstantOfAGraph() {
        std::vector<float> values(200, 0.25F);
        values[3] = fromBits(0x7f800001);
        for (const Tensor& tensor :
             {Tensor::of<float>(ElementType::F32, {200}, std::vector<float>(200, 0.1F)), Tensor::of<float>(ElementType::F32, {2, 100}, values),
              Tensor::of<std::uint8_t>(ElementType::F8E5M2, {2}, {0x3C, 0x7F}),
              Tensor::of<std::int64_t>(ElementType::I64, {1}, {std::numeric_limits<std::int64_t>::min()}),
              Tensor::of<std::uint8_t>(ElementType::Bool, {}, {1})}) {
            const std::string object = *tensorJson(tensor);
            const std::string graph =
                "{\"format\": \"lemmascope-graph\", \"version\": 1, \"name\": \"g\", \"opset\": 17, \"inputs\": [], \"constants\": "
                "[{\"name\": \"c\", " +
                object.substr(1) + "], \"nodes\": [], \"outputs\": [\"c\"]}";
            const auto read = readJsonGraph(graph, {});
            QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
            const auto& constant = (*read)->values[(*read)->outputs[0].index].constant;
            QVERIFY(constant.has_value());
            QVERIFY2(constant->sameBits(tensor), object.c_str());
        }
        QVERIFY(tensorJson(Tensor::of<float>(ElementType::F32, {200}, std::vector<float>(200, 0.1F)))->find("\"data\"") != std::string::npos);
    }

    void selectedCellsAreATensor() {
        Tensor tensor(ElementType::I32, {2, 3, 4});
        {
            const auto out = tensor.mutableAs<std::int32_t>();
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = static_cast<std::int32_t>(i);
            }
        }
        TensorSlice slice(tensor.shape());
        slice.setAxes(0, 2);
        slice.setIndex(1, 1);
        const auto part = elementsOf(tensor, slice, {0, 1, 2, 2});
        QVERIFY(part.has_value());
        QCOMPARE(literal(*part), QStringLiteral("np.array([[5, 6],\n          [17, 18]], dtype=np.int32)"));
        const Tensor vector = tensor.reshaped({24});
        const auto tail = elementsOf(vector, TensorSlice(vector.shape()), {1, 0, 1, 16});
        QCOMPARE(tail->shape(), (std::vector<std::int64_t>{8}));
        QCOMPARE(tail->toInt64(0), std::int64_t{16});
        QVERIFY(!elementsOf(vector, TensorSlice(vector.shape()), {1, 12, 1, 2}).has_value());
    }

    void tooMuchIsRefusedWithARemedy() {
        const Tensor tensor(ElementType::F32, {1000, 100});
        const auto refused = numpyLiteral(tensor);
        QCOMPARE(refused.error().code, ErrorCode::TooLarge);
        QVERIFY(refused.error().message.find("100,000 elements") != std::string::npos && refused.error().message.find(".npy") != std::string::npos);
        QCOMPARE(tensorJson(tensor).error().code, ErrorCode::TooLarge);
        QCOMPARE(elementsOf(tensor, TensorSlice(tensor.shape()), {0, 0, 1000, 100}).error().code, ErrorCode::TooLarge);
    }

    void cellsAsTextAndMarkdown() {
        const TensorSlice slice({2, 2});
        const auto cell = [](std::int64_t row, std::int64_t column) { return row == 0 ? std::string("a|b") : std::to_string(column); };
        QCOMPARE(plainCells(slice, {0, 0, 2, 2}, cell), std::string("     0    1\n0  a|b  a|b\n1    0    1\n"));
        QCOMPARE(markdownCells(slice, {1, 1, 1, 1}, cell), std::string("| | 1 |\n| ---: | ---: |\n| 1 | 1 |\n"));
        QVERIFY(markdownCells(slice, {0, 0, 1, 1}, cell).find("a\\|b") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTensorCopy)
#include "tst_tensor_copy.moc"
