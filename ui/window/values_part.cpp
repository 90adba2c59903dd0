#include "ui/window/values_part.h"

#include "core/format/npy/npy.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/models/message_model.h"
#include "ui/panels/counterexample_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/own_inputs_panel.h"
#include "ui/panels/values_panel.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QScrollArea>
#include <QStatusBar>
#include <QTableView>

#include <algorithm>
#include <memory>

namespace lemmascope {

namespace {

constexpr std::size_t MostChoices = 200; ///< inputs and outputs that are listed
constexpr int ToldMs = 10'000;

FlatValueId flatValue(const GraphTree& tree, FlatNodeId node, ValueId value) {
    return value.isValid() ? FlatValueId(tree.instanceOf(node).valueBase + value.index) : FlatValueId();
}

/// The same tensor, not only an equal one.
bool sameData(const std::optional<Tensor>& a, const std::optional<Tensor>& b) {
    if (!a || !b) {
        return a.has_value() == b.has_value();
    }
    return a->element() == b->element() && a->shape() == b->shape() && a->bytes().data() == b->bytes().data() &&
           (a->element() != ElementType::String || &a->strings() == &b->strings());
}

const Value* valueOf(const GraphTree* tree, FlatValueId id) {
    return tree != nullptr && id.isValid() && id.index < tree->valueCount() ? &tree->value(id) : nullptr;
}

} // namespace

ValuesPart::ValuesPart(MainWindow& window) : QObject(&window), m_window(window), m_save(tr("Saving values"), window.jobs()) {
    m_panel = new ValuesPanel(&window);
    // Its many choices need more height than a small screen has in large letters.
    auto* scroll = new QScrollArea(&window);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(m_panel);
    m_panel->setAccessibleName(tr("Values"));
    m_dock = window.addPartDock(tr("Values"), QStringLiteral("valuesDock"), scroll, Qt::BottomDockWidgetArea,
                                window.dock(MainWindow::Dock::Counterexample), true);
    const auto key = [](const char* text) { return QKeySequence(QString::fromLatin1(text)); };
    QMenu* view = window.menu(MainWindow::Menu::View);
    window.addLetterAction(
        view, tr("Show &Values"), {key("V")}, [this] { showDock(true); }, MainWindow::Needs::Pair);
    QMenu* go = window.menu(MainWindow::Menu::Go);
    window.addMenuAction(
        go, tr("Next Differing Ele&ment"), {key("Alt+PgDown")}, [this] { m_panel->goToDifference(false); }, MainWindow::Needs::Pair);
    window.addMenuAction(
        go, tr("Previo&us Differing Element"), {key("Alt+PgUp")}, [this] { m_panel->goToDifference(true); }, MainWindow::Needs::Pair);
    QMenu* copyAs = window.menu(MainWindow::Menu::Edit)->addMenu(tr("Copy &Values As"));
    for (const auto& [text, as] : {std::pair{tr("&Text"), ValuesPanel::CopyAs::Text}, std::pair{tr("&Markdown"), ValuesPanel::CopyAs::Markdown},
                                   std::pair{tr("&NumPy"), ValuesPanel::CopyAs::Numpy}, std::pair{tr("&JSON"), ValuesPanel::CopyAs::Json}}) {
        window.addMenuAction(
            copyAs, text, {}, [this, wanted = as] { m_panel->copy(wanted); }, MainWindow::Needs::Pair);
    }

    connect(&window, &MainWindow::selectionChanged, this, [this] {
        m_chosen.reset();
        refresh();
    });
    connect(window.session(), &PairSession::stateChanged, this, &ValuesPart::refresh);
    connect(window.session(), &PairSession::correspondenceChanged, this, &ValuesPart::refresh);
    connect(window.session(), &PairSession::opened, this, [this] {
        m_chosen.reset();
        m_run = Run::Counterexample;
        refresh();
    });
    connect(window.counterexample(), &CounterexamplePanel::valuesChosen, this,
            [this](FlatValueId reference, FlatValueId rewritten) { follow(reference, rewritten, Run::Counterexample); });
    connect(window.ownInputs(), &OwnInputsPanel::valuesChosen, this,
            [this](FlatValueId reference, FlatValueId rewritten) { follow(reference, rewritten, Run::OwnInputs); });
    connect(window.inspector(), &InspectorPanel::valuesActivated, this,
            [this](FlatValueId reference, FlatValueId rewritten) { showValues(reference, rewritten, true); });
    connect(&window, &MainWindow::nodeMenuOpening, this, [this](QMenu* menu, Side, FlatNodeId node) {
        if (node.isValid()) {
            menu->addAction(tr("Show &Values"), this, [this] { showDock(true); });
        }
    });
    connect(m_dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible && m_outdated) {
            refresh();
        }
    });
    connect(m_panel, &ValuesPanel::choiceMade, this, [this](int choice) { showChoice(static_cast<std::size_t>(choice)); });
    connect(m_panel, &ValuesPanel::sourceChosen, this, [this](int source) {
        m_run = source == 0 ? Run::Counterexample : Run::OwnInputs;
        refresh();
    });
    connect(m_panel, &ValuesPanel::saveRequested, this, &ValuesPart::askForFile);
    connect(m_panel, &ValuesPanel::told, this, [this](const QString& text) { m_window.statusBar()->showMessage(text, ToldMs); });
}

