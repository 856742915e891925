/* A bob on a rod, with Gnomon.
 *
 *     M = I,   U = g y,   0 = (q.q - 1)/2
 *
 * g makes the period 2: at t = 1000 the bob is where it was released, at (1, 0) and at rest. */
#include <gnomon/gnomon.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#ifndef SUN_COMM_NULL /* before SUNDIALS 7 */
#define SUN_COMM_NULL NULL
#endif
#define GRAVITY 13.750371636040745654980191559621114395801712

static int potential(sunrealtype t, N_Vector q, sunrealtype* U, void* user_data) {
  (void)t, (void)user_data;
  *U = GRAVITY * NV_Ith_S(q, 1);
  return 0;
}

static int constraint(sunrealtype t, N_Vector y, N_Vector g, void* user_data) {
  const double* q = NV_DATA_S(y);
  (void)t, (void)user_data;
  NV_Ith_S(g, 0) = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

int main(void) {
  SUNContext sunctx;
  SUNContext_Create(SUN_COMM_NULL, &sunctx);
  N_Vector y = N_VNew_Serial(4, sunctx), mass = N_VNew_Serial(2, sunctx);
  const double* s = NV_DATA_S(y);
  sunrealtype t;
  long int steps;
  N_VConst(0, y);
  NV_Ith_S(y, 0) = 1;
  N_VConst(1, mass);

  void* mem = GnomonCreate(sunctx);
  GnomonSetMassDiagonal(mem, mass);
  GnomonSetPotentialFn(mem, potential);
  GnomonSetConstraintFn(mem, 1, constraint);
  GnomonInit(mem, 0, y);
  GnomonSStolerances(mem, 1e-8, 1e-8);
  if (GnomonEvolve(mem, 1000, y, &t, GNOMON_NORMAL) < 0) return 1;

  GnomonGetNumSteps(mem, &steps);
  printf("t = %g: energy error %.0e, q off by %.0e, %ld steps\n", t,
         fabs((s[2] * s[2] + s[3] * s[3]) / 2 + GRAVITY * s[1]), hypot(s[0] - 1, s[1]), steps);
  GnomonFree(&mem);
  N_VDestroy(mass);
  N_VDestroy(y);
  SUNContext_Free(&sunctx);
  return 0;
}
