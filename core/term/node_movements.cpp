// Movement ops: only where values come from. Every form of every opset becomes views and Concats of the data operand; what
// needs an index that is not known stays an application with its index operand (Gather, Scatter).

#include "core/term/node_terms.h"

#include <algorithm>
#include <array>

namespace lemmascope {

std::vector<TermId> NodeTerms::movementOp() {
    const std::string& op = m_node.op.name;
    const std::string& domain = m_node.op.domain;
    const auto one = [](std::optional<TermId> t) { return t ? std::vector<TermId>{*t} : std::vector<TermId>{}; };
    if (domain == "lemmascope") {
        if (op == "StoreSlice") {
            return one(storeSliceOp());
        }
        if (op == "RowsAt" && has(1)) {
            if (const auto at = integers(1); at && at->size() == 1 && m_store.hasShape(operand(0)) && (*at)[0] >= 0 &&
                                             Dim::provablyAtLeast(m_store.shape(operand(0))[0], Dim((*at)[0] + intAttribute("count", 1)))) {
                return one(m_move.sliceAxis(operand(0), 0, Dim((*at)[0]), Dim(intAttribute("count", 1))));
            }
            Operator rows;
            rows.name = "RowsAt";
            rows.attributes["count"] = intAttribute("count", 1);
            return {apply(rows, {operand(0), operand(1)})};
        }
        if ((op == "StoreRows" || op == "StoreRowsAt") && has(1) && has(2)) {
            if (op == "StoreRows" && m_store.hasShape(operand(0)) && m_store.hasShape(operand(1)) && !m_store.shape(operand(0)).empty() &&
                m_store.shape(operand(1)).size() == m_store.shape(operand(0)).size()) {
                const std::optional<std::vector<std::int64_t>> at = rowsIn(2, m_store.shape(operand(0))[0]);
                if (at && m_store.shape(operand(1))[0].is(static_cast<std::int64_t>(at->size()))) {
                    if (const std::optional<TermId> known = rowsStored(operand(0), operand(1), *at, true)) {
                        return one(known);
                    }
                }
            }
            Operator rows;
            rows.name = op;
            if (op == "StoreRowsAt") {
                rows.attributes["count"] = intAttribute("count", 1);
            }
            return {apply(rows, {operand(0), operand(1), operand(2)})};
        }
        return {};
    }
    if (!domain.empty()) {
        return {};
    }
    const bool shapedResult = hasResult(0) && resultType(0).shape.has_value();
    const bool shaped = has(0) && m_store.hasShape(operand(0));
    if (op == "Identity" && has(0)) {
        return one(operand(0));
    }
    if (op == "Dropout" && has(0)) {
        // Inference: the training_mode operand (opset 12) absent or false; before opset 7 the attribute is_test.
        bool inference = m_node.op.version >= 7 || intAttribute("is_test", 0) != 0;
        if (m_node.op.version >= 12 && has(2)) {
            const std::optional<double> mode = m_store.uniformValue(operand(2));
            inference = mode && *mode == 0.0;
        }
        if (!inference) {
            return {};
        }
        std::vector<TermId> results{operand(0)};
        if (hasResult(1)) {
            if (m_node.op.version < 12 || !resultType(1).shape) {
                return {};
            }
            results.push_back(m_move.expand(m_store.constant(Tensor::of<std::uint8_t>(ElementType::Bool, {}, {1})), *resultType(1).shape));
        }
        return results;
    }
    if ((op == "Reshape" || op == "Flatten" || op == "Squeeze" || op == "Unsqueeze") && shaped && shapedResult &&
        elementCount(m_store.shape(operand(0))) == elementCount(*resultType(0).shape)) {
        return one(m_move.reshape(operand(0), *resultType(0).shape));
    }
    if (op == "Transpose" && shaped) {
        const std::size_t rank = m_store.shape(operand(0)).size();
        std::vector<std::size_t> permutation;
        if (const auto perm = intsAttribute("perm")) {
            for (const std::int64_t axis : *perm) {
                permutation.push_back(static_cast<std::size_t>(axis));
            }
        } else {
            for (std::size_t axis = rank; axis-- > 0;) {
                permutation.push_back(axis);
            }
        }
        return permutation.size() == rank ? one(m_move.transpose(operand(0), permutation)) : std::vector<TermId>{};
    }
    if (op == "Slice" && shaped && shapedResult) {
        return one(sliceOp());
    }
    if (op == "Split" && shaped) {
        return splitOp();
    }
    if (op == "Concat" && shaped && shapedResult) {
        const std::optional<std::size_t> axis = normalAxis(intAttribute("axis", 1), resultType(0).shape->size());
        std::vector<TermId> parts;
        for (std::size_t i = 0; i < operandCount(); ++i) {
            if (!has(i) || !m_store.hasShape(operand(i)) || m_store.shape(operand(i)).size() != resultType(0).shape->size()) {
                return {};
            }
            for (std::size_t k = 0; axis && k < resultType(0).shape->size(); ++k) {
                if (k != *axis && !(m_store.shape(operand(i))[k] == (*resultType(0).shape)[k])) {
                    return {};
                }
            }
            parts.push_back(operand(i));
        }
        return axis ? one(m_move.concat(*axis, parts)) : std::vector<TermId>{};
    }
    if (op == "Expand" && shaped && shapedResult && broadcastsTo(m_store.shape(operand(0)), *resultType(0).shape)) {
        return one(m_move.expand(operand(0), *resultType(0).shape));
    }
    if (op == "Tile" && shaped && shapedResult && m_node.op.version >= 6) {
        // match: Tile(x, r)   result: each axis d as [1, d], expanded to [r, d], joined again
        const std::optional<std::vector<Dim>> repeats = elements(1);
        const Shape shape = m_store.shape(operand(0));
        if (!repeats || repeats->size() != shape.size()) {
            return {};
        }
        Shape apart;
        Shape wide;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            apart.insert(apart.end(), {Dim(1), shape[axis]});
            wide.insert(wide.end(), {(*repeats)[axis], shape[axis]});
        }
        if (!(elementCount(wide) == elementCount(*resultType(0).shape))) {
            return {};
        }
        return one(m_move.reshape(m_move.expand(m_move.reshape(operand(0), apart), wide), *resultType(0).shape));
    }
    if (op == "ConstantOfShape" && shapedResult) {
        const auto* value = m_node.attribute<Tensor>("value");
        const Tensor scalar = value != nullptr && value->count() == 1 ? value->reshaped({}) : Tensor::of<float>(ElementType::F32, {}, {0.0F});
        return one(m_move.expand(m_store.constant(scalar), *resultType(0).shape));
    }
    if ((op == "DepthToSpace" || op == "SpaceToDepth") && shaped && m_store.shape(operand(0)).size() == 4 && shapedResult) {
        const Shape s = m_store.shape(operand(0));
        const Dim block(intAttribute("blocksize", 0));
        if (block.value() <= 0) {
            return {};
        }
        if (op == "DepthToSpace") {
            const std::optional<Dim> depth = Dim::exactQuotient(s[1], block * block);
            if (!depth) {
                return {};
            }
            const bool crd = m_node.op.version >= 11 && stringAttribute("mode", "DCR") == "CRD";
            const Shape apart = crd ? Shape{s[0], *depth, block, block, s[2], s[3]} : Shape{s[0], block, block, *depth, s[2], s[3]};
            const std::vector<std::size_t> order = crd ? std::vector<std::size_t>{0, 1, 4, 2, 5, 3} : std::vector<std::size_t>{0, 3, 4, 1, 5, 2};
            return one(m_move.reshape(m_move.transpose(m_move.reshape(operand(0), apart), order), *resultType(0).shape));
        }
        const std::optional<Dim> high = Dim::exactQuotient(s[2], block);
        const std::optional<Dim> wide = Dim::exactQuotient(s[3], block);
        if (!high || !wide) {
            return {};
        }
        const Shape apart{s[0], s[1], *high, block, *wide, block};
        return one(m_move.reshape(m_move.transpose(m_move.reshape(operand(0), apart), {0, 3, 5, 1, 2, 4}), *resultType(0).shape));
    }
    if (op == "Gather" && shaped && has(1)) {
        return one(gatherOp());
    }
    if ((op == "GatherElements" || op == "ScatterElements" || op == "Scatter") && shaped && has(1)) {
        const std::optional<std::size_t> axis = normalAxis(intAttribute("axis", 0), m_store.shape(operand(0)).size());
        if (!axis) {
            return {};
        }
        Operator moved;
        moved.name = op == "Scatter" ? "ScatterElements" : op;
        moved.attributes["axis"] = static_cast<std::int64_t>(*axis);
        if (op != "GatherElements") {
            moved.attributes["reduction"] = stringAttribute("reduction", "none");
        }
        return {apply(moved, m_operands)};
    }
    if (op == "GatherND" || op == "ScatterND") {
        if (op == "ScatterND") {
            if (const std::optional<TermId> known = scatterOp()) {
                return one(known);
            }
        }
        Operator moved;
        moved.name = op;
        if (op == "GatherND") {
            moved.attributes["batch_dims"] = intAttribute("batch_dims", 0);
        } else {
            moved.attributes["reduction"] = stringAttribute("reduction", "none");
        }
        return {apply(moved, m_operands)};
    }
    if (op == "Pad" && shaped && shapedResult) {
        return one(padOp());
    }
    if ((op == "Resize" || op == "Upsample") && shaped && shapedResult) {
        return one(resizeOp());
    }
    return {};
}