ValuesPart::~ValuesPart() = default;

void ValuesPart::follow(FlatValueId reference, FlatValueId rewritten, Run run) {
    m_chosen = {reference, rewritten};
    m_run = run;
    refresh();
}

void ValuesPart::showValues(FlatValueId reference, FlatValueId rewritten, bool focus) {
    m_chosen = {reference, rewritten};
    m_outdated = true;
    showDock(focus);
}

void ValuesPart::showDock(bool focus) {
    m_window.showDock(m_dock, false);
    const int readable = m_panel->fontMetrics().height() * 17;
    if (!m_dock->isFloating() && m_dock->height() < readable && m_window.height() > 2 * readable) {
        m_window.resizeDocks({m_dock}, {readable}, Qt::Vertical);
    }
    if (m_outdated) {
        refresh();
    }
    if (focus) {
        m_panel->table()->setFocus(Qt::ShortcutFocusReason);
    }
}

bool ValuesPart::hasRun(Run run) const {
    const auto& result = m_window.session()->session().result;
    return result && (run == Run::Counterexample ? result->counterexample.has_value()
                                                 : result->onInputs && result->onInputs->referenceRun && result->onInputs->rewrittenRun);
}

FlatValueId ValuesPart::partnerOf(Side side, FlatValueId value) const {
    const auto& correspondence = m_window.session()->correspondence();
    if (!correspondence || !value.isValid()) {
        return {};
    }
    const auto& partners = correspondence->partnerOfReferenceValue;
    if (side == Side::Reference) {
        return value.index < partners.size() ? partners[value.index] : FlatValueId();
    }
    const auto at = std::find(partners.begin(), partners.end(), value);
    return at == partners.end() ? FlatValueId() : FlatValueId(static_cast<std::size_t>(at - partners.begin()));
}

ValuesPart::Choice ValuesPart::choiceOf(const QString& what, FlatValueId reference, FlatValueId rewritten) const {
    const Value* a = valueOf(m_window.session()->tree(Side::Reference), reference);
    const Value* b = valueOf(m_window.session()->tree(Side::Rewritten), rewritten);
    const QString left = a != nullptr ? toQString(a->name) : QString();
    const QString right = b != nullptr ? toQString(b->name) : QString();
    const QString names = left.isEmpty() || left == right ? right.isEmpty() ? left : right
                          : right.isEmpty()               ? left
                                                          : tr("%1 and %2").arg(left, right);
    return {what.isEmpty() ? names : tr("%1 %2").arg(what, names), a != nullptr ? reference : FlatValueId(),
            b != nullptr ? rewritten : FlatValueId()};
}

ValuesPart::Choice ValuesPart::choiceOf(const QString& what, Side side, FlatValueId value) const {
    const FlatValueId partner = partnerOf(side, value);
    return side == Side::Reference ? choiceOf(what, value, partner) : choiceOf(what, partner, value);
}

