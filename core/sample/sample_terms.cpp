// Evaluating terms one after another, each on all samples.

#include "core/eval/evaluator.h"
#include "core/sample/sample_run.h"
#include "core/sample/sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <thread>

namespace lemmascope {

using namespace sampling;

bool Sampler::Run::spend(TermId term, double steps) {
    steps *= static_cast<double>(levels) / 2.0; // a chain of two is the usual length
    if (steps > static_cast<double>(options.maxWork) - static_cast<double>(work)) {
        complain("the limit of " + std::to_string(options.maxWork) + " scalar operations was met at " + store.text(term, 1) +
                 "; a higher limit, or smaller sizes, would go further");
        return false;
    }
    work += static_cast<std::uint64_t>(steps);
    return true;
}

bool Sampler::Run::allocate(TermId term, std::size_t copies) {
    SampledTerm& own = at(term);
    const std::size_t count = countOf(own.shape);
    const std::size_t needed = SampleArray::bytesFor(own.kind, levels, count, copies);
    if (needed > options.maxBytes - std::min(options.maxBytes, bytes)) {
        // Arrays that are only kept to be joined go first, the oldest of them before the others.
        for (const TermId other : order) {
            SampledTerm& kept = at(other);
            if (kept.array && kept.readers == 0 && !kept.isKept && other != term) {
                bytes -= kept.array.use_count() == 1 ? kept.array->bytes() : 0;
                kept.array.reset();
                if (needed <= options.maxBytes - std::min(options.maxBytes, bytes)) {
                    break;
                }
            }
        }
    }
    if (needed > options.maxBytes - std::min(options.maxBytes, bytes)) {
        complain("the limit of " + std::to_string(options.maxBytes >> 20U) + " MB was met at " + store.text(term, 1) +
                 "; a higher limit, or smaller sizes, would go further");
        return false;
    }
    own.copies = copies;
    own.array = std::make_shared<SampleArray>(own.kind, levels, count, copies);
    bytes += needed;
    return true;
}

void Sampler::Run::forSamples(std::size_t copies, double steps, const std::function<bool(std::size_t)>& body, SampledTerm& term) {
    std::mutex guard;
    const std::uint32_t before = term.samples;
    const auto some = [&](std::size_t first, std::size_t step) {
        for (std::size_t k = first; k < copies; k += step) {
            if (copies > 1 && (before >> k & 1U) == 0) {
                continue;
            }
            if (stop.stop_requested() || !body(k)) {
                const std::lock_guard<std::mutex> lock(guard);
                term.samples &= copies == 1 ? 0U : ~(1U << k);
            }
        }
    };
    const std::size_t threads = steps < 200'000.0 ? 1 : std::min<std::size_t>({copies, std::max(1U, std::thread::hardware_concurrency()), 8});
    if (threads == 1) {
        some(0, 1);
        return;
    }
    // Which samples stay is the same whatever the order in which threads finish.
    std::vector<std::jthread> running;
    for (std::size_t t = 1; t < threads; ++t) {
        running.emplace_back([&some, t, threads] { some(t, threads); });
    }
    some(0, threads);
    running.clear();
}

bool Sampler::Run::gatherOperands(TermId term, std::size_t keepLazy) {
    SampledTerm& own = at(term);
    own.samples = sampleCount == 32 ? ~0U : (1U << sampleCount) - 1;
    own.copies = 1;
    const std::vector<TermId> operands(store.operands(term).begin(), store.operands(term).end());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        SampledTerm& operand = at(operands[i]);
        if (store.type(operands[i]).element == ElementType::Undefined) {
            continue; // left out
        }
        if (operand.computed && operand.lazy && i != keepLazy) {
            materialise(operands[i]);
        }
        if (!operand.computed || (!operand.array && !operand.lazy)) {
            return false;
        }
        own.samples &= operand.samples;
        own.copies = std::max(own.copies, operand.copies);
        own.rounded = own.rounded || operand.rounded;
        own.opaque = own.opaque || operand.opaque;
        if (operand.kind == Kind::Real) {
            own.traits.top = std::max(own.traits.top, operand.traits.top);
        }
        own.traits.degree.proved = own.traits.degree.proved && operand.traits.degree.proved;
    }
    return own.samples != 0;
}

