#include "core/graph/scopes.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace lemmascope {

namespace {

constexpr std::uint32_t None = NodeGroup::None;
constexpr std::size_t Deepest = 16;
constexpr double MostOfGraph = 0.8; ///< a scope with a larger share says nothing
constexpr double FewNames = 0.3;    ///< with slashes: split at dots instead

/// The ends of the scopes in `name`: positions of separators behind at least one character. The last component is no scope.
std::vector<std::size_t> scopeEnds(std::string_view name, char separator) {
    std::vector<std::size_t> ends;
    for (std::size_t at = name.find(separator, 1); at != std::string_view::npos && ends.size() < Deepest; at = name.find(separator, at + 1)) {
        if (name[at - 1] != separator && at + 1 < name.size()) {
            ends.push_back(at);
        }
    }
    return ends;
}

} // namespace

ScopeTree scopesOf(const GroupedPair& pair, const MergedGraph& graph) {
    std::vector<std::string> names;
    names.reserve(graph.size());
    std::size_t slashes = 0, dots = 0;
    for (const auto& [r, w] : graph.members) {
        names.push_back(r != None ? pair.reference->displayName(NodeId(r)) : pair.rewritten->displayName(NodeId(w)));
        slashes += names.back().find('/', 1) != std::string::npos ? 1 : 0;
        dots += names.back().find('.', 1) != std::string::npos ? 1 : 0;
    }
    ScopeTree tree;
    const char separator = static_cast<double>(slashes) < FewNames * static_cast<double>(names.size()) && dots > slashes ? '.' : '/';

    // All scopes as they are named, outer ones first.
    std::unordered_map<std::string, std::uint32_t> known;
    std::vector<std::uint32_t> parent, count, childCount, anyChild;
    std::vector<std::uint32_t> innermost(graph.size(), None);
    for (std::size_t v = 0; v < names.size(); ++v) {
        for (const std::size_t end : scopeEnds(names[v], separator)) {
            const auto [at, isNew] = known.try_emplace(names[v].substr(0, end), static_cast<std::uint32_t>(parent.size()));
            if (isNew) {
                tree.paths.push_back(at->first);
                parent.push_back(innermost[v]);
                count.push_back(0);
                childCount.push_back(0);
                anyChild.push_back(None);
                if (innermost[v] != None) {
                    ++childCount[innermost[v]];
                    anyChild[innermost[v]] = at->second;
                }
            }
            innermost[v] = at->second;
            ++count[at->second];
        }
    }
    // What is left of them: small ones are dissolved by whoever makes groups.
    const auto scopeCount = static_cast<std::uint32_t>(parent.size());
    std::vector<std::uint32_t> kept(scopeCount); // itself or the innermost scope around it that tells something
    tree.chains.resize(scopeCount);
    for (std::uint32_t s = 0; s < scopeCount; ++s) {
        const std::uint32_t around = parent[s] == None ? None : kept[parent[s]];
        const bool most = static_cast<double>(count[s]) > MostOfGraph * static_cast<double>(names.size());
        const bool sameAsChild = childCount[s] == 1 && count[anyChild[s]] == count[s];
        kept[s] = most || sameAsChild ? around : s;
        if (around != None) {
            tree.chains[s] = tree.chains[around];
        }
        if (kept[s] == s) {
            tree.chains[s].push_back(s);
        }
    }
    tree.scopeOf.assign(graph.size(), None);
    bool any = false;
    for (std::size_t v = 0; v < names.size(); ++v) {
        tree.scopeOf[v] = innermost[v] == None ? None : kept[innermost[v]];
        any = any || tree.scopeOf[v] != None;
    }
    if (!any) {
        tree.chains.clear();
    }
    return tree;
}

} // namespace lemmascope