std::vector<ValuesPart::Choice> ValuesPart::choicesOfSelection() const {
    std::vector<Choice> choices;
    const PairSession& session = *m_window.session();
    if (m_chosen) {
        choices.push_back(choiceOf({}, m_chosen->first, m_chosen->second));
        return choices;
    }
    const MainWindow::Selection selected = m_window.selection();
    const auto& result = session.session().result;
    if (selected.lemma && result && *selected.lemma < result->lemmas.size()) {
        const LemmaResult& lemma = result->lemmas[*selected.lemma];
        choices.push_back(choiceOf(toQString(lemma.id), lemma.reference, lemma.rewritten));
        if (!choices.back().reference.isValid() && !choices.back().rewritten.isValid()) {
            choices.pop_back();
            for (const auto& [side, nodes] : {std::pair{Side::Reference, &lemma.referenceNodes}, std::pair{Side::Rewritten, &lemma.rewrittenNodes}}) {
                const GraphTree* tree = session.tree(side);
                if (choices.empty() && !nodes->empty() && tree != nullptr && nodes->front().index < tree->nodeCount() &&
                    !tree->node(nodes->front()).results.empty()) {
                    choices.push_back(
                        choiceOf(toQString(lemma.id), side, flatValue(*tree, nodes->front(), tree->node(nodes->front()).results.front())));
                }
            }
        }
    } else if (const GraphTree* tree = session.tree(selected.side);
               tree != nullptr && selected.node.isValid() && selected.node.index < tree->nodeCount()) {
        const Node& node = tree->node(selected.node);
        const FlatNodeId partner = m_window.partnerOf(selected.side, selected.node);
        const GraphTree* opposite = session.tree(MainWindow::other(selected.side));
        const auto add = [&](const QString& what, const std::vector<ValueId>& values, const std::vector<ValueId>* theirs) {
            for (std::size_t i = 0; i < values.size() && choices.size() < MostChoices; ++i) {
                const FlatValueId value = flatValue(*tree, selected.node, values[i]);
                if (!value.isValid()) {
                    continue;
                }
                Choice choice = choiceOf(what.arg(i), selected.side, value);
                // Partner nodes give partner results, where the values themselves were not paired.
                if (theirs != nullptr && i < theirs->size() && (!choice.reference.isValid() || !choice.rewritten.isValid())) {
                    const FlatValueId across = flatValue(*opposite, partner, (*theirs)[i]);
                    choice = selected.side == Side::Reference ? choiceOf(what.arg(i), value, across) : choiceOf(what.arg(i), across, value);
                }
                choices.push_back(std::move(choice));
            }
        };
        const bool paired = partner.isValid() && opposite != nullptr && partner.index < opposite->nodeCount();
        add(tr("result %1:"), node.results, paired ? &opposite->node(partner).results : nullptr);
        add(tr("operand %1:"), node.operands, nullptr);
    } else if (selected.value.isValid()) {
        choices.push_back(choiceOf({}, selected.side, selected.value));
    }
    return choices;
}

std::vector<ValuesPart::Choice> ValuesPart::choicesOfGraphs() const {
    std::vector<Choice> choices;
    const PairSession& session = *m_window.session();
    const GraphTree* reference = session.tree(Side::Reference);
    const GraphTree* rewritten = session.tree(Side::Rewritten);
    if (reference == nullptr || rewritten == nullptr) {
        return choices;
    }
    const auto& result = session.session().result;
    if (result && result->counterexample && result->counterexample->firstDifference < result->counterexample->path.size()) {
        const auto& [left, right] = result->counterexample->path[result->counterexample->firstDifference];
        choices.push_back(choiceOf(tr("first difference:"), left, right));
    }
    for (std::size_t i = 0; i < reference->top().outputs.size() && choices.size() < MostChoices; ++i) {
        const FlatValueId left(reference->top().outputs[i].index);
        FlatValueId right = partnerOf(Side::Reference, left);
        for (const OutputResult& output : result ? result->outputs : std::vector<OutputResult>()) {
            right = output.reference == left && output.rewritten.isValid() ? output.rewritten : right;
        }
        if (!right.isValid() && i < rewritten->top().outputs.size()) {
            right = FlatValueId(rewritten->top().outputs[i].index);
        }
        choices.push_back(choiceOf(tr("output"), left, right));
    }
    for (std::size_t i = 0; i < reference->top().inputs.size() && choices.size() < MostChoices; ++i) {
        const FlatValueId left(reference->top().inputs[i].index);
        FlatValueId right = partnerOf(Side::Reference, left);
        if (!right.isValid()) {
            const ValueId same = rewritten->top().findValue(reference->value(left).name);
            right = same.isValid() ? FlatValueId(same.index) : FlatValueId();
        }
        choices.push_back(choiceOf(tr("input"), left, right));
    }
    return choices;
}

std::optional<Tensor> ValuesPart::tensorOf(Side side, FlatValueId value) const {
    const Value* known = valueOf(m_window.session()->tree(side), value);
    if (known == nullptr) {
        return std::nullopt;
    }
    if (known->constant) {
        return *known->constant;
    }
    if (!hasRun(m_run)) {
        return std::nullopt;
    }
    const CheckResult& result = *m_window.session()->session().result;
    const Evaluation& run = m_run == Run::Counterexample
                                ? (side == Side::Reference ? result.counterexample->referenceRun : result.counterexample->rewrittenRun)
                                : (side == Side::Reference ? *result.onInputs->referenceRun : *result.onInputs->rewrittenRun);
    if (value.index < run.values.size() && run.values[value.index]) {
        return run.values[value.index];
    }
    if (m_run == Run::Counterexample) {
        // What a run does not hold, the counterexample may: its inputs and the output it is about.
        for (const auto& [input, tensor] : result.counterexample->inputs) {
            if (input == known->name && !known->producer.isValid()) {
                return tensor;
            }
        }
        for (const OutputResult& output : result.outputs) {
            if (output.name == result.counterexample->output && (side == Side::Reference ? output.reference : output.rewritten) == value) {
                return side == Side::Reference ? result.counterexample->reference : result.counterexample->rewritten;
            }
        }
    }
    return std::nullopt;
}