std::vector<OperandArray> Sampler::Run::operandsOf(TermId term, std::size_t sample) const {
    std::vector<OperandArray> out;
    for (const TermId operand : store.operands(term)) {
        const SampledTerm& state = *stateOf(operand);
        OperandArray array;
        array.type = store.type(operand).element;
        if (array.type != ElementType::Undefined) {
            array.shape = state.shape;
            array.top = state.traits.top;
            if (state.array) {
                array.slice = state.array->slice(sample);
            }
        }
        out.push_back(std::move(array));
    }
    return out;
}

std::vector<std::int64_t> Sampler::Run::viewIndex(TermId term) const {
    const View& view = store.view(term);
    std::vector<std::int64_t> index{view.offset.evaluate(sizes).value_or(0)};
    for (const Mode& mode : view.modes) {
        const std::int64_t extent = mode.extent.evaluate(sizes).value_or(0);
        const std::int64_t stride = mode.stride.evaluate(sizes).value_or(0);
        std::vector<std::int64_t> next;
        next.reserve(index.size() * static_cast<std::size_t>(std::max<std::int64_t>(extent, 0)));
        for (const std::int64_t base : index) {
            for (std::int64_t k = 0; k < extent; ++k) {
                next.push_back(base + k * stride);
            }
        }
        index = std::move(next);
    }
    return index;
}

void Sampler::Run::view(TermId term) {
    SampledTerm& own = at(term);
    const TermId source = store.operands(term)[0];
    if (!gatherOperands(term, 0)) {
        return;
    }
    own.traits = at(source).traits;
    if (store.kind(source) == TermKind::Constant && at(source).lazy) {
        own.lazy = true;
        own.computed = true;
        return;
    }
    if (at(source).lazy) {
        materialise(source);
    }
    if (!at(source).array || !allocate(term, at(source).copies)) {
        return;
    }
    const std::vector<std::int64_t> index = viewIndex(term);
    const ArrayKernels kernels(levels, stop);
    const std::shared_ptr<SampleArray> from = at(source).array;
    const auto there = static_cast<std::int64_t>(from->count());
    if (index.size() != own.array->count() || std::any_of(index.begin(), index.end(), [there](std::int64_t i) { return i < 0 || i >= there; })) {
        complain(store.text(term, 1) + " reads outside of its operand at the sizes chosen");
        return;
    }
    forSamples(
        own.copies, static_cast<double>(index.size()) * 2.0,
        [&](std::size_t k) {
            kernels.pick(from->slice(k), own.kind, index, own.array->mutableSlice(k));
            return true;
        },
        own);
    own.computed = own.samples != 0;
}

void Sampler::Run::concat(TermId term) {
    SampledTerm& own = at(term);
    if (!gatherOperands(term, SIZE_MAX) || !allocate(term, own.copies)) {
        return;
    }
    const auto axis = static_cast<std::size_t>(store.term(term).payload);
    const Lengths strides = stridesOf(own.shape);
    const std::vector<TermId> parts(store.operands(term).begin(), store.operands(term).end());
    own.traits.held = at(parts[0]).traits.held;
    own.traits.degree = at(parts[0]).traits.degree;
    for (const TermId part : parts) {
        own.traits.degree = eitherOf(own.traits.degree, at(part).traits.degree);
        own.traits.held = at(part).traits.held == own.traits.held ? own.traits.held : ElementType::Undefined;
    }
    Lengths whole = at(parts[0]).shape;
    whole[axis] = 0;
    bool fits = true;
    for (const TermId part : parts) {
        Lengths shape = at(part).shape;
        whole[axis] += shape[axis];
        shape[axis] = whole[axis];
        fits = fits && shape == whole;
    }
    if (!fits || whole != own.shape) {
        complain("the parts of " + store.text(term, 1) + " do not go together at the sizes chosen");
        return;
    }
    const ArrayKernels kernels(levels, stop);
    forSamples(
        own.copies, static_cast<double>(own.array->count()) * 2.0,
        [&](std::size_t k) {
            const MutableSlice out = own.array->mutableSlice(k);
            std::int64_t offset = 0;
            for (const TermId part : parts) {
                // Runs of the part that stand together in the result.
                const std::int64_t run = at(part).shape[axis] * strides[axis];
                const std::int64_t stride = own.shape[axis] * strides[axis];
                const std::int64_t count = run == 0 ? 0 : static_cast<std::int64_t>(at(part).array->count()) / run;
                std::vector<std::int64_t> index(static_cast<std::size_t>(run));
                for (std::int64_t r = 0; r < count; ++r) {
                    for (std::int64_t i = 0; i < run; ++i) {
                        index[static_cast<std::size_t>(i)] = r * run + i;
                    }
                    kernels.pick(at(part).array->slice(k), own.kind, index, out, static_cast<std::size_t>(r * stride + offset));
                }
                offset += run;
            }
            return true;
        },
        own);
    own.computed = own.samples != 0;
}

