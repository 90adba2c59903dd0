// NaN, infinities, signed zeros, subnormals and overflow: proofs speak of real numbers, so these are looked at apart and never change a
// verdict. Tests: tests/core/prove/tst_special_values.cpp.

#include "core/prove/special_values.h"

#include "core/prove/candidates.h"
#include "core/prove/side_run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace lemmascope {

namespace {

constexpr std::int64_t MostShown = 12; ///< input elements that are written out
constexpr std::size_t MostPlaces = 3;  ///< elements of one input that are made special alone
constexpr std::size_t Mixtures = 12;   ///< runs with special values at random places of all inputs
constexpr std::size_t MostSingleInputs = 16;
constexpr std::size_t MostOrdinary = 1000; ///< elements of an output that are passed over

enum class Special : std::uint8_t { NaN, PlusInfinity, MinusInfinity, MinusZero, PlusZero, Subnormal, Largest, MinusLargest, Mixture };

constexpr std::array<Special, 8> All{Special::NaN,      Special::PlusInfinity, Special::MinusInfinity, Special::MinusZero,
                                     Special::PlusZero, Special::Largest,      Special::MinusLargest,  Special::Subnormal};

double largestOf(ElementType type) {
    switch (type) {
    case ElementType::F16: return 65504.0;
    case ElementType::BF16: return std::ldexp(255.0, 120);
    case ElementType::F32: return static_cast<double>(std::numeric_limits<float>::max());
    default: return std::numeric_limits<double>::max();
    }
}

double subnormalOf(ElementType type) {
    switch (type) {
    case ElementType::F16: return std::ldexp(1.0, -24);
    case ElementType::BF16: return std::ldexp(1.0, -133);
    case ElementType::F32: return std::ldexp(1.0, -149);
    default: return std::numeric_limits<double>::denorm_min();
    }
}

double valueOf(Special special, ElementType type) {
    switch (special) {
    case Special::NaN: return std::numeric_limits<double>::quiet_NaN();
    case Special::PlusInfinity: return std::numeric_limits<double>::infinity();
    case Special::MinusInfinity: return -std::numeric_limits<double>::infinity();
    case Special::MinusZero: return -0.0;
    case Special::PlusZero: return 0.0;
    case Special::Subnormal: return subnormalOf(type);
    case Special::Largest: return largestOf(type);
    case Special::MinusLargest: return -largestOf(type);
    case Special::Mixture: break;
    }
    return 1.0;
}

std::string nameOf(Special special) {
    switch (special) {
    case Special::NaN: return "nan";
    case Special::PlusInfinity: return "inf";
    case Special::MinusInfinity: return "-inf";
    case Special::MinusZero: return "-0";
    case Special::PlusZero: return "0";
    case Special::Subnormal: return "the smallest subnormal";
    case Special::Largest: return "the largest finite number";
    case Special::MinusLargest: return "the lowest finite number";
    case Special::Mixture: break;
    }
    return "special values";
}

/// -0 keeps its sign here, which equality does not see.
enum class Class : std::uint8_t { NaN, PlusInfinity, MinusInfinity, PlusZero, MinusZero, Finite };

Class classOf(double x) {
    if (std::isnan(x)) {
        return Class::NaN;
    }
    if (std::isinf(x)) {
        return x > 0 ? Class::PlusInfinity : Class::MinusInfinity;
    }
    return x != 0.0 ? Class::Finite : std::signbit(x) ? Class::MinusZero : Class::PlusZero;
}

bool differInClass(double x, double y) {
    const Class a = classOf(x);
    const Class b = classOf(y);
    const auto zero = [](Class c) { return c == Class::PlusZero || c == Class::MinusZero; };
    // A small number against zero is what rounding does.
    return a != b && !(zero(a) && b == Class::Finite) && !(zero(b) && a == Class::Finite);
}

/// The first element that differs in class, and not in the way that is known of it; integers and bools are what a special value was turned into.
std::optional<std::int64_t> firstDifference(const std::optional<Tensor>& a, const std::optional<Tensor>& b, bool floatsOnly,
                                            const std::map<std::int64_t, std::pair<Class, Class>>& known = {}) {
    if (!a || !b || a->shape() != b->shape() || a->element() != b->element() || !isComputable(a->element())) {
        return std::nullopt;
    }
    for (std::int64_t i = 0; i < a->count(); ++i) {
        const bool differs = isFloat(a->element()) ? differInClass(a->toDouble(i), b->toDouble(i)) : !floatsOnly && a->toInt64(i) != b->toInt64(i);
        const auto at = differs ? known.find(i) : known.end();
        if (differs && (at == known.end() || at->second != std::pair(classOf(a->toDouble(i)), classOf(b->toDouble(i))))) {
            return i;
        }
    }
    return std::nullopt;
}

std::string numberText(const Tensor& tensor, std::int64_t i) {
    if (!isFloat(tensor.element())) {
        return std::to_string(tensor.toInt64(i));
    }
    const double x = tensor.toDouble(i);
    if (std::isnan(x)) {
        return "nan"; // its sign says nothing
    }
    std::array<char, 40> text{};
    const bool wide = tensor.element() == ElementType::F64;
    const auto end = wide ? std::to_chars(text.data(), text.data() + text.size(), x)
                          : std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(x));
    return {text.data(), end.ptr};
}

