#include "core/format/npy/npy.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <zlib.h>

#include <algorithm>
#include <cstring>

using namespace lemmascope;

namespace {

/// An .npy file by hand: the header's text, padded as NumPy does, then the data.
QByteArray npy(const QByteArray& dictionary, const QByteArray& data, int version = 1) {
    QByteArray text = dictionary;
    while ((text.size() + (version == 1 ? 10 : 12) + 1) % 64 != 0) {
        text += ' ';
    }
    text += '\n';
    QByteArray out("\x93NUMPY");
    out += static_cast<char>(version);
    out += '\0';
    for (int k = 0; k < (version == 1 ? 2 : 4); ++k) {
        out += static_cast<char>((text.size() >> (8 * k)) & 0xFF);
    }
    return out + text + data;
}

QByteArray dictionary(const char* descr, const char* shape, const char* fortran = "False") {
    return QByteArray("{'descr': '") + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

Result<Tensor> read(const QByteArray& file) {
    return readNpyBytes(std::as_bytes(std::span(file.constData(), static_cast<std::size_t>(file.size()))), "a.npy");
}

QByteArray bytesOf(const Tensor& tensor) {
    return {reinterpret_cast<const char*>(tensor.bytes().data()), static_cast<qsizetype>(tensor.bytes().size())};
}

QByteArray number(std::uint64_t value, int size) {
    QByteArray out;
    for (int k = 0; k < size; ++k) {
        out += static_cast<char>((value >> (8 * k)) & 0xFFU);
    }
    return out;
}

struct Member {
    QByteArray name;
    QByteArray content;
    int method = 0;
    int flags = 0;
    bool wrongChecksum = false;
    std::int64_t claimedSize = -1;
};

QByteArray deflated(const QByteArray& content) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    QByteArray out(static_cast<qsizetype>(deflateBound(&stream, static_cast<uLong>(content.size()))), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.constData()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.truncate(static_cast<qsizetype>(stream.total_out));
    deflateEnd(&stream);
    return out;
}

/// A zip archive as numpy.savez writes it; with `zip64`, sizes stand in the extra field as numpy's do for each member.
QByteArray archive(const std::vector<Member>& members, bool zip64 = false) {
    QByteArray out;
    QByteArray directory;
    for (const Member& member : members) {
        const QByteArray packed = member.method == 8 ? deflated(member.content) : member.content;
        const auto checksum = static_cast<std::uint32_t>(
            crc32(0, reinterpret_cast<const Bytef*>(member.content.constData()), static_cast<uInt>(member.content.size())));
        const std::uint64_t size =
            member.claimedSize < 0 ? static_cast<std::uint64_t>(member.content.size()) : static_cast<std::uint64_t>(member.claimedSize);
        const auto packedSize = static_cast<std::uint64_t>(packed.size());
        const auto offset = static_cast<std::uint64_t>(out.size());
        const QByteArray common = number(20, 2) + number(static_cast<std::uint64_t>(member.flags), 2) +
                                  number(static_cast<std::uint64_t>(member.method), 2) + number(0, 4) +
                                  number(checksum ^ (member.wrongChecksum ? 1U : 0U), 4) + number(zip64 ? 0xFFFFFFFFU : packedSize, 4) +
                                  number(zip64 ? 0xFFFFFFFFU : size, 4) + number(static_cast<std::uint64_t>(member.name.size()), 2);
        const QByteArray extra = zip64 ? number(1, 2) + number(16, 2) + number(size, 8) + number(packedSize, 8) : QByteArray();
        const QByteArray extraSize = number(static_cast<std::uint64_t>(extra.size()), 2);
        out += QByteArray("PK\x03\x04") + common + extraSize + member.name + extra + packed;
        directory += QByteArray("PK\x01\x02") + number(20, 2) + common + extraSize + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                     number(offset, 4) + member.name + extra;
    }
    const auto begin = static_cast<std::uint64_t>(out.size());
    const auto count = static_cast<std::uint64_t>(members.size());
    return out + directory + QByteArray("PK\x05\x06") + number(0, 4) + number(count, 2) + number(count, 2) +
           number(static_cast<std::uint64_t>(directory.size()), 4) + number(begin, 4) + number(0, 2);
}

} // namespace

class TestNpy : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyTypeComesBack_data();
    void everyTypeComesBack();
    void theBytesAreNumPys();
    void versionsAndOrdersAreRead_data();
    void versionsAndOrdersAreRead();
    void badFilesAreExplained_data();
    void badFilesAreExplained();
    void typesWithoutANameAreRefused();
    void filesAreReadAndWritten();
    void archivesAreRead();
    void badArchivesAreExplained_data();
    void badArchivesAreExplained();
    void everyPrefixIsRefused();
};

