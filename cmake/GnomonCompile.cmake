# How a target is compiled: its level of optimisation, its precompiled headers and whether a folder is one compilation.
option(GNOMON_UNITY "Compile the sources of a folder together: less time for a build from nothing, more after an edit"
       ${PROJECT_IS_TOP_LEVEL})

# Headers of other libraries that most sources read. What a source needs it includes itself all the same; a build with
# CMAKE_DISABLE_PRECOMPILE_HEADERS=ON checks that.
set(GNOMON_COMMON_HEADERS <Eigen/Cholesky> <Eigen/Core> <Eigen/LU> <Eigen/QR> <algorithm> <array> <cmath> <functional>
                          <limits> <map> <memory> <optional> <string> <type_traits> <utility> <vector>)
list(APPEND GNOMON_COMMON_HEADERS ${PROJECT_SOURCE_DIR}/lib/src/base/eigen_instances.hpp)
set(GNOMON_HEADERS_library ${GNOMON_COMMON_HEADERS})
set(GNOMON_HEADERS_front ${GNOMON_COMMON_HEADERS} <CLI/App.hpp> <fmt/format.h> <fmt/ranges.h>)
set(GNOMON_HEADERS_test ${GNOMON_COMMON_HEADERS} <boost/test/unit_test.hpp>
                        ${PROJECT_SOURCE_DIR}/lib/include/gnomon/gnomon.hpp)
set(GNOMON_LINKED_library Eigen3::Eigen)
set(GNOMON_LINKED_front Eigen3::Eigen CLI11::CLI11 fmt::fmt)
set(GNOMON_LINKED_test gnomon_core Boost::unit_test_framework)

# gnomon_set_level(target level): -O<level> in a release build, after the -O3 of that configuration; -O0 in every build.
function(gnomon_set_level target level)
  if(level EQUAL 3)
    return()
  endif()
  if(level EQUAL 0)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
  endif()
  if(level EQUAL 1)
    # GCC 12 takes Eigen's assignments for uninitialised values at -O1, and at no other level.
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  endif()
endfunction()

# gnomon_compile(target headers level): with the precompiled headers GNOMON_HEADERS_<headers> (library, front, test; or
# none), which are compiled once for each level and for code that is position-independent or not. GCC takes the options
# of a header back when it is used: at another level than its own the code would have the header's level. The level is
# the one at which compiling and running take the least time together: 3 for schemes and solvers, 2 for the core, whose
# loops over short rows GCC vectorises to their loss, 1 for what measures and prints, 0 for tests.
function(gnomon_compile target headers level)
  gnomon_set_level(${target} ${level})
  if(GNOMON_UNITY)
    gnomon_compile_by_folder(${target})
  endif()
  if("${headers}" STREQUAL "none")
    return()
  endif()
  get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
  set(name gnomon_${headers}_headers_O${level})
  if(independent)
    string(APPEND name _pic)
  endif()
  if(NOT TARGET ${name})
    set(empty ${PROJECT_BINARY_DIR}/gnomon_headers.cpp)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${empty})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ${independent})
    gnomon_set_level(${name} ${level})
    target_link_libraries(${name} PRIVATE ${GNOMON_LINKED_${headers}})
    target_precompile_headers(${name} PRIVATE ${GNOMON_HEADERS_${headers}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  target_link_libraries(${target} PRIVATE gnomon_eigen)
endfunction()

# The C++ sources of a folder of `target` become one compilation, where they are more than one.
function(gnomon_compile_by_folder target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(folders "")
  foreach(source IN LISTS sources)
    get_filename_component(folder "${source}" DIRECTORY)
    list(APPEND folders "${folder}")
  endforeach()
  foreach(source folder IN ZIP_LISTS sources folders)
    set(count 0)
    foreach(other IN LISTS folders)
      if(other STREQUAL folder)
        math(EXPR count "${count} + 1")
      endif()
    endforeach()
    if(count GREATER 1)
      string(MAKE_C_IDENTIFIER "${folder}" group)
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes a source that is included for a header, whose classes should have no members of an unnamed namespace.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()
