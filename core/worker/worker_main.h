#pragma once

namespace lemmascope {

/// The child's side of a worker: answers the requests that come through `inFd` (`--worker`: 0) on `outFd` (1) until the
/// input ends. Dies with the program that started it. Returns the exit status: 0, or 70 after input that is no frame
/// (the last answer then says so). Single-threaded; to be called once, from main().
int runWorker(int inFd, int outFd);

} // namespace lemmascope
