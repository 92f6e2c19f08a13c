# quantgate_embed(<out.cc> HEADER <h> NAMESPACE <ns> FILES <name> <file>[;<file>…] …): each name
# becomes a `const std::string_view` of the files' text, one after the other. <h> declares them.
function(quantgate_embed out)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE" "FILES" ${ARGN})
  set(text "// Written by CMake: the texts that ${ARG_HEADER} declares.\n#include \"${ARG_HEADER}\"\n\n")
  string(APPEND text "namespace ${ARG_NAMESPACE} {\n\n")
  set(name "")
  set(open FALSE)
  foreach(item IN LISTS ARG_FILES)
    if(item MATCHES "^k[A-Z][A-Za-z]*$")
      if(open)
        string(APPEND text ";\n")
      endif()
      string(APPEND text "const std::string_view ${item} =")
      set(open TRUE)
    else()
      cmake_path(ABSOLUTE_PATH item NORMALIZE)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${item})
      file(READ ${item} content)
      string(APPEND text "\n    R\"QG(${content})QG\"")
    endif()
  endforeach()
  string(APPEND text ";\n\n}  // namespace ${ARG_NAMESPACE}\n")
  # Untouched where nothing changed, so that nothing is built again.
  set(old "")
  if(EXISTS ${out})
    file(READ ${out} old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE ${out} "${text}")
  endif()
endfunction()

# quantgate_embed_bytes(<out.S> <symbol> <file>): the bytes of a file that the build makes, between
# <symbol>_begin and <symbol>_end, at an address that eight divides.
enable_language(ASM)
function(quantgate_embed_bytes out symbol file)
  # Symbols of WebAssembly have a kind and a size.
  set(section ".rodata")
  set(object "")
  set(note [[.section .note.GNU-stack,"",%progbits]])
  if(EMSCRIPTEN)
    set(section ".rodata.${symbol},\"\",@")
    set(object ".type ${symbol}_begin,@object
    .type ${symbol}_end,@object
    .size ${symbol}_begin, 1
    .size ${symbol}_end, 1")
    set(note "")
  endif()
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT [[
    .section @section@
    .p2align 3
    .globl @symbol@_begin
    .globl @symbol@_end
    .hidden @symbol@_begin
    .hidden @symbol@_end
    @object@
@symbol@_begin:
    .incbin "@file@"
@symbol@_end:
    .byte 0
    @note@
]])
  set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS ${file})
endfunction()