void Sampler::Run::elementwise(TermId term) {
    if (!gatherOperands(term, SIZE_MAX)) {
        return;
    }
    const std::vector<TermId> operands(store.operands(term).begin(), store.operands(term).end());
    std::vector<Traits> traits;
    for (const TermId operand : operands) {
        traits.push_back(at(operand).traits);
    }
    const std::optional<ElementProgram> program = ElementProgram::record(store, term, traits, levels);
    SampledTerm& mine = at(term);
    const std::size_t count = countOf(mine.shape);
    const double steps = program ? static_cast<double>(count * program->length()) : 0.0;
    if (!program || !spend(term, steps * static_cast<double>(mine.copies)) || !allocate(term, mine.copies)) {
        if (!program) {
            complain(store.text(term, 1) + " reads or gives elements of a type that is not computed");
        }
        return;
    }
    // Operands of another shape are read by NumPy broadcasting.
    std::vector<std::vector<std::uint32_t>> maps(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Lengths& from = at(operands[i]).shape;
        if (from == mine.shape) {
            continue;
        }
        // Lengths that do not go together at the sizes drawn: the op is not defined there, whatever its type says.
        bool fits = from.size() <= mine.shape.size();
        for (std::size_t axis = 0; fits && axis < from.size(); ++axis) {
            const std::int64_t wanted = mine.shape[mine.shape.size() - from.size() + axis];
            fits = from[axis] == 1 || from[axis] == wanted;
        }
        if (!fits) {
            complain("the operands of " + store.text(term, 1) + " do not broadcast at the sizes chosen");
            return;
        }
        const Lengths strides = stridesOf(from);
        const Lengths outStrides = stridesOf(mine.shape);
        maps[i].resize(count);
        for (std::size_t flat = 0; flat < count; ++flat) {
            std::int64_t at0 = 0;
            for (std::size_t axis = 0; axis < from.size(); ++axis) {
                const std::size_t outAxis = mine.shape.size() - from.size() + axis;
                const std::int64_t position = static_cast<std::int64_t>(flat) / outStrides[outAxis] % std::max<std::int64_t>(mine.shape[outAxis], 1);
                at0 += from[axis] == 1 ? 0 : position * strides[axis];
            }
            maps[i][flat] = static_cast<std::uint32_t>(at0);
        }
    }
    std::vector<ElementProgram::Outcome> outcomes(mine.copies);
    forSamples(
        mine.copies, steps * static_cast<double>(levels),
        [&](std::size_t k) {
            std::vector<ElementProgram::Operand> read;
            for (std::size_t i = 0; i < operands.size(); ++i) {
                read.push_back({at(operands[i]).array->slice(k), maps[i].empty() ? nullptr : maps[i].data()});
            }
            constexpr std::size_t Portion = 4096; // a stop is noticed between portions
            for (std::size_t begin = 0; begin < count && !stop.stop_requested(); begin += Portion) {
                program->run(read, mine.array->mutableSlice(k), begin, std::min(count, begin + Portion), outcomes[k]);
            }
            return !outcomes[k].dropped;
        },
        mine);
    for (std::size_t step = 0; step < program->length(); ++step) {
        if (!program->steps()[step].branches) {
            continue;
        }
        std::uint8_t ways = 0;
        for (const ElementProgram::Outcome& outcome : outcomes) {
            ways = static_cast<std::uint8_t>(ways | (step < outcome.decided.size() ? outcome.decided[step] : 0U));
        }
        ++decisions;
        bothWays += ways == 3 ? 1 : 0;
    }
    if (program->opaque()) {
        mine.opaque = true;
        hashed.insert(store.op(term).name);
    }
    mine.traits = program->traits();
    mine.computed = mine.samples != 0;
}

