/* Kepler's problem of SUNDIALS' example ark_kepler with Gnomon.
 *
 *     M = I,   U = -1/|q|,   eccentricity 0.6,   period 2 pi
 *
 * After 16 revolutions the body is where it started. */
#include <gnomon/gnomon.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>

#define ECCENTRICITY 0.6
#define T_END (16 * 2 * 3.14159265358979323846)
#define STEP 0.01
#ifndef SUN_COMM_NULL /* before SUNDIALS 7 */
#define SUN_COMM_NULL NULL
#endif

static int potential(sunrealtype t, N_Vector q, sunrealtype* U, void* user_data) {
  (void)t;
  (void)user_data;
  *U = -1 / hypot(NV_Ith_S(q, 0), NV_Ith_S(q, 1));
  return 0;
}

static int gradient(sunrealtype t, N_Vector q, N_Vector grad, void* user_data) {
  const double r3 = pow(hypot(NV_Ith_S(q, 0), NV_Ith_S(q, 1)), 3);
  (void)t;
  (void)user_data;
  NV_Ith_S(grad, 0) = NV_Ith_S(q, 0) / r3;
  NV_Ith_S(grad, 1) = NV_Ith_S(q, 1) / r3;
  return 0;
}

/* The rotation of the plane, q' = (-q2, q1): its momentum map p . xi is the angular momentum. */
static int rotation(N_Vector q, N_Vector xi, void* user_data) {
  (void)user_data;
  NV_Ith_S(xi, 0) = -NV_Ith_S(q, 1);
  NV_Ith_S(xi, 1) = NV_Ith_S(q, 0);
  return 0;
}

/* The radial line q2 = 0, q1 > 0 is crossed upwards once a revolution. */
static int axis(sunrealtype t, N_Vector y, sunrealtype* gout, void* user_data) {
  (void)t;
  (void)user_data;
  gout[0] = NV_Ith_S(y, 1);
  return 0;
}

static int run(SUNContext sunctx, const char* scheme, const char* options) {
  N_Vector mass = N_VNew_Serial(2, sunctx), y = N_VNew_Serial(4, sunctx);
  void* mem = GnomonCreate(sunctx);
  double last, energy, value, momentum;
  const char* chosen;
  sunrealtype t;
  int retval, rising, revolutions = 0;
  N_VConst(1.0, mass);
  N_VConst(0.0, y);
  NV_Ith_S(y, 0) = 1 - ECCENTRICITY;
  NV_Ith_S(y, 3) = sqrt((1 + ECCENTRICITY) / (1 - ECCENTRICITY));
  GnomonSetMassDiagonal(mem, mass);
  GnomonSetPotentialFn(mem, potential);
  GnomonSetGradientFn(mem, gradient);
  GnomonAddSymmetry(mem, "angular momentum", rotation);
  GnomonSetScheme(mem, scheme, options);
  GnomonSetStep(mem, STEP);
  retval = GnomonInit(mem, 0.0, y);
  if (retval >= 0) retval = GnomonRootInit(mem, 1, axis);
  if (retval >= 0) do {
      retval = GnomonEvolve(mem, T_END, y, &t, GNOMON_NORMAL);
      if (retval == GNOMON_ROOT_RETURN && GnomonGetRootInfo(mem, &rising) == 0) revolutions += rising > 0;
    } while (retval == GNOMON_ROOT_RETURN);
  if (retval < 0) {
    fprintf(stderr, "%s\n", GnomonGetLastMessage(mem));
    return 1;
  }
  GnomonGetEnergyError(mem, &last, &energy);
  GnomonGetMomentumMap(mem, 0, &value, &momentum);
  GnomonGetScheme(mem, &chosen);
  printf("%-32s energy %.0e  angular momentum %.0e  q %.0e  %d crossings\n", chosen, energy, momentum,
         hypot(NV_Ith_S(y, 0) - (1 - ECCENTRICITY), NV_Ith_S(y, 1)), revolutions);
  GnomonFree(&mem);
  N_VDestroy(y);
  N_VDestroy(mass);
  return 0;
}

int main(void) {
  SUNContext sunctx;
  int failed;
  SUNContext_Create(SUN_COMM_NULL, &sunctx);
  failed = run(sunctx, "rattle", NULL) || run(sunctx, "composition", "inner=rattle order=4") ||
           run(sunctx, "energy-momentum-general", NULL) || run(sunctx, "line-integral-ggl", "s=2 k=6");
  SUNContext_Free(&sunctx);
  return failed;
}
