#include "gnomon/contact/contact.hpp"

#include "contact/contact_run.hpp"

namespace gnomon {

std::unique_ptr<EventDriver> contact_driver(std::shared_ptr<const System> system, const Scheme& scheme,
                                            const Options& scheme_options, const SolverFactory& solver,
                                            const Options& solver_options, const IntegratorOptions& options) {
  return std::make_unique<ContactRun>(std::move(system), scheme, scheme_options, solver, solver_options, options);
}

}  // namespace gnomon
