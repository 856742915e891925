# cmake --install: find_package(gnomon) -> gnomon::gnomon for C++ and gnomon::c for C; gnomon.pc and gnomon_c.pc for
# pkg-config.
include(CMakePackageConfigHelpers)

foreach(module IN ITEMS gnomon_sdf gnomon_ceres)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(TARGETS gnomon_core gnomon_builtin gnomon_all gnomon_c gnomon_kernels gnomon_eigen EXPORT gnomon-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY lib/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY plugins/schemes/kernels DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gnomon/schemes
        FILES_MATCHING PATTERN *.hpp)
install(DIRECTORY plugins/algebra/kernels DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gnomon/schemes/algebra
        FILES_MATCHING PATTERN banded_lu.hpp)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gnomon)
install(EXPORT gnomon-targets NAMESPACE gnomon:: DESTINATION ${config_dir})
configure_package_config_file(cmake/gnomon-config.cmake.in ${PROJECT_BINARY_DIR}/gnomon-config.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gnomon-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gnomon-config.cmake ${PROJECT_BINARY_DIR}/gnomon-config-version.cmake
              cmake/GnomonPlugin.cmake cmake/plugin_entry.cpp.in DESTINATION ${config_dir})

# SUNDIALS brings no pkg-config files: ours name its folders. pkg-config leaves out those of the system.
set(sundials SUNDIALS::nvecserial)
get_target_property(type ${sundials} TYPE)
while(type STREQUAL INTERFACE_LIBRARY) # stands for the shared or the static library
  get_target_property(sundials ${sundials} INTERFACE_LINK_LIBRARIES)
  list(GET sundials 0 sundials)
  get_target_property(type ${sundials} TYPE)
endwhile()
get_target_property(location ${sundials} LOCATION)
get_filename_component(sundials_libdir ${location} DIRECTORY)
set(GNOMON_PC_SUNDIALS_LIBS "-L${sundials_libdir}")
get_target_property(directories ${sundials} INTERFACE_INCLUDE_DIRECTORIES)
set(GNOMON_PC_SUNDIALS_CFLAGS "")
foreach(directory IN LISTS directories)
  string(APPEND GNOMON_PC_SUNDIALS_CFLAGS " -I${directory}")
endforeach()

# Programs that are linked by them start from folders that the loader does not look in; those of the system it knows.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL /usr)
  set(GNOMON_PC_RPATH " -Wl,-rpath,\${libdir}")
endif()
if(NOT sundials_libdir IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
  string(APPEND GNOMON_PC_SUNDIALS_LIBS " -Wl,-rpath,${sundials_libdir}")
endif()

# Relative to the file itself, so that the prefix may be chosen when installing.
file(RELATIVE_PATH GNOMON_PC_INCLUDE /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix/${CMAKE_INSTALL_INCLUDEDIR})
foreach(package IN ITEMS gnomon gnomon_c)
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# Programs in C to begin from.
install(FILES validation/embed/c/double_pendulum.c validation/embed/ports/rod_gnomon.c validation/embed/ports/rod_ida.c
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# Licence, changes and how to cite; the manual is added where manual finds it built.
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

# `cmake --build . --target uninstall` removes what the last `cmake --install` of this tree wrote, and the folders that it
# made. GNOMON_INSTALL_FOLDERS has every destination of an install rule.
set(GNOMON_INSTALL_FOLDERS
    ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR}/gnomon ${CMAKE_INSTALL_LIBDIR}/gnomon ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    ${config_dir} ${CMAKE_INSTALL_DATADIR}/gnomon ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_DOCDIR})
if(GNOMON_PYTHON_INSTALL_DIR)
  list(APPEND GNOMON_INSTALL_FOLDERS ${GNOMON_PYTHON_INSTALL_DIR}/gnomon)
endif()
configure_file(cmake/GnomonInstallFolders.cmake.in ${PROJECT_BINARY_DIR}/GnomonInstallFolders.cmake @ONLY)
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                                      -DFOLDERS=${PROJECT_BINARY_DIR}/folders_before_install.txt
                                      -P ${PROJECT_SOURCE_DIR}/cmake/GnomonUninstall.cmake VERBATIM)
endif()

# `cmake --build . --target package`: an archive of what is installed.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR "The Gnomon authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} system)
set(CPACK_PACKAGE_FILE_NAME gnomon-${PROJECT_VERSION}-${system})
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
