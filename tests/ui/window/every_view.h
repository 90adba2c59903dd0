#pragma once

#include "tests/ui/window/window_fixture.h"

#include <QString>

#include <functional>

namespace lemmascope::test {

/// Calls `look` with the window in every state it has: start page, each kind of verdict, each dock, each dialog that a menu opens.
void everyView(WindowFixture& fixture, const std::function<void(QWidget*, const QString&)>& look);

} // namespace lemmascope::test
