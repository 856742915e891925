// A plug-in that registers a problem which is not there.
#include "defective.hpp"

GNOMON_PLUGIN(null_entry) {
  registrar.add(std::unique_ptr<gnomon::Problem>(
      new gnomon::test::DefectiveProblem("beside-nothing", gnomon::test::Defect::none)));
  registrar.add(std::unique_ptr<gnomon::Problem>());
}