std::string indexText(const std::vector<std::int64_t>& shape, std::int64_t flat) {
    if (shape.empty()) {
        return "";
    }
    std::string out;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::int64_t length = std::max<std::int64_t>(shape[axis], 1);
        out = std::to_string(flat % length) + (out.empty() ? "" : "," + out);
        flat /= length;
    }
    return "[" + out + "]";
}

/// Where special values stand in a candidate, in words.
struct Placement {
    Special special = Special::NaN;
    std::string where; ///< `x[0] is inf`
    Candidate candidate;
};

class SpecialRuns {
  public:
    SpecialRuns(const SpecialValuesRequest& request, std::stop_token stop) : m(request), m_problem(*request.problem), m_stop(std::move(stop)) {}
    Result<std::vector<Remark>> run();

  private:
    const SpecialValuesRequest& m;
    const SearchProblem& m_problem;
    std::stop_token m_stop;
    std::size_t m_runs = 0;
    std::size_t m_answered = 0;
    std::string m_trouble;
    std::vector<Remark> m_remarks;
    std::array<bool, 9> m_told{};
    std::vector<std::map<std::int64_t, std::pair<Class, Class>>> m_ordinary; ///< by output: elements that differ on ordinary numbers too

    [[nodiscard]] bool over() const { return m_stop.stop_requested() || m_runs >= m.maxRuns || std::chrono::steady_clock::now() > m.deadline; }
    void attempt(const Placement& placement);
    void singles(const Candidate& base);
    void whole(const Candidate& base);
    void mixtures(const Candidate& base);
    void look(const Candidate& base);
    struct Runs {
        Evaluation reference;
        Evaluation rewritten;
    };
    [[nodiscard]] std::optional<Runs> runBoth(const Candidate& candidate);
    [[nodiscard]] std::vector<std::size_t> floatInputs(const Candidate& base) const;
};

std::vector<std::size_t> SpecialRuns::floatInputs(const Candidate& base) const {
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < base.inputs.size(); ++k) {
        if (isFloat(base.inputs[k].element()) && isComputable(base.inputs[k].element()) && base.inputs[k].count() > 0) {
            out.push_back(k);
        }
    }
    return out;
}

std::optional<SpecialRuns::Runs> SpecialRuns::runBoth(const Candidate& candidate) {
    ++m_runs;
    Runs out;
    for (const bool mine : {true, false}) {
        Result<EvaluateOptions> options = sideOptions(m_problem, mine ? nullptr : &out.reference, candidate, Arithmetic::Declared);
        if (options) {
            options->maxOperations = m.maxOperations;
        }
        Result<Evaluation> run =
            options ? evaluate(mine ? *m_problem.reference : *m_problem.rewritten, inputsOf(m_problem, !mine, candidate.inputs), *options, m_stop)
                    : tl::unexpected(options.error());
        if (!run) {
            m_trouble = run.error().message;
            return std::nullopt;
        }
        (mine ? out.reference : out.rewritten) = std::move(*run);
    }
    return out;
}