void TestNpy::everyTypeComesBack_data() {
    QTest::addColumn<int>("element");
    for (const ElementType element : {ElementType::Bool, ElementType::I8, ElementType::I16, ElementType::I32, ElementType::I64, ElementType::U8,
                                      ElementType::U16, ElementType::U32, ElementType::U64, ElementType::F16, ElementType::F32, ElementType::F64,
                                      ElementType::Complex64, ElementType::Complex128}) {
        QTest::newRow(std::string(name(element)).c_str()) << static_cast<int>(element);
    }
}

void TestNpy::everyTypeComesBack() {
    QFETCH(int, element);
    const auto type = static_cast<ElementType>(element);
    for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{{}, {3}, {2, 3}, {0, 4}, {1, 1, 1, 5}}) {
        Tensor tensor(type, shape);
        auto* bytes = const_cast<std::byte*>(tensor.bytes().data()); // sole owner of a heap block
        for (std::size_t k = 0; k < tensor.bytes().size(); ++k) {
            bytes[k] = static_cast<std::byte>(type == ElementType::Bool ? k % 2 : (k * 37 + 11) % 256);
        }
        const auto file = npyBytes(tensor);
        QVERIFY(file.has_value());
        QCOMPARE((file->size() - tensor.bytes().size()) % 64, std::size_t{0});
        const auto again = read(QByteArray::fromStdString(*file));
        QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
        QVERIFY(again->sameBits(tensor));
    }
}

void TestNpy::theBytesAreNumPys() {
    // As numpy.save writes numpy.array([[1., 2., 3.], [4., 5., 6.]], dtype='<f4').
    const auto file = npyBytes(Tensor::of<float>(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6}));
    QVERIFY(file.has_value());
    QCOMPARE(QByteArray::fromStdString(file->substr(0, 10)).toHex(), QByteArray("934e554d505901007600"));
    QCOMPARE(QString::fromStdString(file->substr(10, 118)).trimmed(), QStringLiteral("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"));
    QCOMPARE((*file)[127], '\n');
    QCOMPARE(file->size(), std::size_t{128 + 24});
    const auto vector = npyBytes(Tensor::of<std::uint8_t>(ElementType::U8, {1}, {7}));
    QVERIFY(vector->find("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }") != std::string::npos);
}

void TestNpy::versionsAndOrdersAreRead_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QByteArray>("bytes"); ///< little-endian, C order
    const auto hex = [](const char* text) { return QByteArray::fromHex(text); };
    QTest::newRow("version 2") << npy(dictionary("<i2", "(2,)"), hex("01000200"), 2) << QStringLiteral("i16[2]") << hex("01000200");
    QTest::newRow("version 3") << npy(dictionary("<i2", "(2,)"), hex("01000200"), 3) << QStringLiteral("i16[2]") << hex("01000200");
    QTest::newRow("big-endian") << npy(dictionary(">i4", "(2,)"), hex("0000000100000203")) << QStringLiteral("i32[2]") << hex("0100000003020000");
    QTest::newRow("big-endian complex") << npy(dictionary(">c8", "(1,)"), hex("3f80000040000000")) << QStringLiteral("c64[1]")
                                        << hex("0000803f00000040");
    QTest::newRow("Fortran order") << npy(dictionary("|u1", "(2, 3)", "True"), hex("010402050306")) << QStringLiteral("u8[2,3]")
                                   << hex("010203040506");
    QTest::newRow("Fortran order, three axes") << npy(dictionary("|u1", "(2, 2, 2)", "True"), hex("0004020601050307")) << QStringLiteral("u8[2,2,2]")
                                               << hex("0001020304050607");
    QTest::newRow("both") << npy(dictionary(">u2", "(2, 2)", "True"), hex("0001000300020004")) << QStringLiteral("u16[2,2]")
                          << hex("0100020003000400");
    QTest::newRow("Fortran order, empty") << npy(dictionary("<f4", "(0, 3)", "True"), QByteArray()) << QStringLiteral("f32[0,3]") << QByteArray();
    QTest::newRow("scalar") << npy(dictionary("<f8", "()"), hex("000000000000f03f")) << QStringLiteral("f64[]") << hex("000000000000f03f");
    QTest::newRow("other spelling") << npy("{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"=i1\"}", hex("0102")) << QStringLiteral("i8[2]")
                                    << hex("0102");
    QTest::newRow("any true is true") << npy(dictionary("?", "(3,)"), hex("0002ff")) << QStringLiteral("bool[3]") << hex("000101");
}

