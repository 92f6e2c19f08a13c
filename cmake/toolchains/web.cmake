# WebAssembly by Debian's emscripten. Libraries are those of QUANTGATE_SYSROOT, which
# tools/dev/cross/web.py builds of Debian's source packages.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(QUANTGATE_SYSROOT "" CACHE PATH "Prefix of libraries for the target")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES QUANTGATE_SYSROOT)
list(APPEND CMAKE_FIND_ROOT_PATH "${QUANTGATE_SYSROOT}")
list(APPEND CMAKE_PREFIX_PATH "/usr")
# How C++ exceptions are done is part of the ABI: all libraries agree.
set(QUANTGATE_WEB_EXCEPTIONS "-fwasm-exceptions" CACHE STRING "-fwasm-exceptions or -fexceptions")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES QUANTGATE_WEB_EXCEPTIONS)
string(APPEND CMAKE_CXX_FLAGS_INIT " ${QUANTGATE_WEB_EXCEPTIONS}")
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " ${QUANTGATE_WEB_EXCEPTIONS}")