bool Sampler::Run::applyWithoutOperands(TermId term) {
    SampledTerm& own = at(term);
    const Operator& op = store.op(term);
    if (op.name != "Length" && op.name != "Sizes") {
        return false;
    }
    std::vector<std::string> texts;
    if (op.name == "Length") {
        texts.push_back(op.attribute<std::string>("of"));
    } else {
        texts = op.attribute<std::vector<std::string>>("of");
    }
    own.samples = sampleCount == 32 ? ~0U : (1U << sampleCount) - 1;
    if (texts.size() != countOf(own.shape) || !allocate(term, 1)) {
        return true;
    }
    const MutableSlice out = own.array->mutableSlice(0);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto known = lengths.find(texts[i]);
        const std::optional<std::int64_t> value = known != lengths.end() ? std::optional(known->second) : evaluateText(texts[i], sizes);
        if (!value) {
            complain("the length '" + texts[i] + "' has no value at the sizes chosen");
            own.array.reset();
            return true;
        }
        if (own.kind == Kind::Real) {
            for (std::size_t l = 0; l < levels; ++l) {
                out.fields[l][i] = field(l).fromInteger(*value);
            }
            out.values[i] = static_cast<double>(*value);
            out.errors[i] = 0.0;
        } else {
            out.integers[i] = wrapped(*value, store.type(term).element);
        }
    }
    own.computed = true;
    return true;
}

bool Sampler::Run::applyToIntegers(TermId term) {
    // An op with a kernel of the evaluator whose operands and result are concrete is simply run.
    SampledTerm& own = at(term);
    const Operator& op = store.op(term);
    if (op.open || own.kind == Kind::Real || op.attributes.contains("lemmascope.operands") || store.operands(term).empty()) {
        return false;
    }
    const std::size_t version = op.name.find('@');
    if (version == std::string::npos) {
        return false;
    }
    Node node;
    node.op.name = op.name.substr(0, version);
    if (const std::size_t dot = node.op.name.rfind('.'); dot != std::string::npos) {
        node.op.domain = node.op.name.substr(0, dot);
        node.op.name.erase(0, dot + 1);
    }
    node.op.version = std::atoll(op.name.c_str() + version + 1);
    node.attributes = op.attributes;
    for (const TermId operand : store.operands(term)) {
        if (store.type(operand).element == ElementType::Undefined || at(operand).kind == Kind::Real) {
            return false;
        }
    }
    node.results.resize(static_cast<std::size_t>(op.result) + 1);
    for (std::size_t k = 0; k < node.results.size(); ++k) {
        node.results[k] = ValueId(k);
    }
    if (!hasKernel(node.op) || !allocate(term, own.copies)) {
        return false;
    }
    bool fits = true;
    for (std::size_t k = 0; k < own.copies && fits; ++k) {
        std::vector<std::optional<Tensor>> arguments;
        for (const TermId operand : store.operands(term)) {
            const SampledTerm& from = at(operand);
            const ElementType type = store.type(operand).element;
            Tensor tensor(type, from.shape);
            const Slice slice = from.array->slice(k);
            for (std::size_t i = 0; i < from.array->count(); ++i) {
                switch (byteSize(type)) {
                case 1: tensor.mutableAs<std::uint8_t>()[i] = static_cast<std::uint8_t>(slice.integers[i]); break;
                case 2: tensor.mutableAs<std::uint16_t>()[i] = static_cast<std::uint16_t>(slice.integers[i]); break;
                case 4: tensor.mutableAs<std::uint32_t>()[i] = static_cast<std::uint32_t>(slice.integers[i]); break;
                default: tensor.mutableAs<std::uint64_t>()[i] = static_cast<std::uint64_t>(slice.integers[i]); break;
                }
            }
            arguments.emplace_back(std::move(tensor));
        }
        const Result<std::vector<Tensor>> results = evaluateNode(node, arguments);
        if (!results || results->size() <= op.result || (*results)[op.result].shape() != own.shape ||
            (*results)[op.result].element() != store.type(term).element) {
            fits = false;
            break;
        }
        for (std::size_t i = 0; i < own.array->count(); ++i) {
            own.array->mutableSlice(k).integers[i] = (*results)[op.result].toInt64(static_cast<std::int64_t>(i));
        }
    }
    if (!fits) {
        bytes -= own.array->bytes();
        own.array.reset();
        return false;
    }
    own.traits = {};
    own.traits.degree.proved = false;
    own.computed = true;
    return true;
}

