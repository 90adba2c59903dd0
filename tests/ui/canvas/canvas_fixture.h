#pragma once

#include "core/layout/layered.h"
#include "ui/canvas/scene_builder.h"

#include <QtGlobal>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// Graphs for the canvas tests, written as short text.

namespace lemmascope::test {

/// Lines `name = Op operand operand key=1`; an operand nothing made is an input `f32[2,n]`; a result nobody reads is an output.
/// `@name` reads a constant scalar of that name. Values and nodes have the same names.
[[nodiscard]] std::shared_ptr<const Graph> graphFrom(const std::string& text);
[[nodiscard]] std::shared_ptr<const GraphTree> treeFrom(const std::string& text);
[[nodiscard]] std::shared_ptr<const GraphTree> treeOf(std::shared_ptr<const Graph> graph);

/// A chain of transformer-like blocks of ten nodes, with skips; about `nodes` nodes.
[[nodiscard]] std::shared_ptr<const GraphTree> blocks(std::size_t nodes);

/// A node's id by its name, at any depth.
[[nodiscard]] FlatNodeId node(const GraphTree& tree, const std::string& name);

/// Partners by name; marks Shared; the rest Only. Change marks afterwards.
[[nodiscard]] std::shared_ptr<Correspondence> correspondenceByName(const GraphTree& reference, const GraphTree& rewritten);

[[nodiscard]] ScenePair scenes(std::shared_ptr<const GraphTree> reference, std::shared_ptr<const GraphTree> rewritten = nullptr,
                               std::shared_ptr<const Correspondence> correspondence = nullptr);
[[nodiscard]] std::shared_ptr<const GraphScene> scene(std::shared_ptr<const GraphTree> tree);

} // namespace lemmascope::test
