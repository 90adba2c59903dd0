#pragma once

#include "core/graph/element_type.h"
#include "core/sample/field.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lemmascope::sampling {

/// What kind of element: a real (fields, a sample, an error), or an integer or boolean that is concrete.
enum class Kind : std::uint8_t { Real, Integer, Boolean };

[[nodiscard]] constexpr Kind kindOf(ElementType type) {
    return type == ElementType::Bool ? Kind::Boolean : isInteger(type) ? Kind::Integer : Kind::Real;
}

/// Read access to the elements of one sample of an array.
struct Slice {
    std::array<const std::uint64_t*, MaxLevels> fields{};
    const double* values = nullptr;
    const double* errors = nullptr;
    const std::int64_t* integers = nullptr;
};

struct MutableSlice {
    std::array<std::uint64_t*, MaxLevels> fields{};
    double* values = nullptr;
    double* errors = nullptr;
    std::int64_t* integers = nullptr;
};

/// The elements of one term on every sample (or once, where all samples agree). An element of a real tensor is its image in
/// each field of the chain, a real sample, and a bound of how far that may move by rounding; of an integer tensor the value.
class SampleArray {
  public:
    SampleArray(Kind kind, std::size_t levels, std::size_t count, std::size_t copies)
        : m_kind(kind), m_levels(kind == Kind::Real ? levels : 0), m_count(count), m_copies(copies) {
        const std::size_t total = count * copies;
        if (kind == Kind::Real) {
            m_fields.resize(m_levels * total);
            m_values.resize(total);
            m_errors.resize(total);
        } else {
            m_integers.resize(total);
        }
    }

    [[nodiscard]] static std::size_t bytesFor(Kind kind, std::size_t levels, std::size_t count, std::size_t copies) {
        return count * copies * (kind == Kind::Real ? 8 * levels + 16 : 8);
    }
    [[nodiscard]] std::size_t bytes() const { return bytesFor(m_kind, m_levels, m_count, m_copies); }
    [[nodiscard]] Kind kind() const { return m_kind; }
    [[nodiscard]] std::size_t count() const { return m_count; }
    [[nodiscard]] std::size_t copies() const { return m_copies; }
    [[nodiscard]] std::size_t levels() const { return m_levels; }

    [[nodiscard]] Slice slice(std::size_t sample) const {
        Slice out;
        const std::size_t at = (m_copies == 1 ? 0 : sample) * m_count;
        for (std::size_t l = 0; l < m_levels; ++l) {
            out.fields[l] = m_fields.data() + l * m_count * m_copies + at;
        }
        if (m_kind == Kind::Real) {
            out.values = m_values.data() + at;
            out.errors = m_errors.data() + at;
        } else {
            out.integers = m_integers.data() + at;
        }
        return out;
    }
    [[nodiscard]] MutableSlice mutableSlice(std::size_t sample) {
        MutableSlice out;
        const std::size_t at = (m_copies == 1 ? 0 : sample) * m_count;
        for (std::size_t l = 0; l < m_levels; ++l) {
            out.fields[l] = m_fields.data() + l * m_count * m_copies + at;
        }
        if (m_kind == Kind::Real) {
            out.values = m_values.data() + at;
            out.errors = m_errors.data() + at;
        } else {
            out.integers = m_integers.data() + at;
        }
        return out;
    }

  private:
    Kind m_kind;
    std::size_t m_levels;
    std::size_t m_count;
    std::size_t m_copies;
    std::vector<std::uint64_t> m_fields; ///< [level][copy][element]
    std::vector<double> m_values;
    std::vector<double> m_errors;
    std::vector<std::int64_t> m_integers;
};

} // namespace lemmascope::sampling
