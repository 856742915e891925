# Writes a C++ file with what git says of the sources, when it has changed: cmake -DROOT= -DOUTPUT= -P GnomonCommit.cmake
execute_process(COMMAND git describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
set(source "#include \"program/pages/commit.hpp\"\n\nconst char* const gnomon::program::commit = \"${commit}\";\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL source)
  file(WRITE ${OUTPUT} "${source}")
endif()
