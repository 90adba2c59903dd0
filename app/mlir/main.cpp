// The reader of MLIR files as a process of its own: what crashes libMLIR ends this program and not the one that asked, and nobody
// else pays for loading it.
#include "core/format/mlir/parser/serve.h"

#include <cstdio>

#include <unistd.h>

int main(int argc, char**) {
    if (argc > 1 || ::isatty(STDIN_FILENO) != 0) {
        std::fputs("lemmascope-mlir: reads MLIR for lemmascope and lemmascope-cli, which start it; it has no use of its own\n", stderr);
        return 64;
    }
    return lemmascope::ir::serve(STDIN_FILENO, STDOUT_FILENO);
}
