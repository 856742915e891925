# gnomon_add_plugin(name [TARGET target] source...)
#
# A loadable module `name.so` from a plug-in source that defines GNOMON_PLUGIN(name). Serves the modules of this tree and
# those built out of tree against the installed package. The target is called like the module, and links the kernels of
# the schemes, unless TARGET is given.
function(gnomon_add_plugin name)
  cmake_parse_arguments(ARG "" "TARGET" "" ${ARGN})
  set(libs gnomon::core)
  if(NOT ARG_TARGET)
    set(ARG_TARGET ${name})
    list(APPEND libs gnomon::kernels)
  endif()
  set(GNOMON_PLUGIN_NAME ${name})
  set(entry ${CMAKE_CURRENT_BINARY_DIR}/${name}_entry.cpp)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin_entry.cpp.in ${entry} @ONLY)
  add_library(${ARG_TARGET} MODULE ${entry} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${ARG_TARGET} PROPERTIES PREFIX "" OUTPUT_NAME ${name} CXX_VISIBILITY_PRESET hidden
                                                 VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${ARG_TARGET} PRIVATE cxx_std_17)
  target_link_libraries(${ARG_TARGET} PRIVATE ${libs})
endfunction()
