#pragma once

#include "app/cli/requests.h"

namespace lemmascope::cli {

class Console;
class Interrupt;

/// One function per command; each returns the exit status, having told errors on the console.
[[nodiscard]] int checkCommand(const CheckRequest& request, Console& console, Interrupt& interrupt);
[[nodiscard]] int obligationCommand(const ObligationRequest& request, Console& console, Interrupt& interrupt);
[[nodiscard]] int evalCommand(const EvalRequest& request, Console& console, Interrupt& interrupt);
[[nodiscard]] int interpCommand(const InterpRequest& request, Console& console, Interrupt& interrupt);
[[nodiscard]] int showCommand(const ShowRequest& request, Console& console, Interrupt& interrupt);
[[nodiscard]] int matchCommand(const MatchRequest& request, Console& console, Interrupt& interrupt);
/// Its part on a graph: the exit status.
[[nodiscard]] Result<int> matchGraphCommand(const MatchRequest& request, Console& console, Interrupt& interrupt);
[[nodiscard]] int rewriteCommand(const RewriteRequest& request, Console& console, Interrupt& interrupt);
[[nodiscard]] int rulesCheckCommand(const RulesRequest& request, Console& console, Interrupt& interrupt);
[[nodiscard]] int rulesFormatCommand(const RulesRequest& request, Console& console);
[[nodiscard]] int rulesListCommand(const RulesRequest& request, Console& console);
[[nodiscard]] int convertCommand(const ConvertRequest& request, Console& console, Interrupt& interrupt);

/// Tells an error and gives its exit status.
[[nodiscard]] int report(Console& console, const Error& error);
/// loadGraph, with a message of its own for formats that this version does not read yet.
[[nodiscard]] Result<std::shared_ptr<const Graph>> openGraph(const std::string& file, Interrupt& interrupt);
/// A user's definitions; null for an empty name. Fails with NotFound or BadData, naming file and line.
[[nodiscard]] Result<std::shared_ptr<const DefinitionLibrary>> openDefinitions(const std::string& file);
/// openGraph with these definitions.
[[nodiscard]] Result<std::shared_ptr<const Graph>> openGraph(const std::string& file, const std::string& definitions, Interrupt& interrupt);
/// Writes a document to a file, or for `-` to standard output.
[[nodiscard]] Result<void> writeDocument(Console& console, const std::string& target, const std::string& text);

} // namespace lemmascope::cli
