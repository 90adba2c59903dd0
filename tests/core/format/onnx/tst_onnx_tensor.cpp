#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/format/onnx/onnx_tensor.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace lemmascope;
using onnx::TensorProto;

namespace {

Result<NamedTensor> read(const TensorProto& proto) {
    const std::string bytes = proto.SerializeAsString();
    return readTensorProtoBytes(std::as_bytes(std::span(bytes)), "t.pb");
}

std::string hex(const Tensor& tensor) {
    std::string out;
    for (const std::byte byte : tensor.bytes()) {
        constexpr std::string_view Digits = "0123456789abcdef";
        out += Digits[std::to_integer<std::size_t>(byte) >> 4U];
        out += Digits[std::to_integer<std::size_t>(byte) & 15U];
    }
    return out;
}

} // namespace

class TestOnnxTensor : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void rawAndTypedFieldsAgree_data();
    void rawAndTypedFieldsAgree();
    void stringsAreRead();
    void flagsAreZeroOrOne();
    void whatIsWrittenReadsBackEqual_data() { rawAndTypedFieldsAgree_data(); }
    void whatIsWrittenReadsBackEqual();
    void namesAreKept();
    void filesAreRead();
};

void TestOnnxTensor::rawAndTypedFieldsAgree_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("count");
    QTest::addColumn<QByteArray>("raw");    // little-endian, as in a file
    QTest::addColumn<QByteArray>("memory"); // hexadecimal; empty: as in the file
    const auto row = [](const char* name, int type, int count, const QByteArray& raw, const QByteArray& memory = {}) {
        QTest::newRow(name) << type << count << QByteArray::fromHex(raw) << (memory.isEmpty() ? raw : memory);
    };
    row("f32", TensorProto::FLOAT, 2, "0000803f000000c0");
    row("u8", TensorProto::UINT8, 3, "00ff7f");
    row("i8", TensorProto::INT8, 3, "00ff80");
    row("u16", TensorProto::UINT16, 2, "0100ffff");
    row("i16", TensorProto::INT16, 2, "0100ffff");
    row("i32", TensorProto::INT32, 2, "01000000ffffffff");
    row("i64", TensorProto::INT64, 1, "ffffffffffffff7f");
    row("bool", TensorProto::BOOL, 3, "010001");
    row("f16", TensorProto::FLOAT16, 2, "003cffff");
    row("f64", TensorProto::DOUBLE, 1, "000000000000f03f");
    row("u32", TensorProto::UINT32, 2, "01000000ffffffff");
    row("u64", TensorProto::UINT64, 1, "ffffffffffffffff");
    row("c64", TensorProto::COMPLEX64, 1, "0000803f000000c0");
    row("c128", TensorProto::COMPLEX128, 1, "000000000000f03f00000000000000c0");
    row("bf16", TensorProto::BFLOAT16, 2, "803f00c0");
    row("f8e4m3fn", TensorProto::FLOAT8E4M3FN, 2, "387f");
    row("f8e4m3fnuz", TensorProto::FLOAT8E4M3FNUZ, 2, "3880");
    row("f8e5m2", TensorProto::FLOAT8E5M2, 2, "3c7c");
    row("f8e5m2fnuz", TensorProto::FLOAT8E5M2FNUZ, 2, "3c80");
    row("f8e8m0", TensorProto::FLOAT8E8M0, 2, "7fff");
    row("u4", TensorProto::UINT4, 3, "f10a", "010f0a"); // the first in the low bits
    row("i4", TensorProto::INT4, 3, "f108", "01fff8");
    row("f4", TensorProto::FLOAT4E2M1, 2, "f1", "010f");
    row("u2", TensorProto::UINT2, 5, "e401", "0001020301");
    row("i2", TensorProto::INT2, 5, "e401", "0001feff01");
}

