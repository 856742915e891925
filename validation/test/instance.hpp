#pragma once
/// \file
/// A model of a test and its start, as a problem would give them.

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"

namespace gnomon::test {

template <class Model>
ProblemInstance instance_of(const Model& model, const Vector& q, const Vector& p) {
  ProblemInstance instance;
  instance.model = std::make_shared<AutodiffSystem<Model>>(model);
  instance.q0 = q;
  instance.p0 = p;
  return instance;
}

}  // namespace gnomon::test
