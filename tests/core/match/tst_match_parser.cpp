// The concrete syntax: what reads, what it prints as, and what an error says.
#include "core/match/parser.h"
#include "core/match/print.h"

#include <QFile>
#include <QTest>

using namespace lemmascope;
using namespace lemmascope::match;

class TestMatchParser : public QObject {
    Q_OBJECT

    static QString printed(const std::string& text) {
        const Result<RuleFile> file = parsePattern(text, "p");
        return QString::fromStdString(file ? patternText(*file, file->definitions[0].body) : file.error().text());
    }

    static QString formatted(const std::string& text) {
        const Result<RuleFile> file = parseRules(text, "f");
        return QString::fromStdString(file ? formatRules(*file) : file.error().text());
    }

  private Q_SLOTS:
    void patternsPrintAsTheyRead_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"?x",
                                 "_",
                                 "none",
                                 "2",
                                 "-0.5~0.01",
                                 "f",
                                 "f(?x, g(_), ..rest)",
                                 "%F(?x, ?y)",
                                 "%F()",
                                 "?x | f(?x) | g",
                                 "(?x where rank(?x)=2) | ?x",
                                 "f(?x) where rank(?x)=2 & !(dtype(?x)=f32)",
                                 "f(?x) where (rank(?x)=2 | rank(?x)=3)",
                                 "ex ?x. ex %F. %F(?x)",
                                 "ex ?x. (f(?x) | g(?x))",
                                 "matmul(?x, ?y) with ?y ~ trans(?z)",
                                 "f(?x) with ?x ~ (g | h)",
                                 "mu P(?u, %F)[?x, %G]. (%F(P(?u, %F)) | %F(?u))",
                                 "comm add(?x, 1~0.001)",
                                 "ac mul(?x, ?y, 0.5)",
                                 "opt cast{to=f16}(?p @ softmax{axis=-1}(?x))",
                                 "shared opt comm add(?x, shared relu(?y))",
                                 "\"com.microsoft\":Attention:1{num_heads=?n}(?x)",
                                 "softmax:13(?x)",
                                 "f{perm=[0,1,3,2], mode=\"linear\", alpha=0.5~0.1, axes@=[-1]}(?x)",
                                 "result 1 of split(?x)",
                                 "f(?x where value(?x)=1)",
                                 "f(?x) where dim(?x, -1)=2*dim(?x, 0) + 1",
                                 "f(?x) where attr(?x, \"axis\")=[0,-1]",
                                 "f(?x) where is_const(?x)",
                                 "aten.add(?x, ?y)",
                                 "where(?c, ?x, ?y)",
                                 "mu(?x)",
                                 "ex",
                                 "result(?x)",
                                 "f(?x) where -(rank(?x))<1 - (2 - 3)",
                                 "f{a=?v}(?x) where ?v>=3 with ?x ~ g",
                                 "f{perm=?p}(?x) where pick(?p, range(0, rank(?x)))=concat([0], [1])",
                                 "f(?x) where item(ints(?x), 0)//2*3 % 4=1"}) {
            QTest::newRow(text) << QString(text);
        }
    }
    void patternsPrintAsTheyRead() {
        QFETCH(QString, text);
        QCOMPARE(printed(text.toStdString()), text);
    }

    void aBarAfterAGuardBelongsToThePatternUnlessAGuardFollows() {
        QCOMPARE(printed("f(?x) where rank(?x)=2 | g(?x)"), QString("(f(?x) where rank(?x)=2) | g(?x)"));
        QCOMPARE(printed("f(?x) where rank(?x)=2 | rank(?x)=3"), QString("f(?x) where (rank(?x)=2 | rank(?x)=3)"));
        QCOMPARE(printed("f(?x) where is_const(?x) | shape(?x)"), QString("(f(?x) where is_const(?x)) | shape(?x)"));
    }

    void prefixesTakeOnePrimary() {
        QCOMPARE(printed("ex ?x. relu(?x) where rank(?y)=2"), QString("ex ?x. relu(?x) where rank(?y)=2"));
        QCOMPARE(printed("(ex ?x. relu(?x)) where rank(?y)=2"), QString("ex ?x. relu(?x) where rank(?y)=2"));
        QCOMPARE(printed("?n @ f(?x) | g"), QString("?n @ f(?x) | g"));
        QCOMPARE(printed("((?n @ f(?x)) | g)"), QString("?n @ f(?x) | g"));
        QCOMPARE(printed("ex ?x. (f(?x) where rank(?x)=2)"), QString("ex ?x. (f(?x) where rank(?x)=2)"));
    }

    void errorsNamePlaceAndRemedy_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* text, const char* message) { QTest::newRow(text) << QString(text) << QString(message); };
        row("f(?x", "p:1:5: expected ',' or ')' between operands, found the end of the text");
        row("f(?x))", "p:1:6: expected the end of the pattern, found ')'");
        row("f(\n  ? x)", "p:2:3: expected a name directly after '?'");
        row("f(?x) where rnk(?x)=2", "p:1:13: guards know no 'rnk': did you mean 'rank'?");
        row("f(?x) where rank(?x)", "p:1:13: a guard compares: expected =, !=, <, <=, > or >= after this value");
        row("f(?x) where rank(?x)=2 | foo(?x)=3", "p:1:33: expected the end of the pattern, found '='");
        row("f(?x) where rank(%F)=2", "p:1:18: rank(%F): an operator has only op(%F) and cls(%F)");
        row("%F", "p:1:3: expected '(' and the operands of %F, found the end of the text");
        row("ex ?x f(?x)", "p:1:7: expected '.' after 'ex ?x', found 'f'");
        row("f(?x) with g", "p:1:12: expected a name after 'with', as in: with ?x ~ relu(?y); found 'g'");
        row("mu P(?u)[?x, ?y]. f(P(?u))", "p:1:1: 'P' has 1 parameter, found 2 arguments");
        row("mu P(?u)[?x]. f(P(g))", "p:1:19: 'P' takes names, ?x or %F, found 'g'; for a pattern there write ex ?t. (P(?t) with ?t ~ ...)");
        row("mu P(?u)[%F]. f", "p:1:10: argument %F of 'P' stands for the parameter ?u: one is a value, the other an operator");
        row("comm add(?x)", "p:1:1: 'comm add' takes 2 operands, found 1");
        row("comm add(?x, ?y, ?z)", "p:1:1: 'comm add' takes 2 operands, found 3; for more write ac add(...)");
        row("ac f(a,b,c,d,e,f,g)", "p:1:1: 'ac f' takes 2 to 6 operands, found 7");
        row("f{axis=}(?x)", "p:1:8: expected an attribute's value: a number, \"text\", a word like f16, a list or ?name, found '}'");
        row("f{a=1, a=2}", "p:1:8: the attribute 'a' is named twice");
        row("f(..r, ?x)", "p:1:6: '..r' stands for all operands that are left: nothing may follow it");
        row("f(\"a)", "p:1:3: a text is not closed: expected '\"' before the end of the line");
        row("f(?x) where value(?x)=99999999999999999999", "p:1:23: the integer 99999999999999999999 has more than 64 bits");
        row("f$", "p:1:2: unexpected '$'");
        row("", "p:1:1: expected a pattern, found the end of the text");
    }
    void errorsNamePlaceAndRemedy() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        QCOMPARE(printed(text.toStdString()), message);
    }

    void deepNestingIsRefusedNotFollowed() {
        for (const std::string& open : {std::string("f("), std::string("("), std::string("ex ?x. "), std::string("?x @ ")}) {
            std::string text;
            for (int i = 0; i < 200'000; ++i) {
                text += open;
            }
            QVERIFY2(printed(text).contains("nested deeper than 200 levels"), open.c_str());
        }
        std::string guards = "f where ";
        std::string chain = "f(?x)";
        for (int i = 0; i < 100'000; ++i) {
            guards += "!(";
            chain += " where rank(?x)=2";
        }
        QVERIFY(printed(guards).contains("nested deeper"));
        QVERIFY(printed(chain).contains("nested deeper"));
    }

    void manyAlternatesAreNotDeep() {
        std::string text = "a";
        for (int i = 0; i < 20'000; ++i) {
            text += " | a";
        }
        QCOMPARE(printed(text), QString::fromStdString(text));
    }

    void rulesHaveCasesAndReplacements() {
        const std::string text = "rule r: f{a=?v}(?x, ..xs)\n"
                                 "    when rank(?x) = 2 => let ?t = g(?x) in\n"
                                 "       h{axis=?v + 1, to=dtype(?x)}(?t, ?t, ..xs)\n"
                                 "    when rank(?x) = 3 => result 1 of \"a.b\":h:2(?x, 1.5)\n"
                                 "    => %F(?x)\n";
        QCOMPARE(formatted(text), QString::fromStdString(text));
        const std::string operands = "rule r: f{a=?v}(?x)\n"
                                     "    when rank(?x) = 2 => g(none, [0,-1], ?v + 1, shape(?x), 1/sqrt(dim(?x, -1)))\n"
                                     "    when rank(?x) = 3 => g(sqrt(?v)*2, -(?v), size(?x), sqrt(?x), -1.5, none)\n"
                                     "    => g(rank(?x) - 1, dim(?x, 0)//2 % 3)\n";
        QCOMPARE(formatted(operands), QString::fromStdString(operands));
    }

    void ruleFileErrors_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* text, const char* message) { QTest::newRow(text) << QString(text) << QString(message); };
        row("f(?x)", "f:1:1: expected 'pattern NAME(...) = ...' or 'rule NAME: ...', found 'f'");
        row("pattern p(?x) = f(?x)\npattern q = p(?y, ?z)",
            "f:2:13: 'p' is the pattern of 1:1 and takes (?x), found (?y, ?z); an operator of that name is \"\":p");
        row("pattern p(?x) = a\npattern p(%F) = b",
            "f:2:1: 'p' has other parameters at 1:1: definitions of one name are alternates, each with as many names of the same kinds");
        row("rule r: a\nrule r: b", "f:2:6: there is a rule 'r' at 1:1 already: rules are told apart by their names");
        row("rule r: a => b => c", "f:1:16: a case after the one without a guard is never reached: put it before");
        row("rule r: f(?x) => g{a=range(0)}(?x)", "f:1:22: range(from, to) takes 2 arguments, found 1 arguments");
        row("rule r: f(?x) => g{a=repet(0, 1)}(?x)", "f:1:22: guards know no 'repet': did you mean 'repeat'?");
        row("rule r: f(?x) => g(?x = 2)", "f:1:23: expected ',' or ')' between operands, found '='");
        row("pattern p(?x, ?x) = a", "f:1:15: the parameter ?x of 'p' is named twice");
        row("rule r: f(?x) where rank(?x)=2 | foo(?x)=3", "f:1:41: expected 'pattern NAME(...) = ...' or 'rule NAME: ...', found '='; an 'or' "
                                                          "of guards stands in parentheses: where (a | b)");
    }
    void ruleFileErrors() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        QCOMPARE(formatted(text.toStdString()), message);
    }

    void formattingKeepsCommentsAndIsStable() {
        const std::string text = "# about\n\n\n#   p\npattern p(?x)=f( ?x ,# inside\n g)  # behind\n\n\nrule r :p(?x)=>h\n# end\n";
        const QString once = formatted(text);
        QCOMPARE(once, QString("# about\n\n#   p\n# inside\npattern p(?x) = f(?x, g)  # behind\n\nrule r: p(?x)\n    => h\n# end\n"));
        QCOMPARE(formatted(once.toStdString()), once);
    }

    void longPatternsAreBrokenAndReadTheSame() {
        std::string inner = "?x";
        for (int i = 0; i < 40; ++i) {
            inner = "add(mul(" + inner + ", ?scale_factor_" + std::to_string(i) + "), relu(?y) | tanh(?y))";
        }
        const QString once = formatted("pattern p(?x) = (" + inner + " where rank(?x) = 2) with ?x ~ matmul(?aaaaaaaaaa, ?bbbbbbbbbbbbbbbbb)");
        QVERIFY2(once.count('\n') > 40, qPrintable(once));
        QCOMPARE(formatted(once.toStdString()), once);
    }

    void theBugPatternsFormatStably_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"B08", "B19", "B35", "B37", "B38", "B40"}) {
            QTest::newRow(name) << QString(name);
        }
    }
    void theBugPatternsFormatStably() {
        QFETCH(QString, name);
        QFile file(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/bugs/") + name + ".rules");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString once = formatted(file.readAll().toStdString());
        QVERIFY2(once.startsWith("#"), qPrintable(once));
        QCOMPARE(formatted(once.toStdString()), once);
    }
};

QTEST_GUILESS_MAIN(TestMatchParser)
#include "tst_match_parser.moc"
