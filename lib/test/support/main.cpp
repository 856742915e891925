// The main function of every test.
#define BOOST_TEST_MODULE gnomon
#include <boost/test/unit_test.hpp>
