# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What `cmake --install` puts where. The programs look for the tasks in ../share/accelopt/nkibench and for
# nkisim beside themselves, so that the installed tree can be moved as a whole.
include(GNUInstallDirs)

foreach(program nkisim accelopt accelopt-workbench)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endforeach()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/nkibench" DESTINATION "${CMAKE_INSTALL_DATADIR}/accelopt"
        PATTERN "__pycache__" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")

if(TARGET accelopt-workbench)
  # One name for the desktop file, the AppStream record, the icon and the window's class: desktops tie them
  # together by it.
  set(id io.github.accelopt.Workbench)
  set(packaging "${PROJECT_SOURCE_DIR}/packaging")
  install(FILES "${packaging}/${id}.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
  install(FILES "${packaging}/${id}.metainfo.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo")
  install(FILES "${packaging}/${id}.mime.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages"
          RENAME ${id}.xml)
  install(FILES "${packaging}/icons/${id}.svg"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
endif()
