# What Gnomon stands on. All of these are Debian packages; gnomon.sh installs them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS generic kinsol ida cvode nvecserial sunmatrixdense sunmatrixsparse
                                              sunmatrixband sunlinsoldense sunlinsolband sunlinsolklu sunlinsolspgmr
                                              sunlinsolspbcgs sunnonlinsolnewton sunnonlinsolfixedpoint)
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
if(GNOMON_TESTS)
  find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
endif()
