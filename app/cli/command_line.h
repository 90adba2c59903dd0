#pragma once

namespace lemmascope::cli {

/// Reads the command line and runs its command. Returns the exit status (resources/help/formats.md): `check` 0, 1 or 2; trouble 64, 65, 66
/// or 70; 130 when interrupted. Nothing escapes as an exception.
[[nodiscard]] int run(int argc, char** argv);

} // namespace lemmascope::cli
