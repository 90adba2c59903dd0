#include "tests/mutants/mutation_run.h"

#include "core/format/load.h"
#include "core/graph/infer.h"
#include "tests/mutants/neutral.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <map>
#include <ostream>
#include <random>
#include <set>

namespace lemmascope::mutants {

namespace {

struct Chosen {
    const BenchGraph* graph = nullptr;
    const GraphForm* form = nullptr;
    Mutation mutation;
};

std::string label(const Chosen& chosen) {
    return chosen.graph->name + "/" + chosen.form->name + "/" + chosen.mutation.kind + "/" + chosen.mutation.what;
}

/// The same number of each graph; within a graph kinds and forms take turns.
std::vector<Chosen> choose(const std::vector<BenchGraph>& graphs, std::size_t count, std::uint64_t seed) {
    std::vector<Chosen> out;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
        std::mt19937_64 random(seed * 1000 + g);
        // by kind, then by form
        std::map<std::string, std::map<std::size_t, std::vector<Mutation>>> all;
        for (std::size_t f = 0; f < graphs[g].forms.size(); ++f) {
            for (Mutation& mutation : mutationsOf(*graphs[g].forms[f].graph)) {
                all[mutation.kind][f].push_back(std::move(mutation));
            }
        }
        for (auto& [kind, forms] : all) {
            for (auto& [form, list] : forms) {
                for (std::size_t k = list.size(); k > 1; --k) {
                    std::swap(list[k - 1], list[random() % k]);
                }
            }
        }
        const std::size_t wanted = count * (g + 1) / graphs.size() - count * g / graphs.size();
        std::size_t taken = 0;
        for (std::size_t turn = 0; taken < wanted && !all.empty(); ++turn) {
            for (auto at = all.begin(); at != all.end() && taken < wanted;) {
                auto& forms = at->second;
                auto form = forms.lower_bound((turn + random()) % graphs[g].forms.size());
                if (form == forms.end()) {
                    form = forms.begin();
                }
                out.push_back({&graphs[g], &graphs[g].forms[form->first], std::move(form->second.back())});
                ++taken;
                form->second.pop_back();
                if (form->second.empty()) {
                    forms.erase(form);
                }
                at = forms.empty() ? all.erase(at) : std::next(at);
            }
        }
    }
    return out;
}

std::size_t countNonZero(const CheckResult& result) {
    std::size_t count = 0;
    for (const auto& [name, tensor] : result.counterexample->inputs) {
        const Graph& graph = result.reference->top();
        const ValueId input = graph.findValue(name);
        const std::optional<IntegerRange> range = input.isValid() ? graph.value(input).range : std::nullopt;
        const double usual = range && (range->low > 0 || range->high < 0) ? static_cast<double>(range->low) : 0.0;
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            count += tensor.toDouble(i) != usual ? 1 : 0; // NaN counts
        }
    }
    return count;
}

/// The counterexample's inputs run once more, each graph by itself.
bool reallyDiffers(const CheckResult& result) {
    const Counterexample& found = *result.counterexample;
    const auto run = [&](const GraphTree& tree) -> Result<Evaluation> {
        std::vector<std::optional<Tensor>> inputs;
        for (std::size_t k = 0; k < tree.top().inputs.size(); ++k) {
            const std::string& name = tree.top().value(tree.top().inputs[k]).name;
            const auto at = std::find_if(found.inputs.begin(), found.inputs.end(), [&](const auto& pair) { return pair.first == name; });
            inputs.push_back(at == found.inputs.end() ? (k < found.inputs.size() ? std::optional(found.inputs[k].second) : std::nullopt)
                                                      : std::optional(at->second));
        }
        EvaluateOptions options;
        options.arithmetic = Arithmetic::Double;
        return evaluate(tree, inputs, options);
    };
    const Result<Evaluation> reference = run(*result.reference);
    const Result<Evaluation> rewritten = run(*result.rewritten);
    if (!reference || !rewritten || reference->fault) {
        return false;
    }
    if (rewritten->fault) {
        return true;
    }
    for (const OutputResult& output : result.outputs) {
        const auto& a = reference->values[output.reference.index];
        const auto& b = rewritten->values[output.rewritten.index];
        if (!a || !b) {
            continue;
        }
        if (a->shape() != b->shape()) {
            return true;
        }
        for (std::int64_t i = 0; i < a->count(); ++i) {
            const double x = a->toDouble(i);
            const double y = b->toDouble(i);
            if (std::isnan(x) != std::isnan(y) || (x != y && !std::isnan(x))) {
                return true;
            }
        }
    }
    return false;
}

