# Dropping a file into plugins/ or problems/ is the whole installation: each source becomes an entry of the gnomon_builtin
# library's generated table and a loadable module of its own, from one compilation.

# gnomon_add_builtin(LIBS lib... INCLUDES folder... SOURCES file...): registers every file under its own name.
function(gnomon_add_builtin)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;INCLUDES" ${ARGN})
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(name ${source} NAME_WE)
    add_library(${name}_object OBJECT ${source})
    target_link_libraries(${name}_object PUBLIC gnomon::core ${ARG_LIBS})
    target_include_directories(${name}_object PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${ARG_INCLUDES})

    gnomon_add_plugin(${name} $<TARGET_OBJECTS:${name}_object>)
    target_link_libraries(${name} PRIVATE ${ARG_LIBS})
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/gnomon)
    install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gnomon)
    set_property(GLOBAL APPEND PROPERTY GNOMON_BUILTIN_NAMES ${name})
    set_property(GLOBAL APPEND PROPERTY GNOMON_BUILTIN_LIBS ${ARG_LIBS})
  endforeach()
endfunction()

# After all gnomon_add_builtin calls: the library with the generated table.
function(gnomon_finish_builtin)
  get_property(names GLOBAL PROPERTY GNOMON_BUILTIN_NAMES)
  get_property(libs GLOBAL PROPERTY GNOMON_BUILTIN_LIBS)
  list(SORT names)
  list(REMOVE_DUPLICATES libs)
  set(GNOMON_BUILTIN_DECLARATIONS "")
  set(GNOMON_BUILTIN_CALLS "")
  set(objects "")
  foreach(name IN LISTS names)
    string(APPEND GNOMON_BUILTIN_DECLARATIONS "void gnomon_register_${name}(gnomon::Registrar&);\n")
    string(APPEND GNOMON_BUILTIN_CALLS "  registry.add(gnomon_register_${name}, \"built in\");\n")
    list(APPEND objects $<TARGET_OBJECTS:${name}_object>)
  endforeach()
  set(table ${PROJECT_BINARY_DIR}/gnomon_builtin.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/builtin_table.cpp.in ${table} @ONLY)
  add_library(gnomon_builtin SHARED ${table} ${objects})
  add_library(gnomon::builtin ALIAS gnomon_builtin)
  set_target_properties(gnomon_builtin PROPERTIES EXPORT_NAME builtin VERSION ${PROJECT_VERSION}
                                                  SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_libraries(gnomon_builtin PUBLIC gnomon::core PRIVATE ${libs})
endfunction()