std::optional<TermId> NodeTerms::sliceOp() {
    const Shape shape = m_store.shape(operand(0));
    const Shape& result = *resultType(0).shape;
    if (result.size() != shape.size()) {
        return std::nullopt;
    }
    std::vector<Dim> starts;
    std::vector<std::int64_t> axisList;
    std::vector<std::int64_t> steps;
    if (m_node.op.version < 10) {
        const auto given = intsAttribute("starts");
        if (!given) {
            return std::nullopt;
        }
        starts.assign(given->begin(), given->end());
        if (const auto list = intsAttribute("axes")) {
            axisList = *list;
        }
    } else {
        const std::optional<std::vector<Dim>> given = elements(1);
        if (!given) {
            return std::nullopt;
        }
        starts = *given;
        if (has(3)) {
            const auto list = integers(3);
            if (!list) {
                return std::nullopt;
            }
            axisList = *list;
        }
        if (has(4)) {
            const auto list = integers(4);
            if (!list) {
                return std::nullopt;
            }
            steps = *list;
        }
    }
    if (axisList.empty()) {
        for (std::size_t k = 0; k < starts.size(); ++k) {
            axisList.push_back(static_cast<std::int64_t>(k));
        }
    }
    if (axisList.size() != starts.size() || (!steps.empty() && steps.size() != starts.size())) {
        return std::nullopt;
    }
    SliceOf slice{std::vector<Dim>(shape.size(), Dim(0)), result, std::vector<std::int64_t>(shape.size(), 1)};
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const std::optional<std::size_t> axis = normalAxis(axisList[k], shape.size());
        const std::int64_t step = steps.empty() ? 1 : steps[k];
        if (!axis || step == 0) {
            return std::nullopt;
        }
        const Dim& length = shape[*axis];
        if (result[*axis].is(0)) {
            continue; // nothing is read
        }
        Dim start = starts[k];
        const std::optional<std::int64_t> low = start.lowerBound();
        if (start.isKnown() && start.value() < 0) {
            if (start.value() < -(std::int64_t{1} << 40)) {
                start = Dim(0); // INT_MIN and the like: from the first
                if (step < 0) {
                    return std::nullopt;
                }
            } else {
                start = length + start;
            }
        } else if (!start.isKnown() && !(low && *low >= 0)) {
            return std::nullopt; // its sign is not known
        }
        // Clamp into [0, length] (step > 0) or [0, length - 1] (step < 0), as far as it is seen.
        const Dim top = step > 0 ? length : length - Dim(1);
        const bool first = step > 0 && start.is(0); // lengths are 0 or more, whether their form shows it or not
        if (!first && Dim::provablyAtLeast(start, top)) {
            start = top;
        } else if (!first && !Dim::provablyAtLeast(top, start)) {
            return std::nullopt;
        }
        if (!Dim::provablyAtLeast(start, Dim(0))) {
            if (!Dim::provablyAtLeast(Dim(0), start)) {
                return std::nullopt;
            }
            start = Dim(0);
        }
        slice.starts[*axis] = start;
        slice.steps[*axis] = step;
    }
    return m_move.move(operand(0), slice);
}

