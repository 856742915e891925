# cmake -DOUTPUT=heads.cpp -DSOURCES=a.cpp,b.cpp,.. -P GnomonHeads.cmake
#
# The comments at the head of plug-in files, "/// name: ...", as a C++ table from the name to the text, for `gnomon
# describe`: a method's equations are written down once, in its own file.
string(REPLACE "," ";" SOURCES "${SOURCES}")
set(table "")
foreach(source IN LISTS SOURCES)
  file(READ "${source}" text)
  string(REGEX MATCH "^(///[^\n]*\n)+" head "${text}")
  string(REGEX REPLACE "^/// *.file\n" "" head "${head}")
  string(REGEX MATCH "^/// ([a-z0-9-]+): " name "${head}")
  if(name STREQUAL "")
    message(FATAL_ERROR "${source} does not begin with a comment \"/// name: ...\"")
  endif()
  set(name "${CMAKE_MATCH_1}")
  string(REGEX REPLACE "^/// [a-z0-9-]+: " "" head "${head}")
  string(REGEX REPLACE "\n/// ?" "\n" head "${head}")
  string(APPEND table "      {\"${name}\", R\"head(${head})head\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by GnomonHeads.cmake.
#include \"program/papers/heads.hpp\"

namespace gnomon::program {

const std::map<std::string, std::string>& heads() {
  static const std::map<std::string, std::string> table = {
${table}  };
  return table;
}

}  // namespace gnomon::program
")
