# What a clean build saves: files of one target are compiled ten at a time, as one (a third of the processor time for
# the rules, half for everything), and the headers of other libraries that nearly every file includes are parsed once,
# absl's hash map alone a second.
#   quantgate_precompile(<kind> [HEADERS ...] [DEPS ...])   parses them with the options that files of this kind have
#   quantgate_use_precompiled(<target> <kind>)              for a target with these options
# No precompiled header is one of our own, so that a change compiles again what includes it and no more. Off for other compilers,
# sanitizers and other systems, where an include that is missing shows.
set(precompiled_by_default ON)
if(QUANTGATE_SANITIZE OR QUANTGATE_FUZZERS OR CMAKE_CROSSCOMPILING OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompiled_by_default OFF)
endif()
option(QUANTGATE_UNITY "Compile the files of a target ten at a time, as one" ${precompiled_by_default})
if(QUANTGATE_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
endif()
option(QUANTGATE_PRECOMPILED "Parse the headers of other libraries once, not for each file" ${precompiled_by_default})

function(quantgate_precompile kind)
  cmake_parse_arguments(ARG "" "" "HEADERS;DEPS" ${ARGN})
  if(NOT QUANTGATE_PRECOMPILED)
    return()
  endif()
  set(target quantgate_precompiled_${kind})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${kind}.cc CONTENT "")
  add_library(${target} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${kind}.cc)
  target_link_libraries(${target} PRIVATE
    absl::flat_hash_map absl::flat_hash_set absl::inlined_vector absl::statusor absl::strings fmt::fmt quantgate_options
    ${ARG_DEPS})
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cmath> <cstddef> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span>
    <string> <string_view> <utility> <variant> <vector>
    <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/container/inlined_vector.h>
    <absl/status/status.h> <absl/status/statusor.h> <absl/strings/str_cat.h> <absl/strings/str_join.h>
    <absl/types/span.h> <fmt/core.h>
    ${ARG_HEADERS})
endfunction()

function(quantgate_use_precompiled target kind)
  if(QUANTGATE_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM quantgate_precompiled_${kind})
    # As fmt's header was parsed, or it would be parsed again.
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
    # Parsed for libraries; a program would be compiled with -fPIE.
    target_compile_options(${target} PRIVATE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fPIC>")
    # GCC forgets that they are the system's, whose warnings it would not show: copies without end in std::string.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()