void TestOnnxTensor::rawAndTypedFieldsAgree() {
    QFETCH(int, type);
    QFETCH(int, count);
    QFETCH(QByteArray, raw);
    QFETCH(QByteArray, memory);
    TensorProto proto;
    proto.set_data_type(type);
    proto.add_dims(count);
    TensorProto typed = proto;
    proto.set_raw_data(raw.data(), static_cast<std::size_t>(raw.size()));
    const auto fromRaw = read(proto);
    QVERIFY2(fromRaw.has_value(), fromRaw ? "" : fromRaw.error().text().c_str());
    QCOMPARE(QByteArray::fromStdString(hex(fromRaw->tensor)), memory);

    const auto each = [&raw]<typename T>(T, auto&& add) {
        for (qsizetype at = 0; at + static_cast<qsizetype>(sizeof(T)) <= raw.size(); at += static_cast<qsizetype>(sizeof(T))) {
            T value{};
            std::memcpy(&value, raw.data() + at, sizeof(T));
            add(value);
        }
    };
    const auto int32 = [&typed](auto value) { typed.add_int32_data(value); };
    switch (type) {
    case TensorProto::FLOAT:
    case TensorProto::COMPLEX64: each(float{}, [&](float v) { typed.add_float_data(v); }); break;
    case TensorProto::DOUBLE:
    case TensorProto::COMPLEX128: each(double{}, [&](double v) { typed.add_double_data(v); }); break;
    case TensorProto::INT64: each(std::int64_t{}, [&](std::int64_t v) { typed.add_int64_data(v); }); break;
    case TensorProto::UINT64: each(std::uint64_t{}, [&](std::uint64_t v) { typed.add_uint64_data(v); }); break;
    case TensorProto::UINT32: each(std::uint32_t{}, [&](std::uint32_t v) { typed.add_uint64_data(v); }); break;
    case TensorProto::INT32: each(std::int32_t{}, int32); break;
    case TensorProto::INT16: each(std::int16_t{}, int32); break;
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16: each(std::uint16_t{}, int32); break;
    case TensorProto::INT8: each(std::int8_t{}, int32); break;
    default: each(std::uint8_t{}, int32); break;
    }
    const auto fromTyped = read(typed);
    QVERIFY2(fromTyped.has_value(), fromTyped ? "" : fromTyped.error().text().c_str());
    QVERIFY(fromTyped->tensor.sameBits(fromRaw->tensor));
}

void TestOnnxTensor::stringsAreRead() {
    TensorProto proto;
    proto.set_data_type(TensorProto::STRING);
    proto.add_dims(2);
    proto.add_string_data("a");
    proto.add_string_data(std::string("\xff\0b", 3)); // any bytes
    const auto tensor = read(proto);
    QVERIFY(tensor.has_value());
    QVERIFY(tensor->tensor.sameBits(Tensor::ofStrings({2}, {"a", std::string("\xff\0b", 3)})));
}

void TestOnnxTensor::flagsAreZeroOrOne() {
    TensorProto proto;
    proto.set_data_type(TensorProto::BOOL);
    proto.add_dims(3);
    proto.set_raw_data(std::string("\x02\x00\xff", 3));
    QCOMPARE(hex(read(proto)->tensor), std::string("010001"));
}

void TestOnnxTensor::whatIsWrittenReadsBackEqual() {
    QFETCH(int, type);
    QFETCH(int, count);
    QFETCH(QByteArray, raw);
    TensorProto proto;
    proto.set_data_type(type);
    proto.add_dims(count);
    proto.set_raw_data(raw.data(), static_cast<std::size_t>(raw.size()));
    const Tensor tensor = read(proto)->tensor;
    const auto bytes = tensorProtoBytes(tensor, "name");
    QVERIFY(bytes.has_value());
    TensorProto again;
    QVERIFY(again.ParseFromString(*bytes));
    QCOMPARE(QByteArray::fromStdString(again.raw_data()), raw);
    const auto back = readTensorProtoBytes(std::as_bytes(std::span(*bytes)));
    QVERIFY(back.has_value());
    QVERIFY(back->tensor.sameBits(tensor));
}

void TestOnnxTensor::namesAreKept() {
    const auto bytes = tensorProtoBytes(Tensor::ofStrings({1}, {"s"}), "weights");
    QCOMPARE(readTensorProtoBytes(std::as_bytes(std::span(*bytes)))->name, std::string("weights"));
}

void TestOnnxTensor::filesAreRead() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("input_0.pb").toStdString();
    QCOMPARE(readTensorProtoFile(path).error().code, ErrorCode::NotFound);
    std::ofstream(path, std::ios::binary) << *tensorProtoBytes(Tensor::of<float>(ElementType::F32, {2}, {1, 2}), "x");
    const auto tensor = readTensorProtoFile(path);
    QVERIFY(tensor.has_value());
    QVERIFY(tensor->tensor.sameBits(Tensor::of<float>(ElementType::F32, {2}, {1, 2})));
    std::ofstream(path, std::ios::binary) << "<html>";
    QCOMPARE(readTensorProtoFile(path).error().text(), path + ": is not a serialised tensor (TensorProto), or was cut short");
}

QTEST_GUILESS_MAIN(TestOnnxTensor)
#include "tst_onnx_tensor.moc"
