# What Gnomon stands on. All of these are Debian packages; gnomon.sh installs them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS generic kinsol ida cvode nvecserial sunmatrixdense sunmatrixsparse
                                              sunlinsoldense sunlinsolklu)
find_package(Boost 1.74 REQUIRED)
find_package(jsoncpp REQUIRED)
find_package(tomlplusplus 3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(benchmark 1.7 REQUIRED)
if(GNOMON_TESTS)
  find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
endif()
