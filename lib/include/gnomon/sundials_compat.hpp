#pragma once
/// \file
/// The one place that knows SUNDIALS versions (6.4 to 7.x).

#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>

#include <memory>
#include <stdexcept>

#if SUNDIALS_VERSION_MAJOR >= 7
#include <sundials/sundials_errors.h>
#include <sundials/sundials_types.h>
#define GNOMON_SUN_COMM_NULL SUN_COMM_NULL
#else
#define GNOMON_SUN_COMM_NULL nullptr
#endif

namespace gnomon {

#if SUNDIALS_VERSION_MAJOR >= 7
using SunReal = sunrealtype;
#else
using SunReal = realtype;
#endif
static_assert(sizeof(SunReal) == sizeof(double), "Gnomon needs SUNDIALS built in double precision");

/// Owns a SUNContext. From 7.0 on it silences SUNDIALS' own error output: failures reach the user in reports.
class SunContext {
 public:
  SunContext() {
    SUNContext raw = nullptr;
    if (SUNContext_Create(GNOMON_SUN_COMM_NULL, &raw) != 0 || !raw)
      throw std::runtime_error("SUNDIALS could not create a context");
    context_.reset(raw);
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_ClearErrHandlers(raw);
#endif
  }
  operator SUNContext() const { return context_.get(); }  // NOLINT: passed wherever SUNDIALS wants one

 private:
  struct Free {
    void operator()(SUNContext context) const { SUNContext_Free(&context); }
  };
  std::unique_ptr<std::remove_pointer_t<SUNContext>, Free> context_;
};

}  // namespace gnomon
