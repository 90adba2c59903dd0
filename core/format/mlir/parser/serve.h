#pragma once

namespace lemmascope::ir {

/// The whole of `lemmascope-mlir`: answers requests that come as frames through `inFd` on `outFd` until the input ends. Its memory,
/// time and stack are bounded, whatever is asked. Returns the exit status: 0, or 70 after input that is no frame.
int serve(int inFd, int outFd);

} // namespace lemmascope::ir
