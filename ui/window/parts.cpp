#include "ui/window/parts.h"

#include "ui/window/access_part.h"
#include "ui/window/find_part.h"
#include "ui/window/graph_table_part.h"
#include "ui/window/groups_part.h"
#include "ui/window/help_part.h"
#include "ui/window/hidden_part.h"
#include "ui/window/keyboard_part.h"
#include "ui/window/looks_part.h"
#include "ui/window/main_window.h"
#include "ui/window/matcher_part.h"
#include "ui/window/palette_part.h"
#include "ui/window/picture_part.h"
#include "ui/window/places_part.h"
#include "ui/window/play_part.h"
#include "ui/window/program_part.h"
#include "ui/window/reason_part.h"
#include "ui/window/replacement_part.h"
#include "ui/window/review_part.h"
#include "ui/window/rules_part.h"
#include "ui/window/session_part.h"
#include "ui/window/values_part.h"
#include "ui/window/view_history_part.h"
#include "ui/window/worker_loss_part.h"

namespace lemmascope {

void addParts(MainWindow& window) {
    // Each a child of the window. Their order is that of their menu entries and of the keys of their docks.
    auto* history = new ViewHistoryPart(window);
    auto* places = new PlacesPart(window);
    auto* find = new FindPart(window, *places);
    new GroupsPart(window);
    new PalettePart(window, *places);
    new GraphTablePart(window, *places, *find);
    new ReasonPart(window, *places);
    new PlayPart(window);
    new HiddenPart(window);
    auto* review = new ReviewPart(&window);
    new SessionPart(&window, review, window.stateFolder());
    new HelpPart(window);
    new PicturesPart(window);
    new ValuesPart(window);
    auto* rules = new RulesPart(window);
    new MatcherPart(window, *rules);
    new ReplacementPart(window, *rules);
    window.setPrograms(new ProgramPart(window));
    new WorkerLossPart(&window);
    new LooksPart(window, *history); // after those with docks
    new KeyboardPart(window);        // after those with acts
    new AccessPart(&window);         // last: it looks at what the others made
}

} // namespace lemmascope
