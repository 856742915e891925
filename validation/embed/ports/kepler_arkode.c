/* Kepler's problem of SUNDIALS' example ark_kepler with ARKODE's explicit Runge-Kutta method of order 4.
 *
 *     H = (p1^2 + p2^2)/2 - 1/|q|,   eccentricity 0.6,   period 2 pi
 *
 * After 16 revolutions the body is where it started. */
#include <arkode/arkode_arkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>

#define ECCENTRICITY 0.6
#define T_END (16 * 2 * 3.14159265358979323846)
#define STEP 0.01
#ifndef SUN_COMM_NULL /* before SUNDIALS 7 */
#define SUN_COMM_NULL NULL
#endif

static int right_hand_side(sunrealtype t, N_Vector y, N_Vector f, void* user_data) {
  const double *s = NV_DATA_S(y), r3 = pow(hypot(s[0], s[1]), 3);
  (void)t;
  (void)user_data;
  NV_Ith_S(f, 0) = s[2];
  NV_Ith_S(f, 1) = s[3];
  NV_Ith_S(f, 2) = -s[0] / r3;
  NV_Ith_S(f, 3) = -s[1] / r3;
  return 0;
}

static double energy_of(const double* s) {
  return (s[2] * s[2] + s[3] * s[3]) / 2 - 1 / hypot(s[0], s[1]);
}
static double momentum_of(const double* s) {
  return s[0] * s[3] - s[1] * s[2];
}

int main(void) {
  SUNContext sunctx;
  N_Vector y;
  void* mem;
  const double* s;
  double energy0, momentum0, energy = 0, momentum = 0;
  sunrealtype t = 0;
  int retval = 0;
  SUNContext_Create(SUN_COMM_NULL, &sunctx);
  y = N_VNew_Serial(4, sunctx);
  s = NV_DATA_S(y);
  N_VConst(0.0, y);
  NV_Ith_S(y, 0) = 1 - ECCENTRICITY;
  NV_Ith_S(y, 3) = sqrt((1 + ECCENTRICITY) / (1 - ECCENTRICITY));
  energy0 = energy_of(s);
  momentum0 = momentum_of(s);

  mem = ARKStepCreate(right_hand_side, NULL, 0.0, y, sunctx);
  ARKStepSetOrder(mem, 4);
  ARKStepSetFixedStep(mem, STEP);
  ARKStepSetStopTime(mem, T_END);
  while (retval == ARK_SUCCESS) {
    retval = ARKStepEvolve(mem, T_END, y, &t, ARK_ONE_STEP);
    energy = fmax(energy, fabs(energy_of(s) - energy0));
    momentum = fmax(momentum, fabs(momentum_of(s) - momentum0));
  }
  printf("%-32s energy %.0e  angular momentum %.0e  q %.0e\n", "explicit, order 4", energy, momentum,
         hypot(s[0] - (1 - ECCENTRICITY), s[1]));
  ARKStepFree(&mem);
  N_VDestroy(y);
  SUNContext_Free(&sunctx);
  return retval == ARK_TSTOP_RETURN ? 0 : 1;
}
