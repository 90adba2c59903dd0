#include "ui/models/tensor_table_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace lemmascope;

namespace {

Tensor counting(std::vector<std::int64_t> shape) {
    Tensor tensor(ElementType::I32, std::move(shape));
    const auto out = tensor.mutableAs<std::int32_t>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<std::int32_t>(i);
    }
    return tensor;
}

/// A tensor of any size over one byte that is there: nothing may walk it.
Tensor hollow(std::vector<std::int64_t> shape) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) {
        count *= length;
    }
    static const std::byte byte{7};
    // Reading past the first element would be an error that the address sanitizer sees.
    return {ElementType::U8, std::move(shape), std::span<const std::byte>(&byte, static_cast<std::size_t>(count)), nullptr};
}

} // namespace

class TestTensorTable : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void keepsTheRulesOfModels() {
        TensorTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.setTensors({counting({2, 3, 4}), counting({2, 3, 4})}, TensorSlice({2, 3, 4}));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.columnCount(), 4);
        TensorSlice slice({2, 3, 4});
        slice.setIndex(0, 1);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setSlice(slice);
        QCOMPARE(reset.count(), 0); // only the cells change: selection and scroll stay
        QCOMPARE(model.index(2, 3).data().toString(), QStringLiteral("23"));
        slice.setAxes(0, 2);
        model.setSlice(slice);
        QCOMPARE(reset.count(), 1);
        QCOMPARE(model.rowCount(), 2);
        model.setFormat({NumberStyle::Bits, 0});
        QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("0x00000001"));
        model.setTensors({}, TensorSlice());
        QCOMPARE(model.columnCount(), 0);
    }

    void vectorsAreBrokenIntoRows() {
        TensorTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTensors({counting({20}), std::nullopt}, TensorSlice({20}));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.headerData(1, Qt::Vertical).toString(), QStringLiteral("16"));
        QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), QStringLiteral("+1"));
        QCOMPARE(model.index(1, 3).data().toString(), QStringLiteral("19"));
        QVERIFY(!model.index(1, 4).data().isValid());
        QVERIFY(!model.flatAt(model.index(1, 4)));
    }

    void differingCellsSaySoInWords() {
        TensorTableModel model;
        const auto tensor = [](float last) { return Tensor::of<float>(ElementType::F32, {1, 2}, {1, last}); };
        model.setTensors({tensor(2), tensor(3)}, TensorSlice({1, 2}));
        QVERIFY(!model.index(0, 0).data(TensorTableModel::DiffersRole).toBool());
        QVERIFY(model.index(0, 1).data(TensorTableModel::DiffersRole).toBool());
        QVERIFY(model.index(0, 1).data().toString().contains(QChar(0x2260)));
        const QString spoken = model.index(0, 1).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(spoken.contains(QStringLiteral("[0,1]")) && spoken.contains(QStringLiteral("rewritten 3")), qPrintable(spoken));
    }

    /// Ten thousand million elements: only what is asked for is looked at, and a view is never told of more lines than it can keep.
    void hugeTensorsAreShownInPages() {
        TensorTableModel model;
        model.setTensors({hollow({200'000, 50'000}), std::nullopt}, TensorSlice({200'000, 50'000}));
        QCOMPARE(model.rowCount(), static_cast<int>(TensorTableModel::PageRows));
        QCOMPARE(model.columnCount(), static_cast<int>(TensorTableModel::PageColumns));
        QCOMPARE(model.rowPages(), std::int64_t{4});
        QCOMPARE(model.columnPages(), std::int64_t{50});
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("7"));
        model.setPage(99, 99);
        QCOMPARE(model.rowPage(), std::int64_t{3});
        QCOMPARE(model.headerData(0, Qt::Vertical).toString(), QStringLiteral("150000"));
        const std::int64_t last = std::int64_t{200'000} * 50'000 - 1;
        QCOMPARE(model.flatAt(model.index(model.rowCount() - 1, model.columnCount() - 1)), std::optional(last));
        QCOMPARE(model.indexOfElement(last), model.index(model.rowCount() - 1, model.columnCount() - 1));
        QVERIFY(!model.indexOfElement(0).isValid()); // on another page
    }
};

QTEST_GUILESS_MAIN(TestTensorTable)
#include "tst_tensor_table.moc"
