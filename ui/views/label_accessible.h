#pragma once

namespace lemmascope {

/// Registers how labels speak (once; later calls do nothing): Qt gives a label's accessible name instead of its text, so what a named
/// label shows would never be heard. With this it is the name, then the text: `Lemma counts: 1 fail, 3 hold`. Scrolled words and heat
/// maps get a role.
void installLabelAccessibility();

} // namespace lemmascope