bool Sampler::Run::matmulOfAll(TermId term) {
    // All samples by one right side (weights): the samples are one more axis of the left side, so that the right side is read once.
    SampledTerm& own = at(term);
    const std::vector<TermId> operands(store.operands(term).begin(), store.operands(term).end());
    if (store.op(term).name != "MatMul" || operands.size() != 2 || own.kind != Kind::Real || own.copies == 1 || at(operands[1]).copies != 1 ||
        at(operands[0]).copies != own.copies || at(operands[0]).shape.size() < 2 || at(operands[1]).shape.size() != 2) {
        return false;
    }
    std::vector<OperandArray> arrays = operandsOf(term, 0);
    Lengths shape = own.shape;
    const auto samples = static_cast<std::int64_t>(own.copies);
    arrays[0].shape.insert(arrays[0].shape.begin(), samples);
    shape.insert(shape.begin(), samples);
    const double steps = static_cast<double>(countOf(shape)) * static_cast<double>(at(operands[0]).shape.back());
    const std::size_t threads = steps < 50'000.0 ? 1 : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
    std::vector<ArrayKernels::Result> results(threads, ArrayKernels::Result::None);
    const auto part = [&](std::size_t t) {
        ArrayKernels kernels(levels, stop);
        kernels.share(t, threads);
        results[t] = kernels.run(store.op(term), arrays, shape, own.array->mutableSlice(0));
    };
    {
        std::vector<std::jthread> running;
        for (std::size_t t = 1; t < threads; ++t) {
            running.emplace_back([&part, t] { part(t); });
        }
        part(0);
    }
    return std::all_of(results.begin(), results.end(), [](ArrayKernels::Result r) { return r == ArrayKernels::Result::Done; });
}

void Sampler::Run::apply(TermId term) {
    const Operator op = store.op(term);
    if (applyWithoutOperands(term)) {
        return;
    }
    const bool gathers = op.name == "Gather" || op.name == "GatherElements" || op.name == "GatherND";
    if (!gatherOperands(term, gathers ? 0 : SIZE_MAX)) {
        return;
    }
    SampledTerm& own = at(term);
    std::vector<TermId> operands(store.operands(term).begin(), store.operands(term).end());
    std::vector<Lengths> shapes;
    Degree degree = operands.empty() ? Degree{} : at(operands[0]).traits.degree;
    for (const TermId operand : operands) {
        shapes.push_back(at(operand).shape);
    }
    const double steps = ArrayKernels::work(op, shapes, own.shape);
    if (!spend(term, steps * static_cast<double>(own.copies))) {
        return;
    }
    if (gathers && at(operands[0]).lazy) {
        // Rows of a large table are made one by one.
        if (operands.size() < 2 || !allocate(term, at(operands[1]).copies)) {
            return;
        }
        const TermId table = store.kind(operands[0]) == TermKind::View ? store.operands(operands[0])[0] : operands[0];
        forSamples(
            own.copies, steps,
            [&](std::size_t k) {
                std::vector<std::int64_t> index;
                if (ArrayKernels::gatherIndex(op, shapes[0], operandsOf(term, k)[1], own.shape, index) != ArrayKernels::Result::Done) {
                    return false;
                }
                if (table != operands[0]) {
                    for (std::int64_t& i : index) {
                        std::int64_t flat = i;
                        const View& view = store.view(operands[0]);
                        i = view.offset.evaluate(sizes).value_or(0);
                        for (std::size_t m = view.modes.size(); m-- > 0;) {
                            const std::int64_t extent = std::max<std::int64_t>(view.modes[m].extent.evaluate(sizes).value_or(1), 1);
                            i += flat % extent * view.modes[m].stride.evaluate(sizes).value_or(0);
                            flat /= extent;
                        }
                    }
                }
                fillConstant(table, index, own.array->mutableSlice(k));
                return true;
            },
            own);
        own.traits = at(operands[0]).traits;
        own.traits.degree = eitherOf(degree, at(operands[1]).traits.degree);
        own.computed = own.samples != 0;
        return;
    }
    if (!allocate(term, own.copies)) {
        return;
    }
    bool known = true;
    std::mutex guard;
    const std::uint32_t before = own.samples;
    const bool done = matmulOfAll(term);
    forSamples(
        done ? 0 : own.copies, steps * static_cast<double>(levels),
        [&](std::size_t k) {
            ArrayKernels kernels(levels, stop);
            const ArrayKernels::Result result = kernels.run(op, operandsOf(term, k), own.shape, own.array->mutableSlice(k));
            if (result == ArrayKernels::Result::None) {
                const std::lock_guard<std::mutex> lock(guard);
                known = false;
            }
            return result == ArrayKernels::Result::Done;
        },
        own);
    if (known) {
        if (op.name == "MatMul" || op.name == "Conv" || op.name == "Einsum") {
            const Degree other = operands.size() > 1 ? at(operands[1]).traits.degree : Degree{};
            own.traits.degree =
                sumOf(productOf(degree, other), static_cast<std::size_t>(steps / std::max(1.0, static_cast<double>(own.array->count()))) + 1);
        } else if (op.name == "ReduceSum" || op.name == "AveragePool" || op.name == "CumSum") {
            own.traits.degree = sumOf(degree, at(operands[0]).array->count());
        } else if (op.name == "ReduceProd") {
            const auto n = static_cast<double>(at(operands[0]).array->count());
            own.traits.degree = {degree.numerator * n, degree.denominator * n, degree.proved, degree.everywhere};
        } else if (own.kind == Kind::Real) {
            own.traits.degree = degree;
            for (const TermId operand : operands) {
                own.traits.degree = eitherOf(own.traits.degree, at(operand).traits.degree);
            }
            static const std::set<std::string> Moves{"Gather",      "GatherElements", "GatherND", "StoreRows",
                                                     "StoreRowsAt", "StoreSlice",     "Trilu",    "RowsAt"};
            own.traits.degree.everywhere = own.traits.degree.everywhere && Moves.contains(op.name);
            own.traits.held = at(operands[0]).traits.held;
            for (const TermId operand : operands) {
                if (at(operand).kind == Kind::Real && at(operand).traits.held != own.traits.held) {
                    own.traits.held = ElementType::Undefined;
                }
            }
        }
        own.computed = own.samples != 0;
        return;
    }
    own.samples = before;
    bytes -= own.array->bytes();
    own.array.reset();
    if (stop.stop_requested() || applyToIntegers(term) || !allocate(term, own.copies)) {
        return;
    }
    forSamples(
        own.copies, steps * static_cast<double>(levels),
        [&](std::size_t k) {
            const ArrayKernels kernels(levels, stop);
            kernels.hash(mixed(0x6F70ULL, store.term(term).op.index), operandsOf(term, k), store.type(term).element, own.array->count(),
                         own.traits.top, own.array->mutableSlice(k));
            return true;
        },
        own);
    own.traits.degree.proved = false;
    own.opaque = true;
    hashed.insert(op.name.substr(0, op.name.find('@')));
    own.computed = own.samples != 0;
}

