#include "ui/window/parts.h"

#include "ui/window/main_window.h"

namespace lemmascope {

void addParts(MainWindow& window) { static_cast<void>(window); }

} // namespace lemmascope