MutantResult checked(Chosen& chosen, const RunOptions& options, const CheckServices& services) {
    MutantResult out;
    out.graph = chosen.graph->name;
    out.form = chosen.form->name;
    CheckOptions checkOptions;
    checkOptions.timeSeconds = options.timeSeconds;
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t clock = std::clock();
    const Result<CheckResult> result = check(chosen.graph->reference, chosen.mutation.graph, checkOptions, services);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    out.processorSeconds = static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
    out.mutation = std::move(chosen.mutation);
    if (!result) {
        out.verdict = "error: " + result.error().text();
        return out;
    }
    out.verdict = verdictLine(*result);
    out.proved = result->verdict == Verdict::Proved;
    out.refuted = result->verdict == Verdict::Refuted;
    for (const Blame& blame : result->blame) {
        out.blamed.push_back((blame.side == Side::Reference ? "reference " : "") + blame.nodeName +
                             (blame.attribute.empty() ? "" : "@" + blame.attribute));
        const bool hit =
            blame.side == Side::Rewritten
                ? std::find(out.mutation.faulty.begin(), out.mutation.faulty.end(), NodeId(blame.node.index)) != out.mutation.faulty.end()
                : std::find(out.mutation.dropped.begin(), out.mutation.dropped.end(), blame.nodeName) != out.mutation.dropped.end();
        if (hit && !out.blameRank) {
            out.blameRank = out.blamed.size() - 1;
        }
    }
    if (result->counterexample && out.refuted) {
        out.nonZero = countNonZero(*result);
        out.falseCounterexample = !reallyDiffers(*result);
    }
    if (!out.refuted) {
        out.neutral = neutralBecause(*chosen.form->graph, out.mutation);
        out.differsOnSamples = out.neutral.empty() && differsOnSamples(*result);
    }
    return out;
}

double share(std::size_t part, std::size_t whole) { return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

} // namespace

std::vector<MutantResult> runMutants(const std::vector<BenchGraph>& graphs, const RunOptions& options, const CheckServices& services,
                                     const std::function<void(const MutantResult&)>& done) {
    std::vector<MutantResult> out;
    for (Chosen& chosen : choose(graphs, options.mutants, options.seed)) {
        if (!options.only.empty() && label(chosen).find(options.only) == std::string::npos) {
            continue;
        }
        if (!options.folder.empty()) {
            std::vector<std::string> notes;
            const std::string number = std::to_string(out.size());
            if (!saveGraph(*chosen.graph->reference, options.folder / (number + ".ref.json"), notes) ||
                !saveGraph(*chosen.mutation.graph, options.folder / (number + ".mutant.json"), notes)) {
                break;
            }
        }
        out.push_back(checked(chosen, options, services));
        if (done) {
            done(out.back());
        }
    }
    return out;
}

Rates ratesOf(const std::vector<MutantResult>& results) {
    Rates rates;
    for (const MutantResult& one : results) {
        if (!one.neutral.empty()) {
            ++rates.neutral;
            rates.neutralProved += one.proved ? 1 : 0;
            continue;
        }
        ++rates.mutants;
        rates.proved += one.proved ? 1 : 0;
        rates.refuted += one.refuted ? 1 : 0;
        rates.blamedFirst += one.refuted && one.blameRank == 0U ? 1 : 0;
        rates.small += one.refuted && one.nonZero <= 2 ? 1 : 0;
        rates.fast += one.seconds < 2.0 ? 1 : 0;
        rates.falseCounterexamples += one.falseCounterexample ? 1 : 0;
    }
    return rates;
}

