// The sampler against the evaluator: every graph of the cases, run on the inputs of a sample, gives that sample's outputs.
#include "core/eval/evaluator.h"
#include "core/format/load.h"
#include "tests/app/case_list.h"
#include "tests/core/sample/sampled_pair.h"

#include <QtTest/QTest>

#include <cmath>
#include <set>

using namespace lemmascope;
using namespace lemmascope::test;

class TestSampleReals : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void samplesAreWhatTheGraphComputes_data() {
        QTest::addColumn<QString>("folder");
        for (const char* folder : {"onnx", "ort", "bugs", "json", "ort-bugs"}) {
            QTest::newRow(folder) << QString(folder);
        }
    }
    void samplesAreWhatTheGraphComputes() {
        QFETCH(QString, folder);
        std::set<QString> files;
        for (const Case& pair : casesOf(folder)) {
            files.insert(pair.reference);
            files.insert(pair.rewritten);
        }
        QVERIFY(!files.empty());
        QStringList wrong;
        int compared = 0;
        for (const QString& file : files) {
            const auto graph = loadGraph(file.toStdString());
            if (!graph) {
                continue;
            }
            const SampledPair pair = samplePair(**graph, **graph);
            if (!pair.error.empty() || !pair.sampler->hashedOps().empty()) {
                continue;
            }
            const Result<GraphTree> tree = GraphTree::build(pair.pairing.reference);
            QVERIFY(tree.has_value());
            for (std::size_t k = 0; k < pair.sampler->samples(); ++k) {
                std::vector<std::optional<Tensor>> inputs(pair.pairing.reference->inputs.size());
                for (std::size_t i = 0; i < pair.pairing.inputs.size(); ++i) {
                    const std::size_t place = pair.pairing.inputs[i].reference;
                    const ValueId value = pair.pairing.reference->inputs[place];
                    inputs[place] = pair.sampler->elements(pair.reference.values[value.index], k);
                }
                if (std::any_of(inputs.begin(), inputs.end(), [](const auto& tensor) { return !tensor; })) {
                    continue; // an input that nothing reads
                }
                EvaluateOptions options;
                options.arithmetic = Arithmetic::Double;
                const Result<Evaluation> run = evaluate(*tree, inputs, options);
                if (!run || run->fault) {
                    continue;
                }
                for (std::size_t o = 0; o < pair.pairing.outputs.size(); ++o) {
                    const ValueId output = pair.pairing.outputs[o].reference;
                    const std::optional<Tensor> mine = pair.sampler->elements(pair.reference.values[output.index], k);
                    const std::optional<Tensor>& theirs = run->values[output.index];
                    if (!mine || !theirs) {
                        continue;
                    }
                    if (mine->shape() != theirs->shape()) {
                        wrong << QString("%1: shapes differ").arg(file);
                        continue;
                    }
                    ++compared;
                    const bool real = isFloat(mine->element());
                    double largest = 1e-3;
                    for (std::int64_t e = 0; e < mine->count(); ++e) {
                        largest = std::max(largest, std::isfinite(mine->toDouble(e)) ? std::abs(mine->toDouble(e)) : 0.0);
                    }
                    for (std::int64_t e = 0; e < mine->count(); ++e) {
                        const double a = mine->toDouble(e);
                        const double b = theirs->toDouble(e);
                        // `mine` was rounded to the declared type.
                        const double allowed = !real ? 0.0 : mine->element() == ElementType::F16 ? 2e-3 * largest : 1e-6 * largest;
                        if (real && std::isinf(a) && std::abs(b) > 1e38) {
                            continue; // beyond the declared type only
                        }
                        if (!(std::abs(a - b) <= allowed || a == b || (std::isnan(a) && std::isnan(b)))) {
                            wrong << QString("%1: sample %2, %3[%4] is %5, the graph gives %6")
                                         .arg(file.section('/', -1))
                                         .arg(k)
                                         .arg(QString::fromStdString(pair.pairing.outputs[o].name))
                                         .arg(e)
                                         .arg(a)
                                         .arg(b);
                            break;
                        }
                    }
                }
            }
        }
        qInfo("%d outputs compared", compared);
        QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join('\n')));
        QVERIFY(compared > 0);
    }

    void fieldsAreImagesOfTheReals() {
        // Each graph on small whole numbers, against the constants that the evaluator computes from them: equal in the fields.
        std::set<QString> files;
        for (const char* folder : {"onnx", "json"}) {
            for (const Case& pair : casesOf(folder)) {
                files.insert(pair.reference);
                files.insert(pair.rewritten);
            }
        }
        int compared = 0;
        QStringList wrong;
        for (const QString& file : files) {
            const auto loaded = loadGraph(file.toStdString());
            const Result<Pairing> pairing = loaded ? pairGraphs(**loaded, **loaded, {}, {}) : tl::unexpected(loaded.error());
            if (!pairing) {
                continue;
            }
            Graph computing = *pairing->reference;
            Graph literal;
            literal.opsets = computing.opsets;
            std::vector<std::optional<Tensor>> inputs;
            std::uint64_t seed = 1;
            for (const ValueId input : computing.inputs) {
                Value& value = computing.values[input.index];
                if (!value.type.isStatic() || (value.type.element != ElementType::F32 && value.type.element != ElementType::I64)) {
                    break;
                }
                Tensor tensor(value.type.element, *staticShape(*value.type.shape));
                for (std::int64_t i = 0; i < tensor.count(); ++i) {
                    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
                    const auto at = static_cast<std::size_t>(i);
                    if (value.type.element == ElementType::F32) {
                        tensor.mutableAs<float>()[at] = static_cast<float>(static_cast<int>(seed >> 33U) % 9 - 4) / 2.0F;
                    } else {
                        tensor.mutableAs<std::int64_t>()[at] = static_cast<std::int64_t>(seed >> 33U) % 2;
                    }
                }
                inputs.emplace_back(tensor);
            }
            const Result<GraphTree> tree = GraphTree::build(pairing->reference);
            if (!tree || inputs.size() != computing.inputs.size()) {
                continue;
            }
            EvaluateOptions options;
            options.arithmetic = Arithmetic::Double;
            const Result<Evaluation> run = evaluate(*tree, inputs, options);
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                computing.values[computing.inputs[k].index].constant = inputs[k];
            }
            computing.inputs.clear();
            bool exact = run && !run->fault;
            for (std::size_t k = 0; exact && k < computing.outputs.size(); ++k) {
                const std::optional<Tensor>& result = run->values[computing.outputs[k].index];
                exact = result.has_value() && computing.value(computing.outputs[k]).type.element == ElementType::F32;
                for (std::int64_t e = 0; exact && e < result->count(); ++e) {
                    exact = std::remainder(result->toDouble(e), 0x1p-6) == 0.0 && std::abs(result->toDouble(e)) < 0x1p16;
                }
                if (!exact) {
                    break;
                }
                std::vector<float> elements;
                for (std::int64_t e = 0; e < result->count(); ++e) {
                    elements.push_back(static_cast<float>(result->toDouble(e)));
                }
                Value value;
                value.name = computing.outputName(k);
                value.constant = Tensor::of<float>(ElementType::F32, result->shape(), elements);
                value.type = computing.value(computing.outputs[k]).type;
                literal.outputs.push_back(literal.addValue(value));
            }
            if (!exact) {
                continue;
            }
            const SampledPair pair = samplePair(computing, literal);
            if (!pair.error.empty() || !pair.sampler->hashedOps().empty()) {
                continue;
            }
            ++compared;
            if (pair.outputs() != Agreement::Equal) {
                wrong << file.section('/', -1) + ": " + nameOf(pair.outputs()) + " " + QString::fromStdString(pair.sampler->trouble());
            }
        }
        qInfo("%d graphs compared", compared);
        QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join('\n')));
        QVERIFY(compared > 30);
    }
};

QTEST_GUILESS_MAIN(TestSampleReals)
#include "tst_sample_reals.moc"
