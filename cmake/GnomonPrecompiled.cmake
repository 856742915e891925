# Headers of other libraries that most sources read, compiled once for libraries (gnomon_headers) and once for programs
# (gnomon_program_headers, not position-independent). What a source needs it includes itself all the same; a build with
# CMAKE_DISABLE_PRECOMPILE_HEADERS=ON checks that.
set(GNOMON_COMMON_HEADERS <Eigen/Cholesky> <Eigen/Core> <Eigen/LU> <Eigen/QR> <algorithm> <array> <cmath> <functional>
                          <limits> <map> <memory> <optional> <string> <type_traits> <utility> <vector>)

set(empty ${PROJECT_BINARY_DIR}/gnomon_headers.cpp)
file(CONFIGURE OUTPUT ${empty} CONTENT "")
foreach(headers IN ITEMS gnomon_headers gnomon_program_headers)
  add_library(${headers} OBJECT EXCLUDE_FROM_ALL ${empty})
  target_link_libraries(${headers} PRIVATE Eigen3::Eigen)
  target_precompile_headers(${headers} PRIVATE ${GNOMON_COMMON_HEADERS})
endforeach()
set_target_properties(gnomon_program_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)

function(gnomon_precompile_program target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${target} REUSE_FROM gnomon_program_headers)
endfunction()
