/// \file
/// The C interface: a run as a SUNStepper.

#include "gnomon/gnomon.h"

#if GNOMON_HAS_SUNSTEPPER

#include "c_api/c_api_memory.hpp"
#include "gnomon/base/error.hpp"

using namespace gnomon;
using namespace gnomon::c_api;

namespace {

void* memory_of(SUNStepper stepper) {
  void* mem = nullptr;
  SUNStepper_GetContent(stepper, &mem);
  return mem;
}

SUNErrCode result(SUNStepper stepper, int flag) {
  SUNStepper_SetLastFlag(stepper, flag);
  return flag < 0 ? SUN_ERR_OP_FAIL : SUN_SUCCESS;
}

extern "C" {
SUNErrCode stepper_evolve(SUNStepper stepper, sunrealtype tout, N_Vector y, sunrealtype* tret) {
  return result(stepper, GnomonEvolve(memory_of(stepper), tout, y, tret, GNOMON_NORMAL));
}
SUNErrCode stepper_one_step(SUNStepper stepper, sunrealtype tout, N_Vector y, sunrealtype* tret) {
  return result(stepper, GnomonEvolve(memory_of(stepper), tout, y, tret, GNOMON_ONE_STEP));
}
SUNErrCode stepper_reset(SUNStepper stepper, sunrealtype t, N_Vector y) {
  return result(stepper, GnomonReInit(memory_of(stepper), t, y));
}
SUNErrCode stepper_stop_time(SUNStepper stepper, sunrealtype tstop) {
  return result(stepper, GnomonSetStopTime(memory_of(stepper), tstop));
}
}

}  // namespace

int GnomonCreateSUNStepper(void* mem, SUNStepper* stepper) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!stepper) throw Error(ErrorCode::bad_value, "the place for the stepper is NULL");
    SUNStepper made = nullptr;
    if (SUNStepper_Create(memory.context, &made) != SUN_SUCCESS) throw std::bad_alloc();
    SUNStepper_SetContent(made, mem);
    SUNStepper_SetEvolveFn(made, stepper_evolve);
    SUNStepper_SetOneStepFn(made, stepper_one_step);
    SUNStepper_SetResetFn(made, stepper_reset);
    SUNStepper_SetStopTimeFn(made, stepper_stop_time);
    *stepper = made;
  });
}

#endif