std::vector<TermId> NodeTerms::splitOp() {
    const Shape shape = m_store.shape(operand(0));
    const std::optional<std::size_t> axis = normalAxis(intAttribute("axis", 0), shape.size());
    if (!axis) {
        return {};
    }
    std::vector<TermId> results;
    Dim at(0);
    for (std::size_t k = 0; k < m_node.results.size(); ++k) {
        if (!hasResult(k) || !resultType(k).shape || resultType(k).shape->size() != shape.size()) {
            return {};
        }
        const Dim& length = (*resultType(k).shape)[*axis];
        results.push_back(m_move.sliceAxis(operand(0), *axis, at, length));
        at = at + length;
    }
    return at == shape[*axis] ? results : std::vector<TermId>{};
}

std::optional<TermId> NodeTerms::gatherOp() {
    const Shape shape = m_store.shape(operand(0));
    const std::optional<std::size_t> axis = normalAxis(intAttribute("axis", 0), shape.size());
    if (!axis) {
        return std::nullopt;
    }
    const bool shapedIndex = m_store.hasShape(operand(1));
    if (shapedIndex) {
        if (const std::optional<TermId> known = gatherRows(operand(0), *axis)) {
            return known;
        }
    }
    TermId data = operand(0);
    TermId rows = operand(1);
    std::int64_t along = static_cast<std::int64_t>(*axis);
    if (m_store.kind(data) == TermKind::Apply && m_store.op(data).name == "Gather" && shapedIndex) {
        // match: Gather(Gather(x, i), j) along the axes that i brought   result: Gather(x, Gather(i, j)); ranges have lemmas of their own
        const TermId innerRows = m_store.operands(data)[1];
        const std::int64_t first = std::get<std::int64_t>(m_store.op(data).attributes.at("axis"));
        if (m_store.hasShape(innerRows) && m_store.type(innerRows).element == m_store.type(rows).element) {
            const Shape inner = m_store.shape(innerRows);
            const Shape outer = m_store.shape(rows);
            const std::int64_t within = along - first;
            if (within >= 0 && within < static_cast<std::int64_t>(inner.size())) {
                Shape shapeOfRows(inner.begin(), inner.begin() + within);
                shapeOfRows.insert(shapeOfRows.end(), outer.begin(), outer.end());
                shapeOfRows.insert(shapeOfRows.end(), inner.begin() + within + 1, inner.end());
                Operator select;
                select.name = "Gather";
                select.attributes["axis"] = within;
                select.element = m_store.type(innerRows).element;
                const std::array<TermId, 2> arguments{innerRows, rows};
                rows = m_store.apply(m_store.internOperator(select), arguments, {select.element, shapeOfRows});
                data = m_store.operands(data)[0];
                along = first;
            }
        }
    }
    Operator gather;
    gather.name = "Gather";
    gather.attributes["axis"] = along;
    return apply(gather, {data, rows});
}

