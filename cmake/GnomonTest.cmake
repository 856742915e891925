# gnomon_test(name SOURCES file... [LIBS lib...] [LABEL quick|standard|full])
#
# A Boost.Test executable, registered with ctest under its own name. The label is the tier it runs in; quick by default.
function(gnomon_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL quick)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE BOOST_TEST_DYN_LINK BOOST_TEST_MODULE=${name})
  target_link_libraries(${name} PRIVATE gnomon::core Boost::unit_test_framework ${ARG_LIBS})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL})
endfunction()
