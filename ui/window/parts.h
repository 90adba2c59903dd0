#pragma once

namespace lemmascope {

class MainWindow;

/// Makes the parts of the window: objects, children of it, each of one subject (find, review, values ...), that add their docks and
/// actions and follow PairSession and MainWindow::selectionChanged. Called once, when menus, docks and session are there.
void addParts(MainWindow& window);

} // namespace lemmascope
