#pragma once
/// \file
/// AutodiffSystem: a System from U and g written once, templated on the scalar. See AutodiffModel for what a model has.

#include <type_traits>

#include "gnomon/model/autodiff/autodiff_model.hpp"
#include "gnomon/model/autodiff/forward_system.hpp"
#include "gnomon/model/autodiff/recorded_system.hpp"
#include "gnomon/model/start_velocity.hpp"

namespace gnomon {

/// The System of a model. AutodiffSystem(model) or AutodiffSystem(model, q0): the start q0 is where the model is
/// recorded, and where M(q) is taken as mass() when the model has none of its own.
template <class Model>
using AutodiffSystem =
    std::conditional_t<model::on_tape<Model>(), model::RecordedSystem<Model>, model::ForwardSystem<Model>>;

}  // namespace gnomon