void SpecialRuns::attempt(const Placement& placement) {
    const auto kind = static_cast<std::size_t>(placement.special);
    if (m_told[kind] || over()) {
        return;
    }
    const std::optional<Runs> runs = runBoth(placement.candidate);
    if (!runs || runs->reference.fault) {
        return; // no answer to compare with
    }
    const Evaluation* reference = &runs->reference;
    const Evaluation* rewritten = &runs->rewritten;
    ++m_answered;
    m_ordinary.resize(m_problem.outputs.size());
    for (std::size_t o = 0; o < m_problem.outputs.size(); ++o) {
        const SearchOutput& output = m_problem.outputs[o];
        const auto& a = reference->values[output.reference.index];
        const auto& b = rewritten->values[output.rewritten.index];
        const std::optional<std::int64_t> at = firstDifference(a, b, false, m_ordinary[o]);
        if (!at) {
            continue;
        }
        std::string text = output.name + indexText(a->shape(), *at) + " is " + numberText(*a, *at) + ", rewritten " + numberText(*b, *at) +
                           ", where " + placement.where;
        for (const auto& [mine, theirs] : m_problem.partners) {
            const Value& value = m_problem.reference->value(mine);
            if (mine != output.reference && firstDifference(reference->values[mine.index], rewritten->values[theirs.index], true)) {
                text += "; they part at '" + value.name + "'";
                break;
            }
        }
        std::int64_t total = 0;
        for (const Tensor& tensor : placement.candidate.inputs) {
            total += tensor.count();
        }
        for (std::size_t k = 0; k < placement.candidate.inputs.size() && total <= MostShown; ++k) {
            const Tensor& tensor = placement.candidate.inputs[k];
            text += (k == 0 ? "; on " : ", ") + m_problem.inputs[k].name + " = ";
            std::string list;
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                list += (i == 0 ? "" : ",") + numberText(tensor, i);
            }
            text += tensor.shape().empty() ? list : "[" + list + "]";
        }
        m_told[kind] = true;
        m_remarks.push_back({"special-values", std::move(text)});
        return;
    }
}

/// The ordinary numbers that special values are put among.
void SpecialRuns::look(const Candidate& base) {
    attempt({Special::Mixture, m.base ? "the given tensors are taken as they are" : "the inputs are ordinary numbers", base});
    const std::optional<Runs> runs = runBoth(base);
    for (std::size_t o = 0; runs && o < m_problem.outputs.size(); ++o) {
        // These have nothing to do with the special values that come.
        const SearchOutput& output = m_problem.outputs[o];
        const auto& a = runs->reference.values[output.reference.index];
        const auto& b = runs->rewritten.values[output.rewritten.index];
        m_ordinary.resize(m_problem.outputs.size());
        while (const std::optional<std::int64_t> at = firstDifference(a, b, false, m_ordinary[o])) {
            m_ordinary[o].try_emplace(*at, classOf(a->toDouble(*at)), classOf(b->toDouble(*at)));
            if (m_ordinary[o].size() > MostOrdinary) {
                break;
            }
        }
    }
}

void SpecialRuns::singles(const Candidate& base) {
    const std::vector<std::size_t> inputs = floatInputs(base);
    for (const Special special : All) {
        for (std::size_t at = 0; at < inputs.size() && at < MostSingleInputs; ++at) {
            const Tensor& tensor = base.inputs[inputs[at]];
            std::vector<std::int64_t> places{0, tensor.count() - 1, tensor.count() / 2};
            places.resize(MostPlaces);
            std::sort(places.begin(), places.end());
            places.erase(std::unique(places.begin(), places.end()), places.end());
            for (const std::int64_t place : places) {
                Placement placement{special, {}, base};
                placement.candidate.inputs[inputs[at]] = copyOf(tensor);
                setElement(placement.candidate.inputs[inputs[at]], place, valueOf(special, tensor.element()));
                placement.where = m_problem.inputs[inputs[at]].name + indexText(tensor.shape(), place) + " is " + nameOf(special);
                attempt(placement);
            }
        }
    }
}

