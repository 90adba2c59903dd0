#include "core/worker/external_solver.h"
#include "core/worker/messages.h"

#include <QtTest>

#include <random>
#include <string>
#include <vector>

using namespace lemmascope;

namespace {

SolverRequest someRequest() {
    SolverRequest request;
    request.script = "(assert true)\n";
    request.steps = 1'234'567'890'123;
    request.timeoutMs = 7;
    request.memoryMb = 8;
    request.wantedValues = {"x", "", std::string("a\0b", 3)};
    return request;
}

} // namespace

class TestMessages : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void requestsSurviveTheWire() {
        const SolverRequest request = decodeSolve(encodeSolve(someRequest())).value();
        QCOMPARE(request.script, someRequest().script);
        QCOMPARE(request.steps, someRequest().steps);
        QCOMPARE(request.timeoutMs, 7U);
        QCOMPARE(request.memoryMb, 8U);
        QCOMPARE(request.wantedValues, someRequest().wantedValues);
    }

    void answersSurviveTheWire() {
        SolverAnswer answer;
        answer.status = SolverAnswer::Status::Sat;
        answer.reason = "r";
        answer.values = {"(- 3)", "true"};
        answer.seconds = 0.25;
        answer.solver = "z3 4.8.12";
        const SolverAnswer back = decodeSolved(encodeSolved(answer)).value();
        QVERIFY(back.status == answer.status);
        QCOMPARE(back.reason, answer.reason);
        QCOMPARE(back.values, answer.values);
        QCOMPARE(back.seconds, answer.seconds);
        QCOMPARE(back.solver, answer.solver);

        const Result<SolverAnswer> failure = decodeSolved(encodeFailure({ErrorCode::TooLarge, "no", "f:1:2"}));
        QVERIFY(failure.error() == (Error{ErrorCode::TooLarge, "no", "f:1:2"}));
        QCOMPARE(decodeSolved(encodeDrawn({})).error().code, ErrorCode::WorkerFailed);
    }

    void framesArriveInPieces() {
        const std::string bytes = encodeFrame(encodeSolve(someRequest())) + encodeFrame(encodeDraw({{{1, 2}}, {{0, 0}}, 5}));
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
            FrameReader reader;
            std::vector<MessageKind> kinds;
            for (std::size_t at = 0; at < bytes.size(); at += piece) {
                reader.append(std::string_view(bytes).substr(at, piece));
                while (std::optional<Message> message = reader.next().value())
                    kinds.push_back(message->kind);
            }
            QVERIFY((kinds == std::vector{MessageKind::Solve, MessageKind::Draw}));
            QVERIFY(!reader.isPartial());
        }
    }

    void anyFlippedBitIsNoticed() {
        const std::string bytes = encodeFrame(encodeSolve(someRequest()));
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            std::string bad = bytes;
            bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
            FrameReader reader;
            reader.append(bad);
            const Result<std::optional<Message>> message = reader.next();
            // A changed kind or length may leave a frame that is complete or not yet; its content is never taken for the request.
            if (message && *message)
                QVERIFY2((*message)->kind != MessageKind::Solve, qPrintable(QString::number(bit)));
        }
    }

    void truncatedPayloadsAreErrors() {
        const Message whole = encodeSolve(someRequest());
        for (std::size_t size = 0; size < whole.payload.size(); ++size)
            QCOMPARE(decodeSolve({MessageKind::Solve, whole.payload.substr(0, size)}).error().code, ErrorCode::WorkerFailed);
        QCOMPARE(decodeSolve({MessageKind::Solve, whole.payload + "x"}).error().code, ErrorCode::WorkerFailed);
    }

    void hugeCountsTakeNoMemory() {
        const std::string huge(8, '\x7f');
        QVERIFY(!decodeSolve({MessageKind::Solve, huge}));
        QVERIFY(!decodeDraw({MessageKind::Draw, std::string(4, '\0') + huge}));
        QVERIFY(!decodeDrawn({MessageKind::Drawn, huge}));
    }

    void randomPayloadsNeverCrash() {
        std::mt19937 random(1);
        for (int round = 0; round < 20'000; ++round) {
            Message message{static_cast<MessageKind>(1 + random() % 6), {}};
            for (std::size_t size = random() % 60; size > 0; --size)
                message.payload.push_back(static_cast<char>(random() % 4 == 0 ? random() % 256 : random() % 3));
            (void)decodeHello(message);
            (void)decodeSolve(message);
            (void)decodeSolved(message);
            (void)decodeDraw(message);
            (void)decodeDrawn(message);
        }
    }

    void anotherProtocolStillSaysItsNumber() {
        Message hello = encodeHello({WorkerProtocol + 1, "z3"});
        hello.payload += "more than we know";
        QCOMPARE(decodeHello(hello).value().protocol, WorkerProtocol + 1);
    }

    void listsSplitAtTheirTopLevel_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("items");
        QTest::newRow("pairs") << " ((x 1)(y (- 2)))\n" << QStringList{"(x 1)", "(y (- 2))"};
        QTest::newRow("atoms") << "(a  b\nc)" << QStringList{"a", "b", "c"};
        QTest::newRow("empty") << "()" << QStringList{};
        QTest::newRow("quoted symbol") << "((|a ) b| 1) \"x ( \"\"y\")" << QStringList{"(|a ) b| 1)", "\"x ( \"\"y\""};
        QTest::newRow("decimal") << "((/ 1.0 3.0) z)" << QStringList{"(/ 1.0 3.0)", "z"};
    }
    void listsSplitAtTheirTopLevel() {
        QFETCH(QString, text);
        QFETCH(QStringList, items);
        const Result<std::vector<std::string>> got = listItems(text.toStdString());
        QVERIFY(got);
        QStringList found;
        for (const std::string& item : *got)
            found.push_back(QString::fromStdString(item));
        QCOMPARE(found, items);
    }

    void brokenListsAreErrors() {
        for (const char* text : {"", "x", "(", "(a", "(a))", "(a) b", "((a)", "(|a)", "(\"a)", ")"})
            QVERIFY2(!listItems(text), text);
    }
};

QTEST_APPLESS_MAIN(TestMessages)
#include "tst_messages.moc"