QString ValuesPart::whyNone(const Choice& choice) const {
    if (!hasRun(m_run)) {
        return tr("No values: neither graph has been run. A counterexample has values, and so have inputs of your own (Ctrl+I); constants are "
                  "shown without a run.");
    }
    const auto side = [&](Side which, FlatValueId value) -> QString {
        if (!value.isValid()) {
            return which == Side::Reference ? tr("The reference has no partner of it.") : tr("The rewritten graph has no partner of it.");
        }
        if (tensorOf(which, value)) {
            return {};
        }
        return (which == Side::Reference ? tr("The reference did not compute it") : tr("The rewritten graph did not compute it")) +
               tr(" in this run: it depends on an op that cannot be run, on a fault, or on a branch that was not taken.");
    };
    const QString left = side(Side::Reference, choice.reference);
    const QString right = side(Side::Rewritten, choice.rewritten);
    return left.isEmpty() || right.isEmpty() ? left + right : left + u' ' + right;
}

void ValuesPart::refresh() {
    // Hidden behind a tab it would only cost time.
    m_outdated = m_dock->visibleRegion().isEmpty() && !m_dock->isVisible();
    if (m_outdated) {
        return;
    }
    if (!hasRun(m_run) && hasRun(m_run == Run::Counterexample ? Run::OwnInputs : Run::Counterexample)) {
        m_run = m_run == Run::Counterexample ? Run::OwnInputs : Run::Counterexample;
    }
    const bool bothRuns = hasRun(Run::Counterexample) && hasRun(Run::OwnInputs);
    m_panel->setSources(bothRuns ? QStringList{tr("counterexample"), tr("own inputs")} : QStringList(), static_cast<int>(m_run));
    std::vector<Choice> choices = choicesOfSelection();
    for (Choice& choice : choicesOfGraphs()) {
        choices.push_back(std::move(choice));
    }
    // A job that ends changes nothing of what a reader looks at.
    m_current = choices == m_choices ? m_current : 0;
    m_choices = std::move(choices);
    QStringList titles;
    for (const Choice& choice : m_choices) {
        titles << choice.title;
    }
    m_panel->setChoices(titles, m_choices.empty() ? -1 : static_cast<int>(m_current));
    if (m_choices.empty()) {
        m_panel->setTensors({}, {}, tr("No values yet: open a pair, and select a node, an input, a constant or a step of the counterexample."));
    } else {
        showChoice(m_current);
    }
}

void ValuesPart::showChoice(std::size_t chosen) {
    if (chosen >= m_choices.size()) {
        return;
    }
    m_current = chosen;
    const Choice& choice = m_choices[chosen];
    TensorPair pair{tensorOf(Side::Reference, choice.reference), tensorOf(Side::Rewritten, choice.rewritten)};
    const QString why = pair.reference && pair.rewritten ? QString() : whyNone(choice);
    const TensorPair& shown = m_panel->tensors();
    if (!pair.isEmpty() && m_panel->title() == choice.title && sameData(pair.reference, shown.reference) &&
        sameData(pair.rewritten, shown.rewritten)) {
        return;
    }
    m_panel->setTensors(std::move(pair), choice.title, why);
}

void ValuesPart::askForFile() {
    const Tensor* tensor = m_panel->savedTensor();
    if (tensor == nullptr) {
        return;
    }
    QString name = m_panel->title().section(u' ', -1);
    name.replace(u'/', u'_');
    const QString file = QFileDialog::getSaveFileName(m_panel, tr("Save Values"), name + QStringLiteral(".npy"), tr("NumPy array (*.npy)"));
    if (!file.isEmpty()) {
        save(file);
    }
}

void ValuesPart::save(const QString& file) {
    const Tensor* tensor = m_panel->savedTensor();
    if (tensor == nullptr) {
        return;
    }
    m_save.start<bool>(
        [tensor = *tensor, path = toPath(file)](const JobContext&) -> Result<bool> {
            if (const Result<void> written = writeNpy(tensor, path); !written) {
                return tl::unexpected(written.error());
            }
            return true;
        },
        [this, file](Result<bool> written) {
            if (written) {
                m_window.statusBar()->showMessage(tr("Values written to %1").arg(file), ToldMs);
            } else {
                Error error = written.error();
                if (error.code == ErrorCode::Unsupported) {
                    error.message += toStdString(tr("; copy them as NumPy or JSON instead"));
                }
                m_window.messages()->addError(tr("Saving values"), error);
            }
        });
}

} // namespace lemmascope
