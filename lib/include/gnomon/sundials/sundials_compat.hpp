#pragma once
/// \file
/// The one place that knows SUNDIALS versions (6.4 to 7.x).

#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

#include <memory>
#include <stdexcept>
#include <string>

#if SUNDIALS_VERSION_MAJOR >= 7
#include <sundials/sundials_errors.h>
#include <sundials/sundials_types.h>
// The only declaration of what calls the handlers of a context.
#include <sundials/priv/sundials_context_impl.h>
#include <sundials/priv/sundials_errors_impl.h>
#define GNOMON_SUN_COMM_NULL SUN_COMM_NULL
/// Sends error messages to a gnomon::SunMessage, which must outlive the memory and the context.
#define GNOMON_CAPTURE_MESSAGES(set_handler, memory, context, message) \
  static_cast<void>(SUNContext_PushErrHandler(context, gnomon::SunMessage::handler, message))
#else
#include <sundials/sundials_logger.h>
#define GNOMON_SUN_COMM_NULL nullptr
#define GNOMON_CAPTURE_MESSAGES(set_handler, memory, context, message) \
  static_cast<void>(set_handler(memory, gnomon::SunMessage::handler, message))
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
  operator SUNContext() const {
    return context_.get();
  }  // NOLINT: passed wherever SUNDIALS wants one

 private:
  struct Free {
    void operator()(SUNContext context) const { SUNContext_Free(&context); }
  };
  std::unique_ptr<std::remove_pointer_t<SUNContext>, Free> context_;
};

/// Tells the error handlers of a context. Before 7.0 a context has none, only a log, which a SUNDIALS without logging
/// leaves empty.
inline void report_error(SUNContext context, const char* function, const char* message) {
#if SUNDIALS_VERSION_MAJOR >= 7
  SUNHandleErrWithMsg(0, function, "gnomon.h", message, SUN_ERR_OP_FAIL, context);
  static_cast<void>(SUNContext_GetLastError(context));  // the caller has the flag
#else
  SUNLogger logger = nullptr;
  if (SUNContext_GetLogger(context, &logger) == 0 && logger != nullptr)
    SUNLogger_QueueMsg(logger, SUN_LOGLEVEL_ERROR, "gnomon", function, "%s", message);
#endif
}

/// Owners of SUNDIALS objects.
struct SunFree {
  void operator()(N_Vector v) const { N_VDestroy(v); }
  void operator()(SUNMatrix m) const { SUNMatDestroy(m); }
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
};
template <class Handle>
using SunOwner = std::unique_ptr<std::remove_pointer_t<Handle>, SunFree>;

/// The last error message of an integrator, for its report; see GNOMON_CAPTURE_MESSAGES.
struct SunMessage {
  std::string text;

#if SUNDIALS_VERSION_MAJOR >= 7
  static void handler(int, const char*, const char*, const char* message, SUNErrCode, void* self, SUNContext) {
    if (message) static_cast<SunMessage*>(self)->text = message;
  }
#else
  /// Warnings have positive codes and are dropped.
  static void handler(int code, const char*, const char*, char* message, void* self) {
    if (code < 0) static_cast<SunMessage*>(self)->text = message;
  }
#endif
};

}  // namespace gnomon
