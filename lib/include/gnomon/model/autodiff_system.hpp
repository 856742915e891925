#pragma once
/// \file
/// AutodiffSystem: a System from U and g written once, templated on the scalar. See AutodiffModel for what a model has.

#include <type_traits>

#include "gnomon/model/autodiff/autodiff_model.hpp"
#include "gnomon/model/autodiff/forward_system.hpp"
#include "gnomon/model/autodiff/recorded_system.hpp"
#include "gnomon/model/start_velocity.hpp"

namespace gnomon {

namespace model {

/// Forward duals up to this number of coordinates, tapes beyond.
inline constexpr int forward_limit = 16;

template <class Model>
constexpr bool forward_fits() {
  using Parts = ModelParts<Model>;
  constexpr int n = ModelSizes<Model>::n;
  // Forward duals need the numbers of invariants and obstacles at compile time; where they are to be found, tapes do
  // it.
  return n != Dynamic && n <= forward_limit && (!Parts::invariants_exist || Parts::declared_invariants() >= 0) &&
         (!Parts::obstacles_exist || Parts::declared_obstacles() >= 0);
}

}  // namespace model

/// The System of a model. AutodiffSystem(model) or AutodiffSystem(model, q0): the start q0 is where the model is
/// recorded, and where M(q) is taken as mass() when the model has none of its own.
template <class Model>
using AutodiffSystem =
    std::conditional_t<model::forward_fits<Model>(), model::ForwardSystem<Model>, model::RecordedSystem<Model>>;

}  // namespace gnomon