std::optional<TermId> NodeTerms::padOp() {
    const Shape shape = m_store.shape(operand(0));
    const std::size_t rank = shape.size();
    std::vector<std::int64_t> pads;
    TermId fill;
    const ElementType element = m_store.type(operand(0)).element;
    if (m_node.op.version < 11) {
        const auto given = intsAttribute(m_node.op.version < 2 ? "paddings" : "pads");
        if (!given) {
            return std::nullopt;
        }
        pads = *given;
        const float value = floatAttribute("value", 0.0F);
        switch (element) {
        case ElementType::F32: fill = m_store.constant(Tensor::of<float>(element, {}, {value})); break;
        case ElementType::F64: fill = m_store.constant(Tensor::of<double>(element, {}, {static_cast<double>(value)})); break;
        case ElementType::F16: fill = m_store.constant(Tensor::of<std::uint16_t>(element, {}, {floatToHalf(value)})); break;
        default: return std::nullopt;
        }
    } else {
        const auto given = integers(1);
        if (!given) {
            return std::nullopt;
        }
        pads = *given;
        if (has(2)) {
            if (!m_store.hasShape(operand(2)) || !elementCount(m_store.shape(operand(2))).is(1)) {
                return std::nullopt;
            }
            fill = m_move.reshape(operand(2), Shape{});
        } else {
            if (byteSize(element) == 0) {
                return std::nullopt;
            }
            fill = m_store.constant(Tensor(element, {}));
        }
        if (has(3)) {
            const auto axisList = integers(3);
            if (!axisList || pads.size() != 2 * axisList->size()) {
                return std::nullopt;
            }
            std::vector<std::int64_t> wide(2 * rank, 0);
            for (std::size_t k = 0; k < axisList->size(); ++k) {
                const std::optional<std::size_t> axis = normalAxis((*axisList)[k], rank);
                if (!axis) {
                    return std::nullopt;
                }
                wide[*axis] = pads[k];
                wide[rank + *axis] = pads[axisList->size() + k];
            }
            pads = wide;
        }
    }
    if (pads.size() != 2 * rank) {
        return std::nullopt;
    }
    const std::string mode = stringAttribute("mode", "constant");
    TermId out = operand(0);
    // Negative pads crop first, for every mode.
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::int64_t cropLow = std::max<std::int64_t>(0, -pads[axis]);
        const std::int64_t cropHigh = std::max<std::int64_t>(0, -pads[rank + axis]);
        if (cropLow + cropHigh > 0) {
            const Dim length = m_store.shape(out)[axis] - Dim(cropLow + cropHigh);
            if (mode != "constant" || !Dim::provablyAtLeast(length, Dim(0))) {
                return std::nullopt;
            }
            out = m_move.sliceAxis(out, axis, Dim(cropLow), length);
        }
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::int64_t low = std::max<std::int64_t>(0, pads[axis]);
        const std::int64_t high = std::max<std::int64_t>(0, pads[rank + axis]);
        if (low + high == 0) {
            continue;
        }
        const Shape here = m_store.shape(out);
        std::vector<TermId> parts;
        const auto constantPart = [&](std::int64_t length) {
            Shape box = here;
            box[axis] = Dim(length);
            return m_move.expand(fill, box);
        };
        const auto edgePart = [&](const Dim& at, std::int64_t length) {
            Shape box = here;
            box[axis] = Dim(length);
            return m_move.expand(m_move.sliceAxis(out, axis, at, Dim(1)), box);
        };
        const auto mirrored = [&](const Dim& start, std::int64_t length) {
            SliceOf slice{std::vector<Dim>(rank, Dim(0)), here, std::vector<std::int64_t>(rank, 1)};
            slice.starts[axis] = start;
            slice.lengths[axis] = Dim(length);
            slice.steps[axis] = -1;
            return m_move.move(out, slice);
        };
        if (mode == "constant") {
            if (low > 0) {
                parts.push_back(constantPart(low));
            }
            parts.push_back(out);
            if (high > 0) {
                parts.push_back(constantPart(high));
            }
        } else if (mode == "edge") {
            if (low > 0) {
                parts.push_back(edgePart(Dim(0), low));
            }
            parts.push_back(out);
            if (high > 0) {
                parts.push_back(edgePart(here[axis] - Dim(1), high));
            }
        } else if (mode == "reflect") {
            if (!Dim::provablyAtLeast(here[axis] - Dim(1), Dim(std::max(low, high)))) {
                return std::nullopt;
            }
            if (low > 0) {
                parts.push_back(mirrored(Dim(low), low));
            }
            parts.push_back(out);
            if (high > 0) {
                parts.push_back(mirrored(here[axis] - Dim(2), high));
            }
        } else if (mode == "wrap") {
            if (!Dim::provablyAtLeast(here[axis], Dim(std::max(low, high)))) {
                return std::nullopt;
            }
            if (low > 0) {
                parts.push_back(m_move.sliceAxis(out, axis, here[axis] - Dim(low), Dim(low)));
            }
            parts.push_back(out);
            if (high > 0) {
                parts.push_back(m_move.sliceAxis(out, axis, Dim(0), Dim(high)));
            }
        } else {
            return std::nullopt;
        }
        out = m_move.concat(axis, parts);
    }
    return out;
}

