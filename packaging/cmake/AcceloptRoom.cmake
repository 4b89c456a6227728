# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A room of the house is one static library. accelopt_room() is the only way to make one, so that the
# list of rooms and what each links can be written out (rooms.json) and held against the allowed arrows.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set_property(GLOBAL PROPERTY ACCELOPT_ROOMS "")

find_program(ACCELOPT_MOLD mold)
find_program(ACCELOPT_CCACHE ccache)
if(ACCELOPT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers carry time stamps and absolute paths; without this ccache refuses them.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${ACCELOPT_CCACHE}")
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

add_library(accelopt_flags INTERFACE)
target_compile_options(accelopt_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(ACCELOPT_WERROR)
  # g++ 12 suspects std::optional of being read before it is set, depending on how it was inlined. And a
  # precompiled header that does not fit only costs time.
  target_compile_options(accelopt_flags INTERFACE -Werror -Wno-error=maybe-uninitialized
    -Wno-error=invalid-pch)
endif()
if(ACCELOPT_SANITIZE)
  target_compile_options(accelopt_flags INTERFACE -fsanitize=${ACCELOPT_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(accelopt_flags INTERFACE -fsanitize=${ACCELOPT_SANITIZE})
  # "all" of undefined includes checks that throw away errors silently unless told to stop.
  if(ACCELOPT_SANITIZE MATCHES "undefined")
    target_compile_options(accelopt_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
elseif(ACCELOPT_MOLD)
  target_link_options(accelopt_flags INTERFACE -fuse-ld=mold)
endif()

add_library(accelopt_qt_flags INTERFACE)
target_compile_definitions(accelopt_qt_flags INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_USE_QSTRINGBUILDER QT_NO_FOREACH
  QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_DISABLE_DEPRECATED_BEFORE=0x060400)

# accelopt_precompile(TARGET QT): headers that nearly every source includes. The rooms without Qt share the
# work of the first of them that has sources; those with Qt cannot, because their macros differ.
function(accelopt_precompile TARGET QT)
  set(headers <algorithm> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <unordered_map> <utility> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp> <tl/expected.hpp>)
  get_property(first GLOBAL PROPERTY ACCELOPT_PRECOMPILED)
  if(QT AND ACCELOPT_SHARED_PCH)
    target_precompile_headers(${TARGET} PRIVATE ${headers} <QByteArray> <QObject> <QString>)
  elseif(NOT QT AND first AND ACCELOPT_SHARED_PCH)
    target_precompile_headers(${TARGET} REUSE_FROM ${first})
  elseif(NOT QT)
    target_precompile_headers(${TARGET} PRIVATE ${headers})
    set_property(GLOBAL PROPERTY ACCELOPT_PRECOMPILED ${TARGET})
  endif()
endfunction()

# accelopt_room(NAME [QT] [ROOMS room...] [LIBRARIES target...] [PRIVATE_LIBRARIES target...])
# All *.cpp below the current folder belong to the room. ROOMS are the arrows: rooms this one may use.
function(accelopt_room NAME)
  cmake_parse_arguments(R "QT" "" "ROOMS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(R_QT)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
    list(APPEND sources ${headers})
  endif()
  set(target accelopt_${NAME})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${R_PRIVATE_LIBRARIES})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(accelopt::${NAME} ALIAS ${target})
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}")
  target_include_directories(${target} SYSTEM ${scope} "${ACCELOPT_TL_EXPECTED}")
  target_link_libraries(${target} ${scope} accelopt_flags ${R_LIBRARIES})
  foreach(room IN LISTS R_ROOMS)
    target_link_libraries(${target} ${scope} accelopt::${room})
  endforeach()
  if(R_QT)
    set_target_properties(${target} PROPERTIES AUTOMOC ON)
    target_link_libraries(${target} ${scope} accelopt_qt_flags)
  endif()
  if(sources AND NOT NAME STREQUAL "widgets") # which has headers of its own to precompile
    accelopt_precompile(${target} ${R_QT})
  endif()
  if(ACCELOPT_VERIFY_HEADERS)
    # The target all_verify_interface_header_sets compiles each header alone, without precompiled ones.
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
    target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers})
    set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
  set_property(GLOBAL APPEND PROPERTY ACCELOPT_ROOMS ${NAME})
endfunction()

# Writes rooms.json into the build folder: each room and program with the targets it links, read back from
# the targets themselves so that a link added elsewhere is seen too.
function(accelopt_write_rooms)
  get_property(rooms GLOBAL PROPERTY ACCELOPT_ROOMS)
  set(targets "")
  foreach(room IN LISTS rooms)
    list(APPEND targets "${room}=accelopt_${room}")
  endforeach()
  foreach(program nkisim accelopt accelopt-workbench)
    if(TARGET ${program})
      list(APPEND targets "app/${program}=${program}")
    endif()
  endforeach()
  set(text "{")
  set(comma "")
  foreach(pair IN LISTS targets)
    string(REGEX MATCH "^(.*)=(.*)$" pair "${pair}")
    set(name "${CMAKE_MATCH_1}")
    set(target "${CMAKE_MATCH_2}")
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      get_target_property(private ${target} LINK_LIBRARIES)
      if(private)
        list(APPEND links ${private})
      endif()
    endif()
    list(REMOVE_DUPLICATES links)
    string(APPEND text "${comma}\n  \"${name}\": [")
    set(inner "")
    foreach(link IN LISTS links)
      # Private links of a static library appear a second time, wrapped in $<LINK_ONLY:...>.
      if(NOT link MATCHES "^\\$|NOTFOUND$")
        string(APPEND text "${inner}\"${link}\"")
        set(inner ", ")
      endif()
    endforeach()
    string(APPEND text "]")
    set(comma ",")
  endforeach()
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/rooms.json" CONTENT "${text}\n}\n")
endfunction()
