# gnomon_add_plugin(name source...)
#
# A loadable module `name.so` from a plug-in source that defines GNOMON_PLUGIN(name). Serves the modules of this tree and
# those built out of tree against the installed package.
set(GNOMON_PLUGIN_ENTRY "${CMAKE_CURRENT_LIST_DIR}/plugin_entry.cpp.in")

function(gnomon_add_plugin name)
  set(GNOMON_PLUGIN_NAME ${name})
  set(entry ${CMAKE_CURRENT_BINARY_DIR}/${name}_entry.cpp)
  configure_file(${GNOMON_PLUGIN_ENTRY} ${entry} @ONLY)
  add_library(${name} MODULE ${entry} ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_link_libraries(${name} PRIVATE gnomon::core)
endfunction()