void Sampler::Run::compute(TermId term) {
    SampledTerm& own = at(term);
    const TensorType type = store.type(term);
    own.kind = kindOf(type.element);
    if (type.element == ElementType::Undefined && store.kind(term) == TermKind::Bound) {
        return; // an operand left out
    }
    const std::optional<Lengths> shape = type.shape ? lengthsOf(*type.shape, sizes) : std::nullopt;
    if (!shape || !isComputable(type.element)) {
        complain(store.text(term, 1) + " has no shape, or elements of a type that is not computed (" + type.text() + ")");
        return;
    }
    own.shape = *shape;
    own.samples = ~0U;
    switch (store.kind(term)) {
    case TermKind::Input:
    case TermKind::Bound: input(term); break;
    case TermKind::Constant: constant(term); break;
    case TermKind::View: view(term); break;
    case TermKind::Concat: concat(term); break;
    case TermKind::Apply:
        if (store.op(term).elementwise || store.op(term).name.ends_with("/broadcast")) {
            elementwise(term);
        } else {
            apply(term);
        }
        break;
    }
}

void Sampler::Run::evaluate() {
    const std::vector<TermId> all = order;
    for (const TermId term : all) {
        if (stop.stop_requested()) {
            complain("stopped");
            return;
        }
        compute(term);
        if (stop.stop_requested()) {
            complain("stopped");
            return;
        }
        if (!at(term).computed && at(term).array && at(term).samples == 0) {
            complain("no sample says anything of " + store.text(term, 1) +
                     ": a division by zero, an index out of range, an overflow, or comparisons too close to call");
        }
        finish(term);
        const std::vector<TermId> operands(store.operands(term).begin(), store.operands(term).end());
        for (const TermId operand : operands) {
            --at(operand).readers;
            release(operand);
        }
        release(term);
    }
}

} // namespace lemmascope
