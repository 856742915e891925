// A good plug-in with bad problems.
#include "defective.hpp"

GNOMON_PLUGIN(bad_problems) {
  using gnomon::test::Defect;
  const std::pair<const char*, Defect> problems[] = {
      {"inconsistent-position", Defect::position},
      {"inconsistent-velocity", Defect::velocity},
      {"rank-deficient", Defect::rank},
      {"nan-at-start", Defect::nan_start},
      {"throws-at-start", Defect::throws_start},
      {"nan-later", Defect::nan_later},
      {"throws-later", Defect::throws_later},
  };
  for (const auto& [name, defect] : problems)
    registrar.add(std::unique_ptr<gnomon::Problem>(new gnomon::test::DefectiveProblem(name, defect)));
}
