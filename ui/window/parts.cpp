#include "ui/window/parts.h"

#include "ui/window/find_part.h"
#include "ui/window/main_window.h"
#include "ui/window/palette_part.h"
#include "ui/window/places_part.h"

namespace lemmascope {

void addParts(MainWindow& window) {
    auto* places = new PlacesPart(window);
    new FindPart(window, *places);
    new PalettePart(window, *places);
}

} // namespace lemmascope
