# What Gnomon stands on. All of these are Debian packages; gnomon.sh installs them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS kinsol ida cvode nvecserial sunmatrixdense sunmatrixsparse
                                              sunmatrixband sunlinsoldense sunlinsolband sunlinsolklu sunlinsolspgmr
                                              sunlinsolspbcgs sunnonlinsolnewton sunnonlinsolfixedpoint)
# The library with what all others share was renamed.
if(SUNDIALS_VERSION VERSION_LESS 7.0)
  set(GNOMON_SUNDIALS_CORE generic)
else()
  set(GNOMON_SUNDIALS_CORE core)
endif()
if(SUNDIALS_VERSION VERSION_GREATER_EQUAL 7.0 AND SUNDIALS_VERSION VERSION_LESS 7.6)
  message(WARNING "KINSOL of SUNDIALS ${SUNDIALS_VERSION} formats informational messages at every solve, wanted or not "
                  "(releases 7.0 to 7.5, https://github.com/LLNL/sundials/issues/801): steps of small systems take "
                  "several times as long. Results are the same.")
endif()
find_package(Boost 1.74 REQUIRED)
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(KLU_LIBRARY klu REQUIRED)
add_library(gnomon_klu INTERFACE)
target_include_directories(gnomon_klu SYSTEM INTERFACE ${KLU_INCLUDE_DIR})
target_link_libraries(gnomon_klu INTERFACE ${KLU_LIBRARY})
find_package(jsoncpp REQUIRED)
find_package(tomlplusplus 3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(benchmark 1.7 REQUIRED)
if(GNOMON_TESTS)
  find_package(Threads REQUIRED)
  find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
endif()
