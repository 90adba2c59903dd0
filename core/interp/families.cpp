#include "core/interp/families.h"

#include <algorithm>
#include <map>

namespace lemmascope::interp {

namespace {

/// Values of one axis: `*`, `3`, `0..7`, `0..8:2`, `{1,4..6}`.
std::string axisText(const std::vector<std::int64_t>& values, std::int64_t size) {
    if (values.size() == 1) {
        return std::to_string(values.front());
    }
    const std::int64_t step = values[1] - values[0];
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i] - values[i - 1] != step) {
            // Runs of neighbours; a few are named.
            std::string text;
            std::size_t runs = 0;
            for (std::size_t k = 0; k < values.size();) {
                std::size_t end = k;
                while (end + 1 < values.size() && values[end + 1] == values[end] + 1) {
                    ++end;
                }
                if (++runs > 6) {
                    return "{" + text + ",...}";
                }
                text += (text.empty() ? "" : ",") + std::to_string(values[k]) + (end > k ? ".." + std::to_string(values[end]) : "");
                k = end + 1;
            }
            return "{" + text + "}";
        }
    }
    if (step == 1 && static_cast<std::int64_t>(values.size()) == size) {
        return "*";
    }
    return std::to_string(values.front()) + ".." + std::to_string(values.back()) + (step == 1 ? "" : ":" + std::to_string(step));
}

struct Box {
    std::vector<std::string> axes;
    std::vector<std::uint64_t> cells; ///< relative to the axes described
};

/// Boxes of cells over the axes from `axis` on: indices of this axis with the same rest go together.
std::vector<Box> boxes(const std::vector<std::int64_t>& sizes, std::size_t axis, const std::vector<std::uint64_t>& cells) {
    if (axis == sizes.size()) {
        return {{{}, {0}}};
    }
    std::uint64_t stride = 1;
    for (std::size_t i = axis + 1; i < sizes.size(); ++i) {
        stride *= static_cast<std::uint64_t>(std::max<std::int64_t>(sizes[i], 1));
    }
    std::map<std::vector<std::uint64_t>, std::vector<std::int64_t>> byRest;
    for (std::size_t i = 0; i < cells.size();) {
        const std::uint64_t index = cells[i] / stride;
        std::vector<std::uint64_t> rest;
        for (; i < cells.size() && cells[i] / stride == index; ++i) {
            rest.push_back(cells[i] % stride);
        }
        byRest[std::move(rest)].push_back(static_cast<std::int64_t>(index));
    }
    std::vector<Box> out;
    for (const auto& [rest, indices] : byRest) {
        for (const Box& inner : boxes(sizes, axis + 1, rest)) { // as deep as the array has axes
            Box box;
            box.axes.push_back(axisText(indices, sizes[axis]));
            box.axes.insert(box.axes.end(), inner.axes.begin(), inner.axes.end());
            for (const std::int64_t index : indices) {
                for (const std::uint64_t cell : inner.cells) {
                    box.cells.push_back(static_cast<std::uint64_t>(index) * stride + cell);
                }
            }
            out.push_back(std::move(box));
        }
    }
    return out;
}

} // namespace

std::vector<std::int64_t> indexOfCell(const std::vector<std::int64_t>& sizes, std::uint64_t cell) {
    std::vector<std::int64_t> index(sizes.size());
    auto left = static_cast<std::int64_t>(cell);
    for (std::size_t axis = index.size(); axis-- > 1;) {
        const std::int64_t size = std::max<std::int64_t>(sizes[axis], 1);
        index[axis] = left % size;
        left /= size;
    }
    if (!index.empty()) {
        index[0] = left;
    }
    return index;
}

std::vector<CellFamily> familiesOf(const std::string& array, const std::vector<std::int64_t>& sizes, const std::vector<std::uint64_t>& cells,
                                   std::size_t most) {
    std::vector<CellFamily> out;
    if (cells.empty()) {
        return out;
    }
    if (sizes.empty()) {
        return {{array, cells}};
    }
    for (Box& box : boxes(sizes, 0, cells)) {
        std::string text = array + "[";
        for (std::size_t i = 0; i < box.axes.size(); ++i) {
            text += (i > 0 ? "," : "") + box.axes[i];
        }
        out.push_back({text + "]", std::move(box.cells)});
    }
    std::stable_sort(out.begin(), out.end(), [](const CellFamily& a, const CellFamily& b) { return a.cells.front() < b.cells.front(); });
    if (out.size() > most) {
        CellFamily rest;
        for (std::size_t i = most - 1; i < out.size(); ++i) {
            rest.cells.insert(rest.cells.end(), out[i].cells.begin(), out[i].cells.end());
        }
        std::sort(rest.cells.begin(), rest.cells.end());
        rest.text = "others of " + array;
        out.resize(most - 1);
        out.push_back(std::move(rest));
    }
    return out;
}

std::string familyText(const std::string& array, const std::vector<std::int64_t>& sizes, const std::vector<std::uint64_t>& cells) {
    if (sizes.empty()) {
        return array;
    }
    std::uint64_t all = 1;
    for (const std::int64_t size : sizes) {
        all *= static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
    }
    std::string text;
    for (const CellFamily& family : familiesOf(array, sizes, cells)) {
        text += (text.empty() ? "" : "; ") + family.text + ", " + std::to_string(family.cells.size()) + " of " + std::to_string(all) + " cells";
    }
    return text;
}

} // namespace lemmascope::interp
