# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Embeds text files as C++ string literals, so that the programs need no files beside them to run.

# accelopt_embed(TARGET file...): each file becomes reachable as accelopt::resource("<path below source root>").
function(accelopt_embed TARGET)
  set(entries "")
  set(chunks "")
  set(index 0)
  foreach(path IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${path}")
    file(READ "${PROJECT_SOURCE_DIR}/${path}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND chunks "const unsigned char kData${index}[] = {${bytes}0};\n")
    string(APPEND entries "    {\"${path}\", {reinterpret_cast<const char *>(kData${index}), sizeof(kData${index}) - 1}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_data.cpp")
  file(CONFIGURE OUTPUT "${out}" CONTENT
"// Made by accelopt_embed() from the files of the source tree.
#include \"core/domain/Resources.h\"
#include <array>
#include <utility>
namespace accelopt {
namespace {
${chunks}
const std::pair<std::string_view, std::string_view> kFiles[] = {
${entries}    {}}; // one empty entry at the end, because an array cannot have none
} // namespace
std::span<const std::pair<std::string_view, std::string_view>> embeddedFiles() { return {kFiles, ${index}}; }
} // namespace accelopt
" @ONLY)
  add_library(${TARGET} STATIC "${out}")
  target_include_directories(${TARGET} PUBLIC "${PROJECT_SOURCE_DIR}")
  set_target_properties(${TARGET} PROPERTIES CXX_CLANG_TIDY "")
endfunction()
