// A plug-in with one new name and one that is taken.
#include "defective.hpp"

GNOMON_PLUGIN(taken_name) {
  for (const char* name : {"new-pendulum", "planar-pendulum"})
    registrar.add(
        std::unique_ptr<gnomon::Problem>(new gnomon::test::DefectiveProblem(name, gnomon::test::Defect::none)));
}
