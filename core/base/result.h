#pragma once

#include "core/base/error.h"

#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace lemmascope {

/// A value, or the Error that explains its absence. Mark functions that return one `[[nodiscard]]`.
template <typename T>
using Result = tl::expected<T, Error>;

/// Builds the failing side of any Result.
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string where = {}) {
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(where)});
}

} // namespace lemmascope
