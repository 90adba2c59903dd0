#pragma once

namespace lemmascope {

class GraphCanvas;

/// Registers the accessible form of GraphCanvas (once; later calls do nothing): a list whose children are the items in sight,
/// made when a screen reader asks for them, each with its spoken name, place, state and its edges as relations.
void installCanvasAccessibility();
/// Tells screen readers that the selected item has the focus, if any is listening and the canvas has the focus.
void announceAccessibleFocus(GraphCanvas* canvas);
/// Drops the children made for a canvas: its scene goes away.
void forgetAccessibleItems(GraphCanvas* canvas);

} // namespace lemmascope