void writeJson(std::ostream& out, const std::vector<MutantResult>& results) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const MutantResult& one : results) {
        nlohmann::ordered_json json{{"graph", one.graph},
                                    {"form", one.form},
                                    {"kind", one.mutation.kind},
                                    {"fault", one.mutation.what},
                                    {"verdict", one.verdict},
                                    {"neutral", one.neutral.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(one.neutral)},
                                    {"differs_on_samples", one.differsOnSamples},
                                    {"blame_rank", one.blameRank ? nlohmann::ordered_json(*one.blameRank) : nlohmann::ordered_json()},
                                    {"blame", one.blamed},
                                    {"non_zero", one.nonZero},
                                    {"seconds", std::round(one.seconds * 1000.0) / 1000.0},
                                    {"processor_seconds", std::round(one.processorSeconds * 1000.0) / 1000.0}};
        all.push_back(std::move(json));
    }
    const Rates rates = ratesOf(results);
    const nlohmann::ordered_json summary{{"mutants", rates.mutants},
                                         {"neutral", rates.neutral},
                                         {"proved", rates.proved},
                                         {"false_counterexamples", rates.falseCounterexamples},
                                         {"refuted", rates.refuted},
                                         {"blamed_first", rates.blamedFirst},
                                         {"at_most_two_non_zero", rates.small},
                                         {"under_two_seconds", rates.fast}};
    out << nlohmann::ordered_json{{"format", "lemmascope-mutants"}, {"version", 1}, {"summary", summary}, {"mutants", all}}.dump(1) << "\n";
}

void writeTable(std::ostream& out, const std::vector<MutantResult>& results) {
    const auto row = [&](const std::string& name, const std::vector<MutantResult>& part) {
        const Rates rates = ratesOf(part);
        double slowest = 0.0;
        for (const MutantResult& one : part) {
            slowest = std::max(slowest, one.seconds);
        }
        out << std::left << std::setw(26) << name << std::right << std::setw(8) << rates.mutants << std::setw(8) << rates.neutral << std::setw(8)
            << rates.proved << std::fixed << std::setprecision(1) << std::setw(9) << share(rates.refuted, rates.mutants) << " %" << std::setw(7)
            << share(rates.blamedFirst, rates.refuted) << " %" << std::setw(7) << share(rates.small, rates.refuted) << " %" << std::setw(7)
            << share(rates.fast, rates.mutants) << " %" << std::setw(8) << slowest << " s\n";
    };
    out << "                           mutants neutral  proved   refuted  blamed 1st  <= 2 set  < 2 s   slowest\n";
    std::map<std::string, std::vector<MutantResult>> byKind;
    std::map<std::string, std::vector<MutantResult>> byGraph;
    for (const MutantResult& one : results) {
        byKind[one.mutation.kind].push_back(one);
        byGraph[one.graph].push_back(one);
    }
    for (const auto& [name, part] : byGraph) {
        row(name, part);
    }
    out << "\n";
    for (const auto& [name, part] : byKind) {
        row(name, part);
    }
    out << "\n";
    row("all", results);
    for (const MutantResult& one : results) {
        if (!one.refuted || one.falseCounterexample) {
            out << (!one.neutral.empty()      ? "neutral: "
                    : one.falseCounterexample ? "FALSE COUNTEREXAMPLE: "
                    : one.proved              ? "PROVED: "
                    : one.differsOnSamples    ? "missed: "
                                              : "no difference seen: ")
                << one.graph << "/" << one.form << "/" << one.mutation.kind << "/" << one.mutation.what << ": " << one.verdict
                << (one.neutral.empty() ? "" : " (" + one.neutral + ")") << "\n";
        }
    }
}

} // namespace lemmascope::mutants