std::optional<TermId> NodeTerms::resizeOp() {
    // Nearest by whole factors: index i reads i / k. Other forms stay applications.
    const Shape shape = m_store.shape(operand(0));
    const Shape& result = *resultType(0).shape;
    if (stringAttribute("mode", "nearest") != "nearest" || result.size() != shape.size()) {
        return std::nullopt;
    }
    const std::string coordinates =
        m_node.op.name == "Upsample" || m_node.op.version < 11 ? "asymmetric" : stringAttribute("coordinate_transformation_mode", "half_pixel");
    const std::string rounding =
        m_node.op.name == "Upsample" || m_node.op.version < 11 ? "floor" : stringAttribute("nearest_mode", "round_prefer_floor");
    const bool plain = (coordinates == "asymmetric" && rounding == "floor") ||
                       (coordinates == "half_pixel" && (rounding == "round_prefer_floor" || rounding == "round_prefer_ceil"));
    if (!plain) {
        return std::nullopt;
    }
    Shape apart;
    Shape wide;
    std::vector<Dim> factors;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis].is(0)) {
            return std::nullopt;
        }
        const std::optional<Dim> factor = Dim::exactQuotient(result[axis], shape[axis]);
        if (!factor || !factor->isKnown() || factor->value() < 1) {
            return std::nullopt;
        }
        factors.push_back(*factor);
        apart.insert(apart.end(), {shape[axis], Dim(1)});
        wide.insert(wide.end(), {shape[axis], *factor});
    }
    // The scales themselves must be those factors: a scale of 2.2 may give the same length and read elsewhere.
    const std::size_t scalesAt = m_node.op.name == "Upsample" || m_node.op.version < 11 ? 1 : 2;
    if (has(scalesAt)) {
        const std::optional<Tensor> scales = m_store.constantElements(operand(scalesAt), 64);
        if (!scales) {
            return std::nullopt;
        }
        if (scales->count() > 0) {
            if (scales->count() != static_cast<std::int64_t>(shape.size()) || m_node.attributes.contains("axes")) {
                return std::nullopt;
            }
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                if (scales->toDouble(static_cast<std::int64_t>(axis)) != static_cast<double>(factors[axis].value())) {
                    return std::nullopt;
                }
            }
        }
    } else if (const auto* list = m_node.attribute<std::vector<float>>("scales")) {
        for (std::size_t axis = 0; axis < shape.size() && axis < list->size(); ++axis) {
            if (static_cast<double>((*list)[axis]) != static_cast<double>(factors[axis].value())) {
                return std::nullopt;
            }
        }
    }
    return m_move.reshape(m_move.expand(m_move.reshape(operand(0), apart), wide), result);
}

} // namespace lemmascope