void SpecialRuns::whole(const Candidate& base) {
    const std::vector<std::size_t> inputs = floatInputs(base);
    const auto filled = [&](Placement& placement, std::size_t k, Special special) {
        Tensor& tensor = placement.candidate.inputs[k];
        tensor = copyOf(tensor);
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            setElement(tensor, i, valueOf(special, tensor.element()));
        }
        placement.where += (placement.where.empty() ? "every element of " : " and of ") + m_problem.inputs[k].name;
    };
    for (const Special special : All) {
        for (std::size_t at = 0; at < inputs.size() && at < MostSingleInputs; ++at) {
            Placement placement{special, {}, base};
            filled(placement, inputs[at], special);
            placement.where += " is " + nameOf(special);
            attempt(placement);
        }
        if (inputs.size() > 1) {
            Placement placement{special, {}, base};
            for (const std::size_t k : inputs) {
                filled(placement, k, special);
            }
            placement.where = "every element of every float input is " + nameOf(special);
            attempt(placement);
        }
    }
}

void SpecialRuns::mixtures(const Candidate& base) {
    std::uint64_t state = m.seed * 1000003U + 77U;
    const auto next = [&state] {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return state >> 33U;
    };
    for (std::size_t k = 0; k < Mixtures; ++k) {
        Placement placement{Special::Mixture, "several elements are special", base};
        for (const std::size_t at : floatInputs(base)) {
            Tensor& tensor = placement.candidate.inputs[at];
            tensor = copyOf(tensor);
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                if (next() % 3 == 0) {
                    setElement(tensor, i, valueOf(All[next() % All.size()], tensor.element()));
                }
            }
        }
        attempt(placement);
    }
}

Result<std::vector<Remark>> SpecialRuns::run() {
    std::optional<Candidate> base = m.base;
    const auto sizes = candidateSizes(m_problem);
    for (std::size_t k = 0; k < sizes.size() && !base; ++k) {
        // Lengths at which the graphs do not run are passed over.
        std::optional<Candidate> tried = makeCandidate(m_problem, sizes[k], 3, m.seed);
        if (tried) {
            Result<EvaluateOptions> options = sideOptions(m_problem, nullptr, *tried, Arithmetic::Declared);
            const Result<Evaluation> runs = options ? evaluate(*m_problem.reference, inputsOf(m_problem, false, tried->inputs), *options, m_stop)
                                                    : tl::unexpected(options.error());
            if (runs && !runs->fault) {
                base = std::move(tried);
            } else if (!runs) {
                m_trouble = runs.error().message;
            }
        }
        if (over()) {
            break;
        }
    }
    if (base && floatInputs(*base).empty()) {
        return std::vector<Remark>{{"special-values", "no input is of a float type"}};
    }
    if (base) {
        look(*base);
        singles(*base);
        whole(*base);
        if (m_remarks.empty()) {
            mixtures(*base);
        }
    }
    if (m_stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "cancelled");
    }
    if (m_remarks.empty() && m_answered > 0) {
        m_remarks.push_back(
            {"special-values", "on " + std::to_string(m_answered) +
                                   " inputs with NaN, infinities, signed zeros, subnormals and the largest finite numbers the outputs "
                                   "agree in class"});
    } else if (m_remarks.empty()) {
        m_remarks.push_back({"special-values", "none could be tried" + (m_trouble.empty() ? std::string() : ": " + m_trouble)});
    }
    return std::move(m_remarks);
}

} // namespace

Result<std::vector<Remark>> trySpecialValues(const SpecialValuesRequest& request, std::stop_token stop) {
    return SpecialRuns(request, std::move(stop)).run();
}

} // namespace lemmascope
