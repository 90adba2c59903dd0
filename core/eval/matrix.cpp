#include "core/eval/matrix.h"

#include "core/eval/elementwise.h"

#include <array>

namespace lemmascope {

std::optional<MatmulPlan> planMatmul(NodeRun& run, std::vector<std::int64_t> left, std::vector<std::int64_t> right) {
    const bool leftVector = left.size() == 1;
    const bool rightVector = right.size() == 1;
    if (!run.require(!left.empty() && !right.empty(), "a scalar is not a matrix")) {
        return std::nullopt;
    }
    const std::string shapes = shapeText(left) + " and " + shapeText(right);
    if (leftVector) {
        left.insert(left.begin(), 1);
    }
    if (rightVector) {
        right.push_back(1);
    }
    MatmulPlan plan;
    plan.rows = left[left.size() - 2];
    plan.inner = left.back();
    plan.columns = right.back();
    if (right[right.size() - 2] != plan.inner) {
        run.fail("the inner lengths of " + shapes + " differ");
        return std::nullopt;
    }
    const std::int64_t leftSize = plan.rows * plan.inner;
    const std::int64_t rightSize = plan.inner * plan.columns;
    left.resize(left.size() - 2);
    right.resize(right.size() - 2);
    const std::array<std::vector<std::int64_t>, 2> batches{left, right};
    const auto batch = broadcastShape(run, batches);
    if (!batch) {
        return std::nullopt;
    }
    plan.batch = *batch;
    plan.leftBatch = broadcastStrides(left, *batch);
    plan.rightBatch = broadcastStrides(right, *batch);
    for (std::int64_t& stride : plan.leftBatch) {
        stride *= leftSize;
    }
    for (std::int64_t& stride : plan.rightBatch) {
        stride *= rightSize;
    }
    plan.result = *batch;
    if (!leftVector) {
        plan.result.push_back(plan.rows);
    }
    if (!rightVector) {
        plan.result.push_back(plan.columns);
    }
    return plan;
}

template <typename S>
std::vector<S> batchedProduct(NodeRun& run, const MatmulPlan& plan, const std::vector<S>& left, const std::vector<S>& right) {
    const std::optional<std::int64_t> count = elementCountOf(plan.result);
    if (run.stopped() || !run.checkSize(plan.result, sizeof(S)) || !run.charge(*count, plan.inner)) {
        return {};
    }
    std::vector<S> out(static_cast<std::size_t>(*count));
    // One more axis of length 1, so that each row of the walk is one matrix.
    std::vector<std::int64_t> walked = plan.batch;
    walked.push_back(1);
    std::vector<std::vector<std::int64_t>> strides{plan.leftBatch, plan.rightBatch};
    strides[0].push_back(0);
    strides[1].push_back(0);
    S* to = out.data();
    walkRows(walked, strides, [&](std::span<const std::int64_t> at, std::int64_t) {
        const bool more = multiplyMatrices<S>(run, {left.data() + at[0], plan.inner, 1}, {right.data() + at[1], plan.columns, 1}, to, plan.rows,
                                              plan.inner, plan.columns);
        to += plan.rows * plan.columns;
        return more;
    });
    return run.stopped() ? std::vector<S>{} : out;
}

template std::vector<float> batchedProduct(NodeRun&, const MatmulPlan&, const std::vector<float>&, const std::vector<float>&);
template std::vector<double> batchedProduct(NodeRun&, const MatmulPlan&, const std::vector<double>&, const std::vector<double>&);
template std::vector<Interval> batchedProduct(NodeRun&, const MatmulPlan&, const std::vector<Interval>&, const std::vector<Interval>&);
template std::vector<std::int64_t> batchedProduct(NodeRun&, const MatmulPlan&, const std::vector<std::int64_t>&, const std::vector<std::int64_t>&);
template std::vector<std::uint64_t> batchedProduct(NodeRun&, const MatmulPlan&, const std::vector<std::uint64_t>&, const std::vector<std::uint64_t>&);

} // namespace lemmascope
