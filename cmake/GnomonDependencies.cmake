# What Gnomon stands on. All of these are Debian packages; gnomon.sh installs them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS generic kinsol ida cvode nvecserial sunmatrixdense sunmatrixsparse
                                              sunlinsoldense sunlinsolklu sunnonlinsolnewton
                                              sunnonlinsolfixedpoint)
find_package(Boost 1.74 REQUIRED)
find_package(jsoncpp REQUIRED)
find_package(tomlplusplus 3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
if(GNOMON_TESTS)
  find_package(SUNDIALS 6.4 REQUIRED COMPONENTS sunmatrixband)
  find_package(Threads REQUIRED)
  find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
endif()
