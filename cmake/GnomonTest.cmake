# gnomon_test(name SOURCES file... [LIBS lib...] [LABEL quick|standard|full])
#
# A Boost.Test executable, registered with ctest under its own name. The label is the tier it runs in; quick by default.
# Tests of a release build are compiled with -O1, which takes two thirds of the time: what they test is in libraries.
add_library(gnomon_test_main OBJECT lib/test/support/main.cpp ${PROJECT_BINARY_DIR}/gnomon_headers.cpp)
set_source_files_properties(lib/test/support/main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

function(gnomon_compile_as_test target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_definitions(${target} PRIVATE BOOST_TEST_DYN_LINK)
  # GCC 12 takes Eigen's assignments for uninitialised values at -O1, and at no other level.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
                                           $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  target_link_libraries(${target} PRIVATE Eigen3::Eigen Boost::unit_test_framework)
endfunction()

gnomon_compile_as_test(gnomon_test_main)
target_precompile_headers(gnomon_test_main PRIVATE ${GNOMON_COMMON_HEADERS} <boost/test/unit_test.hpp>)

function(gnomon_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL quick)
  endif()
  add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:gnomon_test_main>)
  gnomon_compile_as_test(${name})
  target_precompile_headers(${name} REUSE_FROM gnomon_test_main)
  set(c ${ARG_SOURCES})
  list(FILTER c INCLUDE REGEX "\\.c$")
  set_source_files_properties(${c} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_link_libraries(${name} PRIVATE gnomon::core ${ARG_LIBS})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL})
endfunction()
