# Packages, warnings and the two functions that every folder's CMakeLists.txt uses.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(Z3 REQUIRED IMPORTED_TARGET z3)
pkg_check_modules(GRAPHVIZ REQUIRED IMPORTED_TARGET libcgraph libgvc)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmpxx)

if(LEMMASCOPE_WINDOW OR LEMMASCOPE_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)
endif()
if(LEMMASCOPE_WINDOW)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Gui Widgets Svg)
endif()

add_library(lemmascope_options INTERFACE)
add_library(lemmascope::options ALIAS lemmascope_options)
# Our asserts stay on in every build type: a checker with its checks off proves nothing.
target_compile_options(lemmascope_options INTERFACE
    -UNDEBUG -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wno-missing-field-initializers -fstack-protector-strong)
if(LEMMASCOPE_WERROR)
    target_compile_options(lemmascope_options INTERFACE -Werror)
endif()
if(LEMMASCOPE_SANITIZE)
    # g++ 12 takes instrumented std::optional for uninitialized; the plain build keeps the warning.
    target_compile_options(lemmascope_options INTERFACE -Wno-maybe-uninitialized -fsanitize=${LEMMASCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(lemmascope_options INTERFACE -fsanitize=${LEMMASCOPE_SANITIZE})
endif()
target_include_directories(lemmascope_options INTERFACE ${CMAKE_SOURCE_DIR})

# lemmascope_library(NAME SOURCES ... [HEADERS ...] [PUBLIC libs] [PRIVATE libs])
# One static library per folder: target lemmascope_NAME, alias lemmascope::NAME.
function(lemmascope_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
    add_library(lemmascope_${name} STATIC ${ARG_SOURCES} ${ARG_HEADERS})
    add_library(lemmascope::${name} ALIAS lemmascope_${name})
    target_link_libraries(lemmascope_${name} PUBLIC lemmascope::options ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# lemmascope_test(NAME SOURCES ... LIBS ... [LABELS ...] [TIMEOUT seconds] [ENVIRONMENT ...])
# One Qt Test executable tst_NAME, registered with CTest under its name. LIBS are targets.
function(lemmascope_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS;LABELS;ENVIRONMENT" ${ARGN})
    add_executable(tst_${name} ${ARG_SOURCES})
    set_target_properties(tst_${name} PROPERTIES AUTOMOC ON AUTOMOC_MOC_OPTIONS "-D_GLIBCXX_VISIBILITY=")
    target_link_libraries(tst_${name} PRIVATE lemmascope::options Qt6::Test ${ARG_LIBS})
    target_compile_definitions(tst_${name} PRIVATE LEMMASCOPE_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
        LEMMASCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" LEMMASCOPE_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    add_test(NAME ${name} COMMAND tst_${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    if(LEMMASCOPE_SANITIZE MATCHES "thread")
        list(APPEND ARG_ENVIRONMENT "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/packaging/tsan.supp")
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" ENVIRONMENT "QT_QPA_PLATFORM=offscreen;${ARG_ENVIRONMENT}")
endfunction()
