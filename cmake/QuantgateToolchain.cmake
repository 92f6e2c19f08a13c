# Compiler cache, warnings and sanitizers, as one interface target.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # It leaves alone what uses precompiled headers, unless it may trust their names and times.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  add_compile_options($<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>)
endif()

add_library(quantgate_options INTERFACE)
target_compile_options(quantgate_options INTERFACE -Wall -Wextra)
# GCC 12 and 13, optimizing, see overlaps in std::string (GCC bug 105651) and uninitialized
# storage in absl::InlinedVector that are none.
target_compile_options(quantgate_options INTERFACE
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>")
# Processors with a fused multiply-add would round a * b + c once and not twice. Verdicts and fixed
# scales are everywhere those of x86-64, which has no such instruction in its baseline.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|x86)$")
  target_compile_options(quantgate_options INTERFACE -ffp-contract=off)
  # GCC's remark that what it calls changed in version 10.
  target_compile_options(quantgate_options INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>")
endif()
if(QUANTGATE_WERROR)
  target_compile_options(quantgate_options INTERFACE -Werror)
endif()
if(QUANTGATE_SANITIZE)
  target_compile_options(quantgate_options INTERFACE
    -fsanitize=${QUANTGATE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(quantgate_options INTERFACE -fsanitize=${QUANTGATE_SANITIZE})
endif()

if(QUANTGATE_FUZZERS)
  # Coverage in the libraries, so that libFuzzer sees their branches.
  target_compile_options(quantgate_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(quantgate_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What runs once a process, writes a few lines, or waits for a library: built small, which takes a quarter less time to
# compile and nothing that can be measured to run. The plan is slower so (0.43 to 0.57 s for 100,000 nodes, of a second
# that it may take) and half as large, which keeps the wheel below 8 MB.
add_library(quantgate_small INTERFACE)
target_compile_options(quantgate_small INTERFACE $<$<CONFIG:Release>:-Os>)
set(QUANTGATE_SMALL_FOLDERS comparison compile config fix knowledge oracle plan policy report)
# Of these, where many files read or write JSON.
set(QUANTGATE_JSON_FOLDERS comparison report)

# quantgate_folder(<name> SOURCES ... DEPS ...): the static library of one folder of core.
# A target per folder makes a wrong include a link error.
function(quantgate_folder name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(quantgate_${name} STATIC ${ARG_SOURCES})
  target_include_directories(quantgate_${name}
    PUBLIC ${PROJECT_SOURCE_DIR}/core/include ${PROJECT_BINARY_DIR}/core/include
    PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  quantgate_either(dependencies ${ARG_DEPS})
  target_link_libraries(quantgate_${name} PUBLIC ${dependencies} PRIVATE quantgate_options)
  if(name IN_LIST QUANTGATE_SMALL_FOLDERS)
    target_link_libraries(quantgate_${name} PRIVATE $<BUILD_INTERFACE:quantgate_small>)
    if(name IN_LIST QUANTGATE_JSON_FOLDERS)
      quantgate_use_precompiled(quantgate_${name} json)
    else()
      quantgate_use_precompiled(quantgate_${name} small)
    endif()
  else()
    quantgate_use_precompiled(quantgate_${name} fast)
  endif()
  set_target_properties(quantgate_${name} PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set_property(GLOBAL APPEND PROPERTY QUANTGATE_FOLDERS quantgate_${name})
endfunction()

# What the Python module and its wheel take of a build folder, for QUANTGATE_BUILT of another one.
function(quantgate_export_built)
  get_property(folders GLOBAL PROPERTY QUANTGATE_FOLDERS)
  set(file ${PROJECT_BINARY_DIR}/quantgate-built.cmake)
  file(REMOVE ${file})
  # APPEND: what they are linked with besides (quantgate_options) is the other folder's own.
  export(TARGETS ${folders} quantgate_cli APPEND FILE ${file})
  add_custom_target(quantgate_built)
  add_dependencies(quantgate_built ${folders} quantgate_cli)
endfunction()
