// A plug-in that registers one name twice.
#include "defective.hpp"

GNOMON_PLUGIN(twice) {
  for (int i = 0; i < 2; ++i)
    registrar.add(
        std::unique_ptr<gnomon::Problem>(new gnomon::test::DefectiveProblem("twin", gnomon::test::Defect::none)));
}
