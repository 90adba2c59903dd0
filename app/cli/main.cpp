#include "app/cli/command_line.h"

int main(int argc, char** argv) { return lemmascope::cli::run(argc, argv); }
