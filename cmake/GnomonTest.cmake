# gnomon_test(name SOURCES file... [LIBS lib...] [LABEL quick|standard|full])
#
# A Boost.Test executable, registered with ctest under its own name. The label is the tier it runs in; quick by default.
add_library(gnomon_test_main OBJECT lib/test/support/main.cpp)

function(gnomon_compile_as_test target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_link_libraries(${target} PRIVATE Boost::unit_test_framework)
endfunction()

gnomon_compile_as_test(gnomon_test_main)
gnomon_set_level(gnomon_test_main 0)

function(gnomon_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL quick)
  endif()
  add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:gnomon_test_main>)
  gnomon_compile_as_test(${name})
  gnomon_compile(${name} test 0)
  set(c ${ARG_SOURCES})
  list(FILTER c INCLUDE REGEX "\\.c$")
  set_source_files_properties(${c} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_link_libraries(${name} PRIVATE gnomon::core ${ARG_LIBS})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL})
endfunction()

# gnomon_use_siconos(target): GNOMON_SICONOS and the library, where libsiconos-numerics-dev is installed. A reference for
# contacts with friction in space.
find_library(GNOMON_SICONOS_LIBRARY siconos_numerics)
find_path(GNOMON_SICONOS_INCLUDE fc3d_Solvers.h PATH_SUFFIXES siconos/numerics)
mark_as_advanced(GNOMON_SICONOS_LIBRARY GNOMON_SICONOS_INCLUDE)
function(gnomon_use_siconos target)
  if(GNOMON_SICONOS_LIBRARY AND GNOMON_SICONOS_INCLUDE)
    target_compile_definitions(${target} PRIVATE GNOMON_SICONOS)
    target_include_directories(${target} SYSTEM PRIVATE ${GNOMON_SICONOS_INCLUDE} ${GNOMON_SICONOS_INCLUDE}/..)
    target_link_libraries(${target} PRIVATE ${GNOMON_SICONOS_LIBRARY})
  endif()
endfunction()
