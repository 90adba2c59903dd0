// The real worker as a program of its own, so that these tests need no command line.
#include "core/worker/worker_main.h"

int main() { return lemmascope::runWorker(0, 1); }
