// Views: address arithmetic only.

#include "core/interp/machine_state.h"

#include <algorithm>

namespace lemmascope::interp {

bool Machine::extent(Task& task, const Extent& given, std::uint32_t pc, std::int64_t& out) {
    if (!given.isRegister) {
        out = given.value;
        return true;
    }
    const Frame& frame = task.frames.back();
    const Cell& cell = task.registers[frame.registers + static_cast<std::size_t>(given.value)];
    if (cell.term != NoTerm) {
        (void)undecidedValue(task, pc, "the offset, size or stride of a view depends on data", static_cast<Register>(given.value));
        return false;
    }
    out = static_cast<std::int64_t>(cell.bits);
    return true;
}

Machine::Flow Machine::makeView(Task& task, const Instruction& in, std::uint32_t pc) {
    const Frame& frame = task.frames.back();
    const FunctionCode& f = *frame.code;
    const ViewSpec& spec = f.viewSpecs[in.b];
    const View source = task.views[frame.views + in.a];
    const ViewType& type = f.views[in.dst];
    if (source.allocation == MixedAllocation) {
        return undecided(task, pc, "which buffer is used depends on data");
    }
    View made;
    made.allocation = source.allocation;
    made.offset = source.offset;
    made.rank = static_cast<std::uint32_t>(type.sizes.size());
    Fault found;
    found.kind = FaultKind::BadView;
    found.access = "view";
    found.buffer = m_allocations[source.allocation].name;
    for (std::uint32_t axis = 0; axis < source.rank; ++axis) {
        found.size.push_back(source.size[axis]);
    }
    const bool needsExtent = spec.kind == ViewSpec::Kind::Expand || spec.kind == ViewSpec::Kind::Collapse;
    if (needsExtent && source.rank > 0 && source.size[0] > INT64_MAX / 2) {
        return undecided(task, pc, "a view of '" + found.buffer + "' needs its extent: give --size " + found.buffer + ".0=N");
    }
    switch (spec.kind) {
    case ViewSpec::Kind::Subview: {
        std::size_t kept = 0;
        bool isEmpty = false;
        std::int64_t last[MaxRank] = {};
        for (std::uint32_t axis = 0; axis < source.rank; ++axis) {
            std::int64_t offset = 0, size = 0, stride = 0;
            if (!extent(task, spec.offsets[axis], pc, offset) || !extent(task, spec.sizes[axis], pc, size) ||
                !extent(task, spec.strides[axis], pc, stride)) {
                return Flow::Stop;
            }
            if (size < 0 || offset < 0) {
                found.index = {size < 0 ? size : offset};
                found.detail = std::string(size < 0 ? "size" : "offset") + " of axis " + std::to_string(axis) + " is negative";
                return fault(task, std::move(found), pc);
            }
            isEmpty |= size == 0;
            std::int64_t span = 0;
            if (__builtin_mul_overflow(std::max<std::int64_t>(size - 1, 0), stride, &span) || __builtin_add_overflow(offset, span, &last[axis])) {
                last[axis] = INT64_MAX;
            }
            made.offset += offset * source.stride[axis];
            if (kept < spec.axes.size() && spec.axes[kept] == axis) {
                made.size[kept] = size;
                made.stride[kept] = stride * source.stride[axis];
                ++kept;
            }
        }
        for (std::uint32_t axis = 0; axis < source.rank && !isEmpty; ++axis) {
            if (last[axis] < 0 || last[axis] >= source.size[axis]) {
                found.index = {last[axis]};
                found.detail = "axis " + std::to_string(axis) + " of the subview ends outside its source";
                return fault(task, std::move(found), pc);
            }
        }
        break;
    }
    case ViewSpec::Kind::Reinterpret: {
        if (!extent(task, spec.offsets[0], pc, made.offset)) {
            return Flow::Stop;
        }
        for (std::uint32_t axis = 0; axis < made.rank; ++axis) {
            if (!extent(task, spec.sizes[axis], pc, made.size[axis]) || !extent(task, spec.strides[axis], pc, made.stride[axis])) {
                return Flow::Stop;
            }
        }
        break;
    }
    case ViewSpec::Kind::Permute:
        for (std::uint32_t axis = 0; axis < made.rank; ++axis) {
            made.size[axis] = source.size[spec.axes[axis]];
            made.stride[axis] = source.stride[spec.axes[axis]];
        }
        break;
    case ViewSpec::Kind::Expand: {
        std::uint32_t next = 0;
        for (std::uint32_t axis = 0; axis < source.rank; ++axis) {
            std::int64_t product = 1;
            for (std::uint32_t i = 0; i < spec.groups[axis]; ++i) {
                if (!extent(task, spec.sizes[next + i], pc, made.size[next + i])) {
                    return Flow::Stop;
                }
                product *= made.size[next + i];
            }
            if (product != source.size[axis]) {
                found.detail =
                    "axis " + std::to_string(axis) + " of " + std::to_string(source.size[axis]) + " is expanded to " + std::to_string(product);
                return fault(task, std::move(found), pc);
            }
            std::int64_t stride = source.stride[axis];
            for (std::uint32_t i = spec.groups[axis]; i-- > 0;) {
                made.stride[next + i] = stride;
                stride *= made.size[next + i];
            }
            next += spec.groups[axis];
        }
        break;
    }
    case ViewSpec::Kind::Collapse: {
        std::uint32_t next = 0;
        for (std::uint32_t axis = 0; axis < made.rank; ++axis) {
            std::int64_t size = 1;
            std::int64_t stride = 1;
            bool first = true;
            for (std::uint32_t i = spec.groups[axis]; i-- > 0;) {
                const std::uint32_t from = next + i;
                if (source.size[from] != 1 && !first && source.stride[from] != stride * size) {
                    found.detail = "the collapsed axes are not contiguous";
                    return fault(task, std::move(found), pc);
                }
                if (first && source.size[from] != 1) {
                    stride = source.stride[from];
                    first = false;
                }
                size *= source.size[from];
            }
            made.size[axis] = size;
            made.stride[axis] = stride;
            next += spec.groups[axis];
        }
        break;
    }
    case ViewSpec::Kind::Cast: made = source; break;
    }
    for (std::uint32_t axis = 0; axis < made.rank; ++axis) {
        const std::int64_t wanted = type.sizes[axis];
        if (wanted != Dynamic && made.size[axis] != wanted) {
            if (spec.kind == ViewSpec::Kind::Cast && made.size[axis] > INT64_MAX / 2) {
                made.size[axis] = wanted;
                continue;
            }
            found.index = {made.size[axis]};
            found.size = {wanted};
            found.detail = "axis " + std::to_string(axis) + " is not as long as the type says";
            return fault(task, std::move(found), pc);
        }
    }
    task.views[frame.views + in.dst] = made;
    return Flow::Next;
}

} // namespace lemmascope::interp
