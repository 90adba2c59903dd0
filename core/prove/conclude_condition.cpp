// Under which condition a refuted rewrite would be right: the failing part of the pair, tried again under assumptions.

#include "core/prove/checker.h"
#include "core/prove/condition.h"

namespace lemmascope {

namespace {

constexpr std::uint64_t ProofSteps = 1'000'000; ///< of one lemma under one condition
constexpr double ProofSeconds = 0.5;            ///< a guard
constexpr std::chrono::milliseconds Guard{700};

} // namespace

void Checker::seekCondition() {
    if (!m_options.findCondition || !m_options.lookForCounterexample || m_result.verdict != Verdict::Refuted || m_settled ||
        !m_result.assumed.empty() || !m_options.realRanges.empty() || !m_pairing.extraInputs.empty() || m_stop.stop_requested()) {
        return;
    }
    CutRequest request;
    request.reference = m_result.reference.get();
    request.rewritten = m_result.rewritten.get();
    request.referenceTerms = &m_reference;
    request.rewrittenTerms = &m_rewritten;
    request.whole = m_result.fault.has_value();
    for (const OutputResult& output : m_result.outputs) {
        if (!output.rewritten.isValid()) {
            return; // an output is missing, whatever the inputs
        }
        if (output.verdict != Verdict::Proved || request.whole) {
            request.outputs.emplace_back(ValueId(output.reference.index), ValueId(output.rewritten.index));
            request.outputNames.push_back(output.name);
        }
    }
    const SearchProblem search = searchProblem(false);
    ConditionProblem problem;
    for (const Pairing::Input& input : m_pairing.inputs) {
        const ValueId mine = m_pairing.reference->inputs[input.reference];
        request.inputs.emplace_back(mine, input.rewritten ? m_pairing.rewritten->inputs[*input.rewritten] : ValueId());
        if (input.range) {
            problem.ranges[m_pairing.reference->value(mine).name] = *input.range;
        }
    }
    const std::optional<CutPair> pair = cutAtShared(request);
    if (!pair) {
        return;
    }
    problem.search = &search;
    problem.found = m_result.counterexample ? &*m_result.counterexample : nullptr;
    problem.seed = m_options.seed;
    problem.deadline = std::min(m_deadline, Clock::now() + Guard);
    CheckOptions options;
    options.lookForCounterexample = false;
    options.findCondition = false;
    options.keepText = false;
    options.lemmaSteps = std::min(ProofSteps, m_options.lemmaSteps);
    options.timeSeconds = ProofSeconds;
    options.jobs = 1;
    options.seed = m_options.seed;
    options.definitions = m_options.definitions;
    CheckServices services;
    services.solver = m_services.solver;
    services.cache = m_services.cache;
    problem.prove = [&](const std::shared_ptr<const Graph>& reference, const std::shared_ptr<const Graph>& rewritten) {
        const Result<CheckResult> proof = check(reference, rewritten, options, services, m_stop);
        return proof && proof->verdict == Verdict::Proved && proof->strength && *proof->strength <= Strength::Rounded;
    };
    m_result.condition = findCondition(*pair, problem, m_stop);
}

} // namespace lemmascope
