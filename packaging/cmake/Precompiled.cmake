# The headers that most files read, parsed once (LEMMASCOPE_PRECOMPILED): two fifths of the time of a whole build. Without the option, as in
# the release build, each file has to include what it uses.

option(LEMMASCOPE_PRECOMPILED "Precompile common headers" OFF)

set(precompiled_core <algorithm> <array> <charconv> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numeric> <optional>
    <set> <span> <stop_token> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector> <tl/expected.hpp>)
set(precompiled_eval ${precompiled_core})
set(precompiled_test ${precompiled_core} <random> <sstream> <QtTest> <QDir> <QFile> <QProcess> <QTemporaryDir>)
set(precompiled_window ${precompiled_core} <QtWidgets>)
set(precompiled_window_test ${precompiled_test} <QtWidgets>)

# lemmascope_precompiled(TARGET KIND): one header a KIND (core, eval, test, window, window_test), made with the first target that asks for it;
# those that follow must have the same flags but for definitions and folders.
function(lemmascope_precompiled target kind)
    if(NOT LEMMASCOPE_PRECOMPILED OR kind STREQUAL "none")
        return()
    endif()
    get_property(maker GLOBAL PROPERTY lemmascope_precompiled_${kind})
    if(maker)
        target_precompile_headers(${target} REUSE_FROM ${maker})
    else()
        target_precompile_headers(${target} PRIVATE ${precompiled_${kind}})
        set_property(GLOBAL PROPERTY lemmascope_precompiled_${kind} ${target})
    endif()
endfunction()
