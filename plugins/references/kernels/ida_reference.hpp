#pragma once
/// \file
/// IDA on a model in one of its forms, and the reference that a plug-in registers.
///
/// What makes IDA a fair reference at tight tolerances (measured with 6.4.1 on pendulums and tops):
///  - its Newton test includes the multipliers, whose noise is eps/h: they get a tolerance of their own, of the order
///    of their size, and are suppressed in the error test; with one scalar atol the stabilised form fails or crawls;
///  - absolute tolerances are in parts of the natural sizes of the unknowns, see state_sizes.hpp;
///  - the coefficient of the Newton test is 1e-2 instead of 0.33;
///  - the consistent start comes from the index-1 equations at the start, not from IDACalcIC;
///  - with the stop time set to the requested time the result is the end of a step, not an interpolated value.

#include <memory>
#include <string>

#include "gnomon/run/reference.hpp"
#include "references/kernels/ida_form.hpp"

namespace gnomon::kernels {

/// One form, as it is written for mechanical systems with constant mass and with a mass that depends on q, and for
/// overdetermined ones: classes derived from MechanicalForm, MomentumForm and OverdeterminedForm.
struct IdaForms {
  Index sets;  ///< of multipliers, see IdaForm
  std::unique_ptr<IdaForm> (*mechanical)(const MechanicalModel&, Index sets);
  std::unique_ptr<IdaForm> (*momentum)(const MechanicalModel&, Index sets);
  std::unique_ptr<IdaForm> (*overdetermined)(const OverdeterminedModel&, Index sets);
};
template <class Form, class Model>
std::unique_ptr<IdaForm> make_form(const Model& model, Index sets) {
  return std::make_unique<Form>(model, sets);
}

/// With obstacles its solutions go piece by piece.
std::unique_ptr<Reference> ida_reference(std::string name, std::string description, const IdaForms& forms);

}  // namespace gnomon::kernels
