# -O1 in a release build, two thirds of the time to compile, for tests, the program and what it measures with: what takes
# their time when they run is in libraries.
function(gnomon_optimise_little target)
  # GCC 12 takes Eigen's assignments for uninitialised values at -O1, and at no other level.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
                                           $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
endfunction()

# -O0 in a release build, 40 to 46 % less time to compile, for tests: most of them run once, and what they test is in libraries.
function(gnomon_optimise_nothing target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()
