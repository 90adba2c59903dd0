#include "core/report/element_text.h"
#include "core/report/tensor_pair.h"
#include "core/report/tensor_scan.h"

#include <QTest>

#include <limits>
#include <random>

using namespace lemmascope;

namespace {

Tensor f32(std::vector<std::int64_t> shape, const std::vector<float>& values) {
    return Tensor::of<float>(ElementType::F32, std::move(shape), values);
}
Tensor counting(std::vector<std::int64_t> shape) {
    Tensor tensor(ElementType::I32, std::move(shape));
    const auto out = tensor.mutableAs<std::int32_t>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<std::int32_t>(i);
    }
    return tensor;
}
QString differs(const Tensor& a, const Tensor& b) { return QString::fromStdString(differenceSentence(*compareTensors(a, b), a.shape())); }

} // namespace

class TestTensorScan : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Every element of every choice of axes is at one cell, and that cell names it.
    void sliceAndElementAgree() {
        const Tensor tensor = counting({2, 3, 4, 5});
        for (std::size_t rows = 0; rows < 4; ++rows) {
            for (std::size_t columns = 0; columns < 4; ++columns) {
                TensorSlice slice(tensor.shape());
                if (rows == columns) {
                    continue;
                }
                slice.setAxes(rows, columns);
                for (std::int64_t flat = 0; flat < tensor.count(); flat += 7) {
                    slice.moveTo(flat);
                    const auto place = slice.placeOf(flat);
                    QVERIFY(place.has_value());
                    QCOMPARE(slice.flat(place->first, place->second), std::optional(flat));
                    const auto index = indexOf(tensor.shape(), flat);
                    QCOMPARE(place->first, index[rows]);
                    QCOMPARE(place->second, index[columns]);
                }
            }
        }
    }

    void scalarsAndVectorsHaveATable() {
        const TensorSlice scalar{std::vector<std::int64_t>{}};
        QCOMPARE(scalar.rows(), std::int64_t{1});
        QCOMPARE(scalar.flat(0, 0), std::optional<std::int64_t>(0));
        const TensorSlice vector({40});
        QCOMPARE(vector.rows(), std::int64_t{3});
        QCOMPARE(vector.columns(), std::int64_t{16});
        QCOMPARE(vector.flat(2, 7), std::optional<std::int64_t>(39));
        QCOMPARE(vector.flat(2, 8), std::optional<std::int64_t>());
        QCOMPARE(vector.rowName(1), std::string("16"));
        const TensorSlice empty({3, 0, 2});
        QCOMPARE(empty.rows(), std::int64_t{0});
        QCOMPARE(empty.flat(0, 0), std::optional<std::int64_t>());
        QCOMPARE(TensorSlice({2, 3, 4}).text(), std::string("[0,:,:]"));
    }

    void differencesAreCountedAndPlaced() {
        const Tensor a = f32({2, 3}, {0, 1, 2, 3, 4, 5});
        QCOMPARE(differs(a, a), QStringLiteral("all 6 elements are equal"));
        const Tensor b = f32({2, 3}, {-0.0F, 1, 2.0000002F, 3, 4, 6});
        QCOMPARE(differs(a, b), QStringLiteral("2 of 6 elements differ, first at [0,2], largest 2,097,152 ulp at [1,2]"));
        const Tensor c = f32({2, 3}, {std::numeric_limits<float>::quiet_NaN(), 1, 2, 3, 4, 5});
        QCOMPARE(differs(a, c), QStringLiteral("1 of 6 elements differ, first at [0,0], 1 without a distance"));
        QCOMPARE(differs(f32({}, {1}), f32({}, {2})), QStringLiteral("1 of 1 element differs, largest 8,388,608 ulp"));
        QVERIFY(!compareTensors(a, f32({3, 2}, {0, 1, 2, 3, 4, 5})).has_value());
        QVERIFY(!compareTensors(a, counting({2, 3})).has_value());
    }

    void steppingVisitsEveryDifferenceOnce() {
        std::mt19937 random(3);
        Tensor a(ElementType::I32, {5000});
        Tensor b(ElementType::I32, {5000});
        std::vector<std::int64_t> wanted;
        {
            const auto out = b.mutableAs<std::int32_t>();
            for (std::int64_t i = 0; i < 5000; ++i) {
                if (random() % 700 == 0 || i == 4999 || i == 1024) {
                    out[static_cast<std::size_t>(i)] = 1;
                    wanted.push_back(i);
                }
            }
        }
        for (const bool backwards : {false, true}) {
            std::vector<std::int64_t> met;
            std::int64_t at = wanted.front();
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const auto next = nextDifference(a, b, at, backwards);
                QVERIFY(next.has_value() && next->has_value());
                at = **next;
                met.push_back(at);
            }
            QCOMPARE(at, wanted.front()); // once around
            std::sort(met.begin(), met.end());
            QCOMPARE(met, wanted);
        }
        QCOMPARE(**nextDifference(a, b, -1, false), wanted.front());
        QVERIFY(!nextDifference(a, a, 0, false)->has_value());
        // One difference, and the reader stands on it.
        const Tensor one = f32({2}, {0, 1});
        const Tensor other = f32({2}, {0, 2});
        QCOMPARE(**nextDifference(one, other, 1, false), std::int64_t{1});
        QCOMPARE(**nextDifference(one, other, 1, true), std::int64_t{1});
    }

    void statisticsLeaveOutWhatIsNotFinite() {
        const float inf = std::numeric_limits<float>::infinity();
        const Tensor tensor = f32({2, 3}, {1, -2, std::numeric_limits<float>::quiet_NaN(), inf, 1e-45F, -0.0F});
        const QString text = QString::fromStdString(statisticsSentence(*statisticsOf(tensor), tensor));
        QCOMPARE(text, QStringLiteral("6 elements, min -2 at [0,1], max 1 at [0,0], mean -0.25, 1 NaN, 1 infinite, 1 denormal, 1 negative zero"));
        const Tensor words = Tensor::ofStrings({2}, {"a", "b"});
        QCOMPARE(statisticsSentence(*statisticsOf(words), words), std::string("2 elements"));
        const Tensor wide = Tensor::of<std::uint64_t>(ElementType::U64, {2}, {std::numeric_limits<std::uint64_t>::max(), 1});
        QCOMPARE(statisticsOf(wide)->largestAt, std::int64_t{0});
        const Tensor huge = f32({2}, {3e38F, 3e38F});
        QCOMPARE(static_cast<float>(statisticsOf(huge)->mean), 3e38F);
    }

    /// No difference is lost by pooling: a grid cell has the greatest class of what it stands for, and a click finds it.
    void pooledCellsKeepTheGreatest() {
        Tensor a(ElementType::F32, {300, 200});
        Tensor b(ElementType::F32, {300, 200});
        {
            const auto out = b.mutableAs<float>();
            out[299 * 200 + 199] = 1.0F;
            out[0] = 1e-45F;
            out[150 * 200 + 3] = std::numeric_limits<float>::quiet_NaN();
        }
        const TensorSlice slice(a.shape());
        const auto map = heatMapOf(a, &b, slice, 37, 41);
        QVERIFY(map.has_value());
        QCOMPARE(map->rows, 37);
        QCOMPARE(map->columns, 41);
        QCOMPARE(map->marked, std::int64_t{3});
        QCOMPARE(std::count_if(map->cells.begin(), map->cells.end(), [](HeatClass kind) { return kind != HeatClass::None; }), 3);
        QVERIFY(map->at(36, 40) == HeatClass::Most);
        QVERIFY(map->at(0, 0) == HeatClass::Least);
        const auto [row, column] = map->gridOf(150, 3);
        QVERIFY(map->at(row, column) == HeatClass::Odd);
        QCOMPARE(decisiveElement(*map, a, &b, slice, row, column), std::optional<std::int64_t>(150 * 200 + 3));
        // Grid and cells agree everywhere.
        for (int r = 0; r < map->rows; ++r) {
            const CellRange range = map->cellsOf(r, 0);
            QVERIFY(range.rows > 0);
            QCOMPARE(map->gridOf(range.firstRow, 0).first, r);
            QCOMPARE(map->gridOf(range.firstRow + range.rows - 1, 0).first, r);
        }
    }

    void magnitudesAreSharesOfTheLargest() {
        const Tensor tensor = f32({1, 5}, {0, 1e-4F, 0.05F, 1, std::numeric_limits<float>::infinity()});
        const auto map = heatMapOf(tensor, nullptr, TensorSlice(tensor.shape()), 10, 10);
        QCOMPARE(map->largest, 1.0);
        QVERIFY(map->at(0, 0) == HeatClass::None && map->at(0, 1) == HeatClass::Least && map->at(0, 2) == HeatClass::Middle);
        QVERIFY(map->at(0, 3) == HeatClass::Most && map->at(0, 4) == HeatClass::Odd);
    }

    void cellsSayWhatBothSidesHave() {
        const TensorPair pair{f32({2}, {1.5F, -0.0F}), f32({2}, {2.0F, 0.0F})};
        const auto cell = [&pair](CellContent content, std::int64_t flat) { return QString::fromStdString(cellText(pair, content, {}, flat)); };
        QCOMPARE(cell(CellContent::Both, 0), QStringLiteral("1.5 \u2260 2"));
        QCOMPARE(cell(CellContent::Both, 1), QStringLiteral("-0")); // counted as equal, and shown for what it is
        QCOMPARE(cell(CellContent::Rewritten, 0), QStringLiteral("2"));
        QCOMPARE(cell(CellContent::Difference, 0), QStringLiteral("0.5"));
        QCOMPARE(cell(CellContent::Ulp, 0), QStringLiteral("4,194,304"));
        QCOMPARE(QString::fromStdString(cellSentence(pair, 0)),
                 QStringLiteral("[0]: reference 1.5, bits 0x3fc00000; rewritten 2, bits 0x40000000; difference 0.5, 4,194,304 ulp"));
        QVERIFY(QString::fromStdString(cellSentence(pair, 1))
                    .endsWith(QStringLiteral("negative zero), bits 0x80000000; rewritten 0, bits 0x00000000; "
                                             "counted as equal")));
    }

    void sidesOfDifferentTypesAreComparedAsNumbers() {
        const TensorPair pair{f32({2}, {1, 2}), Tensor::of<std::int32_t>(ElementType::I32, {2}, {1, 3})};
        QVERIFY(!pair.comparable());
        QVERIFY(!differsAt(pair, 0));
        QVERIFY(differsAt(pair, 1));
        QCOMPARE(cellText(pair, CellContent::Ulp, {}, 1), std::string("\u2260"));
        const TensorPair words{Tensor::ofStrings({1}, {"a"}), Tensor::ofStrings({1}, {"b"})};
        QCOMPARE(cellText(words, CellContent::Difference, {}, 0), std::string("\"a\" \u2260 \"b\""));
        const TensorPair shapes{f32({2}, {1, 2}), f32({1, 2}, {1, 2})};
        QVERIFY(!shapes.sameShape());
        QCOMPARE(cellText(shapes, CellContent::Both, {}, 1), std::string("2"));
    }

    void walksStopWhenAsked() {
        const Tensor a(ElementType::F32, {100'000});
        std::stop_source source;
        source.request_stop();
        QCOMPARE(statisticsOf(a, source.get_token()).error().code, ErrorCode::Cancelled);
        QCOMPARE(compareTensors(a, a, source.get_token()).error().code, ErrorCode::Cancelled);
        QCOMPARE(heatMapOf(a, nullptr, TensorSlice(a.shape()), 10, 10, source.get_token()).error().code, ErrorCode::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestTensorScan)
#include "tst_tensor_scan.moc"