void TestNpy::versionsAndOrdersAreRead() {
    QFETCH(QByteArray, file);
    QFETCH(QString, type);
    QFETCH(QByteArray, bytes);
    const auto tensor = read(file);
    QVERIFY2(tensor.has_value(), tensor ? "" : tensor.error().text().c_str());
    QString shape;
    for (const std::int64_t length : tensor->shape()) {
        shape += (shape.isEmpty() ? QString() : QStringLiteral(",")) + QString::number(length);
    }
    QCOMPARE(QString::fromStdString(std::string(name(tensor->element()))) + QLatin1Char('[') + shape + QLatin1Char(']'), type);
    QCOMPARE(bytesOf(*tensor).toHex(), bytes.toHex());
}

void TestNpy::badFilesAreExplained_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const QByteArray& file, const char* expected) {
        QTest::newRow(name) << file << QString::fromLatin1(expected);
    };
    row("empty", QByteArray(), "is not an .npy file");
    row("other file", QByteArray("PK\x03\x04 and so on"), "is not an .npy file");
    row("only the magic", QByteArray("\x93NUMPY"), "is not an .npy file");
    row("version 9", npy(dictionary("<f4", "(1,)"), QByteArray(4, '\0'), 9), "is an .npy file of version 9; versions 1 to 3 are read");
    row("header cut off", npy(dictionary("<f4", "(1,)"), QByteArray()).left(40), "the .npy header is cut off");
    row("huge header", QByteArray("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13), "the .npy header is longer than");
    row("no dictionary", npy("[1, 2]", QByteArray()), "the .npy header is no dictionary");
    row("not closed", npy("{'descr': '<f4'", QByteArray()), "has no closing brace");
    row("key missing", npy("{'descr': '<f4', 'fortran_order': False}", QByteArray()), "must have exactly 'descr', 'fortran_order' and 'shape'");
    row("key twice", npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", QByteArray()), "unknown or repeated key 'descr'");
    row("unknown key", npy("{'other': 1}", QByteArray()), "unknown or repeated key 'other'");
    row("order no boolean", npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", QByteArray()), "neither True nor False");
    row("negative length", npy(dictionary("<f4", "(-1,)"), QByteArray(4, '\0')), "has a negative length in 'shape'");
    row("no number", npy(dictionary("<f4", "(n,)"), QByteArray(4, '\0')), "no list of integers below 2^63");
    row("length past 64 bits", npy(dictionary("<f4", "(99999999999999999999,)"), QByteArray()), "no list of integers below 2^63");
    row("shape not closed", npy(dictionary("<f4", "(1, 2"), QByteArray()), "'shape'");
    row("shape overflow", npy(dictionary("<f4", "(4294967296, 4294967296)"), QByteArray()), "more than 2^63 elements");
    row("bytes overflow", npy(dictionary("<c16", "(4611686018427387904,)"), QByteArray()), "more than 2^64 bytes");
    row("overflow hidden by a 0", npy(dictionary("<f4", "(4294967296, 4294967296, 0)"), QByteArray()), "more than 2^63 elements");
    row("huge array", npy(dictionary("<f4", "(1000000000000,)"), QByteArray(8, '\0')), "need 4000000000000 bytes, 8 follow the header");
    row("cut off", npy(dictionary("<f4", "(3,)"), QByteArray(8, '\0')), "need 12 bytes, 8 follow the header");
    row("too long", npy(dictionary("<f4", "(1,)"), QByteArray(8, '\0')), "need 4 bytes, 8 follow the header");
    row("strings", npy(dictionary("<U3", "(1,)"), QByteArray(12, '\0')), "the array has NumPy type '<U3'");
    row("objects", npy(dictionary("|O", "(1,)"), QByteArray(8, '\0')), "the array has NumPy type '|O'");
    row("records", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", QByteArray(4, '\0')), "the array holds records");
    QByteArray axes("(");
    for (int k = 0; k < 65; ++k) {
        axes += "1,";
    }
    row("65 axes", npy(dictionary("<f4", axes + ")"), QByteArray(4, '\0')), "more than 64 axes");
}

void TestNpy::badFilesAreExplained() {
    QFETCH(QByteArray, file);
    QFETCH(QString, expected);
    const auto tensor = read(file);
    QVERIFY(!tensor);
    const QString message = QString::fromStdString(tensor.error().text());
    QVERIFY2(message.startsWith(QStringLiteral("a.npy: ")) && message.contains(expected), qPrintable(message));
}

void TestNpy::typesWithoutANameAreRefused() {
    for (const ElementType element : {ElementType::BF16, ElementType::I4, ElementType::F8E5M2}) {
        const auto file = npyBytes(Tensor(element, {2}));
        QVERIFY(!file);
        QCOMPARE(file.error().code, ErrorCode::Unsupported);
    }
    QVERIFY(!npyBytes(Tensor::ofStrings({1}, {"a"})));
}

void TestNpy::filesAreReadAndWritten() {
    const QTemporaryDir dir;
    const std::filesystem::path base = dir.path().toStdString();
    const Tensor tensor = Tensor::of<double>(ElementType::F64, {2, 2}, {1.0, -0.0, 3.5, 1e300});
    QVERIFY(writeNpy(tensor, base / "a.npy").has_value());
    const auto again = readNpy(base / "a.npy");
    QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
    QVERIFY(again->sameBits(tensor));
    QCOMPARE(std::distance(std::filesystem::directory_iterator(base), std::filesystem::directory_iterator()),
             std::ptrdiff_t{1}); // nothing temporary left
    QCOMPARE(readNpy(base / "none.npy").error().code, ErrorCode::NotFound);
    QVERIFY(QString::fromStdString(readNpy(base).error().text()).contains(QStringLiteral("is not a regular file")));
    QCOMPARE(writeNpy(tensor, base / "none" / "a.npy").error().code, ErrorCode::NotFound);
}

void TestNpy::archivesAreRead() {
    const QTemporaryDir dir;
    const std::filesystem::path path = dir.filePath(QStringLiteral("a.npz")).toStdString();
    const QByteArray large = npy(dictionary("<i2", "(50000,)"), QByteArray(100'000, '\1'));
    for (const bool zip64 : {false, true}) {
        QFile file(QString::fromStdString(path.string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(archive(
            {{"b.npy", npy(dictionary("<i2", "(2,)"), QByteArray::fromHex("01000200")), 0}, {"notes.txt", "hello", 0}, {"a.npy", large, 8}}, zip64));
        file.close();
        const auto arrays = readNpz(path);
        QVERIFY2(arrays.has_value(), arrays ? "" : arrays.error().text().c_str());
        QCOMPARE(arrays->size(), std::size_t{2});
        QCOMPARE((*arrays)[0].first, std::string("b"));
        QCOMPARE((*arrays)[0].second.toInt64(1), 2);
        QCOMPARE((*arrays)[1].first, std::string("a"));
        QCOMPARE((*arrays)[1].second.count(), 50'000);
        QCOMPARE((*arrays)[1].second.toInt64(49'999), 0x0101);
        QCOMPARE(readNpz(path, 1000).error().code, ErrorCode::TooLarge);
    }
}

void TestNpy::badArchivesAreExplained_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("expected");
    const QByteArray content = npy(dictionary("<i2", "(2,)"), QByteArray::fromHex("01000200"));
    const auto row = [](const char* name, const QByteArray& file, const char* expected) {
        QTest::newRow(name) << file << QString::fromLatin1(expected);
    };
    row("no archive", QByteArray("hello"), "is no complete .npz archive");
    row("cut off", archive({{"a.npy", content}}).chopped(10), "is no complete .npz archive");
    row("wrong checksum", archive({{"a.npy", content, 0, 0, true}}), "member 'a.npy' has a wrong checksum");
    row("deflated, wrong checksum", archive({{"a.npy", content, 8, 0, true}}), "member 'a.npy' has a wrong checksum");
    row("encrypted", archive({{"a.npy", content, 0, 1}}), "is encrypted or packed by another method");
    row("other method", archive({{"a.npy", content, 12}}), "is encrypted or packed by another method");
    row("claims more than deflate can hold", archive({{"a.npy", content, 8, 0, false, 3'000'000'000}}), "member 'a.npy' cannot be unpacked");
    row("claims less", archive({{"a.npy", content, 8, 0, false, 10}}), "member 'a.npy' cannot be unpacked");
    row("two sizes", archive({{"a.npy", content, 0, 0, false, 10}}), "has two different sizes");
    row("no array inside", archive({{"a.npy", "hello", 0}}), "is not an .npy file");
    QByteArray moved = archive({{"a.npy", content}});
    moved.remove(0, 1); // every offset is one too large
    row("wrong offsets", moved, "directory");
}

void TestNpy::badArchivesAreExplained() {
    QFETCH(QByteArray, file);
    QFETCH(QString, expected);
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.npz"));
    QFile out(path);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(file);
    out.close();
    const auto arrays = readNpz(path.toStdString());
    QVERIFY(!arrays);
    const QString message = QString::fromStdString(arrays.error().text());
    QVERIFY2(message.startsWith(path) && message.contains(expected), qPrintable(message));
}

void TestNpy::everyPrefixIsRefused() {
    const QByteArray file = npy(dictionary("<f4", "(2, 2)"), QByteArray(16, '\1'));
    QVERIFY(read(file).has_value());
    for (qsizetype length = 0; length < file.size(); ++length) {
        QVERIFY(!read(file.left(length)));
    }
}

QTEST_APPLESS_MAIN(TestNpy)
#include "tst_npy.moc"
