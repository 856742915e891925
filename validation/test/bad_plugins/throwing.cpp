// A plug-in whose registration fails half-way.
#include <stdexcept>

#include "defective.hpp"

GNOMON_PLUGIN(throwing) {
  registrar.add(std::unique_ptr<gnomon::Problem>(
      new gnomon::test::DefectiveProblem("half-registered", gnomon::test::Defect::none)));
  throw std::runtime_error("its licence has expired");
}
