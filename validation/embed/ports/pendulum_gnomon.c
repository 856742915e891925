/* The plane pendulum of SUNDIALS' example cvPendulum_dns in Cartesian coordinates, with Gnomon.
 *
 *     M = I,   U = g y,   0 = (x^2 + y^2 - 1)/2
 *
 * Nothing is differentiated by hand. g makes the period 2: at t = 2, 4, .. the bob is where it was released, at (1, 0)
 * and at rest. */
#include <gnomon/gnomon.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>

#define GRAVITY 13.750371636040745654980191559621114395801712
#define T_END 1000.0
#ifndef SUN_COMM_NULL /* before SUNDIALS 7 */
#define SUN_COMM_NULL NULL
#endif

static int potential(sunrealtype t, N_Vector q, sunrealtype* U, void* user_data) {
  (void)t;
  (void)user_data;
  *U = GRAVITY * NV_Ith_S(q, 1);
  return 0;
}

static int constraint(sunrealtype t, N_Vector q, N_Vector g, void* user_data) {
  (void)t;
  (void)user_data;
  NV_Ith_S(g, 0) = (NV_Ith_S(q, 0) * NV_Ith_S(q, 0) + NV_Ith_S(q, 1) * NV_Ith_S(q, 1) - 1) / 2;
  return 0;
}

static int run(SUNContext sunctx, double rtol, double step) {
  N_Vector mass = N_VNew_Serial(2, sunctx), y = N_VNew_Serial(4, sunctx);
  void* mem = GnomonCreate(sunctx);
  double last, energy, position, velocity;
  const char* scheme;
  sunrealtype t;
  long int steps;
  N_VConst(1.0, mass);
  N_VConst(0.0, y);
  NV_Ith_S(y, 0) = 1.0;
  GnomonSetMassDiagonal(mem, mass);
  GnomonSetPotentialFn(mem, potential);
  GnomonSetConstraintFn(mem, 1, constraint);
  GnomonSetDegrees(mem, 1, 2); /* of U and g: derivatives from differences are then exact */
  if (rtol > 0)
    GnomonSStolerances(mem, rtol, rtol); /* chooses the scheme, too */
  else
    GnomonSetStep(mem, step);
  if (GnomonInit(mem, 0.0, y) < 0 || GnomonEvolve(mem, T_END, y, &t, GNOMON_NORMAL) < 0) {
    fprintf(stderr, "%s\n", GnomonGetLastMessage(mem));
    return 1;
  }
  GnomonGetEnergyError(mem, &last, &energy);
  GnomonGetConstraintNorms(mem, &position, &velocity);
  GnomonGetNumSteps(mem, &steps);
  GnomonGetScheme(mem, &scheme);
  printf(rtol > 0 ? "rtol %.0e" : "h = %-6g", rtol > 0 ? rtol : step);
  printf("  %-36s energy %.0e  g %.0e  Gv %.0e  q %.0e  %6ld steps\n", scheme, energy, position, velocity,
         hypot(NV_Ith_S(y, 0) - 1, NV_Ith_S(y, 1)), steps);
  GnomonFree(&mem);
  N_VDestroy(y);
  N_VDestroy(mass);
  return 0;
}

int main(void) {
  SUNContext sunctx;
  int failed;
  SUNContext_Create(SUN_COMM_NULL, &sunctx);
  failed = run(sunctx, 1e-6, 0) || run(sunctx, 1e-8, 0) || run(sunctx, 0, 0.01);
  SUNContext_Free(&sunctx);
  return failed;
}
