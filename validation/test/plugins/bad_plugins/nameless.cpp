// A plug-in with a problem that has no name.
#include "defective.hpp"

GNOMON_PLUGIN(nameless) {
  registrar.add(std::unique_ptr<gnomon::Problem>(new gnomon::test::DefectiveProblem("", gnomon::test::Defect::none)));
}
