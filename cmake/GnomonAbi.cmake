# Sonames from the numbers of lib/include/gnomon/abi.h. The file name has the release too, so that two of them can be
# installed side by side as long as their numbers differ.
set(abi_header ${PROJECT_SOURCE_DIR}/lib/include/gnomon/abi.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${abi_header})
foreach(number IN ITEMS GNOMON_ABI_VERSION GNOMON_C_ABI_VERSION)
  file(STRINGS ${abi_header} line REGEX "^#define ${number} [0-9]+$")
  if(NOT line MATCHES "([0-9]+)$")
    message(FATAL_ERROR "${abi_header} has no line \"#define ${number} <number>\"")
  endif()
  set(${number} ${CMAKE_MATCH_1})
endforeach()

# gnomon_set_soname(target number)
function(gnomon_set_soname target number)
  set_target_properties(${target} PROPERTIES SOVERSION ${number} VERSION ${number}.${PROJECT_VERSION})
endfunction()
