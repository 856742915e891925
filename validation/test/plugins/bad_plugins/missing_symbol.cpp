// A plug-in that needs a function of a library that it was not linked with.
#include "defective.hpp"

extern "C" int function_of_no_library();

GNOMON_PLUGIN(missing_symbol) {
  if (function_of_no_library() != 0)
    registrar.add(std::unique_ptr<gnomon::Problem>(
        new gnomon::test::DefectiveProblem("never-registered", gnomon::test::Defect::none)));
}
